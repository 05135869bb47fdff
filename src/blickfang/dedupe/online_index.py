"""Has a page like this been seen? Asked for every page while a crawl runs.

In: the word hashes of pages, one by one. Out: the most alike page seen before, if it is alike
enough; if none is, the page is remembered. Of each page the sketch of minhash.py is kept with four
bits a bin, 32 bytes, in eight bands; a table of one number a band leads to the pages that share
one. Memory: 32 bytes a page and 32 to 80 for the table, which doubles when it is four fifths full:
10 M pages take about 850 MB. Near-duplicates are not remembered themselves, and a band
that many unlike pages share (a template) is listed for a few of them only: no page takes long.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling, inlined
from blickfang.dedupe.minhash import BANDS, BINS, DONORS, sketch_all
from blickfang.dedupe.shingles import SIZE, HashedTexts
from blickfang.text.words import FIRST_MIX, MULTIPLIER, Hashes

Sketches = NDArray[np.uint32]

TAG_BITS = 5
NUMBER_BITS = np.uint64(32 - TAG_BITS)
NUMBER_MASK = np.uint64((1 << (32 - TAG_BITS)) - 1)
MOST_PAGES = int(NUMBER_MASK) - 1
CROWD = 16  # pages that one band leads to
FIRST_PAGES = 1024
FULL = 0.8  # of the table
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
PAIRS = np.uint64(0x00FF00FF00FF00FF)
FOURS = np.uint64(0x0000FFFF0000FFFF)
LOW_BITS = np.uint32(0x11111111)
U4, U8, U16, U32 = np.uint64(4), np.uint64(8), np.uint64(16), np.uint64(32)
ONE, TWO = np.uint32(1), np.uint32(2)
BY_CHANCE = 1 / 16  # four bits agree


class SeenBefore(NamedTuple):
    """What the index says of a page."""

    number: int  # of the page, or of the one it is like; -1: it has no words
    similarity: float  # to that page; an estimate of Jaccard, ± .04 at .9; 0 for a new page
    new: bool


@inlined
def squeeze(band: np.uint64) -> np.uint32:
    """Return the lower four bits of eight bytes."""
    band &= NIBBLES
    band = (band | band >> U4) & PAIRS
    band = (band | band >> U8) & FOURS
    return np.uint32(band | band >> U16)


@inlined
def count_equal(a: Sketches, b: Sketches) -> Integer:
    """Return how many of 64 bins agree."""
    equal: Integer = BINS
    for band in range(BANDS):
        x = a[band] ^ b[band]
        x |= x >> TWO
        x |= x >> ONE
        x &= LOW_BITS
        equal -= np.int64(np.uint32(x * LOW_BITS) >> np.uint32(28))
    return equal


@inlined
def mix(band: Integer, key: np.uint32) -> np.uint64:
    """Return the hash of a band."""
    h = (np.uint64(key) + np.uint64(band + 1) * FIRST_MIX) * MULTIPLIER
    return (h ^ h >> U32) * FIRST_MIX


@inlined
def best_of_band(
    row: Sketches, band: Integer, sketches: Sketches, slots: Sketches, best: tuple[Integer, Integer]
) -> tuple[Integer, Integer]:
    """Return the page that agrees most, and in how much, among those of a band and the best."""
    mask = np.uint64(len(slots) - 1)
    h = mix(band, row[band])
    place, tag = h & mask, h >> np.uint64(64 - TAG_BITS)
    number, equal = best
    while slots[place] != 0:
        entry = np.uint64(slots[place])
        if entry >> NUMBER_BITS == tag:
            page = np.int64(entry & NUMBER_MASK) - 1
            if sketches[page, band] == row[band]:
                agree = count_equal(row, sketches[page])
                if agree > equal or (agree == equal and page < number):
                    number, equal = page, agree
        place = (place + np.uint64(1)) & mask
    return number, equal


@inlined
def enter(sketches: Sketches, number: Integer, slots: Sketches) -> Integer:
    """Let the bands of a page lead to it; return in how many there were too many already."""
    mask = np.uint64(len(slots) - 1)
    crowded = 0
    for band in range(BANDS):
        h = mix(band, sketches[number, band])
        place, tag = h & mask, h >> np.uint64(64 - TAG_BITS)
        others = 0
        while slots[place] != 0:
            others += np.uint64(slots[place]) >> NUMBER_BITS == tag
            place = (place + np.uint64(1)) & mask
        if others >= CROWD:
            crowded += 1
        else:
            slots[place] = np.uint32(tag << NUMBER_BITS | np.uint64(number + 1))
    return crowded


@compiled
def see_page(
    bands: Hashes, least: int, sketches: Sketches, slots: Sketches, count: int, keep: bool
) -> tuple[Integer, Integer, Integer]:
    """Return the page most alike and in how many bins; if they are too few, remember this one."""
    row = sketches[count]
    for band in range(BANDS):
        row[band] = squeeze(bands[band])
    best: tuple[Integer, Integer] = (-1, 0)
    for band in range(BANDS):
        best = best_of_band(row, band, sketches, slots, best)
    crowded: Integer = 0
    if keep and best[1] < least:
        crowded = enter(sketches, count, slots)
    return best[0], best[1], crowded


@filling
def enter_all(sketches: Sketches, count: int, slots: Sketches) -> None:
    """Fill an empty table."""
    for number in range(count):
        enter(sketches, number, slots)


def similarity(one: bytes, other: bytes) -> float:
    """Return what two rows, as `OnlineIndex.last_row` gives them, tell of the Jaccard."""
    rows = np.frombuffer(one + other, np.uint8).reshape(2, -1)
    halves = rows[:, :, np.newaxis] >> np.array([0, 4], np.uint8) & np.uint8(15)
    equal = int((halves[0] == halves[1]).sum())
    return max(0.0, (equal / BINS - BY_CHANCE) / (1 - BY_CHANCE))


class OnlineIndex:
    """Pages seen so far."""

    def __init__(self, threshold: float = 0.9, size: int = SIZE) -> None:
        """Call pages alike whose estimated Jaccard is at least the threshold."""
        self.size = size
        self.threshold = threshold
        self.least = math.ceil(BINS * (threshold * (1 - BY_CHANCE) + BY_CHANCE) - 1e-9)
        self.crowded = 0  # bands under which a page is not listed
        self.count = 0
        self.sketches: Sketches = np.zeros((FIRST_PAGES, BANDS), np.uint32)
        self.slots: Sketches = np.zeros(self._slots_for(FIRST_PAGES), np.uint32)
        self._room = np.empty(0, np.uint64)
        self._starts = np.zeros(2, np.int64)
        self._rows = np.empty((1, BANDS), np.uint64)
        self._digests = np.empty(1, np.uint64)
        self._last = self.sketches[0]

    @staticmethod
    def _slots_for(pages: int) -> int:
        return 1 << math.ceil(math.log2((pages + 1) * BANDS / FULL))

    def __len__(self) -> int:
        return self.count

    def add(self, words: Hashes) -> SeenBefore:
        """Return the page that this one is like; if there is none, remember it."""
        return self._see(words, keep=True)

    def find(self, words: Hashes) -> SeenBefore:
        """Return the page that this one is like; if there is none, a sighting of number -1."""
        return self._see(words, keep=False)

    def _see(self, words: Hashes, *, keep: bool) -> SeenBefore:
        if not len(words):
            return SeenBefore(-1, 0.0, new=False)
        if len(words) + BINS >= len(self._room):
            self._room = np.empty(2 * len(words) + BINS, np.uint64)
        self._starts[1] = len(words)
        texts = HashedTexts(words, self._starts)
        sketch_all(texts, self.size, DONORS, self._room, self._rows, self._digests)
        return self.see_sketch(self._rows[0], keep=keep)

    def see_sketch(self, bands: Hashes, *, keep: bool = True) -> SeenBefore:
        """Do the same with a page's sketch (minhash.py)."""
        self._make_room()
        number, equal, crowded = see_page(
            bands, self.least, self.sketches, self.slots, self.count, keep
        )
        self._last = self.sketches[self.count]
        if equal >= self.least:
            similarity = (equal / BINS - BY_CHANCE) / (1 - BY_CHANCE)
            return SeenBefore(int(number), float(similarity), new=False)
        self.crowded += int(crowded)
        if not keep:
            return SeenBefore(-1, 0.0, new=False)
        self.count += 1
        return SeenBefore(self.count - 1, 0.0, new=True)

    @property
    def last_row(self) -> bytes:
        """The sketch of the page that was seen last, four bits a bin: 32 bytes."""
        return bytes(self._last.tobytes())

    def recall(self, rows: Sketches) -> None:
        """Remember pages by their rows, as `last_row` gave them, and none besides."""
        self.__setstate__(self.__getstate__() | {"sketches": rows, "count": len(rows)})

    def _make_room(self) -> None:
        """Let there be room for one more page, and for the row of one that is only asked for."""
        if self.count + 2 > len(self.sketches):
            if self.count + 1 >= MOST_PAGES:
                raise OverflowError(f"an index holds at most {MOST_PAGES:,} pages")
            larger = np.zeros((self.count * 3 // 2, BANDS), np.uint32)
            larger[: self.count] = self.sketches[: self.count]
            self.sketches = larger
        if (self.count + 1) * BANDS > FULL * len(self.slots):
            self._fill(len(self.slots) * 2)

    def _fill(self, slots: int) -> None:
        self.slots = np.zeros(0, np.uint32)  # the old ones first: both would be too much
        self.slots = np.zeros(slots, np.uint32)
        enter_all(self.sketches, self.count, self.slots)

    def __getstate__(self) -> dict[str, Any]:
        """Return what has to be kept: the table is made again."""
        state = self.__dict__ | {"sketches": self.sketches[: self.count].copy()}
        state["_room"] = np.empty(0, np.uint64)
        del state["slots"], state["_last"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        room = np.zeros((max(FIRST_PAGES, self.count * 5 // 4 + 2), BANDS), np.uint32)
        room[: self.count] = self.sketches[: self.count]
        self.sketches = room
        self._last = room[self.count]
        self._fill(self._slots_for(max(FIRST_PAGES, self.count)))
