"""A task as a form says it.

In: the fields of a form. Out: the values that `make_task` reads. Categories are written a line
each, `key | name | label | meaning`; or all of the task as TOML, which then counts alone.
"""

from typing import Any

from starlette.requests import Request

from blickfang.annotate.task import Task, describe_task
from blickfang.app.showing import read_field
from blickfang.errors import SettingsError
from blickfang.io.text_files import parse_toml

SLOTS = 4  # questions that a form has room for


def read_plan(request: Request, preset: Task) -> dict[str, Any]:
    """Return the values of a task that a form describes, beginning with a preset."""
    if read_field(request, "by") == "toml":
        return parse_toml(read_field(request, "toml"))
    values = describe_task(preset)
    for key in ("name", "title", "help"):
        values[key] = read_field(request, key).strip() or values[key]
    for key in ("annotators", "entry_test"):
        values[key] = _whole(request, key, values[key])
    values["gold_share"] = _whole(request, "gold_percent", 10) / 100
    values["entry_pass"] = _whole(request, "entry_percent", 70) / 100
    values["auto_advance"] = bool(read_field(request, "auto_advance"))
    values["two_phases"] = bool(read_field(request, "two_phases"))
    select = values["select"]
    select["count"] = _whole(request, "count", select["count"])
    for key in ("how", "where", "facet"):
        select[key] = read_field(request, key).strip()
    select["methods"] = read_field(request, "methods").replace(",", " ").split()
    values["question"] = _read_questions(request, values["question"])
    first = [category["name"] for category in values["question"][0]["categories"]]
    chosen = read_field(request, "on_topic").replace(",", " ").split()
    values["on_topic"] = chosen or first[:1]
    return values


def write_lines(task: Task) -> list[str]:
    """Return the categories of each question as lines, "" where a form has room for more."""
    known = [
        "\n".join(f"{c.key} | {c.name} | {c.label} | {c.meaning}" for c in question.categories)
        for question in task.questions
    ]
    return known[:SLOTS] + [""] * (SLOTS - len(known))


def _whole(request: Request, key: str, default: int) -> int:
    text = read_field(request, key).strip()
    try:
        return int(text) if text else default
    except ValueError as error:
        raise SettingsError(f"{key.replace('_', ' ')} must be a whole number") from error


def _read_questions(request: Request, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for slot in range(SLOTS):
        text = read_field(request, f"text{slot}").strip()
        if not text:
            continue
        old = known[slot] if slot < len(known) else {}
        categories = _read_categories(read_field(request, f"categories{slot}"))
        names = [category["name"] for category in categories]
        same = names == [category["name"] for category in old.get("categories", [])]
        found.append(
            {
                **old,
                "name": read_field(request, f"name{slot}").strip() or f"question-{slot + 1}",
                "text": text,
                "phase": 2 if slot and read_field(request, "two_phases") else 1,
                "ordered": bool(read_field(request, f"ordered{slot}")),
                "categories": categories,
                "merges": old.get("merges", {}) if same else {},
            }
        )
    if not found:
        raise SettingsError("there is no question; write at least one")
    return found


def _read_categories(text: str) -> list[dict[str, str]]:
    """Return the categories that lines describe.

    >>> _read_categories("1 | cat | a cat\\n2 | pet")
    [{'key': '1', 'name': 'cat', 'label': 'a cat'}, {'key': '2', 'name': 'pet'}]
    """
    keys = ("key", "name", "label", "meaning")
    found = [
        dict(zip(keys, (part.strip() for part in line.split("|")), strict=False))
        for line in text.splitlines()
        if line.strip()
    ]
    if any("name" not in category for category in found):
        raise SettingsError("write each category on a line of its own, as key | name | label")
    return found
