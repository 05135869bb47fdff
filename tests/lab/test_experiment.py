"""Experiments: plans with every mistake named, crawls that are run once, figures that are right."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.config import open_collection
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.experiment import TopicTruth, compare, consult, load_plan, run_experiment
from blickfang.crawl.experiment.experiment_plan import read_plan
from blickfang.crawl.experiment.experiment_runner import Result
from blickfang.crawl.experiment.measure_crawls import Measured, draw_curve, rate_pages
from blickfang.crawl.experiment.oracle import Consulted
from blickfang.crawl.replay.replay import Sight, open_web
from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.text import load_topic
from tests.lab.webs import PER_HOST, list_answers, record

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive, a truth and a plan."""
    folder = tmp_path_factory.mktemp("home")
    record(folder)
    pages, images = ["url\ttopic"], ["image_url\ttopic\twidth\theight"]
    for url, (_, kind, _) in list_answers().items():
        topic = "owls" if "owls.test" in url or "night.test" in url else "noise"
        if kind == "text/html":
            pages.append(f"{url}\t{topic}")
        elif kind == "image/png":
            images.append(f"{url}\t{topic}\t600\t400")
    (folder / "pages.tsv").write_text("\n".join(pages) + "\n")
    (folder / "images.tsv").write_text("\n".join(images) + "\n")
    (folder / "plan.toml").write_text(PLAN)
    return folder


PLAN = """
[experiment]
modes = ["unfocused", "focused+images"]
draws = 2
truth = "pages.tsv"
truth_images = "images.tsv"
[webs.small]
archive = ["web-*.warc.gz"]
seeds = ["http://old.test/"]
[topics.owls]
positive = ["http://owls.test/1", "http://owls.test/2", "http://owls.test/3"]
take = 2
neutral = ["http://cars.test/1", "http://law.test/2"]
[variants.eager.focus]
probe_every = 0
"""


def run(home: Path, folder: Path, told: list[str] | None = None) -> list[Result]:
    """Run the plan."""
    names: list[str] = [] if told is None else told
    return run_experiment(load_plan(home / "plan.toml"), folder, lambda _, __, n: names.append(n))


def test_an_experiment_compares_and_is_run_once(home: Path, tmp_path: Path) -> None:
    """Focus beats breadth first; a second run takes what the first one found."""
    results = run(home, tmp_path)
    assert [result.name for result in results] == [
        "small~owls~unfocused~0",
        *(f"small~owls~{way}~{n}" for way in ("focused+images", "eager") for n in range(2)),
    ]
    lines = {line.way: line for line in compare(results).lines}
    ours, breadth = lines["focused+images"], lines["unfocused"]
    assert ours.pages.mean is not None
    assert breadth.pages.mean is not None
    assert ours.pages.mean > breadth.pages.mean + 0.2
    assert ours.wins == 1
    assert ours.oracle is not None
    assert ours.share == pytest.approx(ours.pages.mean / ours.oracle)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}
    again = run(home, tmp_path)
    assert again == results
    assert stamps == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}


def test_only_what_is_missing_is_run_again(home: Path, tmp_path: Path) -> None:
    """A crawl without a result, as after a kill, is run anew and comes out the same."""
    results = run(home, tmp_path)
    lost = tmp_path / "cells" / "small~owls~eager~1"
    (lost / "result.json").unlink()
    kept = tmp_path / "cells" / "small~owls~eager~0" / "result.json"
    before = kept.stat().st_mtime_ns
    again = run(home, tmp_path)
    assert [one.measured for one in again] == [one.measured for one in results]
    assert kept.stat().st_mtime_ns == before


def test_other_settings_are_another_crawl(home: Path, tmp_path: Path) -> None:
    """A plan that changed is not answered from what was kept."""
    run(home, tmp_path)
    plan = load_plan(home / "plan.toml")
    plan.ways["eager"]["focus"]["probe_every"] = 2
    other = run_experiment(plan, tmp_path, lambda *_: None)
    text = (tmp_path / "cells" / other[-1].name / "blickfang.toml").read_text()
    assert "probe_every = 2" in text


def test_the_command_writes_a_page_and_json(home: Path, tmp_path: Path) -> None:
    """Both files are there, whole, and fetch nothing."""
    result = CliRunner().invoke(
        app, ["experiment", str(home / "plan.toml"), "-o", str(tmp_path / "out"), "--json"]
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "comparison.html").read_text()
    assert "<svg" in page
    assert "focused+images" in page
    assert "<script" not in page
    assert "src=" not in page
    written = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert {line["way"] for line in written["lines"]} == {"unfocused", "focused+images", "eager"}


def test_without_truth_one_ruler_judges_all(home: Path, tmp_path: Path) -> None:
    """The ruler finds the pages on owls."""
    path = home / "by-score.toml"
    text = PLAN.replace('truth = "pages.tsv"', "pages = 20").replace(
        'truth_images = "images.tsv"', ""
    )
    path.write_text(text)
    results = run_experiment(load_plan(path), tmp_path, lambda *_: None)
    comparison = compare(results)
    assert not comparison.has_truth
    lines = {line.way: line for line in comparison.lines}
    ours, breadth = (lines[way].by_score.mean for way in ("focused+images", "unfocused"))
    assert ours is not None
    assert breadth is not None
    assert ours > breadth
    assert lines["unfocused"].oracle is None


def test_the_ruler_finds_the_archive_of_a_crawl_wherever_one_stands(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a live crawl in a folder with a relative name, as OUT is by default."""
    folder = tmp_path / "cells" / run(home, tmp_path)[1].name
    shutil.copy(home / "web-00000.warc.gz", folder / "crawl")
    monkeypatch.chdir(tmp_path)
    counts = []
    for root in (folder, folder.relative_to(tmp_path)):
        collection = open_collection(root)
        rows = list(list_fetched(collection, "page"))
        counts.append(sum(rate_pages(collection, None, rows)))
    assert counts[0] == counts[1] > 0


@pytest.fixture(scope="module")
def sight(home: Path) -> Sight:
    """The recorded web."""
    return open_web([home / "web-00000.warc.gz"])


def test_the_oracle_goes_straight_to_the_topic(home: Path, sight: Sight) -> None:
    """One redirected seed page off the topic, then nothing but owls."""
    truth = TopicTruth(home / "pages.tsv", home / "images.tsv")
    found = consult(sight, ["http://old.test/"], truth, "owls")
    wanted = 2 * PER_HOST
    assert found.pages == pytest.approx((wanted - 1) / wanted)
    assert found.images == 1.0


def test_an_oracle_that_reaches_nothing_says_so(home: Path, sight: Sight) -> None:
    """A seed that is not recorded leads nowhere."""
    truth = TopicTruth(home / "pages.tsv", None)
    assert consult(sight, ["http://nowhere.test/"], truth, "owls") == Consulted(0.0, 0.0, 0)


def test_figures_are_means_over_topics_of_means_over_draws() -> None:
    """A topic with more draws counts no more than another."""

    def result(topic: str, draw: int, precision: float) -> Result:
        measured = Measured(10, 0, 1, precision, None, 0.0, [])
        return Result("w", topic, "way", draw, measured, Consulted(0.8, 0.0, 10), 1.0)

    line = compare([result("a", 0, 0.2), result("a", 1, 0.4), result("b", 0, 0.5)]).lines[0]
    assert line.pages.mean == pytest.approx(0.4)
    assert line.pages.spread == pytest.approx(0.1 * 2**0.5)  # of a: b has one draw
    assert line.share == pytest.approx(0.5)


def test_a_curve_is_the_share_so_far() -> None:
    """Whatever the number of points."""
    hits = [number % 3 == 0 for number in range(500)]
    for place, share in draw_curve(hits):
        assert share == pytest.approx(sum(hits[:place]) / place)


def test_draws_are_the_same_for_everybody_and_differ(home: Path) -> None:
    """The seed decides, not the machine."""
    first, second = (load_plan(home / "plan.toml") for _ in range(2))
    assert first.topics == second.topics
    positive = [f"http://owls.test/{n}" for n in range(30)]
    plan = read_plan(
        {"experiment": {"draws": 3}, "topics": {"a": {"positive": positive, "take": 5}}}, home
    )
    drawn = [tuple(draw.positive) for draw in plan.topics[0].draws]
    assert len(set(drawn)) == 3
    assert all(len(one) == 5 for one in drawn)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "at least one topic"),
        ({"topics": {"a": {}}}, "no positive pages"),
        ({"topic": {}}, "topic in the file"),
        ({"topics": {"../a": {"positive": ["x"]}}}, "is no name"),
        ({"topics": {"a": {"positive": "x"}}}, "list of texts"),
        ({"experiment": {"modes": ["fast"]}, "topics": {"a": {"positive": ["x"]}}}, "modes must"),
        ({"experiment": {"draws": -1}}, "whole number"),
        ({"experiment": {"modes": []}, "topics": {"a": {"positive": ["x"]}}}, "nothing to compare"),
        ({"webs": {"w": {"archives": []}}}, "archives in"),
        ({"topics": {"a": {"positive": ["x"]}}, "variants": {"unfocused": {}}}, None),
    ],
)
def test_mistakes_in_a_plan_are_named(
    tables: dict[str, Any], message: str | None, tmp_path: Path
) -> None:
    """Before anything is crawled."""
    if message is None:
        assert read_plan(tables, tmp_path).ways == {"unfocused": {}}
        return
    with pytest.raises(SettingsError, match=message):
        read_plan(tables, tmp_path)


def write_pages(folder: Path) -> None:
    """Write pages to learn from beside a plan."""
    for url, (_, kind, body) in list_answers().items():
        host, _, name = url.removeprefix("http://").partition("/")
        if kind == "text/html" and name in {"1", "2", "3"}:
            (folder / host).mkdir(parents=True, exist_ok=True)
            (folder / host / f"{name}.html").write_bytes(body)


LOCAL = """
[experiment]
modes = ["focused+images"]
truth = "pages.tsv"
[webs.small]
archive = ["web-*.warc.gz"]
seeds = ["http://old.test/"]
[topics.owls]
positive = ["learn/owls.test/*.html"]
neutral = ["learn/cars.test", "http://law.test/2"]
[variants.fewer.topic]
positive = ["learn/owls.test/1.html"]
"""


@pytest.mark.parametrize("out", ["plan", "../elsewhere"])
def test_pages_to_learn_from_are_named_from_the_folder_of_the_plan(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """Wherever the crawls lie; moved together they are not run again, with other pages they are."""
    here = tmp_path / "odd [1]"
    shutil.copytree(home, here)
    write_pages(here / "learn")
    (here / "local.toml").write_text(LOCAL)
    monkeypatch.chdir(here)
    results = run_experiment(load_plan(Path("local.toml")), Path(out), lambda *_: None)
    learned = [
        load_topic(Path(out) / "cells" / result.name / "topic").positive_pages for result in results
    ]
    assert learned == [3, 1]
    moved = tmp_path / "moved" / "odd [1]"
    moved.parent.mkdir()
    here.rename(moved)
    if out != "plan":
        (tmp_path / "elsewhere").rename(tmp_path / "moved" / "elsewhere")
    monkeypatch.chdir(moved)
    kept = [moved / out / "cells" / result.name / "result.json" for result in results]
    stamps = [path.stat().st_mtime_ns for path in kept]
    run_experiment(load_plan(Path("local.toml")), Path(out), lambda *_: None)
    assert [path.stat().st_mtime_ns for path in kept] == stamps
    (moved / "learn" / "owls.test" / "3.html").write_text("<p>the owl is awake")
    run_experiment(load_plan(Path("local.toml")), Path(out), lambda *_: None)
    again = [path.stat().st_mtime_ns for path in kept]
    assert [now == before for now, before in zip(again, stamps, strict=True)] == [False, True]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("learn/owls.test/*.html", "lern/*.html"), r"nothing matches 'lern/\*\.html' in "),
        (("learn/cars.test", "gone"), "nothing matches 'gone' in "),
        (("owls.test/1.html", "owls.test/9.html"), r"nothing matches 'learn/owls.test/9\.html'"),
        (("http://law.test/2", "http://"), "http:// is no address"),
        (
            (
                "[variants.fewer.topic]",
                "[variants.odd.focus]\nprobe_ever = 3\n[variants.fewer.topic]",
            ),
            "odd on small: probe_ever in .focus. is no setting",
        ),
        (("[topics.owls]", '[webs.other]\narchive = ["x"]\n[topics.owls]'), "names no archive"),
    ],
)
def test_what_a_plan_names_in_vain_is_told_before_any_crawl(
    home: Path, tmp_path: Path, wrong: tuple[str, str], message: str
) -> None:
    """Also what only the last crawl needs."""
    shutil.copytree(home, tmp_path / "home")
    write_pages(tmp_path / "home" / "learn")
    (tmp_path / "home" / "local.toml").write_text(LOCAL.replace(*wrong))
    with pytest.raises(BlickfangError, match=message):
        run_experiment(load_plan(tmp_path / "home" / "local.toml"), tmp_path / "o", lambda *_: None)
    assert not (tmp_path / "o").exists()


def test_seeds_that_are_not_recorded_are_told(home: Path, tmp_path: Path) -> None:
    """A crawl of nothing looked like a poor way to crawl."""
    (home / "far.toml").write_text(PLAN.replace("http://old.test/", "http://nowhere.test/"))
    with pytest.raises(InputError, match=r"has no page of http://nowhere\.test/; seeds must be"):
        run_experiment(load_plan(home / "far.toml"), tmp_path, lambda *_: None)


def test_a_truth_needs_its_columns(tmp_path: Path) -> None:
    """A table without topics is no truth."""
    path = tmp_path / "t.tsv"
    path.write_text("url\tname\nhttp://a.test/\tx\n")
    with pytest.raises(InputError, match="columns"):
        TopicTruth(path, None)


def test_unlisted_pages_are_as_their_host_if_that_is_of_one_topic(tmp_path: Path) -> None:
    """A host with two topics says nothing of a page that is not listed."""
    path = tmp_path / "t.tsv"
    rows = ["url\ttopic", "http://a.test/1\towls", "http://b.test/1\towls", "http://b.test/2\tcars"]
    path.write_text("\n".join(rows))
    truth = TopicTruth(path, None)
    assert truth.topic_of("http://a.test/9") == "owls"
    assert truth.topic_of("http://b.test/9") == ""
    assert truth.topic_of("http://b.test/2") == "cars"
    assert truth.count_pages("owls") == 2
