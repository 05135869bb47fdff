"""The index on disk: of this corpus, whole or not at all."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.search import (
    SearchOptions,
    build_index,
    open_index,
    search_corpus,
    search_index,
)
from blickfang.corpus.search import index_builder as building
from blickfang.corpus.search import index_reader as index
from blickfang.errors import DiskFullError, InputError
from tests.corpus.samples import make_rows, table_of
from tests.search.conftest import write_motifs


def folders(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def test_without_an_index_it_says_so(motifs: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no index.*build"):
        open_index(motifs, tmp_path)


def test_an_index_of_another_corpus_is_stale(tmp_path: Path) -> None:
    build_index(write_motifs(tmp_path, 8), tmp_path / "search")
    other = write_motifs(tmp_path, 9)
    with pytest.raises(InputError, match=r"older corpus.*build"):
        open_index(other, tmp_path / "search")
    assert len(search_corpus(tmp_path, limit=100)) == 9  # builds it anew
    assert len(open_index(other, tmp_path / "search")) == 9
    assert len(folders(tmp_path / "search")) == 1


def test_a_killed_build_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_motifs(tmp_path, 8)
    build_index(corpus, tmp_path / "search")
    before = folders(tmp_path / "search")

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    for step in ("_write_texts", "_write_space", "write_text"):
        with monkeypatch.context() as patch:
            patch.setattr(building, step, fail)
            with pytest.raises(KeyboardInterrupt):
                build_index(corpus, tmp_path / "search")
        assert folders(tmp_path / "search") == before
        assert len(open_index(corpus, tmp_path / "search")) == 8


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    corpus = write_motifs(tmp_path, 8)
    left = tmp_path / "search" / "999999999-0123abcd"
    left.mkdir(parents=True)
    (left / "ids.npy").write_bytes(b"half")
    (tmp_path / "search" / "1-0123abcd").mkdir()  # of a process that runs
    build_index(corpus, tmp_path / "search")
    assert not left.exists()
    assert (tmp_path / "search" / "1-0123abcd").exists()


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_motifs(tmp_path, 8)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building, "write_vectors", full)
    with pytest.raises(DiskFullError, match="no room"):
        build_index(corpus, tmp_path / "search")
    assert folders(tmp_path / "search") == []


def test_a_full_disk_while_texts_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def add_document(self, _: Any) -> None:
            raise ValueError("An IO error occurred: 'No space left on device (os error 28)'")

    monkeypatch.setattr("tantivy.Index.writer", lambda *_: Full())
    with pytest.raises(DiskFullError, match="no room"):
        build_index(write_motifs(tmp_path, 8), tmp_path / "search")
    assert folders(tmp_path / "search") == []


def test_an_index_lies_beside_its_corpus(tmp_path: Path) -> None:
    write_motifs(tmp_path, 8)
    shutil.move(tmp_path / "corpus", tmp_path / "mine")
    assert search_corpus(tmp_path / "mine", "lion")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "mine-search"]


def test_a_new_index_is_noticed(tmp_path: Path) -> None:
    corpus = write_motifs(tmp_path, 16)
    assert not search_corpus(corpus, "lions")
    build_index(corpus, tmp_path / "search", SearchOptions(stemming="english"))
    assert search_corpus(corpus, "lions")


@pytest.mark.parametrize("name", ["ids.npy", "facts.arrow", "text/meta.json", "lsi/codes.npy"])
def test_damage_is_an_error(tmp_path: Path, name: str) -> None:
    corpus = write_motifs(tmp_path, 8)
    build_index(corpus, tmp_path / "search")
    (inside,) = [path for path in (tmp_path / "search").iterdir() if path.is_dir()]
    (inside / name).write_bytes(b"\x93")
    with pytest.raises(InputError, match=r"damaged.*build"):
        open_index(corpus, tmp_path / "search")


@pytest.mark.parametrize("pointer", ["", "[]", "{}", '{"format": 99, "name": "x", "corpus": ""}'])
def test_a_damaged_pointer_is_an_error(motifs: Corpus, tmp_path: Path, pointer: str) -> None:
    (tmp_path / "index.json").write_text(pointer, encoding="utf-8")
    with pytest.raises(InputError, match="build"):
        open_index(motifs, tmp_path)


def test_a_pointer_leads_nowhere_else(motifs: Corpus, tmp_path: Path) -> None:
    build_index(motifs, tmp_path / "search")
    path = tmp_path / "search" / "index.json"
    pointer = json.loads(path.read_text(encoding="utf-8"))
    shutil.move(tmp_path / "search" / pointer["name"], tmp_path / "elsewhere")
    path.write_text(json.dumps(pointer | {"name": "../elsewhere"}), encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        open_index(motifs, tmp_path / "search")


def test_an_index_keeps_its_options(tmp_path: Path) -> None:
    corpus = write_motifs(tmp_path, 16)
    build_index(corpus, tmp_path / "search")
    assert not search_index(open_index(corpus, tmp_path / "search"), "lions")
    build_index(corpus, tmp_path / "search", SearchOptions(stemming="english"))
    index = open_index(corpus, tmp_path / "search")
    assert index.options == SearchOptions(stemming="english")
    assert "lion" in search_index(index, "lions")[0].caption


def test_an_empty_corpus(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", table_of([]).to_batches(), origin=Origin())
    corpus = open_corpus(tmp_path)
    assert search_corpus(corpus, "anything") == []
    assert search_corpus(corpus) == []


def test_samples_without_texts_or_looks(tmp_path: Path) -> None:
    rows = make_rows(5)
    for row in rows[:3]:
        for name, value in row.items():
            if isinstance(value, str) and name not in ("id", "sha256"):
                row[name] = ""
        row |= {"looks": None, "mentions": [], "texts": [], "link_texts": [], "rank": 0.0}
        row["emphasised"] = []
    write_corpus(tmp_path / "corpus", table_of(rows).to_batches(), origin=Origin())
    found = search_corpus(tmp_path, "tomato zebra lion galaxy ocean", limit=10)
    assert {hit.id for hit in found} == {row["id"] for row in rows[3:]}
    assert len(search_corpus(tmp_path, like=rows[0]["id"])) == 0
    assert len(search_corpus(tmp_path)) == 5


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    corpus = write_motifs(tmp_path, 8)
    build_index(corpus, tmp_path / "search", advance=lambda *step: told.append(step))
    assert told[-1] == (8, 8)


@pytest.mark.parametrize(
    "reason", ["IoError(Os { code: 30, kind: ReadOnlyFilesystem })", "denied (os error 13)"]
)
def test_where_nothing_can_be_written_the_index_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    corpus = write_motifs(tmp_path, 8)
    build_index(corpus, tmp_path / "search")

    def refuse(_: Path) -> None:
        raise ValueError(f"Failed to acquire Lockfile: {reason}")

    monkeypatch.setattr(index, "TextIndex", refuse)
    with pytest.raises(InputError, match="nothing can be written there") as caught:
        open_index(corpus, tmp_path / "search")
    assert "damaged" not in str(caught.value)


@pytest.mark.parametrize("count", [1, 2])
def test_the_smallest_corpora_are_searched(tmp_path: Path, count: int) -> None:
    corpus = write_motifs(tmp_path, count)
    build_index(corpus, tmp_path / "search")
    found = search_index(open_index(corpus, tmp_path / "search"), "lion")
    assert len([hit for hit in found if not hit.related]) == 1
