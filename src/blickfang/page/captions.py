"""Captions that the markup itself names: figcaption, aria-describedby, caption classes.

In: the arrays of a page and its images. Out: for each image the node of its caption, 0 for none.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, filling, inlined
from blickfang.page.arrays import CAPTIONED, IN_NOSCRIPT
from blickfang.page.contexts.spans import find_first
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree, attribute, find_attributes

Ints = NDArray[np.int32]

MAX_CLIMB = 6
FIGURE, FIGCAPTION = TAGS["figure"], TAGS["figcaption"]


def find_captions(tree: Tree, images: Ints) -> Ints:
    """Return the node of each image's stated caption."""
    captions = np.zeros(len(images), np.int32)
    if not len(images):
        return captions
    marks, shown = np.empty(len(tree.tag), np.int32), np.empty(len(images), np.int32)
    marked = list_marked(tree.flags, tree.tag, tree.end, tree.first_word, marks)
    if marked:
        shown = shown[: list_shown(tree.flags, images, shown)]
        climb_all(tree.parent, tree.end, tree.tag, images, shown, marks[:marked], captions)
    described = set(tree.census.described.nodes.tolist())
    if described and described.intersection(images.tolist()):
        by_id = {value: node for node, value in reversed(find_attributes(tree, "id"))}
        for index, node in enumerate(images.tolist()):
            if node in described and not captions[index]:
                name = (attribute(tree, node, "aria-describedby") or "").strip()
                captions[index] = by_id.get(name, 0)
    return captions


@filling
def list_marked(
    flags: NDArray[np.uint32], tag: NDArray[np.uint8], end: Ints, first_word: Ints, out: Ints
) -> int:
    """Write down the elements with text that are captions by tag, class or itemprop."""
    count = 0
    for k in range(len(tag)):
        marked = flags[k] & np.uint32(CAPTIONED) or tag[k] == FIGCAPTION
        if marked and first_word[end[k]] > first_word[k]:
            out[count] = k
            count += 1
    return count


@filling
def list_shown(flags: NDArray[np.uint32], images: Ints, out: Ints) -> int:
    """Write down the images without their twins in <noscript>."""
    count = 0
    for k in range(len(images)):
        if not flags[images[k]] & np.uint32(IN_NOSCRIPT):
            out[count] = images[k]
            count += 1
    return count


@filling
def climb_all(
    parent: Ints,
    end: Ints,
    tag: NDArray[np.uint8],
    images: Ints,
    shown: Ints,
    marks: Ints,
    captions: Ints,
) -> None:
    """Find the caption that shares a wrapper with one image only, or a <figure>; 0 if none."""
    for k in range(len(images)):
        node = np.int64(images[k])
        wrapper = node
        for _ in range(MAX_CLIMB):
            wrapper = np.int64(parent[wrapper])
            if wrapper <= 0:
                break
            last = np.int64(end[wrapper])
            others = find_first(shown, last) - find_first(shown, wrapper) > 1
            if others and tag[wrapper] != FIGURE:
                break
            captions[k] = find_mark(end, marks, node, wrapper, last)
            if captions[k]:
                break


@inlined
def find_mark(end: Ints, marks: Ints, node: Integer, wrapper: Integer, last: Integer) -> Integer:
    """Return the first caption within a wrapper that does not hold the image, 0 for none."""
    for place in range(find_first(marks, wrapper + 1), find_first(marks, last)):
        mark = np.int64(marks[place])
        if not mark <= node < end[mark]:  # else the box of both
            return mark
    return 0
