"""What a picture says about its use: data mining, licence, whom to name.

In: the metadata that an `Anatomy` carries. Out: `Rights`. Of several statements the most exact one
counts: a licence's address before words, XMP before EXIF before IPTC's older records.
"""

import re
from struct import Struct
from typing import NamedTuple
from xml.parsers import expat

from blickfang.corpus.pictures.decode_picture import MAX_METADATA, MAX_PARTS
from blickfang.corpus.pictures.image_containers import Anatomy

PLUS = "http://ns.useplus.org/ldf/xmp/1.0/ "
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
WANTED = {
    PLUS + "DataMining": "data_mining",
    PLUS + "LicensorURL": "licensor",
    "http://ns.adobe.com/xap/1.0/rights/ WebStatement": "statement",
    "http://ns.adobe.com/xap/1.0/rights/ UsageTerms": "terms",
    "http://creativecommons.org/ns# license": "licence",
    "http://web.resource.org/cc/ license": "licence",
    "http://purl.org/dc/elements/1.1/ rights": "rights",
    "http://purl.org/dc/elements/1.1/ creator": "creator",
    "http://ns.adobe.com/photoshop/1.0/ Credit": "credit",
}
# An opt-out counts even where its XML is broken.
MINING = re.compile(rb"/vocab/(DMI-[A-Z-]+)")
MAX_VALUES = 100  # of one property
MAX_DEPTH = 200


class _EnoughError(Exception):
    """Enough was read."""


class _Reader:
    """The handlers of one reading, and what they have heard."""

    def __init__(self) -> None:
        self.heard: dict[str, list[str]] = {}
        self.depth = 0
        self.inside = ""  # the wanted property whose element is open
        self.level = 0  # of that element
        self.text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _EnoughError
        for key, value in attributes.items():
            if key in WANTED:
                self.hear(WANTED[key], value)
        if name in WANTED:
            self.inside, self.level = WANTED[name], self.depth
            self.hear(self.inside, attributes.get(RDF + "resource", ""))
        self.text.clear()

    def end(self, _: str) -> None:
        if self.inside:
            self.hear(self.inside, "".join(self.text))
            self.text.clear()
            if self.depth == self.level:
                self.inside = ""
        self.depth -= 1

    def say(self, text: str) -> None:
        if self.inside:
            self.text.append(text)

    def hear(self, name: str, value: str) -> None:
        value = " ".join(value.split())
        known = self.heard.setdefault(name, [])
        if value and value not in known and len(known) < MAX_VALUES:
            known.append(value)

    def refuse(self, *_: object) -> None:
        raise _EnoughError


def read_xmp(packet: bytes) -> dict[str, list[str]]:
    """Return the texts of the wanted properties of an XMP packet, by short names."""
    if not packet:
        return {}
    reader, parser = _Reader(), expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.say
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(packet[:MAX_METADATA].strip(b"\0 \t\r\n"), True)
    except (expat.ExpatError, _EnoughError, UnicodeError, ValueError, LookupError):
        reader.inside = ""  # what was heard so far is kept
    heard = {name: values for name, values in reader.heard.items() if values}
    if "data_mining" not in heard and (found := MINING.search(packet)):
        heard["data_mining"] = [found[1].decode("ascii")]
    return heard


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


MAX_LENGTH = 500  # of a licence or a credit
LICENCES = ("licence", "statement", "licensor", "terms", "rights")
CREDITS = ("credit", "creator")


class Rights(NamedTuple):
    """What a picture says about its use; "" for what it does not say."""

    data_mining: str
    licence: str
    credit: str


def read_rights(anatomy: Anatomy, exif: ExifTags) -> Rights:
    """Return what a picture says about its use."""
    if not (anatomy.xmp or anatomy.iim or anatomy.notes or any(exif[1:])):
        return Rights("", "", "")
    xmp, iim = read_xmp(anatomy.xmp), read_iim(anatomy.iim)
    notes = {name: decode_text(note) for name, note in anatomy.notes.items()}
    licences = (
        *("; ".join(xmp.get(name, ())) for name in LICENCES),
        exif.copyright,
        "; ".join(iim.get(NOTICE, ())),
        notes.get("copyright", ""),
    )
    names = (
        *("; ".join(xmp.get(name, ())) for name in CREDITS),
        exif.artist,
        *("; ".join(iim.get(dataset, ())) for dataset in (CREDIT, BYLINE)),
        notes.get("author", ""),
    )
    mining = next(iter(xmp.get("data_mining", ())), "")
    return Rights(mining.rstrip("/").rpartition("/")[2][:80], _first(licences), _first(names))


def _first(texts: tuple[str, ...]) -> str:
    """Return the first text that says something."""
    return next((text for text in texts if text), "")[:MAX_LENGTH]
