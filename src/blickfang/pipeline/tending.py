"""What can be asked of a crawl and done to it while it rests: what came, why, may it stay?

In: a collection. Out: rows for people, answers of hosts that were asked again, and what is to be
fetched once more put back into the queue.
"""

from collections.abc import Iterator
from typing import Any

from blickfang.collection import Collection, locking
from blickfang.crawl.anew import find_unrendered
from blickfang.crawl.candidates import KINDS, PAGE
from blickfang.crawl.history import (
    explain_address,
    find_stores,
    list_consent,
    list_visits,
    queue_failed,
    queue_fetched,
    summarise,
)
from blickfang.crawl.options import CrawlOptions
from blickfang.crawl.plan import check_shards
from blickfang.crawl.recheck import Advance, Rechecked, recheck_store
from blickfang.crawl.scope import Scope
from blickfang.crawl.traps import find_trap
from blickfang.errors import InputError, SettingsError
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.pipeline.crawling import wait_for_shards
from blickfang.pipeline.fetching import name_crawler
from blickfang.pipeline.fleet import at_home


def retry_failed(collection: Collection) -> int:
    """Queue again what failed in earlier runs, rendering included; return how much that is."""
    with locking(collection), at_home(collection.crawl_folder):
        wait_for_shards(collection.crawl_folder)
        stores = find_stores(collection.crawl_folder)
        unrendered = find_unrendered(stores)
        return sum(queue_failed(path, unrendered) for path in stores)


def crawl_again(collection: Collection) -> int:
    """Queue all pages again, to be fetched where they have changed; return how many there are."""
    with locking(collection), at_home(collection.crawl_folder):
        wait_for_shards(collection.crawl_folder)
        stores = find_stores(collection.crawl_folder)
        unrendered = find_unrendered(stores)
        return sum(queue_fetched(path, unrendered) for path in stores)


def summarise_crawl(collection: Collection) -> dict[str, Any]:
    """Return how a crawl stands; one that lost a shard would seem to have fetched less."""
    check_shards(collection.crawl_folder)
    return summarise(collection.crawl_folder)


def list_fetched(collection: Collection, kind: str) -> Iterator[dict[str, Any]]:
    """Give the pages or images that were fetched, in order."""
    check_shards(collection.crawl_folder)
    return list_visits(collection.crawl_folder, KINDS.index(kind))


def explain_url(collection: Collection, url: str) -> dict[str, Any]:
    """Return why an address has its place in a crawl, or was left out."""
    known = _check_url(url)
    check_shards(collection.crawl_folder)
    found = explain_address(collection.crawl_folder, known)
    if found is not None:
        return found
    reason = find_trap(known) or _find_limit(collection.settings.crawl, known)
    if reason:
        raise InputError(f"{url} is not in the queue; whoever names it, it is left out: {reason}")
    depth = collection.settings.crawl.max_depth
    deep = f"lie at max_depth = {depth}, " if depth else ""
    raise InputError(
        f"{url} was never queued: no page read so far names it, or those that do ask not to be "
        f"followed, {deep}or state a size outside [images]"
    )


def _find_limit(options: CrawlOptions, url: str) -> str:
    """Return which setting keeps a crawl from an address, "" if none does."""
    place, hosts = host_of(url), {host_of(seed) for seed in options.seeds}
    if Scope(options, hosts).has(url, place, PAGE):
        return ""
    if options.stay_on_seed_hosts and place not in hosts:
        return "stay_on_seed_hosts is set, and its host has no seed"
    return "accept and reject in [crawl] leave it out"


def show_consent(collection: Collection, url: str) -> list[dict[str, Any]]:
    """Return the ledger of consent for an address."""
    check_shards(collection.crawl_folder)
    options = collection.settings.crawl
    return list_consent(
        collection.crawl_folder, _check_url(url), options.purpose, options.max_delay_s
    )


def recheck_consent(collection: Collection, advance: Advance) -> Rechecked:
    """Ask all hosts of a crawl again whether what was kept may be kept."""
    options = collection.settings.crawl
    if not options.robots:
        raise SettingsError("robots = false in [crawl]: this crawl asks nobody")
    stores = find_stores(collection.crawl_folder)
    found = Rechecked(0, 0, [], {})
    with locking(collection), at_home(collection.crawl_folder):
        wait_for_shards(collection.crawl_folder)
        for path in stores:
            one = recheck_store(path, options, name_crawler(options), advance)
            found = Rechecked(
                found.addresses + one.addresses,
                found.unheard + one.unheard,
                found.withdrawn + one.withdrawn,
                found.silent | one.silent,
            )
    return found


def _check_url(url: str) -> str:
    known = canonical(url)
    if known is None:
        raise InputError(f"{url} is no address; write https://example.org/page.html")
    return known
