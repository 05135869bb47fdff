"""What a page says of itself."""

import pytest

from blickfang.html import read_page
from blickfang.types import LicenceTerms, Page


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


RSL = "<rsl><content url='/'><license><prohibits>ai-train</prohibits></license></content></rsl>"
HOME = "http://example.org/a/"


@pytest.mark.parametrize(
    "opening",
    [
        "<script type='application/rsl+xml'>",
        "<script type=' Application/RSL+XML; charset=utf-8'>",
        "<p>x<SCRIPT id=a TYPE=application/rsl+xml>",
        "<title>x</title><body><table><tr><td><script type=application/rsl+xml>",
        "<base href='http://elsewhere.org/'><script type='application/rsl+xml'>",
        "<svg><g></g></svg><div><script defer type='application/rsl+xml'>",
    ],
)
def test_terms_that_stand_in_the_page_are_its_own(opening: str) -> None:
    page = read(f"{opening}{RSL}</script><p>y")
    assert page.terms == (LicenceTerms(HOME, RSL),)
    assert (page.text.strip(), page.licences) in {("y", ()), ("x\ny", ()), ("x y", ())}


def test_terms_stand_where_links_and_scripts_say_so() -> None:
    assert read("<script type='application/xml'><rsl/></script><p>x").terms == ()
    assert read("<script type='x/ld+json; rsl+xml'><rsl/></script><p>x").terms == ()
    linked = read("<link rel=license type=application/rsl+xml href=r.xml><p>x")
    assert linked.terms == (LicenceTerms(f"{HOME}r.xml"),)
    assert linked.licences == (f"{HOME}r.xml",)
    named = "<link rel=canonical href=/b><meta property=og:url content=/c>"
    held = f"<script type=application/rsl+xml>{RSL}</script>"
    assert read(f"{named}{held}<p>x").terms == (LicenceTerms(HOME, RSL, ("http://example.org/b",)),)
    assert read(f"<link rel=canonical href={HOME}>{held}<p>x").terms == (LicenceTerms(HOME, RSL),)


def test_terms_that_cannot_be_handed_on_are_empty() -> None:
    def terms(*texts: str) -> list[str | None]:
        scripts = (f"<script type='application/rsl+xml'>{each}</script>" for each in texts)
        return [each.text for each in read(f"{''.join(scripts)}<p>x").terms]

    assert terms("a", "", "b") == ["a", "", "b"]
    assert terms("a" * 300_000, "b") == ["", "b"]
    assert terms(*"abcdefghijkl") == [*"abcdefgh", ""]
    assert terms("<!--<script></script>-->") == [""]  # an end tag in a script
    escaped = "<script type='application/rsl&#43;xml'>a</script><p>x"
    assert [each.text for each in read(escaped).terms] == [""]


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
