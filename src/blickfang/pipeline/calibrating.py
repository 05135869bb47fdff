"""Calibration: bucket boundaries and razor that fit a topic, found instead of guessed.

In: a collection with a topic. Out: `Calibration`. The study finds them by hand in a pretest; here
every positive page is scored by a topic learned from the others, neutral pages by the whole topic,
and a small crawl of the seed hosts shows what scores the web has. Method: docs/method.md, "Scores".
"""

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from blickfang.collection import Collection, open_collection
from blickfang.config import FILE, change_settings, write_settings
from blickfang.crawl import Options
from blickfang.crawl.warc import Archived, read_archive
from blickfang.data import Failure
from blickfang.disk import set_aside, write_text
from blickfang.errors import InputError
from blickfang.page import read_titled_text
from blickfang.pipeline.crawling import crawl
from blickfang.pipeline.fetching import find_pages
from blickfang.pipeline.learning import explain, read_source
from blickfang.topic import Topic, learn_topic, load_topic

MOST_FOLDS = 12
PRETEST_PAGES = 200
STRETCH = 3.0  # the razor, in units of the last boundary
WHERE = ("seeds", "sitemaps", "accept", "reject", "max_depth", "purpose", "robots")
FEWEST = 3  # pages of a side without which nothing can be said


@dataclass(frozen=True, slots=True)
class Calibration:
    """Boundaries and razor, with the scores they were found from (quartiles)."""

    buckets: tuple[float, ...]
    razor: float
    on_topic: tuple[float, ...]  # held-out positive pages
    neutral: tuple[float, ...]
    crawled: tuple[float, ...]
    caught: float  # share of held-out pages in the best bucket
    mistaken: float  # share of neutral pages in it


def calibrate(collection: Collection, pages: int = PRETEST_PAGES) -> Calibration:
    """Find boundaries and razor; what was found is kept in DIR/calibration.json."""
    topic = load_topic(collection.topic_folder)
    positive = _read(collection, collection.settings.topic.positive)
    neutral = _read(collection, collection.settings.topic.neutral)
    if min(len(positive), len(neutral)) < FEWEST:
        raise InputError(f"calibration needs {FEWEST} positive and {FEWEST} neutral pages or more")
    ours = score_held_out(collection, positive, neutral)
    others = _score(topic, neutral, collection)
    crawled = _score(topic, crawl_few(collection, pages), collection) if pages else []
    found = place(ours, others, crawled)
    facts = json.dumps(asdict(found), indent=1)
    write_text(collection.root / "calibration.json", facts + "\n")
    return found


def apply_calibration(collection: Collection, found: Calibration) -> None:
    """Write what was found into the settings of a collection; all else stays as it is."""
    path = collection.root / FILE
    reason = (
        f"by `blickfang calibrate`: {found.caught:.0%} of held-out and {found.mistaken:.0%} of "
        "neutral pages fall into the best bucket; see calibration.json"
    )
    values = {"buckets": found.buckets, "razor": found.razor}
    text = path.read_text(encoding="utf-8-sig")
    write_text(path, change_settings(text, "score", values, reason))


def _read(collection: Collection, patterns: Sequence[str]) -> list[str]:
    texts = []
    for path in find_pages(collection, patterns):
        try:
            texts.append(read_source(path))
        except InputError:
            continue  # `learn` has named it
    return texts


def score_held_out(collection: Collection, positive: list[str], neutral: list[str]) -> list[float]:
    """Score positive pages, each by a topic learned without it."""
    folds = min(MOST_FOLDS, len(positive))
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `learn` has said that there is little text
        for fold in range(folds):
            held = positive[fold::folds]
            rest = [text for n, text in enumerate(positive) if n % folds != fold]
            topic = learn_topic(rest, neutral, collection.settings.topic)
            scores += _score(topic, held, collection)
    return scores


def _score(topic: Topic, texts: Sequence[str], collection: Collection) -> list[float]:
    found = explain(topic, texts, collection.settings.score)
    return [each.score for each in found if each.score is not None]


def crawl_few(collection: Collection, pages: int) -> list[str]:
    """Crawl a few pages of the seed hosts, breadth first, and return their texts."""
    folder = collection.root / "calibration"
    options = replace(
        collection.settings.crawl,
        mode="unfocused",
        max_pages=pages,
        images=False,
        stay_on_seed_hosts=True,
        shards=1,
    )
    focus = replace(collection.settings.focus, adapt=False)  # there is nothing to learn from
    settings = replace(collection.settings, crawl=options, focus=focus)
    if (folder / FILE).exists() and not _is_of(folder, options):
        set_aside(folder)  # pages of other hosts, or found in another way
    write_text(folder / FILE, write_settings(settings))
    pretest = open_collection(folder)
    crawled = crawl(pretest, lambda _: True)
    texts = _read_archives(pretest)
    if crawled.error or not texts:
        standing = crawled.standing
        reasons = (+(standing.failures + standing.skipped)).most_common(3)
        told = crawled.error or ", ".join(f"{why} ({count:,})" for why, count in reasons)
        raise InputError(
            f"the small crawl of the seed hosts came to nothing: {told or 'no page'}; mend "
            "[crawl], or calibrate without it: --pages 0"
        )
    return texts


def _is_of(folder: Path, options: Options) -> bool:
    """Whether an earlier small crawl was one of the same part of the web."""
    before = open_collection(folder).settings.crawl
    return all(getattr(before, name) == getattr(options, name) for name in WHERE)


def _read_archives(pretest: Collection) -> list[str]:
    records = (
        record
        for path in sorted(pretest.crawl_folder.glob("shard-*/*.warc.gz"))
        for record in read_archive(path)
    )
    return [text for record in records if (text := _text_of(record))]


def _text_of(record: Archived | Failure) -> str | None:
    if isinstance(record, Failure) or record.kind != "response" or record.status != 200:
        return None
    return read_titled_text(record.body)


def place(ours: list[float], others: list[float], crawled: list[float]) -> Calibration:
    """Place the boundaries: between on-topic and neutral pages, and along those of the web.

    >>> place([1.0, 2.0, 3.0], [100.0, 200.0, 400.0], [50.0, 500.0]).buckets
    (17.320508075688775, 200.0, 460.0)
    """
    best = separate(ours, others)
    web = np.array([*others, *crawled])
    middle, late = np.quantile(web, (0.5, 0.9)).tolist()
    second, third = middle, late
    if not best < middle < late:  # the sides overlap, or all is alike
        second, third = 2 * best, 4 * best
    return Calibration(
        buckets=(best, second, third),
        razor=STRETCH * third,
        on_topic=_quartiles(ours),
        neutral=_quartiles(others),
        crawled=_quartiles(crawled),
        caught=float(np.mean(np.array(ours) <= best)),
        mistaken=float(np.mean(np.array(others) <= best)),
    )


def separate(ours: list[float], others: list[float]) -> float:
    """Return the score that best separates two sides, both counting alike; between two scores."""
    low, high = np.sort(ours), np.sort(others)
    edges = np.unique(np.concatenate((low, high)))
    caught = np.searchsorted(low, edges, side="right") / len(low)
    mistaken = np.searchsorted(high, edges, side="right") / len(high)
    at = int(np.argmax(caught - mistaken))
    above = edges[at + 1] if at + 1 < len(edges) else edges[at]
    return float(np.sqrt(edges[at] * above))


def _quartiles(scores: list[float]) -> tuple[float, ...]:
    return tuple(np.quantile(scores, (0.25, 0.5, 0.75)).tolist()) if scores else ()
