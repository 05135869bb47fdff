"""A few pages, fetched with the manners of a crawl but without one: what a topic is learned from.

In: addresses. Out: an `Exchange` for each as it comes, redirects followed; failures.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

import uvloop

from blickfang.crawl.asker import Asker
from blickfang.crawl.consent.manners import retry_after
from blickfang.crawl.exchange import Exchange
from blickfang.crawl.fetch import Fetcher
from blickfang.crawl.gate import NOT_THE_HOST, REDIRECTS, Gate, Silence, name_refusal
from blickfang.crawl.options import Options
from blickfang.crawl.picking import pick_page
from blickfang.crawl.store import Store
from blickfang.crawl.visit import LATER, MAX_HOPS, TRANSIENT
from blickfang.data import Failure
from blickfang.urls import host, resolve

LONGEST_WAIT_S = 60.0  # nobody sits in front of this for longer

Keep = Callable[[str, Exchange], None]


class Put(NamedTuple):
    """Something that may be had later, in how many seconds if its host says so."""

    failure: Failure
    asked_s: float | None


def fetch_few(
    urls: Sequence[str], options: Options, user_agent: str, keep: Keep
) -> dict[str, Failure]:
    """Fetch pages one after the other, each host in its pace; return what could not be had.

    Each page is handed to `keep` as soon as it is there. What may be there in a moment is asked for
    again, after pauses that grow.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_fetch_all(urls, options, user_agent, keep))


async def _fetch_all(
    urls: Sequence[str], options: Options, user_agent: str, keep: Keep
) -> dict[str, Failure]:
    store = Store(Path(":memory:"))
    failures = {}
    async with Fetcher(
        user_agent, proxy=options.proxy, allow_private=options.allow_private
    ) as fetcher:
        asker = Asker(options, Gate(store, options), fetcher, resumed=False, patience_s=inf)
        for url in urls:
            found = await _fetch(asker, url)
            if isinstance(found, Failure):
                failures[url] = found
            else:
                keep(url, found)
    store.close()
    return failures


async def _fetch(asker: Asker, url: str) -> Exchange | Failure:
    """Fetch a page, wherever it has moved to."""
    tries = hops = 0
    while hops <= MAX_HOPS:
        found = await _ask(asker, url)
        if isinstance(found, Put):
            pause_s = asker.pace.pause_after_trouble(host(url), found.asked_s)
            if tries >= asker.options.retries or pause_s > LONGEST_WAIT_S:
                return found.failure
            asker.rest(host(url), pause_s)
            tries += 1
            continue
        if isinstance(found, Failure):
            return found
        target = resolve(url, found.headers.get("location", ""))
        if found.status not in REDIRECTS or target is None:
            bad = found.status != 200
            return Failure(url, "fetch", f"status {found.status}") if bad else found
        url = target
        hops += 1
    return Failure(url, "fetch", "too many redirects")


async def _ask(asker: Asker, url: str) -> Exchange | Failure | Put:
    """Ask for an address once."""
    refusal = await asker.permit(url, host(url))
    if refusal:
        failure = Failure(url, "consent", name_refusal(refusal))
        if isinstance(refusal, Silence) and refusal.reason not in NOT_THE_HOST:
            return Put(failure, refusal.retry_s)
        return failure
    answer = await asker.ask(url, host(url), stop=pick_page)
    if isinstance(answer, Failure):
        return Put(answer, None) if answer.reason in TRANSIENT else answer
    if answer.status in LATER:
        asked_s = retry_after(answer.headers, time.time())
        return Put(Failure(url, "fetch", f"status {answer.status}"), asked_s)
    return answer
