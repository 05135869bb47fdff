"""The frontier: which address next. Best first, one queue a host, every address once and for ever.

In: candidates with an order that a strategy gave them (focus). Out: the best one of a host that is
ready. Queues are on disk (crawl/state/state_db.py); in memory are, for each host with something
queued, the head of its queue and its clock, so that memory grows with hosts, not with addresses. A
host is chosen first, then the best thing in its queue: politeness never blocks another host.
"""

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import chain

from blickfang.crawl.fetch.dead_origins import EVERYTHING, Origins
from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import SEEDS, HostState, Order
from blickfang.crawl.frontier.candidates import (
    ANY_BUCKET,
    DONE,
    FAILED,
    IMAGE,
    PAGE,
    QUEUED,
    SKIPPED,
    SPENT,
    Candidate,
    Host,
    QueuedUrl,
    QueueHead,
    order_of,
)
from blickfang.crawl.frontier.enqueue import CandidateBatch, admit
from blickfang.crawl.frontier.host_heaps import Entry, find_best, push
from blickfang.crawl.frontier.queues import QueueRow, Queues, find_target, is_better, is_loop
from blickfang.crawl.state.state_db import StateDb, count_asked, count_ended

MOST = 100_000  # addresses, of both kinds together


class SeenUrls:
    """The orders of addresses just seen; with a limit of depth, also how deep pages are."""

    def __init__(self, *, with_depths: bool = False) -> None:
        self.orders: tuple[dict[str, Order], dict[str, Order]] = {}, {}  # pages, images
        self.depths: dict[str, int] = {}  # of pages; empty where depth does not count
        self.with_depths = with_depths

    def remember(self, candidate: Candidate, order: Order) -> None:
        """Keep in mind under which order something is known; of both kinds together not too much.

        Images alone would take hours to reach a limit of their own: memory would grow all that
        time.
        """
        if len(self.orders[PAGE]) + len(self.orders[IMAGE]) >= MOST:
            self.clear()
        self.orders[candidate.kind][candidate.url] = order
        if self.with_depths and candidate.kind == PAGE:
            before = self.depths.get(candidate.url, candidate.depth)
            self.depths[candidate.url] = min(before, candidate.depth)

    def clear(self) -> None:
        """Forget everything."""
        for known in (*self.orders, self.depths):
            known.clear()

    def forget(self, page: Candidate) -> None:
        """Let a page be queued again in the order that it has."""
        self.orders[PAGE].pop(page.url, None)

    def is_nearer(self, candidate: Candidate) -> bool:
        """Whether a page is fewer links away from the seeds than it was known to be."""
        return candidate.kind == PAGE and candidate.depth < self.depths.get(candidate.url, 0)

    def pick(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Give those that are not known, not in so good an order or not so near; know them."""
        for candidate in candidates:
            order = order_of(candidate)
            before = self.orders[candidate.kind].get(candidate.url)
            if before is None or before > order or candidate.hops:
                self.remember(candidate, order)
            elif self.depths and self.is_nearer(candidate):
                self.depths[candidate.url] = candidate.depth
            else:
                continue
            is_beyond = candidate.bucket != order.bucket
            yield candidate._replace(bucket=order.bucket) if is_beyond else candidate


class Waiting:
    """All hosts of a shard that wait."""

    def __init__(self, hosts: Mapping[int, Host]) -> None:
        self.hosts = hosts  # those of the frontier
        self.heap: list[tuple[float, int, int]] = []  # when, stamp, host
        self.asked: dict[int, float] = {}  # hosts that asked to be left alone, until when
        self.origins = Origins()

    def push(self, host: Host) -> None:
        """Let a host wait."""
        push(self.heap, (host.ready_at, host.stamp, host.id), self.hosts)

    def is_long(self, now: float, most_s: float) -> bool:
        """Whether some wait, and all of them asked for longer than so many seconds from now."""
        hosts = (number for _, stamp, number in self.heap if self.hosts[number].stamp == stamp)
        end = now + most_s
        return self.next() is not None and all(
            self.asked.get(number, 0.0) > end for number in chain(hosts, self.origins.asleep)
        )

    def wake(self, now: float) -> Iterator[Host]:
        """Give the hosts whose time has come."""
        while self.heap:
            when, stamp, number = self.heap[0]
            host = self.hosts[number]
            if host.stamp == stamp and when > now:
                return
            heappop(self.heap)
            if host.stamp == stamp:
                host.ready_at = 0.0
                yield host

    def next(self) -> tuple[float, str] | None:
        """Return when the next one is ready, and which host it is; all others are awake."""
        hosts = [(when, number) for when, _, number in self.heap[:1]]
        first = min(hosts + self.origins.waking[:1], default=None)
        return first and (first[0], self.hosts[first[1]].name)


IMAGES_AT_ONCE = {1: 0, 2: 2}  # by bucket: pages of the host that come first; others come last

Heads = tuple[QueueHead | None, QueueHead | None]  # of pages, of images


def find_place(heads: Heads, state: HostState, strategy: Strategy) -> tuple[int, float] | None:
    """Return the place of a host among all, None if nothing of it may be given."""
    page, image = heads
    if page is not None and comes_first(page):
        return SEEDS, page.order.score
    orders = []
    if page is not None:
        orders.append(strategy.host_order(state, page.order))
    if image is not None:
        orders.append(strategy.image_order(image.order))
    return min(orders) if orders else None


def pick_kind(heads: Heads, in_row: int) -> int:
    """Return whether a page or an image comes next, after so many pages in a row."""
    page, image = heads
    if page is None or image is None:
        return PAGE if image is None else IMAGE
    if comes_first(page):
        return PAGE
    wait = IMAGES_AT_ONCE.get(image.order.bucket)
    return IMAGE if wait is not None and in_row >= wait else PAGE


def comes_first(page: QueueHead) -> bool:
    """Whether a page comes before all that was only found: a seed, or one to ask for again."""
    return page.order.bucket == SEEDS or page.tries < 0


MANY_FOUND = 3  # new hosts on one page: a directory, not a page with a link or two
LOOP = "redirect loop"


class Frontier:
    """All queues of a shard."""

    def __init__(
        self,
        store: StateDb,
        strategy: Strategy,
        max_per_host: int = 0,
        ahead_s: float = 0.0,
        *,
        with_depths: bool = False,
    ) -> None:
        """`ahead_s` is how far the clock of the loop is ahead of that on the wall."""
        self.queues, self.strategy, self.max_per_host = Queues(store), strategy, max_per_host
        self.hosts: dict[int, Host] = {}
        self.by_name: dict[str, int] = {}
        self.known = SeenUrls(with_depths=with_depths)
        self.ready: list[Entry] = []
        self.probes: list[Entry] = []
        self.better: list[Entry] = []  # of hosts that wait: is it worth waiting for one of them?
        self.waiting = Waiting(self.hosts)
        self.under_way: set[int] = set()  # hosts
        self.hubs: set[int] = set()  # hosts of seeds whose last page named new hosts
        self.queued, self.buckets = self.queues.count_queued()  # the latter of pages
        self.asked = count_asked(store.db)  # hosts
        self.ended = dict(zip((FAILED, SKIPPED), count_ended(store.db), strict=True))  # by reason
        self.loops: list[Candidate] = []  # redirects back to one on their way, not yet told
        self.nearer: list[Candidate] = []  # where redirects lead that are nearer, not yet posted
        self.only_images = self.only_pages = False
        for host, sleeps_until in self.queues.hosts_with_work():
            self._enter(host)
            host.ready_at = max(0.0, sleeps_until + ahead_s) if sleeps_until else 0.0
            self.waiting.asked[host.id] = host.ready_at
            host.heads = [self.queues.find_head(host, kind) for kind in (PAGE, IMAGE)]
            self._requeue(host)

    def _enter(self, host: Host) -> Host:
        self.hosts[host.id] = host
        self.by_name[host.name] = host.id
        return host

    def host(self, name: str) -> Host:
        """Return a host, a new one if nothing is known of it."""
        number = self.by_name.get(name)
        return self._enter(self.queues.find_host(name)) if number is None else self.hosts[number]

    def add(self, candidates: Iterable[Candidate]) -> int:
        """Queue what was never seen; move up what is queued and now has a better order."""
        wanted = [(one, self.host(one.host)) for one in self.known.pick(candidates)]
        if not wanted:
            return 0
        batch = CandidateBatch(self.queues, wanted)
        fresh = 0
        praised: dict[int, Host] = {}  # hosts of which a link says more than any before
        for (candidate, host), key in zip(wanted, batch.keys, strict=True):
            fresh += self._put(batch, host, candidate, key)
            if candidate.prior > host.state.prior:
                host.state = self.strategy.mention(host.state, candidate.prior)
                praised[host.id] = host
        batch.write()
        self.queues.keep_hosts(praised.values())
        for number in {host.id for _, host in wanted}:
            self._requeue(self.hosts[number])
        return fresh

    def _put(self, batch: CandidateBatch, host: Host, candidate: Candidate, key: int) -> bool:
        """Put a candidate into its queue; return whether it is new there."""
        found = batch.rows.get(key)
        if found is None:
            lost, spent = self.waiting.origins.is_lost(host.id, candidate.url), self._is_spent(host)
            state, why = admit(candidate, key, batch, is_spent=spent, is_lost=lost)
            batch.insert(host, candidate, key, state, why)
            if state != QUEUED:
                self._note_end(state, why)
                return False
        elif candidate.hops and is_loop(found, candidate):
            self.queues.settle(key, FAILED, LOOP)
            batch.rows[key] = found._replace(state=FAILED, why=LOOP)
            self._note_end(FAILED, LOOP)
            self.loops.append(candidate)
            return False
        elif key == host.under_way or not is_better(found, candidate):
            if self.known.with_depths and candidate.depth < found.depth and candidate.kind == PAGE:
                self._bring_near(batch, found, candidate, key)
            return False
        else:
            if found.state == QUEUED:
                self._count(found.kind, found.bucket, -1)
            self._note_end(found.state, found.why, -1)
            batch.move_up(candidate, key)
            if found.kind != candidate.kind:
                batch.write()  # what is looked for now is looked for on disk
                self._find_head(host, found.kind)
        self._count(candidate.kind, candidate.bucket, 1)
        self._raise_head(host, candidate, key, found.tries if found else 0)
        return found is None or found.state != QUEUED

    def _bring_near(
        self, batch: CandidateBatch, found: QueueRow, candidate: Candidate, key: int
    ) -> None:
        """Note that something is nearer to the seeds; if it was fetched, so is what it names."""
        batch.bring_near(key, candidate.depth)
        moved = find_target(found, candidate)
        if moved is not None:
            self.nearer.append(moved)
        elif found.state == DONE:
            self.queues.offer_again(key, candidate.depth)

    def _count(self, kind: int, bucket: int, change: int) -> None:
        self.queued[kind] += change
        if kind == PAGE:
            self.buckets[bucket] += change

    def _note_end(self, state: int, why: str, change: int = 1) -> None:
        """Count addresses that failed or were skipped, or are queued again."""
        if state in self.ended:
            self.ended[state][why] += change

    def _raise_head(self, host: Host, candidate: Candidate, key: int, tries: int) -> None:
        order, head = (candidate.bucket, candidate.score), host.heads[candidate.kind]
        if head is not None and (head.tries, head.order) <= (tries, order):
            return
        waits = self.waiting.origins.is_asleep(host.id, candidate.url)
        if not waits and candidate.bucket <= self._worst(candidate.kind):
            head = QueueHead(Order(*order), self.queues.store.arrivals, key, tries)
            host.heads[candidate.kind] = head

    def _worst(self, kind: int) -> int:
        """Return the last bucket of which anything is given."""
        return max(IMAGES_AT_ONCE) if self.only_images and kind == IMAGE else ANY_BUCKET

    def _find_head(self, host: Host, kind: int, without: int = -1) -> None:
        asleep = self.waiting.origins.list_asleep(host.id)
        host.heads[kind] = self.queues.find_head(host, kind, without, self._worst(kind), asleep)

    def close_pages(self) -> None:
        """Give no more pages; the good images of those fetched are still given."""
        self.only_images = True
        for host in self.hosts.values():
            self._look_again(host)
            self._requeue(host)

    def allow_images(self, allowed: bool) -> None:
        """Give images, or none for now."""
        if self.only_pages == allowed:
            self.only_pages = not allowed
            for host in self.hosts.values():
                self._requeue(host)

    def is_empty(self) -> bool:
        """Whether nothing is queued that may be given."""
        if self.only_images:
            return self.only_pages or not self.has_images()
        return self.queued[PAGE] == 0 and (self.only_pages or self.queued[IMAGE] == 0)

    def is_only_asked_to_wait(self, now: float, most_s: float) -> bool:
        """Whether all that is left is of hosts that asked for a pause longer than so much."""
        self.wake(now)
        busy = self.under_way or self.best(self.ready)
        return not busy and self.waiting.is_long(now, most_s)

    def has_images(self) -> bool:
        """Whether images are queued that may be given, now or when they are awake again."""
        if any(host.heads[IMAGE] for host in self.hosts.values()):
            return True
        hosts = (self.hosts[number] for number in self.waiting.origins.asleep)
        return any(self.queues.find_head(host, IMAGE, -1, self._worst(IMAGE)) for host in hosts)

    def _order(self, host: Host) -> tuple[int, float] | None:
        """Return the place of a host among all, None if nothing of it may be given."""
        return find_place(self._heads(host), host.state, self.strategy)

    def _heads(self, host: Host) -> Heads:
        """Return the heads of the queues of a host, None where nothing may be given."""
        page, image = host.heads
        return None if self.only_images else page, None if self.only_pages else image

    def _requeue(self, host: Host) -> None:
        """Put a host where it belongs after something about it changed."""
        host.stamp += 1
        if host.under_way is not None:
            return
        order = self._order(host)
        if order is None:
            return
        entry = (order, host.stamp, host.id)
        if host.ready_at > 0:
            self.waiting.push(host)
            push(self.better, entry, self.hosts)
            return
        push(self.ready, entry, self.hosts)
        if self.strategy.probe_every and self._wants_probe(host):
            push(self.probes, entry, self.hosts)

    def _wants_probe(self, host: Host) -> bool:
        return host.heads[PAGE] is not None and self.strategy.wants_probe(host.state)

    def wake(self, now: float) -> float | None:
        """Make hosts ready whose time has come; return when the next one will be."""
        for number in self.waiting.origins.wake(now):
            self._look_again(self.hosts[number])
            self._requeue(self.hosts[number])
        for host in self.waiting.wake(now):
            self._requeue(host)
        found = self.waiting.next()
        return None if found is None else found[0]

    def next_waiting(self, now: float) -> tuple[str, float] | None:
        """Return the host that will be ready next, and in how many seconds."""
        self.wake(now)
        found = self.waiting.next()
        return None if found is None else (found[1], found[0] - now)

    def best(self, heap: list[Entry]) -> tuple[tuple[int, float], Host] | None:
        """Return the best host of a heap, without removing it."""
        return find_best(heap, self.hosts)

    def choose(self, *, probe: bool) -> QueuedUrl | None:
        """Return what to fetch next and keep its host busy; `probe` prefers hosts hardly known."""
        unknown = self.find_unknown() if probe else None
        if unknown is not None:
            return self._take(unknown, PAGE)._replace(is_probe=True)
        found = self.best(self.ready)
        if found is None:
            return None
        host = found[1]
        return self._take(host, pick_kind(self._heads(host), host.in_row))

    def find_unknown(self) -> Host | None:
        """Return a host that is hardly known; if there is none, a seed's that leads to new ones."""
        unknown = self.best(self.probes)
        if unknown is not None:
            return unknown[1]
        ready = [
            host
            for host in map(self.hosts.__getitem__, self.hubs)
            if host.heads[PAGE] and host.under_way is None and host.ready_at == 0
        ]
        return max(ready, key=lambda host: host.found, default=None)

    def note_found(self, name: str, hosts: int) -> None:
        """Note how many hosts a page named that nobody knew: that of a directory names many."""
        host = self.host(name)
        host.found = hosts
        if hosts >= MANY_FOUND:
            self.hubs.add(host.id)
        else:
            self.hubs.discard(host.id)

    def postpone(self, host: Host, until: float) -> None:
        """Let a host wait a little longer."""
        host.ready_at = until
        self._requeue(host)

    def best_soon(self, until: float, most: int) -> tuple[int, float] | None:
        """Return the order of the best host that is busy, or waits until some time at most."""
        orders = [self._order(self.hosts[number]) for number in self.under_way]
        looked_at: list[Entry] = []
        while self.better and len(looked_at) < most:
            entry = heappop(self.better)
            order, stamp, number = entry
            host = self.hosts[number]
            if host.stamp != stamp or host.ready_at == 0:
                continue
            looked_at.append(entry)
            if host.ready_at <= until:
                orders.append(order)
                break
        for entry in looked_at:
            heappush(self.better, entry)
        return min((order for order in orders if order is not None), default=None)

    def _take(self, host: Host, kind: int) -> QueuedUrl:
        head = host.heads[kind]
        if head is None:
            raise RuntimeError(f"{host.name} has nothing to take")  # our mistake
        host.under_way = head.key
        self.under_way.add(host.id)
        host.stamp += 1
        host.in_row = 0 if kind == IMAGE else host.in_row + 1
        host.taken += kind == PAGE
        self._find_head(host, kind, head.key)
        return self.queues.read(head.key, host, kind)

    def settle(self, choice: QueuedUrl, state: int, why: str | None = None) -> None:
        """Write down how something that was taken ended."""
        why = choice.candidate.why if why is None else why
        self.queues.settle(choice.key, state, why)
        self._note_end(state, why)
        if state != SKIPPED:  # also what gave nothing that a strategy learns from: an image
            self.asked += self.queues.hear(self.host(choice.candidate.host))
        self._count(choice.candidate.kind, choice.candidate.bucket, -1)

    def try_again(self, choice: QueuedUrl) -> None:
        """Put something that was taken back, behind all others of its host."""
        self.queues.put_back(choice.key)
        self._find_again(choice)

    def put_back(self, choice: QueuedUrl) -> None:
        """Let something that was taken, but not asked for, be chosen again."""
        self.host(choice.candidate.host).taken -= choice.candidate.kind == PAGE
        self._find_again(choice)

    def _find_again(self, choice: QueuedUrl) -> None:
        self._find_head(self.host(choice.candidate.host), choice.candidate.kind)

    def rename(self, choice: QueuedUrl, moved: Candidate) -> None:
        """Put something that was taken back under another address, which for us is the same."""
        self.queues.rename(choice.key, moved)
        self._find_again(choice)

    def release(self, name: str, ready_at: float) -> None:
        """Let a host be chosen again from some time on."""
        host = self.host(name)
        host.under_way = None
        self.under_way.discard(host.id)
        host.ready_at = ready_at
        if self._is_spent(host):
            self._end(host, PAGE, SKIPPED, SPENT, EVERYTHING)
        self._requeue(host)

    def _is_spent(self, host: Host) -> bool:
        return 0 < self.max_per_host <= host.taken

    def _end(self, host: Host, kind: int, state: int, why: str, beginning: str) -> None:
        """Give up what is queued of a host and begins so."""
        for bucket, count in self.queues.end(host, kind, state, why, beginning).items():
            self._count(kind, bucket, -count)
            self._note_end(state, why, count)
        self._find_head(host, kind)

    def give_up(self, name: str, beginning: str, why: str) -> None:
        """End what begins so and is queued of a host, and what is named of it later in this run."""
        host = self.host(name)
        self.waiting.origins.lose(host.id, beginning)
        for kind in (PAGE, IMAGE):
            self._end(host, kind, FAILED, why, beginning)

    def let_sleep(self, name: str, beginning: str, until: float) -> None:
        """Give nothing of a host that begins so until some time; all else of it may be given."""
        host = self.host(name)
        self.waiting.origins.sleep(host.id, beginning, until)
        self._look_again(host)

    def leave_alone(self, name: str, until: float, ahead_s: float) -> None:
        """Note until when a host asked to be left alone; the next run will know it, too."""
        self.waiting.asked[self.host(name).id] = until
        self.queues.sleep(name, until - ahead_s)

    def _look_again(self, host: Host) -> None:
        for kind in (PAGE, IMAGE):
            self._find_head(host, kind, -1 if host.under_way is None else host.under_way)

    def learn(self, states: Mapping[str, HostState]) -> None:
        """Take what a strategy now knows of some hosts."""
        for name, state in states.items():
            host = self.host(name)
            self.asked += state.fetches > 0 and self.queues.hear(host)
            host.state = state
            self.queues.keep_hosts((host,))
            self._requeue(host)
