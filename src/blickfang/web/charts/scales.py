"""Where numbers lie on an axis, which of them are named there, and how they are written.

In: a range of numbers, linear or logarithmic. Out: positions, ticks inside the range, labels.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

SMALLEST, LARGEST = 1e-290, 1e290  # beyond, differences are not numbers any more
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
INSIDE = (
    (1,),
    (1, 3),
    (1, 2, 5),
    (1, 2, 3, 5, 7),
    tuple(range(1, 10)),
)  # multiples of powers of ten


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of numbers laid out between two places."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return where a number lies, within the range."""
        value = min(max(value, self.low), self.high)
        share = (self._turn(value) - self._turn(self.low)) / self._span()
        return self.start + share * (self.end - self.start)

    def _turn(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def _span(self) -> float:
        return self._turn(self.high) - self._turn(self.low)


def usable(value: float | None, log: bool = False) -> bool:
    """Whether a number can be drawn on an axis."""
    if value is None or not math.isfinite(value) or abs(value) > LARGEST:
        return False
    return value > SMALLEST if log else True


def make_scale(
    values: Iterable[float], start: float, end: float, *, log: bool = False, zero: bool = False
) -> Scale:
    """Return a scale that holds all numbers; with `zero` it begins at 0, if none is below."""
    found = [value if abs(value) > SMALLEST else 0.0 for value in values if usable(value, log)]
    low, high = (min(found), max(found)) if found else (1.0, 10.0) if log else (0.0, 1.0)
    if log:
        if math.log10(high) - math.log10(low) < 0.05:
            low, high = low / 2, high * 2
        return Scale(low, high, start, end, True)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= 1e-9 * max(abs(high), abs(low)):
        room = abs(high) / 2 or 0.5
        low, high = (0.0 if zero and low >= 0 else low - room), high + room
    return Scale(low, high, start, end)


def widen(scale: Scale, share: float = 0.04) -> Scale:
    """Return a scale with some air at both ends; a zero stays the end."""
    if scale.log:
        room = (math.log10(scale.high) - math.log10(scale.low)) * share
        low, high = scale.low / 10**room, scale.high * 10**room
    else:
        room = (scale.high - scale.low) * share
        low = scale.low if scale.low == 0 else scale.low - room
        high = scale.high if scale.high == 0 else scale.high + room
    return Scale(low, high, scale.start, scale.end, scale.log)


def choose_ticks(
    scale: Scale, room: Callable[[str], float], show: Callable[[float], str] | None = None
) -> list[tuple[float, str]]:
    """Return as many round numbers inside the range as have room for their labels beside another.

    `room` says how much of the axis a label takes.
    """
    length = abs(scale.end - scale.start)
    for most in range(min(10, max(1, int(length // 28))), 0, -1):
        ticks = _log_ticks(scale, most) if scale.log else _linear_ticks(scale, most)
        labels = [show(tick) for tick in ticks] if show else write_numbers(ticks)
        if len(set(labels)) == len(labels) and _all_fit(scale, ticks, labels, room):
            return list(zip(ticks, labels, strict=True))
    return []


def _all_fit(
    scale: Scale, ticks: Sequence[float], labels: Sequence[str], room: Callable[[str], float]
) -> bool:
    places = [scale.place(tick) for tick in ticks]
    sizes = [room(label) for label in labels]
    return all(
        abs(places[at + 1] - places[at]) >= (sizes[at] + sizes[at + 1]) / 2
        for at in range(len(ticks) - 1)
    )


def _linear_ticks(scale: Scale, most: int) -> list[float]:
    span = scale.high - scale.low
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(each * power for each in STEPS if span / (each * power) <= most * 1.001)
    first = math.ceil(scale.low / step - 1e-9)
    ticks = [(first + number) * step for number in range(most + 2)]
    rounded = [float(f"{tick:.12g}") for tick in ticks]  # 0.3, not 0.30000000000000004
    return [tick for tick in rounded if _within(scale, tick)]


def _within(scale: Scale, value: float) -> bool:
    return scale.low <= value <= scale.high


def _log_ticks(scale: Scale, most: int) -> list[float]:
    bottom, top = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    best: list[float] = []
    for factors in INSIDE:
        ticks = [
            factor * 10.0**power
            for power in range(bottom, top + 1)
            for factor in factors
            if usable(factor * 10.0**power, True) and _within(scale, factor * 10.0**power)
        ]
        if len(ticks) > most:
            break
        best = ticks
    if len(best) >= 2:
        return best
    powers = [10.0**power for power in range(bottom, top + 1) if _within(scale, 10.0**power)]
    if len(powers) > most:
        return powers[:: -(-len(powers) // most)]
    return [tick for tick in _linear_ticks(scale, most) if tick > 0]


def write_numbers(values: Sequence[float]) -> list[str]:
    """Write the numbers of an axis alike, with no more digits than tell them apart."""
    for digits in range(13):
        labels = [write_number(value, digits) for value in values]
        exact = all(
            abs(float(f"{value:.{digits}f}") - value) <= 1e-9 * abs(value) for value in values
        )
        if exact and len(set(labels)) == len(values):
            break
    if all(label.endswith(".0") for label in labels):
        return [label[:-2] for label in labels]
    return labels


def write_number(value: float, digits: int = 0) -> str:
    """Write a number as people read it.

    >>> write_number(1234.5), write_number(2.5e6), write_number(0.25, 2), write_number(3e-7, 12)
    ('1,234', '2.5M', '0.25', '3e-07')
    """
    size = abs(value)
    if size >= 1e15 or (0 < size < 1e-3 and digits > 3):
        return f"{value:.2g}"
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size >= unit:
            return f"{value / unit:.4g}{name}"
    if digits == 0 or value == int(value):
        return f"{value:,.0f}" if value != 0 else "0"
    return f"{value:,.{digits}f}"


def write_value(value: float) -> str:
    """Write a single number with about three digits that count.

    >>> [write_value(each) for each in (0.0, 0.12345, 12.345, 1234.5, 2_345_678.0)]
    ['0', '0.123', '12.3', '1,234', '2.346M']
    """
    size = abs(value)
    if not math.isfinite(value):
        return str(value)
    if value == int(value) or size >= 100:
        return write_number(value)
    return (
        f"{value:.{max(0, 2 - math.floor(math.log10(size)))}f}" if size >= 1e-3 else f"{value:.2g}"
    )
