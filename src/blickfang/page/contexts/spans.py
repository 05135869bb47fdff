"""From spans of a page's text to the text that people read.

In: byte ranges in the text of a page, as every way of finding an image's text gives them. Out: the
texts, without what is hidden.
"""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from blickfang.page.contexts.terms import Terms
from blickfang.page.tree import Tree, slice_text

Spans = NDArray[np.int32]  # one row an image: start and end in the text; empty where none was found


def read_spans(tree: Tree, terms: Terms, spans: Spans) -> list[str]:
    """Return the text of each span."""
    hidden = np.flatnonzero(terms.hidden)
    starts = tree.offset[hidden].tolist()
    ends = tree.offset[tree.end[hidden]].tolist()
    return [
        _read(tree, start, end, starts, ends) if start < end else ""
        for start, end in spans.tolist()
    ]


def _read(tree: Tree, start: int, end: int, starts: list[int], ends: list[int]) -> str:
    first, last = bisect_left(ends, start + 1), bisect_left(starts, end)
    if first >= last:
        return slice_text(tree, start, end)
    pieces = []
    for gap, resume in zip(starts[first:last], ends[first:last], strict=True):
        pieces.append(slice_text(tree, start, max(gap, start)))
        start = max(start, resume)
    pieces.append(slice_text(tree, start, max(end, start)))
    return "\n".join(filter(None, pieces))
