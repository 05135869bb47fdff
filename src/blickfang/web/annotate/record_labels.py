"""Answers come in: kept exactly once, undone, skipped.

In: what a client sends, in the order it happened, perhaps twice. Out: one `Outcome` each, all in
one transaction that is safe on disk before anybody is told. The client names each answer itself;
a name that was seen before is the same answer again and changes nothing.
"""

import json
import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blickfang.errors import InputError
from blickfang.web.annotate.agreement import find_majority
from blickfang.web.annotate.assignment import (
    ANSWERED,
    entry_units,
    hold_again,
    release,
    release_expired,
)
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.task import Task
from blickfang.web.annotate.task_list import Annotator, read_variants, recount, task_of

CLIENT = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
LONGEST_SKIP = 300
MOST_AT_ONCE = 200
SLOWEST_S = 86_400.0


class Submission(NamedTuple):
    """What a client says of a unit; `undo` names an earlier answer that is taken back."""

    client: str
    unit: int = 0
    answers: Mapping[str, str] = {}  # question, or question@text → category
    skip: str = ""
    seconds: float | None = None
    undo: str = ""


class Outcome(NamedTuple):
    """What became of an answer.

    kept, extra (kept, but others were faster and it does not count), again (it was kept before),
    answered (this annotator answered the unit already), undone, gone (nothing to undo), or refused
    with a reason.
    """

    client: str
    what: str
    why: str = ""


def read_answers(values: Any) -> list[Submission]:
    """Return answers as they come over the wire, checked in form."""
    if not isinstance(values, list) or len(values) > MOST_AT_ONCE:
        raise InputError(f"a list of up to {MOST_AT_ONCE} answers is needed")
    return [_read_answer(entry) for entry in values]


def _read_answer(entry: Any) -> Submission:
    client = entry.get("client") if isinstance(entry, dict) else None
    if not isinstance(client, str) or not CLIENT.fullmatch(client):
        raise InputError("each answer needs a client id of letters and digits")
    answers, seconds = entry.get("answers") or {}, entry.get("seconds")
    unit, skip, undo = entry.get("unit", 0), entry.get("skip", ""), entry.get("undo", "")
    if (
        not isinstance(answers, dict)
        or not all(isinstance(part, str) for pair in answers.items() for part in pair)
        or type(unit) is not int
        or not 0 <= unit < 2**62
        or not isinstance(skip, str)
        or not isinstance(undo, str)
        or (undo and not CLIENT.fullmatch(undo))
        or (seconds is not None and type(seconds) not in (int, float))
    ):
        raise InputError(f"answer {entry['client']} has values of a wrong type")
    spent = None if seconds is None else float(min(max(seconds, 0), SLOWEST_S))
    skip = skip[:LONGEST_SKIP].encode("utf-8", "replace").decode()  # halves of letters
    return Submission(entry["client"], unit, answers, skip, spent, undo)


def keep(
    store: LabelStore, annotator: Annotator, answers: Sequence[Submission], now: float | None = None
) -> list[Outcome]:
    """Keep answers, in order; nothing is told before all of them are on disk."""
    now = time.time() if now is None else now
    task, closed = task_of(store, annotator)
    with store.writing() as db:
        release_expired(db, now)
        db.execute("UPDATE annotator SET seen = ? WHERE id = ?", (now, annotator.id))
        return [_keep_one(db, task, closed, annotator, answer, now) for answer in answers]


def _keep_one(
    db: sqlite3.Connection,
    task: Task,
    closed: bool,
    annotator: Annotator,
    answer: Submission,
    now: float,
) -> Outcome:
    if answer.undo and not closed:
        return _undo(db, task, annotator, answer, now)
    if answer.undo:
        return Outcome(answer.client, "refused", "the task is closed")
    seen = db.execute(
        "SELECT 1 FROM label WHERE annotator = ? AND client = ?", (annotator.id, answer.client)
    ).fetchone()
    if seen:
        return Outcome(answer.client, "again")
    unit = db.execute(
        "SELECT u.*, i.variants FROM unit u JOIN item i ON i.id = u.item"
        " JOIN lease l ON l.unit = u.id AND l.annotator = ? WHERE u.id = ?",
        (annotator.id, answer.unit),
    ).fetchone()
    if unit is None:
        return Outcome(answer.client, "refused", "this was never asked")
    problem = "" if answer.skip else _find_problem(task, unit, answer.answers)
    if closed or problem:
        return Outcome(answer.client, "refused", problem or "the task is closed")
    if db.execute(
        "SELECT 1 FROM label WHERE unit = ? AND annotator = ? AND undone IS NULL",
        (answer.unit, annotator.id),
    ).fetchone():
        return Outcome(answer.client, "answered")
    extra = not answer.skip and unit["done"] >= unit["need"]
    _insert(db, annotator, answer, now, extra)
    release(db, answer.unit, annotator.id, ANSWERED)
    _let_go_of_surplus(db, answer.unit)
    _judge_test(db, task, annotator)
    _open_next_phase(db, task, unit)
    return Outcome(answer.client, "extra" if extra else "kept")


def _insert(
    db: sqlite3.Connection, annotator: Annotator, answer: Submission, now: float, extra: bool
) -> None:
    db.execute(
        "INSERT INTO label(unit, annotator, client, answers, skip, at, seconds, extra)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            answer.unit,
            annotator.id,
            answer.client,
            json.dumps({} if answer.skip else dict(answer.answers)),
            answer.skip,
            now,
            answer.seconds,
            int(extra),
        ),
    )


def _find_problem(task: Task, unit: sqlite3.Row, answers: Mapping[str, str]) -> str:
    """Return what is wrong with answers, "" if they are what was asked for."""
    wanted = expected_slots(task, unit["phase"], len(read_variants(unit["variants"])))
    if set(wanted) != set(answers):
        return f"answers to {', '.join(sorted(wanted))} are needed"
    for slot, category in answers.items():
        if category not in wanted[slot]:
            return f"{category[:40]!r} is no answer to {slot}"
    return ""


def expected_slots(task: Task, phase: int, variants: int) -> dict[str, set[str]]:
    """Return what is to be answered of a unit: question, or question@text, with its categories."""
    slots = {}
    for question in task.questions:
        if task.two_phases and question.phase != phase:
            continue
        names = {category.name for category in question.categories}
        if question.each:
            slots.update({f"{question.name}@{number}": names for number in range(variants)})
        else:
            slots[question.name] = names
    return slots


def _let_go_of_surplus(db: sqlite3.Connection, unit: int) -> None:
    """End the youngest leases of a unit that more people hold than answers are needed."""
    row = db.execute("SELECT done, held, need FROM unit WHERE id = ?", (unit,)).fetchone()
    surplus = row["done"] + row["held"] - row["need"]
    if surplus > 0:
        rows = db.execute(
            "SELECT annotator FROM lease WHERE unit = ? AND live = 1 ORDER BY turn DESC LIMIT ?",
            (unit, surplus),
        )
        for (annotator,) in rows.fetchall():
            release(db, unit, annotator)


TESTED = """
SELECT b.answers, i.gold, i.variants, u.phase
FROM label b JOIN unit u ON u.id = b.unit JOIN item i ON i.id = u.item
WHERE b.annotator = ? AND b.unit = ? AND b.undone IS NULL
"""


def _judge_test(db: sqlite3.Connection, task: Task, annotator: Annotator) -> None:
    """Decide on the entry test when its last answer is there."""
    row = db.execute("SELECT verdict FROM annotator WHERE id = ?", (annotator.id,)).fetchone()
    if not task.entry_test or row["verdict"]:
        return
    units = entry_units(db, annotator.task, task.entry_test)
    found = [db.execute(TESTED, (annotator.id, unit)).fetchone() for unit in units]
    rows = [row for row in found if row is not None]
    if len(rows) < len(units):
        return
    right = total = 0
    for row in rows:
        asked = expected_slots(task, row["phase"], len(read_variants(row["variants"])))
        known = {slot: c for slot, c in json.loads(row["gold"]).items() if slot in asked}
        good, all_of = compare_gold(json.loads(row["answers"]), known)
        right, total = right + good, total + all_of
    verdict = "pass" if not total or right >= task.entry_pass * total else "fail"
    db.execute("UPDATE annotator SET verdict = ? WHERE id = ?", (verdict, annotator.id))


def compare_gold(answers: Mapping[str, str], gold: Mapping[str, str]) -> tuple[int, int]:
    """Return how many known answers were given right, and how many there are.

    >>> compare_gold({"topic": "cat", "text": "fits"}, {"topic": "cat"})
    (1, 1)
    """
    return sum(answers.get(slot) == category for slot, category in gold.items()), len(gold)


def _open_next_phase(db: sqlite3.Connection, task: Task, unit: sqlite3.Row) -> None:
    """Ask the second phase about an item that the first found on topic; else take that back."""
    if not task.two_phases or unit["phase"] != 1 or unit["gold"]:
        return
    question = task.questions[0].name
    rows = db.execute(
        "SELECT annotator, answers FROM label WHERE unit = ? AND undone IS NULL AND extra = 0"
        " AND skip = ''",
        (unit["id"],),
    ).fetchall()
    rating = {str(row["annotator"]): json.loads(row["answers"])[question] for row in rows}
    if len(rating) >= unit["need"] and find_majority(rating) in task.on_topic:
        db.execute(
            "INSERT OR IGNORE INTO unit(item, task, phase, position, gold, need)"
            " VALUES (?, ?, 2, ?, 0, ?)",
            (unit["item"], unit["task"], unit["position"], task.annotators),
        )
        return
    # What nobody has seen yet is not asked any more.
    db.execute(
        "DELETE FROM unit WHERE item = ? AND phase = 2 AND"
        " NOT EXISTS (SELECT 1 FROM lease WHERE unit = unit.id)"
        " AND NOT EXISTS (SELECT 1 FROM label WHERE unit = unit.id)",
        (unit["item"],),
    )


def _undo(
    db: sqlite3.Connection, task: Task, annotator: Annotator, answer: Submission, now: float
) -> Outcome:
    """Take an answer back and give its unit to the annotator again; the row stays, marked."""
    row = db.execute(
        "SELECT b.id, b.undone, u.id AS unit, u.item, u.phase, u.gold, u.need, u.task, u.position"
        " FROM label b JOIN unit u ON u.id = b.unit WHERE b.annotator = ? AND b.client = ?",
        (annotator.id, answer.undo),
    ).fetchone()
    if row is None or row["undone"] is not None:
        return Outcome(answer.client, "gone")
    verdict = db.execute("SELECT verdict FROM annotator WHERE id = ?", (annotator.id,)).fetchone()
    tested = task.entry_test and verdict["verdict"]
    if tested and row["unit"] in entry_units(db, annotator.task, task.entry_test):
        return Outcome(answer.client, "refused", "the entry test is over")
    db.execute("UPDATE label SET undone = ? WHERE id = ?", (now, row["id"]))
    hold_again(db, row["unit"], annotator.id, now + 60 * task.lease_minutes)
    _let_go_of_surplus(db, row["unit"])  # a skip had made room for others
    unit = db.execute("SELECT * FROM unit WHERE id = ?", (row["unit"],)).fetchone()
    _open_next_phase(db, task, unit)
    recount(db, row["unit"])
    return Outcome(answer.client, "undone")
