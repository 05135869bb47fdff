"""From some segments to the whole: a draw without replacement, and a ratio with its interval.

In: what was counted in the segments that were looked at, and how large all segments are. Out: the
total to be expected, with a 95 % interval (ratio estimator, Student's t, finite population; never
narrower than chance alone makes it, also where nothing was found). Method: docs/method.md. Only
for what adds up over segments: pairs, and documents of B. Documents of A found in one segment are
found again in others: there the upper end of the same interval is an upper bound; the study, too,
calls its line one.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
