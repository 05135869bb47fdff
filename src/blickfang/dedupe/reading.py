"""Texts become word hashes, and nothing else: the same as words.py makes, at twice its speed.

In: texts. Out: the hashes of all their words, and where those of each text end. Copies are found
without spans and sentences; then most texts need no decisions: each character adds one step to the
hash or ends it, without a jump, and is read where Python keeps it. Two halves of a text are read at
a time, since each step of a hash waits for the one before it. Texts with characters of which that
is not true (an accent, a script without blanks) are read as words.py does.
"""

import ctypes
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from sys import getsizeof
from typing import Any, NamedTuple

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.words import (
    BREAK,
    CLOSE,
    DIGITS_TABLE,
    EDGE,
    FIRST_LETTER,
    LETTER,
    LONG,
    MULTIPLIER,
    NON_ASCII,
    SHIFT,
    SPACE,
    STOP,
    TABLE,
    Bytes,
    Hashes,
    Table,
    finish,
    is_inner,
    is_letter,
    look,
    read_word,
)

Places = NDArray[np.int64]
Units = NDArray[np.uint8] | NDArray[np.uint16]

BATCH_CHARS = 1_000_000  # of texts read in one go: what is not ASCII is encoded, and dropped again
PART_CHARS = 1 << 28  # of texts whose words share an array
CALM = 32  # bytes of ASCII after which a text is plain again
LOOK = 32  # characters that are looked at together
WIDE = np.uint8(0x80)
ENCODED, NARROW, DOUBLE = 0, 1, 2  # a text in UTF-8; bytes a character of one that is read as it is
HARD = np.uint64(2**63)  # in place of a letter: more than one step of a hash, or none
SLACK = 64  # places behind the last word
U0, U1, U2 = np.uint64(0), np.uint64(1), np.uint64(2)
Step = tuple[np.uint64, np.uint64, np.uint64]  # hash, whether in a word, the place of the next


class Given(NamedTuple):
    """Where each text lies in memory, NUL behind it; how many units it has; how wide they are."""

    addresses: Hashes
    sizes: Hashes
    widths: Hashes


# Where CPython keeps bytes, and what it has in front of the characters of a text.
_find_bytes = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object)(
    ("PyBytes_AsString", ctypes.pythonapi)
)
SIZE_AT, STATE_AT = np.uint64(16), np.uint64(32)
WIDTH_SHIFT, TOGETHER, ASCII = 2, 1 << 5, 1 << 6  # in the state; together: nothing lies elsewhere
ASCII_AT, OTHERS_AT = np.uint64(getsizeof("") - 1), np.uint64(getsizeof("\xbb") - 2)


def _check_layout() -> bool:
    """Whether this Python keeps texts as 3.11 to 3.13 do; if not, all of them are encoded."""
    for text, codec, width in (
        ("ab", "ascii", 1),
        ("\xbb", "latin-1", 1),
        ("\u2014", "utf-16-le", 2),
    ):
        state = ctypes.c_uint32.from_address(id(text) + int(STATE_AT)).value
        begin = id(text) + int(ASCII_AT if state & ASCII else OTHERS_AT)
        if state >> WIDTH_SHIFT & 7 != width or not state & TOGETHER:
            return False
        if ctypes.string_at(begin, width * len(text)) != text.encode(codec):
            return False
    return True


IN_PLACE = _check_layout()


def _type_pointer(_: Any, address: Any) -> Any:
    """Make a number a place in memory: what numba asks for to compile that."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(address), generate


point_to: Any = intrinsic(_type_pointer)


def _list_letters(table: Table) -> Hashes:
    """Return for each character of two bytes what it adds to a hash; 0 for what is no letter."""
    codes = np.arange(1 << 16)
    entries = table.blocks[table.block_of[codes >> 6].astype(np.int64) * 64 + (codes & 63)]
    kinds, folds = entries & 15, (codes + (entries >> SHIFT)) & 0x1FFFFF
    letters = np.where((kinds == LETTER) & (entries & LONG == 0), folds, HARD)
    letters[np.isin(kinds, (BREAK, STOP, EDGE, SPACE, CLOSE))] = 0
    letters[:128] = np.where(table.ascii[:128] >= FIRST_LETTER, table.ascii[:128], 0)
    return letters.astype(np.uint64)


LETTERS, DIGIT_LETTERS = _list_letters(TABLE), _list_letters(DIGITS_TABLE)


@inlined
def step(letter: np.uint64, state: Step, out: Hashes) -> Step:
    """Go on by one character: what would be a word is written down, and stays if it has ended."""
    h, inside, at = state
    out[at] = h
    goes_on = np.uint64(letter != U0)
    at += inside & (goes_on ^ U1)
    return ((h ^ letter) * MULTIPLIER) & (U0 - goes_on), goes_on, at


@inlined
def scan_on(
    data: Units, i: np.uint64, end: np.uint64, letters: Hashes, state: Step, out: Hashes
) -> np.uint64:
    """Go on to the end of a part; return the place behind its words."""
    while i < end:
        state = step(letters[data[i]], state, out)
        i += U1
    return step(U0, state, out)[2]


@inlined
def scan_plain(
    data: Units, begin: np.uint64, end: np.uint64, letters: Hashes, out: Hashes, m: np.uint64
) -> np.uint64:
    """Write down the hashes of simple words behind the first m; return how many there are."""
    middle = (begin + end) >> U1
    while middle < end and letters[data[middle]] != U0:
        middle += U1
    second = m + ((middle - begin) >> U1) + U2  # the first half has no more words
    one, other = (U0, U0, m), (U0, U0, second)
    both = min(middle - begin, end - middle)
    for j in range(both):
        one = step(letters[data[begin + j]], one, out)
        other = step(letters[data[middle + j]], other, out)
    at = scan_on(data, begin + both, middle, letters, one, out)
    last = scan_on(data, middle + both, end, letters, other, out)
    while second < last:
        out[at] = out[second]
        second += U1
        at += U1
    for w in range(m, at):
        out[w] = finish(out[w])
    return at


@inlined
def find_wide(data: Units, i: np.uint64, end: np.uint64) -> np.uint64:
    """Return the first place that is not ASCII, or the end."""
    while i + np.uint64(LOOK) <= end:
        seen = np.uint8(0)
        for j in range(LOOK):
            seen |= data[i + np.uint64(j)]
        if seen >= WIDE:
            break
        i += np.uint64(LOOK)
    while i < end and data[i] < WIDE:
        i += U1
    return i


@inlined
def scan_wide(
    data: Bytes, i: Integer, end: Integer, table: Table, out: Hashes, m: np.uint64
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
    data: Bytes, end: np.uint64, table: Table, letters: Hashes, out: Hashes, m: np.uint64
) -> np.uint64:
    """Write down the hashes of the words of a text in UTF-8; return how many there are."""
    i = U0
    while i < end:
        plain = find_wide(data, i, end)
        while i < plain < end and letters[data[plain - U1]] != U0:
            plain -= U1  # the word goes on
        m = scan_plain(data, i, plain, letters, out, m)
        i = plain
        if i < end:
            m, after = scan_wide(data, np.int64(i), np.int64(end), table, out, m)
            i = np.uint64(after)
    return m


@compiled
def scan_texts(given: Given, table: Table, letters: Hashes, out: Hashes, ends: Places) -> None:
    """Write down the hashes of the words of texts, and where those of each end."""
    m = U0
    for t in range(len(ends)):
        at, end = point_to(given.addresses[t]), given.sizes[t]
        if given.widths[t] == NARROW:
            m = scan_plain(carray(at, end + U1, np.uint8), U0, end, letters, out, m)
        elif given.widths[t] == DOUBLE:
            m = scan_plain(carray(at, end + U1, np.uint16), U0, end, letters, out, m)
        else:
            m = scan_encoded(carray(at, end + U1, np.uint8), end, table, letters, out, m)
        ends[t] = m


@inlined
def is_simple(data: Units, end: np.uint64, letters: Hashes) -> bool:
    """Whether each character of a text is one step of a hash, or ends it."""
    i = U0
    while i < end:
        i = find_wide(data, i, end)
        for k in range(i, min(i + np.uint64(LOOK), end)):
            if letters[data[k]] == HARD:
                return False
        i += np.uint64(LOOK)
    return True


@compiled
def locate(objects: Hashes, letters: Hashes, given: Given) -> None:
    """Write down where Python keeps the characters of texts, and which are to be encoded."""
    for t in range(len(objects)):
        state = carray(point_to(objects[t] + STATE_AT), 1, np.uint32)[0]
        end = carray(point_to(objects[t] + SIZE_AT), 1, np.uint64)[0]
        width = np.uint64(state >> WIDTH_SHIFT & 7)
        at = objects[t] + (ASCII_AT if state & ASCII else OTHERS_AT)
        simple = bool(state & ASCII)
        if width == NARROW and not simple:
            simple = is_simple(carray(point_to(at), end + U1, np.uint8), end, letters)
        elif width == DOUBLE:
            simple = is_simple(carray(point_to(at), end + U1, np.uint16), end, letters)
        given.addresses[t] = at
        given.sizes[t] = end
        given.widths[t] = width if simple and state & TOGETHER else np.uint64(ENCODED)


def _encode(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates are to words like any control."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _read_batch(
    texts: Sequence[str], table: tuple[Table, Hashes], out: Hashes, ends: Places
) -> None:
    """Write down the hashes of some texts; those that can be are read where they lie."""
    given = Given(*np.full((3, len(texts)), ENCODED, np.uint64))
    if IN_PLACE:
        locate(np.fromiter(map(id, texts), np.uint64, len(texts)), table[1], given)
    encoded = []  # lives until the end
    for t in np.flatnonzero(given.widths == ENCODED).tolist():
        encoded.append(_encode(texts[t]))
        given.addresses[t], given.sizes[t] = _find_bytes(encoded[-1]), len(encoded[-1])
    scan_texts(given, *table, out, ends)


def _read_part(
    texts: Sequence[str], edges: Places, digits: bool, hashes: Hashes, ends: Places
) -> None:
    """Write down the hashes of texts, some at a time, and where those of each end."""
    table = (DIGITS_TABLE, DIGIT_LETTERS) if digits else (TABLE, LETTERS)
    total = 0
    for begin, end in pairwise(edges.tolist()):
        found = ends[begin:end]
        _read_batch(texts[begin:end], table, hashes[total:], found)
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
        _read_part(texts[begin:end], cut(sizes[begin:end], BATCH_CHARS), digits, *mine)

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
