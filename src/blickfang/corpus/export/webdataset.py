"""WebDataset: tar files as img2dataset lays them out, which training code streams.

In: a selection. Out: 00000.tar with key.jpg, key.txt (the caption) and key.json (all else) for each
sample, 00000.parquet with the same facts as a table, 00000_stats.json with counts; 10,000 samples a
shard. Tar files carry no times and no owners: same samples, same bytes.
"""

import io
import json
import tarfile
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from blickfang.corpus.columns import TEXT, Column, make_schema
from blickfang.corpus.export.names import file_extension
from blickfang.corpus.export.selection import Selection
from blickfang.corpus.parquet import WHOLE, write_table

SHARD_ROWS = 10_000
BATCH_ROWS = 500  # rows of the table held at once
ADDED = (
    Column("key", TEXT, "name of the sample's files in the tar"),
    Column("status", TEXT, "success, as img2dataset has it"),
    Column("original_width", pa.int32(), "pixels; pictures are not resized"),
    Column("original_height", pa.int32(), "pixels; pictures are not resized"),
)

Row = dict[str, Any]


def export_webdataset(selection: Selection, folder: Path) -> None:
    """Write samples as WebDataset shards."""
    columns = (*ADDED, *(column for column in selection.columns if column.name != "image"))
    rows = selection.rows()
    for number in count():
        shard = islice(rows, SHARD_ROWS)
        first = list(islice(shard, 1))
        if number and not first:
            return
        _write_shard(folder, f"{number:05}", columns, chain(first, shard))


def _write_shard(folder: Path, name: str, columns: tuple[Column, ...], rows: Iterator[Row]) -> None:
    size = 0
    with tarfile.open(folder / f"{name}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:

        def add_samples() -> Iterator[Row]:
            nonlocal size
            for position, row in enumerate(rows):
                size += row["bytes"] or 0
                yield _add_sample(tar, f"{name}{position:04}", row)

        batches = _make_batches(add_samples(), make_schema(columns))
        (table,) = write_table(folder, f"{name}.parquet", columns, batches, WHOLE)
    stats = {
        "count": table.rows,
        "successes": table.rows,
        "failed_to_download": 0,
        "failed_to_resize": 0,
        "bytes_downloaded": size,
        "status_dict": {"success": table.rows},
    }
    (folder / f"{name}_stats.json").write_text(json.dumps(stats, indent=1) + "\n")


def _add_sample(tar: tarfile.TarFile, key: str, row: Row) -> Row:
    """Add the files of a sample; return its facts."""
    image = row.pop("image", None)
    size = {"original_width": row["width"], "original_height": row["height"]}
    facts = {"key": key, "status": "success", **size, **row}
    if image is not None:
        _add_file(tar, f"{key}.{file_extension(row['format'] or '')}", image["bytes"])
    _add_file(tar, f"{key}.txt", (row["caption"] or "").encode())
    _add_file(tar, f"{key}.json", json.dumps(facts, ensure_ascii=False).encode())
    return facts


def _add_file(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)  # its time is 0, its owner nobody
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _make_batches(rows: Iterator[Row], schema: Any) -> Iterator[Any]:
    while some := list(islice(rows, BATCH_ROWS)):
        yield pa.RecordBatch.from_pylist(some, schema)
