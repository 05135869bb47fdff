"""The language model: trained once from sentences, then asked how surprising a text is.

In: texts, or words that are already hashed. Out: Σ log10 p and tokens per text, hence perplexity;
or log10 p of every word, for prefix sums. Method: docs/method.md, "Language model".
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.text.lm.kneser_ney import Discounts, LittleTextWarning, estimate
from blickfang.text.lm.ngram_counts import SPECIAL, Numbers, Sentences, count_grams
from blickfang.text.lm.ngram_table import NgramTable, build_table
from blickfang.text.lm.scoring import Fixed, score_texts, score_words
from blickfang.text.lm.tokenised import read_tokenised
from blickfang.text.words import Hashes, Words, locate, read_many

MAX_ORDER = 7


@dataclass(frozen=True, slots=True)
class Scores:
    """What a model says of many texts, one entry a text."""

    log10: NDArray[np.float64]  # Σ log10 p
    tokens: NDArray[np.int64]  # words and sentence ends
    unknown: NDArray[np.int64]  # words the model does not know


@dataclass(frozen=True)
class LanguageModel:
    """An interpolated modified Kneser–Ney model; see train_model, load_model and read_arpa."""

    table: NgramTable
    words: Sequence[str]  # by number, <unk>, <s> and </s> first
    word_rows: Numbers  # the row of each word in the table
    counts: tuple[int, ...]  # different n-grams per order
    discounts: tuple[Discounts, ...]  # per order; () if unknown
    tokenised: bool  # words were taken as they stand, not folded

    @property
    def order(self) -> int:
        """The longest n-gram."""
        return len(self.counts)

    @property
    def hashes(self) -> Hashes:
        """The hashes of its words, but for <unk>, <s> and </s>."""
        found: Hashes = self.table.rows[self.word_rows[len(SPECIAL) :].astype(np.int64), 0]
        return found

    def score(self, texts: Sequence[str]) -> Scores:
        """Score texts, each as one sequence of words: nowhere is a text cut into sentences."""
        return self.score_hashed(read_many(texts))

    def score_lines(self, lines: Sequence[str], *, tokenised: bool | None = None) -> Scores:
        """Score lines as texts.

        With `tokenised` they are split at blanks only; that is as the model was made, if not said.
        """
        tokenised = self.tokenised if tokenised is None else tokenised
        return self.score_hashed(read_tokenised(lines) if tokenised else read_many(lines))

    def score_hashed(self, words: Words) -> Scores:
        """Score texts whose words are already hashed."""
        return self._score(words, np.zeros(len(words.hashes), np.bool_))

    def score_sentences(self, words: Words) -> Scores:
        """Score what was cut into sentences, each a text of its own; return sums over many.

        So are held-back sentences and those of a crawl scored, as the model has learned them.
        """
        return self._score(words, words.breaks)

    def _score(self, words: Words, breaks: NDArray[np.bool_]) -> Scores:
        sums, tokens, unknown = score_texts(self._hashes(words), breaks, words.texts, self.table)
        return Scores(sums, tokens, unknown)

    def score_words(self, words: Words) -> tuple[Fixed, Fixed]:
        """Return log10 p, in units of 2^-36, of each word and of the sentence end behind it."""
        return score_words(self._hashes(words), words.breaks, words.texts, self.table)

    def perplexity(self, text: str) -> float | None:
        """Return how surprising a text is; None if it has no words."""
        return perplexities(self.score([text]))[0]

    def _hashes(self, words: Words) -> Hashes:
        """Return hashes as this model's words have them, whichever way the text was cut."""
        if words.folded != self.tokenised:
            return words.hashes
        foreign, own = self._aliases
        at, hit = locate(foreign, words.hashes)
        hashes = words.hashes.copy()
        hashes[hit] = own[at[hit]]
        return hashes

    @cached_property
    def _aliases(self) -> tuple[Hashes, Hashes]:
        """Words that hash differently when folded than when taken as they stand."""
        own = self.hashes
        cut = read_many if self.tokenised else read_tokenised
        other = cut(self.words[len(SPECIAL) :])
        one_word = np.diff(other.texts) == 1  # "don't" is no single word once folded
        foreign = other.hashes[other.texts[:-1][one_word]]
        own = own[one_word]
        differs = (foreign != own) & ~np.isin(foreign, own)
        foreign, first = np.unique(foreign[differs], return_index=True)
        return foreign, own[differs][first]


def perplexities(scores: Scores) -> list[float | None]:
    """Return the perplexity of each text; of one without words, None."""
    pairs = zip(scores.log10.tolist(), scores.tokens.tolist(), strict=True)
    return [10.0 ** (-log / tokens) if tokens else None for log, tokens in pairs]


def train_model(
    texts: Iterable[str], order: int = 5, *, min_words: int = 5, tokenised: bool = False
) -> LanguageModel:
    """Train a model on the sentences of texts; shorter sentences than `min_words` are left out.

    With `tokenised` every line of a text is one sentence, split at blanks only.
    """
    sentences = Sentences()
    for text in texts:
        words = read_tokenised(text.split("\n")) if tokenised else read_many([text])
        sentences.add(words, min_words)
    return train_sentences(sentences, order, tokenised=tokenised)


def train_sentences(sentences: Sentences, order: int, *, tokenised: bool) -> LanguageModel:
    """Train a model on sentences that are already collected."""
    if not 1 <= order <= MAX_ORDER:
        raise InputError(f"order {order} is not possible; choose 1 to {MAX_ORDER}")
    if sentences.sentences == 0:
        raise InputError("no sentence is long enough to learn from; give more text")
    levels = count_grams(sentences, order)
    if len(levels) < order:
        warnings.warn(
            f"no sentence is long enough for order {order}; the model has order {len(levels)}",
            LittleTextWarning,
            stacklevel=2,
        )
    counts = tuple(len(level.word) for level in levels)
    estimates, discounts = estimate(levels)
    table, word_rows = build_table(sentences.hashes(), estimates)
    return LanguageModel(table, sentences.words, word_rows, counts, tuple(discounts), tokenised)
