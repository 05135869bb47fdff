"""The curves of a crawl: pages in, figures of the room `charts` out, as SVG for a page.

Each curve has few points, whatever the size of a crawl: pages are taken together in packages of
equal number, in the order they came.
"""

import math
from collections.abc import Sequence

from markupsafe import Markup

from blickfang.app.progress import Visit
from blickfang.charts import Group, Series, bars, lines, svg
from blickfang.crawl.candidates import name_bucket

POINTS = 60
LEAST = 5  # pages in a package
SIZE = (560, 250)


def packages(pages: Sequence[Visit]) -> list[Sequence[Visit]]:
    """Return pages in packages of equal number.

    >>> [len(part) for part in packages([Visit(0, None, None)] * 12)]
    [5, 5, 2]
    """
    step = max(LEAST, math.ceil(len(pages) / POINTS))
    return [pages[at : at + step] for at in range(0, len(pages), step)]


def draw_on_topic(pages: Sequence[Visit], least: float) -> Markup:
    """Draw the share of pages on topic: of each package, and of all so far."""
    ends, now, so_far = [], [], []
    good = rated = count = 0
    for part in packages(pages):
        known = [visit.relevance for visit in part if visit.relevance is not None]
        fits = sum(value >= least for value in known)
        good, rated, count = good + fits, rated + len(known), count + len(part)
        ends.append(float(count))
        now.append(fits / len(known) if known else None)
        so_far.append(good / rated if rated else None)
    return _draw(
        [Series("of late", ends, now), Series("so far", ends, so_far)],
        "Share of pages on topic",
        "pages",
        share=True,
    )


def draw_perplexity(pages: Sequence[Visit]) -> Markup:
    """Draw the perplexity of pages, the geometric mean of each package."""
    ends, means = [], []
    count = 0
    for part in packages(pages):
        known = [math.log(visit.perplexity) for visit in part if visit.perplexity]
        count += len(part)
        ends.append(float(count))
        means.append(math.exp(sum(known) / len(known)) if known else None)
    return _draw([Series("perplexity", ends, means)], "Perplexity (low is near)", "pages")


def draw_speed(pages: Sequence[Visit]) -> Markup:
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
    """Draw how many pages are queued in each bucket; low ones come first."""
    labels = [f"bucket {name_bucket(bucket)}" for bucket in buckets]
    figure = bars(
        labels, [Group("pages", list(buckets.values()))], title="Queue by bucket", x="pages"
    )
    return Markup(svg(figure))  # noqa: S704 -- the room escapes every text


def _draw(series: list[Series], title: str, x: str, *, share: bool = False) -> Markup:
    figure = lines(
        series, title=title, x=x, zero=True, show_y="{:.0%}".format if share else None, size=SIZE
    )
    return Markup(svg(figure))  # noqa: S704 -- the room escapes every text
