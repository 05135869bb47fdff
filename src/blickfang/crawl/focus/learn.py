"""Learning a topic from pages, and scoring texts by it.

In: a collection. Out: its topic, on disk and as a value.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.compute.worker_progress import Bars, show_no_bars
from blickfang.config import FILE, Collection, locking, resolve
from blickfang.crawl.focus.background_state import renew_background
from blickfang.crawl.focus.fetch_topic_pages import fetch_pages, find_named, list_files, refuse_both
from blickfang.errors import InputError, SettingsError
from blickfang.html import read_titled_text
from blickfang.io.source_files import is_page_file
from blickfang.io.text_files import decode, read_bytes, read_text
from blickfang.text.keywords import Keyword, find_keywords
from blickfang.text.lm import perplexities
from blickfang.text.relevance import ScoreOptions, weigh
from blickfang.text.topic import Topic, learn_topic, save_topic
from blickfang.text.topic_pages import find_files, opening_store
from blickfang.text.words import read_many
from blickfang.types import Failure


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning a topic came to."""

    topic: Topic
    fresh: int  # pages that were read now; the others had not changed
    failures: list[Failure]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text scores as it does."""

    text: str
    perplexity: float | None
    keyword_score: float
    hits: list[Keyword]  # an entry for every occurrence, in reading order
    score: float | None  # low is good; None for a text without words


def read_source(path: Path) -> str:
    """Return the text of a file of text or HTML."""
    if not is_page_file(path):
        return read_text(path)
    text = read_titled_text(read_bytes(path))
    if text is None:
        raise InputError(f"{path}: it is binary or empty, not a page")
    return text


def read_argument(text: str) -> str:
    """Return a text given on the command line, or standard input for `-`, whatever the locale."""
    return read_text(Path("-")) if text == "-" else decode(os.fsencode(text))


def learn(collection: Collection, bars: Bars = show_no_bars) -> Learned:
    """Learn the topic of a collection from its positive and neutral pages."""
    options = collection.settings.topic
    if not options.positive:
        raise SettingsError(f"positive in [topic] of {collection.root / FILE} names no pages")
    named = [
        find_named(patterns, collection.root) for patterns in (options.positive, options.neutral)
    ]
    refuse_both(*named)
    with locking(collection), opening_store(collection.topic_folder, collection.root) as store:
        with bars("fetching pages") as advance:
            lost = fetch_pages(collection, [url for one in named for url in one.urls], advance)
        paths, neutral_paths = (list_files(collection, one) for one in named)
        total = len(paths) + len(neutral_paths)
        with bars("reading pages") as advance:
            ours = store.read(paths, read_source, lambda done: advance(done, total))
            others = store.read(
                neutral_paths, read_source, lambda done: advance(len(paths) + done, total)
            )
        store.forget_others([*paths, *neutral_paths])
        failures = [*lost, *ours.failures, *others.failures]
        if not ours.texts:
            raise InputError(f"no positive page could be read; the first: {failures[0].reason}")
        topic = learn_topic(ours.texts, others.texts, options, resolve(collection.settings))
        renew_background(collection, topic)  # killed here, it is done again: the topic is new still
        save_topic(topic, collection.topic_folder)
    return Learned(topic, ours.fresh + others.fresh, failures)


def compare_words(positive: Sequence[str], neutral: Sequence[str], top: int) -> list[Keyword]:
    """Return the keywords of some files against others, without a collection."""
    ours, others = (
        [read_source(path) for path in find_files(patterns, Path.cwd())]
        for patterns in (positive, neutral)
    )
    return find_keywords(read_many(ours), read_many(others), top)


def explain(topic: Topic, texts: Sequence[str], options: ScoreOptions) -> list[Explanation]:
    """Score texts and say why."""
    words = read_many(texts)
    facts = zip(
        texts,
        perplexities(topic.model.score_hashed(words)),
        topic.keywords.score_hashed(words),
        topic.keywords.find(words),
        strict=True,
    )
    return [
        Explanation(
            text,
            perplexity,
            share,
            hits,
            None if perplexity is None else weigh(perplexity, share, options),
        )
        for text, perplexity, share, hits in facts
    ]
