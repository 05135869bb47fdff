"""The one way through an archive: its answers in their order, each with its payload.

In: an archive file, and which answers are wanted. Out: `ArchivedResponse`s; a `Failure` for each
record that cannot be used. The rule, for every verb:

- A revisit gives the payload of the record it repeats, under its own address and date. It is
  looked for in the same archive; in those beside it, through their CDXJ indexes, which a crawl
  writes for each of its files; and where the caller says, such as the database of a crawl. A
  revisit whose payload is nowhere is a `Failure`: it is counted and named.
- "Server not modified" is no answer, but says that an earlier one holds: it is no page.
- A page is an answer of status 200 whose type is HTML, or that has none (`is_page`): a response, a
  resource, a conversion or a revisit. A page as a browser made it is a conversion of the answer
  before it: a page of its own, for who does not tell them apart.
- A redirect is an answer whose status is 3xx and that says where to (`find_target`).

A build needs no payload of the pictures that repeat others (`fill`): they are detours. What is
about records and where they lie reads these (`read_archive`): CDXJ indexes, the length of an
archive, replays and a lost state made anew, which follow revisits by address when they are asked
for an answer (`find_original`).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from blickfang.errors import InputError
from blickfang.io.urls import resolve
from blickfang.io.warc.archive_reader import MAX_BODY, read_archive, read_at
from blickfang.io.warc.cdxj import find_captures
from blickfang.io.warc.http_exchange import HTML_TYPES, read_type
from blickfang.io.warc.record_types import Archived, Original
from blickfang.types import Failure

MOST = 1_000_000  # payloads whose place is kept, some 200 bytes each; archives have far fewer
MOST_BESIDE = 100  # indexes
HOPS = 5  # records that repeat others
HTML = (*HTML_TYPES, "")
UNCHANGED = "server-not-modified"  # the end of a profile: no answer, but that an earlier one holds
NOT_AT_HAND = "repeats a record that is neither in this archive nor in an indexed one beside it"

Want = Callable[[Archived], bool]
Spot = tuple[Path, int, int]  # file, offset, length of a record
Ask = Callable[[Original], Iterable[Spot]]


class ArchivedResponse(NamedTuple):
    """An answer of an archive with its payload."""

    record: Archived  # its kind tells whether it repeats another one
    number: int  # in its file, counted from 0
    offset: int  # of the record with the payload in this archive, -1 if it cannot be reached there
    length: int


class Repeating(Protocol):
    """What is known of the answer at an address."""

    @property
    def original(self) -> str:
        """The address whose payload it repeats, "" if it has one itself."""
        ...


Known = TypeVar("Known", bound=Repeating)


def is_repetition(record: Archived) -> bool:
    """Whether a record stands for an answer with a payload that is elsewhere."""
    is_unchanged = record.fields.get("warc-profile", "").endswith(UNCHANGED)
    return record.kind == "revisit" and record.status in (0, 200) and not is_unchanged


def has_payload(record: Archived) -> bool:
    """Whether a record is a successful answer with a payload, its own or that of another one."""
    return is_repetition(record) or (record.status == 200 and record.kind != "revisit")


def is_page(record: Archived) -> bool:
    """Whether a record is of a page."""
    return has_payload(record) and read_type(record.headers) in HTML


def find_target(url: str, status: int, headers: Mapping[str, str]) -> str | None:
    """Return where an answer redirects to, None if it does not."""
    place = headers.get("location", "") if 300 <= status < 400 else ""
    return resolve(url, place) if place else None


def iterate_archive(
    path: Path,
    want: Want = is_page,
    *,
    fill: Want = is_repetition,
    numbers: Container[int] | None = None,
) -> Iterator[ArchivedResponse | Failure]:
    """Yield the answers of an archive that are wanted, in their order.

    `want` is asked of the head of a revisit, too, and again when it has its payload: a head may
    be missing. `fill` says which revisits need one; others come without a body. `numbers` are those
    of the records that are wanted.
    """
    payloads = Payloads(path)
    for number, record in enumerate(read_archive(path)):
        if isinstance(record, Archived):
            payloads.note(record)
        if numbers is not None and number not in numbers:
            continue
        found = _walk_over(record, number, payloads, want, fill)
        if found is not None:
            yield found


def _walk_over(
    record: Archived | Failure, number: int, payloads: "Payloads", want: Want, fill: Want
) -> ArchivedResponse | Failure | None:
    if isinstance(record, Failure):
        return record
    if not want(record):
        return None
    if not (is_repetition(record) and fill(record)):
        place = (record.place.offset, record.place.length) if record.place else (-1, 0)
        return ArchivedResponse(record, number, *place)
    filled = payloads.fill(record)
    if filled is None:
        return Failure(record.url, "archive", NOT_AT_HAND)
    return filled._replace(number=number) if want(filled.record) else None


def read_answer(
    path: Path, offset: int, length: int, ask: Ask | None = None, max_body: int = MAX_BODY
) -> Archived | Failure:
    """Return the answer at a place of an archive with its payload, by the same rule.

    `ask` says where records of an address may be, for who knows more than the indexes do.
    """
    record = read_at(path, offset, length, max_body)
    if isinstance(record, Failure) or record.kind != "revisit":
        return record
    filled = Payloads(path, ask, max_body).fill(record) if is_repetition(record) else None
    return filled.record if filled else Failure(record.url, "archive", NOT_AT_HAND)


def find_original(known: Mapping[str, Known], url: str) -> Known | None:
    """Return what is known of the answer whose payload an address has."""
    for _ in range(HOPS):
        found = known.get(url)
        if found is None or not found.original:
            return found
        url = found.original
    return None


class Payloads:
    """Where the payloads are that records of an archive repeat."""

    def __init__(self, path: Path, ask: Ask | None = None, max_body: int = MAX_BODY) -> None:
        self.path, self.ask, self.max_body = path, ask, max_body
        self.places: dict[str, tuple[int, int]] = {}  # by digest, or address and date

    def note(self, record: Archived) -> None:
        """Keep in mind where a payload is; later records may repeat it."""
        if record.kind == "response" and record.place is not None and len(self.places) < MOST:
            key = record.digest or f"{record.url} {record.date}"
            self.places.setdefault(key, (record.place.offset, record.place.length))

    def fill(self, revisit: Archived) -> ArchivedResponse | None:
        """Return a revisit with its payload, None if that is not at hand."""
        place = self.places.get(revisit.digest) if revisit.digest else None
        if place is None and revisit.original is not None:
            place = self.places.get(f"{revisit.original.url} {revisit.original.date}")
        found = (
            read_at(self.path, *place, self.max_body) if place else self._look_elsewhere(revisit)
        )
        if found is None or isinstance(found, Failure):
            return None
        status, headers = revisit.status or found.status, revisit.headers or found.headers
        whole = replace(revisit, status=status, headers=headers, body=found.body)
        whole = replace(whole, truncated=found.truncated)
        return ArchivedResponse(whole, 0, *(place or (-1, 0)))

    def _look_elsewhere(self, revisit: Archived) -> Archived | None:
        """Return the record that has a payload, of those that somebody knows of."""
        if revisit.original is None or not revisit.digest:
            return None
        asked = self.ask(revisit.original) if self.ask else ()
        for spots in (asked, self._list_beside(revisit)):
            for path, offset, length in spots:
                found = self._read(path, offset, length)
                if found is not None and found.digest == revisit.digest:
                    return found  # an index may be an old one: the record itself says what it is
        return None

    def _list_beside(self, revisit: Archived) -> Iterator[Spot]:
        """Yield where other archives of the folder have a payload, as their indexes say."""
        url = revisit.original.url if revisit.original else ""
        for index in self._indexes:
            try:
                captures = [*find_captures(index, url)]
            except InputError:  # of somebody else, or half written
                continue
            for capture in captures:
                if capture.digest == revisit.digest:
                    path = self.path.parent / Path(capture.file).name
                    yield path, capture.offset, capture.length

    @cached_property
    def _indexes(self) -> list[Path]:
        found = sorted(self.path.parent.glob("*.cdxj"))
        return found[:MOST_BESIDE]

    def _read(self, path: Path, offset: int, length: int) -> Archived | None:
        if not path.is_file():
            return None
        found = read_at(path, offset, length, self.max_body)
        return None if isinstance(found, Failure) or found.kind != "response" else found
