"""How many hosts are asked at once where no frontier sees to it, and how many of one address.

In: hosts that shall be asked, and how. Out: their answers, each as soon as it has a place.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from blickfang.crawl.asker import Asker
from blickfang.crawl.exchange import Later

NONE_S = 0.0  # no pause of a host is sat out on a place: it is for others meanwhile

T = TypeVar("T")


class Places:
    """Who may be asked now: so many hosts at once, and fewer of one address."""

    def __init__(self, asker: Asker, hosts: int, per_address: int) -> None:
        """`asker` must have no patience (`NONE_S`), but answer `Later`."""
        self.asker = asker
        self._of_all = asyncio.Semaphore(hosts)
        self._of_address = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(per_address)
        )

    async def ask(self, host: str, ask: Callable[[], Awaitable[T | Later]]) -> T:
        """Ask a host as often as it says: later; who waits for its pause keeps nobody waiting."""
        async with self._of_all:
            await self.asker.find_address(host)
        await asyncio.sleep(max(0.0, self.asker.pause_left(host)))
        while True:
            async with self._take(host):
                answer = await ask()
            if not isinstance(answer, Later):
                return answer
            await asyncio.sleep(answer.pause_s)

    @asynccontextmanager
    async def _take(self, host: str) -> AsyncIterator[None]:
        """Hold a place of a host."""
        address = self.asker.pace.clocks[host].ip or host  # a proxy knows the addresses, not we
        async with self._of_address[address], self._of_all:
            yield
