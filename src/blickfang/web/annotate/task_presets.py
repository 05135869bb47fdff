"""Tasks by name: those of the studies, to start from; and tasks as TOML, to be edited.

In: the name of a preset, or a file, and what shall be different. Out: a task, or its TOML.
"""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blickfang.errors import SettingsError
from blickfang.io.text_files import read_toml
from blickfang.web.annotate.task import HINT, Task, describe_task, make_task

TOPIC: dict[str, Any] = {
    "title": "Topic and text",
    "help": (
        "Look at the image first, then read the text below it.\n\n"
        "First say what the image shows: take the first category that fits, they go from narrow "
        "to wide. Then say what the text has to do with the image. Judge only what you see; if "
        "you cannot decide, skip it and say why."
    ),
    "on_topic": ["topic"],
    "question": [
        {
            "name": "topic",
            "text": "Which topic?",
            "ordered": True,
            "categories": [
                {"name": "topic", "label": "on topic", "key": "1", "meaning": "shows the topic"},
                {"name": "near", "label": "near it", "key": "2", "meaning": "something close"},
                {"name": "wider", "label": "wider field", "key": "3", "meaning": "same field"},
                {"name": "far", "label": "far from it", "key": "4", "meaning": "loosely related"},
                {"name": "other", "label": "other", "key": "5", "meaning": "something else"},
            ],
            "merges": {
                "reduced 1": [["wider", "far"]],
                "reduced 2": [["wider", "far", "other"]],
            },
        },
        {
            "name": "text",
            "text": "The text …",
            "ordered": True,
            "phase": 2,
            "categories": [
                {
                    "name": "describes",
                    "label": "describes the image",
                    "key": "ArrowUp",
                    "meaning": "it says what can be seen",
                },
                {
                    "name": "fits",
                    "label": "fits the topic",
                    "key": "ArrowDown",
                    "meaning": "it is about the same thing, but does not describe the image",
                },
                {
                    "name": "irrelevant",
                    "label": "is irrelevant",
                    "key": "ArrowLeft",
                    "meaning": "it has nothing to do with the image, or says nothing",
                },
                {
                    "name": "misleading",
                    "label": "is misleading",
                    "key": "ArrowRight",
                    "meaning": "it claims something else than the image shows",
                },
            ],
            "merges": {
                "reduced 1": [["describes", "fits"]],
                "reduced 2": [["describes", "fits"], ["irrelevant", "misleading"]],
            },
        },
    ],
}
# The words and keys of the study: its topic was cats.
CATS = copy.deepcopy(TOPIC)
CATS["title"] = "Cats, and their texts"
CATS["on_topic"] = ["cat"]
CATS["question"][0]["categories"] = [
    {"name": name, "label": label, "key": str(number)}
    for number, (name, label) in enumerate(
        (
            ("cat", "cat"),
            ("pet", "pet"),
            ("mammal", "mammal"),
            ("living-being", "living being"),
            ("other", "other"),
        ),
        1,
    )
]
CATS["question"][0]["merges"] = {
    "reduced 1": [["mammal", "living-being"]],
    "reduced 2": [["mammal", "living-being", "other"]],
}
CONTEXT: dict[str, Any] = {
    "title": "Does the text belong to the image?",
    "help": (
        "Look at the image, and then at each text. Is the text relevant to this image on its "
        "page? It need not be complete; it must be about this image, not about the page as a "
        "whole or about another image."
    ),
    "on_topic": ["relevant"],
    "select": {"how": "random", "methods": ["best", "repeats", "paragraph", "monash"]},
    "question": [
        {
            "name": "context",
            "text": "Is this text relevant to this image on this page?",
            "ordered": True,
            "each": True,
            "categories": [
                {
                    "name": "relevant",
                    "label": "relevant",
                    "key": "1",
                    "meaning": "it is about this image",
                },
                {
                    "name": "not-relevant",
                    "label": "not relevant",
                    "key": "2",
                    "meaning": "it is about something else, or about nothing",
                },
            ],
        }
    ],
}
PRESETS = {"topic": TOPIC, "cats": CATS, "context": CONTEXT}


def preset_values(name: str) -> dict[str, Any]:
    """Return the values of a preset, to be changed at will."""
    if name not in PRESETS:
        raise SettingsError(f"there is no preset {name!r}; choose {', '.join(PRESETS)}")
    return copy.deepcopy(PRESETS[name])


def plan_task(preset: str, file: Path | None, changes: Mapping[str, Any]) -> Task:
    """Return the task of a file or preset, with changes; "", 0 and False change nothing."""
    values = preset_values(preset) if file is None else read_toml(file, HINT)
    values.setdefault("name", preset if file is None else file.stem.lower())
    select = dict(values.get("select", {}))
    for key, value in changes.items():
        if key == "select":
            select |= {name: choice for name, choice in value.items() if choice}
        elif value:
            values[key] = value
    try:
        return make_task({**values, "select": select})
    except SettingsError as error:
        raise SettingsError(f"{file}: {error}" if file else str(error)) from error


def write_task(task: Task) -> str:
    """Return a task as TOML, every setting in it."""
    values = describe_task(task)
    lines = [f"{key} = {_toml(value)}" for key, value in values.items() if key not in TABLES]
    lines += ["", "[select]", *(f"{key} = {_toml(v)}" for key, v in values["select"].items())]
    for table in ("question", "example", "gold"):
        for entry in values[table]:
            lines += ["", f"[[{table}]]", *(f"{key} = {_toml(v)}" for key, v in entry.items())]
    return "\n".join(lines) + "\n"


TABLES = ("select", "question", "example", "gold")


def _toml(value: Any) -> str:
    """Return a value as TOML writes it: JSON, but for tables and long lists."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {_toml(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        return "[\n" + "".join(f"  {_toml(entry)},\n" for entry in value) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # TOML knows no escape of JSON for a character beyond 16 bits, and none of DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
