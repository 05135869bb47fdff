"""Origins that do not answer: one port or scheme may be dead while the rest of its host is well.

In: which origin (scheme, host, port) is in trouble, and until when. Out: which addresses of a host
wait, and which are lost. It is kept in memory alone: the next run of a crawl tries all again.
"""

from heapq import heappop, heappush

EVERYTHING = ""  # what all addresses begin with


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address: what robots.txt speaks for."""
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}"


def beginning_of(url: str) -> str:
    """Return what all addresses of the same origin begin with.

    >>> beginning_of("http://a.org:81/b/c")
    'http://a.org:81/'
    """
    return origin_of(url) + "/"


class Origins:
    """What is known of the troubles of origins, by the number of their host."""

    def __init__(self) -> None:
        self.lost: dict[int, set[str]] = {}  # beginnings of addresses that are given up
        self.asleep: dict[int, dict[str, float]] = {}  # those that wait, and until when
        self.waking: list[tuple[float, int]] = []  # when, host

    def lose(self, host: int, beginning: str) -> None:
        """Give up an origin, or everything of a host."""
        self.asleep.get(host, {}).pop(beginning, None)
        self.lost.setdefault(host, set()).add(beginning)

    def is_lost(self, host: int, url: str) -> bool:
        """Whether an address is among those given up."""
        lost = self.lost.get(host)
        return lost is not None and (EVERYTHING in lost or beginning_of(url) in lost)

    def sleep(self, host: int, beginning: str, until: float) -> None:
        """Leave an origin alone for a while."""
        self.asleep.setdefault(host, {})[beginning] = until
        heappush(self.waking, (until, host))

    def list_asleep(self, host: int) -> tuple[str, ...]:
        """Return what the addresses of a host begin with that must wait."""
        return tuple(self.asleep.get(host, ()))

    def is_asleep(self, host: int, url: str) -> bool:
        """Whether an address must wait."""
        asleep = self.asleep.get(host)
        return asleep is not None and beginning_of(url) in asleep

    def wake(self, now: float) -> list[int]:
        """Forget who has slept long enough; return the hosts of which there were any."""
        woken = []
        while self.waking and self.waking[0][0] <= now:
            _, host = heappop(self.waking)
            left = {at: until for at, until in self.asleep.get(host, {}).items() if until > now}
            if left:
                self.asleep[host] = left
            else:
                self.asleep.pop(host, None)
            woken.append(host)
        return woken
