"""MinHash: short rows of hashes that agree as often as the sets of shingles do.

In: word hashes. Out: for each text

- a sketch, 64 bytes: one-permutation MinHash. The hashes of the shingles fall into 64 bins; each
  bin keeps its least and gives one byte of it. An empty bin takes the least of another one, which
  is chosen by the bin alone. Equal bytes of two sketches estimate Jaccard.
- or the study's: the least of each of 84 permutations, and 6 super-shingles of 14 of them.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling, inlined
from blickfang.dedupe.bands import BandPairs, BandRules, find_candidates
from blickfang.dedupe.equal_items import MOST_PAIRS
from blickfang.dedupe.shingles import SIZE, HashedTexts, roll
from blickfang.text.words import FIRST_MIX, MULTIPLIER, SECOND_MIX, Hashes, finish

BINS, BANDS = 64, 8
BIN_SHIFT = np.uint64(58)
BYTE = np.uint64(255)
U8, U32 = np.uint64(8), np.uint64(32)
EMPTY = np.uint64(2**64 - 1)

PERMUTATIONS, SUPERS, STUDY_SIZE, STUDY_AGREE = 84, 6, 8, 2


def _choose_donors() -> NDArray[np.int64]:
    """Return for each bin the order in which it asks the others, the same for every text."""
    orders = np.random.Generator(np.random.PCG64(64)).permuted(
        np.tile(np.arange(BINS), (BINS, 1)), axis=1
    )
    return np.ascontiguousarray(orders)


DONORS = _choose_donors()


@inlined
def keep_least(h: np.uint64, bins: Hashes) -> None:
    """Keep the least hash of each bin."""
    b = h >> BIN_SHIFT
    if h < bins[b]:  # seldom; min() would write every time, and wait for it
        bins[b] = h


@inlined
def fill_bins(words: Hashes, size: Integer, room: Hashes, bins: Hashes) -> np.uint64:
    """Keep the least shingle of each bin; return the sum of all shingles and of their number."""
    for b in range(BINS):
        bins[b] = EMPTY
    if size == SIZE and len(words) >= SIZE:  # the usual case, several shingles at a time
        count: Integer = len(words) - SIZE + 1
        for i in range(count):
            pair = words[np.uint64(i)] * MULTIPLIER + words[np.uint64(i + 1)]
            room[np.uint64(i)] = finish(pair * MULTIPLIER + words[np.uint64(i + 2)])
    else:
        count = roll(words, 0, len(words), size, room)
    total = np.uint64(count)
    for i in range(count):
        keep_least(room[i], bins)
        total += room[i]
    return total


@inlined
def pack_band(bins: Hashes, band: Integer, donors: NDArray[np.int64]) -> np.uint64:
    """Return eight bins as one number, a byte of each."""
    row = np.uint64(0)
    for b in range(band * BANDS, band * BANDS + BANDS):
        h = bins[b]
        ask = 0
        while h == EMPTY and ask < BINS:
            h = bins[donors[b, ask]]
            ask += 1
        # Mixed with the bin's number: else a text of one shingle would repeat one byte.
        mixed = (h ^ np.uint64(b) * MULTIPLIER) * FIRST_MIX
        row = row << U8 | (mixed >> U32) & BYTE
    return row


@filling
def sketch_all(
    texts: HashedTexts,
    size: int,
    donors: NDArray[np.int64],
    room: Hashes,
    rows: Hashes,
    digests: Hashes,
) -> None:
    """Write down the sketch of each text; `room` holds the shingles of any, and the bins.

    `digests` gets one number a text, equal for equal texts.
    """
    for t in range(len(rows)):
        words = texts.hashes[texts.starts[t] : texts.starts[t + 1]]
        digests[t] = fill_bins(words, size, room[BINS:], room)
        for band in range(BANDS):
            rows[t, band] = pack_band(room, band, donors) if len(words) else np.uint64(0)


def sketch(texts: HashedTexts, size: int = SIZE) -> Hashes:
    """Return the sketches of texts, a row of eight numbers each; of a text without words, zeros."""
    return sketch_and_digest(texts, size)[0]


def sketch_and_digest(
    texts: HashedTexts, size: int = SIZE, threads: int = 1
) -> tuple[Hashes, NDArray[np.uint64]]:
    """Return the sketches of texts, and for each a number that equal texts share."""
    count = len(texts.starts) - 1
    rows, digests = np.empty((count, BANDS), np.uint64), np.empty(count, np.uint64)
    longest = int(np.diff(texts.starts).max(initial=0))

    def work(part: tuple[int, int]) -> None:
        begin, end = part
        some, room = HashedTexts(texts.hashes, texts.starts[begin : end + 1]), BINS + longest + 1
        given = (np.empty(room, np.uint64), rows[begin:end], digests[begin:end])
        sketch_all(some, size, DONORS, *given)

    if threads == 1 or count == 1:  # to start a thread takes longer than to sketch a page
        work((0, count))
        return rows, digests
    shares = np.linspace(0, texts.starts[-1], threads + 1)[1:-1]
    cuts = [0, *np.searchsorted(texts.starts, shares).tolist(), count]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, pairwise(cuts)))
    return rows, digests


def estimate(a: Hashes, b: Hashes) -> float:
    """Return what two sketches tell of the Jaccard: ± .04 at .9."""
    equal = float((a.view(np.uint8) == b.view(np.uint8)).mean())
    return max(0.0, (equal - 1 / 256) / (1 - 1 / 256))


def _choose_permutations(count: int) -> tuple[Hashes, Hashes]:
    random = np.random.Generator(np.random.PCG64(84))
    factors, terms = random.integers(0, 2**64, (2, count), np.uint64)
    return factors | np.uint64(1), terms


@compiled
def least_of_all(
    texts: HashedTexts, size: int, factors: Hashes, terms: Hashes, room: Hashes, out: Hashes
) -> None:
    """Write down the least hash of each text under each permutation."""
    for t in range(len(out)):
        count = roll(texts.hashes, texts.starts[t], texts.starts[t + 1], size, room)
        for p in range(len(factors)):
            least = EMPTY
            for i in range(count):
                h = room[i] * factors[p] + terms[p]
                least = min(least, h)
            out[t, p] = least


def minhashes(
    texts: HashedTexts, permutations: int = PERMUTATIONS, size: int = STUDY_SIZE
) -> Hashes:
    """Return for each text the least of its shingles' hashes under each permutation."""
    out = np.empty((len(texts.starts) - 1, permutations), np.uint64)
    longest = int(np.diff(texts.starts).max(initial=0))
    factors, terms = _choose_permutations(permutations)
    least_of_all(texts, size, factors, terms, np.empty(longest + 1, np.uint64), out)
    return out


@filling
def group_columns(least: Hashes, out: Hashes) -> None:
    """Hash the columns of each row in equal groups."""
    width = least.shape[1] // out.shape[1]
    for t in range(len(out)):
        for s in range(out.shape[1]):
            h = np.uint64(0)
            for p in range(s * width, s * width + width):
                h = finish((h ^ least[t, p]) * SECOND_MIX)
            out[t, s] = h


def super_shingles(least: Hashes, supers: int = SUPERS) -> Hashes:
    """Return the super-shingles of rows of `minhashes`: each stands for 14 permutations."""
    out = np.empty((len(least), supers), np.uint64)
    group_columns(least, out)
    return out


def study_pairs(
    texts: HashedTexts, size: int = STUDY_SIZE, agree: int = STUDY_AGREE, most: int = MOST_PAIRS
) -> BandPairs:
    """Return the pairs that the study calls near-duplicates: two super-shingles agree."""
    present = np.flatnonzero(np.diff(texts.starts))
    rows = super_shingles(minhashes(texts, size=size))
    found = find_candidates(rows[present], BandRules(agree), most)
    return found._replace(pairs=present[found.pairs])
