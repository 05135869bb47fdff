"""Which words are the title, which the authors: chosen for all rows of a page together.

In: the rows of one list. Out: a `Choice` for each: the most likely pair of spans. First some rows
by themselves, by the looks of their spans; then all with how usual each layout is on this page.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blickfang.html.parse.tree import Tree
from blickfang.records.publications.field_looks import (
    AUTHOR_LOOKS,
    MAX_TITLES,
    PAIR_LOOKS,
    TITLE_LOOKS,
    find_candidates,
    find_near_numbers,
    make_candidates,
    mark_titled,
)
from blickfang.records.publications.judge_fields import (
    Usual,
    choose_pairs,
    join_ratings,
    know_nothing,
    make_scores,
)
from blickfang.records.publications.list_style import (
    AUTHOR_STYLES,
    NOTHING,
    PAIR_STYLES,
    TITLE_STYLES,
    Style,
    add_pair,
    label,
    look_up,
    new_style,
    rate,
)
from blickfang.records.publications.name_spans import NO_AUTHORS, Authors, code_shape, split_items
from blickfang.records.publications.publication_entry import (
    ChosenFields,
    ListedPublication,
    keep_entries,
    make_entry,
)
from blickfang.records.publications.record_row import RecordRow, RowReader, read_rows
from blickfang.records.publications.row_arrays import Flat, Floats, Ints, flatten, make_room

WEIGHTS = Path(__file__).with_name("weights.json")
ALONE = (AUTHOR_LOOKS, TITLE_LOOKS, PAIR_LOOKS)
TOGETHER = (
    AUTHOR_LOOKS + AUTHOR_STYLES,
    TITLE_LOOKS + TITLE_STYLES,
    PAIR_LOOKS + PAIR_STYLES,
)
VOTERS = 80  # rows that are enough to know a page's style
VOTES = 6  # pairs of a row that have a say
BATCH = 256  # rows whose candidates are in memory at once


class Weighed(NamedTuple):
    """Numbers for authors, titles and pairs: of the spans of a row, or weights of such numbers."""

    authors: Floats
    titles: Floats
    pairs: Floats


class FieldWeights(NamedTuple):
    """What each number counts: alone, and together with the style of the page."""

    alone: Weighed
    together: Weighed


class RowChoices(NamedTuple):
    """A row with all that may be chosen in it."""

    row: RecordRow
    authors: list[Authors]
    titles: list[tuple[int, int]]
    looks: Weighed
    labels: Ints  # authors x titles x styles


class ListRows(NamedTuple):
    """The rows of a list in which something may be chosen, and their arrays."""

    rows: list[RecordRow]
    flat: Flat
    titled: Ints  # numbers of rows


@cache
def load_weights() -> FieldWeights:
    """Return the weights that were trained."""
    return read_weights(WEIGHTS.read_text(encoding="utf-8"))


def read_weights(text: str) -> FieldWeights:
    """Return the weights of a file."""
    found = json.loads(text)
    return FieldWeights(_order(found["alone"], ALONE), _order(found["together"], TOGETHER))


def _order(found: dict[str, float], names: tuple[tuple[str, ...], ...]) -> Weighed:
    return Weighed(*(np.array([found[name] for name in group]) for group in names))


def list_rows(rows: list[RecordRow], reader: RowReader) -> ListRows:
    """Return the arrays of rows; those without words are left out."""
    rows = [row for row in rows if row.words]
    if not rows:
        return ListRows([], None, np.zeros(0, np.int64))  # type: ignore[arg-type]
    flat = flatten(rows, reader.gaps, reader.words)
    find_near_numbers(flat, flat.near, np.zeros(len(flat.near)))
    titled = np.zeros(len(rows), np.bool_)
    mark_titled(flat, make_room(1), titled)
    return ListRows(rows, flat, titled.nonzero()[0])


def list_options(listed: ListRows) -> list[RowChoices]:
    """Return what may be chosen in each row of a list, for training."""
    flat, titled, found = listed.flat, listed.titled, make_candidates(len(listed.titled))
    if len(titled):
        find_candidates(flat, titled, make_room(MAX_TITLES), found)
    options = []
    for k, number in enumerate(titled.tolist()):
        row, begin = listed.rows[number], flat.begin[number]
        a, t = found.author_count[k], found.title_count[k]
        first, second = found.authors[k, :a], found.titles[k, :t]
        looks = look_at_pairs(row, first - begin, second - begin)
        pairs = np.empty((a, t, 5), np.int64)
        pairs[..., :2], pairs[..., 2:4] = first[:, None], second[None]
        pairs[..., 4] = found.shape[k, :a, None]
        labels = label(flat, np.full(a * t, begin), pairs.reshape(-1, 5)).reshape(a, t, -1)
        authors = [cut_authors(row, *span) for span in (first - begin).tolist()]
        titles = [(one, two) for one, two in (second - begin).tolist()]
        weighed = Weighed(found.author_looks[k, :a], found.title_looks[k, :t], looks)
        options.append(RowChoices(row, authors, titles, weighed, labels))
    return options


def cut_authors(row: RecordRow, first: int, stop: int) -> Authors:
    """Return a list of authors with its entries."""
    return Authors(first, stop, split_items(row, first, stop)) if stop else NO_AUTHORS


def look_at_pairs(row: RecordRow, authors: Ints, titles: Ints) -> Floats:
    """Return the numbers of all pairs: authors x titles x looks; NaN where the two overlap."""
    a, t = authors[:, None, :], titles[None, :, :]
    none = a[..., 1] == 0
    title_first = t[..., 1] <= a[..., 0]
    begin = np.where(title_first, t[..., 1], a[..., 1])
    end = np.where(title_first, a[..., 0], t[..., 0])
    telling = np.cumsum([0] + [kind not in "YDJW" for kind in row.kinds])
    words = np.where(end > begin, telling[np.maximum(end, 0)] - telling[begin], 0)
    before = np.minimum(np.where(none, t[..., 0], np.minimum(t[..., 0], a[..., 0])), 10) / 10
    looks = np.stack(
        [
            (words == 0) & ~none,
            before,
            np.where(none, 0, np.log1p(np.maximum(words, 0))),
            title_first & ~none,
        ],
        axis=-1,
    ).astype(float)
    overlap = ~none & (t[..., 0] < a[..., 1]) & (a[..., 0] < t[..., 1])
    looks[overlap] = np.nan
    return looks


def add_style(options: RowChoices, style: Style) -> Weighed:
    """Return the looks of a row's spans together with how usual they are on the page."""
    looks, t, a = options.looks, len(TITLE_STYLES), len(TITLE_STYLES) + len(AUTHOR_STYLES)
    usual = [look_up(rating, options.labels[..., k]) for k, rating in enumerate(rate(style))]
    return Weighed(
        np.hstack([looks.authors, *(each[:, :1] for each in usual[t:a])]),
        np.hstack([looks.titles, *(each[0][:, None] for each in usual[:t])]),
        np.concatenate([looks.pairs, usual[a][..., None]], axis=2),
    )


def judge(looks: Weighed, weights: Weighed) -> Floats:
    """Return how likely each pair of a row is: authors x titles."""
    sums = looks.authors @ weights.authors
    scores = sums[:, None] + (looks.titles @ weights.titles)[None, :] + looks.pairs @ weights.pairs
    scores = np.where(np.isnan(scores), -np.inf, scores)
    likely: Floats = np.exp(scores - scores.max())
    likely /= likely.sum()
    return likely


def learn_style(listed: ListRows, alone: Weighed, together: Weighed | None = None) -> Style:
    """Return the style of a page: the layouts of what is likely, in some of its rows.

    First of what is likely by itself; then of what is likely in that style, which makes it plainer.
    """
    nothing = Weighed(  # how usual a layout is counts nothing yet
        np.append(alone.authors, np.zeros(len(AUTHOR_STYLES))),
        np.append(alone.titles, np.zeros(len(TITLE_STYLES))),
        np.append(alone.pairs, np.zeros(len(PAIR_STYLES))),
    )
    style = count_layouts(listed, nothing, know_nothing())
    if together is None:
        return style
    return count_layouts(listed, together, join_ratings(rate(style)))


def count_layouts(listed: ListRows, weights: Weighed, usual: Usual) -> Style:
    """Return how often each layout is likely in some rows of a page."""
    voters = listed.titled[:: max(1, len(listed.titled) // VOTERS)]
    style, room, found = new_style(), make_room(MAX_TITLES), make_candidates(len(voters))
    scores = make_scores(weights, VOTES)
    spans, likely = np.zeros((len(voters), VOTES, 5), np.int64), np.zeros((len(voters), VOTES))
    find_candidates(listed.flat, voters, room, found)
    choose_pairs(listed.flat, voters, found, usual, scores, room, spans, likely)
    begin = np.repeat(listed.flat.begin[voters], VOTES)
    labels = label(listed.flat, begin, spans.reshape(-1, 5)).tolist()
    first = (spans[..., :2] - listed.flat.begin[voters][:, None, None]).reshape(-1, 2).tolist()
    shapes: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for k, sure in enumerate(likely.ravel().tolist()):
        if sure > 0:
            number, span = int(voters[k // VOTES]), first[k]
            key = number, span[0], span[1]
            if key not in shapes:
                items = cut_authors(listed.rows[number], *span).items
                shapes[key] = tuple(code_shape(item.shape) for item in items) or (NOTHING,)
            add_pair(style, labels[k], shapes[key], sure)
    return style


def choose(listed: ListRows, weights: FieldWeights) -> list[ChosenFields]:
    """Return the most likely pair of every row of a page."""
    flat, titled = listed.flat, listed.titled
    if not len(titled):
        return []
    usual = join_ratings(rate(learn_style(listed, *weights)))
    room, found = make_room(MAX_TITLES), make_candidates(min(BATCH, len(titled)))
    scores = make_scores(weights.together, 1)
    spans, likely = np.zeros((len(titled), 1, 5), np.int64), np.zeros((len(titled), 1))
    for start in range(0, len(titled), BATCH):
        part = slice(start, start + BATCH)
        find_candidates(flat, titled[part], room, found)
        choose_pairs(flat, titled[part], found, usual, scores, room, spans[part], likely[part])
    places = (spans[:, 0, :4] - flat.begin[titled][:, None]).tolist()
    chosen = []
    for number, span, sure in zip(titled.tolist(), places, likely[:, 0].tolist(), strict=True):
        row = listed.rows[number]
        chosen.append(ChosenFields(row, cut_authors(row, *span[:2]), (span[2], span[3]), sure))
    return chosen


def read_publications(
    tree: Tree, records: list[tuple[int, int]], weights: FieldWeights | None = None
) -> list[ListedPublication | None]:
    """Return the publication in each record, a range of nodes; None where there is none."""
    rows, reader = read_rows(tree, records)
    listed = list_rows(rows, reader)
    choices = choose(listed, weights or load_weights())
    kept = {id(choice.row): choice for choice in keep_entries(choices)}
    return [make_entry(kept[id(row)]) if id(row) in kept else None for row in rows]
