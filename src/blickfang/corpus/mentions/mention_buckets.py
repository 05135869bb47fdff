"""Sightings on disk, so that those of one address are found together, whatever archive they are of.

In: tables of sightings. Out: runs: files in which the row groups are buckets of addresses. A bucket
of all runs fits into memory; ten million sightings are joined bucket by bucket.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BUCKETS = 64
WRITING: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
# Dictionaries and statistics of small row groups take time and room, and nobody asks for them.
WRITING_RUNS = {**WRITING, "use_dictionary": False, "write_statistics": False}
KEPT = b"buckets"


def write_run(table: pa.Table, path: Path) -> None:
    """Write sightings, a row group a bucket, each in the order of addresses."""
    urls = table["url"].combine_chunks()
    buckets = _buckets_of(urls)
    order = np.lexsort((pc.rank(urls, tiebreaker="first").to_numpy(), buckets))
    table, buckets = table.take(order), buckets[order]
    edges = np.searchsorted(buckets, np.arange(BUCKETS + 1))
    filled = [number for number in range(BUCKETS) if edges[number] < edges[number + 1]]
    with pq.ParquetWriter(path, table.schema, **WRITING_RUNS) as writer:
        writer.add_key_value_metadata({KEPT: json.dumps(filled).encode()})
        for number in filled:
            rows = table.slice(edges[number], edges[number + 1] - edges[number])
            writer.write_table(rows, row_group_size=len(rows))


def _buckets_of(urls: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the bucket of each address: a hash, so that buckets are alike in size."""
    distinct = urls.dictionary_encode()
    names = distinct.dictionary.to_pylist()
    numbers = np.array([crc32(name.encode("utf-8", "replace")) % BUCKETS for name in names])
    return numbers[distinct.indices.to_numpy()] if len(names) else np.empty(0, np.int64)


def merge_runs(paths: Sequence[Path], target: Path) -> None:
    """Make one run of several: every file that is opened takes a millisecond a bucket."""
    if len(paths) == 1:
        paths[0].rename(target)
        return
    runs = MentionRuns(paths)
    filled = sorted({bucket for _, groups in runs.files for bucket in groups})
    with pq.ParquetWriter(target, pq.read_schema(paths[0]), **WRITING_RUNS) as writer:
        writer.add_key_value_metadata({KEPT: json.dumps(filled).encode()})
        for table in runs.buckets():
            writer.write_table(table, row_group_size=len(table))
    for path in paths:
        path.unlink()


class MentionRuns:
    """All runs of a build."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.files: list[tuple[Path, dict[int, int]]] = []  # and the row groups of buckets
        for path in paths:
            metadata = pq.read_metadata(path)
            filled = json.loads(metadata.metadata[KEPT])
            self.files.append((path, {bucket: n for n, bucket in enumerate(filled)}))

    def buckets(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Give the sightings of one bucket after the other, in a fixed order."""
        for bucket in range(BUCKETS):
            tables = []
            for path, groups in self.files:
                if bucket in groups:
                    tables.append(_read_group(path, groups[bucket], columns))
            if tables:
                whole = [pa.concat_tables(tables).combine_chunks()]
                tables.clear()  # before anyone works with it: both would be there all the time
                pa.default_memory_pool().release_unused()  # else it keeps what the largest took
                yield whole.pop()


def _read_group(path: Path, group: int, columns: Sequence[str] | None) -> pa.Table:
    """Return one row group. It is small: threads would only each keep memory of their own."""
    with pq.ParquetFile(path) as file:
        return file.read_row_group(group, columns=columns, use_threads=False)
