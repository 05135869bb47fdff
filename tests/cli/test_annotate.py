"""The commands of annotating, as a user meets them; and what labels teach."""

import hashlib
import json
import mimetypes
import shutil
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.corpus import open_corpus
from blickfang.crawl.focus.background import pack_samples, take_sample
from blickfang.crawl.focus.background_state import replace_weights
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.crawl.state.state_db import StateDb
from blickfang.text.lm.kneser_ney import LittleTextWarning
from blickfang.text.words import read_many
from blickfang.web import annotate
from blickfang.web.annotate import LabelStore, open_store
from blickfang.web.annotate.record_labels import Submission
from blickfang.web.annotate.relearn import judge
from tests.samples.archives import draw, make_collection, page, picture, write_archive


def run(*args: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, ["annotate", *map(str, args)])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows, done.output


PLACES = ("Skarvoe", "Dunmarrow", "Eddyrock", "Lanner", "Stoer", "Thorn", "Corran", "Whin")
COLOURS = ("red", "white", "green", "black")
SHORE = "The lighthouse of {} is a {} tower on a rock; its lamp shines over the sea every night."
SHOP = "This {1} lamp named {0} brings light into every room; its tower of glass is made by hand."
FIELD = "The kite {} is {} and flies over the meadow on a long line when the wind is strong."


def tell(kind: str, number: int) -> str:
    return kind.format(PLACES[number % len(PLACES)], COLOURS[number % 4])


def make_page(host: str, number: int, text: str) -> list[Any]:
    html = (
        f"<title>{text[:30]}</title><p>{text} {text[::-1]}</p><figure><img src=/{number}.png "
        f"alt='{text[:25]}'><figcaption>{text} Number {number}.</figcaption></figure>"
    )
    seed = sum(map(ord, host)) + 7 * number
    shot = picture(f"http://{host}/{number}.png", draw(seed, 200, 150))
    return [page(f"http://{host}/{number}", html), shot]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A topic, archives and a corpus: lighthouses, lamps that are nearly the same, and kites."""
    root = tmp_path_factory.mktemp("story") / "demo"
    make_collection(root, '[topic]\npositive = ["on.txt"]\nneutral = ["off*.txt"]')
    (root / "on.txt").write_text(" ".join(tell(SHORE, n) for n in range(6)))
    (root / "off.txt").write_text(" ".join(tell(FIELD, n) for n in range(6)))
    (root / "off2.txt").write_text("The mushroom grows in the wood. Stock prices fell again today.")
    sites = {"shore.test": SHORE, "shop.test": SHOP, "field.test": FIELD}
    answers = [
        part
        for host, kind in sites.items()
        for number in range(10)
        for part in make_page(host, number, tell(kind, number))
    ]
    write_archive(root / "a.warc.gz", answers)
    store = StateDb(root / "crawl" / "shard-00" / "state.sqlite")
    for host, kind in sites.items():
        words = read_many([" ".join(tell(kind, number) for number in range(10))])
        sample = take_sample(host, words.hashes)
        assert sample is not None
        store.db.execute(
            "INSERT INTO samples (host, data) VALUES (?, ?)", (host, pack_samples([sample]))
        )
    store.commit()
    store.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LittleTextWarning)  # it is a small web
        for command in ("learn", "build"):
            done = CliRunner().invoke(app, [command, str(root)])
            assert done.exit_code == 0, done.output
    return root


@pytest.fixture
def root(demo: Path, tmp_path: Path) -> Path:
    shutil.copytree(demo, tmp_path / "demo")
    return tmp_path / "demo"


def answer_all(store: LabelStore, task: str) -> None:
    """Let everybody answer what the words of page and text say."""
    sent = 0
    for who in annotate.list_annotators(store, task):
        while units := annotate.assign(store, who, 20).units:
            answers = []
            for unit in units:
                topic = "topic" if "lighthouse" in unit.item.text else "other"
                said = {"topic": topic, "text": "describes"}
                sent += 1
                answers.append(Submission(f"c{sent}", unit.id, said, seconds=1.0))
            annotate.keep(store, who, answers)


def test_a_task_from_beginning_to_end(root: Path, tmp_path: Path) -> None:
    code, (made,), _ = run("new", root, "--count", "8", "--how", "random", "--json")
    assert (code, made["task"], made["items"], made["needed"]) == (0, "topic", 8, 24)
    code, links, _ = run("invite", root, "topic", "Ada", "Ben", "Cleo", "--json")
    assert [link["name"] for link in links] == ["Ada", "Ben", "Cleo"]
    assert all(link["link"].startswith("http://127.0.0.1:8765/a/") for link in links)
    assert run("invite", root, "topic", "--json")[1] == links
    with open_store(root) as store:
        answer_all(store, "topic")
    code, (results,), _ = run("results", root, "topic", "--json")
    assert (results["given"], results["finished"]) == (24, 8)
    topic = results["questions"][0]
    assert sum(topic["tally"]["majority"].values()) == 8
    assert "Cohen" in run("results", root, "topic")[2]
    for form in ("tsv", "json", "labelstudio"):
        assert run("export", root, "topic", tmp_path / form, "--to", form)[0] == 0
        code, (done,), _ = run("import", root, "topic", tmp_path / form, "--from", form, "--json")
        assert (code, done["kept"], done["again"]) == (0, 0, 24)
    assert (tmp_path / "labelstudio.xml").exists()
    tasks = json.loads((tmp_path / "labelstudio").read_text())
    for task in tasks:  # as Label Studio does, with this folder as its document root
        address = urlsplit(task["data"]["image"])
        assert address.path == "/data/local-files/"
        shown = tmp_path / parse_qs(address.query)["d"][0]
        assert mimetypes.guess_type(shown)[0] in ("image/jpeg", "image/png", "image/webp")
        assert hashlib.sha256(shown.read_bytes()).hexdigest().startswith(task["data"]["sample"])
    assert len(tasks) == len(list((tmp_path / "images").iterdir())) == 8
    code, _, said = run("export", root, "topic", root / "labels.sqlite")
    assert (code, "write to another file" in said) == (4, True)
    assert run("revoke", root, "topic", "Ada", "--discard")[0] == 0
    assert run("tasks", root, "--json")[1][0]["given"] == 16
    assert run("close", root, "topic")[0] == 0
    assert "closed" in run("tasks", root)[2]


def test_what_is_removed_is_not_asked_about_and_not_passed_on(root: Path, tmp_path: Path) -> None:
    run("new", root, "--count", "4", "--json")
    run("invite", root, "topic", "Ada", "--json")
    with open_store(root) as store:
        answer_all(store, "topic")
        gone, lost = (item.sample for item in annotate.list_items(store, "topic")[:2])
        host = annotate.list_items(store, "topic")[2].page_url
    (root / "removals.txt").write_text(f"{gone}\n{host}\n")
    for form in ("tsv", "json", "labelstudio"):
        assert run("export", root, "topic", tmp_path / form, "--to", form)[0] == 0
        text = (tmp_path / form).read_text()
        assert (gone in text, host in text, lost in text) == (False, False, True)
    run("new", root, "--count", "4", "--name", "again", "--json")
    with open_store(root) as store:
        chosen = [item.sample for item in annotate.list_items(store, "again")]
    assert (len(chosen), gone in chosen) == (4, False)
    shutil.rmtree(root / "corpus")  # what the list names is known without it
    assert run("export", root, "topic", tmp_path / "later")[0] == 0
    assert gone not in (tmp_path / "later").read_text()


def test_a_task_of_ones_own(root: Path, tmp_path: Path) -> None:
    code, _, shown = run("new", root, "--preset", "cats", "--show")
    assert code == 0
    path = tmp_path / "birds.toml"
    path.write_text(shown.replace('name = "cats"', 'name = "birds"', 1), encoding="utf-8")
    code, (made,), _ = run("new", root, "--file", path, "--count", "5", "--json")
    assert (code, made["task"], made["items"]) == (0, "birds", 5)


def test_texts_of_several_methods(root: Path) -> None:
    code, (made,), _ = run("new", root, "--preset", "context", "--count", "6", "--json")
    assert (code, made["items"] + made["left_out"]) == (0, 6)
    assert made["items"] >= 5
    with open_store(root) as store:
        proposed = [
            m
            for item in annotate.list_items(store, "context")
            for v in item.variants
            for m in v.methods
        ]
        texts = [[v.text for v in item.variants] for item in annotate.list_items(store, "context")]
    assert set(proposed) <= {"best", "repeats", "paragraph", "monash"}
    assert proposed.count("best") == made["items"]
    assert all(len(set(some)) == len(some) >= 1 for some in texts)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("results", "topic"), 1, "no annotation task"),
        (("new", "--preset", "nonsense"), 4, "choose topic, cats, context"),
        (("new", "--how", "facet"), 4, "facet"),
        (("new", "--file", "none.toml"), 4, "there is no"),
        (("new", "--where", "width >= 1000000"), 1, "leaves none"),
    ],
)
def test_mistakes_are_told(root: Path, args: tuple[str, ...], code: int, message: str) -> None:
    command, *rest = args
    got, _, said = run(command, root, *rest)
    assert (got, message in said) == (code, True), said


@pytest.mark.filterwarnings("ignore::blickfang.text.lm.kneser_ney.LittleTextWarning")
def test_labels_teach_the_topic_and_rank_the_corpus(root: Path) -> None:
    run("new", root, "--count", "30", "--annotators", "1")
    run("invite", root, "topic", "Ada")
    with open_store(root) as store:
        answer_all(store, "topic")
    ranks = open_corpus(root).table(["id", "rank"]).to_pylist()
    before = (root / "blickfang.toml").read_text(encoding="utf-8")
    code, (tried,), said = run("learn", root, "topic", "--dry-run", "--json")
    assert code == 0, said
    assert tried["corpus_after"] is None
    assert (root / "blickfang.toml").read_text(encoding="utf-8") == before
    replace_weights(root / "crawl", b"learned by a crawl")
    code, (done,), said = run("learn", root, "topic", "--json")
    assert code == 0, said
    assert done["before"] == tried["before"]
    assert done["after"]["average_precision"] >= done["before"]["average_precision"]
    assert done["corpus_after"]["average_precision"] >= done["corpus_before"]["average_precision"]
    renewed = recall_weights(root / "crawl")  # learned again against what the crawl met
    assert renewed not in (None, b"learned by a crawl")
    assert list((root / "labelled" / "topic").glob("on-topic-*.txt"))
    assert "labelled/topic/on-topic-*.txt" in (root / "blickfang.toml").read_text(encoding="utf-8")
    assert open_corpus(root).table(["id", "rank"]).to_pylist() != ranks
    assert {row["id"] for row in ranks} <= {
        row["id"] for row in open_corpus(root).table(["id"]).to_pylist()
    }


def test_too_few_labels_teach_nothing(root: Path) -> None:
    run("new", root, "--count", "4", "--annotators", "1")
    code, _, said = run("learn", root, "topic")
    assert code == 1
    assert "annotate more" in said


def test_how_a_ranking_is_judged() -> None:
    assert judge([(1.0, False), (2.0, True)]).average_precision == 0.5
    assert judge([(1.0, False), (1.0, True)]).average_precision == 0.5  # a tie is bad luck
    assert judge([]).precision == 0.0
