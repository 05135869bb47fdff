"""The style sheets that a page holds itself, for a browser that measures it."""

import time

import pytest

from blickfang.html.layout.browser_layout import MOST, measure_boxes, put_styles, take_styles
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import slice_text
from blickfang.io.chromium import Chromium
from tests.page.layout.test_browser import need_browser

URL = "http://page.test/"
CSS = b"div{position:absolute;top:0} .far{top:2000px} @media (width<9px) {p>b{top:0}}"


def put_back(html: bytes) -> bytes:
    """Return the canonical HTML of a page that went through all that reads pages."""
    marked, styles = take_styles(html)
    parsed = parse_page(marked)
    assert parsed is not None
    return put_styles(parsed[0], styles)


@pytest.mark.parametrize(
    "tag",
    [
        b"<style>",
        b"<STYLE type='text/css' media=\"screen\">",
        b'<style title="a > b">',
        b"<style\n>",
        b"<style/>",
    ],
)
def test_a_style_comes_back_where_it_was(tag: bytes) -> None:
    html = b"<title>t</title>" + tag + CSS + b"</style><p>one<style>p{}</style>two"
    found = put_back(html)
    assert found.count(CSS) == 1
    assert found.index(b"one") < found.index(b"p{}</style>") < found.index(b"two")


def test_what_only_looks_like_a_style_is_none() -> None:
    html = b"<!-- <style>a{}</style> --><script>'<style>b{}'</script><p>x<styles>y<style>c{}"
    found = put_back(html)
    assert found.count(b"c{}") == 1
    assert b"<script></script>" in found
    assert b'<style data-blickfang-style="1">b{}' not in found
    assert (
        put_back(b"<p>no style at all")
        == b"<html><head></head><body><p>no style at all</p></body></html>"
    )


@pytest.mark.parametrize(
    "piece",
    [b"<style", b"<style>", b"<style '", b'<style a="', b"</style", b"<script>", b"<!--", b"<!-->"],
)
def test_hostile_pages_take_linear_time(piece: bytes) -> None:
    html = piece * (4_000_000 // len(piece))
    began = time.process_time()
    _, styles = take_styles(html)
    assert time.process_time() - began < 2
    assert len(styles) <= MOST


def test_the_browser_measures_the_page_as_its_author_styled_it() -> None:
    need_browser()
    html = (
        b"<title>t</title><style><!-- " + CSS + b" --></style><img width=200 height=200>"
        b"<div class=far>next in the source</div><div>beside on the page</div>"
        b"<svg><style>text{x:0}</style></svg><noscript><style>i{}</style></noscript>"
    )
    marked, styles = take_styles(html)
    parsed = parse_page(marked)
    assert parsed is not None
    tree, _ = parsed
    options = LayoutOptions()
    with Chromium() as browser:
        boxes = measure_boxes(tree, URL, lambda _: None, browser, options, styles)
    tops = {
        slice_text(tree, start, end): top
        for start, end, top in zip(boxes.start, boxes.end, boxes.place[1], strict=True)
    }
    assert (tops["next in the source"], tops["beside on the page"]) == (2000, 0)
