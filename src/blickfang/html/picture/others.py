"""AVIF and BMP taken apart: size, frames and metadata.

In: bytes that begin as one of them. Out: an `Anatomy`, or why there is none. The boxes of an AVIF
are read by the library that decodes it; what it raises is for the caller.
"""

import warnings
from io import BytesIO

from PIL.AvifImagePlugin import AvifImageFile

from blickfang.html.picture.jpeg import Anatomy
from blickfang.html.picture.limits import MAX_RLE_BYTES, TOO_MANY_BYTES, TRUNCATED

EXIF = b"Exif\0\0"
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
