"""What people said reaches the report: counted again from the labels as they are exported."""

import csv
import io
import random
from collections import Counter, defaultdict
from pathlib import Path

from blickfang.config import open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import build
from blickfang.web import annotate
from blickfang.web.annotate import make_task, open_store
from blickfang.web.annotate.item_selection import TaskItem
from blickfang.web.annotate.record_labels import Submission
from blickfang.web.annotate.task_presets import preset_values
from blickfang.web.report.run_report import find_annotations
from tests.samples.archives import draw, make_collection, page, picture, write_archive

SITE = "http://a.test"
NAMES = ("lighthouse", "windmill", "castle", "harbour", "bridge", "tower", "mill", "barn")


def fill(root: Path) -> None:
    """Make a corpus of eight pictures, fetched one day after another."""
    make_collection(root)
    answers = []
    for day, name in enumerate(NAMES, 1):
        date = f"2026-01-{day:02}T00:00:00Z"
        html = (
            f"<title>{name}</title><figure><img src={name}.png alt='{name}'>"
            f"<figcaption>A fine {name} by the sea</figcaption></figure>"
        )
        answers += [page(f"{SITE}/{name}", html, date)]
        answers += [picture(f"{SITE}/{name}.png", draw(day * 31, 200, 150), date)]
    write_archive(root / "a.warc.gz", answers)
    build(open_collection(root))


def label(root: Path) -> str:
    """Let three people answer all, not always alike; return the labels as TSV."""
    chance = random.Random(4)  # noqa: S311 -- repeatable
    task = make_task({"name": "towers", **preset_values("topic")})
    topics = [category.name for category in task.questions[0].categories]
    relations = [category.name for category in task.questions[1].categories]
    with open_store(root) as store:
        rows = open_corpus(root).table(["id", "caption"]).to_pylist()
        annotate.add_task(store, task, [TaskItem(row["id"], row["caption"]) for row in rows])
        for name in ("ann", "bob", "eve"):
            annotate.invite(store, "towers", name)
        people = annotate.list_annotators(store, "towers")
        asked = len(people) * len(NAMES)
        for turn in range(asked):
            who = people[turn % len(people)]
            for unit in annotate.assign(store, who, 1).units:
                answers = {
                    "topic": topics[0] if chance.random() < 0.7 else chance.choice(topics),
                    "text": relations[0] if chance.random() < 0.7 else chance.choice(relations),
                }
                annotate.keep(store, who, [Submission(f"c{turn}", unit.id, answers)])
        return annotate.export_labels(store, "towers", "tsv")


def test_votes_and_candidates_as_counted_from_the_export(tmp_path: Path) -> None:
    fill(tmp_path)
    assert find_annotations(open_collection(tmp_path), None) == ()
    exported = label(tmp_path)
    corpus = open_corpus(tmp_path)
    (task,) = find_annotations(open_collection(tmp_path), corpus)
    votes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(exported), delimiter="\t", quoting=csv.QUOTE_NONE):
        votes[row["question"], row["sample"]].append(row["category"])
    most: dict[str, dict[str, str]] = {"topic": {}, "text": {}}
    for (question, sample), said in votes.items():
        assert len(said) == 3
        winner, count = Counter(said).most_common(1)[0]
        if count >= 2:
            most[question][sample] = winner
    plain = {each.question: each for each in task.votes if not each.merge}
    for question, found in most.items():
        counted = Counter(found.values())
        expected = tuple(counted[name] for name in plain[question].categories)
        assert plain[question].majority == expected
        assert plain[question].items == len(NAMES)
        assert plain[question].disagreement == len(NAMES) - len(found)
    for counts, topic in zip(task.candidates, task.topics, strict=True):
        ours = [sample for sample, found_topic in most["topic"].items() if found_topic == topic]
        for number, relation in zip(counts, task.relations, strict=True):
            assert number == sum(most["text"].get(sample) == relation for sample in ours)
    dates = {row["id"]: row["fetched_at"] for row in corpus.table(["id", "fetched_at"]).to_pylist()}
    in_order = sorted(most["topic"], key=lambda sample: dates[sample])
    assert task.over_time == tuple(most["topic"][sample] for sample in in_order)
    assert task.on_topic == ("topic",)
    assert any(each.merge for each in task.votes)
    assert len(plain["topic"].pairs) == 3
