"""A sparse matrix of terms beside a dense one of visual features, and its largest factors.

In: weighted terms of rows and their visual vectors. Out: products with dense matrices, and the
right singular vectors of the whole (randomised: Halko, Martinsson, Tropp 2011, algorithm 4.4 with
two power iterations; the same seed gives the same factors).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling
from blickfang.search.vectors import Floats

SEED = 5
POWER_ITERATIONS = 2
OVERSAMPLING = 16
SMALLEST = 1e-9  # of the largest eigenvalue: below it there is only rounding


class Joint(NamedTuple):
    """Rows of terms and of visual features; row r has the terms starts[r] to starts[r + 1]."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: Floats
    known: int  # how many different terms there are
    looks: Floats


def times(joint: Joint, right: Floats) -> Floats:
    """Return the matrix times a dense one: first rows for the terms, then for the features."""
    out = np.zeros((len(joint.starts) - 1, right.shape[1]), np.float32)
    if joint.looks.shape[1]:
        out += joint.looks @ right[joint.known :]
    add_rows(joint.starts, joint.terms, joint.weights, right, out)
    return out


def transposed_times(joint: Joint, right: Floats) -> Floats:
    """Return the transposed matrix times a dense one."""
    out = np.zeros((joint.known + joint.looks.shape[1], right.shape[1]), np.float32)
    out[joint.known :] = joint.looks.T @ right
    add_columns(joint.starts, joint.terms, joint.weights, right, out)
    return out


@filling
def add_rows(
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: Floats,
    right: Floats,
    out: Floats,
) -> None:
    """Add to each row of `out` the rows of `right` that its terms name."""
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            weight, term = weights[at], terms[at]
            for k in range(right.shape[1]):
                out[row, k] += weight * right[term, k]


@filling
def add_columns(
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: Floats,
    right: Floats,
    out: Floats,
) -> None:
    """Add each row of `right` to the rows of `out` that its terms name."""
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            weight, term = weights[at], terms[at]
            for k in range(right.shape[1]):
                out[term, k] += weight * right[row, k]


def find_factors(joint: Joint, count: int) -> Floats:
    """Return the first right singular vectors as columns; fewer where the matrix has no more."""
    rows, columns = len(joint.starts) - 1, joint.known + joint.looks.shape[1]
    width = min(count + OVERSAMPLING, rows, columns)
    if not width:
        return np.zeros((columns, 0), np.float32)
    random = np.random.default_rng(SEED)
    basis = random.standard_normal((columns, width), np.float32)
    for _ in range(POWER_ITERATIONS):
        basis = _orthonormal(transposed_times(joint, _orthonormal(times(joint, basis))))
    small = transposed_times(joint, _orthonormal(times(joint, basis)))
    values, vectors = np.linalg.eigh(small.T.astype(np.float64) @ small)
    order = np.argsort(-values, kind="stable")[: min(count, width)]
    order = order[values[order] > values.max(initial=0.0) * SMALLEST]
    factors: Floats = (small @ vectors[:, order] / np.sqrt(values[order])).astype(np.float32)
    return factors


def _orthonormal(matrix: Floats) -> Floats:
    """Return an orthonormal basis of the columns: through their products, five times as fast."""
    values, vectors = np.linalg.eigh((matrix.T @ matrix).astype(np.float64))
    kept = values > values.max(initial=0.0) * SMALLEST
    basis: Floats = matrix @ (vectors[:, kept] / np.sqrt(values[kept])).astype(np.float32)
    return basis
