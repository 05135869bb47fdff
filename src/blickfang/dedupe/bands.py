"""Rows that agree in some of their columns: candidates for more than that.

In: for each text a row of hashes, of which near-duplicates share some: bands of a sketch, or
super-shingles. Out: the pairs of rows that agree in enough columns, each pair once. Where very
many rows agree in one column (a run that is hot), each is held against its neighbours only, and
against fewer of them if there is no room for so many pairs; how many that leaves out is counted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.dedupe.equal_items import MOST_PAIRS, distinct_pairs, thin_out
from blickfang.text.words import Hashes

Places = NDArray[np.int64]

HOT = 2048  # rows that agree in one column
NEIGHBOURS = 256  # of each row of a hot run
ROOM = 2**16  # pairs, at first
SKETCH = 8  # columns of eight bytes
SEVEN, ONES = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x0101010101010101)
U7, U56 = np.uint64(7), np.uint64(56)


class BandRules(NamedTuple):
    """Which pairs are candidates."""

    agree: int  # columns, at least
    equal: int = 0  # bytes of the first eight columns, a sketch, that agree, at least
    hot: int = HOT
    neighbours: int = NEIGHBOURS
    once: bool = True  # a pair counts in the first column in which it agrees, and in no other
    first: int = 0  # column that counts; those before it are there for their bytes


class BandPairs(NamedTuple):
    """Pairs of rows, the lower number first, and what was left out."""

    pairs: Places  # rows of two
    hot_runs: int
    left_out: int  # pairs that were not looked at, at most


@inlined
def is_candidate(rows: Hashes, a: Integer, b: Integer, column: Integer, rules: BandRules) -> bool:
    """Whether two rows agree often enough, and in no column before this one."""
    found = 0
    for c in range(rules.first, rows.shape[1]):
        if rows[a, c] == rows[b, c]:
            if c < column and rules.once:
                return False
            found += 1
            if found >= rules.agree and c >= column:
                return True
    return False


@inlined
def is_alike(rows: Hashes, a: Integer, b: Integer, equal: Integer) -> bool:
    """Whether two sketches agree in enough bytes."""
    most = SKETCH * 8 - equal  # that may differ
    for c in range(SKETCH):
        x = rows[a, c] ^ rows[b, c]
        x = (((x & SEVEN) + SEVEN) | x) >> U7 & ONES  # one bit for each byte that is not 0
        most -= np.int64(x * ONES >> U56)
        if most < 0:
            return False
    return True


@compiled
def pair_runs(
    rows: Hashes, order: Places, column: int, rules: BandRules, out: Places
) -> tuple[Integer, Integer, Integer]:
    """Write down the candidates of one column, whose order is given, while there is room.

    Returns how many there are, the hot runs, and the pairs that were left out.
    """
    n = len(order)
    found = hot_runs = left_out = begin = 0
    while begin < n:
        end = begin + 1
        while end < n and rows[order[end], column] == rows[order[begin], column]:
            end += 1
        reach = end - begin
        if reach > rules.hot:
            hot_runs += 1
            left_out += (reach - rules.neighbours) * (reach - rules.neighbours - 1) // 2
            reach = rules.neighbours
        for i in range(begin, end):
            a = order[i]
            for j in range(i + 1, min(end, i + 1 + reach)):
                b = order[j]
                alike = rules.equal == 0 or is_alike(rows, a, b, rules.equal)
                if alike and is_candidate(rows, a, b, column, rules):
                    if found < len(out):
                        out[found, 0] = min(a, b)
                        out[found, 1] = max(a, b)
                    found += 1
        begin = end
    return found, hot_runs, left_out


def find_candidates(rows: Hashes, rules: BandRules, most: int = MOST_PAIRS) -> BandPairs:
    """Return the pairs of rows that agree as the rules say, but not more than so many."""
    parts, hot_runs, left_out = [np.empty((0, 2), np.int64)], 0, 0
    rows = np.ascontiguousarray(rows)
    out = np.empty((ROOM, 2), np.int64)
    for column in range(rules.first, rows.shape[1]):
        order = np.argsort(rows[:, column], kind="stable")
        found, hot, left = pair_runs(rows, order, column, rules, out)
        while found > most and rules.neighbours > 1:
            fewer = rules.neighbours // 2
            rules = rules._replace(neighbours=fewer, hot=min(rules.hot, max(rules.hot // 2, fewer)))
            found, hot, left = pair_runs(rows, order, column, rules, out)
        if found > len(out):
            out = np.empty((int(found) * 5 // 4, 2), np.int64)
            pair_runs(rows, order, column, rules, out)
        parts.append(out[: int(found)].copy())
        hot_runs, left_out = hot_runs + int(hot), left_out + int(left)
        if hot_runs:  # then a pair may be found in every column; kept once, they fit the memory
            parts = [distinct_pairs(np.concatenate(parts))]
        if sum(map(len, parts)) > most:
            parts, dropped = thin_out(parts, most, ordered=False)
            left_out += dropped
        rules = rules._replace(once=not hot_runs)  # what a hot run passed over, others may find
    pairs = np.concatenate(parts)
    most = len(rows) * (len(rows) - 1) // 2 - len(pairs)  # several columns may leave out one pair
    return BandPairs(pairs, hot_runs, min(left_out, most))
