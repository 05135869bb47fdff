"""How a shard stands, for its coordinator: ten times a second, and as its pages grow.

In: the loop of a shard, with its frontier and visitor. Out: a `Report`.
"""

from blickfang.crawl.candidates import FAILED, SKIPPED
from blickfang.crawl.loop import Loop
from blickfang.crawl.mail import Report

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
