"""What an experiment says: every way on every web, by topic, with mean and spread.

In: results. Out: a `Comparison`, a plain value that JSON holds. Means are over topics of means over
draws, spreads the mean over topics of the spread over draws: how much of it is luck.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import NamedTuple

from blickfang.crawl.experiment.experiment_runner import Result

CLOSE = 0.005  # what differs by less is a draw


class MeanAndSpread(NamedTuple):
    """A mean and how much draws differ; None where there is nothing to measure."""

    mean: float | None
    spread: float | None


NOTHING = MeanAndSpread(None, None)


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A way on a web."""

    web: str
    way: str
    crawls: int
    pages: MeanAndSpread  # R-precision
    images: MeanAndSpread
    by_score: MeanAndSpread
    oracle: float | None  # R-precision of pages that an oracle reaches
    oracle_images: float | None
    share: float | None  # of the oracle, attained
    share_images: float | None
    topics: dict[str, MeanAndSpread]  # pages, or by score if there is no truth
    topics_images: dict[str, MeanAndSpread]
    wins: int  # topics on which it beats the first way of this web
    losses: int
    seconds: float  # of processor time, a crawl


@dataclass(frozen=True, slots=True)
class Comparison:
    """All ways on all webs."""

    has_truth: bool
    lines: list[SummaryLine]
    curves: dict[str, dict[str, list[tuple[int, float]]]]  # web → way → share on topic so far


def compare(results: Sequence[Result]) -> Comparison:
    """Compare the crawls of an experiment."""
    has_truth = any(result.measured.precision is not None for result in results)
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((result.web, result.way), []).append(result)
    firsts: dict[str, dict[str, MeanAndSpread]] = {}
    lines = []
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for (web, way), group in groups.items():
        lines.append(_sum_up(web, way, group, firsts.get(web)))
        firsts.setdefault(web, lines[-1].topics)
        curves.setdefault(web, {})[way] = join_curves([one.measured.curve for one in group])
    return Comparison(has_truth, lines, curves)


def _sum_up(
    web: str, way: str, group: list[Result], first: dict[str, MeanAndSpread] | None
) -> SummaryLine:
    pages = by_topic(group, lambda one: one.measured.precision)
    images = by_topic(group, lambda one: one.measured.image_precision)
    scores = by_topic(group, lambda one: one.measured.by_score)
    oracles = by_topic(group, lambda one: one.oracle and one.oracle.pages)
    oracles_images = by_topic(group, lambda one: one.oracle and one.oracle.images)
    topics = pages if any(figure.mean is not None for figure in pages.values()) else scores
    gains = [
        (topics[name].mean or 0.0) - (figure.mean or 0.0)
        for name, figure in (first or {}).items()
        if name in topics
    ]
    return SummaryLine(
        web=web,
        way=way,
        crawls=len(group),
        pages=join(pages.values()),
        images=join(images.values()),
        by_score=join(scores.values()),
        oracle=join(oracles.values()).mean,
        oracle_images=join(oracles_images.values()).mean,
        share=divide(join(pages.values()).mean, join(oracles.values()).mean),
        share_images=divide(join(images.values()).mean, join(oracles_images.values()).mean),
        topics=topics,
        topics_images=images,
        wins=sum(gain > CLOSE for gain in gains),
        losses=sum(gain < -CLOSE for gain in gains),
        seconds=mean(one.seconds for one in group),
    )


def by_topic(
    group: list[Result], value: Callable[[Result], float | None]
) -> dict[str, MeanAndSpread]:
    """Return a value by topic: its mean and spread over draws."""
    found: dict[str, list[float]] = {}
    for result in group:
        one = value(result)
        found.setdefault(result.topic, []).extend([] if one is None else [one])
    return {
        topic: MeanAndSpread(mean(values), stdev(values) if len(values) > 1 else None)
        if values
        else NOTHING
        for topic, values in found.items()
    }


def join(figures: Iterable[MeanAndSpread]) -> MeanAndSpread:
    """Return the mean of means and the mean of spreads, of those that are known."""
    known = list(figures)
    means = [figure.mean for figure in known if figure.mean is not None]
    spreads = [figure.spread for figure in known if figure.spread is not None]
    return MeanAndSpread(mean(means) if means else None, mean(spreads) if spreads else None)


def divide(part: float | None, whole: float | None) -> float | None:
    """Return a share, None where one of both is not known."""
    return part / whole if part is not None and whole else None


def join_curves(curves: Sequence[list[tuple[int, float]]]) -> list[tuple[int, float]]:
    """Return the mean of curves by how far each crawl was, in hundredths."""
    found = []
    for percent in range(2, 101, 2):
        values = [
            curve[min(len(curve) - 1, percent * len(curve) // 100)][1] for curve in curves if curve
        ]
        if values:
            found.append((percent, mean(values)))
    return found
