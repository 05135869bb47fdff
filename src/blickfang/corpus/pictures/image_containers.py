"""A JPEG taken apart: size, scans and metadata; what the decoder does not need is left out.

In: bytes that begin as a JPEG. Out: an `Anatomy`, or why there is none. The decoder never sees
profiles, previews or comments: what it does not see can neither fool nor slow it.
"""

import re
import warnings
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from types import MappingProxyType
from typing import NamedTuple

from PIL.AvifImagePlugin import AvifImageFile

from blickfang.corpus.pictures.decode_picture import (
    BROKEN,
    MAX_BLOCKS,
    MAX_METADATA,
    MAX_PARTS,
    MAX_RLE_BYTES,
    TOO_MANY_BYTES,
    TOO_MANY_PARTS,
    TRUNCATED,
)


class Anatomy(NamedTuple):
    """What a file says before anything is decoded."""

    width: int  # as declared, before orientation
    height: int
    frames: int
    plain: bytes  # the file again, with nothing but what its first picture needs
    scans: int = 1  # of a JPEG: how often the decoder goes over the picture
    xmp: bytes = b""
    exif: bytes = b""
    iim: bytes = b""  # IPTC's older records
    notes: Mapping[str, bytes] = MappingProxyType({})  # of a PNG: texts by keyword


EXTENSION, FRAME, TRAILER = 0x21, 0x2C, 0x3B
CONTROL, APPLICATION = 0xF9, 0xFF
GIF_XMP = b"\x0bXMP DataXMP"
XMP_TRAILER = 258  # bytes that make the text look like blocks


def take_gif_apart(data: bytes) -> Anatomy | str:
    """Return what a GIF consists of, or why it cannot be read."""
    if len(data) < 13:
        return TRUNCATED
    at = 13 + _palette_size(data[10])
    kept, size, frames, xmp, control = data[:at], _size(data, 6), 0, b"", b""
    left = MAX_BLOCKS
    while at < len(data) and data[at] in (EXTENSION, FRAME):
        start, is_frame = at, data[at] == FRAME
        if is_frame:
            if at + 10 >= len(data):
                return TRUNCATED
            blocks = at + 11 + _palette_size(data[at + 9])
        else:
            blocks = at + 2
        at, left = _skip_blocks(data, blocks, left - 1)
        if left < 0:
            return TOO_MANY_PARTS
        if at > len(data):
            return TRUNCATED
        if is_frame:
            frames += 1
            if frames == 1:
                corner, inner = _size(data, start + 1), _size(data, start + 5)
                size = max(size[0], corner[0] + inner[0]), max(size[1], corner[1] + inner[1])
                kept += control + data[start:at] + b";"
        elif data[start + 1] == CONTROL:
            control = data[start:at]
        elif data.startswith(GIF_XMP, blocks):
            xmp = data[blocks + len(GIF_XMP) : max(blocks + len(GIF_XMP), at - XMP_TRAILER)]
    if not frames:
        return BROKEN if at < len(data) else TRUNCATED
    return Anatomy(*size, frames, kept, xmp=xmp)


def _palette_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 128 else 0


def _size(data: bytes, at: int) -> tuple[int, int]:
    return (
        int.from_bytes(data[at : at + 2], "little"),
        int.from_bytes(data[at + 2 : at + 4], "little"),
    )


def _skip_blocks(data: bytes, at: int, left: int) -> tuple[int, int]:
    """Return where a chain of blocks ends, and how many more may be stepped over."""
    end = len(data)
    while left >= 0:
        if at >= end:
            return end + 1, left
        length = data[at]
        at += length + 1
        if not length:
            break
        left -= 1
    return at, left


SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # markers of frames
SCAN, END, COMMENT = 0xDA, 0xD9, 0xFE
BARE = frozenset((0x01, *range(0xD0, 0xD9)))  # markers without a length
# JFIF and Adobe's marker decide about colours; all other application segments are metadata.
METADATA = frozenset((*range(0xE1, 0xEE), 0xEF, COMMENT))
XMP = b"http://ns.adobe.com/xap/1.0/\0"
EXIF = b"Exif\0\0"
PHOTOSHOP = b"Photoshop 3.0\0"
IIM_RESOURCE = 0x0404
MANY = 16  # scans; a progressive JPEG has 10
# Any number of \xff may stand before a marker; of many only the last is looked at.
MARKER = re.compile(rb"\xff[^\xff]")
NOT_IN_SCAN = re.compile(rb"\xff[^\xff\x00\xd0-\xd7]")  # a scan holds no others


def take_jpeg_apart(data: bytes) -> Anatomy | str:
    """Return what a JPEG consists of, or why it cannot be read."""
    kept, said = [b"\xff\xd8"], {XMP: b"", EXIF: b"", PHOTOSHOP: b""}
    size, parts = (0, 0), 0
    for marker, start, end in _segments(data):
        parts += 1
        if parts > MAX_PARTS:
            return TOO_MANY_PARTS
        if marker == SCAN:
            scans = _count_scans(data, start)
            if scans > MAX_PARTS:
                return TOO_MANY_PARTS
            kept.append(data[start - 4 :])
            iim = _find_resource(said[PHOTOSHOP], IIM_RESOURCE)
            return Anatomy(*size, 1, b"".join(kept), scans, said[XMP], said[EXIF], iim)
        if end > len(data):
            return TRUNCATED
        if marker in METADATA:
            _hear(said, data, start, end)
            continue
        if marker in SIZES and end - start >= 5:
            height, width = int.from_bytes(data[start + 1 : start + 3]), data[start + 3 : start + 5]
            size = int.from_bytes(width), height
        kept.append(data[start - 4 : end])
    return TRUNCATED if parts else BROKEN


def _segments(data: bytes, at: int = 2) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and end of the content of each segment, up to the end of the picture."""
    while found := MARKER.search(data, at):
        marker = data[found.end() - 1]
        at = found.end()
        if marker == 0 or marker in BARE:
            continue
        if marker == END or at + 2 > len(data):
            return
        start, at = at + 2, at + max(2, int.from_bytes(data[at : at + 2]))
        yield marker, start, at


def _count_scans(data: bytes, at: int) -> int:
    """Return how many scans there are, or a few more; no more than enough to refuse the file.

    Behind the picture there may be another one, or a film, in which the marker is chance: only
    where there are many, all segments are stepped through.
    """
    if (more := data.count(b"\xff\xda", at)) < MANY:
        return more + 1
    scans = parts = 0
    while (found := NOT_IN_SCAN.search(data, at)) and parts <= MAX_PARTS:
        marker, at = data[found.end() - 1], found.end()
        if marker == END:
            break
        parts += 1
        scans += marker == SCAN
        if marker not in BARE:
            at += max(2, int.from_bytes(data[at : at + 2]))
    return parts if parts > MAX_PARTS else scans + 1


def _hear(said: dict[bytes, bytes], data: bytes, start: int, end: int) -> None:
    """Keep the first XMP and EXIF, and all of Photoshop's resources, which may be cut in pieces."""
    for name, known in said.items():
        if data.startswith(name, start, end) and (name == PHOTOSHOP or not known):
            said[name] = known + data[start + len(name) : end]


def _find_resource(data: bytes, wanted: int) -> bytes:
    """Return the content of one of Photoshop's resources, b"" if it is not there."""
    at = 0
    for _ in range(MAX_PARTS):
        if data[at : at + 4] != b"8BIM":
            break
        name = int.from_bytes(data[at + 4 : at + 6])
        at += 6 + (data[at + 6] + 2) // 2 * 2 if at + 6 < len(data) else 7  # past its title
        size = int.from_bytes(data[at : at + 4])
        if name == wanted:
            return data[at + 4 : at + 4 + size]
        at += 4 + size + size % 2
    return b""


# some write it here, too


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


RUNS = (1, 2)  # how a BMP is compressed


def take_avif_apart(data: bytes) -> Anatomy | str:
    """Return what an AVIF consists of; nothing of it is decoded yet."""
    with warnings.catch_warnings():  # Pillow looks into its EXIF and may complain
        warnings.simplefilter("ignore")
        image = AvifImageFile(BytesIO(data))
    exif = bytes(image.info.get("exif", b"")).removeprefix(EXIF)
    xmp = bytes(image.info.get("xmp", b""))
    return Anatomy(*image.size, image.n_frames, data, 1, xmp, exif)


def take_bmp_apart(data: bytes) -> Anatomy | str:
    """Return what a BMP consists of, or why it cannot be read."""
    if len(data) < 34:
        return TRUNCATED
    if data[14:18] == b"\x0c\0\0\0":
        width, height = data[18:20], data[20:22]
        return Anatomy(int.from_bytes(width, "little"), int.from_bytes(height, "little"), 1, data)
    width, height, runs = data[18:22], data[22:26], int.from_bytes(data[30:34], "little")
    if runs in RUNS and len(data) > MAX_RLE_BYTES:
        return TOO_MANY_BYTES
    tall = abs(int.from_bytes(height, "little", signed=True))  # below zero: the top row is first
    return Anatomy(int.from_bytes(width, "little", signed=True), tall, 1, data)


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
