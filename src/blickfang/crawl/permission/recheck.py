"""Asking again for consent: may we still keep what we have?

In: the stores of a crawl. Out: what its hosts forbid by now, and who did not answer. The files that
speak for a whole host are asked for anew, in its pace; what a page says of itself comes with
`crawl --again`. Every new decision goes into the ledger, where the last one counts.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import uvloop

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.fetch_many import LEFT_ALONE, NONE_S, HostSlots
from blickfang.crawl.fetch.fetcher import make_fetcher
from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.frontier.candidates import KINDS
from blickfang.crawl.permission import HostRules
from blickfang.crawl.permission.gate import Gate, Silence, name_refusal
from blickfang.crawl.state.state_db import StateDb
from blickfang.io.urls import host as host_of
from blickfang.io.warc.http_exchange import Later

KEPT = (
    "SELECT DISTINCT url, kind FROM visits WHERE status IN (200, 304) AND file != '' ORDER BY url"
)


class Withdrawn(NamedTuple):
    """Something that was kept, and why it may not be kept any more."""

    url: str
    kind: str  # page, image
    reasons: tuple[str, ...]


class Rechecked(NamedTuple):
    """What asking again came to."""

    addresses: int  # whose hosts were heard
    unheard: int  # addresses of the others
    withdrawn: list[Withdrawn]
    silent: dict[str, str]  # origins that did not say, and why: what they said before still counts


Advance = Callable[[int, int], None]


def recheck_store(
    path: Path, options: CrawlOptions, user_agent: str, advance: Advance
) -> Rechecked:
    """Ask the hosts of one shard again; `advance` is told how many of them were asked."""
    store = StateDb(path)
    try:
        store.db.execute("UPDATE rules SET until = 1")  # long over, also where 0: incomplete
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found = runner.run(_recheck(store, options, user_agent, advance))
        store.commit()
        return found
    finally:
        store.close()


async def _recheck(
    store: StateDb, options: CrawlOptions, user_agent: str, advance: Advance
) -> Rechecked:
    kept: dict[str, list[tuple[str, int]]] = {}
    for url, kind in store.db.execute(KEPT):
        kept.setdefault(origin_of(url), []).append((url, kind))
    found = Rechecked(0, 0, [], {})
    done = 0
    async with make_fetcher(user_agent, options) as fetcher:
        asker = Asker(options, Gate(store, options), fetcher, resumed=True, patience_s=NONE_S)
        places = HostSlots(asker, options.parallel)

        def leave_alone(host: str, asked_s: float) -> None:
            asker.rest(host, asked_s)
            until = time.time() + asked_s  # the next crawl shall know it, too
            store.db.execute("UPDATE hosts SET sleeps_until = ? WHERE name = ?", (until, host))

        asker.leave_alone = leave_alone

        async def ask(origin: str) -> None:
            nonlocal done
            rules = await _ask_rules(store, places, origin)
            if isinstance(rules, Silence):
                found.silent[origin] = name_refusal(rules)
            else:
                for url, kind in kept[origin]:
                    decision = asker.gate.again(rules, url, kind)
                    if not decision.may_keep:
                        found.withdrawn.append(Withdrawn(url, KINDS[kind], decision.reasons))
            store.commit()  # what was heard holds, whatever ends us
            done += 1
            advance(done, len(kept))

        await asyncio.gather(*map(ask, kept))
    found.withdrawn.sort()
    unheard = sum(len(kept[origin]) for origin in found.silent)
    return found._replace(addresses=sum(map(len, kept.values())) - unheard, unheard=unheard)


async def _ask_rules(store: StateDb, places: HostSlots, origin: str) -> HostRules | Silence:
    """Ask for the rules of an origin, in the pace of its host; not while it is to be left alone."""
    host, asker = host_of(origin), places.asker
    row = store.db.execute("SELECT sleeps_until FROM hosts WHERE name = ?", (host,)).fetchone()
    asker.rest(host, max(0.0, row[0] - time.time() if row else 0.0))
    answer = await places.ask(host, partial(asker.gate.rules, origin, host, asker.ask_file))
    return Silence(LEFT_ALONE, answer.pause_s) if isinstance(answer, Later) else answer
