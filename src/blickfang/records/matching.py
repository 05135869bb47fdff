"""A pattern finds its records: rotation, matching, and the block matrix.

In: a pattern and the tokens of a page. Out: the pattern turned so that it begins where a record
begins; all places where it fits; for each the column of every token.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.records.align import GAP, Pattern
from blickfang.records.tokens import Alphabet

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


def rotate(pattern: Pattern, alphabet: Alphabet) -> Pattern:
    """Return a pattern turned right or left until it begins where a record begins.

    That is with the beginning of an element, so that as few ends as possible stand before their
    beginnings; of equal turns the shortest.
    """
    columns, n = pattern.columns, len(pattern.columns)
    best, cost = 0, (1 << 30, 2, 0)
    for turn in sorted(range(n), key=lambda turn: min(turn, n - turn)):
        turned = columns[turn:] + columns[:turn]
        head = turned[0][0]
        opens = 0 if head < alphabet.text and head % 2 == 0 and GAP not in turned[0] else 1
        unmatched = count_unmatched([c[0] for c in turned], alphabet)
        found = (unmatched, opens, min(turn, n - turn))
        if found < cost:
            best, cost = turn, found
    return Pattern(columns[best:] + columns[:best])


@inlined
def fits(sets: NDArray[np.bool_], column: Integer, token: Integer) -> bool:
    """Whether a token may stand in a column; column sets have a place more, for nothing."""
    return bool(sets[column, token])


@compiled
def match_at(tokens: Ints, start: Integer, sets: NDArray[np.bool_], column: Ints) -> Integer:
    """Return where a match from `start` on ends, or -1; fill in the columns of its tokens.

    reach[i, c] says that the first i tokens can end right before column c.
    """
    width = len(sets)
    longest = np.int64(min(width, len(tokens) - start))
    reach = np.zeros((longest + 1, width + 1), np.bool_)
    reach[0, 0] = True
    nothing = sets.shape[1] - 1
    for i in range(longest + 1):
        alive = False
        for c in range(width):
            if not reach[i, c]:
                continue
            alive = True
            if fits(sets, c, nothing):
                reach[i, c + 1] = True
            if i < longest and fits(sets, c, tokens[start + i]):
                reach[i + 1, c + 1] = True
        if not alive:
            break
    size: Integer = longest
    while size > 0 and not reach[size, width]:
        size -= 1
    if size == 0:
        return -1
    left: Integer = size
    for c in range(width - 1, -1, -1):
        if left and reach[left - 1, c] and fits(sets, c, tokens[start + left - 1]):
            left -= 1
            column[start + left] = c
    return start + size


@compiled
def match_all(tokens: Ints, sets: NDArray[np.bool_]) -> Matches:
    """Return all places where a pattern fits, from left to right, without overlaps."""
    n = len(tokens)
    column = np.full(n, -1, np.int32)
    start, stop = np.empty(n, np.int32), np.empty(n, np.int32)
    found = 0
    at: Integer = 0
    nothing = sets.shape[1] - 1
    optional = sets[0, nothing]
    while at < n:
        end = match_at(tokens, at, sets, column) if optional or sets[0, tokens[at]] else -1
        if end < 0:
            at += 1
            continue
        start[found], stop[found] = at, end
        found += 1
        at = end
    return Matches(start[:found].copy(), stop[:found].copy(), column)


def find_matches(tokens: Ints, pattern: Pattern, alphabet: Alphabet) -> Matches:
    """Return all places where a pattern fits."""
    sets = np.zeros((len(pattern.columns), alphabet.text + 2), np.bool_)
    for place, column in enumerate(pattern.columns):
        sets[place, [alphabet.text + 1 if token == GAP else token for token in column]] = True
    return match_all(tokens, sets)
