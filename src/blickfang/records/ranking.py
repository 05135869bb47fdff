"""Which region is the list? Regions in the order in which a person would name them.

In: the measures of the regions of a page. Out: their order, and how sure each place is. A weighted
sum of measures; the weights were trained so that the right region comes first
(`training/records.py`).
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blickfang.records.measures import MEASURES

Floats = NDArray[np.float64]

WEIGHTS = Path(__file__).with_name("ranking.json")


@cache
def load_weights() -> Floats:
    """Return the weights of the measures."""
    return read_weights(WEIGHTS.read_text(encoding="utf-8"))


def read_weights(text: str) -> Floats:
    """Return the weights of a file."""
    found = json.loads(text)
    return np.array([found.get(name, 0.0) for name in MEASURES])


def rank_regions(measures: Floats, weights: Floats | None = None) -> tuple[list[int], Floats]:
    """Return the numbers of the regions, best first, and for all regions how likely each is."""
    if not len(measures):
        return [], np.zeros(0)
    scores = measures @ (load_weights() if weights is None else weights)
    likely: Floats = np.exp(scores - scores.max())
    return np.argsort(-scores, kind="stable").tolist(), likely / likely.sum()
