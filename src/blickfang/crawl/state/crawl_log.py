"""What a crawl did, in the order it did it, for reports: a row at a time, however long it was.

In: the folder of a crawl. Out: pages in the order they were fetched, and counts. Nothing is
written, and a crawl may run meanwhile.
"""

import heapq
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from blickfang.crawl.frontier.candidates import DONE, FAILED, IMAGE, KINDS, PAGE
from blickfang.crawl.state.crawl_queries import find_stores
from blickfang.crawl.state.state_db import looking_into
from blickfang.io.urls import host as host_of

LONG_BREAK_S = 600.0  # nobody waits so long for an answer: the crawl was stopped, and went on later
KEPT = "status = 200 AND (kind = 1 OR facts != '')"


class FetchedPage(NamedTuple):
    """A page that was fetched, and where its answer lies."""

    url: str
    fetched_at: str
    language: str
    duplicate: bool  # of words of a page seen before
    withheld: bool  # its owner does not want it kept
    archive: str  # below the folder of the crawl; "" where it was withheld
    offset: int
    length: int


class CrawlCounts(NamedTuple):
    """What a crawl came to."""

    processed: Counter[str]  # addresses asked for with an answer or a failure, by kind
    bytes: int  # of all answers, unpacked
    seconds: float  # at work: breaks between runs are left out
    pages: Counter[str]  # by host
    images: Counter[str]  # by host
    statuses: Counter[str]
    failures: Counter[str]  # by reason
    refusals: Counter[str]  # addresses that a signal of their owner kept us from, by signal
    first: str  # dates
    last: str


def follow_pages(folder: Path) -> Iterator[FetchedPage]:
    """Give the pages that were fetched, in order."""
    query = f"SELECT * FROM visits WHERE kind = 0 AND {KEPT} ORDER BY fetched_at, number"  # noqa: S608 -- constants
    with ExitStack() as opened:
        shards = []
        for path in find_stores(folder):
            rows = opened.enter_context(looking_into(path)).execute(query)
            shards.append(_read_visits(rows, path.parent.name))
        yield from heapq.merge(*shards, key=lambda visit: visit.fetched_at)


def _read_visits(rows: Iterator[dict[str, object]], shard: str) -> Iterator[FetchedPage]:
    for row in rows:
        facts = json.loads(str(row["facts"]))
        yield FetchedPage(
            str(row["url"]),
            str(row["fetched_at"]),
            facts.get("language") or "",
            row["duplicate_of"] is not None,
            bool(facts.get("withheld")),
            f"{shard}/{row['file']}" if row["file"] else "",
            int(str(row["place"])),
            int(str(row["length"])),
        )


def count_pages(folder: Path) -> int:
    """Return how many pages `follow_pages` gives."""
    total = 0
    for path in find_stores(folder):
        with looking_into(path) as db:
            query = f"SELECT count(*) FROM visits WHERE kind = 0 AND {KEPT}"  # noqa: S608 -- constants
            total += db.execute(query).fetchone()[0]
    return total


def count_crawl(folder: Path) -> CrawlCounts:
    """Count what a crawl came to."""
    processed: Counter[str] = Counter()
    hosts: dict[int, Counter[str]] = {PAGE: Counter(), IMAGE: Counter()}
    statuses: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    size = 0
    for path in find_stores(folder):
        with looking_into(path) as db:
            asked = db.execute(
                "SELECT kind, count(*) FROM urls WHERE state IN (?, ?) GROUP BY kind",
                (DONE, FAILED),
            )
            for kind, count in asked:
                processed[KINDS[kind]] += count
            reasons = db.execute(
                "SELECT why, count(*) FROM urls WHERE state IN (2, 3) AND state = 2 GROUP BY why"
            )
            failures.update(dict(reasons.fetchall()))
            for status, count, some in db.execute(
                "SELECT status, count(*), sum(bytes) FROM visits GROUP BY status"
            ):
                statuses[str(status)] += count
                size += some or 0
            for kind, url in db.execute(f"SELECT kind, url FROM visits WHERE {KEPT}"):  # noqa: S608 -- constants
                hosts[kind][host_of(url)] += 1
            for (decision,) in db.execute("SELECT decision FROM consent"):
                refusals.update(json.loads(decision).get("reasons", ()))
    seconds, first, last = _count_seconds(folder)
    found = hosts[PAGE], hosts[IMAGE], statuses, failures, refusals
    return CrawlCounts(processed, size, seconds, *found, first, last)


def _count_seconds(folder: Path) -> tuple[float, str, str]:
    """Return how long a crawl was at work, and its first and last moment."""
    first = last = ""
    total, before = 0.0, None
    with ExitStack() as opened:
        moments = [
            opened.enter_context(looking_into(path)).execute(
                "SELECT fetched_at FROM visits ORDER BY fetched_at"
            )
            for path in find_stores(folder)
        ]
        for (moment,) in heapq.merge(*moments, key=lambda row: row[0]):
            now = datetime.fromisoformat(moment).timestamp()
            if before is not None and now - before < LONG_BREAK_S:
                total += now - before
            first, last, before = first or moment, moment, now
    return total, first, last
