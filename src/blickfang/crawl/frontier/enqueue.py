"""What a page names on its way into the queues: looked up together, written together.

In: candidates, and the queues on disk. Out: how each stands, as if those before it were written
already; rows, when `write` is called. A page names dozens of addresses: one statement for all of
them costs a fraction of one for each.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from blickfang.crawl.focus.judged_values import SEEDS
from blickfang.crawl.frontier.candidates import (
    BEYOND_BUCKET,
    FAILED,
    IMAGE,
    PAGE,
    QUEUED,
    SKIPPED,
    SPENT,
    Candidate,
    Host,
)
from blickfang.crawl.frontier.queues import QueueRow, Queues, key_of_pattern
from blickfang.crawl.frontier.traps import find_trap, pattern_of, without_session
from blickfang.crawl.state.state_db import key_of


class DigitPattern(NamedTuple):
    """What addresses that differ only in digits have in common."""

    key: int
    budget: int  # how many of them are followed


class CandidateBatch:
    """Some candidates, and what is known of them."""

    def __init__(self, queues: Queues, candidates: Sequence[tuple[Candidate, Host]]) -> None:
        self.queues = queues
        self.keys = [key_of(without_session(candidate.url)) for candidate, _ in candidates]
        self.rows = queues.look_up(self.keys)
        self.patterns = self._find_patterns(candidates)
        keys = list({pattern.key for pattern in self.patterns.values()})
        self.counts = queues.count_patterns(keys)
        self.counted: set[int] = set()  # patterns
        self.inserts: list[tuple[Any, ...]] = []
        self.others: list[tuple[int, str]] = []
        self.moves: list[tuple[int, int, float, str, str, int, int]] = []
        self.nearer: list[tuple[int, int]] = []  # depths, keys

    def _find_patterns(
        self, candidates: Sequence[tuple[Candidate, Host]]
    ) -> dict[int, DigitPattern]:
        """Return the patterns of new pages whose addresses have digits, by key of the address."""
        found = {}
        seen = set(self.rows)  # of several addresses with one key the first is the new one
        for key, (candidate, host) in zip(self.keys, candidates, strict=True):
            counts = candidate.kind == PAGE and candidate.bucket not in (SEEDS, BEYOND_BUCKET)
            is_new = key not in seen
            seen.add(key)
            if counts and is_new:
                pattern = pattern_of(candidate.url)
                if pattern is not None:
                    found[key] = DigitPattern(key_of_pattern(host.id, pattern[0]), pattern[1])
        return found

    def count(self, pattern: DigitPattern) -> int:
        """Count an address of a pattern; return how many there are."""
        count = self.counts[pattern.key] = self.counts[pattern.key] + 1
        self.counted.add(pattern.key)
        return count

    def insert(self, host: Host, candidate: Candidate, key: int, state: int, why: str) -> None:
        """Take a new address."""
        url, _, kind, bucket, score, _, depth, via, hops, requested, _, others = candidate
        self.queues.store.arrivals += 1
        arrival = self.queues.store.arrivals
        row = key, url, host.id, kind, state, bucket, score, arrival, depth, via, hops, requested
        self.inserts.append((*row, why))
        if others:
            self.others.append((key, "\n".join(others)))  # addresses hold no line breaks
        self.rows[key] = QueueRow(state, bucket, score, kind, why, 0, hops, requested, depth)

    def move_up(self, candidate: Candidate, key: int) -> None:
        """Give something another order, or another kind, and queue it."""
        _, _, kind, bucket, score, _, depth, via, *_ = candidate
        self.moves.append((kind, bucket, score, candidate.why, via, depth, key))
        near = min(depth, self.rows[key].depth)
        self.rows[key] = self.rows[key]._replace(
            state=QUEUED, bucket=bucket, score=score, kind=kind, why=candidate.why, depth=near
        )

    def bring_near(self, key: int, depth: int) -> None:
        """Note that something is fewer links away from the seeds than was known."""
        self.nearer.append((depth, key))
        self.rows[key] = self.rows[key]._replace(depth=depth)

    def write(self) -> None:
        """Write what was taken so far."""
        if self.inserts:
            self.queues.insert(self.inserts)
        if self.others:
            self.queues.keep_others(self.others)
        if self.moves:
            self.queues.move_up(self.moves)
        if self.nearer:
            self.queues.bring_near(self.nearer)
        if self.counted:
            self.queues.keep_patterns(self.counted)
        self.inserts, self.others, self.moves, self.counted = [], [], [], set()
        self.nearer = []


BEYOND = "its score lies beyond the razor"
LOST = "its server does not answer"


def admit(
    candidate: Candidate, key: int, batch: CandidateBatch, *, is_spent: bool, is_lost: bool
) -> tuple[int, str]:
    """Return the state of a new address of a host whose budget may be spent, or server lost."""
    if candidate.bucket == BEYOND_BUCKET:
        return SKIPPED, BEYOND
    if candidate.kind == PAGE and is_spent:
        return SKIPPED, SPENT
    if is_lost:
        return FAILED, LOST
    if candidate.bucket == SEEDS or candidate.kind == IMAGE:
        return QUEUED, candidate.why
    trap = find_trap(candidate.url)
    if trap:
        return SKIPPED, trap
    pattern = batch.patterns.get(key)
    if pattern is not None and batch.count(pattern) > pattern.budget:
        return SKIPPED, f"more than {pattern.budget} addresses that differ only in digits"
    return QUEUED, candidate.why
