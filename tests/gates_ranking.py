"""What the corpus of the testbed says of its samples, of what it lost, and of a calibrated queue.

In: the collection of the testbed, crawled and built. Out: checks: ranks agree with the scores shown
beside them, every image that was not brought says why, captions agree with telling alt texts, and
the best bucket of a calibrated mode holds pages on topic.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.draws import read_truth

from blickfang.config import Collection
from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.build import build
from blickfang.crawl.focus.background_strategy import STUDIED
from blickfang.crawl.focus.calibrate import calibrate, rate_links
from blickfang.crawl.page_judge import look_at
from blickfang.io.urls import host as host_of
from blickfang.io.warc import Archived, read_archive
from blickfang.text import load_topic
from blickfang.types import Failure, Response
from tests.checks import Check
from tests.testbed import TOPIC

UNEXPLAINED = "not in the archive"
EXACT = 1e-9  # relative


def check_ranking(collection: Collection, floors: dict[str, float]) -> Iterator[Check]:
    """Look at the corpus, one by the study's ranking, and what a calibrated queue would hold."""
    settings, place = collection.settings, collection.root / "corpus"
    yield Check(
        "ours: rows that contradict their rank", count_contradictions(open_corpus(place)), 0
    )
    aside = place.rename(collection.root / "corpus-ours")
    by_study = replace(settings, build=replace(settings.build, ranking="study"))
    build(replace(collection, settings=by_study))
    found = count_contradictions(open_corpus(place))
    yield Check("study: rows that contradict their rank", found, 0)
    shutil.rmtree(place)
    corpus = open_corpus(aside.rename(place))
    reasons = [row["reason"] for batch in corpus.rejected() for row in batch.to_pylist()]
    yield Check("images lost without a reason", reasons.count(UNEXPLAINED), 0)
    strange = count_strange(corpus)
    yield Check("captions unlike a telling alt", strange, floors["captions unlike a telling alt"])
    for mode in STUDIED:
        ours, others = share_best(collection, mode)
        yield Check(
            f"{mode}: on topic, best", ours, floors[f"{mode}: on topic, best"], at_least=True
        )
        yield Check(f"{mode}: others, best", others, floors[f"{mode}: others, best"])


def count_contradictions(corpus: Corpus) -> int:
    """Return how many rows have another rank than the scores of their own texts make."""
    wrong = 0
    for row in corpus.table(["rank_study", "texts"]).to_pylist():
        scores = {text["name"]: text["score"] for text in row["texts"]}
        both = scores["alt"], scores["parent-1"]
        made = None if None in both else (both[0] * both[1]) ** 0.5
        known = row["rank_study"]
        wrong += (known is None) != (made is None) or (
            made is not None and abs(known - made) > EXACT * made
        )
    return wrong


def count_strange(corpus: Corpus) -> int:
    """Return how many stated captions share no word with an alt text of two words and more."""

    def words(text: str) -> set[str]:
        return set(re.findall(r"\w{3,}", text.lower()))

    names = ["caption", "caption_alt_text_description", "caption_reference_description"]
    rows: list[dict[str, Any]] = corpus.table(names).to_pylist()
    return sum(
        bool(stated) and alt.count(" ") > 0 and not words(shown) & words(alt)
        for shown, alt, stated in (tuple(row.values()) for row in rows)
    )


def share_best(collection: Collection, mode: str) -> tuple[float, float]:
    """Return which share of the links of pages on topic lies in the best bucket, and of others."""
    settings = collection.settings
    settings = replace(settings, crawl=replace(settings.crawl, mode=mode))
    found = calibrate(replace(collection, settings=settings), pages=0)
    topic = load_topic(collection.topic_folder)
    topics = read_truth().topics
    scores: dict[bool, list[float]] = {True: [], False: []}
    for path in sorted(collection.crawl_folder.glob("shard-*/*.warc.gz")):
        for record in read_archive(path):
            if not isinstance(record, Archived) or record.kind != "response":
                continue
            if record.status != 200 or "html" not in record.headers.get("content-type", ""):
                continue
            host = host_of(record.url)
            seen = look_at(Response(record.url, 200, record.headers, record.body), host)
            if not isinstance(seen, Failure):
                scores[topics.get(host) == TOPIC] += rate_links(topic, [seen], mode, settings)
    ours, others = (np.array(scores[side]) <= found.buckets[0] for side in (True, False))
    return float(ours.mean()), float(others.mean())
