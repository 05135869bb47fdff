"""Settings that were loosened since the last run: what they had kept out comes back.

In: the limits of the last run, which a shard keeps, and those of this one. Out: addresses queued
again, pages listed whose links are offered again (relink.py), and how many. What a limit kept
out is known where it was written down (a budget, a refusal); links that were too deep, out of scope
or beyond the razor of that time, or on pages that ask not to be followed, are found again on the
pages that name them, in the archive; which pages a browser is to make by now is seen there, too.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.frontier.candidates import DONE, PAGE, QUEUED, SKIPPED, SPENT
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.queues import ANEW, MOVED, stay_sitemap
from blickfang.crawl.frontier.scope import LEFT_OUT, NO_IMAGES, OUT_OF_SCOPE, REJECTED, TOO_DEEP
from blickfang.crawl.frontier.traps import without_session
from blickfang.crawl.shards.messages import Loosened
from blickfang.crawl.state.previous_owner import OURS, list_former
from blickfang.crawl.state.state_db import EmptyStoreError, StateDb, key_of, looking_into
from blickfang.io.urls import host as host_of

UNRENDERED = "SELECT DISTINCT url FROM failures WHERE room = 'render' AND last"
REPLACE = (  # what was heard of a page last, whether it had changed or not
    "INSERT OR IGNORE INTO anew SELECT url, max(number) FROM visits "
    "WHERE url = ? AND kind = 0 AND status IN (200, 304) GROUP BY url"
)


def find_unrendered(stores: Iterable[Path]) -> list[str]:
    """Return the pages that could not be rendered when they were fetched last, of all shards.

    Their hosts may have moved to another one since: then that one must ask for them.
    """
    found = set[str]()
    for path in stores:
        with suppress(EmptyStoreError), looking_into(path) as db:
            found.update(url for (url,) in db.execute(UNRENDERED))
    return sorted(found)


def prepare_anew(store: StateDb, urls: Sequence[str]) -> None:
    """Let pages come whole when they are asked for next; that they failed is history then."""
    store.db.executemany(REPLACE, [(url,) for url in urls])
    if urls:
        forget_unrendered(store)


def forget_unrendered(store: StateDb) -> None:
    """Take no failure of rendering for the last word on a page: it will be tried again."""
    store.db.execute("UPDATE failures SET last = 0 WHERE room = 'render'")


def queue_anew(store: StateDb, urls: Sequence[str]) -> int:
    """Queue pages that a resting shard has fetched; return how many of them are its own."""
    rows = [(QUEUED, ANEW, key_of(without_session(url)), DONE, f"{MOVED}%") for url in urls]
    changed = store.db.executemany(
        "UPDATE urls SET state = ?, tries = 0, why = ? "
        "WHERE key = ? AND kind = 0 AND state = ? AND why NOT LIKE ?",
        rows,
    )
    return max(0, changed.rowcount)


def ask_anew(frontier: Frontier, url: str) -> None:
    """Queue a page that a shard at work has fetched."""
    queues = frontier.queues
    key = key_of(without_session(url))
    found = queues.look_up([key]).get(key)
    if found is None or found.state != DONE or found.kind != PAGE or found.why.startswith(MOVED):
        return
    queues.db.execute(REPLACE, (url,))
    page = queues.read(key, frontier.host(host_of(url)), PAGE).candidate
    frontier.known.forget(page)
    frontier.add([page._replace(why=ANEW)])


LIMITS = "limits"  # the fact
RENDER_FROM = "render_from"  # a fact: the last visit when `render` was raised
RENDERING = ("never", "auto", "always")
SCOPE = ("accept", "reject", "stay_on_seed_hosts", "seeds")
MANNERS = ("purpose", "robots", "max_delay_s")
REREAD = (*SCOPE, "images", "razor", "purpose", "robots")  # pages may ask not to be followed
# What hosts refuse is named by who said it and what: "robots.txt: disallow"; no other reason has a
# colon. Whether it still holds is decided when its turn comes, by what is known of its host.
REFUSED = "(why LIKE '%: %' OR why = 'crawl-delay too long')"
DEEP = "why = ? AND depth - kind <= ?"  # an image lies a link deeper than its page
AGAIN = "queued again: {} changed"


def list_limits(options: CrawlOptions, razor: float | None) -> dict[str, Any]:
    """Return the settings that keep something out, as they are kept."""
    hosts = sorted({host_of(seed) for seed in options.seeds})
    names = ("max_pages_per_host", "max_depth", "images", "render", *SCOPE[:3], *MANNERS)
    kept: dict[str, Any] = {name: getattr(options, name) for name in names}
    kept |= {"seeds": hosts if options.stay_on_seed_hosts else [], "razor": razor}
    return dict(json.loads(json.dumps(kept)))


def find_loosened(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the names of settings that let in more than before.

    >>> find_loosened({"max_depth": 3, "accept": []}, {"max_depth": 0, "accept": ["(org,"]})
    ['max_depth']
    """
    return [name for name in now if name in before and _lets_in_more(name, before[name], now[name])]


def _lets_in_more(name: str, before: Any, now: Any) -> bool:
    if name in ("max_pages_per_host", "max_depth"):  # 0: no limit
        return bool((now or inf) > (before or inf))
    if name == "razor":
        return (inf if now is None else now) > (inf if before is None else before)
    if name == "accept":
        return bool(before) and (not now or not set(now) <= set(before))
    if name == "reject":
        return not set(before) <= set(now)
    if name == "seeds":
        return bool(before) and not set(now) <= set(before)
    if name == "render":
        return RENDERING.index(now) > RENDERING.index(before)
    if name == "purpose":
        return bool(before != now)
    return bool(now > before if name in ("images", "max_delay_s") else before and not now)


def loosen(store: StateDb, now: dict[str, Any]) -> Loosened:
    """Bring back what looser settings let in, and keep the limits of this run."""
    kept = store.fact(LIMITS)
    before: dict[str, Any] = json.loads(kept) if kept else {}
    found = find_loosened(before, now)
    scope = [name for name in found if name in SCOPE]
    manners = [name for name in found if name in MANNERS]
    reread = [name for name in found if name in REREAD]
    addresses, pages = dict[str, int](), dict[str, int]()
    if "max_pages_per_host" in found:
        addresses |= _requeue(store, ["max_pages_per_host"], *_name_spent(now))
    barriers = OUT_OF_SCOPE, LEFT_OUT, REJECTED
    addresses |= _requeue(store, scope, "why IN (?, ?, ?)", *barriers)
    if "images" in found:
        addresses |= _requeue(store, ["images"], "why = ?", NO_IMAGES)
    addresses |= _requeue(store, manners, REFUSED)
    if reread:
        pages |= _list_pages(store, reread, 0)
    if "render" in found:
        pages |= _list_pages(store, ["render"], 0)
        newest = store.db.execute("SELECT coalesce(max(number), 0) FROM visits").fetchone()[0]
        store.keep_fact(RENDER_FROM, newest)
        forget_unrendered(store)
    if "max_depth" in found:
        deepest = now["max_depth"] or inf
        addresses |= _requeue(store, ["max_depth"], DEEP, TOO_DEEP, deepest)
        pages |= _list_pages(store, ["max_depth"], before["max_depth"])
    store.keep_fact(LIMITS, json.dumps(now))
    return Loosened(addresses, pages)


def _name_spent(now: dict[str, Any]) -> tuple[str, str, float]:
    most = now["max_pages_per_host"] or inf
    return "why = ? AND host IN (SELECT id FROM hosts WHERE taken < ?)", SPENT, most


def _requeue(store: StateDb, names: list[str], which: str, *values: str | float) -> dict[str, int]:
    """Queue again what was skipped for a reason, in its old place."""
    if not names:
        return {}
    told = ", ".join(names)
    changed = store.db.execute(
        f"UPDATE urls SET state = 0, tries = 0, why = {stay_sitemap('?')} "  # noqa: S608 -- constants
        f"WHERE state = {SKIPPED} AND {which}",
        (AGAIN.format(told), *values),
    )
    return {told: changed.rowcount} if changed.rowcount else {}


def _list_pages(store: StateDb, names: Iterable[str], depth: int) -> dict[str, int]:
    """List the pages of the archive from some depth on, each once."""
    listed = store.db.execute(
        "INSERT INTO reoffers SELECT max(number), min(depth) FROM visits "  # noqa: S608 -- constants
        f"WHERE {OURS} AND depth >= ? GROUP BY url "
        "ON CONFLICT DO UPDATE SET depth = min(depth, excluded.depth)",
        (depth,),
    )
    count = max(0, listed.rowcount) + list_former(store, depth)
    return {", ".join(names): count} if count else {}
