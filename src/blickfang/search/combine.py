"""Several rankings of the same samples become one.

In: of each way to search (text, visual, semantic) the rows it found. Out: one ranking. Each score
is brought to 0…1 by itself: a text's against the best one of the query, a cosine as it is, nothing
below 0. A row that one way did not look at is scored by it too, so that no row loses by being just
outside of a list. Three rules:

- Words that were asked for come first: what holds none of them is only related, and stands behind.
  (CLIP finds words in pictures; what it finds is not set apart.)
- With words the weighted mean of all ways decides. How good a sample is for the topic of its corpus
  (its `rank`) decides between samples that fit the query alike.
- By a picture alone its looks decide. What such pictures are about, and the rank, only add where
  looks say little: the more alike a picture, the less. So a changed copy is never lost behind them.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from blickfang.search.text import Mask, Ranked, Rows, Scores

PRIOR = 0.3  # of the score, given by the rank in the corpus
WEIGHTS = {"text": 1.0, "visual": 0.5, "clip": 1.0, "lsi": 0.25}
ABOUT = 0.5  # what LSI, and what the rank, adds to a picture that is like the query's in nothing
FADE = 4  # how quickly that fades with likeness
LEAST_SCORE = 0.005  # lower scores, shown as 0.00, have nothing to do with the query


class Way(NamedTuple):
    """One way to search: what it found, and its score for any rows."""

    found: Ranked
    rate: Callable[[Rows], Scores]  # 0 to 1


class Combined(NamedTuple):
    """The ranking, and what each way contributed."""

    rows: Rows
    scores: Scores
    related: Mask  # which ones hold none of the words that were asked for
    parts: dict[str, Scores]


def combine(ways: Mapping[str, Way], ranks: Scores | None, limit: int) -> Combined:
    """Return the best rows by all ways together; equal ones in the order of the rows.

    `ranks` are those of the corpus, 0 to 1, for all rows; None where they shall not count.
    """
    rows = np.unique(
        np.concatenate([np.empty(0, np.int64), *(w.found.rows for w in ways.values())])
    )
    parts = {name: np.clip(way.rate(rows), 0, 1) for name, way in ways.items()}
    ranked = None if ranks is None else ranks[rows]
    by_looks = set(parts) <= {"visual", "lsi"} and "visual" in parts
    scores = (_rate_looks if by_looks else _weigh)(parts, ranked, len(rows))
    related = np.zeros(len(rows), np.bool_)
    if "text" in parts and "clip" not in parts:
        related = parts["text"] == 0
    best = np.lexsort((-scores, related))
    best = best[scores[best] >= LEAST_SCORE][:limit]
    chosen = {name: part[best] for name, part in parts.items()}
    return Combined(rows[best], scores[best], related[best], chosen)


def _weigh(parts: Mapping[str, Scores], ranked: Scores | None, count: int) -> Scores:
    """Return the weighted mean of all ways; the rank in the corpus gives its part."""
    total = sum(WEIGHTS[name] for name in parts)
    scores = np.zeros(count, np.float32)
    for name, part in parts.items():
        scores += np.float32(WEIGHTS[name] / total) * part
    return scores if ranked is None else scores * (1 - PRIOR + PRIOR * ranked)


def _rate_looks(parts: Mapping[str, Scores], ranked: Scores | None, count: int) -> Scores:
    """Return how alike pictures look; what they are about counts where that is little."""
    looks = parts["visual"]
    about = parts.get("lsi", np.zeros(count, np.float32))
    about = about if ranked is None else about + ranked
    scores: Scores = looks + np.float32(ABOUT) * (1 - looks) ** FADE * about
    return scores
