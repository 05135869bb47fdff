"""Tables to look up fingerprints that differ in at most k bits, as Manku has them.

In: fingerprints of up to 128 bits. Out: tables, one for each choice of all blocks but k: under the
bits of the chosen blocks stand all fingerprints that have them. Whatever differs in at most k bits
agrees in at least one choice; candidates are then counted bit by bit. For pairs among many
fingerprints of 64 bits, join.py is faster.
"""

from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.bands import BandPairs, BandRules, find_candidates
from blickfang.dedupe.join import block_masks
from blickfang.dedupe.shingles import Places
from blickfang.text.words import FIRST_MIX, MULTIPLIER, Hashes

WORD = 64
LOWER = 2**WORD - 1
U32 = np.uint64(32)
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def _as_rows(values: Hashes, bits: int) -> Hashes:
    """Return fingerprints as rows of an upper and a lower number."""
    values = np.asarray(values, np.uint64)
    if values.ndim == 1:
        values = np.stack([np.zeros_like(values), values], axis=1)
    if values.ndim != 2 or values.shape[1] != 2 or not 1 <= bits <= 2 * WORD:
        raise ValueError("fingerprints are numbers, or rows of two, of at most 128 bits")
    limit = np.array([max(0, bits - WORD), min(bits, WORD)])
    if any((values[:, c] >> np.uint64(n)).any() for c, n in enumerate(limit) if n < WORD):
        raise ValueError(f"a fingerprint has more than {bits} bits")
    return values


class LookupTables:
    """The tables of some fingerprints."""

    def __init__(self, values: Hashes, bits: int, k: int, blocks: int) -> None:
        """Cut `bits` bits into blocks, and make a table for each choice of all but k of them."""
        if not 0 <= k < blocks <= bits:
            raise ValueError("k is at least 0, and below the number of blocks")
        self.values = _as_rows(values, bits)
        self.k = k
        self.masks = block_masks(bits, blocks)
        self.choices = list(combinations(range(blocks), blocks - k))
        self.keys = np.stack([self._mix(self.values, choice) for choice in self.choices], axis=1)
        self.order: Places = np.argsort(self.keys, axis=0, kind="stable").astype(np.int64)
        self.sorted = np.ascontiguousarray(np.take_along_axis(self.keys, self.order, axis=0).T)

    def _mask(self, choice: tuple[int, ...]) -> Hashes:
        mask = sum(self.masks[block] for block in choice)
        return np.array([mask >> WORD, mask & LOWER], np.uint64)

    def _mix(self, rows: Hashes, choice: tuple[int, ...]) -> Hashes:
        """Return the chosen bits of fingerprints as numbers of 64 bits: equal, if they are."""
        chosen = rows & self._mask(choice)
        mixed: Hashes = (chosen[:, 0] * FIRST_MIX ^ chosen[:, 1]) * MULTIPLIER
        return mixed ^ mixed >> U32

    def groups(self, table: int) -> dict[str, list[int]]:
        """Return a table as it would be printed: the chosen bits, and who has them, in order."""
        found: dict[str, list[int]] = {}
        for number, (upper, lower) in enumerate(self.values.tolist()):
            value = upper << WORD | lower
            key = ""
            for block in self.choices[table]:
                width = self.masks[block].bit_count()
                shift = (self.masks[block] & -self.masks[block]).bit_length() - 1
                key += f"{(value & self.masks[block]) >> shift:0{width}b}"
            found.setdefault(key, []).append(number)
        return dict(sorted(found.items()))

    def find(self, value: Hashes | np.uint64 | int) -> Places:
        """Return who differs from a fingerprint in at most k bits, in order."""
        if isinstance(value, int):
            value = np.array([value >> WORD, value & LOWER], np.uint64)
        row = np.atleast_1d(np.asarray(value, np.uint64))
        row = np.concatenate([np.zeros(2 - len(row), np.uint64), row])[np.newaxis]
        parts = []
        for table, choice in enumerate(self.choices):
            key = self._mix(row, choice)[0]
            first, last = (int(np.searchsorted(self.sorted[table], key, s)) for s in SIDES)
            parts.append(self.order[first:last, table])
        candidates = np.unique(np.concatenate(parts))
        near: Places = candidates[distances(self.values[candidates], row) <= self.k]
        return near

    def pairs(self) -> tuple[Places, BandPairs]:
        """Return all pairs that differ in at most k bits, and the candidates they come from."""
        found = find_candidates(self.keys, BandRules(1))
        left, right = (self.values[found.pairs[:, side]] for side in (0, 1))
        return found.pairs[distances(left, right) <= self.k], found


def distances(left: Hashes, right: Hashes) -> NDArray[np.int64]:
    """Return in how many bits rows of numbers differ."""
    apart: NDArray[np.int64] = np.bitwise_count(left ^ right).sum(axis=1, dtype=np.int64)
    return apart
