"""Links: resolved, canonical, with their words; frames, areas, refresh and relations too."""

import pytest

from blickfang.html import read_page
from blickfang.types import Link, Page

URL = "http://example.org/cats/index.html"


def links(html: str, url: str = URL) -> list[Link]:
    page = read_page(html, url)
    assert isinstance(page, Page)
    return list(page.links)


def test_links_are_resolved_with_anchor_and_words() -> None:
    html = "<p>See <a href='../a.html#top' rel='nofollow UGC'>the <b>first</b> page</a>."
    page = read_page(html, URL)
    assert isinstance(page, Page)
    (link,) = page.links
    assert link == Link(
        "http://example.org/a.html", "the first page", "a", ("nofollow", "ugc"), (1, 4)
    )
    assert len(page.words) == 4


def test_what_leads_nowhere_is_no_link() -> None:
    html = (
        "<a href='javascript:x()'>a</a><a href='mailto:a@b.c'>b</a><a href='data:,x'>c</a>"
        "<a href='http://'>d</a><a>e</a><a href='tel:1'>f</a><a name=x>g</a>"
    )
    assert links(html) == []


def test_frames_areas_refresh_and_relations() -> None:
    html = (
        "<head><meta http-equiv=Refresh content='5; URL=next.html'>"
        "<link rel='canonical' href='/c'><link rel=stylesheet href=/s.css>"
        "<link rel=sitemap href=/map.xml><link rel='alternate' hreflang=de href=/de></head>"
        "<map><area href=/area></map><iframe src=/inner></iframe>"
    )
    kinds = {link.kind: link.url for link in links(html)}
    assert kinds == {
        "refresh": "http://example.org/cats/next.html",
        "canonical": "http://example.org/c",
        "sitemap": "http://example.org/map.xml",
        "alternate": "http://example.org/de",
        "area": "http://example.org/area",
        "iframe": "http://example.org/inner",
    }


def test_the_text_of_an_area_is_its_alt() -> None:
    area, other = links("<map><area href=a alt='The  &quot;north&quot;'><area href=b></map>")
    assert (area.anchor, other.anchor) == ('The "north"', "")


def test_links_in_svg_may_be_written_as_they_were() -> None:
    html = (
        "<svg><a xlink:href=x>one</a><a href=y xlink:href=z>two</a><use xlink:href=#u /></svg>"
        "<a xlink:href=no>three</a>"
    )
    assert [link.url[-4:] for link in links(html)] == ["ts/x", "ts/y"]


def test_a_frameset_has_links() -> None:
    html = "<frameset cols='1,2'><frame src=menu.html><frame src=main.html></frameset>"
    assert [(link.kind, link.url[-9:]) for link in links(html)] == [
        ("frame", "menu.html"),
        ("frame", "main.html"),
    ]


@pytest.mark.parametrize(
    "before",
    [
        "<font>",
        "<html><head></head></body>",
        "<p> ",
        "<b><i>\n</i>",
        "<form>",
        "<template></template>",
    ],
)
def test_a_frameset_takes_the_place_of_an_empty_body(before: str) -> None:
    html = f"{before}<frameset><frame src=menu.html></b></frameset>"
    assert [(link.kind, link.url[-9:]) for link in links(html)] == [("frame", "menu.html")]


@pytest.mark.parametrize(
    "before", ["<body>", "<p>x", "<br>", "</br>", "<ul><li>", "<svg>", "<hr>", "<template>"]
)
def test_a_frameset_behind_anything_else_is_none(before: str) -> None:
    assert links(f"{before}<frameset><frame src=menu.html></frameset>") == []


def test_the_first_base_counts_and_tricks_do_not() -> None:
    html = "<base target=x><base href='//other.org/d/'><base href='/no/'><a href=e>e</a>"
    assert links(html)[0].url == "http://other.org/d/e"
    for trick in ("javascript:alert(1)", "data:text/html,x", "http://[", ""):
        assert links(f"<base href='{trick}'><a href=e>e</a>")[
            0
        ].url == "http://example.org/cats/e" or (trick == "")


def test_without_an_address_only_absolute_links_are_known() -> None:
    html = "<a href=/rel>a</a><a href='HTTP://Example.org:80/abs'>b</a>"
    assert [link.url for link in links(html, "")] == ["http://example.org/abs"]
    html += "<link rel=canonical href='https://home.org/x/y'>"
    assert [link.url for link in links(html, "") if link.kind == "a"] == [
        "https://home.org/rel",
        "http://example.org/abs",
    ]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("5; URL=next.html", "next.html"),
        ("0 next.html", "next.html"),
        ("0,next.html", "next.html"),
        (" .5 ;\turl = 'next.html' x", "next.html"),
        ('0; url="it\'s.html"x', "it's.html"),
        ("0; urls.html", "urls.html"),
        ("0;url=http://a.org/?b='c'", "http://a.org/?b=%27c%27"),
        *((nothing, None) for nothing in ["300", "1.5", "5;", "5; ", "0; url=", "0; url=''", ""]),
        *((wrong, None) for wrong in ["url=next.html", "; url=next.html", "5x; url=next.html"]),
    ],
)
def test_refresh_as_the_standard_reads_it(content: str, target: str | None) -> None:
    escaped = content.replace('"', "&quot;")
    found = [link.url for link in links(f'<meta http-equiv=refresh content="{escaped}">')]
    base = "" if (target or "").startswith("http") else "http://example.org/cats/"
    assert found == ([base + target] if target else [])


@pytest.mark.parametrize(
    ("before", "behind", "is_html"),
    [
        ("<svg>", "</svg>", False),
        ("<svg><g>", "</g></svg>", False),
        ("<math><mrow>", "</mrow></math>", False),
        ("<math><desc>", "</desc></math>", False),
        ("<svg><foreignObject><svg>", "</svg></foreignObject></svg>", False),
        ("<svg><mi>", "</mi></svg>", False),
        ("<svg></svg>", "", True),
        ("<svg><foreignObject><div>", "</div></foreignObject></svg>", True),
        ("<svg><desc>", "</desc></svg>", True),
        ("<svg><title>", "</title></svg>", True),
        ("<math><mi>", "</mi></math>", True),
    ],
)
def test_in_svg_and_mathml_names_of_html_mean_nothing(
    before: str, behind: str, is_html: bool
) -> None:
    inside = (
        "<base href='//evil.org/'></base><link rel='canonical license' href=/c></link>"
        "<iframe src=/i></iframe>"
    )
    page = read_page(f"{before}{inside}{behind}<a href=/a>x</a>", URL)
    assert isinstance(page, Page)
    host = "http://evil.org/" if is_html else "http://example.org/"
    kinds = {link.kind: link.url for link in page.links}
    assert kinds.pop("a") == host + "a"
    if is_html:
        assert kinds == {"canonical": host + "c", "iframe": host + "i"}
        assert (page.canonical, page.licences) == (host + "c", (host + "c",))
    else:
        assert (kinds, page.canonical, page.licences) == ({}, None, ())


def test_links_of_svg_are_links() -> None:
    assert [link.url for link in links("<svg><a href=/a>x</a></svg>")] == ["http://example.org/a"]
