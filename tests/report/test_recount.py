"""The numbers of a report on a real crawl, against a slow recount by other means."""

import json
import math
import shutil
import sqlite3
import warnings
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from blickfang.cli import app
from blickfang.config import open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.build import build
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.run import crawl
from blickfang.demo import serving
from blickfang.demo.story import save_pages
from blickfang.html import read
from blickfang.text import load_topic
from blickfang.text.words import read_words
from blickfang.types import Page, Response
from blickfang.web.report import Run
from blickfang.web.report.rescore_pages import choose_judge
from blickfang.web.report.run_report import gather_run
from tests.samples.archives import draw, make_collection, page, picture, write_archive

SETTINGS = """
[topic]
positive = ["pages/*"]
neutral = ["neutral/*"]
[crawl]
seeds = ["{seed}"]
proxy = "{proxy}"
allow_private = true
delay_s = 0.3  # or a quick machine would have all pages before it learns a background
max_pages = 40
patience_s = 0.0
shards = 2
[images]
min_width = 200
min_height = 150
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "lights"
    folder.mkdir()
    with serving(0) as (web, address, fetch), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # six pages are little text
        text = SETTINGS.format(seed=web.start_urls[0], proxy=address)
        save_pages(folder / "pages", web.seed_pages("lighthouses"), fetch)
        save_pages(folder / "neutral", web.neutral_pages(), fetch)
        (folder / "blickfang.toml").write_text(text, encoding="utf-8")
        rows = [f"{each.url}\t{each.topic}" for each in web.pages]
        (folder / "truth.tsv").write_text("\n".join(["url\ttopic", *rows]), encoding="utf-8")
        collection = open_collection(folder)
        learn(collection)
        assert not crawl(collection, lambda _: True).error
        build(collection)
    return folder


@pytest.fixture(scope="module")
def found(root: Path) -> Run:
    return gather_run(open_collection(root))


def read_archive_again(root: Path) -> dict[str, Page]:
    """Read the kept pages with another reader of archives, whole."""
    pages: dict[str, Page] = {}
    for path in sorted((root / "crawl").glob("shard-*/*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                kind = record.http_headers and record.http_headers.get_header("Content-Type", "")
                if record.rec_type != "response" or "html" not in (kind or ""):
                    continue
                if record.http_headers.get_statuscode() != "200":
                    continue
                url = record.rec_headers.get_header("WARC-Target-URI")
                body = record.content_stream().read()
                answer = read(Response(url, 200, {"content-type": kind}, body), ())
                assert isinstance(answer, Page)
                pages[url] = answer
    return pages


def sentences_of(text: str) -> list[str]:
    words = read_words(text)
    starts = [at for at, begins in enumerate(words.breaks) if begins]
    ends = [*starts[1:], len(words.hashes)]
    return [
        words.data[words.starts[first] : words.ends[last - 1]].decode()
        for first, last in zip(starts, ends, strict=True)
        if last - first >= 5
    ]


def test_sentences_tokens_and_perplexity(root: Path, found: Run) -> None:
    model = load_topic(root / "topic", with_test_model=True).test_model
    assert model is not None
    pages = read_archive_again(root)
    visited = list(list_fetched(open_collection(root), "page"))
    assert len(found.pages) == len(visited) == 40
    total = 0.0
    for at, row in enumerate(visited):
        sentences = sentences_of(pages[row["url"]].text) if row["url"] in pages else []
        assert found.pages.sentences[at] == len(sentences), row["url"]
        scores = model.score_lines(sentences) if sentences else None
        assert found.pages.tokens[at] == (0 if scores is None else sum(scores.tokens - 1))
        expected = 0.0 if scores is None else float(scores.log10.sum())
        assert found.pages.log10[at] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        total += expected
    assert found.pages.sentences.sum() > 200
    assert float(found.pages.log10.sum()) == pytest.approx(total)


def test_counts_of_the_crawl(root: Path, found: Run) -> None:
    asked, size, moments = 0, 0, []
    for path in (root / "crawl").glob("shard-*/state.sqlite"):
        with sqlite3.connect(path) as db:
            asked += db.execute("SELECT count(*) FROM urls WHERE state IN (1, 2)").fetchone()[0]
            rows = db.execute("SELECT bytes, fetched_at FROM visits").fetchall()
            size += sum(each for each, _ in rows)
            moments += [float(at[17:-1]) + 60 * int(at[14:16]) for _, at in rows]
    pages = list(list_fetched(open_collection(root), "page"))
    images = list(list_fetched(open_collection(root), "image"))
    assert (found.uris, found.bytes, found.images) == (asked, size, len(images))
    lasted = (max(moments) - min(moments)) % 3600
    assert found.seconds == pytest.approx(lasted, abs=0.01) or lasted > 1800  # over the hour
    assert found.hosts == Counter(urlsplit(row["url"]).netloc for row in pages)
    assert found.image_hosts == Counter(urlsplit(row["url"]).netloc for row in images)
    assert found.languages == Counter(row["language"] or "unknown" for row in pages)
    repeats = sum(row["duplicate_of"] is not None for row in pages)
    assert found.duplicates["pages with the words of an earlier page"] == repeats


def test_the_corpus_and_its_sheet(root: Path, found: Run) -> None:
    corpus = open_corpus(root)
    assert found.samples == len(corpus)
    assert [step.left for step in found.funnel] == [s["left"] for s in corpus.manifest["funnel"]]
    table = corpus.table(["url", "caption"]).to_pylist()
    for cards in found.cards.values():
        for card in cards:
            assert card.url == table[card.number - 1]["url"]
            whole = " ".join(table[card.number - 1]["caption"].split())
            assert whole.startswith(card.caption.removesuffix("…"))
            assert card.jpeg.startswith(b"\xff\xd8")
    numbers = [card.number for cards in found.cards.values() for card in cards]
    assert len(set(numbers)) == len(numbers)
    assert numbers[0] == 1
    assert numbers[-1] == len(corpus)


def run(*args: object) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows, done.output


def test_the_command_with_truth(root: Path, tmp_path: Path) -> None:
    told = ("--truth", root / "truth.tsv", "--on-topic", "lighthouses")
    code, (facts,), _ = run("report", root, "-o", tmp_path / "out", *told, "--json")
    assert code == 0
    assert facts["bytes"] < 5_000_000
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    truth = dict(line.split("\t") for line in (root / "truth.tsv").read_text().splitlines())
    pages = [row["url"] for row in list_fetched(open_collection(root), "page")]
    known = [truth[url] == "lighthouses" for url in pages if url in truth]
    assert len(known) > 30
    share = written["runs"][0]["on_topic_share"]
    assert share == pytest.approx(sum(known) / len(known), abs=0.04)  # some go by their host
    assert written["runs"][0]["judged_by"] == "truth: lighthouses in truth.tsv"


def test_the_command_says_what_is_wrong(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, _, said = run("report", root, "-o", out, "--truth", root / "truth.tsv")
    assert (code, "--on-topic" in said) == (4, True)
    code, _, said = run("report", root, "-o", out, "--on-topic", "lighthouses")
    assert (code, "--truth" in said) == (2, True)
    odd = ("--truth", root / "truth.tsv", "--on-topic", "cats")
    code, _, said = run("report", root, "-o", out, *odd)
    assert (code, "no topic 'cats'" in said) == (4, True)
    code, _, said = run("report", tmp_path, "-o", out)
    assert (code, "no collection" in said) == (4, True)
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    code, _, said = run("report", root, "-o", out, "--truth", bad, "--on-topic", "x")
    assert (code, "columns topic and url" in said) == (1, True)
    assert not out.exists()


def test_one_judge_for_all_runs_of_a_topic(root: Path, tmp_path: Path) -> None:
    same, other = tmp_path / "same", tmp_path / "other"
    shutil.copytree(root / "topic", same / "topic")
    other.mkdir()
    assert choose_judge(same, [other, same, root]) == root, "it has learned a background"
    assert choose_judge(root, [same, root]) == root
    assert choose_judge(other, [same, root]) == other, "of another topic, or none"
    assert choose_judge(same, [same, other]) == same


def test_archives_of_others_are_reported_on(root: Path, tmp_path: Path) -> None:
    """No crawl of ours, no topic of its own; the topic of another collection judges."""
    mine = tmp_path / "others"
    make_collection(mine)
    html = "<title>t</title><p>The keeper lit the lamp in the tower every night."
    early, late = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    answers = [page("http://a.test/2", html + " Again and again it shone far.", late)]
    answers += [page("http://b.test/1", html, early), picture("http://a.test/p.png", draw(1))]
    write_archive(mine / "a.warc.gz", answers)
    plain = gather_run(open_collection(mine))
    assert plain.pages.sentences.tolist() == [1, 2]
    assert plain.hosts == {"a.test": 1, "b.test": 1}
    assert plain.pages.scored.sum() == 0
    assert any("No topic" in note for note in plain.notes)
    code, (facts,), _ = run("report", mine, "-o", tmp_path / "out", "--topic", root, "--json")
    assert code == 0
    written = json.loads(Path(facts["facts"]).read_text(encoding="utf-8"))
    assert not math.isnan(written["runs"][0]["perplexity"])
