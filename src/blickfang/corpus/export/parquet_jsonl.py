"""Parquet, the layout of Hugging Face, and JSON lines.

In: a selection. Out: `parquet`: samples-00000-of-00002.parquet, with the file of each picture as
plain bytes; `hf`: a corpus of its own, card and manifest included; `jsonl`: metadata.jsonl, and the
pictures in images/, which `datasets` opens as an image folder.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from blickfang.corpus.corpus_writer import write_parts
from blickfang.corpus.dataset_card import FunnelStep, Origin, origin_from_json
from blickfang.corpus.export.mirror import file_extension
from blickfang.corpus.export.selection import ExportSelection
from blickfang.corpus.parquet_files import STANDARD, write_table
from blickfang.corpus.sample_columns import CorpusColumn


def export_parquet(selection: ExportSelection, folder: Path) -> None:
    """Write samples as Parquet files."""
    plain = tuple(
        CorpusColumn("image", pa.binary(), "the file as it was fetched") if c.name == "image" else c
        for c in selection.columns
    )
    name = "samples-{:05}-of-{:05}.parquet"
    write_table(folder, name, plain, map(_unpack_image, selection.batches()), STANDARD)


def _unpack_image(batch: Any) -> Any:
    at = batch.schema.get_field_index("image")
    if at < 0:
        return batch
    return batch.set_column(at, "image", batch.column(at).field("bytes"))


def export_hf(selection: ExportSelection, folder: Path) -> None:
    """Write samples and their pages as a corpus of its own."""
    write_parts(
        folder,
        selection.batches(),
        lambda: _tell_origin(selection),
        selection.rejected(),
        selection.pages(),
        selection.with_bytes,
    )


def _tell_origin(selection: ExportSelection) -> Origin:
    """Return the origin of a corpus with the export as the last step of its funnel."""
    origin = origin_from_json(selection.corpus.manifest)
    filtered = len(selection.corpus) - selection.kept - selection.removed
    dropped = (
        (f"filter: {selection.where}", filtered),
        ("removal list", selection.removed),
    )
    step = FunnelStep("export", selection.kept, tuple(pair for pair in dropped if pair[1]))
    left_out = origin.removed_rejected + selection.removed_rejected
    return replace(origin, funnel=(*origin.funnel, step), removed_rejected=left_out)


def export_jsonl(selection: ExportSelection, folder: Path) -> None:
    """Write samples as lines of JSON, their pictures as files beside."""
    if selection.with_bytes:
        (folder / "images").mkdir()
    with (folder / "metadata.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for facts in _write_images(selection, folder):
            file.write(json.dumps(facts, ensure_ascii=False) + "\n")


def _write_images(selection: ExportSelection, folder: Path) -> Iterator[dict[str, Any]]:
    for row in selection.rows():
        image = row.pop("image", None)
        if image is None:
            yield row
            continue
        name = f"images/{row['id']}.{file_extension(row['format'] or '')}"
        (folder / name).write_bytes(image["bytes"])
        yield {"file_name": name, **row}
