"""What the headers of an answer add to what its page says."""

import time

import pytest

from blickfang.html import glance, read
from blickfang.types import Page, Response

URL = "http://example.org/a/"


def read_with(headers: dict[str, str], html: str = "<p>Some text") -> Page:
    page = read(Response(URL, 200, headers, html.encode()))
    assert isinstance(page, Page)
    return page


@pytest.mark.parametrize(
    ("link", "canonical", "licences"),
    [
        ('<b>; rel="canonical"', "http://example.org/a/b", ()),
        ("<b>;REL=Canonical;x", "http://example.org/a/b", ()),
        ('</s.css>; rel=preload; as="style", </c>; rel="x canonical"', "http://example.org/c", ()),
        ("<javascript:x>; rel=canonical, </d>; rel=canonical", "http://example.org/d", ()),
        ('</t>; rel=license; title="A, <b>"', None, ("http://example.org/t",)),
        ('</t>; title="x; rel=license"', None, ()),
        ("</t>; rel=license; anchor=/other", None, ()),
        ("</t>; rel=x; rel=license", None, ()),
        ("</t>, rel=license", None, ()),
        ("", None, ()),
    ],
)
def test_the_header_link(link: str, canonical: str | None, licences: tuple[str, ...]) -> None:
    page = read_with({"link": link})
    assert (page.canonical, page.licences) == (canonical, licences)


def test_what_the_page_says_goes_before() -> None:
    headers = {"link": "</h>; rel=canonical, </l>; rel=license", "content-language": "de"}
    page = read_with(
        headers, "<html lang=fr><link rel=canonical href=/p><a rel=license href=/l>x</a>"
    )
    assert (page.canonical, page.declared_language) == ("http://example.org/p", "fr")
    assert page.licences == ("http://example.org/l",)


def test_content_language_and_refresh() -> None:
    headers = {"content-language": "de-AT, en", "refresh": "5; url=b"}
    page = read_with(headers, "<base href=//other.org/><a href=c>x</a>")
    assert page.declared_language == "de"
    assert [(link.kind, link.url) for link in page.links] == [
        ("refresh", "http://example.org/a/b"),
        ("a", "http://other.org/c"),
    ]
    seen = glance(Response(URL, 200, headers, b"<p>x"))
    assert isinstance(seen, Page)
    assert (seen.declared_language, len(seen.links)) == ("de", 1)
    assert read_with({"refresh": "300"}).links == ()


@pytest.mark.parametrize("piece", ["<", "<>", "<>;", "<>; ", '<>;a="', ";", "<>;a=b", "<a>,"])
def test_hostile_headers_cost_little(piece: str) -> None:
    begin = time.process_time()
    read_with({"link": piece * 2**20, "refresh": "1;" + " " * 2**20})
    assert time.process_time() - begin < 1
