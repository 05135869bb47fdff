"""What surrounds the data of a figure: title, legend, axes with their grids and labels.

In: names and scales. Out: shapes, and where the plot begins.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blickfang.web.charts.scales import Scale, choose_ticks
from blickfang.web.charts.shapes import (
    SERIES,
    TEXT,
    TITLE,
    Area,
    Shape,
    Stroke,
    TextLine,
    box,
    mark,
    shorten,
    text_width,
)

EDGE, LINE = 14.0, 18.0
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3), (9, 3, 2, 3))
Show = Callable[[float], str] | None


class PlotHead(NamedTuple):
    """What stands above a plot, and where the plot may begin."""

    shapes: tuple[Shape, ...]
    bottom: float


def colour_of(number: int) -> str:
    """Return the colour of a series."""
    return str(number % SERIES)


def dash_of(number: int) -> tuple[float, ...]:
    """Return how the line of a series is broken."""
    return DASHES[number % len(DASHES)]


def make_head(title: str, names: Sequence[str], width: float, *, sign: str = "box") -> PlotHead:
    """Return title and legend with a box, line or mark a name; one series alone needs no legend."""
    shapes: list[Shape] = []
    y = EDGE
    if title:
        y += TITLE
        words = shorten(title, (width - 2 * EDGE) / 1.05, TITLE)
        shapes.append(TextLine((EDGE, y), words, TITLE, bold=True))
        y += 6
    if len(names) > 1:
        x, y = EDGE, y + LINE
        for number, name in enumerate(names):
            short = shorten(name, width - 2 * EDGE - 34)
            wide = 34 + text_width(short) + 12
            if x > EDGE and x + wide > width - EDGE + 12:
                x, y = EDGE, y + LINE
            shapes += _legend(number, x, y, sign)
            shapes.append(TextLine((x + (30 if sign == "line" else 18), y), short))
            x += wide - (0 if sign == "line" else 12)
        y += 4
    return PlotHead(tuple(shapes), y + 8)


def _legend(number: int, x: float, y: float, sign: str) -> list[Shape]:
    colour = colour_of(number)
    if sign == "box":
        return [Area(box(x, y - 10, x + 12, y + 1), colour)]
    middle = y - 4
    if sign == "mark":
        return [mark((x + 6, middle), number, colour)]
    line = Stroke(((x, middle), (x + 24, middle)), colour, 2, dash_of(number))
    return [line, mark((x + 12, middle), number, colour)]


def draw_y(scale: Scale, left: float, right: float, name: str, show: Show = None) -> list[Shape]:
    """Return the upright axis: a grid, labels left of it, its name above them."""
    shapes: list[Shape] = []
    for value, label in choose_ticks(scale, lambda _: 26.0, show):
        y = scale.place(value)
        shapes.append(Stroke(((left, y), (right, y)), "grid"))
        shapes.append(TextLine((left - 6, y + 4), label, side="end", colour="faint"))
    if name:
        top = min(scale.start, scale.end)
        words = shorten(name, right - EDGE)
        shapes.append(TextLine((EDGE, top - 14), words, TEXT, colour="faint"))
    return shapes


def room_for_y(scale: Scale, show: Show = None) -> float:
    """Return how much the labels of the upright axis need, from the edge of the figure."""
    labels = [label for _, label in choose_ticks(scale, lambda _: 26.0, show)]
    return EDGE + 6 + max([text_width(label) for label in labels], default=10.0)


def draw_x(
    scale: Scale, bottom: float, name: str, show: Show = None, top: float | None = None
) -> list[Shape]:
    """Return the level axis: a line, labels below it, its name at its end; a grid up to `top`."""
    shapes: list[Shape] = [Stroke(((scale.start, bottom), (scale.end, bottom)), "faint")]
    for value, label in choose_ticks(scale, lambda text: text_width(text) + 16, show):
        x = scale.place(value)
        if top is not None:
            shapes.append(Stroke(((x, top), (x, bottom)), "grid"))
        shapes.append(Stroke(((x, bottom), (x, bottom + 5)), "faint"))
        shapes.append(TextLine((x, bottom + 18), label, side="middle", colour="faint"))
    if name:
        middle = (scale.start + scale.end) / 2
        words = shorten(name, abs(scale.end - scale.start))
        shapes.append(TextLine((middle, bottom + 38), words, side="middle", colour="faint"))
    return shapes


def say_empty(width: float, height: float) -> TextLine:
    """Return the words that stand in a figure without data."""
    return TextLine((width / 2, height / 2), "no data", TEXT, "middle", "faint")
