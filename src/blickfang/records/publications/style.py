"""What the records of a page have in common: the layout of its fields, counted over all rows.

In: rows with pairs of title and authors, and how likely each is by itself. Out: for each pair how
usual its layout is on this page. One page is written by one hand: what most rows agree on is right.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.records.publications.row import HARD, Row
from blickfang.records.publications.spans import Authors

Floats = NDArray[np.float64]

TITLE_STYLES = ("s title left", "s title right", "s title next", "s title between")
AUTHOR_STYLES = ("s authors left", "s authors right", "s authors next", "s authors last")
PAIR_STYLES = ("s order",)
NAMES = len(TITLE_STYLES) + AUTHOR_STYLES.index("s authors last")
FREQUENT = 0.2  # of the rows have a word that then tells where a field ends
PRIOR, PRIOR_TOTAL = 0.3, 3.0


class Labels(NamedTuple):
    """The layout labels of one row: for each author span, each title span, each pair."""

    authors: list[tuple[str, ...]]
    titles: list[tuple[str, ...]]
    pairs: list[list[tuple[str, ...]]]
    names: list[tuple[str, ...]]  # for each author span the shapes of its names


def label_gap(row: Row, gap: int) -> str:
    """Return the look of a gap."""
    found = row.gaps[gap]
    return f"{int(found.strength == HARD)}{found.tags}{found.marks}"


def label_next(row: Row, at: int, shares: dict[str, float]) -> str:
    """Return the word behind a field where it is frequent, else its class."""
    if at >= len(row.words):
        return "$"
    word = row.words[at].lower()
    return word if shares.get(word, 0.0) > FREQUENT else row.kinds[at]


def label_both(row: Row, first: int, stop: int) -> str:
    """Return the bare punctuation on both sides, whatever the markup."""
    left, right = row.gaps[first], row.gaps[stop]
    return f"{left.marks[-1:]}|{right.marks[:1]}|{left.strength == HARD}{right.strength == HARD}"


def label_authors(row: Row, span: Authors, shares: dict[str, float]) -> tuple[str, ...]:
    """Return the labels of a list of authors."""
    if not span.items:
        return ("", "", "", "")
    left, right = label_gap(row, span.first), label_gap(row, span.stop)
    return left, right, label_next(row, span.stop, shares), span.items[-1].shape


def label_title(row: Row, span: tuple[int, int], shares: dict[str, float]) -> tuple[str, ...]:
    """Return the labels of a title."""
    first, stop = span
    both = label_both(row, first, stop)
    return label_gap(row, first), label_gap(row, stop), label_next(row, stop, shares), both


def label_pair(row: Row, authors: Authors, title: tuple[int, int]) -> tuple[str, ...]:
    """Return the label of how the two stand to each other."""
    if not authors.items:
        return (f"none {min(title[0], 3)}",)
    if title[1] <= authors.first:
        order, begin, end = "ta", title[1], authors.first
    else:
        order, begin, end = "at", authors.stop, title[0]
    between = row.kinds[begin:end] if end - begin < 4 else "many"
    return (f"{order} {between} {row.gaps[begin].marks} {row.gaps[end].marks}",)


def label_row(
    row: Row, authors: list[Authors], titles: list[tuple[int, int]], shares: dict[str, float]
) -> Labels:
    """Return the labels of all candidates of a row."""
    return Labels(
        [label_authors(row, span, shares) for span in authors],
        [label_title(row, span, shares) for span in titles],
        [[label_pair(row, a, t) for t in titles] for a in authors],
        [tuple(item.shape for item in span.items) or ("",) for span in authors],
    )


class Style(NamedTuple):
    """How often each label was chosen on a page, weighted by likelihood."""

    counts: list[Counter[str]]  # one a label: title, authors, pair


def new_style() -> Style:
    """Return a style of which nothing is known."""
    kinds = len(TITLE_STYLES) + len(AUTHOR_STYLES) + len(PAIR_STYLES)
    return Style([Counter() for _ in range(kinds)])


def add_pair(style: Style, labels: Labels, a: int, t: int, likely: float) -> None:
    """Count the labels of a pair."""
    chosen = (*labels.titles[t], *labels.authors[a], *labels.pairs[a][t])
    for number, (counts, label) in enumerate(zip(style.counts, chosen, strict=True)):
        if number != NAMES:
            counts[label] += likely  # type: ignore[assignment]
    for shape in labels.names[a]:  # all names vote on the shape of the last
        style.counts[NAMES][shape] += likely / len(labels.names[a])  # type: ignore[assignment]


def rate(counts: Counter[str], labels: list[str]) -> list[float]:
    """Return how usual some labels are: the logarithm of their shares."""
    total = np.log(sum(counts.values()) + PRIOR_TOTAL)
    return [float(np.log(counts[label] + PRIOR) - total) for label in labels]


def rate_row(style: Style, labels: Labels) -> tuple[Floats, Floats, Floats]:
    """Return the ratings of the candidates: authors x styles, titles x styles, pairs x styles."""
    nt, na = len(TITLE_STYLES), len(AUTHOR_STYLES)
    titles = [rate(style.counts[k], [x[k] for x in labels.titles]) for k in range(nt)]
    authors = [rate(style.counts[nt + k], [x[k] for x in labels.authors]) for k in range(na)]
    pairs = [rate(style.counts[nt + na], [x[0] for x in row]) for row in labels.pairs]
    return np.array(authors).T, np.array(titles).T, np.array(pairs)[..., None]
