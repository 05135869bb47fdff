"""Tasks to test with: small ones, and people who answer them."""

from pathlib import Path
from typing import Any

from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, make_task, open_store
from blickfang.web.annotate.item_selection import TaskItem, Variant
from blickfang.web.annotate.record_labels import Outcome, Submission
from blickfang.web.annotate.task import Task
from blickfang.web.annotate.task_list import Annotator

PETS = {
    "name": "pets",
    "title": "Pets",
    "annotators": 3,
    "gold_share": 0.0,
    "question": [
        {"name": "topic", "text": "Which topic?", "categories": ["cat", "pet", "other"]},
        {
            "name": "text",
            "text": "The text …",
            "phase": 2,
            "categories": [
                {"name": "describes", "key": "ArrowUp"},
                {"name": "irrelevant", "key": "ArrowLeft"},
            ],
        },
    ],
}


def pets(**changes: Any) -> Task:
    return make_task({**PETS, **changes})


def items(count: int) -> list[TaskItem]:
    return [TaskItem(f"{number:016x}", f"text {number}") for number in range(count)]


def texts(count: int) -> list[TaskItem]:
    two = (Variant(("best",), "one text"), Variant(("window", "monash"), "another"))
    return [item._replace(variants=two) for item in items(count)]


def make_desk(folder: Path, task: Task, number: int = 5, names: str = "ann bob cat") -> LabelStore:
    store = open_store(folder)
    annotate.add_task(store, task, items(number))
    for name in names.split():
        annotate.invite(store, task.name, name)
    return store


def person(store: LabelStore, name: str, task: str = "pets") -> Annotator:
    return next(a for a in annotate.list_annotators(store, task) if a.name == name)


BOTH = {"topic": "cat", "text": "describes"}
sent = 0


def say(
    store: LabelStore, who: Annotator, unit: int, answers: dict[str, str] | None = None
) -> Outcome:
    """Answer a unit under a client id of its own."""
    global sent
    sent += 1
    answer = Submission(f"c{sent}", unit, BOTH if answers is None else answers)
    return annotate.keep(store, who, [answer])[0]
