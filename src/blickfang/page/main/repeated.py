"""Text that a page carries twice: long blocks that were said before are dropped.

In: blocks and which of them are kept. Out: fewer of them.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.page.main.blocks import Blocks, Hashes
from blickfang.text.words import MULTIPLIER

Flags = NDArray[np.bool_]

REPEATED_WORDS, REPEATED = 50, 0.8  # a block as long, so much of which was said before, is dropped


@inlined
def find_shingle(
    hashes: Hashes, w: int, table: Hashes, size: Integer
) -> tuple[np.uint64, np.uint64]:
    """Return the hash of four words and its place in a table, or the free one where it belongs."""
    h = np.uint64(0)
    for k in range(4):
        h = (h ^ hashes[np.uint64(w + k)]) * MULTIPLIER
    h |= np.uint64(1)  # 0 is a free place
    last = np.uint64(size - 1)
    slot = (h >> np.uint64(32)) & last
    while table[slot] != h and table[slot] != np.uint64(0):
        slot = (slot + np.uint64(1)) & last
    return h, slot


@inlined
def clear_table(blocks: Blocks, keep: Flags, table: Hashes) -> int:
    """Clear as much of a table as the words of all kept blocks need; 0 if none can be repeated."""
    words = size = 0
    for b in range(len(keep)):
        if keep[b]:
            count = blocks.last_word[b] - blocks.first_word[b]
            if words and count >= REPEATED_WORDS:
                size = 64
            words += count
    while 0 < size < 2 * words:
        size *= 2
    table[:size] = 0
    return size


@inlined
def drop_repeated(blocks: Blocks, hashes: Hashes, keep: Flags, table: Hashes) -> None:
    """Drop long blocks that were said before: some pages carry their text twice."""
    size = clear_table(blocks, keep, table)
    if not size:
        return
    for b in range(len(keep)):
        if not keep[b]:
            continue
        first, last = blocks.first_word[b], blocks.last_word[b]
        if last - first >= REPEATED_WORDS:
            known = 0
            for w in range(first, last - 3):
                known += table[find_shingle(hashes, w, table, size)[1]] != np.uint64(0)
            keep[b] = known < REPEATED * (last - 3 - first)
        if keep[b]:
            for w in range(first, last - 3):
                h, slot = find_shingle(hashes, w, table, size)
                table[slot] = h
