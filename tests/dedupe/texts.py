"""Texts for the tests of near-duplicates: word hashes drawn, copied and changed."""

import numpy as np

from blickfang.words import Hashes


def draw(random: np.random.Generator, words: int) -> Hashes:
    return random.integers(1, 2**64, words, np.uint64)


def change(random: np.random.Generator, text: Hashes, words: int) -> Hashes:
    """Return a text with so many of its words replaced."""
    changed = text.copy()
    changed[random.choice(len(text), words, replace=False)] = draw(random, words)
    return changed


def flip(random: np.random.Generator, values: Hashes, bits: int) -> Hashes:
    """Return numbers with so many of their bits changed, or fewer."""
    for _ in range(bits):
        values = values ^ np.uint64(1) << random.integers(0, 64, len(values)).astype(np.uint64)
    return values
