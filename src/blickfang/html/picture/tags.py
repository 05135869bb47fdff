"""EXIF and IPTC's older records (IIM): orientation, artist, copyright, credit.

In: the bytes of each, as they stand in a file. Out: their texts. Nothing raises; every loop ends.
"""

from struct import Struct
from typing import NamedTuple

from blickfang.html.picture.limits import MAX_PARTS

ORIENTATION, ARTIST, COPYRIGHT = 0x0112, 0x013B, 0x8298
SHORT, LONG = 3, 4
MAX_ENTRIES = 1000
MAX_TEXT = 4096  # bytes
BYLINE, CREDIT, NOTICE = 80, 110, 116  # datasets of IIM's record 2
IIM_MARK = 0x1C


class ExifTags(NamedTuple):
    """What EXIF says."""

    orientation: int = 1
    artist: str = ""
    copyright: str = ""


def read_exif(data: bytes) -> ExifTags:
    """Return what the first directory of EXIF says."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None or len(data) < 10:
        return ExifTags()
    entry, short, long = Struct(order + "HHI"), Struct(order + "H"), Struct(order + "I")
    (at,) = long.unpack_from(data, 4)
    if at + 2 > len(data):
        return ExifTags()
    (count,) = short.unpack_from(data, at)
    found: dict[int, int | str] = {}
    for place in range(at + 2, min(at + 2 + 12 * min(count, MAX_ENTRIES), len(data) - 11), 12):
        tag, kind, size = entry.unpack_from(data, place)
        if tag == ORIENTATION and kind in (SHORT, LONG):
            (found[tag],) = (short if kind == SHORT else long).unpack_from(data, place + 8)
        elif tag in (ARTIST, COPYRIGHT):
            start = place + 8 if size <= 4 else long.unpack_from(data, place + 8)[0]
            found[tag] = decode_text(data[start : start + min(size, MAX_TEXT)])
    turned = found.get(ORIENTATION, 1)
    known = turned if isinstance(turned, int) and 1 <= turned <= 8 else 1
    return ExifTags(known, str(found.get(ARTIST, "")), str(found.get(COPYRIGHT, "")))


def read_iim(data: bytes) -> dict[int, list[str]]:
    """Return the texts of record 2 of IIM, by dataset."""
    at, texts = 0, dict[int, list[str]]()
    for _ in range(MAX_PARTS):
        if at + 5 > len(data) or data[at] != IIM_MARK:
            break
        record, dataset, size = data[at + 1], data[at + 2], int.from_bytes(data[at + 3 : at + 5])
        at += 5
        if size & 0x8000:  # the size itself is longer
            digits = size & 0x7FFF
            size, at = int.from_bytes(data[at : at + min(digits, 8)]), at + digits
        if record == 2 and dataset in (BYLINE, CREDIT, NOTICE):
            texts.setdefault(dataset, []).append(decode_text(data[at : at + min(size, MAX_TEXT)]))
        at += size
    return texts


def decode_text(data: bytes) -> str:
    """Return a text whose encoding nobody stated: UTF-8 if it can be, else Latin-1."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return " ".join(text.replace("\0", " ").split())
