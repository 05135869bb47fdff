"""Hosts that must not be asked yet, and origins of hosts that sleep: who is ready when.

In: hosts with the time from which they may be asked. Out: those whose time has come, who is next.
"""

from collections.abc import Iterator, Mapping
from heapq import heappop
from itertools import chain

from blickfang.crawl.candidates import Host
from blickfang.crawl.heaps import push
from blickfang.crawl.origins import Origins


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
