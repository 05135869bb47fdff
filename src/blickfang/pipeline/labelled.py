"""What people said of the samples of a collection, as a report shows it.

In: a collection with labels (`blickfang annotate`) and its corpus. Out: an `Annotation` a task.
"""

from blickfang import annotate
from blickfang.annotate import LabelStore, open_store
from blickfang.annotate.asking import OpenTask
from blickfang.annotate.results import Agreement
from blickfang.annotate.store import has_store
from blickfang.annotate.task import Question
from blickfang.collection import Collection
from blickfang.corpus import Corpus
from blickfang.report import Annotation, Votes

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
