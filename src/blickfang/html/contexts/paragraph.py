"""Paragraph: the text of the first ancestor that has any.

In: a page and its images. Out: a span of text for each image.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.html.contexts.context_text import Spans
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.page_terms import Terms

Ints = NDArray[np.int32]


@inlined
def has_text(terms: Terms, k: Integer) -> bool:
    """Whether a subtree holds text that is seen."""
    return bool(terms[terms[k].end].texts > terms[k].texts)


def span_nodes(tree: Tree, nodes: Ints) -> Spans:
    """Return the spans of some subtrees' text; empty for -1, which is no node."""
    spans = np.stack((tree.offset[nodes], tree.offset[tree.end[nodes]]), axis=-1)
    spans[nodes < 0] = 0
    return spans


def find_paragraph(tree: Tree, terms: Terms, images: Ints) -> Spans:
    """Return for each image the text of its first ancestor that holds a text node."""
    return span_nodes(tree, terms["above"][images])
