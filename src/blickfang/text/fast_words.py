"""Texts become word hashes, and nothing else: the same as words.py makes, at twice its speed.

In: texts. Out: the hashes of all their words, and where those of each text end. Copies are found
without spans and sentences; then most texts need no decisions: each character adds one step to the
hash or ends it, without a jump, and is read where Python keeps it. Three parts of a text are read
at a time, since each step of a hash waits for the one before it; what ends between two blanks is
dropped later. Letters with accents, which are two steps, are spread into two characters first.
Texts with characters of which all that is not true (a script without blanks) are read as words.py
does.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.text.char_table import (
    CODES,
    DIGIT_LETTERS,
    LETTERS,
    MOST_STEPS,
    U0,
    U1,
    CharTable,
    Units,
    spread,
)
from blickfang.text.cpython_strings import (
    DOUBLE,
    ENCODED,
    IN_PLACE,
    NARROW,
    SPREAD,
    TextAddresses,
    find_bytes,
    find_wide,
    locate,
    point_to,
)
from blickfang.text.words import (
    DIGITS_TABLE,
    FIRST_LETTER,
    MULTIPLIER,
    NON_ASCII,
    TABLE,
    Bytes,
    Hashes,
    UnicodeTable,
    finish,
    is_inner,
    is_letter,
    look,
    read_word,
)

Places = NDArray[np.int64]

BATCH_CHARS = 1_000_000  # of texts read in one go: what is not ASCII is encoded, and dropped again
PART_CHARS = 1 << 28  # of texts whose words share an array
CALM = 32  # bytes of ASCII after which a text is plain again
SLACK = 64  # places behind the last word
PARTS = np.uint64(3)  # of a text that are read at a time: with more, registers are too few
Step = tuple[np.uint64, np.uint64]  # hash, and the slot for it


class Scratch(NamedTuple):
    """Room for any text: its letters, if they are spread, and its words, empty ones among them."""

    letters: Units
    slots: Hashes


def make_scratch(longest: int) -> Scratch:
    """Return room for texts of at most so many characters; what is not used takes no memory."""
    steps = MOST_STEPS * longest
    return Scratch(np.empty(steps + 1, np.uint16), np.empty(steps + SLACK, np.uint64))


@inlined
def step(code: np.uint64, state: Step, letters: Hashes, slots: Hashes) -> Step:
    """Go on by one character: what would be a word is written down, and stays if it has ended."""
    h, at = state
    slots[at] = h
    return (h ^ letters[code]) * letters[CODES + code], at + letters[CODES + CODES + code]


@inlined
def scan_on(
    data: Units, i: np.uint64, end: np.uint64, letters: Hashes, state: Step, slots: Hashes
) -> np.uint64:
    """Go on to the end of a part; return the slot behind its words."""
    while i < end:
        state = step(np.uint64(data[i]), state, letters, slots)
        i += U1
    slots[state[1]] = state[0]
    return state[1] + U1


@inlined
def end_word(data: Units, i: np.uint64, end: np.uint64, letters: Hashes) -> np.uint64:
    """Return the first place from one on where no word goes on."""
    while i < end and letters[data[i]] != U0:
        i += U1
    return i


@inlined
def keep_words(
    slots: Hashes, begin: np.uint64, end: np.uint64, out: Hashes, m: np.uint64
) -> np.uint64:
    """Write down what slots hold behind the first m, but for empty ones; return how many now."""
    for w in range(begin, end):
        h = slots[w]
        out[m] = h
        m += np.uint64(h != U0)
    return m


@inlined
def scan_plain(
    data: Units,
    begin: np.uint64,
    end: np.uint64,
    letters: Hashes,
    slots: Hashes,
    out: Hashes,
    m: np.uint64,
) -> np.uint64:
    """Write down the hashes of simple words behind the first m; return how many there are."""
    part = (end - begin) // PARTS
    second = end_word(data, begin + part, end, letters)
    third = end_word(data, max(second, end - part), end, letters)
    at2, at3 = second - begin + U1, third - begin + PARTS  # no part has more slots than that
    a, b, c = (U0, U0), (U0, at2), (U0, at3)
    each = min(second - begin, min(third - second, end - third))
    for j in range(each):
        a = step(np.uint64(data[begin + j]), a, letters, slots)
        b = step(np.uint64(data[second + j]), b, letters, slots)
        c = step(np.uint64(data[third + j]), c, letters, slots)
    first = m
    last = scan_on(data, begin + each, second, letters, a, slots)
    m = keep_words(slots, U0, last, out, m)
    last = scan_on(data, second + each, third, letters, b, slots)
    m = keep_words(slots, at2, last, out, m)
    last = scan_on(data, third + each, end, letters, c, slots)
    m = keep_words(slots, at3, last, out, m)
    for w in range(first, m):
        out[w] = finish(out[w])
    return m


@inlined
def scan_wide(
    data: Bytes, i: Integer, end: Integer, table: UnicodeTable, out: Hashes, m: np.uint64
) -> tuple[np.uint64, Integer]:
    """Write down the hashes of words of any script until there is some ASCII; words.py, scan."""
    while i < end:
        kind: Integer = np.int64(table.ascii[data[np.uint64(i)]])
        start = i
        h = U0
        while kind >= FIRST_LETTER:
            h = (h ^ np.uint64(kind)) * MULTIPLIER
            i += 1
            kind = np.int64(table.ascii[data[np.uint64(i)]])
        after = i + 1
        if kind == NON_ASCII:
            kind, _, _, after = look(data, i, table)
            while is_letter(kind) or (i > start and is_inner(kind)):
                h, _, i, seen = read_word(data, start, i, h, table)
                out[m] = finish(h)
                m += U1
                kind, _, _, after = seen
                start, h = i, U0
        if i > start:
            out[m] = finish(h)
            m += U1
        if kind < FIRST_LETTER:
            i = after
        calm = np.uint64(min(i + CALM, end))
        if find_wide(data, np.uint64(i), calm) == calm:
            break
    return m, i


@inlined
def scan_encoded(
    data: Bytes,
    end: np.uint64,
    table: UnicodeTable,
    letters: Hashes,
    slots: Hashes,
    out: Hashes,
    m: np.uint64,
) -> np.uint64:
    """Write down the hashes of the words of a text in UTF-8; return how many there are."""
    i = U0
    while i < end:
        plain = find_wide(data, i, end)
        while i < plain < end and letters[data[plain - U1]] != U0:
            plain -= U1  # the word goes on
        m = scan_plain(data, i, plain, letters, slots, out, m)
        i = plain
        if i < end:
            m, after = scan_wide(data, np.int64(i), np.int64(end), table, out, m)
            i = np.uint64(after)
    return m


@compiled
def scan_text(
    text: tuple[np.uint64, Any, np.uint64],
    tables: tuple[UnicodeTable, CharTable],
    scratch: Scratch,
    out: Hashes,
    m: np.uint64,
) -> np.uint64:
    """Write down the hashes of the words of a text behind the first m; return how many there are.

    Of the text: its address, size and width.
    """
    table, letters = tables
    at, end, width = point_to(text[0]), text[1], text[2]
    room, slots = scratch.letters, scratch.slots
    if width == NARROW:
        return scan_plain(carray(at, end + U1, np.uint8), U0, end, letters.plain, slots, out, m)
    if width == DOUBLE:
        return scan_plain(carray(at, end + U1, np.uint16), U0, end, letters.plain, slots, out, m)
    if width == ENCODED:
        data = carray(at, end + U1, np.uint8)
        return scan_encoded(data, end, table, letters.plain, slots, out, m)
    if width == NARROW | SPREAD:
        end = spread(carray(at, end + U1, np.uint8), end, letters.plain, table.pool, room)
    else:
        end = spread(carray(at, end + U1, np.uint16), end, letters.plain, table.pool, room)
    return scan_plain(room, U0, end, letters.spread, slots, out, m)


@compiled
def scan_texts(
    given: TextAddresses,
    tables: tuple[UnicodeTable, CharTable],
    scratch: Scratch,
    out: Hashes,
    ends: Places,
) -> None:
    """Write down the hashes of the words of texts, and where those of each end."""
    m = U0
    for t in range(len(ends)):
        text = given.addresses[t], given.sizes[t], given.widths[t]
        m = scan_text(text, tables, scratch, out, m)
        ends[t] = m


def _encode(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates are to words like any control."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def choose_tables(*, digits: bool) -> tuple[UnicodeTable, CharTable]:
    """Return what characters mean."""
    return (DIGITS_TABLE, DIGIT_LETTERS) if digits else (TABLE, LETTERS)


def place_texts(texts: Sequence[str], letters: CharTable) -> tuple[TextAddresses, list[bytes]]:
    """Return where texts lie; those that can be are read there, the others, encoded, must live."""
    given = TextAddresses(*np.full((3, len(texts)), ENCODED, np.uint64))
    if IN_PLACE:
        locate(np.fromiter(map(id, texts), np.uint64, len(texts)), letters.plain, given)
    encoded = []
    for t in np.flatnonzero(given.widths == ENCODED).tolist():
        encoded.append(_encode(texts[t]))
        given.addresses[t], given.sizes[t] = find_bytes(encoded[-1]), len(encoded[-1])
    return given, encoded


def _read_part(
    texts: Sequence[str], sizes: Places, digits: bool, hashes: Hashes, ends: Places
) -> None:
    """Write down the hashes of texts, some at a time, and where those of each end."""
    tables, scratch = choose_tables(digits=digits), make_scratch(int(sizes.max(initial=0)))
    total = 0
    for begin, end in pairwise(cut(sizes, BATCH_CHARS).tolist()):
        found = ends[begin:end]
        given, encoded = place_texts(texts[begin:end], tables[1])
        scan_texts(given, tables, scratch, hashes[total:], found)
        del encoded  # not before
        found += total
        total = int(ends[end - 1])


def cut(sizes: Places, most: int) -> Places:
    """Return edges of ranges of about so much.

    >>> cut(np.array([3, 3, 3, 9, 1]), 6).tolist()
    [0, 2, 4, 5]
    """
    sums = np.cumsum(sizes)
    edges = [0]
    while edges[-1] < len(sizes):
        before = sums[edges[-1] - 1] if edges[-1] else 0
        edges.append(min(int(np.searchsorted(sums, before + most)) + 1, len(sizes)))
    return np.array(edges)


def read_hashes(
    texts: Sequence[str], *, digits: bool = True, threads: int = 1
) -> tuple[Hashes, Places]:
    """Return the hashes of the words of texts, and where those of each begin, and end."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    edges = cut(sizes, PART_CHARS)
    if len(edges) <= 2:
        return _read_together(texts, sizes, digits, threads)
    parts = [
        _read_together(texts[begin:end], sizes[begin:end], digits, threads)
        for begin, end in pairwise(edges.tolist())
    ]
    before = np.cumsum([0, *(len(hashes) for hashes, _ in parts)])
    ends = [starts[1:] + total for (_, starts), total in zip(parts, before[:-1], strict=True)]
    return np.concatenate([hashes for hashes, _ in parts]), np.concatenate([[0], *ends])


def _read_together(
    texts: Sequence[str], sizes: Places, digits: bool, threads: int
) -> tuple[Hashes, Places]:
    """Return the same of some texts, whose words share an array from the beginning."""
    is_ascii = np.fromiter(map(str.isascii, texts), np.bool_, len(texts))
    starts = np.zeros(len(texts) + 1, np.int64)
    ends = starts[1:]
    parts = cut(sizes, int(sizes.sum()) // threads + 1)
    room = np.append(0, np.cumsum(sizes // (1 + is_ascii) + 1))[parts] + SLACK * np.arange(
        len(parts)
    )
    hashes = np.empty(room[-1], np.uint64)  # what is not written to takes no memory

    def read(part: int) -> None:
        begin, end = parts[part], parts[part + 1]
        mine = hashes[room[part] : room[part + 1]], ends[begin:end]
        _read_part(texts[begin:end], sizes[begin:end], digits, *mine)

    if len(parts) == 2:  # to start a thread takes longer than to read a page
        read(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(read, range(len(parts) - 1)))
    total = 0
    for part in range(len(parts) - 1):  # close the gaps between them
        found = ends[parts[part] : parts[part + 1]]
        count = int(found[-1])
        hashes[total : total + count] = hashes[room[part] : room[part] + count]
        found += total
        total += count
    hashes.resize(total, refcheck=False)  # gives back what is behind
    return hashes, starts
