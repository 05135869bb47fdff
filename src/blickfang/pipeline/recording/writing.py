"""Tables become files: CSV, JSON Lines, Parquet, BibTeX.

In: tables of pages. Out: a file a page, named after it, or a file an archive with a column that
names the page; or all on standard output. Texts come from strangers: no cell is a formula, no sign
steers a terminal.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, groupby
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.corpus.escaping import tsv_cell
from blickfang.crawl.warc.reader import ENDINGS
from blickfang.disk import replacing, show_name
from blickfang.pipeline.bibliography import write_bibliography
from blickfang.pipeline.recording.rows import PAGE, publication_of_row
from blickfang.pipeline.recording.sources import PAGE_FILES, is_address, is_many, plain_name
from blickfang.pipeline.recording.tables import Tables

FORMATS = ("csv", "jsonl", "parquet", "bibtex")
OUTPUTS = {"csv": ".csv", "jsonl": ".jsonl", "parquet": ".parquet", "bibtex": ".bib"}
STEERING = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SPECIAL = re.compile(r"[^\w.-]+")
LONGEST_NAME = 100
BATCH = 5000  # rows of a group in Parquet
NUMBERS = ("region", "row", "pattern")

Rows = Iterable[dict[str, Any]]


def write_csv(columns: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """Yield a table as CSV; cells of a list are a list of JSON."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([show_cell(name) for name in columns])  # they stand on the page, too
    for row in rows:
        writer.writerow([show_cell(row.get(name)) for name in columns])
        yield take_out(buffer)
    yield take_out(buffer)


def take_out(buffer: io.StringIO) -> bytes:
    """Return what was written into a buffer, and empty it."""
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode("utf-8", "replace")


def show_cell(value: object) -> str:
    """Return a value as a cell that no spreadsheet takes for a formula.

    >>> show_cell("=1+1"), show_cell(["a", 1]), show_cell(None)
    ("'=1+1", '["a", 1]', '')
    """
    return write_json(value) if isinstance(value, list) else tsv_cell(value)


def write_json(value: object) -> str:
    """Return a value as JSON in which no sign steers a terminal."""
    line = json.dumps(value, ensure_ascii=False)
    return STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", line)


def write_lines(columns: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """Yield a table as JSON Lines; here a row may say more than its columns."""
    del columns
    for row in rows:
        yield write_json(row).encode("utf-8", "replace") + b"\n"


def write_bibtex(columns: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """Yield publications as BibTeX."""
    del columns
    for entry in write_bibliography(map(publication_of_row, rows)):
        yield entry.encode("utf-8", "replace")


TEXTS: dict[str, Callable[[Sequence[str], Rows], Iterator[bytes]]] = {
    "csv": write_csv,
    "jsonl": write_lines,
    "bibtex": write_bibtex,
}


def write_parquet(file: BinaryIO, columns: Sequence[str], rows: Rows) -> None:
    """Write a table as Parquet, some thousand rows at once."""
    kinds = {name: pa.int32() for name in NUMBERS} | {"cells": pa.list_(pa.string())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append({name: row.get(name) for name in columns})
            if len(batch) == BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        if batch:
            writer.write_table(pa.Table.from_pylist(batch, schema))


def write_sheet(file: BinaryIO, form: str, columns: Sequence[str], rows: Rows) -> None:
    """Write one table to a file."""
    if form == "parquet":
        write_parquet(file, columns, rows)
        return
    for part in TEXTS[form](columns, rows):
        file.write(part)


def name_output(origin: str) -> str:
    """Return how the file of a page, archive, collection or address is called, without ending.

    >>> name_output("saved/page.html.gz"), name_output("https://a.org/list?p=2"), name_output("-")
    ('page', 'a.org-list-p-2', 'stdin')
    """
    if origin == "-":
        return "stdin"
    if is_address(origin):
        name = SPECIAL.sub("-", origin.partition("//")[2].partition("#")[0]).strip("-.")
    else:
        path = Path(origin)
        name = show_name(plain_name((path.resolve() if path.is_dir() else path).name))
        for ending in (*PAGE_FILES, *ENDINGS):
            name = name.removesuffix(ending)
    if len(name.encode()) > LONGEST_NAME:
        mark = sha256(name.encode()).hexdigest()[:8]
        name = name.encode()[:LONGEST_NAME].decode("utf-8", "ignore") + "-" + mark
    return name or "page"


def with_page(tables: Tables) -> Iterator[dict[str, Any]]:
    """Yield the rows of a page with its name."""
    page = show_name(tables.page)
    return ({PAGE: page, **row} for row in tables.rows)


def write_tables(found: Iterable[Tables], form: str, folder: Path) -> int:
    """Write the tables of pages, a file a page or an archive; return how many files."""
    taken: dict[str, int] = {}
    files = 0
    for origin, group in groupby(found, key=lambda tables: tables.origin):
        name = name_output(origin)
        taken[name] = taken.get(name, 0) + 1
        name = name if taken[name] == 1 else f"{name}-{taken[name]}"
        with replacing(folder / (name + OUTPUTS[form])) as file:
            write_pages(group, form, file, named=is_many(origin))
        files += 1
    return files


def write_pages(found: Iterable[Tables], form: str, file: BinaryIO, *, named: bool) -> None:
    """Write the tables of pages one behind the other, with the names of the pages on demand."""
    stream = iter(found)
    first = next(stream, None)
    if first is None:
        return
    whole = chain([first], stream)
    rows = chain.from_iterable(with_page(one) if named else one.rows for one in whole)
    write_sheet(file, form, [PAGE, *first.columns] if named else first.columns, rows)


def print_tables(found: Iterable[Tables], form: str, file: BinaryIO, names: Sequence[str]) -> None:
    """Write the tables of all pages to one file; each row names its page if there are several."""
    several = len(names) > 1 or any(is_many(name) or Path(name).is_dir() for name in names)
    write_pages(found, form, file, named=several)
