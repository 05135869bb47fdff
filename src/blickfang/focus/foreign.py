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

from blickfang.compiled import filling
from blickfang.focus.lengths import NO_CHANCE, Chance
from blickfang.focus.texts import Weights
from blickfang.focus.weights import Counted, Learned, rate_page
from blickfang.words import Hashes, locate

ENOUGH = 0.5  # of the share of known words that pages off the topic usually have
FREE, ONE = np.uint64(0), np.uint64(1)  # no word has the hash 0, or it is not known
FEW = 5.0  # different words that are half as good as many: one word is no description


@filling
def fill_slots(vocabulary: Hashes, slots: Hashes) -> None:
    """Put words into an empty hash table, which has room for twice as many."""
    mask = np.uint64(len(slots) - 1)
    for k in range(len(vocabulary)):
        slot = vocabulary[k] & mask
        while slots[slot] != FREE:
            slot = (slot + ONE) & mask
        slots[slot] = vocabulary[k]


@filling
def write_known(words: Hashes, slots: Hashes, out: Hashes) -> int:
    """Write down the words that are in a hash table; return how many."""
    mask = np.uint64(len(slots) - 1)
    count = 0
    for k in range(len(words)):
        slot = words[k] & mask
        while slots[slot] != words[k] and slots[slot] != FREE:
            slot = (slot + ONE) & mask
        if slots[slot] == words[k] and words[k] != FREE:
            out[count] = words[k]
            count += 1
    return count


def keep_known(words: Hashes, slots: Hashes) -> Hashes:
    """Return the words that are in a hash table, in their order."""
    out = np.empty(len(words), np.uint64)
    return out[: write_known(words, slots, out)]


def make_slots(vocabulary: Hashes) -> Hashes:
    """Return different words as a hash table: to search them in order takes ten times as long."""
    slots = np.zeros(2 << max(len(vocabulary), 8).bit_length(), np.uint64)
    fill_slots(vocabulary, slots)
    return slots


def share_known(page: Counted, vocabulary: Hashes) -> float:
    """Return which share of the words of a page the vocabulary has."""
    _, known = locate(vocabulary, page.hashes)
    return float(page.counts[known].sum() / max(1, page.counts.sum()))


def find_usual(hosts: Iterable[Sequence[Counted]], vocabulary: Hashes) -> float:
    """Return the share of known words that pages off the topic usually have, a host a vote.

    0: nobody knows. A host or two in another language do not move the median.
    """
    shares = [np.mean([share_known(page, vocabulary) for page in pages]) for pages in hosts]
    return float(np.median(shares)) if shares else 0.0


def understand(share: float, usual: float) -> float:
    """Return how well a page is understood, in 0..1, by its share of known words.

    >>> understand(0.1, 0.4), understand(0.3, 0.4), understand(0.0, 0.0)
    (0.5, 1.0, 1.0)
    """
    return min(1.0, share / (ENOUGH * usual)) if usual > 0 else 1.0


def rate_known(
    page: Counted,
    vocabulary: Hashes,
    weights: Weights,
    own: Weights | None = None,
    chance: Chance = NO_CHANCE,
) -> float:
    """Return how much a page is on the topic by the words of the vocabulary alone, in 0..1."""
    _, known = locate(vocabulary, page.hashes)
    some = Counted(page.hashes[known], page.counts[known])
    rate = rate_page(some, weights, own, chance)
    return min(1.0, max(0.0, rate)) * len(some.hashes) / (len(some.hashes) + FEW)


def rate_kept(
    page: Counted, vocabulary: Hashes, learned: Learned, own: Weights | None = None
) -> float:
    """Return how much a page that was kept is on the topic, in 0..1, as far as it is understood."""
    judge = learned.weights, own, learned.chance
    rate = min(1.0, max(0.0, rate_page(page, *judge)))
    read = understand(share_known(page, vocabulary), learned.usual_share)
    if read >= 1:
        return rate
    return read * rate + (1 - read) * rate_known(page, vocabulary, *judge)
