"""Are the occurrences of a repeat rows of a list? Their spacing tells.

In: where a repeat occurs, and its length. Out: variance and density; runs of occurrences that are
regular each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]

FAR = 4.0  # a gap of so many usual ones ends a run


class Spacing(NamedTuple):
    """Limits within which a repeat is kept."""

    variance: float = 0.5  # of the gaps, in relation to their mean
    density: float = 0.25  # of the span of all occurrences that they cover
    least: int = 3  # occurrences


def variance(places: Ints) -> float:
    """Return the spread of the gaps between occurrences, in relation to their mean.

    >>> variance(np.array([4, 6, 8])), round(variance(np.array([0, 1, 4])), 3)
    (0.0, 0.5)
    """
    gaps = np.diff(places)
    return float(gaps.std() / gaps.mean()) if len(gaps) else 0.0


def density(places: Ints, length: int) -> float:
    """Return how much of their span the occurrences cover; above 1 where they overlap.

    >>> density(np.array([0, 10, 20]), 5)
    0.5
    """
    span = int(places[-1] - places[0])
    return (len(places) - 1) * length / span if span else 0.0


def split_runs(places: Ints, limits: Spacing) -> list[Ints]:
    """Return the runs of occurrences that are regular: all at once, or cut at gaps that are far.

    >>> [run.tolist() for run in split_runs(np.array([0, 2, 4, 90, 92, 94, 200]), Spacing())]
    [[0, 2, 4], [90, 92, 94]]
    """
    if len(places) < limits.least:
        return []
    if variance(places) <= limits.variance:
        return [places]
    gaps = np.diff(places)
    cuts = np.flatnonzero(gaps > FAR * np.median(gaps)) + 1
    if not len(cuts):
        return []
    return [run for part in np.split(places, cuts) for run in split_runs(part, limits)]


def keep_runs(places: Ints, length: int, limits: Spacing) -> list[Ints]:
    """Return the runs that are regular and dense enough."""
    return [run for run in split_runs(places, limits) if density(run, length) >= limits.density]
