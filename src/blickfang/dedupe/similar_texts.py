"""Near-duplicate texts among many: sketches propose, exact Jaccard decides.

In: the word hashes of texts. Out: the pairs whose shingles have a Jaccard of at least the
threshold, as far as the sketches propose them (banding.py: 99 of 100 at the threshold, nearly all
above it); no pair that has not. Texts with the same words are found first and stand for one
another, so a million copies of a page cost no more than one. Texts without words are not compared.
What proposes pairs may be something else than sketches: SimHashes, or the study's super-shingles.
"""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling
from blickfang.dedupe.banding import add_bands, choose_bands, least_equal
from blickfang.dedupe.bands import SKETCH, BandPairs, BandRules, find_candidates
from blickfang.dedupe.equal_items import COPIES, MOST_PAIRS, expand, fit_copies, with_twins
from blickfang.dedupe.minhash import sketch_and_digest
from blickfang.dedupe.shingles import SIZE, Floats, Halves, HashedTexts, KeptWords, Places, gather
from blickfang.dedupe.sketch import Sketched
from blickfang.dedupe.verify import measure_pairs
from blickfang.text.words import MULTIPLIER, Hashes, finish

THRESHOLD = 0.9

Propose = Callable[[Places], BandPairs]  # of texts, which differ: pairs of places among them


class Deciding(NamedTuple):
    """What counts as a near-duplicate, and what looking for them may take."""

    threshold: float = THRESHOLD
    size: int = SIZE
    verify: bool = True
    copies: int = COPIES  # beyond so many equal texts each is listed with the first only
    most: int = MOST_PAIRS
    threads: int = 1


class NearDuplicates(NamedTuple):
    """Verified pairs of texts, the lower number first, in order."""

    pairs: Places  # rows of two
    jaccards: Floats
    candidates: int  # pairs that were compared; texts with the same words count as one here
    hot_runs: int  # groups too large to compare everyone with everyone
    left_out: int  # pairs that were not compared for that reason, at most


def find_near_duplicates(
    words: Sequence[Hashes] | HashedTexts | Sketched,
    threshold: float = THRESHOLD,
    size: int = SIZE,
    *,
    copies: int = COPIES,
    most: int = MOST_PAIRS,
    threads: int | None = None,
    verify: bool = True,
) -> NearDuplicates:
    """Return the pairs of texts that share at least `threshold` of their shingles.

    Unless they are to be verified, those whose sketches say so; how much they share is NaN then.
    """
    threads = threads or os.cpu_count() or 1
    texts, rows, digests = words if isinstance(words, Sketched) else _sketch(words, size, threads)
    how = Deciding(threshold, size, verify, copies, most, threads)
    return decide_pairs(
        texts, digests, lambda some: propose_pairs(rows[some], threshold, most), how
    )


def decide_pairs(
    texts: HashedTexts | KeptWords, digests: Hashes, propose: Propose, how: Deciding
) -> NearDuplicates:
    """Return the near-duplicates among texts that something proposes, and all equal texts."""
    group = group_equal(texts, digests)
    present = np.diff(texts.starts) > 0
    leaders = np.flatnonzero((group == np.arange(len(group))) & present)
    found = propose(leaders)
    near = leaders[found.pairs]
    values = np.full(len(near), np.nan)
    if how.verify:
        values = measure_pairs(texts, near, how.threshold, how.size, how.threads)
        near, values = near[values >= 0], values[values >= 0]
    pairs, values, crowded = _spread(near, values, np.where(present, group, -1), how)
    left_out = found.left_out + crowded
    return NearDuplicates(pairs, values, len(found.pairs), found.hot_runs, left_out)


def _sketch(words: Sequence[Hashes] | HashedTexts, size: int, threads: int) -> Sketched:
    texts = words if isinstance(words, HashedTexts) else gather(words)
    return Sketched(texts, *sketch_and_digest(texts, size, threads))


def propose_pairs(sketches: Hashes, threshold: float, most: int = MOST_PAIRS) -> BandPairs:
    """Return the pairs of sketches that agree in a band, and as much as the threshold asks for."""
    bands = choose_bands(threshold)
    own = SKETCH if bands.shape[1] == SKETCH else 0  # the numbers of a sketch are bands themselves
    rows = add_bands(sketches, bands[own:])
    return find_candidates(rows, BandRules(1, least_equal(threshold), first=SKETCH - own), most)


@filling
def confirm_equal(hashes: Hashes | Halves, starts: Places, which: Places, first: Places) -> None:
    """Let those texts stand for themselves whose words are not those of the one they were given."""
    for place in range(len(which)):
        t, f = which[place], first[place]
        same = starts[t + 1] - starts[t] == starts[f + 1] - starts[f]
        i = 0
        while t != f and same and i < starts[t + 1] - starts[t]:
            same = hashes[starts[t] + i] == hashes[starts[f] + i]
            i += 1
        if not same:
            first[place] = t


@filling
def digest_in_order(hashes: Hashes | Halves, starts: Places, which: Places, out: Hashes) -> None:
    """Write down a number for each text that is another one for the same words in another order."""
    for place in range(len(which)):
        h = np.uint64(0)
        for i in range(starts[which[place]], starts[which[place] + 1]):
            h = (h ^ np.uint64(hashes[i])) * MULTIPLIER
        out[place] = finish(h)


def digest_words(texts: HashedTexts | KeptWords, which: Places | None = None) -> Hashes:
    """Return a number for each text, or for some, that equal texts share and hardly any others."""
    which = np.arange(len(texts.starts) - 1) if which is None else which
    out = np.empty(len(which), np.uint64)
    digest_in_order(texts.hashes, texts.starts, which, out)
    return out


def group_equal(texts: HashedTexts | KeptWords, digests: Hashes) -> Places:
    """Return for each text the first one that has the same words, and so the same digest."""
    every: Places = np.arange(len(digests), dtype=np.int64)
    given = _first_with(digests, every)
    group = given.copy()
    confirm_equal(texts.hashes, texts.starts, every, group)
    # Texts with the same shingles in another order have the digest of one that they are not.
    apart = np.flatnonzero(group != given)
    again = _first_with(digest_words(texts, apart), apart)
    confirm_equal(texts.hashes, texts.starts, apart, again)
    group[apart] = again
    return group


def _first_with(digests: Hashes, which: Places) -> Places:
    """Return for each text the first of them that has its digest."""
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    return which[first[inverse]]


def _spread(
    pairs: Places, values: Floats, group: Places, how: Deciding
) -> tuple[NDArray[np.int64], Floats, int]:
    """Return the pairs of all texts for pairs of those that stand for them, and equal texts.

    And how many pairs there is no room for.
    """
    order = np.argsort(group, kind="stable")
    order = order[np.searchsorted(group[order], 0) :]  # -1: left aside
    leaders, starts = np.unique(group[order], return_index=True)
    starts = np.append(starts, len(order)).astype(np.int64)
    groups = with_twins(np.searchsorted(leaders, pairs), starts)
    values = np.concatenate([values, np.ones(len(groups) - len(values))])
    copies, left_out = fit_copies(groups, starts, how.copies, how.most)
    out, which = expand(groups, order, starts, copies, ordered=True)
    return out, values[which], left_out
