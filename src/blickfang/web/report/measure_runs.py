"""From pages to curves: chronological packages, shares over time, means and spreads of groups.

In: `Run`s. Out: numbers. docs/report.md says what each of them means.
"""

import math
from collections.abc import Sequence
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.web.charts import Series
from blickfang.web.report.report_values import ON_TOPIC, UNKNOWN, PageLog, Run

PACKAGES = 25  # about so many points a curve
POINTS = 60


class RunGroup(NamedTuple):
    """Runs that are shown as one."""

    name: str
    runs: tuple[Run, ...]


class Spread(NamedTuple):
    """A mean with its standard deviation; None for one value alone."""

    mean: float
    deviation: float | None


def group_runs(runs: Sequence[Run]) -> list[RunGroup]:
    """Return the groups of runs, in their order."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.group or run.name, []).append(run)
    return [RunGroup(name, tuple(members)) for name, members in groups.items()]


def spread_of(values: Sequence[float | None]) -> Spread | None:
    """Return mean and spread of those values that are known; None if none is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Spread(mean(known), stdev(known) if len(known) > 1 else None)


def choose_package(totals: Sequence[int], packages: int = PACKAGES) -> int:
    """Return a round size of packages, such that the longest run has about `packages`.

    >>> choose_package([4000, 90]), choose_package([70_000]), choose_package([3])
    (200, 5000, 1)
    """
    least = max(totals, default=0) / packages
    if least <= 1:
        return 1
    power = 10 ** math.floor(math.log10(least))
    return int(next(step * power for step in (1, 2, 5, 10) if step * power >= least))


def perplexity_packages(log: PageLog, size: int) -> list[float | None]:
    """Return the perplexity of packages of about so many sentences, in chronological order.

    A page goes whole into the package that its first sentence falls into. A last package of less
    than half the size is left out, unless it is the only one.
    """
    if not len(log) or not log.scored.sum():
        return []
    ends = np.cumsum(log.sentences)
    package = np.minimum((ends - log.sentences) // size, max(int(ends[-1]) - 1, 0) // size)
    count = int(package.max()) + 1
    logs = np.bincount(package, log.log10, count)
    scored = np.bincount(package, log.scored, count)
    filled = np.bincount(package, log.sentences, count)
    if count > 1 and filled[-1] < size / 2:
        count -= 1
    return [float(10.0 ** (-logs[at] / scored[at])) if scored[at] else None for at in range(count)]


def whole_perplexity(log: PageLog) -> float | None:
    """Return the perplexity of all sentences of a run."""
    scored = int(log.scored.sum())
    return float(10.0 ** (-log.log10.sum() / scored)) if scored else None


def on_topic_share(log: PageLog) -> float | None:
    """Return the share of pages on the topic, of those it is known of."""
    known = int((log.on_topic != UNKNOWN).sum())
    return float((log.on_topic == ON_TOPIC).sum() / known) if known else None


def share_so_far(log: PageLog) -> NDArray[np.float64]:
    """Return after each page the share of pages on the topic so far; NaN while none is known."""
    known = np.cumsum(log.on_topic != UNKNOWN)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: NDArray[np.float64] = np.cumsum(log.on_topic == ON_TOPIC) / known
    return shares


def perplexity_curves(groups: Sequence[RunGroup]) -> tuple[list[Series], int]:
    """Return a curve a group, over the sentences crawled so far, and the size of a package."""
    totals = [int(run.pages.sentences.sum()) for group in groups for run in group.runs]
    size = choose_package(totals)
    series = []
    for group in groups:
        found = [perplexity_packages(run.pages, size) for run in group.runs]
        length = min(map(len, found))
        if length:
            x = [float(size * (number + 1)) for number in range(length)]
            rows = [[packages[at] for packages in found] for at in range(length)]
            series.append(_curve(group.name, x, rows, log=True))
    return series, size


def on_topic_curves(groups: Sequence[RunGroup]) -> list[Series]:
    """Return a curve a group: the share of pages on the topic among those fetched so far."""
    series = []
    for group in groups:
        shares = [share_so_far(run.pages) for run in group.runs]
        length = min(map(len, shares))
        if not length or any(np.isnan(each[length - 1]) for each in shares):
            continue
        places = np.unique(np.linspace(1, length, min(POINTS, length)).round().astype(int))
        rows = [[_known(float(each[at - 1])) for each in shares] for at in places]
        series.append(_curve(group.name, [float(at) for at in places], rows))
    return series


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _curve(
    name: str, x: list[float], rows: Sequence[Sequence[float | None]], *, log: bool = False
) -> Series:
    """Return the curve of means, with a band of one standard deviation where there are several.

    On a logarithmic axis the mean is geometric, and so is the deviation.
    """
    y: list[float] = []
    low: list[float] = []
    high: list[float] = []
    shown: list[float] = []
    for at, row in zip(x, rows, strict=True):
        known = [value for value in row if value is not None and (value > 0 or not log)]
        spread = spread_of([math.log(value) for value in known] if log else known)
        if spread is None:  # a page longer than a package: the next ones have no sentence
            continue
        shown.append(at)
        around = spread.deviation or 0.0
        ends = spread.mean, spread.mean - around, spread.mean + around
        middle, bottom, top = map(math.exp, ends) if log else ends
        if not log:  # shares
            bottom, top = max(bottom, 0.0), min(top, 1.0)
        y, low, high = [*y, middle], [*low, bottom], [*high, top]
    if all(len(row) < 2 for row in rows):
        return Series(name, shown, y)
    return Series(name, shown, y, low, high)


def category_packages(
    logs: Sequence[PageLog], packages: int = 20
) -> tuple[list[float], dict[str, list[float]]]:
    """Return the edges of packages of pages, and how many pages of each category are in them.

    Of several runs, how many there are in the mean.
    """
    logs = [log for log in logs if len(log) and log.categories]
    longest = max(map(len, logs), default=0)
    size = choose_package([longest], packages)
    count = -(-longest // size)
    edges = [float(min(at * size, longest)) for at in range(count + 1)] if logs else []
    total: dict[str, NDArray[np.float64]] = {}
    for log in logs:
        package = np.arange(len(log)) // size
        for number, name in enumerate(log.categories):
            found = np.bincount(package[log.category == number], minlength=count)
            total[name] = total.get(name, np.zeros(count)) + found / len(logs)
    return edges, {name: counts.tolist() for name, counts in total.items()}
