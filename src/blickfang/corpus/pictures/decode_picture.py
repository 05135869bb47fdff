"""The one decoding of a picture: what looks are computed from.

In: the plain bytes of a file and its orientation. Out: the picture as shown, squeezed into a small
square of `SIDE` pixels, in colours, on white where it is transparent; or, for the eyes of a model,
as it is but no larger than asked. A JPEG is decoded at a smaller scale at once; other formats
whole. Raises what Pillow raises.
"""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated

import numpy as np
from PIL import Image, _imaging
from PIL.AvifImagePlugin import AvifImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

SIDE = 64
DRAFT = 96  # a JPEG's smaller scale has at least so many pixels a side, if it has them at all
GAP = 2.0  # so much larger than `SIDE` whole pixels are averaged first: much faster, as good
WHITE = (255, 255, 255)
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Pillow gives the memory of every picture back to the system, which must clear it for the next
# one: for large ones that takes as long as the decoding. These stay, at most 64 MB of them.
_imaging.set_blocks_max(4)
# The classes themselves: Pillow's general door would guess the format again, and warn.
OPENERS: dict[str, Callable[[BytesIO], Image.Image]] = {
    "jpeg": JpegImageFile,
    "png": PngImageFile,
    "gif": GifImageFile,
    "webp": WebPImageFile,
    "avif": AvifImageFile,
    "bmp": BmpImageFile,
}


def make_small(kind: str, plain: bytes, orientation: int) -> Image.Image:
    """Return a picture as a small square in colours."""
    image = OPENERS[kind](BytesIO(plain))
    image.draft(None, (DRAFT, DRAFT))
    small = _unfold(image).resize((SIDE, SIDE), Image.Resampling.BILINEAR, reducing_gap=GAP)
    return _finish(small, orientation)


def make_fitting(kind: str, plain: bytes, orientation: int, most: int) -> Image.Image:
    """Return a picture in colours and its own proportions, no side longer than `most`."""
    image = OPENERS[kind](BytesIO(plain))
    share = min(1.0, most / max(image.size))
    width, height = (max(1, round(side * share)) for side in image.size)
    image.draft(None, (width, height))
    fitting = _unfold(image).resize((width, height), Image.Resampling.BILINEAR, reducing_gap=GAP)
    return _finish(fitting, orientation)


def _finish(image: Image.Image, orientation: int) -> Image.Image:
    """Return a picture upright, in colours, on white."""
    if image.mode == "RGBA":
        ground = Image.new("RGB", image.size, WHITE)
        ground.paste(image, mask=image.getchannel("A"))
        image = ground
    elif image.mode != "RGB":
        image = image.convert("RGB")
    return image.transpose(UPRIGHT[orientation]) if orientation in UPRIGHT else image


def _unfold(image: Image.Image) -> Image.Image:
    """Return a picture whose pixels can be averaged: no palette, no bits, no wide numbers."""
    image.load()
    mode = image.mode
    if mode[0] in "IF":  # 16 or 32 bits
        return _narrow(image)
    if "transparency" in image.info or mode in ("LA", "PA"):
        return image.convert("RGBA")
    return image if mode in ("RGB", "L", "RGBA", "CMYK", "YCbCr") else image.convert("RGB")


def _narrow(image: Image.Image) -> Image.Image:
    """Return the upper eight of sixteen bits; numbers of other kinds from darkest to lightest."""
    values = np.asarray(image)
    if image.mode == "F":
        values = np.nan_to_num(values)
        low, high = float(values.min()), float(values.max())
        values = (values - low) * (65535.0 / max(high - low, 1e-9))
    grey = (np.clip(values, 0, 65535).astype(np.uint16) >> 8).astype(np.uint8)
    return Image.fromarray(grey)


EMPTY = "empty file"
TRUNCATED = "truncated"
BROKEN = "broken"
NO_PIXELS = "no pixels"
TOO_MANY_BYTES = "too many bytes"
TOO_MANY_PIXELS = "too many pixels"
TOO_MANY_PARTS = "too many parts"
TOO_MANY_SCANS = "too many scans"
NO_MEMORY = "out of memory"

MAX_PARTS = 20_000  # segments, chunks, boxes: a real file of 50 MB has some 6,000
MAX_BLOCKS = 400_000  # of a GIF, each of up to 255 bytes
MAX_RLE_BYTES = 2_000_000  # of a BMP with runs, which Pillow decodes in Python
MAX_METADATA = 1_048_576  # bytes of one piece, after decompression; what is larger is cut


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What a picture may cost."""

    megabytes: Annotated[float, "larger files are not looked into"] = 50.0
    megapixels: Annotated[float, "of a JPEG, which is decoded at a smaller scale"] = 80.0
    megapixels_whole: Annotated[float, "of other formats, which must be decoded whole"] = 40.0
    megapixels_scanned: Annotated[float, "pixels times scans of a progressive JPEG"] = 800.0
