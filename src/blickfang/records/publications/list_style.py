"""What the records of a page have in common: the layout of its fields, counted over all rows.

In: candidates of rows, and how likely each pair of them is by itself. Out: for each pair how usual
its layout is on this page. One page is written by one hand: what most rows agree on is right.
Labels are numbers: of the look of a gap, of the word behind it, of the marks on both sides.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.records.publications.row_arrays import COMPANION, LETTERS, Flat, Floats, Ints

TITLE_STYLES = ("s title left", "s title right", "s title next", "s title between")
AUTHOR_STYLES = ("s authors left", "s authors right", "s authors next", "s authors last")
PAIR_STYLES = ("s order",)
NAMES = len(TITLE_STYLES) + AUTHOR_STYLES.index("s authors last")
ORDER = len(TITLE_STYLES) + len(AUTHOR_STYLES)
PRIOR, PRIOR_TOTAL = 0.3, 3.0
NOTHING = -1  # the label of authors where there are none
MANY = LETTERS**3  # of words between the two, which then do not matter


class Style(NamedTuple):
    """How often each label was chosen on a page, weighted by likelihood."""

    counts: list[Counter[int]]  # one a label: title, authors, pair


class Rating(NamedTuple):
    """How usual labels are: those that were chosen, in order, and what all others count."""

    label: Ints
    usual: Floats
    other: float


@inlined
def label_pair(
    flat: Flat, begin: Integer, a0: Integer, a1: Integer, t0: Integer, t1: Integer
) -> int:
    """Return the label of how authors and title stand to each other."""
    if a1 == begin:
        return int(min(t0 - begin, 3))
    title_first = t1 <= a0
    first, stop = (t1, a0) if title_first else (a1, t0)
    between = MANY
    if stop - first < 4:
        between = 0
        for place in range(first, stop):
            between = between * LETTERS + flat.kind[place]
    order = 1 if title_first else 2
    marks = (int(flat.marks[first]) << 22) + int(flat.marks[stop])
    return (((order << 10) + between) << 44) + marks


@inlined
def label_left(flat: Flat, first: Integer) -> int:
    """Return the label of what stands before authors: a gap, and whether they are behind "with"."""
    behind_with = first > 0 and flat.kind[first - 1] == COMPANION
    return 2 * int(flat.gap[first]) + int(behind_with)


@filling
def label_pairs(flat: Flat, begin: Ints, spans: Ints, into: Ints) -> None:
    """Write labels of pairs in rows that begin there: before the authors, and how the two stand."""
    for k in range(len(spans)):
        a0, a1, t0, t1 = spans[k, 0], spans[k, 1], spans[k, 2], spans[k, 3]
        into[k, 0] = label_left(flat, a0)
        into[k, 1] = label_pair(flat, begin[k], a0, a1, t0, t1)


def label(flat: Flat, begin: Ints, chosen: Ints) -> Ints:
    """Return the labels of pairs, in the order of styles; `chosen` as `choose_pairs` writes it.

    Of both fields the gaps around them and what follows; of titles the marks on both sides, of
    authors the shape of the last name; of the pair how the two stand to each other.
    """
    a0, a1, t0, t1, shape = chosen.T
    labels = np.empty((len(chosen), ORDER + len(PAIR_STYLES)), np.int64)
    both = flat.outer[t0] + flat.inner[t1]
    columns = (flat.gap[t0], flat.gap[t1], flat.next[t1], both, flat.gap[a0], flat.gap[a1])
    for column, values in enumerate((*columns, flat.next[a1], shape)):
        labels[:, column] = values
    made = np.empty((len(chosen), 2), np.int64)
    label_pairs(flat, begin, chosen, made)
    labels[:, len(TITLE_STYLES)], labels[:, ORDER] = made[:, 0], made[:, 1]
    labels[a1 == begin, len(TITLE_STYLES) : ORDER] = NOTHING
    return labels


def new_style() -> Style:
    """Return a style of which nothing is known."""
    return Style([Counter() for _ in range(ORDER + len(PAIR_STYLES))])


def add_pair(style: Style, labels: list[int], names: tuple[int, ...], likely: float) -> None:
    """Count the labels of a pair; all names vote on the shape of the last."""
    for number, (counts, label) in enumerate(zip(style.counts, labels, strict=True)):
        if number != NAMES:
            counts[label] += likely  # type: ignore[assignment]
    for shape in names:
        style.counts[NAMES][shape] += likely / len(names)  # type: ignore[assignment]


def rate(style: Style) -> tuple[Rating, ...]:
    """Return how usual the labels are: the logarithms of their shares."""
    found = []
    for counts in style.counts:
        total = np.log(sum(counts.values()) + PRIOR_TOTAL)
        label = np.array(sorted(counts), np.int64)
        times = np.array([counts[each] for each in label.tolist()], np.float64)
        found.append(Rating(label, np.log(times + PRIOR) - total, float(np.log(PRIOR) - total)))
    return tuple(found)


def look_up(rating: Rating, labels: Ints) -> Floats:
    """Return how usual some labels are."""
    if not len(rating.label):
        return np.full(labels.shape, rating.other)
    at = np.minimum(np.searchsorted(rating.label, labels), len(rating.label) - 1)
    return np.where(rating.label[at] == labels, rating.usual[at], rating.other)
