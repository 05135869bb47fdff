"""How wide a block would like to be, and how wide the columns of a table become.

In: the atomic sections of a page and what its elements declare. Out: for each block the width it
takes where nothing forces one on it (a cell, a float, a flexible item), and for each cell its place
in the table, with row and column spans respected.
"""

from typing import NamedTuple

import numpy as np

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.layout.declared_sizes import COLUMN, FLEX, GRID, MAX_SPAN, Declared
from blickfang.html.layout.sections import (
    IMG,
    Floats,
    InlineRuns,
    Ints,
    LayoutOptions,
    SectionInput,
    is_out_of_flow,
)
from blickfang.html.parse.page_arrays import UNSEEN
from blickfang.html.parse.tags import HEADING_NAMES, TAGS

TR, TD, TH, THEAD, TBODY, TFOOT = (
    TAGS[name] for name in ("tr", "td", "th", "thead", "tbody", "tfoot")
)
CODE, HR, P, PRE = (TAGS[name] for name in ("code", "hr", "p", "pre"))
HEADING_SIZES = (2.0, 1.5, 1.17, 1.0, 0.83, 0.67)  # of browsers, in the size of other text
MIN_COLUMN = 10.0

# Columns of the facts and sizes of nodes. Two tables instead of twenty arrays: kernels pass them
# from function to function, and compile in half the time.
TAG, END, BLOCK, HOLDER, ABOVE, RUN, CHARACTERS, BAR, ASIDE, SEEN = range(10)
SIDE, DISPLAY, COLUMNS, COLSPAN, ROWSPAN, CELL_COLUMN = range(10, 16)
WIDTH, HEIGHT, PREFERRED, CELL_X, CELL_WIDTH = range(5)
WANTED, FIXED, BUSY = range(3)


class Metrics(NamedTuple):
    """The settings as kernels read them."""

    page_width: float
    char_width: float
    char_height: float
    image_width: float
    image_height: float
    text_ratio: float
    bar: float
    scale: Floats  # for each tag the size of its text
    weight: Floats  # for each tag the distance that its edge adds


class LayoutNodes(NamedTuple):
    """What is known of each node before the page is stacked."""

    facts: Ints  # TAG and its neighbours; HOLDER is the block that holds a node, ABOVE its parent's
    sizes: Floats  # WIDTH and its neighbours; CELL_WIDTH is NaN where there is no cell
    columns: Floats  # of one table: WANTED, FIXED (declared), BUSY (rows still held from above)


def read_metrics(options: LayoutOptions) -> Metrics:
    """Return the settings as kernels read them."""
    scale, weight = np.ones(256), np.zeros(256)
    for name, size, added in zip(
        HEADING_NAMES, HEADING_SIZES, options.heading_distances, strict=True
    ):
        scale[TAGS[name]], weight[TAGS[name]] = size, added
    weight[[PRE, CODE]] = options.pre_distance
    weight[P], weight[HR] = options.p_distance, options.hr_distance
    return Metrics(
        float(options.page_width),
        options.char_width,
        options.char_height,
        options.image_width,
        options.image_height,
        options.text_ratio,
        options.bar_distance,
        scale,
        weight,
    )


def read_nodes(layout: SectionInput, runs: InlineRuns, declared: Declared) -> LayoutNodes:
    """Return what is known of each node."""
    n = len(layout.tag)
    facts, sizes = np.zeros((n, 16), np.int32), np.zeros((n, 5))
    facts[:, TAG], facts[:, END], facts[:, BLOCK] = layout.tag, layout.end, layout.block
    facts[:, HOLDER], facts[:, ABOVE] = runs.holder, runs.holder[layout.parent]
    facts[:, RUN], facts[:, CHARACTERS] = runs.run, runs.characters
    facts[:, BAR], facts[:, ASIDE] = layout.bar, is_out_of_flow(layout)
    facts[:, SEEN] = layout.flags & np.uint32(UNSEEN) == 0
    facts[:, SIDE : ROWSPAN + 1] = declared.marks
    sizes[:, : HEIGHT + 1], sizes[:, CELL_WIDTH] = declared.lengths, np.nan
    return LayoutNodes(facts, sizes, np.zeros((3, MAX_SPAN)))


@inlined
def is_row(facts: Ints, k: Integer) -> bool:
    """Whether the parts of a block stand side by side."""
    display = facts[k, DISPLAY]
    if display & FLEX:
        return not display & COLUMN
    return bool(facts[k, TAG] == TR or (display & GRID and facts[k, COLUMNS] > 1))


@inlined
def size_image(sizes: Floats, k: Integer, metrics: Metrics, room: float) -> tuple[float, float]:
    """Return width and height of an image: as declared, in proportion, or as unknown ones have."""
    width, height = sizes[k, WIDTH], sizes[k, HEIGHT]
    if width < 0:
        width = room * -width / 100
    if np.isnan(width):
        shape = metrics.image_width / metrics.image_height
        width = metrics.image_width if np.isnan(height) else height * shape
    if np.isnan(height):
        height = width * metrics.image_height / metrics.image_width
    if width > room:
        return room, height * room / width
    return width, height


@inlined
def join(nodes: LayoutNodes, block: Integer, width: float) -> None:
    """Let a part count in the width of its block."""
    own = nodes.sizes[block, PREFERRED]
    beside = is_row(nodes.facts, block)
    nodes.sizes[block, PREFERRED] = own + width if beside else max(own, width)


@filling
def prefer_widths(nodes: LayoutNodes, runs: InlineRuns, metrics: Metrics, images: Floats) -> None:
    """Find out how wide each block would like to be, from the inside outwards.

    `images` is room for how wide the images of each run are together.
    """
    facts, sizes = nodes.facts, nodes.sizes
    for k in range(len(facts)):
        if facts[k, TAG] == IMG and facts[k, RUN] >= 0:
            images[facts[k, RUN]] += size_image(sizes, k, metrics, metrics.page_width)[0]
    area = metrics.char_width * metrics.char_height / metrics.text_ratio
    for r in range(len(runs.owner)):
        owner = runs.owner[r]
        text = np.sqrt(runs.length[r] * area) * metrics.scale[facts[owner, TAG]]
        join(nodes, owner, max(text, images[r]))
    for k in range(len(facts) - 1, 0, -1):
        if facts[k, BLOCK]:
            if sizes[k, WIDTH] > 0:
                sizes[k, PREFERRED] = sizes[k, WIDTH]
            join(nodes, facts[k, ABOVE], sizes[k, PREFERRED])


@inlined
def next_row(facts: Ints, r: Integer, end: Integer) -> Integer:
    """Return the first row of a table from a node on, or the table's end."""
    while r < end and facts[r, TAG] != TR:
        tag = facts[r, TAG]
        inside = tag in (TBODY, THEAD, TFOOT)
        r = r + 1 if inside else np.int64(facts[r, END])
    return r


@inlined
def is_cell(facts: Ints, c: Integer) -> bool:
    """Whether a node is a cell of a table."""
    return bool(facts[c, TAG] == TD or facts[c, TAG] == TH)


@inlined
def place_cell(nodes: LayoutNodes, c: Integer, column: int) -> int:
    """Give a cell its column, and the column its wishes; return the column behind it."""
    facts, sizes, columns = nodes.facts, nodes.sizes, nodes.columns
    while column < MAX_SPAN - 1 and columns[BUSY, column] > 0:
        column += 1
    span = min(facts[c, COLSPAN], MAX_SPAN - column)
    facts[c, CELL_COLUMN] = column
    for j in range(column, column + span):
        columns[BUSY, j] = facts[c, ROWSPAN]
        columns[WANTED, j] = max(columns[WANTED, j], sizes[c, PREFERRED] / span)
        if span == 1 and abs(sizes[c, WIDTH]) > 0:
            columns[FIXED, j] = sizes[c, WIDTH]
    return column + int(span)


@inlined
def read_columns(nodes: LayoutNodes, table: Integer) -> int:
    """Find out which columns a table has and what they want; return how many."""
    facts, columns, count = nodes.facts, nodes.columns, 0
    end = np.int64(facts[table, END])
    r = next_row(facts, table + 1, end)
    while r < end:
        c, column = r + 1, 0
        while c < facts[r, END]:
            if is_cell(facts, c) and column < MAX_SPAN:
                column = place_cell(nodes, c, column)
                count = max(count, column)
            c = np.int64(facts[c, END])
        for j in range(count):
            columns[BUSY, j] = max(columns[BUSY, j] - 1, 0.0)
        r = next_row(facts, np.int64(facts[r, END]), end)
    return count


@inlined
def settle_columns(columns: Floats, count: int, room: float, declared: float) -> float:
    """Give each column its width; return that of the table."""
    total = fixed = loose = 0.0
    outer = room if np.isnan(declared) else min(declared, room)
    for j in range(count):
        own = columns[FIXED, j]
        if own != 0:
            columns[WANTED, j] = own if own > 0 else outer * -own / 100
            fixed += columns[WANTED, j]
        else:
            columns[WANTED, j] = max(columns[WANTED, j], MIN_COLUMN)
            loose += columns[WANTED, j]
        total += columns[WANTED, j]
    if np.isnan(declared):
        outer = min(room, total)
    grow = loose > 0 and outer > fixed
    for j in range(count):
        if not grow:
            columns[WANTED, j] *= outer / max(total, 1.0)
        elif columns[FIXED, j] == 0:
            columns[WANTED, j] *= (outer - fixed) / loose
    return outer


@filling
def spread_columns(nodes: LayoutNodes, table: Integer, room: float) -> float:
    """Give every cell of a table its width, and its place from the table's left; return its own."""
    facts, own = nodes.facts, nodes.sizes[table, WIDTH]
    for j in range(MAX_SPAN):
        nodes.columns[WANTED, j] = nodes.columns[FIXED, j] = nodes.columns[BUSY, j] = 0
    count = read_columns(nodes, table)
    outer = settle_columns(nodes.columns, count, room, room * -own / 100 if own < 0 else own)
    end = np.int64(facts[table, END])
    r = next_row(facts, table + 1, end)
    while r < end:
        c = r + 1
        while c < facts[r, END]:
            if is_cell(facts, c):
                sum_columns(nodes, c)
            c = np.int64(facts[c, END])
        r = next_row(facts, np.int64(facts[r, END]), end)
    return outer


@inlined
def sum_columns(nodes: LayoutNodes, c: Integer) -> None:
    """Write down where a cell stands in its table."""
    first = nodes.facts[c, CELL_COLUMN]
    x = width = 0.0
    for j in range(first):
        x += nodes.columns[WANTED, j]
    for j in range(first, min(first + nodes.facts[c, COLSPAN], MAX_SPAN)):
        width += nodes.columns[WANTED, j]
    nodes.sizes[c, CELL_X], nodes.sizes[c, CELL_WIDTH] = x, width
