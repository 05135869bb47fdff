"""Pages in a language that nobody taught us: no evidence, rather than evidence against the topic.

In: the words of a page, and which words the learned pages have. Out: how well the page is
understood, and how relevant it is by what is understood of it. Nearly all words of a page in
another language are unknown, and unknown words make a page look far from any topic. But names,
terms and what is said of pictures often stand there in the language of the topic. Language is
never asked for: a page is understood as well as pages off the topic usually are if it has half as
many words of the learned pages, and the fewer it has, the more these alone decide. Method:
docs/method.md, "Focus".
"""

from collections.abc import Iterable, Sequence

import numpy as np

from blickfang.crawl.focus.length_bias import NO_CHANCE, Chance
from blickfang.crawl.focus.topic_evidence import EvidenceWeights, find_known
from blickfang.crawl.focus.word_weights import (
    STRANGER,
    LearnedWeights,
    Own,
    WordCounts,
    rate_page,
    rate_pages,
    weigh_own,
)
from blickfang.text.words import Hashes

ENOUGH = 0.5  # of the share of known words that pages off the topic usually have
FEW = 5.0  # different words that are half as good as many: one word is no description


def share_known(page: WordCounts, slots: Hashes) -> float:
    """Return which share of the words of a page are in a hash table."""
    return float(page.counts[find_known(page.hashes, slots)].sum() / max(1, page.counts.sum()))


def find_usual(hosts: Iterable[Sequence[WordCounts]], slots: Hashes) -> float:
    """Return the share of known words that pages off the topic usually have, a host a vote.

    0: nobody knows. A host or two in another language do not move the median.
    """
    voting = [pages for pages in hosts if pages]
    shares = [sum(share_known(page, slots) for page in pages) / len(pages) for pages in voting]
    return float(np.median(shares)) if shares else 0.0


def understand(share: float, usual: float) -> float:
    """Return how well a page is understood, in 0..1, by its share of known words.

    >>> understand(0.1, 0.4), understand(0.3, 0.4), understand(0.0, 0.0)
    (0.5, 1.0, 1.0)
    """
    return min(1.0, share / (ENOUGH * usual)) if usual > 0 else 1.0


def rate_known(
    page: WordCounts,
    slots: Hashes,
    weights: EvidenceWeights,
    own: EvidenceWeights | None = None,
    chance: Chance = NO_CHANCE,
) -> float:
    """Return how much a page is on the topic by the words in a hash table alone, in 0..1."""
    known = find_known(page.hashes, slots)
    some = WordCounts(page.hashes[known], page.counts[known])
    rate = rate_page(some, weights, own, chance)
    return min(1.0, max(0.0, rate)) * len(some.hashes) / (len(some.hashes) + FEW)


def rate_kept(
    pages: Sequence[WordCounts], slots: Hashes, learned: LearnedWeights, own: Own = STRANGER
) -> list[float]:
    """Return how much pages kept of a host are on the topic, in 0..1, as far as each is understood.

    `own` says which part the host has in what was learned.
    """
    rates = [min(1.0, max(0.0, rate)) for rate in rate_pages(pages, learned, own)]
    reads = [understand(share_known(page, slots), learned.usual_share) for page in pages]
    if min(reads, default=1.0) == 1.0:
        return rates
    judge = learned.weights, weigh_own(pages, learned, own), learned.chance
    return [
        rate if read == 1.0 else read * rate + (1 - read) * rate_known(page, slots, *judge)
        for page, rate, read in zip(pages, rates, reads, strict=True)
    ]
