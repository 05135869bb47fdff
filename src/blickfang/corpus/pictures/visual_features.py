"""Visual features: what a picture looks like, as numbers that can be compared.

In: a small picture in colours. Out: `LOOKS_LENGTH` numbers of 32 bits, a vector of length 1, so
that Euclidean distance and cosine order pictures in the same way. Five blocks:

| block    | numbers | weight | what                                                             |
|----------|---------|--------|------------------------------------------------------------------|
| colours  | 32      | 1      | share of 12 hues, pale and strong, and of 8 greys                |
| layout   | 48      | 1.3    | mean brightness, blue and red of 4 × 4 cells                     |
| edges    | 80      | 1.7    | strength of edges in 4 × 4 cells by 5 directions                 |
| lines    | 10      | 3      | strength of edges of the whole by 10 directions                  |
| texture  | 20      | 2.5    | local binary patterns, uniform, turned alike, at two scales      |

Shares go in as their square roots: their distance is then Hellinger's, in which a colour that is
new counts more than one that is a little more frequent. The weights make the blocks count alike:
each is about one over the distance of two real pictures in that block. They were not fitted to any
task.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from blickfang.compute.kernels import filling
from blickfang.corpus.pictures.decode_picture import SIDE

Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]

CONTRAST = 4  # grey levels by which a neighbour must be lighter to count


class LookTables(NamedTuple):
    """What names colours, directions and patterns."""

    colour: Bytes  # by the upper five bits of red, green and blue
    direction: Bytes  # by the differences downwards and to the right, a quarter of them, from -64
    pattern: Bytes  # by which of eight neighbours are lighter


class LookCounts(NamedTuple):
    """What was counted."""

    colours: Doubles
    edges: Doubles  # strengths by cell row, cell column and direction
    patterns: Doubles  # by scale and kind


@filling
def count_looks(
    rgb: Bytes, grey: Bytes, half: Bytes, tables: LookTables, counts: LookCounts
) -> None:
    """Count colours, edges and patterns of a small picture."""
    side, cells = grey.shape[0], counts.edges.shape[0]
    for y in range(side):
        for x in range(side):
            red, green, blue = rgb[y, x, 0] >> 3, rgb[y, x, 1] >> 3, rgb[y, x, 2] >> 3
            counts.colours[tables.colour[red << 10 | green << 5 | blue]] += 1
    for y in range(1, side - 1):
        for x in range(1, side - 1):
            right = np.int64(grey[y, x + 1]) - np.int64(grey[y, x - 1])
            down = np.int64(grey[y + 1, x]) - np.int64(grey[y - 1, x])
            direction = tables.direction[(down >> 2) + 64, (right >> 2) + 64]
            strength = np.sqrt(right * right + down * down)
            counts.edges[y * cells // side, x * cells // side, direction] += strength
    count_patterns(grey, tables.pattern, counts.patterns[0])
    count_patterns(half, tables.pattern, counts.patterns[1])


@filling
def count_patterns(grey: Bytes, names: Bytes, counts: Doubles) -> None:
    """Count which of a pixel's neighbours are lighter, by the name of the pattern they form."""
    side = grey.shape[0]
    for y in range(1, side - 1):
        for x in range(1, side - 1):
            least = np.int64(grey[y, x]) + CONTRAST
            code = np.int64(grey[y - 1, x - 1] > least)
            code |= np.int64(grey[y - 1, x] > least) << 1
            code |= np.int64(grey[y - 1, x + 1] > least) << 2
            code |= np.int64(grey[y, x + 1] > least) << 3
            code |= np.int64(grey[y + 1, x + 1] > least) << 4
            code |= np.int64(grey[y + 1, x] > least) << 5
            code |= np.int64(grey[y + 1, x - 1] > least) << 6
            code |= np.int64(grey[y, x - 1] > least) << 7
            counts[names[code]] += 1


HUES, GREYS = 12, 8
PALE, STRONG, DARK = 0.19, 0.55, 0.16  # saturations; brightness below which there is no hue
BESIDE = 0.1  # share of a colour that counts for one beside it
SHADES = 32  # of red, green and blue, by which colours are looked up
CELLS = 4
DIRECTIONS, FINE = 5, 10
FAINT = 1.5  # strength that every direction has anyway: noise of plain areas is no edge
KINDS = 10  # of patterns
COLOURS = 2 * HUES + GREYS
LOOKS_LENGTH = COLOURS + (3 + DIRECTIONS) * CELLS**2 + FINE + 2 * KINDS
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


def _name_directions() -> Bytes:
    """Return the direction of every pair of differences, without its sense."""
    step = np.arange(-64, 64) + 0.5
    angle = np.arctan2(step[:, None], step)  # rows: downwards, columns: to the right
    names: NDArray[np.int64] = np.floor(angle / np.pi * FINE + 0.5).astype(np.int64) % FINE
    return names.astype(np.uint8)


def _name_patterns() -> Bytes:
    """Return the kind of every pattern of 8 neighbours: how many are lighter, or 9: uneven."""
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    turns = np.sum(bits != np.roll(bits, 1, axis=1), axis=1)
    return np.where(turns <= 2, bits.sum(axis=1), KINDS - 1).astype(np.uint8)


TABLES = LookTables(_name_colours(), _name_directions(), _name_patterns())
BLEND = _blend_colours()


def make_looks(small: Image.Image, grey: Image.Image, half: Image.Image) -> NDArray[np.float32]:
    """Return the features of a small picture, given in colours, in grey and at half its size."""
    counts = LookCounts(np.zeros(COLOURS), np.zeros((CELLS, CELLS, FINE)), np.zeros((2, KINDS)))
    count_looks(np.asarray(small), np.asarray(grey), np.asarray(half), TABLES, counts)
    edges = counts.edges.reshape(CELLS**2, DIRECTIONS, FINE // DIRECTIONS).sum(axis=2).ravel()
    lines = counts.edges.sum(axis=(0, 1))
    faint = FAINT * SIDE**2
    texture = counts.patterns / counts.patterns.sum(axis=1, keepdims=True)
    cells = np.asarray(small.reduce(SIDE // CELLS).convert("YCbCr"))
    looks = np.concatenate(
        (
            WEIGHTS["colours"] * _root(counts.colours @ BLEND),
            WEIGHTS["layout"] / np.sqrt(CELLS) * (cells.ravel() / 255.0 - 0.5),
            WEIGHTS["edges"] * _root(edges + faint / edges.size),
            WEIGHTS["lines"] * _root(lines + faint / lines.size),
            WEIGHTS["texture"] * _root(texture.ravel()),
        )
    )
    unit: NDArray[np.float32] = (looks / np.sqrt(looks @ looks)).astype(np.float32)
    return unit


def _root(counts: Doubles) -> Doubles:
    """Return square roots of shares."""
    roots: Doubles = np.sqrt(counts / counts.sum())
    return roots
