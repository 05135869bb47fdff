"""Perplexities of a page and of many parts of it in one call of the language model.

In: hashed words and ranges of them. Out: a perplexity per range, NaN where it has no words. A text
is one sequence of words, as the study has it: cut into sentences, pages that are lists of links
would be made of sentence ends, which surprise nobody (R-precision .28 against .44).
"""

import numpy as np

from blickfang.focus.values import Doubles
from blickfang.topic.lm import LanguageModel
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
