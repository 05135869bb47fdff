"""The gate: may this address be asked for? Robots.txt and its relatives, asked once a day a host.

In: an address, and the answers of its host. Out: a decision, and a ledger of every signal seen.
Rules are kept in the store; what they mean stands in consent/.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.resolver import REFUSALS
from blickfang.crawl.fetch.streamed_answer import PROXY
from blickfang.crawl.frontier.candidates import IMAGE, KINDS, PAGE
from blickfang.crawl.permission import (
    Decision,
    HostRules,
    Signal,
    decide,
    read_host,
    signals_of,
    signals_of_answer,
)
from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.decide import describe_decision, leave_alone
from blickfang.crawl.permission.host_rules import (
    WELL_KNOWN,
    add_file,
    dump_host,
    load_host,
    signals_of_delay,
)
from blickfang.crawl.permission.robots_txt import FORBIDDEN, MAX_ROBOTS_HOPS, delay_for
from blickfang.crawl.permission.signals import inherited, of_image
from blickfang.crawl.state.state_db import StateDb
from blickfang.io.urls import resolve
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure, LicenceTerms, Response

ROBOTS_BYTES = 520 * 1024
SMALL_FILE = 256 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})
BUSY = frozenset({429, 503})  # the host says: later
IN_MEMORY = 2000  # rules of origins; the others are in the store
FREE = Decision(may_fetch=True, may_keep=True, may_follow=True, reasons=())
ASKED_FOR = {"search": 1, "research": 2, "train": 3}  # how many of WELL_KNOWN matter for a purpose

UNREADABLE = "robots.txt cannot be read"
NOT_THE_HOST = REFUSALS | {PROXY}


T = TypeVar("T")


class CachedRules(NamedTuple):
    """The rules of an origin, and until when they hold."""

    rules: HostRules
    until: float


class Begun(NamedTuple):
    """The rules of an origin as far as they were asked for: another purpose may need more."""

    rules: HostRules
    asked: int  # of WELL_KNOWN, from the first
    until: float


class Silence(NamedTuple):
    """Why a host could not be asked for its rules: then nothing of it may be fetched."""

    reason: str
    retry_s: float | None  # when it wants to be asked again
    is_busy: bool = False  # it said so; else this origin is silent, or broken


def find_silence(robots: Exchange | Failure, reason: str, now: float) -> Silence:
    """Return why there are no rules, as precisely as it is known."""
    if isinstance(robots, Exchange):
        asked_s = retry_after(robots.headers, now)
        is_busy = robots.status in BUSY or asked_s is not None
        return Silence(f"{UNREADABLE}: {reason}", asked_s, is_busy)
    is_ours = robots.reason in NOT_THE_HOST
    return Silence(robots.reason if is_ours else f"{UNREADABLE}: {robots.reason}", None)


def name_refusal(refusal: str | Silence | Later) -> str:
    """Return in words why something may not be asked for."""
    if isinstance(refusal, str):
        return refusal
    return UNREADABLE if isinstance(refusal, Later) else refusal.reason


# Politely: an address, the most bytes, and the pause that its host asks for, if that is known.
Ask = Callable[[str, int, float], Awaitable[Exchange | Failure | Later]]


class Gate:
    """Decides for a shard what may be asked for, and keeps the ledger."""

    def __init__(self, store: StateDb, options: CrawlOptions) -> None:
        self.store, self.options = store, options
        self.needed = ASKED_FOR[options.purpose]
        self.known: dict[str, CachedRules] = {}
        self.moved: dict[str, tuple[str, int]] = {}  # files: where they are, after how many hops
        self.turns: dict[str, asyncio.Lock] = {}  # origins of which somebody asks for the rules

    async def rules(self, origin: str, host: str, ask: Ask) -> HostRules | Silence | Later:
        """Return the rules of an origin, asked for if they are unknown or too old."""
        known = self._find(origin)
        if known is None:
            async with self._turn(origin):
                known = self._find(origin)  # who had the turn before has asked
                if known is None:
                    asked = await self._ask_all(origin, host, ask)
                    if not isinstance(asked, CachedRules):
                        return asked
                    known = asked
        if len(self.known) >= IN_MEMORY:
            self.known.clear()
        self.known[origin] = known
        return known.rules

    def _turn(self, origin: str) -> asyncio.Lock:
        """Return what only one holds who asks for the rules of an origin."""
        if len(self.turns) >= IN_MEMORY:
            self.turns = {name: lock for name, lock in self.turns.items() if lock.locked()}
        return self.turns.setdefault(origin, asyncio.Lock())

    def _find(self, origin: str) -> CachedRules | None:
        """Return the rules of an origin that still hold, if nothing of them is missing."""
        known = self.known.get(origin)
        if known is None:
            kept = self._recall(origin)
            whole = kept is not None and kept.asked >= self.needed
            known = CachedRules(kept.rules, kept.until) if kept is not None and whole else None
        return known if known is not None and known.until >= time.time() else None

    def _recall(self, origin: str) -> Begun | None:
        """Return the rules of an origin as they were kept, however old."""
        row = self.store.db.execute(
            "SELECT rules, until FROM rules WHERE origin = ?", (origin,)
        ).fetchone()
        if row is None:
            return None
        kept = json.loads(row[0])
        return Begun(load_host(kept), kept["asked"], row[1] or kept["until"])

    async def _ask_all(self, origin: str, host: str, ask: Ask) -> CachedRules | Silence | Later:
        """Ask for robots.txt, then for the others; what came before a long pause is kept."""
        begun = self._recall(origin)
        if begun is None or begun.until < time.time():
            robots = await self._ask_robots(origin, ask)
            if isinstance(robots, Later):
                return robots
            now = time.time()
            rules = read_host(robots, now)
            if rules.robots.verdict == FORBIDDEN:  # it did not answer: asked again next time
                return find_silence(robots, rules.robots.reason, now)
            if begun is not None:  # what the others said counts until they are asked again
                rules = replace(rules, tdm=begun.rules.tdm, ai=begun.rules.ai)
            begun = Begun(rules, 1, now + rules.robots.expires_s)
        return await self._ask_others(origin, host, ask, begun)

    async def _ask_others(
        self, origin: str, host: str, ask: Ask, begun: Begun
    ) -> CachedRules | Silence | Later:
        rules, asked, until = begun
        if self.delay(rules)[1]:  # it is left out; should that change, the others matter
            self._keep(origin, host, begun)
            return CachedRules(rules, until)
        for number in range(asked, self.needed):
            answer = await self._ask_other(origin, rules, number, ask)
            if isinstance(answer, Later):
                self._keep(origin, host, Begun(rules, number, until))
                return answer
            if isinstance(answer, Failure) and answer.reason == PROXY:  # nobody was asked
                self._keep(origin, host, Begun(rules, number, until))
                return Silence(PROXY, None)
            rules = add_file(rules, number, answer)
        self._keep(origin, host, Begun(rules, max(asked, self.needed), until))
        return CachedRules(rules, until)

    async def _ask_other(
        self, origin: str, rules: HostRules, number: int, ask: Ask
    ) -> Exchange | Failure | Later | None:
        """Ask for a file that robots.txt has relatives in; None if that forbids it.

        Who forbids a file has not said anything in it that we may know.
        """

        async def ask_if_allowed(url: str) -> Exchange | Failure | Later | None:
            if origin_of(url) != origin:  # as of a robots.txt that has moved there
                return await ask(url, SMALL_FILE, 0.0)
            if decide(signals_of(rules, url), "search", "page").may_fetch:
                return await ask(url, SMALL_FILE, self.delay(rules)[0])
            return None

        return await self._follow(origin + WELL_KNOWN[number], ask_if_allowed)

    def _keep(self, origin: str, host: str, begun: Begun) -> None:
        """Keep rules; those that are not complete yet are valid for nobody."""
        rules = dump_host(begun.rules) | {"asked": begun.asked, "until": begun.until}
        until = begun.until if begun.asked >= self.needed else 0.0
        self.store.db.execute(
            "INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)",
            (origin, host, until, json.dumps(rules)),
        )

    async def _ask_robots(self, origin: str, ask: Ask) -> Exchange | Failure | Later:
        """Ask for robots.txt, which nothing forbids."""

        async def ask_for_it(url: str) -> Exchange | Failure | Later:
            return await ask(url, ROBOTS_BYTES, 0.0)

        return await self._follow(origin + WELL_KNOWN[0], ask_for_it)

    async def _follow(self, first: str, ask: Callable[[str], Awaitable[T]]) -> T:
        """Ask for a file; its redirects are followed, to whatever host, over long pauses too."""
        url, hops = self.moved.pop(first, (first, 0))
        while True:
            answer = await ask(url)
            if isinstance(answer, Later):
                self.moved[first] = url, hops
            if not isinstance(answer, Exchange) or answer.status not in REDIRECTS:
                return answer
            target = resolve(answer.url, answer.headers.get("location", ""))
            if target is None or hops == MAX_ROBOTS_HOPS:
                return answer
            url, hops = target, hops + 1

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return the sitemaps that robots.txt names, as far as its rules are at hand."""
        known = self.known.get(origin) or self._recall(origin)
        return known.rules.robots.records.sitemaps if known else ()

    def delay(self, rules: HostRules) -> tuple[float, str]:
        """Return the pause that a host asks for, and why it is left out if that is too long."""
        pace = delay_for(rules.robots, self.options.delay_s, self.options.max_delay_s)
        return pace.delay_s, pace.skip

    def leave_out(self, rules: HostRules, url: str, why: str) -> None:
        """Write down that an address is not asked for, since its host wants too long pauses."""
        signals = [*signals_of(rules, url), *signals_of_delay(rules)]
        self._write(url, signals, leave_alone(f"robots.txt: {why}"))

    def before(self, rules: HostRules, url: str, kind: int) -> Decision:
        """Decide whether to ask for an address, and write it down if the host says anything."""
        signals = signals_of(rules, url)
        decision = decide(signals, self.options.purpose, KINDS[kind])
        self._write(url, signals, decision)
        return decision

    def again(self, rules: HostRules, url: str, kind: int) -> Decision:
        """Decide whether something may still be kept; what a host has taken back is noted, too."""
        signals = signals_of(rules, url)
        decision = decide(signals, self.options.purpose, KINDS[kind])
        known = self.store.db.execute("SELECT 1 FROM consent WHERE url = ?", (url,)).fetchone()
        if signals or known:
            self._enter(url, signals, decision)
        return decision

    def after_page(
        self,
        answer: Exchange,
        metas: dict[str, str],
        licences: Sequence[LicenceTerms] = (),
        images: Sequence[str] = (),
    ) -> tuple[Decision, bool]:
        """Decide what to do with a page, and whether its images may be fetched."""
        signals = signals_of_answer(answer.headers, metas, time.time(), licences, images)
        if not signals:
            return FREE, True
        decision = decide(signals, self.options.purpose, KINDS[PAGE])
        self._write(answer.url, signals, decision)
        theirs = decide(inherited(signals), self.options.purpose, KINDS[IMAGE])
        return decision, theirs.may_fetch

    def permits(
        self,
        page: Response,
        metas: dict[str, str],
        licences: Sequence[LicenceTerms],
        images: Sequence[str] = (),
    ) -> tuple[bool, bool]:
        """Return whether links and images of a page in the archive may be followed, as it says."""
        signals = signals_of_answer(page.headers, metas, time.time(), licences, images)
        links = decide(signals, self.options.purpose, KINDS[PAGE])
        theirs = decide(inherited(signals), self.options.purpose, KINDS[IMAGE])
        return links.may_follow, links.may_follow and theirs.may_fetch

    def after_image(self, answer: Exchange) -> Decision:
        """Decide what to do with an image, by its headers and what is written into it."""
        signals = [*signals_of_answer(answer.headers, {}, time.time()), *of_image(answer.body)]
        decision = decide(signals, self.options.purpose, KINDS[IMAGE])
        self._write(answer.url, signals, decision)
        return decision

    def _write(self, url: str, signals: list[Signal], decision: Decision) -> None:
        if signals:
            self._enter(url, signals, decision)

    def _enter(self, url: str, signals: list[Signal], decision: Decision) -> None:
        said = [[one.source, one.name, one.value, sorted(one.forbids)] for one in signals]
        done = describe_decision(decision, self.options.purpose)
        self.store.db.execute(
            "INSERT INTO consent (url, at, signals, decision) VALUES (?, ?, ?, ?)",
            (
                url,
                time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                json.dumps(said),
                json.dumps(done),
            ),
        )
