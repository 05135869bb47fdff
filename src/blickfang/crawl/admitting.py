"""Which new addresses are queued: traps, budgets and dead servers are known, but not asked.

In: an address nobody has seen before. Out: its state, and why.
"""

from blickfang.crawl.batch import CandidateBatch
from blickfang.crawl.candidates import (
    BEYOND_BUCKET,
    FAILED,
    IMAGE,
    PAGE,
    QUEUED,
    SKIPPED,
    SPENT,
    Candidate,
)
from blickfang.crawl.traps import find_trap
from blickfang.focus.values import SEEDS

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
