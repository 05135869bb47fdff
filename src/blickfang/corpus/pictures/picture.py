"""The bytes of an image, read: format, size, hashes, rights and looks.

In: an address and bytes of any kind. Out: a `Picture`, or a `Failure` with a short fixed reason.
The file is taken apart by own bounded scans first; only what is small enough to be decoded, and
only what its first picture needs, ever reaches the decoder. Nothing raises, nothing is printed.
"""

import struct
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from PIL import Image

from blickfang.corpus.pictures.decode_picture import (
    BROKEN,
    EMPTY,
    NO_MEMORY,
    NO_PIXELS,
    TOO_MANY_BYTES,
    TOO_MANY_PIXELS,
    TOO_MANY_SCANS,
    TRUNCATED,
    PictureLimits,
    make_fitting,
    make_small,
)
from blickfang.corpus.pictures.image_containers import (
    Anatomy,
    take_avif_apart,
    take_bmp_apart,
    take_gif_apart,
    take_jpeg_apart,
    take_png_apart,
    take_webp_apart,
)
from blickfang.corpus.pictures.image_metadata import read_exif, read_rights
from blickfang.corpus.pictures.phash import make_phash
from blickfang.corpus.pictures.visual_features import make_looks
from blickfang.html.file_formats import READ, name_kind
from blickfang.types import NOT_READ, Failure, Picture

Found = TypeVar("Found")

ROOM = "picture"
TAKE_APART: dict[str, Callable[[bytes], Anatomy | str]] = {
    "jpeg": take_jpeg_apart,
    "png": take_png_apart,
    "gif": take_gif_apart,
    "webp": take_webp_apart,
    "avif": take_avif_apart,
    "bmp": take_bmp_apart,
}
# What Pillow and its decoders raise for files that are not as they should be.
BREAKS = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    OverflowError,
    ZeroDivisionError,
    RuntimeError,
    AttributeError,
    SystemError,
    struct.error,
    Image.DecompressionBombError,
)


def read_picture(url: str, data: bytes, limits: PictureLimits | None = None) -> Picture | Failure:
    """Return what the bytes of an image show, or why they cannot be used."""
    return _guard(url, lambda: _read(url, data, limits or PictureLimits()))


def show_picture(
    url: str, data: bytes, most: int, limits: PictureLimits | None = None
) -> Image.Image | Failure:
    """Return an image itself, upright, in colours, no side longer than `most`; for models."""
    return _guard(url, lambda: _show(data, most, limits or PictureLimits()))


def _guard(url: str, work: Callable[[], Found | str]) -> Found | Failure:
    """Return what work finds; a `Failure` where it gives a reason, or a decoder breaks."""
    try:
        found = work()
    except MemoryError:
        found = NO_MEMORY
    except BREAKS as error:
        found = TRUNCATED if "truncated" in str(error).lower() else BROKEN
    return Failure(url, ROOM, found) if isinstance(found, str) else found


def _show(data: bytes, most: int, limits: PictureLimits) -> Image.Image | str:
    found = _take_apart(data, limits)
    if isinstance(found, str):
        return found
    kind, anatomy = found
    return make_fitting(kind, anatomy.plain, read_exif(anatomy.exif).orientation, most)


def _take_apart(data: bytes, limits: PictureLimits) -> tuple[str, Anatomy] | str:
    """Return what a file is and consists of, or why it is not decoded."""
    if not data:
        return EMPTY
    if len(data) > limits.megabytes * 1e6:
        return TOO_MANY_BYTES
    kind = name_kind(data)
    if kind not in READ:
        return f"{kind} is not read" if kind in NOT_READ else f"not a picture: {kind}"
    anatomy = TAKE_APART[kind](data)
    if isinstance(anatomy, str):
        return anatomy
    return _refuse(kind, anatomy, limits) or (kind, anatomy)


def _read(url: str, data: bytes, limits: PictureLimits) -> Picture | str:
    found = _take_apart(data, limits)
    if isinstance(found, str):
        return found
    kind, anatomy = found
    exif = read_exif(anatomy.exif)
    small = make_small(kind, anatomy.plain, exif.orientation)
    grey = small.convert("L")
    half = grey.reduce(2)
    width, height = anatomy.width, anatomy.height
    if exif.orientation >= 5:
        width, height = height, width
    rights = read_rights(anatomy, exif)
    return Picture(
        url=url,
        format=kind,
        width=width,
        height=height,
        bytes=len(data),
        sha256=sha256(data).hexdigest(),
        phash=make_phash(half),
        orientation=exif.orientation,
        frames=anatomy.frames,
        data_mining=rights.data_mining,
        licence=rights.licence,
        credit=rights.credit,
        looks=make_looks(small, grey, half),
    )


def _refuse(kind: str, anatomy: Anatomy, limits: PictureLimits) -> str:
    """Return why a picture would cost too much, "" if it does not."""
    if anatomy.width <= 0 or anatomy.height <= 0:
        return NO_PIXELS
    pixels = anatomy.width * anatomy.height / 1e6
    if pixels > (limits.megapixels if kind == "jpeg" else limits.megapixels_whole):
        return TOO_MANY_PIXELS
    if anatomy.scans > 1 and pixels * anatomy.scans > limits.megapixels_scanned:
        return TOO_MANY_SCANS
    return ""
