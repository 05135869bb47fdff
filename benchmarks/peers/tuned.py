"""Scrapy, tuned, doing what our crawl does with our functions: read, judge, archive, log, queue.

In: a collection with a learned topic, a proxy. Out: an archive and a store like ours, in FOLDER.
What is not needed is off: middlewares, extensions, statistics, its filter of duplicates, the cache
of names. The download handler is its quickest. The queue is ours (its engine asks our frontier
instead of its scheduler) or its own, in memory, which forgets all when it ends.

    python -m benchmarks.peers.tuned COLLECTION FOLDER PROXY QUEUE    QUEUE: ours, scrapy
"""

import sys
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Response

from blickfang.config import Collection, open_collection
from blickfang.crawl.focus import make_strategy
from blickfang.crawl.focus.judged_values import NEW_HOST, HostState
from blickfang.crawl.frontier.candidates import (
    BEYOND_BUCKET,
    DONE,
    IMAGE,
    PAGE,
    Candidate,
    QueuedUrl,
)
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.page_judge import know, make_judge
from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.archiving import Archiving
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.io.urls import host as host_of
from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange, to_response
from blickfang.types import Failure

COMMIT_S = 0.5  # as ours
NEVER = -1000  # the priority of images, which are queued, but not fetched
AT_ONCE = 32  # as ours; 8, 16 and 64 are not quicker
QUICKEST = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"
SETTINGS: dict[str, Any] = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": AT_ONCE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
    "DNSCACHE_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES_BASE": {},
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_HANDLERS": {"http": QUICKEST},
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "EXTENSIONS_BASE": {},
    "LOG_ENABLED": False,
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "SPIDER_MIDDLEWARES_BASE": {},
    "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
    "TELNETCONSOLE_ENABLED": False,
}


class Kept:
    """What our shard keeps, without its loop, its manners and its fetching."""

    def __init__(self, collection: Collection, folder: Path) -> None:
        settings = collection.settings
        knowledge = know(collection)
        mode = settings.crawl.mode
        self.strategy = make_strategy(mode, knowledge, settings.score, settings.focus)
        images = settings.images
        sizes = (images.min_width, images.min_height, images.max_width, images.max_height)
        self.judge = make_judge(self.strategy, sizes, knowledge)
        self.store = StateDb(folder / "state.sqlite")
        archive = ArchiveWriter.open(folder, "peer", None, {})
        self.archiving = Archiving(self.store, archive)
        self.frontier = Frontier(self.store, self.strategy)
        self.frontier.allow_images(False)
        self.frontier.add(
            Candidate(url, host_of(url), PAGE, 0, float(number), why="seed")
            for number, url in enumerate(settings.crawl.seeds)
        )
        self.commit_at = 0.0

    def take(self, candidate: Candidate, answer: Exchange, state: HostState) -> Judgement | None:
        """Judge a page and keep it."""
        found = self.judge(to_response(answer), candidate.host, state)
        if isinstance(found, Failure):
            self.archiving.keep(candidate, answer, {})
            return None
        likeness = self.archiving.copies.compare(found, answer.url, again=False)
        facts = found.facts | likeness.facts
        self.archiving.keep(candidate, answer, facts, judged=found.judged, likeness=likeness)
        if time.monotonic() > self.commit_at:
            self.archiving.commit()
            self.commit_at = time.monotonic() + COMMIT_S
        return found

    def pick(self, page: Candidate, found: Judgement) -> Iterator[Candidate]:
        """Give the links and images of a page that are worth more than is known of them."""
        named = (
            (PAGE, found.links, found.link_hosts, found.judged.links),
            (IMAGE, found.images, found.image_hosts, found.judged.images),
        )
        for kind, urls, hosts, orders in named:
            known = self.frontier.known.orders[kind]
            columns = orders.buckets.tolist(), orders.scores.tolist(), orders.priors.tolist()
            for url, host, bucket, score, prior in zip(urls, hosts, *columns, strict=True):
                before = known.get(url)
                place = (bucket if bucket >= 0 else BEYOND_BUCKET, score)
                if before is None or before > place:
                    yield Candidate(url, host, kind, bucket, score, prior, page.depth + 1, page.url)

    def learn(self, host: str, found: Judgement) -> None:
        """Note what a page says of its host."""
        state = self.strategy.observe(self.frontier.host(host).state, found.judged)
        sample = found.judged.sample
        if sample is not None:
            self.strategy.keep(sample)
            self.archiving.keep_sample(self.strategy.kept_in, sample)
        self.frontier.learn({host: state})


class OurQueue(BaseScheduler):
    """Our frontier in the place of Scrapy's scheduler."""

    kept: ClassVar[Kept]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OurQueue":  # noqa: ARG003
        """Return a scheduler."""
        return cls()

    def has_pending_requests(self) -> bool:
        """Whether anything is queued."""
        return sum(self.kept.frontier.queued) > 0

    def enqueue_request(self, request: Request) -> bool:  # noqa: ARG002
        """Take nothing: what is found goes into the frontier without becoming a request."""
        return True

    def next_request(self) -> Request | None:
        """Return what to fetch next."""
        choice = self.kept.frontier.choose(probe=False)
        return None if choice is None else ask(choice.candidate, choice)


class Tuned(Spider):
    """Reads, judges and keeps each page; queues its links."""

    name = "tuned"
    kept: Kept
    is_ours: bool  # the queue

    async def start(self) -> Any:
        """Give the seeds."""
        if self.is_ours:
            yield ask(Candidate("http://nowhere.test/", "nowhere.test"), None)  # not taken
        for number, url in enumerate(() if self.is_ours else self.seeds()):
            yield ask(Candidate(url, host_of(url), score=float(number)), None)

    def seeds(self) -> list[str]:
        """Return the addresses of the seeds."""
        return [row[0] for row in self.kept.store.db.execute("SELECT url FROM urls")]

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Keep a page and queue its links."""
        kept, candidate = self.kept, response.meta["candidate"]
        answer = exchange_of(response, response.meta["asked"])
        if not self.is_ours:
            found = kept.take(candidate, answer, NEW_HOST)
            if found is not None:
                yield from self.follow_all(candidate, found)
            return
        choice = response.meta["choice"]
        found = kept.take(candidate, answer, kept.frontier.host(candidate.host).state)
        kept.frontier.settle(choice, DONE)
        if found is not None:
            kept.learn(candidate.host, found)
            kept.frontier.add(kept.pick(candidate, found))
        kept.frontier.release(candidate.host, 0.0)

    def follow_all(self, page: Candidate, found: Judgement) -> Iterator[Request]:
        """Give the links and images of a page to Scrapy's own queue, each address once."""
        for candidate in self.kept.pick(page, found):
            known = self.kept.frontier.known.orders[candidate.kind]
            is_new = candidate.url not in known
            known[candidate.url] = (candidate.bucket, candidate.score)  # type: ignore[assignment]
            if is_new:
                yield ask(candidate, None)


PROXY = ""


def ask(candidate: Candidate, choice: QueuedUrl | None) -> Request:
    """Return the request for something."""
    meta = {
        "proxy": PROXY,
        "candidate": candidate,
        "choice": choice,
        "asked": time.time(),
    }
    priority = NEVER if candidate.kind == IMAGE else -candidate.bucket
    return Request(candidate.url, meta=meta, priority=priority, dont_filter=True)


def exchange_of(response: Response, asked: float) -> Exchange:
    """Return request and answer as our archive keeps them."""
    lines = [f"GET {response.url} HTTP/1.1", "User-Agent: Scrapy", "", ""]
    head = b"HTTP/1.1 %d OK\r\n%b\r\n\r\n" % (response.status, response.headers.to_string())
    moment = datetime.fromtimestamp(asked, UTC).isoformat(timespec="milliseconds")
    return Exchange(
        url=response.url,
        request_head="\r\n".join(lines).encode(),
        response_head=head,
        status=response.status,
        headers={
            name.decode().lower(): b", ".join(v).decode() for name, v in response.headers.items()
        },
        body=response.body,
        ip="",
        fetched_at=moment.replace("+00:00", "Z"),
        first_byte_s=0.0,
        total_s=0.0,
    )


def main() -> None:
    """Crawl until the process is ended."""
    global PROXY
    collection, folder, PROXY, queue = sys.argv[1:5]
    kept = Kept(open_collection(Path(collection)), Path(folder))
    OurQueue.kept = Tuned.kept = kept
    Tuned.is_ours = queue == "ours"
    settings = {**SETTINGS, "SCHEDULER": OurQueue} if Tuned.is_ours else SETTINGS
    warnings.simplefilter("ignore")  # the handler is called experimental
    process = AsyncCrawlerProcess(settings)
    process.crawl(Tuned)
    process.start()


if __name__ == "__main__":
    main()
