"""Which new addresses are queued: traps, budgets and dead servers are known, but not asked.

In: an address nobody has seen before. Out: its state, and why.
"""

from blickfang.crawl.candidates import (
    BEYOND_BUCKET,
    FAILED,
    IMAGE,
    PAGE,
    QUEUED,
    SKIPPED,
    Candidate,
    Host,
)
from blickfang.crawl.queues import Queues
from blickfang.crawl.traps import find_trap, pattern_of
from blickfang.focus.values import SEEDS

BEYOND = "its score lies beyond the razor"
LOST = "its server does not answer"
SPENT = "the budget of its host is spent"


def admit(
    candidate: Candidate, host: Host, queues: Queues, *, is_spent: bool, is_lost: bool
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
    pattern = pattern_of(candidate.url)
    if pattern is not None and queues.count_pattern(host, pattern[0]) > pattern[1]:
        return SKIPPED, f"more than {pattern[1]} addresses that differ only in digits"
    return QUEUED, candidate.why
