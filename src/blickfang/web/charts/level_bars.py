"""Level bars: grouped or stacked, and the funnel, each bar with its number.

In: labels and `Group`s of values. Out: a `Figure` as high as its bars need.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blickfang.web.charts.axes import EDGE, colour_of, draw_x, make_head, say_empty
from blickfang.web.charts.scales import Scale, make_scale, usable, write_value
from blickfang.web.charts.shapes import (
    SMALL,
    TEXT,
    Area,
    Figure,
    Shape,
    Stroke,
    TextLine,
    box,
    shorten,
    text_width,
)

THICK, AIR = 15.0, 9.0


class BarGroup(NamedTuple):
    """One value a label; spread, if given, is drawn as a whisker to both sides."""

    name: str
    values: Sequence[float | None]
    spread: Sequence[float | None] = ()


def bars(
    labels: Sequence[str],
    groups: Sequence[BarGroup],
    *,
    title: str,
    x: str = "",
    description: str = "",
    stacked: bool = False,
    show: Callable[[float], str] = write_value,
    width: float = 720,
    least_height: float = 0,
) -> Figure:
    """Draw level bars, one block a label; `show` writes the numbers; few bars stand wide apart."""
    head = make_head(title, [group.name for group in groups], width)
    names = [shorten(label, width * 0.36) for label in labels]
    left = EDGE + max([text_width(name) for name in names], default=0.0) + 8
    thick = THICK if stacked else THICK * max(len(groups), 1)
    foot = 48 if x else 30
    free = (least_height - head.bottom - 4 - foot) / max(len(labels), 1)
    block = max(thick + AIR, free)
    bottom = head.bottom + 4 + block * len(labels)
    longest = [value for at in range(len(labels)) for value in _reach(groups, at, stacked)]
    texts = [show(value) for value in longest if usable(value)]
    right = width - EDGE - max([text_width(text, SMALL) + 8 for text in texts], default=8.0)
    scale = make_scale(longest, left, right, zero=True)
    shapes: list[Shape] = list(head.shapes)
    if labels:
        shapes += draw_x(scale, bottom, x, None if show is write_value else show, head.bottom)
    for at, name in enumerate(names):
        top = head.bottom + 4 + (block - thick) / 2 + block * at
        shapes.append(TextLine((left - 8, top + thick / 2 + 4), name, side="end"))
        draw = _stack if stacked else _side_by_side
        shapes += draw(groups, at, scale, top, (labels[at], show))
    if not labels:
        shapes.append(say_empty(width, 2 * bottom))
    text = description or _describe(labels, groups, show)
    return Figure(width, bottom + foot, title, text, tuple(shapes))


def _value(group: BarGroup, at: int) -> float | None:
    value = group.values[at] if at < len(group.values) else None
    return value if usable(value) else None


def _reach(groups: Sequence[BarGroup], at: int, stacked: bool) -> list[float]:
    """Return the ends of the bars of a label."""
    if stacked:
        return [sum(max(_value(group, at) or 0.0, 0.0) for group in groups)]
    ends = []
    for group in groups:
        value = _value(group, at)
        if value is not None:
            ends += [value, value + _spread(group, at), value - _spread(group, at)]
    return [end for end in ends if end >= 0 or end in [_value(group, at) for group in groups]]


def _spread(group: BarGroup, at: int) -> float:
    spread = group.spread[at] if at < len(group.spread) else None
    return abs(spread) if spread is not None and usable(spread) else 0.0


Naming = tuple[str, Callable[[float], str]]


def _side_by_side(
    groups: Sequence[BarGroup], at: int, scale: Scale, top: float, naming: Naming
) -> list[Shape]:
    shapes: list[Shape] = []
    zero = scale.place(0.0)
    for number, group in enumerate(groups):
        value, y = _value(group, at), top + THICK * number
        if value is None:
            shapes.append(TextLine((zero + 5, y + 11), "–", SMALL, colour="faint"))
            continue
        end, spread = scale.place(value), _spread(group, at)
        hint = f"{naming[0]}, {group.name}: {naming[1](value)}".replace(", :", ":")
        shapes.append(Area(box(zero, y + 1, end, y + THICK - 1), colour_of(number), 1.0, hint))
        tip = max(end, zero)
        if spread:
            low, tip, middle = scale.place(value - spread), scale.place(value + spread), y + 7.5
            shapes.append(Stroke(((low, middle), (tip, middle)), "ink", 1.2))
        shapes.append(TextLine((tip + 5, y + 11), naming[1](value), SMALL, colour="faint"))
    return shapes


def _stack(
    groups: Sequence[BarGroup], at: int, scale: Scale, top: float, naming: Naming
) -> list[Shape]:
    shapes: list[Shape] = []
    total = 0.0
    for number, group in enumerate(groups):
        value = max(_value(group, at) or 0.0, 0.0)
        start, end = scale.place(total), scale.place(total + value)
        total += value
        hint = f"{naming[0]}, {group.name}: {naming[1](value)}"
        if end - start > 0.05:
            gap = 0.6 if end - start > 2 else 0.0  # neighbours are told apart without colour
            corners = box(start, top + 1, end - gap, top + THICK - 1)
            shapes.append(Area(corners, colour_of(number), 1.0, hint))
    place = (scale.place(total) + 5, top + 11)
    return [*shapes, TextLine(place, naming[1](total), SMALL, colour="faint")]


def funnel(
    steps: Sequence[tuple[str, float, str]],
    *,
    title: str,
    description: str = "",
    width: float = 720,
) -> Figure:
    """Draw steps (name, how many are left, a note on what the others were), one below another."""
    head = make_head(title, (), width)
    names = [shorten(name, width * 0.3) for name, _, _ in steps]
    left = EDGE + max([text_width(name) for name in names], default=0.0) + 10
    first = max([count for _, count, _ in steps if usable(count)], default=0.0)
    right = width - EDGE - text_width("1,000,000 · 100 %") - 8
    scale = make_scale([0.0, first or 1.0], left, right, zero=True)
    high = 42.0
    shapes: list[Shape] = list(head.shapes)
    for at, (_, count, note) in enumerate(steps):
        top, end = head.bottom + high * at, scale.place(count)
        shapes.append(TextLine((left - 10, top + 15), names[at], side="end"))
        shapes.append(Area(box(left, top, max(end, left + 1), top + 20), "0", 1.0, note))
        share = f" · {100 * count / first:.3g} %" if first else ""
        shapes.append(TextLine((max(end, left + 1) + 8, top + 15), f"{count:,.0f}{share}", TEXT))
        if at + 1 < len(steps):
            after = scale.place(steps[at + 1][1])
            corners = ((left, top + 20), (end, top + 20), (after, top + high), (left, top + high))
            shapes.append(Area(corners, "0", 0.15))
        if note:
            note = shorten(note, width - EDGE - left - 8, SMALL)
            shapes.append(TextLine((left + 6, top + 34), note, SMALL, colour="faint"))
    if not steps:
        shapes.append(say_empty(width, 2 * head.bottom))
    text = description or "; ".join(f"{name}: {count:,.0f}" for name, count, _ in steps)
    return Figure(width, head.bottom + high * len(steps) + EDGE, title, text, tuple(shapes))


def _describe(
    labels: Sequence[str], groups: Sequence[BarGroup], show: Callable[[float], str]
) -> str:
    """Return what a reader who cannot see is told."""
    parts = []
    for at, label in enumerate(labels[:30]):
        values = [
            f"{group.name} {show(value)}".strip()
            for group in groups
            if (value := _value(group, at)) is not None
        ]
        parts.append(f"{label}: {', '.join(values)}")
    return "; ".join(parts)
