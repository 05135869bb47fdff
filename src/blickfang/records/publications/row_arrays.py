"""All rows of a list as arrays, so that they are judged in one pass.

In: rows, read by one `Reader`. Out: `Flat`: a place is a word with the gap before it, the places of
a row lie side by side, and its last place has only a gap. `Found` is the room in which kernels
write the candidates of one row.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.records.publications.record_row import HARD, MAX_WORDS, Gap, RecordRow

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

KINDS = "CIlpJWYD"
CAPITAL, INITIAL, LOWER, PARTICLE, JOINT, COMPANION, YEARS, DIGITS = range(1, 9)
# What the marks of a gap are.
LISTED, COMMA, SEMICOLON, LAST_COMMA, STOPS, PERIOD, BLANK = 1, 2, 4, 8, 16, 32, 64
OPENS_LAST, OPENS, CLOSES, QUOTED = 128, 256, 512, 1024
ENDS_SENTENCE, TAGGED, PARTS = 2048, 4096, 8192
FREQUENT = 0.2  # of the rows have a word that then tells where a field ends
WORDS = len(KINDS) + 1  # labels before those of words: nothing, and the classes
LONGEST = 64  # words of an element that may be a title
LETTERS = 9  # of shapes: the classes of words, as digits
TURNED = LETTERS**4  # the shape of "Last, First"
SHAPES = TURNED + 1
ROOM = MAX_WORDS + 8


class Flat(NamedTuple):
    """The places of all rows."""

    begin: Ints  # of each row; one more, so that every row has an end
    kind: NDArray[np.uint8]  # class of the word, 0 where there is none
    strength: NDArray[np.uint8]
    flags: NDArray[np.int32]
    word: NDArray[np.int32]
    known: Floats  # share of rows that have the word
    near: Floats  # how often a number follows the word soon
    numbers: NDArray[np.int32]  # of years and numbers before each place
    small: NDArray[np.int32]  # of words in small letters before it
    telling: NDArray[np.int32]  # of words other than numbers and joining ones before it
    gap: NDArray[np.int32]  # the look of the gap
    next: NDArray[np.int32]  # the word where it is frequent, else its class
    marks: NDArray[np.int32]  # the punctuation, numbered
    outer: NDArray[np.int64]  # the last mark, if it ends before a field
    inner: NDArray[np.int64]  # the first one, if it begins behind it
    whole: Ints  # elements: first place and words, as one number, in order


class RowScratch(NamedTuple):
    """Room for the candidates of a row."""

    known: Ints
    ends: Ints
    gain: Floats
    span: Ints
    items: Ints
    edges: Ints
    tally: Ints  # of shapes; nothing is counted between two lists
    log: Floats  # of whole numbers
    log1p: Floats


def make_room(spans: int) -> RowScratch:
    """Return empty room for so many spans."""
    counts = np.arange(ROOM, dtype=np.float64)
    counts[0] = 1.0  # nothing has no words
    return RowScratch(
        np.zeros(16, np.int64),
        np.zeros((ROOM, 2), np.int64),
        np.zeros(spans),
        np.zeros((spans, 2), np.int64),
        np.zeros((ROOM, 3), np.int64),
        np.zeros(ROOM, np.int64),
        np.zeros(SHAPES, np.int64),
        np.log(counts),
        np.log1p(np.arange(ROOM, dtype=np.float64)),
    )


def describe_gap(gap: Gap) -> int:
    """Return the flags of a gap."""
    marks = gap.marks
    last = marks[-1:]
    tests = (
        (LISTED, last in {",", ";"}),
        (COMMA, marks == ","),
        (SEMICOLON, last == ";"),
        (LAST_COMMA, last == ","),
        (STOPS, not _STOPS.isdisjoint(marks)),
        (PERIOD, "." in marks),
        (BLANK, gap.blank),
        (OPENS_LAST, last in {"(", "["}),
        (OPENS, "(" in marks or "[" in marks),
        (CLOSES, ")" in marks or "]" in marks),
        (QUOTED, '"' in marks),
        (ENDS_SENTENCE, last in {".", "?", "!"}),
        (TAGGED, bool(gap.tags)),
        (PARTS, marks[:1] in {",", ";", '"'}),
    )
    return sum(flag for flag, given in tests if given)


_STOPS = frozenset('":)]?|/…')


def number(texts: Sequence[object], known: dict[object, int]) -> list[int]:
    """Return a number for each text, the same for the same."""
    return [known.setdefault(text, len(known)) for text in texts]


def flatten(rows: list[RecordRow], gaps: list[Gap], words: list[str]) -> Flat:
    """Return rows as arrays; `gaps` and `words` are those their numbers stand for."""
    sizes = np.array([len(row.words) + 1 for row in rows], np.int64)
    begin = np.concatenate([[0], np.cumsum(sizes)])
    kind = np.frombuffer(
        "".join([row.kinds + "\0" for row in rows]).encode().translate(_CODES), np.uint8
    )
    word = np.fromiter(
        chain.from_iterable((*row.word_numbers, 0) for row in rows), np.int32, begin[-1]
    )
    gap = np.fromiter(chain.from_iterable(row.gap_numbers for row in rows), np.int32, begin[-1])
    known = share_words(word, kind, sizes, len(words))
    flags = np.array([describe_gap(each) for each in gaps], np.int32)[gap]
    hard = [f"{int(each.strength == HARD)}{each.tags}{each.marks}" for each in gaps]
    labels: dict[object, int] = {}
    frequent = np.where(kind == 0, 0, np.where(known[word] > FREQUENT, word + WORDS, kind))
    edges = np.array([(_code(each.marks[-1:]), _code(each.marks[:1])) for each in gaps], np.int64)
    ended = np.array([each.strength == HARD for each in gaps], np.int64)
    return Flat(
        begin,
        kind,
        np.array([each.strength for each in gaps], np.uint8)[gap],
        flags,
        word,
        np.where(kind == 0, 0.0, known[word]),
        np.zeros(len(words)),
        _count((kind == YEARS) | (kind == DIGITS)),
        _count((kind == LOWER) | (kind == PARTICLE)),
        _count((kind > 0) & (kind < JOINT)),
        np.array(number(hard, labels), np.int32)[gap],
        number_next(frequent, words),
        np.array(number([each.marks for each in gaps], {}), np.int32)[gap],
        ((edges[:, 0] * 2 + ended) << 24)[gap],
        (edges[:, 1] * 2 + ended)[gap],
        list_elements(rows, begin),
    )


_CODES = bytes([KINDS.index(chr(k)) + 1 if chr(k) in KINDS else 0 for k in range(256)])


def _code(mark: str) -> int:
    return ord(mark) if mark else 0


def _count(given: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(given)]).astype(np.int32)


def number_next(labels: NDArray[np.int64], words: list[str]) -> NDArray[np.int32]:
    """Return labels of what stands behind a field; a word written like a class is that class."""
    for letter in KINDS:
        if letter in words:
            labels[labels == words.index(letter) + WORDS] = KINDS.index(letter) + 1
    return labels.astype(np.int32)


def share_words(
    word: NDArray[np.int32], kind: NDArray[np.uint8], sizes: Ints, words: int
) -> Floats:
    """Return for each word the share of rows that have it."""
    row = np.repeat(np.arange(len(sizes)), sizes)
    pairs = np.unique((row * words + word)[kind > 0])
    return np.bincount(pairs % words, minlength=words) / len(sizes)


def list_elements(rows: list[RecordRow], begin: Ints) -> Ints:
    """Return the elements of all rows that may be titles, in order."""
    found = [
        (at + first) * LONGEST + stop - first
        for at, row in zip(begin.tolist(), rows, strict=False)
        for first, stop in row.whole
        if 0 < stop - first < LONGEST
    ]
    return np.unique(np.array(found, np.int64))
