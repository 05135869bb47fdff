"""What the archive of a crawl holds of an address, found by its stores.

In: a collection and an address. Out: the answer as it was archived, or a `Failure` that says why
there is none. Nothing is fetched.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from blickfang.collection import Collection
from blickfang.crawl.history import find_stores
from blickfang.crawl.store import IS_HTML, looking_into
from blickfang.crawl.warc import Archived, read_at
from blickfang.crawl.warc.revisits import is_repetition
from blickfang.data import Failure
from blickfang.errors import InputError

FIND = (
    "SELECT file, place, length FROM visits WHERE url = ? AND status = 200 AND file != '' "
    "ORDER BY number DESC LIMIT 8"
)
LATEST = (
    f"SELECT fetched_at, url FROM visits WHERE kind = 0 AND {IS_HTML} AND status = 200 "  # noqa: S608 -- a constant
    "AND file != '' AND facts != '' AND duplicate_of IS NULL ORDER BY number DESC LIMIT ?"
)
LARGEST = 32_000_000
ROOM = "app"


def find_archived(collection: Collection, url: str) -> Archived | Failure:
    """Return the latest answer of an address that has a body, its own or one that it repeats."""
    try:
        stores = find_stores(collection.crawl_folder)
    except InputError:
        return Failure(url, ROOM, "there is no archive in this collection")
    lost = Failure(url, ROOM, "the archive of this collection does not hold it")
    for found in _read_captures(stores, url):
        if isinstance(found, Failure):
            lost = found
            continue
        whole = _fill(stores, found)
        if whole.body:
            return whole
    return lost


def _read_captures(stores: list[Path], url: str) -> Iterator[Archived | Failure]:
    for path in stores:
        with looking_into(path) as db:
            places = db.execute(FIND, (url,)).fetchall()
        for file, place, length in places:
            yield _read(path.parent / Path(file).name, place, length)


def _fill(stores: list[Path], record: Archived) -> Archived:
    """Return a record that repeats a payload with that payload, if it is at hand.

    The stores are asked, not the indexes of archives: those are written when a crawl ends.
    """
    if record.original is None or not is_repetition(record):
        return record
    for found in _read_captures(stores, record.original.url):
        if isinstance(found, Archived) and found.body and found.digest == record.digest:
            return replace(record, headers=record.headers or found.headers, body=found.body)
    return record


def list_pages(collection: Collection, most: int = 200) -> list[str]:
    """Return the addresses of pages in the archive, latest first; no robots.txt, no copies."""
    try:
        stores = find_stores(collection.crawl_folder)
    except InputError:
        return []
    rows: list[tuple[str, str]] = []
    for path in stores:
        with looking_into(path) as db:
            rows += [(at, url) for at, url in db.execute(LATEST, (most,))]
    return list(dict.fromkeys(url for _, url in sorted(rows, reverse=True)))[:most]


def _read(path: Path, place: int, length: int) -> Archived | Failure:
    try:
        return read_at(path, place, length, LARGEST)
    except InputError as error:
        return Failure(str(path), ROOM, str(error))
