"""Labels from other tools: what `label_export.py` writes, and what Label Studio exports.

In: a text. Out: the labels in the store, each once however often it is read in. What does not fit
the task is a `Failure` with its reason, and the rest is kept.
"""

import csv
import hashlib
import io
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, NamedTuple

from blickfang.errors import InputError
from blickfang.types import Failure
from blickfang.web.annotate.assignment import ANSWERED
from blickfang.web.annotate.item_selection import TaskItem, Variant
from blickfang.web.annotate.label_export import COLUMNS, SIGNED
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.record_labels import LONGEST_SKIP, expected_slots
from blickfang.web.annotate.task import make_task
from blickfang.web.annotate.task_list import LONGEST_NAME, OpenTask, add_task, find_task, recount

LARGEST = 512 * 2**20  # characters


class ImportedAnswer(NamedTuple):
    """What someone answered about a sample."""

    sample: str
    annotator: str
    answers: dict[str, str]
    skip: str
    at: float
    seconds: float | None


class Imported(NamedTuple):
    """What reading labels in came to."""

    kept: int
    again: int  # they were there before
    failures: list[Failure]


def import_labels(store: LabelStore, name: str, text: str, form: str) -> Imported:
    """Add labels to a task; a JSON of a whole task makes the task if it is not there."""
    if len(text) > LARGEST:
        raise InputError("the file is too large for labels")
    whole = _load(text) if form == "json" else {}
    if form == "json":
        _make_missing(store, name, whole)
    asked = find_task(store, name)
    if form == "tsv":
        given = _join(_read_tsv(text))
    elif form == "json":
        given = _join(iter(_list_of(whole.get("labels", []))))
    elif form == "labelstudio":
        questions = {q.name: {c.name for c in q.categories} for q in asked.task.questions}
        given = list(_read_label_studio(_list_of(_load(text, list)), questions))
    else:
        raise InputError(f"labels cannot be read from {form!r}; choose tsv, json, labelstudio")
    with store.writing() as db:
        outcomes = [_add(db, asked, entry) for entry in given]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    return Imported(outcomes.count("kept"), outcomes.count("again"), failures)


def _load(text: str, kind: type = dict) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON: {error}") from error
    if not isinstance(found, kind):
        raise InputError("this JSON is of another kind; was it exported with another --to?")
    return found


def _list_of(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise InputError("this JSON does not hold a list of labels or tasks")
    return found


def _make_missing(store: LabelStore, name: str, whole: dict[str, Any]) -> None:
    """Make the task of a JSON file, if there is none of that name."""
    with store.reading() as db:
        if db.execute("SELECT 1 FROM task WHERE name = ?", (name,)).fetchone():
            return
    if not isinstance(whole.get("task"), dict):
        raise InputError("this JSON holds no task")
    try:
        items = [
            TaskItem(
                _clean(entry["sample"]),
                _clean(entry["text"]),
                _clean(entry["page_url"]),
                _clean(entry["page_title"]),
                tuple(
                    Variant(tuple(map(_clean, v["methods"])), _clean(v["text"]))
                    for v in entry["variants"]
                ),
            )
            for entry in _list_of(whole.get("items"))
        ]
    except (KeyError, TypeError) as error:
        raise InputError(f"an item of this JSON is not whole: {error}") from error
    if len({item.sample for item in items}) < len(items):
        raise InputError("two items of this JSON have the same sample")
    add_task(store, make_task({**whole["task"], "name": name}), items)


def _clean(value: Any) -> str:
    """Return a value as text; JSON can spell halves of characters, which no file can hold."""
    return str(value).encode("utf-8", "replace").decode()


def _read_tsv(text: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(2**20)
    try:
        rows = csv.reader(
            io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        names = next(filter(None, rows), [])
        missing = {"sample", "annotator", "question", "category"} - set(names)
        if missing:
            raise InputError(
                f"the first line must name the columns {', '.join(COLUMNS)}; "
                f"{', '.join(sorted(missing))} are missing"
            )
        wanted = [(names.index(name), name) for name in COLUMNS if name in names]
        for row in filter(None, rows):
            yield {name: _plain(row[place]) for place, name in wanted if place < len(row)}
    except csv.Error as error:
        raise InputError(f"this is not TSV: {error}") from error


def _plain(text: str) -> str:
    """Return a cell without the sign that keeps spreadsheets from reading a formula."""
    return text[1:] if text[:1] == "'" and text[1:2] in "=+-@|%" else text


def _join(rows: Iterator[dict[str, Any]]) -> list[ImportedAnswer]:
    """Put the answers of one person about one sample together."""
    found: dict[tuple[str, str], ImportedAnswer] = {}
    for row in rows:
        sample, who = _clean(row.get("sample", "")), _clean(row.get("annotator", ""))
        text = row.get("text")
        slot = str(row.get("question", ""))
        slot += "" if text in ("", None, -1, "-1") else f"@{text}"
        category, skip = _clean(row.get("category") or ""), _clean(row.get("skip") or "")
        entry = found.get((sample, who))
        if entry is None:
            asked = _moment(row.get("at")), _number(row.get("seconds"))
            entry = found[sample, who] = ImportedAnswer(sample, who, {}, skip, *asked)
        if category:
            entry.answers[slot] = category
        # Of a skip in one phase and an answer in the other, the answer is what is kept.
        if entry.skip != (kept := "" if entry.answers else skip):
            found[sample, who] = entry._replace(skip=kept)
    return list(found.values())


def _moment(text: Any) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return time.time()


def _number(text: Any) -> float | None:
    try:
        return min(max(float(text), 0.0), 86_400.0)
    except (ValueError, TypeError):
        return None


def _read_label_studio(
    tasks: list[dict[str, Any]], questions: Mapping[str, Set[str]]
) -> Iterator[ImportedAnswer]:
    """Yield what an export of Label Studio tells, as JSON or as JSON_MIN."""
    for task in tasks:
        if "annotations" not in task:
            yield _read_flat(task, questions)
            continue
        data = task.get("data") if isinstance(task.get("data"), dict) else {}
        sample = _clean((data or {}).get("sample", ""))
        for annotation in _list_of(task.get("annotations", [])):
            answers, who = {}, _who(annotation.get("completed_by"))
            for result in _list_of(annotation.get("result", [])):
                value = result.get("value")
                choices = value.get("choices") if isinstance(value, dict) else None
                if isinstance(choices, list) and choices:
                    answers[_slot_of(str(result.get("from_name", "")))] = str(choices[0])
                who = _signature(result) or who
            skip = "skipped in Label Studio" if annotation.get("was_cancelled") else ""
            yield ImportedAnswer(
                sample,
                _clean(who),
                answers,
                skip,
                _moment(annotation.get("created_at")),
                _number(annotation.get("lead_time")),
            )


def _read_flat(entry: dict[str, Any], questions: Mapping[str, Set[str]]) -> ImportedAnswer:
    """Return an entry of JSON_MIN: data, answers and who gave them, side by side.

    A question may be called as one of the data is, which stands there if it was not answered: so
    only categories are answers.
    """
    if "annotator" not in entry:
        raise InputError(
            "this JSON holds no annotations; export them from Label Studio as JSON or JSON-MIN"
        )
    slots = {_slot_of(name): value for name, value in entry.items() if isinstance(value, str)}
    return ImportedAnswer(
        _clean(entry.get("sample", "")),
        _clean(_who(entry["annotator"])),
        {s: value for s, value in slots.items() if value in questions.get(s.partition("@")[0], ())},
        "",
        _moment(entry.get("created_at")),
        _number(entry.get("lead_time")),
    )


def _slot_of(control: str) -> str:
    question, dash, place = control.rpartition("-")
    return f"{question}@{place}" if dash and place.isdecimal() else control


def _who(completed_by: Any) -> str:
    if isinstance(completed_by, dict):
        names = ("email", "username", "first_name", "id")
        return next((str(completed_by[key]) for key in names if completed_by.get(key)), "unknown")
    return f"user {completed_by}" if completed_by is not None else "unknown"


def _signature(result: dict[str, Any]) -> str:
    meta = result.get("meta")
    lines = meta.get("text") if isinstance(meta, dict) else None
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, str) and line.startswith(SIGNED):
            return line.removeprefix(SIGNED)
    return ""


def _add(db: sqlite3.Connection, asked: OpenTask, given: ImportedAnswer) -> str | Failure:
    """Add what someone answered about a sample, phase by phase."""
    who = " ".join(given.annotator.split())
    units = db.execute(
        "SELECT u.*, i.variants FROM unit u JOIN item i ON i.id = u.item"
        " WHERE u.task = ? AND i.sample = ? ORDER BY u.phase",
        (asked.id, given.sample),
    ).fetchall()
    if not units:
        return Failure(given.sample, "annotate", "the sample is not in the task")
    if not who or len(who) > LONGEST_NAME or not who.isprintable():
        return Failure(given.sample, "annotate", "the annotator has no usable name")
    outcome: str | Failure | None = None
    known: dict[str, set[str]] = {}
    missing: list[str] = []  # of the phase that lacks least
    for phase in (1, 2) if asked.task.two_phases else (1,):
        unit = next((row for row in units if row["phase"] == phase), units[0])
        slots = expected_slots(asked.task, phase, len(json.loads(unit["variants"])))
        answers = {s: c for s, c in given.answers.items() if c in slots.get(s, set())}
        if len(answers) == len(slots) or (given.skip and phase == 1):
            number = _unit_of(db, unit, phase, asked)
            outcome = _insert(db, number, _find_person(db, asked.id, who), given, answers)
        known |= slots
        lacking = [slot for slot in slots if slot not in answers]
        missing = min(missing or lacking, lacking, key=len)
    return outcome or Failure(given.sample, "annotate", _explain(given.answers, known, missing))


def _explain(
    answers: Mapping[str, str], known: Mapping[str, Set[str]], missing: Sequence[str]
) -> str:
    """Return why answers are not taken."""
    for slot, category in answers.items():
        if slot not in known:
            return f"{slot!r} is no question of this task; it asks {', '.join(known)}"
        if category not in known[slot]:
            there = ", ".join(sorted(known[slot]))
            return f"{category!r} is no answer to {slot!r}; answers are {there}"
    return f"no answer to {', '.join(missing)}: all questions must be answered, or none with a skip"


def _unit_of(db: sqlite3.Connection, unit: sqlite3.Row, phase: int, asked: OpenTask) -> int:
    """Return the unit of a phase, made if it is not there yet."""
    if unit["phase"] == phase:
        return int(unit["id"])
    cursor = db.execute(
        "INSERT INTO unit(item, task, phase, position, gold, need) VALUES (?, ?, ?, ?, ?, ?)",
        (unit["item"], unit["task"], phase, unit["position"], unit["gold"], asked.task.annotators),
    )
    return int(cursor.lastrowid or 0)


def _find_person(db: sqlite3.Connection, task: int, who: str) -> int:
    """Return an annotator by name; a new one gets a token that nobody is told."""
    db.execute(
        "INSERT OR IGNORE INTO annotator(task, name, token, made) VALUES (?, ?, ?, ?)",
        (task, who, secrets.token_urlsafe(32), time.time()),
    )
    row = db.execute("SELECT id FROM annotator WHERE task = ? AND name = ?", (task, who))
    return int(row.fetchone()["id"])


def _insert(
    db: sqlite3.Connection, unit: int, person: int, given: ImportedAnswer, answers: dict[str, str]
) -> str:
    if db.execute(
        "SELECT 1 FROM label WHERE unit = ? AND annotator = ? AND undone IS NULL", (unit, person)
    ).fetchone():
        return "again"
    row = db.execute("SELECT done, need FROM unit WHERE id = ?", (unit,)).fetchone()
    skip = "" if answers else given.skip[:LONGEST_SKIP]
    key = hashlib.sha256(f"{unit}:{person}:{given.at}:{skip}".encode()).hexdigest()[:32]
    added = db.execute(
        "INSERT OR IGNORE INTO label(unit, annotator, client, answers, skip, at, seconds, extra)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            unit,
            person,
            f"import:{key}",
            json.dumps(dict(answers)),
            skip,
            given.at,
            given.seconds,
            int(not skip and row["done"] >= row["need"]),
        ),
    )
    db.execute(
        "INSERT OR REPLACE INTO lease(unit, annotator, until, turn, live) VALUES (?, ?, 0, 0, ?)",
        (unit, person, ANSWERED),
    )
    recount(db, unit)
    return "kept" if added.rowcount else "again"
