"""Errands: what a shard needs of a host that another one owns; the owner asks, in its own pace.

In: an address, and mail. Out: what the owner was answered. A robots.txt may have moved to any host,
and the scripts of a page lie anywhere: were they asked for from here, a host would see requests of
two shards at once. Nothing of it is kept: after a break it is asked for anew.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from blickfang.crawl.shards.messages import Brought, Message, RemoteFetch
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure

# what is asked for: a file with rules, or what a page's scripts want
# (crawl/render/render_requests.py)
RULES = "rules"
WAIT_S = 1.0  # for rules; then the visit gives its place to others, and asks again
AGAIN_S = 1.0
LOST_S = 120.0  # without an answer: its shard was lost, and what it was asked with it
MOST = 1000  # answers that nobody came for

Answer = Exchange | Failure | Later
Fetch = Callable[[str, str], Awaitable[Answer]]  # of an address, and what it is


@dataclass(slots=True)
class Open:
    """Something that another shard was asked for."""

    answer: asyncio.Future[Answer]
    since: float
    waiting: int = 0  # so many, now


class Errands:
    """What a shard has asked of others, and what it does for them."""

    def __init__(
        self, number: int, owner: Callable[[str], int], send: Callable[[Message], None]
    ) -> None:
        self.number, self.owner, self.send = number, owner, send
        self.open: dict[tuple[str, str], Open] = {}
        self.running: dict[RemoteFetch, asyncio.Task[None]] = {}
        self.error: BaseException | None = None  # a mistake of ours

    def is_ours(self, host: str) -> bool:
        """Whether this shard owns a host."""
        return self.owner(host) == self.number

    async def ask(self, url: str, host: str, kind: str) -> Answer:
        """Return what the owner of a host is answered; rules that take long may come later."""
        key = url, kind
        now = asyncio.get_running_loop().time()
        found = self.open.get(key)
        if found is None or (found.since + LOST_S < now and not found.answer.done()):
            if len(self.open) >= MOST:
                self.open = {of: one for of, one in self.open.items() if one.waiting}
            found = self.open[key] = Open(asyncio.get_running_loop().create_future(), now)
            self.send(RemoteFetch(self.number, self.owner(host), url, kind))
        found.waiting += 1
        try:
            async with asyncio.timeout(WAIT_S if kind == RULES else LOST_S):
                answer = await asyncio.shield(found.answer)
        except TimeoutError:
            return Later(AGAIN_S)
        finally:
            found.waiting -= 1
            is_left = kind != RULES and not found.waiting  # no page comes back for its scripts
            if (is_left or found.answer.done()) and self.open.get(key) is found:
                del self.open[key]
        return answer

    def take(self, brought: Brought) -> None:
        """Take an answer; one that nobody waits for any more is dropped."""
        found = self.open.get((brought.url, brought.kind))
        if found is not None and not found.answer.done():
            found.answer.set_result(brought.answer)

    def run(self, errand: RemoteFetch, fetch: Fetch) -> None:
        """Begin to ask a host of ours for what another shard wants of it."""
        if errand not in self.running:  # else it is asked already, and takes its time
            task = asyncio.get_running_loop().create_task(self._run(errand, fetch))
            self.running[errand] = task
            task.add_done_callback(lambda done: self._end(errand, done))

    async def _run(self, errand: RemoteFetch, fetch: Fetch) -> None:
        answer = await fetch(errand.url, errand.kind)
        self.send(Brought(errand.sender, errand.url, errand.kind, answer))

    def _end(self, errand: RemoteFetch, task: asyncio.Task[None]) -> None:
        self.running.pop(errand, None)
        if not task.cancelled():
            self.error = self.error or task.exception()

    async def end(self) -> None:
        """Leave undone what others wanted: they have been told to end, too."""
        tasks = list(self.running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
