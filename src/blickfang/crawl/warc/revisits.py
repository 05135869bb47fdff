"""Records that repeat a payload: the same bytes came before, and are written once.

In: the records of an archive, in their order. Out: revisits with the payload they stand for. It is
looked for in the same archive, and through the CDXJ indexes beside it: a crawl writes one for each
of its files, and what a record repeats may be in an earlier one.
"""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from blickfang.crawl.warc.index import Capture, find_captures
from blickfang.crawl.warc.reader import read_at
from blickfang.crawl.warc.values import Archived
from blickfang.data import Failure
from blickfang.errors import InputError

MOST = 1_000_000  # payloads whose place is kept, some 200 bytes each; archives have far fewer
MOST_BESIDE = 100  # indexes
UNCHANGED = "server-not-modified"  # the end of a profile: no answer, but that an earlier one holds
NOT_AT_HAND = "repeats a record that is neither in this archive nor in an indexed one beside it"


class Filled(NamedTuple):
    """A revisit with its payload."""

    record: Archived
    offset: int  # of the record with the payload in this archive, -1 if it is in another one
    length: int


def is_repetition(record: Archived) -> bool:
    """Whether a record stands for an answer with a payload that is elsewhere."""
    is_unchanged = record.fields.get("warc-profile", "").endswith(UNCHANGED)
    return record.kind == "revisit" and record.status in (0, 200) and not is_unchanged


class Payloads:
    """Where the payloads of an archive are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[str, tuple[int, int]] = {}  # by digest, or address and date

    def note(self, record: Archived) -> None:
        """Keep in mind where a payload is; later records may repeat it."""
        if record.kind == "response" and record.place is not None and len(self.places) < MOST:
            key = record.digest or f"{record.url} {record.date}"
            self.places.setdefault(key, (record.place.offset, record.place.length))

    def fill(self, revisit: Archived) -> Filled | None:
        """Return a revisit with its payload, None if that is not at hand."""
        place = self.places.get(revisit.digest) if revisit.digest else None
        if place is None and revisit.original is not None:
            place = self.places.get(f"{revisit.original.url} {revisit.original.date}")
        found = read_at(self.path, *place) if place else self._look_beside(revisit)
        if found is None or isinstance(found, Failure):
            return None
        status, headers = revisit.status or found.status, revisit.headers or found.headers
        whole = replace(revisit, status=status, headers=headers, body=found.body)
        whole = replace(whole, truncated=found.truncated)
        return Filled(whole, *(place or (-1, 0)))

    @cached_property
    def _indexes(self) -> list[Path]:
        found = sorted(self.path.parent.glob("*.cdxj"))
        return found[:MOST_BESIDE]

    def _look_beside(self, revisit: Archived) -> Archived | Failure | None:
        """Return the record that another archive of the folder has of a payload."""
        if revisit.original is None or not revisit.digest:
            return None
        for index in self._indexes:
            try:
                captures = [*find_captures(index, revisit.original.url)]
            except InputError:  # of somebody else, or half written
                continue
            for capture in captures:
                found = self._read(capture) if capture.digest == revisit.digest else None
                if found is not None:
                    return found
        return None

    def _read(self, capture: Capture) -> Archived | None:
        path = self.path.parent / Path(capture.file).name
        if not path.is_file():
            return None
        found = read_at(path, capture.offset, capture.length)
        if isinstance(found, Failure) or found.kind != "response":
            return None
        return found if found.digest == capture.digest else None  # the index may be an old one
