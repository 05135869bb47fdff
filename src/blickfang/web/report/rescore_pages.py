"""The pages of a crawl read again, in the order they were fetched: what its sentences are like.

In: a collection with an archive, and the topic to judge by. Out: for every page how many sentences
it brought, how surprising the test model finds them, and how relevant the page is: by the same
judge whatever the mode of the crawl. A few pages at a time, on all cores.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blickfang.compute import LostTask, each
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import Collection, open_collection
from blickfang.crawl.focus import Knowledge, Strategy, make_strategy, see
from blickfang.crawl.page_judge import DEFAULT, describe_reading
from blickfang.crawl.state.crawl_log import FetchedPage, count_pages, follow_pages
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.html import glance
from blickfang.io.log import report_bug
from blickfang.io.urls import host as host_of
from blickfang.io.warc import Archived, read_at
from blickfang.io.warc.record_types import archived_response
from blickfang.io.warc.walk import NOT_AT_HAND, is_page, iterate_archive
from blickfang.text import Topic, load_topic
from blickfang.text.topic import has_topic, name_topic
from blickfang.text.words import Words
from blickfang.types import Failure, Page

MIN_WORDS = 5  # of a sentence that counts, as the study has it
BATCH = 100
FEW = 1500  # pages: a second process costs as much as reading so many
NOWHERE = np.zeros(0, np.int32)


class Retold(NamedTuple):
    """What a page brought."""

    sentences: int = 0
    tokens: int = 0
    log10: float = 0.0  # of the sentences' probability under the test model
    scored: int = 0  # words and sentence ends that this is about
    relevance: float = math.nan
    failed: bool = False


class RescoredPage(NamedTuple):
    """A page of a run: when it was fetched, and what it brought."""

    visit: FetchedPage
    retold: Retold


class Judge(NamedTuple):
    """Who says what a page is like."""

    topic: Topic | None
    watcher: Strategy | None


def retell(
    collection: Collection, topic_root: Path, advance: Advance = stay_silent
) -> Iterator[RescoredPage]:
    """Give the pages of a crawl in order, judged by the topic of a collection."""
    total = count_pages(collection.crawl_folder)
    visits = follow_pages(collection.crawl_folder)
    task = partial(read_batch, str(collection.crawl_folder), str(topic_root))
    done = 0
    for result in each(task, _cut(visits, BATCH), 1 if total < FEW else 0):
        if isinstance(result, LostTask):
            told = [RescoredPage(visit, Retold(failed=True)) for visit in result.thing]
        else:
            told = result
        yield from told
        done += len(told)
        advance(done, max(total, done))


def _cut(visits: Iterable[FetchedPage], size: int) -> Iterator[list[FetchedPage]]:
    rest = iter(visits)
    while some := list(islice(rest, size)):
        yield some


def read_batch(folder: str, topic_root: str, visits: Sequence[FetchedPage]) -> list[RescoredPage]:
    """Read some pages again, and judge them."""
    judge = load_judge(topic_root)
    return [RescoredPage(visit, _read_again(Path(folder), visit, judge)) for visit in visits]


def _read_again(folder: Path, visit: FetchedPage, judge: Judge) -> Retold:
    if not visit.archive:
        return Retold()  # withheld: nothing of it is kept
    record = read_at(folder / visit.archive, visit.offset, visit.length)
    if isinstance(record, Failure):
        return Retold(failed=True)
    return retell_record(record, visit.url, judge)


def retell_record(record: Archived, url: str, judge: Judge) -> Retold:
    """Return what a page brought, from its record."""
    if record.kind == "revisit":
        return Retold()  # the same bytes as an earlier answer, whose sentences were counted
    try:
        page = glance(archived_response(record), images=False)
        if isinstance(page, Failure):
            return Retold(failed=True)
        relevance = None
        if judge.watcher is not None:
            relevance = judge.watcher.judge(see(page, host_of(url))).relevance
        return count_sentences(page, judge)._replace(
            relevance=math.nan if relevance is None else relevance
        )
    except Exception as error:  # one page must not end a report
        report_bug(error, url)
        return Retold(failed=True)


def count_sentences(page: Page, judge: Judge) -> Retold:
    """Count the sentences of a page that are long enough, and score them by the test model."""
    lengths = np.diff(np.flatnonzero(page.breaks), append=len(page.words))
    long = lengths >= MIN_WORDS
    before = len(page.words) - int(lengths.sum())  # words in front of the first sentence
    kept = np.concatenate((np.zeros(before, np.bool_), np.repeat(long, lengths)))
    hashes, breaks = page.words[kept], page.breaks[kept]
    sentences, tokens = int(long.sum()), len(hashes)
    model = judge.topic.test_model if judge.topic is not None else None
    if model is None or not tokens:
        return Retold(sentences, tokens)
    texts = np.array([0, tokens], np.int32)
    scores = model.score_sentences(Words(hashes, NOWHERE, NOWHERE, breaks, texts, b"", folded=True))
    return Retold(sentences, tokens, float(scores.log10[0]), int(scores.tokens[0]))


def load_judge(root: str) -> Judge:
    """Return who judges by the topic of a collection; nobody, where none is learned.

    The judge knows the background that the crawl of that collection has learned, if it has.
    """
    return _load_judge(root, describe_reading(open_collection(Path(root))))


@lru_cache(maxsize=8)
def _load_judge(root: str, _about: str) -> Judge:
    collection = open_collection(Path(root))
    if not has_topic(collection.topic_folder):
        return Judge(None, None)
    topic = load_topic(collection.topic_folder, with_test_model=True, with_pages=True)
    pages = topic.learned_from
    if pages is None:
        return Judge(topic, None)
    settings = collection.settings
    knowledge = Knowledge(topic, pages.positive, pages.neutral)
    watcher = make_strategy(DEFAULT, knowledge, settings.score, settings.focus)
    weights = recall_weights(collection.crawl_folder)
    if weights is not None:
        watcher.adopt(weights, {})
    return Judge(topic, watcher)


def choose_judge(root: Path, others: Sequence[Path]) -> Path:
    """Return which of some collections judges the pages of one of them.

    Of those with the same topic the first that has learned a background: one judge for all.
    """
    mine = name_topic(root / "topic")
    for other in others:
        same = mine and name_topic(other / "topic") == mine
        if same and recall_weights(other / "crawl") is not None:
            return other
    return root


def retell_archives(
    paths: Sequence[Path], topic_root: Path, advance: Advance = stay_silent
) -> Iterator[RescoredPage]:
    """Give the pages of archives that no crawl of ours made, by the dates they state."""
    task = partial(read_file, str(topic_root))
    found: list[RescoredPage] = []
    for done, result in enumerate(each(task, paths, 1 if len(paths) == 1 else 0), 1):
        found += [] if isinstance(result, LostTask) else result
        advance(done, len(paths))
    yield from sorted(found, key=lambda told: told.visit.fetched_at)


def read_file(topic_root: str, path: Path) -> list[RescoredPage]:
    """Read the pages of an archive file."""
    judge = load_judge(topic_root)
    told = []
    for found in iterate_archive(path, _is_sent):
        if isinstance(found, Failure):
            if found.reason == NOT_AT_HAND:
                visit = FetchedPage(found.url, "", "", False, False, str(path), 0, 0)
                told.append(RescoredPage(visit, Retold(failed=True)))
            continue
        record, is_copy = found.record, found.record.kind == "revisit"
        visit = FetchedPage(
            record.url, record.date, "", is_copy, False, str(path), 0, len(record.body)
        )
        told.append(RescoredPage(visit, retell_record(record, record.url, judge)))
    return told


def _is_sent(record: Archived) -> bool:
    """Whether a record is of a page as its host sent it, or the only one there is."""
    is_derived = record.kind == "conversion" and record.original is not None
    return is_page(record) and not is_derived
