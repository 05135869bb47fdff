"""Rows that agree in some of their columns: candidates for more than that.

In: for each text a row of hashes, of which near-duplicates share some: bands of a sketch, or
super-shingles. Out: the pairs of rows that agree in enough columns, each pair once. Where very
many rows agree in one column (a run that is hot), each is held against its neighbours only; how
many pairs that leaves out is counted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.words import Hashes

Places = NDArray[np.int64]

HOT = 2048  # rows that agree in one column
NEIGHBOURS = 256  # of each row of a hot run
ROOM = 2**16  # pairs, at first


class Rules(NamedTuple):
    """Which pairs are candidates."""

    agree: int  # columns, at least
    alike: float  # the smaller size is at least this part of the larger one
    hot: int
    neighbours: int
    once: bool = True  # a pair counts in the first column in which it agrees, and in no other


class Candidates(NamedTuple):
    """Pairs of rows, the lower number first, and what was left out."""

    pairs: Places  # rows of two
    hot_runs: int
    left_out: int  # pairs that were not looked at, at most


@inlined
def is_candidate(rows: Hashes, a: Integer, b: Integer, column: Integer, rules: Rules) -> bool:
    """Whether two rows agree often enough, and in no column before this one."""
    found = 0
    for c in range(rows.shape[1]):
        if rows[a, c] == rows[b, c]:
            if c < column and rules.once:
                return False
            found += 1
            if found >= rules.agree and c >= column:
                return True
    return False


@inlined
def is_alike(sizes: Places, a: Integer, b: Integer, alike: float) -> bool:
    """Whether two sets can share enough, as far as their sizes tell."""
    return bool(min(sizes[a], sizes[b]) >= alike * max(sizes[a], sizes[b]))


@compiled
def pair_runs(
    rows: Hashes, sizes: Places, order: Places, column: int, rules: Rules, out: Places
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
                alike = is_alike(sizes, a, b, rules.alike)
                if alike and is_candidate(rows, a, b, column, rules):
                    if found < len(out):
                        out[found, 0] = min(a, b)
                        out[found, 1] = max(a, b)
                    found += 1
        begin = end
    return found, hot_runs, left_out


def find_candidates(
    rows: Hashes, sizes: Places | None = None, rules: Rules | None = None
) -> Candidates:
    """Return the pairs of rows that agree; `sizes` are of the sets, 0 for a row to leave aside."""
    rules = rules or Rules(1, 0.0, HOT, NEIGHBOURS)
    sizes = np.ones(len(rows), np.int64) if sizes is None else sizes
    present = np.flatnonzero(sizes)
    parts, hot_runs, left_out = [], 0, 0
    out = np.empty((ROOM, 2), np.int64)
    for column in range(rows.shape[1]):
        order = present[np.argsort(rows[present, column], kind="stable")]
        found, hot, left = pair_runs(rows, sizes, order, column, rules, out)
        if found > len(out):
            out = np.empty((int(found) * 5 // 4, 2), np.int64)
            pair_runs(rows, sizes, order, column, rules, out)
        parts.append(out[: int(found)].copy())
        hot_runs, left_out = hot_runs + int(hot), left_out + int(left)
        rules = rules._replace(once=not hot_runs)  # what a hot run passed over, others may find
    pairs = np.concatenate(parts)
    return Candidates(np.unique(pairs, axis=0) if hot_runs else pairs, hot_runs, left_out)
