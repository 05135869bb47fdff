"""One visit: may we? ask, judge, archive, and queue what the page names.

In: a choice of the frontier. Out: rows in the store and the archive, new candidates. Everything a
visit writes belongs to the transaction that the shard commits next.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.early_stop import NOT_AN_IMAGE, TOO_SMALL, is_html, pick_image, pick_page
from blickfang.crawl.fetch.fetcher import IMAGES, PAGES
from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.fetch.polite_client import LONG_PAUSE_S, Asker
from blickfang.crawl.fetch.streamed_answer import CLOSED, PROXY, ResponseHead
from blickfang.crawl.focus.judged_values import HostState, JudgedPage
from blickfang.crawl.frontier.backoff import BROKEN_OFF, LATER, TRANSIENT, Troubles
from blickfang.crawl.frontier.candidates import (
    DONE,
    FAILED,
    PAGE,
    SITEMAP,
    SKIPPED,
    Candidate,
    QueuedUrl,
    is_seed,
)
from blickfang.crawl.frontier.frontier import LOOP, Frontier
from blickfang.crawl.frontier.queues import MOVED
from blickfang.crawl.frontier.scope import OUT_OF_SCOPE, Scope
from blickfang.crawl.frontier.traps import without_session
from blickfang.crawl.permission import Decision
from blickfang.crawl.permission.crawl_manners import retry_after
from blickfang.crawl.permission.gate import BUSY, NOT_THE_HOST, REDIRECTS, Gate, Silence
from blickfang.crawl.render.js_shell import Rendering
from blickfang.crawl.state.state_db import BYTES
from blickfang.crawl.visit.archiving import NOT_MODIFIED, UNCOMPARED, Archiving
from blickfang.crawl.visit.link_candidates import (
    list_images,
    list_links,
    offer,
    offer_listed,
    offer_other,
    offer_sitemaps,
)
from blickfang.crawl.visit.page_duplicates import PageLikeness
from blickfang.crawl.visit.page_verdict import Judge, Judgement, unite
from blickfang.io.urls import host as host_of
from blickfang.io.urls import resolve
from blickfang.io.warc.http_exchange import Exchange, Later, to_response
from blickfang.types import NOT_READ, Failure

MAX_HOPS = 5


def find_fault(candidate: Candidate, target: str | None) -> str:
    """Return why a redirect is not followed, "" for most."""
    if target is None:
        return "redirect to no address"
    if target in (candidate.url, candidate.requested):
        return LOOP
    return "too many redirects" if candidate.hops >= MAX_HOPS else ""


@dataclass(slots=True)
class ShardCounters:
    """What a shard has done so far."""

    pages: int = 0  # HTML answered 200
    images: int = 0
    rated: int = 0  # pages of which is known whether they are on topic
    on_topic: int = 0
    duplicates: int = 0
    unrendered: Counter[str] = field(default_factory=Counter)  # why pages were not rendered

    def count_page(self, relevance: float | None, on_topic: float) -> None:
        """Count a page, and whether it is as relevant as one on topic is, if that is known."""
        self.pages += 1
        self.rated += relevance is not None
        self.on_topic += relevance is not None and relevance >= on_topic


PAGE_BYTES, IMAGE_BYTES = 10_000_000, 40_000_000
CROWDED_S = 0.05
CUT_OFF_PAUSE_S = 1.0


class PageFetcher:
    """Makes the visits of a shard."""

    def __init__(
        self,
        options: CrawlOptions,
        frontier: Frontier,
        gate: Gate,
        archiving: Archiving,
        asker: Asker,
        rendering: Rendering,
        judge: Judge,
        post: Callable[[Iterable[Candidate]], None],
        picture_sizes: tuple[int, int, int, int],
        scope: Scope,
    ) -> None:
        self.options, self.frontier, self.gate, self.asker = options, frontier, gate, asker
        self.archiving, self.rendering, self.judge = archiving, rendering, judge
        self.post, self.picture_sizes, self.scope = post, picture_sizes, scope
        self.tally, self.troubles = ShardCounters(), Troubles(asker, frontier)
        self.met: set[str] = set()  # hosts that pages named
        self.bytes_before = 0  # that earlier runs brought
        self.is_again = archiving.store.fact("again_from") is not None  # pages may be known

    async def visit(self, choice: QueuedUrl) -> bool:
        """Visit one address and say whether it brought what counts; its host is free again then."""
        host, pace = choice.candidate.host, self.asker.pace
        barrier = self.scope.find_barrier(choice.candidate)
        if barrier:
            self._pass_over(choice, barrier)
            return False
        await self.asker.find_address(host)
        if pace.is_crowded(host):
            self.frontier.put_back(choice)
            self.asker.rest(host, CROWDED_S)
            self.frontier.release(host, self.asker.ready_at(host))
            return False
        ip = pace.begin(host)
        try:
            return await self._visit(choice)
        finally:
            pace.end(ip)
            self.frontier.release(host, self.asker.ready_at(host))

    def _pass_over(self, choice: QueuedUrl, barrier: str) -> None:
        """Skip what settings keep out by now; nobody was asked, so nothing is learned of a host."""
        host = self.frontier.host(choice.candidate.host)
        host.taken -= choice.candidate.kind == PAGE
        self.frontier.settle(choice, SKIPPED, barrier)
        self.frontier.release(host.name, self.asker.ready_at(host.name))

    async def _visit(self, choice: QueuedUrl) -> bool:
        candidate = choice.candidate
        refusal = await self.asker.permit(candidate.url, candidate.host, candidate.kind)
        if isinstance(refusal, Silence):
            self._bear_silence(choice, refusal)
        elif isinstance(refusal, Later):
            self.asker.rest(candidate.host, refusal.pause_s)
            self.frontier.put_back(choice)
        elif refusal:
            self._skip(choice, refusal)
        elif self.asker.pause_left(candidate.host) > LONG_PAUSE_S:
            self.frontier.put_back(choice)
        else:
            return await self._take(choice, await self._ask(candidate))
        return False

    def _bear_silence(self, choice: QueuedUrl, silence: Silence) -> None:
        if silence.reason in NOT_THE_HOST:
            self._fail(choice, Failure(choice.candidate.url, "fetch", silence.reason))
        else:
            failure = Failure(choice.candidate.url, "consent", silence.reason)
            self._trouble(choice, failure, silence.retry_s, is_busy=silence.is_busy)

    async def _ask(self, candidate: Candidate) -> Exchange | Failure:
        if candidate.kind == PAGE:
            return await self.asker.ask(
                candidate.url,
                candidate.host,
                accept=PAGES,
                limit=PAGE_BYTES,
                more_headers=self.archiving.find_validators(candidate.url) if self.is_again else {},
                stop=None if candidate.why == SITEMAP else pick_page,
            )

        def stop(head: ResponseHead, body: bytes) -> str | None:
            return pick_image(head, body, self.picture_sizes)

        return await self.asker.ask(
            candidate.url, candidate.host, accept=IMAGES, limit=IMAGE_BYTES, stop=stop
        )

    async def _take(self, choice: QueuedUrl, answer: Exchange | Failure) -> bool:
        """Do with an answer what it calls for; return whether a page or image came of it."""
        candidate = choice.candidate
        if isinstance(answer, Failure):
            self._fail(choice, answer)
        elif answer.status in REDIRECTS:
            self._redirect(choice, answer)
        elif answer.status in LATER:
            self._put_off(choice, answer)
        elif answer.truncated in BROKEN_OFF and choice.tries < self.options.retries:
            self._again(choice, Failure(candidate.url, "fetch", CLOSED))
        elif answer.status == NOT_MODIFIED and self.is_again:
            return self._keep_unchanged(choice, answer)
        elif answer.status != 200:
            self.archiving.keep(candidate, answer, {})
            self._fail(choice, Failure(candidate.url, "fetch", f"status {answer.status}"))
        elif candidate.why == SITEMAP:
            self.archiving.keep(candidate, answer, {})
            self.frontier.settle(choice, DONE)
            self.post(offer_listed(candidate, answer.body, self.scope))
        elif candidate.kind == PAGE:
            return await self._take_page(choice, answer)
        else:
            return self._take_image(choice, answer)
        return False

    def _skip(self, choice: QueuedUrl, why: str) -> None:
        self.frontier.settle(choice, SKIPPED, why)
        self._observe(choice.candidate.host, None)

    def _fail(self, choice: QueuedUrl, failure: Failure) -> None:
        """Note what cannot be had: at once if it is the address, later if it is the network."""
        if failure.reason == PROXY:  # it is no trouble of the host's: all stays queued
            self.asker.rest(choice.candidate.host, CUT_OFF_PAUSE_S)
            self.frontier.put_back(choice)
        elif failure.room == "fetch" and failure.reason in TRANSIENT:
            self._trouble(choice, failure, None, is_busy=False)
        else:
            self._end(choice, failure)

    def _end(self, choice: QueuedUrl, failure: Failure) -> None:
        """Give something up."""
        self.frontier.settle(choice, FAILED, failure.reason)
        self.archiving.note_failure(choice.candidate, failure, last=True)
        self._observe(choice.candidate.host, None)
        if failure.reason == TOO_SMALL:
            self.frontier.queues.take_others(choice.key)
        else:
            self._offer_others(choice)

    def _offer_others(self, choice: QueuedUrl) -> None:
        """Queue another form of an image that could not be had, or that nobody will read."""
        others = self.frontier.queues.take_others(choice.key)
        if others:
            self.post(offer_other(choice.candidate, others, self.scope))

    def _put_off(self, choice: QueuedUrl, answer: Exchange) -> None:
        """Try again later what a server could not give now."""
        failure = Failure(choice.candidate.url, "fetch", f"status {answer.status}")
        asked = retry_after(answer.headers, time.time())
        if answer.status in BUSY or asked:
            self._trouble(choice, failure, asked, is_busy=True)
        else:
            self._again(choice, failure)

    def _trouble(
        self, choice: QueuedUrl, failure: Failure, asked_s: float | None, *, is_busy: bool
    ) -> None:
        """Leave who is in trouble alone for a while; after many times, for good."""
        if self.troubles.note(choice.candidate, asked_s, is_busy=is_busy):
            self._end(choice, failure)
            self.troubles.give_up(choice.candidate, failure.reason)
        elif failure.room == "consent":
            self.frontier.put_back(choice)
            self.archiving.note_failure(choice.candidate, failure, last=False)
        else:
            self._again(choice, failure)

    def _again(self, choice: QueuedUrl, failure: Failure) -> None:
        if choice.tries >= self.options.retries:
            self._end(choice, failure)
        else:
            self.frontier.try_again(choice)
            self.archiving.note_failure(choice.candidate, failure, last=False)

    def _redirect(self, choice: QueuedUrl, answer: Exchange) -> None:
        """Queue where an answer sends us, in the place of what was asked for."""
        candidate = self._bring_near(choice)
        self.archiving.keep(candidate, answer, {})
        target = resolve(candidate.url, answer.headers.get("location", "").strip())
        reason = find_fault(candidate, target)
        if target is None or reason:
            self._end(choice, Failure(candidate.url, "crawl", reason))
            return
        moved = candidate._replace(
            url=target,
            host=host_of(target),
            hops=candidate.hops + 1,
            requested=candidate.requested or candidate.url,
            via=candidate.via or candidate.url,
        )
        if without_session(target) == without_session(candidate.url):
            self.frontier.rename(choice, moved)  # for us it is the same page
        elif self.scope.lets_move(candidate, moved):
            self.frontier.settle(choice, DONE, f"{MOVED}{target}")
            self.post([moved])
        else:
            self._skip(choice, OUT_OF_SCOPE)

    def _take_image(self, choice: QueuedUrl, answer: Exchange) -> bool:
        candidate, head = choice.candidate, read_head(answer.body)
        if head is None or not head.format:  # nothing came, or too little to be one
            self._end(choice, Failure(candidate.url, "fetch", NOT_AN_IMAGE))
            return False
        decision = self.gate.after_image(answer)
        if not decision.may_keep and self.options.robots:
            self._skip(choice, ", ".join(decision.reasons))
            return False
        self.archiving.keep(candidate, answer, {})
        self.tally.images += 1
        self.frontier.settle(choice, DONE)
        if head.format in NOT_READ:
            self._offer_others(choice)
        return True

    async def _take_page(self, choice: QueuedUrl, answer: Exchange) -> bool:
        """Judge a page; one that is an empty shell is judged as a browser makes it."""
        host = choice.candidate.host
        state = self.frontier.host(host).state
        found = self.judge(to_response(answer), host, state)
        if isinstance(found, Failure):
            self.archiving.keep(choice.candidate, answer, {})
            self._end(choice, found)
            return False
        rendered = await self.rendering.render(answer, found.needs_rendering)
        if isinstance(rendered, Failure):
            self.tally.unrendered[rendered.reason] += 1
            self.archiving.note_failure(choice.candidate, rendered, last=True)
        elif rendered is not None:
            again = self.judge(rendered.response, host, state)
            found = found if isinstance(again, Failure) else unite(found, again)
        html = rendered.response.body if rendered and not isinstance(rendered, Failure) else b""
        self._keep_page(choice, answer, found, html)
        is_page = is_html(answer.headers)
        if is_page:
            self.tally.count_page(found.judged.relevance, self.frontier.strategy.on_topic)
        return is_page

    def _keep_page(
        self, choice: QueuedUrl, answer: Exchange, found: Judgement, rendered: bytes
    ) -> None:
        """Archive a page if it permits that, and queue what it names."""
        candidate = self._bring_near(choice)
        decision, with_images = self.gate.after_page(
            answer, found.metas, found.licences, found.images
        )
        may, withheld = not self.options.robots, self._name_refusal(decision)
        copies = self.archiving.copies
        likeness = (
            UNCOMPARED if withheld else copies.compare(found, answer.url, again=self.is_again)
        )
        self.archiving.keep(
            candidate,
            answer,
            found.facts | likeness.facts,
            judged=found.judged,
            likeness=likeness,
            withheld=withheld,
            rendered=rendered,
        )
        is_copy = likeness.copy_of is not None
        self.tally.duplicates += is_copy
        self.frontier.settle(choice, DONE)
        judged = found.judged._replace(sample=None) if withheld else found.judged
        self._observe(candidate.host, None if is_copy else judged)
        if not is_copy:
            self.frontier.strategy.follow(candidate.url, candidate.why, judged)
        if is_seed(candidate):
            self.scope.widen(candidate.host)  # it may be where a seed has moved to
            if self.options.sitemaps:
                origin = origin_of(candidate.url)
                self.post(offer_sitemaps(candidate, origin, self.gate.sitemaps(origin)))
        if may or decision.may_follow:
            self._queue_named(candidate, found, likeness, with_images=may or with_images)

    def _keep_unchanged(self, choice: QueuedUrl, answer: Exchange) -> bool:
        """Keep that something is as it was, unless its owner says by now that it may not stay."""
        candidate = choice.candidate
        decision, _ = self.gate.after_page(answer, {})
        self.archiving.keep(candidate, answer, {}, withheld=self._name_refusal(decision))
        self.frontier.settle(choice, DONE)
        is_page = candidate.kind == PAGE and candidate.why != SITEMAP
        if is_page:
            relevance = self.archiving.find_relevance(answer.url)
            self.tally.count_page(relevance, self.frontier.strategy.on_topic)
        return is_page

    def _name_refusal(self, decision: Decision) -> str:
        """Return why something may not be kept, "" if it may."""
        may = decision.may_keep or not self.options.robots
        return "" if may else ", ".join(decision.reasons)

    def _queue_named(
        self, candidate: Candidate, found: Judgement, likeness: PageLikeness, *, with_images: bool
    ) -> None:
        """Queue what a page names; one that repeats another passes on no priority."""
        new = {*found.link_hosts} - self.met
        self.met |= new
        if candidate.host in self.scope.hosts:  # seeds are often lists of links
            self.frontier.note_found(candidate.host, len(new))
        named, most = [], self.options.max_depth
        if not most or candidate.depth < most:
            named.append(list_links(found, likeness.copy_of is not None))
        if self.options.images and with_images:
            named.append(list_images(found, likeness.repeats_images(candidate.host)))
        both = (offer(candidate, each, self.frontier, self.scope) for each in named)
        self.post(chain.from_iterable(both))  # half as many statements

    def _bring_near(self, choice: QueuedUrl) -> Candidate:
        """Return what was asked for; it may have been found nearer while it was under way."""
        candidate = choice.candidate
        if self.options.max_depth:
            candidate = candidate._replace(depth=self.frontier.queues.find_depth(choice.key))
        return candidate

    def _observe(self, host: str, judged: JudgedPage | None) -> None:
        """Let the strategy learn of a visit."""
        strategy = self.frontier.strategy
        state: HostState = self.frontier.host(host).state
        if judged is None:
            state = strategy.observe_failure(state)
        else:
            state = strategy.observe(state, judged)
            if judged.sample is not None:
                strategy.keep(judged.sample)
                self.archiving.keep_sample(strategy.kept_in, judged.sample)
        self.frontier.learn({host: state})

    def follow_up(self) -> None:
        """Write down what must last: how much came, loops of redirects; post what is nearer now."""
        size = self.bytes_before + self.asker.bytes
        self.archiving.store.keep_fact(BYTES, size)
        while self.frontier.nearer:
            nearer, self.frontier.nearer = self.frontier.nearer, []
            self.post(nearer)
        for candidate in self.frontier.loops:
            self.archiving.note_failure(candidate, Failure(candidate.url, "crawl", LOOP), last=True)
        self.frontier.loops.clear()
