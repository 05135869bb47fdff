"""A few things, fetched with the manners of a crawl but without one: pages to learn from, papers.

In: addresses. Out: an `Exchange` for each as it comes, redirects followed; failures.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

import uvloop

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.early_stop import pick_page
from blickfang.crawl.fetch.fetcher import make_fetcher
from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.fetch.streamed_answer import CLOSED, Stop
from blickfang.crawl.frontier.backoff import BROKEN_OFF, LATER, TRANSIENT
from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.gate import (
    BUSY,
    NOT_THE_HOST,
    REDIRECTS,
    Gate,
    Silence,
    name_refusal,
)
from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.page_fetcher import MAX_HOPS
from blickfang.io.urls import host, resolve
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure

NONE_S = 0.0  # no pause of a host is sat out on a place: it is for others meanwhile
LEFT_ALONE = "it asked to be left alone for longer than max_delay_s"
LENIENCE = 1.1  # the asker makes pauses a little longer than hosts ask for

T = TypeVar("T")


class HostSlots:
    """Who may be asked now: so many hosts at once, and fewer of one address."""

    def __init__(self, asker: Asker, hosts: int) -> None:
        """`asker` must have no patience (`NONE_S`), but answer `Later`."""
        self.asker = asker
        self.longest_s = LENIENCE * max(asker.options.max_delay_s, asker.options.delay_s)
        self._of_all = asyncio.Semaphore(hosts)
        self._of_address = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(asker.options.per_address)
        )
        self._of_host = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def ask(self, host: str, ask: Callable[[], Awaitable[T]]) -> T | Later:
        """Ask a host until it does not say: later; or for how long, if that is too long.

        Whoever waits for its pause keeps nobody waiting.
        """
        async with self._of_all:
            await self.asker.find_address(host)
        while True:
            async with self._take(host):
                pause_s = self.asker.pause_left(host)
                answer = Later(pause_s) if pause_s > NONE_S else await ask()
            if not isinstance(answer, Later) or answer.pause_s > self.longest_s:
                return answer
            await asyncio.sleep(answer.pause_s)

    @asynccontextmanager
    async def _take(self, host: str) -> AsyncIterator[None]:
        """Hold a place of a host."""
        address = self.asker.pace.clocks[host].ip or host  # a proxy knows the addresses, not we
        async with self._of_host[host], self._of_address[address], self._of_all:
            yield


HOSTS = 8  # that are asked at the same time: a slow one holds up nobody

Keep = Callable[[str, Exchange], Failure | None]  # says why it did not, if it did not
Advance = Callable[[int, int], None]  # told how many were asked for, of how many


class FetchSpec(NamedTuple):
    """What is fetched, and how much of it."""

    stop: Stop = pick_page  # says of an answer why it is not worth reading to its end
    limit: int | None = None  # bytes; what is beyond is cut


PAGES = FetchSpec()


class RetryLater(NamedTuple):
    """Something that may be had later, in how many seconds."""

    failure: Failure
    pause_s: float


def stay_silent(done: int, total: int) -> None:
    """Show no progress."""


def fetch_few(
    urls: Sequence[str],
    options: CrawlOptions,
    user_agent: str,
    keep: Keep,
    advance: Advance = stay_silent,
) -> dict[str, Failure]:
    """Fetch pages from some hosts at once, each in its pace; return what could not be had.

    Each page is handed to `keep` as soon as it is there, which may refuse it. What may be there in
    a moment is asked for again, after pauses that grow.
    """
    with Few(options, user_agent) as few:
        return few.fetch(urls, keep, advance)


class Few:
    """Fetches things now and then; what hosts allow, and when they were asked, is remembered."""

    def __init__(self, options: CrawlOptions, user_agent: str) -> None:
        self._options, self._user_agent = options, user_agent

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._store = StateDb(Path(":memory:"))
        self._runner.run(self._open())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._fetcher.__aexit__(kind, error, trace))
        self._runner.close()
        self._store.close()

    async def _open(self) -> None:
        options = self._options
        fetcher = make_fetcher(self._user_agent, options)
        self._fetcher = await fetcher.__aenter__()
        gate = Gate(self._store, options)
        self._asker = Asker(options, gate, fetcher, resumed=False, patience_s=NONE_S)

    def fetch(
        self,
        urls: Sequence[str],
        keep: Keep,
        advance: Advance = stay_silent,
        wish: FetchSpec = PAGES,
    ) -> dict[str, Failure]:
        """Fetch what is wished for; return what could not be had."""
        return self._runner.run(self._fetch_all(urls, keep, advance, wish))

    async def _fetch_all(
        self, urls: Sequence[str], keep: Keep, advance: Advance, wish: FetchSpec
    ) -> dict[str, Failure]:
        places = HostSlots(self._asker, HOSTS)
        failures: dict[str, Failure] = {}
        done = 0
        waiting: dict[str, list[str]] = defaultdict(list)
        for url in urls:
            waiting[host(url)].append(url)

        async def visit(wanted: list[str]) -> None:
            nonlocal done
            for url in wanted:
                found = await _fetch(places, url, wish)
                failure = found if isinstance(found, Failure) else keep(url, found)
                if failure is not None:
                    failures[url] = failure
                done += 1
                advance(done, len(urls))

        advance(0, len(urls))
        await asyncio.gather(*(visit(wanted) for wanted in waiting.values()))
        return {url: failures[url] for url in urls if url in failures}


async def _fetch(places: HostSlots, url: str, wish: FetchSpec) -> Exchange | Failure:
    """Fetch something, wherever it has moved to."""
    asker = places.asker
    tries = hops = 0
    while hops <= MAX_HOPS:
        found = await places.ask(host(url), partial(_ask, asker, url, wish))
        if isinstance(found, Later):
            return Failure(url, "fetch", LEFT_ALONE)
        if isinstance(found, RetryLater):
            if tries >= asker.options.retries or found.pause_s > places.longest_s:
                return found.failure
            tries += 1
            await asyncio.sleep(found.pause_s)
            continue
        if isinstance(found, Failure):
            return found
        target = resolve(url, found.headers.get("location", ""))
        if found.status not in REDIRECTS or target is None:
            bad = found.status != 200
            return Failure(url, "fetch", f"status {found.status}") if bad else found
        url = target
        hops += 1
    return Failure(url, "fetch", "too many redirects")


async def _ask(asker: Asker, url: str, wish: FetchSpec) -> Exchange | Failure | RetryLater | Later:
    """Ask for an address once, if its host may be asked now."""
    refusal = await asker.permit(url, host(url))
    if isinstance(refusal, Later):
        return refusal
    if refusal:
        failure = Failure(url, "consent", name_refusal(refusal))
        if isinstance(refusal, Silence) and refusal.reason not in NOT_THE_HOST:
            return _put_off(asker, failure, refusal.retry_s, is_busy=refusal.is_busy)
        return failure
    pause_s = asker.pause_left(host(url))
    if pause_s > NONE_S:
        return Later(pause_s)
    answer = await asker.ask(url, host(url), limit=wish.limit, stop=wish.stop)
    if isinstance(answer, Failure):
        is_passing = answer.reason in TRANSIENT
        return _put_off(asker, answer, None, is_busy=False) if is_passing else answer
    if answer.status in LATER:
        failure = Failure(url, "fetch", f"status {answer.status}")
        asked_s = retry_after(answer.headers, time.time())
        is_busy = answer.status in BUSY or asked_s is not None
        return _put_off(asker, failure, asked_s, is_busy=is_busy)
    if answer.truncated in BROKEN_OFF:
        return _put_off(asker, Failure(url, "fetch", CLOSED), None, is_busy=False)
    return answer


def _put_off(asker: Asker, failure: Failure, asked_s: float | None, *, is_busy: bool) -> RetryLater:
    """Say when to ask again; who is busy is left alone until then, whatever is wanted of it."""
    name, origin = host(failure.url), origin_of(failure.url)
    pause_s = asker.pace.pause_after_trouble(name, origin, asked_s)
    if is_busy:
        asker.rest(name, pause_s)
    return RetryLater(failure, pause_s)
