"""A topic learned once more, from texts that were found as well.

In: a topic with the pages that it was learned from, and texts. Out: a `Topic` whose language model
also knows the sentences of these texts, and whose keywords are weighed with them. What was held
back stays held back, and no sentence of the learned pages is learned twice, nor one that is mostly
of such words. Pure: the topic that was given is still there.
"""

import warnings
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.text.keywords import Keywords, find_keywords
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.lm.language_model import LanguageModel, perplexities, train_sentences
from blickfang.text.lm.ngram_counts import SPECIAL, Sentences
from blickfang.text.lm.scoring import UNITS_PER_ONE
from blickfang.text.topic import Topic, TopicOptions, TopicWords, join_pages, split_sentences
from blickfang.text.words import (
    MULTIPLIER,
    Flags,
    Hashes,
    Words,
    locate,
    pick,
    read_many,
    sentence_lengths,
)

RUN = 5  # words that two sentences have in common hardly by chance


class Exam(NamedTuple):
    """Perplexities of what tests a topic; None where there is nothing of it."""

    held_out: float | None  # sentences that were held back
    neutral: float | None  # pages


def refine(topic: Topic, texts: Sequence[str]) -> Topic:
    """Return the topic as it is with the new sentences of some texts, a text a page."""
    pages, options = _sources(topic), _options(topic)
    names = [*topic.model.words[len(SPECIAL) :], *(word.word for word in topic.keywords.found)]
    learned = _name(_join(pages.positive, pages.begins), read_many(names))
    train, held, _ = split_sentences(learned, options)
    found = _leave_out(read_many(texts), learned)
    sentences = Sentences()
    sentences.add(train)
    sentences.add(found, options.min_words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleTextWarning)  # who learned the topic was told
        model = train_sentences(sentences, options.order, tokenised=False)
    together, neutral = _put_together(found, learned), _join_plainly(pages.neutral)
    keywords = find_keywords(together, neutral, len(together.hashes)) if pages.neutral else []
    named = [keyword for keyword in keywords if keyword.word]  # others are hashes alone
    return replace(
        topic,
        model=model,
        keywords=Keywords(named[: options.keywords]),
        held_out=perplexities(model.score_sentences(held))[0],
    )


def examine(first: Topic, refined: Topic) -> Exam:
    """Return how surprising what tests a topic is after refining.

    Of the words that the first model knows: one that knows more of the others gives each unknown
    word less, which says nothing of how well it knows the topic.
    """
    pages = _sources(first)
    known = np.sort(first.model.hashes)
    _, held, _ = split_sentences(_join(pages.positive, pages.begins), _options(first))
    neutral = _join_plainly(pages.neutral)
    return Exam(*(_measure(refined.model, words, known) for words in (held, neutral)))


def _measure(model: LanguageModel, words: Words, known: Hashes) -> float | None:
    """Return the perplexity of some words in their texts; None where there are none."""
    counted = locate(known, words.hashes)[1]
    scores, _ = model.score_words(words)
    return float(10 ** -(scores[counted].mean() / UNITS_PER_ONE)) if counted.any() else None


def _sources(topic: Topic) -> TopicWords:
    if topic.learned_from is None:
        raise InputError("the topic was loaded without the pages that it was learned from")
    return topic.learned_from


def _options(topic: Topic) -> TopicOptions:
    """Return what the topic was learned with, as far as it decides what is learned."""
    known, names = topic.settings["topic"], {field.name for field in fields(TopicOptions)}
    return TopicOptions(**{name: known[name] for name in names & known.keys()})


def _join(pages: Sequence[Hashes], begins: Sequence[Flags]) -> Words:
    """Return pages of which only hashes are known: their words have no letters."""
    hashes = join_pages(pages)
    nowhere = np.zeros(len(hashes), np.int32)
    ends = np.cumsum([0, *map(len, pages)], dtype=np.int32)
    breaks = np.concatenate([np.zeros(0, np.bool_), *begins])
    return Words(hashes, nowhere, nowhere, breaks, ends, b"", folded=True)


def _join_plainly(pages: Sequence[Hashes]) -> Words:
    """Return pages of which each counts as one sequence of words."""
    return _join(pages, [np.zeros(len(page), np.bool_) for page in pages])


def _name(words: Words, known: Words) -> Words:
    """Return words with the letters of those among them that are known."""
    order = np.argsort(known.hashes)
    at, hit = locate(known.hashes[order], words.hashes)
    rows = order[at[hit]]
    starts, ends = words.starts.copy(), words.ends.copy()
    starts[hit], ends[hit] = known.starts[rows], known.ends[rows]
    return replace(words, starts=starts, ends=ends, data=known.data)


def _put_together(found: Words, learned: Words) -> Words:
    """Return both; a word of both has the letters of what was found."""
    behind = np.int32(len(found.data))
    lengths = np.diff(found.texts)
    lengths = np.concatenate((lengths[lengths > 0], np.diff(learned.texts)))
    return Words(
        np.concatenate((found.hashes, learned.hashes)),
        np.concatenate((found.starts, learned.starts + behind)),
        np.concatenate((found.ends, learned.ends + behind)),
        np.concatenate((found.breaks, learned.breaks)),
        np.append(0, np.cumsum(lengths)).astype(np.int32),
        found.data + learned.data,
        folded=True,
    )


def _sentences(words: Words) -> list[bytes]:
    edges = np.append(np.flatnonzero(words.breaks), len(words.hashes)).tolist()
    return [words.hashes[first:last].tobytes() for first, last in pairwise(edges)]


def _leave_out(words: Words, learned: Words) -> Words:
    """Return texts without sentences that are known, or mostly: each of the others once."""
    seen, fresh = set(_sentences(learned)), ~_is_mostly_known(words, learned)
    for number, sentence in enumerate(_sentences(words)):
        fresh[number] &= sentence not in seen
        seen.add(sentence)
    kept = np.repeat(fresh, sentence_lengths(words))
    ends = np.append(0, np.cumsum(kept))[words.texts].astype(np.int32)
    return replace(pick(words, kept), texts=ends)


def _is_mostly_known(words: Words, learned: Words) -> Flags:
    """Return of which sentences at least half of the runs of some words are in learned ones.

    Else a copy of what was held back, quoted with a word more, would prove itself right.
    """
    runs, places = _list_runs(words)
    known = np.isin(runs, _list_runs(learned)[0])
    count = int(words.breaks.sum())
    sentences = np.cumsum(words.breaks)[places] - 1
    hits = np.bincount(sentences, known, count)
    return np.asarray(2 * hits >= np.maximum(1, np.bincount(sentences, minlength=count)))


def _list_runs(words: Words) -> tuple[Hashes, NDArray[np.int64]]:
    """Return the hash of every run of words within a sentence, and where it begins."""
    count = max(0, len(words.hashes) - RUN + 1)
    runs, inside = np.zeros(count, np.uint64), np.ones(count, np.bool_)
    for k in range(RUN):
        runs = runs * MULTIPLIER + words.hashes[k : k + count]
        inside &= ~words.breaks[k : k + count] | (k == 0)
    return runs[inside], np.flatnonzero(inside)
