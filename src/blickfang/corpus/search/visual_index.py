"""How pictures look, made comparable: every feature counts by how it varies in this corpus.

In: the `looks` of samples (colours, edges, texture; `page.picture`) or of a query's picture. Out:
vectors whose cosine says how alike two pictures are: features less their mean, over their
deviation. A picture without features becomes zero, which is like nothing.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blickfang.corpus.search.nearest_vectors import Floats, unit
from blickfang.errors import InputError

FLOOR = 0.25  # of the mean deviation: a feature that hardly varies must not shout


class Measure(NamedTuple):
    """The mean of each feature and how much a difference in it counts."""

    mean: Floats
    scale: Floats


def read_looks(column: Any) -> Floats:
    """Return the features of an Arrow column, a row each; zero where there are none."""
    rows = column.to_pylist()
    width = next((len(row) for row in rows if row), 0)
    looks = np.zeros((len(rows), width), np.float32)
    for at, row in enumerate(rows):
        if row and len(row) == width:
            looks[at] = row
    return looks


def learn_measure(looks: Floats) -> Measure:
    """Return how features are compared in a corpus."""
    there = looks[looks.any(axis=1)]
    if not len(there):
        return Measure(np.zeros(looks.shape[1], np.float32), np.ones(looks.shape[1], np.float32))
    deviation = there.std(axis=0, dtype=np.float64)
    floor = FLOOR * deviation.mean() or 1.0
    mean = there.mean(axis=0, dtype=np.float64)
    scale = 1 / np.maximum(deviation, floor)
    return Measure(mean.astype(np.float32), scale.astype(np.float32))


def compare_by(measure: Measure, looks: Floats) -> Floats:
    """Return features as vectors of unit length that can be compared."""
    there = looks.any(axis=-1, keepdims=True)
    return unit(np.where(there, (looks - measure.mean) * measure.scale, 0).astype(np.float32))


def compare_one(measure: Measure, looks: Floats) -> Floats:
    """Return the vector of a query's picture."""
    if looks.shape != measure.mean.shape:
        raise InputError(
            f"the index knows {len(measure.mean)} visual features, the picture has {looks.size}; "
            "build corpus and index anew with this version"
        )
    return compare_by(measure, looks.astype(np.float32))


def write_measure(path: Path, measure: Measure) -> None:
    """Write how features are compared."""
    np.save(path, np.stack(measure))


def open_measure(path: Path) -> Measure:
    """Read how features are compared."""
    mean, scale = np.load(path, allow_pickle=False)
    return Measure(mean, scale)
