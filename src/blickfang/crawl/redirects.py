"""Redirects that are not followed.

In: what was asked for, and where an answer sends us. Out: why not, "" for most.
"""

from blickfang.crawl.candidates import Candidate
from blickfang.crawl.frontier import LOOP

MAX_HOPS = 5


def find_fault(candidate: Candidate, target: str | None) -> str:
    """Return why a redirect is not followed, "" for most."""
    if target is None:
        return "redirect to no address"
    if target in (candidate.url, candidate.requested):
        return LOOP
    return "too many redirects" if candidate.hops >= MAX_HOPS else ""
