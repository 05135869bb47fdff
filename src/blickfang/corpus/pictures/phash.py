"""A perceptual hash: 64 bits that stay nearly the same when a picture is scaled or compressed.

In: a grey picture of 32 × 32 pixels. Out: a whole number. The classic one: the 8 × 8 lowest
frequencies of the discrete cosine transform, each a bit: above their median or not. Frequencies
are rounded first, so that a plain picture has plain bits instead of those of rounding errors.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blickfang.corpus.pictures.decode_picture import SIDE
from blickfang.corpus.pictures.visual_features import SHAPES
from blickfang.types import Picture

HALF = SIDE // 2
KEPT = 8  # frequencies in each direction
STEP = 2.0  # what frequencies are rounded to: an eighth of a grey level's wave


def _make_waves() -> NDArray[np.float64]:
    """Return the lowest cosines, one a row."""
    at = np.pi * (2 * np.arange(HALF) + 1) / (2 * HALF)
    waves: NDArray[np.float64] = np.sqrt(2 / HALF) * np.cos(np.outer(np.arange(KEPT), at))
    waves[0] *= np.sqrt(0.5)
    return waves


WAVES = _make_waves()


def make_phash(half: Image.Image) -> int:
    """Return the perceptual hash of a grey picture."""
    parts = np.rint(WAVES @ np.asarray(half, np.float64) @ WAVES.T / STEP).ravel()
    low, high = np.sort(parts)[31:33]
    return int.from_bytes(np.packbits(parts > (low + high) / 2).tobytes())


MAX_OTHER_BITS = 10  # of 64
FEW_BITS = 5
MAX_STRETCH = 1.06  # by which one may be wider for its height
MAX_SHAPE = 0.1  # distance of edges and texture
MAX_SHAPE_TINY = 0.2  # of a thumbnail, which has lost them
TINY = 100  # pixels of its longer side
MAX_COLOUR = 0.05  # distance of colours
MAX_COLOUR_FEW_BITS = 0.17


def are_near_equal(a: Picture, b: Picture) -> bool:
    """Say whether two pictures show the same but for scale, compression, light or a margin."""
    if a.sha256 == b.sha256:
        return True
    bits = count_other_bits(a.phash, b.phash)
    if bits > MAX_OTHER_BITS:
        return False
    stretch = (a.width * b.height) / (b.width * a.height)
    if not 1 / MAX_STRETCH <= stretch <= MAX_STRETCH:
        return False
    difference = a.looks - b.looks
    shape = float(np.linalg.norm(difference[SHAPES]))
    colour = float(np.linalg.norm(difference[: SHAPES.start]))
    few = bits <= FEW_BITS
    tiny = few and min(max(a.width, a.height), max(b.width, b.height)) < TINY
    return shape <= (MAX_SHAPE_TINY if tiny else MAX_SHAPE) and colour <= (
        MAX_COLOUR_FEW_BITS if few else MAX_COLOUR
    )


def count_other_bits(a: int, b: int) -> int:
    """Return in how many bits two perceptual hashes differ."""
    return (a ^ b).bit_count()
