"""A canvas and its backgrounds: sky, sea, hills, a room. Lengths are shares of its height."""

import math
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
from PIL import Image, ImageDraw

from blickfang.demo.grammar import read_toml

Colour = tuple[int, int, int]
Point = tuple[float, float]

TABLES = read_toml("drawing")
MOODS: dict[str, str] = TABLES["moods"]
WHITE: Colour = (250, 250, 248)


def read_colours(table: Mapping[str, Sequence[int]]) -> dict[str, Colour]:
    """Return a table's colours by their names."""
    return {name: (red, green, blue) for name, (red, green, blue) in table.items()}


COLOURS = read_colours(TABLES["colours"])
# Of each sky: its colour at the top, and at the horizon.
TOPS, HORIZONS = read_colours(TABLES["skies"]["top"]), read_colours(TABLES["skies"]["horizon"])


def colours_of(words: str) -> list[Colour]:
    """Return the colours named in some words, in their order; brown if none is."""
    found = [COLOURS[word] for word in words.lower().replace(",", " ").split() if word in COLOURS]
    return found or [COLOURS["brown"]]


def mix(one: Colour, two: Colour, share: float) -> Colour:
    """Blend two colours; a share of 1 gives the second."""
    a, b, c = (round(x + (y - x) * share) for x, y in zip(one, two, strict=True))
    return a, b, c


def darker(colour: Colour, share: float = 0.3) -> Colour:
    """Blend a colour toward a warm black."""
    return mix(colour, (20, 16, 18), share)


def mood_of(words: str) -> str:
    """Tell from a caption's words which sky it means."""
    return next((MOODS[word] for word in words.lower().split() if word in MOODS), "day")


class Canvas:
    """A picture in the making; (0, 0) is the top left corner, (aspect, 1) the bottom right."""

    def __init__(self, width_px: int, height_px: int, random: Random) -> None:
        self.image = Image.new("RGB", (width_px, height_px), (200, 200, 200))
        self.pen = ImageDraw.Draw(self.image)
        self.scale = height_px
        self.aspect = width_px / height_px
        self.random = random

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        """Fill a polygon."""
        self.pen.polygon([(x * self.scale, y * self.scale) for x, y in points], fill=fill)

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        """Fill an upright rectangle."""
        self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], fill)

    def taper(self, top: Point, half_top: float, foot: Point, half: float, fill: Colour) -> None:
        """Fill a shape that runs from one width at its top to another at its foot."""
        (x, y), (to_x, to_y) = top, foot
        corners = [(x - half_top, y), (x + half_top, y), (to_x + half, to_y), (to_x - half, to_y)]
        self.polygon(corners, fill)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Colour) -> None:
        """Fill an ellipse around a centre."""
        self.pen.ellipse(self._frame(x, y, rx, ry), fill=fill)

    def dome(self, x: float, y: float, rx: float, ry: float, fill: Colour) -> None:
        """Fill the upper half of an ellipse."""
        self.pen.pieslice(self._frame(x, y, rx, ry), 180, 360, fill=fill)

    def line(self, points: Sequence[Point], width: float, fill: Colour) -> None:
        """Draw a line through points."""
        thick = max(1, round(width * self.scale))
        self.pen.line([(x * self.scale, y * self.scale) for x, y in points], fill=fill, width=thick)

    def _frame(self, x: float, y: float, rx: float, ry: float) -> tuple[float, ...]:
        s = self.scale
        return (x - rx) * s, (y - ry) * s, (x + rx) * s, (y + ry) * s

    def fade(self, top: Colour, bottom: Colour, begin: float = 0.0, end: float = 1.0) -> None:
        """Fill a horizontal stripe with a vertical gradient."""
        first, last = round(begin * self.scale), round(end * self.scale)
        rows = np.linspace(top, bottom, max(1, last - first)).astype(np.uint8)[:, None, :]
        size = (self.image.width, max(1, last - first))
        strip = Image.fromarray(rows).resize(size, Image.Resampling.NEAREST)
        self.image.paste(strip, (0, first))


def paint_sky(canvas: Canvas, mood: str) -> None:
    """Paint the sky with its stars, sun or clouds."""
    random, aspect = canvas.random, canvas.aspect
    shift = random.uniform(-0.12, 0.12)
    tint = (255, 255, 255) if shift > 0 else (30, 40, 90)
    canvas.fade(mix(TOPS[mood], tint, abs(shift)), mix(HORIZONS[mood], tint, abs(shift) / 2))
    if mood == "night":
        for _ in range(random.randint(25, 60)):
            x, y = random.uniform(0, aspect), random.uniform(0, 0.55)
            canvas.oval(x, y, 0.003, 0.003, (230, 232, 250))
    if mood in ("dusk", "morning", "night"):
        x = random.uniform(0.1, aspect - 0.1)
        disc = (246, 240, 214) if mood == "night" else (255, 214, 130)
        canvas.oval(x, random.uniform(0.1, 0.4), 0.05, 0.05, disc)
    if mood in ("day", "storm", "morning"):
        cloud = mix(HORIZONS[mood], (255, 255, 255), 0.7 if mood != "storm" else 0.1)
        for _ in range(random.randint(1, 4)):
            x, y = random.uniform(0, aspect), random.uniform(0.06, 0.34)
            for _ in range(random.randint(4, 7)):
                dx, dy = random.uniform(-0.13, 0.13), random.uniform(-0.02, 0.02)
                canvas.oval(x + dx, y + dy, random.uniform(0.05, 0.09), 0.035, cloud)


def paint_sea(canvas: Canvas, mood: str, horizon: float) -> None:
    """Paint the sea below the horizon, with rows of waves."""
    water = mix(mix(TOPS[mood], (16, 70, 92), 0.55), HORIZONS[mood], 0.1)
    wave = mix(water, HORIZONS[mood], 0.5)
    canvas.fade(water, darker(water, 0.45), horizon, 1.0)
    for _ in range(canvas.random.randint(14, 34)):
        x, y = canvas.random.uniform(0, canvas.aspect), canvas.random.uniform(horizon + 0.02, 1)
        size = 0.02 + 0.12 * (y - horizon)
        canvas.line([(x - size, y), (x, y - size / 6), (x + size, y)], 0.004, wave)


def paint_hill(canvas: Canvas, height: float, fill: Colour, rough: float) -> None:
    """Paint a rolling ridge from edge to edge, up to a height above the bottom."""
    random, ridge = canvas.random, []
    phase, waves = random.uniform(0, 6), random.uniform(1.2, 3.2)
    for x in (canvas.aspect * i / 24 for i in range(25)):
        swell = 0.05 * math.sin(phase + x * waves)
        ridge.append((x, 1 - height + swell + random.uniform(-rough, rough)))
    canvas.polygon([*ridge, (canvas.aspect, 1.0), (0.0, 1.0)], fill)


def paint_room(canvas: Canvas) -> None:
    """Paint a room: wallpaper, pictures or a window on the wall, a floor, perhaps a rug."""
    random = canvas.random
    wall: Colour = random.choice(
        [(226, 218, 204), (204, 214, 210), (232, 208, 196), (198, 200, 216), (150, 176, 160)]
    )
    edge = random.uniform(0.64, 0.8)
    canvas.fade(mix(wall, (255, 255, 255), 0.35), wall)
    stripe = random.choice([0.0, 0.0, 0.11, 0.2])
    for number in range(round(canvas.aspect / stripe / 2) + 1 if stripe else 0):
        left = 2 * number * stripe
        canvas.box(left, 0, left + stripe, edge, darker(wall, 0.12))
    canvas.fade(darker(wall, 0.4), darker(wall, 0.55), edge, 1.0)
    canvas.box(0, edge - 0.02, canvas.aspect, edge, mix(wall, (255, 255, 255), 0.7))
    for _ in range(random.randint(0, 3)):
        x, y = random.uniform(0.1, canvas.aspect - 0.1), random.uniform(0.14, 0.34)
        wide, high = random.uniform(0.06, 0.2), random.uniform(0.06, 0.13)
        canvas.box(x - wide, y - high, x + wide, y + high, darker(wall, 0.6))
        inner = random.choice(list(COLOURS.values()))
        canvas.box(x - wide + 0.02, y - high + 0.02, x + wide - 0.02, y + high - 0.02, inner)
    if random.random() < 0.5:
        rug = random.choice(list(COLOURS.values()))
        canvas.oval(canvas.aspect / 2, 0.92, random.uniform(0.25, 0.6), 0.06, darker(rug, 0.2))
