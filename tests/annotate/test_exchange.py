"""Labels for other tools, and back."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, make_task, open_store
from blickfang.web.annotate.record_labels import Submission
from blickfang.web.annotate.task_presets import preset_values
from tests.annotate.desks import items, make_desk, person, pets, say, texts

FORMS = ("tsv", "json", "labelstudio")


@pytest.fixture
def answered(tmp_path: Path) -> Iterator[LabelStore]:
    with make_desk(tmp_path, pets(), 4, "ann bob =cat") as store:
        for number, name in enumerate(("ann", "bob", "=cat")):
            who = person(store, name)
            for place, unit in enumerate(annotate.assign(store, who).units):
                topic = ("cat", "pet", "other")[(place * number) % 3]
                say(store, who, unit.id, {"topic": topic, "text": "describes"})
        yield store


def same(one: LabelStore, other: LabelStore, name: str = "pets") -> bool:
    def facts(store: LabelStore) -> set[tuple[object, ...]]:
        return {
            (x.sample, x.annotator, x.question, x.text, x.category, bool(x.skip), round(x.at))
            for x in annotate.list_labels(store, name)
        }

    return facts(one) == facts(other)


@pytest.mark.parametrize("form", FORMS)
def test_out_and_in_again(answered: LabelStore, tmp_path: Path, form: str) -> None:
    text = annotate.export_labels(answered, "pets", form)
    (tmp_path / "new").mkdir()
    with open_store(tmp_path / "new") as other:
        annotate.add_task(other, pets(), items(4))
        first = annotate.import_labels(other, "pets", text, form)
        assert (first.kept, first.again, first.failures) == (12, 0, [])
        assert same(answered, other)
        again = annotate.import_labels(other, "pets", text, form)
        assert (again.kept, again.again) == (0, 12)
        assert same(answered, other)
        assert (
            annotate.measure(other, "pets").questions[0]
            == annotate.measure(answered, "pets").questions[0]
        )
    back = annotate.import_labels(answered, "pets", text, form)
    assert (back.kept, back.again) == (0, 12)


@pytest.mark.parametrize("form", FORMS)
def test_some_samples_are_left_out(answered: LabelStore, tmp_path: Path, form: str) -> None:
    first = items(4)[0].sample
    annotate.set_gold(answered, "pets", first, {"topic": "cat", "text": "describes"})
    assert first in annotate.export_labels(answered, "pets", form)
    text = annotate.export_labels(answered, "pets", form, {first})
    assert first not in text
    assert items(4)[1].sample in text
    (tmp_path / "new").mkdir()
    with open_store(tmp_path / "new") as other:
        if form != "json":
            annotate.add_task(other, pets(), items(4))
        assert annotate.import_labels(other, "pets", text, form).kept == 9


def test_a_whole_task_moves(tmp_path: Path) -> None:
    task = make_task({**preset_values("context"), "name": "contexts", "gold_share": 0.0})
    (tmp_path / "new").mkdir()
    with open_store(tmp_path) as store, open_store(tmp_path / "new") as other:
        annotate.add_task(store, task, texts(3))
        ann = annotate.invite(store, "contexts", "ann")
        for unit in annotate.assign(store, ann).units[:2]:
            say(store, ann, unit.id, {"context@0": "relevant", "context@1": "not-relevant"})
        left = annotate.assign(store, ann).units[0].id
        annotate.keep(store, ann, [Submission("skip", left, skip="too dark")])
        for form in FORMS:
            text = annotate.export_labels(store, "contexts", form)
            if form == "json":
                assert annotate.import_labels(other, "moved", text, form).kept == 3
        assert {item.sample for item in annotate.list_items(other, "moved")} == {
            i.sample for i in texts(3)
        }
        assert (
            annotate.measure(other, "moved").questions
            == annotate.measure(store, "contexts").questions
        )
        assert ann.token not in annotate.export_labels(store, "contexts", "json")


def test_tsv_is_for_spreadsheets(answered: LabelStore) -> None:
    rows = list(
        csv.DictReader(io.StringIO(annotate.export_labels(answered, "pets", "tsv")), delimiter="\t")
    )
    assert len(rows) == 24
    assert {row["annotator"] for row in rows} == {"ann", "bob", "'=cat"}  # no formula


def test_label_studio_has_its_configuration(answered: LabelStore) -> None:
    config = ET.fromstring(annotate.label_studio_config(answered, "pets"))  # noqa: S314 -- ours
    names = {choices.get("name") for choices in config.iter("Choices")}
    tasks = json.loads(annotate.export_labels(answered, "pets", "labelstudio"))
    results = [r for task in tasks for a in task["annotations"] for r in a["result"]]
    assert {result["from_name"] for result in results} == names == {"topic", "text"}
    assert all(set(r["value"]["choices"]) <= {"cat", "pet", "other", "describes"} for r in results)


def test_an_export_of_label_studio_itself(tmp_path: Path) -> None:
    """As its guide shows the format: numbers of users, results of other kinds, cancelled ones."""
    sample = items(1)[0].sample
    choice = {"from_name": "topic", "to_name": "img", "type": "choices"}
    first = {"result": [choice | {"value": {"choices": ["cat"]}}], "completed_by": 10}
    box = {"from_name": "tag", "type": "rectanglelabels", "value": {"x": 1}}
    second = {"result": [box], "was_cancelled": True, "completed_by": {"email": "a@example.org"}}
    task = {"id": 1, "data": {"image": "x.jpg", "sample": sample}, "annotations": [first, second]}
    other = {"id": 2, "data": {"image": "y.jpg"}, "annotations": [first]}
    with make_desk(tmp_path, pets(question=[pets_topic()]), 2) as store:
        done = annotate.import_labels(store, "pets", json.dumps([task, other]), "labelstudio")
        assert (done.kept, len(done.failures)) == (2, 1)
        found = {
            (x.annotator, x.category, bool(x.skip)) for x in annotate.list_labels(store, "pets")
        }
        assert found == {("user 10", "cat", False), ("a@example.org", "", True)}


def test_the_flat_export_of_label_studio(tmp_path: Path) -> None:
    """JSON_MIN: data, answers and numbers of annotators side by side."""
    samples = [item.sample for item in items(2)]
    flat = [
        {
            "image": "/data/local-files/?d=images/x.jpg",
            "sample": sample,
            "text": "a cat on a mat",
            "id": 7 + number,
            "topic": "cat",
            "annotator": 3,
            "annotation_id": 9,
            "created_at": "2026-01-31T12:00:00.000000Z",
            "updated_at": "2026-01-31T12:00:00.000000Z",
            "lead_time": 2.5,
        }
        for number, sample in enumerate(samples)
    ]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    flat[1]["text"] = "describes"  # the answer stands where the data of this name was
    with make_desk(tmp_path / "one", pets(question=[pets_topic()]), 2) as store:
        assert annotate.import_labels(store, "pets", json.dumps(flat), "labelstudio").kept == 2
        found = {(x.annotator, x.category, x.seconds) for x in annotate.list_labels(store, "pets")}
        assert found == {("user 3", "cat", 2.5)}
    with make_desk(tmp_path / "two", pets(), 2) as store:
        done = annotate.import_labels(store, "pets", json.dumps(flat), "labelstudio")
        assert (done.kept, [x.url for x in done.failures]) == (1, samples[:1])
        assert "no answer to text:" in done.failures[0].reason
        with pytest.raises(InputError, match="JSON or JSON-MIN"):
            annotate.import_labels(store, "pets", json.dumps([{"image": "x.jpg"}]), "labelstudio")


@pytest.mark.parametrize(
    ("question", "category", "reason"),
    [
        ("topic", "cat", "no answer to text: all questions must be answered"),
        ("topic", "horse", "'horse' is no answer to 'topic'; answers are cat, other, pet"),
        ("colour", "red", "'colour' is no question of this task; it asks topic, text"),
    ],
)
def test_why_a_row_is_left_out(tmp_path: Path, question: str, category: str, reason: str) -> None:
    sample = items(1)[0].sample
    rows = f"sample\tannotator\tquestion\tcategory\n{sample}\tann\t{question}\t{category}\n"
    with make_desk(tmp_path, pets(), 1) as store:
        done = annotate.import_labels(store, "pets", rows, "tsv")
    assert (done.kept, len(done.failures)) == (0, 1)
    assert done.failures[0].reason.startswith(reason)


def pets_topic() -> dict[str, object]:
    return {"name": "topic", "text": "Which?", "categories": ["cat", "pet", "other"]}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("tsv", "nothing here"),
        ("json", "{"),
        ("json", "[]"),
        ("json", '{"labels": 3}'),
        ("json", "[" * 100_000),
        ("labelstudio", "{}"),
        ("labelstudio", "[1]"),
        ("labelstudio", '[{"annotations": 3}]'),
        ("xml", ""),
    ],
)
def test_what_holds_no_labels(answered: LabelStore, form: str, text: str) -> None:
    with pytest.raises(InputError):
        annotate.import_labels(answered, "pets", text, form)


def test_forms_by_name(answered: LabelStore) -> None:
    with pytest.raises(SettingsError, match="choose tsv, json, labelstudio"):
        annotate.export_labels(answered, "pets", "xls")
