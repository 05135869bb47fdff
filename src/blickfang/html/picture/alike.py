"""Near-equal pictures: the same one, scaled, compressed, trimmed or a little brighter.

In: two pictures. Out: whether they are taken for one. The perceptual hash alone is not enough:
drawings on white, stars on black and windows of a program differ in few of its bits, if in any.
So their proportions must agree, too, then edges and texture, then colours; and colours may differ
more where the hash agrees better, as in a copy that was brightened.
"""

import numpy as np

from blickfang.html.picture.looks import SHAPES
from blickfang.types import Picture

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
