"""Visual features: what a picture looks like, as numbers that can be compared.

In: a small picture in colours. Out: `LOOKS_LENGTH` numbers of 32 bits, a vector of length 1, so
that Euclidean distance and cosine order pictures in the same way. Five blocks:

| block    | numbers | weight | what                                                             |
|----------|---------|--------|------------------------------------------------------------------|
| colours  | 32      | 1      | share of 12 hues, pale and strong, and of 8 greys                |
| layout   | 48      | 1.3    | mean brightness, blue and red of 4 × 4 cells                     |
| edges    | 80      | 1.7    | strength of edges in 4 × 4 cells by 5 directions                 |
| lines    | 12      | 3      | strength of edges of the whole by 12 directions                  |
| texture  | 20      | 2.5    | local binary patterns, uniform, turned alike, at two scales      |

Shares go in as their square roots: their distance is then Hellinger's, in which a colour that is
new counts more than one that is a little more frequent. The weights make the blocks count alike:
each is about one over the distance of two real pictures in that block. They were not fitted to any
task.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blickfang.page.picture.small import SIDE

Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]

HUES, GREYS = 12, 8
PALE, STRONG, DARK = 0.19, 0.55, 0.16  # saturations; brightness below which there is no hue
BESIDE = 0.1  # share of a colour that counts for one beside it
SHADES = 32  # of red, green and blue, by which colours are looked up
CELLS = 4
DIRECTIONS, FINE = 5, 12
FAINT = 1.5  # strength that every direction has anyway: noise of plain areas is no edge
CONTRAST = 4  # grey levels by which a neighbour must be lighter to count
PATTERN_KINDS = 10
COLOURS = 2 * HUES + GREYS
LOOKS_LENGTH = COLOURS + (3 + DIRECTIONS) * CELLS**2 + FINE + 2 * PATTERN_KINDS
SHAPES = slice(COLOURS + 3 * CELLS**2, LOOKS_LENGTH)  # the last three blocks
WEIGHTS = {"colours": 1.0, "layout": 1.3, "edges": 1.7, "lines": 3.0, "texture": 2.5}


def _name_colours() -> Bytes:
    """Return the number of every colour, by its shades of red, green and blue."""
    shade = (np.arange(SHADES) + 0.5) / SHADES
    red, green, blue = (part.ravel() for part in np.meshgrid(shade, shade, shade, indexing="ij"))
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    wide = np.where(spread == 0, 1.0, spread)
    turn = np.where(value == green, 2 + (blue - red) / wide, 4 + (red - green) / wide)
    turn = np.where(value == red, (green - blue) / wide % 6, turn)
    saturation = spread / value
    hue = np.floor(turn * HUES / 6).astype(np.int64) % HUES
    coloured = hue * 2 + (saturation >= STRONG)
    is_grey = (saturation < PALE) | (value < DARK)
    return np.where(is_grey, 2 * HUES + (value * GREYS).astype(np.int64), coloured).astype(np.uint8)


def _blend_colours() -> Doubles:
    """Return how much of each colour counts for which: some for its neighbours, too.

    Else a little more light would make another picture.
    """
    blend = np.zeros((COLOURS, COLOURS))
    for hue in range(HUES):
        for other in (hue - 1, hue + 1):
            for strong in (0, 1):
                blend[2 * hue + strong, other % HUES * 2 + strong] = BESIDE
        blend[2 * hue, 2 * hue + 1] = blend[2 * hue + 1, 2 * hue] = BESIDE
    for grey in range(2 * HUES, COLOURS - 1):
        blend[grey, grey + 1] = blend[grey + 1, grey] = 2 * BESIDE
    np.fill_diagonal(blend, 1 - blend.sum(axis=1))
    return blend


def _number_cells() -> Bytes:
    """Return the number of the cell of every pixel, without the first and the last row."""
    band = np.arange(SIDE) * CELLS // SIDE
    return (band[:, None] * CELLS + band)[1:-1].ravel().astype(np.uint8)


def _name_directions(count: int) -> Bytes:
    """Return the direction of every pair of differences, from -255 to 255, without its sense."""
    step = np.arange(-255, 256)
    angle = np.arctan2(step[:, None], step)  # rows: downwards, columns: to the right
    return (np.floor(angle / np.pi * count + 0.5).astype(np.int64) % count).ravel().astype(np.uint8)


def _name_patterns() -> Bytes:
    """Return the kind of every pattern of 8 neighbours: how many are lighter, or 9: uneven."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    turns = np.sum(bits != np.roll(bits, 1, axis=1), axis=1)
    return np.where(turns <= 2, bits.sum(axis=1), PATTERN_KINDS - 1).astype(np.uint8)


COLOUR, BLEND = _name_colours(), _blend_colours()
CELL = _number_cells() * np.uint8(DIRECTIONS)
INSIDE = np.tile(np.r_[np.float32(0), np.ones(SIDE - 2, np.float32), np.float32(0)], SIDE - 2)
COARSE_DIRECTION, FINE_DIRECTION = _name_directions(DIRECTIONS), _name_directions(FINE)
PATTERN = _name_patterns()


def make_looks(small: Image.Image, grey: Image.Image) -> NDArray[np.float32]:
    """Return the features of a small picture, given in colours and in grey."""
    blocks = {"colours": _count_colours(small), "layout": _lay_out(small)}
    blocks["edges"], blocks["lines"] = _measure_edges(np.asarray(grey))
    near, far = _count_patterns(np.asarray(grey)), _count_patterns(np.asarray(grey.reduce(2)))
    blocks["texture"] = np.concatenate((near, far)) * np.sqrt(0.5)
    looks = np.concatenate([WEIGHTS[name] * block for name, block in blocks.items()])
    unit: NDArray[np.float32] = (looks / np.sqrt(looks @ looks)).astype(np.float32)
    return unit


def _root(counts: NDArray[np.int64] | Doubles) -> Doubles:
    """Return square roots of shares."""
    roots: Doubles = np.sqrt(counts / counts.sum())
    return roots


def _count_colours(small: Image.Image) -> Doubles:
    """Return how much of a picture has which colour."""
    shades = (np.asarray(small).reshape(-1, 3) >> 3).astype(np.uint16)
    number = shades[:, 0] * (SHADES * SHADES) + shades[:, 1] * SHADES + shades[:, 2]
    return _root(np.bincount(COLOUR.take(number), minlength=COLOURS) @ BLEND)


def _lay_out(small: Image.Image) -> Doubles:
    """Return the mean colours of the cells, around zero."""
    cells = np.asarray(small.reduce(SIDE // CELLS).convert("YCbCr"))
    colours: Doubles = (cells.ravel() / 255.0 - 0.5) / np.sqrt(CELLS)
    return colours


def _measure_edges(grey: Bytes) -> tuple[Doubles, Doubles]:
    """Return the strengths of edges by direction, cell by cell and all together.

    The picture is one long row here: at its sides pixels meet those of the next row, and do not
    count. It is four times as fast.
    """
    row = grey.ravel().astype(np.int32)
    right = row[SIDE + 1 : SIDE * (SIDE - 1) + 1] - row[SIDE - 1 : SIDE * (SIDE - 1) - 1]
    down = row[2 * SIDE :] - row[: -2 * SIDE]
    strength = np.sqrt((right * right + down * down).astype(np.float32)) * INSIDE
    pair = down * 511 + right + (255 * 511 + 255)
    edges = np.bincount(CELL + COARSE_DIRECTION[pair], strength, CELLS**2 * DIRECTIONS)
    lines = np.bincount(FINE_DIRECTION[pair], strength, FINE)
    faint = FAINT * strength.size
    return _root(edges + faint / edges.size), _root(lines + faint / lines.size)


def _count_patterns(grey: Bytes) -> Doubles:
    """Return how often each kind of neighbourhood occurs."""
    side = len(grey)
    row = grey.ravel()
    first, last = side + 1, row.size - side - 1
    centre = np.minimum(row[first:last], 255 - CONTRAST) + np.uint8(CONTRAST)
    code = np.zeros(row.size - 2 * side, np.uint8)
    around = (-side - 1, -side, -side + 1, 1, side + 1, side, side - 1, -1)
    for bit, step in enumerate(around):
        lighter = row[first + step : last + step] > centre
        code[1:-1] |= lighter.view(np.uint8) << np.uint8(bit)
    kinds = PATTERN[code.reshape(-1, side)[:, 1:-1]]
    return _root(np.bincount(kinds.ravel(), minlength=PATTERN_KINDS))
