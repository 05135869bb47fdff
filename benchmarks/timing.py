"""Timing that ratios can rest on: the best of several runs, ours and the peer's in turn; memory."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the report."""

    what: str
    ours: str
    peer: str
    ratio: str
    goal: str
    met: bool | None  # None: no goal, for information


def clock(function: Callable[[], object]) -> float:
    """Return the processor time one call takes: other work on the machine counts less."""
    start = time.process_time()
    function()
    return time.process_time() - start


def best(function: Callable[[], object], times: int = 7) -> float:
    """Return the seconds of the fastest call."""
    return min(clock(function) for _ in range(times))


def race(
    ours: Callable[[], object], theirs: Callable[[], object], times: int = 5, rounds: int = 5
) -> tuple[float, float]:
    """Return the seconds of the fastest call of each, some calls of one, then of the other."""
    pairs = [(best(ours, times), best(theirs, times)) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def peak_mb() -> int:
    """Return the most memory this process had so far.

    Not ru_maxrss: a process that another one starts has what that one had, too.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) // 1024
