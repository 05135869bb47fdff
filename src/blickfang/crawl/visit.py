"""One visit: may we? ask, archive, judge, and queue what the page names.

In: a choice of the frontier. Out: rows in the store and the archive, new candidates. Everything a
visit writes belongs to the transaction that the shard commits next.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from blickfang.crawl.answer import (
    CLOSED,
    REFUSED,
    TIMED_OUT,
    TOO_MANY,
    UNREACHABLE,
    UNRESOLVED,
    Head,
)
from blickfang.crawl.archiving import NOT_MODIFIED, Archiving
from blickfang.crawl.candidates import (
    DONE,
    FAILED,
    IMAGE,
    LAST_BUCKET,
    PAGE,
    SKIPPED,
    Candidate,
    Choice,
)
from blickfang.crawl.consent.manners import retry_after
from blickfang.crawl.exchange import Exchange, to_response
from blickfang.crawl.fetch import IMAGES, PAGES, Fetcher
from blickfang.crawl.frontier import BEYOND_BUCKET, Frontier
from blickfang.crawl.gate import REDIRECTS, REFUSALS, Gate, Silence
from blickfang.crawl.judgement import Judge, Judgement
from blickfang.crawl.options import Options
from blickfang.crawl.pace import Pace
from blickfang.crawl.picking import pick_image, pick_page
from blickfang.data import Failure
from blickfang.focus.values import HostState, Judged, Orders
from blickfang.urls import host as host_of
from blickfang.urls import resolve

MAX_HOPS = 5
BUSY = frozenset({429, 503})  # the host says: later
LATER = frozenset({408, 425, 429, 500, 502, 503, 504})  # worth another try
TRANSIENT = frozenset({CLOSED, REFUSED, TIMED_OUT, TOO_MANY, UNREACHABLE, UNRESOLVED})
PAGE_BYTES, IMAGE_BYTES = 10_000_000, 40_000_000


@dataclass(slots=True)
class Tally:
    """What a shard has done so far."""

    pages: int = 0  # HTML answered 200
    images: int = 0
    requests: int = 0
    bytes: int = 0
    on_topic: int = 0
    duplicates: int = 0
    failures: Counter[str] = field(default_factory=Counter)


class Visitor:
    """Makes the visits of a shard."""

    def __init__(
        self,
        options: Options,
        frontier: Frontier,
        gate: Gate,
        archiving: Archiving,
        fetcher: Fetcher,
        judge: Judge,
        post: Callable[[Iterable[Candidate]], None],
        picture_sizes: tuple[int, int, int, int],
        scope: Callable[[str, str, int], bool],
    ) -> None:
        self.options, self.frontier, self.gate = options, frontier, gate
        self.archiving, self.fetcher, self.judge = archiving, fetcher, judge
        self.post, self.picture_sizes, self.scope = post, picture_sizes, scope
        self.pace = Pace(options.delay_s, options.per_address)
        self.tally = Tally()
        self.next_at: dict[str, float] = {}  # when a host may be asked again
        self.is_again = archiving.store.fact("again_from") is not None  # pages may be known

    async def visit(self, choice: Choice) -> bool:
        """Visit one address and say whether it was a page; its host is free again afterwards."""
        host = choice.candidate.host
        ip = self.pace.begin(host)
        try:
            return await self._visit(choice)
        finally:
            self.pace.end(ip)
            self.frontier.release(host, self.next_at.pop(host, 0.0))

    async def _visit(self, choice: Choice) -> bool:
        candidate = choice.candidate
        if self.options.robots:
            refusal = await self._ask_permission(choice)
            if refusal is None:
                return False
            if refusal:
                self._skip(choice, refusal)
                return False
        answer = await self._ask(choice)
        if isinstance(answer, Failure):
            self._fail(choice, answer)
        elif answer.status in REDIRECTS:
            self._redirect(choice, answer)
        elif answer.status in LATER:
            self._put_off(choice, answer)
        elif answer.status == NOT_MODIFIED:
            self.archiving.keep(candidate, answer, {})
            self.frontier.settle(choice, DONE)
            self.tally.pages += candidate.kind == PAGE
            return candidate.kind == PAGE
        elif answer.status != 200:
            self.archiving.keep(candidate, answer, {})
            self._fail(choice, Failure(candidate.url, "fetch", f"status {answer.status}"))
        elif candidate.kind == PAGE:
            return self._take_page(choice, answer)
        else:
            self._take_image(choice, answer)
        return False

    async def _ask_permission(self, choice: Choice) -> str | None:
        """Return why something may not be asked for, "" if it may, None if that is not known."""
        candidate = choice.candidate
        host = candidate.host
        scheme, _, rest = candidate.url.partition("//")
        origin = f"{scheme}//{rest.partition('/')[0]}"
        rules = await self.gate.rules(origin, host, lambda url, size: self._ask_file(url, size))
        if isinstance(rules, Silence):
            if rules.reason in REFUSALS:
                self._fail(choice, Failure(candidate.url, "fetch", rules.reason))
            else:
                failure = Failure(candidate.url, "consent", rules.reason)
                self._trouble(choice, failure, rules.retry_s)
            return None
        delay_s, too_slow = self.gate.delay(rules)
        self.pace.clocks[host].delay_s = delay_s
        if too_slow:
            return too_slow
        decision = self.gate.before(rules, candidate.url, candidate.kind)
        return "" if decision.may_fetch else ", ".join(decision.reasons)

    async def _ask_file(self, url: str, size: int) -> Exchange | Failure:
        """Ask for robots.txt or one of its relatives, in the pace of its host."""
        host = host_of(url)
        await self._wait(host)
        answer = await self.fetcher.fetch(url, accept="text/plain,*/*;q=0.5", limit=size)
        self._note(host, answer)
        return answer

    async def _ask(self, choice: Choice) -> Exchange | Failure:
        candidate = choice.candidate
        await self._wait(candidate.host)
        self.tally.requests += 1
        if candidate.kind == PAGE:
            earlier = self.archiving.find_earlier(candidate.url) if self.is_again else None
            answer = await self.fetcher.fetch(
                candidate.url,
                accept=PAGES,
                limit=PAGE_BYTES,
                more_headers=earlier[2] if earlier else {},
                stop=pick_page,
            )
        else:

            def stop(head: Head, body: bytes) -> str | None:
                return pick_image(head, body, self.picture_sizes)

            answer = await self.fetcher.fetch(
                candidate.url, accept=IMAGES, limit=IMAGE_BYTES, stop=stop
            )
        self._note(candidate.host, answer)
        return answer

    async def _wait(self, host: str) -> None:
        """Wait until a host may be asked again."""
        pause = self.next_at.get(host, 0.0) - asyncio.get_running_loop().time()
        if pause > 0:
            await asyncio.sleep(pause)

    def _note(self, host: str, answer: Exchange | Failure) -> None:
        """Note how a host answered, and when it may be asked again."""
        took = 0.0
        if isinstance(answer, Exchange):
            took = answer.total_s
            self.tally.bytes += len(answer.body)
            self.pace.note_answer(host, answer.ip, took)
            if answer.status < 500 and answer.status != 429:
                self.pace.note_recovery(host)
        pause = self.pace.pause(host, took) if isinstance(answer, Exchange) else 0.0
        self._rest(host, max(pause, self.pace.clocks[host].delay_s))

    def _rest(self, host: str, pause_s: float) -> None:
        if pause_s > 0:
            self.next_at[host] = asyncio.get_running_loop().time() + pause_s

    def _skip(self, choice: Choice, why: str) -> None:
        self.frontier.settle(choice, SKIPPED, why)
        self.tally.failures[why] += 1
        self._observe(choice.candidate.host, None)

    def _fail(self, choice: Choice, failure: Failure) -> None:
        """Note what cannot be had: at once if it is the address, later if it is the network."""
        if failure.room == "fetch" and failure.reason in TRANSIENT:
            self._trouble(choice, failure)
            return
        self.frontier.settle(choice, FAILED, failure.reason)
        self._count(choice, failure, last=True)
        self._observe(choice.candidate.host, None)

    def _put_off(self, choice: Choice, answer: Exchange) -> None:
        """Try again later what a server could not give now."""
        failure = Failure(choice.candidate.url, "fetch", f"status {answer.status}")
        asked = retry_after(answer.headers, time.time())
        if answer.status in BUSY or asked:
            self._trouble(choice, failure, asked)
        else:
            self._again(choice, failure)

    def _trouble(self, choice: Choice, failure: Failure, asked_s: float | None = None) -> None:
        """Leave a host alone for a while; after many times, for good."""
        host = choice.candidate.host
        self._rest(host, self.pace.pause_after_trouble(host, asked_s))
        if asked_s:
            self.frontier.queues.sleep(host, time.time() + asked_s)
        if self.pace.is_hopeless(host):
            self.frontier.settle(choice, FAILED, failure.reason)
            self._count(choice, failure, last=True)
            self.frontier.give_up(host, f"its host does not answer: {failure.reason}")
        elif failure.room == "consent":
            self.frontier.put_back(choice)
            self._count(choice, failure, last=False)
        else:
            self._again(choice, failure)

    def _again(self, choice: Choice, failure: Failure) -> None:
        if choice.tries >= self.options.retries:
            self.frontier.settle(choice, FAILED, failure.reason)
            self._count(choice, failure, last=True)
            self._observe(choice.candidate.host, None)
        else:
            self.frontier.try_again(choice)
            self._count(choice, failure, last=False)

    def _count(self, choice: Choice, failure: Failure, *, last: bool) -> None:
        if last:
            self.tally.failures[failure.reason] += 1
        self.archiving.note_failure(choice.candidate, failure, last=last)

    def _redirect(self, choice: Choice, answer: Exchange) -> None:
        """Queue where an answer sends us, in the place of what was asked for."""
        candidate = choice.candidate
        self.archiving.keep(candidate, answer, {})
        target = resolve(candidate.url, answer.headers.get("location", "").strip())
        if target is None or candidate.hops >= MAX_HOPS:
            reason = "too many redirects" if target else "redirect to no address"
            self._fail(choice, Failure(candidate.url, "crawl", reason))
            return
        self.frontier.settle(choice, DONE, f"redirects to {target}")
        moved = candidate._replace(
            url=target,
            host=host_of(target),
            hops=candidate.hops + 1,
            requested=candidate.requested or candidate.url,
            via=candidate.via or candidate.url,
        )
        if self.scope(target, moved.host, moved.kind):
            self.post([moved])

    def _take_image(self, choice: Choice, answer: Exchange) -> None:
        candidate = choice.candidate
        decision = self.gate.after_image(answer)
        if not decision.may_keep and self.options.robots:
            self._skip(choice, ", ".join(decision.reasons))
            return
        self.archiving.keep(candidate, answer, {}, size=True)
        self.tally.images += 1
        self.frontier.settle(choice, DONE)

    def _take_page(self, choice: Choice, answer: Exchange) -> bool:
        """Judge a page, archive it if it permits that, and queue what it names."""
        candidate = choice.candidate
        state = self.frontier.host(candidate.host).state
        found = self.judge(to_response(answer), candidate.host, state)
        if isinstance(found, Failure):
            self.archiving.keep(candidate, answer, {})
            self.frontier.settle(choice, FAILED, found.reason)
            self._count(choice, found, last=True)
            self._observe(candidate.host, None)
            return False
        decision, with_images = self.gate.after_page(answer, found.metas)
        twin = self.archiving.find_twin(found.text_key, answer.url)
        kept = decision.may_keep or not self.options.robots
        self.archiving.keep(
            candidate, answer, found.facts, judged=found.judged, twin=twin, withheld=not kept
        )
        self.tally.pages += 1
        self.tally.on_topic += found.is_on_topic
        self.frontier.settle(choice, DONE)
        if twin:
            self.tally.duplicates += 1
            self._observe(candidate.host, None)
        else:
            self._observe(candidate.host, found.judged)
        if decision.may_follow or not self.options.robots:
            with_images = self.options.images and (with_images or not self.options.robots)
            self.post(self._candidates(candidate, found, twin is not None, with_images))
        return True

    def _observe(self, host: str, judged: Judged | None) -> None:
        """Let the strategy learn of a visit."""
        strategy = self.frontier.strategy
        state: HostState = self.frontier.host(host).state
        if judged is None:
            state = strategy.observe_failure(state)
        else:
            state = strategy.observe(state, judged)
            if judged.sample is not None:
                strategy.keep(judged.sample)
                self.archiving.keep_sample(judged.sample)
        self.frontier.learn({host: state})

    def _candidates(
        self, page: Candidate, found: Judgement, is_twin: bool, with_images: bool
    ) -> Iterator[Candidate]:
        """Give the links and images of a page that are worth more than is known of them."""
        deep = self.options.max_depth and page.depth >= self.options.max_depth
        if not deep:
            links = found.judged.links
            if is_twin:  # it passes on no priority, but nothing is lost
                links = links._replace(
                    buckets=np.full_like(links.buckets, LAST_BUCKET), priors=links.priors * 0
                )
            yield from self._pick(PAGE, page, found.links, found.link_hosts, links, {})
        if with_images and not is_twin:
            yield from self._pick(
                IMAGE,
                page,
                found.images,
                found.image_hosts,
                found.judged.images,
                found.unwanted,
            )

    def _pick(
        self,
        kind: int,
        page: Candidate,
        urls: list[str],
        hosts: list[str],
        orders: Orders,
        unwanted: dict[int, str],
    ) -> Iterator[Candidate]:
        known = self.frontier.known[kind]
        rows = zip(urls, hosts, orders.buckets.tolist(), orders.scores.tolist(), strict=True)
        for number, (url, host, bucket, score) in enumerate(rows):
            before = known.get(url)
            place = bucket if bucket >= 0 else BEYOND_BUCKET
            if before is not None and before <= (place, score):
                continue
            if number in unwanted or not self.scope(url, host, kind):
                continue
            parts = (f"{name} {column[number]:.3g}" for name, column in orders.parts.items())
            yield Candidate(
                url,
                host,
                kind,
                bucket,
                score,
                float(orders.priors[number]),
                page.depth + 1,
                page.url,
                why=", ".join(parts),
            )
