"""Phase 2 of the language model: interpolated modified Kneser–Ney (Chen & Goodman 1998).

In: adjusted counts per order. Out: log10 probability and back-off weight of every n-gram, as
KenLM's lmplz estimates them (no pruning, unigrams interpolated with the uniform distribution).
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import compiled
from blickfang.text.lm.ngram_counts import BEGIN, UNKNOWN, Grams, Numbers

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Discounts = tuple[float, float, float]  # D1, D2, D3+

FALLBACK = (0.5, 1.0, 1.5)  # lmplz --discount_fallback


@dataclass(frozen=True, slots=True)
class Estimates:
    """The n-grams of one order with what the model says of them, in log10."""

    prefix: Numbers
    word: Numbers
    log_prob: Floats
    log_backoff: Floats


class LittleTextWarning(UserWarning):
    """Too little text for what was asked; the message says what was done instead."""


def find_discounts(counts: Numbers) -> Discounts | None:
    """Return D1, D2 and D3+ of one order, from how many n-grams were seen once, twice, …

    None where they make no sense: some count never occurs, or a discount leaves its range.
    """
    n = np.bincount(np.minimum(counts, 5), minlength=6).tolist()
    if not all(n[1:4]):
        return None
    y = n[1] / (n[1] + 2.0 * n[2])
    found = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
    if any(not 0 < d <= j for j, d in enumerate(found, 1)):
        return None  # 0 too, unlike lmplz: unseen words would be impossible, not improbable
    return found[0], found[1], found[2]


def choose_discounts(levels: list[Grams]) -> list[Discounts]:
    """Return the discounts of every order, general ones with a warning where text is too little."""
    found = [find_discounts(grams.count) for grams in levels]
    poor = [str(k) for k, discounts in enumerate(found, 1) if discounts is None]
    if poor:
        warnings.warn(
            f"too little text to estimate the discounts of order {', '.join(poor)}; "
            f"taking {FALLBACK[0]}, {FALLBACK[1]} and {FALLBACK[2]}",
            LittleTextWarning,
            stacklevel=2,
        )
    return [discounts or FALLBACK for discounts in found]


@compiled
def sum_contexts(
    prefix: Numbers, count: Numbers, discounts: Doubles, total: Doubles, left: Doubles
) -> None:
    """Add up for each context the counts of its continuations and what discounting leaves."""
    for g in range(len(prefix)):
        c = count[g]
        total[prefix[g]] += c
        left[prefix[g]] += discounts[min(c, np.uint32(3))]


@compiled
def interpolate(
    grams: tuple[Numbers, Numbers, Numbers],
    discounts: Doubles,
    total: Doubles,
    left: Doubles,
    lower: Doubles,
    prob: Doubles,
) -> None:
    """Write p(word | context) = discounted share + left-over · p(word | shorter context)."""
    prefix, suffix, count = grams
    for g in range(len(prefix)):
        p = prefix[g]
        c = count[g]
        discounted = c - discounts[min(c, np.uint32(3))]
        prob[g] = (discounted + left[p] * lower[suffix[g]]) / total[p]


def estimate(
    levels: list[Grams],
) -> tuple[list[Estimates], list[Discounts]]:
    """Return probabilities and back-offs per order, and the discounts used; frees the counts."""
    discounts = choose_discounts(levels)
    lower = estimate_words(levels[0].count, discounts[0])
    found: list[Estimates] = []
    while levels:
        grams = levels.pop(0)
        with np.errstate(divide="ignore"):  # <s> is never predicted: log 0
            log_prob = np.log10(lower).astype(np.float32)
        log_backoff = np.zeros(len(grams.word), np.float32)
        if levels:
            lower, backoff = estimate_order(levels[0], discounts[len(found) + 1], lower)
            log_backoff = np.log10(backoff).astype(np.float32)
        found.append(Estimates(grams.prefix, grams.word, log_prob, log_backoff))
    found[0].log_prob[BEGIN] = 0  # as in every ARPA file: never looked up, never printed as -inf
    return found, discounts


def estimate_words(count: Numbers, discounts: Discounts) -> Doubles:
    """Return the probability of each word; what discounting leaves is shared by all but <s>."""
    amounts = np.array((0.0, *discounts))[np.minimum(count, 3)]
    total = float(count.sum(dtype=np.uint64))
    shared = float(amounts.sum()) / total / (len(count) - 1)
    prob: Doubles = (count - amounts) / total + shared
    prob[BEGIN] = 0.0
    prob[UNKNOWN] = shared
    return prob


def estimate_order(grams: Grams, discounts: Discounts, lower: Doubles) -> tuple[Doubles, Doubles]:
    """Return the probabilities of one order and the back-off weights of the one below."""
    amounts = np.array((0.0, *discounts))
    total, left = np.zeros(len(lower)), np.zeros(len(lower))
    sum_contexts(grams.prefix, grams.count, amounts, total, left)
    prob = np.empty(len(grams.word))
    interpolate((grams.prefix, grams.suffix, grams.count), amounts, total, left, lower, prob)
    backoff = np.divide(left, total, out=np.ones(len(lower)), where=total > 0)
    return prob, backoff
