"""Words that kernels look for in the bytes of a page.

In: some words; a range of bytes. Out: whether one of them is there, whatever its case.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Packed = tuple[Bytes, Ints]

LAST_PLAIN = 0x7E  # of ASCII


def pack(words: Sequence[str]) -> Packed:
    """Return words one behind the other, and where each begins, and ends."""
    edges = np.cumsum([0, *map(len, words)]).astype(np.int32)
    return np.frombuffer("".join(words).encode(), np.uint8), edges


@inlined
def stands_at(data: Bytes, i: Integer, words: Bytes, begin: Integer, end: Integer) -> bool:
    """Whether a word stands at a place, whatever its case."""
    k = begin
    while k < end and data[np.uint64(i + k - begin)] | np.uint8(32) == words[np.uint64(k)]:
        k += 1
    return bool(k == end)


@inlined
def may_have(data: Bytes, start: Integer, end: Integer, packed: Packed) -> bool:
    """Whether one of some words may stand in a range: letters beyond ASCII may count as theirs."""
    words, edges = packed
    for i in range(start, end):
        if data[np.uint64(i)] > LAST_PLAIN:
            return True
        for w in range(len(edges) - 1):
            fits = i + edges[w + 1] - edges[w] <= end
            if fits and stands_at(data, i, words, edges[w], edges[w + 1]):
                return True
    return False


@inlined
def is_letter(byte: Integer) -> bool:
    """Whether a byte is a letter of ASCII."""
    return bool(0x61 <= byte | 32 <= 0x7A)


@inlined
def is_digit(byte: Integer) -> bool:
    """Whether a byte is a digit of ASCII."""
    return bool(0x30 <= byte <= 0x39)


@inlined
def is_one_of(said: Bytes, start: Integer, end: Integer, packed: Packed) -> bool:
    """Whether some letters, whatever their case, are one of some words."""
    words, edges = packed
    for w in range(len(edges) - 1):
        k = 0
        size = np.int64(edges[w + 1] - edges[w])
        if size == end - start:
            while k < size and said[np.uint64(start + k)] | 32 == words[np.uint64(edges[w] + k)]:
                k += 1
            if k == size:
                return True
    return False
