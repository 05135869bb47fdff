"""What a second build must not lose or change: removal lists, and the same bytes."""

from pathlib import Path

import numpy as np
import pytest

from blickfang.config import open_collection
from blickfang.corpus import export_corpus, open_corpus
from blickfang.corpus.archives.archive_sources import Supply
from blickfang.corpus.build import build
from blickfang.corpus.mentions.mention import TEXTS
from blickfang.corpus.mentions.rank import rank
from blickfang.errors import SettingsError
from blickfang.text.relevance import ScoreOptions
from tests.samples.archives import draw, make_collection, page, picture, write_archive
from tests.samples.test_build import SITE, digest, figure, make, rows

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


def test_archives_of_one_name_are_told_apart_in_any_order(tmp_path: Path) -> None:
    places = []
    for folder in ("d1", "d2"):
        (tmp_path / folder).mkdir()
        shown = page(f"http://{folder}.test/", figure(f"{folder}.png", f"Tower of {folder}"))
        drawn = picture(f"http://{folder}.test/{folder}.png", draw(int(folder[1])))
        places.append(write_archive(tmp_path / folder / "x.warc.gz", [shown, drawn]))
    written = []
    for name, order in (("a", places), ("b", places[::-1])):
        root = make_collection(tmp_path / name / "towers")
        built = build(open_collection(root), supply=Supply(tuple(map(str, order))))
        found = {row["url"][7:9]: (row["warc_file"], row["page_warc_file"]) for row in rows(built)}
        assert found == {f: (f"{f}/x.warc.gz", f"{f}/x.warc.gz") for f in ("d1", "d2")}
        written.append(digest(built.folder))
    assert written[0] == written[1]


def test_what_is_dropped_says_at_which_step(tmp_path: Path) -> None:
    shown = [figure(f"{name}.png", f"A {name} tower") for name in ("t", "copy", "small", "gone")]
    built = make(
        tmp_path,
        page(f"{SITE}/", "".join(shown)),
        ANSWERS[1],
        picture(f"{SITE}/copy.png", draw(1)),
        picture(f"{SITE}/small.png", draw(2, 20, 20)),
    )
    dropped = [row for batch in open_corpus(built.folder).rejected() for row in batch.to_pylist()]
    steps = sorted(row["step"] for row in dropped)
    assert steps == ["duplicates", "fetched", "size"]
    funnel = {step.name: sum(count for _, count in step.dropped) for step in built.funnel}
    assert {name: count for name, count in funnel.items() if count} == dict.fromkeys(steps, 1)


def test_which_parent_counts_in_the_rank_of_the_study() -> None:
    perplexities = np.array([[9.0] * len(TEXTS)])
    perplexities[0, TEXTS.index("alt")] = 4
    perplexities[0, TEXTS.index("parent-0")] = 25
    nothing = np.zeros(1)
    for level, expected in ((1, 6.0), (0, 10.0)):
        options = ScoreOptions(rank_parent=level)
        ranks = rank(perplexities, 0 * perplexities, nothing, nothing, nothing, options)
        assert ranks.study.tolist() == [expected]
    with pytest.raises(SettingsError, match="rank_parent"):
        ScoreOptions(rank_parent=5)
