"""What is known of the topic when a crawl begins, and figures of it that scorers ask for often.

In: a topic and the hashed words of its pages. Out: `Knowledge`; each figure is computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blickfang.crawl.focus.judged_values import Doubles
from blickfang.crawl.focus.perplexity import measure
from blickfang.crawl.focus.topic_evidence import make_slots
from blickfang.crawl.focus.word_weights import WordCounts, count_page
from blickfang.errors import SettingsError
from blickfang.text import Topic
from blickfang.text.topic import join_pages
from blickfang.text.words import Hashes, locate

UNSEEN = 0.5  # what a word counts in pages that do not have it
UNSURE = 1000.0  # how much more perplexing than the topic neutral pages are when there are none


@dataclass(frozen=True)
class Knowledge:
    """What is known of the topic; pages are given by their hashed words, the title's in front."""

    topic: Topic | None
    learned: Sequence[Hashes]
    neutral: Sequence[Hashes]

    @cached_property
    def learned_pages(self) -> list[WordCounts]:
        """The learned pages that have words."""
        return [count_page(page) for page in self.learned if len(page)]

    @cached_property
    def neutral_pages(self) -> list[WordCounts]:
        """The neutral pages that have words."""
        return [count_page(page) for page in self.neutral if len(page)]

    @cached_property
    def vocabulary(self) -> Hashes:
        """The different words of the learned pages, sorted."""
        return np.unique(join_pages(self.learned))

    @cached_property
    def vocabulary_slots(self) -> Hashes:
        """The same as a hash table."""
        return make_slots(self.vocabulary)

    @property
    def known_topic(self) -> Topic:
        """The topic, where one is needed."""
        if self.topic is None:
            raise SettingsError("this way to choose links needs a topic; run `blickfang learn`")
        return self.topic

    @cached_property
    def keyword_density(self) -> float:
        """The mean weight of a word of the learned pages, as a keyword."""
        return float(self.known_topic.keywords.weigh(join_pages(self.learned)).mean())

    @cached_property
    def perplexities(self) -> tuple[float, float]:
        """Of the topic (sentences held back, or else what was learned) and of neutral pages."""
        good = self.known_topic.held_out or self._usual(self.learned) or 1.0
        poor = self._usual(self.neutral) or good * UNSURE
        return good, max(poor, 1.01 * good)

    def _usual(self, pages: Sequence[Hashes]) -> float | None:
        words = join_pages(pages)
        ends = np.cumsum([0, *map(len, pages)])
        found = measure(self.known_topic.model, words, ends[:-1], ends[1:])
        found = found[~np.isnan(found)]
        return float(np.exp(np.log(found).mean())) if len(found) else None

    @cached_property
    def log_ratios(self) -> tuple[Hashes, Doubles, float]:
        """How much likelier words are on learned than on neutral pages; the mean on learned."""
        ours, others = join_pages(self.learned), join_pages(self.neutral)
        words, numbers = np.unique(np.concatenate((ours, others)), return_inverse=True)
        used = _likely(numbers[: len(ours)], len(words))
        ratios = np.log(used) - np.log(_likely(numbers[len(ours) :], len(words)))
        return words, ratios, float(ratios[numbers[: len(ours)]].mean()) if len(ours) else 0.0

    def rate(self, words: Hashes) -> Doubles:
        """Return the log-ratio of each word; 0, which speaks for nothing, for unknown ones."""
        known, ratios, _ = self.log_ratios
        at, hit = locate(known, words)
        rates = np.zeros(len(words))
        rates[hit] = ratios[at[hit]]
        return rates


def _likely(numbers: NDArray[np.int64], words: int) -> Doubles:
    counts = np.bincount(numbers, minlength=words).astype(np.float64)
    return (counts + UNSEEN) / (len(numbers) + UNSEEN * words)
