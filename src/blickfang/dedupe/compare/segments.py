"""The work in pieces: segments of B, and what was found for each, on disk.

In: where the files of a corpus begin, and how many documents a segment has. Out: segments; their
results as files that are there whole or not at all, so that killed work goes on.
"""

import zipfile
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.compare.fingerprint_file import Rows
from blickfang.dedupe.compare.pair_measures import Similarity
from blickfang.io.atomic_files import replacing

TOGETHER = 1 << 22  # documents whose fingerprints are joined at once


class Segment(NamedTuple):
    """Some consecutive documents of a corpus."""

    number: int  # among all, also those that were not drawn
    first: int
    last: int  # behind it

    @property
    def size(self) -> int:
        """How many documents it has."""
        return self.last - self.first


class SegmentPairs(NamedTuple):
    """What was found for a segment: pairs of rows of A and B, by the second."""

    pairs: Rows
    alike: Similarity
    left_out: int


def pick(found: SegmentPairs, which: Any) -> SegmentPairs:
    """Return some of what was found: by places, flags or a slice."""
    columns = found.alike._asdict()
    alike = Similarity(**{name: column[which] for name, column in columns.items()})
    return SegmentPairs(found.pairs[which], alike, 0)


def cut_segments(file_starts: Rows, numbers: Sequence[int], documents: int) -> list[Segment]:
    """Return the files of a corpus as segments; a single file in pieces of so many documents."""
    edges = file_starts.tolist()
    if len(edges) > 2:
        return [Segment(n, edges[i], edges[i + 1]) for i, n in enumerate(numbers)]
    total = edges[-1]
    starts = range(0, max(total, 1), documents)
    return [Segment(n, first, min(first + documents, total)) for n, first in enumerate(starts)]


def batches(segments: Sequence[Segment], documents: int = TOGETHER) -> Iterator[list[Segment]]:
    """Give segments in groups of about so many documents, at least one each."""
    group: list[Segment] = []
    for segment in segments:
        if group and sum(each.size for each in group) + segment.size > documents:
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def save_found(path: Path, found: SegmentPairs) -> None:
    """Write what was found for a segment."""
    columns = {f"is_{name}": column for name, column in found.alike._asdict().items()}
    with replacing(path) as file:
        np.savez(file, pairs=found.pairs, left_out=np.int64(found.left_out), **columns)


def load_found(path: Path) -> SegmentPairs | None:
    """Return what was found for a segment; None if that is not known yet."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            alike = Similarity(*(file[f"is_{name}"] for name in Similarity._fields))
            return SegmentPairs(file["pairs"], alike, int(file["left_out"]))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        path.unlink(missing_ok=True)  # damaged: found again
        return None


# Student's t, two-sided 95 %, for 1 to 30 degrees of freedom; then the normal one with a correction
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
NORMAL = 1.95996


class Estimate(NamedTuple):
    """A total, and between which bounds it lies with 95 % confidence; None: too few segments."""

    value: float
    low: float | None
    high: float | None


def choose_segments(count: int, wanted: int, seed: int) -> list[int]:
    """Return which of so many segments are looked at, in order; all, if none or too many are asked.

    >>> choose_segments(3, 0, 1), len(choose_segments(100, 5, 1))
    ([0, 1, 2], 5)
    """
    if not 0 < wanted < count:
        return list(range(count))
    drawn = np.random.Generator(np.random.PCG64(seed)).choice(count, wanted, replace=False)
    return sorted(drawn.tolist())


def student(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t."""
    if degrees <= len(STUDENT):
        return STUDENT[degrees - 1]
    z = NORMAL
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def extrapolate(
    counts: Sequence[float] | NDArray[np.float64],
    sizes: Sequence[float] | NDArray[np.float64],
    whole: float,
    segments: int,
) -> Estimate:
    """Return the total over all segments from the counts and sizes of those that were drawn.

    >>> extrapolate([2, 4], [10, 20], 60, 4).value
    12.0
    """
    y, x = np.asarray(counts, np.float64), np.asarray(sizes, np.float64)
    n = len(y)
    if n >= segments:
        total = float(y.sum())
        return Estimate(total, total, total)
    if not n or x.sum() <= 0:
        return Estimate(float("nan"), None, None)
    ratio = float(y.sum() / x.sum())
    value = ratio * whole
    if n < 2:
        return Estimate(value, None, None)
    spread = float(((y - ratio * x) ** 2).sum() / (n - 1))
    error = (whole / x.mean()) * np.sqrt((1 - n / segments) * spread / n)
    reach = student(n - 1) * float(error)
    # Few counts, or none, spread too little to tell how far the truth may lie.
    low, high = bound_by_chance(float(y.sum()), min(float(x.sum()) / whole, 1))
    return Estimate(value, max(float(y.sum()), min(value - reach, low)), max(value + reach, high))


def bound_by_chance(count: float, share: float) -> tuple[float, float]:
    """Return between which totals one lies whose things fell singly into a share of the whole.

    Poisson bounds of the count (Wilson and Hilferty), 2.5 % beyond each, with the correction for a
    finite population: 3.7 for a count of 0, divided by the share.

    >>> [round(bound) for bound in bound_by_chance(0, 0.02)]
    [0, 182]
    """
    above = (count + 1) * (1 - 1 / (9 * (count + 1)) + NORMAL / (3 * sqrt(count + 1))) ** 3
    below = 0.0
    if count >= 1:
        below = count * max(0, 1 - 1 / (9 * count) - NORMAL / (3 * sqrt(count))) ** 3
    unseen = sqrt(1 - share) / share
    middle = count / share
    return middle - (count - below) * unseen, middle + (above - count) * unseen
