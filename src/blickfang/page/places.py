"""Where images stand: below which heading, and where in the main text.

In: the arrays of a page, its main text and its images. Out: the images with both. A corpus of whole
pages puts images back where they were.
"""

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from blickfang.data import Image
from blickfang.page.images import Shown
from blickfang.page.main import MainText
from blickfang.page.tags import HEADING_NAMES
from blickfang.page.tree import Tree, find_nodes, node_text

MAX_HEADING = 300  # characters


def locate_images(tree: Tree, shown: Shown, main: MainText, images: list[Image]) -> list[Image]:
    """Return images with the heading above each and its place in the main text."""
    if not images:
        return images
    nodes = np.array(shown.nodes, np.int64)
    headings = np.array(find_nodes(tree, *HEADING_NAMES), np.int64)
    above = np.searchsorted(headings, nodes).tolist()
    texts = ["", *(node_text(tree, node).replace("\n", " ")[:MAX_HEADING] for node in headings)]
    for number in range(1, len(texts)):  # a heading may hold nothing but a picture
        texts[number] = texts[number] or texts[number - 1]
    places = _find_places(tree, main, nodes)
    return [
        image._replace(section=texts[heading], position=place)
        for image, heading, place in zip(images, above, places, strict=True)
    ]


def _find_places(tree: Tree, main: MainText, nodes: NDArray[np.int64]) -> list[int]:
    """Return where in the main text each image stands, in characters: behind the block before it.

    An image within a block stands behind that block: sentences are not cut apart.
    """
    blocks = (tree.text[start:end] for start, end in main.spans.tolist())
    lengths = (len(block.decode("utf-8", "replace").replace("\x01", "")) for block in blocks)
    ends = [0, *accumulate(length + 1 for length in lengths)]
    passed = np.searchsorted(main.spans[:, 0], tree.offset[nodes], side="left").tolist()
    return [min(ends[block], len(main.text)) for block in passed]
