"""What a crawl learned of its background, learned once more when its topic changes.

In: a collection and its new topic. Out: other weights in the state of its crawl: else its pages
would go on to be judged by a topic that nobody wants any more.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from blickfang.config import Collection
from blickfang.crawl.focus import Knowledge
from blickfang.crawl.focus.background import (
    begin,
    learn_against,
    relearn,
    sort_hosts,
    unpack_samples,
)
from blickfang.crawl.focus.judged_values import HostPage
from blickfang.crawl.focus.language_filter import rate_kept
from blickfang.crawl.focus.self_training import adapt
from blickfang.crawl.focus.word_weights import LearnedWeights, WordCounts, pack_weights
from blickfang.crawl.run import wait_for_shards
from blickfang.crawl.shards.cluster_crawl import at_home
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.crawl.state.state_db import STATE, EmptyStoreError, looking_into
from blickfang.errors import BlickfangError, InputError
from blickfang.text import Topic, load_topic
from blickfang.text.topic import TopicWords
from blickfang.text.words import Hashes


def recall_samples(folder: Path) -> list[HostPage]:
    """Return the pages of each host that a crawl kept to know its background by."""
    found = []
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        with suppress(EmptyStoreError), looking_into(path) as db:
            for (data,) in db.execute("SELECT data FROM samples ORDER BY number"):
                found += unpack_samples(data)
    return found


def replace_weights(folder: Path, weights: bytes) -> None:
    """Let all shards of a crawl judge by other weights; a crawl that runs must end before."""
    for db in _open_states(folder):
        db.execute("INSERT OR REPLACE INTO facts VALUES ('weights', ?)", (weights,))


def forget_inside(folder: Path) -> None:
    """Forget the pages that were far inside another topic; a crawl that runs must end before."""
    for db in _open_states(folder):
        db.execute("DELETE FROM facts WHERE name = 'inside'")
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'inside'").fetchone():
            db.execute("DELETE FROM inside")


def _open_states(folder: Path) -> Iterator[sqlite3.Connection]:
    """Give the state of each shard, to be changed."""
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        try:
            with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as db:
                if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
                    yield db
        except sqlite3.Error as error:
            raise InputError(f"cannot change {path}: {error}; does a crawl run?") from error


def renew_background(collection: Collection, topic: Topic) -> None:
    """Weigh words anew by a topic that is not saved yet, against the hosts that the crawl met.

    Only where there is a crawl, and the topic has other pages than before. What was far inside that
    is forgotten; what the crawl meets from now on is told by the new one.
    """
    folder, pages = collection.crawl_folder, topic.learned_from
    is_crawled = any(folder.glob(f"shard-*/{STATE}"))
    if pages is None or not is_crawled or _is_known(collection, pages):
        return
    with at_home(folder):
        wait_for_shards(folder)
        forget_inside(folder)
        if recall_weights(folder) is not None:
            _weigh_anew(collection, Knowledge(topic, pages.positive, pages.neutral))


def _weigh_anew(collection: Collection, knowledge: Knowledge) -> None:
    folder, options = collection.crawl_folder, collection.settings.focus
    samples = recall_samples(folder)
    means = rate_hosts(samples, knowledge.vocabulary_slots, begin(knowledge, options))
    plain = learn_against(knowledge, sort_hosts(samples, means).background, options)
    # By neutral pages alone nobody is far inside.
    means = rate_hosts(samples, knowledge.vocabulary_slots, plain)
    learned = (
        adapt(knowledge, samples, means, options)[0]
        if options.adapt
        else relearn(knowledge, samples, means, options)
    )
    replace_weights(folder, pack_weights(learned))


def rate_hosts(
    samples: Sequence[HostPage], slots: Hashes, learned: LearnedWeights
) -> dict[str, float]:
    """Return how good the pages kept of each host are, as the crawl would judge them."""
    pages: dict[str, list[WordCounts]] = defaultdict(list)
    for sample in samples:
        pages[sample.host].append(WordCounts(sample.hashes, sample.counts))
    return {host: sum(rate_kept(kept, slots, learned)) / len(kept) for host, kept in pages.items()}


def _is_known(collection: Collection, pages: TopicWords) -> bool:
    """Whether the saved topic was learned from the same pages."""
    try:
        known = load_topic(collection.topic_folder, with_pages=True).learned_from
    except BlickfangError:  # there is none, or it is damaged
        return False
    return known is not None and all(
        _are_equal(*both)
        for both in ((known.positive, pages.positive), (known.neutral, pages.neutral))
    )


def _are_equal(some: Sequence[Hashes], others: Sequence[Hashes]) -> bool:
    return len(some) == len(others) and all(map(np.array_equal, some, others))
