"""Unpacking an archive file: gzip, lz4, zstd or nothing, whole or damaged.

In: a file. Out: its unpacked bytes in pieces, with the offsets where a gzip member begins. Damage
is a piece too; behind it, reading goes on with the next gzip member that can be found.
"""

import warnings
import zlib
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import GzipWriter, Lz4Reader, ZstdReader

__all__ = ["GzipWriter", "Lz4Reader", "ZstdReader"]


RAW_BYTES = 2**16  # read at once
PIECE_BYTES = 2**20  # unpacked at once
GZIP = b"\x1f\x8b\x08"
DAMAGED = "damaged data"
CUT_SHORT = "file ends within a record"
GIVEN_UP = "too much damage: the rest of the file is not read"
NO_MEMBER, CUT_HEAD = "no member", "cut head"  # nothing at all could be unpacked
NOTHING = {NO_MEMBER: DAMAGED, CUT_HEAD: CUT_SHORT}
MOST_WASTED = 2**27  # bytes read in a row for beginnings that were none
MOST_BROKEN = 20_000  # members in a row of which none is whole


class UnpackedBytes(NamedTuple):
    """Some unpacked bytes, or the news of damage."""

    data: bytes
    start: int | None = None  # offset in the file, if a gzip member begins with this piece
    damage: str = ""


def unpack(file: BinaryIO) -> tuple[bool, Iterator[UnpackedBytes]]:
    """Return whether a file is packed at all, and its unpacked bytes."""
    magic = file.read(4)
    file.seek(0)
    for mark, unpacker in UNPACKERS.items():
        if magic.startswith(mark):
            return True, unpacker(file)
    return False, _read_plain(file)


def _read_plain(file: BinaryIO) -> Iterator[UnpackedBytes]:
    while data := file.read(PIECE_BYTES):
        yield UnpackedBytes(data)


def _gunzip(file: BinaryIO) -> Iterator[UnpackedBytes]:
    """Yield the content of one gzip member after the other."""
    offset = wasted = broken = 0
    while True:
        file.seek(offset)
        raw = file.read(RAW_BYTES)
        padding = len(raw) - len(raw.lstrip(b"\0"))  # of files from tapes
        if not raw:
            return
        if padding:
            offset += padding
            continue
        length, damage = yield from _gunzip_member(file, offset, raw)
        offset += length
        if not damage:
            wasted = broken = 0
            continue
        wasted += file.tell() - offset if damage in NOTHING else 0
        broken += 1
        if broken == 1:  # told once, though a false beginning may be found before the next true one
            yield UnpackedBytes(b"", None, NOTHING.get(damage, damage))
        if wasted > MOST_WASTED or broken > MOST_BROKEN:
            yield UnpackedBytes(b"", None, GIVEN_UP)
            return
        found = _find_member(file, offset + 1)
        if found is None:
            return
        offset = found


def _gunzip_member(
    file: BinaryIO, offset: int, raw: bytes
) -> Generator[UnpackedBytes, None, tuple[int, str]]:
    """Yield the content of a gzip member; return its length and what is wrong with it."""
    engine = zlib.decompressobj(wbits=31)
    length = len(raw)
    start: int | None = offset
    while True:
        try:
            data = engine.decompress(raw, PIECE_BYTES)
        except zlib.error:
            return 0, DAMAGED if start is None else NO_MEMBER
        if data:
            yield UnpackedBytes(data, start)
            start = None
        if engine.eof:
            return length - len(engine.unused_data), ""
        raw = engine.unconsumed_tail
        if not raw and len(data) < PIECE_BYTES:
            raw = file.read(RAW_BYTES)
            length += len(raw)
            if not raw:
                return 0, CUT_SHORT if start is None else CUT_HEAD


def _find_member(file: BinaryIO, offset: int) -> int | None:
    """Return where the next gzip member seems to begin."""
    while True:
        file.seek(offset)
        raw = file.read(RAW_BYTES)
        found = raw.find(GZIP)
        if found >= 0:
            return offset + found
        if len(raw) < len(GZIP):
            return None
        offset += len(raw) - len(GZIP) + 1


def _read_frames(reader: type[Lz4Reader | ZstdReader], file: BinaryIO) -> Iterator[UnpackedBytes]:
    try:
        frames = reader(file)
        while data := frames.read(PIECE_BYTES):
            yield UnpackedBytes(data)
    except OSError:
        yield UnpackedBytes(b"", None, DAMAGED)


UNPACKERS: dict[bytes, Callable[[BinaryIO], Iterator[UnpackedBytes]]] = {
    GZIP: _gunzip,
    b"\x04\x22\x4d\x18": partial(_read_frames, Lz4Reader),
    b"\x28\xb5\x2f\xfd": partial(_read_frames, ZstdReader),
    b"\x5d\x2a\x4d\x18": partial(_read_frames, ZstdReader),  # with a dictionary in front
}
