"""The sections of a page that are nearest to an image, under the rules of the layout method.

In: a `Scene`: sections sorted by height, and images. Out: for each image the sections of least
cost, until they have enough characters. The search begins at the height of the image and goes up
and down; it ends when nothing farther away can be better.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

X, Y, HALF_WIDTH, HALF_HEIGHT, GAP = range(5)  # rows of a box: its centre, half its size, its gap
# Of a page with more sections at the height of an image, only those next to it are looked at:
# 50,000 images in a single row stay linear.
MOST_LOOKED = 2000
# The text above and the text below both touch an image: a trace of the distance between centres
# decides. With it the right text comes first for 70 % of the captions, without for 50 %.
TIE = 0.01


class Scene(NamedTuple):
    """The boxes as the search reads them; sections by height, images as asked for."""

    order: Ints  # the number of each section
    section: Floats  # five rows: X and its neighbours
    characters: Ints
    bonus: Floats  # what its relevance takes from the cost of a section
    image: Floats  # five rows, as of the sections
    home: Ints  # which section by height holds the image, or -1
    at: NDArray[np.int64]  # which section by height is the next below the image


class LayoutRules(NamedTuple):
    """The options as the search reads them."""

    edge: bool
    weight: float  # of the distance
    reach: float  # half the height of the highest section, where edges count
    best_bonus: float
    max_characters: int
    min_characters: int
    max_widths: float
    min_image: float


class NearestSections(NamedTuple):
    """One row an image: sections in the order of their costs, how many, and whether too far."""

    section: Ints
    distance: Floats
    cost: Floats
    counts: Ints
    beyond: NDArray[np.bool_]


@inlined
def measure(scene: Scene, rules: LayoutRules, i: Integer, s: Integer) -> float:
    """Return the distance between image and section: between centres or edges, and separators."""
    section, image = scene.section, scene.image
    dx, dy = abs(section[X, s] - image[X, i]), abs(section[Y, s] - image[Y, i])
    tie = 0.0
    if rules.edge:
        tie = TIE * np.sqrt(dx * dx + dy * dy)
        dx = max(dx - section[HALF_WIDTH, s] - image[HALF_WIDTH, i], 0.0)
        dy = max(dy - section[HALF_HEIGHT, s] - image[HALF_HEIGHT, i], 0.0)
    return float(tie + np.sqrt(dx * dx + dy * dy) + abs(section[GAP, s] - image[GAP, i]))


@inlined
def insert(
    scene: Scene, found: NearestSections, row: Integer, s: Integer, price: tuple[float, float]
) -> None:
    """Put a section among the others, by its cost; where no room is left the last falls out."""
    cost, distance = price
    at = min(found.counts[row], found.section.shape[1] - 1)
    found.counts[row] = at + 1
    while at > 0:
        other = found.section[row, at - 1]
        if not precedes(scene, cost, s, found.cost[row, at - 1], other):
            break
        found.section[row, at], found.cost[row, at] = other, found.cost[row, at - 1]
        found.distance[row, at] = found.distance[row, at - 1]
        at -= 1
    found.section[row, at], found.cost[row, at], found.distance[row, at] = s, cost, distance


@inlined
def precedes(scene: Scene, cost: float, new: Integer, other: float, old: Integer) -> bool:
    """Whether a section goes before another: it costs less, or as much and comes first."""
    return bool(cost < other or (cost == other and scene.order[new] < scene.order[old]))


@inlined
def cut(scene: Scene, rules: LayoutRules, found: NearestSections, row: Integer) -> bool:
    """Drop what is no longer needed; return whether there are enough characters."""
    characters = 0
    for j in range(found.counts[row]):
        characters += scene.characters[found.section[row, j]]
        if characters >= rules.max_characters:
            found.counts[row] = j + 1
            return True
    return False


@inlined
def next_section(scene: Scene, below: Integer, above: Integer, y: float) -> tuple[Integer, float]:
    """Return the next section by height, up or down, and how far it is; -1 where none is left."""
    down = scene.section[Y, below] - y if below < len(scene.order) else np.inf
    up = y - scene.section[Y, above] if above >= 0 else np.inf
    if np.isinf(down) and np.isinf(up):
        return np.int64(-1), np.inf
    return (below, down) if down <= up else (above, up)


@inlined
def search(
    scene: Scene, rules: LayoutRules, found: NearestSections, row: Integer, i: Integer
) -> None:
    """Find the sections of least cost: from the height of the image up and down."""
    below, above = scene.at[i], scene.at[i] - 1
    enough, home = False, scene.home[i]
    if home >= 0:
        insert(scene, found, row, home, (-scene.bonus[home], 0.0))
        enough = cut(scene, rules, found, row)
    reach = rules.reach + (scene.image[HALF_HEIGHT, i] if rules.edge else 0.0)
    for _ in range(MOST_LOOKED):
        s, far = next_section(scene, below, above, scene.image[Y, i])
        if s < 0:
            return
        worst = found.cost[row, found.counts[row] - 1] if enough else np.inf
        if max(far - reach, 0.0) * rules.weight - rules.best_bonus > worst:
            return
        below += s == below
        above -= s == above
        distance = measure(scene, rules, i, s)
        cost = distance * rules.weight - scene.bonus[s]
        if s != home and cost <= worst:
            insert(scene, found, row, s, (cost, distance))
            enough = cut(scene, rules, found, row)


@inlined
def settle(
    scene: Scene, rules: LayoutRules, found: NearestSections, row: Integer, limit: float
) -> None:
    """Keep what is near enough; beyond the limit only as much as the minimum asks for."""
    characters = count = 0
    beyond = False
    for j in range(found.counts[row]):
        if found.distance[row, j] > limit:
            if characters >= rules.min_characters:
                break
            beyond = True
        characters += scene.characters[found.section[row, j]]
        found.section[row, j] = scene.order[found.section[row, j]]
        count += 1
    found.counts[row], found.beyond[row] = count, beyond


@filling
def choose_sections(
    scene: Scene, rules: LayoutRules, found: NearestSections, first: Integer
) -> None:
    """Find the sections of some images, from the first on."""
    for row in range(len(found.counts)):
        i = first + row
        found.counts[row], found.beyond[row] = 0, False
        width, height = 2 * scene.image[HALF_WIDTH, i], 2 * scene.image[HALF_HEIGHT, i]
        if min(width, height) >= rules.min_image:
            search(scene, rules, found, row, i)
            settle(scene, rules, found, row, rules.max_widths * width)
