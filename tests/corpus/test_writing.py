"""Writing: the same bytes for the same rows; the old corpus or the new one, never a part."""

import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.corpus import Origin, open_corpus, write_corpus
from blickfang.corpus.parquet_files import FileLimits, HashingFile, row_sizes, write_table
from blickfang.corpus.sample_columns import PAGES, SAMPLES, make_schema
from blickfang.errors import BlickfangError, DiskFullError, InputError
from blickfang.io import atomic_files
from tests.corpus.samples import make_rows, make_samples, table_of, write_samples

SMALL = FileLimits(group_rows=5, group_bytes=6000, file_rows=13, file_bytes=30_000)


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def names_beside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir())


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_same_bytes_however_the_rows_are_cut(tmp_path: Path, size: int) -> None:
    table = make_samples(40)
    write_corpus(tmp_path / "one", table.to_batches(), origin=Origin(), limits=SMALL)
    cut = table.to_batches(max_chunksize=size)
    write_corpus(tmp_path / "other", cut, origin=Origin(), limits=SMALL)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "other")


def test_same_bytes_of_large_row_groups_too(tmp_path: Path) -> None:
    """Pages of Parquet end within these; where, must not follow from the batches."""
    rows = [
        {"url": f"https://a.test/{n}", "text": hashlib.sha256(b"%d" % n).hexdigest() * (n % 90)}
        for n in range(3000)
    ]
    table = pa.Table.from_pylist(rows, schema=make_schema(PAGES))
    for size in (1, 700, 3000):
        (tmp_path / str(size)).mkdir()
        batches = table.to_batches(max_chunksize=size)
        limits = FileLimits(group_rows=2500, group_bytes=2**30)
        write_table(tmp_path / str(size), "pages.parquet", PAGES, batches, limits)
    one, *others = (files_of(tmp_path / str(size)) for size in (1, 700, 3000))
    assert all(other == one for other in others)


def test_shards_are_named_limited_and_hashed(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", make_samples(40).to_batches(), origin=Origin(), limits=SMALL)
    manifest = json.loads((tmp_path / "c" / "manifest.json").read_text())
    count = len(manifest["shards"])
    assert count >= 4
    for number, shard in enumerate(manifest["shards"]):
        assert shard["name"] == f"data/train-{number:05}-of-{count:05}.parquet"
    for file in [*manifest["shards"], *manifest["files"]]:
        data = (tmp_path / "c" / file["name"]).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (file["sha256"], file["bytes"])
    sizes = [pq.ParquetFile(tmp_path / "c" / shard["name"]) for shard in manifest["shards"]]
    assert all(file.metadata.num_rows <= SMALL.file_rows for file in sizes)
    groups = [file.metadata.row_group(g) for file in sizes for g in range(file.num_row_groups)]
    assert all(group.num_rows <= SMALL.group_rows for group in groups)
    assert sum(group.num_rows for group in groups) == manifest["rows"] == 40


def test_pictures_are_not_compressed_again_and_texts_are(tmp_path: Path) -> None:
    corpus = write_samples(tmp_path / "c", 8)
    group = pq.ParquetFile(corpus.folder / corpus.manifest["shards"][0]["name"]).metadata.row_group(
        0
    )
    codecs = {
        group.column(at).path_in_schema: group.column(at).compression
        for at in range(group.num_columns)
    }
    assert codecs["image.bytes"] == "UNCOMPRESSED"
    assert codecs["caption"] == "ZSTD"
    assert codecs["mentions.list.element.context"] == "ZSTD"


def test_an_empty_corpus_is_a_corpus(tmp_path: Path) -> None:
    write_corpus(tmp_path / "c", [], origin=Origin())
    corpus = open_corpus(tmp_path / "c")
    assert len(corpus) == 0
    assert corpus.table().num_rows == 0
    assert list(corpus.pages()) == []


def test_a_new_corpus_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    write_samples(tmp_path / "corpus", 30)
    write_samples(tmp_path / "corpus", 5)
    assert len(open_corpus(tmp_path)) == 5
    assert names_beside(tmp_path / "corpus") == ["corpus"]


def test_the_swap_works_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_files, "_exchange", lambda *_: False)
    write_samples(tmp_path / "corpus", 30)
    write_samples(tmp_path / "corpus", 5)
    assert len(open_corpus(tmp_path)) == 5
    assert names_beside(tmp_path / "corpus") == ["corpus"]


def test_killed_between_two_names_the_old_corpus_comes_back(tmp_path: Path) -> None:
    write_samples(tmp_path / "corpus", 5)
    gone = 2**22 + 1  # no process has this number
    (tmp_path / "corpus").rename(tmp_path / f".corpus.{gone}.old")
    (tmp_path / f".corpus.{gone}.part").mkdir()
    assert len(open_corpus(tmp_path)) == 5
    assert names_beside(tmp_path / "corpus") == [f".corpus.{gone}.part", "corpus"]
    write_samples(tmp_path / "corpus", 6)
    assert names_beside(tmp_path / "corpus") == ["corpus"]


@pytest.mark.parametrize("name", ["a[b]c", "a*", "a b", "ä", "."])
def test_names_of_folders_are_taken_as_they_are(tmp_path: Path, name: str) -> None:
    gone = 2**22 + 1
    folder = (tmp_path / name).resolve()
    (folder.parent / f".{folder.name}.{gone}.part").mkdir()
    assert len(write_samples(folder, 3)) == 3
    assert len(write_samples(folder, 4)) == 4
    assert not (folder.parent / f".{folder.name}.{gone}.part").exists()


def test_two_samples_with_one_id_are_refused(tmp_path: Path) -> None:
    row = make_rows(1)[0]
    with pytest.raises(InputError, match="not new"):
        write_corpus(tmp_path / "c", table_of([row, row]).to_batches(), origin=Origin())
    assert not (tmp_path / "c").exists()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("mine")
    with pytest.raises(InputError, match="not a folder"):
        write_corpus(tmp_path / "c", [], origin=Origin())
    assert (tmp_path / "c").read_text() == "mine"


@pytest.mark.parametrize("after", [0, 1, 2000, 20_000])
def test_a_full_disk_leaves_the_old_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    write_samples(tmp_path / "corpus", 5)
    before = files_of(tmp_path / "corpus")
    write = HashingFile.write

    def fill(self: HashingFile, data: Any) -> int:
        if self.size + len(data) > after:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(HashingFile, "write", fill)
    with pytest.raises(DiskFullError, match="no room left"):
        write_samples(tmp_path / "corpus", 40)
    assert files_of(tmp_path / "corpus") == before
    assert names_beside(tmp_path / "corpus") == ["corpus"]


@pytest.mark.parametrize("name", ["README.md", "manifest.json"])
def test_a_disk_full_at_the_last_file_leaves_the_old_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write_samples(tmp_path / "corpus", 5)
    write = Path.write_bytes

    def fill(self: Path, data: bytes) -> int:
        if self.name == name:
            write(self, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(DiskFullError, match="no room left"):
        write_samples(tmp_path / "corpus", 40)
    assert len(open_corpus(tmp_path)) == 5


def test_the_systems_own_limit_leaves_nothing(tmp_path: Path) -> None:
    """A real limit on the size of files, met while Parquet is written."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    soft_before = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(BlickfangError, match="cannot write"):
            write_samples(tmp_path / "corpus", 60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft_before, hard))
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_rows_leaves_the_old_corpus(tmp_path: Path) -> None:
    write_samples(tmp_path / "corpus", 5)

    def broken() -> Iterator[Any]:
        yield from make_samples(3).to_batches()
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        write_corpus(tmp_path / "corpus", broken(), origin=Origin())
    assert len(open_corpus(tmp_path)) == 5
    assert names_beside(tmp_path / "corpus") == ["corpus"]


KILLED = """
import sys, time
from pathlib import Path
from blickfang.corpus import Origin, write_corpus
from tests.corpus.samples import make_samples
def slow():
    yield from make_samples(30).to_batches(max_chunksize=5)
    print("writing", flush=True)
    time.sleep(60)
from blickfang.corpus.parquet_files import FileLimits
write_corpus(Path(sys.argv[1]), slow(), origin=Origin(), limits=FileLimits(group_rows=5))
"""


def test_a_killed_write_is_never_taken_for_whole(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    write_samples(folder, 5)
    root = Path(__file__).parent.parent.parent
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)],
        cwd=root,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    left = [name for name in names_beside(folder) if name != "corpus"]
    assert len(left) == 1
    assert left[0].endswith(".part")
    assert list((tmp_path / left[0]).rglob("*.parquet"))  # so there was something to mistake
    with pytest.raises(InputError):
        open_corpus(tmp_path / left[0])
    assert len(open_corpus(tmp_path)) == 5
    write_samples(folder, 6)
    assert names_beside(folder) == ["corpus"]
    assert len(open_corpus(tmp_path)) == 6


def test_a_write_of_another_living_process_is_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        part = tmp_path / f".corpus.{other.pid}.part"
        part.mkdir()
        write_samples(tmp_path / "corpus", 5)
        assert part.exists()
    finally:
        other.kill()
        other.wait()
    time.sleep(0)
    write_samples(tmp_path / "corpus", 5)
    assert not part.exists()


TEXTS = st.lists(st.one_of(st.none(), st.lists(st.text(max_size=5), max_size=4)), max_size=8)


@settings(max_examples=50)
@given(TEXTS, st.integers(0, 3))
def test_row_sizes_are_those_of_the_parts(lists: list[list[str] | None], start: int) -> None:
    array = pa.array(lists, pa.list_(pa.string()))[start:]
    found = row_sizes(array).tolist()
    assert found == [
        4 + sum(4 + len(text.encode()) for text in texts or ()) for texts in lists[start:]
    ]


def test_row_sizes_of_structures() -> None:
    array = make_samples(6).to_batches()[0].slice(2, 3).to_struct_array()
    whole = row_sizes(make_samples(6).to_batches()[0].to_struct_array())
    assert row_sizes(array).tolist() == whole[2:5].tolist()
    assert all(
        size > len(row["image"]["bytes"]) for size, row in zip(whole, make_rows(6), strict=True)
    )


def test_written_schemas_carry_the_features(tmp_path: Path) -> None:
    corpus = write_samples(tmp_path / "c", 3)
    for name, table in ((corpus.manifest["shards"][0]["name"], SAMPLES), ("pages.parquet", PAGES)):
        written = pq.read_schema(corpus.folder / name)
        assert written.metadata[b"huggingface"] == make_schema(table).metadata[b"huggingface"]
