"""Phase 3 of the language model: n-grams in hash tables that answer with one memory access.

In: estimates per order. Out: `Table`: one array of rows (key, log10 probability, back-off), a
region per order. A word's key is its hash; an n-gram's key is the row of its prefix and the row of
its last word, so that keys are exact and a row needs no number beside its place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.text.lm.kneser_ney import Estimates, Floats
from blickfang.text.lm.ngram_counts import UNKNOWN, Numbers
from blickfang.text.words import FIRST_MIX, MULTIPLIER, Hashes

Rows = NDArray[np.uint64]

SPACE_PER_GRAM = 1.6  # rows per n-gram; less room means longer searches
U32 = np.uint64(32)
FREE, ONE = np.uint64(0), np.uint64(1)


class NgramTable(NamedTuple):
    """All n-grams of a model."""

    rows: Rows  # (key, two 32-bit floats)
    values: Floats  # the same memory, to read the floats: columns 2 and 3
    sizes: NDArray[np.int64]  # rows of each order's region
    unknown: int  # the row of <unk>, which stands for every word that was never seen
    closed: bool  # every n-gram's suffix is there: true of all but some pruned ARPA files
    opened: bool  # <unk> stands in n-grams or backs off: only in some ARPA files


@inlined
def home(hashed: np.uint64, size: Integer) -> Integer:
    """Return where in a region the search for a hash begins."""
    return np.int64((hashed >> U32) * np.uint64(size) >> U32)


@inlined
def gram_key(prefix: np.uint32, word: np.uint32) -> np.uint64:
    """Return the key of an n-gram from its parts; never 0, the mark of a free row."""
    return (np.uint64(prefix) << U32 | np.uint64(word)) + ONE


@inlined
def spread(key: np.uint64) -> np.uint64:
    """Hash the key of an n-gram."""
    key = (key ^ key >> U32) * MULTIPLIER
    return (key ^ key >> U32) * FIRST_MIX


@inlined
def search(rows: Rows, base: Integer, size: Integer, key: np.uint64, row: Integer) -> Integer:
    """Return the row of a key within its region, from its home on, or the free row it finds."""
    while rows[base + row, 0] != key and rows[base + row, 0] != FREE:
        row += 1
        if row == size:
            row = 0
    return row


@compiled
def place_words(hashes: Hashes, rows: Rows, size: Integer, out: Numbers) -> None:
    """Find a row for each word."""
    for w in range(len(hashes)):
        row = search(rows, 0, size, hashes[w], home(hashes[w], size))
        rows[row, 0] = hashes[w]
        out[w] = row


@compiled
def place_grams(keys: Rows, rows: Rows, base: Integer, size: Integer, out: Numbers) -> None:
    """Find a row for each n-gram of one order."""
    for g in range(len(keys)):
        row = search(rows, base, size, keys[g], home(spread(keys[g]), size))
        rows[base + row, 0] = keys[g]
        out[g] = row


def build_table(
    hashes: Hashes, levels: list[Estimates], *, closed: bool = True, opened: bool = False
) -> tuple[NgramTable, Numbers]:
    """Return the table of a model and the row of each word; frees the estimates."""
    sizes = np.array([int(len(level.word) * SPACE_PER_GRAM) + 8 for level in levels])
    rows = np.zeros((int(sizes.sum()), 2), np.uint64)
    words = np.empty(len(hashes), np.uint32)
    place_words(hashes, rows, int(sizes[0]), words)
    table = NgramTable(rows, rows.view(np.float32), sizes, int(words[UNKNOWN]), closed, opened)
    first = levels.pop(0)
    put_values(table, words, first.log_prob, first.log_backoff)
    lower, base = words, int(sizes[0])
    for size in sizes[1:].tolist():
        level = levels.pop(0)
        placed = np.empty(len(level.word), np.uint32)
        keys = (lower[level.prefix].astype(np.uint64) << U32 | words[level.word]) + ONE
        place_grams(keys, rows, base, size, placed)
        put_values(table, placed.astype(np.int64) + base, level.log_prob, level.log_backoff)
        lower = placed
        base += size
    return table, words


def put_values(
    table: NgramTable, at: NDArray[np.integer], log_prob: Floats, log_backoff: Floats
) -> None:
    """Write what the model says of the n-grams in some rows."""
    table.values[at, 2] = log_prob
    table.values[at, 3] = log_backoff
