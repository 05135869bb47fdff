"""The commands on the corpus, as a user meets them."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.cli.corpus_commands import FORMS
from blickfang.cli.print_results import print_funnel
from blickfang.corpus import FunnelStep, export, open_corpus
from tests.samples.archives import draw, make_collection, page, picture, write_archive

SITE = "http://a.test"


def run(*args: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.exit_code, rows, done.output


def fill(root: Path, *names: str) -> Path:
    """Make a collection with a picture for each name."""
    make_collection(root)
    answers = []
    for name in names:
        html = (
            f"<title>{name}</title><figure><img src={name}.png alt='{name}'>"
            f"<figcaption>A fine {name} by the sea</figcaption></figure>"
        )
        answers += [page(f"{SITE}/{name}", html)]
        answers += [picture(f"{SITE}/{name}.png", draw(sum(map(ord, name)), 200, 150))]
    write_archive(root / "a.warc.gz", answers)
    return root


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = fill(tmp_path_factory.mktemp("corpus") / "towers", "lighthouse", "windmill", "castle")
    code, (facts,), _ = run("build", root, "--json")
    assert (code, facts["samples"], facts["archives"]) == (0, 3, 1)
    assert [step["step"] for step in facts["funnel"]][:2] == ["initial", "fetched"]
    return root


def test_the_funnel_is_shown(towers: Path) -> None:
    code, _, said = run("build", towers)
    assert code == 0
    assert "initial" in said
    assert "3 samples in" in said
    assert "no topic is learned" in said
    assert "the corpus is empty" not in said


def test_an_empty_corpus_is_told_of(tmp_path: Path) -> None:
    root = make_collection(tmp_path / "none")
    write_archive(root / "a.warc.gz", [page(f"{SITE}/", "<p>No picture</p>")])
    code, _, said = run("build", root)
    assert (code, "the corpus is empty" in said) == (0, True)


def test_every_reason_of_the_funnel_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = (("too small", 9), ("too large", 4), ("too long", 2), ("too few bytes", 1))
    print_funnel([FunnelStep("initial", 20), FunnelStep("size", 4, reasons)])
    assert "−9 too small, 4 too large, 2 too long, 1 too few bytes" in capsys.readouterr().out


def test_search_by_words_picture_and_likeness(towers: Path, tmp_path: Path) -> None:
    code, hits, _ = run("search", towers, "windmill", "--json")
    assert (code, hits[0]["caption"]) == (0, "A fine windmill by the sea")
    corpus = open_corpus(towers)
    query = tmp_path / "query.png"
    query.write_bytes(corpus.image(hits[0]["id"]))
    _, found, _ = run("search", towers, "--image", query, "--limit", "1", "--json")
    assert found[0]["id"] == hits[0]["id"]
    _, others, _ = run("search", towers, "--like", hits[0]["id"], "--json")
    assert hits[0]["id"] not in {other["id"] for other in others}
    _, none, _ = run("search", towers, "windmill", "--where", "width > 9000", "--json")
    assert none == []
    _, rest, _ = run("search", towers, "fine", "-windmill", "-house", "--json")
    assert {hit["caption"].split()[2] for hit in rest} == {"lighthouse", "castle"}
    assert run("search", towers, "fine", "--wher", "x")[0] == 2
    code, _, said = run("search", towers, "castle")
    assert (code, "A fine castle" in said) == (0, True)
    code, _, said = run("search", towers, "castle", "--image", query)
    first, apart = said.split("related, without any of these words:")
    assert ("fine castle" in first, "fine windmill" in apart) == (True, True)
    code, _, said = run("search", towers)
    assert (code, "by their rank on the topic: give words" in said) == (0, True)
    assert "  0.00  " not in said
    _, best, _ = run("search", towers, "--json")
    assert [hit["score"] for hit in best] == pytest.approx([hit["rank"] or 0 for hit in best])
    code, _, said = run("search", towers, "fine", "--where", "caption contains 'mill'")
    assert (code, "did you mean 'mill' in caption?" in said) == (4, True)
    assert run("search", tmp_path, "x")[0] == 1
    code, _, said = run("search", towers, "--image", "/dev/zero")
    assert (code, "no file" in said) == (1, True)


def test_exports_leave_out_what_is_listed(towers: Path, tmp_path: Path) -> None:
    removals = tmp_path / "removals.txt"
    removals.write_text(f"{SITE}/castle.png\n")
    out = tmp_path / "list"
    arguments = ("export", towers, out, "--to", "jsonl", "--removals", removals, "--json")
    code, (facts,), _ = run(*arguments)
    assert (code, facts["kept"], facts["removed"]) == (0, 2, 1)
    assert "castle.png" not in (out / "metadata.jsonl").read_text()
    code, _, said = run(*arguments)
    assert code == 1
    assert "not empty" in said or "is there" in said
    assert tuple(export.FORMS) == FORMS
    for folder in (towers, tmp_path / "nowhere"):
        code, _, said = run("export", folder, tmp_path / "x", "--to", "webdatsaet")
        assert code == 2
        assert "webdataset" in said


def test_names_that_are_not_utf8(towers: Path, tmp_path: Path) -> None:
    root = fill(tmp_path / "mill", "windmill")
    (root / "a.warc.gz").rename(root / os.fsdecode(b"w\xe4.warc.gz"))
    assert run("build", root)[0] == 0
    rows = open_corpus(root).table(["warc_file"]).to_pylist()
    assert [row["warc_file"] for row in rows] == ["w\ufffd.warc.gz"]
    code, _, said = run("export", towers, tmp_path / os.fsdecode(b"w\xe4"))
    assert (code, "is not UTF-8" in said) == (4, True)


def test_merging_two_collections(towers: Path, tmp_path: Path) -> None:
    more = fill(tmp_path / "more", "castle", "bridge")
    assert run("build", more)[0] == 0
    code, (facts,), _ = run("merge", towers, more, "-o", tmp_path / "all", "--json")
    assert (code, facts["samples"]) == (0, 4)
    rows = open_corpus(tmp_path / "all").table(["caption", "mentions"]).to_pylist()
    assert len({row["caption"] for row in rows}) == 4
    assert run("merge", towers, more, "-o", towers)[0] == 1
    code, _, said = run("merge", towers, more, "-o", tmp_path / "again")
    assert f"4 samples in {tmp_path / 'again'}, of 3 + 2" in said
    assert not (tmp_path / "again" / "removals.txt").exists()


def test_what_was_taken_down_stays_so_by_every_name_and_merged(
    towers: Path, tmp_path: Path
) -> None:
    here, more = tmp_path / "towers", fill(tmp_path / "more", "castle", "bridge")
    shutil.copytree(towers, here)
    assert run("build", more)[0] == 0
    (here / "removals.txt").write_text(f"{SITE}/windmill.png  # by mail\n")
    (more / "removals.txt").write_text(f"{SITE}/bridge  # a page\n{SITE}/windmill.png  # by mail\n")
    _, (facts,), _ = run("export", here / "corpus", tmp_path / "x", "--json")
    assert (facts["kept"], facts["removed"]) == (2, 1)
    for number, pair in enumerate([(here, more), (here / "corpus", more / "corpus")]):
        out = tmp_path / f"all-{number}"
        _, (facts,), said = run("merge", *pair, "-o", out, "--json")
        assert (facts["samples"], facts["of"], facts["listed"]) == (4, [3, 2], 2)
        assert (out / "removals.txt").read_text().count("windmill.png  # by mail") == 1
        _, (facts,), _ = run("export", out, out / "list", "--to", "jsonl", "--json")
        assert (facts["kept"], facts["removed"]) == (2, 2)
        assert "bridge" not in (out / "list" / "metadata.jsonl").read_text()
    said = run("merge", here, more, "-o", tmp_path / "told")[2]
    assert "removals.txt lists 2 removals of the sources; exports leave them out" in said


def test_mistakes_in_the_settings_are_told_before_anything_is_read(tmp_path: Path) -> None:
    root = fill(tmp_path / "c", "tower")
    text = (root / "blickfang.toml").read_text()
    (root / "blickfang.toml").write_text(text + 'where = "widht > 3"\n')
    code, _, said = run("build", root)
    assert code == 4
    assert "width" in said
    assert not (root / "build").exists()
