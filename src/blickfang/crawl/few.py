"""A few pages, fetched with the manners of a crawl but without one: what a topic is learned from.

In: addresses. Out: an `Exchange` or a `Failure` for each, redirects followed.
"""

import asyncio
from collections.abc import Sequence
from math import inf
from pathlib import Path

import uvloop

from blickfang.crawl.asker import Asker
from blickfang.crawl.exchange import Exchange
from blickfang.crawl.fetch import Fetcher
from blickfang.crawl.gate import REDIRECTS, Gate, name_refusal
from blickfang.crawl.options import Options
from blickfang.crawl.picking import pick_page
from blickfang.crawl.store import Store
from blickfang.data import Failure
from blickfang.urls import host, resolve

MAX_HOPS = 5


def fetch_few(urls: Sequence[str], options: Options, user_agent: str) -> list[Exchange | Failure]:
    """Fetch pages one after the other, each host in its pace."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_fetch_all(urls, options, user_agent))


async def _fetch_all(
    urls: Sequence[str], options: Options, user_agent: str
) -> list[Exchange | Failure]:
    store = Store(Path(":memory:"))
    async with Fetcher(
        user_agent, proxy=options.proxy, allow_private=options.allow_private
    ) as fetcher:
        asker = Asker(options, Gate(store, options), fetcher, resumed=False, patience_s=inf)
        found = [await _fetch(asker, url) for url in urls]
    store.close()
    return found


async def _fetch(asker: Asker, url: str) -> Exchange | Failure:
    """Fetch a page, wherever it has moved to."""
    for _ in range(MAX_HOPS + 1):
        refusal = await asker.permit(url, host(url))
        if refusal:
            return Failure(url, "consent", name_refusal(refusal))
        answer = await asker.ask(url, host(url), stop=pick_page)
        if isinstance(answer, Failure):
            return answer
        target = resolve(url, answer.headers.get("location", ""))
        if answer.status not in REDIRECTS or target is None:
            bad = answer.status != 200
            return Failure(url, "fetch", f"status {answer.status}") if bad else answer
        url = target
    return Failure(url, "fetch", "too many redirects")
