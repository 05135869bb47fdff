"""Lighthouses, painted: the facts of one go in, its tower, rocks, sea and beam are painted."""

import math

from blickfang.demo.drawing.landscape import (
    SKIES,
    Canvas,
    Colour,
    Facts,
    Point,
    colours_of,
    darker,
    mix,
    mood_of,
    paint_sea,
    paint_sky,
)

LEDGE = 0.12  # half the level ground around a tower


def lighthouse(canvas: Canvas, facts: Facts) -> None:
    """Paint a tower on a headland above the sea, with its beam if it is dark."""
    random, mood = canvas.random, mood_of(facts.get("hour", ""))
    horizon = random.uniform(0.6, 0.72)
    paint_sky(canvas, mood)
    paint_sea(canvas, mood, horizon)
    x = canvas.aspect * random.uniform(0.25, 0.75)
    foot = random.uniform(0.74, 0.84)
    tall = 0.36 + 0.3 * min(int(facts.get("height", "30")), 55) / 55
    lamp = (x, foot - tall - 0.035)
    if mood in ("night", "dusk", "fog"):
        paint_beam(canvas, lamp, mood)
    paint_headland(canvas, x, foot)
    if random.random() < 0.5:
        paint_cottage(canvas, x + random.choice([-0.17, 0.17]), foot + 0.01)
    paint_tower(canvas, facts, (x, foot), tall)
    paint_lantern(canvas, lamp, mood)
    if mood == "fog":
        veil = canvas.image.copy()
        veil.paste(SKIES["fog"][1], (0, 0, *veil.size))
        canvas.image.paste(veil, (0, 0), canvas.image.convert("L").point(lambda _: 90))


def paint_headland(canvas: Canvas, x: float, foot: float) -> None:
    """Paint the rocks the tower stands on."""
    random = canvas.random
    rock: Colour = random.choice([(96, 88, 82), (78, 92, 66), (120, 104, 84), (88, 94, 100)])
    wide = random.uniform(0.3, 0.55)
    fall = [(i / 6, (1 - foot) * (i / 6) ** 1.5 + random.uniform(0, 0.02)) for i in range(7)]
    west = [(x - LEDGE - wide * away, foot + down) for away, down in fall]
    east = [(x + LEDGE + wide * away, foot + down) for away, down in fall]
    canvas.polygon([*reversed(west), *east, (x + 1.0, 1.1), (x - 1.0, 1.1)], rock)
    canvas.polygon([(x, foot), *east, (x + 1.0, 1.1), (x + 0.12, 1.1)], darker(rock, 0.25))


def paint_cottage(canvas: Canvas, x: float, foot: float) -> None:
    """Paint a keeper's cottage."""
    canvas.box(x - 0.07, foot - 0.07, x + 0.07, foot + 0.02, (236, 230, 218))
    canvas.polygon(
        [(x - 0.085, foot - 0.07), (x, foot - 0.13), (x + 0.085, foot - 0.07)], (142, 62, 48)
    )
    canvas.box(x - 0.015, foot - 0.04, x + 0.015, foot + 0.02, (70, 84, 96))


def paint_tower(canvas: Canvas, facts: Facts, foot: Point, tall: float) -> None:
    """Paint a tapered tower in the colours and the pattern of its daymark."""
    x, bottom = foot
    colours = colours_of(facts.get("colours", "white"))
    pattern = facts.get("pattern", "plain").lower()
    first, second = colours[0], colours[-1]
    if first == second:
        second = mix(first, (90, 90, 90), 0.15)
    bands = {"bands": 7, "ringe": 5, "halves": 2, "spiral": 9, "streifen": 9}.get(pattern, 1)
    slant = 0.05 if pattern in ("spiral", "streifen") else 0.0

    def half(y: float) -> float:
        return 0.038 + 0.034 * (y - (bottom - tall)) / tall

    canvas.taper((x, bottom - tall), half(bottom - tall), foot, half(bottom), first)
    for band in range(bands):
        top, low = bottom - tall + tall * band / bands, bottom - tall + tall * (band + 1) / bands
        fill = first if band % 2 == 0 else second
        tilt = slant if 0 < band < bands - 1 else 0.0
        for left, tone in ((-1.0, fill), (0.4, darker(fill))):  # the second is the shaded side
            sides = [(left, top), (1.0, top), (1.0, low), (left, low)]
            corners = [(side, min(y - tilt * side, bottom)) for side, y in sides]
            canvas.polygon([(x + side * half(y), y) for side, y in corners], tone)
    for level in range(1, 4):
        y = bottom - tall * level / 4
        canvas.box(x - 0.008, y - 0.02, x + 0.006, y + 0.006, (48, 52, 66))


def paint_lantern(canvas: Canvas, lamp: Point, mood: str) -> None:
    """Paint gallery, lantern room and cupola."""
    x, y = lamp
    glow = (255, 240, 150) if mood in ("night", "dusk", "fog") else (206, 226, 232)
    canvas.box(x - 0.06, y + 0.028, x + 0.06, y + 0.04, (52, 54, 60))
    canvas.box(x - 0.032, y - 0.035, x + 0.032, y + 0.03, glow)
    for share in (-0.032, -0.011, 0.011, 0.032):
        canvas.line([(x + share, y - 0.035), (x + share, y + 0.03)], 0.004, (52, 54, 60))
    canvas.dome(x, y - 0.033, 0.04, 0.036, (120, 40, 40))
    canvas.line([(x, y - 0.07), (x, y - 0.1)], 0.005, (52, 54, 60))


def paint_beam(canvas: Canvas, lamp: Point, mood: str) -> None:
    """Paint the rays of the lamp, brighter near the lantern."""
    x, y = lamp
    turn = canvas.random.uniform(-0.25, 0.25)
    sky = mix(*SKIES[mood], 0.4)
    for spread, share in ((0.16, 0.18), (0.1, 0.34), (0.05, 0.55)):
        for side in (-1, 1):
            far = [
                (x + side * 2 * math.cos(turn + a), y + 2 * math.sin(side * turn + a))
                for a in (-spread, spread)
            ]
            canvas.polygon([(x, y), *far], mix(sky, (255, 244, 180), share))
