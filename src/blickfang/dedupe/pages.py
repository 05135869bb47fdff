"""Near-duplicate texts among many: sketches propose, exact Jaccard decides.

In: the word hashes of texts. Out: every pair whose shingles have a Jaccard of at least the
threshold, as far as the sketches propose it; no pair that has not. Texts with equal shingles are
found first and stand for one another, so a million copies of a page cost no more than one.
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import filling
from blickfang.dedupe.bands import HOT, NEIGHBOURS, Rules, find_candidates
from blickfang.dedupe.copies import COPIES, expand, with_twins
from blickfang.dedupe.minhash import crossed_bands, sketch
from blickfang.dedupe.shingles import (
    SIZE,
    Floats,
    Places,
    Texts,
    gather,
    jaccards,
    shingle_all,
)
from blickfang.words import MULTIPLIER, Hashes, finish

THRESHOLD = 0.9


class NearDuplicates(NamedTuple):
    """Verified pairs of texts, the lower number first, in order."""

    pairs: Places  # rows of two
    jaccards: Floats
    candidates: int  # pairs that were compared
    hot_runs: int  # groups too large to compare everyone with everyone
    left_out: int  # pairs that were not compared for that reason, at most


def find_near_duplicates(
    words: Sequence[Hashes] | Texts,
    threshold: float = THRESHOLD,
    size: int = SIZE,
    *,
    copies: int = COPIES,
    threads: int | None = None,
) -> NearDuplicates:
    """Return the pairs of texts that share at least `threshold` of their shingles."""
    if not 0 < threshold <= 1:
        raise ValueError("the threshold is above 0 and at most 1")
    threads = threads or os.cpu_count() or 1
    texts = words if isinstance(words, Texts) else gather(words)
    sets = shingle_all(texts, size, threads)
    sizes = np.diff(sets.starts)
    group = group_equal(sets)
    leaders = np.flatnonzero((group == np.arange(len(group))) & (sizes > 0))
    rows = crossed_bands(sketch(Texts(texts.hashes, texts.starts), size)[leaders])
    rules = Rules(1, threshold, HOT, NEIGHBOURS)
    found = find_candidates(rows, sizes[leaders], rules)
    pairs = leaders[found.pairs]
    values = jaccards(sets, pairs, threshold, threads)
    pairs, values = pairs[values >= 0], values[values >= 0]
    pairs, values = _spread(pairs, values, np.where(sizes > 0, group, -1), copies)
    return NearDuplicates(pairs, values, len(found.pairs), found.hot_runs, found.left_out)


@filling
def digest_all(hashes: Hashes, starts: Places, out: Hashes) -> None:
    """Write down one hash for each set."""
    for t in range(len(out)):
        h = np.uint64(starts[t + 1] - starts[t])
        for i in range(starts[t], starts[t + 1]):
            h = (h ^ hashes[i]) * MULTIPLIER
        out[t] = finish(h)


@filling
def confirm_equal(hashes: Hashes, starts: Places, first: Places) -> None:
    """Let those stand for themselves whose set is not that of the one they were given."""
    for t in range(len(first)):
        f = first[t]
        same = starts[t + 1] - starts[t] == starts[f + 1] - starts[f]
        i = 0
        while same and i < starts[t + 1] - starts[t]:
            same = hashes[starts[t] + i] == hashes[starts[f] + i]
            i += 1
        if not same:
            first[t] = t


def group_equal(sets: Texts) -> Places:
    """Return for each set the first one that equals it."""
    digests = np.empty(len(sets.starts) - 1, np.uint64)
    digest_all(sets.hashes, sets.starts, digests)
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    group: Places = first[inverse].astype(np.int64)
    confirm_equal(sets.hashes, sets.starts, group)
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
