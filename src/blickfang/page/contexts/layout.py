"""The text that stands near an image on the page: the layout method.

In: a `Tree`, its `Boxes` (estimated or measured) and image nodes. Out: a `LayoutContext` for each:
the sections by distance, nearest first, until there are enough characters; the chain of headings
above the image; the emphasised parts. Constants are in `LayoutOptions`. docs/method.md, "Layout".
"""

from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling
from blickfang.page.contexts.nearest import (
    HALF_HEIGHT,
    LayoutRules,
    NearestSections,
    Scene,
    choose_sections,
)
from blickfang.page.layout.boxes import BoxArrays, Boxes
from blickfang.page.layout.sections import LayoutOptions
from blickfang.page.tags import HEADING_NAMES, TAGS
from blickfang.page.tree import Tree

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Span = tuple[int, int]  # in the text of the page
Chain = tuple[Span, ...]

IMG = TAGS["img"]
EMPHASISED = np.zeros(256, np.bool_)
EMPHASISED[[TAGS[name] for name in ("b", "strong", "i", "em", "u")]] = True
LEVEL = np.zeros(256, np.int64)
LEVEL[[TAGS[name] for name in HEADING_NAMES]] = range(1, 7)
MAX_EMPHASISED = 1000  # parts of a context: each of 50,000 images may have the same long section
CHUNK = 1024  # images whose sections are found in one go; bounds the room for them


@dataclass(frozen=True, slots=True)
class LayoutContext:
    """The text near an image, nearest first."""

    node: int  # the image
    sections: tuple[int, ...]  # numbers in `Boxes`
    spans: tuple[Span, ...]  # their text
    distances: tuple[float, ...]
    beyond: bool  # the nearest were too few: some are farther away than they should be
    headings: Chain  # the current ones, h1 first
    emphasised: tuple[Span, ...]  # parts of the sections


@filling
def chain_headings(tag: Bytes, end: Ints, offset: Ints, chains: Ints) -> None:
    """Write down for each image the current headings, below a first row that the pass itself needs.

    A new heading ends those of lower rank.
    """
    row = 0
    for k in range(len(tag)):
        level = LEVEL[tag[k]]
        if level and offset[end[k]] > offset[k]:
            chains[0, level - 1] = k
            for j in range(level, 6):
                chains[0, j] = -1
        elif tag[k] == IMG:
            row += 1
            for j in range(6):
                chains[row, j] = chains[0, j]


def find_layout(
    tree: Tree, boxes: Boxes, images: Ints, options: LayoutOptions
) -> list[LayoutContext]:
    """Return for each image the text that stands near it."""
    which = np.searchsorted(boxes.image, images)
    scene = _set_scene(boxes, which, options)
    rules = _read_rules(scene, options)
    spans = list(zip(boxes.start.tolist(), boxes.end.tolist(), strict=True))
    strong, chains = _cut_emphasis(tree, boxes), _find_chains(tree, which)
    most = max(1, min(options.max_characters, len(scene.order)))
    contexts: list[LayoutContext] = []
    for first in range(0, len(images), CHUNK):
        part = slice(first, first + CHUNK)
        rows = len(images[part])
        found = NearestSections(
            np.empty((rows, most), np.int32),
            np.empty((rows, most)),
            np.empty((rows, most)),
            np.empty(rows, np.int32),
            np.empty(rows, np.bool_),
        )
        choose_sections(scene, rules, found, first)
        contexts += _make_contexts(images[part], found, spans, strong, chains[part])
    return contexts


def _find_chains(tree: Tree, which: NDArray[np.int64]) -> list[Chain]:
    """Return the current headings of some of the images."""
    images = np.count_nonzero(tree.tag == IMG)
    nodes = np.full((images + 1, 6), -1, np.int32)
    chain_headings(tree.tag, tree.end, tree.offset, nodes)
    starts, ends = tree.offset[nodes].tolist(), tree.offset[tree.end[nodes]].tolist()
    chains = nodes.tolist()
    return [
        tuple([(starts[i][j], ends[i][j]) for j in range(6) if chains[i][j] >= 0])
        for i in (which + 1).tolist()
    ]


def rate_sections(boxes: Boxes, options: LayoutOptions) -> Floats:
    """Return the relevance of each section: its length, up to a limit, by its number of links."""
    longest = np.minimum(boxes.characters, options.max_relevance)
    return longest / np.maximum(boxes.links, 1)


def _find_centres(place: BoxArrays) -> Floats:
    x, y, width, height, gap = (column.astype(np.float64) for column in place)
    return np.stack((x + width / 2, y + height / 2, width / 2, height / 2, gap))


def _set_scene(boxes: Boxes, which: NDArray[np.int64], options: LayoutOptions) -> Scene:
    relevance = rate_sections(boxes, options)
    section, image = _find_centres(boxes.place), _find_centres(boxes.image_place)
    seen = np.flatnonzero(relevance >= options.min_relevance)
    order = seen[np.lexsort(section[:2, seen])]
    if options.distance == "centre":  # of the section that holds the image, where one does
        inside = np.flatnonzero(boxes.home >= 0)
        image[:2, inside] = section[:2, boxes.home[inside]]
    # One layout in memory, or the search would be compiled twice.
    section, image = (
        np.ascontiguousarray(section[:, order]),
        np.ascontiguousarray(image[:, which]),
    )
    height = np.full(len(boxes.owner) + 1, -1, np.int32)  # its last entry is for images in none
    height[order] = np.arange(len(order))
    return Scene(
        order.astype(np.int32),
        section,
        boxes.characters[order],
        relevance[order] * options.relevance_weight,
        image,
        height[boxes.home[which]],
        _find_places(section[:2], image[:2]),
    )


def _find_places(sections: Floats, images: Floats) -> NDArray[np.int64]:
    """Return how many sections, by height and then from left to right, precede each image."""
    order = np.lexsort(np.concatenate((sections, images), axis=1))
    count = sections.shape[1]
    pictures = order >= count
    before = np.empty(images.shape[1], np.int64)
    before[order[pictures] - count] = np.cumsum(~pictures)[pictures]
    return before


def _read_rules(scene: Scene, options: LayoutOptions) -> LayoutRules:
    edge = options.distance == "edge"
    return LayoutRules(
        edge,
        options.distance_weight,
        float(scene.section[HALF_HEIGHT].max(initial=0.0)) if edge else 0.0,
        float(scene.bonus.max(initial=0.0)),
        options.max_characters,
        options.min_characters,
        options.max_widths,
        options.min_image,
    )


def find_emphasis(tree: Tree) -> Ints:
    """Return the emphasised parts of a page, one row each: start and end in its text."""
    return _cut_emphasised(tree, tree.offset)


def find_emphasised_words(tree: Tree) -> Ints:
    """Return the emphasised parts of a page, one row each: start and end among its words."""
    return _cut_emphasised(tree, tree.first_word)


def _cut_emphasised(tree: Tree, place: Ints) -> Ints:
    """Return where emphasised elements begin and end, those within others left out."""
    spans = np.empty((len(tree.tag), 2), np.int32)
    return spans[: note_emphasised(tree.tag, tree.end, place, spans)].copy()


@filling
def note_emphasised(tag: NDArray[np.uint8], end: Ints, place: Ints, out: Ints) -> int:
    """Write down where emphasised elements begin and end; return how many there are."""
    count = 0
    k: Integer = 0
    while k < len(tag):
        if not EMPHASISED[tag[k]]:
            k += 1
            continue
        last = np.int64(end[k])
        if place[k] < place[last]:
            out[count, 0], out[count, 1] = place[k], place[last]
            count += 1
        k = last
    return count


def _cut_emphasis(tree: Tree, boxes: Boxes) -> list[list[Span]]:
    """Return for each section its emphasised parts."""
    spans = find_emphasis(tree)
    first = np.searchsorted(spans[:, 1], boxes.start, "right").tolist()
    last = np.searchsorted(spans[:, 0], boxes.end).tolist()
    parts: list[Span] = list(map(tuple, spans.tolist()))
    return [
        [(max(a, start), min(b, end)) for a, b in parts[i:j]]
        for i, j, start, end in zip(
            first, last, boxes.start.tolist(), boxes.end.tolist(), strict=True
        )
    ]


def _make_contexts(
    images: Ints,
    found: NearestSections,
    spans: list[Span],
    strong: list[list[Span]],
    chains: list[Chain],
) -> list[LayoutContext]:
    beyond, counts = found.beyond.tolist(), found.counts.tolist()
    contexts = []
    parts: dict[tuple[int, ...], Chain] = {}
    for row, node in enumerate(images.tolist()):
        sections = tuple(found.section[row, : counts[row]].tolist())
        if sections not in parts:
            emphasised = chain.from_iterable([strong[s] for s in sections])
            parts[sections] = tuple(islice(emphasised, MAX_EMPHASISED))
        contexts.append(
            LayoutContext(
                node,
                sections,
                tuple([spans[s] for s in sections]),
                tuple(found.distance[row, : counts[row]].tolist()),
                beyond[row],
                chains[row],
                parts[sections],
            )
        )
    return contexts
