"""How a shard stands, for its coordinator: ten times a second, and as its pages grow.

In: the loop of a shard, with its frontier and visitor. Out: a `Report`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import FAILED, SKIPPED
from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.shards.messages import Report
from blickfang.crawl.shards.scheduler import Loop
from blickfang.crawl.state.checkpoint import Keeper

GROWTH = 1.05  # of pages since the last report: then it is time for another


def make_report(shard: int, loop: Loop, now: float, taken: int, *, is_busy: bool) -> Report:
    """Return how a shard stands that has taken so many letters; one that `is_busy` is not idle."""
    tally, asker, frontier = loop.visitor.tally, loop.visitor.asker, loop.frontier
    under_way, is_empty = len(loop.tasks), frontier.is_empty()
    most_s = loop.options.max_delay_s
    is_put_off = not is_empty and frontier.is_only_asked_to_wait(now, most_s)
    return Report(
        shard=shard,
        pages=tally.pages,
        images=tally.images,
        requests=asker.requests,
        bytes=asker.bytes,
        on_topic=tally.on_topic,
        rated=tally.rated,
        duplicates=tally.duplicates,
        failures=dict(frontier.ended[FAILED]),
        skipped=dict(frontier.ended[SKIPPED]),
        unrendered=dict(tally.unrendered),
        queued=(frontier.queued[0], frontier.queued[1]),
        buckets=dict(frontier.buckets),
        in_flight=under_way,
        hosts=frontier.asked,
        best=loop.best(now),
        slowest=asker.pace.slowest(3),
        blocking=frontier.next_waiting(now),
        longest=loop.find_longest(now),
        is_idle=(is_empty or is_put_off) and not (under_way or is_busy),
        is_put_off=is_put_off,
        taken=taken,
        wants_pages=not frontier.only_images,
    )


def has_outgrown(loop: Loop, reported: int) -> bool:
    """Whether so many pages came since a report that new weights to choose by may be due."""
    return loop.is_patient and loop.visitor.tally.pages > GROWTH * reported


@dataclass(frozen=True, slots=True)
class Setup:
    """What a shard is made of."""

    number: int
    count: int
    folder: Path
    options: CrawlOptions
    seeds: Sequence[str]
    picture_sizes: tuple[int, int, int, int]
    user_agent: str
    about: dict[str, str]  # for the archive
    web: RecordedWeb | None = None  # replayed instead of asking hosts
    keeper: Keeper | None = None  # saves it elsewhere, for its folder may be lost


def share_out(most: int, number: int, count: int) -> int:
    """Return the part of one shard in what all together may have; none goes without.

    >>> [share_out(3, number, 2) for number in range(2)], share_out(2, 7, 8)
    ([2, 1], 1)
    """
    return max(1, most // count + (number < most % count))
