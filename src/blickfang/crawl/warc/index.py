"""Finding records again: CDXJ indexes, one sorted line per record, as pywb and others read them.

In: WARC files. Out: for each an index, `key timestamp {json}`; the captures of a URL by binary
search. Conversions are not listed: for other tools the answer of the server is the capture.
"""

import json
import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from blickfang.crawl.warc.keys import index_key
from blickfang.crawl.warc.reader import read_archive
from blickfang.crawl.warc.values import Archived
from blickfang.data import Failure
from blickfang.disk import explain_failure, replacing
from blickfang.errors import InputError

KINDS = ("response", "revisit", "resource")
END_OF_TYPE = re.compile(r"[;\s]")


class IndexEntry(NamedTuple):
    """A line of an index: that a URL was archived, and where."""

    url: str
    timestamp: str  # as 20260131123456
    mime: str  # warc/revisit for a revisit
    status: str
    digest: str
    length: int
    offset: int
    file: str


def write_index(warc: Path, out: Path) -> list[Failure]:
    """Write the index of a WARC file; return what of it could not be read."""
    lines = []
    failures = []
    for read in read_archive(warc):
        if isinstance(read, Failure):
            failures.append(read)
        elif read.place is None:
            raise InputError(f"{warc} has no index: it is not packed record by record")
        elif read.kind in KINDS:
            lines.append(_line(read))
    with replacing(out) as file:
        file.writelines(sorted(lines))
    return failures


def find_captures(index: Path, url: str) -> Iterator[IndexEntry]:
    """Yield the captures of a URL, the oldest first.

    They are those that share its key: their own URLs may differ in case, in `www.` and the like.
    """
    key = index_key(url).encode() + b" "
    try:
        with index.open("rb") as file:
            if index.stat().st_size == 0:
                return
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                at = _find_line(data, key)
                while data[at : at + len(key)] == key:
                    end = data.find(b"\n", at)
                    end = end if end >= 0 else len(data)
                    yield _read_line(data[at:end], index)
                    at = end + 1
    except OSError as error:
        raise explain_failure(error, f"cannot read {index}") from error


def _line(read: Archived) -> bytes:
    mime = END_OF_TYPE.split(read.headers.get("content-type", ""), maxsplit=1)[0]
    place = read.place
    facts = {
        "url": read.url,
        "mime": "warc/revisit" if read.kind == "revisit" else mime,
        "status": str(read.status) if read.status and read.kind != "resource" else "",
        "digest": read.digest,
        "length": str(place.length) if place else "",
        "offset": str(place.offset) if place else "",
        "filename": place.file if place else "",
    }
    timestamp = re.sub("[^0-9]", "", read.date)[:14].ljust(14, "0")
    known = {name: value for name, value in facts.items() if value}
    return f"{index_key(read.url)} {timestamp} {json.dumps(known)}\n".encode()


def _find_line(data: mmap.mmap, key: bytes) -> int:
    """Return where the first line begins that is not less than the key."""
    low, high = 0, len(data)
    while low < high:
        start = data.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = data.find(b"\n", start) + 1 or len(data)
        if data[start : start + len(key)] < key:
            low = end
        else:
            high = start
    return low


def _read_line(line: bytes, index: Path) -> IndexEntry:
    try:
        _, timestamp, text = line.decode().split(" ", 2)
        facts = json.loads(text)
        named = [str(facts.get(name, "")) for name in ("url", "mime", "status", "digest")]
        length, offset = int(facts["length"]), int(facts["offset"])
        url, mime, status, digest = named
        return IndexEntry(
            url, timestamp, mime, status, digest, length, offset, str(facts["filename"])
        )
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"{index} is no CDXJ index: make it again") from error
