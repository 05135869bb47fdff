"""What the kernels of the main text write on: each thread has its own, kept for the next page.

In: how many nodes and words a page has. Out: `Room`. Kernels that make their arrays themselves must
count who uses each: for a short page that took longer than finding its text.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MEMORY_BITS = 9  # 512 classes whose groups are remembered: most stand on a page again and again
MOST_NODES = 2**15  # of pages whose room is kept: 7 MB a thread, touched as needed
MOST_WORDS = 2**16
_scratch = threading.local()


class MainTextScratch(NamedTuple):
    """Columns for the nodes of a page, a row each; tables for its words."""

    ints: NDArray[np.int32]
    floats: NDArray[np.float32]
    doubles: NDArray[np.float64]
    hashes: NDArray[np.uint64]
    flags: NDArray[np.uint32]
    groups: NDArray[np.uint16]
    tags: NDArray[np.uint8]
    keep: NDArray[np.bool_]
    spans: NDArray[np.int32]  # two numbers a row
    table: NDArray[np.uint64]
    numbers: NDArray[np.int32]  # of what stands in the table
    signs: NDArray[np.uint64]  # of the classes that are remembered
    meanings: NDArray[np.uint16]  # of the same


# The rows of `Room.ints`.
OWNER, START, END, FIRST_WORD, LAST_WORD, STYLE = range(6)  # of blocks
NODE, UP, FIRST, LAST = range(6, 10)  # of elements
AROUND, BEFORE = range(10, 12)  # of nodes: the element around, the blocks before
INTS = 12
WORDS, LINKS, MASS = FLOATS = range(3)  # of `Room.floats`, all of blocks
# Of `Room.doubles`: of blocks, or of what stands before them; behind these the features.
CHANCE, WORDS_BEFORE, MASS_BEFORE, STYLE_MASS, STYLE_WORDS, FEATURES_AT = range(6)
NUMBERS = 6  # features that are no marks: as many as block_model.py names
SIGN, MARKS = range(2)  # of `Room.hashes`: of elements; of blocks
GROUPS, WAYS = range(2)  # of `Room.groups`, of elements


def take_room(nodes: int, words: int) -> MainTextScratch:
    """Return room for a page: this thread's own, until its next page."""
    room: MainTextScratch | None = getattr(_scratch, "room", None)
    if room is None:
        room = _scratch.room = make_room(MOST_NODES, MOST_WORDS)
    return room if nodes <= MOST_NODES and words <= MOST_WORDS else make_room(nodes, words)


def make_room(nodes: int, words: int) -> MainTextScratch:
    """Return room for a page of so many nodes and words."""
    size = nodes + 1
    return MainTextScratch(
        np.empty((INTS, size), np.int32),
        np.empty((len(FLOATS), size), np.float32),
        np.empty((FEATURES_AT + NUMBERS, size), np.float64),
        np.empty((2, size), np.uint64),
        np.empty(size, np.uint32),
        np.empty((2, size), np.uint16),
        np.empty(size, np.uint8),
        np.empty(size, np.bool_),
        np.empty((size, 2), np.int32),
        np.empty(max(64, 4 * max(nodes, words)), np.uint64),
        np.empty(max(64, 4 * nodes), np.int32),
        np.empty(1 << MEMORY_BITS, np.uint64),
        np.empty(1 << MEMORY_BITS, np.uint16),
    )
