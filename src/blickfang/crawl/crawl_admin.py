"""What can be asked of a crawl and done to it while it rests: what came, why, may it stay?

In: a collection. Out: rows for people, answers of hosts that were asked again, and what is to be
fetched once more put back into the queue.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from blickfang.config import Collection, locking
from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus.fetch_topic_pages import name_crawler
from blickfang.crawl.frontier.candidates import KINDS, PAGE
from blickfang.crawl.frontier.scope import Scope
from blickfang.crawl.frontier.traps import find_trap
from blickfang.crawl.permission.recheck import Advance, Rechecked, recheck_store
from blickfang.crawl.run import check_crawl, wait_for_shards
from blickfang.crawl.shards.cluster_crawl import at_home
from blickfang.crawl.shards.shard_plan import check_shards
from blickfang.crawl.state.crawl_queries import (
    count_before,
    count_waiting,
    explain_address,
    find_stores,
    list_consent,
    list_visits,
    queue_failed,
    queue_fetched,
    summarise,
)
from blickfang.crawl.visit.requeue import find_unrendered
from blickfang.errors import InputError, SettingsError
from blickfang.io.plural import counted
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of


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


ENOUGH_PAGES = 50  # to tell from them what others will cost
USUAL_BYTES = 250_000  # a page and its images, compressed
UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"))


class CrawlRates(NamedTuple):
    """What there is to guess from."""

    pages: int  # that a crawl has brought
    bytes_per_page: float
    requests_per_page: float  # with its images
    hosts: int  # that have something to fetch, as far as it is known


def estimate(collection: Collection) -> str:
    """Return in a sentence what a crawl will cost, from what it cost so far or is usual.

    What is missing for a crawl is an error: that costs nothing.
    """
    check_crawl(collection)
    check_shards(collection.crawl_folder)
    options, known = collection.settings.crawl, look_back(collection)
    left = max(0, options.max_pages - known.pages)
    free = shutil.disk_usage(collection.root).free
    limits = [counted(left, "page")] if options.max_pages else []
    limits += [f"{options.max_minutes:g} minutes"] if options.max_minutes else []
    cost = f"about {left * known.bytes_per_page / 1e9:.2g} GB" if options.max_pages else "no limit"
    return (
        f"up to {' or '.join(limits) or 'no limit'}; disk: {cost}, {free / 1e9:,.0f} GB free; "
        f"a host is asked every {options.delay_s:g} s{guess_time(options, known, left)}"
        f"{name_rejected(options)}"
    )


def name_rejected(options: CrawlOptions) -> str:
    """Return which seeds are never to be fetched, "" if there are none.

    >>> name_rejected(CrawlOptions(seeds=("http://a.org/", "http://b.org/"), reject=("(org,a,",)))
    '; left out, for reject names them, too: http://a.org/ in seeds'
    """
    scope = Scope(options, ())
    named = [f"{seed} in seeds" for seed in options.seeds if scope.rejects(seed)]
    return f"; left out, for reject names them, too: {', '.join(named)}" if named else ""


def look_back(collection: Collection) -> CrawlRates:
    """Return what earlier runs and the settings tell of a crawl to come."""
    options, folder = collection.settings.crawl, collection.crawl_folder
    pages, images, size = count_before(folder)
    seeds = len({host_of(seed) for seed in options.seeds})
    hosts = 0
    with suppress(InputError):  # it has not begun
        hosts = count_waiting(folder)
    if pages < ENOUGH_PAGES:
        return CrawlRates(pages, USUAL_BYTES, 1.0, max(hosts, seeds))
    return CrawlRates(pages, size / pages, 1.0 + images / pages, max(hosts, 1))


def guess_time(options: CrawlOptions, known: CrawlRates, left: int) -> str:
    """Return how long a crawl will take, as far as that can be told, "" if it cannot.

    >>> guess_time(CrawlOptions(max_minutes=10), CrawlRates(0, 1.0, 1.0, 2), 600)
    '; 2 hosts are known: from these alone, 600 pages take 5 minutes; more hosts make it shorter, \
images, slow answers and longer delays make it longer'
    """
    if not options.delay_s or not (left or not options.max_pages):
        return ""
    hosts = f"{known.hosts:,} host{'s are' if known.hosts > 1 else ' is'} known"
    per_page_s = options.delay_s * known.requests_per_page / known.hosts
    most = known.hosts * options.max_pages_per_host
    wanted = min(left, most) if options.max_pages and most else left or most
    limit_s = 60 * options.max_minutes
    if limit_s and (not wanted or wanted * per_page_s > limit_s):
        wanted = int(limit_s / per_page_s)
    if not wanted:
        return f"; {hosts}"
    with_images = "images, " if known.requests_per_page == 1.0 and options.images else ""
    takes = show_time(wanted * per_page_s)
    return (
        f"; {hosts}: from these alone, {wanted:,} pages take {takes}; more hosts make it shorter, "
        f"{with_images}slow answers and longer delays make it longer"
    )


def show_time(seconds: float) -> str:
    """Return a time in words, in the largest unit of which there are two.

    >>> [show_time(seconds) for seconds in (5.0, 600.0, 9000.0, 432000.0)]
    ['5 seconds', '10 minutes', '2.5 hours', '5 days']
    """
    for length, name in UNITS:
        if seconds >= 2 * length:
            return f"{seconds / length:.2g} {name}"
    return f"{seconds:.2g} seconds" if seconds < 99.5 else f"{seconds:.0f} seconds"
