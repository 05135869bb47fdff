"""A pattern finds its records: rotation, matching, and the block matrix.

In: a pattern and the tokens of a page. Out: the pattern turned so that it begins where a record
begins; all places where it fits; for each the column of every token.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.records.align_columns import GAP, AlignedPattern
from blickfang.records.study.page_tokens import Alphabet

Ints = NDArray[np.int32]


class Matches(NamedTuple):
    """Where a pattern fits: match m has the tokens start[m] … stop[m], with their columns."""

    start: Ints
    stop: Ints
    column: Ints  # for each token of the page its column, or -1


def count_unmatched(tokens: list[int], alphabet: Alphabet) -> int:
    """Return how many ends in a string have no beginning before them."""
    opened: dict[int, int] = {}
    unmatched = 0
    for token in tokens:
        if token >= alphabet.text:
            continue
        if token % 2 == 0:
            opened[token] = opened.get(token, 0) + 1
        elif opened.get(token - 1, 0):
            opened[token - 1] -= 1
        else:
            unmatched += 1
    return unmatched


def rotate(
    pattern: AlignedPattern,
    alphabet: Alphabet,
    before: Sequence[int] = (),
    last: Sequence[int] = (),
) -> AlignedPattern:
    """Return a pattern turned right or left until it begins where a record begins.

    The neighbours of its occurrences tell: what stands `before` the first one and what there is of
    the `last` one, from where it begins, are one record together. Where nothing is missing of the
    last and nothing fits before the first, the pattern stays. Else it begins with the beginning of
    an element, so that as few ends as possible stand before their beginnings.
    """
    columns, n = pattern.columns, len(pattern.columns)
    ahead = count_fitting(columns[::-1], before[::-1])
    behind = count_fitting(columns, last)
    costs = {
        turn: (
            count_unmatched([c[0] for c in columns[turn:] + columns[:turn]], alphabet),
            not _opens(columns[turn], alphabet),
            min(turn, n - turn),
        )
        for turn in range(n)
    }
    turns = list(range(n))
    if behind < n <= ahead + behind:
        turns = [n - left for left in range(n - behind, ahead + 1)]
    elif not ahead and behind and not costs[0][0]:
        turns = [0]
    best = min(turns, key=lambda turn: costs[turn % n]) % n
    return AlignedPattern(columns[best:] + columns[:best])


def _opens(column: tuple[int, ...], alphabet: Alphabet) -> bool:
    """Whether an element begins in a column, always."""
    return column[0] < alphabet.text and column[0] % 2 == 0 and GAP not in column


def count_fitting(columns: Sequence[tuple[int, ...]], tokens: Sequence[int]) -> int:
    """Return how many columns fit some tokens from the beginning on; what may lack is passed over.

    >>> count_fitting([(1,), (2, GAP), (3,)], [1, 3])
    3
    """
    at = most = 0
    for place, column in enumerate(columns, 1):
        if at < len(tokens) and tokens[at] in column:
            at += 1
            most = place
        elif GAP not in column:
            break
    return most


@inlined
def fits(sets: NDArray[np.bool_], column: Integer, token: Integer) -> bool:
    """Whether a token may stand in a column; column sets have a place more, for nothing."""
    return bool(sets[column, token])


@compiled
def match_at(
    tokens: Ints, start: Integer, sets: NDArray[np.bool_], reach: NDArray[np.bool_]
) -> Integer:
    """Fill in what a match from `start` on can reach; return how many tokens it can have at most.

    reach[i, c] says that the first i tokens can end right before column c.
    """
    width = len(sets)
    longest = np.int64(min(width, len(tokens) - start))
    reach[0, :] = False
    reach[0, 0] = True
    nothing = sets.shape[1] - 1
    for i in range(longest + 1):
        alive = False
        if i < longest:
            reach[i + 1, :] = False
        for c in range(width):
            if not reach[i, c]:
                continue
            alive = True
            if fits(sets, c, nothing):
                reach[i, c + 1] = True
            if i < longest and fits(sets, c, tokens[start + i]):
                reach[i + 1, c + 1] = True
        if not alive:
            return i
    return longest


@compiled
def choose_sizes(tokens: Ints, sets: NDArray[np.bool_]) -> Ints:
    """Return for each token how long the match from there on is, 0 for none.

    They are chosen so that there are as many matches as possible, then so that they have as many
    tokens as possible: what may end one record must not swallow the beginning of the next.
    """
    n, width = len(tokens), len(sets)
    sizes = np.zeros(n, np.int32)
    matches, covered = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    reach = np.zeros((width + 1, width + 1), np.bool_)
    optional = sets[0, sets.shape[1] - 1]
    for at in range(n - 1, -1, -1):
        matches[at], covered[at] = matches[at + 1], covered[at + 1]
        if not optional and not sets[0, tokens[at]]:
            continue
        longest = match_at(tokens, at, sets, reach)
        for size in range(1, longest + 1):
            if not reach[size, width]:
                continue
            count = matches[at + size] + 1
            cover = covered[at + size] + size
            if count > matches[at] or (count == matches[at] and cover >= covered[at]):
                matches[at], covered[at], sizes[at] = count, cover, size
    return sizes


@compiled
def match_all(tokens: Ints, sets: NDArray[np.bool_]) -> Matches:
    """Return the places where a pattern fits, without overlaps, as many as possible."""
    n, width = len(tokens), len(sets)
    sizes = choose_sizes(tokens, sets)
    column = np.full(n, -1, np.int32)
    start, stop = np.empty(n, np.int32), np.empty(n, np.int32)
    reach = np.zeros((width + 1, width + 1), np.bool_)
    found = 0
    at: Integer = 0
    while at < n:
        size = np.int64(sizes[at])
        if size == 0:
            at += 1
            continue
        start[found], stop[found] = at, at + size
        found += 1
        match_at(tokens, at, sets, reach)
        left = size
        for c in range(width - 1, -1, -1):
            if left and reach[left - 1, c] and fits(sets, c, tokens[at + left - 1]):
                left -= 1
                column[at + left] = c
        at += size
    return Matches(start[:found].copy(), stop[:found].copy(), column)


def find_matches(tokens: Ints, pattern: AlignedPattern, alphabet: Alphabet) -> Matches:
    """Return all places where a pattern fits."""
    sets = np.zeros((len(pattern.columns), alphabet.text + 2), np.bool_)
    for place, column in enumerate(pattern.columns):
        sets[place, [alphabet.text + 1 if token == GAP else token for token in column]] = True
    return match_all(tokens, sets)


FAR = 4.0  # a gap of so many usual ones ends a run


class Spacing(NamedTuple):
    """Limits within which a repeat is kept."""

    variance: float = 0.5  # of the gaps, in relation to their mean
    density: float = 0.25  # of the span of all occurrences that they cover
    least: int = 3  # occurrences


def variance(places: Ints) -> float:
    """Return the spread of the gaps between occurrences, in relation to their mean.

    >>> variance(np.array([4, 6, 8])), round(variance(np.array([0, 1, 4])), 3)
    (0.0, 0.5)
    """
    gaps = np.diff(places)
    return float(gaps.std() / gaps.mean()) if len(gaps) else 0.0


def density(places: Ints, length: int) -> float:
    """Return how much of their span the occurrences cover; above 1 where they overlap.

    >>> density(np.array([0, 10, 20]), 5)
    0.5
    """
    span = int(places[-1] - places[0])
    return (len(places) - 1) * length / span if span else 0.0


def split_runs(places: Ints, limits: Spacing) -> list[Ints]:
    """Return the runs of occurrences that are regular: all at once, or cut at gaps that are far.

    >>> [run.tolist() for run in split_runs(np.array([0, 2, 4, 90, 92, 94, 200]), Spacing())]
    [[0, 2, 4], [90, 92, 94]]
    """
    if len(places) < limits.least:
        return []
    if variance(places) <= limits.variance:
        return [places]
    gaps = np.diff(places)
    cuts = np.flatnonzero(gaps > FAR * np.median(gaps)) + 1
    if not len(cuts):
        return []
    return [run for part in np.split(places, cuts) for run in split_runs(part, limits)]


def keep_runs(places: Ints, length: int, limits: Spacing) -> list[Ints]:
    """Return the runs that are regular and dense enough."""
    return [run for run in split_runs(places, limits) if density(run, length) >= limits.density]
