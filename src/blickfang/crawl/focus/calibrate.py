"""Calibration: bucket boundaries and razor that fit a topic, found instead of guessed.

In: a collection with a topic. Out: `Calibration`. The study finds them by hand in a pretest. Here
the links of every positive page are scored as the queue holds them, by a topic learned from the
other pages, those of neutral pages by the whole topic; a small crawl of the seed hosts in the same
mode, one request at a time, shows what the web has, and from which seeds the pages come. Method:
docs/method.md, "Scores".
"""

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blickfang.config import (
    FILE,
    Collection,
    Settings,
    change_settings,
    load_settings,
    open_collection,
    write_settings,
)
from blickfang.crawl.focus import Knowledge, PageFeatures, make_strategy
from blickfang.crawl.focus.background_strategy import STUDIED
from blickfang.crawl.focus.fetch_topic_pages import find_pages
from blickfang.crawl.focus.learn import read_source
from blickfang.crawl.focus.thesis_modes import Focused
from blickfang.crawl.frontier.candidates import PAGE
from blickfang.crawl.page_judge import look_at
from blickfang.crawl.run import crawl
from blickfang.crawl.state.crawl_queries import list_visits
from blickfang.errors import BlickfangError, InputError
from blickfang.io.atomic_files import set_aside, write_text
from blickfang.io.source_files import is_page_file, list_crawled
from blickfang.io.text_files import read_bytes
from blickfang.io.urls import host as host_of
from blickfang.io.warc import Archived
from blickfang.io.warc.record_types import archived_response
from blickfang.io.warc.walk import has_payload, iterate_archive
from blickfang.text import Topic, learn_topic, load_topic
from blickfang.types import Failure, Response

MOST_FOLDS = 12
PRETEST_PAGES = 200
STRETCH = 3.0  # the razor, in units of the last boundary
WHERE = ("seeds", "sitemaps", "accept", "reject", "max_depth", "purpose", "robots", "mode")
FEWEST = 3  # pages of a side without which nothing can be said
OF_A_PAGE = (np.arange(20) + 0.5) / 20  # quantiles of its links that stand for a page
HERE = "http://page.invalid/"  # the address of a page of a file
ELSEWHERE = "elsewhere"

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PagesOfSeed:
    """What a seed brought in the small crawl."""

    seed: str
    pages: int
    best: int  # of them in the best bucket
    perplexity: float | None  # the median


@dataclass(frozen=True, slots=True)
class Calibration:
    """Boundaries and razor, with the scores of links they were found from (quartiles)."""

    mode: str
    buckets: tuple[float, ...]
    razor: float
    on_topic: tuple[float, ...]  # links of held-out positive pages
    neutral: tuple[float, ...]
    crawled: tuple[float, ...]
    caught: float  # share of the links of held-out pages in the best bucket
    mistaken: float  # share of those of neutral pages in it
    filled: tuple[float, ...] = ()  # shares of the small crawl's links in each bucket
    seeds: tuple[PagesOfSeed, ...] = ()  # of the small crawl, the most pages first


def calibrate(collection: Collection, pages: int = PRETEST_PAGES) -> Calibration:
    """Find boundaries and razor; what was found is kept in DIR/calibration.json."""
    mode = choose_mode(collection)
    topic = load_topic(collection.topic_folder)
    positive = _read(collection, collection.settings.topic.positive)
    neutral = _read(collection, collection.settings.topic.neutral)
    if min(len(positive), len(neutral)) < FEWEST:
        raise InputError(f"calibration needs {FEWEST} positive and {FEWEST} neutral pages or more")
    settings = collection.settings
    ours = score_held_out(positive, neutral, mode, settings)
    others = rate_links(topic, [page.seen for page in neutral], mode, settings)
    found = place(mode, ours, others)
    if pages:
        pretest, fetched = crawl_few(collection, found, pages)
        crawled = rate_links(topic, _see_archived(pretest), mode, settings)
        found = place(mode, ours, others, crawled)
        counts = np.bincount(np.searchsorted(found.buckets, crawled), minlength=4)
        filled = tuple((counts / max(1, len(crawled))).tolist())
        found = replace(found, filled=filled, seeds=count_by_seed(fetched, found.buckets[0]))
    facts = json.dumps(asdict(found), indent=1)
    write_text(collection.root / "calibration.json", facts + "\n")
    return found


def choose_mode(collection: Collection) -> str:
    """Return the mode whose queue is looked at: the collection's own, if it has such buckets."""
    mode = collection.settings.crawl.mode
    return mode if mode in STUDIED else Focused.mode


def apply_calibration(collection: Collection, found: Calibration) -> None:
    """Write what was found into the settings of a collection; all else stays as it is."""
    path = collection.root / FILE
    reason = (
        f"by `blickfang calibrate` for {found.mode}: {found.caught:.0%} of the links of held-out "
        f"and {found.mistaken:.0%} of neutral pages fall into the best bucket; see calibration.json"
    )
    values = {"buckets": found.buckets, "razor": found.razor}
    text = path.read_text(encoding="utf-8-sig")
    write_text(path, change_settings(text, "score", values, reason))


@dataclass(frozen=True, slots=True)
class CalibrationPage:
    """A page that the topic is learned from: its text, and what a crawl sees of it."""

    text: str
    seen: PageFeatures


def _read(collection: Collection, patterns: Sequence[str]) -> list[CalibrationPage]:
    found = []
    for path in find_pages(collection, patterns):
        try:
            text = read_source(path)
        except InputError:
            continue  # `learn` has named it
        html = (
            read_bytes(path)
            if is_page_file(path)
            else f"<meta charset=utf-8>{escape(text)}".encode()
        )
        seen = look_at(Response(HERE, 200, {"content-type": "text/html"}, html), host_of(HERE))
        if not isinstance(seen, Failure):
            found.append(CalibrationPage(text, seen))
    return found


def rate_links(
    topic: Topic, pages: Iterable[PageFeatures], mode: str, settings: Settings
) -> list[float]:
    """Return the scores of links as the queue of a mode holds them, as many of each page.

    A page without links counts by its own.
    """
    focus = replace(settings.focus, adapt=False)  # there is nothing to learn from
    strategy = make_strategy(mode, Knowledge(topic, [], []), settings.score, focus)
    if not isinstance(strategy, Focused):
        raise BlickfangError(f"{mode} has no buckets to calibrate")
    scores: list[float] = []
    for seen in pages:
        rated = strategy.rate_links(seen)
        if rated.perplexity is not None:
            links = rated.links if len(rated.links) else np.array([rated.perplexity])
            scores += np.quantile(links, OF_A_PAGE).tolist()
    return scores


def score_held_out(
    positive: Sequence[CalibrationPage],
    neutral: Sequence[CalibrationPage],
    mode: str,
    settings: Settings,
) -> list[float]:
    """Score the links of positive pages, each by a topic learned without it."""
    folds = min(MOST_FOLDS, len(positive))
    others = [page.text for page in neutral]
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `learn` has said that there is little text
        for fold in range(folds):
            rest = [page.text for n, page in enumerate(positive) if n % folds != fold]
            topic = learn_topic(rest, others, settings.topic)
            held = [page.seen for page in positive[fold::folds]]
            scores += rate_links(topic, held, mode, settings)
    return scores


def crawl_few(
    collection: Collection, found: Calibration, pages: int
) -> tuple[Collection, list[dict[str, Any]]]:
    """Crawl a few pages of the seed hosts, as the mode would, one request at a time.

    Return the collection of this crawl, and what it fetched; an earlier one like it goes on.
    """
    folder = collection.root / "calibration"
    options = replace(
        collection.settings.crawl,
        mode=found.mode,
        max_pages=pages,
        images=False,
        stay_on_seed_hosts=True,
        parallel=1,
        shards=1,
    )
    settings = replace(
        collection.settings,
        crawl=options,
        focus=replace(collection.settings.focus, adapt=False),
        score=replace(collection.settings.score, buckets=found.buckets, razor=found.razor),
    )
    if (folder / FILE).exists() and not _is_same(folder, settings):
        set_aside(folder)  # pages of other hosts, or found in another way
    write_text(folder / FILE, write_settings(settings))
    if not (folder / "topic").exists():
        (folder / "topic").symlink_to(collection.topic_folder.resolve())
    pretest = open_collection(folder)
    crawled = crawl(pretest, lambda _: True)
    fetched = [] if crawled.error else list(list_visits(pretest.crawl_folder, PAGE))
    if not fetched:
        standing = crawled.standing
        reasons = (+(standing.failures + standing.skipped)).most_common(3)
        told = crawled.error or ", ".join(f"{why} ({count:,})" for why, count in reasons)
        raise InputError(
            f"the small crawl of the seed hosts came to nothing: {told or 'no page'}; mend "
            "[crawl], or calibrate without it: --pages 0"
        )
    return pretest, fetched


def _is_same(folder: Path, settings: Settings) -> bool:
    """Whether an earlier small crawl was one of the same part of the web, in the same order."""
    before = load_settings(folder / FILE)
    of_crawl = all(getattr(before.crawl, name) == getattr(settings.crawl, name) for name in WHERE)
    return of_crawl and before.score == settings.score


def _see_archived(pretest: Collection) -> Iterator[PageFeatures]:
    """Give the pages of a crawl as its judge saw them."""
    for path in list_crawled(pretest.crawl_folder):
        for found in iterate_archive(path, _is_answer):
            if isinstance(found, Failure):
                continue
            seen = look_at(archived_response(found.record), host_of(found.record.url))
            if not isinstance(seen, Failure) and len(seen.page.words):
                yield seen


def _is_answer(record: Archived) -> bool:
    """Whether a record is an answer as it was sent, of any type: the judge looks at all."""
    return has_payload(record) and record.kind != "conversion"


def count_by_seed(rows: Sequence[dict[str, Any]], best: float) -> tuple[PagesOfSeed, ...]:
    """Return how many pages were fetched from each seed on, by the way that links led to them.

    >>> seed = {"url": "http://a.org/", "requested": "", "via": "", "depth": 0}
    >>> more = {"url": "http://a.org/1", "requested": "", "via": "http://a.org/", "depth": 1}
    >>> scores = {"score": 3.0, "perplexity": 3.0}
    >>> count_by_seed([seed | scores, more | scores], 2.0)
    (PagesOfSeed(seed='http://a.org/', pages=2, best=0, perplexity=3.0),)
    """
    owners: dict[str, str] = {}
    of_host: dict[str, str] = {}
    pages: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["depth"] == 0:
            owner = row["requested"] or row["url"]
            of_host.setdefault(host_of(row["url"]), owner)
        else:  # what sitemaps list is of the seed of its host
            owner = owners.get(row["via"]) or of_host.get(host_of(row["url"]), ELSEWHERE)
        owners[row["url"]] = owner
        pages.setdefault(owner, []).append(row)
    found = [
        PagesOfSeed(seed, len(those), _count_best(those, best), _find_median(those))
        for seed, those in pages.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.pages, one.seed)))


def _count_best(rows: Sequence[dict[str, Any]], best: float) -> int:
    return sum(row["score"] is not None and row["score"] <= best for row in rows)


def _find_median(rows: Sequence[dict[str, Any]]) -> float | None:
    known = [row["perplexity"] for row in rows if row["perplexity"] is not None]
    return float(np.median(known)) if known else None


def place(
    mode: str, ours: Sequence[float], others: Sequence[float], crawled: Sequence[float] = ()
) -> Calibration:
    """Place the boundaries: between on-topic and neutral pages, and along those of the web.

    >>> place("focused", [1.0, 2.0, 3.0], [100.0, 200.0, 400.0], [50.0, 500.0]).buckets
    (17.320508075688775, 200.0, 460.0)
    """
    best = separate(ours, others)
    web = np.array([*others, *crawled])
    middle, late = np.quantile(web, (0.5, 0.9)).tolist()
    second, third = middle, late
    if not best < middle < late:  # the sides overlap, or all is alike
        second, third = 2 * best, 4 * best
    return Calibration(
        mode=mode,
        buckets=(best, second, third),
        razor=STRETCH * third,
        on_topic=_quartiles(ours),
        neutral=_quartiles(others),
        crawled=_quartiles(crawled),
        caught=float(np.mean(np.array(ours) <= best)),
        mistaken=float(np.mean(np.array(others) <= best)),
    )


def separate(ours: Sequence[float], others: Sequence[float]) -> float:
    """Return the score that best separates two sides, both counting alike; between two scores."""
    low, high = np.sort(ours), np.sort(others)
    edges = np.unique(np.concatenate((low, high)))
    caught = np.searchsorted(low, edges, side="right") / len(low)
    mistaken = np.searchsorted(high, edges, side="right") / len(high)
    at = int(np.argmax(caught - mistaken))
    above = edges[at + 1] if at + 1 < len(edges) else edges[at]
    return float(np.sqrt(edges[at] * above))


def _quartiles(scores: Sequence[float]) -> tuple[float, ...]:
    return tuple(np.quantile(scores, (0.25, 0.5, 0.75)).tolist()) if scores else ()
