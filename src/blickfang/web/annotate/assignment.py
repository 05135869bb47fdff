"""Who is asked what next.

In: a store and an annotator. Out: `Batch`: the next units, each held for the annotator until its
lease runs out. One transaction decides, so however many ask at once: nobody gets a unit twice,
nobody gets one that has, or will have, all its answers, and what is held by someone who left goes
to others. Method: docs/annotate.md.
"""

import random
import sqlite3
import time
from collections.abc import Iterable
from typing import NamedTuple

from blickfang.web.annotate.item_selection import TaskItem
from blickfang.web.annotate.label_store import LabelStore
from blickfang.web.annotate.task import Task
from blickfang.web.annotate.task_list import Annotator, read_variants, recount, task_of

MOST_AT_ONCE = 20
FREE, ANSWERED = 0, 2  # what a lease comes to; a live one is 1


class AssignedItem(NamedTuple):
    """An item in a phase, as one annotator is asked about it."""

    id: int
    phase: int
    item: TaskItem
    test: bool  # it is part of the entry test


class NextItems(NamedTuple):
    """What an annotator is asked next, and how far they are."""

    state: str  # test, open, done, waiting, second (round, not open yet), failed, closed
    units: list[AssignedItem]
    mine: int  # answers that this annotator gave
    left: int  # units that wait for this annotator, as far as is known
    last: str  # the client's name of the last answer that can be undone


def assign(
    store: LabelStore, annotator: Annotator, count: int = 5, now: float | None = None
) -> NextItems:
    """Return the next units of an annotator; what they hold already comes first."""
    now = time.time() if now is None else now
    task, closed = task_of(store, annotator)
    count = max(1, min(count, MOST_AT_ONCE))
    with store.writing() as db:
        release_expired(db, now)
        verdict = _touch(db, annotator, now)
        if closed or verdict == "fail":
            return _report(db, annotator, "closed" if closed else "failed", [], task)
        until = now + 60 * task.lease_minutes
        db.execute(
            "UPDATE lease SET until = ? WHERE annotator = ? AND live = 1", (until, annotator.id)
        )
        tested = task.entry_test > 0 and not verdict
        room = count - len(_held(db, annotator.id))
        for unit in _find(db, annotator, task, tested, room) if room > 0 else ():
            _hold(db, unit, annotator.id, until, now)
        held = _held(db, annotator.id)
        state = "test" if tested else "open"
        if not held:
            state = _name_rest(db, annotator, task)
        batch = _report(db, annotator, state, held, task)  # an undo may have made it one more
        return batch._replace(units=batch.units[:count])


def leave(store: LabelStore, annotator: Annotator, keep: tuple[int, ...] = ()) -> None:
    """Let go of what an annotator holds, but for units whose answers are still on their way."""
    with store.writing() as db:
        held = [row["id"] for row in _held(db, annotator.id) if row["id"] not in keep]
        for unit in held:
            release(db, unit, annotator.id)


def release(db: sqlite3.Connection, unit: int, annotator: int, to: int = FREE) -> None:
    """End a lease; its row stays as a proof that the unit was given."""
    db.execute("UPDATE lease SET live = ? WHERE unit = ? AND annotator = ?", (to, unit, annotator))
    recount(db, unit)


def withdraw(store: LabelStore, samples: Iterable[str]) -> None:
    """Ask nobody any more about some samples, in any task; what was answered stays."""
    with store.writing() as db:
        for sample in samples:
            rows = db.execute(
                "SELECT u.id FROM unit u JOIN item i ON i.id = u.item WHERE i.sample = ?", (sample,)
            )
            for (unit,) in rows.fetchall():
                db.execute("UPDATE unit SET gold = 0, need = min(need, done) WHERE id = ?", (unit,))
                db.execute("UPDATE lease SET live = ? WHERE unit = ? AND live = 1", (FREE, unit))
                recount(db, unit)


def release_expired(db: sqlite3.Connection, now: float) -> None:
    """End the leases of those who left."""
    rows = db.execute("SELECT unit, annotator FROM lease WHERE live = 1 AND until < ?", (now,))
    for unit, annotator in rows.fetchall():
        release(db, unit, annotator)


def _touch(db: sqlite3.Connection, annotator: Annotator, now: float) -> str:
    db.execute("UPDATE annotator SET seen = ? WHERE id = ?", (now, annotator.id))
    row = db.execute("SELECT verdict FROM annotator WHERE id = ?", (annotator.id,)).fetchone()
    return str(row["verdict"])


def _hold(db: sqlite3.Connection, unit: int, annotator: int, until: float, turn: float) -> None:
    """Give a unit to an annotator; `turn` orders what they hold."""
    db.execute(
        "INSERT INTO lease(unit, annotator, until, turn, live) VALUES (?, ?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET until = excluded.until, turn = excluded.turn, live = 1",
        (unit, annotator, until, turn),
    )
    recount(db, unit)


def hold_again(db: sqlite3.Connection, unit: int, annotator: int, until: float) -> None:
    """Give a unit back whose answer was undone: it comes before all others."""
    _hold(db, unit, annotator, until, 0.0)


HELD = """
SELECT u.id, u.phase, u.gold, i.sample, i.text, i.page_url, i.page_title, i.variants
FROM lease l JOIN unit u ON u.id = l.unit JOIN item i ON i.id = u.item
WHERE l.annotator = ? AND l.live = 1 ORDER BY l.turn, u.position, u.phase
"""
UNSEEN = """
AND NOT EXISTS (SELECT 1 FROM lease WHERE unit = u.id AND annotator = :a AND live > 0)
"""
IS_OPEN = "u.gold = 0 AND u.done + u.held < u.need AND u.skips < u.need"
NEXT = "ORDER BY u.position, u.phase LIMIT :n"
OPEN = f"SELECT u.id FROM unit u WHERE u.task = :t AND {IS_OPEN} {UNSEEN} {NEXT}"  # noqa: S608
GOLD = f"SELECT u.id FROM unit u WHERE u.task = :t AND u.gold = 1 {UNSEEN} {NEXT}"  # noqa: S608
ENTRY = "SELECT * FROM unit WHERE task = :t AND gold = 1 AND phase = 1 ORDER BY position LIMIT :m"
TEST = f"SELECT u.id FROM ({ENTRY}) u WHERE 1 {UNSEEN} {NEXT}"  # noqa: S608
HELD_BY_OTHERS = f"""
SELECT 1 FROM unit u WHERE u.task = :t AND u.gold = 0 AND u.done < u.need AND u.held > 0
AND u.skips < u.need {UNSEEN} LIMIT 1
"""  # noqa: S608
FIRST_ROUND = """
SELECT 1 FROM unit u WHERE u.task = :t AND u.gold = 0 AND u.phase = 1 AND u.done < u.need
AND u.skips < u.need LIMIT 1
"""
LEFT = f"""
SELECT (SELECT count(*) FROM unit u WHERE u.task = :t AND {IS_OPEN})
- (SELECT count(*) FROM lease l JOIN unit u ON u.id = l.unit
    WHERE l.annotator = :a AND l.live > 0 AND {IS_OPEN})
"""  # noqa: S608


def _held(db: sqlite3.Connection, annotator: int) -> list[sqlite3.Row]:
    return db.execute(HELD, (annotator,)).fetchall()


def _find(
    db: sqlite3.Connection, annotator: Annotator, task: Task, tested: bool, room: int
) -> list[int]:
    """Return the next units for an annotator: now and then a gold one, nobody knows when."""
    who = {"a": annotator.id, "t": annotator.task, "n": room, "m": task.entry_test}
    if tested:
        return [row["id"] for row in db.execute(TEST, who)]
    units = [row["id"] for row in db.execute(OPEN, who)]
    if not task.gold_share:
        return units
    gold = [row["id"] for row in db.execute(GOLD, who)]
    taken = db.execute("SELECT count(*) FROM lease WHERE annotator = ?", (annotator.id,))
    number = taken.fetchone()[0]
    found: list[int] = []
    while units and len(found) < room:  # gold alone would be work for nothing
        seed = f"{task.select.seed}:{annotator.id}:{number + len(found)}"
        chance = random.Random(seed)  # noqa: S311 -- repeatable, not secret
        is_gold = gold and chance.random() < task.gold_share
        found.append(gold.pop(0) if is_gold else units.pop(0))
    return found


def entry_units(db: sqlite3.Connection, task: int, count: int) -> list[int]:
    """Return the units of the entry test."""
    rows = db.execute(ENTRY, {"t": task, "m": count})
    return [row["id"] for row in rows]


def _name_rest(db: sqlite3.Connection, annotator: Annotator, task: Task) -> str:
    """Return the state of who has nothing to do: others hold units that may still come to them, a
    second round opens when the first is over, or there is nothing left."""
    who = {"a": annotator.id, "t": annotator.task}
    if task.two_phases and db.execute(FIRST_ROUND, who).fetchone() is not None:
        return "second"
    return "done" if db.execute(HELD_BY_OTHERS, who).fetchone() is None else "waiting"


def _report(
    db: sqlite3.Connection, annotator: Annotator, state: str, rows: list[sqlite3.Row], task: Task
) -> NextItems:
    who = {"a": annotator.id, "t": annotator.task}
    mine, last = db.execute(
        "SELECT count(*), (SELECT client FROM label WHERE annotator = :a AND undone IS NULL"
        " ORDER BY id DESC LIMIT 1) FROM label WHERE annotator = :a AND undone IS NULL",
        who,
    ).fetchone()
    left = db.execute(LEFT, who).fetchone()[0]
    units = [
        AssignedItem(
            row["id"],
            row["phase"],
            TaskItem(
                row["sample"],
                row["text"],
                row["page_url"],
                row["page_title"],
                read_variants(row["variants"]),
            ),
            test=state == "test" and bool(row["gold"]),
        )
        for row in rows
    ]
    left = task.entry_test - mine if state == "test" else left + len(rows)
    return NextItems(state, units, mine, left, last or "")
