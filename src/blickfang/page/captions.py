"""Captions that the markup itself names: figcaption, aria-describedby, caption classes.

In: the arrays of a page and its images. Out: for each image the node of its caption, 0 for none.
"""

from bisect import bisect_left, bisect_right

import numpy as np

from blickfang.page.arrays import CAPTIONED, IN_NOSCRIPT
from blickfang.page.tags import ATTRIBUTES, TAGS
from blickfang.page.tree import Tree, attribute, find_attributes

MAX_CLIMB = 6


def find_captions(tree: Tree, nodes: list[int]) -> list[int]:
    """Return the node of each image's stated caption."""
    marks = _find_marked(tree)
    captions = [0] * len(nodes)
    if marks:
        flags = tree.flags[nodes].tolist()
        shown = [  # without their twins
            node for node, flag in zip(nodes, flags, strict=True) if not flag & IN_NOSCRIPT
        ]
        captions = [_climb(tree, node, shown, marks) for node in nodes]
    if nodes and np.any(tree.attribute_name == ATTRIBUTES["aria-describedby"]):
        by_id = {value: node for node, value in reversed(find_attributes(tree, "id"))}
        for index, node in enumerate(nodes):
            name = (attribute(tree, node, "aria-describedby") or "").strip()
            captions[index] = captions[index] or by_id.get(name, 0)
    return captions


def _find_marked(tree: Tree) -> list[int]:
    """Return the elements with text that are captions by tag, class or itemprop."""
    marked = (tree.flags & np.uint32(CAPTIONED) != 0) | (tree.tag == TAGS["figcaption"])
    nodes = np.flatnonzero(marked)
    has_words = tree.first_word[tree.end[nodes]] > tree.first_word[nodes]
    found: list[int] = nodes[has_words].tolist()
    return found


def _climb(tree: Tree, node: int, images: list[int], marks: list[int]) -> int:
    """Return the caption that shares a wrapper with one image only, or a <figure>; 0 if none."""
    parent, ends, tag = tree.parent.data, tree.end.data, tree.tag.data  # quicker one by one
    wrapper = node
    for _ in range(MAX_CLIMB):
        wrapper = parent[wrapper]
        end = ends[wrapper]
        others = bisect_left(images, end) - bisect_left(images, wrapper) > 1
        if wrapper <= 0 or (others and tag[wrapper] != TAGS["figure"]):
            return 0
        for place in range(bisect_right(marks, wrapper), bisect_left(marks, end)):
            if not marks[place] <= node < ends[marks[place]]:  # else the box of both
                return marks[place]
    return 0
