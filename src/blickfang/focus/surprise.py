"""Perplexities of a page and of many parts of it in one call of the language model.

In: hashed words and ranges of them. Out: a perplexity per range, NaN where it has no words. A text
is one sequence of words, as the study has it: cut into sentences, pages that are lists of links
would be made of sentence ends, which surprise nobody (R-precision .28 against .44).
"""

import numpy as np

from blickfang.focus.values import Doubles
from blickfang.topic.lm import LanguageModel
from blickfang.topic.lm.score import UNITS_PER_ONE, Fixed
from blickfang.words import Hashes, Spans, Words

NOWHERE = np.empty(0, np.int32)  # word hashes need no places in a text to be scored


def gather(first: Spans, last: Spans) -> tuple[Spans, Spans]:
    """Return the numbers of the words in ranges, one range behind the other, and where each begins.

    >>> [part.tolist() for part in gather(np.array([7, 2]), np.array([9, 5]))]
    [[7, 8, 2, 3, 4], [0, 2, 5]]
    """
    lengths = last - first
    begins = np.append(0, np.cumsum(lengths)).astype(np.int32)
    numbers = np.arange(begins[-1]) + np.repeat(first - begins[:-1], lengths)
    return numbers.astype(np.int32), begins


def measure(model: LanguageModel, words: Hashes, first: Spans, last: Spans) -> Doubles:
    """Return the perplexity of each range of words, taken as a text of its own."""
    numbers, begins = gather(first, last)
    breaks = np.zeros(len(numbers), np.bool_)
    texts = Words(words[numbers], NOWHERE, NOWHERE, breaks, begins, b"", folded=True)
    scores = model.score_hashed(texts)
    with np.errstate(invalid="ignore"):
        mean = -scores.log10 / scores.tokens
    return 10.0**mean


def measure_nested(model: LanguageModel, words: Hashes, first: Spans, last: Spans) -> Doubles:
    """Return the same for ranges that lie in each other, as the elements of a page do.

    Each word is scored once, with the words before it on the page; what differs is only how a range
    begins and ends: the words of one n-gram.
    """
    reach = max(1, model.order - 1)
    is_long = last - first > 2 * reach
    found = np.empty(len(first))
    found[~is_long] = measure(model, words, first[~is_long], last[~is_long])
    if is_long.any():
        first, last = first[is_long], last[is_long]
        begins, ends = _unite(first, last)
        each, _ = _score_words(model, words, begins, ends)
        sums = np.append(0, np.cumsum(each))
        # Where each range stands among the words scored: those between unions are left out.
        skipped = begins - np.append(0, np.cumsum(ends - begins)[:-1])
        skipped = skipped[np.searchsorted(begins, first, "right") - 1]
        heads, _ = _score_words(model, words, first, first + reach)
        _, tails = _score_words(model, words, last - reach, last)
        total = sums[last - skipped] - sums[first + reach - skipped]
        total += heads.reshape(-1, reach).sum(axis=1) + tails.reshape(-1, reach)[:, -1]
        found[is_long] = 10.0 ** (-total / UNITS_PER_ONE / (last - first + 1))
    return found


def _unite(first: Spans, last: Spans) -> tuple[Spans, Spans]:
    """Return where the words begin and end that ranges cover; ranges that overlap are one."""
    order = np.argsort(first, kind="stable")
    first, reached = first[order], np.maximum.accumulate(last[order])
    begins = np.flatnonzero(np.append(True, first[1:] >= reached[:-1]))
    return first[begins], reached[np.append(begins[1:], len(first)) - 1]


def _score_words(
    model: LanguageModel, words: Hashes, first: Spans, last: Spans
) -> tuple[Fixed, Fixed]:
    """Return what the model says of each word of some ranges, and of the end behind it."""
    numbers, begins = gather(first, last)
    breaks = np.zeros(len(numbers), np.bool_)
    return model.score_words(
        Words(words[numbers], NOWHERE, NOWHERE, breaks, begins, b"", folded=True)
    )
