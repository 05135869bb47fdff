"""Perplexities of a page and of many parts of it in one call of the language model.

In: hashed words and ranges of them. Out: a perplexity per range, NaN where it has no words. A text
is one sequence of words, as the study has it: cut into sentences, pages that are lists of links
would be made of sentence ends, which surprise nobody (R-precision .28 against .44).
"""

from math import nan
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.judged_values import Doubles
from blickfang.text.lm import LanguageModel, perplexities
from blickfang.text.lm.language_model import Scores
from blickfang.text.lm.scoring import UNITS_PER_ONE, Fixed
from blickfang.text.words import Hashes, Spans, Words

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
    return _measure(model, words[numbers], begins)


def measure_whole(model: LanguageModel, words: Hashes) -> float:
    """Return the perplexity of words that are one text; NaN if there are none."""
    [found] = perplexities(_score_texts(model, words, np.array([0, len(words)], np.int32)))
    return nan if found is None else found


def _measure(model: LanguageModel, words: Hashes, begins: Spans) -> Doubles:
    scores = _score_texts(model, words, begins)
    with np.errstate(invalid="ignore"):
        mean = -scores.log10 / scores.tokens
    return 10.0**mean


def _score_texts(model: LanguageModel, words: Hashes, begins: Spans) -> Scores:
    breaks = np.zeros(len(words), np.bool_)
    return model.score_hashed(Words(words, NOWHERE, NOWHERE, breaks, begins, b"", folded=True))


def measure_nested(
    model: LanguageModel, words: Hashes, first: Spans, last: Spans, pieces: Fixed | None = None
) -> Doubles:
    """Return the same for ranges that lie in each other, as the elements of a page do.

    `pieces` says of how many ranges, one behind the other, each text is made: of one, by default.
    Each word is scored once, with the words before it on the page; what differs is only how ranges
    begin and texts end: the words of one n-gram.
    """
    reach = max(1, model.order - 1)
    pieces = np.ones(len(first), np.int64) if pieces is None else pieces
    text = np.append(0, np.cumsum(pieces))  # where the ranges of each begin
    row = WordRanges(words, first, np.append(0, np.cumsum(last - first)))
    edges = row.begins[text]
    total = _score_heads(model, row, np.repeat(edges[:-1], pieces), reach)
    total += _score_rests(model, words, first, last, reach)
    sums = np.append(0, np.cumsum(total))[text]
    ends = edges[1:]
    begins, _, tails = _score_row(model, row, np.maximum(ends - reach, edges[:-1]), ends)
    count = np.diff(edges)
    found = np.full(len(pieces), np.nan)
    some = count > 0
    logs = np.diff(sums)[some] + tails[begins[1:][some] - 1]
    found[some] = 10.0 ** (-logs / UNITS_PER_ONE / (count[some] + 1))
    return found


class WordRanges(NamedTuple):
    """Ranges of words, one behind the other."""

    words: Hashes
    first: Spans
    begins: Spans  # where each range begins in the row; one more at the end


def _score_heads(model: LanguageModel, row: WordRanges, texts: Spans, reach: int) -> Fixed:
    """Return the sum of the first words of each range, given where in the row its text begins."""
    starts, ends = row.begins[:-1], row.begins[1:]
    before = np.maximum(starts - reach, texts)
    begins, logs, _ = _score_row(model, row, before, np.minimum(starts + reach, ends))
    sums = np.append(0, np.cumsum(logs))
    heads: Fixed = sums[begins[1:]] - sums[begins[:-1] + starts - before]
    return heads


def _score_rests(
    model: LanguageModel, words: Hashes, first: Spans, last: Spans, reach: int
) -> Fixed:
    """Return the sum of the other words of each range."""
    found = np.zeros(len(first), np.int64)
    some = last - first > reach
    if some.any():
        first, last = first[some], last[some]
        begins, ends = _unite(first, last)
        logs, _ = _score_words(model, words, begins, ends)
        sums = np.append(0, np.cumsum(logs))
        # Where ranges stand among the words scored: what lies between unions is left out.
        skipped = begins - np.append(0, np.cumsum(ends - begins)[:-1])
        skipped = skipped[np.searchsorted(begins, first, "right") - 1]
        found[some] = sums[last - skipped] - sums[first + reach - skipped]
    return found


def _unite(first: Spans, last: Spans) -> tuple[Spans, Spans]:
    """Return where the words begin and end that ranges cover; ranges that overlap are one."""
    order = np.argsort(first, kind="stable")
    first, reached = first[order], np.maximum.accumulate(last[order])
    begins = np.flatnonzero(np.append(True, first[1:] >= reached[:-1]))
    return first[begins], reached[np.append(begins[1:], len(first)) - 1]


def _score_row(
    model: LanguageModel, row: WordRanges, first: Spans, last: Spans
) -> tuple[Spans, Fixed, Fixed]:
    """Return where ranges of a row begin, and what the model says of their words, and of ends."""
    numbers, begins = gather(first, last)
    piece = np.searchsorted(row.begins, numbers, "right") - 1
    words = row.words[numbers + (row.first - row.begins[:-1])[piece]]
    return begins, *_score(model, words, begins)


def _score_words(
    model: LanguageModel, words: Hashes, first: Spans, last: Spans
) -> tuple[Fixed, Fixed]:
    """Return what the model says of each word of some ranges, and of the end behind it."""
    numbers, begins = gather(first, last)
    return _score(model, words[numbers], begins)


def _score(model: LanguageModel, words: Hashes, begins: Spans) -> tuple[Fixed, Fixed]:
    breaks = np.zeros(len(words), np.bool_)
    return model.score_words(Words(words, NOWHERE, NOWHERE, breaks, begins, b"", folded=True))
