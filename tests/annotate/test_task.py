"""Tasks: read from TOML, checked, and the same after a round trip."""

import json
from pathlib import Path
from typing import Any

import pytest

from blickfang.errors import SettingsError
from blickfang.web.annotate import make_task, plan_task, write_task
from blickfang.web.annotate.task import describe_task
from blickfang.web.annotate.task_presets import PRESETS, preset_values
from tests.annotate.desks import PETS, pets

TOML = """
title = "Birds"
annotators = 5
two_phases = true
on_topic = ["bird"]

[select]
how = "facet"
facet = "host"
count = 30

[[question]]
name = "topic"
text = "Is it a bird?"
categories = [{ name = "bird", key = "b", meaning = "feathers" }, "other"]
merges = { "all" = [["bird", "other"]] }

[[question]]
name = "text"
text = "The text …"
phase = 2
categories = ["good", "bad"]

[[gold]]
sample = "0123456789abcdef"
answers = { topic = "bird" }

[[example]]
sample = "0123456789abcdee"
answers = { topic = "other" }
why = "a plane"
"""


def test_a_task_in_toml(tmp_path: Path) -> None:
    (tmp_path / "birds.toml").write_text(TOML)
    task = plan_task("", tmp_path / "birds.toml", {})
    assert (task.name, task.title, task.annotators, task.two_phases) == ("birds", "Birds", 5, True)
    assert (task.select.how, task.select.count) == ("facet", 30)
    first = task.questions[0]
    assert [(c.name, c.label, c.key) for c in first.categories] == [
        ("bird", "bird", "b"),
        ("other", "other", "2"),
    ]
    assert first.merges == (("all", (("bird", "other"),)),)
    assert task.gold[0].answers == (("topic", "bird"),)
    assert task.examples[0].why == "a plane"
    assert make_task(json.loads(json.dumps(describe_task(task)))) == task


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_tasks(name: str) -> None:
    task = make_task({**preset_values(name), "name": "x"})
    assert make_task(describe_task(task)) == task


def test_the_preset_of_the_study() -> None:
    topic, text = make_task({**preset_values("cats"), "name": "cats"}).questions
    assert [(c.label, c.key) for c in topic.categories] == [
        ("cat", "1"),
        ("pet", "2"),
        ("mammal", "3"),
        ("living being", "4"),
        ("other", "5"),
    ]
    assert [(c.label, c.key) for c in text.categories] == [
        ("describes the image", "ArrowUp"),
        ("fits the topic", "ArrowDown"),
        ("is irrelevant", "ArrowLeft"),
        ("is misleading", "ArrowRight"),
    ]
    assert topic.ordered
    assert dict(topic.merges)["reduced 2"] == (("mammal", "living-being", "other"),)


TOPIC = PETS["question"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nonsense": 1}, "nonsense in task is no setting"),
        ({"name": "no good"}, "name"),
        ({"annotators": 0}, "annotators"),
        ({"annotators": "3"}, "annotators"),
        ({"annotators": True}, "annotators"),
        ({"gold_share": 2}, "gold_share"),
        ({"title": 3}, "title"),
        ({"title": "x" * 30_000}, "title"),
        ({"select": {"how": "best"}}, "how"),
        ({"select": {"how": "facet"}}, "facet"),
        ({"select": {"many": 3}}, "many"),
        ({"select": 3}, "select"),
        ({"question": []}, "no question"),
        ({"question": "topic"}, "question"),
        ({"question": [TOPIC, TOPIC]}, "same name"),
        ({"question": [{**TOPIC, "categories": ["one"]}]}, "2 to 20"),
        ({"question": [{**TOPIC, "categories": ["a", "a"]}]}, "same name"),
        ({"question": [{**TOPIC, "categories": ["a", {"name": "b", "key": "1"}]}]}, "1 is both"),
        ({"question": [{**TOPIC, "categories": ["a", {"name": "b", "key": "u"}]}]}, "'u' cannot"),
        ({"question": [{**TOPIC, "categories": ["a", {"name": "b", "key": "Enter"}]}]}, "Enter"),
        ({"question": [{**TOPIC, "merges": {"m": [["cow"]]}}]}, "merge"),
        ({"question": [{**TOPIC, "text": " "}]}, "no text"),
        ({"two_phases": True, "question": [TOPIC]}, "two_phases"),
        ({"on_topic": ["cow"]}, "on_topic"),
        ({"gold": [{"sample": "a", "answers": {"topic": "cow"}}]}, "no answer"),
        ({"gold": [{"sample": "a", "answers": "cat"}]}, "answers"),
        ({"skip_reasons": "no"}, "skip_reasons"),
    ],
)
def test_what_cannot_be_asked_is_told(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        pets(**changes)


def test_files_that_are_no_tasks(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    for content in (b"a = [", b"\xff\xfe\xff", b"title = 1"):
        path.write_bytes(content)
        with pytest.raises(SettingsError, match=r"x\.toml"):
            plan_task("", path, {})
    with pytest.raises(SettingsError, match="there is no"):
        plan_task("", tmp_path / "none.toml", {})


@pytest.mark.parametrize("name", PRESETS)
def test_a_task_as_toml_is_the_same_task(name: str, tmp_path: Path) -> None:
    task = plan_task(name, None, {"title": 'a "title"\x7f\n\t😀 \\', "select": {"count": 7}})
    path = tmp_path / "task.toml"
    path.write_text(write_task(task), encoding="utf-8")
    assert plan_task("", path, {"name": "", "annotators": 0}) == task
    assert task.select.count == 7
    assert plan_task("", path, {"annotators": 5}).annotators == 5
