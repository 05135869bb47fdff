"""Bytes of an image in; what it is, what it shows and what it says of its use, out."""

from blickfang.page.picture.alike import are_near_equal, count_other_bits
from blickfang.page.picture.limits import PictureLimits
from blickfang.page.picture.looks import LOOKS_LENGTH
from blickfang.page.picture.picture import read_picture, show_picture

__all__ = [
    "LOOKS_LENGTH",
    "PictureLimits",
    "are_near_equal",
    "count_other_bits",
    "read_picture",
    "show_picture",
]
