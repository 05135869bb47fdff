"""What people said teaches the topic: labelled texts train it anew, and the corpus is ranked anew.

In: a collection and a task with labels. Out: a better topic and corpus, and numbers that say how
much better, measured on texts that were held back. The texts become files in DIR/labelled, named by
the settings like every other source: learning again gives the same topic. Method: docs/method.md,
"Learning from labels".
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import FILE, Collection, change_settings, open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import build
from blickfang.crawl.focus.fetch_topic_pages import find_pages
from blickfang.crawl.focus.learn import explain, learn, read_source
from blickfang.errors import InputError
from blickfang.io.atomic_files import write_text
from blickfang.io.plural import counted
from blickfang.text import Topic, learn_topic, load_topic
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store

FOLDS = 5
TEXTS_A_PAGE = 20
LEAST = 5  # labelled texts of either kind: fewer measure nothing
FOLDER = "labelled"


class Score(NamedTuple):
    """How well a ranking puts what is on topic first."""

    average_precision: float
    precision: float  # among as many of the first as there are on topic
    on_topic: int
    items: int


class Relearned(NamedTuple):
    """What labels taught."""

    positive: int  # texts that describe what is on topic
    neutral: int  # texts of what is not
    before: Score  # of texts that were held back, by the topic as it was
    after: Score  # by a topic that learned from the others
    corpus_before: Score | None  # of the labelled samples by the corpus' own ranking
    corpus_after: Score | None  # None where the corpus was not built again


class Labelled(NamedTuple):
    """A text, and what people say its image shows."""

    sample: str
    text: str
    on_topic: bool
    describes: bool


def learn_from_labels(
    collection: Collection,
    name: str,
    *,
    texts: Sequence[str] = (),
    apply: bool = True,
    advance: Advance = stay_silent,
) -> Relearned:
    """Learn from the labels of a task; `texts` are answers that say a text is good."""
    with open_store(collection.root, must_exist=True) as store:
        labelled = _read_labelled(store, name, texts)
    positive, neutral = _split(labelled)
    if min(len(positive), len(neutral)) < LEAST:
        raise InputError(
            f"{counted(len(positive), 'text')} on topic and {len(neutral)} off topic are too few "
            f"to learn from; {LEAST} of each are needed: annotate more"
        )
    before, after = _compare(collection, labelled, advance)
    here = Relearned(len(positive), len(neutral), before, after, None, None)
    if not apply:
        return here
    ranks = _rank_corpus(collection, labelled)
    _write_sources(collection.root, name, positive, neutral)
    changed = _name_sources(collection, name)
    learn(changed)
    build(changed, advance)
    return here._replace(corpus_before=ranks, corpus_after=_rank_corpus(changed, labelled))


def _read_labelled(store: LabelStore, name: str, texts: Sequence[str]) -> list[Labelled]:
    """Return the texts of a task whose majority is known."""
    task = annotate.find_task(store, name).task
    if task.questions[0].each:
        raise InputError(f"{name} compares texts; it does not say what is on topic")
    topics = annotate.majorities(store, name, task.questions[0].name)
    good = dict.fromkeys(topics, True)
    if len(task.questions) > 1:
        second = task.questions[1]
        names = {category.name for category in second.categories}
        wanted = set(texts or (second.categories[0].name,))
        if not wanted <= names:
            raise InputError(f"{min(wanted - names)!r} is no answer to {second.name!r}")
        good = {k: v in wanted for k, v in annotate.majorities(store, name, second.name).items()}
    return [
        Labelled(
            item.sample,
            item.text,
            topics[item.sample, -1] in task.on_topic,
            good.get((item.sample, -1), False),
        )
        for item in annotate.list_items(store, name)
        if (item.sample, -1) in topics and item.text.strip()
    ]


def _split(labelled: Sequence[Labelled]) -> tuple[list[str], list[str]]:
    """Return the texts that describe what is on topic, and those of what is not."""
    return (
        [entry.text for entry in labelled if entry.on_topic and entry.describes],
        [entry.text for entry in labelled if not entry.on_topic],
    )


def _compare(
    collection: Collection, labelled: Sequence[Labelled], advance: Advance
) -> tuple[Score, Score]:
    """Score every text by the topic as it is, and by one that learned from the other texts."""
    options = collection.settings.topic
    ours, others = (_read(collection, names) for names in (options.positive, options.neutral))
    order = list(labelled)
    random.Random(options.seed).shuffle(order)  # noqa: S311 -- repeatable, not secret
    new: list[tuple[float, bool]] = []
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        rest = [entry for place, entry in enumerate(order) if place % FOLDS != fold]
        positive, neutral = map(_join_pages, _split(rest))
        new += _score(
            learn_topic([*ours, *positive], [*others, *neutral], options), held, collection
        )
        advance(fold + 1, FOLDS)
    old = _score(load_topic(collection.topic_folder), order, collection)
    return judge(old), judge(new)


def _read(collection: Collection, patterns: Sequence[str]) -> list[str]:
    """Return the texts of sources, without those that labels made earlier."""
    own = [pattern for pattern in patterns if not pattern.startswith(f"{FOLDER}/")]
    return [read_source(path) for path in find_pages(collection, own)]


def _score(
    topic: Topic, entries: Sequence[Labelled], collection: Collection
) -> list[tuple[float, bool]]:
    """Return the score of each text, low is good, and whether it is on topic."""
    explained = explain(topic, [entry.text for entry in entries], collection.settings.score)
    return [
        (float("inf") if found.score is None else found.score, entry.on_topic)
        for found, entry in zip(explained, entries, strict=True)
    ]


def judge(ranked: Sequence[tuple[float, bool]]) -> Score:
    """Return how well scores, low is good, put what is on topic first; ties count as bad luck.

    >>> judge([(1.0, True), (2.0, False), (3.0, True), (4.0, False)])
    Score(average_precision=0.8333333333333333, precision=0.5, on_topic=2, items=4)
    """
    order = [good for _, good in sorted(ranked)]
    total = sum(order)
    hits, found = 0, 0.0
    for place, good in enumerate(order, 1):
        hits += good
        found += good * hits / place
    first = sum(order[:total])
    return Score(
        found / total if total else 0.0, first / total if total else 0.0, total, len(order)
    )


def _rank_corpus(collection: Collection, labelled: Sequence[Labelled]) -> Score:
    """Return how well the corpus ranks the labelled samples that are in it; others come last."""
    topics = {entry.sample: entry.on_topic for entry in labelled}
    ids = [
        sample
        for batch in open_corpus(collection.root).batches(["id"], 100_000)
        for sample in batch.column(0).to_pylist()
    ]
    places = {sample: float(place) for place, sample in enumerate(ids) if sample in topics}
    return judge([(places.get(sample, float("inf")), good) for sample, good in topics.items()])


def _join_pages(texts: Sequence[str]) -> list[str]:
    """Put short texts together into texts as long as a page, as keywords are counted by page."""
    return [
        "\n".join(texts[start : start + TEXTS_A_PAGE])
        for start in range(0, len(texts), TEXTS_A_PAGE)
    ]


def _write_sources(root: Path, name: str, positive: Sequence[str], neutral: Sequence[str]) -> None:
    """Write labelled texts as sources of the topic, in place of those of the same task."""
    folder = root / FOLDER / name
    for path in folder.glob("*.txt"):
        path.unlink()
    for kind, texts in (("on-topic", positive), ("off-topic", neutral)):
        for number, page in enumerate(_join_pages(texts), 1):
            write_text(folder / f"{kind}-{number:04}.txt", page + "\n")


def _name_sources(collection: Collection, name: str) -> Collection:
    """Name the labelled texts in the settings; return the collection with them."""
    options = collection.settings.topic
    values = {
        "positive": _with(options.positive, f"{FOLDER}/{name}/on-topic-*.txt"),
        "neutral": _with(options.neutral, f"{FOLDER}/{name}/off-topic-*.txt"),
    }
    path = collection.root / FILE
    reason = f"by `blickfang annotate learn`: with the labelled texts of {name}"
    text = change_settings(path.read_text(encoding="utf-8-sig"), "topic", values, reason)
    if collection.settings.build.min_rank > 0:
        # The study drops what hardly surprises; but what was learned from never does.
        text = change_settings(text, "build", {"min_rank": 0.0}, reason)
    write_text(path, text)
    return open_collection(collection.root)


def _with(patterns: tuple[str, ...], more: str) -> tuple[str, ...]:
    return patterns if more in patterns else (*patterns, more)
