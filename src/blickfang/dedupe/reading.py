"""Texts become word hashes, and nothing else: the same as words.py makes, at twice its speed.

In: texts. Out: the hashes of all their words, and where those of each text end. Copies are found
without spans and sentences; then most texts need no decisions: each character adds one step to the
hash or ends it, without a jump, and is read where Python keeps it. Two halves of a text are read at
a time, since each step of a hash waits for the one before it. Letters with accents, which are two
steps, are spread into two characters first. Texts with characters of which all that is not true (a
script without blanks) are read as words.py does.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.dedupe.letters import (
    DIGIT_LETTERS,
    LETTERS,
    MOST_STEPS,
    U0,
    U1,
    Letters,
    Units,
    spread,
)
from blickfang.dedupe.memory import (
    DOUBLE,
    ENCODED,
    IN_PLACE,
    NARROW,
    SPREAD,
    Given,
    find_bytes,
    find_wide,
    locate,
    point_to,
)
from blickfang.words import (
    DIGITS_TABLE,
    FIRST_LETTER,
    MULTIPLIER,
    NON_ASCII,
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

BATCH_CHARS = 1_000_000  # of texts read in one go: what is not ASCII is encoded, and dropped again
PART_CHARS = 1 << 28  # of texts whose words share an array
CALM = 32  # bytes of ASCII after which a text is plain again
SLACK = 64  # places behind the last word
U2 = np.uint64(2)
Step = tuple[np.uint64, np.uint64, np.uint64]  # hash, whether in a word, the place of the next


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
    data: Units,
    begin: np.uint64,
    end: np.uint64,
    letters: Hashes,
    out: Hashes,
    m: np.uint64,
    most: np.uint64,
) -> np.uint64:
    """Write down the hashes of simple words, at most one more than that, behind the first m.

    Returns how many there are.
    """
    middle = (begin + end) >> U1
    while middle < end and letters[data[middle]] != U0:
        middle += U1
    second = m + min((middle - begin) >> U1, most) + U2  # the first half has no more words
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
        m = scan_plain(data, i, plain, letters, out, m, end)
        i = plain
        if i < end:
            m, after = scan_wide(data, np.int64(i), np.int64(end), table, out, m)
            i = np.uint64(after)
    return m


@compiled
def scan_texts(
    given: Given, table: Table, letters: Letters, room: Units, out: Hashes, ends: Places
) -> None:
    """Write down the hashes of the words of texts, and where those of each end.

    `room` holds any text that is spread.
    """
    m = U0
    for t in range(len(ends)):
        at, end, width = point_to(given.addresses[t]), given.sizes[t], given.widths[t]
        if width == NARROW:
            m = scan_plain(carray(at, end + U1, np.uint8), U0, end, letters.plain, out, m, end)
        elif width == DOUBLE:
            m = scan_plain(carray(at, end + U1, np.uint16), U0, end, letters.plain, out, m, end)
        elif width == ENCODED:
            m = scan_encoded(carray(at, end + U1, np.uint8), end, table, letters.plain, out, m)
        else:
            if width == NARROW | SPREAD:
                narrow = carray(at, end + U1, np.uint8)
                end = spread(narrow, end, letters.plain, table.pool, room)
            else:
                double = carray(at, end + U1, np.uint16)
                end = spread(double, end, letters.plain, table.pool, room)
            m = scan_plain(room, U0, end, letters.spread, out, m, given.sizes[t] >> U1)
        ends[t] = m


def _encode(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates are to words like any control."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _read_batch(
    texts: Sequence[str], table: tuple[Table, Letters], out: Hashes, ends: Places
) -> None:
    """Write down the hashes of some texts; those that can be are read where they lie."""
    given = Given(*np.full((3, len(texts)), ENCODED, np.uint64))
    if IN_PLACE:
        locate(np.fromiter(map(id, texts), np.uint64, len(texts)), table[1].plain, given)
    encoded = []  # lives until the end
    for t in np.flatnonzero(given.widths == ENCODED).tolist():
        encoded.append(_encode(texts[t]))
        given.addresses[t], given.sizes[t] = find_bytes(encoded[-1]), len(encoded[-1])
    longest = int(given.sizes[given.widths > DOUBLE].max(initial=0))
    room = np.empty(MOST_STEPS * longest + 1, np.uint16)
    scan_texts(given, *table, room, out, ends)


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
