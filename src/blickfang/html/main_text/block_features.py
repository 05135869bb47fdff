"""What the model of the main text is told about each block: its features, as numbers and marks.

In: blocks and elements of a page; what was taken for main text before. Out: `Rows`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling, inlined
from blickfang.html.main_text import scratch as rooms
from blickfang.html.main_text.class_words import GROUPS
from blickfang.html.main_text.scratch import MainTextScratch
from blickfang.html.main_text.text_blocks import BODY, Elements, PageBlocks
from blickfang.html.parse import page_arrays
from blickfang.html.parse.page_arrays import Ints
from blickfang.html.parse.tags import TAGS

Floats = NDArray[np.float64]
Marks = NDArray[np.uint64]
Masses = NDArray[np.float32]
Groups = NDArray[np.uint16]
Zones = NDArray[np.uint32]

HOLDS = 0.6  # the element of the main text is the smallest that holds so much of it

ZONES = {
    "item": page_arrays.IN_BODY_ITEM,
    "hidden": page_arrays.UNSEEN | page_arrays.ARIA_HIDDEN,
    "main": page_arrays.IN_MAIN,
    "table": page_arrays.IN_TABLE,
    "nav": page_arrays.IN_NAV,
    "aside": page_arrays.IN_ASIDE,
    "footer": page_arrays.IN_FOOTER,
    "header": page_arrays.IN_HEADER,
    "figure": page_arrays.IN_FIGURE,
}
NEAR_GROUPS = tuple(GROUPS)[:7]  # asked of the owner of a block and the element around it
WAY_SHIFT = 6
WAY_GROUPS = tuple(GROUPS)[WAY_SHIFT:]  # of all elements up to the one that holds the main text
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


class BlockFeatures(NamedTuple):
    """The features of blocks, and what follows from them."""

    numbers: Floats  # a row for each of NUMBERS
    marks: Marks  # of each block, a bit for each of MARKS
    mass: Masses  # how much main text it has, as far as is known
    chances: Floats  # that it is main text


def make_owners() -> Marks:
    """Return for each tag the mark that a block has by its owner's."""
    owners = np.full(256, 1 << MARKS.index("bare"), np.uint64)
    for names, mark in (
        ("h2 h3 h4 h5 h6", 1 << MARKS.index("heading")),
        ("td th", 1 << MARKS.index("cell")),
        ("dd dt", 1 << MARKS.index("term")),
        ("p h1 li blockquote pre figcaption", 0),
    ):
        owners[[TAGS[name] for name in names.split()]] = mark
    return owners


def take_rows(room: MainTextScratch, n: int) -> BlockFeatures:
    """Return where the features of n blocks stand in the room."""
    return BlockFeatures(
        room.doubles[rooms.FEATURES_AT : rooms.FEATURES_AT + rooms.NUMBERS, :n],
        room.hashes[rooms.MARKS, :n],
        room.floats[rooms.MASS, :n],
        room.doubles[rooms.CHANCE, :n],
    )


look_at_rows = inlined(take_rows)


@inlined
def sum_before(values: NDArray[np.float32], sums: Floats) -> float:
    """Write for each place the sum of the values before it, and behind them the sum of all."""
    total = 0.0
    for k in range(len(values)):
        sums[k] = total
        total += values[k]
    sums[len(values)] = total
    return total


@filling
def describe_blocks(layout: PageBlocks, zones: Zones, owners: Marks, room: MainTextScratch) -> None:
    """Write the features of each block; those that depend on the look are still to come."""
    blocks, elements = layout
    n = len(blocks.owner)
    numbers, marks, _, _ = look_at_rows(room, n)
    before = room.doubles[rooms.WORDS_BEFORE]
    every = max(sum_before(blocks.words, before), 1.0)
    for b in range(n):
        owner, words = blocks.owner[b], blocks.words[b]
        numbers[WORDS, b] = np.log1p(words)
        numbers[LINKS, b] = blocks.links[b] / max(words, np.float32(1))
        numbers[PLACE, b] = before[b] / every
        own = owners[elements.tag[owner]]
        for z in range(len(zones)):
            inside = np.uint64(elements.flags[owner] & zones[z] != 0)
            own |= inside << np.uint64(ZONE + z)
        groups = np.uint64(elements.groups[owner] | elements.groups[elements.up[owner]])
        marks[b] = own | (groups & NEAR_MARKS) << np.uint64(NEAR)
    for b in range(find_title(layout) + 1):
        marks[b] |= TITLE


@inlined
def find_title(layout: PageBlocks) -> int:
    """Return the first block that is an <h1>, -1 where there is none."""
    for b in range(len(layout.blocks.owner)):
        if layout.elements.tag[layout.blocks.owner[b]] == H1:
            return b
    return -1


@inlined
def find_holder(elements: Elements, before: Floats, total: float) -> int:
    """Return the smallest element that holds most of the mass; <body> where there is none."""
    holder = 0
    for e in range(len(elements.node)):  # those that hold more than half lie in each other
        if total > 0:
            if before[elements.last[e]] - before[elements.first[e]] >= HOLDS * total:
                holder = e
        elif elements.tag[e] == BODY:
            holder = e
    return holder


@inlined
def walk_groups(elements: Elements, holder: int, ways: Groups) -> None:
    """Write for each element the groups met on the way up to the holder, or to the top."""
    ways[0] = 0
    for e in range(1, len(elements.node)):
        met = elements.groups[e] | ways[elements.up[e]]
        ways[e] = met if e != holder else np.uint16(0)


@inlined
def sum_styles(styles: Ints, values: Masses, sums: Floats) -> None:
    """Write for each style the sum of the values of its blocks."""
    sums[: len(values)] = 0
    for b in range(len(values)):
        sums[styles[b]] += values[b]


@filling
def describe_places(layout: PageBlocks, room: MainTextScratch) -> None:
    """Write down the features that depend on what was taken for main text before."""
    blocks, elements = layout
    n = len(blocks.owner)
    numbers, marks, mass, _ = look_at_rows(room, n)
    before, ways = room.doubles[rooms.MASS_BEFORE], room.groups[rooms.WAYS]
    style_mass, style_words = room.doubles[rooms.STYLE_MASS], room.doubles[rooms.STYLE_WORDS]
    total = sum_before(mass, before)
    every, whole = max(total, 1.0), np.log1p(total) / 8
    holder = find_holder(elements, before, total)
    walk_groups(elements, holder, ways)
    sum_styles(blocks.style, mass, style_mass)
    sum_styles(blocks.style, blocks.words, style_words)
    for b in range(n):
        style = blocks.style[b]
        numbers[MASS, b] = whole
        numbers[BETWEEN, b] = min(before[b], total - before[b + 1]) / every
        others = style_words[style] - blocks.words[b]
        numbers[ALIKE, b] = (style_mass[style] - mass[b]) / others if others > 0 else 0
        following = np.uint64(b + 1 < n and mass[b + 1] > 0)
        inside = np.uint64(elements.first[holder] <= b < elements.last[holder])
        way = np.uint64(ways[blocks.owner[b]] >> np.uint16(WAY_SHIFT)) & WAY_MARKS
        own = (following << np.uint64(NEXT)) | (inside << np.uint64(INSIDE))
        marks[b] = marks[b] & OF_ITSELF | own | way << np.uint64(WAY)
