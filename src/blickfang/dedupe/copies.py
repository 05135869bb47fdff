"""Equal things stand for one another; pairs of those that do become pairs of all.

In: pairs of groups, and the members of each group. Out: the pairs of their members. A group with
very many members is represented by its first one, or its pairs would be more than anyone can use.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled

Places = NDArray[np.int64]
U32, LOWER = np.uint64(32), np.uint64(2**32 - 1)

COPIES = 1000  # beyond so many equal ones, each is listed with the first of them only


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
    small = int(out.max(initial=0)) >> 32 == 0
    by_number = np.argsort(pack_pairs(out)) if small else np.lexsort((out[:, 1], out[:, 0]))
    return out[by_number], which[by_number]


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
