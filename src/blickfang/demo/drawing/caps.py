"""Mushrooms, painted: the facts of a species go in, its fruit bodies in a wood are painted."""

import math

from blickfang.demo.drawing.landscape import (
    Canvas,
    Colour,
    Facts,
    Point,
    colours_of,
    darker,
    mix,
    paint_wood,
)

GROUPS = {"single": 1, "pair": 2, "three": 3, "troop": 5, "cluster": 6}
FLOORS: dict[str, Colour] = {
    "moss": (84, 118, 52), "leaves": (132, 88, 48), "floor": (98, 82, 52), "grass": (92, 142, 62),
    "stump": (110, 90, 64),
}  # fmt: skip


HEIGHTS = {
    "conical": 1.15, "bell-shaped": 1.0, "convex": 0.72, "flat": 0.32, "funnel-shaped": 0.18,
}  # fmt: skip
SPOTS: dict[str, Colour] = {
    "white": (250, 248, 238), "pale": (214, 196, 160), "dark": (62, 44, 36),
}  # fmt: skip
PALE: Colour = (236, 224, 198)


def mushroom(canvas: Canvas, facts: Facts) -> None:
    """Paint one or more fruit bodies on a forest floor."""
    random = canvas.random
    floor = next(
        (FLOORS[w] for w in facts.get("ground", "").split() if w in FLOORS), FLOORS["floor"]
    )
    paint_wood(canvas, floor)
    count = next((GROUPS[w] for w in facts.get("group", "").split() if w in GROUPS), 1)
    size = {1: 0.30, 2: 0.22, 3: 0.18}.get(count, 0.14)
    places = [canvas.aspect * (i + 0.5 + random.uniform(-0.22, 0.22)) / count for i in range(count)]
    random.shuffle(places)
    for x in places:
        paint_fruit_body(
            canvas, facts, (x, random.uniform(0.82, 0.95)), size * random.uniform(0.75, 1.1)
        )
    for _ in range(30):
        x, tall = random.uniform(0, canvas.aspect), random.uniform(0.03, 0.1)
        blade = mix(floor, (150, 190, 80), random.uniform(0.1, 0.6))
        canvas.line([(x, 1.0), (x + random.uniform(-0.03, 0.03), 1.0 - tall)], 0.005, blade)


def paint_fruit_body(canvas: Canvas, facts: Facts, foot: Point, size: float) -> None:
    """Paint one mushroom: a leaning stem, perhaps with bulb and ring, and its cap."""
    x, bottom = foot
    stem = facts.get("stem", "")
    tall = size * canvas.random.uniform(1.3, 1.7)
    thick = size * (0.24 if "stout" in stem else 0.14)
    crown = (x + canvas.random.uniform(-0.12, 0.12) * size, bottom - tall)
    canvas.taper(crown, thick * 0.8, foot, thick, PALE)
    shade = (crown[0] + thick * 0.5, crown[1]), (x + thick * 0.65, bottom)
    canvas.taper(shade[0], thick * 0.3, shade[1], thick * 0.35, darker(PALE, 0.15))
    bulb = 1.5 if "bulbous" in stem else 1.0
    canvas.oval(x, bottom, thick * bulb, thick * 0.5, darker(PALE, 0.1))
    if "ring" in stem:
        canvas.oval(crown[0], crown[1] + tall * 0.3, thick * 1.5, thick * 0.4, darker(PALE, 0.08))
    paint_cap(canvas, facts, crown, size)


def paint_cap(canvas: Canvas, facts: Facts, crown: Point, size: float) -> None:
    """Paint a cap in its shape, with gills below and spots above."""
    x, y = crown
    shape = facts.get("shape", "convex")
    high = HEIGHTS[shape] * size
    gills = colours_of(facts.get("gills", "cream"))[0]
    if shape == "funnel-shaped":
        y -= size * 0.45
        canvas.taper((x, y), size, (x, y + size * 0.65), size * 0.15, gills)
    canvas.oval(x, y, size, size * 0.16, darker(gills, 0.45))
    canvas.oval(x, y, size * 0.9, size * 0.14, darker(gills, 0.2))
    weather = canvas.random.choice([(255, 255, 255), (30, 20, 20)])  # rain fades, age darkens
    colour = mix(colours_of(facts.get("cap", ""))[0], weather, canvas.random.uniform(0, 0.12))
    if shape == "conical":
        canvas.taper((x, y - high), size * 0.1, (x, y - high * 0.5), size * 0.58, colour)
        canvas.taper((x, y - high * 0.5), size * 0.58, (x, y), size, colour)
    canvas.dome(x, y, size, high * (0.6 if shape == "conical" else 1.0), colour)
    gloss = mix(colour, (255, 255, 255), 0.3)
    canvas.oval(x - size * 0.35, y - high * 0.62, size * 0.2, high * 0.14, gloss)
    paint_spots(canvas, facts.get("spots", "no"), (x, y), (size, high))


def paint_spots(canvas: Canvas, spots: str, crown: Point, reach: Point) -> None:
    """Paint warts, scales or flecks on a cap."""
    if spots.startswith("no"):
        return
    fill = SPOTS[spots.split()[0]]
    (x, y), (wide, high) = crown, reach
    for _ in range(canvas.random.randint(7, 14)):
        angle, far = canvas.random.uniform(0.25, 2.9), canvas.random.uniform(0.15, 0.85)
        dot = wide * canvas.random.uniform(0.04, 0.1)
        right, up = wide * far * math.cos(angle), high * far * math.sin(angle) * 0.95
        canvas.oval(x + right, y - up, dot, dot * 0.75, fill)
