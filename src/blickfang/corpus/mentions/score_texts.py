"""Scores of the texts about images, of many pages at a time.

In: the words of pages, which ranges of them are texts, and texts that stand on no page. Out: the
number of words, the perplexity and the keyword score of each text. What numpy and the model ask
for a call costs as much as the texts of a page, so that pages wait for each other; what a text
scores does not depend on whom it waited with.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.crawl.focus.judged_values import Doubles
from blickfang.crawl.focus.perplexity import measure, measure_nested
from blickfang.text import Topic
from blickfang.text.keywords import Keywords
from blickfang.text.words import Hashes, read_many, read_words

MOST_WORDS = 400  # of a text, that are looked at: what is behind them is hardly about the image

Ranges = tuple[tuple[int, int], ...]  # of words of a page


def find_emphasised(
    texts: Sequence[Ranges],
    of_page: Sequence[int],
    sizes: Sequence[int],
    emphasised: Sequence[NDArray[np.int32]],
) -> pa.Array:
    """Return for each text its emphasised parts as a list: begin, end, begin, end, …

    Each page has so many texts (`of_page`), so many words (`sizes`), and emphasised ranges of them.
    """
    edges = np.append(0, np.cumsum(sizes)).astype(np.int64)
    strong = np.concatenate([np.empty((0, 2), np.int64), *map(np.add, emphasised, edges)])
    pieces = np.fromiter(map(len, texts), np.int64, len(texts))
    text = np.repeat(np.arange(len(texts)), pieces)
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(texts)), np.int64, 2 * len(text))
    first, last = flat[::2], flat[1::2]
    before = np.cumsum(last - first) - (last - first)  # words of pieces in front, of any text
    starts = np.cumsum(pieces) - pieces
    before -= np.append(before, 0)[starts[text]]
    last = np.minimum(last, first + np.maximum(MOST_WORDS - before, 0))
    page = np.repeat(edges[:-1], of_page)[text]
    low = np.searchsorted(strong[:, 1], first + page, "right")
    high = np.maximum(np.searchsorted(strong[:, 0], last + page), low)
    high = np.where(first < last, high, low)  # nothing is emphasised in a piece without words
    piece = np.repeat(np.arange(len(text)), high - low)
    which = np.arange(len(piece)) - np.repeat(
        np.cumsum(high - low) - (high - low) - low, high - low
    )
    parts = strong[which] - page[piece, None]
    parts = np.clip(parts, first[piece, None], last[piece, None])
    parts += (before - first)[piece, None]
    counts = np.bincount(text[piece], minlength=len(texts))
    offsets = np.append(0, np.cumsum(2 * counts))
    values = pa.array(parts.ravel(), pa.int32())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def read_emphasised(text: str, places: Sequence[int]) -> list[str]:
    """Return the emphasised parts of a text, each different one once.

    >>> read_emphasised("The old tower, by the sea", [1, 3, 5, 6, 8, 9])
    ['old tower', 'sea']
    """
    if not places:
        return []
    words = read_words(text)
    starts, ends = words.starts.tolist(), words.ends.tolist()
    parts = (
        words.data[starts[begin] : ends[min(end, len(ends)) - 1]].decode()
        for begin, end in zip(places[::2], places[1::2], strict=True)
        if begin < len(ends)  # a long text is cut
    )
    return list(dict.fromkeys(parts))


Numbers = NDArray[np.int64]

ENOUGH = 2**16  # words that are scored together: half a megabyte
WORD = 6  # characters of a word, about


class TextScores(NamedTuple):
    """What is known of each text."""

    words: Doubles  # how many
    perplexities: Doubles  # NaN for a text without words, and without a topic
    keywords: Doubles  # how much of the keywords' weight it has; NaN without a topic


NO_SCORES = TextScores(np.empty(0), np.empty(0), np.empty(0))


class Scoring:
    """Texts of pages, as they wait for their scores."""

    def __init__(self, topic: Topic | None) -> None:
        self._topic = topic
        self._pages: list[Hashes] = []  # those below are of these
        self._waiting = 0  # words of theirs, about
        self._spoken: list[str] = []
        self._shown: list[Ranges] = []
        self._spoken_of: list[int] = []  # texts of each page
        self._shown_of: list[int] = []
        self._done = [NO_SCORES], [NO_SCORES]

    def add(self, words: Hashes, spoken: list[str], shown: list[Ranges]) -> None:
        """Take the words of a page, texts that do not stand on it, and ranges that do."""
        self._pages.append(words)
        self._waiting += len(words) + sum(map(len, spoken)) // WORD + len(shown)
        self._spoken += spoken
        self._shown += shown
        self._spoken_of.append(len(spoken))
        self._shown_of.append(len(shown))
        if self._waiting >= ENOUGH:
            self._score()

    def finish(self) -> tuple[TextScores, TextScores]:
        """Return the scores of all texts so far, those that stand on no page first."""
        self._score()
        spoken, shown = (TextScores(*map(_join, zip(*done, strict=True))) for done in self._done)
        return spoken, shown

    def _score(self) -> None:
        if not self._pages:
            return
        spoken = score_spoken(self._spoken, np.array(self._spoken_of), self._topic)
        shown = score_shown(self._pages, self._shown, np.array(self._shown_of), self._topic)
        self._done[0].append(spoken)
        self._done[1].append(shown)
        for waiting in (self._pages, self._spoken, self._shown, self._spoken_of, self._shown_of):
            waiting.clear()
        self._waiting = 0


def _join(parts: tuple[Doubles, ...]) -> Doubles:
    return np.concatenate(parts)


def score_spoken(texts: list[str], of_page: Numbers, topic: Topic | None) -> TextScores:
    """Return the scores of texts, of which each page has so many."""
    read = read_many(texts)
    first, last = read.texts[:-1], read.texts[1:]
    counts = (last - first).astype(np.float64)
    if topic is None:
        return TextScores(counts, np.full(len(counts), np.nan), np.full(len(counts), np.nan))
    edges = read.texts[np.append(0, np.cumsum(of_page))]
    page = np.repeat(np.arange(len(of_page)), of_page)
    sums = _sum_up(topic.keywords, read.hashes, edges)
    return TextScores(
        counts,
        measure(topic.model, read.hashes, first, last),
        (sums[last + page] - sums[first + page]) / (topic.keywords.total or 1.0),
    )


def score_shown(
    pages: list[Hashes], texts: list[Ranges], of_page: Numbers, topic: Topic | None
) -> TextScores:
    """Return the scores of ranges of words, of which each page has so many."""
    words = np.concatenate(pages)
    edges = np.append(0, np.cumsum([len(page) for page in pages]))
    pieces = np.fromiter(map(len, texts), np.int64, len(texts))
    text = np.repeat(np.arange(len(texts)), pieces)
    page = np.repeat(np.arange(len(pages)), of_page)[text]
    flat = chain.from_iterable(chain.from_iterable(texts))
    ranges = np.fromiter(flat, np.int64, 2 * len(text)).reshape(-1, 2) + edges[page][:, None]
    first, last = ranges[:, 0], ranges[:, 1]
    counts = np.bincount(text, last - first, len(texts)).astype(np.float64)
    if topic is None:
        return TextScores(counts, np.full(len(counts), np.nan), np.full(len(counts), np.nan))
    sums = _sum_up(topic.keywords, words, edges)
    weights = np.bincount(text, sums[last + page] - sums[first + page], len(texts))
    return TextScores(
        counts,
        _measure_pieces(topic, words, ranges, pieces),
        weights / (topic.keywords.total or 1.0),
    )


def _sum_up(keywords: Keywords, words: Hashes, edges: Numbers) -> Doubles:
    """Return sums of weights, page by page, each from 0: word i of page p begins at i + p.

    Sums over several pages would be rounded differently with other pages in front.
    """
    weights = keywords.weigh(words)
    sums = np.zeros(len(words) + len(edges) - 1)
    ends = edges.tolist()
    for page in range(len(ends) - 1):
        begin, end = ends[page], ends[page + 1]
        np.cumsum(weights[begin:end], out=sums[begin + page + 1 : end + page + 1])
    return sums


def _measure_pieces(topic: Topic, words: Hashes, ranges: Numbers, pieces: Numbers) -> Doubles:
    """Return the perplexity of each text, which is one range of words, some or none."""
    found = np.full(len(pieces), np.nan)
    is_whole = np.repeat(pieces == 1, pieces)
    # Each range once: one image's third parent is another's fourth.
    keys = ranges[is_whole] @ np.array([len(words) + 1, 1])
    different, which = np.unique(keys, return_inverse=True)
    whole = np.stack(np.divmod(different, len(words) + 1), axis=1)
    first, last = np.concatenate((whole, ranges[~is_whole])).T
    several = pieces[pieces > 1]  # with something hidden in between
    made = np.append(np.ones(len(whole), np.int64), several)
    values = measure_nested(topic.model, words, first, last, made)
    found[pieces == 1] = values[which]
    found[pieces > 1] = values[len(whole) :]
    return found
