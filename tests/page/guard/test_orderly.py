"""Orderly pages are written without the parser, and byte for byte as the parser writes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html.guard import guard_limits
from blickfang.html.guard.guard import scan_page
from tests.fuzz.kinds import GOLDEN
from tests.page.guard.both import write_both
from tests.page.guard.test_guard import DECLARED, ODD_TAGS, OTHER, soups
from tests.site.hostile.pages import PAGES, SMALL

ORDERLY = {
    "nothing": "",
    "all is left out": "x",
    "head and body": "<!doctype html><html lang=en><head><title>a</title></head><body>b</body>",
    "blanks around the head": "\n<html> <head> <meta a> </head>\n<body>\n</body>\n</html>\n",
    "no head": "<html><body class=a><p>x",
    "noscript in the head": "<head><noscript><link rel=x></noscript></head>y",
    "old doctype": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "a.dtd">x',
    "xml": '<?xml version="1.0"?><!doctype html>x',
    "a page in a page": "<!doctype html><body><div>a<!doctype html>b</div>",
    "a long value": f"<!doctype html><p id='{'a' * 70_000}' class=b title={'c' * 70_000}>d",
    "a long value beyond ASCII": f"<!doctype html><p id='{'é' * 40_000}' title={'日' * 40_000}>d",
    "comments everywhere": "<!--a--><html><!--b--><head><!--c--></head><!--d--><body>e<!--f-->"
    "</body><!--g--></html><!--h-->",
    "text behind the body": "<body>a</body>b</html><!--c-->d<!--e-->",
    "attributes": "<a A=1 a=2 b c=''  d='\"' e=\"'\" f=x/ g=<b> /h >y</a>",
    "references": "a &lt;b&gt; &amp;&AMP &copy; &copyx &notin; &notit; &#65;&#x42 &#x; &# & &; &x;",
    "references in values": "<a href='?a=1&b=2&copy=3&copy;&lt;&notit;&amp' x='&#34;&nbsp;\xa0'>",
    "impossible numbers": "a &#0;&#xD800;&#1114112;&#99999999999999999999;&#x80;",
    "two characters": "a &NotEqualTilde;&ThickSpace;",
    "hard blanks": "a\xa0b \xa0",
    "line ends": "a\r\nb\rc<p title='x\r\ny'>",
    "first line breaks": "<pre>\n\na</pre><textarea>\r\n\nb</textarea><listing>\nc",
    "paragraphs": "<p>a<p>b<div>c</div></p>d<ul><li>e<li>f</ul><dl><dt>g<dd>h",
    "tables": "<table> <tr><td>a<td>b<tr><th>c</table><table><caption>d</caption><col><tbody><tr>",
    "columns": "<table><colgroup><col><col></colgroup><thead><tr><td>a</table>",
    "script in a table": "<table><script>a</script><tr><td>b</table>",
    "formatting": "<p><b>a</b> <i>b<a href=x>c</a></i> <code>d</code></p>",
    "a link in a link": "<a href=x>a<a href=y>b</a>",
    "raw content": "<script>a<b</script><style>a>b</style><xmp>a<b></xmp><iframe><b></iframe>",
    "data in a script": '<script type="application/ld+json">{"a": "<b>"}</script>',
    "a licence in a script": '<script type="application/rsl+xml"><rsl><a b="c"/></rsl></script>',
    "an end tag in data": '<script type="application/ld+json"><!--<script></script>--></script>a',
    "title": "<title>a &amp; <b></title>",
    "svg": '<svg viewbox="0 0 1 1"><path d="m"/><lineargradient><stop/></lineargradient>'
    '<use xlink:href="#a"/><foreignobject><p>x</foreignobject></svg>y',
    "svg and html": "<svg><title>a</title><style>b</style><p>c",
    "long text": "<p>" + "a & b " * 50_000,
    "single svg": "<p><svg/>a<math/>b",
    "formulas": "<math definitionurl=x><mi>a</mi><mo>&lt;</mo></math>",
    "select": "<select><option>a<option selected>b<optgroup><option>c</select>",
    "forms": "<form><input hidden><form><button>a<button>b</button></form>",
    "empty elements": "<br><img src=a><hr><input><wbr/><embed><area><param><br/>",
    "unknown names": "<x-y z>a</x-y><h7>b</h7>",
    "templates": "<head><template><i></p>a</template></head><body><template> b<i>c</p></template>",
    "attributes of a body that began before": "a<p>b<body class=x id='y'>c</p><html lang=en>d",
    "stray signs": 'a < b > c " d',
    "stray end tags": "</div>a</span></li>b</h1>",
}
MESSY = {
    "text in a table": "<table>x<tr><td>y</table>",
    "a tag in a table": "<table><b>x</b><tr><td>y</table>",
    "a form in a table": "<table><form><tr><td>y</table>",
    "misnested": "<b>a<i>b</b>c</i>",
    "formatting goes on": "<p><b>a<p>b",
    "a block in a link": "<a>x<div>y</a>z</div>",
    "back into the head": "<head></head><meta>x",
    "a second body with more": "<body id=a>a<body class=x>b",
    "a form that ends elsewhere": "<form><div></form></div>",
    "a cell in a template": "<template><td>a</template>",
    "an end tag in a template": "<body><template></p></template>",
    "frames": "<frameset><frame src=a></frameset>",
    "image": "<image src=a>",
    "end of a line break": "a</br>b",
    "a tag without an end": "a<b x=1",
    "a comment without an end": "a<!-- b",
    "NUL": "a\0b",
    "an instruction": "<?php x?>a",
    "a sign before an odd doctype": "<!doctype x><<!doctype x>",
    "a doctype that is cut from a reference": "<!doctype x>a&am<!doctype x>p;b",
    "a doctype between columns": "<table><col><!doctype html><col>",
    "a doctype in a row": "<table><tr><!doctype html>",
    "a doctype in the head": "<title>a</title><!doctype html>",
    "a doctype in a picture": "<svg><!doctype svg></svg>",
    "a name space twice": "<svg xmlns=a xmlns=b>",
    "the end of a paragraph in columns": "<table><colgroup></p>",
    "a body that ends in a formula": "<math></body><mo><!-- a -->",
    "deep": "<div>" * 300,
    "formatting that goes on in a template of the head": "<template><pre><a></pre> </template>a",
    "a reference to a blank": "<head>&#10;a",
}
TAGS = "p div span b a li ul table tr td h2 svg g pre select option form"
GROWING = (
    "</p>",
    "<table><td>",
    "<p>",
    "<a b>",
    '"',
    "&lt",
    "\xa0",
    "<svg/>",
    "<!-->",
    "<b c='\"'>",
)
VALUES = st.text("ab \"'<>&;\xa0\n#x3=é", max_size=8)


def check(data: bytes) -> bool:
    """Whether a page is orderly, and if so as the parser writes it."""
    ours, parsers = write_both(data)
    assert ours is None or ours == parsers
    return ours is not None


@pytest.mark.parametrize("name", ORDERLY)
def test_orderly_pages_need_no_parser(name: str) -> None:
    ours, parsers = write_both(ORDERLY[name].encode())
    assert ours == parsers


@pytest.mark.parametrize("name", MESSY)
def test_messy_pages_are_left_to_the_parser(name: str) -> None:
    assert not check(MESSY[name].encode())


@given(soups(ODD_TAGS, size=12))
def test_any_soup(soup: str) -> None:
    check(soup.encode())


@given(
    st.recursive(
        VALUES | st.sampled_from(OTHER + DECLARED),
        lambda inner: st.builds(
            "<{0} {2}='{3}'>{1}</{0}>".format,
            st.sampled_from(TAGS.split()),
            st.lists(inner, max_size=4).map("".join),
            st.sampled_from(["class", "viewBox", "Title", "x", "/"]),
            VALUES.map(lambda value: value.replace("'", "")),
        ),
        max_leaves=12,
    )
)
def test_nested_elements(page: str) -> None:
    check(page.encode())


def test_golden_pages_are_written_alike_and_most_are_orderly() -> None:
    pages = [path.read_text(encoding="utf-8", errors="replace") for path in GOLDEN.glob("*.html")]
    orderly = sum(check(page.encode()) for page in pages)
    assert orderly > 0.9 * len(pages)


@given(st.lists(st.sampled_from(GROWING), min_size=1, max_size=4), st.integers(0, 200))
def test_nothing_is_written_beyond_the_room(pieces: list[str], size: int) -> None:
    data = np.frombuffer("".join(piece * 40 for piece in pieces).encode(), np.uint8)
    paper = np.full(size + 64, 7, np.uint8)
    room = guard_limits.make_room(len(data))
    scan_page(data, room, paper[:size])
    assert room[guard_limits.OUT] <= size
    assert (paper[size:] == 7).all()


@pytest.mark.parametrize("name", SMALL)
def test_hostile_pages(name: str) -> None:
    check(PAGES[name]().decode("utf-8", "replace").encode())
