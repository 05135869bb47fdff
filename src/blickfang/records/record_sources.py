"""Where pages come from: files, standard input, addresses, archives, collections.

In: names. Out: `Source`s one after the other, bodies only where no process could read them itself;
a `Failure` for what cannot be had. Archives are read as a stream: a page at a time is in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from blickfang.config import FILE, open_collection
from blickfang.crawl import CrawlOptions
from blickfang.crawl.fetch.fetch_many import fetch_few
from blickfang.crawl.focus.fetch_topic_pages import name_crawler
from blickfang.errors import InputError, SettingsError
from blickfang.io.source_files import (
    PAGE_FILES,
    is_archive,
    is_page_file,
    list_crawled,
    list_folder,
)
from blickfang.io.storage import Place, fetching, inspect, is_remote
from blickfang.io.text_files import read_bytes
from blickfang.io.urls import canonical
from blickfang.io.warc.archive_reader import in_archive
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.walk import iterate_archive
from blickfang.records import Classes, load_classes
from blickfang.records.extract import PUBLICATIONS
from blickfang.records.saved_names import CLASSES, RULES, find_named
from blickfang.records.saved_rules import Rule, load_rule
from blickfang.types import Failure


class RecordsSource(NamedTuple):
    """A page that is to be read."""

    origin: str  # what the user named: a file, an address, an archive, a collection
    page: str  # the page itself: the same, or its address
    url: str  # "" where it is not known
    body: bytes | None  # None: read the file
    content_type: str | None
    done: int  # bytes of all sources that are behind once this page is


def is_address(name: str) -> bool:
    """Whether a name is an address of the web."""
    return name.lower().startswith(("http://", "https://"))


def is_many(name: str) -> bool:
    """Whether a name stands for many pages: an archive or a collection."""
    path = Path(name)
    return is_archive(path) or (not is_remote(name) and (path / FILE).exists())


def is_page_address(name: str) -> bool:
    """Whether a name is the address of a page, which is fetched politely; archives are not."""
    return is_address(name) and not is_archive(Path(name))


def find_archives(origin: str) -> list[Place]:
    """Return the archives that a name stands for."""
    if is_remote(origin):
        return [origin]
    path = Path(origin)
    found = list_crawled(path / "crawl") if path.is_dir() else [path]
    if not found:
        raise InputError(
            f"{origin} has no archives yet: run `blickfang crawl {quote(origin)}` first"
        )
    return list(found)


def expand(names: Sequence[str]) -> list[str]:
    """Return names once each, folders of pages as their files."""
    found: dict[str, None] = {}
    for name in names:
        path = Path(name)
        if is_remote(name) or not path.is_dir() or is_many(name):
            found[name] = None
            continue
        files = [str(file) for file in list_folder(path) if is_page_file(file)]
        if not files:
            raise InputError(
                f"{name} holds no pages ({', '.join(PAGE_FILES)}) and is no collection"
            )
        found |= dict.fromkeys(files)
    return list(found)


def measure(names: Sequence[str]) -> int:
    """Return how many bytes sources have, as far as that can be known."""
    total = 0
    for name in names:
        if is_many(name):
            total += sum(measure_file(path) for path in find_archives(name))
        else:
            total += 1 if name == "-" or is_address(name) else measure_file(Path(name))
    return total


def measure_file(place: Place) -> int:
    """Return the size of a file, 0 if there is none."""
    if isinstance(place, str):
        return inspect(place).size
    return place.stat().st_size if place.is_file() else 0


def read_sources(
    names: Sequence[str], options: CrawlOptions | None, *, with_bodies: bool = False
) -> Iterator[RecordsSource | Failure]:
    """Yield the pages that names stand for, in order; addresses are fetched at once, first.

    `with_bodies` is for workers that do not see our files.
    """
    fetched = fetch_all([name for name in names if is_page_address(name)], options)
    done = 0
    for name in names:
        if is_page_address(name):
            done += 1
            found = fetched[name]
            if isinstance(found, Failure):
                yield Failure(name, found.room, found.reason)
            else:
                kind = found.headers.get("content-type")
                yield RecordsSource(name, name, found.url, found.body, kind, done)
        elif is_many(name):
            for place in find_archives(name):
                yield from read_pages_of(name, place, done)
                done += measure_file(place)
        else:
            done += 1 if name == "-" else measure_file(Path(name))
            yield read_single(name, done, with_body=with_bodies or name == "-")


def read_single(name: str, done: int, *, with_body: bool) -> RecordsSource | Failure:
    """Return the page in a file, its bytes where no worker could read them."""
    try:
        return RecordsSource(
            name, name, "", read_bytes(Path(name)) if with_body else None, None, done
        )
    except InputError as error:
        if name == "-":
            raise
        return Failure(name, "records", str(error))


def read_pages_of(origin: str, place: Place, before: int) -> Iterator[RecordsSource | Failure]:
    """Yield the pages of an archive, wherever it lies."""
    with fetching(place) as path:
        for found in read_records_of(origin, path, before):
            if isinstance(found, Failure):
                yield replace(found, url=in_archive(found.url, path, str(place)))
            else:
                yield found


def read_records_of(origin: str, path: Path, before: int) -> Iterator[RecordsSource | Failure]:
    """Yield the pages of an archive file."""
    try:
        for found in iterate_archive(path):
            if isinstance(found, Failure):
                yield found
                continue
            record = found.record
            kind = record.headers.get("content-type") or None
            done = before + (record.place.offset if record.place else 0)
            yield RecordsSource(origin, record.url, record.url, record.body, kind, done)
    except InputError as error:
        yield Failure(str(path), "archive", str(error))


def fetch_all(urls: Sequence[str], options: CrawlOptions | None) -> dict[str, Exchange | Failure]:
    """Fetch addresses with the manners of a crawl; return what came, by address as given."""
    if not urls:
        return {}
    if options is None:
        raise SettingsError(
            "addresses are fetched politely, and hosts must be able to reach you: give "
            "--contact mailto:NAME@HOST, or --collection DIR with a contact in its settings"
        )
    wanted = {url: canonical(url) for url in urls}
    found: dict[str, Exchange | Failure] = {
        url: Failure(url, "fetch", "no address of the web")
        for url, proper in wanted.items()
        if proper is None
    }
    arrived: dict[str, Exchange | Failure] = {}
    lost = fetch_few(
        list(dict.fromkeys(proper for proper in wanted.values() if proper)),
        options,
        name_crawler(options),
        arrived.__setitem__,
    )
    everything = {**arrived, **lost}
    return found | {url: everything[proper] for url, proper in wanted.items() if proper}


ALL = 0
LOOKED_AT = 3  # lists among which those of the kind that was asked for come first
LOOKED_AT_FOR_ALL = 10  # by --as and --region all


@dataclass(frozen=True, slots=True)
class RecordsRequest:
    """What is wanted of pages."""

    kind: str = ""  # "", publications, or the name of learned classes
    region: int = 1  # which list; 0 means all
    classes: str = ""  # file of learned classes
    rule: str = ""  # file of a rule
    options: CrawlOptions | None = None  # how addresses are fetched
    split: bool = False  # texts of lists are cut where rows agree on a separator


def ask(
    kind: str = "",
    region: int = 1,
    rule: str = "",
    contact: str = "",
    collection: Path | None = None,
    *,
    split: bool = False,
) -> RecordsRequest:
    """Return what is wanted; names that are not there are mistakes.

    Addresses are fetched with the settings of a collection, by default that of the current folder.
    """
    options = find_options(contact, collection)
    if rule:
        path = find_named(RULES, rule)
        return RecordsRequest(load_rule(path).kind, region, "", str(path), options, split)
    learned = kind if kind != PUBLICATIONS else ""
    classes = str(find_named(CLASSES, learned)) if learned else ""
    return RecordsRequest(kind, region, classes, "", options, split)


def find_options(contact: str, collection: Path | None) -> CrawlOptions | None:
    """Return the settings by which addresses are fetched; None where nobody gave a contact."""
    if collection is None and not Path(FILE).exists():
        return CrawlOptions(contact=contact) if contact else None
    options = open_collection(collection or Path()).settings.crawl
    return replace(options, contact=contact) if contact else options


@cache
def recall_classes(path: str) -> Classes | None:
    """Return learned classes, read once a process."""
    return load_classes(Path(path)) if path else None


@cache
def recall_rule(path: str) -> Rule:
    """Return a rule, read once a process."""
    return load_rule(Path(path))
