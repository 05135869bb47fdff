"""From spans of a page's text to the text that people read.

In: byte ranges in the text of a page, as every way of finding an image's text gives them. Out: the
texts, without what is hidden, and which words of the page they are.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.page.structure.terms import Terms
from blickfang.page.tree import Tree, read_slices

Spans = NDArray[np.int32]  # one row an image: start and end in the text; empty where none was found
Piece = tuple[int, int]


class Hidden(NamedTuple):
    """The parts of a page's text that are not seen, in order."""

    starts: list[int]
    ends: list[int]


def find_hidden(tree: Tree, terms: Terms) -> Hidden:
    """Return what is hidden on a page."""
    nodes = np.flatnonzero(terms["hidden"])
    return Hidden(tree.offset[nodes].tolist(), tree.offset[tree.end[nodes]].tolist())


def cut_hidden(hidden: Hidden, start: int, end: int) -> list[Piece]:
    """Return a span without what is hidden in it."""
    if not hidden.starts:
        return [(start, end)] if start < end else []
    first, last = bisect_left(hidden.ends, start + 1), bisect_left(hidden.starts, end)
    pieces = []
    for place in range(first, last):
        if start < hidden.starts[place]:
            pieces.append((start, hidden.starts[place]))
        start = hidden.ends[place]
    if start < end:
        pieces.append((start, end))
    return pieces


def trim_hidden(hidden: Hidden, start: int, end: int) -> Piece:
    """Return a span without what is hidden at its ends."""
    place = bisect_left(hidden.ends, start + 1)
    while place < len(hidden.starts) and hidden.starts[place] <= start:
        start = hidden.ends[place]
        place += 1
    place = bisect_left(hidden.starts, end) - 1
    while place >= 0 and hidden.ends[place] >= end:
        end = hidden.starts[place]
        place -= 1
    return (start, end) if start < end else (0, 0)


def join_all(tree: Tree, pieces: Sequence[Sequence[Piece]]) -> list[str]:
    """Return the text of each list of pieces."""
    starts = [piece[0] for each in pieces for piece in each]
    ends = [piece[1] for each in pieces for piece in each]
    texts = iter(read_slices(tree, starts, ends))
    return [
        next(texts) if len(each) == 1 else "\n".join(filter(None, [next(texts) for _ in each]))
        for each in pieces
    ]


def count_words(tree: Tree, pieces: Sequence[Sequence[Piece]]) -> list[tuple[Piece, ...]]:
    """Return for each list of pieces the ranges of words they hold."""
    flat = np.array([piece for each in pieces for piece in each], np.int32).reshape(-1, 2)
    ranges = map(tuple, np.searchsorted(tree.words.starts, flat).tolist())
    return [tuple(islice(ranges, len(each))) for each in pieces]


def read_spans(tree: Tree, terms: Terms, spans: Spans) -> list[str]:
    """Return the text of each span."""
    hidden = find_hidden(tree, terms)
    return join_all(tree, [cut_hidden(hidden, *span) for span in spans.tolist()])
