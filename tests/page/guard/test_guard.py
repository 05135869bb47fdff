"""The guard: real pages keep their trees, hostile ones lose only what makes them hostile."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from blickfang.html.guard import Guarded, guard_page
from blickfang.html.guard.tag_classes import is_quirky
from tests.site.hostile.pages import PAGES, SLOW

SECONDS = 1.5  # for the slowest page, on a busy machine
MAX_DEPTH = 256
DEEPEST = 2 * MAX_DEPTH + 64  # forms leave the open elements but not the tree

TAGS = (
    "a b font i nobr code p div span li ul dd dt dl h1 h2 table tr td th tbody thead caption "
    "colgroup col select optgroup button form svg math foreignObject desc mi mtext title textarea "
    "xmp script style template html body head noscript ruby rt rtc rb object marquee br hr img x-y "
    "section pre address iframe noframes mglyph g image"
)
ODD_TAGS = (
    f"{TAGS} option frameset frame plaintext selectedcontent input annotation-xml keygen applet"
)
ATTRIBUTES = ("", "", " x=1", " color=red", "/", " a/b", " x='<b>'", ' x="\'"', " =y", " x= y")
OTHER = ("x", " ", "\n", "&amp;", "<", "</", "\0", "<!--x-->", "<!-->", "<!--->", "<!--x--!>y")
DECLARED = ("<![CDATA[x]]>", "<!doctype html>", "<?x?>", "</ >", "<!x>")
EMPTIED = re.compile(r"(?is)(<(?:script|style)\b[^>]*>).*?(?=</(?:script|style)>)|<!--.*?-->")


def soups(tags: str, *, size: int) -> st.SearchStrategy[str]:
    names = st.sampled_from(tags.split())
    starts = st.builds("<{}{}>".format, names, st.sampled_from(ATTRIBUTES))
    pieces = starts | st.builds("</{}>".format, names) | st.sampled_from(OTHER + DECLARED)
    heads = st.sampled_from(["", "<!doctype html>", "<!doctype html><body>"])
    return st.builds("{}{}".format, heads, st.lists(pieces, max_size=size).map("".join))


def guard(data: bytes) -> Guarded:
    return guard_page(data, write=False)


def parse(data: bytes) -> str:
    return LexborHTMLParser(data).html or ""


def measure_depth(data: bytes) -> int:
    root = LexborHTMLParser(data).root
    deepest, waiting = 0, [(root, 0)] if root else []
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        child: LexborNode | None = node.first_child
        while child is not None:
            waiting.append((child, depth + 1))
            child = child.next
    return deepest


@given(soups(TAGS, size=30))
def test_trees_stay_as_they_are(soup: str) -> None:
    guarded = guard(soup.encode())
    if not guarded.notes:
        before, after = parse(soup.encode()), parse(guarded.data)
        assert EMPTIED.sub(r"\1", after) == EMPTIED.sub(r"\1", before)


@given(soups(ODD_TAGS, size=6), soups(ODD_TAGS, size=6))
def test_no_soup_is_deep_however_often_repeated(start: str, soup: str) -> None:
    guarded = guard((start + soup * 400).encode())
    assert measure_depth(guarded.data) <= DEEPEST


@given(st.binary() | st.text(alphabet="<>/!-= \"'absvgript").map(str.encode))
def test_any_bytes_pass(data: bytes) -> None:
    guarded = guard(data)
    assert len(guarded.data) <= len(data)
    assert not guarded.notes


@pytest.mark.parametrize("name", SLOW)
def test_hostile_pages_are_quick_and_stay_small(name: str) -> None:
    data = PAGES[name]()
    began = time.process_time()
    guarded = guard(data)
    html = parse(guarded.data)
    assert time.process_time() - began < SECONDS
    assert len(html) < 5 * len(data) + 2**20
    if "nesting deeper than 256 was flattened" in guarded.notes:
        assert measure_depth(guarded.data) <= DEEPEST


@pytest.mark.parametrize("name", [name for name in PAGES if name not in SLOW])
def test_small_hostile_pages_pass(name: str) -> None:
    guarded = guard(PAGES[name]())
    assert not guarded.notes
    parse(guarded.data)


@pytest.mark.parametrize(
    ("page", "left"),
    [
        ("<script>var x</script>y", "<script></script>y"),
        ("<SCRIPT >x</SCRIPT >y", "<SCRIPT ></SCRIPT >y"),
        ("<script><!-- <script> </script> --></script>y", "<script></script>y"),
        ("<script><!--></script>y", "<script></script>y"),
        (
            '<script type="application/ld+json"><!-- <script></script> --></script>y',
            '<script type="application/ld+json"></script>y',
        ),
        ("<style>a{}</styles></style>y", "<style></style>y"),
        ("<style>a{}", "<style>"),
        ("<!-- a comment of some length -->y", "<!---->y"),
        ("<!-- a comment of some length --!>y", "<!----!>y"),
        ("<!-- a comment of some length", "<!--"),
        ("<b x=1", ""),
        ("x<plaintext>y<p>&", "x<pre>y&lt;p>&amp;"),
        ("<svg><plaintext>y</svg>", "<svg><plaintext>y</svg>"),
        ("<i><frameset>y", "<i><frameset>y"),
        ("<br><frameset>y", "<br>y"),
        ("<body>x<frameset>y", "<body>xy"),
    ],
)
def test_what_is_emptied(page: str, left: str) -> None:
    assert guard(page.encode()).data == left.encode()


@pytest.mark.parametrize(
    "page",
    [
        '<script type="application/ld+json">{"a": 1}</script>',
        '<script type="application/rsl+xml"><rsl><content/></rsl></script>',
        "<svg><style><p>x</style></svg>",
        "<svg><title><b>x</b></title></svg>",
        "<!-->x<!--->y<!---->z",
        "<title><script>x</script></title>",
        "<textarea><!-- not a comment at all --></textarea>",
        "<frameset><frame src=a><frameset><frame src=b></frameset></frameset>",
        "a < b",
    ],
)
def test_what_stays_is_the_same_object(page: str) -> None:
    data = page.encode()
    assert guard(data).data is data


def test_limits_are_noted_and_nothing_but_nesting_is_lost() -> None:
    page = b"<div>" * 300 + b"<img src=a>x" + b"</div>" * 300 + b"<p>y"
    guarded = guard(page)
    assert guarded.notes == ("nesting deeper than 256 was flattened",)
    tree = LexborHTMLParser(guarded.data)
    assert tree.css_first("img") is not None
    paragraph = tree.css_first("p")
    assert paragraph is not None
    assert paragraph.parent is not None
    assert paragraph.parent.tag == "body"


def test_long_values_go_and_their_attributes_stay() -> None:
    long = b"x" * 100_000
    guarded = guard(b"<img alt='" + long + b"' title=" + long + b" src=a>")
    assert guarded.data == b"<img alt='' title=x src=a>"
    assert guarded.notes == ("attribute values longer than 64 kB were cut",)


@pytest.mark.parametrize(
    ("doctype", "quirky"),
    [
        ("<!doctype html>", False),
        ('<!DOCTYPE html SYSTEM "about:legacy-compat">', False),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "x">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', True),
        ("<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2 Final//EN'>", True),
        ("<!DOCTYPE HTML PUBLIC '-//IETF//DTD HTML 9//EN'>", None),
        ("<!doctype>", None),
    ],
)
def test_quirks(doctype: str, quirky: bool | None) -> None:
    assert is_quirky(doctype.encode()) is quirky
    nested = "<p><table></table>"
    tree = LexborHTMLParser(guard((doctype + nested).encode()).data)
    assert (tree.css_first("p table") is not None) is (quirky is not False)
