"""Several rankings of the same samples become one.

In: of each way to search (text, visual, semantic) the rows it found. Out: one ranking. Each score
is brought to 0…1 by itself: a text's against the best one of the query, a cosine as it is, nothing
below 0. Their weighted mean decides, and a row that one way did not look at is scored by it too, so
that no row loses by being just outside of a list. The picture itself, where one is all that is
asked by, comes first. How good a sample is for the topic of its corpus (its `rank`) decides between
samples that fit the query alike.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from blickfang.search.text import Ranked, Rows, Scores

PRIOR = 0.3  # of the score, given by the rank in the corpus
WEIGHTS = {"text": 1.0, "visual": 1.0, "clip": 1.0, "lsi": 0.5}
LEAST = 0.005  # lower scores, shown as 0.00, have nothing to do with the query
SAME = 0.99  # how alike two forms of one picture look, or more
WITH_PICTURE = {"lsi": 4.0}  # then it has seen words and looks together; docs/design.md


class Way(NamedTuple):
    """One way to search: what it found, and its score for any rows."""

    found: Ranked
    rate: Callable[[Rows], Scores]  # 0 to 1


class Combined(NamedTuple):
    """The ranking, and what each way contributed."""

    rows: Rows
    scores: Scores
    parts: dict[str, Scores]


def combine(ways: Mapping[str, Way], ranks: Scores | None, limit: int) -> Combined:
    """Return the best rows by all ways together; equal ones in the order of the rows.

    `ranks` are those of the corpus, 0 to 1, for all rows; None where they shall not count.
    """
    rows = np.unique(
        np.concatenate([np.empty(0, np.int64), *(w.found.rows for w in ways.values())])
    )
    parts = {name: np.clip(way.rate(rows), 0, 1) for name, way in ways.items()}
    weights = WEIGHTS | (WITH_PICTURE if "visual" in ways else {})
    total = sum(weights[name] for name in ways)
    scores = np.zeros(len(rows), np.float32)
    for name, part in parts.items():
        scores += np.float32(weights[name] / total) * part
    if ranks is not None:
        scores *= 1 - PRIOR + PRIOR * ranks[rows]
    if "visual" in parts and "text" not in parts:  # who shows a picture that is there looks for it
        scores = np.maximum(scores, np.where(parts["visual"] >= SAME, parts["visual"], 0))
    best = np.argsort(-scores, kind="stable")
    best = best[scores[best] >= LEAST][:limit]
    return Combined(rows[best], scores[best], {name: part[best] for name, part in parts.items()})
