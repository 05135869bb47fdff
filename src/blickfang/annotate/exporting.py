"""Labels for other tools: TSV, JSON, Label Studio.

In: a store and the name of a task. Out: a text. TSV has a row an answer, for spreadsheets and
statistics; JSON has all of a task but its tokens, and makes the same task elsewhere; Label Studio's
JSON is what that program exports and imports, with a labelling configuration to go with it.
"""

import hashlib
import json
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from blickfang.annotate.asking import Asked, find_task, list_items
from blickfang.annotate.results import Label, list_labels
from blickfang.annotate.store import Store
from blickfang.annotate.task import Question, describe_task
from blickfang.corpus.escaping import tsv_cell, xml_text
from blickfang.errors import SettingsError

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


def export_labels(store: Store, name: str, form: str) -> str:
    """Return the labels of a task in the form of another tool."""
    if form not in FORMS:
        raise SettingsError(f"labels cannot be written as {form!r}; choose {', '.join(FORMS)}")
    return FORMS[form](store, find_task(store, name))


def _write_tsv(store: Store, asked: Asked) -> str:
    rows = ["\t".join(COLUMNS)]
    for label in list_labels(store, asked.task.name):
        values = label._asdict() | {
            "at": write_time(label.at),
            "text": "" if label.text < 0 else label.text,
            "counted": int(label.counted),
        }
        rows.append("\t".join(tsv_cell(values[column]) for column in COLUMNS))
    return "\n".join(rows) + "\n"


def _write_json(store: Store, asked: Asked) -> str:
    labels = [
        label._asdict() | {"at": write_time(label.at)}
        for label in list_labels(store, asked.task.name)
    ]
    task = describe_task(asked.task)
    whole = {
        "format": FORMAT,
        "task": task,
        "items": _describe_items(store, asked),
        "labels": labels,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _describe_items(store: Store, asked: Asked) -> list[dict[str, Any]]:
    return [
        item._asdict() | {"variants": [variant._asdict() for variant in item.variants]}
        for item in list_items(store, asked.task.name)
    ]


def write_time(at: float) -> str:
    """Return a moment as people and programs read it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _write_label_studio(store: Store, asked: Asked) -> str:
    """Write a list of tasks; who answered stands with each answer, as users differ by server."""
    given: dict[str, dict[str, list[Label]]] = defaultdict(lambda: defaultdict(list))
    for label in list_labels(store, asked.task.name):
        given[label.sample][label.annotator].append(label)
    tasks = []
    for number, item in enumerate(_describe_items(store, asked), 1):
        data = {key: item[key] for key in ("sample", "text", "page_url", "page_title")}
        data["image"] = f"/data/local-files/?d={item['sample']}"
        data |= {f"text{place}": v["text"] for place, v in enumerate(item["variants"])}
        annotations = [
            _annotation(asked, who, labels) for who, labels in given[item["sample"]].items()
        ]
        tasks.append({"id": number, "data": data, "annotations": annotations, "predictions": []})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def _annotation(asked: Asked, who: str, labels: list[Label]) -> dict[str, Any]:
    skipped = any(label.skip for label in labels)
    results = [
        {
            "id": _short(asked.task.name, label.sample, who, label.question, str(label.text)),
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


def label_studio_config(store: Store, name: str) -> str:
    """Return the labelling configuration that Label Studio needs for an exported task."""
    asked = find_task(store, name)
    texts = max((len(item["variants"]) for item in _describe_items(store, asked)), default=0)
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
