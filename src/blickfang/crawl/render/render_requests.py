"""What a page asks for while its scripts run, and what it is given.

In: the requests of a browser page, and `ask`, which fetches under the rules of the crawl. Out: the
answers. Scripts and data are asked for, one at a time of each host; images and styles are answered
with empty ones, for scripts that wait for them; a page that wants to leave stays; all else is
refused, and so is what exceeds limits.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from blickfang.io.chromium import DROPPED
from blickfang.io.urls import canonical, resolve
from blickfang.io.urls import host as host_of
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure

MAX_HOPS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
FLOOD = 50  # times the limit of requests: so many are refused one by one, then the page is stopped
KEPT_S = 3600.0  # how long a script serves other pages, too
WANTED = {"script": "script", "xhr": "data", "fetch": "data"}  # of the browser's kinds, ours
PIXEL = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)
# To go elsewhere: this leaves the page as it is. Refused, it would give way to the browser's own
# page of errors.
STAY: tuple[int, dict[str, str], bytes] = (204, {}, b"")
BLANKS = {"image": ("image/gif", PIXEL), "stylesheet": ("text/css", b"")}
# Headers that would have the browser do more than show a page.
SILENCED = DROPPED | {
    "alt-svc",
    "clear-site-data",
    "content-disposition",
    "nel",
    "report-to",
    "reporting-endpoints",
    "strict-transport-security",
}
# They draw nothing.
COUNTERS = re.compile(
    r"//[\w.-]*(?:google-analytics|googletagmanager|googlesyndication|doubleclick|clarity|hotjar"
    r"|cloudflareinsights|scorecardresearch|facebook|quantserve|statcounter)\.(?:com|net|ms)/"
    r"|/(?:matomo|piwik|gtag|analytics|fbevents)(?:\.min)?\.js"
)

Ask = Callable[[str, str], Awaitable[Exchange | Failure]]  # of an address and "script" or "data"


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """What rendering may cost."""

    pages: int = 2  # at once
    seconds: float = 60.0  # for a page, with all it waits for
    stuck_s: float = 10.0  # without asking for anything
    requests: int = 40
    megabytes: float = 20.0  # of all answers to a page together, and of scripts kept for others
    html_bytes: int = 10_000_000
    memory_mb: int = 1024  # of each process of the browser; on Linux
    pages_per_browser: int = 200  # then another one is started


class Pantry:
    """The scripts that pages share, for a while; and the order in which hosts are asked."""

    def __init__(self, megabytes: float) -> None:
        self.room = megabytes * 1e6
        self.kept: dict[str, tuple[float, Exchange]] = {}
        self.locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def find(self, url: str) -> Exchange | None:
        """Return a script that was fetched not long ago."""
        at, exchange = self.kept.get(url, (0.0, None))
        return exchange if time.monotonic() - at < KEPT_S else None

    def keep(self, url: str, exchange: Exchange) -> None:
        """Keep a script; the oldest make room for it."""
        size = len(exchange.body)
        if exchange.status != 200 or size > self.room / 4:
            return
        self.kept.pop(url, None)
        self.kept[url] = time.monotonic(), exchange
        total = sum(len(one.body) for _, one in self.kept.values())
        while total > self.room:
            oldest = next(iter(self.kept))
            total -= len(self.kept.pop(oldest)[1].body)

    def lock(self, host: str) -> asyncio.Lock:
        """Return what admits one request at a time to a host."""
        return self.locks.setdefault(host, asyncio.Lock())


class Wishes:
    """What one page has asked for so far, and whether it has had enough."""

    def __init__(self, page: Exchange, ask: Ask, limits: RenderLimits, pantry: Pantry) -> None:
        self.page, self.limits = page, limits
        self.requests = 0
        self.leads_to = ""  # where scripts want to go
        self.reason = ""  # why there will be no page
        self.is_settled = False  # it did all it wanted to do
        self.ended = asyncio.Event()
        self._ask, self._pantry = ask, pantry
        self._opened = False
        self._seen = self._open = 0  # requests of the browser, and those not answered yet
        self._room = limits.megabytes * 1e6
        self._tasks: set[asyncio.Task[Exchange | None]] = set()
        self._moved_at = time.monotonic()
        self._error: BaseException | None = None

    def end(self, *, reason: str = "", settled: bool = False) -> None:
        """Note that nothing more will come, or should."""
        if not self.ended.is_set():
            self.reason, self.is_settled = reason, settled
            self.ended.set()

    async def wait(self) -> None:
        """Wait for the end, or until the page has not asked for anything for long."""
        while not self.ended.is_set():
            patience = self._moved_at + self.limits.stuck_s - time.monotonic()
            if patience <= 0 and not self._open:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(patience, 0.1)):
                    await self.ended.wait()

    async def close(self) -> None:
        """Stop asking; raise what went wrong on our side."""
        self.end()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._error is not None:
            raise self._error

    async def answer(self, route: Any, error: type[Exception]) -> None:
        """Answer one request of the browser; `error` is what it raises when it cannot be told."""
        self._seen += 1
        self._open += 1
        if self._seen > FLOOD * self.limits.requests:
            self.end()
        try:
            found = await self._choose(route.request)
            if found is None:
                await route.abort()
            else:
                await route.fulfill(status=found[0], headers=found[1], body=found[2])
        except error:  # the page is gone, or it is an answer that no browser takes
            with contextlib.suppress(error):
                await route.abort()
        finally:
            self._open -= 1
            self._moved_at = time.monotonic()

    async def _choose(self, request: Any) -> tuple[int, dict[str, str], bytes] | None:
        """Return the answer to a request, None to refuse it."""
        kind = request.resource_type
        if request.is_navigation_request():
            if self._opened:
                return self._lead_on(request)
            self._opened = True
            found: Exchange | None = self.page
        elif kind in BLANKS:
            type_, body = BLANKS[kind]
            return 200, {"content-type": type_, "access-control-allow-origin": "*"}, body
        elif kind not in WANTED or request.method != "GET":
            return None
        else:
            found = await self._get(request.url, WANTED[kind])
        if found is None:
            return None
        headers = {name: text for name, text in found.headers.items() if name not in SILENCED}
        return found.status, headers, found.body

    def _lead_on(self, request: Any) -> tuple[int, dict[str, str], bytes] | None:
        """Note where a page wants to go, which nobody does here; frames get nothing."""
        if request.frame.parent_frame is not None:
            return None
        target = canonical(request.url)
        if request.method == "GET" and target and target != self.page.url:
            self.leads_to = self.leads_to or target
            self.end()
        return STAY

    async def _get(self, url: str, kind: str) -> Exchange | None:
        """Return what is under an address, in a task that ends with the page."""
        target = canonical(url)
        if target is None or self.ended.is_set() or COUNTERS.search(target):
            return None
        task = asyncio.get_running_loop().create_task(self._fetch(target, kind))
        self._tasks.add(task)
        await asyncio.wait([task])
        self._tasks.discard(task)
        if task.cancelled():
            return None
        if task.exception() is not None:
            self._error = self._error or task.exception()
            self.end()
            return None
        return task.result()

    async def _fetch(self, url: str, kind: str) -> Exchange | None:
        """Ask for an address; its redirects are followed here, as the browser would leave us."""
        first = url
        for _ in range(MAX_HOPS):
            async with self._pantry.lock(host_of(url)):
                found = self._pantry.find(first) if kind == "script" else None
                answer = found or await self._ask_once(url, kind)
            if answer is None:
                return None
            target = None
            if answer.status in REDIRECTS:
                target = resolve(url, answer.headers.get("location", "").strip())
            if target is None:
                self._room -= len(answer.body)
                if kind == "script":
                    self._pantry.keep(first, answer)
                return answer if self._room >= 0 else None
            url = target
        return None

    async def _ask_once(self, url: str, kind: str) -> Exchange | None:
        if self.requests >= self.limits.requests or self._room <= 0:
            return None
        self.requests += 1
        answer = await self._ask(url, kind)
        return answer if isinstance(answer, Exchange) else None
