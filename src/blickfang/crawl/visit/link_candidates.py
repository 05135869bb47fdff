"""What a page offers: its links and images as candidates, without those that bring nothing new.

In: a judged page, and what is known already. Out: candidates. Texts that explain an order are only
made for what is new: most links lead to pages just seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.judged_values import SEEDS, Orders
from blickfang.crawl.frontier.candidates import (
    BEYOND_BUCKET,
    IMAGE,
    LAST_BUCKET,
    PAGE,
    SITEMAP,
    Candidate,
)
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.scope import Scope
from blickfang.crawl.frontier.sitemaps import find_sitemaps, read_sitemap
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.io.urls import host as host_of

INSTEAD = "instead of "  # why an image is queued that is a smaller form of another
DEEPEST_SITEMAP = 3
MOST_SITEMAPS = 500  # in one index
LISTED_BUCKET, LISTED_SCORE = 3, 0.95  # what is only listed promises little, but nothing is lost


class NamedUrls(NamedTuple):
    """The links, or the images, of a page."""

    kind: int
    urls: list[str]
    hosts: list[str]
    orders: Orders
    unwanted: Mapping[int, str]
    others: Mapping[int, tuple[str, ...]] = MappingProxyType({})


def list_links(found: Judgement, is_twin: bool) -> NamedUrls:
    """Return the links of a page; one that was seen before passes on no priority."""
    orders = put_last(found.judged.links) if is_twin else found.judged.links
    return NamedUrls(PAGE, found.links, found.link_hosts, orders, {})


def list_images(found: Judgement, is_twin: bool) -> NamedUrls:
    """Return the images of a page; galleries share their words and differ in their images."""
    orders = put_last(found.judged.images) if is_twin else found.judged.images
    return NamedUrls(IMAGE, found.images, found.image_hosts, orders, found.unwanted, found.others)


def put_last(orders: Orders) -> Orders:
    """Return orders behind all others: nothing is lost, but nothing waits for it."""
    last = np.full_like(orders.buckets, LAST_BUCKET)
    return orders._replace(buckets=last, priors=orders.priors * 0)


def offer(
    page: Candidate, named: NamedUrls, frontier: Frontier, scope: Scope
) -> Iterator[Candidate]:
    """Give what a page names that is worth more than is known of it."""
    known, kind, orders = frontier.known.orders[named.kind], named.kind, named.orders
    depths = frontier.known.depths if kind == PAGE else {}
    buckets, scores, priors = (column.tolist() for column in orders[:3])
    behind = [BEYOND_BUCKET if bucket < 0 else bucket for bucket in buckets]
    rows = zip(
        named.urls, map(known.get, named.urls), zip(behind, scores, strict=True), strict=True
    )
    depth = page.depth + 1
    explained = ", ".join(f"{name} %.3g" for name in orders.parts)
    parts = [column.tolist() for column in orders.parts.values()]
    for number, (url, before, place) in enumerate(rows):
        known_better = before is not None and before <= place
        if known_better and not (depths and depths.get(url, 0) > depth):
            continue
        host = named.hosts[number]
        if number in named.unwanted or not scope.has(url, host, kind):
            continue
        why = explained % tuple([column[number] for column in parts]) if parts else ""
        order = buckets[number], scores[number], priors[number]
        # By place: names would cost more than all.
        others = named.others.get(number, ())
        yield Candidate(url, host, kind, *order, depth, page.url, 0, "", why, others)


def offer_other(image: Candidate, others: tuple[str, ...], scope: Scope) -> Iterator[Candidate]:
    """Give the next form of an image that could not be had, if it has one."""
    allowed = [url for url in others if scope.has(url, host_of(url), IMAGE)]
    if allowed:
        yield image._replace(
            url=allowed[0],
            host=host_of(allowed[0]),
            hops=0,
            requested="",
            why=f"{INSTEAD}{image.url}",
            others=tuple(allowed[1:]),
        )


def offer_sitemaps(page: Candidate, origin: str, named: Iterable[str]) -> Iterator[Candidate]:
    """Give the sitemaps of a host that has a seed, before anything else of it."""
    for url in find_sitemaps(origin, named):
        yield Candidate(url, host_of(url), PAGE, SEEDS, 0.0, depth=1, via=page.url, why=SITEMAP)


def offer_listed(listing: Candidate, body: bytes, scope: Scope) -> Iterator[Candidate]:
    """Give what a sitemap lists: further ones first, pages behind what links promise more.

    It speaks for its own host, and for the one whose robots.txt named it.
    """
    speaks_for = host_of(listing.via)
    found = read_sitemap(body, listing.url, (listing.host, speaks_for))
    named_by = listing.url if speaks_for in ("", listing.host) else listing.via
    if listing.depth < DEEPEST_SITEMAP:
        for url in found.maps[:MOST_SITEMAPS]:
            yield Candidate(
                url,
                host_of(url),
                PAGE,
                SEEDS,
                0.0,
                depth=listing.depth + 1,
                via=named_by,
                why=SITEMAP,
            )
    for url in found.pages:
        host = host_of(url)
        if scope.has(url, host, PAGE):
            yield Candidate(
                url, host, PAGE, LISTED_BUCKET, LISTED_SCORE, depth=1, via=listing.url, why="listed"
            )
