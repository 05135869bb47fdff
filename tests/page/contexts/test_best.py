"""The best context: what kind of place an image is in, and the text that belongs to it there."""

from collections.abc import Callable

import pytest

from blickfang.html import read_page
from blickfang.types import Context, Page

STONES = (
    "The old lighthouse was built by hand over many long winters, and the people of the village "
    "still tell how the stones came over the ice."
)
KEEPER = (
    "Nobody lives there now, but a keeper from the town walks up every month to wind the clock, "
    "oil the hinges and look for cracks in the wall."
)
SUMMER = (
    "In summer the tower opens its door to visitors, who climb the narrow stairs slowly and rest "
    "for a while at each of the seven windows."
)
FOG = (
    "When the fog comes in, the horn still sounds twice a minute, and the fishermen say that they "
    "would rather miss their supper than its voice."
)
CAPTION = "The tower from the south in winter"
GUESTS = {
    "Anna": "paints boats in blue",
    "Bruno": "carves small birds",
    "Clara": "weaves warm blankets",
    "David": "bakes dark bread",
    "Elena": "tunes old pianos",
}
RECORDS = [f"{name} {does}" for name, does in GUESTS.items()]


def contexts(html: str) -> list[Context]:
    page = read_page(html)
    assert isinstance(page, Page)
    return [image.contexts["best"] for image in page.images]


def looks(html: str) -> list[tuple[str, str]]:
    """Return kind and text of each image's context, white space as one blank."""
    return [(found.kind, " ".join(found.text.split())) for found in contexts(html)]


def article(inner: str) -> str:
    return (
        f"<article><h1>The lighthouse</h1><p>{STONES}</p><p>{KEEPER}</p>"
        f"{inner}<p>{SUMMER}</p><p>{FOG}</p></article>"
    )


def repeat(pattern: str, wrap: str = "div") -> str:
    """Return a list of all guests; {image}, {name}, {does} and {n} stand for what differs."""
    records = (
        pattern.format(image=f"<img src={name}.jpg>", name=name, does=does, n=number)
        for number, (name, does) in enumerate(GUESTS.items())
    )
    return f"<{wrap}>{''.join(records)}</{wrap}>"


@pytest.mark.parametrize(
    "html",
    [
        "<figure><img src=a.jpg><figcaption>{}</figcaption></figure>",
        "<figure><figcaption>{}</figcaption><a href=b.html><img src=a.jpg></a></figure>",
        "<div class=wp-caption><a href=b><img src=a.jpg></a><p class=wp-caption-text>{}</p></div>",
        "<div><img src=a.jpg><p>{}</p></div>",
        "<div><a href=b.html><img src=a.jpg></a><br>{}</div>",
        "<div><div><img src=a.jpg></div><div><span>{}</span></div></div>",
        "<table><tr><td><img src=a.jpg></td></tr><tr><td>{}</td></tr></table>",
    ],
)
def test_a_figure_with_its_caption(html: str) -> None:
    assert looks(article(html.format(CAPTION))) == [("figure", CAPTION)]


@pytest.mark.parametrize(
    "html",
    [
        "<img src=a.jpg><p class=small>{}</p>",
        "<p><img src=a.jpg></p><p class=small>{}</p>",
        "<a href=b.html><img src=a.jpg></a><div>{}</div>",
        "<p><img src=a.jpg></p><center><i>{}</i></center>",
    ],
)
def test_a_caption_among_paragraphs(html: str) -> None:
    assert looks(article(html.format(CAPTION))) == [("text", CAPTION)]


def test_captions_of_several_images_in_one_text() -> None:
    html = article(
        f"<p><img src=a.jpg></p><p class=small>{CAPTION}</p><p>{STONES}</p><p>{FOG}</p>"
        "<p><img src=b.jpg></p><p class=small>The harbour at low tide</p>"
    )
    assert [text for _, text in looks(html)] == [CAPTION, "The harbour at low tide"]


@pytest.mark.parametrize("credit", ["Photo: Jane Doe", "© 2020 Jane Doe. All rights reserved."])
def test_credit_lines_belong_to_the_caption(credit: str) -> None:
    html = article(f"<p><img src=a.jpg></p><p class=small>{CAPTION}</p><p class=by>{credit}</p>")
    assert [text for _, text in looks(html)] == [f"{CAPTION} {credit}"]


@pytest.mark.parametrize("html", ["<img src=a.jpg>", "<p><img src=a.jpg></p>"])
def test_an_image_in_running_text_has_the_text_behind_it(html: str) -> None:
    assert looks(article(html)) == [("text", SUMMER)]


def test_an_image_at_the_end_has_the_text_before_it() -> None:
    html = article("").replace("</article>", "<p><img src=a.jpg></p></article>")
    assert looks(html) == [("text", FOG)]


def test_an_image_inside_a_paragraph_has_that_paragraph() -> None:
    assert [text for _, text in looks(article(f"<p><img src=a.jpg>{STONES}</p>"))] == [STONES]


@pytest.mark.parametrize(
    ("pattern", "wrap"),
    [
        ("<li>{image}<b>{name}</b> {does}</li>", "ul"),
        ("<li><a href={name}>{image}<b>{name}</b></a><p>{does}</p></li>", "ol"),
        ("<div class=card>{image}<h3>{name}</h3><p>{does}</p></div>", "div"),
        ("<div class='card n{n}' id=c{n}>{image}<h3>{name}</h3><p>{does}</p></div>", "div"),
        ("<div>{image}<h3>{name}</h3><p>{does}</p></div>", "section"),
        ("<tr><td>{image}</td><td>{name}</td><td>{does}</td></tr>", "table"),
        ("<article><h2>{name}</h2>{image}<p>{does}</p></article>", "main"),
        ("<a href={name}>{image}<span>{name}</span> <span>{does}</span></a>", "div"),
    ],
)
def test_records_with_a_wrapper(pattern: str, wrap: str) -> None:
    assert looks(repeat(pattern, wrap)) == [("record", text) for text in RECORDS]


@pytest.mark.parametrize(
    ("pattern", "wrap"),
    [
        ("{image}<h3>{name}</h3><p>{does}</p>", "div"),
        ("<h3>{name}</h3>{image}<p>{does}</p>", "div"),
        ("<h3>{name}</h3><p>{does}</p>{image}", "div"),
        ("<h3>{name}</h3><p>{does}</p><p>{image}</p>", "section"),
        ("<p>{image}</p><p><b>{name}</b></p><p class=d>{does}</p>", "td"),
        ("{image}<p>{name}</p><p>{does}</p><hr>", "div"),
        ("<dt>{name}</dt><dd>{image}</dd><dd>{does}</dd>", "dl"),
        ("<dt>{name}</dt><dd>{image} {does}</dd>", "dl"),
        ("<dt>{image}</dt><dd>{name} {does}</dd>", "dl"),
        ("<tr><td>{image}</td></tr><tr><td>{name}</td></tr><tr><td>{does}</td></tr>", "table"),
    ],
)
def test_records_without_a_wrapper(pattern: str, wrap: str) -> None:
    html = repeat(pattern, wrap)
    if wrap == "td":
        html = f"<table><tr>{html}</tr></table>"
    assert looks(html) == [("record", text) for text in RECORDS]


def test_text_around_a_run_of_records_is_not_in_it() -> None:
    html = repeat("<h3>{name}</h3>{image}<p>{does}</p>").replace(
        "<div>", "<div><p>All our guests of this year, in the order in which they came.</p>"
    )
    html = html.replace("</div>", "<p>Thanks to all, and to the town for its barn.</p></div>")
    assert [text for _, text in looks(html)] == RECORDS


def test_a_record_may_have_more_than_the_others() -> None:
    html = repeat("<h3>{name}</h3>{image}<p>{does}</p>")
    html = html.replace("<h3>David", "<p class=note>Guest of honour</p><h3>David")
    assert [text for _, text in looks(html)] == [
        f"{text} Guest of honour" if text.startswith("Clara") else text for text in RECORDS
    ]


def test_rows_of_which_one_has_no_image() -> None:
    html = repeat("<tr><td>{image}</td><td>{name}</td><td>{does}</td></tr>", "table")
    found = looks(html.replace("<img src=Clara.jpg>", ""))
    assert found == [("record", text) for text in RECORDS if not text.startswith("Clara")]


def test_long_records_with_headings_are_records() -> None:
    texts = dict(zip(GUESTS, (STONES, KEEPER, SUMMER, FOG), strict=False))
    html = "".join(
        f"<h2>{name}</h2><p><img src=a.jpg></p><p>{text}</p>" for name, text in texts.items()
    )
    assert looks(f"<div>{html}</div>") == [
        ("record", f"{name} {text}") for name, text in texts.items()
    ]


@pytest.mark.parametrize(
    "classes",
    [
        "class=item{n}",
        "class='item item-{n} c{n}'",
        "class='item {parity}'",
        "class={parity}",
    ],
)
def test_classes_that_count_or_alternate(classes: str) -> None:
    html = "".join(
        f"<div {classes.format(n=number, parity=('odd', 'even')[number % 2])}>"
        f"<img src={name}.jpg><h3>{name}</h3><p>{does}</p></div>"
        for number, (name, does) in enumerate(GUESTS.items())
    )
    assert looks(f"<div>{html}</div>") == [("record", text) for text in RECORDS]


@pytest.mark.parametrize(
    "pattern",
    [
        "<li><img class=lazy data-src={name}.jpg><noscript>{image}</noscript>{name} {does}</li>",
        "<h3>{name}</h3><img data-src={name}.jpg><noscript>{image}</noscript><p>{does}</p>",
    ],
)
def test_twins_of_an_image_have_one_text(pattern: str) -> None:
    found = looks(repeat(pattern))
    assert found[::2] == found[1::2] == [("record", text) for text in RECORDS]


@pytest.mark.parametrize("tags", [("figure", "figcaption"), ("div", "p")])
def test_twins_in_a_figure(tags: tuple[str, str]) -> None:
    outer, inner = tags
    html = article(
        f"<{outer}><img class=lazy data-src=a.jpg><noscript><img src=a.jpg></noscript>"
        f"<{inner}>{CAPTION}</{inner}></{outer}>"
    )
    assert [text for _, text in looks(html)] == [CAPTION, CAPTION]


def test_hidden_text_is_left_out() -> None:
    html = repeat(
        "<li>{image}<b>{name}</b> <i style='display:none'>secret</i>{does}<p hidden>menu</p></li>",
        "ul",
    )
    assert looks(html) == [("record", text) for text in RECORDS]
    figure = f"<div><img src=a.jpg><p>{CAPTION}</p><p hidden>Share it with all friends</p></div>"
    assert looks(article(figure)) == [("figure", CAPTION)]


@pytest.mark.parametrize(
    "html",
    [
        "<figure><img src=a.jpg><figcaption style=display:none>not seen</figcaption></figure>"
        f"<p>{CAPTION}</p>",
        f"<div><img src=a.jpg aria-describedby=d><p>{CAPTION}</p></div><p id=d hidden>not seen</p>",
    ],
)
def test_a_hidden_caption_is_none(html: str) -> None:
    assert looks(html) == [("figure", CAPTION)]


@pytest.mark.parametrize(
    "html",
    [
        "<img src=a.jpg>",
        "<div><img src=a.jpg></div><div hidden>nobody sees this text at all</div>",
        article("<p><img src=dot.gif width=16 height=16></p>"),
        article("<img src=bar.gif width=600 height=3>"),
    ],
)
def test_decoration_has_no_text(html: str) -> None:
    assert [(found.kind, found.text, found.confidence) for found in contexts(html)] == [
        ("decoration", "", 0.0)
    ]


def test_what_every_image_has_is_not_about_any() -> None:
    found = looks(repeat("<div class=shot>{image}<span>Zoom</span></div>"))
    assert found == [("decoration", "")] * len(GUESTS)


def test_small_images_in_records_are_thumbnails() -> None:
    html = repeat("<li>{image}{name} {does}</li>", "ul").replace("<img", "<img width=50 height=50")
    assert looks(html) == [("record", text) for text in RECORDS]


def test_several_kinds_on_one_page() -> None:
    figure = f"<figure><img src=a.jpg><figcaption>{CAPTION}</figcaption></figure>"
    html = (
        article(f"{figure}<p>{FOG}</p><p><img src=b.jpg></p>")
        + f"<aside>{repeat('<div class=card>{image}<h3>{name}</h3><p>{does}</p></div>')}</aside>"
        + "<p><img src=line.gif width=500 height=2></p>"
    )
    assert looks(html) == [
        ("figure", CAPTION),
        ("text", SUMMER),
        *(("record", text) for text in RECORDS),
        ("decoration", ""),
    ]


def test_german() -> None:
    text = "Der alte Leuchtturm wurde von Hand gebaut, und im Dorf erzählt man noch heute davon. "
    html = (
        f"<p>{text * 2}</p><p>{text * 2}</p><p><img src=a.jpg></p>"
        f"<p class=bu>Der Turm von Süden, kurz vor dem großen Sturm</p><p>{text * 2}</p>"
    )
    assert [found for _, found in looks(html)] == ["Der Turm von Süden, kurz vor dem großen Sturm"]


def test_chinese() -> None:
    things = {
        "灯塔": "它建于一八九零年，至今仍在使用。",
        "渔船": "船身漆成蓝色，每天清晨出海。",
        "码头": "这里每天都有很多游客和商人。",
        "海鸥": "它们在屋顶上筑巢，冬天飞往南方。",
    }
    html = "".join(f"<h3>{name}</h3><img src=a.jpg><p>{text}</p>" for name, text in things.items())
    assert looks(f"<div>{html}</div>") == [
        ("record", f"{name} {text}") for name, text in things.items()
    ]


def test_russian() -> None:
    text = "Старый маяк строили вручную много зим, и в деревне до сих пор рассказывают об этом. "
    caption = "Башня с южной стороны, зима"
    html = (
        f"<article><p>{text * 2}</p><p>{text * 2}</p><div><img src=a.jpg><p>{caption}</p></div>"
        f"<p>{text * 2}</p></article>"
    )
    assert looks(html) == [("figure", caption)]


@pytest.mark.parametrize(
    ("sure", "unsure"),
    [
        (
            lambda: article(f"<div><img src=a.jpg><p>{CAPTION}</p></div>"),
            lambda: article(f"<p><img src=a.jpg></p><p class=small>{CAPTION}</p>"),
        ),
        (
            lambda: repeat("<article>{image}<h2>{name}</h2><p>{does}</p></article>"),
            lambda: article("<p><img src=a.jpg></p>"),
        ),
        (
            lambda: article("<p><img src=a.jpg></p>"),
            lambda: "<img src=a.jpg>",
        ),
    ],
)
def test_agreement_of_simple_methods_makes_sure(
    sure: Callable[[], str], unsure: Callable[[], str]
) -> None:
    one, other = contexts(sure())[0], contexts(unsure())[0]
    assert 0 <= other.confidence < one.confidence <= 1
    assert "of 3 simple methods agree" in one.reasons[1]


PICTURES = "<tr><td><img src=a.jpg></td><td><img src=b.jpg></td></tr>"
TEXTS = "<tr><td>Red sofa with legs</td><td>Oak table for six</td></tr>"


@pytest.mark.parametrize(
    "rows",
    [
        PICTURES + TEXTS,
        TEXTS + PICTURES,
        (PICTURES + TEXTS) * 2,
        (TEXTS + PICTURES) * 2,
        "<tr><td colspan=2>Our furniture</td></tr>" + TEXTS + PICTURES,
        (TEXTS + PICTURES) * 2 + "<tr><td colspan=2>All photos by somebody</td></tr>",
        (PICTURES + TEXTS) * 2 + "<tr><td colspan=2>All photos by somebody</td></tr>",
    ],
)
def test_a_row_of_images_is_paired_with_a_row_of_texts(rows: str) -> None:
    found = looks(f"<table>{rows}</table>")
    expected = [("figure", "Red sofa with legs"), ("figure", "Oak table for six")]
    assert found == expected * (len(found) // 2)


def test_rows_that_do_not_fit_are_not_paired() -> None:
    one = contexts(f"<table>{PICTURES}<tr><td colspan=2>Red sofa and oak table</td></tr></table>")
    assert {(found.text, found.confidence) for found in one} == {("Red sofa and oak table", 0.8)}


def test_a_text_that_several_images_share_is_less_sure() -> None:
    strip = "<div><img src=a.jpg><img src=b.jpg><img src=c.jpg></div>"
    shared = contexts(f"<div>{strip}<p>{STONES}</p></div>")
    assert {found.confidence for found in shared} == {0.8}
    assert shared[0].reasons[0].startswith("one of several")
    twin = "<div><img src=a.jpg><noscript><img src=a.jpg></noscript></div>"
    assert contexts(f"<div>{twin}<p>{STONES}</p></div>")[0].confidence > 0.8
