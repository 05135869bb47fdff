"""What the archive of a crawl holds of an address, found by its stores.

In: a collection and an address. Out: the answer as it was archived, or a `Failure` that says why
there is none. Nothing is fetched.
"""

from collections.abc import Iterator
from pathlib import Path

from blickfang.config import Collection
from blickfang.crawl.state.crawl_queries import find_stores
from blickfang.crawl.state.state_db import IS_HTML, looking_into
from blickfang.errors import InputError
from blickfang.io.warc import Archived
from blickfang.io.warc.record_types import Original
from blickfang.io.warc.walk import Ask, Spot, read_answer
from blickfang.types import Failure

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

    def ask(original: Original) -> Iterator[Spot]:
        """Yield where what a record repeats may be; indexes are written when a crawl ends."""
        return _list_spots(stores, original.url)

    for spot in _list_spots(stores, url):
        found = _read(spot, ask)
        if isinstance(found, Failure):
            lost = found
        elif found.body:
            return found
    return lost


def _list_spots(stores: list[Path], url: str) -> Iterator[Spot]:
    for path in stores:
        with looking_into(path) as db:
            places = db.execute(FIND, (url,)).fetchall()
        for file, offset, length in places:
            yield path.parent / Path(file).name, offset, length


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


def _read(spot: Spot, ask: Ask) -> Archived | Failure:
    try:
        return read_answer(*spot, ask, LARGEST)
    except InputError as error:
        return Failure(str(spot[0]), ROOM, str(error))
