"""Assignment: never twice to one, never more than needed, released when someone leaves."""

import os
import random
import threading
from collections import Counter
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store
from blickfang.web.annotate.assignment import assign
from blickfang.web.annotate.record_labels import Submission, keep
from tests.annotate.desks import BOTH, items, make_desk, person, pets, say


def units_of(store: LabelStore, name: str, count: int = 5) -> list[int]:
    return [unit.id for unit in annotate.assign(store, person(store, name), count).units]


def test_asking_again_gives_the_same(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        first = units_of(store, "ann", 3)
        assert len(first) == 3
        assert units_of(store, "ann", 3) == first


def test_an_item_is_held_by_no_more_than_needed(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=2), 3) as store:
        assert len(units_of(store, "ann")) == len(units_of(store, "bob")) == 3
        batch = annotate.assign(store, person(store, "cat"))
        assert (batch.units, batch.state) == ([], "waiting")


def test_nobody_is_asked_about_what_was_withdrawn(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=2), 3) as store:
        held = annotate.assign(store, person(store, "ann")).units
        annotate.keep(store, person(store, "ann"), [Submission("first", held[0].id, BOTH)])
        gone = {held[0].item.sample, held[1].item.sample}
        annotate.withdraw(store, gone)
        for name in ("ann", "bob"):
            batch = annotate.assign(store, person(store, name))
            assert [unit.item.sample for unit in batch.units] == [held[2].item.sample]
        assert {label.sample for label in annotate.list_labels(store, "pets")} == {
            held[0].item.sample
        }


def test_who_leaves_makes_room(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 3) as store:
        held = units_of(store, "ann")
        assert units_of(store, "bob") == []
        annotate.leave(store, person(store, "ann"), keep=(held[0],))
        assert sorted(units_of(store, "bob")) == sorted(held[1:])


def test_who_is_silent_has_left(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1, lease_minutes=10), 2) as store:
        ann, bob = person(store, "ann"), person(store, "bob")
        assert len(assign(store, ann, now=1000.0).units) == 2
        assert assign(store, bob, now=1000.0 + 599).units == []
        assert len(assign(store, bob, now=1000.0 + 601).units) == 2


def test_an_answer_after_the_lease_still_counts_if_nobody_was_faster(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 1) as store:
        ann, bob = person(store, "ann"), person(store, "bob")
        unit = assign(store, ann, now=0.0).units[0].id
        assert len(assign(store, bob, now=1e6).units) == 1
        late = keep(store, ann, [Submission("late", unit, BOTH)], now=1e6 + 1)
        assert late[0].what == "kept"
        # The other one had it before their eyes: their answer is kept, too, but does not count.
        assert keep(store, bob, [Submission("slow", unit, BOTH)], now=1e6 + 2)[0].what == "extra"
        topics = [
            label for label in annotate.list_labels(store, "pets") if label.question == "topic"
        ]
        assert [label.counted for label in topics] == [True, False]
        assert annotate.measure(store, "pets").questions[0].answers == 1


def test_done_when_all_is_answered(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 2) as store:
        ann = person(store, "ann")
        for _ in range(2):
            say(store, ann, annotate.assign(store, ann).units[0].id)
        batch = annotate.assign(store, ann)
        assert (batch.state, batch.left, batch.mine) == ("done", 0, 2)


def test_people_at_the_same_time(tmp_path: Path) -> None:
    """Twelve threads with a store each: as if they were processes."""
    names = [f"p{number}" for number in range(12)]
    with make_desk(tmp_path, pets(), 20, " ".join(names)) as store:
        people = {name: person(store, name) for name in names}

    def work(name: str) -> None:
        with open_store(tmp_path) as mine:
            while units := annotate.assign(mine, people[name], 3).units:
                annotate.keep(
                    mine, people[name], [Submission(f"{u.id}", u.id, BOTH) for u in units]
                )

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(tmp_path) as store:
        labels = [
            label for label in annotate.list_labels(store, "pets") if label.question == "topic"
        ]
        assert Counter(label.sample for label in labels) == {item.sample: 3 for item in items(20)}
        assert len({(label.sample, label.annotator) for label in labels}) == 60
        assert all(label.counted for label in labels)


class Work(RuleBasedStateMachine):
    """People come, answer, undo, skip, leave and come back; the rules hold at every moment."""

    def __init__(self) -> None:
        super().__init__()
        self.store = open_store_in_memory()
        annotate.add_task(
            self.store, pets(annotators=2, two_phases=True, gold_share=0.3, gold=GOLD), items(7)
        )
        self.people = [
            annotate.invite(self.store, "pets", name) for name in ("ann", "bob", "cat", "dan")
        ]
        self.now = 0.0
        self.count = 0
        self.chance = random.Random(1)  # noqa: S311

    def teardown(self) -> None:
        self.store.close()

    @rule(who=st.integers(0, 3), number=st.integers(1, 4), minutes=st.integers(0, 20))
    def ask(self, who: int, number: int, minutes: int) -> None:
        self.now += 60 * minutes
        batch = assign(self.store, self.people[who], number, self.now)
        assert len(batch.units) <= number
        assert batch.left >= 0

    @rule(who=st.integers(0, 3), skip=st.sampled_from(["", "", "", "why not"]))
    def answer(self, who: int, skip: str) -> None:
        batch = assign(self.store, self.people[who], 1, self.now)
        for unit in batch.units:
            self.count += 1
            answers = (
                {"topic": self.chance.choice(["cat", "cat", "pet"])}
                if unit.phase == 1
                else {"text": "describes"}
            )
            answer = Submission(f"c{self.count}", unit.id, {} if skip else answers, skip)
            assert keep(self.store, self.people[who], [answer], self.now)[0].what == "kept"

    @rule(who=st.integers(0, 3))
    def undo(self, who: int) -> None:
        last = assign(self.store, self.people[who], 1, self.now).last
        if last:
            self.count += 1
            answer = Submission(f"u{self.count}", undo=last)
            outcome = keep(self.store, self.people[who], [answer], self.now)
            assert outcome[0].what == "undone"

    @rule(who=st.integers(0, 3))
    def leave(self, who: int) -> None:
        annotate.leave(self.store, self.people[who])

    @invariant()
    def the_rules_hold(self) -> None:
        with self.store.reading() as db:
            units = db.execute("SELECT * FROM unit").fetchall()
            for unit in units:
                labels = db.execute(
                    "SELECT annotator, skip, extra FROM label WHERE unit = ? AND undone IS NULL",
                    (unit["id"],),
                ).fetchall()
                leases = db.execute(
                    "SELECT annotator FROM lease WHERE unit = ? AND live = 1", (unit["id"],)
                ).fetchall()
                done = [row for row in labels if not row["skip"]]
                assert unit["done"] == len(done)
                assert unit["held"] == len(leases)
                assert unit["done"] + unit["held"] <= unit["need"]
                assert not any(row["extra"] for row in labels)
                people = [row["annotator"] for row in (*labels, *leases)]
                assert len(set(people)) == len(people)


GOLD = [{"sample": item.sample, "answers": {"topic": "cat"}} for item in items(2)]


def open_store_in_memory() -> LabelStore:
    import sqlite3

    from blickfang.web.annotate.label_store import SCHEMA, LabelStore

    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.executescript(SCHEMA)
    return LabelStore(Path(os.devnull, "memory"), connection)  # where no copy can be put


TestWork = Work.TestCase
TestWork.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
