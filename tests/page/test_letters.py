"""Texts and values made by kernels are what Python would make of the same bytes."""

import gc
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.html.parse.page_strings import (
    Ints,
    PageStrings,
    lines_of,
    make_letters,
    slices_of,
    tidy_of,
    values_of,
)
from blickfang.html.parse.tree import unescape

WHITE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
SIGNS = st.sampled_from([*WHITE, *"\x01\x02ab<>&;é日\u200b\U0001f408"])
TEXTS = st.lists(st.lists(SIGNS, max_size=12).map("".join), max_size=5)
ENTITIES = st.lists(
    st.sampled_from(["&amp;", "&lt;", "&gt;", "&quot;", "&nbsp;", "&", "&am", "amp;", "lt;", "x"])
).map("".join)


def spans_of(texts: list[str]) -> tuple[bytes, list[Ints]]:
    edges = np.cumsum([0, *(len(text.encode()) for text in texts)]).astype(np.int32)
    return "".join(texts).encode(), [edges[:-1], edges[1:]]


def lines_between(letters: PageStrings, starts: Ints, ends: Ints) -> list[str]:
    """Return lines of nodes that begin and end there."""
    nodes = np.arange(len(starts), dtype=np.int32)
    return lines_of(letters, nodes, nodes + np.int32(len(nodes)), np.concatenate([starts, ends]))


@given(TEXTS)
@example(["\x01a\x01", " \x01 ", "a\x01b", "\xa0é\u3000", "\u200bx"])
def test_slices_are_trimmed_and_without_marks(texts: list[str]) -> None:
    data, spans = spans_of(texts)
    found = slices_of(make_letters(b"", data), *spans)
    assert found == [text.replace("\x01", "").strip() for text in texts]
    lines = lines_between(make_letters(b"", data), *spans)
    assert lines == [text.replace("\n", " ") for text in found]


@given(st.lists(ENTITIES, max_size=5))
@example(["&amp;lt;", "&amp;amp;", "&nbsp;&", "  a \n&nbsp; b\t"])
def test_values_are_as_they_were_meant(values: list[str]) -> None:
    data, spans = spans_of(values)
    meant = [unescape(value) for value in values]
    assert values_of(make_letters(data, b""), *spans) == meant
    assert tidy_of(make_letters(data, b""), *spans) == [" ".join(text.split()) for text in meant]


def test_what_is_no_utf8_is_replaced() -> None:
    data = b"a\xff\xc3"
    spans = np.array([0], np.int32), np.array([3], np.int32)
    assert slices_of(make_letters(b"", data), *spans) == [data.decode("utf-8", "replace")]


@pytest.mark.parametrize("make", [slices_of, lines_between, tidy_of, values_of])
def test_nothing_is_held_that_nobody_has(make: type) -> None:
    text = b"the same text again and again"
    spans = np.array([0], np.int32), np.array([len(text)], np.int32)
    found = make(make_letters(text, text), *spans)
    assert sys.getrefcount(found[0]) == sys.getrefcount("".join(["a", " new text"])) + 1
    gc.collect()
