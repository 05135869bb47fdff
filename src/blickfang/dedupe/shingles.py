"""Shingles: runs of w consecutive words, as a set; and how much two sets have in common.

In: word hashes, as words.py makes them. Out: for each text the 64-bit hashes of its shingles,
sorted, each once; and Jaccard, |A∩B| / |A∪B|, exactly. A text of fewer than w words has one
shingle: all of it. A text without words has none, and is like no other, not even an empty one.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling, inlined
from blickfang.text.fast_words import read_hashes
from blickfang.text.words import MULTIPLIER, Hashes, finish

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Halves = NDArray[np.uint32]

SIZE = 3  # words
BUCKET_BITS = 12  # at most, when the shingles of a text are put in order
SLACK = 2  # in counts: the bound is rounded, the quotient decides


class HashedTexts(NamedTuple):
    """The hashes of many texts, one text behind the other."""

    hashes: Hashes
    starts: Places  # text t has hashes[starts[t] : starts[t + 1]]


class KeptWords(NamedTuple):
    """What stays of the words of many texts: the upper half of each hash."""

    hashes: Halves
    starts: Places


def hash_texts(texts: Sequence[str], *, digits: bool = True, threads: int = 1) -> HashedTexts:
    """Return the words of texts, digits kept: texts that differ in numbers only are not equal."""
    return HashedTexts(*read_hashes(texts, digits=digits, threads=threads))


def gather(words: Sequence[Hashes]) -> HashedTexts:
    """Return the hashes of many texts in one array."""
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(part) for part in words], out=starts[1:])
    hashes = np.concatenate([np.empty(0, np.uint64), *words])
    return HashedTexts(hashes.astype(np.uint64, copy=False), starts)


def pick_texts(texts: HashedTexts, which: Places) -> HashedTexts:
    """Return some texts; if these are all, without a copy."""
    if len(which) == len(texts.starts) - 1:
        return texts
    edges = zip(texts.starts[which].tolist(), texts.starts[which + 1].tolist(), strict=True)
    return gather([texts.hashes[begin:end] for begin, end in edges])


@inlined
def roll(
    hashes: Hashes | Halves, begin: Integer, end: Integer, size: Integer, out: Hashes
) -> Integer:
    """Write down the hash of every shingle of some words, in reading order; return how many."""
    size = min(size, end - begin)
    if size == 0:
        return 0
    leaving = np.uint64(1)
    h = np.uint64(0)
    for i in range(begin, begin + size):
        h = h * MULTIPLIER + hashes[i]
        leaving *= MULTIPLIER
    out[0] = finish(h)
    at = 1
    for i in range(begin + size, end):
        h = h * MULTIPLIER + hashes[i] - hashes[i - size] * leaving
        out[at] = finish(h)
        at += 1
    return at


@filling
def roll_all(
    texts: HashedTexts | KeptWords, which: Places, size: int, out: Hashes, ends: Places
) -> None:
    """Write down the shingles of some texts, and where each text's end."""
    at: Integer = 0
    for t in range(len(which)):
        begin, end = texts.starts[which[t]], texts.starts[which[t] + 1]
        at += roll(texts.hashes, begin, end, size, out[at:])
        ends[t] = at


@inlined
def order_few(values: Hashes) -> None:
    """Put values in order that are few, or nearly in order: Shell's way, never quadratic."""
    n = len(values)
    gap = 1
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@inlined
def order_hashes(values: Hashes, room: Hashes, ends: NDArray[np.int32]) -> None:
    """Put hashes in order: thrown into buckets by their upper bits, most fall into place."""
    n = len(values)
    bits = 0
    while bits < BUCKET_BITS and n >> bits > 2:
        bits += 1
    if bits < 2:
        order_few(values)
        return
    shift = np.uint64(64 - bits)
    for b in range(1 << bits):
        ends[b] = 0
    for i in range(n):
        room[i] = values[i]
        ends[values[i] >> shift] += 1
    total = np.int32(0)
    for b in range(1 << bits):
        total += ends[b]
        ends[b] = total - ends[b]
    for i in range(n):
        values[ends[room[i] >> shift]] = room[i]
        ends[room[i] >> shift] += 1
    begin = np.int32(0)
    for b in range(1 << bits):
        if ends[b] - begin > 1:
            order_few(values[begin : ends[b]])
        begin = ends[b]


@filling
def order_all(hashes: Hashes, starts: Places, room: Hashes, ends: NDArray[np.int32]) -> None:
    """Put the hashes of each text in order."""
    for t in range(len(starts) - 1):
        order_hashes(hashes[starts[t] : starts[t + 1]], room, ends)


@filling
def drop_repeats(hashes: Hashes, ends: Places) -> int:
    """Keep one of each run of equal hashes of a text, in place; return how many remain."""
    at = begin = 0
    for t in range(len(ends)):
        first = at
        for i in range(begin, ends[t]):
            if at == first or hashes[i] != hashes[at - 1]:
                hashes[at] = hashes[i]
                at += 1
        begin = ends[t]
        ends[t] = at
    return at


def shingle_all(
    texts: HashedTexts | KeptWords, size: int = SIZE, threads: int = 1, which: Places | None = None
) -> HashedTexts:
    """Return the shingles of each text, or of some, sorted, each once."""
    which = np.arange(len(texts.starts) - 1) if which is None else which
    lengths = texts.starts[which + 1] - texts.starts[which]
    starts = np.zeros(len(which) + 1, np.int64)
    out = np.empty(int(lengths.sum()), np.uint64)
    roll_all(texts, which, size, out, starts[1:])
    longest = int(np.diff(starts).max(initial=0))

    def order(part: Places) -> None:
        order_all(out, part, np.empty(longest, np.uint64), np.empty(1 << BUCKET_BITS, np.int32))

    cuts = np.linspace(0, len(which), threads + 1).astype(np.int64).tolist()
    parts = [starts[a : b + 1].copy() for a, b in pairwise(cuts)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(order, parts))
    return HashedTexts(out[: drop_repeats(out, starts[1:])], starts)


def shingle(words: Hashes, size: int = SIZE) -> Hashes:
    """Return the shingles of one text, sorted, each once.

    >>> from blickfang.text.words import read_words
    >>> len(shingle(read_words("a rose is a rose is a rose").hashes, 4))
    3
    """
    return shingle_all(gather([words]), size).hashes


@inlined
def count_shared(a: Hashes, b: Hashes, least: Integer) -> Integer:
    """Return how many hashes two sets share; -1 as soon as it cannot be `least`."""
    i = j = shared = 0
    if least > min(len(a), len(b)):
        return -1
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            shared += 1
            i += 1
            j += 1
            continue
        if a[i] < b[j]:
            i += 1
            if len(a) - (i - shared) < least:
                return -1
        else:
            j += 1
            if len(b) - (j - shared) < least:
                return -1
    return shared


@compiled
def measure(
    hashes: Hashes, starts: Places, pairs: NDArray[np.int64], threshold: float, out: Floats
) -> None:
    """Write down the Jaccard of each pair of texts; -1 where it is below the threshold."""
    for p in range(len(pairs)):
        a = hashes[starts[pairs[p, 0]] : starts[pairs[p, 0] + 1]]
        b = hashes[starts[pairs[p, 1]] : starts[pairs[p, 1] + 1]]
        total = len(a) + len(b)
        least = np.int64(threshold / (1 + threshold) * total) - SLACK
        shared = count_shared(a, b, least)
        out[p] = -1.0
        if shared >= 0:
            value = shared / max(total - shared, 1)
            out[p] = value if value >= threshold else -1.0


def jaccards(
    sets: HashedTexts, pairs: NDArray[np.int64], threshold: float = 0.0, threads: int = 1
) -> Floats:
    """Return the Jaccard of pairs of sets; -1 for those below the threshold, at less cost."""
    out = np.empty(len(pairs), np.float64)
    pairs = np.ascontiguousarray(pairs, np.int64)
    cuts = np.linspace(0, len(pairs), threads + 1).astype(np.int64).tolist()

    def work(part: tuple[int, int]) -> None:
        chosen = slice(*part)
        measure(sets.hashes, sets.starts, pairs[chosen], threshold, out[chosen])

    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, pairwise(cuts)))
    else:
        work((0, len(pairs)))
    return out


def jaccard(a: Hashes, b: Hashes) -> float:
    """Return what two sets of shingles share; 0 for two empty ones."""
    return float(jaccards(gather([a, b]), np.array([[0, 1]]))[0])
