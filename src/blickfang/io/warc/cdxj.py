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
from urllib.parse import quote_from_bytes, unquote_to_bytes

from blickfang.errors import InputError
from blickfang.io.atomic_files import explain_failure, replacing
from blickfang.io.urls import surt
from blickfang.io.warc.archive_reader import read_archive
from blickfang.io.warc.record_types import Archived
from blickfang.types import Failure

PARTS = re.compile(r"https?://\(([^)]*)\)([^?]*)(?:\?(.*))?", re.DOTALL)
ADDRESS = re.compile(r"[0-9.]+(?=:|$)")
LITERAL = re.compile(r"\[([^\]]*)\]")
WWW = re.compile(r",www[0-9]*(?=:|$)")
NOT_ESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
PATH_SESSION = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)")
QUERY_SESSION = re.compile(
    r"(?:(?:jsessionid|(?:phpses)?sid)=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)


def index_key(url: str) -> str:
    """Return the key under which an index lists a URL.

    >>> index_key("https://www.Example.org:8080/Cats//All/?b=2&A=1#top")
    'org,example:8080)/cats/all?a=1&b=2'
    """
    parts = PARTS.fullmatch(surt(url) or "")
    if parts is None:
        return "".join(url.split())
    host, path, query = parts.groups("")
    key = f"{_host(host.partition('@')[0])}){_path(path)}"
    query = "&".join(sorted(QUERY_SESSION.sub("", _escape(_unescape(query))).split("&"), key=_pair))
    return f"{key}?{query}" if query else key


def _host(host: str) -> str:
    host = host.lstrip(",")  # a dot at the end of a name, or more of them
    if literal := LITERAL.fullmatch(host):
        return literal[1]
    if address := ADDRESS.match(host):
        return ",".join(reversed(address[0].split("."))) + host[address.end() :]
    return WWW.sub("", re.sub(",(?=:|$)", "", host))


def _path(path: str) -> str:
    *folders, name = _unescape(path).split(b"/")[1:]
    kept: list[bytes] = []
    for folder in folders:
        if folder == b".." and kept:
            kept.pop()
        elif folder not in (b"", b"."):
            kept.append(folder)
    text = PATH_SESSION.sub("", _escape(b"/" + b"/".join([*kept, name])))
    return text.removesuffix("/") or "/"


def _unescape(text: str) -> bytes:
    """Undo escapes, also those of escapes."""
    data = text.encode()
    while b"%" in data:
        plain = unquote_to_bytes(data)
        if plain == data:
            break
        data = plain
    return data


def _escape(data: bytes) -> str:
    return quote_from_bytes(data, NOT_ESCAPED).lower()


def _pair(parameter: str) -> list[str]:
    return parameter.split("=", 1)


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
