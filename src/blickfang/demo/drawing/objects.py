"""Motifs of the off-topic sites, painted: plates, chess boards, town halls, trains, charts, …"""

import math

from blickfang.demo.drawing.landscape import (
    COLOURS,
    Canvas,
    Colour,
    Facts,
    colours_of,
    darker,
    mix,
    paint_hill,
    paint_room,
    paint_sky,
)

WHITE: Colour = (250, 250, 248)


def plate(canvas: Canvas, facts: Facts) -> None:
    """Paint a plate with food on a table, seen from above."""
    random, x = canvas.random, canvas.aspect / 2
    table: Colour = random.choice([(150, 108, 70), (90, 70, 60), (206, 198, 186), (120, 140, 130)])
    canvas.fade(table, darker(table, 0.25))
    paint_cloth(canvas, table)
    x += random.uniform(-0.12, 0.12)
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


def paint_cloth(canvas: Canvas, table: Colour) -> None:
    """Paint the boards of a table, or a checked cloth on it."""
    random = canvas.random
    if random.random() < 0.5:
        for i in range(1, 5):
            canvas.line([(0, i / 5), (canvas.aspect, i / 5 + 0.01)], 0.004, darker(table, 0.3))
        return
    check, size = random.choice(list(COLOURS.values())), random.choice([0.08, 0.12, 0.2])
    for row in range(round(1 / size) + 1):
        for column in range(row % 2, round(canvas.aspect / size) + 1, 2):
            left, top = column * size, row * size
            canvas.box(left, top, left + size, top + size, mix(check, table, 0.4))


def chessboard(canvas: Canvas, _: Facts) -> None:
    """Paint a board with some men on it."""
    random = canvas.random
    dark: Colour = random.choice([(118, 82, 56), (82, 120, 88), (86, 102, 138), (110, 60, 60)])
    light = mix(dark, (250, 240, 220), 0.75)
    canvas.fade(darker(dark, 0.5), darker(dark, 0.7))
    side, left = 0.88 / 8, canvas.aspect / 2 - 0.44
    for row in range(8):
        for column in range(8):
            x, y = left + column * side, 0.06 + row * side
            canvas.box(x, y, x + side, y + side, light if (row + column) % 2 == 0 else dark)
    squares = random.sample(range(64), random.randint(7, 24))
    for number, square in enumerate(squares):
        x, y = left + (square % 8 + 0.5) * side, 0.06 + (square // 8 + 0.5) * side
        paint_man(canvas, x, y, side, WHITE if number % 2 else (34, 32, 36), number % 3)


def paint_man(canvas: Canvas, x: float, y: float, side: float, fill: Colour, rank: int) -> None:
    """Paint one chess man; a higher rank is taller and wears a crown."""
    tall = side * (0.22 + 0.06 * rank)
    canvas.box(x - side * 0.26, y + side * 0.24, x + side * 0.26, y + side * 0.36, fill)
    canvas.polygon(
        [(x, y - tall), (x + side * 0.2, y + side * 0.26), (x - side * 0.2, y + side * 0.26)], fill
    )
    canvas.oval(x, y - tall, side * 0.14, side * 0.14, fill)
    if rank == 2:
        canvas.box(
            x - side * 0.16, y - tall - side * 0.14, x + side * 0.16, y - tall - side * 0.04, fill
        )


def townhall(canvas: Canvas, _: Facts) -> None:
    """Paint a town hall with windows, a gable and a clock."""
    random, x = canvas.random, canvas.aspect / 2
    x += random.uniform(-0.2, 0.2)
    paint_sky(canvas, random.choice(["day", "morning", "storm"]))
    canvas.box(0, 0.84, canvas.aspect, 1, (150, 146, 140))
    wall: Colour = random.choice([(204, 170, 130), (176, 96, 76), (226, 216, 196), (188, 190, 186)])
    floors, bays = random.randint(2, 3), random.randint(4, 8)
    wide, top = 0.36 + 0.03 * bays, 0.84 - 0.17 * floors
    canvas.box(x - wide, top, x + wide, 0.86, wall)
    canvas.polygon(
        [(x - wide - 0.04, top), (x, top - random.uniform(0.1, 0.22)), (x + wide + 0.04, top)],
        darker(wall, 0.5),
    )
    for floor in range(floors):
        for bay in range(bays):
            left = x - wide + (bay + 0.3) * 2 * wide / bays
            canvas.box(
                left,
                top + 0.04 + floor * 0.17,
                left + 0.05,
                top + 0.13 + floor * 0.17,
                (62, 76, 96),
            )
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
            canvas.box(
                x + 0.03 + i * length / 5.3,
                0.56,
                x + 0.08 + i * length / 5.3,
                0.64,
                (214, 228, 236),
            )
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
    top, low, wide = (
        random.uniform(0.2, 0.34),
        random.uniform(0.82, 0.9),
        random.uniform(0.13, 0.22),
    )
    for share in (1.0, 0.8, 0.6, 0.4):
        glow = mix((255, 246, 214), (240, 226, 196), share)
        canvas.oval(x, top + 0.1, wide * (0.8 + share), wide * (0.6 + share), glow)
    canvas.line([(x, top + 0.1), (x, low)], 0.014, darker(colour, 0.2))
    canvas.oval(x, low, wide * 0.8, 0.025, darker(colour, 0.3))
    slope = random.uniform(0.3, 0.8)
    canvas.polygon(
        [
            (x - wide * slope, top),
            (x + wide * slope, top),
            (x + wide, top + 0.2),
            (x - wide, top + 0.2),
        ],
        colour,
    )


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
    canvas.polygon(
        [
            (x, y - 0.05),
            (x + wing, y + 0.02),
            (x + wing, y + 0.05),
            (x, y + 0.07),
            (x - wing, y + 0.05),
            (x - wing, y + 0.02),
        ],
        darker(body, 0.25),
    )
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
        canvas.polygon(
            [
                (x, y - 0.04),
                (x + side * 0.22, y + lift - 0.06),
                tip,
                (x + side * 0.2, y + 0.04),
                (x, y + 0.07),
            ],
            darker(plumage, 0.15 if side < 0 else 0.3),
        )
        canvas.polygon(
            [(x + side * 0.27, y + lift - 0.03), tip, (x + side * 0.24, y + 0.01)], (34, 30, 30)
        )
        canvas.polygon(
            [(x, y + 0.08), (x + side * 0.09, y + 0.3), (x, y + 0.22)],
            mix(plumage, (220, 120, 60), 0.4),
        )
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
