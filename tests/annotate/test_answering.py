"""Answers: exactly once, undone, skipped, checked; gold, entry test, phases."""

from pathlib import Path
from typing import Any

import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.web import annotate
from blickfang.web.annotate import make_task, open_store, read_answers
from blickfang.web.annotate.record_labels import SLOWEST_S, Submission
from blickfang.web.annotate.task_presets import preset_values
from tests.annotate.desks import BOTH, items, make_desk, person, pets, say, texts


def gold(count: int, **answers: str) -> list[dict[str, Any]]:
    return [{"sample": item.sample, "answers": answers} for item in items(count)]


def test_a_repeated_answer_changes_nothing(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        ann = person(store, "ann")
        answer = Submission("same", annotate.assign(store, ann).units[0].id, BOTH)
        assert [annotate.keep(store, ann, [answer])[0].what for _ in range(3)] == [
            "kept",
            "again",
            "again",
        ]
        assert len(annotate.list_labels(store, "pets")) == 2  # one a question


def test_two_windows_of_one_person_answer_once(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        ann = person(store, "ann")
        unit = annotate.assign(store, ann).units[0].id
        assert say(store, ann, unit).what == "kept"
        assert say(store, ann, unit, {"topic": "pet", "text": "describes"}).what == "answered"
        assert annotate.list_labels(store, "pets")[0].category == "cat"


def test_undo_gives_the_item_back_first(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        ann = person(store, "ann")
        unit = annotate.assign(store, ann).units[0].id
        annotate.keep(store, ann, [Submission("one", unit, BOTH)])
        assert annotate.assign(store, ann).last == "one"
        outcomes = annotate.keep(
            store, ann, [Submission("u1", undo="one"), Submission("u2", undo="one")]
        )
        assert [outcome.what for outcome in outcomes] == ["undone", "gone"]
        assert annotate.list_labels(store, "pets") == []
        assert annotate.assign(store, ann).units[0].id == unit
        assert say(store, ann, unit, {"topic": "pet", "text": "describes"}).what == "kept"
        assert annotate.list_labels(store, "pets")[0].category == "pet"


def test_undo_changes_nothing_about_how_much_there_is(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(), 6) as store:
        ann = person(store, "ann")
        annotate.keep(
            store, ann, [Submission("one", annotate.assign(store, ann, 2).units[0].id, BOTH)]
        )
        before = annotate.assign(store, ann, 2)
        annotate.keep(store, ann, [Submission("u", undo="one")])
        after = annotate.assign(store, ann, 2)
        assert len(after.units) == 2
        assert (after.mine, after.left) == (before.mine - 1, before.left + 1)


def test_undo_of_a_finished_item_is_not_given_to_others(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 1) as store:
        ann, bob = person(store, "ann"), person(store, "bob")
        annotate.keep(
            store, ann, [Submission("one", annotate.assign(store, ann).units[0].id, BOTH)]
        )
        annotate.keep(store, ann, [Submission("u", undo="one")])
        assert annotate.assign(store, bob).units == []


def test_a_skip_goes_to_others_and_in_the_end_aside(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=2), 1, "ann bob cat dan") as store:
        for name in ("ann", "bob"):
            who = person(store, name)
            unit = annotate.assign(store, who).units[0].id
            assert (
                annotate.keep(store, who, [Submission(f"s{name}", unit, skip="too dark")])[0].what
                == "kept"
            )
            assert annotate.assign(store, who).units == []
        asked = annotate.find_task(store, "pets")
        assert (asked.given, asked.set_aside) == (0, 1)
        assert annotate.assign(store, person(store, "cat")).units == []
        assert annotate.measure(store, "pets").skips == {"too dark": 2}


def test_odd_values_are_kept_as_far_as_they_can_be() -> None:
    entry = {"client": "a", "unit": 1, "skip": "too \ud800dark", "seconds": 10**400}
    (answer,) = read_answers([entry])
    assert (answer.skip, answer.seconds) == ("too ?dark", SLOWEST_S)
    with pytest.raises(InputError, match="wrong type"):
        read_answers([{"client": "a", "undo": "\ud800"}])


def test_skips_that_are_discarded_set_nothing_aside(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 1, "ann bob") as store:
        ann = person(store, "ann")
        annotate.keep(
            store, ann, [Submission("s", annotate.assign(store, ann).units[0].id, skip="too dark")]
        )
        assert annotate.assign(store, person(store, "bob")).units == []
        annotate.revoke(store, "pets", "ann", discard=True)
        assert len(annotate.assign(store, person(store, "bob")).units) == 1


def test_who_takes_a_skip_back_comes_before_those_who_got_the_item_later(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=2), 1) as store:
        people = [person(store, name) for name in ("ann", "bob", "cat")]
        unit = annotate.assign(store, people[0]).units[0].id
        annotate.keep(store, people[0], [Submission("s", unit, skip="too dark")])
        assert (
            len(annotate.assign(store, people[1]).units)
            == len(annotate.assign(store, people[2]).units)
            == 1
        )
        annotate.keep(store, people[0], [Submission("u", undo="s")])
        held = [len(annotate.assign(store, who).units) for who in people]
        assert held[0] == 1
        assert sum(held) == 2
        outcomes = sorted(say(store, who, unit).what for who in people)
        assert outcomes == ["extra", "kept", "kept"]


@pytest.mark.parametrize(
    "answers", [{}, {"topic": "cat"}, {"topic": "cow", "text": "describes"}, {**BOTH, "more": "x"}]
)
def test_answers_that_were_not_asked_for_are_refused(
    tmp_path: Path, answers: dict[str, str]
) -> None:
    with make_desk(tmp_path, pets()) as store:
        ann = person(store, "ann")
        assert say(store, ann, annotate.assign(store, ann).units[0].id, answers).what == "refused"
        assert annotate.list_labels(store, "pets") == []


def test_nobody_answers_what_they_were_not_given(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        unit = annotate.assign(store, person(store, "ann")).units[0].id
        assert say(store, person(store, "bob"), unit).why == "this was never asked"


def test_a_closed_task_takes_nothing(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets()) as store:
        ann = person(store, "ann")
        unit = annotate.assign(store, ann).units[0].id
        annotate.close_task(store, "pets")
        assert say(store, ann, unit).what == "refused"
        assert annotate.assign(store, ann).state == "closed"
        annotate.close_task(store, "pets", closed=False)
        assert say(store, ann, unit).what == "kept"


def test_the_entry_test_decides(tmp_path: Path) -> None:
    task = pets(gold=gold(4, topic="cat"), entry_test=4, entry_pass=0.75)
    with make_desk(tmp_path, task, 8) as store:
        for name, wrong, state in (("ann", 1, "open"), ("bob", 2, "failed")):
            who = person(store, name)
            for number in range(4):
                batch = annotate.assign(store, who, 2)
                assert batch.state == "test"
                assert all(unit.test for unit in batch.units)
                topic = "pet" if number < wrong else "cat"
                say(store, who, batch.units[0].id, {"topic": topic, "text": "describes"})
            batch = annotate.assign(store, who)
            assert batch.state == state
            assert bool(batch.units) == (state == "open")
            undo = annotate.keep(store, who, [Submission("u", undo=batch.last)])
            assert undo[0].what == "refused"
        work = {w.name: w for w in annotate.measure(store, "pets").work}
        assert (work["ann"].gold_right, work["ann"].gold_total) == (3, 4)
        assert (work["bob"].verdict, work["bob"].gold_right) == ("fail", 2)


def test_gold_comes_in_between_and_does_not_count(tmp_path: Path) -> None:
    task = pets(gold=gold(10, topic="cat"), gold_share=0.25, annotators=1)
    with make_desk(tmp_path, task, 50, "ann") as store:
        ann = person(store, "ann")
        golden, order = {item.sample for item in items(10)}, []
        while units := annotate.assign(store, ann, 1).units:
            order.append(units[0].item.sample in golden)
            say(store, ann, units[0].id)
        assert sum(not known for known in order) == 40
        assert 3 <= sum(order) <= 10
        results = annotate.measure(store, "pets")
        assert results.questions[0].tally.items == 40
        assert results.work[0].gold_total == results.work[0].gold_right == sum(order)


def test_an_entry_test_in_two_phases_asks_for_the_first_alone(tmp_path: Path) -> None:
    known = gold(3, **BOTH)
    task = pets(two_phases=True, gold=known, entry_test=3, entry_pass=0.7, gold_share=0.5)
    with make_desk(tmp_path, task, 8) as store:
        for name, topic, state in (("ann", "cat", "open"), ("bob", "other", "failed")):
            who = person(store, name)
            for _ in range(3):
                batch = annotate.assign(store, who, 1)
                assert (batch.state, batch.units[0].phase) == ("test", 1)
                say(store, who, batch.units[0].id, {"topic": topic})
            assert annotate.assign(store, who, 1).state == state
        work = {w.name: w for w in annotate.measure(store, "pets").work}
        assert (work["ann"].verdict, work["ann"].gold_right, work["ann"].gold_total) == (
            "pass",
            3,
            3,
        )
        ann, asked = person(store, "ann"), []
        while units := annotate.assign(store, ann, 1).units:
            asked.append((units[0].item.sample, units[0].phase))
            say(
                store,
                ann,
                units[0].id,
                {"topic": "cat"} if units[0].phase == 1 else {"text": "irrelevant"},
            )
        again = [entry["sample"] for entry in known if (entry["sample"], 2) in asked]
        assert again  # gold of the second round is asked in the second round
        work = {w.name: w for w in annotate.measure(store, "pets").work}
        assert (work["ann"].gold_right, work["ann"].gold_total) == (3, 3 + len(again))


def test_gold_is_asked_in_the_round_it_knows(tmp_path: Path) -> None:
    late = gold(3, text="describes")
    with pytest.raises(SettingsError, match="of the first round; there are 0"):
        make_desk(tmp_path, pets(two_phases=True, gold=late, entry_test=3), 8)
    mixed = [*late, {"sample": items(4)[3].sample, "answers": {"topic": "cat"}}]
    task = pets(two_phases=True, gold=mixed, entry_test=1)
    with make_desk(tmp_path, task, 8) as store:
        ann = person(store, "ann")
        unit = annotate.assign(store, ann, 1).units[0]
        assert unit.item.sample == mixed[3]["sample"]
        say(store, ann, unit.id, {"topic": "other"})
        assert annotate.assign(store, ann, 1).state == "failed"


def test_who_is_done_before_the_second_round_is_told_of_it(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(two_phases=True, annotators=2), 2) as store:
        ann, bob, cat = (person(store, name) for name in ("ann", "bob", "cat"))
        for unit in annotate.assign(store, ann).units:
            say(store, ann, unit.id, {"topic": "cat"})
        assert annotate.assign(store, ann).state == "second"
        held = annotate.assign(store, bob).units
        assert (
            annotate.assign(store, cat).state == "second"
        )  # nothing is free, and there will be more
        say(store, bob, held[0].id, {"topic": "cat"})
        batch = annotate.assign(store, ann)
        assert (batch.state, [unit.phase for unit in batch.units]) == ("open", [2])
        say(store, ann, batch.units[0].id, {"text": "describes"})
        say(store, bob, held[1].id, {"topic": "other"})  # no majority: it is not asked about
        for who in (bob, cat):
            assert all(unit.phase == 2 for unit in annotate.assign(store, who).units)
        say(store, bob, annotate.assign(store, bob).units[0].id, {"text": "describes"})
        assert [annotate.assign(store, who).state for who in (ann, bob, cat)] == ["done"] * 3


def test_the_second_phase_asks_only_about_what_is_on_topic(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(two_phases=True), 2, "ann bob cat") as store:
        people = [person(store, name) for name in ("ann", "bob", "cat")]
        samples = [item.sample for item in items(2)]
        for who in people:
            for unit in annotate.assign(store, who).units:
                assert unit.phase == 1
                on = unit.item.sample == samples[0] and who.name != "bob"
                say(store, who, unit.id, {"topic": "cat" if on else "other"})
        for who in people:
            units = annotate.assign(store, who).units
            assert [(unit.phase, unit.item.sample) for unit in units] == [(2, samples[0])]
            assert say(store, who, units[0].id, BOTH).what == "refused"
            assert say(store, who, units[0].id, {"text": "describes"}).what == "kept"
        assert annotate.assign(store, people[0]).state == "done"
        assert annotate.majorities(store, "pets", "text") == {(samples[0], -1): "describes"}


def test_a_second_phase_that_nobody_saw_is_taken_back(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(two_phases=True, annotators=1), 1) as store:
        ann = person(store, "ann")
        annotate.keep(
            store,
            ann,
            [Submission("one", annotate.assign(store, ann).units[0].id, {"topic": "cat"})],
        )
        assert annotate.find_task(store, "pets").needed == 2
        annotate.keep(store, ann, [Submission("u", undo="one")])
        assert annotate.find_task(store, "pets").needed == 1


def test_texts_side_by_side_are_judged_by_method(tmp_path: Path) -> None:
    values = preset_values("context") | {"name": "contexts", "annotators": 1, "gold_share": 0.0}
    with open_store(tmp_path) as store:
        annotate.add_task(store, make_task(values), texts(2))
        ann = annotate.invite(store, "contexts", "ann")
        for number, unit in enumerate(annotate.assign(store, ann).units):
            assert say(store, ann, unit.id, {"context": "relevant"}).what == "refused"
            second = "relevant" if number else "not-relevant"
            say(store, ann, unit.id, {"context@0": "relevant", "context@1": second})
        shares = {m.name: m.share for m in annotate.measure(store, "contexts").methods}
        assert shares == {"best": 1.0, "window": 0.5, "monash": 0.5}
        assert annotate.measure(store, "contexts").questions[0].tally.items == 4


def test_tokens_are_long_differ_and_can_be_revoked(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 2) as store:
        people = annotate.list_annotators(store, "pets")
        assert len({who.token for who in people}) == 3
        assert all(len(who.token) >= 43 for who in people)
        assert annotate.find_annotator(store, people[0].token) == people[0]
        assert annotate.find_annotator(store, "") is None
        say(store, people[0], annotate.assign(store, people[0]).units[0].id)
        annotate.revoke(store, "pets", people[0].name)
        assert annotate.find_annotator(store, people[0].token) is None
        assert annotate.find_annotator(store, person(store, "ann").token) is None
        assert annotate.find_task(store, "pets").given == 1
        assert len(annotate.assign(store, people[1]).units) == 1  # what was held is free
        annotate.revoke(store, "pets", people[0].name, discard=True)
        assert annotate.find_task(store, "pets").given == 0
        assert len(annotate.assign(store, people[1]).units) == 2


def test_an_item_becomes_gold(tmp_path: Path) -> None:
    with make_desk(tmp_path, pets(annotators=1), 2, "ann") as store:
        sample = annotate.list_items(store, "pets")[0].sample
        annotate.set_gold(store, "pets", sample, {"topic": "cat"})
        asked = annotate.find_task(store, "pets")
        assert (asked.items, asked.gold, asked.task.gold[0].sample) == (1, 1, sample)
        with pytest.raises(InputError, match="not in the task"):
            annotate.set_gold(store, "pets", "0" * 15 + "f", {"topic": "cat"})


@pytest.mark.parametrize(
    "values",
    [
        None,
        {},
        [1],
        [{}],
        [{"client": "<script>"}],
        [{"client": "x", "unit": "1"}],
        [{"client": "x", "unit": -1}],
        [{"client": "x", "unit": 2**70}],
        [{"client": "x", "answers": {"topic": 1}}],
        [{"client": "x", "answers": ["topic"]}],
        [{"client": "x", "seconds": "1"}],
        [{"client": "x", "skip": 1}],
        [{"client": "x"}] * 201,
    ],
)
def test_what_is_no_answer_is_refused(values: Any) -> None:
    with pytest.raises(InputError):
        read_answers(values)


def test_an_answer_as_it_comes_over_the_wire() -> None:
    answer = read_answers([{"client": "a-1", "unit": 3, "answers": BOTH, "seconds": 1e9}])[0]
    assert answer == Submission("a-1", 3, BOTH, seconds=86_400.0)
