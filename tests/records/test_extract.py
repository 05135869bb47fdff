"""The lists of a page: found, ranked, cut into cells; whatever the markup, and on bad input."""

import numpy as np
import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.html import read_page
from blickfang.records import extract_records, find_lists, learn_classes
from blickfang.records.extract import Listing
from blickfang.types import Failure, Page, Region
from tests.records.test_study import read

MENU = (
    "<nav><ul>"
    + "".join(f"<li><a href='/{k}'>Menu {k}</a></li>" for k in range(12))
    + "</ul></nav>"
)
WORDS = ["river", "lake", "stream", "spring", "brook", "pond", "marsh", "ocean", "delta", "creek"]


def describe(k: int) -> str:
    """Return a sentence that is another one for each number."""
    first, second = WORDS[k % 10], WORDS[(3 * k + 1) % 10]
    return f"The {first} number {k} flows into the {second} after many miles of quiet country"


def extract(html: str, kind: str = "", *, split: bool = False) -> list[Region]:
    found = extract_records(html, "https://example.org/list/", kind, split=split)
    assert not isinstance(found, Failure)
    return found


def texts(html: str) -> list[str]:
    """Return the records of the first region, white space as one blank."""
    return [" ".join(record.text.split()) for record in extract(html)[0].records]


def product(k: int) -> str:
    return (
        f"<img src='/img/{k}.jpg'><h3><a href='/item/{k}'>{WORDS[k % 10].title()} boat {k}</a></h3>"
        f"<p>{describe(k)}</p><span class='price'>${k}9.50</span>"
    )


def test_products_between_menu_and_footer() -> None:
    items = "".join(f"<div class='item'>{product(k)}</div>" for k in range(8))
    region = extract(f"{MENU}<div id='main'>{items}</div><footer>{MENU}</footer>")[0]
    assert region.rank == 1
    assert len(region.records) == 8
    kinds = [column.kind for column in region.columns]
    assert kinds == ["image", "title", "link", "title", "price"]
    third = region.records[3]
    assert third.images == ("https://example.org/img/3.jpg",)
    assert third.cells[0] == third.images[0]
    assert third.cells[1] == "Spring boat 3"
    assert third.cells[4] == "$39.50"
    assert third.links == ((third.cells[1], "https://example.org/item/3"),)
    assert third.fields["title link"] == third.cells[2] == "https://example.org/item/3"
    assert third.fields["price"] == "$39.50"


@pytest.mark.parametrize("wrapper", ["<div class='item'>{}</div>", "{}"])
def test_images_get_the_text_of_their_record(wrapper: str) -> None:
    items = "".join(wrapper.format(product(k)) for k in range(8))
    html = f"{MENU}<div id='main'>{items}</div><footer>{MENU}</footer>"
    page = read_page(html.encode(), "https://example.org/list/")
    assert isinstance(page, Page)
    contexts = {image.url: image.contexts["best"] for image in page.images}
    records = extract(html)[0].records
    assert len(records) == 8
    for record in records:
        (address,) = record.images
        assert contexts[address].kind == "record"
        assert contexts[address].text.split() == record.text.split()


def test_lists_interrupted_by_headings_are_one() -> None:
    years = ""
    for year in range(4):
        rows = "".join(f"<li>{describe(10 * year + k)}, {2000 + year}.</li>" for k in range(5))
        years += f"<h2>{2000 + year}</h2><ul>{rows}</ul>"
    assert len(texts(f"{MENU}{years}")) == 20


def test_headings_inside_a_list_are_no_records() -> None:
    rows = "".join(
        f"<div>{describe(k)} <a href='{k}'>more</a></div>"
        + ("<div>Part</div>" if k % 4 == 3 else "")
        for k in range(12)
    )
    found = texts(f"<div>{rows}</div>")
    assert len(found) == 12
    assert "Part" not in found


def test_records_without_wrappers() -> None:
    rows = "".join(
        f"<h4>{WORDS[k]} {k}</h4><p>{describe(k)}</p><p>Seen in {1990 + k}</p>" for k in range(7)
    )
    found = texts(f"<div>{rows}</div>")
    assert len(found) == 7
    assert found[2].startswith(f"{WORDS[2]} 2 ")
    assert found[6].endswith("1996")


def test_terms_and_definitions() -> None:
    rows = "".join(f"<dt>{WORDS[k]} {k}</dt><dd>{describe(k)} in {1990 + k}</dd>" for k in range(7))
    assert len(texts(f"<dl>{rows}</dl>")) == 7


def test_lines_between_double_breaks() -> None:
    rows = "<br><br>".join(f"<b>{WORDS[k]}</b> {k}: {describe(k)}, {1990 + k}" for k in range(8))
    found = texts(f"<div>{rows}</div>")
    assert len(found) == 8
    assert found[7].startswith(WORDS[7])


def test_records_over_several_rows_of_a_table() -> None:
    rows = "<tr><td colspan=2><hr></td></tr>".join(
        f"<tr><td>{k}</td><td>{WORDS[k]} one</td></tr><tr><td></td><td>{describe(k)}</td></tr>"
        for k in range(8)
    )
    found = texts(f"<table>{rows}</table>")
    assert len(found) == 8
    assert all(str(k) in text and describe(k) in text for k, text in enumerate(found))


def test_one_table_a_record() -> None:
    tables = "".join(
        f"<table class='paper'><tr><td>{k}.</td><td>{describe(k)}</td></tr>"
        f"<tr><td></td><td>Brook Letters, {1990 + k}</td></tr></table>"
        for k in range(8)
    )
    found = texts(f"<table class='head'><tr><td>Papers</td></tr></table>{tables}")
    assert len(found) == 8
    assert found[0].endswith("1990")


def test_nested_lists_stay_in_their_record() -> None:
    rows = "".join(
        f"<li><h3>{WORDS[k]} {k}</h3><p>{describe(k)}</p>"
        f"<ul><li>long {k}</li><li>deep</li><li>cold</li></ul></li>"
        for k in range(7)
    )
    assert len(texts(f"<ul>{rows}</ul>")) == 7


def test_markup_that_comes_and_goes_parts_no_cells() -> None:
    rows = "".join(
        f"<li><b>{WORDS[k].title()} in {'art' if k % 3 else '<i>art</i>'} {k}</b><br>"
        + ", ".join(f"<a href='{n}'>Ann Lee{n}</a>" for n in range(k % 3 + 1))
        + f"<br>{describe(k)}</li>"
        for k in range(8)
    )
    region = extract(f"<ul>{rows}</ul>")[0]
    assert region.records[2].cells[:2] == ("Stream in art 2", "Ann Lee0, Ann Lee1, Ann Lee2")
    assert [column.kind for column in region.columns][1] == "names"


def test_cells_are_split_where_rows_agree_on_demand() -> None:
    rows = "".join(f"<li>{WORDS[k]} house | room {k} of it | {1990 + k}</li>" for k in range(8))
    whole = extract(f"<ul>{rows}</ul>")[0]
    assert whole.records[4].cells == ("brook house | room 4 of it | 1994",)
    region = extract(f"<ul>{rows}</ul>", split=True)[0]
    assert region.records[4].cells == ("brook house", "room 4 of it", "1994")
    assert [column.kind for column in region.columns] == ["text", "title", "year"]


def test_columns_are_named_by_examples() -> None:
    rows = "".join(
        f"<tr><td>{WORDS[k]} {WORDS[-k]}</td><td>Anna Berger</td></tr>" for k in range(6)
    )
    classes = learn_classes({"water": WORDS, "people": ["Anna Berger", "Carl Diehl"]})
    found = extract_records(f"<table>{rows}</table>", classes=classes)
    assert isinstance(found, list)
    assert [column.name for column in found[0].columns] == ["water", "people"]
    assert found[0].records[2].fields["people"] == "Anna Berger"
    with pytest.raises(InputError, match="examples"):
        learn_classes({"empty": []})


def test_regions_are_ranked_and_counted() -> None:
    items = "".join(f"<div class='item'>{product(k)}</div>" for k in range(8))
    page = f"{MENU}<div id='main'>{items}</div>"
    every = extract_records(page, regions=0)
    assert isinstance(every, list)
    assert len(every) > 3
    assert len(extract(page)) == 3
    assert [region.rank for region in every] == list(range(1, len(every) + 1))
    assert sum(region.confidence for region in every) == pytest.approx(1, abs=0.01)
    lists = find_lists(read(page))
    assert isinstance(lists[0], Listing)
    assert [record.nodes for record in every[0].records] == lists[0].records


@pytest.mark.parametrize(
    "html",
    [
        "<p>Only one paragraph, and nothing that is repeated.</p>",
        "<ul><li>One record only</li></ul>",
        "plain text",
        "<table><tr><td><table><tr>",
        "<ul>" * 300 + "deep",
        "<body></body>",
    ],
)
def test_pages_without_lists_give_none(html: str) -> None:
    assert extract(html) == []


def test_what_is_no_page_is_a_failure() -> None:
    for body in (b"", b"%PDF-1.7\x00\x00\x01\x02\xff\xfe", b"\x89PNG\r\n\x1a\n\x00\x00\x00"):
        found = extract_records(body, "https://example.org/x")
        assert isinstance(found, Failure)
        assert found.room == "records"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(SettingsError, match="publications"):
        extract_records("<p>x</p>", kind="patents")


def test_encodings_and_scripts() -> None:
    rows = "".join(f"<li><b>שלום עולם {k}</b><br>זהו ספר מספר {k} בספרייה</li>" for k in range(6))
    page = f"<html dir='rtl'><body><ul>{rows}</ul></body></html>"
    for body in (page.encode("utf-16"), b"\xef\xbb\xbf" + page.encode()):
        found = extract_records(body)
        assert isinstance(found, list)
        assert found[0].records[5].cells[0] == "שלום עולם 5"


def test_fifty_thousand_rows() -> None:
    rows = "".join(f"<li><b>Thing {k}</b> costs ${k}</li>" for k in range(50_000))
    found = extract_records(f"<ul>{rows}</ul>", regions=1)
    assert isinstance(found, list)
    assert len(found[0].records) == 50_000
    assert found[0].records[1234].cells == ("Thing 1234", "costs $1234")


def test_rows_that_nest_and_tables_that_break() -> None:
    inner = "<ul>" + "".join(f"<li>Part {k} of it</li>" for k in range(3)) + "</ul>"
    deep = "".join(f"<li><b>Thing {k}</b> {describe(k)}{inner}" for k in range(6))
    assert len(extract(f"<ul>{deep}</ul>")[0].records) == 6
    endless = "".join(f"<div class=row>{describe(k)}" for k in range(3000))  # never closed
    assert all(region.records for region in extract(endless))
    broken = "<table>" + "".join(
        f"<tr><td>{WORDS[k]}</b><td>{describe(k)}</i></p></div><td>${k}<tr></table"
        for k in range(9)
    )
    rows = texts(broken)
    assert sum(any(describe(k) in row for row in rows) for k in range(9)) >= 8


def test_rows_that_differ_in_everything_are_still_rows() -> None:
    random = np.random.default_rng(0)
    tags = ["b", "i", "p", "div", "br", "img", "a href=x"]
    rows = [
        "<li>" + "".join(f"<{tags[t]}>{WORDS[w]}" for t, w in random.integers(0, 7, (9, 2)))
        for _ in range(30)
    ]
    region = extract(f"<ul>{''.join(rows)}</ul>")[0]
    assert all(len(record.cells) == len(region.columns) for record in region.records)
