"""How a crawl stands, read from its stores while it runs or later, without reading anything twice.

In: the folder of a crawl. Out: `View`s: counts, curves, hosts, failures, the latest images. Rows of
visits are taken in as they come; what must be counted anew is counted seldom where it is slow.
"""

import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.crawl.frontier.candidates import IMAGE, PAGE
from blickfang.crawl.state.control import is_at_work, read_wish
from blickfang.crawl.state.crawl_queries import find_stores
from blickfang.crawl.state.state_db import IS_HTML, looking_into
from blickfang.errors import InputError

RECENT = 24  # images
RATE_S = 30.0  # over which pages a second are counted
MOST_HOSTS = 200
SELDOM = 20  # times as long as counting took, before it is counted again
AT_LEAST_S = 1.0
VISITS = (
    "SELECT number, kind, url, fetched_at, bytes, perplexity, relevance, duplicate_of, "  # noqa: S608 -- constants
    f"facts != '' AND {IS_HTML} AS is_page "
    "FROM visits WHERE number > ? AND status IN (200, 304) ORDER BY number LIMIT 200000"
)
HOSTS = (
    "SELECT id, name, pages, fetches, taken, sleeps_until, "
    "CASE WHEN evidence > 0 THEN worth / evidence END AS relevance FROM hosts"
)
TROUBLES = "SELECT host, state, why, count(*) FROM urls WHERE state IN (2, 3) GROUP BY 1, 2, 3"
QUEUE = "SELECT host, kind, bucket, count(*) FROM urls WHERE state = 0 GROUP BY 1, 2, 3"


class CurvePoint(NamedTuple):
    """A page, as curves need it."""

    at: float  # seconds since 1970
    perplexity: float | None
    relevance: float | None


class HostRow(NamedTuple):
    """What became of a host."""

    name: str
    pages: int
    asked: int
    queued: int
    refused: int
    failed: int
    relevance: float | None
    sleeps_s: float  # it is left alone for so long
    why: str  # what stands in the way most


@dataclass(slots=True)
class View:
    """A crawl at one moment."""

    state: str  # running, paused, stopping, at rest, none
    pages: list[CurvePoint] = field(default_factory=list)  # in order of time
    images: int = 0
    bytes: int = 0
    duplicates: int = 0
    recent: list[str] = field(default_factory=list)  # addresses of images, latest first
    buckets: dict[int, int] = field(default_factory=dict)
    queued: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[str, int]] = field(default_factory=list)
    hosts: list[HostRow] = field(default_factory=list)
    hosts_seen: int = 0

    @property
    def pages_per_s(self) -> float:
        """Pages a second, of late where it runs, over all where it rests."""
        if len(self.pages) < 2:
            return 0.0
        if self.state != "running":
            took = self.pages[-1].at - self.pages[0].at
            return len(self.pages) / took if took > 0 else 0.0
        since = time.time() - RATE_S
        late = 0
        for visit in reversed(self.pages):
            if visit.at < since:
                break
            late += 1
        return late / min(RATE_S, max(1.0, time.time() - self.pages[0].at))

    def on_topic(self, least: float) -> tuple[int, int]:
        """Return how many pages are on topic, and of how many that is known."""
        rated = [visit.relevance for visit in self.pages if visit.relevance is not None]
        return sum(value >= least for value in rated), len(rated)


class Watched:
    """A crawl that is looked at again and again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self.last: dict[Path, int] = {}
        self.view = View("none")
        self.images: list[tuple[float, str]] = []
        self.looked_at, self.counted_at, self.cost = 0.0, 0.0, 0.0

    def look(self) -> View:
        """Return how the crawl stands now."""
        with self.lock:
            if time.monotonic() - self.looked_at >= AT_LEAST_S / 2:
                self._look()
                self.looked_at = time.monotonic()
            return self.view

    def _look(self) -> None:
        try:
            stores = find_stores(self.folder)
            self.view.state = self._name_state()
            for path in stores:
                self._take_visits(path)
            since = time.monotonic() - self.counted_at
            if since >= max(AT_LEAST_S, SELDOM * self.cost):
                started = time.monotonic()
                self._count(stores)
                self.counted_at, self.cost = time.monotonic(), time.monotonic() - started
        except InputError:  # there is no crawl, or it has only just begun
            return

    def _name_state(self) -> str:
        if not is_at_work(self.folder):
            return "at rest"
        wish = read_wish(self.folder)
        return {"pause": "paused", "stop": "stopping"}.get(wish, "running")

    def _take_visits(self, path: Path) -> None:
        """Take in what was fetched since the last look."""
        with looking_into(path) as db:
            rows = db.execute(VISITS, (self.last.get(path, 0),)).fetchall()
        for row in rows:
            self.last[path] = row["number"]
            self.view.bytes += row["bytes"]
            at = _read_time(row["fetched_at"])
            if row["kind"] == IMAGE:
                self.view.images += 1
                self.images.append((at, row["url"]))
            elif row["kind"] == PAGE and row["is_page"]:
                self.view.pages.append(CurvePoint(at, row["perplexity"], row["relevance"]))
                self.view.duplicates += row["duplicate_of"] is not None
        if rows:
            self.view.pages.sort(key=lambda visit: visit.at)  # nearly sorted, so it is quick
            self.images = sorted(self.images)[-RECENT:]
            self.view.recent = [url for _, url in reversed(self.images)]

    def _count(self, stores: list[Path]) -> None:
        """Count what changes as a whole: queue, hosts, failures."""
        buckets: Counter[int] = Counter()
        queued: Counter[str] = Counter(page=0, image=0)
        failures: Counter[str] = Counter()
        hosts: list[HostRow] = []
        for path in stores:
            with looking_into(path) as db:
                rows = _read_hosts(db, buckets, queued, failures)
            hosts += [row for row in rows if row.asked or row.refused or row.failed]
        view = self.view
        view.buckets, view.queued = dict(sorted(buckets.items())), dict(queued)
        view.failures = failures.most_common()
        view.hosts_seen = len(hosts)
        hosts.sort(key=lambda row: (-row.pages, -row.asked, row.name))
        view.hosts = hosts[:MOST_HOSTS]


def _read_hosts(
    db: sqlite3.Connection, buckets: Counter[int], queued: Counter[str], failures: Counter[str]
) -> list[HostRow]:
    """Return the hosts of a store; count its queue and its failures along the way."""
    waiting: Counter[int] = Counter()
    for host, kind, bucket, count in db.execute(QUEUE):
        waiting[host] += count
        queued["page" if kind == PAGE else "image"] += count
        if kind == PAGE:
            buckets[bucket] += count
    troubles: dict[int, Counter[str]] = {}
    sums: dict[int, list[int]] = {}
    for host, state, why, count in db.execute(TROUBLES):
        reason = why.partition(" http")[0]  # of redirects only that it was one
        failed = state == 2
        sums.setdefault(host, [0, 0])[failed] += count
        troubles.setdefault(host, Counter())[reason] += count
        failures[reason if failed else f"not asked: {reason}"] += count
    now = time.time()
    return [_make_row(row, waiting, sums, troubles, now) for row in db.execute(HOSTS)]


def _make_row(
    row: Any,
    waiting: Counter[int],
    sums: dict[int, list[int]],
    troubles: dict[int, Counter[str]],
    now: float,
) -> HostRow:
    refused, failed = sums.get(row["id"], (0, 0))
    most = troubles.get(row["id"], Counter()).most_common(1)
    return HostRow(
        name=row["name"],
        pages=row["pages"],
        asked=row["fetches"],
        queued=waiting[row["id"]],
        refused=refused,
        failed=failed,
        relevance=row["relevance"],
        sleeps_s=max(0.0, row["sleeps_until"] - now),
        why=f"{most[0][0]} ({most[0][1]})" if most else "",
    )


def _read_time(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
