"""A perceptual hash: 64 bits that stay nearly the same when a picture is scaled or compressed.

In: a small grey picture. Out: a whole number. The classic one: the 8 × 8 lowest frequencies of the
discrete cosine transform, each a bit: above their median or not. Frequencies are rounded first, so
that a plain picture has plain bits instead of those of rounding errors.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blickfang.page.picture.small import SIDE

KEPT = 8  # frequencies in each direction
STEP = 4.0  # what frequencies are rounded to: an eighth of a grey level's wave


def _make_waves() -> NDArray[np.float64]:
    """Return the lowest cosines, one a row."""
    at = np.pi * (2 * np.arange(SIDE) + 1) / (2 * SIDE)
    waves: NDArray[np.float64] = np.sqrt(2 / SIDE) * np.cos(np.outer(np.arange(KEPT), at))
    waves[0] *= np.sqrt(0.5)
    return waves


WAVES = _make_waves()


def make_phash(grey: Image.Image) -> int:
    """Return the perceptual hash of a grey picture."""
    parts = np.rint((WAVES @ np.asarray(grey, np.float64) @ WAVES.T) / STEP).ravel()
    middle = np.partition(parts, (31, 32))[31:33].mean()
    return int(np.packbits(parts > middle).view(">u8")[0])
