"""What a crawl will cost, said before it begins: disk and time.

In: a collection. Out: a sentence. Disk comes from what pages cost so far, or usually do. Time is
what manners take: each host known by now is asked once in `delay_s`. It is a guess, and says so:
hosts that are found on the way make a crawl quicker, slow or strict ones make it slower.
"""

import shutil
from contextlib import suppress
from typing import NamedTuple

from blickfang.collection import Collection
from blickfang.crawl.history import count_before, count_waiting
from blickfang.crawl.options import CrawlOptions
from blickfang.crawl.plan import check_shards
from blickfang.crawl.scope import Scope
from blickfang.errors import InputError
from blickfang.io.plural import counted
from blickfang.io.urls import host as host_of
from blickfang.pipeline.crawling import check_crawl

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

    >>> name_rejected(Options(seeds=("http://a.org/", "http://b.org/"), reject=("(org,a,",)))
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

    >>> guess_time(Options(max_minutes=10), Known(0, 1.0, 1.0, 2), 600)
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
