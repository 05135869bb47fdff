"""A topic learned once more, from texts that were found as well.

In: a topic with the pages that it was learned from, and texts. Out: a `Topic` whose language model
also knows the sentences of these texts, and whose keywords are weighed with them. What was held
back stays held back, and a sentence of the learned pages is not learned twice. Pure: the topic that
was given is still there.
"""

import warnings
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from blickfang.errors import InputError
from blickfang.topic.keywords import Keywords, find_keywords
from blickfang.topic.lm.counts import SPECIAL, Sentences
from blickfang.topic.lm.estimate import LittleTextWarning
from blickfang.topic.lm.model import LanguageModel, perplexities, train_sentences
from blickfang.topic.lm.score import UNITS_PER_ONE
from blickfang.topic.topic import Options, Sources, Topic, split_sentences
from blickfang.words import Flags, Hashes, Words, locate, pick, read_many, sentence_lengths


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
    found = _leave_out(read_many(texts), _sentences(learned))
    sentences = Sentences()
    sentences.add(train)
    sentences.add(found, options.min_words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleTextWarning)  # who learned the topic was told
        model = train_sentences(sentences, options.order, tokenised=False)
    together, neutral = _put_together(found, learned), _join_plainly(pages.neutral)
    keywords = find_keywords(together, neutral, options.keywords) if pages.neutral else []
    return replace(
        topic,
        model=model,
        keywords=Keywords(keywords),
        held_out=perplexities(model.score_hashed(held))[0],
    )


def examine(first: Topic, refined: Topic) -> Exam:
    """Return how surprising what tests a topic is after refining.

    Of the words that the first model knows: one that knows more of the others gives each unknown
    word less, which says nothing of how well it knows the topic.
    """
    pages = _sources(first)
    known = np.sort(_hash_words(first.model))
    _, held, _ = split_sentences(_join(pages.positive, pages.begins), _options(first))
    neutral = _join_plainly(pages.neutral)
    return Exam(*(_measure(refined.model, words, known) for words in (held, neutral)))


def _hash_words(model: LanguageModel) -> Hashes:
    hashes: Hashes = model.table.rows[model.word_rows[len(SPECIAL) :].astype(np.int64), 0]
    return hashes


def _measure(model: LanguageModel, words: Words, known: Hashes) -> float | None:
    """Return the perplexity of some words in their texts; None where there are none."""
    counted = locate(known, words.hashes)[1]
    scores, _ = model.score_words(words)
    return float(10 ** -(scores[counted].mean() / UNITS_PER_ONE)) if counted.any() else None


def _sources(topic: Topic) -> Sources:
    if topic.learned_from is None:
        raise InputError("the topic was loaded without the pages that it was learned from")
    return topic.learned_from


def _options(topic: Topic) -> Options:
    """Return what the topic was learned with, as far as it decides what is learned."""
    known, names = topic.settings["topic"], {field.name for field in fields(Options)}
    return Options(**{name: known[name] for name in names & known.keys()})


def _join(pages: Sequence[Hashes], begins: Sequence[Flags]) -> Words:
    """Return pages of which only hashes are known: their words have no letters."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *pages])
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


def _put_together(one: Words, other: Words) -> Words:
    """Return the texts of both that have words; a word of both has the letters of the first."""
    behind = len(one.data)
    lengths = np.concatenate((np.diff(one.texts), np.diff(other.texts)))
    return Words(
        np.concatenate((one.hashes, other.hashes)),
        np.concatenate((one.starts, other.starts + np.int32(behind))),
        np.concatenate((one.ends, other.ends + np.int32(behind))),
        np.concatenate((one.breaks, other.breaks)),
        np.append(0, np.cumsum(lengths[lengths > 0])).astype(np.int32),
        one.data + other.data,
        folded=True,
    )


def _sentences(words: Words) -> list[bytes]:
    edges = np.append(np.flatnonzero(words.breaks), len(words.hashes)).tolist()
    return [words.hashes[first:last].tobytes() for first, last in pairwise(edges)]


def _leave_out(words: Words, known: Sequence[bytes]) -> Words:
    """Return texts without the sentences that are known, each of the others once."""
    seen, fresh = set(known), []
    for sentence in _sentences(words):
        fresh.append(sentence not in seen)
        seen.add(sentence)
    kept = np.repeat(np.array(fresh, np.bool_), sentence_lengths(words))
    ends = np.append(0, np.cumsum(kept))[words.texts].astype(np.int32)
    return replace(pick(words, kept), texts=ends)
