"""Where images stand: below which heading, and where in the main text.

In: the arrays of a page, its main text and its images. Out: both for each image. A corpus of whole
pages puts images back where they were.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from blickfang.page.main import MainText
from blickfang.page.tags import HEADING_NAMES
from blickfang.page.tree import Tree, find_nodes, node_text, read_letters

MAX_HEADING = 300  # characters


Place = tuple[str, int]  # the heading above an image; where it stands in the main text


def find_places(tree: Tree, nodes: list[int], main: MainText) -> list[Place]:
    """Return for each image the heading above it and its place in the main text."""
    if not nodes:
        return []
    places = np.array(nodes, np.int64)
    headings = find_nodes(tree, *HEADING_NAMES)
    above = np.searchsorted(headings, places).tolist()
    texts = {number: _read_heading(tree, headings, number) for number in {*above}}
    return [
        (texts[heading], position)
        for heading, position in zip(above, _find_positions(tree, main, places), strict=True)
    ]


def _read_heading(tree: Tree, headings: list[int], count: int) -> str:
    """Return the last of so many headings that has a text: one may hold nothing but a picture."""
    for node in reversed(headings[:count]):
        text = node_text(tree, node)
        if text:
            return text.replace("\n", " ")[:MAX_HEADING]
    return ""


def _find_positions(tree: Tree, main: MainText, nodes: NDArray[np.int64]) -> list[int]:
    """Return where in the main text each image stands, in characters: behind the block before it.

    An image within a block stands behind that block: sentences are not cut apart.
    """
    passed = np.searchsorted(main.spans[:, 0], tree.offset[nodes], side="left").tolist()
    letters = tree.text_letters
    spans = main.spans[: max(passed)]
    if letters.isascii() and "\x01" not in letters:  # a byte is a character
        ends = [0, *(spans[:, 1] - spans[:, 0] + 1).cumsum().tolist()]
    else:
        blocks = (letters[start:end] for start, end in spans.tolist())
        lengths = (len(read_letters(block)) - block.count("\x01") for block in blocks)
        ends = [0, *accumulate(length + 1 for length in lengths)]
    return [min(ends[block], len(main.text)) for block in passed]
