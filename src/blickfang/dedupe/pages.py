"""Near-duplicate texts among many: sketches propose, exact Jaccard decides.

In: the word hashes of texts. Out: the pairs whose shingles have a Jaccard of at least the
threshold, as far as the sketches propose them (banding.py: 99 of 100 at the threshold, nearly all
above it); no pair that has not. Texts with the same words are found first and stand for one
another, so a million copies of a page cost no more than one. Texts without words are not compared.
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import filling
from blickfang.dedupe.banding import add_bands, choose_bands, least_equal
from blickfang.dedupe.bands import SKETCH, Candidates, Rules, find_candidates
from blickfang.dedupe.copies import COPIES, expand, with_twins
from blickfang.dedupe.minhash import sketch_and_digest
from blickfang.dedupe.shingles import SIZE, Floats, Halves, Kept, Places, Texts, gather
from blickfang.dedupe.sketching import Sketched
from blickfang.dedupe.verifying import measure_pairs
from blickfang.words import Hashes

THRESHOLD = 0.9


class NearDuplicates(NamedTuple):
    """Verified pairs of texts, the lower number first, in order."""

    pairs: Places  # rows of two
    jaccards: Floats
    candidates: int  # pairs that were compared; texts with the same words count as one here
    hot_runs: int  # groups too large to compare everyone with everyone
    left_out: int  # pairs that were not compared for that reason, at most


def find_near_duplicates(
    words: Sequence[Hashes] | Texts | Sketched,
    threshold: float = THRESHOLD,
    size: int = SIZE,
    *,
    copies: int = COPIES,
    threads: int | None = None,
    verify: bool = True,
) -> NearDuplicates:
    """Return the pairs of texts that share at least `threshold` of their shingles.

    Unless they are to be verified, those whose sketches say so; how much they share is NaN then.
    """
    threads = threads or os.cpu_count() or 1
    texts, rows, digests = words if isinstance(words, Sketched) else _sketch(words, size, threads)
    group = group_equal(texts, digests)
    leaders = np.flatnonzero((group == np.arange(len(group))) & (np.diff(texts.starts) > 0))
    found = propose_pairs(rows[leaders], threshold)
    near = leaders[found.pairs]
    values = np.full(len(near), np.nan)
    if verify:
        values = measure_pairs(texts, near, threshold, size, threads)
        near, values = near[values >= 0], values[values >= 0]
    pairs, values = _spread(near, values, np.where(np.diff(texts.starts) > 0, group, -1), copies)
    return NearDuplicates(pairs, values, len(found.pairs), found.hot_runs, found.left_out)


def _sketch(words: Sequence[Hashes] | Texts, size: int, threads: int) -> Sketched:
    texts = words if isinstance(words, Texts) else gather(words)
    return Sketched(texts, *sketch_and_digest(texts, size, threads))


def propose_pairs(sketches: Hashes, threshold: float) -> Candidates:
    """Return the pairs of sketches that agree in a band, and as much as the threshold asks for."""
    bands = choose_bands(threshold)
    own = SKETCH if bands.shape[1] == SKETCH else 0  # the numbers of a sketch are bands themselves
    rows = add_bands(sketches, bands[own:])
    return find_candidates(rows, Rules(1, least_equal(threshold), first=SKETCH - own))


@filling
def confirm_equal(hashes: Hashes | Halves, starts: Places, first: Places) -> None:
    """Let those stand for themselves whose words are not those of the one they were given."""
    for t in range(len(first)):
        f = first[t]
        same = starts[t + 1] - starts[t] == starts[f + 1] - starts[f]
        i = 0
        while t != f and same and i < starts[t + 1] - starts[t]:
            same = hashes[starts[t] + i] == hashes[starts[f] + i]
            i += 1
        if not same:
            first[t] = t


def group_equal(texts: Texts | Kept, digests: Hashes) -> Places:
    """Return for each text the first one that has the same words, and so the same digest."""
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    group: Places = first[inverse].astype(np.int64)
    confirm_equal(texts.hashes, texts.starts, group)
    return group


def _spread(
    pairs: Places, values: Floats, group: Places, copies: int
) -> tuple[NDArray[np.int64], Floats]:
    """Return the pairs of all texts for pairs of those that stand for them, and equal texts."""
    order = np.argsort(group, kind="stable")
    order = order[np.searchsorted(group[order], 0) :]  # -1: left aside
    leaders, starts = np.unique(group[order], return_index=True)
    starts = np.append(starts, len(order)).astype(np.int64)
    groups = with_twins(np.searchsorted(leaders, pairs), starts)
    values = np.concatenate([values, np.ones(len(groups) - len(values))])
    out, which = expand(groups, order, starts, copies, ordered=True)
    return out, values[which]
