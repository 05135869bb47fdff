"""Reading archives back: ours, those of Common Crawl and others, and ClueWeb09's.

In: a WARC, ARC or WACZ file, packed or not, or the place of a record. Out: answers with decoded
bodies; a `Failure` for each record that cannot be used, and for damage. No content of a file
raises.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from blickfang.io.atomic_files import explain_failure
from blickfang.io.warc.byte_stream import Tape
from blickfang.io.warc.payload import decode_body, split_response
from blickfang.io.warc.record_types import Archived, Original, RecordPlace
from blickfang.io.warc.unpack import GZIP
from blickfang.io.warc.wacz import EMPTY_ZIP, ZIP, open_members
from blickfang.io.warc.warc_records import BEGINNING, Broken, WarcRecord, read_records
from blickfang.types import Failure

MAX_BODY = 2**26
KINDS = ("response", "revisit", "conversion", "resource")
EMPTY = "empty file"
ON_THE_WEB = ("http:", "https:")
# ClueWeb09 gives the day of the year in place of that of the month.
LOOSE_DATE = re.compile(
    r"(\d{4})-(\d{2})-(\d{2,3})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|([+-])(\d{2}):?(\d{2}))", re.A
)


def read_archive(source: Path | BinaryIO, max_body: int = MAX_BODY) -> Iterator[Archived | Failure]:
    """Yield what a file, or a stream that can seek, holds of the web, in its order."""
    with _opening(source) as (file, name):
        is_empty = True
        for record in _read_all(file):
            is_empty = False
            read = _read(record, name, max_body)
            if read is not None:
                yield read
        if is_empty:  # a copy that never came, most likely: it must not pass for a page less
            yield Failure(name, "archive", EMPTY)


def _read_all(file: BinaryIO) -> Iterator[WarcRecord | Broken]:
    """Yield the records of a file, or of all archives that a ZIP file holds."""
    magic = file.read(len(ZIP))
    file.seek(0)
    if magic not in (ZIP, EMPTY_ZIP):
        yield from read_records(Tape(file))
        return
    for inner in open_members(file):
        for record in read_records(Tape(inner.file)) if inner.file else ():
            if isinstance(record, WarcRecord):
                offset = None
                if inner.begin is not None and record.offset is not None:
                    offset = inner.begin + record.offset  # `read_at` needs not know of ZIP
                record = record._replace(offset=offset)
            yield record
        if inner.reason:
            yield Broken("", inner.reason)


def read_at(
    path: Path | BinaryIO, offset: int, length: int, max_body: int = MAX_BODY
) -> Archived | Failure:
    """Return what the record at a place holds."""
    with _opening(path) as (file, name):
        file.seek(offset)
        data = file.read(length)
        if not data.startswith(GZIP):  # where its own length is wrong, the next one ends it
            data += file.read(BEGINNING)
        record = next(read_records(Tape(io.BytesIO(data))), Broken("", "no record"))
        if isinstance(record, WarcRecord):
            record = record._replace(offset=offset, length=length)
        read = _read(record, name, max_body)
        return read or Failure(name, "archive", "a record of another kind")


def in_archive(url: str, path: Path, name: str) -> str:
    """Return what failed with the name the user has for its archive; `path` may be of a copy.

    >>> in_archive("http://example.org/", Path("copies/a.warc"), "s3://crawl/a.warc")
    'http://example.org/ in s3://crawl/a.warc'
    >>> in_archive("copies/a.warc", Path("copies/a.warc"), "s3://crawl/a.warc")
    's3://crawl/a.warc'
    """
    return name if url in ("", str(path)) else f"{url} in {name}"


@contextmanager
def _opening(source: Path | BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    if not isinstance(source, Path):
        yield source, getattr(source, "name", "")
        return
    try:
        with source.open("rb", buffering=2**18) as file:
            yield file, str(source)
    except OSError as error:
        raise explain_failure(error, f"cannot read {source}") from error


def _read(record: WarcRecord | Broken, name: str, max_body: int) -> Archived | Failure | None:
    """Return what a record holds of the web, None if it is about something else."""
    if isinstance(record, Broken):
        return Failure(record.url or name, "archive", record.reason)
    fields = record.fields
    kind = fields.get("warc-type", "").lower()
    url = fields.get("warc-target-uri", "").strip("<>")
    if kind not in KINDS or not url.lower().startswith(ON_THE_WEB):
        return None
    if kind in ("response", "revisit"):
        found = split_response(record.block)
        if found is None and kind == "response":
            return Failure(url, "archive", "no HTTP response")
        status, headers, body = found or (0, {}, b"")
        body, cut = decode_body(headers, body, max_body)
    else:
        status, headers = 200, {"content-type": fields.get("content-type", "")}
        body, cut = decode_body({}, record.block, max_body)
    if "warc-segment-number" in fields:
        cut = cut or "length"  # the rest is in other records
    return Archived(
        url=url,
        date=_read_date(fields.get("warc-date", "")),
        status=status,
        headers=headers,
        body=b"" if kind == "revisit" else body,
        kind=kind,
        record_id=fields.get("warc-record-id", ""),
        truncated=fields.get("warc-truncated", "") or cut,
        original=_read_original(fields),
        digest=fields.get("warc-payload-digest", ""),
        place=_place(record, name),
        fields=fields,
    )


def _read_original(fields: dict[str, str]) -> Original | None:
    names = ("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date")
    original = Original(*(fields.get(name, "") for name in names))
    return original if any(original) else None


def _place(record: WarcRecord, name: str) -> RecordPlace | None:
    if record.offset is None or record.length is None:
        return None
    fields = record.fields
    record_id, digest = fields.get("warc-record-id", ""), fields.get("warc-payload-digest", "")
    return RecordPlace(Path(name).name, record.offset, record.length, record_id, digest)


def _read_date(text: str) -> str:
    """Return a date as the standard writes it; as it is, if it cannot be understood."""
    match = LOOSE_DATE.fullmatch(text)
    if match is None or (text.endswith("Z") and int(match[3]) <= 31):
        return text
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    try:
        begin = (
            datetime(year, 1, 1, tzinfo=UTC) if day > 31 else datetime(year, month, 1, tzinfo=UTC)
        )
        zone = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
        moment = begin + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
        moment += zone if match[7] == "-" else -zone
    except (ValueError, OverflowError):
        return text
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
