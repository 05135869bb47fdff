"""The compiled part: how much of what speaks for the topic is in a page and in each of its texts.

In: hashed words, ranges of them that make up texts, and `Weights`. Out: for the page and for each
text the sums that scores are made of. Words that occur twice in a text count once; on a page
they count 1 + ln tf. Method: docs/method.md, "Focus".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling, inlined
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


Floats = NDArray[np.float32]

ONE = np.uint64(1)
TF = 1 + np.log(np.maximum(np.arange(2**16, dtype=np.uint16), 1))  # of a word, by how often it is


class EvidenceWeights(NamedTuple):
    """What each known word says: how rare it is, and how much it speaks for the topic."""

    hashes: Hashes  # sorted
    rows: Spans  # where hashes with the same leading bits begin; one more at the end
    shift: int  # which leaves these leading bits of a hash
    idf: Floats
    weight: Floats
    unknown_idf: float  # of words that were never seen
    scale: float  # the raw score of a learned page
    usual: float = 0.0  # how long learned pages are; 0: nobody knows


class Ranges(NamedTuple):
    """Texts made of ranges of words; the ranges of one text stand together."""

    first: Spans
    last: Spans
    text: Spans  # which text each range belongs to, rising
    size: int  # how many texts


@inlined
def find_word(word: np.uint64, weights: EvidenceWeights) -> Integer:
    """Return the place of a word among the known ones, -1 if it is none of them."""
    slot = np.int64(word >> np.uint64(weights.shift))
    for i in range(weights.rows[slot], weights.rows[slot + 1]):
        if weights.hashes[i] == word:
            return np.int64(i)
    return np.int64(-1)


@compiled
def number_words(words: Hashes) -> tuple[Spans, Hashes, int]:
    """Give equal words equal numbers; return them, the different words and how many these are."""
    size = np.int64(16)
    while size < 2 * len(words):
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int32)
    numbers, different = np.empty(len(words), np.int32), np.empty(len(words), np.uint64)
    n = 0
    for i in range(len(words)):
        slot = words[i] & mask
        while slots[slot] >= 0 and different[slots[slot]] != words[i]:
            slot = (slot + ONE) & mask
        if slots[slot] < 0:
            slots[slot] = n
            different[n] = words[i]
            n += 1
        numbers[i] = slots[slot]
    return numbers, different[:n], n


class Sums(NamedTuple):
    """What scores are made of: of the page first, then of each text."""

    sums: NDArray[np.float64]  # Σ weight: of a page over (1 + ln tf)·idf, of texts over idf
    squares: NDArray[np.float64]  # Σ idf² of the same
    own: float  # Σ weight of the page by what its own host took
    known: float  # words of the page that are in the vocabulary


@compiled
def sum_weights(
    words: Hashes,
    page_words: Integer,
    texts: Ranges,
    weights: EvidenceWeights,
    own: EvidenceWeights,
    slots: Hashes,
) -> Sums:
    """Return the sums of a page, which has the first words, and of its texts: in one pass.

    Equal words are looked up once. Of texts different words count, of a page also how often.
    """
    numbers, different, n = number_words(words)
    idf, weight, tf = np.empty(n), np.empty(n), np.zeros(n)
    for d in range(n):
        row = find_word(different[d], weights)
        idf[d] = weights.unknown_idf if row < 0 else weights.idf[row]
        weight[d] = 0.0 if row < 0 else weights.weight[row] * weights.idf[row]
    for i in range(page_words):
        tf[numbers[i]] += 1
    sums, squares = np.zeros(texts.size + 1), np.zeros(texts.size + 1)
    taken, known = 0.0, 0.0
    for d in range(n):
        if tf[d]:
            factor = 1 + np.log(tf[d])
            sums[0] += factor * weight[d]
            squares[0] += (factor * idf[d]) ** 2
            row = find_word(different[d], own)
            taken += 0.0 if row < 0 else factor * (own.weight[row] * own.idf[row])
            known += tf[d] if is_known(different[d], slots) else 0.0
    counted = np.full(n, -1, np.int32)  # the last text in which each word was counted
    for r in range(len(texts.first)):
        text = texts.text[r]
        for i in range(texts.first[r], texts.last[r]):
            d = numbers[i]
            if counted[d] != text:
                counted[d] = text
                sums[text + 1] += weight[d]
                squares[text + 1] += idf[d] ** 2
    return Sums(sums, squares, taken, known)


class HostWords(NamedTuple):
    """The words of pages of a host, one page behind the other."""

    hashes: Hashes
    counts: NDArray[np.uint16]  # how often each is on its page
    edges: Spans  # where pages begin; one more at the end


@compiled
def give_values(
    kept: HostWords, weights: EvidenceWeights, tf: Floats, short: float
) -> tuple[Spans, Hashes, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the number of each word, the different ones, the idf of these; values, lengths.

    The value of a word is (1 + ln tf)·idf by the length of its page, to which `short` is added;
    `tf` is `TF`.
    """
    numbers, different, n = number_words(kept.hashes)
    idf = np.empty(n)
    for d in range(n):
        row = find_word(different[d], weights)
        idf[d] = weights.unknown_idf if row < 0 else weights.idf[row]
    values, lengths = np.empty(len(kept.hashes)), np.zeros(len(kept.edges) - 1)
    for p in range(len(lengths)):
        for i in range(kept.edges[p], kept.edges[p + 1]):
            values[i] = tf[kept.counts[i]] * idf[numbers[i]]
            lengths[p] += values[i] ** 2
        lengths[p] = np.sqrt(lengths[p]) + short
        for i in range(kept.edges[p], kept.edges[p + 1]):
            values[i] /= lengths[p]
    return numbers, different, idf, values, lengths


@compiled
def sum_values(
    kept: HostWords, share: float, weights: EvidenceWeights, tf: Floats, short: float
) -> tuple[Hashes, NDArray[np.float64], NDArray[np.float64]]:
    """Return the different words of pages, their idf, and the sum of their values with a share."""
    numbers, different, idf, values, _ = give_values(kept, weights, tf, short)
    taken = np.zeros(len(different))
    for i in range(len(values)):
        taken[numbers[i]] += values[i] * share
    return different, idf, taken


@compiled
def compare_pages(
    kept: HostWords,
    owned: Integer,
    share: float,
    weights: EvidenceWeights,
    tf: Floats,
    short: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return of each page of a host what its words say, what the first ones took, and its length.

    The first `owned` pages, each with a `share`, had a part in the weights.
    """
    numbers, different, _, values, lengths = give_values(kept, weights, tf, short)
    weight, taken = np.zeros(len(different)), np.zeros(len(different))
    for d in range(len(different)):
        row = find_word(different[d], weights)
        weight[d] = 0.0 if row < 0 else weights.weight[row]
    for i in range(kept.edges[owned]):
        taken[numbers[i]] += values[i] * share
    said, lent = np.zeros(len(lengths)), np.zeros(len(lengths))
    for p in range(len(lengths)):
        for i in range(kept.edges[p], kept.edges[p + 1]):
            said[p] += values[i] * weight[numbers[i]]
            lent[p] += values[i] * np.float32(taken[numbers[i]])
    return said, lent, lengths
