"""What a figure is made of: lines, areas, dots and words on a plane, y downwards, in pixels.

In: nothing. Out: values that `svg` and `pdf` draw. Colours are names, so that a figure works on
light and dark paper: `ink`, `faint`, `grid`, and `0` … for the series, colour-blind safe.
"""

import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

Point = tuple[float, float]
SERIES = 7
TEXT, SMALL, TITLE = 12.0, 11.0, 15.0  # sizes of letters
NARROW, WIDE = set("iIjlftr.,:;|!'()[] -/"), set("mwMW@%—…")


class Stroke(NamedTuple):
    """A line through points."""

    points: tuple[Point, ...]
    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()


class Area(NamedTuple):
    """A filled polygon; its hint is shown where a reader points at it."""

    points: tuple[Point, ...]
    colour: str
    opacity: float = 1.0
    hint: str = ""


class Dot(NamedTuple):
    """A small disc."""

    centre: Point
    radius: float
    colour: str
    hint: str = ""


class TextLine(NamedTuple):
    """A line of text; `side` says which part of it is at the point: start, middle, end."""

    place: Point  # on its ground line
    text: str
    size: float = TEXT
    side: str = "start"
    colour: str = "ink"
    bold: bool = False


Shape = Stroke | Area | Dot | TextLine


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that can be drawn on any paper, with what a blind reader is told."""

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]


def text_width(text: str, size: float = TEXT) -> float:
    """Return about how wide a text is, rather too wide than too narrow.

    >>> text_width("ab", 10.0)
    12.4
    """
    return sum(map(_letter_width, text)) * size


def _letter_width(letter: str) -> float:
    if letter in NARROW:
        return 0.38
    if letter in WIDE:
        return 1.0
    if ord(letter) > 0x2FF:
        return 1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.75
    return 0.76 if letter.isupper() else 0.62


def shorten(text: str, room: float, size: float = TEXT) -> str:
    """Cut a text in its middle to what there is room for; control characters become blanks.

    >>> shorten("a very long name of a host", 80.0)
    'a very…host'
    """
    text = clean(text)
    if text_width(text, size) <= room:
        return text
    for kept in range(min(len(text), 400) - 1, 0, -1):
        short = text[: (kept + 1) // 2].rstrip() + "…" + text[len(text) - kept // 2 :].lstrip()
        if text_width(short, size) <= room:
            return short
    return "…"


def clean(text: str) -> str:
    """Return a text without what no document may hold or what turns its direction."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(each) in _NOT_SHOWN else each for each in text)


_NOT_SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """Return the corners of a rectangle."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def mark(place: Point, number: int, colour: str, size: float = 3.2, hint: str = "") -> Shape:
    """Return the mark of a series, told apart by form as well as by colour."""
    x, y = place
    form = number % 4
    if form == 0:
        return Dot(place, size, colour, hint)
    if form == 1:
        half = size * 0.9
        return Area(box(x - half, y - half, x + half, y + half), colour, 1.0, hint)
    reach = size * 1.3
    if form == 2:
        return Area(
            ((x, y - reach), (x + reach, y + size * 0.9), (x - reach, y + size * 0.9)),
            colour,
            1.0,
            hint,
        )
    corners = ((x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y))
    return Area(corners, colour, 1.0, hint)
