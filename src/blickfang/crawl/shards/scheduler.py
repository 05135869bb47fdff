"""The loop: frontier → visit → frontier, as many at once as manners and focus allow.

In: a frontier and a visitor. Out: visits. It knows when to hold back: a host that is far worse than
one which will be ready in a moment is not asked in its place, for pages are what a crawl has few
of, not time.
"""

import asyncio

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import IMAGE, PAGE, QueuedUrl
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.visit.page_fetcher import PageFetcher

MUCH_WORSE = 0.75  # of the value of another host: then it is better to wait for that one
FEW_AT_ONCE = 4  # choices of a focused crawl under way: each is made without knowing the others'
VAIN_PROBES = 8  # in a row, before it is again the turn of known hosts
LOOK_AHEAD = 16  # hosts that wait, looked at to find a better one
CROWDED_S = 0.05  # until the address of a host is looked at again
MOST_HELD_S = 1.0  # for new weights, which take a tenth of that; a shard that was lost owes them

Order = tuple[int, float]


class Loop:
    """The visits of a shard that are under way, and the choice of the next."""

    def __init__(self, options: CrawlOptions, frontier: Frontier, visitor: PageFetcher) -> None:
        self.options, self.frontier, self.visitor = options, frontier, visitor
        self.tasks: dict[asyncio.Task[bool], tuple[str, float]] = {}  # of which host, since when
        self.granted = [0, 0]  # pages, images that may still be begun
        self.wants_pages = True  # there is something worth fetching now
        self.elsewhere: Order | None = None  # the best host of other shards
        self.other_pages = 0
        self.shards = 1
        self.probes = 0.0
        self.vain_probes = 0  # in a row
        self.last_choice = 0.0
        self.is_paused = False  # nothing new is begun
        self.held_until = 0.0  # nor before that: new weights are on their way
        self.error: BaseException | None = None
        self.stirred = asyncio.Event()
        # Where pages have no limit all of them are fetched in the end: waiting gains nothing.
        self.patience_s = options.patience
        self.is_patient = bool(
            options.mode == "focused+images" and self.patience_s > 0 and options.max_pages
        )
        self.most = min(options.parallel, FEW_AT_ONCE) if self.is_patient else options.parallel

    def fill(self) -> None:
        """Begin as many visits as may be begun now."""
        now = asyncio.get_running_loop().time()
        self.frontier.wake(now)
        while len(self.tasks) < self.most and not (self.is_paused or now < self.held_until):
            choice = self._choose(now)
            if choice is None:
                return
            self._begin(choice)

    def hold_back(self) -> None:
        """Begin nothing for a moment if what to choose by is learned anew just now."""
        if self.is_patient:
            most_s = min(self.patience_s, MOST_HELD_S)
            self.held_until = asyncio.get_running_loop().time() + most_s

    def go_on(self) -> None:
        """Choose by what was learned anew; patience with better hosts begins again, too."""
        if self.held_until:
            self.held_until = 0.0
            self.last_choice = asyncio.get_running_loop().time()

    def _begin(self, choice: QueuedUrl) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(self.visitor.visit(choice))
        self.tasks[task] = choice.candidate.host, loop.time()
        kind = choice.candidate.kind
        self.granted[kind] -= 1
        self.probes += choice.is_probe
        task.add_done_callback(lambda done: self._end(done, kind, choice.is_probe))

    def _end(self, task: asyncio.Task[bool], kind: int, is_probe: bool) -> None:
        """Note the end of a visit; one that brought nothing leaves its grant to another."""
        self.tasks.pop(task, None)
        if is_probe:
            vain = task.cancelled() or task.exception() is not None or not task.result()
            self.vain_probes = self.vain_probes + 1 if vain else 0
            self.probes -= vain and self.vain_probes % VAIN_PROBES != 0
        if task.cancelled() or task.exception() is not None:
            self.error = self.error or (None if task.cancelled() else task.exception())
        elif not task.result():
            self.granted[kind] += 1
        self.stirred.set()

    def _choose(self, now: float) -> QueuedUrl | None:
        """Return what to fetch next, None to wait."""
        frontier = self.frontier
        if self.options.max_images:
            frontier.allow_images(self.granted[IMAGE] > 0)
        found = frontier.best(frontier.ready)
        while found is not None and self.visitor.asker.pace.is_crowded(found[1].name):
            frontier.postpone(found[1], now + CROWDED_S)
            found = frontier.best(frontier.ready)
        if found is None:
            self.wants_pages = False
            return None
        probe = self._is_probe_due()
        self.wants_pages = probe or not self._should_wait(found[0], now)
        if not self.wants_pages or (self.granted[PAGE] <= 0 and not frontier.only_images):
            return None
        choice = frontier.choose(probe=probe)
        if choice is not None:
            self.last_choice = now
        return choice

    def _is_probe_due(self) -> bool:
        """Whether it is time to try a host that is hardly known, or to look for one.

        Every so many pages, not requests: on the web many hosts that are linked do not answer, and
        a probe that brings no page is made up for, a few times.
        """
        every = self.frontier.strategy.probe_every
        if not every or self.frontier.only_images:
            return False
        pages = self.visitor.tally.pages + len(self.tasks) + self.other_pages
        due = pages / self.shards // every
        if self.probes < due and self.frontier.find_unknown() is None:
            self.probes = max(self.probes, due)  # what was due is not made up for later
        return self.probes < due

    def _should_wait(self, order: Order, now: float) -> bool:
        """Whether a much better host, here or in another shard, is worth waiting for."""
        if not self.is_patient or now - self.last_choice > self.patience_s:
            return False
        rivals = [self.elsewhere, self.best_soon(now)]
        return any(rival is not None and is_better(rival, order) for rival in rivals)

    def best_soon(self, now: float) -> Order | None:
        """Return the best host that is busy, or ready within our patience."""
        return self.frontier.best_soon(now + self.patience_s, LOOK_AHEAD)

    def best(self, now: float) -> Order | None:
        """Return the best host, ready or soon."""
        ready = self.frontier.best(self.frontier.ready)
        orders = [ready[0] if ready else None, self.best_soon(now)]
        return min((order for order in orders if order is not None), default=None)

    def find_longest(self, now: float) -> tuple[str, float] | None:
        """Return the host that is being asked for longest, and for how many seconds."""
        host, since = min(self.tasks.values(), key=lambda one: one[1], default=("", now))
        return (host, now - since) if host else None

    async def wait(self, until: float) -> None:
        """Wait until something ended, mail came, a host is ready, or some time has come."""
        loop = asyncio.get_running_loop()
        next_ready = self.frontier.wake(loop.time())
        when = until if next_ready is None else min(until, next_ready)
        timer = loop.call_at(max(when, loop.time() + 0.001), self.stirred.set)
        await self.stirred.wait()
        timer.cancel()
        self.stirred.clear()


def is_better(rival: Order, order: Order) -> bool:
    """Whether a host is so much better that the other one should wait for it.

    Within a bucket the second number of an order is the value of a host, with a minus.
    """
    if rival[0] != order[0]:
        return rival[0] < order[0]
    return rival[1] < 0 and order[1] > MUCH_WORSE * rival[1]  # else they are no values
