"""What people said, in numbers.

In: a store and the name of a task. Out: `Results`: for every question how the votes fell and how
far people agree, also with merged categories; for every annotator how often gold was right; for
every method that proposed texts how many are relevant. Gold items, answers that came too late and
answers that were undone do not count.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

from blickfang.web.annotate.agreement import (
    Pair,
    Rating,
    VoteTally,
    cohen_pairs,
    count_votes,
    find_majority,
    fleiss_of,
    krippendorff_alpha,
    mean_kappa,
    merge_categories,
)
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.record_labels import compare_gold
from blickfang.web.annotate.task import Question
from blickfang.web.annotate.task_list import OpenTask, find_task, list_annotators, read_variants


class Label(NamedTuple):
    """One answer of one person to one question about one sample."""

    task: str
    sample: str
    annotator: str
    question: str
    text: int  # number of the text that was asked about; -1 where there is only one
    category: str  # "" for a skip
    skip: str  # its reason
    at: float
    seconds: float | None
    gold: str  # the right answer, "" where it is not known
    counted: bool  # False: it came when others had given all answers


class Agreement(NamedTuple):
    """How the votes on a question fell, and how far people agree."""

    question: str
    merge: str  # the name of the merge, "" for the categories as they are
    categories: list[str]
    tally: VoteTally
    answers: int
    pairs: list[Pair]
    cohen: float | None  # mean of the pairs
    fleiss: float | None
    alpha: float | None  # nominal
    alpha_ordinal: float | None  # None where the categories have no order


class AnnotatorWork(NamedTuple):
    """What an annotator did."""

    name: str
    answers: int
    skips: int
    gold_right: int
    gold_total: int
    seconds: float | None  # median of an item
    with_majority: float | None  # share of their answers that the majority gave, too
    verdict: str
    revoked: bool
    seen: float | None


class Method(NamedTuple):
    """How a way to find texts did: the share of its texts whose majority is the first category."""

    name: str
    texts: int
    good: int
    share: float | None


class Results(NamedTuple):
    """What a task came to so far."""

    asked: OpenTask
    questions: list[Agreement]
    work: list[AnnotatorWork]
    methods: list[Method]
    skips: dict[str, int]


def list_labels(store: LabelStore, name: str) -> list[Label]:
    """Return every answer of a task that was not undone, in the order they came."""
    asked = find_task(store, name)
    with store.reading() as db:
        rows = db.execute(
            "SELECT i.sample, a.name, b.answers, b.skip, b.at, b.seconds, b.extra, i.gold"
            " FROM label b JOIN unit u ON u.id = b.unit JOIN item i ON i.id = u.item"
            " JOIN annotator a ON a.id = b.annotator WHERE u.task = ? AND b.undone IS NULL"
            " ORDER BY b.id",
            (asked.id,),
        ).fetchall()
    labels = []
    for row in rows:
        gold = json.loads(row["gold"]) if row["gold"] else {}
        given = json.loads(row["answers"]) if not row["skip"] else {"": ""}
        for slot, category in given.items():
            question, _, text = slot.partition("@")
            labels.append(
                Label(
                    name,
                    row["sample"],
                    row["name"],
                    question,
                    int(text) if text else -1,
                    category,
                    row["skip"],
                    row["at"],
                    row["seconds"],
                    gold.get(slot, ""),
                    not row["extra"],
                )
            )
    return labels


def measure(store: LabelStore, name: str) -> Results:
    """Return what a task came to so far."""
    asked = find_task(store, name)
    labels = list_labels(store, name)
    gold = _gold_samples(store, asked)
    counted = [label for label in labels if label.counted and label.sample not in gold]
    ratings = {
        question.name: collect_ratings(counted, question.name) for question in asked.task.questions
    }
    questions = [
        agreement
        for question in asked.task.questions
        for agreement in _agree(question, list(ratings[question.name].values()), asked)
    ]
    skips: dict[str, int] = defaultdict(int)
    for label in labels:
        if label.skip:
            skips[label.skip] += 1
    work = _sum_up_work(store, asked, labels, ratings, gold)
    methods = _judge_methods(store, asked, ratings)
    return Results(asked, questions, work, methods, dict(skips))


def collect_ratings(
    labels: Sequence[Label], question: str
) -> dict[tuple[str, int], dict[str, str]]:
    """Return who gave which category, by sample and number of its text."""
    ratings: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for label in labels:
        if label.question == question and label.category:
            ratings[label.sample, label.text][label.annotator] = label.category
    return dict(ratings)


def majorities(store: LabelStore, name: str, question: str) -> dict[tuple[str, int], str]:
    """Return the category that the majority gave, by sample and number of its text.

    Gold that the task states counts as it is stated; items that wait for answers are left out.
    """
    asked = find_task(store, name)
    labels = [label for label in list_labels(store, name) if label.counted]
    gold = _gold_samples(store, asked)
    found = {}
    for place, rating in collect_ratings(labels, question).items():
        winner = find_majority(rating) if len(rating) >= asked.task.annotators else None
        if winner is not None and place[0] not in gold:
            found[place] = winner
    for sample, answers in gold.items():
        for slot, category in answers.items():
            asked_for, _, text = slot.partition("@")
            if asked_for == question:
                found[sample, int(text) if text else -1] = category
    return found


def _gold_samples(store: LabelStore, asked: OpenTask) -> dict[str, dict[str, str]]:
    with store.reading() as db:
        rows = db.execute(
            "SELECT sample, gold FROM item WHERE task = ? AND gold != ''", (asked.id,)
        )
        return {row["sample"]: json.loads(row["gold"]) for row in rows}


def _agree(question: Question, ratings: Sequence[Rating], asked: OpenTask) -> list[Agreement]:
    """Return how far people agree on a question, as it is and with merged categories."""
    names = [category.name for category in question.categories]
    found = []
    for title, groups in (("", ()), *question.merges):
        merged, categories = merge_categories(ratings, names, groups)
        pairs = cohen_pairs(merged)
        found.append(
            Agreement(
                question.name,
                title,
                categories,
                count_votes(merged, categories, asked.task.annotators),
                sum(map(len, merged)),
                pairs,
                mean_kappa(pairs),
                fleiss_of(merged, categories, asked.task.annotators),
                krippendorff_alpha(merged, categories),
                krippendorff_alpha(merged, categories, ordinal=True) if question.ordered else None,
            )
        )
    return found


def _sum_up_work(
    store: LabelStore,
    asked: OpenTask,
    labels: Sequence[Label],
    ratings: dict[str, dict[tuple[str, int], dict[str, str]]],
    gold: dict[str, dict[str, str]],
) -> list[AnnotatorWork]:
    given: dict[str, dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in labels:
        given[label.annotator][label.sample].append(label)
    agreeing: dict[str, list[bool]] = defaultdict(list)
    for places in ratings.values():
        for rating in places.values():
            winner = find_majority(rating) if len(rating) >= asked.task.annotators else None
            if winner is not None:
                for who, category in rating.items():
                    agreeing[who].append(category == winner)
    found = []
    for person in list_annotators(store, asked.task.name):
        mine = given[person.name]
        right, total = _count_gold(mine, gold)
        answered = [group[0] for group in mine.values() if any(label.category for label in group)]
        times = [label.seconds for label in answered if label.seconds is not None]
        votes = agreeing[person.name]
        found.append(
            AnnotatorWork(
                person.name,
                len(answered),
                sum(any(label.skip for label in group) for group in mine.values()),
                right,
                total,
                median(times) if times else None,
                sum(votes) / len(votes) if votes else None,
                person.verdict,
                person.revoked,
                person.seen,
            )
        )
    return found


def _count_gold(mine: dict[str, list[Label]], gold: dict[str, dict[str, str]]) -> tuple[int, int]:
    """Return how many known answers someone gave right, of how many they were asked for."""
    right = total = 0
    for sample in mine.keys() & gold.keys():
        answers = {_slot(label): label.category for label in mine[sample] if label.category}
        known = {slot: c for slot, c in gold[sample].items() if slot in answers}
        good, all_of = compare_gold(answers, known)
        right, total = right + good, total + all_of
    return right, total


def _slot(label: Label) -> str:
    return label.question if label.text < 0 else f"{label.question}@{label.text}"


def _judge_methods(store: LabelStore, asked: OpenTask, ratings: dict[str, Any]) -> list[Method]:
    """Return how often the majority found the texts of each method good."""
    question = next((q for q in asked.task.questions if q.each), None)
    if question is None:
        return []
    good, first = defaultdict(list), question.categories[0].name
    with store.reading() as db:
        rows = db.execute(
            "SELECT sample, variants FROM item WHERE task = ? AND gold = ''", (asked.id,)
        ).fetchall()
    for row in rows:
        for number, variant in enumerate(read_variants(row["variants"])):
            rating = ratings[question.name].get((row["sample"], number), {})
            if len(rating) >= asked.task.annotators:
                for method in variant.methods:
                    good[method].append(find_majority(rating) == first)
    return [
        Method(name, len(votes), sum(votes), sum(votes) / len(votes))
        for name, votes in sorted(good.items())
    ]
