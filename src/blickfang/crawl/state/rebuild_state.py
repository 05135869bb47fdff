"""The database of a shard made anew from its archive, when it is damaged or lost.

In: the folder of a shard. Out: an empty database that knows how far the archive goes; and, while
the crawl goes its way again, answers from the archive instead of from hosts. So everything in the
database is made by the code that made it the first time, nobody is asked twice, and no record is
written twice. What no archive holds is lost: failures, numbers of tries, pages that were withheld.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from blickfang.crawl.state.state_db import STATE, StateDb, advise
from blickfang.errors import InputError
from blickfang.io.atomic_files import set_aside
from blickfang.io.urls import canonical
from blickfang.io.warc import Archived, ArchiveWriter, read_archive, read_at
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.record_types import RecordPlace
from blickfang.io.warc.walk import find_original
from blickfang.types import Failure

REBUILDING = "rebuilding"  # the fact that answers come from the archive first
ARCHIVES = "*.warc.gz"


class KeptAnswer(NamedTuple):
    """Where the answer for an address lies, and whose payload it repeats, if it does."""

    path: Path
    place: RecordPlace
    original: str


def put_aside(folder: Path) -> None:
    """Give the database of a shard another name; its log goes with it."""
    path = folder / STATE
    if path.exists():
        moved = set_aside(path)
        for end in ("-wal", "-shm"):
            log = path.with_name(path.name + end)
            if log.exists():
                log.replace(moved.with_name(moved.name + end))


def begin_anew(folder: Path) -> None:
    """Make a database for the archive in a folder, to be filled by the next crawl."""
    archives = sorted(folder.glob(ARCHIVES))
    store = StateDb(folder / STATE)
    if archives:
        store.keep_fact("archive_file", archives[-1].name)
        store.keep_fact("archive_length", _measure(archives[-1]))
    store.keep_fact(REBUILDING, 1)
    store.commit()
    store.close()


def _measure(path: Path) -> int:
    """Return the length of the whole records of an archive file."""
    length = 0
    for record in read_archive(path):
        if isinstance(record, Archived) and record.place is not None:
            length = record.place.offset + record.place.length
    return length


def open_archive(
    folder: Path, name: str, store: StateDb, about: Mapping[str, str], **rolls: int
) -> ArchiveWriter:
    """Open the archive of a shard behind what its database knows of it."""
    file = store.fact("archive_file")
    if file is not None:
        return ArchiveWriter.open(
            folder, name, (file, store.fact("archive_length")), about, **rolls
        )
    for path in sorted(folder.glob(ARCHIVES)):
        if any(isinstance(record, Archived) for record in read_archive(path)):
            raise InputError(f"{store.path} knows nothing of {path.name}: {advise(store.path)}")
    return ArchiveWriter.open(folder, name, None, about, **rolls)


class Recalled:
    """What the archive of a shard holds, and its database does not know yet."""

    def __init__(self, folder: Path, store: StateDb) -> None:
        self.kept: dict[str, KeptAnswer] = {}
        for path in sorted(folder.glob(ARCHIVES)):
            for record in read_archive(path):
                if isinstance(record, Archived):
                    self._note(path, record)
        self.whole = dict(self.kept)  # what others repeat, known or not
        for (url,) in store.db.execute("SELECT url FROM visits WHERE file != ''"):
            self.kept.pop(url, None)

    def _note(self, path: Path, record: Archived) -> None:
        url, place = canonical(record.url), record.place
        if url is None or place is None or record.kind not in ("response", "revisit"):
            return
        original = ""
        if record.kind == "revisit":
            original = (canonical(record.original.url) or "") if record.original else ""
            if original in ("", url):  # it had not changed: the answer before it counts
                return
        self.kept[url] = KeptAnswer(path, place, original)

    def has(self, url: str) -> bool:
        """Whether the answer for an address need not be asked for."""
        return url in self.kept

    def answer(self, url: str) -> Exchange | None:
        """Return the answer for an address; None if it must be asked for."""
        found = self.kept.get(url)
        if found is None:
            return None
        record = _read(found)
        whole = find_original(self.whole, found.original) if found.original else found
        payload = record if whole is found else whole and _read(whole)
        if record is None or payload is None:
            del self.kept[url]
            return None
        return Exchange(
            url=url,
            request_head=b"",
            response_head=b"",
            status=record.status,
            headers=record.headers,
            body=payload.body,
            ip=record.fields.get("warc-ip-address", ""),
            fetched_at=record.date,
            first_byte_s=0.0,
            total_s=0.0,
            truncated=record.truncated,
        )

    def take_place(self, url: str) -> RecordPlace | None:
        """Return where an answer lies that is in the archive already; from now on it is known."""
        found = self.kept.pop(url, None)
        return found.place if found else None


def _read(kept: KeptAnswer) -> Archived | None:
    record = read_at(kept.path, kept.place.offset, kept.place.length)
    return None if isinstance(record, Failure) else record


def recall(folder: Path, store: StateDb) -> Recalled | None:
    """Return what a shard's archive holds, if its database is being made anew."""
    return Recalled(folder, store) if store.fact(REBUILDING) else None
