"""Which words of the text of an image are emphasised, of many images at a time.

In: for each image the ranges of words that are its text, and the emphasised ranges of its page.
Out: where each emphasised part of the text begins and ends, counted in words of it; later, of the
few images that become samples, the parts themselves.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.text.words import read_words

MOST_WORDS = 400  # of a text, that are looked at: what is behind them is hardly about the image

Ranges = tuple[tuple[int, int], ...]  # of words of a page


def find_emphasised(
    texts: Sequence[Ranges],
    of_page: Sequence[int],
    sizes: Sequence[int],
    emphasised: Sequence[NDArray[np.int32]],
) -> pa.Array:
    """Return for each text its emphasised parts as a list: begin, end, begin, end, …

    Each page has so many texts (`of_page`), so many words (`sizes`), and emphasised ranges of them.
    """
    edges = np.append(0, np.cumsum(sizes)).astype(np.int64)
    strong = np.concatenate([np.empty((0, 2), np.int64), *map(np.add, emphasised, edges)])
    pieces = np.fromiter(map(len, texts), np.int64, len(texts))
    text = np.repeat(np.arange(len(texts)), pieces)
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(texts)), np.int64, 2 * len(text))
    first, last = flat[::2], flat[1::2]
    before = np.cumsum(last - first) - (last - first)  # words of pieces in front, of any text
    starts = np.cumsum(pieces) - pieces
    before -= np.append(before, 0)[starts[text]]
    last = np.minimum(last, first + np.maximum(MOST_WORDS - before, 0))
    page = np.repeat(edges[:-1], of_page)[text]
    low = np.searchsorted(strong[:, 1], first + page, "right")
    high = np.maximum(np.searchsorted(strong[:, 0], last + page), low)
    high = np.where(first < last, high, low)  # nothing is emphasised in a piece without words
    piece = np.repeat(np.arange(len(text)), high - low)
    which = np.arange(len(piece)) - np.repeat(
        np.cumsum(high - low) - (high - low) - low, high - low
    )
    parts = strong[which] - page[piece, None]
    parts = np.clip(parts, first[piece, None], last[piece, None])
    parts += (before - first)[piece, None]
    counts = np.bincount(text[piece], minlength=len(texts))
    offsets = np.append(0, np.cumsum(2 * counts))
    values = pa.array(parts.ravel(), pa.int32())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def read_emphasised(text: str, places: Sequence[int]) -> list[str]:
    """Return the emphasised parts of a text, each different one once.

    >>> read_emphasised("The old tower, by the sea", [1, 3, 5, 6, 8, 9])
    ['old tower', 'sea']
    """
    if not places:
        return []
    words = read_words(text)
    starts, ends = words.starts.tolist(), words.ends.tolist()
    parts = (
        words.data[starts[begin] : ends[min(end, len(ends)) - 1]].decode()
        for begin, end in zip(places[::2], places[1::2], strict=True)
        if begin < len(ends)  # a long text is cut
    )
    return list(dict.fromkeys(parts))
