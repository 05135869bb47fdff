"""The text of pages: what is visible, block by block, whatever the encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.html import read_body_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One <b>bold</b> word<p>Two", "One bold word\nTwo"),
        ("<h1>Head</h1>text<br>line", "Head\ntext\nline"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\nb\nc"),
        ("<ul><li>a<li>b <i>c</i></ul>d", "a\nb c\nd"),
        ("seen<script>x</script><style>y</style><noscript>z</noscript>", "seen"),
        ("<title>not body</title><body>body", "body"),
        ("<p>a &amp; b &lt; c", "a & b < c"),
        (
            "One <!-- note --> two <my-tag>three</my-tag> <button>four</button>",
            "One two\nthree\nfour",
        ),
        ("<frameset><frame src=x></frameset>", ""),
        ("<p>a<xmp> <b>b</b>\n&amp; <!-- > --> </xmp>c", "a\n<b>b</b>\n&amp; <!-- > -->\nc"),
        ("<xmp></xmp>a<select><xmp>b</xmp></select><listing>c\nd</listing>", "a\nc\nd"),
        ("<div>c<noscript><xmp>a</xmp></noscript>b", "c\nb"),
        ("a<plaintext>b <p> &amp;\n</plaintext><script>c", "a\nb <p> &amp;\n</plaintext><script>c"),
        ("<my-a><template shadowrootmode=open><p>a<slot></slot></template>b</my-a>", "a\nb"),
        ("<my-a><template shadowrootmode=CLOSED><i>a</i></template></my-a>b", "a\nb"),
        ("<template shadowrootmode=no>a</template>b<template>c</template>d", "bd"),
        ("<template><template shadowrootmode=open>a</template></template>b", "b"),
        ("<div><template shadowrootmode=open><template>a</template>b</template>c", "b\nc"),
    ],
)
def test_blocks_become_lines(html: str, text: str) -> None:
    assert read_body_text(html.encode()) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "windows-1252"])
def test_encodings(encoding: str) -> None:
    meta = '<meta charset="latin-1">' if encoding == "latin-1" else ""
    assert read_body_text(f"{meta}<p>Größe für Ärger".encode(encoding)) == "Größe für Ärger"


@pytest.mark.parametrize("charset", ["no-such", "idna", "undefined", "utf-16", "punycode", "hex"])
def test_charsets_no_page_can_have_are_ignored(charset: str) -> None:
    assert read_body_text(f'<meta charset="{charset}"><p>text'.encode()) == "text"


def test_binary_is_no_page() -> None:
    assert read_body_text(b"\x89PNG\0\0\0") is None
    assert read_body_text(b" ") is None


@given(st.text("<>/ab p\"'=&;!-\n\0é", max_size=200))
def test_any_soup_is_read(soup: str) -> None:
    assert "\n\n" not in (read_body_text(soup.encode()) or "")


def test_deep_nesting_keeps_its_text() -> None:
    assert read_body_text(b"<div>" * 50_000 + b"deep") == "deep"
