"""WebDataset: tar files as img2dataset lays them out, which training code streams.

In: a selection. Out: 00000.tar with key.jpg, key.txt (the caption) and key.json (all else) for each
sample, 00000.parquet with the same facts as a table, 00000_stats.json with counts; 10,000 samples a
shard; README.md, by which `datasets` opens the folder. Tar files carry no times and no owners: same
samples, same bytes.

`load_dataset("webdataset", …)` takes names and types from the first five samples of the first
shard, and asks the same of all others. So a picture is key.jpg whatever its format is: the bytes
stay as they were fetched, readers look at these, and `format` says what they are. In key.json a
list is JSON text, and a number that is not known is left out: an empty list or a null tells no
type.
"""

import io
import json
import tarfile
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from blickfang.corpus.export.selection import ExportSelection
from blickfang.corpus.parquet_files import WHOLE, write_table
from blickfang.corpus.sample_columns import TEXT, CorpusColumn, make_schema

PICTURE = "jpg"  # whatever its format is
SHARD_ROWS = 10_000
BATCH_ROWS = 500  # rows of the table held at once
ADDED = (
    CorpusColumn("key", TEXT, "name of the sample's files in the tar"),
    CorpusColumn("status", TEXT, "success, as img2dataset has it"),
    CorpusColumn("original_width", pa.int32(), "pixels; pictures are not resized"),
    CorpusColumn("original_height", pa.int32(), "pixels; pictures are not resized"),
)
CARD = """---
configs:
- config_name: default
  data_files: "*.tar"
dataset_info:
  features:
{features}
---

# Image–text samples

`load_dataset("webdataset", data_files="*.tar")`, or `load_dataset` with the path of this folder,
which knows the columns of all samples: the first form knows those of the first five. In key.json
what is a list is JSON text, and a number that is not known is left out.

| in key.json | meaning |
| --- | --- |
{rows}"""

Row = dict[str, Any]


def export_webdataset(selection: ExportSelection, folder: Path) -> None:
    """Write samples as WebDataset shards."""
    columns = (*ADDED, *(column for column in selection.columns if column.name != "image"))
    rows = selection.rows()
    for number in count():
        shard = islice(rows, SHARD_ROWS)
        first = list(islice(shard, 1))
        if number and not first:
            break
        _write_shard(folder, f"{number:05}", columns, chain(first, shard))
    card = _write_card(columns, selection.with_bytes)
    (folder / "README.md").write_text(card, encoding="utf-8")


def _write_shard(
    folder: Path, name: str, columns: tuple[CorpusColumn, ...], rows: Iterator[Row]
) -> None:
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
        _add_file(tar, f"{key}.{PICTURE}", image["bytes"])
    _add_file(tar, f"{key}.txt", (row["caption"] or "").encode())
    _add_file(tar, f"{key}.json", json.dumps(_plain_facts(facts), ensure_ascii=False).encode())
    return facts


def _plain_facts(facts: Row) -> Row:
    """Return facts of which each says its type."""
    known = {name: value for name, value in facts.items() if value is not None}
    lists = {
        name: json.dumps(value, ensure_ascii=False)
        for name, value in known.items()
        if isinstance(value, list)
    }
    return known | lists


def _add_file(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)  # its time is 0, its owner nobody
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _make_batches(rows: Iterator[Row], schema: Any) -> Iterator[Any]:
    while some := list(islice(rows, BATCH_ROWS)):
        yield pa.RecordBatch.from_pylist(some, schema)


def _write_card(columns: tuple[CorpusColumn, ...], with_bytes: bool) -> str:
    """Return the card of an export, with the features of its samples."""
    shown = ("jpg", "image"), ("txt", "string")
    features = [f"  - name: {name}\n    dtype: {kind}" for name, kind in shown[not with_bytes :]]
    features.append("  - name: json\n    struct:")
    features += [f"    - name: {c.name}\n      dtype: {_plain_type(c.type)}" for c in columns]
    features += [f"  - name: {name}\n    dtype: string" for name in ("__key__", "__url__")]
    rows = "".join(f"| `{c.name}` | {c.meaning} |\n" for c in columns)
    return CARD.format(features="\n".join(features), rows=rows)


def _plain_type(kind: Any) -> str:
    """Return how `datasets` calls the type that a value has in key.json."""
    if pa.types.is_floating(kind):
        return "float64"
    return "string" if pa.types.is_list(kind) else str(kind)
