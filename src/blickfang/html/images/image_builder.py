"""`Image`s made by a kernel, of columns that others have found.

In: what is known of the <img> elements of a page, a column each. Out: their texts, where the links
around them lead, and in the end an `Image` each.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling, unnamed
from blickfang.compute.py_values import (
    Addresses,
    addresses_of,
    look_up,
    make_bytes,
    make_holder,
    make_number,
    make_row,
    making,
    put,
    put_in_list,
    share,
    share_in_list,
)
from blickfang.html.images.image_position import ImagePositions
from blickfang.html.images.img_attributes import Clues
from blickfang.html.links import LinkTargets
from blickfang.html.parse.page_arrays import IN_NOSCRIPT
from blickfang.html.parse.page_strings import PageStrings, make_line, make_tidy, make_value
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Attributes, Tree
from blickfang.types import Context, Image

Ints = NDArray[np.int32]

A = TAGS["a"]
VALUES = (Image, None, "img", "noscript", Attributes, "source", "")
CONSTANTS = addresses_of(VALUES)
IMAGE_TYPE, NONE_VALUE, SHOWN, IN_NOSCRIPT_TOO, HOLDER_TYPE, HOLDS, NO_TEXT = range(len(VALUES))
NOTHING_SAID = Attributes(b"")


class Columns(NamedTuple):
    """What is known of images, a value each; of links and sections all that are there."""

    urls: list[str | None]
    sources: list[str]
    alts: list[str]
    titles: list[str]
    labels: list[str]
    captions: list[str]
    names: list[str]
    generated: list[tuple[str, ...]]
    links: list[str | None]
    attributes: list[Attributes]
    contexts: list[dict[str, Context]]
    sections: list[str]
    others: Sequence[tuple[str, ...]]


class ImageTexts(NamedTuple):
    """What images say of themselves."""

    sources: list[str]  # src as the page writes it
    attributes: list[Attributes]  # all of them
    texts: tuple[list[str], list[str], list[str], list[str]]  # alt, title, label, caption
    captioned: Ints  # where captions stand in the text of the page: two rows, from where to where


@making
def write_texts(
    letters: PageStrings,
    clues: tuple[Ints, Ints, Ints, tuple[Ints, Ints, Ints]],
    captions: Ints,
    ends: tuple[Ints, Ints],
    made: Ints,
    captioned: Ints,
    found: tuple[int, int, tuple[int, int, int, int]],
    constants: Addresses,
) -> None:
    """Write what images say into lists; a caption that many share is made once."""
    letters = PageStrings(*letters)
    starts, stops, given, texts = clues
    sources, attributes, said = found
    end, offset = ends
    for k in range(len(starts)):
        made[captions[k]] = -1
    for k in range(len(starts)):
        size = stops[k] - starts[k]
        source = make_bytes(letters.data.ctypes.data + starts[k], size)
        holder = make_holder(constants[HOLDER_TYPE], constants[HOLDS], source)
        put_in_list(attributes, k, holder)
        put_in_list(sources, k, make_value(letters, given[0, k], given[1, k]))
        put_in_list(said[0], k, make_tidy(letters, texts[0][0, k], texts[0][1, k]))
        put_in_list(said[1], k, make_tidy(letters, texts[1][0, k], texts[1][1, k]))
        put_in_list(said[2], k, make_tidy(letters, texts[2][0, k], texts[2][1, k]))
        node = captions[k]
        captioned[0, k] = offset[node] if node else 0
        captioned[1, k] = offset[end[node]] if node else 0
        if node and made[node] >= 0:
            share_in_list(said[3], k, look_up(said[3], made[node]))
        elif node:
            put_in_list(said[3], k, make_line(letters, offset[node], offset[end[node]]))
            made[node] = k


def make_texts(tree: Tree, clues: Clues, captions: Ints) -> ImageTexts:
    """Return what images say of themselves, given the nodes of their captions."""
    count = len(captions)
    empty = [""] * count
    said = ImageTexts(
        empty.copy(),
        [NOTHING_SAID] * count,
        (empty.copy(), empty.copy(), empty.copy(), empty),
        np.empty((2, count), np.int32),
    )
    write_texts(
        unnamed(tree.letters),
        (clues.starts, clues.ends, clues.sources, clues.texts),
        captions,
        (tree.end, tree.offset),
        np.empty(len(tree.tag), np.int32),
        said.captioned,
        (id(said.sources), id(said.attributes), tuple(map(id, said.texts))),  # type: ignore[arg-type]
        CONSTANTS,
    )
    return said


@filling
def note_links(
    nodes: Ints, anchors: Ints, tag: NDArray[np.uint8], end: Ints, around: Ints, out: Ints
) -> None:
    """Write for each image the number of the last <a href> before it that holds it, -1 for none."""
    open_one = -1
    number = 0
    for k in range(len(nodes)):
        while number < len(anchors) and anchors[number] < nodes[k]:
            if tag[anchors[number]] == A:
                while open_one >= 0 and end[anchors[open_one]] <= anchors[number]:
                    open_one = around[open_one]
                around[number] = open_one
                open_one = number
            number += 1
        while open_one >= 0 and end[anchors[open_one]] <= nodes[k]:
            open_one = around[open_one]
        out[k] = open_one


def find_links_around(tree: Tree, nodes: Ints, targets: LinkTargets) -> Ints:
    """Return for each image the number of the reference of the link around it, -1 for none."""
    anchors = targets.references.values.nodes
    out = np.empty(len(nodes), np.int32)
    note_links(nodes, anchors, tree.tag, tree.end, np.empty(len(anchors), np.int32), out)
    return out


@making
def write_images(
    nodes: Ints,
    flags: NDArray[np.uint32],
    numbers: tuple[Ints, Ints, Ints, Ints, Ints],
    columns: tuple[int, ...],
    constants: Addresses,
    found: int,
) -> None:
    """Write an `Image` for each <img> into a list."""
    widths, heights, links, sections, positions = numbers
    none = constants[NONE_VALUE]
    for k in range(len(nodes)):
        hidden = flags[nodes[k]] & np.uint32(IN_NOSCRIPT)
        image = make_row(constants[IMAGE_TYPE], 19)
        share(image, 0, look_up(columns[0], k))
        share(image, 1, look_up(columns[1], k))
        share(image, 2, constants[IN_NOSCRIPT_TOO] if hidden else constants[SHOWN])
        put(image, 3, make_number(k))
        for text in range(6):  # alt, title, label, caption, name, generated
            share(image, 4 + text, look_up(columns[2 + text], k))
        for side in range(2):
            size = heights[k] if side else widths[k]
            if size < 0:
                share(image, 10 + side, none)
            else:
                put(image, 10 + side, make_number(size))
        share(image, 12, look_up(columns[8], links[k]) if links[k] >= 0 else none)
        share(image, 13, look_up(columns[9], k))
        share(image, 14, look_up(columns[10], k))
        share(image, 15, look_up(columns[11], sections[k]))
        put(image, 16, make_number(positions[k]))
        share(image, 17, look_up(columns[12], k))
        share(image, 18, constants[NO_TEXT])  # who is to be named is said in other places
        put_in_list(found, k, image)


def make_images(
    tree: Tree, nodes: Ints, clues: Clues, places: ImagePositions, links: Ints, columns: Columns
) -> list[Image]:
    """Return the images of a page, of what is known of each."""
    found: list[Image] = [None] * len(nodes)  # type: ignore[list-item]
    write_images(
        nodes,
        tree.flags,
        (clues.widths, clues.heights, links, places.which, places.positions),
        tuple(map(id, columns)),
        CONSTANTS,
        id(found),
    )
    return found
