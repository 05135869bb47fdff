"""Reading: rows, columns and pictures as they were written; damage is named."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.parquet_files import FileLimits
from blickfang.errors import InputError, SettingsError
from tests.corpus.samples import (
    make_pages,
    make_rejected,
    make_rows,
    make_samples,
)

ROWS = make_rows(24)


def test_rows_come_back_as_they_were(corpus: Corpus) -> None:
    assert len(corpus) == 24
    columns = list(ROWS[0])
    assert corpus.table(columns).to_pylist() == ROWS
    without = [{name: row[name] for name in row if name != "image"} for row in ROWS]
    assert sorted(corpus.table().column_names) == sorted(without[0])
    assert corpus.table(list(without[0])).to_pylist() == without


def test_pages_and_rejected_rows_come_back(corpus: Corpus) -> None:
    pages = [row for batch in corpus.pages(size=5) for row in batch.to_pylist()]
    assert pages == make_pages(ROWS).to_pylist()
    rejected = [row for batch in corpus.rejected() for row in batch.to_pylist()]
    assert rejected == make_rejected(4).to_pylist()


def test_columns_in_the_order_asked_for(corpus: Corpus) -> None:
    assert corpus.table(["width", "id", "caption"]).column_names == ["width", "id", "caption"]
    batches = list(corpus.batches(["height", "id"], size=7))
    assert [batch.num_rows for batch in batches] == [7, 7, 7, 3]
    assert batches[0].schema.names == ["height", "id"]


def test_filters_read_columns_that_are_not_returned(corpus: Corpus) -> None:
    found = corpus.table(["id"], where="'lion' in caption and language == 'en'")
    assert found.column_names == ["id"]
    expected = [r["id"] for r in ROWS if "lion" in r["caption"] and r["language"] == "en"]
    assert found["id"].to_pylist() == expected != []


def test_what_is_unknown_is_an_error_with_a_hint(corpus: Corpus) -> None:
    with pytest.raises(SettingsError, match="did you mean caption"):
        corpus.table(["captoin"])
    with pytest.raises(SettingsError, match="did you mean width"):
        corpus.table(where="widht > 3")
    for name in ("0" * 16, "", "../x", "xyz", ROWS[0]["id"].upper() + "0"):
        with pytest.raises(InputError, match="has the id"):
            corpus.image(name)


def test_pictures_are_found_by_id_in_many_shards(tmp_path: Path) -> None:
    limits = FileLimits(group_rows=3, file_rows=7)
    write_corpus(tmp_path, make_samples(24).to_batches(), origin=Origin(), limits=limits)
    corpus = open_corpus(tmp_path)
    assert len(corpus.manifest["shards"]) == 4
    for row in reversed(ROWS):
        assert corpus.image(row["id"]) == row["image"]["bytes"]
    with ThreadPoolExecutor(4) as pool:
        assert (
            list(pool.map(corpus.image, [row["id"] for row in ROWS] * 3))
            == [row["image"]["bytes"] for row in ROWS] * 3
        )


def test_a_collection_and_its_corpus_are_opened(corpus: Corpus) -> None:
    assert open_corpus(corpus.folder).folder == corpus.folder
    assert open_corpus(str(corpus.folder.parent)).folder == corpus.folder


def test_pandas_reads_the_files(corpus: Corpus) -> None:
    frame = pd.read_parquet(corpus.folder / "data")
    assert frame["caption"].tolist() == [row["caption"] for row in ROWS]
    assert frame["image"][0]["bytes"] == ROWS[0]["image"]["bytes"]


def shard(folder: Path) -> Path:
    return next((folder / "data").iterdir())


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def change_manifest(folder: Path, **values: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "half a corpus.*build"),
    "no JSON": (lambda f: (f / "manifest.json").write_text("{"), "manifest.json is damaged"),
    "not Unicode": (
        lambda f: (f / "manifest.json").write_bytes(b"\xff"),
        "manifest.json is damaged",
    ),
    "a list": (lambda f: (f / "manifest.json").write_text("[]"), "manifest.json is damaged"),
    "no shards": (lambda f: change_manifest(f, shards=3), "manifest.json is damaged"),
    "newer": (lambda f: change_manifest(f, format=99), "format 99"),
    "rows": (lambda f: change_manifest(f, rows=3), "rows do not add up"),
    "no shard": (lambda f: shard(f).unlink(), "train-00000-of-00001.parquet is missing"),
    "cut shard": (lambda f: cut(shard(f)), "train-00000.*bytes instead of"),
    "cut pages": (lambda f: cut(f / "pages.parquet"), "pages.parquet has .* bytes instead of"),
    "outside": (
        lambda f: change_manifest(f, files=[{"name": "../x", "bytes": 1}]),
        "outside the corpus",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named(corpus: Corpus, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(corpus.folder, folder)
    damage, message = DAMAGES[name]
    damage(folder)
    with pytest.raises(InputError, match=message):
        open_corpus(folder)


def test_damage_within_a_file_is_named_when_it_is_read(corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(corpus.folder, folder)
    size = shard(folder).stat().st_size
    shard(folder).write_bytes(b"PAR1" + bytes(size - 8) + b"PAR1")
    damaged = open_corpus(folder)
    for read in (
        damaged.table,
        lambda: damaged.image(ROWS[0]["id"]),
        lambda: damaged.table(["id"]),
    ):
        with pytest.raises(InputError, match=r"train-00000-of-00001.parquet is damaged.*build"):
            read()


def test_a_single_wrong_bit_in_a_picture_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(corpus.folder, folder)
    data = bytearray(shard(folder).read_bytes())
    data[data.index(ROWS[3]["image"]["bytes"]) + 50] ^= 4
    shard(folder).write_bytes(data)
    damaged = open_corpus(folder)
    with pytest.raises(InputError, match=f"is damaged: picture {ROWS[3]['id']} changed"):
        damaged.image(ROWS[3]["id"])
    assert damaged.image(ROWS[4]["id"]) == ROWS[4]["image"]["bytes"]
    with pytest.raises(InputError, match="is damaged"):
        damaged.table(["image"])


def test_no_corpus_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="blickfang build"):
        open_corpus(tmp_path)
    with pytest.raises(InputError, match="blickfang build"):
        open_corpus(tmp_path / "nowhere")


def test_the_card_may_be_edited(corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("mine")
    assert len(open_corpus(tmp_path / "copy")) == 24
