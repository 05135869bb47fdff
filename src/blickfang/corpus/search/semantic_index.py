"""Latent semantic indexing of texts and looks together: what goes together is near together.

In: the weighted terms of samples and their visual vectors. Out: a small space in which words,
pictures and samples have places. Words that stand beside the same words, or beside pictures that
look alike, come near each other; so a word finds pictures that nobody described with it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling
from blickfang.corpus.search.nearest_vectors import Floats, unit
from blickfang.corpus.search.search_options import FACTORS, VOCABULARY

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


LOOKS = 0.7  # length of the visual part of a sample, where its text has 1
STRONG = 8  # terms kept of each sample, for "more like this"
SAMPLES_EACH = (
    12  # a factor needs so many: in a small corpus more of them only learn single samples
)
LEAST_FACTORS = 8
LEARN_ROWS = 200_000  # at most so many samples decide on the space; the others are put into it


class Space(NamedTuple):
    """What is needed to give a query its place."""

    idf: Floats  # of each term that is known
    factors: Floats  # terms first, then visual features


class WeightedTerms(NamedTuple):
    """The weighted terms of all samples."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.int32]


def choose_terms(counted: WeightedTerms, total: int) -> NDArray[np.int32]:
    """Return the terms that take part, in rising order: not in one sample alone, most frequent."""
    df = np.bincount(counted.terms, minlength=total)
    often = np.flatnonzero(df > 1)
    most = often[np.argsort(-df[often], kind="stable")[:VOCABULARY]]
    return np.sort(most).astype(np.int32)


def weigh_terms(
    counted: WeightedTerms, chosen: NDArray[np.int32], total: int
) -> tuple[Joint, Floats]:
    """Return the matrix of tf–idf weights, rows of unit length, and the idf of each chosen term."""
    places = np.full(total, -1, np.int32)
    places[chosen] = np.arange(len(chosen), dtype=np.int32)
    rows = len(counted.starts) - 1
    terms = places[counted.terms]
    kept = terms >= 0
    row_of = np.repeat(np.arange(rows), np.diff(counted.starts))[kept]
    terms = terms[kept]
    df = np.bincount(terms, minlength=len(chosen))
    idf = np.log((rows + 1) / np.maximum(df, 1)).astype(np.float32)
    weights = np.log1p(counted.weights[kept]).astype(np.float32) * idf[terms]
    lengths = np.sqrt(np.bincount(row_of, weights.astype(np.float64) ** 2, minlength=rows))
    weights /= np.where(lengths > 0, lengths, 1)[row_of].astype(np.float32)
    starts = np.concatenate(([0], np.cumsum(np.bincount(row_of, minlength=rows))))
    return Joint(starts, terms, weights, len(chosen), np.empty((rows, 0), np.float32)), idf


def learn_space(joint: Joint, idf: Floats, looks: Floats) -> tuple[Space, Floats]:
    """Return the space and the places of all samples in it."""
    whole = joint._replace(looks=LOOKS * looks)
    count = min(FACTORS, max(LEAST_FACTORS, len(looks) // SAMPLES_EACH))
    space = Space(idf, find_factors(_thin_out(whole), count))
    return space, unit(times(whole, space.factors))


def _thin_out(joint: Joint) -> Joint:
    """Return evenly chosen rows where there are too many."""
    rows = len(joint.starts) - 1
    if rows <= LEARN_ROWS:
        return joint
    chosen = np.linspace(0, rows - 1, LEARN_ROWS).astype(np.int64)
    lengths = joint.starts[chosen + 1] - joint.starts[chosen]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    at = np.arange(starts[-1]) + np.repeat(joint.starts[chosen] - starts[:-1], lengths)
    return Joint(starts, joint.terms[at], joint.weights[at], joint.known, joint.looks[chosen])


def find_strongest(joint: Joint) -> NDArray[np.int32]:
    """Return the heaviest terms of each row, -1 where it has fewer."""
    rows = len(joint.starts) - 1
    row_of = np.repeat(np.arange(rows), np.diff(joint.starts))
    order = np.lexsort((joint.terms, -joint.weights, row_of))
    place = np.arange(len(order)) - joint.starts[row_of]
    strongest = np.full((rows, STRONG), -1, np.int32)
    few = place < STRONG
    strongest[row_of[few], place[few]] = joint.terms[order][few]
    return strongest


def fold_in(space: Space, terms: list[int], looks: Floats | None) -> Floats:
    """Return the place of a query: of words, of a picture's visual vector, or of both."""
    place = np.zeros(space.factors.shape[1], np.float32)
    known = len(space.idf)
    if terms:
        weights = unit(space.idf[terms])
        place += weights @ space.factors[terms]
    if looks is not None and len(space.factors) > known:
        place += LOOKS * looks @ space.factors[known:]
    return unit(place)


def write_space(folder: Path, space: Space) -> None:
    """Write a space into a folder."""
    np.save(folder / "idf.npy", space.idf)
    np.save(folder / "factors.npy", space.factors)


def open_space(folder: Path) -> Space:
    """Read a space from a folder."""
    factors = np.load(folder / "factors.npy", mmap_mode="r", allow_pickle=False)
    return Space(np.load(folder / "idf.npy", allow_pickle=False), factors)
