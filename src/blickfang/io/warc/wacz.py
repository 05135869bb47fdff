"""WACZ: web archives in a ZIP file, with an index and a description beside them.

In: a ZIP file of anybody. Out: each archive in it, as a file of its own, and where in the ZIP file
it begins. Nothing is unpacked by its name. Archives are stored as they are, as the format asks, so
a record is found again in the ZIP file itself; one that somebody has packed once more is unpacked
within limits, and gives no access to single records.
"""

import io
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast

ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")
MOST_MEMBERS = 100_000
MOST_LISTED = 2**26  # bytes of the directory
MOST_RATIO = 200  # of what is packed once more; text has some 10
MOST_UNPACKED = 2**33  # of one archive; most have 2**30
COPIED = 2**20  # bytes at once

END = struct.Struct("<4s4H2LH")
END_MARK = b"PK\x05\x06"
LARGE_PLACE = struct.Struct("<4sLQL")
LARGE_END = struct.Struct("<4sQ2H2L4Q")
LONGEST_COMMENT = 2**16
LOCAL = struct.Struct("<4s5H3L2H")

UNREADABLE = (ValueError, OverflowError, NotImplementedError)  # what `zipfile` raises besides

DAMAGED = "damaged ZIP file"
NO_ARCHIVE = "a ZIP file without archives in it"


class Inner(NamedTuple):
    """An archive in a ZIP file, or why it cannot be read."""

    file: BinaryIO | None
    begin: int | None  # where in the ZIP file it begins; None if it was unpacked
    reason: str = ""


class Window(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, file: BinaryIO, begin: int, length: int) -> None:
        self.whole, self.begin, self.length, self.at = file, begin, length, 0

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read from any place."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; return it."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.length}[whence]
        self.at = max(0, start + offset)
        return self.at

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self.at

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, less at the end."""
        left = max(0, self.length - self.at)
        self.whole.seek(self.begin + self.at)
        data = self.whole.read(left if size < 0 else min(size, left))
        self.at += len(data)
        return data


def open_members(file: BinaryIO) -> Iterator[Inner]:
    """Give the archives of a ZIP file, one after the other; each is closed behind it."""
    try:
        size = file.seek(0, io.SEEK_END)
        if reason := _refuse(file, size):
            yield Inner(None, None, reason)
            return
        members = _list_members(file)
    except (zipfile.BadZipFile, struct.error, OSError, *UNREADABLE) as error:
        yield Inner(None, None, f"{DAMAGED}: {error}")
        return
    if not members:
        yield Inner(None, None, NO_ARCHIVE)
    elif sum(member.compress_size for member in members) > size:
        yield Inner(None, None, f"{DAMAGED}: its members lie in each other")
    else:
        for member in members:
            with _opening(file, member) as inner:
                yield inner


def _refuse(file: BinaryIO, size: int) -> str:
    """Return why the directory of a ZIP file is not read, before any of it is in memory."""
    start = max(0, size - END.size - LONGEST_COMMENT)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(END_MARK)
    if at < 0 or len(tail) - at < END.size:
        return f"{DAMAGED}: it has no end"
    _, _, _, _, count, length, *_ = END.unpack_from(tail, at)
    large = _read_large_end(file, start + at - LARGE_PLACE.size)
    if large:  # a file of more than 4 GB, or one that says so
        count, length = (max(numbers) for numbers in zip(*large, strict=True))
    if count <= MOST_MEMBERS and length <= MOST_LISTED:
        return ""
    return f"a ZIP file of {count:,} members: too many"


def _read_large_end(file: BinaryIO, place: int) -> list[tuple[int, int]]:
    """Return members and bytes of the directory as each ZIP64 end says, before or where it is told.

    `zipfile` looks right in front of the other end, or where that says, by its version.
    """
    if place < LARGE_END.size:
        return []
    file.seek(place)
    mark, _, where, _ = LARGE_PLACE.unpack(file.read(LARGE_PLACE.size))
    found = []
    for begin in {place - LARGE_END.size, min(where, place)} if mark == b"PK\x06\x07" else ():
        file.seek(begin)
        data = file.read(LARGE_END.size)
        if data.startswith(b"PK\x06\x06") and len(data) == LARGE_END.size:
            end = LARGE_END.unpack(data)
            found.append((end[7], end[8]))
    return found


def _list_members(file: BinaryIO) -> list[zipfile.ZipInfo]:
    with zipfile.ZipFile(file) as listed:
        found = {info.header_offset: info for info in listed.infolist()}
    return [info for info in found.values() if info.filename.lower().endswith(ENDINGS)]


@contextmanager
def _opening(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[Inner]:
    if member.flag_bits & 1:
        yield Inner(None, None, "an archive with a password in a ZIP file")
        return
    file.seek(max(0, member.header_offset))
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(ZIP):
        yield Inner(None, None, f"{DAMAGED}: a member is not where it should be")
        return
    *_, name, extra = LOCAL.unpack(head)
    begin = member.header_offset + LOCAL.size + name + extra
    window = Window(file, begin, member.compress_size)
    if member.compress_type == zipfile.ZIP_STORED:
        yield Inner(cast(BinaryIO, window), begin)
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        with tempfile.TemporaryFile() as unpacked:
            reason = _inflate(window, cast(BinaryIO, unpacked))
            unpacked.seek(0)
            yield Inner(cast(BinaryIO, unpacked), None, reason)
    else:
        yield Inner(None, None, "an archive that is packed in an unusual way in a ZIP file")


def _inflate(window: Window, target: BinaryIO) -> str:
    """Unpack a member as far as it goes; return why not further."""
    engine = zlib.decompressobj(wbits=-15)
    most = min(MOST_UNPACKED, MOST_RATIO * window.length)
    size = 0
    try:
        while not engine.eof:
            raw = engine.unconsumed_tail or window.read(COPIED)
            data = engine.decompress(raw, COPIED)
            size += len(data)
            if size > most:
                return "too much in a ZIP file: the rest is not read"
            if not raw and not data:
                return DAMAGED
            target.write(data)
    except zlib.error:
        return DAMAGED
    return ""
