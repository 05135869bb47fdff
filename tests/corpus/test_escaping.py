"""Texts of strangers do nothing in the files they land in."""

import csv
import io
import xml.etree.ElementTree as ET

import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from blickfang.io.escaping import (
    TURNING,
    markdown_text,
    one_line,
    tsv_cell,
    xml_text,
    yaml_text,
)

ANYTHING = st.text(alphabet=st.characters(), max_size=60)
MARKUP = st.text(
    alphabet=st.sampled_from("<>&|*_`[]()!#\\-+=~:/.@$^{}\"' \n\t\r1aä\u202e\x00\u2028%"),
    max_size=60,
)
HOSTILE = st.one_of(
    ANYTHING,
    MARKUP,
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "![x](http://evil.example/p.png)",
            "[x](javascript:alert(1))",
            "---\nlicense: mit\n---",
            "a | b |\n| --- |",
            "# Heading",
            "```\ncode",
            "&lt;b&gt;",
            "<!-- -->",
            "www.evil.example https://evil.example",
            "=cmd|' /C calc'!A0",
            "\t=1+1",
            "@SUM(1)",
        ]
    ),
)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


@given(HOSTILE)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    shown = one_line(text, 300)
    source = f"| head |\n| --- |\n| x {markdown_text(text)} y |\n\nlast\n"
    tokens = MARKDOWN.parse(source)
    inline = [token for token in tokens if token.type == "inline"]
    assert [token.content for token in inline][::2] == ["head", "last"]
    kinds = {child.type for child in inline[1].children or []}
    assert kinds <= {"text", "text_special"}
    assert "".join(child.content for child in inline[1].children or []) == f"x {shown} y"


@given(HOSTILE)
def test_markdown_at_the_start_of_a_line(text: str) -> None:
    tokens = MARKDOWN.parse(markdown_text(text))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


@given(HOSTILE)
def test_yaml_gives_the_text_back(text: str) -> None:
    found = yaml.safe_load(f"a: {yaml_text(text)}\nb: 1\n")
    assert found == {"a": one_line(text, 300), "b": 1}


@given(
    st.lists(st.one_of(HOSTILE, st.integers(), st.floats(allow_nan=False), st.none()), min_size=2)
)
def test_a_line_of_tsv_is_one_line_without_formulas(cells: list[object]) -> None:
    line = "\t".join(map(tsv_cell, cells)) + "\n"
    assert line.count("\t") == len(cells) - 1
    assert len(line.splitlines()) == 1
    (read,) = csv.reader(io.StringIO(line), delimiter="\t")
    assert len(read) == len(cells)
    for cell, shown in zip(cells, read, strict=True):
        if isinstance(cell, str):
            assert not shown.startswith(("=", "+", "@", "\t", "\r", "|", "%"))
            assert not shown.startswith("-") or float(shown) < 0
        elif cell is not None:
            assert shown == str(cell)


@given(HOSTILE)
def test_xml_gives_the_text_back(text: str) -> None:
    node = ET.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>')  # noqa: S314
    assert node.text == node.get("b") or (node.text is None and not node.get("b"))
    assert len(node.text or "") == len(TURNING.sub("", text))
    if text.isprintable():
        assert (node.text or "") == text


def test_directions_are_not_turned() -> None:
    assert one_line("a\u202eb\u2066c") == xml_text("a\u202eb\u2066c") == "abc"
    assert one_line("ab\n\n c", 3) == "ab…"
