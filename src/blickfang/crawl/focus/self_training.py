"""Adapting: what is found far inside the topic becomes part of it, as long as that does no harm.

In: what is known of the topic and the samples of a crawl. Out: weights, and a `Step` that says what
was done and why. A crawl learns from hosts far inside anyhow; one that adapts puts that to the
test. Nothing is added up: every time the weights are learned anew from the learned pages and the
hosts that are far inside now, so that a host which turns out poor is forgotten.

The guard: some of the learned pages are held back. Weights that were learned from the others, with
and without the new hosts, judge them and the background; unless the held-back pages stand out at
least as far as before, by the spread of the background, the step is refused.
"""

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from blickfang.crawl.focus.background import (
    SAMPLES,
    Sorted,
    choose_friends,
    learn_against,
    sort_hosts,
)
from blickfang.crawl.focus.focus_options import FocusOptions
from blickfang.crawl.focus.judged_values import HostPage
from blickfang.crawl.focus.knowledge import Knowledge
from blickfang.crawl.focus.word_weights import (
    NO_FRIENDS,
    LearnedWeights,
    Own,
    WordCounts,
    rate_page,
    rate_pages,
)
from blickfang.errors import InputError
from blickfang.text import Topic
from blickfang.text.lm.language_model import perplexities
from blickfang.text.topic_refining import Exam, examine, refine
from blickfang.text.words import read_many

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


MIN_WORDS = 100  # of a page to learn from
MOST_CHARS = 40_000  # of its text
MOST_WORDS = 200_000  # to learn from, and not more than were learned first
HEAD = struct.Struct("<HdI")  # bytes of the host's name, perplexity, words


class Refinement(NamedTuple):
    """What adapting came to."""

    hosts: list[str]  # of the pages to learn from
    pages: int
    held_out: tuple[float | None, float | None]  # perplexity before and after
    neutral: tuple[float | None, float | None]  # that of neutral pages
    keywords: list[str]  # new ones
    accepted: bool
    reason: str


class Inside(NamedTuple):
    """A page far inside the topic; its text stays packed until it is chosen."""

    host: str
    perplexity: float
    words: int
    text: bytes


def find_limit(knowledge: Knowledge) -> float:
    """Return from which perplexity on a page is not far inside: nearer to neutral pages."""
    return sqrt(prod(knowledge.perplexities))


def pack_page(host: str, text: str, topic: Topic, limit: float) -> bytes | None:
    """Return a page in bytes, to be sent or kept; None if its text is not far inside the topic."""
    words = read_many([text[:MOST_CHARS]])
    (surprise,) = perplexities(topic.model.score_sentences(words))
    if surprise is None or surprise > limit or len(words.hashes) < MIN_WORDS:
        return None
    name = host.encode()
    head = HEAD.pack(len(name), surprise, len(words.hashes))
    return head + name + pack_texts([text[:MOST_CHARS]])


def unpack_page(data: bytes) -> Inside:
    """Return what `pack_page` packed."""
    try:
        size, surprise, words = HEAD.unpack_from(data)
        end = HEAD.size + size
        return Inside(data[HEAD.size : end].decode(), surprise, words, data[end:])
    except (struct.error, UnicodeDecodeError) as error:
        raise _damage() from error


def pack_texts(texts: Sequence[str]) -> bytes:
    """Return texts to learn from in bytes, to be sent or kept."""
    return zlib.compress(json.dumps(texts).encode())


def unpack_texts(data: bytes) -> list[str]:
    """Return what `pack_texts` packed."""
    try:
        found = json.loads(zlib.decompress(data))
    except (ValueError, RecursionError, zlib.error) as error:
        raise _damage() from error
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise _damage()
    return found


def _damage() -> InputError:
    return InputError("the pages that the crawl learned from are damaged")


def adapt_topic(knowledge: Knowledge, pages: Iterable[Inside]) -> tuple[list[str], Refinement]:
    """Return texts to learn from, if that does no harm, and what was done."""
    topic = knowledge.known_topic
    chosen = choose_pages(topic, pages)
    texts = [text for page in chosen for text in unpack_texts(page.text)]
    refined = refine(topic, texts) if texts else topic
    before, after = examine(topic, topic), examine(topic, refined)
    reason = _find_harm(before, after) if texts else "no page is far inside the topic"
    known = {keyword.word for keyword in topic.keywords.found}
    step = Refinement(
        hosts=list(dict.fromkeys(page.host for page in chosen)),
        pages=len(chosen),
        held_out=(before.held_out, after.held_out),
        neutral=(before.neutral, after.neutral),
        keywords=[keyword.word for keyword in refined.keywords.found if keyword.word not in known],
        accepted=not reason,
        reason=reason,
    )
    return [] if reason else texts, step


def _find_harm(before: Exam, after: Exam) -> str:
    if before.held_out is None or after.held_out is None:
        return "no sentences were held back to test by"
    if before.neutral is None or after.neutral is None:
        return "there are no neutral pages to test by"
    if after.held_out > before.held_out:
        return "sentences held back would surprise more"
    if after.neutral / after.held_out < before.neutral / before.held_out:
        return "neutral pages would stand out less"
    return ""


def choose_pages(topic: Topic, pages: Iterable[Inside]) -> list[Inside]:
    """Return the pages to learn from: the least surprising of each host, then their second ones."""
    hosts: dict[str, list[Inside]] = {}
    for page in pages:
        hosts.setdefault(page.host, []).append(page)
    ranked = sorted((sorted(kept, key=_rank)[:SAMPLES] for kept in hosts.values()), key=_rank_host)
    learned = sum(map(len, topic.learned_from.positive)) if topic.learned_from else 0
    room = min(MOST_WORDS, learned)
    chosen = []
    for page in (one for row in zip_longest(*ranked) for one in row if one is not None):
        if page.words <= room:
            room -= page.words
            chosen.append(page)
    return chosen


def _rank(page: Inside) -> tuple[float, bytes]:
    return page.perplexity, page.text


def _rank_host(pages: Sequence[Inside]) -> tuple[float, str]:
    return pages[0].perplexity, pages[0].host
