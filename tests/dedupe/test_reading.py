"""Words read for near-duplicates are those of words.py."""

import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blickfang.text import cpython_strings, fast_words
from blickfang.text.fast_words import read_hashes
from blickfang.text.words import read_many

PLAIN = "word|Ab|a|I|9|_| |, |-|'|\0|\n|a long stretch of plain words that goes on for a while"
WIDE = "é|ï|ß|Straße|İ|i\u0307|e\u0301|\u0301|\u00ad|\u200d|漢|漢字|ひらがな|각|٣|мир|\ud800"
PIECES = st.sampled_from([*PLAIN.split("|"), *WIDE.split("|"), "x" * 70, " " * 40])
TEXTS = st.lists(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=60), max_size=8)


def check(texts: list[str], digits: bool, threads: int = 1) -> None:
    hashes, starts = read_hashes(texts, digits=digits, threads=threads)
    expected = read_many(texts, digits=digits)
    assert hashes.tolist() == expected.hashes.tolist()
    assert starts.tolist() == expected.texts.tolist()


@given(TEXTS, st.booleans())
@example(["naïve", "don't é't", "漢a字b", "é" * 99, "word é"], True)
def test_the_same_words(texts: list[str], digits: bool) -> None:
    check(texts, digits)


class Text(str):
    """A text that Python does not keep in one piece."""

    __slots__ = ()


def test_texts_of_every_width() -> None:
    """Simple ones are read where they lie, by one, two or four bytes a character."""
    ends = ["", "\xa0\xbb", "\u2014 Ж\u2019", "\U0001f600"]
    texts = [f"Plain words {n} of {end} and more{end}" for n in range(40) for end in ends]
    check(texts, True)
    check([*texts, *map(Text, texts)], False)
    cached = [text * 3 for text in texts]
    for text in cached:
        sys.intern(text)
    check(cached, True)


def test_letters_that_are_several_steps() -> None:
    """Every letter of two bytes, alone, in a word, and beside marks that are written out."""
    letters = [chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000]
    check([f"x{letter}y {letter} {letter.upper()}z" for letter in letters[::3]], True)
    check(["".join(letters[n : n + 50]) for n in range(0, len(letters), 50)], False)
    check(
        [
            "na\u00efve",
            "nai\u0308ve",
            "\u017b\u00f3\u0142\u0107 \u2014 ja\u017a\u0144",
            "\ufdfa\u00e9",
        ],
        True,
    )


@pytest.mark.parametrize("count", [1, 126, 200, 3000, 900_000])
@pytest.mark.parametrize("behind", ["", " x", "a b c " * 20])
def test_long_words_of_such_letters(count: int, behind: str) -> None:
    """A letter of three steps takes three places of a spread text, and none of the words' room."""
    texts = ["ế" * count + behind, behind + "\u01d6" * count, "plain"]
    check(texts, True)


@pytest.mark.parametrize("count", [126, 300, 5000])
@pytest.mark.parametrize("before", ["", "a é b "])
def test_words_stay_within_their_room(count: int, before: str) -> None:
    text = before + "ế" * count
    room = len(text) + 1 + fast_words.SLACK
    out, ends = np.full(room + 4 * count, 7, np.uint64), np.zeros(1, np.int64)
    fast_words._read_part([text], np.array([len(text)]), True, out, ends)
    assert (out[room:] == 7).all()


def test_texts_that_lie_otherwise_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        sys.version_info < (3, 14)
    ) == cpython_strings.IN_PLACE  # which keeps its texts otherwise
    monkeypatch.setattr(fast_words, "IN_PLACE", False)
    check(["plain", "caf\xe9 \xbb", "a \u2014 b", "Жук", "漢字", "\U0001f600 x", ""], True)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_in_parts_and_by_many(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    pieces = ["one ", "two, ", "drei ", "für ", "漢字", "4 ", "\n", "x" * 30]
    lengths = random.integers(0, 60, 200)
    texts = ["".join(random.choice(pieces, length)) for length in lengths]
    check(texts, True, threads)
    monkeypatch.setattr(fast_words, "BATCH_CHARS", 100)
    monkeypatch.setattr(fast_words, "PART_CHARS", 1000)
    check(texts, True, threads)
    check(texts[:1], False, threads)


def test_every_character_beside_plain_words() -> None:
    """Whatever stands before, inside and behind ASCII letters."""
    texts = []
    for begin in range(1, 0x30000, 64):
        codes = [code for code in range(begin, begin + 64) if not 0xD800 <= code < 0xE000]
        texts.append(" ".join(f"{chr(code)}ab a{chr(code)}b ab{chr(code)}" for code in codes))
    check(texts, True)
    check(texts, False)
