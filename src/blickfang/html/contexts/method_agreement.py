"""What three simple methods say of each image: paragraph, monash and the nearest sibling.

In: the terms of a page and its images. Out: a span of text an image and method, all found in one
go. How many of them agree with a context tells how sure it is; see context_builder.py.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.monash import COLUMNS, fill_spans
from blickfang.html.structure.page_terms import Terms

Ints = NDArray[np.int32]

PARAGRAPH, MONASH, SIBLING = range(3)


@inlined
def find_child(terms: Terms, p: Integer, k: Integer) -> Integer:
    """Return the child of p that holds a node."""
    while terms[k].parent != p:
        k = np.int64(terms[k].parent)
    return k


@inlined
def find_sibling(terms: Terms, p: Integer, x: Integer) -> Integer:
    """Return the sibling with text right behind x, else the one right before it, else -1."""
    number = terms[terms[x].end].texts
    if number == terms[terms[p].end].texts:
        number = terms[x].texts - 1
        if number < terms[p].texts:
            return -1
    return find_child(terms, p, np.int64(terms[number].text_node))


@inlined
def write_span(terms: Terms, k: Integer, spans: Spans, i: Integer) -> None:
    """Write the span of a subtree's text; an empty one for -1, which is no node."""
    spans[i, 0] = terms[k].offset if k >= 0 else 0
    spans[i, 1] = terms[terms[k].end].offset if k >= 0 else 0


@filling
def ask_witnesses(terms: Terms, images: Ints, room: Ints, out: NDArray[np.int32]) -> None:
    """Write what each witness, a row each, says of every image."""
    fill_spans(terms, images, room, out[MONASH])
    for i in range(len(images)):
        p, x = np.int64(terms[images[i]].above), np.int64(terms[images[i]].below)
        write_span(terms, p, out[PARAGRAPH], i)
        write_span(terms, find_sibling(terms, p, x) if p >= 0 else p, out[SIBLING], i)


def find_witnesses(terms: Terms, images: Ints) -> NDArray[np.int32]:
    """Return what each witness, a row each, says of every image."""
    out = np.empty((3, len(images), 2), np.int32)
    ask_witnesses(terms, images, np.empty((COLUMNS, len(terms)), np.int32), out)
    return out
