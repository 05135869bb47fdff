"""The texts around an image, level by level and neighbour by neighbour.

In: a page and its images. Out: several spans of text for each image, the nearest first, empty ones
behind; or one span, for the text directly before and after it in the source.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import filling
from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.paragraph import has_text, span_nodes
from blickfang.html.parse import tags
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.page_terms import Terms

Ints = NDArray[np.int32]

NEIGHBOURS = 5
NEW_LINE = ord("\n")


class Sides(NamedTuple):
    """For each node the nearest siblings with text, -1 where none is."""

    before: Ints
    after: Ints


def find_parents(tree: Tree, terms: Terms, images: Ints, k: int = NEIGHBOURS) -> Spans:
    """Return for each image the texts of its k nearest ancestors that add text, of shape (m, k, 2).

    An ancestor that adds no text to the one below it is there for looks, and is no level.
    """
    above = terms["above"]
    parents = np.full((len(images), k), -1, np.int32)
    nodes = images
    for level in range(k):
        nodes = np.where(nodes < 0, -1, above[nodes])
        parents[:, level] = nodes
    return span_nodes(tree, parents)


def find_siblings(tree: Tree, terms: Terms, images: Ints, k: int = NEIGHBOURS) -> Spans:
    """Return for each image the texts of its k nearest siblings that have any: (m, k, 2).

    They are taken in turn from both sides, the next one first: captions stand below their images.
    Wrappers that add no text are no level here either: the siblings are those of the image's
    outermost wrapper.
    """
    siblings = np.full((len(images), k), -1, np.int32)
    sides = Sides(*np.full((2, len(tree.tag)), -1, np.int32))
    fill_sides(terms, sides, np.full((2, len(tree.tag)), -1, np.int32))
    fill_siblings(terms, sides, images, siblings)
    return span_nodes(tree, siblings)


@filling
def fill_sides(terms: Terms, sides: Sides, newest: NDArray[np.int32]) -> None:
    """Find the nearest siblings with text of all nodes; `newest` is room, two rows of -1."""
    n = len(terms) - 1
    for k in range(1, n):
        p = terms[k].parent
        sides.before[k] = newest[0, p]
        if has_text(terms, k):
            newest[0, p] = k
    for k in range(n - 1, 0, -1):
        p = terms[k].parent
        sides.after[k] = newest[1, p]
        if has_text(terms, k):
            newest[1, p] = k


@filling
def fill_siblings(terms: Terms, sides: Sides, images: Ints, siblings: Ints) -> None:
    """Write the siblings of each image."""
    for i in range(len(images)):
        before = after = terms[images[i]].below
        found = 0
        while found < siblings.shape[1] and (before >= 0 or after >= 0):
            after = sides.after[after] if after >= 0 else after
            if after >= 0:
                siblings[i, found] = after
                found += 1
            before = sides.before[before] if before >= 0 else before
            if before >= 0 and found < siblings.shape[1]:
                siblings[i, found] = before
                found += 1


def find_before_after(tree: Tree, terms: Terms, images: Ints) -> Spans:
    """Return for each image the line of text directly before it and the one directly after it.

    A line is what no block edge or line break divides, seen text only. Nothing stands between the
    two lines but the image, so that they are one span; they meet at the image's own offset.
    """
    texts = np.flatnonzero(tree.tag == tags.TEXT)
    spans = np.zeros((len(images), 2), np.int32)
    seen = np.diff(terms["texts"])[texts] > 0
    if not np.any(seen):
        return spans
    begins = np.frombuffer(tree.text, np.uint8)[tree.offset[texts]] == NEW_LINE
    lines = np.cumsum(begins)[seen]  # hidden texts begin lines too
    texts = texts[seen]
    next_text = terms["texts"][images]
    line_before = lines[np.maximum(next_text - 1, 0)]
    line_after = lines[np.minimum(next_text, len(texts) - 1)]
    spans[:, 0] = tree.offset[texts[np.searchsorted(lines, line_before)]]
    spans[:, 1] = tree.offset[texts[np.searchsorted(lines, line_after, side="right") - 1] + 1]
    return spans
