"""What the elements of a page say of their own size and place.

In: a `Tree`. Out: `Declared`: for each node its width, height, side and display, as attributes
(`width`, `height`, `align`, `colspan`, `rowspan`) and the `style` attribute state them. Style
sheets are not read: who needs them measures the page in a browser, `browser_layout.py`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.parse import tags
from blickfang.html.parse.class_marks import hash_value
from blickfang.html.parse.tags import ATTRIBUTES, TAGS, hash_name
from blickfang.html.parse.tree import Tree

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Span = tuple[Integer, Integer]

WIDTH, HEIGHT = range(2)  # columns of lengths
SIDE, DISPLAY, COLUMNS, COLSPAN, ROWSPAN = range(5)  # columns of marks; COLUMNS: 0 is not said
LEFT, RIGHT = 1, 2  # sides
BLOCKED, FLEX, COLUMN, WRAP, GRID, CLEAR = (1 << k for k in range(6))  # bits of display
MAX_SPAN = 200  # columns of a table that are told apart
MAX_PX = 1e5  # no page is larger; what says so is a mistake

WIDTH_NAME, HEIGHT_NAME, STYLE_NAME, ALIGN_NAME, COLSPAN_NAME, ROWSPAN_NAME = (
    ATTRIBUTES[name] for name in ("width", "height", "style", "align", "colspan", "rowspan")
)
CSS_WIDTH, CSS_HEIGHT, CSS_MAX_WIDTH, CSS_FLOAT, CSS_DISPLAY, CSS_CLEAR, CSS_DIRECTION = (
    np.uint64(hash_name(name))
    for name in ("width", "height", "max-width", "float", "display", "clear", "flex-direction")
)
CSS_WRAP, CSS_FLOW, CSS_COLUMNS = (
    np.uint64(hash_name(name)) for name in ("flex-wrap", "flex-flow", "grid-template-columns")
)
SAYS_LEFT, SAYS_RIGHT, SAYS_NONE, SAYS_COLUMN, SAYS_REVERSE, SAYS_WRAP = (
    np.uint64(hash_name(name))
    for name in ("left", "right", "none", "column", "column-reverse", "wrap")
)
SAYS_FLEX, SAYS_INLINE_FLEX, SAYS_GRID, SAYS_BLOCK = (
    np.uint64(hash_name(name)) for name in ("flex", "inline-flex", "grid", "block")
)
IMG, TABLE, IFRAME = TAGS["img"], TAGS["table"], TAGS["iframe"]
BLANK, SEMICOLON, COLON, COMMA, PERCENT, DOT, BANG, OPEN, CLOSE = b" ;:,%.!()"


class Declared(NamedTuple):
    """For each node what it says of itself; few arrays, because kernels pass them on and on."""

    lengths: Floats  # one row a node: WIDTH, HEIGHT; below 0: per cent; NaN: says nothing
    marks: Ints  # one row a node: SIDE, DISPLAY, COLUMNS, COLSPAN, ROWSPAN


class PageAttributes(NamedTuple):
    """The attributes of a page."""

    name: Bytes
    spans: Ints


@filling
def read_length(data: Bytes, start: Integer, end: Integer) -> float:
    """Return a length: pixels, per cent below 0, NaN for anything else."""
    i = start
    while i < end and data[np.uint64(i)] <= BLANK:
        i += 1
    value, step, digits = 0.0, 1.0, 0
    dotted = False
    while i < end:
        byte = data[np.uint64(i)]
        if byte == DOT and not dotted:
            dotted = True
        elif 0x30 <= byte <= 0x39:
            digits += 1
            if dotted:
                step /= 10
                value += (byte - 0x30) * step
            else:
                value = min(value * 10 + (byte - 0x30), MAX_PX)
        else:
            break
        i += 1
    if digits == 0:
        return np.nan
    unit = np.uint64(0) if i >= end or data[np.uint64(i)] <= BLANK else np.uint64(data[i])
    if unit == PERCENT:
        return -min(max(value, 1.0), 100.0)
    pixels = unit == 0 or unit == BANG or ((unit | np.uint64(32)) == 0x70 and is_px(data, i, end))
    return value if pixels else np.nan


@inlined
def is_px(data: Bytes, i: Integer, end: Integer) -> bool:
    """Whether px stands here, and not pt or pc."""
    return bool(i + 1 < end and (data[np.uint64(i + 1)] | 32) == 0x78)


@inlined
def find_byte(data: Bytes, i: Integer, end: Integer, wanted: int) -> Integer:
    """Return the next place of a byte, or the end."""
    while i < end and data[np.uint64(i)] != wanted:
        i += 1
    return i


@filling
def trim(data: Bytes, start: Integer, end: Integer) -> Span:
    """Return a span without the blanks at its ends and without !important."""
    while start < end and data[np.uint64(start)] <= BLANK:
        start += 1
    end = find_byte(data, start, end, BANG)
    while start < end and data[np.uint64(end - 1)] <= BLANK:
        end -= 1
    return start, end


@filling
def count_tracks(data: Bytes, start: Integer, end: Integer) -> int:
    """Return how many columns a grid template names; repeat(3, 1fr) names three."""
    if end - start > 7 and data[np.uint64(start + 6)] == OPEN:  # repeat(
        count = read_length(data, start + 7, find_byte(data, start, end, COMMA))
        return 0 if np.isnan(count) else int(min(abs(count), MAX_SPAN))
    tracks = depth = 0
    before = np.uint8(BLANK)
    for k in range(start, end):
        byte = data[np.uint64(k)]
        if depth == 0 and byte > BLANK and before <= BLANK:
            tracks += 1
        depth += 1 if byte == OPEN else -1 if byte == CLOSE else 0
        before = byte
    return min(tracks, MAX_SPAN)


@inlined
def read_display(value: np.uint64) -> int:
    """Return the bits of an element whose display is given."""
    if value == SAYS_FLEX or value == SAYS_INLINE_FLEX:  # noqa: SIM109 -- faster than a tuple
        return BLOCKED | FLEX
    if value == SAYS_GRID:
        return BLOCKED | GRID
    return BLOCKED if value == SAYS_BLOCK else 0


@inlined
def read_side(value: np.uint64) -> int:
    """Return the side that a value names."""
    return LEFT if value == SAYS_LEFT else RIGHT if value == SAYS_RIGHT else 0


@inlined
def set_flow(found: Declared, k: Integer, name: np.uint64, value: np.uint64) -> None:
    """Write down one declaration of how things flow."""
    if name == CSS_FLOAT:
        found.marks[k, SIDE] = read_side(value)
    elif name == CSS_DISPLAY:
        found.marks[k, DISPLAY] |= read_display(value)
    elif name == CSS_CLEAR:
        found.marks[k, DISPLAY] |= CLEAR if value != SAYS_NONE else 0
    elif name == CSS_DIRECTION or name == CSS_FLOW or name == CSS_WRAP:  # noqa: SIM109
        if value == SAYS_COLUMN or value == SAYS_REVERSE:  # noqa: SIM109
            found.marks[k, DISPLAY] |= COLUMN
        elif value == SAYS_WRAP:
            found.marks[k, DISPLAY] |= WRAP


@inlined
def set_style(data: Bytes, found: Declared, k: Integer, name: np.uint64, span: Span) -> None:
    """Write down one declaration of a style."""
    start, end = span
    if name == CSS_WIDTH:
        width = read_length(data, start, end)
        found.lengths[k, WIDTH] = found.lengths[k, WIDTH] if np.isnan(width) else width
    elif name == CSS_MAX_WIDTH:
        if np.isnan(found.lengths[k, WIDTH]) and read_length(data, start, end) > 0:
            found.lengths[k, WIDTH] = read_length(data, start, end)
    elif name == CSS_HEIGHT:
        height = read_length(data, start, end)
        found.lengths[k, HEIGHT] = height if height >= 0 else found.lengths[k, HEIGHT]
    elif name == CSS_COLUMNS:
        found.marks[k, COLUMNS] = count_tracks(data, start, end)
    else:
        set_flow(found, k, name, hash_value(data, start, end))


@inlined
def read_style(data: Bytes, found: Declared, k: Integer, span: Span) -> None:
    """Write down the declarations of a style attribute."""
    start, end = span
    while start < end:
        stop = find_byte(data, start, end, SEMICOLON)
        colon = find_byte(data, start, stop, COLON)
        if colon < stop:
            name_start, name_end = trim(data, start, colon)
            name = hash_value(data, name_start, name_end)
            set_style(data, found, k, name, trim(data, colon + 1, stop))
        start = stop + 1


@inlined
def read_span(data: Bytes, start: Integer, end: Integer) -> int:
    """Return how many rows or columns a cell spans."""
    value = read_length(data, start, end)
    return int(min(max(value, 1.0), MAX_SPAN)) if value > 0 else 1


@filling
def read_all(data: Bytes, tag: Bytes, found: Declared, first: Ints, named: PageAttributes) -> None:
    """Write down what the attributes of all nodes declare; a style goes before an attribute."""
    for k in range(len(tag)):
        style = -1
        for row in range(first[k], first[k + 1]):
            name, start, end = named.name[row], named.spans[row, 2], named.spans[row, 3]
            if name == STYLE_NAME:
                style = row
            elif name == WIDTH_NAME:
                found.lengths[k, WIDTH] = read_length(data, start, end)
            elif name == HEIGHT_NAME:
                height = read_length(data, start, end)
                found.lengths[k, HEIGHT] = height if height >= 0 else np.nan
            elif name == COLSPAN_NAME:
                found.marks[k, COLSPAN] = read_span(data, start, end)
            elif name == ROWSPAN_NAME:
                found.marks[k, ROWSPAN] = read_span(data, start, end)
            elif name == ALIGN_NAME and (tag[k] == IMG or tag[k] == TABLE or tag[k] == IFRAME):
                found.marks[k, SIDE] = read_side(hash_value(data, start, end))
        if style >= 0:
            read_style(data, found, k, (named.spans[style, 2], named.spans[style, 3]))


def read_declared(tree: Tree) -> Declared:
    """Return what the elements of a page declare of themselves."""
    n = len(tree.tag)
    found = Declared(np.full((n, 2), np.nan), np.zeros((n, 5), np.int32))
    found.marks[:, COLSPAN:] = 1
    named = PageAttributes(tree.attribute_name, tree.attribute_spans)
    read_all(np.frombuffer(tree.data, np.uint8), tree.tag, found, tree.first_attribute, named)
    return found


def is_block(tree: Tree, declared: Declared) -> NDArray[np.bool_]:
    """Return for each node whether it begins a block: by its name, its style or its side."""
    named = np.not_equal(tags.TRAITS[tree.tag] & np.uint8(tags.BLOCK), 0)
    moved = (declared.marks[:, DISPLAY] & BLOCKED) | declared.marks[:, SIDE]
    movable = tree.tag != IMG  # an image stays in its line, or beside it
    block: NDArray[np.bool_] = (named | ((moved > 0) & movable)) & (tree.tag != tags.TEXT)
    return block
