"""Adapting: what is found far inside the topic becomes part of it, as long as that does no harm.

In: what is known of the topic and the samples of a crawl. Out: weights, and a `Step` that says what
was done and why. A crawl learns from hosts far inside anyhow; one that adapts puts that to the
test. Nothing is added up: every time the weights are learned anew from the learned pages and the
hosts that are far inside now, so that a host which turns out poor is forgotten.

The guard: some of the learned pages are held back. Weights that were learned from the others, with
and without the new hosts, judge them and the background; unless the held-back pages stand out at
least as far as before, by the spread of the background, the step is refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from blickfang.focus.background import Sorted, choose_friends, learn_against, sort_hosts
from blickfang.focus.knowledge import Knowledge
from blickfang.focus.options import FocusOptions
from blickfang.focus.values import HostPage
from blickfang.focus.weights import (
    NO_FRIENDS,
    LearnedWeights,
    Own,
    WordCounts,
    rate_page,
    rate_pages,
)

HELD_BACK = 3  # every so manyth learned page
MIN_LEARNED = 3  # with fewer pages nothing can be held back


class AdaptStep(NamedTuple):
    """What adapting came to."""

    hosts: list[str]  # far inside
    before: float  # how far pages held back stand out
    after: float  # the same with the hosts
    accepted: bool
    reason: str


def adapt(
    knowledge: Knowledge,
    samples: Iterable[HostPage],
    means: Mapping[str, float],
    options: FocusOptions,
) -> tuple[LearnedWeights, AdaptStep]:
    """Learn weights as `relearn` does, but from hosts far inside only if that does no harm."""
    hosts = sort_hosts(samples, means)
    plain = learn_against(knowledge, hosts.background, options)
    friends = choose_friends(knowledge, hosts, means, plain)
    chosen = list(friends)
    if not friends:
        return plain, AdaptStep(
            [], 0.0, 0.0, accepted=False, reason="no host is far inside the topic"
        )
    if len(knowledge.learned) < MIN_LEARNED or not hosts.background:
        return plain, AdaptStep(chosen, 0.0, 0.0, accepted=False, reason="too few pages to test by")
    before, after = (_test(knowledge, hosts, options, some) for some in (NO_FRIENDS, friends))
    if after < before:
        reason = "pages held back would stand out less"
        return plain, AdaptStep(chosen, before, after, accepted=False, reason=reason)
    learned = learn_against(knowledge, hosts.background, options, friends)
    return learned, AdaptStep(chosen, before, after, accepted=True, reason="")


def _test(
    knowledge: Knowledge,
    hosts: Sorted,
    options: FocusOptions,
    friends: Mapping[str, Sequence[WordCounts]],
) -> float:
    """Return how far pages held back stand out from the background, by its spread."""
    kept = [page for n, page in enumerate(knowledge.learned) if n % HELD_BACK]
    held = [page for n, page in enumerate(knowledge.learned_pages) if n % HELD_BACK == 0]
    learned = learn_against(replace(knowledge, learned=kept), hosts.background, options, friends)
    ours = [rate_page(page, learned.weights, None, learned.chance) for page in held]
    others = [_rate_host(pages, learned) for pages in hosts.background.values()]
    spread = float(np.std(others)) or 1.0
    return float(np.mean(ours) - np.mean(others)) / spread


def _rate_host(pages: Sequence[WordCounts], learned: LearnedWeights) -> float:
    return float(np.mean(rate_pages(pages, learned, Own(len(pages)))))
