"""Tasks in the store: made, listed, closed; and the people who are asked.

In: a store, tasks and items. Out: rows of it. An annotator belongs to one task and is known by a
token that cannot be guessed and can be revoked.
"""

import json
import random
import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from blickfang.errors import InputError, MissingError, SettingsError
from blickfang.web.annotate.item_selection import TaskItem, Variant
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.task import Task, describe_task, make_task

NEVER_ENOUGH = 1_000_000  # a gold item is for everybody
LONGEST_NAME = 80


class OpenTask(NamedTuple):
    """A task as it stands."""

    id: int
    task: Task
    made: float
    closed: bool
    items: int  # without gold
    gold: int
    needed: int  # answers
    given: int
    finished: int  # units that have all their answers
    set_aside: int  # units that too many skipped
    annotators: int


class Annotator(NamedTuple):
    """Someone who is asked."""

    id: int
    task: int
    name: str
    token: str
    made: float
    seen: float | None
    verdict: str  # of the entry test: pass, fail, "" if there was none yet
    revoked: bool


def add_task(store: LabelStore, task: Task, items: Sequence[TaskItem]) -> None:
    """Start a task on some items; those whose answers are known become its gold."""
    known = {entry.sample: dict(entry.answers) for entry in task.gold}
    shown = [item for item in items if item.sample in known or not _is_example_only(item, task)]
    tested = sum(1 in _phases_of_gold(task, answers) for answers in known.values())
    if task.entry_test > tested:
        which = " with an answer of the first round" if tested < len(known) else ""
        raise SettingsError(
            f"an entry test of {task.entry_test} needs as many [[gold]] samples{which}; "
            f"there are {tested}"
        )
    if len(shown) == len(known):
        raise InputError("there is no item to ask about that is not gold")
    with store.writing() as db:
        if db.execute("SELECT 1 FROM task WHERE name = ?", (task.name,)).fetchone():
            raise SettingsError(f"there is a task {task.name!r} already; choose another name")
        cursor = db.execute(
            "INSERT INTO task(name, spec, made) VALUES (?, ?, ?)",
            (task.name, json.dumps(describe_task(task)), time.time()),
        )
        number = int(cursor.lastrowid or 0)
        # Nobody shall see them in the order of their rank.
        order = list(shown)
        random.Random(task.select.seed).shuffle(order)  # noqa: S311 -- repeatable, not secret
        for position, item in enumerate(order):
            _add_item(db, number, task, item, known.get(item.sample), position)


def _is_example_only(item: TaskItem, task: Task) -> bool:
    return any(entry.sample == item.sample for entry in task.examples)


def _phases_of_gold(task: Task, gold: Mapping[str, str]) -> list[int]:
    """Return the rounds in which a gold item is asked about: those that its answers belong to."""
    if not task.two_phases:
        return [1]
    known = {slot.partition("@")[0] for slot in gold}
    return sorted({question.phase for question in task.questions if question.name in known})


def _add_item(
    db: sqlite3.Connection,
    number: int,
    task: Task,
    item: TaskItem,
    gold: dict[str, str] | None,
    position: int,
) -> None:
    cursor = db.execute(
        "INSERT INTO item(task, sample, text, page_url, page_title, variants, gold)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            item.sample,
            item.text,
            item.page_url,
            item.page_title,
            json.dumps(item.variants),
            json.dumps(gold) if gold else "",
        ),
    )
    for phase in _phases_of_gold(task, gold) if gold else [1]:
        db.execute(
            "INSERT INTO unit(item, task, phase, position, gold, need) VALUES (?, ?, ?, ?, ?, ?)",
            (
                cursor.lastrowid,
                number,
                phase,
                position,
                int(bool(gold)),
                NEVER_ENOUGH if gold else task.annotators,
            ),
        )


def set_gold(store: LabelStore, name: str, sample: str, answers: dict[str, str]) -> None:
    """Make an item gold: its answers are known from now on; those given so far stay as they are."""
    asked = find_task(store, name)
    task = make_task(
        {
            **describe_task(asked.task),
            "gold": [
                *describe_task(asked.task)["gold"],
                {"sample": sample, "answers": answers},
            ],
        }
    )
    with store.writing() as db:
        changed = db.execute(
            "UPDATE item SET gold = ? WHERE task = ? AND sample = ?",
            (json.dumps(answers), asked.id, sample),
        )
        if not changed.rowcount:
            raise MissingError(f"sample {sample} is not in the task {name}")
        db.execute(
            "UPDATE unit SET gold = 1, need = ? WHERE item IN"
            " (SELECT id FROM item WHERE task = ? AND sample = ?)",
            (NEVER_ENOUGH, asked.id, sample),
        )
        db.execute(
            "UPDATE task SET spec = ? WHERE id = ?", (json.dumps(describe_task(task)), asked.id)
        )


def list_tasks(store: LabelStore) -> list[OpenTask]:
    """Return all tasks, the newest first."""
    with store.reading() as db:
        rows = db.execute(f"{OVERVIEW} ORDER BY t.id DESC").fetchall()
    return [_read_asked(row) for row in rows]


def find_task(store: LabelStore, name: str) -> OpenTask:
    """Return a task by its name."""
    with store.reading() as db:
        row = db.execute(f"{OVERVIEW} WHERE t.name = ?", (name,)).fetchone()
        names = [entry[0] for entry in db.execute("SELECT name FROM task ORDER BY id DESC LIMIT 9")]
    if row is None:
        there = (
            f"there are {', '.join(names)}" if names else "make one with: blickfang annotate new"
        )
        raise MissingError(f"there is no task {name!r}; {there}")
    return _read_asked(row)


def close_task(store: LabelStore, name: str, closed: bool = True) -> None:
    """End a task, or open it again: a closed one takes no more answers."""
    asked = find_task(store, name)
    with store.writing() as db:
        db.execute("UPDATE task SET closed = ? WHERE id = ?", (int(closed), asked.id))


OVERVIEW = """
SELECT t.id, t.spec, t.made, t.closed,
    (SELECT count(*) FROM item WHERE task = t.id AND gold = '') AS items,
    (SELECT count(*) FROM item WHERE task = t.id AND gold != '') AS gold,
    (SELECT coalesce(sum(need), 0) FROM unit WHERE task = t.id AND gold = 0) AS needed,
    (SELECT coalesce(sum(min(done, need)), 0) FROM unit WHERE task = t.id AND gold = 0) AS given,
    (SELECT count(*) FROM unit WHERE task = t.id AND gold = 0 AND done >= need) AS finished,
    (SELECT count(*) FROM unit WHERE task = t.id AND gold = 0 AND done < need
        AND skips >= need) AS set_aside,
    (SELECT count(*) FROM annotator WHERE task = t.id AND revoked = 0) AS annotators
FROM task t
"""


def _read_asked(row: sqlite3.Row) -> OpenTask:
    return OpenTask(
        row["id"], _parse(row["spec"]), row["made"], bool(row["closed"]), *tuple(row)[4:]
    )


def read_variants(text: str) -> tuple[Variant, ...]:
    """Return the texts of an item as the store keeps them."""
    return tuple(Variant(tuple(methods), words) for methods, words in json.loads(text))


def invite(store: LabelStore, name: str, who: str) -> Annotator:
    """Add an annotator to a task, with a new token."""
    asked = find_task(store, name)
    who = " ".join(who.split())
    if not who or len(who) > LONGEST_NAME or not who.isprintable():
        raise SettingsError(f"a name of 1 to {LONGEST_NAME} visible characters is needed")
    with store.writing() as db:
        if db.execute(
            "SELECT 1 FROM annotator WHERE task = ? AND name = ?", (asked.id, who)
        ).fetchone():
            raise SettingsError(f"{who} is invited already; choose another name")
        cursor = db.execute(
            "INSERT INTO annotator(task, name, token, made) VALUES (?, ?, ?, ?)",
            (asked.id, who, secrets.token_urlsafe(32), time.time()),
        )
        row = db.execute("SELECT * FROM annotator WHERE id = ?", (cursor.lastrowid,)).fetchone()
    return _read_annotator(row)


def revoke(store: LabelStore, name: str, who: str, *, discard: bool = False) -> None:
    """Take the token of an annotator back; `discard` takes the labels out of all counts, too."""
    asked = find_task(store, name)
    with store.writing() as db:
        row = db.execute(
            "SELECT id FROM annotator WHERE task = ? AND name = ?", (asked.id, who)
        ).fetchone()
        if row is None:
            raise MissingError(f"{who!r} is no annotator of {name}")
        # A new token that nobody was told: the old one is gone for good.
        db.execute(
            "UPDATE annotator SET revoked = 1, token = ? WHERE id = ?",
            (secrets.token_urlsafe(32), row["id"]),
        )
        if discard:
            db.execute("UPDATE label SET extra = 1 WHERE annotator = ?", (row["id"],))
        units = db.execute(
            "SELECT unit FROM lease WHERE annotator = ? UNION SELECT unit FROM label"
            " WHERE annotator = ?",
            (row["id"], row["id"]),
        ).fetchall()
        db.execute("UPDATE lease SET live = 0 WHERE annotator = ? AND live = 1", (row["id"],))
        for unit in units:
            recount(db, unit[0])


def recount(db: sqlite3.Connection, unit: int) -> None:
    """Bring the counters of a unit in line with its labels and leases."""
    db.execute(
        "UPDATE unit SET"
        " done = (SELECT count(*) FROM label WHERE unit = :u AND undone IS NULL AND extra = 0"
        " AND skip = ''),"
        " skips = (SELECT count(*) FROM label WHERE unit = :u AND undone IS NULL AND extra = 0"
        " AND skip != ''),"
        " held = (SELECT count(*) FROM lease WHERE unit = :u AND live = 1) WHERE id = :u",
        {"u": unit},
    )


def list_annotators(store: LabelStore, name: str) -> list[Annotator]:
    """Return the annotators of a task in the order they were invited."""
    asked = find_task(store, name)
    with store.reading() as db:
        rows = db.execute(
            "SELECT * FROM annotator WHERE task = ? ORDER BY id", (asked.id,)
        ).fetchall()
    return [_read_annotator(row) for row in rows]


def find_annotator(store: LabelStore, token: str) -> Annotator | None:
    """Return who holds a token; None if nobody does, or it was revoked."""
    with store.reading() as db:
        row = db.execute(
            "SELECT * FROM annotator WHERE token = ? AND revoked = 0", (token,)
        ).fetchone()
    return _read_annotator(row) if row else None


def task_of(store: LabelStore, annotator: Annotator) -> tuple[Task, bool]:
    """Return the task of an annotator, and whether it is closed."""
    with store.reading() as db:
        row = db.execute("SELECT spec, closed FROM task WHERE id = ?", (annotator.task,)).fetchone()
    return _parse(row["spec"]), bool(row["closed"])


@lru_cache(maxsize=64)
def _parse(spec: str) -> Task:
    return make_task(json.loads(spec))


def _read_annotator(row: sqlite3.Row) -> Annotator:
    return Annotator._make((*tuple(row)[:7], bool(row["revoked"])))


def list_items(store: LabelStore, name: str) -> list[TaskItem]:
    """Return the items of a task, gold among them, in the order they were chosen."""
    asked = find_task(store, name)
    with store.reading() as db:
        rows = db.execute(
            "SELECT sample, text, page_url, page_title, variants FROM item WHERE task = ?"
            " ORDER BY id",
            (asked.id,),
        ).fetchall()
    return [TaskItem._make((*tuple(row)[:4], read_variants(row["variants"]))) for row in rows]


def is_shown(store: LabelStore, annotator: Annotator, sample: str) -> bool:
    """Whether a sample is part of what an annotator is asked, or of the examples they are told."""
    task, _ = task_of(store, annotator)
    if any(entry.sample == sample for entry in task.examples):
        return True
    with store.reading() as db:
        row = db.execute(
            "SELECT 1 FROM item WHERE task = ? AND sample = ?", (annotator.task, sample)
        ).fetchone()
    return row is not None
