"""Stack the parts of a page from (0, 0): one compiled pass in document order.

In: atomic sections, declared sizes and preferred widths. Out: a rectangle for each run and image.
Every open block has a frame: where its content begins, how far it has come, which floats reach
into it. Blocks go below each other, parts of a row beside each other, text from line to line.

Separators are counted apart from pixels: the *gap* of a part is what all the separators above it
in its column add up to. So the same numbers serve estimated and measured boxes.
"""

from typing import NamedTuple

import numpy as np

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.layout.column_widths import (
    ABOVE,
    ASIDE,
    BAR,
    BLOCK,
    CELL_WIDTH,
    CELL_X,
    CHARACTERS,
    COLUMNS,
    DISPLAY,
    END,
    HEIGHT,
    HOLDER,
    HR,
    PREFERRED,
    ROWSPAN,
    RUN,
    SEEN,
    SIDE,
    TAG,
    WIDTH,
    LayoutNodes,
    Metrics,
    P,
    is_row,
    size_image,
    spread_columns,
)
from blickfang.html.layout.declared_sizes import CLEAR, GRID, LEFT, RIGHT, TABLE, WRAP
from blickfang.html.layout.sections import BR, Floats
from blickfang.html.parse import tags

# Places in the frame of a block; all in pixels of the page.
X, ROOM, TOP, Y, LINE, LINE_START, LINE_STOP, LINE_HEIGHT = range(8)
LEFT_X, LEFT_END, RIGHT_X, RIGHT_END, GAP, PENDING, ROW_X, ROW_END, ROW_GAP = range(8, 17)
LINE_RUN = 17
FIELDS = 18
MIN_WIDTH = 60.0  # text does not flow through a narrower channel
SMALLEST = 10.0


class FlowArrays(NamedTuple):
    """All that the pass reads and writes."""

    nodes: LayoutNodes
    metrics: Metrics
    frames: Floats  # one row a node
    image: Floats  # one row a node: left, top, right, bottom, gap
    section: Floats  # one row a run: the same; left is infinite where nothing stands yet


@filling
def start_line(f: Floats, b: Integer) -> None:
    """Begin a line between the floats, or below them where they leave too little room."""
    x, stop = f[b, X], f[b, X] + f[b, ROOM]
    left = f[b, LEFT_X] if f[b, Y] < f[b, LEFT_END] else x
    right = f[b, RIGHT_X] if f[b, Y] < f[b, RIGHT_END] else stop
    if right - left < min(MIN_WIDTH, f[b, ROOM]):
        f[b, Y] = max(f[b, Y], f[b, LEFT_END], f[b, RIGHT_END])
        left, right = x, stop
    f[b, LINE] = f[b, LINE_START] = left
    f[b, LINE_STOP] = right
    f[b, LINE_HEIGHT] = 0


@filling
def end_line(f: Floats, b: Integer) -> None:
    """Go below the line, if something stands in it."""
    f[b, Y] += f[b, LINE_HEIGHT]
    start_line(f, b)


@inlined
def add_content(page: FlowArrays, b: Integer) -> None:
    """Count the separators above what comes now."""
    f = page.frames
    f[b, GAP] += f[b, PENDING]
    f[b, PENDING] = 0


@inlined
def mark(page: FlowArrays, r: Integer, b: Integer, width: float, height: float) -> None:
    """Let the rectangle of a section grow by a piece of a line."""
    box, f = page.section, page.frames
    if np.isinf(box[r, 0]):
        box[r, 1] = f[b, Y]
        box[r, 4] = f[b, GAP]
    box[r, 0] = min(box[r, 0], f[b, LINE])
    box[r, 2] = max(box[r, 2], f[b, LINE] + width)
    box[r, 3] = max(box[r, 3], f[b, Y] + height)


@inlined
def put_text(page: FlowArrays, k: Integer, b: Integer) -> None:
    """Let a text flow from line to line."""
    f, metrics = page.frames, page.metrics
    scale = metrics.scale[page.nodes.facts[b, TAG]]
    need = page.nodes.facts[k, CHARACTERS] * metrics.char_width * scale
    height = metrics.char_height * scale
    while need > 0:
        if f[b, LINE] >= f[b, LINE_STOP]:
            end_line(f, b)
        used = min(need, f[b, LINE_STOP] - f[b, LINE])
        mark(page, page.nodes.facts[k, RUN], b, used, height)
        f[b, LINE] += used
        f[b, LINE_HEIGHT] = max(f[b, LINE_HEIGHT], height)
        need -= used


@filling
def find_side(f: Floats, b: Integer, width: float, side: Integer) -> tuple[float, float]:
    """Return where a float goes: beside those that are there, or below where it does not fit."""
    y = f[b, Y]
    left = f[b, LEFT_X] if y < f[b, LEFT_END] else f[b, X]
    right = f[b, RIGHT_X] if y < f[b, RIGHT_END] else f[b, X] + f[b, ROOM]
    if left + width > right + 1:
        y = max(y, f[b, LEFT_END], f[b, RIGHT_END])
        left, right = f[b, X], f[b, X] + f[b, ROOM]
    return (left if side == LEFT else max(right - width, f[b, X])), y


@filling
def keep_side(f: Floats, b: Integer, x: float, end: float, side: Integer) -> None:
    """Let what comes flow around a float whose inner edge is x and that ends at a height."""
    if side == LEFT:
        f[b, LEFT_X] = x
        f[b, LEFT_END] = max(f[b, LEFT_END], end)
    else:
        f[b, RIGHT_X] = x
        f[b, RIGHT_END] = max(f[b, RIGHT_END], end)
    if f[b, LINE] == f[b, LINE_START]:
        start_line(f, b)


@inlined
def put_image(page: FlowArrays, k: Integer, b: Integer) -> None:
    """Place an image in the line, or at the side."""
    f, box, side = page.frames, page.image, np.int64(page.nodes.facts[k, SIDE])
    width, height = size_image(page.nodes.sizes, k, page.metrics, f[b, ROOM])
    x, y = f[b, LINE], f[b, Y]
    if page.nodes.facts[k, BAR]:
        end_line(f, b)
        x, y = f[b, X], f[b, Y]
        f[b, Y] += height
        f[b, GAP] += page.metrics.bar
        start_line(f, b)
    elif side:
        x, y = find_side(f, b, width, side)
        keep_side(f, b, x + width if side == LEFT else x, y + height, side)
    elif not page.nodes.facts[k, ASIDE]:
        if x + width > f[b, LINE_STOP] and x > f[b, LINE_START]:
            end_line(f, b)
            x, y = f[b, LINE], f[b, Y]
        f[b, LINE] = x + width
        f[b, LINE_HEIGHT] = max(f[b, LINE_HEIGHT], height)
    box[k, 0], box[k, 1], box[k, 2], box[k, 3] = x, y, x + width, y + height
    box[k, 4] = f[b, GAP]


@inlined
def resolve(width: float, room: float, otherwise: float) -> float:
    """Return a declared width in pixels, at most what there is room for."""
    if np.isnan(width):
        return min(otherwise, room)
    return min(room * -width / 100 if width < 0 else width, room)


@inlined
def size_item(page: FlowArrays, k: Integer, p: Integer) -> float:
    """Return the width of a part of a row."""
    f, facts = page.frames, page.nodes.facts
    room, own = f[p, ROOM], page.nodes.sizes[k, PREFERRED]
    if facts[p, DISPLAY] & GRID:
        return float(room / max(facts[p, COLUMNS], 1))
    if not facts[p, DISPLAY] & WRAP:
        own *= min(1.0, room / max(page.nodes.sizes[p, PREFERRED], 1.0))
    return resolve(page.nodes.sizes[k, WIDTH], room, own)


@inlined
def place_block(page: FlowArrays, k: Integer, p: Integer) -> tuple[float, float, float]:
    """Return left edge, top and width of a block in the frame that holds it."""
    f, facts = page.frames, page.nodes.facts
    if not np.isnan(page.nodes.sizes[k, CELL_WIDTH]):
        return f[p, X] + page.nodes.sizes[k, CELL_X], f[p, Y], page.nodes.sizes[k, CELL_WIDTH]
    if is_row(facts, p):
        width = size_item(page, k, p)
        if f[p, ROW_X] + width > f[p, X] + f[p, ROOM] + 1 and f[p, ROW_X] > f[p, X]:
            f[p, Y], f[p, ROW_X] = f[p, ROW_END], f[p, X]
        return f[p, ROW_X], f[p, Y], width
    if facts[k, SIDE]:
        wish = max(page.nodes.sizes[k, PREFERRED], MIN_WIDTH)
        width = resolve(page.nodes.sizes[k, WIDTH], f[p, ROOM], wish)
        x, y = find_side(f, p, width, np.int64(facts[k, SIDE]))
        return x, y, width
    if facts[k, DISPLAY] & CLEAR:
        f[p, Y] = max(f[p, Y], f[p, LEFT_END], f[p, RIGHT_END])
        start_line(f, p)
    room = f[p, LINE_STOP] - f[p, LINE_START]
    return f[p, LINE_START], f[p, Y], resolve(page.nodes.sizes[k, WIDTH], room, room)


@inlined
def open_frame(page: FlowArrays, k: Integer, place: tuple[float, float, float], gap: float) -> None:
    """Make the frame of a block."""
    f = page.frames
    x, y, width = place
    f[k, X], f[k, ROOM], f[k, TOP], f[k, Y] = x, max(width, SMALLEST), y, y
    f[k, LEFT_END] = f[k, RIGHT_END] = f[k, ROW_END] = y
    f[k, GAP] = f[k, ROW_GAP] = gap
    f[k, ROW_X], f[k, LINE_RUN], f[k, PENDING] = x, -1, 0
    if page.nodes.facts[k, TAG] == TABLE:
        f[k, ROOM] = max(spread_columns(page.nodes, k, f[k, ROOM]), SMALLEST)
    start_line(f, k)


@inlined
def open_block(page: FlowArrays, k: Integer) -> None:
    """Begin a block where its parent has come to."""
    f, tag = page.frames, page.nodes.facts[k, TAG]
    p = np.int64(page.nodes.facts[k, ABOVE])
    end_line(f, p)
    f[p, LINE_RUN] = -1
    open_frame(page, k, place_block(page, k, p), f[p, GAP])
    f[k, PENDING] = max(f[p, PENDING], 0.0 if tag == HR else page.metrics.weight[tag])


@inlined
def finish_frame(page: FlowArrays, k: Integer) -> float:
    """Return how far down a block reaches; floats hang out of paragraphs, others hold them."""
    f, tag = page.frames, page.nodes.facts[k, TAG]
    end_line(f, k)
    f[k, Y] = max(f[k, Y], f[k, ROW_END])
    f[k, GAP] = max(f[k, GAP], f[k, ROW_GAP])
    if tag != P:
        f[k, Y] = max(f[k, Y], f[k, LEFT_END], f[k, RIGHT_END])
    if tag == HR:
        f[k, Y] += page.metrics.char_height
        f[k, GAP] += page.metrics.weight[HR]
        return float(f[k, Y])
    f[k, PENDING] = max(f[k, PENDING], page.metrics.weight[tag])
    if page.nodes.sizes[k, HEIGHT] > 0 and page.nodes.facts[k, SEEN]:
        return float(max(f[k, Y], f[k, TOP] + page.nodes.sizes[k, HEIGHT]))
    return float(f[k, Y])


@inlined
def close_block(page: FlowArrays, k: Integer) -> Integer:
    """End a block, let its parent go on behind it; return the parent."""
    f, side = page.frames, np.int64(page.nodes.facts[k, SIDE])
    p = np.int64(page.nodes.facts[k, ABOVE])
    bottom = finish_frame(page, k)
    beside = is_row(page.nodes.facts, p)
    if beside or not np.isnan(page.nodes.sizes[k, CELL_WIDTH]):
        if page.nodes.facts[k, ROWSPAN] > 1:  # reaches into the rows below
            above = np.int64(page.nodes.facts[p, ABOVE])
            f[above, ROW_END] = max(f[above, ROW_END], bottom)
        else:
            f[p, ROW_END] = max(f[p, ROW_END], bottom)
        f[p, ROW_GAP] = max(f[p, ROW_GAP], f[k, GAP])
        f[p, ROW_X] = f[k, X] + f[k, ROOM]
    elif side:
        inner = f[k, X] + f[k, ROOM] if side == LEFT else f[k, X]
        keep_side(f, p, inner, bottom, side)
    else:
        f[p, Y], f[p, GAP], f[p, PENDING] = bottom, f[k, GAP], f[k, PENDING]
        if f[k, LEFT_END] > bottom:
            keep_side(f, p, f[k, LEFT_X], f[k, LEFT_END], np.int64(LEFT))
        if f[k, RIGHT_END] > bottom:
            keep_side(f, p, f[k, RIGHT_X], f[k, RIGHT_END], np.int64(RIGHT))
        start_line(f, p)
    return p


@inlined
def enter_run(page: FlowArrays, k: Integer, b: Integer) -> None:
    """Begin a new line with a new run; in a row it is a part of its own."""
    f, r = page.frames, page.nodes.facts[k, RUN]
    if f[b, LINE_RUN] != r:
        end_line(f, b)
        f[b, LINE_RUN] = r
        if is_row(page.nodes.facts, b):
            f[b, LINE] = f[b, LINE_START] = min(f[b, ROW_X], f[b, LINE_STOP] - SMALLEST)
    add_content(page, b)


@inlined
def put_inline(page: FlowArrays, k: Integer) -> None:
    """Place what stands in a line."""
    f, tag = page.frames, page.nodes.facts[k, TAG]
    b = np.int64(page.nodes.facts[k, HOLDER])
    if page.nodes.facts[k, RUN] >= 0:
        enter_run(page, k, b)
        if tag == tags.TEXT:
            put_text(page, k, b)
        else:
            put_image(page, k, b)
        if is_row(page.nodes.facts, b):
            f[b, ROW_X] = max(f[b, ROW_X], f[b, LINE])
    elif page.nodes.facts[k, BAR]:
        put_image(page, k, b)
    elif tag == BR:
        f[b, LINE_HEIGHT] = max(f[b, LINE_HEIGHT], page.metrics.char_height)
        end_line(f, b)
    else:
        f[b, PENDING] = max(f[b, PENDING], page.metrics.weight[tag])


@filling
def stack(page: FlowArrays) -> None:
    """Place all runs and images of a page."""
    facts = page.nodes.facts
    open_frame(page, np.int64(0), (0.0, 0.0, page.metrics.page_width), 0.0)
    top: Integer = np.int64(0)
    for k in range(1, len(facts)):
        while k >= facts[top, END]:
            top = close_block(page, top)
        if facts[k, BLOCK]:
            open_block(page, k)
            top = np.int64(k)
        else:
            put_inline(page, k)
    # What is still open holds nothing that has to be placed.
