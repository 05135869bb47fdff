"""Bytes of an image in; what it is, what it shows and what it says of its use, out."""

from blickfang.corpus.pictures.decode_picture import PictureLimits
from blickfang.corpus.pictures.phash import are_near_equal, count_other_bits
from blickfang.corpus.pictures.picture import read_picture, show_picture
from blickfang.corpus.pictures.visual_features import LOOKS_LENGTH

__all__ = [
    "LOOKS_LENGTH",
    "PictureLimits",
    "are_near_equal",
    "count_other_bits",
    "read_picture",
    "show_picture",
]
