"""The steps of the work, each a function from a collection to something learned, in reading order.

In: a collection. Out: what the step made, on disk and as a value. The rooms know nothing of each
other; here they are wired.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from blickfang.collection import Collection, locking
from blickfang.config import FILE, resolve
from blickfang.data import Failure, Image
from blickfang.engine import Lost, each
from blickfang.errors import InputError, SettingsError
from blickfang.page import read_body_text, read_page
from blickfang.score import Options as ScoreOptions
from blickfang.score import weigh
from blickfang.textfiles import OPENERS, decode, read_bytes, read_text
from blickfang.topic.keywords import Keyword, find_keywords
from blickfang.topic.lm import perplexities
from blickfang.topic.sources import HTML_SUFFIXES, find_files, opening_store
from blickfang.topic.topic import Topic, learn_topic, save_topic
from blickfang.words import read_many

FEW_PAGES = 64

Advance = Callable[[int, int], None]  # told how much is done, of how much


def stay_silent(done: int, total: int) -> None:
    """Show no progress."""


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
    inner = path.with_suffix("") if path.suffix in OPENERS else path  # page.html.gz is a page
    if inner.suffix.lower() not in HTML_SUFFIXES:
        return read_text(path)
    text = read_body_text(read_bytes(path))
    if text is None:
        raise InputError(f"{path}: it is binary or empty, not a page")
    return text


def read_argument(text: str) -> str:
    """Return a text given on the command line, or standard input for `-`, whatever the locale."""
    return read_text(Path("-")) if text == "-" else decode(os.fsencode(text))


def learn(collection: Collection, advance: Advance = stay_silent) -> Learned:
    """Learn the topic of a collection from its positive and neutral pages."""
    options = collection.settings.topic
    if not options.positive:
        raise SettingsError(f"positive in [topic] of {collection.root / FILE} names no pages")
    paths = find_files(options.positive, collection.root)
    neutral_paths = find_files(options.neutral, collection.root)
    both = {path.resolve() for path in paths} & {path.resolve() for path in neutral_paths}
    if both:
        raise SettingsError(f"{min(both)} is both positive and neutral; name it once")
    total = len(paths) + len(neutral_paths)
    with locking(collection), opening_store(collection.topic_folder, collection.root) as store:
        ours = store.read(paths, read_source, lambda done: advance(done, total))
        others = store.read(
            neutral_paths, read_source, lambda done: advance(len(paths) + done, total)
        )
        store.forget_others([*paths, *neutral_paths])
        failures = [*ours.failures, *others.failures]
        if not ours.texts:
            raise InputError(f"no positive page could be read; the first: {failures[0].reason}")
        topic = learn_topic(ours.texts, others.texts, options, resolve(collection.settings))
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


@dataclass(frozen=True, slots=True)
class Source:
    """A page given on the command line: its name, and its bytes where no file holds them."""

    name: str
    body: bytes | None
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What commands show of a page."""

    name: str
    title: str
    language: str | None
    text: str
    main_text: str
    images: tuple[Image, ...]  # the <img> elements
    notes: tuple[str, ...]


def read_pages(
    names: Sequence[str], methods: Sequence[str], advance: Advance = stay_silent
) -> Iterator[ReadPage | Failure]:
    """Read pages from files, or standard input for `-`, on all cores, in order."""
    chosen = tuple(methods)
    sources = [
        Source(name, read_bytes(Path("-")) if name == "-" else None, chosen) for name in names
    ]
    workers = 1 if len(names) < FEW_PAGES else 0  # a process costs as much as hundreds of pages
    for done, result in enumerate(each(read_one, sources, workers), 1):
        advance(done, len(sources))
        if isinstance(result, Lost):
            reason = "reading it ended its process; please report this page"
            yield Failure(result.thing.name, "page", reason)
        else:
            yield result


def read_one(source: Source) -> ReadPage | Failure:
    """Read one page for the command line."""
    try:
        body = read_bytes(Path(source.name)) if source.body is None else source.body
        page = read_page(body, methods=source.methods)
    except InputError as error:
        return Failure(source.name, "page", str(error))
    if isinstance(page, Failure):
        return Failure(source.name, "page", page.reason)
    images = tuple(image for image in page.images if image.index >= 0)
    return ReadPage(
        source.name, page.title, page.language, page.text, page.main_text, images, page.notes
    )
