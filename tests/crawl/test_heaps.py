import random
from heapq import heappop, heappush
from pathlib import Path
from unittest.mock import patch

from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import NEW_HOST, Order
from blickfang.crawl.frontier.candidates import DONE, IMAGE, PAGE, Candidate, Host
from blickfang.crawl.frontier.frontier import Frontier, SeenUrls
from blickfang.crawl.frontier.host_heaps import FEW, push
from blickfang.crawl.state.state_db import StateDb


def first_that_counts(heap: list[tuple[int, int, int]], hosts: dict[int, Host]) -> int | None:
    while heap:
        _, stamp, number = heap[0]
        if hosts[number].stamp == stamp:
            return number
        heappop(heap)
    return None


def test_a_swept_heap_gives_what_one_that_is_never_swept_gives() -> None:
    draws = random.Random(3)  # noqa: S311 -- of a test
    hosts = {number: Host(number, f"h{number}.org", NEW_HOST, 0) for number in range(40)}
    swept: list[tuple[int, int, int]] = []
    slow: list[tuple[int, int, int]] = []
    for _ in range(20_000):
        host = hosts[draws.randrange(40)]
        host.stamp += 1
        if draws.random() < 0.9:
            entry = (draws.randrange(100), host.stamp, host.id)
            push(swept, entry, hosts)
            heappush(slow, entry)
        assert first_that_counts(swept, hosts) == first_that_counts(slow, hosts)
        assert len(swept) <= 2 * len(hosts) + FEW


def test_memory_does_not_grow_with_what_was_queued_and_asked_for(tmp_path: Path) -> None:
    """Every link to a host and every visit used to leave an entry that nobody ever looked at."""
    store = StateDb(tmp_path / "state.sqlite")
    frontier = Frontier(store, Strategy())
    names = [f"h{number}.org" for number in range(50)]
    for turn in range(400):
        frontier.add(
            Candidate(f"http://{name}/{turn}", name, score=1.0 + turn) for name in names[:20]
        )
        choice = frontier.choose(probe=False)
        assert choice is not None
        frontier.settle(choice, DONE)
        frontier.release(choice.candidate.host, ready_at=turn + 5.0)
        frontier.wake(float(turn))
    for heap in (frontier.ready, frontier.probes, frontier.better, frontier.waiting.heap):
        assert len(heap) <= 2 * len(names) + FEW
    store.close()


def test_what_is_known_in_memory_is_bounded_for_both_kinds_together() -> None:
    known = SeenUrls()
    with patch("blickfang.crawl.frontier.frontier.MOST", 50):
        for number in range(500):
            one = Candidate(f"http://a.org/{number}", "a.org", IMAGE if number % 9 == 0 else PAGE)
            known.remember(one, Order(1, 0.5))
            assert known.orders[one.kind][one.url] == Order(1, 0.5)
            assert len(known.orders[PAGE]) + len(known.orders[IMAGE]) <= 50
