"""Tables on their way to disk: Parquet files of limited size, the same bytes for the same rows.

In: record batches, however they are cut. Out: files, and for each its rows, size and sha-256.
Where a row group and a file end follows from the rows alone. Pictures are stored as they are:
they are compressed already, and one of them can be read without unpacking its neighbours.
"""

import hashlib
import io
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from blickfang.corpus.sample_columns import CorpusColumn, leaf_paths, make_schema

PICTURE = "image.bytes"
# Columns of few different values; the others would only fill a dictionary in vain.
REPEATING = (
    "format",
    "language",
    "context_method",
    "context_kind",
    "consent",
    "data_mining",
    "licence",
    "credit",
    "warc_file",
    "page_warc_file",
    "reason",
    "licences.list.element",
    "mentions.list.element.method",
    "texts.list.element.name",
)


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Where a row group and a file end: with the row that reaches a limit."""

    group_rows: int = 1000
    group_bytes: int = 8 * 2**20  # what is read to get at one picture
    file_rows: int = 10_000
    file_bytes: int = 400 * 10**6  # Hugging Face asks for 200 to 500 MB


STANDARD = FileLimits()
WHOLE = FileLimits(file_rows=2**62, file_bytes=2**62)  # one file, whatever its size


class ParquetFile(NamedTuple):
    """A written file."""

    name: str  # relative to the folder
    rows: int
    bytes: int
    sha256: str


class HashingFile(io.RawIOBase):
    """A file that is written once from front to end, and knows its hash."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.hash = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        """Whether one can write: yes."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes."""
        self.file.write(data)
        self.hash.update(data)
        self.size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how much was written."""
        return self.size


class TableWriter:
    """Writes one table to one or more files of a folder."""

    def __init__(self, folder: Path, columns: tuple[CorpusColumn, ...], limits: FileLimits) -> None:
        self.folder = folder
        self.limits = limits
        self.schema = make_schema(columns)
        self.settings = _writer_settings(columns)
        self.shards: list[ParquetFile] = []
        self.waiting: list[Any] = []  # slices of the next row group
        self.waiting_rows = self.waiting_bytes = 0
        self.file_rows = self.file_bytes = 0  # of the file so far
        self.file: HashingFile | None = None
        self.parquet: Any = None

    def write(self, batch: Any) -> None:
        """Take the rows of a record batch."""
        batch = batch.select(self.schema.names).cast(self.schema)
        ends = np.cumsum(row_sizes(batch.to_struct_array()))
        start = 0
        while start < batch.num_rows:
            before = int(ends[start - 1]) if start else 0
            room = min(self.limits.group_rows, self.limits.file_rows - self.file_rows)
            full = np.searchsorted(ends, before + self.limits.group_bytes - self.waiting_bytes)
            stop = min(int(full) + 1, start + room - self.waiting_rows, batch.num_rows)
            self.waiting.append(batch.slice(start, stop - start))
            self.waiting_rows += stop - start
            self.waiting_bytes += int(ends[stop - 1]) - before
            start = stop
            if self.waiting_rows >= room or self.waiting_bytes >= self.limits.group_bytes:
                self._end_group()

    def finish(self, name: str) -> list[ParquetFile]:
        """Write what is left; return the files. `name` takes their number and their count."""
        if self.waiting or not self.shards:  # a table without rows is a file too
            self._end_group()
        if self.file is not None:
            self._end_file()
        count = len(self.shards)
        named = [name.format(number, count) for number in range(count)]
        for shard, final in zip(self.shards, named, strict=True):
            (self.folder / final).parent.mkdir(exist_ok=True)
            (self.folder / shard.name).rename(self.folder / final)
        pairs = zip(self.shards, named, strict=True)
        return [shard._replace(name=final) for shard, final in pairs]

    def abandon(self) -> None:
        """Close what is open after a failure."""
        if self.file is not None:
            with suppress(Exception):  # the end of the file cannot be written either
                self.parquet.close()
            with suppress(OSError):
                self.file.file.close()

    def _end_group(self) -> None:
        if self.file is None:
            path = self.folder / f".{len(self.shards)}.parquet"
            self.file = HashingFile(path.open("wb"))
            self.parquet = pq.ParquetWriter(self.file, self.schema, **self.settings)
        group = pa.Table.from_batches(self.waiting, self.schema).combine_chunks()
        if group.num_rows:
            self.parquet.write_table(group, row_group_size=group.num_rows)
        self.file_rows += self.waiting_rows
        self.file_bytes += self.waiting_bytes
        self.waiting = []
        self.waiting_rows = self.waiting_bytes = 0
        limits = self.limits
        if self.file_rows >= limits.file_rows or self.file_bytes >= limits.file_bytes:
            self._end_file()

    def _end_file(self) -> None:
        file = self.file
        if file is None:
            return
        self.parquet.close()
        file.file.close()
        name = f".{len(self.shards)}.parquet"
        self.shards.append(ParquetFile(name, self.file_rows, file.size, file.hash.hexdigest()))
        self.file = self.parquet = None
        self.file_rows = self.file_bytes = 0


def write_table(
    folder: Path,
    name: str,
    columns: tuple[CorpusColumn, ...],
    batches: Iterable[Any],
    limits: FileLimits = STANDARD,
) -> list[ParquetFile]:
    """Write a table to files of a folder; `name` takes their number and their count."""
    writer = TableWriter(folder, columns, limits)
    try:
        for batch in batches:
            writer.write(batch)
        return writer.finish(name)
    except BaseException:
        writer.abandon()
        raise


def row_sizes(array: Any) -> NDArray[np.int64]:
    """Return how many bytes each value of an array takes, those of its parts included."""
    kind = array.type
    if pa.types.is_struct(kind):
        sizes = np.zeros(len(array), np.int64)
        for part in array.flatten():
            sizes += row_sizes(part)
        return sizes
    if pa.types.is_list(kind):
        inner = np.concatenate([[0], np.cumsum(row_sizes(array.values))])
        ends = inner[array.offsets.to_numpy()]
        return np.asarray(ends[1:] - ends[:-1] + 4, np.int64)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        lengths = pc.fill_null(pc.binary_length(array), 0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64) + 4
    return np.full(len(array), kind.bit_width // 8, np.int64)


def _writer_settings(columns: tuple[CorpusColumn, ...]) -> dict[str, Any]:
    paths = leaf_paths(columns)
    flat = [path for path, kind in paths.items() if "." not in path and kind.num_fields == 0]
    return {
        "version": "2.6",
        "compression": {
            path: "none" if pa.types.is_binary(kind) else "zstd" for path, kind in paths.items()
        },
        "use_dictionary": [path for path in paths if path in REPEATING],
        "write_statistics": flat,
        "write_page_index": True,
        "write_page_checksum": True,
    }
