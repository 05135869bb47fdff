"""The pages a topic is learned from: files, and addresses that are fetched into files, once.

In: what the settings name. Out: paths, and failures for what could not be fetched.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang import __version__
from blickfang.compute.worker_progress import Advance
from blickfang.config import Collection
from blickfang.crawl import CrawlOptions
from blickfang.crawl.fetch.fetch_many import fetch_few
from blickfang.crawl.permission.crawl_manners import reaches_somebody, user_agent
from blickfang.crawl.permission.current_consent import find_page_objection
from blickfang.errors import SettingsError
from blickfang.io.atomic_files import replacing
from blickfang.io.urls import canonical
from blickfang.io.warc.http_exchange import Exchange, to_response
from blickfang.text.topic_pages import find_files
from blickfang.types import Failure, Response

PRIVATE_CONTACT = "http://127.0.0.1/"


class TopicPages(NamedTuple):
    """The pages that patterns name."""

    paths: list[Path]
    urls: list[str]


def name_crawler(options: CrawlOptions) -> str:
    """Return what we call ourselves; hosts of the real web must be able to reach somebody."""
    if not options.contact and not options.allow_private:
        raise SettingsError(
            'contact in [crawl] is empty; hosts must be able to reach you: "mailto:you@example.org"'
        )
    if not reaches_somebody(options.contact) and not options.allow_private:
        raise SettingsError(
            f'contact = "{options.contact}" in [crawl] is only an example; write an address at '
            "which hosts reach you, your own mail or web site"
        )
    return user_agent(options.contact or PRIVATE_CONTACT, __version__)


def name_page(url: str) -> str:
    """Return the name of the file into which a page is fetched."""
    return hashlib.sha256(url.encode()).hexdigest()[:16] + ".html"


def find_named(patterns: Sequence[str], root: Path) -> TopicPages:
    """Return the files that patterns name, relative to a folder, and the addresses among them."""
    paths = find_files([each for each in patterns if "://" not in each], root)
    urls = []
    for address in (each for each in patterns if "://" in each):
        url = canonical(address)
        if url is None:
            raise SettingsError(f"{address} is no address; write https://example.org/page.html")
        urls.append(url)
    return TopicPages(paths, urls)


def find_pages(collection: Collection, patterns: Sequence[str]) -> list[Path]:
    """Return the files that patterns name, and those of addresses that have been fetched."""
    return list_files(collection, find_named(patterns, collection.root))


def list_files(collection: Collection, named: TopicPages) -> list[Path]:
    """Return the files of pages, with those of addresses that have been fetched."""
    fetched = _place(collection, named.urls).values()
    return [*named.paths, *(path for path in fetched if path.exists())]


def fetch_pages(collection: Collection, urls: Sequence[str], advance: Advance) -> list[Failure]:
    """Fetch addresses into files, each once; return what could not be had."""
    places = _place(collection, urls)
    missing = [url for url, path in places.items() if not path.exists()]
    if not missing:
        return []

    options = collection.settings.crawl

    def keep(url: str, answer: Exchange) -> Failure | None:
        failure = find_page_objection(to_response(answer), options.purpose)
        if failure is not None and (options.robots or failure.room != "consent"):
            return failure
        with replacing(places[url]) as file:
            file.write(answer.body)
        return None

    # It is compiled now: later hosts would wait for it.
    find_page_objection(Response("", 200, {}, b"<p>"), options.purpose)
    lost = fetch_few(missing, options, name_crawler(options), keep, advance)
    return [Failure(url, why.room, f"{url}: {why.reason}") for url, why in lost.items()]


def refuse_both(positive: TopicPages, neutral: TopicPages) -> None:
    """Refuse a page that is said to be on topic and neutral, before anybody is asked for it."""
    ours, others = (
        {*(str(path.resolve()) for path in named.paths), *named.urls}
        for named in (positive, neutral)
    )
    if ours & others:
        raise SettingsError(f"{min(ours & others)} is both positive and neutral; name it once")


def _place(collection: Collection, urls: Sequence[str]) -> dict[str, Path]:
    """Return the file of each address."""
    return {url: collection.topic_folder / "fetched" / name_page(url) for url in urls}
