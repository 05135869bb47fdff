"""Texts for the tests of near-duplicates: word hashes drawn, copied and changed."""

from collections import Counter
from itertools import combinations

import numpy as np

from blickfang.text.words import Hashes


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


def overlapping(random: np.random.Generator, jaccard: float, count: int) -> list[list[int]]:
    """Return texts of random words, two and two: their 3-shingles share about a Jaccard, or more.

    Half of the pairs share just about that much, some a little less.
    """
    texts = []
    for number in range(count):
        words = int(random.integers(30, 300))
        aim = jaccard + random.uniform(-0.01, 0.02 if number % 2 else 1 - jaccard)
        same = 2 + round(2 * aim * (words - 2) / (1 + aim))
        first, other = random.integers(0, 10**7, (2, words)).tolist()
        texts += [first, first[:same] + other[same:]]
    return texts


def exact_pairs(texts: list[list[int]], threshold: float) -> dict[tuple[int, int], float]:
    """Return all pairs that share enough of their 3-shingles, by looking at every shingle."""
    sets = [{tuple(text[i : i + 3]) for i in range(len(text) - 2)} for text in texts]
    having: dict[tuple[int, ...], list[int]] = {}
    for number, shingles in enumerate(sets):
        for each in shingles:
            having.setdefault(each, []).append(number)
    both = Counter(pair for numbers in having.values() for pair in combinations(numbers, 2))
    values = {
        (a, b): shared / (len(sets[a]) + len(sets[b]) - shared) for (a, b), shared in both.items()
    }
    return {pair: value for pair, value in values.items() if value >= threshold}
