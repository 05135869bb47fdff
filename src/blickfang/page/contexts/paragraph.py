"""Paragraph: the text of the first ancestor that has any; and the levels on the way up.

In: a page and its images. Out: a span of text for each image. Also `Levels`, which spares every
other way of climbing the wrappers that add no text: each node knows the next ancestor with more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, filling, inlined
from blickfang.page.contexts.spans import Spans
from blickfang.page.structure.terms import Terms
from blickfang.page.tree import Tree

Ints = NDArray[np.int32]


class Levels(NamedTuple):
    """Where a climb from each node meets more text; -1 where it never does."""

    above: Ints  # the nearest ancestor with more text than the node
    below: Ints  # the child of that ancestor on whose side the node stands


@inlined
def has_text(terms: Terms, k: Integer) -> bool:
    """Whether a subtree holds text that is seen."""
    return bool(terms[terms[k].end].texts > terms[k].texts)


@filling
def fill_levels(terms: Terms, levels: Levels) -> None:
    """Find the levels of all nodes: parents come first, so each step is one look."""
    levels.above[0] = levels.below[0] = -1
    for k in range(1, len(terms) - 1):
        p = terms[k].parent
        inside = terms[terms[k].end].texts - terms[k].texts
        if terms[terms[p].end].texts - terms[p].texts > inside:
            levels.above[k], levels.below[k] = p, k
        else:
            levels.above[k], levels.below[k] = levels.above[p], levels.below[p]


def read_levels(terms: Terms) -> Levels:
    """Return the levels of a page."""
    levels = Levels(*np.empty((2, len(terms) - 1), np.int32))
    fill_levels(terms, levels)
    return levels


def span_nodes(tree: Tree, nodes: Ints) -> Spans:
    """Return the spans of some subtrees' text; empty for -1, which is no node."""
    spans = np.stack((tree.offset[nodes], tree.offset[tree.end[nodes]]), axis=-1)
    spans[nodes < 0] = 0
    return spans


def find_paragraph(tree: Tree, terms: Terms, images: Ints) -> Spans:
    """Return for each image the text of its first ancestor that holds a text node."""
    return span_nodes(tree, read_levels(terms).above[images])
