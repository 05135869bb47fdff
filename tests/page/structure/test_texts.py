"""Text nodes read thirty-two letters at a time, against a look at each letter."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.compute.kernels import Integer, filling
from blickfang.html.structure.text_nodes import (
    BRACKET_LAST,
    COPYRIGHT,
    STOP_INSIDE,
    STOP_LAST,
    Bytes,
    read_text_node,
)

LETTERS = st.sampled_from([*"aZ09 \n\x01\t.!?:;)](\"'#&-/é©…。「、ー日！\u200b«\U0001f408"])
texts = st.lists(LETTERS | st.just("word") | st.just(" "), max_size=60).map("".join)
QUOTES, BEYOND_ASCII = "\"#$%&'", "\x7f"


@filling
def read(text: Bytes, start: Integer, end: Integer) -> tuple[int, int, np.uint64]:
    """Read a text node."""
    return read_text_node(text, start, end)


def read_all(before: str, text: str, behind: str = "") -> tuple[int, int, int]:
    """Read a text that stands within another."""
    start, data = len(before.encode()), (before + text + behind).encode()
    words, shows, h = read(np.frombuffer(data, np.uint8), start, start + len(text.encode()))
    return int(words), int(shows), int(h)


def is_of_word(letter: str) -> bool:
    if letter <= BEYOND_ASCII:
        return letter.isalnum()
    return letter not in "©…。「、！\u200b«"


def read_slowly(text: str) -> tuple[int, int]:
    """Return words and what is shown, a letter after the other."""
    words = shows = 0
    before = ending = ""
    for letter in text:
        words += is_of_word(letter) and not (before and is_of_word(before))
        stop = before and before in ".!?:;…。！"
        shows |= STOP_INSIDE if letter <= " " and stop else 0
        shows |= COPYRIGHT if letter == "©" else 0
        if letter > " " and letter not in QUOTES:
            ending = letter
        if letter not in QUOTES and letter != "(":
            before = letter
    if ending and ending in ".!?:;…。！":
        shows |= STOP_INSIDE | STOP_LAST
    if ending and ending in ")]":
        shows |= BRACKET_LAST
    return words, shows


@given(texts, texts, texts)
@example("", 'He said: "stop." Then', "")
@example("", "a" * 31 + "'" + "b" * 40, "x" * 40)
@example("x", "a" * 31 + '."(" ' + "b", "x" * 64)
@example("", "é" + "a" * 33 + ".", "")
def test_all_at_once_is_as_one_by_one(before: str, text: str, behind: str) -> None:
    assert read_all(before, text, behind)[:2] == read_slowly(text)


@given(texts, texts, texts, st.sampled_from(["", " ", "\n", "\x01 "]))
def test_the_hash_is_of_the_text_alone(before: str, text: str, behind: str, white: str) -> None:
    alone = read_all("", text)[2]
    assert read_all(before, f"{white}{text}{white}", behind)[2] == alone


@given(st.lists(texts, min_size=2, max_size=2))
@example(["a" * 7 + "x" + "b" * 7 + "y", "a" * 7 + "y" + "b" * 7 + "x"])
@example(["ab", "ab\0\0\0"])
def test_other_texts_have_other_hashes(pair: list[str]) -> None:
    controls = "".join(map(chr, range(33)))
    one, other = (text.strip(controls) for text in pair)
    assert (read_all("", one)[2] == read_all("", other)[2]) == (one == other)


def test_letters_that_are_last_of_eight_are_told_apart() -> None:
    """Of 65,536 texts that differ in two such letters alone."""
    page = np.zeros((65536, 16), np.uint8)
    page[:] = ord("a")
    page[:, 7], page[:, 15] = np.divmod(np.arange(65536) % 90**2, 90)
    page[:, [7, 15]] += 33
    rows = np.unique(page, axis=0)
    hashes = {read(row, 0, 16)[2] for row in rows}
    assert len(hashes) == len(rows)


@pytest.mark.parametrize("text", ["It's here.", "naïve – “no”", "x" * 70])
def test_without_numba_the_same_is_plain_python(text: str) -> None:
    code = f"from tests.page.structure.test_texts import read_all; print(read_all('', {text!r}))"
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=plain,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(read_all("", text))
