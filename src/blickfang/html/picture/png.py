"""A PNG taken apart: size, frames and metadata; what the decoder does not need is left out.

In: bytes that begin as a PNG. Out: an `Anatomy`, or why there is none. Compressed texts are
unpacked up to a limit; colour profiles never.
"""

import re
import zlib
from collections.abc import Iterator

from blickfang.html.picture.jpeg import Anatomy
from blickfang.html.picture.limits import (
    BROKEN,
    MAX_METADATA,
    MAX_PARTS,
    TOO_MANY_PARTS,
    TRUNCATED,
)

NEEDED = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
TEXTS = (b"tEXt", b"zTXt", b"iTXt")
SPOKEN = {b"XML:com.adobe.xmp": "xmp", b"Copyright": "copyright", b"Author": "author"}
# ImageMagick writes metadata as text: a name, the length, then hexadecimal digits.
PROFILES = {b"exif": "exif", b"APP1": "exif", b"iptc": "iim", b"xmp": "xmp"}
PROFILE = re.compile(rb"Raw profile type (\w+)")
PROFILE_TEXT = re.compile(rb"\s*\w+\s+\d+\s+([0-9a-fA-F\s]*)")
PNG_EXIF, PNG_PHOTOSHOP = b"Exif\0\0", b"8BIM\x04\x04\0\0"


def take_png_apart(data: bytes) -> Anatomy | str:
    """Return what a PNG consists of, or why it cannot be read."""
    kept, notes, frames, exif = [data[:8]], dict[str, bytes](), 0, b""
    seen = set[bytes]()
    for count, (kind, start, end) in enumerate(_chunks(data)):
        if count == MAX_PARTS:
            return TOO_MANY_PARTS
        seen.add(kind)
        if kind in NEEDED:
            kept.append(data[start - 8 : end + 4])
        elif kind in TEXTS:
            _read_text(notes, kind, data[start:end])
        elif kind == b"eXIf":
            exif = data[start:end]
        frames += kind == b"fcTL"
    if data[12:16] != b"IHDR" or b"IDAT" not in seen:
        return BROKEN if b"IEND" in seen else TRUNCATED
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    exif = exif or notes.get("exif", b"").removeprefix(PNG_EXIF)
    iim = notes.get("iim", b"")
    if iim.startswith(PNG_PHOTOSHOP):
        iim = iim[len(PNG_PHOTOSHOP) + 4 :]
    plain, xmp = b"".join(kept), notes.get("xmp", b"")
    return Anatomy(width, height, max(1, frames), plain, 1, xmp, exif, iim, notes)


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and end of the content of each chunk; the last may end behind the data."""
    at = 8
    while at + 8 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        yield kind, at + 8, at + 8 + size
        at += 12 + size
        if kind == b"IEND":
            return


def _read_text(notes: dict[str, bytes], kind: bytes, content: bytes) -> None:
    """Keep a text if it is one of those that are looked for."""
    key, _, text = content.partition(b"\0")
    profile = PROFILE.fullmatch(key)
    name = PROFILES.get(profile[1]) if profile else SPOKEN.get(key)
    if name is None or name in notes:
        return
    packed = kind == b"zTXt"
    if kind == b"iTXt":
        packed, text = text[:1] == b"\1", [*text[2:].split(b"\0", 2), b"", b""][2]
    elif packed:
        text = text[1:]
    text = _unpack(text) if packed else text[:MAX_METADATA]
    if profile:
        digits = PROFILE_TEXT.match(text)
        pairs = b"".join(digits[1].split()) if digits else b""
        text = bytes.fromhex(pairs[: len(pairs) // 2 * 2].decode("ascii"))
    elif kind != b"iTXt":
        text = text.decode("latin-1").encode()
    notes[name] = text


def _unpack(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, MAX_METADATA)
    except zlib.error:
        return b""  # metadata that cannot be read says nothing
