"""The main text of a page: what its reader came for, without menus, notices and lists of links.

In: a `Tree`. Out: `MainText`. A logistic model looks at every text block, twice. The first time it
takes long blocks with few links for main text; the second time it takes what the first look found.
So it sees which element holds the text and what text looks like on this page. It knows no word of
any language, only names of classes. training/maintext.py finds the weights.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, filling, unnamed, unnamed_all
from blickfang.page import arrays, tags
from blickfang.page.arrays import Bytes, Ints
from blickfang.page.letters import NEW_LINE
from blickfang.page.main.blocks import (
    BODY,
    Blocks,
    Elements,
    Hashes,
    Layout,
    Page,
    find_blocks,
    page_arrays,
)
from blickfang.page.main.classwords import AUTOMATON, GROUPS, Automaton
from blickfang.page.main.repeated import drop_repeated
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Marks = NDArray[np.uint64]

SEED_WORDS, SEED_LINKS = 10, 0.33  # at the first look: at least so many words, so few in links
HOLDS = 0.6  # the element of the main text is the smallest that holds so much of it
LIKELY = 0.5  # what counts as main text at the second look
KEEP, KEEP_LOW = 0.65, 0.4  # the lower one where the higher leaves
HOPELESS = -0.5  # of the sum of weights: a chance under KEEP_LOW, which nobody asks for
TOO_LITTLE = 0.3  # less than this share of the page's words: forums, lists, products

ZONES = {
    "item": arrays.IN_BODY_ITEM,
    "hidden": arrays.UNSEEN | arrays.ARIA_HIDDEN,
    "main": arrays.IN_MAIN,
    "table": arrays.IN_TABLE,
    "nav": arrays.IN_NAV,
    "aside": arrays.IN_ASIDE,
    "footer": arrays.IN_FOOTER,
    "header": arrays.IN_HEADER,
    "figure": arrays.IN_FIGURE,
}
NEAR_GROUPS = tuple(GROUPS)[:7]  # asked of the owner of a block and the element around it
WAY_SHIFT = 6
WAY_GROUPS = tuple(GROUPS)[
    WAY_SHIFT:
]  # asked of all elements up to the one that holds the main text
NUMBERS = (
    "words",  # logarithm of how many
    "links",  # the share of them in links
    "place",  # the share of the page's words that stand before
    # What follows depends on what was taken for main text before.
    "mass",  # logarithm of the words of main text
    "between",  # the smaller share of the main text before or behind
    "alike",  # the share of main text in the words of the blocks that look alike
)
MARKS = (
    "title",  # not behind the first <h1>
    "heading",  # the owner is h2 … h6,
    "cell",  # td or th,
    "term",  # dd or dt,
    "bare",  # no paragraph, list item, quotation or the like
    *(f"in {zone}" for zone in ZONES),
    *(f"near {group}" for group in NEAR_GROUPS),
    # What follows depends on what was taken for main text before.
    "next",  # the next block is main text
    "inside",  # within the element that holds the main text
    *(f"way {group}" for group in WAY_GROUPS),
)
FEATURES = (*NUMBERS, *MARKS)
WORDS, LINKS, PLACE, MASS, BETWEEN, ALIKE = range(len(NUMBERS))
TITLE = np.uint64(1 << MARKS.index("title"))
ZONE, NEAR, NEXT, INSIDE, WAY = (
    MARKS.index(name)
    for name in ("in item", f"near {NEAR_GROUPS[0]}", "next", "inside", f"way {WAY_GROUPS[0]}")
)
OF_ITSELF = np.uint64((1 << NEXT) - 1)  # marks that no look changes
NEAR_MARKS, WAY_MARKS = (np.uint64((1 << len(groups)) - 1) for groups in (NEAR_GROUPS, WAY_GROUPS))

H1 = TAGS["h1"]


class Model(NamedTuple):
    """What the kernels know beforehand."""

    weights: Floats  # a row for each look, the bias last
    zones: NDArray[np.uint32]  # the flags of each zone
    owners: Marks  # for each tag the mark that it gives
    traits: NDArray[np.uint8]
    automaton: Automaton


class MainText(NamedTuple):
    """The main text, a line for each block; where it stands; how sure the model is of it."""

    text: str
    spans: NDArray[np.int32]  # a row a block: its start and end in the text of the tree
    confidence: float  # mean over its words, 0 where there are none


NO_MAIN_TEXT = MainText("", np.empty((0, 2), np.int32), 0.0)  # where nobody looked for it


class Rows(NamedTuple):
    """The features of blocks."""

    numbers: Floats  # a row for each of NUMBERS
    marks: Marks  # of each block, a bit for each of MARKS


def _make_owners() -> Marks:
    owners = np.full(256, 1 << MARKS.index("bare"), np.uint64)
    for names, mark in (
        ("h2 h3 h4 h5 h6", 1 << MARKS.index("heading")),
        ("td th", 1 << MARKS.index("cell")),
        ("dd dt", 1 << MARKS.index("term")),
        ("p h1 li blockquote pre figcaption", 0),
    ):
        owners[[TAGS[name] for name in names.split()]] = mark
    return owners


def make_model(looks: list[dict[str, float]]) -> Model:
    """Return the model with these weights: for each look those of the features, and "bias"."""
    rows = [[look[name] for name in [*FEATURES, "bias"]] for look in looks]
    return Model(
        np.array(rows, np.float64).reshape(len(looks), len(FEATURES) + 1),
        np.array(list(ZONES.values()), np.uint32),
        _make_owners(),
        tags.TRAITS,
        AUTOMATON,
    )


@compiled
def sum_before(values: NDArray[np.float32]) -> Floats:
    """Return for each place the sum of the values before it, and behind them the sum of all."""
    sums = np.zeros(len(values) + 1, np.float64)
    for k in range(len(values)):
        sums[k + 1] = sums[k] + values[k]
    return sums


@compiled
def describe_blocks(layout: Layout, model: Model) -> Rows:
    """Return the features of each block; those that depend on the look are still to come."""
    blocks, elements = layout
    n = len(blocks.owner)
    numbers, marks = np.empty((len(NUMBERS), n), np.float64), np.empty(n, np.uint64)
    before = sum_before(blocks.words)
    for b in range(n):
        owner, words = blocks.owner[b], blocks.words[b]
        numbers[WORDS, b] = np.log1p(words)
        numbers[LINKS, b] = blocks.links[b] / max(words, np.float32(1))
        numbers[PLACE, b] = before[b] / max(before[n], 1.0)
        own = model.owners[elements.tag[owner]]
        for z in range(len(model.zones)):
            inside = np.uint64(elements.flags[owner] & model.zones[z] != 0)
            own |= inside << np.uint64(ZONE + z)
        groups = np.uint64(elements.groups[owner] | elements.groups[elements.up[owner]])
        marks[b] = own | (groups & NEAR_MARKS) << np.uint64(NEAR)
    for b in range(find_title(layout) + 1):
        marks[b] |= TITLE
    return Rows(numbers, marks)


@compiled
def find_title(layout: Layout) -> int:
    """Return the first block that is an <h1>, -1 where there is none."""
    for b, owner in enumerate(layout.blocks.owner):
        if layout.elements.tag[owner] == H1:
            return b
    return -1


@compiled
def find_holder(elements: Elements, before: Floats) -> int:
    """Return the smallest element that holds most of the mass; <body> where there is none."""
    total = before[-1]
    holder = 0
    for e in range(len(elements.node)):  # those that hold more than half lie in each other
        if total > 0:
            if before[elements.last[e]] - before[elements.first[e]] >= HOLDS * total:
                holder = e
        elif elements.tag[e] == BODY:
            holder = e
    return holder


@compiled
def walk_groups(elements: Elements, holder: int) -> NDArray[np.uint16]:
    """Return for each element the groups met on the way up to the holder, or to the top."""
    groups = np.zeros(len(elements.node), np.uint16)
    for e in range(1, len(elements.node)):
        if e != holder:
            groups[e] = elements.groups[e] | groups[elements.up[e]]
    return groups


@compiled
def sum_styles(styles: Ints, values: NDArray[np.float32]) -> Floats:
    """Return for each style the sum of the values of its blocks."""
    sums = np.zeros(len(values), np.float64)
    for b in range(len(values)):
        sums[styles[b]] += values[b]
    return sums


@compiled
def describe_places(layout: Layout, mass: NDArray[np.float32], rows: Rows) -> None:
    """Write down the features that depend on what was taken for main text before."""
    blocks, elements = layout
    numbers, n = rows.numbers, len(mass)
    before = sum_before(mass)
    holder = find_holder(elements, before)
    ways = walk_groups(elements, holder)
    style_mass = sum_styles(blocks.style, mass)
    style_words = sum_styles(blocks.style, blocks.words)
    numbers[MASS] = np.log1p(before[n]) / 8
    for b in range(n):
        style = blocks.style[b]
        numbers[BETWEEN, b] = min(before[b], before[n] - before[b + 1]) / max(before[n], 1.0)
        others = style_words[style] - blocks.words[b]
        numbers[ALIKE, b] = (style_mass[style] - mass[b]) / others if others > 0 else 0
        following = np.uint64(b + 1 < n and mass[b + 1] > 0)
        inside = np.uint64(elements.first[holder] <= b < elements.last[holder])
        way = np.uint64(ways[blocks.owner[b]] >> np.uint16(WAY_SHIFT)) & WAY_MARKS
        own = (following << np.uint64(NEXT)) | (inside << np.uint64(INSIDE))
        rows.marks[b] = rows.marks[b] & OF_ITSELF | own | way << np.uint64(WAY)


@compiled
def seed_mass(blocks: Blocks) -> NDArray[np.float32]:
    """Return how much main text each block has at first sight: long ones with few links."""
    mass = np.zeros(len(blocks.words), np.float32)
    for b in range(len(mass)):
        words, links = blocks.words[b], blocks.links[b]
        if words >= SEED_WORDS and links < SEED_LINKS * words:
            mass[b] = words - links
    return mass


@compiled
def expect_mass(blocks: Blocks, chances: Floats) -> NDArray[np.float32]:
    """Return how much main text each block has by what the model says."""
    mass = np.zeros(len(chances), np.float32)
    for b in range(len(mass)):
        if chances[b] > LIKELY:
            mass[b] = chances[b] * (blocks.words[b] - blocks.links[b])
    return mass


@compiled
def weigh(rows: Rows, weights: Floats) -> Floats:
    """Return for each block the chance that it is main text.

    Feature by feature, so that many blocks are weighed at once; most marks no block of a page has.
    """
    n = len(rows.marks)
    totals = np.full(n, weights[len(FEATURES)])
    for f in range(len(NUMBERS)):
        for b in range(n):
            totals[b] += weights[f] * rows.numbers[f, b]
    seen = np.uint64(0)
    for b in range(n):
        seen |= rows.marks[b]
    for m in range(len(MARKS)):
        weight, bit = weights[len(NUMBERS) + m], np.uint64(1) << np.uint64(m)
        if seen & bit:
            for b in range(n):
                totals[b] += weight if rows.marks[b] & bit else 0.0
    for b in range(n):
        totals[b] = 1 / (1 + np.exp(-totals[b])) if totals[b] > HOPELESS else 0.0
    return totals


@compiled
def choose(blocks: Blocks, hashes: Hashes, chances: Floats) -> Flags:
    """Return which blocks are kept."""
    every = kept = 0.0
    for b in range(len(chances)):
        plain = blocks.words[b] - blocks.links[b]
        every += plain
        kept += plain if chances[b] >= KEEP else 0
    keep = chances >= (KEEP if kept >= TOO_LITTLE * every else KEEP_LOW)
    drop_repeated(blocks, hashes, keep)
    return keep


@compiled
def cut_spans(blocks: Blocks, keep: Flags) -> NDArray[np.int32]:
    """Return where the kept blocks stand in the text."""
    spans = np.empty((len(keep), 2), np.int32)
    k = 0
    for b in range(len(keep)):
        if keep[b]:
            spans[k, 0], spans[k, 1] = blocks.start[b], blocks.end[b]
            k += 1
    return spans[:k].copy()


@compiled
def average(blocks: Blocks, keep: Flags, chances: Floats) -> float:
    """Return the mean chance of the kept words."""
    total = words = 0.0
    for b in range(len(keep)):
        if keep[b]:
            total += chances[b] * blocks.words[b]
            words += blocks.words[b]
    return total / words if words > 0 else 0.0


@compiled
def pick_blocks(page: Page, model: Model) -> tuple[NDArray[np.int32], float]:
    """Return the spans of the main text and how sure the model is of it."""
    page = Page(*page)
    model = Model(model[0], model[1], model[2], model[3], Automaton(*model[4]))
    layout = find_blocks(page, model.traits, model.automaton)
    blocks = layout.blocks
    rows = describe_blocks(layout, model)
    mass = seed_mass(blocks)
    chances = np.zeros(0, np.float64)
    for look in range(len(model.weights)):
        describe_places(layout, mass, rows)
        chances = weigh(rows, model.weights[look])
        mass = expect_mass(blocks, chances)
    keep = choose(blocks, page.hashes, chances)
    return cut_spans(blocks, keep), average(blocks, keep, chances)


@filling
def join_blocks(text: Bytes, spans: Ints, room: Bytes) -> Integer:
    """Write the kept blocks, a line each, into some room; return how many bytes."""
    size: Integer = 0
    for k in range(len(spans)):
        start, end = np.int64(spans[k, 0]), np.int64(spans[k, 1])
        if k:
            room[np.uint64(size)] = NEW_LINE
            size += 1
        for i in range(end - start):
            room[np.uint64(size + i)] = text[np.uint64(start + i)]
        size += end - start
    return size


@cache
def load_model() -> Model:
    """Return the model that training/maintext.py has written."""
    path = Path(__file__).with_name("weights.json")
    return make_model(json.loads(path.read_text(encoding="utf-8")))


@cache
def load_plain_model() -> Model:
    """Return the same as kernels are given it."""
    return unnamed_all(load_model())


def find_main_text(tree: Tree) -> MainText:
    """Return the main text of a page; it may be empty."""
    spans, confidence = pick_blocks(unnamed(page_arrays(tree)), load_plain_model())
    letters = tree.letters
    size = join_blocks(letters.text, spans, letters.room)
    text = str(letters.room[:size].data, "utf-8", "replace")
    return MainText(text.replace("\x01", "") if letters.has_cuts else text, spans, confidence)
