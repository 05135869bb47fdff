"""What is left behind of a search for near-duplicates: pairs, clusters, documents without copies.

In: `Copies`, and the sources they were found in. Out: files, each whole or not there: JSON Lines;
documents of Parquet also as Parquet, with all their columns.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from blickfang.config import FILE
from blickfang.dedupe.document_forms import Fields, find_columns
from blickfang.dedupe.documents import (
    Document,
    is_table,
    list_files,
    read_documents,
    to_line,
)
from blickfang.dedupe.run_dedupe import DuplicateCriteria, DuplicatesFound
from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import find_target, replacing
from blickfang.io.source_files import PACKED
from blickfang.io.storage import Place, fetching

ROWS = 2**16  # of pairs that are numbers of Python at once


def check_outputs(sources: Sequence[Place], outs: Sequence[Path | None]) -> None:
    """Raise if an output cannot be written, or lies over a source or over another one.

    The last one of them is for the documents.
    """
    read = {source.resolve() for source in sources if isinstance(source, Path)}
    folders = {each for each in read if each.is_dir() and not (each / FILE).exists()}
    written: set[Path] = set()
    for out in outs:
        if out is None:
            continue
        place = find_target(out)
        # What is written into a folder of texts would be read as one of them, this time or next.
        if place in read or any(folder in place.parents for folder in folders):
            raise SettingsError(f"{out} is read from; write to another file")
        if place in written:
            raise SettingsError(f"{out} is given for two outputs; give each its own file")
        if place.name.endswith(PACKED):
            raise SettingsError(f"{out} would not be packed; give a name without its last suffix")
        written.add(place)
    if outs and outs[-1] is not None and is_table(outs[-1]):
        _list_tables(sources)


def _list_tables(sources: Sequence[Place]) -> list[Place]:
    """Return the files of sources that are all Parquet; raise if one is not."""
    files: list[Place] = []
    for source in sources:
        files += list_files(source) if isinstance(source, Path) else [source]
    for file in files:
        if not is_table(Path(str(file))):
            raise SettingsError(f"{file} is not Parquet, so --keep cannot be: call it .jsonl")
    return files


def write_copies(
    copies: DuplicatesFound,
    paths: Sequence[Place],
    likeness: DuplicateCriteria,
    outs: Sequence[Path | None],
) -> None:
    """Write pairs, clusters, and the documents that stay, each where it is wanted."""
    pairs, clusters, keep = outs
    if pairs is not None:
        _write_pairs(copies, pairs)
    if clusters is not None:
        _write_rows(clusters, _list_clusters(copies))
    if keep is not None:
        _write_originals(copies, paths, likeness, keep)


def _write_pairs(copies: DuplicatesFound, path: Path) -> None:
    """Write pairs: there may be millions, so ids are put into JSON once, not with every pair."""
    found, ids = copies.found, copies.ids
    named = [json.dumps(name, ensure_ascii=False) for name in ids]
    numbers = ((a, b) for part in _cut(found.pairs) for a, b in part.tolist())
    values = (value for part in _cut(found.jaccards) for value in part.tolist())
    with replacing(path) as file:
        for (a, b), value in zip(numbers, values, strict=True):
            jaccard = "null" if value != value else repr(value)
            line = f'{{"a": {named[a]}, "b": {named[b]}, "jaccard": {jaccard}}}\n'
            try:
                file.write(line.encode())
            except UnicodeEncodeError:  # an id with a lone surrogate: as _write_rows has it
                line = json.dumps({"a": ids[a], "b": ids[b], "jaccard": json.loads(jaccard)})
                file.write(line.encode() + b"\n")


def _cut(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Give rows some at a time: as Python's numbers all of them would take much memory."""
    for begin in range(0, len(rows), ROWS):
        yield rows[begin : begin + ROWS]


def _list_clusters(copies: DuplicatesFound) -> Iterator[dict[str, Any]]:
    order = np.argsort(copies.keeps, kind="stable")
    edges = np.flatnonzero(np.diff(copies.keeps[order])) + 1
    for members in np.split(order, edges) if len(order) else ():
        if len(members) > 1:
            kept = copies.ids[int(copies.keeps[members[0]])]
            yield {"keep": kept, "members": [copies.ids[member] for member in members.tolist()]}


def _write_rows(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with replacing(path) as file:
        for row in rows:
            try:
                line = json.dumps(row, ensure_ascii=False).encode()
            except UnicodeEncodeError:  # an id with a lone surrogate: written as sources write it
                line = json.dumps(row).encode()
            file.write(line + b"\n")


def _write_originals(
    copies: DuplicatesFound, paths: Sequence[Place], likeness: DuplicateCriteria, out: Path
) -> None:
    """Write the documents that stay; the sources are gone through again."""
    if is_table(out):
        _write_tables(copies, _list_tables(paths), likeness, out)
        return
    documents = (
        entry
        for entry in read_documents(paths, whole=True, fields=Fields(*likeness.fields))
        if isinstance(entry, Document)
    )
    count = 0
    with replacing(out) as file:
        for number, entry in enumerate(documents):
            _refuse_others(copies, number, entry.id)
            if copies.keeps[number] == number:
                if copies.uses_all is not None and not copies.uses_all[number]:
                    entry = entry._replace(text=entry.main)
                line = to_line(entry, copies.ids[number], Fields(*likeness.fields))
                file.write(line.encode("utf-8", "replace") + b"\n")
            count = number + 1
        _refuse_fewer(copies, count)


def _refuse_others(copies: DuplicatesFound, number: int, name: str) -> None:
    """Raise if a document is not the one that was compared under its number.

    Sources are read twice; they may change meanwhile, and what is written must be what was found.
    """
    known = copies.ids[number] if number < len(copies.ids) else ""
    if known != name and not known.startswith(f"{name}#"):
        raise InputError(f"{name} was not there before: sources changed while they were read")


def _refuse_fewer(copies: DuplicatesFound, count: int) -> None:
    """Raise if not all documents that were compared could be read again."""
    if count != len(copies.keeps):
        raise InputError(
            f"of {len(copies.keeps):,} documents, {count:,} can be read again: not kept"
        )


def _write_tables(
    copies: DuplicatesFound, files: Sequence[Place], likeness: DuplicateCriteria, out: Path
) -> None:
    """Write the rows that stay of tables with the same columns as one table.

    Files that could not be read to their end have been named; here they are an error.
    """
    number = 0
    with fetching(files[0]) as path:
        schema = pq.read_schema(path)
    ids = find_columns(schema.names, Fields(*likeness.fields)).id
    with replacing(out) as file, pq.ParquetWriter(file, schema) as writer:
        for place in files:
            with fetching(place) as path, pq.ParquetFile(path) as table:
                if not schema.equals(table.schema_arrow):
                    raise InputError(f"{place} has other columns than {files[0]}: keep .jsonl")
                for batch in table.iter_batches():
                    number = _write_batch(copies, batch, ids, number, writer)
        _refuse_fewer(copies, number)


def _write_batch(
    copies: DuplicatesFound,
    batch: pa.RecordBatch,
    column: str,
    number: int,
    writer: pq.ParquetWriter,
) -> int:
    """Write the rows of a batch that stay; return the number of the next document."""
    named = np.asarray(batch.column(column).is_valid())  # a row without an id is no document
    numbers = number + np.cumsum(named) - 1
    if number + named.sum() > len(copies.keeps):
        raise InputError("not all rows could be compared, so the others cannot be kept: see above")
    stays = named & (copies.keeps[numbers] == numbers)
    place = batch.schema.get_field_index(column)
    if pa.types.is_string(batch.schema.types[place]):  # where a doubled id can be told apart
        ids = [copies.ids[n] if ok else None for n, ok in zip(numbers, named, strict=True)]
        columns = [*batch.columns]
        columns[place] = pa.array(ids, pa.string())
        batch = pa.RecordBatch.from_arrays(columns, schema=batch.schema)
    writer.write_batch(batch.filter(pa.array(stays)))
    return number + int(named.sum())
