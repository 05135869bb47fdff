"""Kites, painted: the facts of one go in, the kite on its line above a meadow is painted."""

import math

from blickfang.demo.drawing.landscape import (
    SKIES,
    Canvas,
    Colour,
    Facts,
    Point,
    colours_of,
    mood_of,
    paint_hill,
    paint_sky,
)

# Outlines of unit size around the tow point; the second list in each pair is the darker panel.
KITE_FORMS: dict[str, tuple[list[Point], list[list[Point]]]] = {
    "diamond": (
        [(0, -1), (0.75, -0.3), (0, 1), (-0.75, -0.3)],
        [[(0, -1), (0.75, -0.3), (0, -0.3)], [(0, 1), (-0.75, -0.3), (0, -0.3)]],
    ),
    "delta": (
        [(0, -0.7), (1.35, 0.5), (0, 0.25), (-1.35, 0.5)],
        [[(0, -0.7), (0.6, -0.16), (0, 0.25)], [(-0.6, -0.16), (-1.35, 0.5), (0, 0.25)]],
    ),
    "sled": (
        [(-0.5, -0.8), (0.5, -0.8), (0.85, -0.2), (0.5, 0.8), (-0.5, 0.8), (-0.85, -0.2)],
        [
            [(-0.5, -0.8), (-0.17, -0.8), (-0.17, 0.8), (-0.5, 0.8)],
            [(0.17, -0.8), (0.5, -0.8), (0.5, 0.8), (0.17, 0.8)],
        ],
    ),
    "rokkaku": (
        [(0, -1), (0.7, -0.55), (0.7, 0.55), (0, 1), (-0.7, 0.55), (-0.7, -0.55)],
        [
            [(0, -1), (0.7, -0.55), (0, -0.55)],
            [(0, 1), (-0.7, 0.55), (0, 0.55)],
            [(-0.35, -0.3), (0.35, -0.3), (0.35, 0.3), (-0.35, 0.3)],
        ],
    ),
    "hexagon": (
        [(0.5, -0.87), (1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0), (-0.5, -0.87)],
        [
            [(0, 0), (0.5, -0.87), (1, 0)],
            [(0, 0), (0.5, 0.87), (-0.5, 0.87)],
            [(0, 0), (-1, 0), (-0.5, -0.87)],
        ],
    ),
    "box": (
        [(-0.55, -0.9), (0.55, -0.9), (0.55, 0.9), (-0.55, 0.9)],
        [
            [(-0.55, -0.9), (0.1, -0.9), (0.1, -0.3), (-0.55, -0.3)],
            [(-0.55, 0.3), (0.1, 0.3), (0.1, 0.9), (-0.55, 0.9)],
        ],
    ),
    "dragon": (
        [(-0.6, -0.6), (0.6, -0.6), (0.75, 0), (0, 0.7), (-0.75, 0)],
        [
            [(-0.45, -0.4), (-0.15, -0.4), (-0.15, -0.1), (-0.45, -0.1)],
            [(0.15, -0.4), (0.45, -0.4), (0.45, -0.1), (0.15, -0.1)],
        ],
    ),
}


def kite(canvas: Canvas, facts: Facts) -> None:
    """Paint a kite in the sky, with tail, line and the person who flies it."""
    random = canvas.random
    paint_sky(canvas, mood_of(facts.get("sky", "")))
    meadow: Colour = random.choice([(96, 150, 70), (146, 160, 84), (204, 184, 130), (84, 128, 84)])
    paint_hill(canvas, random.uniform(0.12, 0.22), meadow, rough=0.005)
    centre = (canvas.aspect * random.uniform(0.3, 0.7), random.uniform(0.3, 0.42))
    size, angle = random.uniform(0.17, 0.25), random.uniform(-0.45, 0.45)
    hand = (canvas.aspect * random.choice([0.12, 0.2, 0.8, 0.9]), 0.9)
    sag = ((centre[0] + hand[0]) / 2, (centre[1] + hand[1]) / 2 + 0.06)
    canvas.line([centre, sag, hand], 0.003, (60, 60, 66))
    paint_person(canvas, hand)
    paint_tail(canvas, facts, centre, size, angle)
    paint_sail(canvas, facts, centre, size, angle)


def turned(points: list[Point], centre: Point, size: float, angle: float) -> list[Point]:
    """Scale, turn and move an outline."""
    cos, sin = math.cos(angle), math.sin(angle)
    return [
        (centre[0] + size * (x * cos - y * sin), centre[1] + size * (x * sin + y * cos))
        for x, y in points
    ]


def paint_sail(canvas: Canvas, facts: Facts, centre: Point, size: float, angle: float) -> None:
    """Paint the panels and spars of a kite."""
    colours = colours_of(facts.get("colours", "red and yellow"))
    outline, panels = KITE_FORMS[facts.get("form", "diamond")]
    canvas.polygon(turned(outline, centre, size, angle), colours[0])
    for panel in panels:
        canvas.polygon(turned(panel, centre, size, angle), colours[-1])
    if facts.get("form") == "box":
        gap = turned([(-0.5, -0.28), (0.5, -0.28), (0.5, 0.28), (-0.5, 0.28)], centre, size, angle)
        canvas.polygon(gap, SKIES[mood_of(facts.get("sky", ""))][1])
    for spar in ([(0, -0.7), (0, 0.7)], [(-0.6, 0), (0.6, 0)]):
        canvas.line(
            turned([(float(x), float(y)) for x, y in spar], centre, size, angle),
            0.006,
            (80, 60, 44),
        )


def paint_tail(canvas: Canvas, facts: Facts, centre: Point, size: float, angle: float) -> None:
    """Paint a waving tail with bows; a dragon's is many times longer."""
    colours = colours_of(facts.get("colours", "red"))
    length = 9 if "short" in facts.get("tail", "") else 16
    wave = canvas.random.uniform(0.2, 0.5)
    length += 14 if facts.get("form") == "dragon" else 0
    points: list[Point] = [(wave * math.sin(i * 0.6), 0.7 + i * 0.13) for i in range(length)]
    path = turned(points, centre, size, angle)
    canvas.line(path, 0.014 if facts.get("form") == "dragon" else 0.006, colours[0])
    for number, (x, y) in enumerate(path[2::3]):
        bow = 0.022
        fill = colours[number % len(colours)]
        canvas.polygon([(x, y), (x - bow, y - bow), (x - bow, y + bow)], fill)
        canvas.polygon([(x, y), (x + bow, y - bow), (x + bow, y + bow)], fill)


def paint_person(canvas: Canvas, hand: Point) -> None:
    """Paint a small figure holding the line."""
    x, y = hand
    coat = canvas.random.choice([(180, 60, 50), (50, 80, 140), (70, 70, 70), (200, 150, 50)])
    canvas.oval(x, y - 0.035, 0.014, 0.014, (226, 186, 152))
    canvas.polygon([(x, y - 0.02), (x + 0.02, y + 0.04), (x - 0.02, y + 0.04)], coat)
    canvas.line([(x - 0.008, y + 0.04), (x - 0.012, y + 0.08)], 0.006, (40, 40, 50))
    canvas.line([(x + 0.008, y + 0.04), (x + 0.012, y + 0.08)], 0.006, (40, 40, 50))
