"""How much a page and its texts are on the topic, in 0..1: plain functions, chosen by name.

In: a page as seen, and what it is compared with. Out: `Scored`: a number for the page and one for
each text, in the order of `Seen.texts`. Anybody's function of this form can take their place.
"""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.focus_options import OWN_SCORER
from blickfang.crawl.focus.judged_values import Doubles
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.language_filter import rate_known, understand
from blickfang.crawl.focus.length_bias import NO_CHANCE, Chance, expect, pivot
from blickfang.crawl.focus.page_features import PageFeatures, hear
from blickfang.crawl.focus.perplexity import measure
from blickfang.crawl.focus.topic_evidence import EvidenceWeights, keep_known, sum_weights
from blickfang.crawl.focus.word_weights import SHORT, count_page, make_weights
from blickfang.errors import SettingsError

SHORT_TEXT = 36.0  # added to Σ idf² of a text: two rare words are not yet a description
NOTHING = make_weights(np.empty(0, np.uint64), np.empty(0), np.empty(0), 0.0, 1.0)  # of nobody


class Reference(NamedTuple):
    """What a page is compared with."""

    knowledge: Knowledge
    weights: EvidenceWeights
    own: EvidenceWeights | None = (
        None  # what the page's own host took from weights, or gave to them
    )
    chance: Chance = NO_CHANCE  # what pages off the topic reach, by their length
    usual_share: float = 0.0  # of their words, how many learned pages have; 0: nobody knows


class Scored(NamedTuple):
    """How much a page and its texts are on the topic, in 0..1."""

    page: float
    texts: Doubles


Scorer = Callable[[PageFeatures, Reference], Scored]


def score_contrast(seen: PageFeatures, reference: Reference) -> Scored:
    """Score by how much more like the learned pages than like the background a text is.

    A host of the background is not compared with itself: what once looked poor could never look
    better; nor a host that was learned from, which would never look worse.
    """
    weights, own, words = reference.weights, reference.own or NOTHING, seen.page_words
    slots = reference.knowledge.vocabulary_slots
    found = sum_weights(seen.words, words, seen.texts, weights, own, slots)
    sums, squares = found.sums, found.squares
    if weights.scale <= 0:  # nothing tells the learned pages from the background
        return Scored(0.0, np.zeros(len(sums) - 1))
    page = (float(sums[0]) + found.own) / own.scale
    length = float(squares[0]) ** 0.5 + SHORT
    page *= pivot(length, weights.usual) / (length * weights.scale)
    page -= expect(words, reference.chance)
    return Scored(
        _read_foreign(seen, reference, _clip(page), found.known),
        _clip_all(sums[1:] / np.sqrt(squares[1:] + SHORT_TEXT) / weights.scale),
    )


def _read_foreign(seen: PageFeatures, reference: Reference, page: float, known: float) -> float:
    """Return how relevant a page is, as far as it is understood; else by the words that are."""
    if not reference.usual_share or not seen.page_words:
        return page
    read = understand(known / seen.page_words, reference.usual_share)
    if read >= 1:
        return page
    slots = reference.knowledge.vocabulary_slots
    parts = seen.words[: seen.page_words], hear(seen)
    told = count_page(np.concatenate([keep_known(words, slots) for words in parts]))
    judge = reference.weights, reference.own, reference.chance
    return read * page + (1 - read) * rate_known(told, slots, *judge)


def score_keywords(seen: PageFeatures, reference: Reference) -> Scored:
    """Score by how much of a text is keywords, against the learned pages."""
    usual = reference.knowledge.keyword_density
    weights = reference.knowledge.known_topic.keywords.weigh(seen.words)
    return _score_means(seen, weights / usual if usual > 0 else weights)


def score_cross_entropy(seen: PageFeatures, reference: Reference) -> Scored:
    """Score by how much likelier the words are on the topic than off it (Moore and Lewis)."""
    usual = reference.knowledge.log_ratios[2]
    rates = reference.knowledge.rate(seen.words)
    return _score_means(seen, rates / usual if usual > 0 else 0 * rates)


def score_perplexity(seen: PageFeatures, reference: Reference) -> Scored:
    """Score by perplexity: 1 for that of the topic, 0 for that of neutral pages."""
    good, poor = np.log(reference.knowledge.perplexities)
    texts, number = seen.texts, np.append(0, seen.texts.text + 1)
    first, last = np.append(0, texts.first), np.append(seen.page_words, texts.last)
    found = measure(reference.knowledge.known_topic.model, seen.words, first, last)
    best = np.full(texts.size + 1, np.inf)
    np.fmin.at(best, number, found)  # of several anchors of one link, the least surprising
    scores = _clip_all((poor - np.log(best)) / (poor - good))
    return Scored(float(scores[0]), scores[1:])


def _score_means(seen: PageFeatures, rates: Doubles) -> Scored:
    """Score texts by the mean of what each word says."""
    texts = seen.texts
    sums = np.append(0.0, np.cumsum(rates))
    total = np.bincount(texts.text, sums[texts.last] - sums[texts.first], texts.size)
    length = np.bincount(texts.text, texts.last - texts.first, texts.size)
    page = float(sums[seen.page_words]) / max(1, seen.page_words)
    return Scored(_clip(page), _clip_all(total / np.maximum(1, length)))


def _clip(score: float) -> float:
    return min(1.0, max(0.0, score))


def _clip_all(scores: Doubles) -> Doubles:
    return np.minimum(np.maximum(scores, 0.0), 1.0)  # quicker than np.clip on few


SCORERS: dict[str, Scorer] = {
    "contrast": score_contrast,
    "cosine": score_contrast,  # with weights from which nothing was subtracted
    "cross-entropy": score_cross_entropy,
    "keywords": score_keywords,
    "perplexity": score_perplexity,
}


def find_scorer(name: str) -> Scorer:
    """Return a scorer by its name, or a function that `module:function` names."""
    own = OWN_SCORER.fullmatch(name)
    if own is None:
        return SCORERS[name]
    try:
        scorer: Scorer = getattr(import_module(own[1]), own[2])
    except (ImportError, AttributeError) as error:
        raise SettingsError(
            f'scorer = "{name}": {error}; its module must be installed, or on PYTHONPATH'
        ) from error
    return scorer
