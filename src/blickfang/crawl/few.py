"""A few pages, fetched with the manners of a crawl but without one: what a topic is learned from.

In: addresses. Out: an `Exchange` or a `Failure` for each, redirects followed.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import uvloop

from blickfang.crawl.candidates import PAGE
from blickfang.crawl.exchange import Exchange
from blickfang.crawl.fetch import Fetcher
from blickfang.crawl.gate import REDIRECTS, Gate, Silence
from blickfang.crawl.options import Options
from blickfang.crawl.picking import pick_page
from blickfang.crawl.store import Store
from blickfang.crawl.visit import MAX_HOPS
from blickfang.data import Failure
from blickfang.urls import host, resolve


def fetch_few(
    urls: Sequence[str],
    options: Options,
    user_agent: str,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Exchange | Failure]:
    """Fetch pages one after the other, each host in its pace."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_fetch_all(urls, options, user_agent, advance))


async def _fetch_all(
    urls: Sequence[str], options: Options, user_agent: str, advance: Callable[[int], None]
) -> list[Exchange | Failure]:
    store = Store(Path(":memory:"))
    async with Fetcher(
        user_agent, proxy=options.proxy, allow_private=options.allow_private
    ) as fetcher:
        visits = Visits(fetcher, Gate(store, options), options)
        found = []
        for done, url in enumerate(urls, 1):
            found.append(await visits.fetch(url))
            advance(done)
    store.close()
    return found


class Visits:
    """Remembers when each host was asked last."""

    def __init__(self, fetcher: Fetcher, gate: Gate, options: Options) -> None:
        self.fetcher, self.gate, self.options = fetcher, gate, options
        self.next_at: dict[str, float] = {}
        self.delays: dict[str, float] = {}

    async def fetch(self, url: str) -> Exchange | Failure:
        """Fetch a page, wherever it has moved to."""
        for _ in range(MAX_HOPS + 1):
            refusal = await self._refuse(url) if self.options.robots else ""
            if refusal:
                return Failure(url, "consent", refusal)
            answer = await self._ask(url, 0)
            if isinstance(answer, Failure):
                return answer
            target = resolve(url, answer.headers.get("location", ""))
            if answer.status not in REDIRECTS or target is None:
                bad = answer.status != 200
                return Failure(url, "fetch", f"status {answer.status}") if bad else answer
            url = target
        return Failure(url, "fetch", "too many redirects")

    async def _refuse(self, url: str) -> str:
        scheme, _, rest = url.partition("//")
        origin = f"{scheme}//{rest.partition('/')[0]}"
        rules = await self.gate.rules(origin, host(url), self._ask)
        if isinstance(rules, Silence):
            return rules.reason
        delay_s, too_slow = self.gate.delay(rules)
        self.delays[host(url)] = delay_s
        decision = self.gate.before(rules, url, PAGE)
        return too_slow or ("" if decision.may_fetch else ", ".join(decision.reasons))

    async def _ask(self, url: str, size: int) -> Exchange | Failure:
        """Ask for a page, or for a file of so many bytes, when its host may be asked again."""
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(max(0.0, self.next_at.get(host(url), 0.0) - clock()))
        answer = await self.fetcher.fetch(url, limit=size or None, stop=None if size else pick_page)
        self.next_at[host(url)] = clock() + self.delays.get(host(url), self.options.delay_s)
        return answer
