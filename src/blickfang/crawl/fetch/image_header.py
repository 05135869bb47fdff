"""Format and size of an image from its first bytes, to decide whether to fetch the rest.

In: the bytes that have come so far, of any kind. Out: a `Head`, with what is still needed to know
the size; None for what is no image. The format is that of the bytes, never of a name or header.
Orientation is not looked at. Nothing raises; every loop has an end.
"""

import re
from collections.abc import Callable, Iterator
from struct import Struct
from typing import NamedTuple

ENOUGH = 16  # bytes to know the format of all but SVG
SVG_WITHIN = 4096
MAX_SEGMENTS = 1000  # of a JPEG, in front of the size
MAX_BOXES = 500  # of one level
MAX_BRANDS = 256  # bytes
MAX_ENTRIES = 1000  # of a TIFF directory

PNG = b"\x89PNG\r\n\x1a\n"
JXL_BOX = b"\x00\x00\x00\x0cJXL \r\n\x87\n"
AVIF_BRANDS = (b"avif", b"avis")
HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
BMP_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # of JPEG: markers before a size
NO_PADDING = re.compile(rb"[^\xff]")
BARE = frozenset((0x01, *range(0xD0, 0xD9)))  # markers without a length
BEFORE_SVG = rb"(?><\?xml.*?\?>|<!--.*?-->|<!DOCTYPE\s+(?:\w+:)?svg[^\[>]*(?:\[.*?\]\s*)?>|\s+)*"
SVG = re.compile(rb"(?:\xef\xbb\xbf)?" + BEFORE_SVG + rb"<(?:\w+:)?svg[\s/>]", re.DOTALL | re.I)
XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\Z|<(?:\Z|[?s]|!(?!doctype\s+html)|\w+:))", re.I)
TIFF_NUMBERS = {3: "H", 4: "I"}
JXL_BITS = (9, 13, 18, 30)
JXL_RATIOS = ((0, 1), (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))

big_longs = Struct(">II").unpack_from
big_long = Struct(">I").unpack_from
big_shorts = Struct(">HH").unpack_from
small_shorts = Struct("<HH").unpack_from
small_longs = Struct("<ii").unpack_from
small_long = Struct("<I").unpack_from


class ImageHeader(NamedTuple):
    """What the first bytes tell of an image."""

    format: str  # "" if there are too few bytes to know
    width: int | None
    height: int | None
    needs: int = 0  # so many first bytes tell more; 0: nothing more will be known


def read_head(data: bytes) -> ImageHeader | None:
    """Return what the first bytes tell of an image, None if they are not of one."""
    if data.startswith(PNG):
        return _png(data)
    for magic, read in READERS:
        if data.startswith(magic):
            return read(data)
    if len(data) < ENOUGH:
        return ImageHeader("", None, None, ENOUGH)
    if data[4:8] == b"ftyp":
        return _heif(data)
    if SVG.match(data, 0, SVG_WITHIN):
        return ImageHeader("svg", None, None)
    if len(data) < SVG_WITHIN and XML.match(data):
        return ImageHeader("", None, None, SVG_WITHIN)
    return None


def _size(name: str, width: int, height: int) -> ImageHeader | None:
    return ImageHeader(name, width, height) if width > 0 and height > 0 else None


def _png(data: bytes) -> ImageHeader | None:
    at = 32 if data[12:16] == b"CgBI" else 16  # as Apple's tools write it
    if len(data) < at + 8:
        return ImageHeader("png", None, None, at + 8)
    if data[at - 4 : at] != b"IHDR":
        return None
    width, height = big_longs(data, at)
    return ImageHeader("png", width, height) if width and height else None


def _gif(data: bytes) -> ImageHeader | None:
    if len(data) < 10:
        return ImageHeader("gif", None, None, 10)
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        return None
    return _size("gif", *small_shorts(data, 6))


def _bmp(data: bytes) -> ImageHeader | None:
    if len(data) < 26:
        return ImageHeader("bmp", None, None, 26)
    (header,) = small_long(data, 14)
    if header not in BMP_HEADERS:
        return None
    width, height = small_shorts(data, 18) if header == 12 else small_longs(data, 18)
    return _size("bmp", width, abs(height))


def _webp(data: bytes) -> ImageHeader | None:
    if len(data) < 30:
        return ImageHeader("webp", None, None, 30) if data[8:12] in (b"WEBP", b"") else None
    kind = data[8:16]
    if kind == b"WEBPVP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = small_shorts(data, 26)
        return _size("webp", width & 0x3FFF, height & 0x3FFF)
    if kind == b"WEBPVP8L" and data[20] == 0x2F:
        (bits,) = small_long(data, 21)
        return _size("webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"WEBPVP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        return _size("webp", width, int.from_bytes(data[27:30], "little") + 1)
    return None


def _jpeg(data: bytes) -> ImageHeader | None:
    """Go from segment to segment up to the one that begins the picture itself."""
    at = 2
    for _ in range(MAX_SEGMENTS):
        found = data.find(b"\xff", at)
        if found < 0:
            return ImageHeader("jpeg", None, None, max(at, len(data)) + 9)
        at = found
        if data.startswith(b"\xff", at + 1):  # padding
            behind = NO_PADDING.search(data, at)
            at = behind.start() - 1 if behind else len(data)
        if at + 9 > len(data):
            return ImageHeader("jpeg", None, None, at + 9)
        marker = data[at + 1]
        if marker in FRAMES:
            height, width = big_shorts(data, at + 5)
            return _size("jpeg", width, height)
        if marker in (0xD9, 0xDA):  # the end, or the picture
            return None
        at += 2
        if marker != 0 and marker not in BARE:
            at += max(2, data[at] << 8 | data[at + 1])
    return None


def _tiff(data: bytes) -> ImageHeader | None:
    """Look into the first directory, which may be far behind."""
    order = "<" if data[0] == 0x49 else ">"
    if len(data) < 8:
        return ImageHeader("tiff", None, None, 8)
    (at,) = Struct(order + "I").unpack_from(data, 4)
    if at + 2 > len(data):
        return ImageHeader("tiff", None, None, at + 2)
    (count,) = Struct(order + "H").unpack_from(data, at)
    end = at + 2 + 12 * min(count, MAX_ENTRIES)
    sizes: dict[int, int] = {}
    for entry in range(at + 2, min(end, len(data) - 11), 12):
        tag, kind = Struct(order + "HH").unpack_from(data, entry)
        if tag in (256, 257) and kind in TIFF_NUMBERS:
            (sizes[tag],) = Struct(order + TIFF_NUMBERS[kind]).unpack_from(data, entry + 8)
        if len(sizes) == 2:
            return _size("tiff", sizes[256], sizes[257])
    return ImageHeader("tiff", None, None, end) if end > len(data) else None


def _heif(data: bytes) -> ImageHeader | None:
    """Find the sizes in the boxes of the file; of several, the largest is that of the whole."""
    size = min(big_long(data, 0)[0], MAX_BRANDS)
    if len(data) < size:
        return ImageHeader("", None, None, size)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, size, 4))}
    if not brands.isdisjoint(AVIF_BRANDS):
        name = "avif"
    elif not brands.isdisjoint(HEIC_BRANDS):
        name = "heic"
    else:
        return None  # a film, most probably
    at, end = 0, len(data)
    for kind, skip in ((b"meta", 4), (b"iprp", 0), (b"ipco", 0)):
        found = next((box for box in _boxes(data, at, end) if box[0] in (kind, b"")), None)
        if found is None:
            return None
        if found[0] == b"" or found[2] > len(data):
            return ImageHeader(name, None, None, found[2])
        at, end = found[1] + skip, found[2]
    sizes = [
        big_longs(data, start + 4)
        for kind, start, stop in _boxes(data, at, end)
        if kind == b"ispe" and start + 12 <= min(stop, len(data))
    ]
    if not sizes:
        return None
    return _size(name, *max(sizes, key=lambda size: size[0] * size[1]))


def _boxes(data: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and end of each box; a nameless one where bytes are missing."""
    for _ in range(MAX_BOXES):
        if at + 8 > end:
            if end == len(data):
                yield b"", at, at + 8
            return
        (size,) = big_long(data, at)
        start = at + 8
        if size == 1:
            size, start = int.from_bytes(data[start : start + 8]), start + 8
        stop = at + size if size else len(data)
        if stop < start:
            return
        yield data[at + 4 : at + 8], start, stop
        at = stop


def _jxl_boxes(data: bytes) -> ImageHeader | None:
    for kind, start, stop in _boxes(data, 0, len(data)):
        if kind in (b"jxlc", b"jxlp"):
            return _jxl(data, start if kind == b"jxlc" else start + 4)
        if kind == b"":
            return ImageHeader("jxl", None, None, stop)
    return None


def _jxl(data: bytes, at: int = 0) -> ImageHeader | None:
    """Read bit by bit, the least one first."""
    if len(data) < at + 12:
        return ImageHeader("jxl", None, None, at + 12)
    if not data.startswith(b"\xff\x0a", at):
        return None
    bits = int.from_bytes(data[at + 2 : at + 12], "little")
    is_small, bits = bits & 1, bits >> 1
    height, bits = _jxl_length(bits, is_small)
    ratio, bits = bits & 7, bits >> 3
    if ratio:
        above, below = JXL_RATIOS[ratio]
        return _size("jxl", height * above // below, height)
    return _size("jxl", _jxl_length(bits, is_small)[0], height)


def _jxl_length(bits: int, is_small: int) -> tuple[int, int]:
    """Return one length, and the bits behind it."""
    if is_small:
        return 8 * ((bits & 31) + 1), bits >> 5
    count, bits = JXL_BITS[bits & 3], bits >> 2
    return (bits & (1 << count) - 1) + 1, bits >> count


def _ico(data: bytes) -> ImageHeader | None:
    return ImageHeader("ico", None, None) if data[4:6] != b"\0\0" else None


READERS: tuple[tuple[bytes, Callable[[bytes], ImageHeader | None]], ...] = (
    (b"\xff\xd8\xff", _jpeg),
    (b"GIF8", _gif),
    (b"RIFF", _webp),
    (b"BM", _bmp),
    (b"II*\0", _tiff),
    (b"MM\0*", _tiff),
    (b"\xff\x0a", _jxl),
    (JXL_BOX, _jxl_boxes),
    (b"\0\0\1\0", _ico),
)
