"""Keywords: the words by which pages on a topic differ from neutral pages. SPEC: docs/method.md.

In: the words of positive and of neutral pages, one text a page. Out: `Keyword`s, heaviest first;
and `Keywords`, which say how much of a text is made of them. No stop words, no grammar: any
language.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blickfang.text.words import Hashes, Words, locate, pick, read_many, spell, text_slices

Doubles = NDArray[np.float64]

SIEVED = np.uint64(48)  # lower bits of a hash that the sieve of keywords does not see
UNSEEN_DF = 0.1  # what a word counts as that is in no neutral page: rarer than in a tenth of one


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word that speaks for the topic."""

    word: str
    weight: float
    tf: int  # how often it stands in all positive pages
    df: int  # in how many of them


@dataclass(frozen=True, slots=True)
class Statistics:
    """How often each different word of some pages occurs."""

    hashes: Hashes  # sorted
    first: NDArray[np.int64]  # where each stands for the first time
    tf: NDArray[np.int64]
    df: NDArray[np.int64]
    pages: int


def count_words(pages: Words) -> Statistics:
    """Count the words of pages."""
    hashes, first, numbers, tf = np.unique(
        pages.hashes, return_index=True, return_inverse=True, return_counts=True
    )
    count = len(pages.texts) - 1
    page = np.repeat(np.arange(count), np.diff(pages.texts))
    per_page = np.unique(page * max(1, len(hashes)) + numbers) % max(1, len(hashes))
    df = np.bincount(per_page, minlength=len(hashes))
    return Statistics(hashes, first, tf, df, count)


def idf(pages: int, df: float) -> float:
    """Return the inverse document frequency."""
    return math.log10(1 + pages / df)


def weigh_word(tf: int, df: int, pages: int, neutral_df: int, neutral_pages: int) -> float:
    """Return how much a word speaks for the topic.

    >>> weigh_word(655, 6, 6, 0, 7)
    1015.3995712510865
    """
    return tf * (idf(neutral_pages, neutral_df or UNSEEN_DF) - idf(pages, df))


def find_keywords(positive: Words, neutral: Words, top: int = 50) -> list[Keyword]:
    """Return the heaviest words of positive pages against neutral ones; none below zero."""
    ours, theirs = count_words(positive), count_words(neutral)
    at, shared = locate(theirs.hashes, ours.hashes)
    neutral_df = np.zeros(len(ours.hashes), np.int64)
    neutral_df[shared] = theirs.df[at[shared]]
    counts = zip(ours.tf.tolist(), ours.df.tolist(), neutral_df.tolist(), strict=True)
    weights = [weigh_word(tf, df, ours.pages, other, theirs.pages) for tf, df, other in counts]
    heavy = [i for i, weight in enumerate(weights) if weight > 0]
    words = spell(pick(positive, ours.first[heavy]))
    found = [
        Keyword(word, weights[i], int(ours.tf[i]), int(ours.df[i]))
        for word, i in zip(words, heavy, strict=True)
    ]
    return sorted(found, key=lambda keyword: (-keyword.weight, keyword.word))[:top]


@dataclass(frozen=True)
class Keywords:
    """The kept keywords of a topic, ready to score texts."""

    found: Sequence[Keyword]

    @cached_property
    def total(self) -> float:
        """The sum of all weights."""
        return sum(keyword.weight for keyword in self.found)

    @cached_property
    def _table(self) -> tuple[Hashes, NDArray[np.int64], Doubles]:
        """Hashes in rising order, the number of the keyword of each, its weight."""
        hashes = read_many([keyword.word for keyword in self.found]).hashes
        numbers = np.argsort(hashes)
        weights = np.array([keyword.weight for keyword in self.found])
        return hashes[numbers], numbers, weights[numbers]

    def weigh(self, hashes: Hashes) -> Doubles:
        """Return the weight of each word; 0 for one that is no keyword."""
        known, _, known_weights = self._table
        likely = np.flatnonzero(self._sieve[hashes >> SIEVED])
        at, hit = locate(known, hashes[likely])
        weights = np.zeros(len(hashes))
        weights[likely[hit]] = known_weights[at[hit]]
        return weights

    @cached_property
    def _sieve(self) -> NDArray[np.bool_]:
        """Whether there is a keyword with these upper bits: few words are looked up in vain."""
        sieve = np.zeros(2**16, np.bool_)
        sieve[self._table[0] >> SIEVED] = True
        return sieve

    def find(self, words: Words) -> list[list[Keyword]]:
        """Return for each text the keywords in it, an entry for every occurrence, in order."""
        known, numbers, _ = self._table
        at, hit = locate(known, words.hashes)
        found = [numbers[at[text][hit[text]]].tolist() for text in text_slices(words)]
        return [[self.found[n] for n in in_text] for in_text in found]

    def score_hashed(self, words: Words) -> list[float]:
        """Return for each text the weight of its keyword occurrences over that of all keywords."""
        weights = self.weigh(words.hashes)
        sums = [float(weights[text].sum()) for text in text_slices(words)]
        return [weight / self.total if self.total else 0.0 for weight in sums]

    def score(self, texts: Sequence[str]) -> list[float]:
        """Return the keyword score of each text."""
        return self.score_hashed(read_many(texts))
