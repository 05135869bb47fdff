"""What a text node of a page shows: its words as people count them, its stops, a hash of it.

In: the visible text of a page, and where a node stands in it. Out: how many words it has, bits for
what it shows, and a hash, the same for the same text, whatever white space stands around it. Of
ASCII thirty-two letters are read at once, a bit each for every kind of character; others singly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.compute.simd import (
    EIGHT,
    LANES,
    count,
    first,
    last,
    load,
    match,
    match_between,
    match_high,
)
from blickfang.text.words import MULTIPLIER, finish

Bytes = NDArray[np.uint8]

STOP_INSIDE, STOP_LAST, BRACKET_LAST, COPYRIGHT = 1, 2, 4, 8  # what a text node shows
OF_WORD, STOP, BRACKET, RIGHTS = 1, 2, 4, 8  # what a character is
WHITE, KEEPS_LAST, KEEPS_BEFORE = 16, 32, 64  # whether the one before it stays the last that counts
STOPS, BRACKETS = (*b".!?:;",), (*b")]",)
U1, U8, U32 = map(np.uint64, (1, 8, 32))


class TextNodeState(NamedTuple):
    """What is known of a text node, as far as it is read."""

    words: Integer
    seen: Integer  # RIGHTS; WHITE: behind a stop
    ending: Integer  # what the last character is that counts at the end
    before: Integer  # and within the text
    begin: Integer  # of what is no white space
    behind: Integer


def _name_kinds() -> Bytes:
    """Return what each character of ASCII is, and what it leaves as it was."""
    kinds = np.zeros(128, np.uint8)
    kinds[:33] = WHITE | KEEPS_LAST
    kinds[33:0x28] = KEEPS_LAST | KEEPS_BEFORE  # a quote behind the last stop does not hide it
    kinds[0x28] = KEEPS_BEFORE
    for k in range(128):
        if chr(k).isalnum():
            kinds[k] = OF_WORD
    kinds[list(b".!?:;")] = STOP
    kinds[list(b")]")] = BRACKET
    return kinds


KIND_OF = _name_kinds()


@inlined
def classify(text: Bytes, i: Integer, end: Integer) -> tuple[int, int]:
    """Return what a character beyond ASCII is, and its length."""
    byte = text[np.uint64(i)]
    second = text[np.uint64(i + 1)] if i + 1 < end else np.uint8(0)
    if byte < 0xE0:
        if byte == 0xC2:  # Latin-1 signs: © « » and their like
            return RIGHTS if second == 0xA9 else 0, 2
        return OF_WORD, 2
    third = text[np.uint64(i + 2)] if i + 2 < end else np.uint8(0)
    if byte == 0xE2 and 0x80 <= second <= 0x81:  # dashes, quotes, dots
        return STOP if second == 0x80 and third == 0xA6 else 0, 3
    if byte == 0xE3 and second == 0x80 and third <= 0x9F:  # 、 。 「 」
        return STOP if third == 0x82 else 0, 3
    if byte == 0xEF and second == 0xBC and (third == 0x81 or third == 0x9F or third == 0x9A):
        return STOP, 3
    return OF_WORD, 3 if byte < 0xF0 else 4


@inlined
def stay(kind: Integer, keeps: Integer, before: Integer) -> Integer:
    """Return behind which characters one of a kind is the last that counts, a bit each.

    `before`: whether it is before all of them. Adding carries it through those that keep it.
    """
    entered = (kind << 1 | before) & keeps
    return kind | (keeps & ~(keeps + entered))


@inlined
def is_highest(kind: Integer, others: Integer) -> bool:
    """Whether the highest bit of some is of a kind."""
    return bool(kind & others > others & ~kind)


@inlined
def hash_text(text: Bytes, i: Integer, end: Integer) -> np.uint64:
    """Return a hash of some letters."""
    h = np.uint64(0)
    while i < end:
        eight = np.uint64(0)
        if i + EIGHT <= len(text):
            eight = load(text, i)
            if end - i < EIGHT:
                eight &= (U1 << U8 * np.uint64(end - i)) - U1
        else:
            for k in range(min(end - i, EIGHT)):
                eight |= np.uint64(text[np.uint64(i + k)]) << U8 * np.uint64(k)
        h = (h ^ eight) * MULTIPLIER
        h ^= h >> U32  # or else letters that are last of eight would only reach the highest bits
        i += EIGHT
    return finish(h)


@inlined
def read_one(
    text: Bytes, i: Integer, end: Integer, state: TextNodeState
) -> tuple[TextNodeState, Integer]:
    """Read one character; return what is known then, and its length."""
    byte = text[np.uint64(i)]
    kind: Integer = np.int64(KIND_OF[byte & 0x7F])
    size: Integer = 1
    if byte > 0x7F:
        kind, size = classify(text, i, end)
    words, seen, before = state.words, state.seen, state.before
    words += kind & ~before & OF_WORD
    seen |= kind & RIGHTS | kind & before * (WHITE // STOP) & WHITE  # white space behind a stop
    ending = state.ending if kind & KEEPS_LAST else kind
    before = before if kind & KEEPS_BEFORE else kind
    if kind & WHITE:
        return TextNodeState(words, seen, ending, before, state.begin, state.behind), size
    return TextNodeState(words, seen, ending, before, min(state.begin, i), min(i + size, end)), size


@inlined
def read_lanes(text: Bytes, i: Integer, size: Integer, state: TextNodeState) -> TextNodeState:
    """Read some characters of ASCII; return what is known then."""
    here = (1 << size) - 1
    white = match_between(text, i, 0, 32) & here
    stops = match(text, i, STOPS) & here
    keeps = match_between(text, i, 34, 40) & here
    small, capital = match_between(text, i, 0x61, 0x7A), match_between(text, i, 0x41, 0x5A)
    letters = (small | capital | match_between(text, i, 0x30, 0x39)) & here
    was_word, was_stop = state.before & OF_WORD, (state.before & STOP) // STOP
    in_word, stopped = stay(letters, keeps, was_word), stay(stops, keeps, was_stop)
    words = state.words + count(letters & ~(in_word << 1 | was_word))
    seen = state.seen | (WHITE if white & (stopped << 1 | was_stop) else 0)
    before = (in_word >> size - 1 & 1) * OF_WORD | (stopped >> size - 1 & 1) * STOP
    ending: Integer = state.ending
    counted = here & ~(white | match_between(text, i, 34, 39))
    if counted:
        ending = STOP if is_highest(stops, counted) else 0
        ending = BRACKET if is_highest(match(text, i, BRACKETS), counted) else ending
    if white == here:
        return TextNodeState(words, seen, ending, before, state.begin, state.behind)
    begin, behind = i + first(here & ~white), i + last(here & ~white) + 1
    return TextNodeState(words, seen, ending, before, min(state.begin, begin), behind)


@inlined
def read_text_node(text: Bytes, start: Integer, end: Integer) -> tuple[int, int, np.uint64]:
    """Return how many words a text node has, what it shows, and a hash of it."""
    state = TextNodeState(0, 0, 0, 0, np.int64(end), np.int64(start))
    i = np.int64(start)
    while i < end:
        size: Integer = 0
        if i + LANES <= len(text):
            size = min(first(match_high(text, i) | 1 << LANES), int(end - i))
        if size:
            state = read_lanes(text, i, size, state)
        else:
            state, size = read_one(text, i, np.int64(end), state)
        i += size
    shows = STOP_INSIDE if state.seen & WHITE else 0
    shows |= COPYRIGHT if state.seen & RIGHTS else 0
    if state.ending == STOP:
        shows |= STOP_INSIDE | STOP_LAST
    if state.ending == BRACKET:
        shows |= BRACKET_LAST
    return int(state.words), shows, hash_text(text, state.begin, state.behind)
