"""Heaps of hosts whose place changes all the time: what is out of date is swept out.

In: entries (anything, stamp, host). Out: heaps that stay as small as there are hosts. An entry is
out of date when its host has another stamp; those at the top fall out when somebody looks there,
but the poor ones sink and would never be looked at: a crawl of a day leaves millions of them.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from blickfang.crawl.frontier.candidates import Host

FEW = 1000  # entries that are not worth sweeping

Order = tuple[int, float]
Entry = tuple[Order, int, int]  # order, stamp, host


def push(heap: list[Any], entry: tuple[Any, int, int], hosts: Mapping[int, Host]) -> None:
    """Put an entry into a heap; when more than half of it is out of date, sweep that out.

    A host has one entry in a heap that counts, so a sweep leaves at most as many as there are
    hosts, and the next one is at least so many entries away: sweeping costs the same per entry,
    however long a crawl runs.
    """
    if len(heap) >= 2 * len(hosts) + FEW:
        heap[:] = [one for one in heap if hosts[one[2]].stamp == one[1]]
        heapify(heap)
    heappush(heap, entry)


def find_best(heap: list[Entry], hosts: Mapping[int, Host]) -> tuple[Order, Host] | None:
    """Return the best host of a heap that is free, without removing it."""
    while heap:
        order, stamp, number = heap[0]
        host = hosts[number]
        if host.stamp == stamp and host.under_way is None:
            return order, host
        heappop(heap)
    return None
