"""How fast: one request at a time to a host, pauses between them, a limit for shared addresses.

In: how the last request to a host went. Out: when it may be asked again. Delays grow with the time
a server takes and with trouble, never shrink below what robots.txt or the settings say. Pauses are
those of a host; troubles are counted by origin (scheme, host, port), for one of them may be dead.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from heapq import nlargest

SLOW_FACTOR = 2.0  # a server that takes a second is left alone for two
LONGEST_PAUSE_S = 300.0
FIRST_PAUSE_S = 1.0  # after the first trouble, where no delay is set
GIVE_UP_AFTER = 6  # troubles in a row
SLOW = 32  # hosts among which the slowest are looked for: ten times a second, whoever watches
NEVER_ANSWERED = 3  # the same, of an origin that is perhaps not there at all
SILENT_AFTER = 3 * NEVER_ANSWERED  # of a host: whoever names all its ports shall not keep us busy


@dataclass(slots=True)
class Clock:
    """What is known of the pace of one host."""

    delay_s: float  # what settings and robots.txt ask for
    ip: str = ""
    slowest_s: float = 0.0
    spent_s: float = 0.0
    requests: int = 0
    silences: int = 0  # troubles before it ever answered
    answering: tuple[str, ...] = ()  # origins of it that ever did


class HostClocks:
    """The clocks of all hosts of a shard, and how busy their addresses are."""

    def __init__(self, delay_s: float, per_address: int) -> None:
        self.delay_s, self.per_address = delay_s, per_address
        self.clocks: defaultdict[str, Clock] = defaultdict(lambda: Clock(delay_s))
        self.troubles: dict[str, int] = {}  # of origins, in a row
        self.at_address: Counter[str] = Counter()
        self.slow: dict[str, float] = {}  # mean times of the slowest hosts

    def is_crowded(self, host: str) -> bool:
        """Whether the address of a host has as many requests as it may have."""
        ip = self.clocks[host].ip if host in self.clocks else ""
        return bool(ip) and self.at_address[ip] >= self.per_address

    def begin(self, host: str) -> str:
        """Note that a host is asked; return the address to give back."""
        ip = self.clocks[host].ip
        if ip:
            self.at_address[ip] += 1
        return ip

    def end(self, ip: str) -> None:
        """Note that the request that was begun at an address is over."""
        if ip:
            self.at_address[ip] -= 1
            if self.at_address[ip] <= 0:
                del self.at_address[ip]

    def note_answer(self, host: str, origin: str, ip: str, took_s: float) -> None:
        """Note a request that was answered."""
        clock = self.clocks[host]
        if origin not in clock.answering:
            clock.answering = (*clock.answering, origin)
        clock.ip = ip or clock.ip
        clock.requests += 1
        clock.spent_s += took_s
        clock.slowest_s = max(clock.slowest_s, took_s)
        self.slow[host] = clock.spent_s / clock.requests
        if len(self.slow) > SLOW:
            del self.slow[min(self.slow, key=self.slow.__getitem__)]

    def note_recovery(self, origin: str) -> None:
        """Note that an origin answers as it should."""
        self.troubles.pop(origin, None)

    def pause(self, host: str, took_s: float) -> float:
        """Return how long to wait after an answer."""
        clock = self.clocks[host]
        adaptive = SLOW_FACTOR * took_s if self.delay_s > 0 else 0.0
        return min(max(clock.delay_s, adaptive), max(LONGEST_PAUSE_S, clock.delay_s))

    def pause_after_trouble(self, host: str, origin: str, asked_s: float | None) -> float:
        """Return how long to wait after no answer, or one that says: later."""
        clock = self.clocks[host]
        clock.silences += not clock.answering
        troubles = self.troubles[origin] = self.troubles.get(origin, 0) + 1
        first = clock.delay_s if self.delay_s > 0 else FIRST_PAUSE_S / 10
        growing = min(LONGEST_PAUSE_S, max(first, FIRST_PAUSE_S / 10) * 2.0**troubles)
        return max(growing, asked_s or 0.0, clock.delay_s)

    def is_hopeless(self, host: str, origin: str) -> bool:
        """Whether an origin of a host has not answered for long."""
        known = origin in self.clocks[host].answering
        return self.troubles.get(origin, 0) >= (GIVE_UP_AFTER if known else NEVER_ANSWERED)

    def is_silent(self, host: str) -> bool:
        """Whether nothing of a host ever answered, though several origins of it were tried."""
        clock = self.clocks[host]
        return not clock.answering and clock.silences >= SILENT_AFTER

    def slowest(self, count: int) -> list[tuple[str, float]]:
        """Return the hosts that take longest, with their mean time."""
        return nlargest(count, self.slow.items(), key=lambda pair: pair[1])
