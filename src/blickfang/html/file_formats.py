"""What a file is, by its first bytes: never by a name or a header.

In: bytes of any kind. Out: a short name. Those in `READ` are pictures that are read here; all
others tell what came instead of one.
"""

import re

from blickfang.types import NOT_READ

READ = ("jpeg", "png", "gif", "webp", "avif", "bmp")
NOT_READ_ENDS = (*(f".{kind}" for kind in NOT_READ), ".tif", ".heif", ".svgz")  # of names of files
NOT_READ_TYPE = re.compile(  # by which a page names them
    r"\s*image/(?:x-|vnd\.)?(?:tiff|ico\b|icon|microsoft\.icon|hei[cf]|jxl|jp[2xm]|svg|psd|adobe\.)",
    re.IGNORECASE,
)

WITHIN = 4096  # bytes in which markup must begin to show itself
FIRST: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "jpeg"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"\0\0\1\0", "ico"),
    (b"\xff\x0a", "jxl"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "jxl"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
    (b"8BPS", "psd"),
    (b"%PDF-", "pdf"),
    (b"%!PS", "postscript"),
    (b"\x1a\x45\xdf\xa3", "video"),  # Matroska, WebM
    (b"FLV\x01", "video"),
    (b"\0\0\1\xba", "video"),  # MPEG
    (b"\0\0\1\xb3", "video"),
    (b"0&\xb2u\x8ef\xcf\x11", "video"),  # ASF, WMV
    (b"OggS", "video"),  # or sound
    (b"ID3", "sound"),
    (b"fLaC", "sound"),
    (b"PK\x03\x04", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"CWS", "flash"),
    (b"FWS", "flash"),
)
RIFF = {b"WEBP": "webp", b"AVI ": "video", b"WAVE": "sound"}
BMP_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)
AVIF_BRANDS = {b"avif", b"avis"}
HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
MAX_BRANDS = 256  # bytes
BLANK = b"\xef\xbb\xbf \t\r\n\f"
PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|script|div|p|h1)\b", re.I)
SVG = re.compile(rb"<(?:\w+:)?svg[\s/>]", re.I)
TEXT = re.compile(rb"[\t\n\f\r\x20-\x7e\x80-\xff]+")


def name_kind(data: bytes) -> str:
    """Return what a file is; "unknown" where its first bytes tell nothing."""
    for magic, kind in FIRST:
        if data.startswith(magic):
            return kind
    if data.startswith(b"RIFF"):
        return RIFF.get(data[8:12], "unknown")
    if data.startswith(b"BM") and int.from_bytes(data[14:18], "little") in BMP_HEADERS:
        return "bmp"
    if data[4:8] == b"ftyp":
        return _name_brand(data)
    return _name_text(data[:WITHIN])


def _name_brand(data: bytes) -> str:
    """Tell pictures from films in the box format that both use."""
    size = min(int.from_bytes(data[:4]), MAX_BRANDS)
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, size, 4))}
    if not brands.isdisjoint(AVIF_BRANDS):
        return "avif"
    return "heic" if not brands.isdisjoint(HEIC_BRANDS) else "video"


def _name_text(head: bytes) -> str:
    """Tell markup and plain text from other bytes."""
    start = head.lstrip(BLANK)
    if start.startswith(b"<"):
        page, drawing = PAGE.search(start), SVG.search(start)
        if drawing and (page is None or drawing.start() < page.start()):
            return "svg"
        return "html" if page else "xml"
    return "text" if TEXT.fullmatch(head) else "unknown"
