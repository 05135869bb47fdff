"""What the archive hands out: where a record lies, and what it holds."""

from dataclasses import dataclass
from typing import NamedTuple

from blickfang.types import Response


class RecordPlace(NamedTuple):
    """Where a record lies in an archive."""

    file: str  # name, without folder
    offset: int
    length: int  # of the bytes on disk, packed
    record_id: str
    digest: str  # of the payload, as sha1:…; "" where it is not stated


class Original(NamedTuple):
    """The record that another one repeats or was made from, as far as it is named."""

    record_id: str
    url: str
    date: str


@dataclass(frozen=True, slots=True)
class Archived:
    """One answer, or what was made of one, read back from an archive."""

    url: str  # as the archive writes it, not canonical
    date: str  # of the request, as 2026-01-31T12:34:56Z where the archive's can be understood
    status: int  # 200 for what is no answer of a server; 0 for a revisit without one
    headers: dict[str, str]  # of HTTP, names in lower case
    body: bytes  # decoded, whatever the headers say
    kind: str  # response, revisit, conversion, resource
    record_id: str
    truncated: str  # "", or why the body is not whole: length, time, disconnect, unspecified
    original: Original | None  # of a revisit, a conversion
    digest: str  # of the payload, as the archive states it
    place: RecordPlace | None  # None where the file gives no access to single records
    fields: dict[str, str]  # all of the WARC header, names in lower case


def archived_response(archived: Archived) -> Response:
    """Return what readers of pages need of an archived answer."""
    return Response(archived.url, archived.status, archived.headers, archived.body, archived.date)
