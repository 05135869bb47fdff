"""Latent semantic indexing of texts and looks together: what goes together is near together.

In: the weighted terms of samples and their visual vectors. Out: a small space in which words,
pictures and samples have places. Words that stand beside the same words, or beside pictures that
look alike, come near each other; so a word finds pictures that nobody described with it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.search.options import FACTORS, VOCABULARY
from blickfang.search.sparse import Joint, find_factors, times
from blickfang.search.vectors import Floats, unit

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
