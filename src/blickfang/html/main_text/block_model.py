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

from blickfang.compute.kernels import Integer, filling, inlined, unnamed, unnamed_all
from blickfang.html.main_text.block_features import (
    FEATURES,
    MARKS,
    NUMBERS,
    ZONES,
    BlockFeatures,
    Floats,
    Marks,
    Masses,
    Zones,
    describe_blocks,
    describe_places,
    look_at_rows,
    make_owners,
)
from blickfang.html.main_text.class_words import AUTOMATON, Automaton
from blickfang.html.main_text.scratch import MainTextScratch, take_room
from blickfang.html.main_text.text_blocks import (
    BlockArrays,
    Blocks,
    Hashes,
    find_blocks,
    look_at,
    page_arrays,
)
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import Bytes, Ints
from blickfang.html.parse.page_strings import NEW_LINE
from blickfang.html.parse.tree import Tree
from blickfang.text.words import MULTIPLIER

Flags = NDArray[np.bool_]

REPEATED_WORDS, REPEATED = 50, 0.8  # a block as long, so much of which was said before, is dropped


@inlined
def find_shingle(
    hashes: Hashes, w: int, table: Hashes, size: Integer
) -> tuple[np.uint64, np.uint64]:
    """Return the hash of four words and its place in a table, or the free one where it belongs."""
    h = np.uint64(0)
    for k in range(4):
        h = (h ^ hashes[np.uint64(w + k)]) * MULTIPLIER
    h |= np.uint64(1)  # 0 is a free place
    last = np.uint64(size - 1)
    slot = (h >> np.uint64(32)) & last
    while table[slot] != h and table[slot] != np.uint64(0):
        slot = (slot + np.uint64(1)) & last
    return h, slot


@inlined
def clear_table(blocks: Blocks, keep: Flags, table: Hashes) -> int:
    """Clear as much of a table as the words of all kept blocks need; 0 if none can be repeated."""
    words = size = 0
    for b in range(len(keep)):
        if keep[b]:
            count = blocks.last_word[b] - blocks.first_word[b]
            if words and count >= REPEATED_WORDS:
                size = 64
            words += count
    while 0 < size < 2 * words:
        size *= 2
    table[:size] = 0
    return size


@inlined
def drop_repeated(blocks: Blocks, hashes: Hashes, keep: Flags, table: Hashes) -> None:
    """Drop long blocks that were said before: some pages carry their text twice."""
    size = clear_table(blocks, keep, table)
    if not size:
        return
    for b in range(len(keep)):
        if not keep[b]:
            continue
        first, last = blocks.first_word[b], blocks.last_word[b]
        if last - first >= REPEATED_WORDS:
            known = 0
            for w in range(first, last - 3):
                known += table[find_shingle(hashes, w, table, size)[1]] != np.uint64(0)
            keep[b] = known < REPEATED * (last - 3 - first)
        if keep[b]:
            for w in range(first, last - 3):
                h, slot = find_shingle(hashes, w, table, size)
                table[slot] = h


SEED_WORDS, SEED_LINKS = 10, 0.33  # at the first look: at least so many words, so few in links
LIKELY = 0.5  # what counts as main text at the second look
KEEP, KEEP_LOW = 0.65, 0.4  # the lower one where the higher leaves
HOPELESS = -0.5  # of the sum of weights: a chance under KEEP_LOW, which nobody asks for
TOO_LITTLE = 0.3  # less than this share of the page's words: forums, lists, products


class MainTextModel(NamedTuple):
    """What the kernels know beforehand."""

    weights: Floats  # a row for each look, the bias last
    zones: Zones  # the flags of each zone
    owners: Marks  # for each tag the mark that it gives
    traits: NDArray[np.uint8]
    automaton: Automaton


class MainText(NamedTuple):
    """The main text, a line for each block; where it stands; how sure the model is of it."""

    text: str
    spans: NDArray[np.int32]  # a row a block: its start and end in the text of the tree
    confidence: float  # mean over its words, 0 where there are none


NO_MAIN_TEXT = MainText("", np.empty((0, 2), np.int32), 0.0)  # where nobody looked for it


def make_model(looks: list[dict[str, float]]) -> MainTextModel:
    """Return the model with these weights: for each look those of the features, and "bias"."""
    rows = [[look[name] for name in [*FEATURES, "bias"]] for look in looks]
    return MainTextModel(
        np.array(rows, np.float64).reshape(len(looks), len(FEATURES) + 1),
        np.array(list(ZONES.values()), np.uint32),
        make_owners(),
        tags.TRAITS,
        AUTOMATON,
    )


@filling
def seed_mass(blocks: Blocks, mass: Masses) -> None:
    """Write how much main text each block has at first sight: long ones with few links."""
    for b in range(len(mass)):
        words, links = blocks.words[b], blocks.links[b]
        seems = words >= SEED_WORDS and links < SEED_LINKS * words
        mass[b] = words - links if seems else 0


@filling
def expect_mass(blocks: Blocks, rows: BlockFeatures) -> None:
    """Write how much main text each block has by what the model says."""
    for b in range(len(rows.mass)):
        plain, chance = blocks.words[b] - blocks.links[b], rows.chances[b]
        rows.mass[b] = chance * plain if chance > LIKELY else 0


@filling
def weigh(rows: BlockFeatures, weights: Floats) -> None:
    """Write for each block the chance that it is main text.

    Feature by feature, so that many blocks are weighed at once; most marks no block of a page has.
    """
    n, totals = len(rows.marks), rows.chances
    for b in range(n):
        totals[b] = weights[len(FEATURES)]
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


@inlined
def choose(blocks: Blocks, hashes: Hashes, chances: Floats, keep: Flags, table: Hashes) -> None:
    """Write which blocks are kept."""
    every = kept = 0.0
    for b in range(len(chances)):
        plain = blocks.words[b] - blocks.links[b]
        every += plain
        kept += plain if chances[b] >= KEEP else 0
    least = KEEP if kept >= TOO_LITTLE * every else KEEP_LOW
    for b in range(len(chances)):
        keep[b] = chances[b] >= least
    drop_repeated(blocks, hashes, keep, table)


@inlined
def cut_spans(blocks: Blocks, keep: Flags, spans: Ints) -> int:
    """Write where the kept blocks stand in the text; return how many they are."""
    k = 0
    for b in range(len(keep)):
        if keep[b]:
            spans[k, 0], spans[k, 1] = blocks.start[b], blocks.end[b]
            k += 1
    return k


@inlined
def average(blocks: Blocks, keep: Flags, chances: Floats) -> float:
    """Return the mean chance of the kept words."""
    total = words = 0.0
    for b in range(len(keep)):
        if keep[b]:
            total += chances[b] * blocks.words[b]
            words += blocks.words[b]
    return total / words if words > 0 else 0.0


@filling
def pick_blocks(
    page: BlockArrays, model: MainTextModel, room: MainTextScratch
) -> tuple[int, float]:
    """Write the spans of the main text; return how many, and how sure the model is of it."""
    page, room = BlockArrays(*page), MainTextScratch(*room)
    model = MainTextModel(model[0], model[1], model[2], model[3], Automaton(*model[4]))
    b, m = find_blocks(page, model.traits, model.automaton, room)
    layout, rows, keep = look_at(room, b, m), look_at_rows(room, b), room.keep[:b]
    describe_blocks(layout, model.zones, model.owners, room)
    seed_mass(layout.blocks, rows.mass)
    for look in range(len(model.weights)):
        describe_places(layout, room)
        weigh(rows, model.weights[look])
        expect_mass(layout.blocks, rows)
    choose(layout.blocks, page.hashes, rows.chances, keep, room.table)
    count = cut_spans(layout.blocks, keep, room.spans)
    return count, average(layout.blocks, keep, rows.chances)


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
def load_model() -> MainTextModel:
    """Return the model that training/maintext.py has written."""
    path = Path(__file__).with_name("weights.json")
    return make_model(json.loads(path.read_text(encoding="utf-8")))


@cache
def load_plain_model() -> MainTextModel:
    """Return the same as kernels are given it."""
    return unnamed_all(load_model())


def find_spans(tree: Tree, model: MainTextModel) -> tuple[Ints, float]:
    """Return where the main text stands in the text of a page, and how sure the model is of it.

    The model is a plain one.
    """
    room = take_room(len(tree.parent), len(tree.words.hashes))
    count, confidence = pick_blocks(unnamed(page_arrays(tree)), model, unnamed(room))
    return room.spans[:count].copy(), confidence


def find_main_text(tree: Tree) -> MainText:
    """Return the main text of a page; it may be empty."""
    spans, confidence = find_spans(tree, load_plain_model())
    letters = tree.letters
    size = join_blocks(letters.text, spans, letters.room)
    text = str(letters.room[:size].data, "utf-8", "replace")
    return MainText(text.replace("\x01", "") if letters.has_cuts else text, spans, confidence)
