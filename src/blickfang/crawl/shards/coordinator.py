"""The coordinator: what is global in a crawl, and nothing else.

In: mail from shards. Out: mail to shards: letters passed on, pages granted, the background learned
anew, the end. It keeps nothing on disk: what matters after a kill is in the shards.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import IMAGE, PAGE
from blickfang.crawl.shards.messages import (
    AskMeans,
    Began,
    Brought,
    CandidateLetters,
    CutOff,
    Ended,
    Full,
    GiveBack,
    Grant,
    Means,
    Message,
    Need,
    News,
    NewWeights,
    NoMorePages,
    Pause,
    Received,
    RemoteFetch,
    Report,
    Samples,
    Saved,
    SendAgain,
    Stop,
)
from blickfang.crawl.shards.progress import Ending, Standing

BY_ITSELF = (Ending.ENOUGH, Ending.ENOUGH_IMAGES, Ending.PUT_OFF, Ending.NOTHING_LEFT)
MOST_ENDINGS = 3  # that are taken back: who dies of ending does so every time
MANY_PAGES = 1000  # granted at once where there is no limit
WINDOW_S = 10.0  # over which pages a second are counted

Send = Callable[[int, Message], None]
Relearn = Callable[[Sequence[bytes], Mapping[str, float]], bytes]
IsDue = Callable[[int, int, int], bool]  # hosts, pages, pages at the last time


def name_proxy(address: str) -> str:
    """Return host and port of a proxy, without a password.

    >>> name_proxy("http://me:secret@127.0.0.1:8080")
    '127.0.0.1:8080'
    """
    return urlsplit(address).netloc.rpartition("@")[2]


class Coordinator:
    """Takes the mail of all shards and answers it."""

    def __init__(
        self,
        options: CrawlOptions,
        shards: int,
        send: Send,
        before: tuple[int, int, int],
        relearn: Relearn | None = None,
        is_due: IsDue | None = None,
    ) -> None:
        """`before` are the pages, images and bytes that earlier runs of this crawl brought."""
        self.options, self.shards, self.send = options, shards, send
        self.before, self.relearn, self.is_due = before, relearn, is_due
        self.reports: dict[int, Report] = {}
        self.relayed: Counter[int] = Counter()  # letters and grants of images
        self.given = Counter[int](), Counter[int]()  # pages, images granted
        self.waiting: tuple[dict[int, int], dict[int, int]] = {}, {}  # shards that need them
        self.samples: dict[int, list[bytes]] = {}  # of each shard
        self.weights: NewWeights | None = None  # what all shards judge by
        self.at_start: dict[int, Began] = {}  # what each shard had brought when the crawl began
        self.last_said: dict[int, Report | Began] = {}  # of each shard, also of one that is lost
        self.saved: set[int] = set()  # shards with news outside of them, for whoever shows them
        self.lost = 0  # times that a shard was
        self.come_back: set[int] = set()  # shards that are told again what was said before
        self.earlier = Standing(0.0)  # what lives that are over counted, but for pages and the like
        self.endings = 0  # that were taken back
        self.regained: dict[int, tuple[int, int, int]] = {}  # what lives that were lost had saved
        self.means: dict[int, Means] = {}
        self.learned_at = 0  # pages
        self.relearning = False
        self.ended: dict[int, str] = {}
        self.started = time.monotonic()
        self.stopping: Stop | None = None
        self.is_paused = False
        self.is_full = False  # the disk, so that a shard had to end
        self.trouble = ""  # of our own, that ended the crawl
        self.has_pages = False  # as many as it may; their good images are still fetched
        self.history: deque[tuple[float, int]] = deque()

    def take(self, message: Message) -> None:
        """Answer a message."""
        match message:
            case CandidateLetters():
                self.relayed[message.receiver] += 1
                self.send(message.receiver, message)
            case Received():
                self.send(message.sender, message)
            case RemoteFetch() | Brought():
                self.send(message.receiver, message)
            case Need():
                self.waiting[message.kind][message.shard] = message.many
                self._grant()
            case GiveBack():
                self.given[message.kind][message.shard] -= message.many
                self._grant()
            case Report():
                self.reports[message.shard] = self.last_said[message.shard] = message
                self._spread_news()
                self._grant()
                self._check()
            case Full() | CutOff():
                self._give_in(message)
            case Ended():
                self.ended[message.shard] = message.error
                self.is_full = self.is_full or message.is_full
                if message.error and self.stopping is None:
                    self.stop("error")
            case _:
                self._note(message)

    def _note(self, message: Message) -> None:
        """Take what shards tell of themselves."""
        match message:
            case Began():
                self._welcome(message)
            case Saved():
                self.saved.add(message.shard)
            case Samples():
                self.samples.setdefault(message.shard, []).extend(message.data)
            case Means():
                self.means[message.shard] = message
                self._relearn()

    def part_with(self, shard: int) -> None:
        """Forget what a shard said: it will be another, from an earlier state, that speaks next.

        What it fetched counts until it says how much of it is saved: where it lost some, others
        may be granted for them.
        """
        report, brought = self.reports.get(shard), self.regained.get(shard, (0, 0, 0))
        if report is not None:
            images, size = brought[1] + report.images, brought[2] + report.bytes
            self.regained[shard] = (brought[0], images, size)
            self.earlier.keep(report)
        self.come_back.add(shard)
        self.relayed[shard] = 0
        for known in (self.reports, *self.waiting, self.means, self.samples):
            known.pop(shard, None)

    def may_go_on(self) -> bool:
        """Whether a crawl that is ending came to its end by itself, and all is well but a loss."""
        by_itself = self.stopping is not None and self.stopping.reason in BY_ITSELF
        return by_itself and self.endings < MOST_ENDINGS and not any(self.ended.values())

    def go_on(self) -> list[int]:
        """Take back that the crawl ends; return the shards that have ended and must come back."""
        self.endings += 1
        self.stopping, self.has_pages = None, False
        ended = sorted(self.ended)
        self.ended.clear()
        for shard in ended:
            self.part_with(shard)
        return ended

    def _welcome(self, began: Began) -> None:
        """Count what a shard has brought; tell one that came back all that was said before."""
        shard = began.shard
        first = self.at_start.setdefault(shard, began)
        self.last_said[shard] = began
        if shard not in self.come_back:
            return
        brought = (began.pages - first.pages, began.images - first.images)
        self.regained[shard] = (*brought, began.bytes - first.bytes)
        self.given[PAGE][shard], self.given[IMAGE][shard] = brought
        for other in range(self.shards):
            if other not in self.ended:
                self.send(other, SendAgain(shard))
        said = [
            self.weights,
            AskMeans() if self.relearning else None,
            NoMorePages() if self.has_pages else None,
            Pause(on=True) if self.is_paused else None,
            self.stopping,
        ]
        for message in said:
            if message is not None:
                self.send(shard, message)
        self._spread_news()

    def _give_in(self, message: Full | CutOff) -> None:
        """Stop because of something of our own that is missing: room on the disk, the proxy."""
        if self.stopping is None and isinstance(message, CutOff):
            self.trouble = f"the proxy {name_proxy(self.options.proxy)} does not answer"
            self.stop(self.trouble)
        elif self.stopping is None:
            self.stop(Ending.NO_ROOM)

    def _grant(self) -> None:
        """Grant pages and images, but never more than the crawl may still fetch."""
        if 0 < self.options.max_mb <= self._count_mb():
            return
        limits = self.options.max_pages, self.options.max_images
        asking = [(kind, shard) for kind in (PAGE, IMAGE) for shard in self.waiting[kind]]
        for kind, shard in asking:
            many = self.waiting[kind][shard]
            if limits[kind]:
                free = limits[kind] - self.before[kind] - self.given[kind].total()
                many = min(many, max(1, free // self.shards) if free > 0 else 0)
            elif not self.options.max_mb:  # nobody counts them: no need to be asked all the time
                many = max(many, MANY_PAGES)
            if many > 0:
                del self.waiting[kind][shard]
                self.given[kind][shard] += many
                self.relayed[shard] += kind == IMAGE  # without any it counts as idle
                self.send(shard, Grant(many, kind))

    def _count_mb(self) -> float:
        """Return how many megabytes came, in this run or before."""
        now = sum(report.bytes for report in self.reports.values())
        lost = sum(size for *_, size in self.regained.values())
        return (self.before[2] + now + lost) / 1e6

    def _spread_news(self) -> None:
        """Tell each shard what the others have: focus is global."""
        if self.shards == 1 and not self.regained:
            return
        for shard in range(self.shards):
            others = [report for number, report in self.reports.items() if number != shard]
            orders = [report.best for report in others if report.best is not None]
            pages = sum(report.pages for report in others)
            self.send(shard, News(min(orders, default=None), pages))

    def _check(self) -> None:
        """Stop when a limit is reached or nothing is left; learn the background anew when due."""
        if self.stopping is not None:
            return
        now = self.standing()
        limits = {
            "max_pages": (self.before[0] + now.pages, self.options.max_pages),
            "max_mb": (self._count_mb(), self.options.max_mb),
            "max_minutes": ((time.monotonic() - self.started) / 60, self.options.max_minutes),
        }
        reached = [name for name, (value, limit) in limits.items() if limit and value >= limit]
        if [name for name in reached if name != "max_pages"]:
            self.stop(next(name for name in reached if name != "max_pages"))
        elif reached and not self.has_pages:
            self.has_pages = True
            for shard in range(self.shards):
                self.send(shard, NoMorePages())
        elif self._is_idle():
            self.stop(self._name_end(now))
        elif (
            self.relearn
            and self.is_due
            and not self.relearning
            and not self.has_pages  # nothing is left to choose by new weights
            and self.is_due(self._count_samples(), self.before[0] + now.pages, self.learned_at)
        ):
            self.relearning = True
            self.means = {}
            self.learned_at = self.before[0] + now.pages
            for shard in range(self.shards):
                self.send(shard, AskMeans())

    def _name_end(self, now: Standing) -> str:
        """Return why a crawl has nothing to do."""
        if self.has_pages:
            return Ending.ENOUGH
        if any(report.is_put_off for report in self.reports.values()):
            return Ending.PUT_OFF
        most, queued = self.options.max_images, now.queued[IMAGE]
        has_images = queued and self.before[1] + now.images >= most > 0
        return Ending.ENOUGH_IMAGES if has_images else Ending.NOTHING_LEFT

    def _is_idle(self) -> bool:
        return len(self.reports) == self.shards and all(
            report.is_idle
            and report.taken == self.relayed[shard]
            and report.wants_pages != self.has_pages
            for shard, report in self.reports.items()
        )

    def _relearn(self) -> None:
        """Learn the background from the samples of all shards, and tell them."""
        if self.relearn is None or len(self.means) < self.shards:
            return
        values = {
            host: value for means in self.means.values() for host, value in means.values.items()
        }
        self.weights = NewWeights(self.relearn(self._all_samples(), values))
        self.relearning = False
        for shard in range(self.shards):
            self.send(shard, self.weights)

    def _count_samples(self) -> int:
        return sum(map(len, self.samples.values()))

    def _all_samples(self) -> list[bytes]:
        return [data for shard in sorted(self.samples) for data in self.samples[shard]]

    def pause(self, *, on: bool) -> None:
        """Let shards begin nothing new, or go on."""
        self.is_paused = on
        for shard in range(self.shards):
            self.send(shard, Pause(on))

    def stop(self, reason: str, *, at_once: bool = False) -> None:
        """End the crawl."""
        self.stopping = Stop(reason, at_once)
        for shard in range(self.shards):
            if shard not in self.ended:
                self.send(shard, self.stopping)

    @property
    def is_over(self) -> bool:
        """Whether all shards have ended."""
        return len(self.ended) == self.shards

    def standing(self) -> Standing:
        """Return how all shards together stand."""
        now = time.monotonic()
        why = self.stopping.reason if self.stopping else ""
        total = Standing(self.started, restored=self.lost, stopping=why)
        total.keep(self.earlier)
        for report in self.reports.values():
            total.add(report)
        for pages, images, size in self.regained.values():
            total.pages, total.images = total.pages + pages, total.images + images
            total.bytes += size
        for shard, said in self.last_said.items():
            total.add_ended(said, self.at_start.get(shard))
        for began in self.at_start.values() if len(self.at_start) == self.shards else ():
            total.queued_again.update(began.loosened.addresses)
            total.read_again.update(began.loosened.pages)
        total.failures, total.skipped = +total.failures, +total.skipped  # without what is 0
        total.slowest = sorted(total.slowest, key=lambda pair: -pair[1])[:3]
        self.history.append((now, total.pages))
        while self.history[0][0] < now - WINDOW_S:
            self.history.popleft()
        first, pages = self.history[0]
        total.pages_per_s = (total.pages - pages) / (now - first) if now > first else 0.0
        return total
