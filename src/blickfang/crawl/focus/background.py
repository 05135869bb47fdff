"""The background: a few pages of each host met, from which weights are learned again and again.

In: samples of pages, and how good each host is so far. Out: new weights. The better hosts may well
be on the topic, so they stay out of the background; those far inside are learned from. Pure: with
several shards the coordinator collects the samples of all, learns once and sends the weights to
everybody.
"""

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.focus_options import CONTRASTS, FocusOptions
from blickfang.crawl.focus.judged_values import HostPage
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.language_filter import find_usual, understand
from blickfang.crawl.focus.word_weights import (
    NO_FRIENDS,
    LearnedWeights,
    WordCounts,
    count_page,
    learn_first,
    learn_weights,
    measure_chance,
)
from blickfang.errors import InputError
from blickfang.text.words import Hashes

SAMPLES = 3  # pages kept of a host
MOST_SAMPLED = 2000  # hosts of a shard: bounds memory; by then new ones change little
MIN_WORDS = 30  # of a sample: shorter pages are pictures and errors
MIN_HOSTS = 5
MIN_PAGES = 10
GROWTH = 1.5
LOWER = 0.8  # share of hosts, the worse ones, that make the background
MOST_HOSTS = 600  # of the background; more would only cost time
MOST_COMPARED = 100  # of them, to see how much they differ
FAR = 4.0  # times the noise of hosts off the topic: then one is far inside
LEAST = 0.1  # relevance of a host that is far inside, however small the noise
MOST_FRIENDS = 8  # hosts far inside that are learned from
HEAD = struct.Struct("<HIQ")  # bytes of the host's name, different words, words


def is_due(hosts: int, pages: int, pages_last: int) -> bool:
    """Whether a crawl that has seen so many hosts and pages should learn its weights anew.

    >>> is_due(hosts=5, pages=10, pages_last=0), is_due(hosts=9, pages=14, pages_last=10)
    (True, False)
    """
    return hosts >= MIN_HOSTS and pages >= max(MIN_PAGES, GROWTH * pages_last)


def begin(knowledge: Knowledge, options: FocusOptions) -> LearnedWeights:
    """Return the weights that a crawl begins with."""
    contrast = CONTRASTS.get(options.scorer, 1.0)
    learned = learn_first(knowledge.learned_pages, knowledge.neutral_pages, contrast)
    return learned._replace(usual_share=_find_share(knowledge, {}))


def _find_share(knowledge: Knowledge, background: Mapping[str, Sequence[WordCounts]]) -> float:
    """Return the share of known words of pages off the topic: neutral ones, until hosts are met."""
    hosts = list(background.values()) or [[page] for page in knowledge.neutral_pages]
    return find_usual(hosts[:MOST_COMPARED], knowledge.vocabulary_slots)


class Sorted(NamedTuple):
    """Hosts as a background sees them."""

    background: dict[str, list[WordCounts]]
    better: dict[str, list[WordCounts]]  # those left out of it, best first


def sort_hosts(samples: Iterable[HostPage], means: Mapping[str, float]) -> Sorted:
    """Return the hosts that make the background, and the better ones."""
    kept: dict[str, list[WordCounts]] = {}
    for sample in samples:
        kept.setdefault(sample.host, []).append(WordCounts(sample.hashes, sample.counts))
    ranked = sorted(kept, key=lambda host: (means.get(host, 0.0), host))
    edge = int(LOWER * len(ranked))
    chosen = sorted(ranked[:edge], key=_shuffled)[:MOST_HOSTS]
    return Sorted(
        {host: kept[host][:SAMPLES] for host in chosen},
        {host: kept[host][:SAMPLES] for host in ranked[edge:][::-1]},
    )


def relearn(
    knowledge: Knowledge,
    samples: Iterable[HostPage],
    means: Mapping[str, float],
    options: FocusOptions,
) -> LearnedWeights:
    """Learn weights against the hosts that are not as good as others, and from the best.

    Six pages of one host know the words of one author. Hosts far inside the topic know others; no
    host is judged by what it said itself (`weigh_host`), so a wrong one does not stay by itself.
    """
    hosts = sort_hosts(samples, means)
    plain = learn_against(knowledge, hosts.background, options)
    friends = choose_friends(knowledge, hosts, means, plain)
    return learn_against(knowledge, hosts.background, options, friends) if friends else plain


def choose_friends(
    knowledge: Knowledge, hosts: Sorted, means: Mapping[str, float], plain: LearnedWeights
) -> dict[str, list[WordCounts]]:
    """Return the hosts that are far inside the topic, best first.

    Not those in another language: what makes that language would be learned as the topic.
    """
    floor = max(LEAST, FAR * plain.noise)
    far = [host for host in hosts.better if means.get(host, 0.0) >= floor]
    shares = {host: find_usual([hosts.better[host]], knowledge.vocabulary_slots) for host in far}
    read = [host for host in far if understand(shares[host], plain.usual_share) >= 1]
    return {host: hosts.better[host] for host in read[:MOST_FRIENDS]}


def learn_against(
    knowledge: Knowledge,
    background: Mapping[str, Sequence[WordCounts]],
    options: FocusOptions,
    friends: Mapping[str, Sequence[WordCounts]] = NO_FRIENDS,
) -> LearnedWeights:
    """Learn weights against a background, and what its hosts reach by chance."""
    contrast = CONTRASTS.get(options.scorer, 1.0)
    pages, neutral = knowledge.learned_pages, knowledge.neutral_pages
    learned = learn_weights(pages, neutral, background, contrast, friends)
    compared = list(background.values())[:MOST_COMPARED]
    learned = learned._replace(usual_share=_find_share(knowledge, background))
    return measure_chance(learned, compared, has_contrast=contrast > 0)


def _shuffled(host: str) -> bytes:
    return hashlib.blake2b(host.encode(), digest_size=8).digest()


def take_sample(host: str, hashes: Hashes) -> HostPage | None:
    """Return a page as the background keeps it; None if it has too few words."""
    if len(hashes) < MIN_WORDS:
        return None
    return HostPage(host, *count_page(hashes), len(hashes))


def pack_samples(samples: Iterable[HostPage]) -> bytes:
    """Return samples in bytes, to be sent or kept; packed ones can be put together."""
    parts = []
    for host, hashes, counts, words in samples:
        name = host.encode()
        head = HEAD.pack(len(name), len(hashes), words)
        parts += [head, name, hashes.astype("<u8").tobytes(), counts.astype("<u2").tobytes()]
    return b"".join(parts)


def unpack_samples(data: bytes) -> list[HostPage]:
    """Return the samples that `pack_samples` packed."""
    samples, at = [], 0
    try:
        while at < len(data):
            name, different, words = HEAD.unpack_from(data, at)
            at += HEAD.size
            host = data[at : at + name].decode()
            at += name
            hashes = np.frombuffer(data, "<u8", different, at).astype(np.uint64)
            at += hashes.nbytes
            counts = np.frombuffer(data, "<u2", different, at).astype(np.uint16)
            at += counts.nbytes
            samples.append(HostPage(host, hashes, counts, words))
    except (struct.error, ValueError) as error:
        raise InputError("the samples of the crawl's background are damaged") from error
    return samples
