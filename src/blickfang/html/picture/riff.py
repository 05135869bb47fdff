"""A WebP taken apart: size, frames and metadata.

In: bytes that begin as a WebP. Out: an `Anatomy`, or why there is none.
"""

from blickfang.html.picture.jpeg import Anatomy
from blickfang.html.picture.limits import BROKEN, MAX_PARTS, TOO_MANY_PARTS, TRUNCATED

EXIF = b"Exif\0\0"  # some write it here, too


def take_webp_apart(data: bytes) -> Anatomy | str:
    """Return what a WebP consists of, or why it cannot be read."""
    if len(data) < 8 + int.from_bytes(data[4:8], "little") or len(data) < 30:
        return TRUNCATED
    size, frames, said = _read_size(data), 0, {b"XMP ": b"", b"EXIF": b""}
    if size is None:
        return BROKEN
    at = 12
    for _ in range(MAX_PARTS):
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if kind in said:
            said[kind] = data[at + 8 : at + 8 + length]
        frames += kind == b"ANMF"
        at += 8 + length + length % 2
        if at + 8 > len(data):
            exif = said[b"EXIF"].removeprefix(EXIF)
            return Anatomy(*size, max(1, frames), data, 1, said[b"XMP "], exif)
    return TOO_MANY_PARTS


def _read_size(data: bytes) -> tuple[int, int] | None:
    """Return the size of the canvas, or of the only picture."""
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = data[24:27], data[27:30]
        return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
    if kind == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = data[26:28], data[28:30]
        return int.from_bytes(width, "little") & 0x3FFF, int.from_bytes(height, "little") & 0x3FFF
    return None
