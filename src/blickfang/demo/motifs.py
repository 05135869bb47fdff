"""Pictures: a sketch goes in, its motif is painted, the bytes of a PNG, JPEG, GIF or WebP come out.

Motifs read the facts of what they show and leave the rest to the chance of their canvas. This
module and `canvas` are the only ones of the demo that need Pillow; the web imports them when the
first image is asked for.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageEnhance

from blickfang.demo.canvas import (
    COLOURS,
    HORIZONS,
    TABLES,
    TOPS,
    WHITE,
    Canvas,
    Colour,
    Point,
    colours_of,
    darker,
    mix,
    mood_of,
    paint_hill,
    paint_room,
    paint_sea,
    paint_sky,
    read_colours,
)
from blickfang.demo.compose import Sketch
from blickfang.demo.grammar import Facts, seeded

LEDGE = 0.12  # half the level ground around a tower
FLOORS, SPOTS = read_colours(TABLES["floors"]), read_colours(TABLES["spots"])
PALE: Colour = (236, 224, 198)
DARK = ("night", "dusk", "fog")  # when lamps are lit


def lighthouse(canvas: Canvas, facts: Facts) -> None:
    """Paint a tower on a headland above the sea, with its beam if it is dark."""
    random, mood = canvas.random, mood_of(facts.get("hour", ""))
    horizon = random.uniform(0.6, 0.72)
    paint_sky(canvas, mood)
    paint_sea(canvas, mood, horizon)
    x = canvas.aspect * random.uniform(0.25, 0.75)
    foot = random.uniform(0.74, 0.84)
    tall = 0.36 + 0.3 * min(int(facts.get("height", "30")), 55) / 55
    lamp = foot - tall - 0.035
    if mood in DARK:  # rays, brighter near the lantern
        turn = random.uniform(-0.25, 0.25)
        sky = mix(TOPS[mood], HORIZONS[mood], 0.4)
        for spread, share in ((0.16, 0.18), (0.1, 0.34), (0.05, 0.55)):
            for side in (-1, 1):
                far = [
                    (x + side * 2 * math.cos(turn + a), lamp + 2 * math.sin(side * turn + a))
                    for a in (-spread, spread)
                ]
                canvas.polygon([(x, lamp), *far], mix(sky, (255, 244, 180), share))
    rock: Colour = random.choice([(96, 88, 82), (78, 92, 66), (120, 104, 84), (88, 94, 100)])
    wide = random.uniform(0.3, 0.55)
    fall = [(i / 6, (1 - foot) * (i / 6) ** 1.5 + random.uniform(0, 0.02)) for i in range(7)]
    west = [(x - LEDGE - wide * away, foot + down) for away, down in fall]
    east = [(x + LEDGE + wide * away, foot + down) for away, down in fall]
    canvas.polygon([*reversed(west), *east, (x + 1.0, 1.1), (x - 1.0, 1.1)], rock)
    canvas.polygon([(x, foot), *east, (x + 1.0, 1.1), (x + 0.12, 1.1)], darker(rock, 0.25))
    if random.random() < 0.5:  # the keeper's cottage
        left, top = x + random.choice([-0.17, 0.17]), foot + 0.01
        canvas.box(left - 0.07, top - 0.07, left + 0.07, top + 0.02, (236, 230, 218))
        roof = [(left - 0.085, top - 0.07), (left, top - 0.13), (left + 0.085, top - 0.07)]
        canvas.polygon(roof, (142, 62, 48))
        canvas.box(left - 0.015, top - 0.04, left + 0.015, top + 0.02, (70, 84, 96))
    paint_tower(canvas, facts, (x, foot), tall)
    # Gallery, lantern room and cupola.
    glow = (255, 240, 150) if mood in DARK else (206, 226, 232)
    canvas.box(x - 0.06, lamp + 0.028, x + 0.06, lamp + 0.04, (52, 54, 60))
    canvas.box(x - 0.032, lamp - 0.035, x + 0.032, lamp + 0.03, glow)
    for bar in (x - 0.032, x - 0.011, x + 0.011, x + 0.032):
        canvas.line([(bar, lamp - 0.035), (bar, lamp + 0.03)], 0.004, (52, 54, 60))
    canvas.dome(x, lamp - 0.033, 0.04, 0.036, (120, 40, 40))
    canvas.line([(x, lamp - 0.07), (x, lamp - 0.1)], 0.005, (52, 54, 60))
    if mood == "fog":
        veil = canvas.image.copy()
        veil.paste(HORIZONS["fog"], (0, 0, *veil.size))
        canvas.image.paste(veil, (0, 0), canvas.image.convert("L").point(lambda _: 90))


def paint_tower(canvas: Canvas, facts: Facts, foot: Point, tall: float) -> None:
    """Paint a tapered tower in the colours and the pattern of its daymark."""
    x, bottom = foot
    colours = colours_of(facts.get("colours", "white"))
    pattern = facts.get("pattern", "plain").lower()
    first, second = colours[0], colours[-1]
    if first == second:
        second = mix(first, (90, 90, 90), 0.15)
    bands = TABLES["bands"].get(pattern, 1)
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


def mushroom(canvas: Canvas, facts: Facts) -> None:
    """Paint one or more fruit bodies in a wood: light between trunks, leaves on the floor."""
    random, groups = canvas.random, TABLES["groups"]
    ground = [FLOORS[word] for word in facts.get("ground", "").split() if word in FLOORS]
    floor = ground[0] if ground else FLOORS["floor"]
    light: Colour = random.choice([(196, 210, 150), (222, 206, 150), (150, 184, 160)])
    canvas.fade(mix(light, (255, 255, 255), 0.3), darker(light, 0.5))
    for _ in range(random.randint(4, 9)):
        x, wide = random.uniform(0, canvas.aspect), random.uniform(0.015, 0.05)
        bark = mix((70, 54, 44), light, random.uniform(0.1, 0.5))
        canvas.taper((x, 0), wide, (x, 0.8), wide * 1.3, bark)
    paint_hill(canvas, random.uniform(0.24, 0.34), floor, rough=0.01)
    for _ in range(50):
        x, y = random.uniform(0, canvas.aspect), random.uniform(0.74, 1.0)
        leaf = random.choice([(240, 220, 120), (20, 40, 20), (150, 70, 30)])
        canvas.oval(x, y, random.uniform(0.006, 0.02), 0.006, mix(floor, leaf, 0.35))
    count = next((groups[word] for word in facts.get("group", "").split() if word in groups), 1)
    size = {1: 0.30, 2: 0.22, 3: 0.18}.get(count, 0.14)
    places = [canvas.aspect * (i + 0.5 + random.uniform(-0.22, 0.22)) / count for i in range(count)]
    random.shuffle(places)
    for x in places:
        bottom = random.uniform(0.82, 0.95)
        paint_fruit_body(canvas, facts, (x, bottom), size * random.uniform(0.75, 1.1))
    for _ in range(30):
        x, tall = random.uniform(0, canvas.aspect), random.uniform(0.03, 0.1)
        blade = mix(floor, (150, 190, 80), random.uniform(0.1, 0.6))
        canvas.line([(x, 1.0), (x + random.uniform(-0.03, 0.03), 1.0 - tall)], 0.005, blade)


def paint_fruit_body(canvas: Canvas, facts: Facts, foot: Point, size: float) -> None:
    """Paint one mushroom: a leaning stem, perhaps with bulb and ring, and a cap in its shape."""
    (x, bottom), random = foot, canvas.random
    stem, shape = facts.get("stem", ""), facts.get("shape", "convex")
    tall = size * random.uniform(1.3, 1.7)
    thick = size * (0.24 if "stout" in stem else 0.14)
    crown = (x + random.uniform(-0.12, 0.12) * size, bottom - tall)
    canvas.taper(crown, thick * 0.8, foot, thick, PALE)
    shade = (crown[0] + thick * 0.5, crown[1]), (x + thick * 0.65, bottom)
    canvas.taper(shade[0], thick * 0.3, shade[1], thick * 0.35, darker(PALE, 0.15))
    bulb = 1.5 if "bulbous" in stem else 1.0
    canvas.oval(x, bottom, thick * bulb, thick * 0.5, darker(PALE, 0.1))
    x, y = crown
    if "ring" in stem:
        canvas.oval(x, y + tall * 0.3, thick * 1.5, thick * 0.4, darker(PALE, 0.08))
    high = TABLES["heights"][shape] * size
    gills = colours_of(facts.get("gills", "cream"))[0]
    if shape == "funnel-shaped":
        y -= size * 0.45
        canvas.taper((x, y), size, (x, y + size * 0.65), size * 0.15, gills)
    canvas.oval(x, y, size, size * 0.16, darker(gills, 0.45))
    canvas.oval(x, y, size * 0.9, size * 0.14, darker(gills, 0.2))
    weather = random.choice([(255, 255, 255), (30, 20, 20)])  # rain fades, age darkens
    colour = mix(colours_of(facts.get("cap", ""))[0], weather, random.uniform(0, 0.12))
    if shape == "conical":
        canvas.taper((x, y - high), size * 0.1, (x, y - high * 0.5), size * 0.58, colour)
        canvas.taper((x, y - high * 0.5), size * 0.58, (x, y), size, colour)
    canvas.dome(x, y, size, high * (0.6 if shape == "conical" else 1.0), colour)
    gloss = mix(colour, (255, 255, 255), 0.3)
    canvas.oval(x - size * 0.35, y - high * 0.62, size * 0.2, high * 0.14, gloss)
    spots = facts.get("spots", "no").split()[0]
    for _ in range(random.randint(7, 14) if spots != "no" else 0):  # warts, scales or flecks
        angle, far = random.uniform(0.25, 2.9), random.uniform(0.15, 0.85)
        dot = size * random.uniform(0.04, 0.1)
        right, up = size * far * math.cos(angle), high * far * math.sin(angle) * 0.95
        canvas.oval(x + right, y - up, dot, dot * 0.75, SPOTS[spots])


def kite(canvas: Canvas, facts: Facts) -> None:
    """Paint a kite in the sky, with tail, line and the person who flies it."""
    random, sky = canvas.random, mood_of(facts.get("sky", ""))
    paint_sky(canvas, sky)
    meadow: Colour = random.choice([(96, 150, 70), (146, 160, 84), (204, 184, 130), (84, 128, 84)])
    paint_hill(canvas, random.uniform(0.12, 0.22), meadow, rough=0.005)
    centre = (canvas.aspect * random.uniform(0.3, 0.7), random.uniform(0.3, 0.42))
    size, angle = random.uniform(0.17, 0.25), random.uniform(-0.45, 0.45)
    x, y = hand = (canvas.aspect * random.choice([0.12, 0.2, 0.8, 0.9]), 0.9)
    sag = ((centre[0] + x) / 2, (centre[1] + y) / 2 + 0.06)
    canvas.line([centre, sag, hand], 0.003, (60, 60, 66))
    coat = random.choice([(180, 60, 50), (50, 80, 140), (70, 70, 70), (200, 150, 50)])
    canvas.oval(x, y - 0.035, 0.014, 0.014, (226, 186, 152))
    canvas.polygon([(x, y - 0.02), (x + 0.02, y + 0.04), (x - 0.02, y + 0.04)], coat)
    canvas.line([(x - 0.008, y + 0.04), (x - 0.012, y + 0.08)], 0.006, (40, 40, 50))
    canvas.line([(x + 0.008, y + 0.04), (x + 0.012, y + 0.08)], 0.006, (40, 40, 50))
    cos, sin = math.cos(angle), math.sin(angle)

    def turned(points: Sequence[Point]) -> list[Point]:
        return [
            (centre[0] + size * (x * cos - y * sin), centre[1] + size * (x * sin + y * cos))
            for x, y in points
        ]

    form = facts.get("form", "diamond")
    colours = colours_of(facts.get("colours", "red and yellow"))
    length = 9 if "short" in facts.get("tail", "") else 16
    length += 14 if form == "dragon" else 0
    wave = random.uniform(0.2, 0.5)
    tail = turned([(wave * math.sin(i * 0.6), 0.7 + i * 0.13) for i in range(length)])
    canvas.line(tail, 0.014 if form == "dragon" else 0.006, colours[0])
    for number, (x, y) in enumerate(tail[2::3]):
        for bow in (-0.022, 0.022):
            corners = [(x, y), (x + bow, y - 0.022), (x + bow, y + 0.022)]
            canvas.polygon(corners, colours[number % len(colours)])
    canvas.polygon(turned(TABLES["kites"][form]["outline"]), colours[0])
    for panel in TABLES["kites"][form]["panels"]:
        canvas.polygon(turned(panel), colours[-1])
    if form == "box":
        gap = turned([(-0.5, -0.28), (0.5, -0.28), (0.5, 0.28), (-0.5, 0.28)])
        canvas.polygon(gap, HORIZONS[sky])
    canvas.line(turned([(0, -0.7), (0, 0.7)]), 0.006, (80, 60, 44))
    canvas.line(turned([(-0.6, 0), (0.6, 0)]), 0.006, (80, 60, 44))


def plate(canvas: Canvas, facts: Facts) -> None:
    """Paint a plate with food, seen from above, on boards or a checked cloth."""
    random = canvas.random
    table: Colour = random.choice([(150, 108, 70), (90, 70, 60), (206, 198, 186), (120, 140, 130)])
    canvas.fade(table, darker(table, 0.25))
    if random.random() < 0.5:
        for i in range(1, 5):
            canvas.line([(0, i / 5), (canvas.aspect, i / 5 + 0.01)], 0.004, darker(table, 0.3))
    else:
        check, size = random.choice(list(COLOURS.values())), random.choice([0.08, 0.12, 0.2])
        for row in range(round(1 / size) + 1):
            for column in range(row % 2, round(canvas.aspect / size) + 1, 2):
                left, top = column * size, row * size
                canvas.box(left, top, left + size, top + size, mix(check, table, 0.4))
    x = canvas.aspect / 2 + random.uniform(-0.12, 0.12)
    rim = (92, 128, 186) if "blue" in facts.get("dish", "") else WHITE
    canvas.oval(x, 0.5, 0.42, 0.42, rim)
    canvas.oval(x, 0.5, 0.33, 0.33, mix(rim, WHITE, 0.7))
    food = colours_of(facts.get("colours", "golden"))[0]
    for _ in range(random.randint(14, 40)):
        angle, far = random.uniform(0, 6.3), random.uniform(0, 0.22)
        tone = mix(food, random.choice([(255, 240, 200), (60, 90, 40), (120, 40, 20)]), 0.3)
        size = random.uniform(0.02, 0.07)
        canvas.oval(x + far * math.cos(angle), 0.5 + far * math.sin(angle), size, size * 0.8, tone)
    canvas.line([(x + 0.5, 0.2), (x + 0.5, 0.8)], 0.018, (190, 190, 196))
    canvas.line([(x - 0.5, 0.2), (x - 0.5, 0.8)], 0.014, (190, 190, 196))


def chessboard(canvas: Canvas, _: Facts) -> None:
    """Paint a board with some men on it; a higher rank is taller and wears a crown."""
    random = canvas.random
    dark: Colour = random.choice([(118, 82, 56), (82, 120, 88), (86, 102, 138), (110, 60, 60)])
    light = mix(dark, (250, 240, 220), 0.75)
    canvas.fade(darker(dark, 0.5), darker(dark, 0.7))
    side, left = 0.88 / 8, canvas.aspect / 2 - 0.44
    for row in range(8):
        for column in range(8):
            x, y = left + column * side, 0.06 + row * side
            canvas.box(x, y, x + side, y + side, light if (row + column) % 2 == 0 else dark)
    half, quarter, small = side * 0.26, side * 0.2, side * 0.14
    for number, square in enumerate(random.sample(range(64), random.randint(7, 24))):
        x, y = left + (square % 8 + 0.5) * side, 0.06 + (square // 8 + 0.5) * side
        fill: Colour = WHITE if number % 2 else (34, 32, 36)
        top, foot = y - side * (0.22 + 0.06 * (number % 3)), y + half
        canvas.box(x - half, y + side * 0.24, x + half, y + side * 0.36, fill)
        canvas.polygon([(x, top), (x + quarter, foot), (x - quarter, foot)], fill)
        canvas.oval(x, top, small, small, fill)
        if number % 3 == 2:
            canvas.box(x - side * 0.16, top - small, x + side * 0.16, top - side * 0.04, fill)


def townhall(canvas: Canvas, _: Facts) -> None:
    """Paint a town hall with windows, a gable and a clock."""
    random = canvas.random
    x = canvas.aspect / 2 + random.uniform(-0.2, 0.2)
    paint_sky(canvas, random.choice(["day", "morning", "storm"]))
    canvas.box(0, 0.84, canvas.aspect, 1, (150, 146, 140))
    wall: Colour = random.choice([(204, 170, 130), (176, 96, 76), (226, 216, 196), (188, 190, 186)])
    floors, bays = random.randint(2, 3), random.randint(4, 8)
    wide, top = 0.36 + 0.03 * bays, 0.84 - 0.17 * floors
    canvas.box(x - wide, top, x + wide, 0.86, wall)
    gable = (x, top - random.uniform(0.1, 0.22))
    canvas.polygon([(x - wide - 0.04, top), gable, (x + wide + 0.04, top)], darker(wall, 0.5))
    for floor in range(floors):
        high, low = top + 0.04 + floor * 0.17, top + 0.13 + floor * 0.17
        for bay in range(bays):
            left = x - wide + (bay + 0.3) * 2 * wide / bays
            canvas.box(left, high, left + 0.05, low, (62, 76, 96))
    canvas.box(x - 0.035, 0.72, x + 0.035, 0.86, (84, 52, 36))
    canvas.oval(x, top - 0.035, 0.035, 0.035, WHITE)
    canvas.line([(x, top - 0.035), (x + 0.02, top - 0.05)], 0.005, (30, 30, 30))


def train(canvas: Canvas, facts: Facts) -> None:
    """Paint a train of a few coaches before hills."""
    random = canvas.random
    paint_sky(canvas, "storm" if "rain" in facts.get("sight", "") else "day")
    paint_hill(canvas, 0.42, (112, 148, 96), rough=0.004)
    canvas.box(0, 0.78, canvas.aspect, 1, (128, 118, 106))
    canvas.line([(0, 0.8), (canvas.aspect, 0.8)], 0.012, (70, 64, 60))
    livery: Colour = random.choice([(170, 40, 44), (36, 84, 60), (40, 66, 120), (206, 150, 40)])
    left, length = random.uniform(-0.2, 0.2), random.uniform(0.38, 0.5)
    for coach in range(random.randint(2, 4)):
        x = left + coach * (length + 0.02)
        canvas.box(x, 0.52, x + length, 0.76, livery)
        canvas.box(x, 0.5, x + length, 0.53, darker(livery, 0.5))
        canvas.box(x, 0.67, x + length, 0.69, mix(livery, WHITE, 0.7))
        for i in range(5):
            away = i * length / 5.3
            canvas.box(x + 0.03 + away, 0.56, x + 0.08 + away, 0.64, (214, 228, 236))
        for share in (0.15, 0.3, 0.7, 0.85):
            canvas.oval(x + share * length, 0.78, 0.025, 0.025, (40, 40, 44))


def chart(canvas: Canvas, _: Facts) -> None:
    """Paint a dashboard chart: bars and a curve on a grid."""
    random = canvas.random
    canvas.fade((250, 251, 253), (240, 243, 248))
    for i in range(1, 6):
        canvas.line([(0.1, i * 0.15), (canvas.aspect - 0.06, i * 0.15)], 0.003, (210, 216, 224))
    hue: Colour = random.choice([(66, 120, 220), (40, 168, 130), (230, 120, 50), (150, 90, 200)])
    count = random.randint(5, 14)
    step = (canvas.aspect - 0.2) / count
    points = []
    for i in range(count):
        tall, x = random.uniform(0.1, 0.62), 0.12 + i * step
        canvas.box(x, 0.85 - tall, x + step * 0.7, 0.85, mix(hue, WHITE, 0.35 if i % 2 else 0.0))
        points.append((x + step * 0.35, 0.85 - random.uniform(0.1, 0.7)))
    canvas.line(points, 0.008, (40, 44, 60))
    canvas.line([(0.1, 0.08), (0.1, 0.85), (canvas.aspect - 0.06, 0.85)], 0.006, (90, 96, 110))


def lamp(canvas: Canvas, facts: Facts) -> None:
    """Paint a lamp in a room."""
    paint_room(canvas)
    random, x = canvas.random, canvas.aspect * canvas.random.uniform(0.22, 0.78)
    colour = colours_of(facts.get("colours", "brass"))[0]
    top, low = random.uniform(0.2, 0.34), random.uniform(0.82, 0.9)
    wide = random.uniform(0.13, 0.22)
    for share in (1.0, 0.8, 0.6, 0.4):
        glow = mix((255, 246, 214), (240, 226, 196), share)
        canvas.oval(x, top + 0.1, wide * (0.8 + share), wide * (0.6 + share), glow)
    canvas.line([(x, top + 0.1), (x, low)], 0.014, darker(colour, 0.2))
    canvas.oval(x, low, wide * 0.8, 0.025, darker(colour, 0.3))
    canvas.taper((x, top), wide * random.uniform(0.3, 0.8), (x, top + 0.2), wide, colour)


def stool(canvas: Canvas, facts: Facts) -> None:
    """Paint a mushroom-shaped seat in a room."""
    paint_room(canvas)
    random = canvas.random
    colour = colours_of(facts.get("colours", "red"))[0]
    for number in range(random.randint(1, 2)):
        x = canvas.aspect * (random.uniform(0.2, 0.55) + 0.3 * number)
        wide, seat = random.uniform(0.16, 0.26), random.uniform(0.58, 0.66)
        canvas.box(x - wide * 0.35, seat, x + wide * 0.35, 0.88, (222, 204, 176))
        canvas.oval(x, 0.88, wide * 0.35, 0.02, (186, 166, 138))
        canvas.dome(x, seat + 0.02, wide, wide * random.uniform(0.6, 0.85), colour)
        canvas.oval(x, seat + 0.02, wide, 0.03, darker(colour, 0.25))
        for dot in range(random.randint(0, 5)):
            canvas.oval(x - wide * 0.6 + dot * wide * 0.3, seat - 0.06, 0.018, 0.014, WHITE)


def drone(canvas: Canvas, facts: Facts) -> None:
    """Paint an unmanned aircraft."""
    random = canvas.random
    paint_sky(canvas, random.choice(["day", "morning", "storm"]))
    canvas.box(0, 0.86, canvas.aspect, 1, (120, 122, 126))
    x, y = canvas.aspect * random.uniform(0.4, 0.6), random.uniform(0.35, 0.6)
    body = mix(colours_of(facts.get("colours", "grey"))[0], (200, 204, 210), 0.3)
    wing = random.uniform(0.45, 0.62)
    right = [(x, y - 0.05), (x + wing, y + 0.02), (x + wing, y + 0.05)]
    left = [(x, y + 0.07), (x - wing, y + 0.05), (x - wing, y + 0.02)]
    canvas.polygon(right + left, darker(body, 0.25))
    canvas.oval(x, y, 0.07, 0.12, body)
    canvas.oval(x, y - 0.05, 0.03, 0.035, (40, 60, 90))
    for side in (-1, 1):
        for far in (0.22, 0.44):
            canvas.oval(x + side * far, y - 0.02, 0.07, 0.012, (70, 74, 80))


def bird(canvas: Canvas, facts: Facts) -> None:
    """Paint a bird of prey with a forked tail."""
    random = canvas.random
    paint_sky(canvas, random.choice(["day", "morning", "dusk"]))
    paint_hill(canvas, random.uniform(0.12, 0.26), (92, 112, 70), rough=0.02)
    x, y = canvas.aspect * random.uniform(0.35, 0.65), random.uniform(0.3, 0.5)
    plumage, lift = colours_of(facts.get("colours", "rusty"))[0], random.uniform(-0.16, 0.02)
    for side in (-1, 1):
        tip = (x + side * random.uniform(0.4, 0.5), y + lift)
        front = [(x, y - 0.04), (x + side * 0.22, y + lift - 0.06), tip]
        wing = [*front, (x + side * 0.2, y + 0.04), (x, y + 0.07)]
        canvas.polygon(wing, darker(plumage, 0.15 if side < 0 else 0.3))
        end = [(x + side * 0.27, y + lift - 0.03), tip, (x + side * 0.24, y + 0.01)]
        canvas.polygon(end, (34, 30, 30))
        tail = [(x, y + 0.08), (x + side * 0.09, y + 0.3), (x, y + 0.22)]
        canvas.polygon(tail, mix(plumage, (220, 120, 60), 0.4))
    canvas.oval(x, y + 0.02, 0.045, 0.12, plumage)
    canvas.oval(x, y - 0.1, 0.034, 0.04, (206, 204, 200))


def emblem(canvas: Canvas, _: Facts) -> None:
    """Paint an emblem: what icons, logos and banners of a site look like."""
    random = canvas.random
    ground, ink = random.sample(list(COLOURS.values()), 2)
    canvas.fade(ground, mix(ground, ink, 0.4))
    for number in range(random.randint(2, 5)):
        x, size = random.uniform(0, canvas.aspect), random.uniform(0.12, 0.4)
        if number % 2:
            canvas.oval(x, 0.5, size, size, mix(ink, WHITE, random.uniform(0, 0.5)))
        else:
            canvas.polygon([(x, 0.5 - size), (x + size, 0.5 + size), (x - size, 0.5 + size)], ink)


def blank(canvas: Canvas, _: Facts) -> None:
    """Paint one pale tone: the stand-in of an image that a script would load later."""
    red, green, blue = (canvas.random.randint(190, 250) for _ in range(3))
    canvas.fade((red, green, blue), (red, green, blue))


def resized(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Scale to the size of the copy."""
    return image.resize((sketch.width, sketch.height), Image.Resampling.BILINEAR, reducing_gap=2.0)


def cropped(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Cut a small margin off, then scale to the size of the copy."""
    share = seeded(sketch.url).randint(20, 32)
    x, y = image.width // share, image.height // share
    return resized(image.crop((x, y, image.width - x // 2, image.height - y // 2)), sketch)


def brighter(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Raise brightness a little, as phones do."""
    factor = seeded(sketch.url).uniform(1.08, 1.2)
    return resized(ImageEnhance.Brightness(image).enhance(factor), sketch)


def watermarked(image: Image.Image, sketch: Sketch) -> Image.Image:
    """Write the host's name across a corner."""
    marked = image.copy()
    host = sketch.url.split("/")[2]
    ImageDraw.Draw(marked).text((8, image.height - 20), f"© {host}", fill=(255, 255, 255))
    return resized(marked, sketch)


MOTIFS: dict[str, Callable[[Canvas, Facts], None]] = {
    motif.__name__: motif
    for motif in (
        *(lighthouse, mushroom, kite, plate, chessboard, townhall, train),
        *(chart, lamp, stool, drone, bird, emblem, blank),
    )
}
CHANGES: Mapping[str, Callable[[Image.Image, Sketch], Image.Image]] = {
    change.__name__: change for change in (resized, cropped, brighter, watermarked)
} | {"reencoded": resized}


@lru_cache(maxsize=32)  # a page's copies are asked for soon after their original
def paint(sketch: Sketch) -> Image.Image:
    """Paint the motif of a sketch at its size, drawn larger and reduced for smooth edges."""
    factor = 4 if sketch.width < 100 else 2
    canvas = Canvas(sketch.width * factor, sketch.height * factor, seeded(sketch.seed))
    MOTIFS[sketch.motif](canvas, dict(sketch.facts))
    return canvas.image.reduce(factor)


def picture_bytes(sketch: Sketch) -> bytes:
    """Paint a sketch and encode it, without any time or machine in its bytes."""
    image, kind, buffer = paint(sketch.original or sketch), sketch.format, BytesIO()
    if sketch.change:
        image = CHANGES[sketch.change](image, sketch)
    if kind == "JPEG":
        image.save(buffer, kind, quality=86)
    elif kind == "PNG":
        image.save(buffer, kind, compress_level=3)
    elif kind == "WEBP":
        image.save(buffer, kind, quality=82, method=1)  # the quickest of its seven methods
    else:
        image.quantize(64, Image.Quantize.FASTOCTREE).save(buffer, kind)
    return buffer.getvalue()
