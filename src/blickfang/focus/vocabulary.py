"""Which words the learned pages have: a hash table that a page is held against in one pass.

In: the different words of a vocabulary. Out: which words of a page are among them. To search them
in order takes ten times as long.
"""

import numpy as np

from blickfang.compute.kernels import filling, inlined
from blickfang.text.words import Hashes, Spans

FREE, FIRST = np.uint64(0), np.uint64(1)  # no word has the hash 0, or it is not known


@filling
def fill_slots(vocabulary: Hashes, slots: Hashes) -> None:
    """Put words into an empty hash table, which has room for twice as many."""
    mask = np.uint64(len(slots) - 1)
    for k in range(len(vocabulary)):
        slot = vocabulary[k] & mask
        while slots[slot] != FREE:
            slot = (slot + FIRST) & mask
        slots[slot] = vocabulary[k]


@inlined
def is_known(word: np.uint64, slots: Hashes) -> bool:
    """Whether a word is in a hash table."""
    mask = np.uint64(len(slots) - 1)
    slot = word & mask
    while slots[slot] != word and slots[slot] != FREE:
        slot = (slot + FIRST) & mask
    return bool(slots[slot] == word and word != FREE)


@filling
def write_known(words: Hashes, slots: Hashes, places: Spans) -> int:
    """Write down where words stand that are in a hash table; return how many."""
    count = 0
    for k in range(len(words)):
        if is_known(words[k], slots):
            places[count] = k
            count += 1
    return count


def find_known(words: Hashes, slots: Hashes) -> Spans:
    """Return where words stand that are in a hash table."""
    places = np.empty(len(words), np.int32)
    return places[: write_known(words, slots, places)]


def keep_known(words: Hashes, slots: Hashes) -> Hashes:
    """Return the words that are in a hash table, in their order."""
    return words[find_known(words, slots)]


def make_slots(vocabulary: Hashes) -> Hashes:
    """Return different words as a hash table."""
    slots = np.zeros(2 << max(len(vocabulary), 8).bit_length(), np.uint64)
    fill_slots(vocabulary, slots)
    return slots
