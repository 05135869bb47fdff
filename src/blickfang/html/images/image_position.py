"""Where images stand: below which heading, and where in the main text.

In: the arrays of a page, its main text and its images. Out: both for each image. A corpus of whole
pages puts images back where they were.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling
from blickfang.html.main_text import MainText
from blickfang.html.parse.page_strings import CUT
from blickfang.html.parse.tree import Tree

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

MAX_HEADING = 300  # characters


class ImagePositions(NamedTuple):
    """Where images stand; without texts nobody knows it."""

    sections: list[str]  # different headings; the first is none
    which: Ints  # for each image the number of the heading above it
    positions: Ints  # in the main text, in characters; -1 where it is unknown


@filling
def note_places(
    offset: Ints,
    text: Bytes,
    images: Ints,
    headings: Ints,
    has_text: Bytes,
    main: tuple[Ints, int],
    out: Ints,
) -> None:
    """Write down for each image which heading is above it, and its place in the main text.

    An image within a block stands behind that block: sentences are not cut apart. A heading may
    hold nothing but a picture: then it is the one before.
    """
    spans, most = main
    above = heading = block = position = 0
    for k in range(len(images)):
        while heading < len(headings) and headings[heading] < images[k]:
            if has_text[heading]:
                above = heading + 1
            heading += 1
        while block < len(spans) and spans[block, 0] < offset[images[k]]:
            for i in range(spans[block, 0], spans[block, 1]):
                byte = text[np.uint64(i)]
                position += int(byte != CUT and byte & 0xC0 != 0x80)
            position += 1  # the line break between blocks
            block += 1
        out[0, k] = above
        out[1, k] = min(position, most)


def find_places(tree: Tree, images: Ints, headings: list[str], main: MainText) -> ImagePositions:
    """Return for each image the heading above it and its place in the main text."""
    out = np.empty((2, len(images)), np.int32)
    has_text = np.frombuffer(bytes(map(bool, headings)), np.uint8)
    known = main.spans, len(main.text)
    note_places(tree.offset, tree.letters.text, images, tree.census.headings, has_text, known, out)
    sections = ["", *[text[:MAX_HEADING] for text in headings]]
    return ImagePositions(sections, out[0], out[1])


def find_no_places(count: int) -> ImagePositions:
    """Return that nothing is known of the places of images."""
    return ImagePositions([""], np.zeros(count, np.int32), np.full(count, -1, np.int32))
