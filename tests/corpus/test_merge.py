"""Merging: every picture once, every text kept, best rank first."""

import errno
from pathlib import Path
from typing import Any

import pytest

from blickfang.corpus import (
    Corpus,
    FunnelStep,
    Origin,
    merge_collections,
    merge_corpora,
    open_corpus,
    write_corpus,
)
from blickfang.corpus import corpus_writer as writing
from blickfang.errors import DiskFullError, InputError
from tests.corpus.samples import make_pages, make_rejected, make_rows, table_of
from tests.corpus.test_writing import files_of


def write(folder: Path, rows: list[dict[str, Any]], title: str = "") -> Corpus:
    rows = sorted(rows, key=lambda row: -row["rank"])
    write_corpus(
        folder,
        table_of(rows).to_batches(),
        origin=Origin(title=title, read_up_to=title, funnel=(FunnelStep("x", len(rows)),)),
        rejected=make_rejected(3).to_batches(),
        pages=make_pages(rows).to_batches(),
    )
    return open_corpus(folder)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Corpus, Corpus]:
    """Two corpora with twelve pictures in common, known by other addresses and texts."""
    rows = make_rows(30)
    second = []
    for number, row in enumerate(rows[10:]):
        mention = row["mentions"][0] | {
            "context": f"other words {number}",
            "copy_url": "https://o/",
        }
        second.append(
            row
            | {
                "url": f"https://o.test/{number}.jpg",
                "rank": row["rank"] + (0.3 if number % 2 else -0.3),
                "mentions": [row["mentions"][0], mention],
                "link_texts": ["other link"],
                "page_url": f"https://o.test/page-{number}",
            }
        )
    return write(tmp_path / "a", rows[:22], "A"), write(tmp_path / "b", second, "B")


def all_rows(corpus: Corpus) -> dict[str, dict[str, Any]]:
    names = list(make_rows(1)[0])
    return {row["sha256"]: row for row in corpus.table(names).to_pylist()}


@pytest.mark.parametrize("size", [1, 7, 200])
def test_nothing_is_lost(
    pair: tuple[Corpus, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(merge_corpora, "BATCH_ROWS", size)
    steps: list[int] = []
    merged = merge_collections(*pair, tmp_path / "c", advance=steps.append).corpus
    assert sum(steps) == 42
    one, other = map(all_rows, pair)
    found = all_rows(open_corpus(tmp_path / "c"))
    assert len(merged) == 30
    assert found.keys() == one.keys() | other.keys()
    ranks = [row["rank"] for row in found.values()]
    assert ranks == sorted(ranks, reverse=True)
    for sha256, row in found.items():
        sources = [rows[sha256] for rows in (one, other) if sha256 in rows]
        best = max(sources, key=lambda source: source["rank"])
        for name in row:
            if name not in ("mentions", "copies", "link_texts"):
                assert row[name] == best[name]
        for source in sources:
            assert all(mention in row["mentions"] for mention in source["mentions"])
            assert set(source["link_texts"]) <= set(row["link_texts"])
            assert source["url"] in [row["url"], *(copy["url"] for copy in row["copies"])]
        assert len(row["mentions"]) == len({str(mention) for mention in row["mentions"]})
        assert row["url"] not in [copy["url"] for copy in row["copies"]]


def test_pages_and_rejected_rows_of_both(pair: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    merged = merge_collections(*pair, tmp_path / "c").corpus
    pages = [page["url"] for batch in merged.pages() for page in batch.to_pylist()]
    theirs = {p["url"] for corpus in pair for b in corpus.pages() for p in b.to_pylist()}
    assert sorted(pages) == sorted(theirs)
    rejected = [row for batch in merged.rejected() for row in batch.to_pylist()]
    assert rejected == make_rejected(3).to_pylist()


def test_of_a_page_in_both_the_younger_stays(tmp_path: Path) -> None:
    rows = make_rows(4)
    old = [row | {"fetched_at": "2020"} for row in rows]
    for order in (("old", "new"), ("new", "old")):
        corpora = {"old": write(tmp_path / "-".join(order) / "o", old[:2])}
        corpora["new"] = write(tmp_path / "-".join(order) / "n", rows[:2])
        one, other = (corpora[name] for name in order)
        merged = merge_collections(one, other, tmp_path / "-".join(order) / "m").corpus
        (page,) = [page for batch in merged.pages() for page in batch.to_pylist()]
        assert page["fetched_at"] == rows[0]["fetched_at"]


def test_the_same_bytes_twice(pair: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    merge_collections(*pair, tmp_path / "c")
    merge_collections(*pair, tmp_path / "d")
    assert files_of(tmp_path / "c") == files_of(tmp_path / "d")


def test_a_corpus_with_itself_is_itself(pair: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    merged = merge_collections(pair[0], pair[0], tmp_path / "c").corpus
    assert all_rows(merged) == all_rows(pair[0])


def test_the_manifest_tells_of_both(pair: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    manifest = merge_collections(*pair, tmp_path / "c").corpus.manifest
    assert manifest["title"] == "A + B"
    assert manifest["read_up_to"] == "B"
    assert [(step["step"], step["left"]) for step in manifest["funnel"]] == [
        ("first corpus", 22),
        ("both corpora", 42),
        ("unique", 30),
    ]
    assert manifest["funnel"][-1]["dropped"] == [["equal pictures", 12]]


def test_pictures_made_to_have_one_id_do_not_stop_it(tmp_path: Path) -> None:
    one, other = make_rows(2)
    other = other | {"sha256": one["id"] + other["sha256"][16:], "id": one["id"]}
    corpora = write(tmp_path / "a", [one]), write(tmp_path / "b", [other])
    merged = merge_collections(*corpora, tmp_path / "c").corpus
    assert merged.table(["sha256"]).to_pylist() == [{"sha256": one["sha256"]}]
    rejected = [row for batch in merged.rejected() for row in batch.to_pylist()]
    assert rejected[-1]["reason"] == "id taken"
    assert rejected[-1]["sha256"] == other["sha256"]


def test_a_full_target_is_refused(pair: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not empty"):
        merge_collections(*pair, tmp_path / "a")
    assert len(open_corpus(tmp_path / "a")) == 22
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        merge_collections(*pair, tmp_path / "file")


def test_a_merge_is_whole_with_its_list_or_not_there(tmp_path: Path) -> None:
    one, other = (write(tmp_path / name / "corpus", make_rows(2), name) for name in ("a", "b"))
    pair = one, other
    (tmp_path / "b" / "removals.txt").write_text("no host at all\n")
    with pytest.raises(InputError, match=r"b/removals\.txt has lines"):
        merge_collections(*pair, tmp_path / "c")
    (tmp_path / "b" / "removals.txt").write_text("gone.test\n")

    def fail(_: int) -> None:
        raise InputError("enough")

    with pytest.raises(InputError, match="enough"):
        merge_collections(*pair, tmp_path / "c", fail)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    merge_collections(*pair, tmp_path / "c")
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["corpus", "removals.txt"]


def test_a_full_disk_names_the_target(
    pair: tuple[Corpus, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing, "_write_text", fail)
    with pytest.raises(DiskFullError, match=r"cannot write \S*/all: no room left"):
        merge_collections(*pair, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_the_card_says_that_alike_pictures_stay_apart(
    pair: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    merge_collections(*pair, tmp_path / "all")
    assert "only look the same stay apart" in (tmp_path / "all/corpus/README.md").read_text()
