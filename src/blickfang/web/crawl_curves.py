"""The curves of a crawl: pages in, figures of the room `charts` out, as SVG for a page.

Each curve has few points, whatever the size of a crawl: those pages of which a curve knows
something are taken together in packages of equal number, in the order they came.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from markupsafe import Markup

from blickfang.crawl.focus.background_strategy import LINK_BUCKETS
from blickfang.crawl.frontier.candidates import LAST_BUCKET, name_bucket
from blickfang.web.charts import BarGroup, Series, bars, lines
from blickfang.web.crawl_view import CurvePoint
from blickfang.web.report.templating import draw

POINTS = 60
LEAST = 5  # pages in a package, where there are so many
SIZE = (560, 250)
Thing = TypeVar("Thing")


def packages(things: Sequence[Thing]) -> list[Sequence[Thing]]:
    """Return things in packages of equal number: a small last one would leap up and down.

    >>> [len(part) for part in packages(range(12))]
    [6, 6]
    """
    count = max(1, min(POINTS, len(things) // LEAST))
    edges = [len(things) * at // count for at in range(count + 1)]
    return [things[start:end] for start, end in pairwise(edges) if end > start]


def share_on_topic(pages: Sequence[CurvePoint], least: float) -> list[Series]:
    """Return the share of pages on topic among those it is known of: of late, and of all so far."""
    known = [
        (float(number), visit.relevance >= least)
        for number, visit in enumerate(pages, 1)
        if visit.relevance is not None
    ]
    ends, now, so_far = [], [], []
    good = count = 0
    for part in packages(known):
        fits = sum(fit for _, fit in part)
        good, count = good + fits, count + len(part)
        ends.append(part[-1][0])
        now.append(fits / len(part))
        so_far.append(good / count)
    return [Series("of late", ends, now), Series("so far", ends, so_far)]


def draw_on_topic(pages: Sequence[CurvePoint], least: float) -> Markup:
    """Draw the share of pages on topic."""
    series = share_on_topic(pages, least)
    return _draw(series, "Share of pages on topic", "pages", share=True)


def draw_perplexity(pages: Sequence[CurvePoint]) -> Markup:
    """Draw the perplexity of pages, the geometric mean of each package."""
    known = [
        (float(number), math.log(visit.perplexity))
        for number, visit in enumerate(pages, 1)
        if visit.perplexity
    ]
    parts = packages(known)
    ends = [part[-1][0] for part in parts]
    means = [math.exp(sum(value for _, value in part) / len(part)) for part in parts]
    return _draw([Series("perplexity", ends, means)], "Perplexity (low is near)", "pages")


def draw_speed(pages: Sequence[CurvePoint]) -> Markup:
    """Draw pages a second; that a crawl rested for days is one low point, no more."""
    ends: list[float] = []
    rates: list[float | None] = []
    count, before = 0, pages[0].at
    for part in packages(pages):
        count += len(part)
        took = part[-1].at - before
        before = part[-1].at
        ends.append(float(count))
        rates.append(len(part) / took if took > 0 else None)
    return _draw([Series("pages a second", ends, rates)], "Pages a second", "pages")


def draw_buckets(buckets: dict[int, int]) -> Markup:
    """Draw how many pages are queued in each bucket, empty ones too; low ones come first."""
    numbered = [bucket for bucket in buckets if bucket < LAST_BUCKET]
    usual = range(1, max(len(LINK_BUCKETS) + 1, *numbered, 0) + 1)
    shown = sorted({*usual, *buckets})
    figure = bars(
        [f"bucket {name_bucket(bucket)}" for bucket in shown],
        [BarGroup("pages", [buckets.get(bucket, 0) for bucket in shown])],
        title="Queue by bucket",
        x="pages",
        show=_write_whole,
        width=SIZE[0],
        least_height=SIZE[1],
    )
    return draw(figure)


def _write_whole(value: float) -> str:
    """Write a count; half a page is none."""
    return f"{value:,.0f}" if value == int(value) else ""


def _draw(series: list[Series], title: str, x: str, *, share: bool = False) -> Markup:
    figure = lines(
        series, title=title, x=x, zero=True, show_y="{:.0%}".format if share else None, size=SIZE
    )
    return draw(figure)
