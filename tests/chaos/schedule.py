"""Schedules: from one number to a command, a fault, and when it strikes.

In: a seed. Out: a `Schedule`. The same seed gives the same fault at the same operation; one seed
after the other goes through all pairs of command and fault, so that no run leaves one out.
"""

import random
from typing import NamedTuple

DISK = ("full", "tiny-disk", "read-only", "short", "fsync", "torn", "power")
PROCESS = ("kill", "term", "int")
NETWORK = ("resets", "half-open", "cut-off", "dns", "tls", "proxy-loss")
DATABASE = ("locked", "corrupt", "missing", "lost-wal")
FAULTS = {
    "crawl": (*DISK, *PROCESS, "worker", "memory", "clock", *NETWORK, *DATABASE),
    "build": (*DISK, *PROCESS, "worker", "memory", "clock", "locked", "corrupt", "missing"),
    "annotate": (*DISK, *PROCESS, "memory", "clock", "resets", *DATABASE),
    "dedupe": (*DISK, *PROCESS, "memory", "clock"),
}
FAMILIES = {
    **dict.fromkeys(DISK, "disk"),
    **dict.fromkeys((*PROCESS, "worker", "memory"), "process"),
    "clock": "clock",
    **dict.fromkeys(NETWORK, "network"),
    **dict.fromkeys(DATABASE, "database"),
}
DAY = 86_400.0
JUMPS = (-400 * DAY, -2 * DAY, -3700.0, -30.0, 30.0, 3700.0, 2 * DAY, 400 * DAY)


def list_cells() -> list[tuple[str, str]]:
    """Return all pairs of command and fault, the commands in turn.

    >>> list_cells()[:3]
    [('crawl', 'full'), ('build', 'full'), ('annotate', 'full')]
    """
    most = max(map(len, FAULTS.values()))
    return [
        (command, kinds[place])
        for place in range(most)
        for command, kinds in FAULTS.items()
        if place < len(kinds)
    ]


CELLS = list_cells()


class Schedule(NamedTuple):
    """One experiment."""

    seed: int
    command: str
    kind: str
    chance: random.Random

    @property
    def family(self) -> str:
        """Return what sort of fault it is."""
        return FAMILIES[self.kind]

    def when(self, total: int) -> int:
        """Return at which of so many operations the fault strikes."""
        return 1 + int(self.chance.random() * total)


def draw(seed: int) -> Schedule:
    """Return the schedule of a seed."""
    command, kind = CELLS[seed % len(CELLS)]
    return Schedule(seed, command, kind, random.Random(seed))  # noqa: S311 -- no secret


def draw_jumps(chance: random.Random, looks: int) -> tuple[tuple[int, float], ...]:
    """Return at which looks at the clock it jumps, and by how much."""
    return tuple(
        (1 + int(chance.random() * looks), chance.choice(JUMPS))
        for _ in range(chance.randint(1, 4))
    )
