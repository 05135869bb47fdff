"""Webs made by hand, and crawls of them in this process: what the tests of the crawl share.

In: what each address answers. Out: a proxy on 127.0.0.1 that plays all hosts, with a log; shards
and their coordinator in one event loop; what stands in the archive afterwards.
"""

import asyncio
import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np
import uvloop
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus.judged_values import HostState, JudgedPage
from blickfang.crawl.focus.strategy import order_alike
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import Ended, Message
from blickfang.crawl.shards.shard import Shard
from blickfang.crawl.shards.shard_config import Setup
from blickfang.crawl.state.crawl_queries import count_before
from blickfang.crawl.state.state_db import key_of
from blickfang.crawl.visit.page_verdict import Judge, Judgement
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import hash_texts
from blickfang.demo.serve import Server, serve
from blickfang.demo.truth import Answer
from blickfang.io.urls import host as host_of
from blickfang.io.urls import resolve
from blickfang.io.warc import Archived, read_archive
from blickfang.types import Failure, Response

HREF = re.compile(rb'href="([^"]*)"')
SRC = re.compile(rb'src="([^"]*)"')
META = re.compile(r'<meta name="([^"]*)" content="([^"]*)"')
SIZES = (1, 1, 10_000, 10_000)
# The smallest GIF there is, and a little more, so that two of them differ.
GIF = bytes.fromhex("47494638396101000100800000ffffff00000021f90400000000002c00000000010001000002")

Reply = Answer | Callable[[int], Answer]  # a function is told how often it was asked before


def page(*links: str, images: tuple[str, ...] = (), text: str = "", head: str = "") -> Answer:
    """Return a page that links to some addresses and shows some images."""
    anchors = "".join(f'<a href="{link}">there</a> ' for link in links)
    shown = "".join(f'<img src="{image}">' for image in images)
    html = f"<!doctype html><title>A page</title>{head}<p>{text}</p>{anchors}{shown}"
    return Answer(200, (("Content-Type", "text/html; charset=utf-8"),), html.encode())


def text(words: str, status: int = 200, *headers: tuple[str, str]) -> Answer:
    """Return a plain text, as robots.txt is one, or an error."""
    return Answer(status, (("Content-Type", "text/plain"), *headers), words.encode())


def moved(target: str, status: int = 301) -> Answer:
    """Return a redirect."""
    return Answer(status, (("Location", target), ("Content-Type", "text/html")), b"moved")


def picture(name: str) -> Answer:
    """Return an image."""
    return Answer(200, (("Content-Type", "image/gif"),), GIF + name.encode() * 50)


def failing(times: int, then: Answer, status: int = 500) -> Callable[[int], Answer]:
    """Return an error for the first times, then an answer."""
    return lambda before: text("not now", status) if before < times else then


class Sites:
    """Answers by a table; hosts without a robots.txt in it answer 404 for theirs."""

    def __init__(self, replies: Mapping[str, Reply], wait_s: float = 0.0) -> None:
        self.replies, self.wait_s = dict(replies), wait_s
        self.waits: dict[str, float] = {}
        self.asked: list[str] = []  # every address, in order
        self.times: list[float] = []
        self._counts: Counter[str] = Counter()

    def delay_s(self, url: str) -> float:
        """Return how long an answer takes."""
        return self.waits.get(url, self.wait_s)

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer a request."""
        del headers
        self.asked.append(url)
        self.times.append(time.monotonic())
        reply = self.replies.get(url) or text("nothing here", 404)
        before = self._counts[url]
        self._counts[url] += 1
        return reply(before) if callable(reply) else reply

    def count(self, url: str) -> int:
        """Return how often an address was asked for."""
        return self._counts[url]

    def pages_asked(self) -> list[str]:
        """Return what was asked for but for the files that hold the rules of hosts."""
        rules = ("/robots.txt", "/.well-known/tdmrep.json", "/ai.txt")
        return [url for url in self.asked if not url.endswith(rules)]


class Busy(Sites):
    """Counts how many requests are there at once."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        super().__init__(replies, 0.02)
        self.most = self.now = 0
        self._lock = Lock()

    def delay_s(self, url: str) -> float:
        """Count a request that begins."""
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        return super().delay_s(url)

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Count a request that ends."""
        with self._lock:
            self.now -= 1
        return super().answer(url, headers)


@contextmanager
def serving(sites: Any) -> Iterator[Server]:
    """Serve a web as a proxy."""
    with serve(sites) as server:
        yield server


def judge_simply(response: Response, host: str, state: HostState) -> Judgement | Failure:
    """Read links and images by their looks; all are alike, in the order in which they came."""
    del host, state
    body = response.body.decode("utf-8", "replace")
    if "unreadable" in body:
        return Failure(response.url, "page", "not readable")
    links = resolve_all(response, HREF)
    images = resolve_all(response, SRC)
    words = body.partition("<p>")[2].partition("</p>")[0]
    now = time.time()
    return Judgement(
        judged=JudgedPage(
            1.0,
            2.0,
            None,
            0.5,
            0.5,
            order_alike(np.full(len(links), now)),
            order_alike(np.full(len(images), now)),
            None,
        ),
        links=links,
        link_hosts=[host_of(url) for url in links],
        images=images,
        image_hosts=[host_of(url) for url in images],
        unwanted={},
        metas=dict(META.findall(body)),
        licences=(),
        text_key=key_of(words) if len(words) > 100 else None,
        sketch=sketch(hash_texts([words]))[0] if len(words) > 100 else None,
        needs_rendering=False,
        facts={"title": "A page"},
    )


def resolve_all(response: Response, pattern: re.Pattern[bytes]) -> list[str]:
    """Return the addresses on a page, each once."""
    found = (resolve(response.url, match.decode()) for match in pattern.findall(response.body))
    return list(dict.fromkeys(url for url in found if url and url != response.url))


class Local:
    """Shards and their coordinator in one event loop: mail is carried, nothing is lost."""

    def __init__(
        self, folder: Path, options: CrawlOptions, count: int, judge: Judge | None = None
    ) -> None:
        self.folder, self.options, self.count = folder, options, count
        self.judge = judge or judge_simply
        self.mail: deque[Message] = deque()
        self.shards: list[Shard] = []
        self.errors: list[BaseException] = []

    def setup(self, number: int) -> Setup:
        """Return what a shard is made of."""
        return Setup(
            number=number,
            count=self.count,
            folder=self.folder / f"shard-{number:02d}",
            options=self.options,
            seeds=self.options.seeds,
            picture_sizes=SIZES,
            user_agent="Blickfang/0 (+http://127.0.0.1/)",
            about={},
        )

    async def crawl(self, limit_s: float, watch: Callable[["Local"], None]) -> Coordinator:
        """Crawl to the end; one that takes too long is stopped, and fails."""
        before = count_before(self.folder)
        self.coordinator = Coordinator(self.options, self.count, self._send, before)
        self.shards = [
            Shard(self.setup(number), Unfocused(), self.judge, self.mail.append)
            for number in range(self.count)
        ]
        tasks = [asyncio.create_task(self._run(shard)) for shard in self.shards]
        end = time.monotonic() + limit_s
        while not self.coordinator.is_over:
            while self.mail:
                self.coordinator.take(self.mail.popleft())
            watch(self)
            if time.monotonic() > end and self.coordinator.stopping is None:
                self.coordinator.stop("out of time", at_once=True)
            await asyncio.sleep(0.005)
        await asyncio.gather(*tasks)
        if self.errors:
            raise self.errors[0]
        return self.coordinator

    async def _run(self, shard: Shard) -> None:
        error = ""
        try:
            await shard.run()
        except Exception as found:
            self.errors.append(found)
            error = str(found)
        self.mail.append(Ended(shard.setup.number, error))

    def _send(self, shard: int, message: Message) -> None:
        self.shards[shard].deliver(message)


def settings(server: Server | None, *seeds: str, **more: Any) -> CrawlOptions:
    """Return settings for a web on 127.0.0.1."""
    wanted: dict[str, Any] = {
        "seeds": seeds,
        "proxy": server.address if server else "",
        "allow_private": True,
        "delay_s": 0.0,
        "purpose": "search",
        "min_disk_mb": 0.0,
        "max_pages": 0,
        "mode": "unfocused",
        "render": "never",
        **more,
    }
    return CrawlOptions(**wanted)


def write_collection(root: Path, server: Server, *seeds: str, **more: Any) -> None:
    """Write a collection whose settings suit a web on 127.0.0.1; it needs no topic."""
    write_settings(root, settings(server, *seeds, **more))


def write_settings(root: Path, wanted: CrawlOptions) -> None:
    """Write a collection with these settings of a crawl."""
    options = asdict(wanted)
    lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    sizes = ["[images]", "min_width = 1", "min_height = 1"]
    root.mkdir(parents=True, exist_ok=True)
    (root / "blickfang.toml").write_text("\n".join(["[crawl]", *lines, *sizes, ""]), "utf-8")


def crawl_here(
    folder: Path,
    options: CrawlOptions,
    *,
    shards: int = 1,
    limit_s: float = 10.0,
    watch: Callable[[Local], None] = lambda _: None,
    judge: Judge | None = None,
) -> Coordinator:
    """Crawl in this process; return the coordinator as it ended, which was not out of time."""
    local = Local(folder, options, shards, judge)
    with (
        patch("blickfang.crawl.shards.shard.COMMIT_S", 0.05),  # letters wait for it
        patch("blickfang.crawl.shards.shard.REPORT_S", 0.03),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        coordinator = runner.run(local.crawl(limit_s, watch))
    standing = coordinator.standing()
    assert standing.stopping != "out of time", standing
    return coordinator


def archived(folder: Path) -> list[tuple[str, int]]:
    """Return the addresses and states of all answers in the archive, read without complaint."""
    found = []
    for path in sorted(folder.glob("shard-*/*.warc.gz")):
        for record in read_archive(path):
            assert isinstance(record, Archived), record
            found.append((record.url, record.status))
    return found


def archived_by_warcio(folder: Path) -> list[tuple[str, int]]:
    """Return the same as another reader sees it, which checks the digests."""
    found = []
    for path in sorted(folder.glob("shard-*/*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type in ("response", "revisit"):
                    record.content_stream().read()
                    status = int(record.http_headers.get_statuscode())
                    found.append((record.rec_headers.get_header("WARC-Target-URI"), status))
    return found
