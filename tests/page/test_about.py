"""What a page says of itself."""

import pytest

from blickfang.data import Page
from blickfang.page import read_page


def read(html: str) -> Page:
    page = read_page(html, "http://example.org/a/")
    assert isinstance(page, Page)
    return page


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A &amp; \n B </title><h1>C</h1>", "A & B"),
        ("<meta property=og:title content='D'><h1>C</h1>", "D"),
        ("<h2>x</h2><h1>C <i>c</i></h1>", "C c"),
        ("<svg><title>no</title></svg>text", ""),
        ("<body><title>late</title>", "late"),
    ],
)
def test_titles(html: str, title: str) -> None:
    assert read(html).title == title


def test_meta_headings_and_canonical() -> None:
    page = read(
        "<meta name=Description content=' One  two '><meta name=keywords content='a, b'>"
        "<link rel=canonical href='/x?y#z'><h1>A</h1><h3>B<br>b</h3><h2></h2>"
    )
    assert page.description == "One two"
    assert page.keywords == "a, b"
    assert page.canonical == "http://example.org/x?y"
    assert page.headings == ((1, "A"), (3, "B b"))


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=de-AT>", "de"),
        ("<html><body xml:lang=fr>", "fr"),
        ("<meta http-equiv=content-language content='es, en'>", "es"),
        ("<meta property=og:locale content=pt_BR>", "pt"),
        ("<html lang=''>", None),
    ],
)
def test_declared_language(html: str, language: str | None) -> None:
    assert read(html + "<p>text").declared_language == language


def test_the_text_tells_its_language() -> None:
    german = (
        "Der Leuchtturm steht seit vielen Jahren auf der Klippe und weist den Schiffen den Weg."
    )
    page = read(f"<html lang=en><p>{german * 3}")
    assert (page.language, page.declared_language) == ("de", "en")


def test_licences_by_rel_link_and_schema() -> None:
    page = read(
        "<a rel='license' href='/terms'>t</a>"
        "<a href='https://creativecommons.org/licenses/by/4.0/'>cc</a>"
        "<a href='https://creativecommons.org/about'>no</a>"
        "<meta itemprop=license content='https://example.org/m'>"
        "<script type='application/ld+json'>{'broken'</script>"
        '<script type="application/ld+json">{"@graph": [{"license": "https://example.org/l",'
        '"image": {"license": {"@id": "https://example.org/i"}, "html": "</p>"}}]}</script>'
    )
    assert set(page.licences) == {
        "http://example.org/terms",
        "https://creativecommons.org/licenses/by/4.0/",
        "https://example.org/m",
        "https://example.org/l",
        "https://example.org/i",
    }


@pytest.mark.parametrize("kind", ["application/rsl+xml", " Application/RSL+XML; charset=utf-8"])
def test_terms_that_stand_in_the_page_are_its_own(kind: str) -> None:
    rsl = "<rsl><content url='/'><license><prohibits>train-ai</prohibits></license></content></rsl>"
    page = read(f"<p>x<script type='{kind}'>{rsl}</script>")
    assert page.terms == ("http://example.org/a/",)
    assert read("<script type='application/xml'><rsl/></script><p>x").terms == ()
    linked = read("<link rel=license type=application/rsl+xml href=r.xml><p>x")
    assert (linked.terms, linked.licences) == (("http://example.org/a/r.xml",),) * 2


def test_deep_json_is_no_trap() -> None:
    deep = '{"license":' + "[" * 100_000
    assert read(f'<p>x<script type="application/ld+json">{deep}</script>').licences == ()


@pytest.mark.parametrize(
    ("html", "licences"),
    [
        (
            "<a href='//creativecommons.org/licenses/by-sa/4.0/'>cc</a>",
            ["http://creativecommons.org/licenses/by-sa/4.0/"],
        ),
        (
            "<a href='\n HTTPS://CreativeCommons.ORG/licenses/by/4.0/'>cc</a>",
            ["https://creativecommons.org/licenses/by/4.0/"],
        ),
        (
            "<a href='http://www.creativecommons.org/publicdomain/zero/1.0/'>cc</a>",
            ["http://www.creativecommons.org/publicdomain/zero/1.0/"],
        ),
        ("<a href='//creativecommons.org/about'>cc</a><a href=/creativecommons.org/x>no</a>", []),
        ("<a href='https://example.com/?u=//creativecommons.org/licenses/by/4.0/'>no</a>", []),
        (
            "<script type='application/ld+json; charset=utf-8'>"
            '{"license": ["https://a.org/1", {"url": "https://a.org/2"}], "x": "a\nb"}</script>',
            ["https://a.org/1", "https://a.org/2"],
        ),
    ],
)
def test_licences_however_they_are_written(html: str, licences: list[str]) -> None:
    assert list(read(html).licences) == licences


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ("<link rel=canonical><link rel=canonical href=/c>", "http://example.org/c"),
        ("<link rel=canonical href=''><link rel=canonical href=/c>", "http://example.org/c"),
        ("<link rel=canonical href='javascript:x()'>", "http://example.org/og"),
        ("<link rel=canonical>", "http://example.org/og"),
        ("<a rel=canonical href=/a>a</a>", "http://example.org/og"),
    ],
)
def test_a_canonical_that_says_nothing_hides_none(head: str, canonical: str) -> None:
    html = f"<meta property=og:url content=/og>{head}"
    assert read(html).canonical == canonical
    page = read_page(html.replace("=/", "=http://example.org/"))
    assert isinstance(page, Page)
    assert page.canonical == canonical


def test_metas_of_one_name_are_joined() -> None:
    page = read("".join(f"<meta name={key} content={k}>" for k, key in enumerate("abaaB")))
    assert page.metas == {"a": "0, 2, 3", "b": "1, 4"}
    assert list(page.metas) == ["a", "b"]
