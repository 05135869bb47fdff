"""How good a crawl was: by a truth where there is one, by one ruler for all ways where not.

In: a collection that was crawled, and its pages. Out: `Measured`. R-precision is the on-topic share
of the first R pages, R being how many there are; second addresses of one page are not counted. The
ruler judges every page against the learned and the neutral pages alone, so that no way of crawling
is judged by what it believed itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from blickfang.config import Collection
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.experiment.ground_truth import TopicTruth
from blickfang.crawl.page_judge import make_ruler
from blickfang.crawl.replay.replay import Sight, find_archives, open_web
from blickfang.errors import InputError
from blickfang.io.urls import host as host_of
from blickfang.types import Failure, Response

POINTS = 50  # of a curve


@dataclass(frozen=True, slots=True)
class Measured:
    """What a crawl brought."""

    pages: int
    images: int
    hosts: int
    precision: float | None  # R-precision; None without a truth
    image_precision: float | None
    by_score: float  # share of the pages that the ruler finds on topic
    curve: list[tuple[int, float]]  # after so many pages: the share on topic, by truth or score


def measure(collection: Collection, sight: Sight | None, truth: TopicTruth, topic: str) -> Measured:
    """Measure a crawl."""
    rows = [row for row in list_fetched(collection, "page") if not row["duplicate_of"]]
    images = [row["url"] for row in list_fetched(collection, "image")]
    scored = rate_pages(collection, sight, rows)
    wanted, wanted_images = truth.count_pages(topic), truth.count_images(topic)
    hits = [truth.topic_of(row["url"]) == topic for row in rows]
    shown = [truth.images.get(url) == topic for url in images]
    return Measured(
        pages=len(rows),
        images=len(images),
        hosts=len({host_of(row["url"]) for row in rows}),
        precision=sum(hits[:wanted]) / wanted if wanted else None,
        image_precision=sum(shown[:wanted_images]) / wanted_images if wanted_images else None,
        by_score=sum(scored) / max(1, len(scored)),
        curve=draw_curve(hits if wanted else scored),
    )


def rate_pages(
    collection: Collection, sight: Sight | None, rows: Sequence[dict[str, Any]]
) -> list[bool]:
    """Return which pages are on topic by the ruler."""
    if sight is None:
        try:
            sight = open_web(find_archives(["."], collection.crawl_folder))
        except InputError:  # it brought nothing
            return [False] * len(rows)
    ruler, least = make_ruler(collection)
    found = []
    for row in rows:
        head, body = sight.web.find(row["url"]), sight.web.read(row["url"])
        if head is None or isinstance(body, Failure):  # withheld, or damaged
            found.append(False)
            continue
        host = host_of(row["url"])
        seen = sight.look(Response(row["url"], 200, dict(head.headers), body), host)
        found.append(not isinstance(seen, Failure) and ruler(seen) >= least)
    return found


def draw_curve(hits: Sequence[bool]) -> list[tuple[int, float]]:
    """Return the share of hits among the first pages, at some points.

    >>> draw_curve([True, False])
    [(1, 1.0), (2, 0.5)]
    """
    step = max(1, len(hits) // POINTS)
    places = [*range(step, len(hits), step), len(hits)] if hits else []
    total, curve, before = 0, [], 0
    for place in places:
        total += sum(hits[before:place])
        before = place
        curve.append((place, total / place))
    return curve
