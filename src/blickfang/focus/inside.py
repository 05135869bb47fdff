"""Adapting the study's modes: pages far inside the topic refine its language model and keywords.

In: what is known of the topic, and the texts of pages whose perplexity is nearer to that of the
sentences held back from its model than to that of neutral pages. Out: the texts to learn from, and
a `Refinement` that says what was done and why. Every time the topic is refined anew from what was
learned first: a page that better ones push out is forgotten, and the topic itself stays as it is.

The guard: sentences held back must surprise the refined model no more than the first one, and
neutral pages must stand out from them at least as far. Any text of the same language helps with the
former; off the topic it fails at the latter.
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from math import prod, sqrt
from typing import NamedTuple

import numpy as np

from blickfang.errors import InputError
from blickfang.focus.background import SAMPLES
from blickfang.focus.knowledge import Knowledge
from blickfang.topic import Topic
from blickfang.topic.lm.model import perplexities
from blickfang.topic.refining import Exam, examine, refine
from blickfang.words import read_many

MIN_WORDS = 100  # of a page to learn from
MOST_CHARS = 40_000  # of its text
SHARE = 1.0  # words to learn from, against those learned first
MOST_WORDS = 200_000


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
    """A page far inside the topic."""

    host: str
    text: str


def pack_page(page: Inside) -> bytes:
    """Return a page in bytes, to be sent or kept."""
    return zlib.compress(json.dumps([page.host, page.text[:MOST_CHARS]]).encode())


def pack_texts(texts: Sequence[str]) -> bytes:
    """Return texts to learn from in bytes, to be sent or kept."""
    return zlib.compress(json.dumps(texts).encode())


def unpack_page(data: bytes) -> Inside:
    """Return what `pack_page` packed."""
    return Inside(*_unpack(data))


def unpack_texts(data: bytes) -> list[str]:
    """Return what `pack_texts` packed."""
    return _unpack(data)


def _unpack(data: bytes) -> list[str]:
    try:
        found = json.loads(zlib.decompress(data))
    except (ValueError, zlib.error) as error:
        raise InputError("the pages that the crawl learned from are damaged") from error
    return [str(part) for part in found]


def adapt_topic(knowledge: Knowledge, pages: Iterable[Inside]) -> tuple[list[str], Refinement]:
    """Return texts to learn from, if that does no harm, and what was done."""
    topic = knowledge.known_topic
    chosen = choose_pages(knowledge, pages)
    refined = refine(topic, [page.text for page in chosen])
    before, after = examine(topic, topic), examine(topic, refined)
    reason = _find_harm(before, after) if chosen else "no page is far inside the topic"
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
    return [] if reason else [page.text for page in chosen], step


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


def find_limit(knowledge: Knowledge) -> float:
    """Return from which perplexity on a page is not far inside: nearer to neutral pages."""
    return sqrt(prod(knowledge.perplexities))


def choose_pages(knowledge: Knowledge, pages: Iterable[Inside]) -> list[Inside]:
    """Return the pages to learn from: the least surprising of each host, then their second ones."""
    topic, found = knowledge.known_topic, list(pages)
    words = read_many([page.text for page in found])
    lengths = np.diff(words.texts).tolist()
    rates = perplexities(topic.model.score_hashed(words))
    limit = find_limit(knowledge)
    hosts: dict[str, list[tuple[float, int]]] = {}
    for number, (page, rate) in enumerate(zip(found, rates, strict=True)):
        if rate is not None and rate <= limit and lengths[number] >= MIN_WORDS:
            hosts.setdefault(page.host, []).append((rate, number))
    ranked = sorted(sorted(kept)[:SAMPLES] for kept in hosts.values())
    room = _count_room(topic)
    chosen = []
    for _, number in (one for row in zip_longest(*ranked) for one in row if one is not None):
        if lengths[number] <= room:
            room -= lengths[number]
            chosen.append(found[number])
    return chosen


def _count_room(topic: Topic) -> int:
    learned = sum(map(len, topic.learned_from.positive)) if topic.learned_from else 0
    return min(MOST_WORDS, int(SHARE * learned))
