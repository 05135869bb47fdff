"""How many hosts are asked at once where no frontier sees to it, and how many of one address.

In: hosts that shall be asked, and how. Out: their answers, each as soon as it has a place; `Later`
from those that want to be left alone for longer than `max_delay_s`.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from blickfang.crawl.asker import Asker
from blickfang.io.warc.http_exchange import Later

NONE_S = 0.0  # no pause of a host is sat out on a place: it is for others meanwhile
LEFT_ALONE = "it asked to be left alone for longer than max_delay_s"
LENIENCE = 1.1  # the asker makes pauses a little longer than hosts ask for

T = TypeVar("T")


class HostSlots:
    """Who may be asked now: so many hosts at once, and fewer of one address."""

    def __init__(self, asker: Asker, hosts: int) -> None:
        """`asker` must have no patience (`NONE_S`), but answer `Later`."""
        self.asker = asker
        self.longest_s = LENIENCE * max(asker.options.max_delay_s, asker.options.delay_s)
        self._of_all = asyncio.Semaphore(hosts)
        self._of_address = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(asker.options.per_address)
        )
        self._of_host = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def ask(self, host: str, ask: Callable[[], Awaitable[T]]) -> T | Later:
        """Ask a host until it does not say: later; or for how long, if that is too long.

        Whoever waits for its pause keeps nobody waiting.
        """
        async with self._of_all:
            await self.asker.find_address(host)
        while True:
            async with self._take(host):
                pause_s = self.asker.pause_left(host)
                answer = Later(pause_s) if pause_s > NONE_S else await ask()
            if not isinstance(answer, Later) or answer.pause_s > self.longest_s:
                return answer
            await asyncio.sleep(answer.pause_s)

    @asynccontextmanager
    async def _take(self, host: str) -> AsyncIterator[None]:
        """Hold a place of a host."""
        address = self.asker.pace.clocks[host].ip or host  # a proxy knows the addresses, not we
        async with self._of_host[host], self._of_address[address], self._of_all:
            yield
