"""Hosts in trouble: who is left alone, for how long, and who is given up.

In: what went wrong with an address. Out: pauses of the asker and of the frontier. Who says "later"
says it for a host; who says nothing may be one origin of it, dead beside others that are well.
"""

import asyncio
import time

from blickfang.crawl.fetch.dead_origins import EVERYTHING, beginning_of, origin_of
from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.fetch.streamed_answer import (
    CLOSED,
    REFUSED,
    TIMED_OUT,
    TOO_MANY,
    TUNNEL,
    UNREACHABLE,
    UNRESOLVED,
)
from blickfang.crawl.frontier.candidates import Candidate
from blickfang.crawl.frontier.enqueue import LOST
from blickfang.crawl.frontier.frontier import Frontier

# Worth another try: states of answers, and why there was none.
LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
TRANSIENT = frozenset({CLOSED, REFUSED, TIMED_OUT, TOO_MANY, TUNNEL, UNREACHABLE, UNRESOLVED})
BROKEN_OFF = frozenset({"disconnect"})  # the rest may come next time; else a crawl keeps half


class Troubles:
    """Leaves hosts and origins alone, for a while or for good."""

    def __init__(self, asker: Asker, frontier: Frontier) -> None:
        self.asker, self.frontier = asker, frontier
        asker.leave_alone = self.leave_alone

    def note(self, candidate: Candidate, asked_s: float | None, *, is_busy: bool) -> bool:
        """Leave alone who is busy, or silent; return whether there is no hope left."""
        pace, host, origin = self.asker.pace, candidate.host, origin_of(candidate.url)
        pause_s = pace.pause_after_trouble(host, origin, asked_s)
        if is_busy:
            self.asker.rest(host, pause_s)
        else:
            until = asyncio.get_running_loop().time() + pause_s
            self.frontier.let_sleep(host, beginning_of(candidate.url), until)
        if asked_s:
            self.leave_alone(host, asked_s)
        return pace.is_hopeless(host, origin) or pace.is_silent(host)

    def leave_alone(self, host: str, asked_s: float) -> None:
        """Ask a host nothing for as long as it asked for, also after a break."""
        self.asker.rest(host, asked_s)
        now = asyncio.get_running_loop().time()
        self.frontier.leave_alone(host, now + asked_s, now - time.time())

    def give_up(self, candidate: Candidate, reason: str) -> None:
        """Give up an origin; all of its host if nothing that was tried of it ever answered."""
        is_silent = self.asker.pace.is_silent(candidate.host)
        lost = EVERYTHING if is_silent else beginning_of(candidate.url)
        self.frontier.give_up(candidate.host, lost, f"{LOST}: {reason}")
