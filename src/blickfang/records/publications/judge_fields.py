"""The most likely pair of authors and title of every row, compiled: all pairs are weighed.

In: candidates of rows, what their numbers count, and how usual their layouts are. Out: for each row
the two spans that were chosen, and how likely they are.
"""

from typing import NamedTuple

import numpy as np

from blickfang.compute.kernels import Integer, filling, inner
from blickfang.records.publications.author_lists import MAX_AUTHORS
from blickfang.records.publications.field_looks import MAX_TITLES, SpanCandidates, find_place
from blickfang.records.publications.list_style import ORDER, Rating, label_left, label_pair
from blickfang.records.publications.row_arrays import Flat, Floats, Ints, RowScratch

FAR = 700.0  # so much less likely that it is nothing


class FieldScores(NamedTuple):
    """What counts: of the looks, and of how usual labels are; and room for one row."""

    authors: Floats  # weights
    titles: Floats
    pairs: Floats
    author: Floats  # sums
    title: Floats
    pair: Floats
    top: Ints  # the best pairs, as numbers of authors and title


class Usual(NamedTuple):
    """How usual labels are, of all styles behind each other."""

    label: Ints
    usual: Floats
    begin: Ints
    other: Floats


def make_scores(weights: tuple[Floats, Floats, Floats], best: int) -> FieldScores:
    """Return weights with room beside them, for so many best pairs of a row."""
    a, t = MAX_AUTHORS + 1, MAX_TITLES
    top = np.zeros((best, 2), np.int64)
    return FieldScores(*weights, np.zeros(a), np.zeros(t), np.zeros((a, t)), top)


def know_nothing() -> Usual:
    """Return ratings of a page of which nothing is known: no layout is more usual than others."""
    styles = ORDER + 1
    nothing = np.zeros(0, np.int64)
    return Usual(nothing, np.zeros(0), np.zeros(styles + 1, np.int64), np.zeros(styles))


def join_ratings(ratings: tuple[Rating, ...]) -> Usual:
    """Return all ratings as arrays."""
    sizes = [len(rating.label) for rating in ratings]
    return Usual(
        np.concatenate([rating.label for rating in ratings]),
        np.concatenate([rating.usual for rating in ratings]),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array([rating.other for rating in ratings]),
    )


@inner
def look_up(usual: Usual, style: Integer, label: Integer) -> float:
    """Return how usual a label is."""
    at = find_place(usual.label, usual.begin[style], usual.begin[style + 1], label)
    return float(usual.usual[at] if at >= 0 else usual.other[style])


@inner
def sum_authors(
    flat: Flat, found: SpanCandidates, row: Integer, usual: Usual, scores: FieldScores
) -> None:
    """Write how likely each list of authors is by itself."""
    looks = found.author_looks.shape[2]
    for a in range(found.author_count[row]):
        total = 0.0
        for k in range(looks):
            total += float(found.author_looks[row, a, k]) * float(scores.authors[k])
        first, stop = found.authors[row, a, 0], found.authors[row, a, 1]
        left, right, behind, shape = -1, -1, -1, -1
        if a:
            left, right = label_left(flat, first), int(flat.gap[stop])
            behind, shape = int(flat.next[stop]), int(found.shape[row, a])
        total += look_up(usual, 4, left) * float(scores.authors[looks])
        total += look_up(usual, 5, right) * float(scores.authors[looks + 1])
        total += look_up(usual, 6, behind) * float(scores.authors[looks + 2])
        total += look_up(usual, 7, shape) * float(scores.authors[looks + 3])
        scores.author[a] = total


@inner
def sum_titles(
    flat: Flat, found: SpanCandidates, row: Integer, usual: Usual, scores: FieldScores
) -> None:
    """Write how likely each title is by itself."""
    looks = found.title_looks.shape[2]
    for t in range(found.title_count[row]):
        total = 0.0
        for k in range(looks):
            total += float(found.title_looks[row, t, k]) * float(scores.titles[k])
        first, stop = found.titles[row, t, 0], found.titles[row, t, 1]
        total += look_up(usual, 0, flat.gap[first]) * float(scores.titles[looks])
        total += look_up(usual, 1, flat.gap[stop]) * float(scores.titles[looks + 1])
        total += look_up(usual, 2, flat.next[stop]) * float(scores.titles[looks + 2])
        both = flat.outer[first] + flat.inner[stop]
        total += look_up(usual, 3, both) * float(scores.titles[looks + 3])
        scores.title[t] = total


@inner
def weigh_pair(
    flat: Flat, begin: Integer, a0: Integer, a1: Integer, t0: Integer, t1: Integer,
    room: RowScratch, weights: Floats,
) -> float:  # fmt: skip
    """Return what counts of how the two stand together, but for how usual that is."""
    if a1 == begin:
        return float(weights[1] * (min(t0 - begin, 10) / 10))
    title_first = t1 <= a0
    first, stop = (t1, a0) if title_first else (a1, t0)
    words = flat.telling[stop] - flat.telling[first] if stop > first else 0
    total = weights[0] if words == 0 else 0.0
    total += weights[1] * (min(min(t0, a0) - begin, 10) / 10)
    total += weights[2] * room.log1p[words]
    return float(total + (weights[3] if title_first else 0.0))


@inner
def weigh_pairs(
    flat: Flat, begin: Integer, found: SpanCandidates, row: Integer, usual: Usual,
    scores: FieldScores, room: RowScratch,
) -> int:  # fmt: skip
    """Write how likely each pair is, and which are the best; return how many of these."""
    count = 0
    for a in range(found.author_count[row]):
        a0, a1 = found.authors[row, a, 0], found.authors[row, a, 1]
        for t in range(found.title_count[row]):
            t0, t1 = found.titles[row, t, 0], found.titles[row, t, 1]
            if a and t0 < a1 and a0 < t1:
                scores.pair[a, t] = -np.inf
                continue
            label = label_pair(flat, begin, a0, a1, t0, t1)
            total = weigh_pair(flat, begin, a0, a1, t0, t1, room, scores.pairs)
            total += look_up(usual, ORDER, label) * scores.pairs[4]
            scores.pair[a, t] = total + (scores.author[a] + scores.title[t])
            count = keep_best(scores, count, a, t)
    return count


@inner
def keep_best(scores: FieldScores, count: Integer, a: Integer, t: Integer) -> int:
    """Write a pair among the best, behind those that are as good; return how many there are."""
    top, gain, most = scores.top, scores.pair[a, t], len(scores.top)
    if count == most and gain <= scores.pair[top[most - 1, 0], top[most - 1, 1]]:
        return int(count)
    at = count if count < most else most - 1
    while at > 0 and scores.pair[top[at - 1, 0], top[at - 1, 1]] < gain:
        top[at, 0], top[at, 1] = top[at - 1, 0], top[at - 1, 1]
        at -= 1
    top[at, 0], top[at, 1] = a, t
    return int(min(count + 1, most))


@filling
def choose_pairs(
    flat: Flat, rows: Ints, found: SpanCandidates, usual: Usual, scores: FieldScores,
    room: RowScratch, chosen: Ints, likely: Floats,
) -> None:  # fmt: skip
    """Write the most likely pairs of rows: spans of authors and title, shape; how likely."""
    for row in range(len(rows)):
        sum_authors(flat, found, row, usual, scores)
        sum_titles(flat, found, row, usual, scores)
        count = weigh_pairs(flat, flat.begin[rows[row]], found, row, usual, scores, room)
        best, total = scores.pair[scores.top[0, 0], scores.top[0, 1]], 0.0
        for a in range(found.author_count[row]):
            for t in range(found.title_count[row]):
                if best - scores.pair[a, t] < FAR:
                    total += np.exp(scores.pair[a, t] - best)
        for k in range(count):
            a, t = scores.top[k, 0], scores.top[k, 1]
            likely[row, k] = np.exp(scores.pair[a, t] - best) / total
            chosen[row, k, 0] = found.authors[row, a, 0]
            chosen[row, k, 1] = found.authors[row, a, 1]
            chosen[row, k, 2] = found.titles[row, t, 0]
            chosen[row, k, 3] = found.titles[row, t, 1]
            chosen[row, k, 4] = found.shape[row, a]
