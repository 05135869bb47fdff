"""What the length of a page does to its relevance, and how that is taken away again.

In: how long pages are, and how relevant they seem. Out: relevance that long and short pages can be
compared by. Two things are mended. A page of many words shares more of them with any topic, so that
its cosine grows with its length, whatever it is about: beyond the length of the learned pages that
is taken back (after the pivoted normalisation of Singhal, Buckley and Mitra 1996). And prose
resembles prose: what pages off the topic reach by chance, by their length, is learned from the
background and subtracted. Method: docs/method.md, "Focus".
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.judged_values import Doubles

PIVOT = 0.3  # power of the length, beside the cosine's own 1; flat from 0.25 to 0.4
FIRM = 2.0  # how firmly chance holds to no growth, in hosts whose pages differ e-fold; flat to 8
MIN_HOSTS = 3  # fewer say nothing of chance


class Chance(NamedTuple):
    """What a page off the topic reaches: base + growth · ln words, never below 0."""

    base: float = 0.0
    growth: float = 0.0


NO_CHANCE = Chance()


class RatedHost(NamedTuple):
    """The pages of a host of the background: how many words each has, and how relevant it seems."""

    words: Doubles
    rates: Doubles


def pivot(length: float, usual: float) -> float:
    """Return by what the relevance of a page is multiplied; `usual` is how long learned ones are.

    Few words prove little as it is: a short page is not made more relevant than it seems.

    >>> pivot(1024.0, 1.0), pivot(1.0, 1024.0), pivot(1.0, 0.0)
    (0.125, 1.0, 1.0)
    """
    return float((usual / length) ** PIVOT) if 0 < usual < length else 1.0


def expect(words: float, chance: Chance) -> float:
    """Return what a page of so many words reaches by chance.

    >>> expect(1, Chance(-0.1, 0.2)), expect(1, Chance(0.1, 0.2))
    (0.0, 0.1)
    """
    return max(0.0, chance.base + chance.growth * log(max(1.0, words)))


def learn_chance(hosts: Sequence[RatedHost]) -> Chance:
    """Learn what pages off the topic reach, a host a vote; more words never make it less."""
    if len(hosts) < MIN_HOSTS:
        return NO_CHANCE
    votes = np.concatenate([np.full(len(host.words), 1 / len(host.words)) for host in hosts])
    logs = np.log(np.maximum(1.0, np.concatenate([host.words for host in hosts])))
    rates = np.maximum(0.0, np.concatenate([host.rates for host in hosts]))  # as pages are judged
    middle, rate = (float(np.average(column, weights=votes)) for column in (logs, rates))
    together = (votes * (logs - middle) * (rates - rate)).sum()
    growth = max(0.0, float(together / ((votes * (logs - middle) ** 2).sum() + FIRM)))
    return Chance(rate - growth * middle, growth)
