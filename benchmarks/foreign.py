"""The testbed in two languages: half of its hosts, on any topic, write other words than ours.

In: pages as strategies see them. Out: the same, where the words of those hosts, but for some, are
replaced by others, each always by the same: a language of which nobody was taught anything, with a
few names and terms that all languages share.
"""

from dataclasses import replace

import numpy as np

from benchmarks.draws import LEARNED, SEED_HOSTS, read_truth
from blickfang.crawl.focus import PageFeatures
from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.replay.replay import Sight
from blickfang.text.words import Hashes
from blickfang.types import Failure, Response

SHARED = 0.05  # of the different words
FACTOR, SHIFT, OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(31), np.uint64(0x5DEECE66D12345)


def choose_foreign() -> frozenset[str]:
    """Return every second host of each topic, but for those of learned pages and of seeds."""
    topics, spared = read_truth().topics, {*LEARNED.values(), *SEED_HOSTS}
    kinds = {host: topic.partition(":")[0] for host, topic in topics.items() if host not in spared}
    return frozenset(sorted(kinds, key=lambda host: (kinds[host], host))[::2])


def translate(words: Hashes) -> Hashes:
    """Return words of another language."""
    mixed = (words * FACTOR) ^ (words >> SHIFT)
    is_shared = (mixed >> np.uint64(40)) < np.uint64(SHARED * 2**24)
    return np.where(is_shared, words, mixed ^ OTHER)


class ForeignSight(Sight):
    """Looks at pages, some of which are in another language."""

    def __init__(self, web: RecordedWeb) -> None:
        super().__init__(web)
        self.foreign = choose_foreign()

    def look(self, response: Response, host: str) -> PageFeatures | Failure:
        """Return a page as strategies see it."""
        found = super().look(response, host)
        if isinstance(found, Failure) or host not in self.foreign:
            return found
        return replace(found, words=translate(found.words))
