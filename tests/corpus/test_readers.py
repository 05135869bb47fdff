"""Others read what we write: `datasets`, `mlcroissant`."""

import json
from collections.abc import Iterator
from pathlib import Path

import datasets
import mlcroissant
import PIL.Image
import pytest

from blickfang.corpus import Corpus, Origin, open_corpus, write_corpus
from blickfang.corpus.parquet_files import FileLimits
from tests.corpus.samples import make_rows, make_samples

ROWS = make_rows(24)
pytestmark = [  # of mlcroissant
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index"),
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def load(folder: Path, cache: Path, name: str | None = None) -> datasets.Dataset:
    return datasets.load_dataset(str(folder), name, cache_dir=str(cache))["train"]


def test_datasets_shows_the_images(corpus: Corpus, tmp_path: Path) -> None:
    found = load(corpus.folder, tmp_path)
    assert isinstance(found.features["image"], datasets.Image)
    assert len(found) == 24
    for row, sample in zip(ROWS, found, strict=True):
        assert isinstance(sample["image"], PIL.Image.Image)
        assert sample["image"].size == (row["width"], row["height"])
        assert {**sample, "image": None} == {**row, "image": None}
    raw = found.cast_column("image", datasets.Image(decode=False))
    assert [sample["image"] for sample in raw] == [row["image"] for row in ROWS]


def test_datasets_opens_the_other_tables(corpus: Corpus, tmp_path: Path) -> None:
    assert load(corpus.folder, tmp_path, "pages")[0]["images"][0]["id"] == ROWS[0]["id"]
    assert load(corpus.folder, tmp_path, "rejected")["reason"][0] == "too small"


def test_datasets_streams(corpus: Corpus) -> None:
    stream = datasets.load_dataset(str(corpus.folder), streaming=True, split="train")
    assert next(iter(stream))["image"].size == (ROWS[0]["width"], ROWS[0]["height"])


def test_many_shards(tmp_path: Path) -> None:
    limits = FileLimits(group_rows=3, file_rows=7)
    write_corpus(tmp_path / "c", make_samples(24).to_batches(), origin=Origin(), limits=limits)
    assert load(tmp_path / "c", tmp_path / "cache")["id"][:] == [row["id"] for row in ROWS]
    records = mlcroissant.Dataset(jsonld=tmp_path / "c" / "croissant.json").records("samples")
    assert {record["samples/id"].decode() for record in records} == {row["id"] for row in ROWS}


def test_croissant_is_valid_and_its_records_are_ours(corpus: Corpus) -> None:
    found = mlcroissant.Dataset(jsonld=corpus.folder / "croissant.json")
    assert not found.metadata.issues.errors
    assert not found.metadata.issues.warnings
    records = {record["samples/id"].decode(): record for record in found.records("samples")}
    assert records.keys() == {row["id"] for row in ROWS}
    for row in ROWS:
        record = records[row["id"]]
        assert record["samples/image"].size == (row["width"], row["height"])
        assert record["samples/caption"].decode() == row["caption"]
        assert record["samples/rank_study"] == row["rank_study"]
        assert [text.decode() for text in record["samples/link_texts"]] == row["link_texts"]
        pages = [m["samples/mentions/page_url"].decode() for m in record["samples/mentions"]]
        assert pages == [mention["page_url"] for mention in row["mentions"]]


def test_croissant_names_the_files_with_their_hashes(corpus: Corpus) -> None:
    found = json.loads((corpus.folder / "croissant.json").read_text())
    files = {entry["@id"]: entry for entry in found["distribution"]}
    for shard in open_corpus(corpus.folder).manifest["shards"]:
        assert files[shard["name"]]["sha256"] == shard["sha256"]


def test_two_corpora_are_two_also_to_a_cache(tmp_path: Path) -> None:
    for name, count in (("a", 5), ("b", 7)):
        folder = tmp_path / name / "corpus"
        write_corpus(folder, make_samples(count).to_batches(), origin=Origin())
        assert len(load(folder, tmp_path / "cache")) == count


def test_tables_without_rows_are_not_promised(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", make_samples(3).to_batches(), origin=Origin())
    assert datasets.get_dataset_config_names(str(tmp_path / "c")) == ["default"]
