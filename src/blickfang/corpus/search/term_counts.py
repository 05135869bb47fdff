"""The texts of samples as weighted terms, counted once for the text and the semantic index.

In: rows of a corpus. Out: a `Bag` for some rows: for each the terms and their weights, and the
words in reading order for phrases.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.corpus.search.query_terms import DROPPED, Numbers, TermTable
from blickfang.corpus.search.text_weights import MAX_WORDS, NEAR_WORDS, Row, find_pieces
from blickfang.text.words import read_many

GAP = -2  # no phrase goes over it
MAX_WEIGHT = 48  # of one term: more often than this it does not count more


class Bag(NamedTuple):
    """The terms of some rows: row r has those from starts[r] to starts[r + 1], in rising order."""

    starts: NDArray[np.int64]
    terms: Numbers
    weights: Numbers
    spoken: list[
        Numbers
    ]  # of each row: all its terms as they follow each other, GAP behind each piece


def fill_bag(rows: Sequence[Row], terms: TermTable) -> Bag:
    """Return the weighted terms of rows."""
    pieces = [find_pieces(row) for row in rows]
    flat = [piece for found in pieces for piece in found]
    words = read_many([piece.text for piece in flat])
    lengths = np.diff(words.texts)
    numbers = terms.number(words)
    of_piece = np.repeat(np.arange(len(flat)), lengths)
    place = np.arange(len(numbers)) - words.texts[of_piece]
    near = np.array([piece.weight for piece in flat], np.int32)
    far = np.array([piece.far for piece in flat], np.int32)
    weights = np.where(place < NEAR_WORDS, near[of_piece], far[of_piece])
    row_of = np.repeat(np.arange(len(rows)), [len(found) for found in pieces])
    kept = (numbers != DROPPED) & (place < MAX_WORDS)
    spoken = _split_spoken(numbers[kept], of_piece[kept], row_of, len(rows))
    return Bag(*_add_up(row_of[of_piece[kept]], numbers[kept], weights[kept], len(rows)), spoken)


def _add_up(
    rows: NDArray[np.int64], terms: Numbers, weights: Numbers, count: int
) -> tuple[NDArray[np.int64], Numbers, Numbers]:
    """Add the weights of equal terms of a row."""
    keys, places = np.unique(rows << 32 | terms, return_inverse=True)
    sums = np.bincount(places, weights, minlength=len(keys))
    starts = np.searchsorted(keys >> 32, np.arange(count + 1))
    numbers = (keys & 0xFFFFFFFF).astype(np.int32)
    return starts.astype(np.int64), numbers, np.minimum(sums, MAX_WEIGHT).astype(np.int32)


def _split_spoken(
    numbers: Numbers, of_piece: NDArray[np.int64], row_of: NDArray[np.int64], count: int
) -> list[Numbers]:
    """Return the terms of each row in reading order, with a gap behind each piece."""
    ends = np.flatnonzero(np.diff(of_piece, append=-1)) + 1
    gapped = np.insert(numbers, ends, GAP)
    rows = row_of[np.insert(of_piece, ends, of_piece[ends - 1])]
    return np.split(gapped, np.searchsorted(rows, np.arange(1, count)))
