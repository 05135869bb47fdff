"""Captions that the markup itself names: figcaption, aria-describedby, caption classes.

In: the arrays of a page and its images. Out: for each image the node of its caption, 0 for none;
the elements that images name as their captions or, by aria-labelledby, as their labels. A
<figcaption> is one by the rules of HTML; a class that speaks of captions may mean that of a table,
a diagram or a price ("flower-bar__caption"): it counts where no other text lies between it and the
image, and on no button. With text in between, real pages had none that was the image's.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.contexts.context_text import find_first
from blickfang.html.parse.page_arrays import CAPTIONED, IN_NOSCRIPT
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, attribute, find_attributes, node_text

Ints = NDArray[np.int32]

MAX_CLIMB = 6
FIGURE, FIGCAPTION, BUTTON = (TAGS[name] for name in ("figure", "figcaption", "button"))
# Bytes of text of what an image points at: each of 50,000 might name half of the page otherwise.
MAX_POINTED = 2000


class Pointed(NamedTuple):
    """The elements that images name as their texts, by the number of the image."""

    captions: dict[int, list[int]]
    labels: dict[int, list[int]]


NOTHING_POINTED = Pointed({}, {})


def find_pointed(tree: Tree, images: Ints) -> Pointed:
    """Return the elements that images point at with aria-describedby and aria-labelledby."""
    nodes = tree.census.described.nodes
    if not len(nodes):
        return NOTHING_POINTED
    found = Pointed({}, {})
    by_id = {value: node for node, value in reversed(find_attributes(tree, "id"))}
    for node in dict.fromkeys(nodes.tolist()):
        number = int(images.searchsorted(node))
        if number < len(images):
            _point(tree, node, "aria-describedby", by_id, number, found.captions)
            _point(tree, node, "aria-labelledby", by_id, number, found.labels)
    return found


def _point(
    tree: Tree, node: int, name: str, by_id: dict[str, int], number: int, out: dict[int, list[int]]
) -> None:
    """Write down the elements with text whose identifiers an attribute lists."""
    listed = dict.fromkeys((attribute(tree, node, name) or "").split())
    named = [by_id[each] for each in listed if each in by_id]
    told = [each for each in named if tree.first_word[tree.end[each]] > tree.first_word[each]]
    if told:
        out[number] = told


def read_pointed(tree: Tree, nodes: list[int]) -> str:
    """Return the text of some elements as one line, as far as it is not too long."""
    left, texts = MAX_POINTED, []
    for node in nodes:
        left -= int(tree.offset[tree.end[node]] - tree.offset[node])
        if left < 0:
            break
        texts += node_text(tree, node).split()
    return " ".join(texts)


def find_captions(tree: Tree, images: Ints, pointed: Pointed = NOTHING_POINTED) -> Ints:
    """Return the node of each image's stated caption, of several the first."""
    captions = np.zeros(len(images), np.int32)
    if not len(images):
        return captions
    marks, shown = np.empty(len(tree.tag), np.int32), np.empty(len(images), np.int32)
    marked = list_marked(tree.flags, tree.tag, tree.end, tree.first_word, marks)
    if marked:
        shown = shown[: list_shown(tree.flags, images, shown)]
        found = marks[:marked]
        climb_all(tree.parent, tree.end, tree.tag, tree.first_word, images, shown, found, captions)
    for number, nodes in pointed.captions.items():
        captions[number] = captions[number] or nodes[0]
    return captions


@filling
def list_marked(
    flags: NDArray[np.uint32], tag: NDArray[np.uint8], end: Ints, first_word: Ints, out: Ints
) -> int:
    """Write down the elements with text that are captions by tag, class or itemprop."""
    count = 0
    for k in range(len(tag)):
        named = flags[k] & np.uint32(CAPTIONED) and tag[k] != BUTTON
        marked = named or tag[k] == FIGCAPTION
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
    first_word: Ints,
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
            captions[k] = find_mark(tag, end, first_word, marks, node, wrapper, last)
            if captions[k]:
                break


@inlined
def find_mark(
    tag: NDArray[np.uint8],
    end: Ints,
    first_word: Ints,
    marks: Ints,
    node: Integer,
    wrapper: Integer,
    last: Integer,
) -> Integer:
    """Return the first caption within a wrapper that does not hold the image, 0 for none."""
    for place in range(find_first(marks, wrapper + 1), find_first(marks, last)):
        mark = np.int64(marks[place])
        if mark <= node < end[mark]:  # the box of both
            continue
        between = first_word[mark] - first_word[node]
        if mark < node:
            between = first_word[node] - first_word[end[mark]]
        if between == 0 or tag[mark] == FIGCAPTION:
            return mark
    return 0
