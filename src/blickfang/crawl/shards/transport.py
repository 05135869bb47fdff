"""Mail between shards and their coordinator, whoever carries it: processes, or a cluster.

In: a coordinator, and what starts shards and brings their mail. Out: the crawl, until all shards
have ended. A shard that is gone is started again where its carrier can do that, from what it had
saved, also while a crawl is ending that nobody ended; one that dies again and again without getting
anything done ends the crawl.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Protocol

from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import Ended, Message

WAIT_S = 0.25
ENDING_S = 20.0
VAIN_LIVES = 4  # of a shard, in a row, in which it brought nothing


class Carrier(Protocol):
    """Starts shards and carries their mail."""

    restores: bool  # whether a shard that is gone can be started again

    def send(self, shard: int, message: Message) -> None:
        """Send mail to a shard; to one that is gone it is lost with it."""

    def receive(self, wait_s: float) -> Iterator[tuple[int, Message | None]]:
        """Give the mail of all shards, waited for a while; None: this shard is gone."""

    def start(self, shard: int) -> None:
        """Start a shard, again if it is gone."""

    def close(self) -> None:
        """End what is left."""


def carry(carrier: Carrier, coordinator: Coordinator, watch: Callable[[], None]) -> None:
    """Carry mail until all shards have ended; call `watch` now and then."""
    vain: Counter[int] = Counter()
    end_by = None
    while not coordinator.is_over:
        for number, message in carrier.receive(WAIT_S):
            if message is not None and not _ends_by_itself(message, coordinator):
                coordinator.take(message)
            elif number not in coordinator.ended:
                _replace(carrier, coordinator, number, vain)
                coordinator.lost += message is None  # else it ended, and was not to
        watch()
        if coordinator.stopping is not None and coordinator.stopping.at_once:
            end_by = end_by or time.monotonic() + ENDING_S
            if time.monotonic() > end_by:  # perhaps it never began
                for number in range(coordinator.shards):
                    if number not in coordinator.ended:
                        coordinator.take(Ended(number, f"shard {number} does not end"))


def _ends_by_itself(message: Message, coordinator: Coordinator) -> bool:
    """Whether a shard ends that nobody told to: it thought us gone (we slept, or learned long)."""
    return isinstance(message, Ended) and not message.error and coordinator.stopping is None


def _replace(carrier: Carrier, coordinator: Coordinator, number: int, vain: Counter[int]) -> None:
    """Start a shard that is gone again, or let the crawl end."""
    if not carrier.restores:
        coordinator.take(Ended(number, f"shard {number} ended unexpectedly"))
        return
    if coordinator.stopping is not None and not coordinator.may_go_on():
        coordinator.take(Ended(number, f"shard {number} was lost while the crawl ended"))
        return
    report = coordinator.reports.get(number)
    vain[number] = 0 if report and report.pages + report.images else vain[number] + 1
    if vain[number] >= VAIN_LIVES:
        coordinator.take(Ended(number, f"shard {number} was lost {VAIN_LIVES} times in a row"))
        return
    coordinator.part_with(number)
    carrier.start(number)
    if coordinator.stopping is not None:  # what it had not saved is fetched again, with the others
        for other in coordinator.go_on():
            carrier.start(other)
