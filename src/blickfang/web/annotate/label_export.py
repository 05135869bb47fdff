"""Labels for other tools: TSV, JSON, Label Studio.

In: a store, the name of a task, and samples that must not be passed on. Out: a text. TSV has a row
an answer, for spreadsheets and statistics; JSON has all of a task but its tokens, and makes the
same task elsewhere; Label Studio's JSON is what that program exports and imports, with a labelling
configuration to go with it.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from blickfang.errors import SettingsError
from blickfang.io.escaping import tsv_cell, xml_text
from blickfang.web.annotate.label_results import Label, list_labels
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.task import Question, Task, describe_task
from blickfang.web.annotate.task_list import find_task, list_items

FORMAT = 1
COLUMNS = (
    "task",
    "sample",
    "annotator",
    "question",
    "text",
    "category",
    "skip",
    "at",
    "seconds",
    "gold",
    "counted",
)
SIGNED = "annotator: "  # how Label Studio's files say who answered


class Taken(NamedTuple):
    """What is taken along of a task."""

    task: Task
    items: list[dict[str, Any]]
    labels: list[Label]
    pictures: Mapping[str, str]  # where Label Studio finds them, by sample


def export_labels(
    store: LabelStore,
    name: str,
    form: str,
    without: Set[str] = frozenset(),
    pictures: Mapping[str, str] | None = None,
) -> str:
    """Return the labels of a task in the form of another tool; nothing of samples `without`.

    `pictures` says by sample where Label Studio finds the picture.
    """
    if form not in FORMS:
        raise SettingsError(f"labels cannot be written as {form!r}; choose {', '.join(FORMS)}")
    task = _leave_out(find_task(store, name).task, without)
    items = [item for item in _describe_items(store, name) if item["sample"] not in without]
    labels = [label for label in list_labels(store, name) if label.sample not in without]
    return FORMS[form](Taken(task, items, labels, pictures or {}))


def _leave_out(task: Task, without: Set[str]) -> Task:
    """Return a task without some samples; its entry test needs as many as it asks for."""
    gold = tuple(entry for entry in task.gold if entry.sample not in without)
    examples = tuple(entry for entry in task.examples if entry.sample not in without)
    lost = len(task.gold) - len(gold)
    return replace(task, gold=gold, examples=examples, entry_test=max(0, task.entry_test - lost))


def _write_tsv(taken: Taken) -> str:
    rows = ["\t".join(COLUMNS)]
    for label in taken.labels:
        values = label._asdict() | {
            "at": write_time(label.at),
            "text": "" if label.text < 0 else label.text,
            "counted": int(label.counted),
        }
        rows.append("\t".join(tsv_cell(values[column]) for column in COLUMNS))
    return "\n".join(rows) + "\n"


def _write_json(taken: Taken) -> str:
    whole = {
        "format": FORMAT,
        "task": describe_task(taken.task),
        "items": taken.items,
        "labels": [label._asdict() | {"at": write_time(label.at)} for label in taken.labels],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _describe_items(store: LabelStore, name: str) -> list[dict[str, Any]]:
    return [
        item._asdict() | {"variants": [variant._asdict() for variant in item.variants]}
        for item in list_items(store, name)
    ]


def write_time(at: float) -> str:
    """Return a moment as people and programs read it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _write_label_studio(taken: Taken) -> str:
    """Write a list of tasks; who answered stands with each answer, as users differ by server."""
    given: dict[str, dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in taken.labels:
        given[label.sample][label.annotator].append(label)
    tasks = []
    for number, item in enumerate(taken.items, 1):
        data = {key: item[key] for key in ("sample", "text", "page_url", "page_title")}
        data["image"] = taken.pictures.get(item["sample"], "")
        data |= {f"text{place}": v["text"] for place, v in enumerate(item["variants"])}
        annotations = [
            _annotation(taken.task.name, who, labels)
            for who, labels in given[item["sample"]].items()
        ]
        tasks.append({"id": number, "data": data, "annotations": annotations, "predictions": []})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _annotation(task: str, who: str, labels: list[Label]) -> dict[str, Any]:
    skipped = any(label.skip for label in labels)
    results = [
        {
            "id": _short(task, label.sample, who, label.question, str(label.text)),
            "from_name": _control(label.question, label.text),
            "to_name": "image",
            "type": "choices",
            "value": {"choices": [label.category]},
            "meta": {"text": [SIGNED + who]},
        }
        for label in labels
        if label.category
    ]
    return {
        "result": results,
        "was_cancelled": skipped,
        "ground_truth": False,
        "created_at": write_time(labels[0].at),
        "lead_time": labels[0].seconds,
    }


def _short(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


def _control(question: str, text: int) -> str:
    return question if text < 0 else f"{question}-{text}"


def label_studio_config(store: LabelStore, name: str) -> str:
    """Return the labelling configuration that Label Studio needs for an exported task."""
    asked = find_task(store, name)
    texts = max((len(item["variants"]) for item in _describe_items(store, name)), default=0)
    parts = ["<View>", '  <Image name="image" value="$image"/>']
    if not texts:
        parts.append('  <Text name="words" value="$text"/>')
    for question in asked.task.questions:
        for place in range(texts) if question.each else (-1,):
            if place >= 0:
                parts.append(f'  <Text name="words{place}" value="$text{place}"/>')
            parts += _choices(question, place)
    return "\n".join([*parts, "</View>"]) + "\n"


def _choices(question: Question, place: int) -> list[str]:
    rows = [
        f'    <Choice value="{xml_text(category.name)}" alias="{xml_text(category.name)}"/>'
        for category in question.categories
    ]
    name = _control(question.name, place)
    return [
        f'  <Header value="{xml_text(question.text)}"/>',
        f'  <Choices name="{xml_text(name)}" toName="image" choice="single">',
        *rows,
        "  </Choices>",
    ]


FORMS = {"tsv": _write_tsv, "json": _write_json, "labelstudio": _write_label_studio}
