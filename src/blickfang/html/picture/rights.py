"""What a picture says about its use: data mining, licence, whom to name.

In: the metadata that an `Anatomy` carries. Out: `Rights`. Of several statements the most exact one
counts: a licence's address before words, XMP before EXIF before IPTC's older records.
"""

from typing import NamedTuple

from blickfang.html.picture.jpeg import Anatomy
from blickfang.html.picture.tags import (
    BYLINE,
    CREDIT,
    NOTICE,
    ExifTags,
    decode_text,
    read_iim,
)
from blickfang.html.picture.xmp import read_xmp

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
