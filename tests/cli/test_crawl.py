"""The commands on crawling, as a user meets them, on the demo web."""

import json
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.cli.output import show_bucket
from blickfang.cli.watch_crawl import describe, showing
from blickfang.config import load_settings, locking, open_collection
from blickfang.crawl import Standing
from blickfang.crawl.frontier.candidates import BEYOND_BUCKET, LAST_BUCKET, name_bucket
from blickfang.crawl.state.crawl_queries import recall_weights
from blickfang.demo import serving
from blickfang.io.warc import Archived, read_archive
from tests.cli.running import objects, run
from tests.crawl.sites import Sites, page
from tests.crawl.sites import serving as serving_sites

SEED = "http://wander-directory.test/"
SETTINGS = """
[topic]
positive = {positive}
neutral = {neutral}
[crawl]
seeds = ["{seed}"]
proxy = "{proxy}"
allow_private = true
delay_s = 0.01
max_pages = 25
shards = 2
{more}
[images]
min_width = 200
min_height = 150
"""


def write(folder: Path, proxy: str, positive: list[str], neutral: list[str], more: str) -> Path:
    folder.mkdir(exist_ok=True)
    text = SETTINGS.format(
        positive=json.dumps(positive),
        neutral=json.dumps(neutral),
        seed=SEED,
        proxy=proxy,
        more=more,
    )
    (folder / "blickfang.toml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with serving(0) as (web, address, _):
        positive, neutral = list(web.seed_pages("lighthouses")), list(web.neutral_pages())
        folder = tmp_path_factory.mktemp("crawl") / "lights"
        yield write(folder, address, positive, neutral, "")


@pytest.fixture(scope="module")
def crawled(collection: Path) -> dict[str, object]:
    learned = objects(run("learn", collection, "--json"))[0]
    assert learned["positive_pages"] == 6
    return objects(run("crawl", collection, "--json"))[0]


def test_a_crawl_ends_at_its_limit_and_says_so(crawled: dict[str, object]) -> None:
    assert crawled["stopped_because"] == "max_pages"
    assert crawled["pages"] == 25
    assert crawled["shards"] == 2


def test_what_was_fetched_in_order(collection: Path, crawled: dict[str, object]) -> None:
    pages, images = (objects(run(kind, collection, "--json")) for kind in ("pages", "images"))
    assert len(pages) == 25
    assert pages[0]["url"] == SEED
    assert [row["fetched_at"] for row in pages] == sorted(str(row["fetched_at"]) for row in pages)
    for name in ("url", "requested", "status", "fetched_at", "score", "perplexity", "depth", "via"):
        assert name in pages[-1]
    assert all((collection / "crawl" / str(row["warc"])).exists() for row in pages)
    assert all(int(str(row["width"])) >= 200 for row in images)
    shown = run("pages", collection).stdout.splitlines()
    assert shown[0].split() == ["score", "relevance", "depth", "url"]
    assert len(shown) == 26
    assert run("images", collection).stdout.split()[:4] == ["width", "height", "depth", "url"]
    status = objects(run("status", collection, "--json"))[0]
    assert (status["pages"], status["images"]) == (25, len(images))
    assert "queued pages" in run("status", collection).stdout
    hosts = {str(row["url"]).split("/")[2] for row in pages + images}
    assert len(hosts) <= int(str(status["hosts"])) <= len(hosts) + 3  # some have only failed
    assert status["hosts"] == crawled["hosts"]
    for name in ("failures", "skipped"):
        by_reason = status[name]
        assert isinstance(by_reason, dict)
        assert sum(by_reason.values()) == crawled[name]


@pytest.mark.usefixtures("crawled")
def test_the_last_bucket_is_called_so(collection: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(collection, folder)
    moved = move_to_last(folder)
    buckets = objects(run("status", folder, "--json"))[0]["queued_by_bucket"]
    assert buckets["100"] == len(moved)  # type: ignore[index]
    assert f"last: {len(moved)}\n" in run("status", folder).stdout
    told = run("explain", folder, moved[0]).stdout
    assert re.search(r"^bucket +last$", told, re.MULTILINE)
    assert "the page that names it repeats another one" in told
    assert "None" not in told


def test_buckets_have_the_same_names_everywhere() -> None:
    for bucket in (0, 1, LAST_BUCKET, BEYOND_BUCKET):
        assert show_bucket(bucket) == name_bucket(bucket)
    assert (show_bucket(LAST_BUCKET), show_bucket(BEYOND_BUCKET)) == ("last", "none")


def move_to_last(folder: Path) -> list[str]:
    """Put what is queued in one shard into the bucket behind all others; return what that is."""
    for path in (folder / "crawl").glob("shard-*/state.sqlite"):
        with closing(sqlite3.connect(path)) as db, db:
            moved = db.execute(
                "UPDATE urls SET bucket = 100 WHERE state = 0 AND kind = 0 RETURNING url"
            )
            if urls := [url for (url,) in moved]:
                return urls
    raise LookupError(folder)


@pytest.mark.usefixtures("crawled")
def test_why_and_by_whose_leave(collection: Path) -> None:
    assert run("consent", collection).returncode == 2
    assert "None" not in run("explain", collection, SEED).stdout
    why = objects(run("explain", collection, SEED, "--json"))[0]
    assert (why["state"], why["why"], why["bucket"]) == ("done", "seed", 0)
    never = run("explain", collection, "http://example.org/never")
    assert never.returncode == 1
    assert "never queued" in never.stderr
    trap = run("explain", collection, "http://example.org/a/b/a/b/a/b/a/b/")
    assert "left out: " in trap.stderr
    assert run("explain", collection, "nonsense").returncode == 1
    said = objects(run("consent", collection, SEED, "--json"))
    assert str(said[0]["source"]).endswith("/robots.txt")
    shown = run("consent", collection, SEED).stdout.splitlines()
    assert any(line.strip() == "User-agent: *" for line in shown)  # the file as it is written
    assert [line.split() for line in shown if "reasons" in line] == [["reasons", "–"]]


@pytest.mark.usefixtures("crawled")
def test_archives_are_read_with_the_same_scores(collection: Path) -> None:
    paths = sorted((collection / "crawl").glob("shard-*/*.warc.gz"))
    rows = {row["url"]: row for row in objects(run("read", collection, *paths, "--json"))}
    pages = objects(run("pages", collection, "--json"))
    assert {row["url"] for row in pages} <= set(rows)
    for row in pages:
        assert rows[row["url"]]["perplexity"] == pytest.approx(row["perplexity"])
    indexes = [path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj") for path in paths]
    assert sum(index.read_bytes().count(b"\n") for index in indexes) >= 25
    names, *lines = run("read", collection, *paths).stdout.splitlines()
    assert names.split() == ["score", "perplexity", "relevance", "url"]
    assert {len(line[: len(names) - 3].split()) for line in lines} == {3}
    assert len(lines) == len(rows)
    missing = run("read", collection, collection / "nothing.warc.gz")
    assert missing.returncode == 1
    assert "nothing.warc.gz" in missing.stderr


@pytest.mark.usefixtures("crawled")
def test_a_crawl_goes_on_and_asks_again(collection: Path) -> None:
    text = (collection / "blickfang.toml").read_text()
    (collection / "blickfang.toml").write_text(text.replace("max_pages = 25", "max_pages = 30"))
    assert objects(run("crawl", collection, "--json"))[0]["pages"] == 5
    again = objects(run("crawl", collection, "--again", "--json"))[0]
    assert again["pages"] == 30
    rows = objects(run("pages", collection, "--json"))
    assert len(rows) < 40  # nearly all have not changed, and are not sent
    status = objects(run("status", collection, "--json"))[0]
    assert status["hosts"] == again["hosts"]
    assert (status["pages"], status["asked_again"]) == (len({row["url"] for row in rows}), 30)
    assert int(str(status["images"])) == len(objects(run("images", collection, "--json")))
    assert float(str(status["mb"])) > 0
    other = run("crawl", collection, "--shards", "3")
    assert other.returncode == 0, other.stderr
    assert "hosts moved: the crawl now has 3 shards" in other.stderr


@pytest.mark.usefixtures("crawled")
def test_an_unfocused_crawl_shows_what_a_learned_topic_says(
    collection: Path, tmp_path: Path
) -> None:
    proxy = load_settings(collection / "blickfang.toml").crawl.proxy
    folder = write(tmp_path / "alike", proxy, [], [], 'mode = "unfocused"')
    found = objects(run("crawl", folder, "--json"))[0]
    assert found["on_topic_share"] is None  # nobody knows
    assert {row["relevance"] for row in objects(run("pages", folder, "--json"))} == {None}
    shutil.rmtree(folder / "crawl")
    shutil.copytree(collection / "topic", folder / "topic")
    found = objects(run("crawl", folder, "--json"))[0]
    assert 0 < float(str(found["on_topic_share"])) < 1
    rows = objects(run("pages", folder, "--json"))
    assert len({row["relevance"] for row in rows}) > 5
    assert None not in {row["perplexity"] for row in rows}


def test_a_line_names_who_is_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.cli.watch_crawl.LINE_S", 0.0)
    standing = Standing(0.0, queued=(3, 0), buckets=Counter({1: 2, 100: 1}))
    with showing() as show:
        show(replace(standing, blocking=("slow.test", 42.0)))
        show(replace(standing, in_flight=1, longest=("mute.test", 17.0)))
        show(replace(standing, in_flight=1, longest=("quick.test", 0.2)))
    first, second, third = capsys.readouterr().err.splitlines()
    assert first.endswith("waiting for slow.test, 42 s")
    assert second.endswith("waiting for an answer of mute.test since 17 s")
    assert "waiting" not in third
    assert ("in buckets", "1: 2, last: 1") in describe(standing)


@pytest.mark.usefixtures("crawled")
def test_calibration_places_boundaries_with_evidence(collection: Path) -> None:
    before = (collection / "blickfang.toml").read_text()
    found = objects(run("calibrate", collection, "--pages", "10", "--dry-run", "--json"))[0]
    assert (collection / "blickfang.toml").read_text() == before
    assert found["caught"] == 1.0
    assert run("calibrate", collection, "--pages", "10").returncode == 0
    settings = load_settings(collection / "blickfang.toml")
    assert list(settings.score.buckets) == found["buckets"]
    assert settings.score.razor > settings.score.buckets[-1] > settings.score.buckets[0]
    evidence = json.loads((collection / "calibration.json").read_text())
    assert evidence["caught"] == 1.0
    assert evidence["mode"] == "focused"  # focused+images has no such buckets
    assert sum(seed["pages"] for seed in evidence["seeds"]) == 10
    assert sum(evidence["filled"]) == pytest.approx(1)


@pytest.mark.usefixtures("crawled")
@pytest.mark.parametrize("mode", ["focused", "focused+keywords"])
def test_what_is_calibrated_is_what_the_queue_holds(
    collection: Path, tmp_path: Path, mode: str
) -> None:
    """The best bucket of a crawl is filled, and with what is on topic."""
    with serving(0) as (web, address, _):
        folder = tmp_path / "calibrated"
        hosts = {page.host for page in web.pages if page.topic == "lighthouses"}
        positive, neutral = list(web.seed_pages("lighthouses")), list(web.neutral_pages())
        write(folder, address, positive, neutral, f'mode = "{mode}"\nimages = false')
        text = (folder / "blickfang.toml").read_text()
        seeds = json.dumps([SEED, positive[0], neutral[0]])
        text = text.replace(f'["{SEED}"]', seeds).replace("max_pages = 25", "max_pages = 60")
        (folder / "blickfang.toml").write_text(text)
        shutil.copytree(collection / "topic", folder / "topic")
        told = run("calibrate", folder, "--pages", "30").stdout
        assert re.search(rf"{positive[0]} +\d+ +\d+", told)  # pages by seed
        assert run("crawl", folder).returncode == 0
    best = load_settings(folder / "blickfang.toml").score.buckets[0]
    rows = objects(run("pages", folder, "--json"))
    inside = [row for row in rows if row["score"] is not None and float(str(row["score"])) <= best]
    found = [str(row["url"]).split("/")[2] for row in inside]
    on_topic = [host for host in found if host in hosts]
    assert on_topic  # of which hosts: the few first pages of a crawl decide
    assert len(on_topic) > len(found) / 2
    queued = [row for row in rows if row["via"]]
    facts = [objects(run("explain", folder, str(row["url"]), "--json"))[0] for row in queued[:3]]
    for fact in facts:  # no number of the queue that is none of a text
        assert float(str(fact["score"])) < 1e6
        assert (fact["found_at"] is None) == (mode == "focused")


@pytest.mark.usefixtures("crawled")
def test_a_page_has_one_perplexity_whoever_tells_it(collection: Path, tmp_path: Path) -> None:
    rows = {row["url"]: row for row in objects(run("pages", collection, "--json"))}
    told = 0
    for path in (collection / "crawl").glob("shard-*/*.warc.gz"):
        for record in read_archive(path):
            if not isinstance(record, Archived) or record.kind != "response" or told == 3:
                continue
            row = rows.get(record.url)
            if row and row["perplexity"]:
                (tmp_path / "page.html").write_bytes(record.body)
                args = ("score", collection, "--file", tmp_path / "page.html", "--json")
                assert objects(run(*args))[0]["perplexity"] == pytest.approx(row["perplexity"])
                told += 1
    assert told == 3


def test_calibration_looks_at_the_hosts_of_its_settings(tmp_path: Path) -> None:
    words = "The robin sings at dawn in the old wood near the river. " * 30
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"{words} {name}")
        (tmp_path / f"no-{name}.txt").write_text(
            "Prices rose at markets in town today. " * 30 + name
        )
    sites = Sites({f"http://{name}.test/": page(text=words) for name in "ab"})
    with serving_sites(sites) as server:
        for seed, port in (
            ("a", server.address),
            ("b", server.address),
            ("b", "http://127.0.0.1:1"),
        ):
            more = 'mode = "focused+images"\n[focus]\nadapt = true'
            write(tmp_path, port, ["?.txt"], ["no-*.txt"], more)
            text = (tmp_path / "blickfang.toml").read_text()
            text = text.replace(SEED, f"http://{seed}.test/")
            (tmp_path / "blickfang.toml").write_text(text)
            if seed == "a":
                assert run("learn", tmp_path).returncode == 0
            if port != server.address:
                shutil.rmtree(tmp_path / "calibration")
            sites.asked.clear()
            done = run("calibrate", tmp_path, "--dry-run")
            if port == server.address:
                assert done.returncode == 0, done.stderr
                assert f"http://{seed}.test/" in sites.asked
    assert done.returncode != 0
    assert "came to nothing: the proxy 127.0.0.1:1 does not answer" in done.stderr
    assert "--pages 0" in done.stderr


@pytest.mark.usefixtures("crawled")
def test_another_topic_is_weighed_anew_against_the_hosts_of_the_crawl(collection: Path) -> None:
    weights = recall_weights(collection / "crawl")
    assert run("learn", collection).returncode == 0
    assert recall_weights(collection / "crawl") == weights  # the same pages, the same topic
    text = (collection / "blickfang.toml").read_text()
    first = load_settings(collection / "blickfang.toml").topic.positive[0]
    (collection / "blickfang.toml").write_text(text.replace(f'"{first}", ', ""))
    assert objects(run("learn", collection, "--json"))[0]["positive_pages"] == 5
    renewed = recall_weights(collection / "crawl")
    assert renewed != weights
    neutral = load_settings(collection / "blickfang.toml").topic.neutral
    text = (collection / "blickfang.toml").read_text()
    (collection / "blickfang.toml").write_text(text.replace(f', "{neutral[-1]}"', ""))
    assert run("learn", collection).returncode == 0
    assert recall_weights(collection / "crawl") not in (weights, renewed)


def test_what_is_missing_is_said_before_anything_begins(tmp_path: Path) -> None:
    (tmp_path / "blickfang.toml").write_text("[crawl]\n")
    assert "names no addresses" in run("crawl", tmp_path).stderr
    (tmp_path / "blickfang.toml").write_text('[crawl]\nseeds = ["https://example.org/"]\n')
    assert "must be able to reach you" in run("crawl", tmp_path).stderr
    settings = '[crawl]\nseeds = ["https://example.org/"]\ncontact = "mailto:me@my.org"\n'
    (tmp_path / "blickfang.toml").write_text(settings)
    assert "no topic is learned yet" in run("crawl", tmp_path).stderr
    assert "there is no crawl" in run("status", tmp_path).stderr


@pytest.mark.usefixtures("crawled")
def test_a_crawl_that_fetched_nothing_has_failed(collection: Path, tmp_path: Path) -> None:
    shutil.copytree(collection / "topic", tmp_path / "topic")
    with socket.socket() as closed:  # a port on which nobody answers
        closed.bind(("127.0.0.1", 0))
        seed = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        settings = f'[crawl]\nseeds = ["{seed}"]\nallow_private = true\ndelay_s = 0.01\n'
        (tmp_path / "blickfang.toml").write_text(settings + "retries = 0\n")
        done = run("crawl", tmp_path)
        refused = settings.replace("allow_private = true\ndelay_s = 0.01\n", "")
        (tmp_path / "other").mkdir()
        shutil.copytree(collection / "topic", tmp_path / "other" / "topic")
        (tmp_path / "other" / "blickfang.toml").write_text(
            refused + 'contact = "mailto:me@my.org"\n'
        )
        private = run("crawl", tmp_path / "other")
    assert done.returncode == 1
    assert "not one page could be fetched" in done.stderr
    assert "--retry-failed" in done.stderr
    assert "allow_private" not in done.stderr
    assert "allow_private = true" in private.stderr, private.stderr


@pytest.mark.usefixtures("crawled")
def test_a_disk_that_is_nearly_full_ends_a_crawl_with_its_own_code(
    collection: Path, tmp_path: Path
) -> None:
    shutil.copytree(collection / "topic", tmp_path / "topic")
    settings = (collection / "blickfang.toml").read_text()
    (tmp_path / "blickfang.toml").write_text(
        settings.replace("[crawl]", "[crawl]\nmin_disk_mb = 1e12")
    )
    done = run("crawl", tmp_path)
    assert (done.returncode, "make room" in done.stderr) == (13, True), done.stderr


@pytest.mark.parametrize("more", [(), ("--rebuild",), ("--again",)])
def test_a_second_crawl_is_refused_before_it_promises_anything(
    collection: Path, more: tuple[str, ...]
) -> None:
    with locking(open_collection(collection)):
        done = run("crawl", collection, *more)
    assert done.returncode == 4
    assert done.stderr.strip() == f"error: another Blickfang is working in {collection}"


def test_an_interrupted_crawl_saves(collection: Path, tmp_path: Path) -> None:
    settings = load_settings(collection / "blickfang.toml")
    more = 'mode = "unfocused"'
    folder = write(tmp_path / "slow", settings.crawl.proxy, [], [], more)
    text = (folder / "blickfang.toml").read_text()
    (folder / "blickfang.toml").write_text(
        text.replace("delay_s = 0.01", "delay_s = 0.3").replace("max_pages = 25", "max_pages = 0")
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "blickfang", "crawl", str(folder), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(200):
        time.sleep(0.1)
        if run("pages", folder).stdout.count("\n") > 4:  # the first names columns
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 11, err
    assert "goes on" in err
    done = json.loads(out)
    assert done["stopped_because"] == "interrupted"
    assert len(run("pages", folder).stdout.splitlines()[1:]) == done["pages"]
