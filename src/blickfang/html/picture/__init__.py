"""Bytes of an image in; what it is, what it shows and what it says of its use, out."""

from blickfang.html.picture.alike import are_near_equal, count_other_bits
from blickfang.html.picture.limits import PictureLimits
from blickfang.html.picture.looks import LOOKS_LENGTH
from blickfang.html.picture.picture import read_picture, show_picture

__all__ = [
    "LOOKS_LENGTH",
    "PictureLimits",
    "are_near_equal",
    "count_other_bits",
    "read_picture",
    "show_picture",
]
