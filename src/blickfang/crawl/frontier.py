"""The frontier: which address next. Best first, one queue a host, every address once and for ever.

In: candidates with an order that a strategy gave them (focus). Out: the best one of a host that is
ready. Queues are on disk (store.py); in memory are, for each host with something queued, the head
of its queue and its clock, so that memory grows with hosts, not with addresses. A host is chosen
first, then the best thing in its queue: politeness never blocks another host.
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from blickfang.crawl.candidates import (
    FAILED,
    IMAGE,
    LAST_BUCKET,
    PAGE,
    QUEUED,
    SKIPPED,
    Candidate,
    Choice,
    Head,
    Host,
)
from blickfang.crawl.store import Store, key_of
from blickfang.crawl.traps import find_trap, pattern_of, without_session
from blickfang.focus import Strategy
from blickfang.focus.values import NEW_HOST, NOT_FOLLOWED, SEEDS, HostState, Order

KNOWN = 100_000  # addresses whose order is kept in memory: most links are to pages just seen
IMAGES_AT_ONCE = {1: 0, 2: 2}  # by bucket: pages of the host that come first; others come last
BEYOND = "its score lies beyond the razor"
SPENT = "the budget of its host is spent"
BEYOND_BUCKET = 127  # behind all: a better mention may still bring it back

Entry = tuple[tuple[int, float], int, int]  # order, stamp, host


class Frontier:
    """All queues of a shard."""

    def __init__(
        self, store: Store, strategy: Strategy, max_per_host: int = 0, ahead_s: float = 0.0
    ) -> None:
        """`ahead_s` is how far the clock of the loop is ahead of that on the wall."""
        self.ahead_s = ahead_s
        self.store, self.strategy, self.max_per_host = store, strategy, max_per_host
        self.hosts: dict[int, Host] = {}
        self.by_name: dict[str, int] = {}
        self.known: dict[str, Order] = {}
        self.ready: list[Entry] = []
        self.probes: list[Entry] = []
        self.better: list[Entry] = []  # of hosts that wait: is it worth waiting for one of them?
        self.waiting: list[tuple[float, int, int]] = []  # when, stamp, host
        self.under_way: set[int] = set()  # hosts
        self.queued = [0, 0]
        self.choices = 0
        self._load()

    def _load(self) -> None:
        """Take up the queues where they were left."""
        self.numbers = int(self.store.db.execute("SELECT max(number) FROM urls").fetchone()[0] or 0)
        rows = self.store.db.execute(
            "SELECT id, name, pages, fetches, evidence, worth, prior, taken, sleeps_until "
            "FROM hosts WHERE id IN (SELECT DISTINCT host FROM urls WHERE state = 0)"
        ).fetchall()
        for number, name, *state, taken, sleeps_until in rows:
            host = self._enter(Host(number, name, HostState(*state), taken))
            host.ready_at = max(0.0, sleeps_until + self.ahead_s) if sleeps_until else 0.0
            for kind in (PAGE, IMAGE):
                self._find_head(host, kind, -1)
            self._requeue(host)
        for kind, count in self.store.db.execute(
            "SELECT kind, count(*) FROM urls WHERE state = 0 GROUP BY kind"
        ):
            self.queued[kind] = count

    def _enter(self, host: Host) -> Host:
        self.hosts[host.id] = host
        self.by_name[host.name] = host.id
        return host

    def host(self, name: str) -> Host:
        """Return a host, a new one if nothing is known of it."""
        number = self.by_name.get(name)
        if number is not None:
            return self.hosts[number]
        columns = "id, name, pages, fetches, evidence, worth, prior, taken"
        found = self.store.db.execute(
            f"SELECT {columns} FROM hosts WHERE name = ?",  # noqa: S608 -- a constant
            (name,),
        ).fetchone()
        if found is None:
            new = self.store.db.execute(
                "INSERT INTO hosts (name, pages, fetches, evidence, worth, prior) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, *NEW_HOST),
            )
            return self._enter(Host(int(new.lastrowid or 0), name, NEW_HOST, 0))
        number, name, *state, taken = found
        return self._enter(Host(number, name, HostState(*state), taken))

    def add(self, candidates: Iterable[Candidate]) -> int:
        """Queue what was never seen; move up what is queued and now has a better order."""
        fresh = 0
        touched: set[int] = set()
        for candidate in candidates:
            order = Order(candidate.bucket, candidate.score)
            if candidate.bucket == NOT_FOLLOWED:
                order = Order(BEYOND_BUCKET, candidate.score)
            before = self.known.get(candidate.url)
            if before is not None and before <= order:
                continue
            if len(self.known) >= KNOWN:
                self.known.clear()
            self.known[candidate.url] = order
            host = self.host(candidate.host)
            fresh += self._put(host, candidate, order)
            if candidate.prior > host.state.prior:
                host.state = self.strategy.mention(host.state, candidate.prior)
                self._keep(host)
            touched.add(host.id)
        for number in touched:
            self._requeue(self.hosts[number])
        return fresh

    def _put(self, host: Host, candidate: Candidate, order: Order) -> bool:
        """Write a candidate into its queue; return whether it is new."""
        key = key_of(without_session(candidate.url))
        db = self.store.db
        row = db.execute("SELECT state, bucket, score, kind FROM urls WHERE key = ?", (key,))
        found = row.fetchone()
        if found is not None:
            state, bucket, score, kind = found
            beyond = state == SKIPPED and bucket == BEYOND_BUCKET
            if (state == QUEUED or beyond) and order < (bucket, score) and key != host.under_way:
                self._move_up(host, candidate, key)
                self.queued[kind] += beyond
            return bool(beyond)
        self.numbers += 1
        state, why = self._admit(candidate)
        db.execute(
            "INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (
                key,
                candidate.url,
                host.id,
                candidate.kind,
                state,
                *order,
                self.numbers,
                candidate.depth,
                candidate.via,
                candidate.hops,
                candidate.requested,
                why,
            ),
        )
        if state == QUEUED:
            self.queued[candidate.kind] += 1
            self._raise_head(host, candidate.kind, order, key)
        return state == QUEUED

    def _move_up(self, host: Host, candidate: Candidate, key: int) -> None:
        """Give something a better order, and queue it if it was beyond the razor before."""
        order = Order(candidate.bucket, candidate.score)
        self.store.db.execute(
            "UPDATE urls SET state = 0, bucket = ?, score = ?, why = ? WHERE key = ?",
            (*order, candidate.why, key),
        )
        self._raise_head(host, candidate.kind, order, key)

    def _admit(self, candidate: Candidate) -> tuple[int, str]:
        """Return the state of a new address: traps are known, but not fetched."""
        if candidate.bucket == NOT_FOLLOWED:
            return SKIPPED, BEYOND
        if candidate.bucket == SEEDS or candidate.kind == IMAGE:
            return QUEUED, candidate.why
        trap = find_trap(candidate.url)
        if trap:
            return SKIPPED, trap
        pattern = pattern_of(candidate.url)
        if pattern is not None:
            key = key_of(pattern[0])
            (count,) = self.store.db.execute(
                "INSERT INTO patterns VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1 "
                "RETURNING count",
                (key,),
            ).fetchone()
            if count > pattern[1]:
                return SKIPPED, f"more than {pattern[1]} addresses that differ only in digits"
        return QUEUED, candidate.why

    def _raise_head(self, host: Host, kind: int, order: Order, key: int) -> None:
        head = host.heads[kind]
        if head is None or order < head.order:
            host.heads[kind] = Head(order, self.numbers, key)

    def _find_head(self, host: Host, kind: int, without: int) -> None:
        """Look up the best of a queue, but for one that is under way."""
        row = self.store.db.execute(
            "SELECT bucket, score, number, key FROM urls WHERE state = 0 AND host = ? AND kind = ? "
            "AND key != ? ORDER BY bucket, score, number LIMIT 1",
            (host.id, kind, without),
        ).fetchone()
        host.heads[kind] = None if row is None else Head(Order(row[0], row[1]), row[2], row[3])

    def _order(self, host: Host) -> tuple[int, float] | None:
        """Return the place of a host among all, None if nothing of it is queued."""
        page, image = host.heads
        if page is not None and page.order.bucket == SEEDS:
            return SEEDS, page.order.score
        orders = []
        if page is not None:
            orders.append(self.strategy.host_order(host.state, page.order))
        if image is not None:
            orders.append(self.strategy.image_order(image.order))
        return min(orders) if orders else None

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
            heappush(self.waiting, (host.ready_at, host.stamp, host.id))
            heappush(self.better, entry)
            return
        heappush(self.ready, entry)
        if self.strategy.probe_every and self._wants_probe(host):
            heappush(self.probes, entry)

    def _wants_probe(self, host: Host) -> bool:
        return host.heads[PAGE] is not None and self.strategy.wants_probe(host.state)

    def wake(self, now: float) -> float | None:
        """Make hosts ready whose time has come; return when the next one will be."""
        while self.waiting:
            when, stamp, number = self.waiting[0]
            host = self.hosts[number]
            if host.stamp != stamp:
                heappop(self.waiting)
            elif when <= now:
                heappop(self.waiting)
                host.ready_at = 0.0
                self._requeue(host)
            else:
                return when
        return None

    def next_waiting(self, now: float) -> tuple[str, float] | None:
        """Return the host that will be ready next, and in how many seconds."""
        when = self.wake(now)
        return None if when is None else (self.hosts[self.waiting[0][2]].name, when - now)

    def best(self, heap: list[Entry]) -> tuple[tuple[int, float], Host] | None:
        """Return the best host of a heap, without removing it."""
        while heap:
            order, stamp, number = heap[0]
            host = self.hosts[number]
            if host.stamp == stamp and host.under_way is None:
                return order, host
            heappop(heap)
        return None

    def choose(self, *, probe: bool) -> Choice | None:
        """Return what to fetch next and keep its host busy; `probe` prefers hosts hardly known."""
        self.choices += 1
        unknown = self.best(self.probes) if probe else None
        if unknown is not None:
            return self._take(unknown[1], PAGE)._replace(is_probe=True)
        found = self.best(self.ready)
        return None if found is None else self._take(found[1], self._pick_kind(found[1]))

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

    def _pick_kind(self, host: Host) -> int:
        """Return whether a page or an image of a host comes next."""
        page, image = host.heads
        if page is None or image is None:
            return PAGE if image is None else IMAGE
        if page.order.bucket == SEEDS:
            return PAGE
        wait = IMAGES_AT_ONCE.get(image.order.bucket)
        return IMAGE if wait is not None and host.in_row >= wait else PAGE

    def _take(self, host: Host, kind: int) -> Choice:
        head = host.heads[kind]
        if head is None:
            raise RuntimeError(f"{host.name} has nothing to take")  # our mistake
        row = self.store.db.execute(
            "SELECT url, bucket, score, depth, via, hops, requested, why, tries FROM urls "
            "WHERE key = ?",
            (head.key,),
        ).fetchone()
        url, bucket, score, depth, via, hops, requested, why, tries = row
        host.under_way = head.key
        self.under_way.add(host.id)
        host.stamp += 1
        host.in_row = 0 if kind == IMAGE else host.in_row + 1
        if kind == PAGE:
            host.taken += 1
        self._find_head(host, kind, head.key)
        candidate = Candidate(
            url, host.name, kind, bucket, score, 0.0, depth, via, hops, requested, why
        )
        return Choice(head.key, candidate, tries)

    def settle(self, choice: Choice, state: int, why: str | None = None) -> None:
        """Write down how something that was taken ended."""
        reason = choice.candidate.why if why is None else why
        self.store.db.execute(
            "UPDATE urls SET state = ?, why = ? WHERE key = ?", (state, reason, choice.key)
        )
        self.queued[choice.candidate.kind] -= 1

    def try_again(self, choice: Choice) -> None:
        """Put something that was taken back, behind all others of its host."""
        self.store.db.execute(
            "UPDATE urls SET tries = tries + 1, bucket = max(bucket, ?) WHERE key = ?",
            (LAST_BUCKET, choice.key),
        )
        self._find_head(self.host(choice.candidate.host), choice.candidate.kind, -1)

    def release(self, name: str, ready_at: float) -> None:
        """Let a host be chosen again from some time on."""
        host = self.host(name)
        host.under_way = None
        self.under_way.discard(host.id)
        host.ready_at = ready_at
        if self.max_per_host and host.taken >= self.max_per_host:
            self._end(host, PAGE, SKIPPED, SPENT)
        self._requeue(host)

    def _end(self, host: Host, kind: int, state: int, why: str) -> None:
        """Give up what is queued of a host."""
        ended = self.store.db.execute(
            "UPDATE urls SET state = ?, why = ? WHERE state = 0 AND host = ? AND kind = ?",
            (state, why, host.id, kind),
        )
        self.queued[kind] -= ended.rowcount
        host.heads[kind] = None

    def sleep(self, name: str, until: float) -> None:
        """Keep over restarts that a host asked to be left alone until some time."""
        self.store.db.execute("UPDATE hosts SET sleeps_until = ? WHERE name = ?", (until, name))

    def give_up(self, name: str, why: str) -> None:
        """End everything that is queued of a host."""
        host = self.host(name)
        for kind in (PAGE, IMAGE):
            self._end(host, kind, FAILED, why)

    def learn(self, states: Mapping[str, HostState]) -> None:
        """Take what a strategy now knows of some hosts."""
        for name, state in states.items():
            host = self.host(name)
            host.state = state
            self._keep(host)
            self._requeue(host)

    def _keep(self, host: Host) -> None:
        self.store.db.execute(
            "UPDATE hosts SET pages = ?, fetches = ?, evidence = ?, worth = ?, prior = ?, "
            "taken = ? WHERE id = ?",
            (*host.state, host.taken, host.id),
        )
