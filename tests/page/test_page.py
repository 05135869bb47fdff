"""The way in: any bytes become a page or a failure, always the same, in bounded time and memory."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from blickfang.html import METHODS, glance, read, read_body_text, read_page
from blickfang.html.images.images import MAX_IMAGES
from blickfang.html.layout.boxes import Boxes, estimate_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.page import MAX_BYTES
from blickfang.html.parse.tree import Tree
from blickfang.text.words import read_words
from blickfang.types import Failure, Page, Response
from tests.page.soup import soups
from tests.site.hostile.pages import SMALL

URL = "http://example.org/a/"
CPU_S = 2.0
PEAK_MB = 1700  # a page of 10 MB becomes arrays of some hundred bytes a node, and letters

# Reads every hostile page once; prints name, seconds, what came out, and the most memory used.
READ_HOSTILE = """
import json, time
from blickfang.html import read_page
from tests.site.hostile.pages import PAGES
read_page("<p>warm <img> up</p>")
for name, write in PAGES.items():
    data = write()
    before = time.process_time()
    kind = type(read_page(data, "http://example.org/")).__name__
    seconds = time.process_time() - before
    status = open("/proc/self/status").read()  # getrusage would tell of who started this process
    peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    print(json.dumps([name, seconds, kind, peak]))
"""


def page_of(html: str | bytes) -> Page:
    page = read_page(html, URL)
    assert isinstance(page, Page)
    return page


def same(one: Page | Failure, other: Page | Failure) -> bool:
    """Whether two readings are equal, word for word."""
    if isinstance(one, Failure) or isinstance(other, Failure):
        return one == other
    return (
        np.array_equal(one.words, other.words)
        and np.array_equal(one.breaks, other.breaks)
        and repr(one) == repr(other)
    )


def spread(html: str) -> str:
    """Put blanks around tags: every tag cuts words, which texts do not show."""
    return html.replace("<", " <").replace(">", "> ")


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    result = read_page(data, URL)
    assert isinstance(result, Page | Failure)
    assert (read_body_text(data) is None) == isinstance(result, Failure)


@given(st.binary(max_size=40), soups(), st.sampled_from(["utf-8", "utf-16", "latin-1", "gbk"]))
def test_any_soup_is_read_in_any_encoding(junk: bytes, html: str, encoding: str) -> None:
    assert isinstance(read_page(html.encode(encoding, "replace") + junk, URL), Page | Failure)


@given(st.text())
def test_only_nothing_and_binaries_fail(text: str) -> None:
    result = read_page(f"<p>{text}", URL)
    if isinstance(result, Failure):
        assert sum(char < " " for char in text) > 0, "text without control characters is a page"


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\x00\x01\x02" * 500, b"\x89PNG\r\n\x1a\n\0"])
def test_failures(data: bytes) -> None:
    result = read_page(data, URL)
    assert isinstance(result, Failure)
    assert (result.url, result.room) == (URL, "page")
    assert result.reason == "binary or empty, not a page"
    assert read_body_text(data) is None


@pytest.mark.parametrize("data", [b"x", b"<", b"plain text, no tags", b"{}", b"<?xml?><a/>"])
def test_whatever_is_text_is_a_page(data: bytes) -> None:
    page_of(data)


@given(soups())
def test_text_and_its_bytes_are_the_same_page(html: str) -> None:
    body = f"\ufeff{html}".encode() if html.strip() else b""
    assert same(read_page(html, URL), read(Response(URL, 200, {}, body)))


@given(soups())
def test_the_same_page_is_read_alike(html: str) -> None:
    assert same(read_page(html, URL), read_page(html, URL))


@given(soups())
def test_pages_survive_pickling(html: str) -> None:
    page = read_page(html, URL)
    assert same(page, pickle.loads(pickle.dumps(page)))  # noqa: S301 -- our own


@given(soups().map(spread))
def test_words_of_links_and_contexts_are_words_of_the_page(html: str) -> None:
    page = read_page(html + "x", URL)
    if isinstance(page, Failure):
        return
    assert page.words.tolist() == read_words(page.text).hashes.tolist()
    for link in page.links:
        words = page.words[slice(*link.words)].tolist()
        assert words == read_words(link.anchor).hashes.tolist()
    for image in page.images:
        for found in image.contexts.values():
            words = [word for piece in found.words for word in page.words[slice(*piece)].tolist()]
            assert words == read_words(found.text).hashes.tolist()


@given(soups())
def test_images_are_numbered_as_in_the_parsed_document(html: str) -> None:
    page = read_page(html + "x", URL)
    if isinstance(page, Failure):
        return
    shown = [image for image in page.images if image.number >= 0]
    parsed = LexborHTMLParser((html + "x").encode().replace(b"\0", b"\xef\xbf\xbd")).css("img")
    assert [image.number for image in shown] == list(range(len(parsed)))
    assert [image.src for image in shown] == [node.attributes.get("src") or "" for node in parsed]


def test_images_in_noscript_count() -> None:
    html = (
        "<img src=a><noscript><p><img src=b></p></noscript><svg><image href=c /></svg>"
        "<picture><source srcset=d><img src=e></picture><template><img src=f></template>"
    )
    parsed = LexborHTMLParser(html).css("img")
    shown = [image.src for image in page_of(html).images if image.number >= 0]
    assert shown == [node.attributes["src"] for node in parsed]


def test_what_is_over_the_limit_is_cut_and_noted() -> None:
    page = page_of(b"<p>first</p>" + b" " * MAX_BYTES + b"<p>last</p>")
    assert page.text == "first"
    assert any("cut after 10,000,000 bytes" in note for note in page.notes)
    assert page_of(b"<p>first</p>" + b" " * 9_000_000 + b"<p>last</p>").text == "first\nlast"


def test_start_tags_over_the_limit_are_noted() -> None:
    page = page_of(b"<p>first</p>" + b"<b>x</b>" * 250_000)
    assert page.text.startswith("first")
    assert page.notes


def test_too_many_images_are_cut_and_noted() -> None:
    page = page_of("<img>" * (MAX_IMAGES + 1))
    assert len(page.images) == MAX_IMAGES
    assert page.notes[-1] == "only 50,000 of 50,001 images are read"


def test_a_small_page_needs_no_notes() -> None:
    assert page_of("<!doctype html><meta charset=utf-8><p>Straße").notes == ()


@pytest.mark.parametrize("name", SMALL)
def test_small_hostile_pages(name: str) -> None:
    data = SMALL[name]()
    page = read_page(data, URL)
    assert isinstance(page, Page) or not data.strip() or b"\0" in data
    assert same(page, read_page(data, URL))


def test_hostile_pages_cost_little() -> None:
    """Each alone: seconds of CPU, and the memory of the process that read them all."""
    done = subprocess.run(
        [sys.executable, "-c", READ_HOSTILE], capture_output=True, text=True, check=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) > len(SMALL)
    assert [(name, seconds) for name, seconds, _, _ in rows if seconds > CPU_S] == []
    assert {kind for _, _, kind, _ in rows} == {"Page", "Failure"}
    assert rows[-1][3] < PEAK_MB


def test_characters_are_not_guessed_anew() -> None:
    assert page_of("<p>hi\0").text == "hi"
    assert page_of("\0<p>größer").text == "größer"


def test_methods_by_name_or_all() -> None:
    page = read_page("<p>text<img>", URL, methods="paragraph")
    assert isinstance(page, Page)
    assert list(page.images[0].contexts) == ["paragraph"]
    page = read_page(bytearray(b"<p>text<img>"), URL, methods=("all",))
    assert isinstance(page, Page)
    assert tuple(page.images[0].contexts) == METHODS


def test_boxes_may_be_measured() -> None:
    html = b"<p>above the fold</p><img><p>below it</p>"
    seen = []

    def measure(tree: Tree) -> Boxes:
        seen.append(tree)
        return estimate_boxes(tree, LayoutOptions())

    page = read(Response(URL, 200, {}, html), ("layout",), measure)
    assert isinstance(page, Page)
    assert len(seen) == 1
    assert "below it" in page.images[0].contexts["layout"].text


def test_shared_texts_are_shared() -> None:
    html = "<figure>" + "<img>" * 3000 + f"<figcaption>{'word ' * 20_000}</figcaption></figure>"
    page = page_of(html)
    assert len({id(image.contexts["best"].text) for image in page.images}) == 1
    assert len({id(image.caption) for image in page.images}) == 1


def test_a_glance_sees_what_a_crawl_goes_by() -> None:
    html = (
        b"<title>T</title><p>Some words <a href=/a>and a link</a> <img src=/b.jpg alt=c></p>"
        b"<div style='background:url(/d.jpg)'>A box</div>"
    )
    response = Response("http://example.org/", 200, {}, html)
    whole, seen = read(response), glance(response)
    assert isinstance(whole, Page)
    assert isinstance(seen, Page)
    links = tuple(link._replace(anchor="") for link in whole.links)
    assert (seen.title, seen.links) == (whole.title, links)
    for one, other in zip(seen.images, whole.images, strict=True):
        bare = other._replace(contexts={}, name="", section="", position=-1)
        assert one._replace(contexts={}) == bare
        assert one.contexts["best"].words == other.contexts["best"].words
        assert (one.contexts["best"].text, one.contexts["best"].confidence) == ("", 0.0)
    assert seen.words.tolist() == whole.words.tolist()
    assert (seen.text, seen.main_text) == ("", "")
    without = glance(response, images=False)
    assert isinstance(without, Page)
    assert (without.links, without.images) == (links, ())
