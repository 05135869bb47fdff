"""Maximal repeats of a string of numbers, in linear time.

In: any integers from 0. Out: `Repeats`: every substring that occurs more than once and cannot be
made longer to the right or to the left without losing an occurrence. Suffix array by Kärkkäinen
and Sanders (2003), common prefixes by Kasai (2001), and one pass over their intervals, which are
the inner nodes of the suffix tree (PAT tree).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined

Ints = NDArray[np.int32]

MANY = -2  # the occurrences have different predecessors


class Repeats(NamedTuple):
    """The repeat r has length[r]; it begins at order[low[r] … high[r]], in no order."""

    length: Ints
    low: Ints
    high: Ints
    order: Ints


@compiled
def sort_by(values: Ints, shift: Integer, places: Ints, largest: Integer) -> Ints:
    """Return places ordered by the value `shift` behind each: one pass of counting sort."""
    counts = np.zeros(largest + 2, np.int32)
    for place in places:
        counts[values[place + shift] + 1] += 1
    for value in range(1, largest + 2):
        counts[value] += counts[value - 1]
    out = np.empty(len(places), np.int32)
    for place in places:
        value = values[place + shift]
        out[counts[value]] = place
        counts[value] += 1
    return out


@compiled
def name_triples(s: Ints, n: Integer, largest: Integer) -> tuple[Ints, Ints, int]:
    """Sort the triples at places 1 and 2 modulo 3 and number them: two thirds of the suffixes."""
    thirds = (n + 2) // 3
    places = np.empty(n + 1, np.int32)
    count = 0
    for i in range(n + (1 if n % 3 == 1 else 0)):
        if i % 3:
            places[count] = i
            count += 1
    sorted_ = places[:count].copy()
    for shift in (2, 1, 0):
        sorted_ = sort_by(s, shift, sorted_, largest)
    reduced = np.zeros(count + 3, np.int32)
    names = 0
    a = b = c = np.int32(-1)
    for place in sorted_:
        if s[place] != a or s[place + 1] != b or s[place + 2] != c:
            names += 1
            a, b, c = s[place], s[place + 1], s[place + 2]
        at = place // 3 if place % 3 == 1 else place // 3 + thirds
        reduced[at] = names
    return reduced, sorted_, names


@inlined
def rank_at(ranks: Ints, place: Integer, thirds: Integer) -> Integer:
    """Return the rank of a suffix at a place 1 or 2 modulo 3."""
    return np.int64(ranks[place // 3 if place % 3 == 1 else place // 3 + thirds])


@inlined
def is_before(s: Ints, ranks: Ints, i: Integer, j: Integer, thirds: Integer) -> bool:
    """Whether the suffix at i (1 or 2 modulo 3) comes before that at j (0 modulo 3)."""
    if s[i] != s[j]:
        return bool(s[i] < s[j])
    if i % 3 == 1:
        return bool(rank_at(ranks, i + 1, thirds) <= rank_at(ranks, j + 1, thirds))
    if s[i + 1] != s[j + 1]:
        return bool(s[i + 1] < s[j + 1])
    return bool(rank_at(ranks, i + 2, thirds) <= rank_at(ranks, j + 2, thirds))


@compiled
def merge(s: Ints, n: Integer, ranks: Ints, others: Ints, largest: Integer) -> Ints:
    """Merge the suffixes at places 0 modulo 3 into the sorted others."""
    thirds = (n + 2) // 3
    heads = np.empty(thirds, np.int32)
    count = 0
    for place in others:  # they follow places 0 modulo 3, so they sort them but for one letter
        if place % 3 == 1:
            heads[count] = place - 1
            count += 1
    heads = sort_by(s, 0, heads[:count].copy(), largest)
    out = np.empty(n, np.int32)
    at = i = j = 0
    while i < len(others) and others[i] >= n:
        i += 1  # the place behind the end that evens out the count
    while at < n:
        if j >= len(heads) or (
            i < len(others) and is_before(s, ranks, others[i], heads[j], thirds)
        ):
            out[at] = others[i]
            i += 1
        else:
            out[at] = heads[j]
            j += 1
        at += 1
    return out


def sort_suffixes(numbers: Ints) -> Ints:
    """Return where the suffixes of a string begin, in alphabetical order.

    >>> sort_suffixes(np.array([2, 1, 3, 1, 3, 1], np.int32)).tolist()  # "banana"
    [5, 3, 1, 0, 4, 2]
    """
    n = len(numbers)
    if n < 2:
        return np.arange(n, dtype=np.int32)
    s = np.zeros(n + 4, np.int32)
    s[:n] = numbers - numbers.min() + 1
    largest = int(s.max())
    reduced, others, names = name_triples(s, n, largest)
    if names < len(others):
        inner = sort_suffixes(reduced[: len(others)])
        ranks = np.zeros(len(reduced), np.int32)
        ranks[inner] = np.arange(1, len(inner) + 1)
        thirds = (n + 2) // 3
        others = np.where(inner < thirds, inner * 3 + 1, (inner - thirds) * 3 + 2).astype(np.int32)
    else:
        ranks = reduced
    return merge(s, n, ranks, others, largest)


@compiled
def find_prefixes(numbers: Ints, order: Ints) -> Ints:
    """Return how much each suffix has in common with the one before it in order."""
    n = len(numbers)
    rank, common = np.empty(n, np.int32), np.zeros(n + 1, np.int32)
    for at in range(n):
        rank[order[at]] = at
    size = 0
    for place in range(n):
        if rank[place] == 0:
            size = 0
            continue
        other = order[rank[place] - 1]
        longest = n - max(place, other)
        while size < longest and numbers[place + size] == numbers[other + size]:
            size += 1
        common[rank[place]] = size
        size = max(size - 1, 0)
    return common


@inlined
def unite(one: Integer, other: Integer) -> Integer:
    """Return the one predecessor of two sets of occurrences, or MANY."""
    return one if one == other else MANY


@compiled
def find_intervals(numbers: Ints, order: Ints, common: Ints, least: tuple[int, int]) -> Repeats:
    """Return the maximal repeats: intervals of suffixes with a common prefix, bottom up."""
    n = len(numbers)
    length, low, high = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    # The intervals that are still open: size of the prefix, first suffix, predecessor.
    sizes, lows = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    lefts = np.empty(n + 1, np.int32)
    top = found = 0
    sizes[0], lows[0], lefts[0] = 0, 0, MANY
    for at in range(1, n + 1):
        before = order[at - 1]
        left = numbers[before - 1] if before else np.int32(-1)
        begin = np.int32(at - 1)
        size = common[at] if at < n else np.int32(0)
        pending = np.int32(left)
        if sizes[top] >= size:
            lefts[top] = unite(np.int64(lefts[top]), np.int64(left))
        while top and sizes[top] > size:
            count = at - lows[top]
            if lefts[top] == MANY and sizes[top] >= least[0] and count >= least[1]:
                length[found], low[found], high[found] = sizes[top], lows[top], at - 1
                found += 1
            begin, pending = lows[top], lefts[top]
            top -= 1
            if sizes[top] >= size:
                lefts[top] = unite(np.int64(lefts[top]), np.int64(pending))
        if sizes[top] < size:
            top += 1
            sizes[top], lows[top], lefts[top] = size, begin, pending
    return Repeats(length[:found].copy(), low[:found].copy(), high[:found].copy(), order)


def find_repeats(numbers: Ints, min_length: int = 1, min_count: int = 2) -> Repeats:
    """Return the maximal repeats of a string of numbers."""
    order = sort_suffixes(numbers)
    return find_intervals(numbers, order, find_prefixes(numbers, order), (min_length, min_count))


def occurrences(repeats: Repeats, number: int) -> Ints:
    """Return where a repeat begins, in order."""
    places = repeats.order[repeats.low[number] : repeats.high[number] + 1]
    return np.sort(places)
