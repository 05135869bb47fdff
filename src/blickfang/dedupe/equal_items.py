"""Equal things stand for one another; pairs of those that do become pairs of all.

In: pairs of groups, and the members of each group. Out: the pairs of their members. A group of very
many equal things is represented by its first one, or its pairs would be more than anyone can use.
Where only the fingerprints of members are equal, no one can speak for the others: then members are
held against neighbours, as many as there is room for, and what that leaves out is counted.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled

Places = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.uint64)
U32, LOWER = np.uint64(32), np.uint64(2**32 - 1)

COPIES = 1000  # beyond so many equal ones, each is listed with the first of them only
PAIR_BYTES = 128  # of memory for a pair, while pairs are put in order and measured
MOST_PAIRS = 2**25  # that there is room for, unless somebody says otherwise: 4 GB


@compiled
def expand_into(
    pairs: Places,
    members: Places,
    starts: Places,
    copies: int,
    ordered: bool,
    out: Places,
    which: Places,
) -> Integer:
    """Write down the pairs of members for pairs of groups, while there is room; count them.

    A pair of a group with itself is its members among themselves. `ordered`: lower number first.
    """
    found = 0
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        last_a = starts[a + 1] if starts[a + 1] - starts[a] <= copies else starts[a] + 1
        last_b = starts[b + 1] if starts[b + 1] - starts[b] <= copies or a == b else starts[b] + 1
        for i in range(starts[a], last_a):
            for j in range(i + 1 if a == b else starts[b], last_b):
                if found < len(out):
                    m, n = members[i], members[j]
                    swap = ordered and n < m
                    out[found, 0] = n if swap else m
                    out[found, 1] = m if swap else n
                    which[found] = p
                found += 1
    return found


def expand(
    pairs: Places, members: Places, starts: Places, copies: int, *, ordered: bool
) -> tuple[Places, Places]:
    """Return the pairs of members, in order, and which pair of groups each comes from."""
    pairs = np.ascontiguousarray(pairs, np.int64)
    out, which = np.empty((0, 2), np.int64), np.empty(0, np.int64)
    found = int(expand_into(pairs, members, starts, copies, ordered, out, which))
    out, which = np.empty((found, 2), np.int64), np.empty(found, np.int64)
    expand_into(pairs, members, starts, copies, ordered, out, which)
    return _order(out, which)


def _order(out: Places, which: Places) -> tuple[Places, Places]:
    """Return pairs in order, and what belongs to each."""
    small = int(out.max(initial=0)) >> 32 == 0
    by_number = np.argsort(pack_pairs(out)) if small else np.lexsort((out[:, 1], out[:, 0]))
    return out[by_number], which[by_number]


def fit_copies(pairs: Places, starts: Places, copies: int, most: int) -> tuple[int, int]:
    """Return beyond how many copies the first must speak for all, and the pairs that costs."""

    def count(limit: int) -> int:
        sizes = np.diff(starts)[pairs]
        spoken = np.where(sizes > limit, 1, sizes).prod(axis=1)
        own = np.where(sizes > limit, sizes - 1, sizes * (sizes - 1) // 2)[:, 0]
        return int(np.where(pairs[:, 0] == pairs[:, 1], own, spoken).sum())

    limit, wanted = copies, count(copies)
    while limit > 1 and count(limit) > most:
        limit //= 2
    return limit, wanted - count(limit)


@compiled
def expand_shares(
    pairs: Places,
    members: Places,
    starts: Places,
    shares: Places,
    ordered: bool,
    out: Places,
    which: Places,
) -> None:
    """Write down so many pairs of members for each pair of groups: neighbours, then those behind.

    Where not all of a group get their turn, the next pair of groups begins with others of it.
    """
    found = 0
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        n, m = starts[a + 1] - starts[a], starts[b + 1] - starts[b]
        more = max(n, m)
        for t in range(shares[p]):
            apart, i = t // more, (t + p * shares[p]) % more
            j = (i * min(n, m) // more + apart) % min(n, m)
            if n < m:
                i, j = j, i
            if a == b:  # of those the same number apart, the rest are pairs seen from behind
                i, j = t % n, (t % n + t // n + 1) % n
            first, second = members[starts[a] + i], members[starts[b] + j]
            swap = ordered and second < first
            out[found, 0] = second if swap else first
            out[found, 1] = first if swap else second
            which[found] = p
            found += 1


def share_out(
    pairs: Places, starts: Places, equal: NDArray[np.bool_], copies: int, most: int
) -> tuple[Places, int]:
    """Return how many pairs of members each pair of groups gets, and how many that leaves out.

    All, if both groups have at most `copies`, and all pairs together are not more than `most`.
    With too little room, those whose fingerprints are equal come first.
    """
    sizes = np.diff(starts)[pairs]
    same = pairs[:, 0] == pairs[:, 1]
    whole = np.where(same, sizes[:, 0] * (sizes[:, 0] - 1) // 2, sizes.prod(axis=1))
    once = sizes.max(axis=1, initial=0) - same  # pairs in which everyone has a partner
    limit = copies * copies
    shares = np.minimum(whole, np.maximum(np.where(same, limit // 2, limit), once))
    while limit > 1 and int(shares.sum()) > most:
        limit //= 2
        shares = np.minimum(whole, np.maximum(limit, once))
    if int(shares.sum()) > most:
        rest = max(0, most - int(shares[equal].sum())) // max(1, int((~equal).sum()))
        shares = np.where(equal, shares, np.minimum(whole, max(1, rest)))
        order = np.argsort(~equal, kind="stable")
        before = np.cumsum(shares[order]) - shares[order]
        shares[order] = np.clip(most - before, 0, shares[order])
    return shares, int((whole - shares).sum())


def expand_some(
    pairs: Places, members: Places, starts: Places, shares: Places, *, ordered: bool
) -> tuple[Places, Places]:
    """Return so many pairs of members, in order, and which pair of groups each comes from."""
    pairs = np.ascontiguousarray(pairs, np.int64)
    total = int(shares.sum())
    out, which = np.empty((total, 2), np.int64), np.empty(total, np.int64)
    expand_shares(pairs, members, starts, shares, ordered, out, which)
    return _order(out, which)


def thin_out(
    parts: list[NDArray[Number]], most: int, *, ordered: bool
) -> tuple[list[NDArray[Number]], int]:
    """Return pairs in order, each once, and of each number so few that all fit; count the rest."""
    pairs = np.concatenate(parts)
    if ordered:
        pairs.sort(axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    fresh = np.ones(len(pairs), np.bool_)
    fresh[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    pairs = pairs[fresh]
    begins = np.flatnonzero(np.diff(pairs[:, 0], prepend=~pairs[:1, 0]))
    counts = np.diff(begins, append=len(pairs))
    each = int(counts.max(initial=1))
    while each > 1 and int(np.minimum(counts, each).sum()) > most:
        each //= 2
    kept = pairs[np.arange(len(pairs)) - np.repeat(begins, counts) < each][:most]
    return [kept], len(pairs) - len(kept)


def with_twins(pairs: Places, starts: Places) -> Places:
    """Return pairs of groups together with those of each group that has several members."""
    twins = np.flatnonzero(np.diff(starts) > 1)
    return np.concatenate([pairs.reshape(-1, 2), np.stack([twins, twins], axis=1)])


def distinct(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers in order, each once: by sorting, several times as fast as np.unique."""
    values = np.sort(values)
    first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def pack_pairs(pairs: Places) -> NDArray[np.uint64]:
    """Return pairs of numbers below 2^32 as one number each; their order is that of the pairs."""
    rows = pairs.astype(np.uint64)
    return rows[:, 0] << U32 | rows[:, 1]


def distinct_pairs(pairs: Places) -> Places:
    """Return pairs of numbers below 2^32 in order, each once."""
    packed = distinct(pack_pairs(pairs))
    return np.stack([packed >> U32, packed & LOWER], axis=1).astype(np.int64)
