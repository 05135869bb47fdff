"""Which bytes of a sketch make a band: as many bands, and as long, as a threshold asks for.

In: a threshold of Jaccard. Out: bands, rows of places among the 64 bytes of a sketch; two texts are
looked at if all bytes of a band agree. Long bands agree by chance in no other pair, short ones also
where texts share little: the longest are taken that find 99 of 100 pairs that share just as much as
the threshold, with at most 80 bands. From .89 on these are sixteen of eight bytes: the rows and the
columns of the sketch as a square. Below .4 sketches agree enough in pairs that share next to
nothing: too many to look at, so such thresholds are refused.
"""

from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.minhash import BANDS, BINS
from blickfang.text.words import Hashes

WIDTH = 8  # bytes of the longest bands: a number of 64 bits
LINES = 16  # rows and columns of the square
RECALL = 0.99  # of pairs at the threshold itself
MOST_BANDS = 80
LEAST_THRESHOLD = 0.4
AT_ONCE = 4096  # sketches that a cache holds with their bands
LUCK = 4.0  # standard deviations below the mean at which a sketch is still believed

Places = NDArray[np.int64]
Bands = Places  # a row each


def least_equal(threshold: float) -> int:
    """Return how many of 64 bytes two sketches share, but for bad luck, at a Jaccard."""
    luck = LUCK * sqrt(BINS * threshold * (1 - threshold))
    return max(0, int(BINS * threshold - luck))


def expect_recall(jaccard: float, width: int, bands: int) -> float:
    """Return the share of pairs with a Jaccard that agree in a band, and in enough bytes.

    As many bytes agree as of 64 coins fall on one side; the bands are as if drawn.
    """
    found = 0.0
    for equal in range(least_equal(jaccard), BINS + 1):
        often = comb(BINS, equal) * jaccard**equal * (1 - jaccard) ** (BINS - equal)
        found += often * (1 - (1 - comb(equal, width) / comb(BINS, width)) ** bands)
    return found


def count_bands(threshold: float) -> tuple[int, int]:
    """Return how long bands are, and how many.

    >>> count_bands(0.9), count_bands(0.5)
    ((8, 16), (3, 51))
    """
    if not LEAST_THRESHOLD <= threshold <= 1:
        raise ValueError(f"the threshold is at least {LEAST_THRESHOLD} and at most 1")
    widths = range(WIDTH, 0, -1)
    width = next(w for w in widths if expect_recall(threshold, w, MOST_BANDS) >= RECALL)
    fewest = LINES if width == WIDTH else 1
    counts = range(fewest, MOST_BANDS + 1)
    return width, next(n for n in counts if expect_recall(threshold, width, n) >= RECALL)


def choose_bands(threshold: float) -> Bands:
    """Return the bands for a threshold, a row of places each; the same every time.

    Of bands of eight bytes the first are the eight numbers of a sketch, then its columns.
    """
    width, count = count_bands(threshold)
    square = np.arange(BINS, dtype=np.int64).reshape(BANDS, WIDTH)
    rounds = [square, square.T] if width == WIDTH else []
    random = np.random.Generator(np.random.PCG64(width))
    while sum(map(len, rounds)) < count:  # in a round no byte counts twice
        places = random.permutation(BINS)[: BINS // width * width]
        rounds.append(places.reshape(-1, width))
    return np.concatenate(rounds)[:count]


def take_band(sketches: Hashes, rows: Places, band: Places) -> Hashes:
    """Return one band of some sketches as numbers."""
    data, packed = sketches.view(np.uint8), np.zeros((len(rows), WIDTH), np.uint8)
    first, steps = int(band[0]), np.diff(band)
    if len(band) == WIDTH and (steps == 1).all() and first % WIDTH == 0:  # as it stands there
        number: Hashes = sketches[rows, first // WIDTH]
        return number
    if len(band) == WIDTH and (steps == BANDS).all():  # a column, in one go
        packed[:] = data[rows, first::BANDS]
    else:
        for at, place in enumerate(band.tolist()):
            packed[:, at] = data[rows, place]
    return packed.view(np.uint64)[:, 0]


def add_bands(sketches: Hashes, bands: Bands) -> Hashes:
    """Return sketches with bands behind their eight numbers, a number each."""
    rows = np.zeros((len(sketches), BANDS + len(bands)), np.uint64)
    rows[:, :BANDS] = sketches
    square = rows.view(np.uint8).reshape(len(rows), BANDS + len(bands), WIDTH)
    packed = square[:, BANDS:, : bands.shape[1]]
    data = np.ascontiguousarray(sketches).view(np.uint8)
    for begin in range(0, len(rows), AT_ONCE):
        packed[begin : begin + AT_ONCE] = data[begin : begin + AT_ONCE].take(bands, axis=1)
    return rows
