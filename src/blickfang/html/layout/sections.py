"""The atomic sections of a page: runs of text and images that no block edge parts.

In: a `Tree` and what its elements declare. Out: `Runs`: a paragraph, a heading, the text of a
cell. Everything around them (cell, row, table, page) is a divided section: `boxes.py` stacks those.
Here also stands the one settings table of the layout method, with the study's numbers.
docs/method.md, "The text that belongs to an image".
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.errors import SettingsError
from blickfang.html.layout.declared_sizes import Declared, is_block
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import HIDES, IN_NOSCRIPT, LINKED
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

DISTANCES = ("centre", "edge")
A, BR, IMG = TAGS["a"], TAGS["br"], TAGS["img"]
CONTINUES, ASCII = 0xC0, 0x80


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """All constants of the layout method; the study's `tables.tag`."""

    page_width: Annotated[int, "width of the window, in pixels"] = 1000
    char_width: Annotated[float, "width of a character"] = 10.0
    char_height: Annotated[float, "height of a line"] = 20.0
    image_width: Annotated[float, "width of an image that does not say it"] = 200.0
    image_height: Annotated[float, "height of an image that does not say it"] = 200.0
    text_ratio: Annotated[float, "height : width of a text when nothing else tells it"] = 0.5
    min_image: Annotated[float, "images with a shorter side get no text"] = 60.0
    bar_width: Annotated[float, "wider images, lower than a line, are lines drawn as images"] = (
        200.0
    )
    hr_distance: Annotated[float, "what a line between image and text adds to their distance"] = (
        200.0
    )
    bar_distance: Annotated[float, "what a line drawn as an image adds"] = 200.0
    p_distance: Annotated[float, "what the edge of a paragraph adds"] = 100.0
    pre_distance: Annotated[float, "what the edge of a pre or code element adds"] = 2.0
    heading_distances: Annotated[tuple[float, ...], "what the edges of h1 … h6 add"] = (
        10.0,
        8.0,
        6.0,
        4.0,
        2.0,
        0.0,
    )
    distance: Annotated[str, f"where distances begin: {' or '.join(DISTANCES)}"] = "centre"
    max_relevance: Annotated[float, "characters beyond which a section is no more relevant"] = (
        1000.0
    )
    min_relevance: Annotated[float, "less relevant sections are not looked at"] = 0.0
    relevance_weight: Annotated[float, "what relevance counts when sections are ordered"] = 0.0
    distance_weight: Annotated[float, "what distance counts when sections are ordered"] = 1.0
    max_characters: Annotated[int, "sections are added until they have so many characters"] = 450
    min_characters: Annotated[int, "so many are wanted, however far away"] = 150
    max_widths: Annotated[float, "farther away than so many image widths: only to fill up"] = 3.0
    half_distance: Annotated[float, "distance at which a word counts half"] = 200.0
    emphasis: Annotated[float, "what an emphasised word counts more"] = 2.0

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise SettingsError(f"distance must be {' or '.join(DISTANCES)}")
        if len(self.heading_distances) != 6:
            raise SettingsError("heading_distances must be six numbers, for h1 … h6")
        sizes = (self.page_width, self.char_width, self.char_height)
        if min(*sizes, self.image_width, self.image_height, self.text_ratio) <= 0:
            raise SettingsError("sizes of page, character and image must be greater than 0")
        if self.half_distance <= 0 or self.distance_weight < 0:
            raise SettingsError("half_distance must be greater than 0, distance_weight at least 0")
        if not 0 <= self.min_characters <= self.max_characters:
            raise SettingsError("min_characters must lie between 0 and max_characters")


class SectionInput(NamedTuple):
    """What kernels ask of a page: arrays over its nodes."""

    parent: Ints
    end: Ints
    tag: Bytes
    flags: NDArray[np.uint32]
    offset: Ints  # n + 1
    text: Bytes
    block: Flags  # begins a block
    bar: Flags  # an image that only draws a line


class InlineRuns(NamedTuple):
    """Runs of inline content. Over nodes: holder, run, characters; the others one entry a run."""

    holder: Ints  # the block that holds a node: itself, if it is one
    run: Ints  # of a text or an image; -1 for others and for what is not seen
    characters: Ints  # of a text node
    owner: Ints  # the block that holds the run
    start: Ints  # in the text of the page; equal to end where there is no text
    end: Ints
    length: Ints  # characters
    links: Ints


class Scan(NamedTuple):
    """What the scan remembers of each node."""

    anchor: Ints  # the link that holds it, or -1
    images: Ints  # n + 1: how many stand before


@inlined
def count_characters(text: Bytes, start: Integer, end: Integer) -> int:
    """Return how many characters a piece of UTF-8 has; CUT is none."""
    count = 0
    for i in range(start, end):
        byte = text[np.uint64(i)]
        count += byte > 1 and (byte & CONTINUES) != ASCII
    return count


@inlined
def is_hiding(layout: SectionInput, scan: Scan, k: Integer) -> bool:
    """Whether an element hides its text: with an image in it, a script is going to show it."""
    inside = scan.images[layout.end[k]] > scan.images[k]
    return bool(layout.flags[k] & np.uint32(HIDES)) and not inside


@inlined
def open_run(runs: InlineRuns, count: Integer, owner: Integer, at: Integer) -> None:
    """Begin a run."""
    runs.owner[count] = owner
    runs.start[count] = runs.end[count] = at
    runs.length[count] = runs.links[count] = 0


@inlined
def add_text(layout: SectionInput, runs: InlineRuns, r: Integer, k: Integer) -> None:
    """Add a text node to its run."""
    start, end = layout.offset[k], layout.offset[k + 1]
    if runs.length[r] == 0:
        start += layout.text[np.uint64(start)] <= 32  # what parts it from the run before
        runs.start[r] = start
    runs.characters[k] = count_characters(layout.text, start, end)
    runs.length[r] += runs.characters[k]
    runs.end[r] = end


@inlined
def look_up_chain(layout: SectionInput, runs: InlineRuns, scan: Scan, k: Integer) -> None:
    """Write down which block and which link hold a node."""
    parent = layout.parent[k]
    runs.holder[k] = k if layout.block[k] else runs.holder[parent]
    opens = layout.tag[k] == A and layout.flags[k] & np.uint32(LINKED)
    scan.anchor[k] = k if opens else scan.anchor[parent]
    runs.run[k] = -1


@filling
def scan_runs(layout: SectionInput, runs: InlineRuns, scan: Scan) -> int:
    """Find the runs of a page; return how many. Blocks, hidden text and two line breaks end one."""
    count = 0
    broken = True  # the next text begins a run
    breaks, link, hidden_until = 0, -1, 0
    runs.holder[0], scan.anchor[0], runs.run[0] = 0, -1, -1
    for k in range(1, len(layout.tag)):
        look_up_chain(layout, runs, scan, k)
        tag, holder = layout.tag[k], runs.holder[k]
        if k < hidden_until or is_hiding(layout, scan, k):
            hidden_until = max(hidden_until, layout.end[k])
            broken = True
        elif layout.block[k] or layout.bar[k]:
            broken = True
        elif tag == BR:
            breaks += 1
        elif tag == tags.TEXT or tag == IMG:
            if broken or breaks > 1 or holder != runs.owner[count - 1]:
                open_run(runs, count, holder, layout.offset[k])
                count += 1
                link = -1
            broken, breaks = False, 0
            runs.run[k] = count - 1
            if tag == tags.TEXT:
                add_text(layout, runs, count - 1, k)
                runs.links[count - 1] += scan.anchor[k] >= 0 and scan.anchor[k] != link
                link = scan.anchor[k]
    return count


def read_layout(tree: Tree, declared: Declared, options: LayoutOptions) -> SectionInput:
    """Return what kernels ask of a page."""
    width, height = declared.lengths.T
    bar = (tree.tag == IMG) & (width >= options.bar_width) & (height <= options.char_height)
    text = np.frombuffer(tree.text, np.uint8)
    block = is_block(tree, declared)
    return SectionInput(tree.parent, tree.end, tree.tag, tree.flags, tree.offset, text, block, bar)


def find_runs(layout: SectionInput) -> InlineRuns:
    """Return the atomic sections of a page, those with only images among them."""
    n = len(layout.tag)
    scan = Scan(*np.zeros((2, n + 1), np.int32))
    np.cumsum(layout.tag == IMG, out=scan.images[1:])
    runs = InlineRuns(*np.zeros((8, n), np.int32))
    count = scan_runs(layout, runs, scan)
    return InlineRuns(*runs[:3], *(column[:count] for column in runs[3:]))


def is_out_of_flow(layout: SectionInput) -> Flags:
    """Return which images take no room: those in noscript are twins of others."""
    aside: Flags = np.logical_and(layout.flags & np.uint32(IN_NOSCRIPT), layout.tag == IMG)
    return aside
