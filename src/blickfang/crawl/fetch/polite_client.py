"""Asking a host: with its permission, in its pace, one thing at a time.

In: an address. Out: why it may not be asked for, or the answer. Everything that goes to the network
goes through here, so that no host is asked by two at once, whoever they are.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.fetcher import PAGES, Fetching
from blickfang.crawl.fetch.streamed_answer import PROXY, Stop
from blickfang.crawl.frontier.candidates import PAGE
from blickfang.crawl.frontier.politeness import HostClocks
from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.gate import BUSY, REDIRECTS, ROBOTS_BYTES, Gate, Silence
from blickfang.crawl.shards.remote_fetch import RULES, Errands
from blickfang.crawl.state.rebuild_state import Recalled
from blickfang.io.urls import host as host_of
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure

TEXT = "text/plain,*/*;q=0.5"
MARGIN, TICK_S = 1.02, 0.001  # the clocks of others run a little differently
LONG_PAUSE_S = 1.0  # longer ones are not sat out by a visit: its place is for others
CUT_OFF_S = 5.0
SAT_OUT_S = 30.0  # of a pause, on an errand: it takes nobody's place
REMEMBERED = 10_000  # hosts whose pause is over are forgotten beyond so many

T = TypeVar("T")


class Asker:
    """Asks hosts, and remembers when each may be asked again."""

    def __init__(
        self,
        options: CrawlOptions,
        gate: Gate,
        fetcher: Fetching,
        *,
        resumed: bool,
        patience_s: float = LONG_PAUSE_S,
        recalled: Recalled | None = None,
        errands: Errands | None = None,
        per_address: int = 0,
    ) -> None:
        """`patience_s` is the longest pause that is sat out to read the rules of a host.

        What is `recalled` was permitted and answered before: nobody is asked for it again. Hosts of
        other shards are asked by these, on `errands`; `per_address` is our part of that limit.
        """
        self.recalled, self.errands = recalled, errands
        self.patience_s = patience_s
        self.sleeping: set[asyncio.Task[Any]] = set()
        self.is_ending = False
        self.cut_off_at: float | None = None  # since when our proxy does not answer
        self.options, self.gate, self.fetcher = options, gate, fetcher
        self.pace = HostClocks(options.delay_s, per_address or options.per_address)
        self.asked_at: dict[str, float] = {}  # when the last request ended
        self.resting: dict[str, float] = {}  # until when
        # Of hosts that say so; a crawl remembers it over breaks, too: crawl/frontier/backoff.py.
        self.leave_alone: Callable[[str, float], None] = self.rest
        self.turns: dict[str, asyncio.Lock] = {}
        self.requests = self.bytes = 0
        # After a break nobody knows when a host was asked last: it may have been just now.
        self.began_at = asyncio.get_running_loop().time() if resumed else None

    async def permit(self, url: str, host: str, kind: int = PAGE) -> str | Silence | Later:
        """Return why an address may not be asked for, "" if it may; or that its rules are unknown.

        They are when its host is silent, or must be left alone for long before it is asked more.
        """
        if not self.options.robots or (self.recalled is not None and self.recalled.answer(url)):
            return ""
        rules = await self.gate.rules(origin_of(url), host, self.ask_file)
        if isinstance(rules, Silence | Later):
            return rules
        delay_s, too_slow = self.gate.delay(rules)
        if too_slow:  # nothing will be asked: nobody has to wait for the next address to be skipped
            self.gate.leave_out(rules, url, too_slow)
            return too_slow
        self.pace.clocks[host].delay_s = delay_s
        decision = self.gate.before(rules, url, kind)
        return "" if decision.may_fetch else ", ".join(decision.reasons)

    async def ask_file(
        self, url: str, size: int, delay_s: float = 0.0
    ) -> Exchange | Failure | Later:
        """Ask for robots.txt or one of its relatives; `delay_s` is what robots.txt asks for."""
        host = host_of(url)
        if not self.is_ours(host):
            return await self.ask_elsewhere(url, host, RULES)
        if delay_s:
            self.pace.clocks[host].delay_s = delay_s
        pause_s = self.pause_left(host)
        if pause_s > self.patience_s:
            return Later(pause_s)
        return await self.ask(url, host, accept=TEXT, limit=size)

    def is_ours(self, host: str) -> bool:
        """Whether a host may be asked from here."""
        return self.errands is None or self.errands.is_ours(host)

    async def ask_elsewhere(self, url: str, host: str, kind: str) -> Exchange | Failure | Later:
        """Let the shard that owns a host ask it."""
        if self.errands is None:
            raise RuntimeError("there are no other shards")  # our mistake
        return await self._wait(self.errands.ask(url, host, kind))

    async def ask_rules_for_others(self, url: str) -> Exchange | Failure | Later:
        """Ask a host of ours for the rules of one that another shard owns."""
        host = host_of(url)
        pause_s = self.pause_left(host)
        if pause_s > SAT_OUT_S:
            return Later(pause_s)
        return await self.ask(url, host, accept=TEXT, limit=ROBOTS_BYTES)

    async def ask(
        self,
        url: str,
        host: str,
        *,
        accept: str = PAGES,
        limit: int | None = None,
        more_headers: Mapping[str, str] = MappingProxyType({}),
        stop: Stop | None = None,
    ) -> Exchange | Failure:
        """Ask for something as soon as its host may be asked."""
        kept = self.recalled.answer(url) if self.recalled is not None and not more_headers else None
        if kept is not None:
            return kept
        async with self._turn(host):
            pause = self.pause_left(host)
            if pause > 0:
                await self._wait(asyncio.sleep(pause))
            self.requests += 1
            answer = await self.fetcher.fetch(
                url, accept=accept, limit=limit, more_headers=more_headers, stop=stop
            )
            self._note(host, origin_of(url), answer)
            return answer

    async def _wait(self, awaited: Awaitable[T]) -> T:
        """Wait until a host may be asked; who only waits when a crawl ends is not waited for."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("outside of any task")  # our mistake
        self.sleeping.add(task)
        if self.is_ending:
            task.cancel()
        try:
            return await awaited
        finally:
            self.sleeping.discard(task)

    def is_cut_off(self) -> bool:
        """Whether our own proxy has not answered for so long that there is no point in asking."""
        now = asyncio.get_running_loop().time()
        return self.cut_off_at is not None and now - self.cut_off_at >= CUT_OFF_S

    def end(self) -> None:
        """Let nobody wait for a host any more: what was not asked for stays queued."""
        self.is_ending = True
        for task in self.sleeping:
            task.cancel()

    async def find_address(self, host: str) -> None:
        """Look up the address of a host that was never asked, for the limit of shared ones."""
        clock = self.pace.clocks[host]
        if not clock.ip and not self.options.proxy:
            clock.ip = next(iter(await self.fetcher.look_up(host)), "")

    def _turn(self, host: str) -> asyncio.Lock:
        if len(self.turns) > REMEMBERED:
            self.turns = {name: lock for name, lock in self.turns.items() if lock.locked()}
        return self.turns.setdefault(host, asyncio.Lock())

    def pause_left(self, host: str) -> float:
        """Return how long a host must still be left alone."""
        return self.ready_at(host) - asyncio.get_running_loop().time()

    def ready_at(self, host: str) -> float:
        """Return when a host may be asked again; 0 if it may now."""
        delay_s = self.pace.clocks[host].delay_s
        last = self.asked_at.get(host, self.began_at)  # of what is forgotten the pause is over
        due = last + MARGIN * delay_s + TICK_S if last is not None and delay_s > 0 else 0.0
        return max(due, self.resting.get(host, 0.0))

    def rest(self, host: str, pause_s: float) -> None:
        """Leave a host alone for a while."""
        now = asyncio.get_running_loop().time()
        if len(self.resting) > REMEMBERED:
            self.resting = {name: until for name, until in self.resting.items() if until > now}
        self.resting[host] = max(self.resting.get(host, 0.0), now + pause_s)

    def _note(self, host: str, origin: str, answer: Exchange | Failure) -> None:
        """Note how a host answered, and when it may be asked again."""
        if len(self.asked_at) > REMEMBERED:
            self._forget()
        now = self.asked_at[host] = asyncio.get_running_loop().time()
        if isinstance(answer, Failure) and answer.reason == PROXY:
            self.cut_off_at = now if self.cut_off_at is None else self.cut_off_at
        else:
            self.cut_off_at = None
        if isinstance(answer, Exchange):
            self.bytes += len(answer.body)
            self.pace.note_answer(host, origin, answer.ip, answer.total_s)
            if answer.status < 500 and answer.status != 429:
                self.pace.note_recovery(origin)
            pause = self.pace.pause(host, answer.total_s)
            if pause > self.pace.clocks[host].delay_s:
                self.rest(host, pause)
            is_asking = answer.status in REDIRECTS | BUSY or answer.status >= 500
            asked_s = retry_after(answer.headers, time.time()) if is_asking else None
            if asked_s:  # whatever it was asked for: also tdmrep.json
                self.leave_alone(host, asked_s)

    def _forget(self) -> None:
        """Forget hosts that were asked so long ago that they may be asked at once."""
        now = asyncio.get_running_loop().time()
        self.asked_at = {
            host: at
            for host, at in self.asked_at.items()
            if at + self.pace.clocks[host].delay_s > now
        }
