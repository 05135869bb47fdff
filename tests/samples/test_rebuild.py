"""What a second build must not lose or change: removal lists, and the same bytes."""

from pathlib import Path

from blickfang.collection import open_collection
from blickfang.corpus import export_corpus, open_corpus
from blickfang.pipeline import build
from tests.samples.archives import draw, page, picture
from tests.samples.test_build import SITE, figure, make

ANSWERS = page(f"{SITE}/", figure("t.png")), picture(f"{SITE}/t.png", draw(1))


def test_a_removal_list_in_the_corpus_outlives_a_build(tmp_path: Path) -> None:
    make(tmp_path, *ANSWERS)
    listed = tmp_path / "corpus" / "removals.txt"
    listed.write_text("# by mail\na.test\n")
    build(open_collection(tmp_path), out=str(tmp_path / "copy"))
    assert listed.read_text() == "# by mail\na.test\n"
    assert (tmp_path / "copy" / "removals.txt").read_text() == "# by mail\na.test\n"
    assert export_corpus(open_corpus(tmp_path), "jsonl", tmp_path / "export").removed == 1
    (tmp_path / "removals.txt").write_text("b.test\n")
    build(open_collection(tmp_path), out=str(tmp_path / "copy"))
    both = (tmp_path / "copy" / "removals.txt").read_text()
    assert "a.test" in both
    assert "b.test" in both


def test_a_removal_list_that_is_a_link_stays_one(tmp_path: Path) -> None:
    make(tmp_path, *ANSWERS)
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "ours.txt").write_text("a.test\n")
    listed = tmp_path / "corpus" / "removals.txt"
    listed.symlink_to("../lists/ours.txt")
    build(open_collection(tmp_path))
    assert listed.is_symlink()
    assert listed.read_text() == "a.test\n"


def test_a_list_that_is_named_holds_besides_that_of_the_corpus(tmp_path: Path) -> None:
    shown = figure("t.png") + figure("u.png", "Another tower")
    make(tmp_path, page(f"{SITE}/", shown), ANSWERS[1], picture(f"{SITE}/u.png", draw(2)))
    (tmp_path / "removals.txt").write_text(f"{SITE}/t.png\n")
    more = tmp_path / "more.txt"
    more.write_text(f"{SITE}/u.png\n")
    done = export_corpus(open_corpus(tmp_path), "jsonl", tmp_path / "out", removals=more)
    assert (done.kept, done.removed) == (0, 2)
