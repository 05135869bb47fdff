"""Reports: runs measured, and written as a page that anybody can open.

In: the folders of collections. Out: `Run`s, and with them a folder with report.html, report.json
and the figures. A crawl is read as it was: its stores say what was fetched when, its archive what
the pages held, its corpus what came of them.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import FILE, Collection, open_collection
from blickfang.corpus import Corpus, open_corpus
from blickfang.corpus.archives.archive_sources import find_archives
from blickfang.corpus.removals import list_removed
from blickfang.crawl.experiment.ground_truth import NOT_TOLD, OTHERS, AddressCategories, read_truth
from blickfang.crawl.shards.shard_plan import read_plan
from blickfang.crawl.state.crawl_log import CrawlCounts, count_crawl
from blickfang.errors import InputError, SettingsError
from blickfang.io.plural import counted
from blickfang.io.urls import host as host_of
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store
from blickfang.web.annotate.label_results import Agreement
from blickfang.web.annotate.label_store import has_store
from blickfang.web.annotate.task import Question
from blickfang.web.annotate.task_list import OpenTask
from blickfang.web.report import (
    Annotation,
    Card,
    ImageFunnelStep,
    PageLog,
    Run,
    Votes,
    write_report,
)
from blickfang.web.report.contact_sheet import make_sheet
from blickfang.web.report.rescore_pages import (
    Judge,
    RescoredPage,
    choose_judge,
    load_judge,
    retell,
    retell_archives,
)
from blickfang.web.report.write_report import Written

NO_TEXT = -1  # a question that is asked once, not for each text


def find_annotations(collection: Collection, corpus: Corpus | None) -> tuple[Annotation, ...]:
    """Return what came of the tasks of a collection, the oldest first; () without labels."""
    if not has_store(collection.root):
        return ()
    with open_store(collection.root, must_exist=True) as store:
        tasks = [asked for asked in annotate.list_tasks(store)[::-1] if asked.given]
        return tuple(describe_task(store, asked, corpus) for asked in tasks)


def describe_task(store: LabelStore, asked: OpenTask, corpus: Corpus | None) -> Annotation:
    """Return votes, agreement and corpus candidates of a task."""
    name = asked.task.name
    found = annotate.measure(store, name)
    votes = tuple(_describe_votes(agreement) for agreement in found.questions)
    single = [question for question in asked.task.questions if not question.each]
    if not single:
        return Annotation(name, votes)
    topics = _majorities(store, name, single[0])
    relations = _majorities(store, name, single[1]) if len(single) > 1 else {}
    rows = _names(single[0])
    columns = _names(single[1]) if len(single) > 1 else ()
    pairs = [(topic, relations.get(sample, "")) for sample, topic in topics.items()]
    counts = tuple(tuple(pairs.count((row, column)) for column in columns) for row in rows)
    return Annotation(
        task=name,
        votes=votes,
        topics=rows,
        relations=columns,
        candidates=counts if columns else (),
        over_time=tuple(topics[sample] for sample in _sort_by_date(list(topics), corpus)),
        on_topic=asked.task.on_topic or rows[:1],
    )


def _majorities(store: LabelStore, task: str, question: Question) -> dict[str, str]:
    found = annotate.majorities(store, task, question.name)
    return {sample: category for (sample, text), category in found.items() if text == NO_TEXT}


def _names(question: Question) -> tuple[str, ...]:
    return tuple(category.name for category in question.categories)


def _sort_by_date(samples: list[str], corpus: Corpus | None) -> list[str]:
    """Return samples in the order they were fetched; what the corpus lost is left out."""
    if corpus is None:
        return []
    wanted = frozenset(samples)
    dates = {}
    for batch in corpus.batches(["id", "fetched_at"]):
        for row in batch.to_pylist():
            if row["id"] in wanted:
                dates[row["id"]] = row["fetched_at"]
    return sorted(dates, key=lambda sample: (dates[sample], sample))


def _describe_votes(agreement: Agreement) -> Votes:
    tally, names = agreement.tally, agreement.categories
    return Votes(
        question=agreement.question,
        merge=agreement.merge,
        items=tally.items,
        categories=tuple(names),
        majority=tuple(tally.majority.get(name, 0) for name in names),
        unanimous=tuple(tally.unanimous.get(name, 0) for name in names),
        disagreement=tally.disagreement,
        kappa=agreement.cohen,
        fleiss=agreement.fleiss,
        alpha=agreement.alpha,
        pairs=tuple((pair.one, pair.other, pair.items, pair.kappa) for pair in agreement.pairs),
    )


BANDS = ((0.9, "relevance 0.9 to 1"), (0.5, "0.5 to 0.9"), (0.1, "0.1 to 0.5"), (0.0, "below 0.1"))
NOT_JUDGED = "not judged"
UNKNOWN_LANGUAGE = "unknown"
MOST_CARDS, CARDS_BESIDE = 12, 6  # of each kind in a run: alone, or beside others


class ReportOptions(NamedTuple):
    """How runs are judged."""

    truth: AddressCategories | None = None
    topic_root: Path | None = None  # the collection whose topic judges; None: each run's own
    cards: int = MOST_CARDS


def report_on(
    folders: Sequence[Path],
    out: Path,
    *,
    truth: Path | None = None,
    on_topic: Sequence[str] = (),
    topic: Path | None = None,
    advance: Advance = stay_silent,
) -> Written:
    """Measure collections and write the report on them."""
    for folder in [*folders, *([topic] if topic else [])]:
        if not (folder / FILE).exists():
            raise SettingsError(f"{folder} is no collection; there is no {FILE} in it")
    known = read_truth(truth, on_topic) if truth is not None else None
    cards = MOST_CARDS if len(folders) == 1 else CARDS_BESIDE
    runs = []
    for folder, name in zip(folders, name_runs(folders), strict=True):
        asked = ReportOptions(known, topic or choose_judge(folder, folders), cards)
        runs.append(gather_run(open_collection(folder), name, asked=asked, advance=advance))
    return write_report(runs, out)


def name_runs(folders: Sequence[Path]) -> list[str]:
    """Return names of folders that tell them apart, as short as possible.

    >>> name_runs([Path("a/x"), Path("b/x"), Path("y")])
    ['a/x', 'b/x', 'y']
    >>> name_runs([Path("a/x"), Path("a/x")])
    ['x (1)', 'x (2)']
    """
    parts = [folder.resolve().parts for folder in folders]
    shown = [folder.resolve().name for folder in folders]
    if len(set(shown)) == len(shown):
        return shown
    names = []
    others = set(parts)  # the same folder twice is numbered; its whole path would not help
    for mine in parts:
        depth = 1
        while depth < len(mine) and sum(other[-depth:] == mine[-depth:] for other in others) > 1:
            depth += 1
        names.append("/".join(mine[-depth:]))
    return [
        name if names.count(name) == 1 else f"{name} ({at})" for at, name in enumerate(names, 1)
    ]


def gather_run(
    collection: Collection,
    name: str = "",
    group: str = "",
    *,
    asked: ReportOptions = ReportOptions(),  # noqa: B008 -- frozen
    advance: Advance = stay_silent,
) -> Run:
    """Measure one collection: its crawl, and its corpus if it was built."""
    root = asked.topic_root or collection.root
    judge = load_judge(str(root))
    log, seen = _read_pages(collection, root, asked.truth, advance)
    counts = count_crawl(collection.crawl_folder) if has_crawl(collection) else None
    corpus = _find_corpus(collection)
    removed = frozenset[str]() if corpus is None else list_removed(corpus)
    facts: dict[str, Any] = _describe_crawl(counts, seen)
    if corpus is not None:
        facts |= _describe_corpus(corpus, asked.cards, removed)
    return Run(
        name=name or collection.root.resolve().name,
        group=group,
        about=_describe_settings(collection, counts),
        pages=log,
        judged_by=_say_judge(asked.truth, judge),
        languages=dict(seen.languages.most_common()),
        duplicates=_count_duplicates(seen, corpus),
        annotations=find_annotations(collection, corpus),
        notes=(*_find_notes(seen, judge, corpus, log), *_note_removed(len(removed))),
        **facts,
    )


def has_crawl(collection: Collection) -> bool:
    """Whether a collection was crawled by us."""
    return read_plan(collection.crawl_folder).shards > 0


class RunCounts:
    """What is counted while the pages of a run go by."""

    def __init__(self) -> None:
        self.languages: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.duplicates = self.withheld = self.failed = self.pages = self.bytes = 0
        self.unknown = 0  # pages that the file of truth does not know

    def add(self, told: RescoredPage) -> None:
        """Count a page."""
        visit, retold = told
        self.pages += 1
        self.languages[visit.language or UNKNOWN_LANGUAGE] += 1
        self.hosts[host_of(visit.url)] += 1
        self.duplicates += visit.duplicate
        self.withheld += visit.withheld
        self.failed += retold.failed
        self.bytes += visit.length


def _read_pages(
    collection: Collection, root: Path, truth: AddressCategories | None, advance: Advance
) -> tuple[PageLog, RunCounts]:
    if has_crawl(collection):
        pages: Iterable[RescoredPage] = retell(collection, root, advance)
    else:
        pages = retell_archives(find_archives(collection), root, advance)
    seen = RunCounts()
    whole = {name: array("q") for name in ("sentences", "tokens", "scored", "topic", "category")}
    logs = array("d")
    on_topic_from = open_collection(root).settings.focus.on_topic
    for told in pages:
        seen.add(told)
        retold = told.retold
        whole["sentences"].append(retold.sentences)
        whole["tokens"].append(retold.tokens)
        whole["scored"].append(retold.scored)
        logs.append(retold.log10)
        if truth is not None:
            topic, category = _look_up(truth, told.visit.url)
            seen.unknown += topic < 0
        else:
            topic, category = _judge(retold.relevance, on_topic_from)
        whole["topic"].append(topic)
        whole["category"].append(category)
    bands = (*(name for _, name in BANDS), NOT_JUDGED)
    names = (*truth.shown, OTHERS, NOT_TOLD) if truth else bands
    return _make_log(whole, logs, names), seen


def _make_log(
    whole: "Mapping[str, array[int]]", logs: "array[float]", names: Sequence[str]
) -> PageLog:
    numbers = {name: np.array(values, np.int64) for name, values in whole.items()}
    category = numbers["category"].astype(np.int16)
    return PageLog(
        numbers["sentences"],
        numbers["tokens"],
        np.array(logs, np.float64),
        numbers["scored"],
        numbers["topic"].astype(np.int8),
        category,
        tuple(names) if (numbers["topic"] >= 0).any() else (),
    )


def _look_up(truth: AddressCategories, url: str) -> tuple[int, int]:
    """Return whether an address is on topic, and the number of its category."""
    found = truth.find(url)
    if found is None:
        return -1, len(truth.shown) + 1
    number = truth.shown.index(found) if found in truth.shown else len(truth.shown)
    return int(found in truth.on_topic), number


def _judge(relevance: float, least: float) -> tuple[int, int]:
    if np.isnan(relevance):
        return -1, len(BANDS)
    band = next(at for at, (edge, _) in enumerate(BANDS) if relevance >= edge)
    return int(relevance >= least), band


def _say_judge(truth: AddressCategories | None, judge: Judge) -> str:
    if truth is not None:
        return f"truth: {', '.join(truth.on_topic)} in {truth.name}"
    return "score" if judge.watcher is not None else ""


def _describe_settings(collection: Collection, counts: CrawlCounts | None) -> dict[str, str]:
    """Return the settings people should know to compare runs."""
    crawl, topic = collection.settings.crawl, collection.settings.topic
    about = {"mode": crawl.mode if counts else "archives read"}
    if counts:
        about |= {
            "seeds": f"{len(crawl.seeds):,}",
            "pages at most": f"{crawl.max_pages:,}" if crawl.max_pages else "no limit",
            "purpose": crawl.purpose,
            "from": counts.first[:19].replace("T", " "),
            "to": counts.last[:19].replace("T", " "),
        }
    judge = load_judge(str(collection.root)).topic
    if judge is not None:
        about["learned from"] = (
            f"{counted(judge.positive_pages, 'page')}, {counted(judge.sentences, 'sentence')}"
        )
        about["keywords"] = ", ".join(each.word for each in judge.keywords.found[:8])
    elif topic.positive:
        about["learned from"] = "not learned yet"
    return about


def _describe_crawl(counts: CrawlCounts | None, seen: RunCounts) -> dict[str, Any]:
    if counts is None:
        return {"hosts": dict(seen.hosts), "uris": seen.pages, "bytes": seen.bytes}
    return {
        "images": sum(counts.images.values()),
        "uris": sum(counts.processed.values()),
        "bytes": counts.bytes,
        "seconds": counts.seconds,
        "hosts": dict(counts.pages.most_common()),
        "image_hosts": dict(counts.images.most_common()),
        "consent": dict(counts.refusals.most_common()),
        "failures": dict(counts.failures.most_common()),
    }


def _find_corpus(collection: Collection) -> Corpus | None:
    try:
        return open_corpus(collection.root)
    except InputError:
        if (collection.root / "corpus").exists():
            raise  # damaged: that is to be told
        return None


def _describe_corpus(corpus: Corpus, cards: int, removed: frozenset[str]) -> dict[str, Any]:
    manifest = corpus.manifest
    licences = {
        name or "none stated": count for name, count in manifest["counts"]["licence"]["most"]
    }
    steps = [
        ImageFunnelStep(
            step["step"], step["left"], tuple((why, count) for why, count in step["dropped"])
        )
        for step in manifest["funnel"]
    ]
    sheet: dict[str, tuple[Card, ...]] = make_sheet(corpus, cards, removed)
    return {
        "samples": len(corpus),
        "funnel": tuple(steps),
        "licences": licences,
        "cards": sheet,
    }


def _count_duplicates(seen: RunCounts, corpus: Corpus | None) -> dict[str, int]:
    found = {"pages with the words of an earlier page": seen.duplicates}
    for step in corpus.manifest["funnel"] if corpus is not None else ():
        if step["step"] == "duplicates":
            found |= {f"image addresses: {why}": count for why, count in step["dropped"]}
    return found


def _find_notes(
    seen: RunCounts, judge: Judge, corpus: Corpus | None, log: PageLog
) -> Iterable[str]:
    """Give what a reader of the report must know is missing."""
    if judge.topic is None:
        yield "No topic is learned: perplexity and relevance are not measured."
    elif judge.topic.test_model is None:
        yield "The topic has no test model (too little text): perplexity is not measured."
    if corpus is None:
        yield "No corpus is built: there is no funnel and no contact sheet."
    if seen.failed:
        yield f"{_pages(seen.failed)} could not be read again from the archive."
    if seen.withheld:
        yield f"{_pages(seen.withheld)} not kept, as the owner wishes: without sentences here."
    if seen.unknown and log.categories:
        yield f"{_pages(seen.unknown)} not in the file of truth, and left out of shares."


def _note_removed(count: int) -> Iterable[str]:
    if count:
        yield f"Samples on the removal list: {count:,}. They are counted, and not shown."


def _pages(count: int) -> str:
    return counted(count, "page")
