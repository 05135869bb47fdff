"""How many hosts are asked at once where no frontier sees to it, and how many of one address.

In: hosts that shall be asked. Out: a place for each, as soon as one is free.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from blickfang.crawl.asker import Asker


class Places:
    """Who may be asked now: so many hosts at once, and fewer of one address."""

    def __init__(self, asker: Asker, hosts: int, per_address: int) -> None:
        self.asker = asker
        self._of_all = asyncio.Semaphore(hosts)
        self._of_address = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(per_address)
        )

    @asynccontextmanager
    async def take(self, host: str) -> AsyncIterator[None]:
        """Hold a place of a host; who must wait for its own pause keeps nobody from theirs."""
        async with self._of_all:
            await self.asker.find_address(host)
        await asyncio.sleep(max(0.0, self.asker.pause_left(host)))
        address = self.asker.pace.clocks[host].ip or host  # a proxy knows the addresses, not we
        async with self._of_address[address], self._of_all:
            yield
