"""The one value that all formats are taken apart into."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


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
