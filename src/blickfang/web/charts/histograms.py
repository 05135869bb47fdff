"""Upright bars over a number: histograms, and shares of several kinds over time.

In: the edges of bins and the counts in them. Out: a `Figure`; also the sparkline, a curve as
small as a word.
"""

import itertools
from collections.abc import Mapping, Sequence

from blickfang.web.charts.axes import (
    EDGE,
    Show,
    colour_of,
    dash_of,
    draw_x,
    draw_y,
    make_head,
    room_for_y,
    say_empty,
)
from blickfang.web.charts.scales import Scale, make_scale, usable, write_value
from blickfang.web.charts.shapes import Area, Dot, Figure, Shape, Stroke, box


def histogram(
    edges: Sequence[float],
    counts: Mapping[str, Sequence[float]],
    *,
    title: str,
    x: str = "",
    y: str = "",
    description: str = "",
    log_x: bool = False,
    stacked: bool = False,
    show_y: Show = None,
    size: tuple[float, float] = (720, 360),
) -> Figure:
    """Draw counts between edges: one name as bars, several as outlines, or stacked."""
    width, height = size
    piled = stacked or len(counts) == 1
    head = make_head(title, list(counts), width, sign="box" if piled else "line")
    top, bottom = head.bottom + (26 if y else 8), height - (48 if x else 30)
    if stacked:
        tops = [sum(map(_drawn, bin_counts)) for bin_counts in zip(*counts.values(), strict=True)]
    else:
        tops = [_drawn(count) for values in counts.values() for count in values]
    heights = make_scale(tops, bottom, top, zero=True)
    left = room_for_y(heights, show_y)
    level = make_scale(edges, left, width - EDGE - 8, log=log_x)
    shapes: list[Shape] = [*head.shapes, *draw_y(heights, left, level.end, y, show_y)]
    if len(edges) < 2 or not any(tops):
        shapes.append(say_empty(width, top + bottom))
    elif piled:
        shapes += _pile(edges, counts, level, heights)
    else:
        shapes += _outline(edges, counts, level, heights)
    shapes += draw_x(level, bottom, x)
    text = description or f"{y or 'count'} over {x or 'value'}: {', '.join(counts)}"
    return Figure(width, height, title, text, tuple(shapes))


def _drawn(count: float) -> float:
    return max(count, 0.0) if usable(count) else 0.0


def _pile(
    edges: Sequence[float], counts: Mapping[str, Sequence[float]], level: Scale, heights: Scale
) -> list[Shape]:
    shapes: list[Shape] = []
    for at, (low, high) in enumerate(itertools.pairwise(edges)):
        if not (usable(low, level.log) and usable(high, level.log)):
            continue
        left, right, total = level.place(low), level.place(high), 0.0
        gap = 1.0 if right - left > 4 else 0.0
        for number, (name, values) in enumerate(counts.items()):
            count = _drawn(values[at]) if at < len(values) else 0.0
            if not count:
                continue
            corners = box(left, heights.place(total + count), right - gap, heights.place(total))
            total += count
            hint = f"{name} {write_value(low)}–{write_value(high)}: {write_value(count)}"
            shapes.append(Area(corners, colour_of(number), 1.0, hint.strip()))
    return shapes


def _outline(
    edges: Sequence[float], counts: Mapping[str, Sequence[float]], level: Scale, heights: Scale
) -> list[Shape]:
    shapes: list[Shape] = []
    for number, values in enumerate(counts.values()):
        points = []
        for low, high, count in zip(edges[:-1], edges[1:], values, strict=False):
            if usable(low, level.log) and usable(high, level.log):
                y = heights.place(_drawn(count))
                points += [(level.place(low), y), (level.place(high), y)]
        if points:
            shapes.append(Stroke(tuple(points), colour_of(number), 2, dash_of(number)))
    return shapes


def sparkline(
    values: Sequence[float | None], *, title: str, size: tuple[float, float] = (120, 24)
) -> Figure:
    """Draw a curve as small as a word, without axes, its last point marked."""
    width, height = size
    there = [(at, value) for at, value in enumerate(values) if value is not None and usable(value)]
    level = make_scale([0.0, float(max(len(values) - 1, 1))], 3, width - 4)
    heights = make_scale([value for _, value in there], height - 3, 3)
    points = tuple((level.place(float(at)), heights.place(value)) for at, value in there)
    shapes: list[Shape] = [Stroke(points, "0", 1.5)] if len(points) > 1 else []
    if points:
        shapes.append(Dot(points[-1], 2.2, "0"))
    ends = [value for _, value in (there[:1] + there[-1:])]
    text = " to ".join(map(write_value, ends)) or "no data"
    return Figure(width, height, title, text, tuple(shapes))
