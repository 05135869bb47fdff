"""Which words are the title, which the authors: chosen for all rows of a page together.

In: the rows of one list. Out: a `Choice` for each: the most likely pair of spans. First every row
by itself, by the looks of its spans; then again with how usual each layout is on this page.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.page.tree import Tree
from blickfang.records.publications.entries import Choice, Entry, keep_entries, make_entry
from blickfang.records.publications.looks import (
    AUTHOR_LOOKS,
    PAIR_LOOKS,
    TITLE_LOOKS,
    find_near_numbers,
    look_at_authors,
    look_at_pairs,
    look_at_title,
    share_words,
)
from blickfang.records.publications.row import Row, read_row
from blickfang.records.publications.spans import Authors, find_authors, find_titles
from blickfang.records.publications.style import (
    AUTHOR_STYLES,
    PAIR_STYLES,
    TITLE_STYLES,
    Labels,
    Style,
    add_pair,
    label_row,
    new_style,
    rate_row,
)

Floats = NDArray[np.float64]

WEIGHTS = Path(__file__).with_name("weights.json")
ALONE = (AUTHOR_LOOKS, TITLE_LOOKS, PAIR_LOOKS)
TOGETHER = (
    AUTHOR_LOOKS + AUTHOR_STYLES,
    TITLE_LOOKS + TITLE_STYLES,
    PAIR_LOOKS + PAIR_STYLES,
)
VOTERS = 80  # rows that are enough to know a page's style
VOTES = 6  # pairs of a row that have a say


class Weighed(NamedTuple):
    """Numbers for authors, titles and pairs: of the spans of a row, or weights of such numbers."""

    authors: Floats
    titles: Floats
    pairs: Floats


class Weights(NamedTuple):
    """What each number counts: alone, and together with the style of the page."""

    alone: Weighed
    together: Weighed


class Options(NamedTuple):
    """A row with all that may be chosen in it."""

    row: Row
    authors: list[Authors]
    titles: list[tuple[int, int]]
    looks: Weighed
    labels: Labels


@cache
def load_weights() -> Weights:
    """Return the weights that were trained."""
    found = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return Weights(_order(found["alone"], ALONE), _order(found["together"], TOGETHER))


def _order(found: dict[str, float], names: tuple[tuple[str, ...], ...]) -> Weighed:
    return Weighed(*(np.array([found[name] for name in group]) for group in names))


def list_options(rows: list[Row]) -> list[Options]:
    """Return what may be chosen in each row; rows without words are left out."""
    rows = [row for row in rows if row.words]
    shares, near = share_words(rows), find_near_numbers(rows)
    found = []
    for row in rows:
        authors, titles = find_authors(row), find_titles(row)
        if titles:
            looks = Weighed(
                np.array([look_at_authors(row, span, near) for span in authors]),
                np.array([look_at_title(row, *span, shares) for span in titles]),
                look_at_pairs(row, authors, titles),
            )
            labels = label_row(row, authors, titles, shares)
            found.append(Options(row, authors, titles, looks, labels))
    return found


def add_style(options: Options, style: Style) -> Weighed:
    """Return the looks of a row's spans together with how usual they are on the page."""
    authors, titles, pairs = rate_row(style, options.labels)
    looks = options.looks
    return Weighed(
        np.hstack([looks.authors, authors]),
        np.hstack([looks.titles, titles]),
        np.concatenate([looks.pairs, pairs], axis=2),
    )


def judge(looks: Weighed, weights: Weighed) -> Floats:
    """Return how likely each pair of a row is: authors x titles."""
    sums = looks.authors @ weights.authors
    scores = sums[:, None] + (looks.titles @ weights.titles)[None, :] + looks.pairs @ weights.pairs
    scores = np.where(np.isnan(scores), -np.inf, scores)
    likely: Floats = np.exp(scores - scores.max())
    likely /= likely.sum()
    return likely


def learn_style(options: list[Options], weights: Weighed) -> Style:
    """Return the style of a page: the layouts of what is likely by itself."""
    style = new_style()
    for row in options[:: max(1, len(options) // VOTERS)]:
        likely = judge(row.looks, weights)
        for best in np.argsort(-likely, axis=None)[:VOTES].tolist():
            a, t = divmod(best, len(row.titles))
            add_pair(style, row.labels, a, t, float(likely[a, t]))
    return style


def choose(options: list[Options], weights: Weights) -> list[Choice]:
    """Return the most likely pair of every row of a page."""
    style = learn_style(options, weights.alone)
    chosen = []
    for row in options:
        likely = judge(add_style(row, style), weights.together)
        a, t = divmod(int(np.argmax(likely)), len(row.titles))
        chosen.append(Choice(row.row, row.authors[a], row.titles[t], float(likely[a, t])))
    return chosen


def read_publications(
    tree: Tree, records: list[tuple[int, int]], weights: Weights | None = None
) -> list[Entry | None]:
    """Return the publication in each record, a range of nodes; None where there is none."""
    rows = [read_row(tree, start, end) for start, end in records]
    choices = choose(list_options(rows), weights or load_weights())
    kept = {id(choice.row): choice for choice in keep_entries(choices)}
    return [make_entry(kept[id(row)]) if id(row) in kept else None for row in rows]
