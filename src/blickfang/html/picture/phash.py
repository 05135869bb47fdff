"""A perceptual hash: 64 bits that stay nearly the same when a picture is scaled or compressed.

In: a grey picture of 32 × 32 pixels. Out: a whole number. The classic one: the 8 × 8 lowest
frequencies of the discrete cosine transform, each a bit: above their median or not. Frequencies
are rounded first, so that a plain picture has plain bits instead of those of rounding errors.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blickfang.html.picture.small import SIDE

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
