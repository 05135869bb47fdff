"""Monash: climb until the number of text nodes changes, and see whether the siblings form a list.

In: a page and its images. Out: a span of text for each image (Fauzi, Hong, Belkhatir 2009).
At the first change the child that holds the image has no text of its own. If its parent has more
such children, with text between them, each with its text is a block of several subtrees: a
*semi-structured* list. Else the climb goes on to the second change, to ask for a *structured* list.
Its block is the one subtree on the image's side. For a single image the study returns "the current
subtree"; we take that to be the same subtree, the last one before the change, so that nothing is
left to ask. The subtree after the change, as one may read it too, is mostly the whole article.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.paragraph import has_text
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.page_terms import Terms

Ints = NDArray[np.int32]

NEITHER, HOLDER, TEXT = range(3)  # what a child is: one with images and no text, or one with text


# The blocks of all parents looked at, numbered as they are found: a row each, as long as the page.
TOTAL = 0  # for each parent how many it has, -1 if it was not looked at
BLOCK = 1  # for each child of such a parent its block, -1 if it stands before the first
START = 2  # for each block the node it begins with,
END = 3  # the node behind it,
TEXTS = 4  # and how many of its children have text
COLUMNS = 5


@inlined
def name_kind(terms: Terms, k: Integer) -> int:
    """Return what a child is."""
    if has_text(terms, k):
        return TEXT
    return HOLDER if terms[terms[k].end].images > terms[k].images else NEITHER


@inlined
def find_last_kind(terms: Terms, p: Integer) -> int:
    """Return what the last child is, of those that are a holder or text."""
    last = NEITHER
    k = p + 1
    while k < terms[p].end:
        kind = name_kind(terms, k)
        last = kind if kind != NEITHER else last
        k = terms[k].end
    return last


@inlined
def cut(terms: Terms, p: Integer, leading: int, blocks: Ints, m: Integer) -> Integer:
    """Cut the children of a parent before each leading one that follows a closing one."""
    first = m
    kind_before = NEITHER
    k = p + 1
    while k < terms[p].end:
        kind = name_kind(terms, k)
        if kind == leading and (kind_before != leading or m == first):
            blocks[START, m] = k
            blocks[TEXTS, m] = 0
            m += 1
        if m > first:
            blocks[END, m - 1] = terms[k].end
            blocks[TEXTS, m - 1] += kind == TEXT
        blocks[BLOCK, k] = m - 1 if m > first else -1
        kind_before = kind if kind != NEITHER else kind_before
        k = terms[k].end
    return m


@inlined
def trim(terms: Terms, m: Integer, blocks: Ints, most: Integer, last: bool) -> None:
    """Leave a block so many children with text: the last ones of the first block, or the first."""
    spare = blocks[TEXTS, m] - most
    texts = 0
    k = blocks[START, m]
    while k < blocks[END, m]:
        texts += name_kind(terms, k) == TEXT
        if last and texts == most:
            blocks[END, m] = terms[k].end
        k = terms[k].end
        if not last and texts == spare:
            blocks[START, m] = k
            return


@filling
def cut_parent(terms: Terms, p: Integer, blocks: Ints, m: Integer) -> Integer:
    """Find the blocks of a parent; return the number behind the last of them.

    Text after the last holder: each holder leads a block; else each closes one. Where the list
    ends, or begins, there may stand more than belongs to it: that block gets no more children with
    text than the longest of the others.
    """
    leading = HOLDER if find_last_kind(terms, p) == TEXT else TEXT
    behind = cut(terms, p, leading, blocks, m)
    blocks[TOTAL, p] = behind - m
    if behind - m > 1:
        edge = behind - 1 if leading == HOLDER else m
        most = 0
        for other in range(m, behind):
            if other != edge:
                most = max(most, blocks[TEXTS, other])
        if blocks[TEXTS, edge] > most:
            trim(terms, edge, blocks, most, leading == HOLDER)
    return behind


@filling
def fill_spans(terms: Terms, images: Ints, blocks: Ints, spans: Spans) -> None:
    """Write the span of each image; `blocks` is room."""
    for i in range(len(images)):
        if terms[images[i]].above >= 0:
            blocks[TOTAL, terms[images[i]].above] = -1
    m: Integer = 0
    for i in range(len(images)):
        p, holder = terms[images[i]].above, terms[images[i]].below
        if p < 0:  # a page without text
            spans[i, 0] = spans[i, 1] = 0
            continue
        if blocks[TOTAL, p] < 0:
            m = cut_parent(terms, p, blocks, m)
        spans[i, 0], spans[i, 1] = terms[p].offset, terms[terms[p].end].offset
        block = blocks[BLOCK, holder]
        if blocks[TOTAL, p] > 1 and block >= 0:
            spans[i, 0] = terms[blocks[START, block]].offset
            spans[i, 1] = terms[blocks[END, block]].offset


def find_monash(tree: Tree, terms: Terms, images: Ints) -> Spans:
    """Return for each image its block of a semi-structured list, else its paragraph."""
    spans = np.empty((len(images), 2), np.int32)
    fill_spans(terms, images, np.empty((COLUMNS, len(tree.tag)), np.int32), spans)
    return spans
