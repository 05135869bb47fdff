"""Curves over a number: several series, linear or logarithmic axes, marks, bands of spread.

In: `Series`. Out: a `Figure`. Values that are no numbers, or cannot stand on a logarithmic axis,
leave a gap.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

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
from blickfang.web.charts.scales import Scale, make_scale, usable, widen, write_value
from blickfang.web.charts.shapes import Area, Dot, Figure, Point, Shape, Stroke, mark

Value = TypeVar("Value")
APART = 9.0  # marks that are nearer would hide the line


class Series(NamedTuple):
    """Points of one name; low and high, if given, are the edges of a band around them."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


class Axes(NamedTuple):
    """Both scales of a plot."""

    x: Scale
    y: Scale

    def fits(self, x: float, y: float | None) -> bool:
        """Whether a point can be drawn."""
        return usable(x, self.x.log) and usable(y, self.y.log)

    def place(self, x: float, y: float) -> Point:
        """Return where a point lies."""
        return self.x.place(x), self.y.place(y)


def lines(
    series: Sequence[Series],
    *,
    title: str,
    x: str = "",
    y: str = "",
    description: str = "",
    log_x: bool = False,
    log_y: bool = False,
    zero: bool = False,
    show_x: Show = None,
    show_y: Show = None,
    size: tuple[float, float] = (720, 400),
) -> Figure:
    """Draw curves; with `zero` the upright axis begins at 0, `show_…` write an axis's numbers."""
    return _plot(
        series, True, title, x, y, description, (log_x, log_y), zero, (show_x, show_y), size
    )


def scatter(
    series: Sequence[Series],
    *,
    title: str,
    x: str = "",
    y: str = "",
    description: str = "",
    log_x: bool = False,
    log_y: bool = False,
    size: tuple[float, float] = (720, 400),
) -> Figure:
    """Draw points that no line joins."""
    logs = (log_x, log_y)
    return _plot(series, False, title, x, y, description, logs, False, (None, None), size)


def _plot(
    series: Sequence[Series],
    joined: bool,
    title: str,
    x: str,
    y: str,
    description: str,
    logs: tuple[bool, bool],
    zero: bool,
    show: tuple[Show, Show],
    size: tuple[float, float],
) -> Figure:
    width, height = size
    head = make_head(
        title, [each.name for each in series], width, sign="line" if joined else "mark"
    )
    top, bottom = head.bottom + (26 if y else 8), height - (48 if x else 30)
    heights = widen(make_scale(_heights(series, logs), bottom, top, log=logs[1], zero=zero))
    left, right = room_for_y(heights, show[1]), width - EDGE - 8
    breadth = [value for each in series for value in each.x]
    axes = Axes(widen(make_scale(breadth, left, right, log=logs[0]), 0.02), heights)
    shapes: list[Shape] = [*head.shapes, *draw_y(heights, left, right, y, show[1])]
    shapes += draw_x(axes.x, bottom, x, show[0])
    drawn = [
        shape
        for number, each in enumerate(series)
        for shape in (_draw_series(each, number, axes) if joined else _scatter(each, number, axes))
    ]
    shapes += drawn or [say_empty(width, top + bottom)]
    return Figure(width, height, title, description or _describe(series, x, y), tuple(shapes))


def _heights(series: Sequence[Series], logs: tuple[bool, bool]) -> Iterator[float]:
    for each in series:
        for values in (each.y, each.low, each.high):
            for at, value in zip(each.x, values, strict=False):
                if value is not None and usable(at, logs[0]):
                    yield value


def _draw_series(series: Series, number: int, axes: Axes) -> list[Shape]:
    colour = colour_of(number)
    shapes: list[Shape] = []
    if series.low and series.high:
        shapes += _draw_bands(series, colour, axes)
    places = [
        (axes.place(x, y), y, x) if y is not None and axes.fits(x, y) else None
        for x, y in zip(series.x, series.y, strict=False)
    ]
    for part in _parts([each[0] if each else None for each in places]):
        if len(part) > 1:
            shapes.append(Stroke(tuple(part), colour, 2, dash_of(number)))
    there = [each for each in places if each]
    last = -APART
    for place, y, x in there:
        if abs(place[0] - last) >= APART:
            shapes.append(mark(place, number, colour, hint=_hint(series, x, y)))
            last = place[0]
    return shapes


def _hint(series: Series, x: float, y: float) -> str:
    return f"{series.name}: {write_value(x)}, {write_value(y)}"


def _draw_bands(series: Series, colour: str, axes: Axes) -> list[Shape]:
    edges: list[tuple[Point, Point] | None] = [
        (axes.place(x, low), axes.place(x, high))
        if low is not None and high is not None and axes.fits(x, low) and axes.fits(x, high)
        else None
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
    ]
    return [
        Area(tuple(low for low, _ in part) + tuple(high for _, high in part[::-1]), colour, 0.18)
        for part in _parts(edges)
        if len(part) > 1
    ]


def _parts(values: Sequence[Value | None]) -> list[list[Value]]:
    """Return the runs between gaps."""
    parts: list[list[Value]] = [[]]
    for value in values:
        if value is None:
            parts.append([])
        else:
            parts[-1].append(value)
    return [part for part in parts if part]


def _scatter(series: Series, number: int, axes: Axes) -> list[Shape]:
    places = [
        axes.place(x, y)
        for x, y in zip(series.x, series.y, strict=False)
        if y is not None and axes.fits(x, y)
    ]
    if len(places) > 1000:  # thousands of marks are dots
        return [Dot(place, 1.6, colour_of(number)) for place in places]
    return [mark(place, number, colour_of(number)) for place in places]


def _describe(series: Sequence[Series], x: str, y: str) -> str:
    """Return what a reader who cannot see is told."""
    parts = []
    for each in series[:20]:
        there = [(a, b) for a, b in zip(each.x, each.y, strict=False) if b is not None]
        if there:
            (first, low), (last, high) = there[0], there[-1]
            parts.append(
                f"{each.name}: from {write_value(low)} at {write_value(first)} "
                f"to {write_value(high)} at {write_value(last)}"
            )
    return f"{y or 'value'} over {x or 'number'}. " + "; ".join(parts)
