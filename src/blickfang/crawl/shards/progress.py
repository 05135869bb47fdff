"""How a crawl stands: what its shards have brought together, and what ended it.

In: the reports of shards. Out: `Standing`, for whoever watches.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from blickfang.crawl.shards.messages import Began, Report

LASTING = ("requests", "on_topic", "rated", "duplicates")  # counts that outlive a shard
PASSING = ("pages", "images", "bytes", "hosts", "in_flight")  # those it says again when it is back


class Ending(StrEnum):
    """What ends a crawl, in the words that users read; limits are called as they are set."""

    ENOUGH = "max_pages"
    ENOUGH_IMAGES = "max_images"
    PUT_OFF = "all hosts left ask for pauses longer than max_delay_s"
    NOTHING_LEFT = "nothing is left to fetch"
    NO_ROOM = "min_disk_mb"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class Standing:
    """How the whole crawl stands, for whoever watches."""

    started: float
    pages: int = 0
    images: int = 0
    requests: int = 0
    bytes: int = 0
    on_topic: int = 0
    rated: int = 0
    duplicates: int = 0
    hosts: int = 0
    in_flight: int = 0
    queued: tuple[int, int] = (0, 0)
    buckets: Counter[int] = field(default_factory=Counter)  # pages queued in each
    failures: Counter[str] = field(default_factory=Counter)  # addresses, by reason, in this run
    skipped: Counter[str] = field(default_factory=Counter)  # those that were not asked for
    unrendered: Counter[str] = field(default_factory=Counter)  # pages, by reason
    slowest: list[tuple[str, float]] = field(default_factory=list)
    blocking: tuple[str, float] | None = None  # who will be ready next
    longest: tuple[str, float] | None = None  # who is being asked for longest
    pages_per_s: float = 0.0
    restored: int = 0  # shards that were lost and came back, however often
    stopping: str = ""  # why
    queued_again: Counter[str] = field(default_factory=Counter)  # addresses, by settings now looser
    read_again: Counter[str] = field(default_factory=Counter)  # pages, for their links

    def keep(self, counted: "Report | Standing") -> None:
        """Add what outlives a shard."""
        for name in LASTING:
            setattr(self, name, getattr(self, name) + getattr(counted, name))
        self.unrendered.update(counted.unrendered)

    def add_ended(self, now: "Report | Began", first: Began | None) -> None:
        """Add the addresses of a shard that have ended since it began, by reason."""
        for total, ended in ((self.failures, now.failures), (self.skipped, now.skipped)):
            total.update(ended)
        if first is not None:
            self.failures.subtract(first.failures)
            self.skipped.subtract(first.skipped)

    def add(self, report: Report) -> None:
        """Add how a shard stands."""
        self.keep(report)
        for name in PASSING:
            setattr(self, name, getattr(self, name) + getattr(report, name))
        self.queued = (self.queued[0] + report.queued[0], self.queued[1] + report.queued[1])
        self.buckets.update(report.buckets)
        self.slowest += report.slowest
        if report.blocking and (not self.blocking or report.blocking[1] < self.blocking[1]):
            self.blocking = report.blocking
        if report.longest and (not self.longest or report.longest[1] > self.longest[1]):
            self.longest = report.longest
