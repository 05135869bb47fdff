"""Tables become files: CSV, JSON Lines, Parquet, BibTeX.

In: tables of pages. Out: a file a page, named after it, or a file an archive with a column that
names the page; or all on standard output. Texts come from strangers: no cell is a formula, no sign
steers a terminal.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, groupby, takewhile
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.io.atomic_files import replacing, show_name
from blickfang.io.escaping import tsv_cell
from blickfang.io.source_files import ARCHIVES, PAGE_FILES, plain_name
from blickfang.records.extract import tell_apart
from blickfang.records.persons.write_publications import write_bibliography
from blickfang.records.record_sources import (
    expand,
    is_address,
    is_many,
)
from blickfang.records.run_records import PAGE, WHOLE, PageTables, publication_of_row

FORMATS = ("csv", "jsonl", "parquet", "bibtex")
OUTPUTS = {"csv": ".csv", "jsonl": ".jsonl", "parquet": ".parquet", "bibtex": ".bib"}
STEERING = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SPECIAL = re.compile(r"[^\w.-]+")
LONGEST_NAME = 100
BATCH = 5000  # rows of a group in Parquet
MOST_COLUMNS = 500  # of a sheet of many pages; what more there is goes into one
MORE = "more"
NUMBERS = ("region", "row", "pattern")

Rows = Iterable[dict[str, Any]]


def write_csv(columns: Sequence[str], rows: Rows) -> Iterator[bytes]:
    """Yield a table as CSV."""
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
    kinds = {name: pa.int32() for name in NUMBERS}
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
        for ending in (*PAGE_FILES, *ARCHIVES):
            name = name.removesuffix(ending)
    return shorten_name(name) or "page"


def shorten_name(name: str) -> str:
    """Return a name for a file that is not too long; what is cut off still tells it apart."""
    if len(name.encode()) > LONGEST_NAME:
        mark = sha256(name.encode()).hexdigest()[:8]
        name = name.encode()[:LONGEST_NAME].decode("utf-8", "ignore") + "-" + mark
    return name


def with_page(tables: PageTables) -> Iterator[dict[str, Any]]:
    """Yield the rows of a page with its name."""
    page = show_name(tables.page)
    return ({PAGE: page, **row} for row in tables.rows)


def name_outputs(names: Sequence[str]) -> dict[str, str]:
    """Return how the file of each page is called: after it, and the folders that tell it apart.

    >>> name_outputs(["a/x/index.html", "a/y/index.html", "a/shop.html"])
    {'a/x/index.html': 'x-index', 'a/y/index.html': 'y-index', 'a/shop.html': 'shop'}
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name_output(name), []).append(name)
    found: dict[str, str] = {}
    for base, alike in groups.items():
        folders = [() if is_address(name) else Path(name).parts[:-1] for name in alike]
        levels = zip(*folders, strict=False)
        shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, levels))
        for name, above in zip(alike, folders, strict=True):
            parts = [SPECIAL.sub("-", show_name(part)).strip("-.") for part in above[shared:]]
            called = shorten_name("-".join([*filter(None, parts), base]))
            found[name] = tell_apart(called, found.values(), "-")
    return found


def write_tables(found: Iterable[PageTables], form: str, folder: Path, names: Sequence[str]) -> int:
    """Write the tables of pages, a file a page or an archive; return how many files."""
    called = name_outputs(expand(names))
    files = 0
    for origin, group in groupby(found, key=lambda tables: tables.origin):
        with replacing(folder / (called[origin] + OUTPUTS[form])) as file:
            write_pages(group, form, file, named=is_many(origin))
        files += 1
    return files


def write_pages(found: Iterable[PageTables], form: str, file: BinaryIO, *, named: bool) -> None:
    """Write the tables of pages one behind the other, with the names of the pages on demand.

    Where there are several they have the columns of all: until these are known, rows wait on disk.
    """
    stream = iter(found)
    first = next(stream, None)
    if first is None:
        return
    whole = chain([first], stream)
    if not named or form not in ("csv", "parquet"):
        every = chain.from_iterable(with_page(one) if named else one.rows for one in whole)
        write_sheet(file, form, first.columns, every)
        return
    columns: dict[str, None] = {PAGE: None}
    with TemporaryFile() as waiting:
        for one in whole:
            columns |= dict.fromkeys(one.columns)
            for row in with_page(one):
                waiting.write(json.dumps(row).encode() + b"\n")
        waiting.seek(0)
        shown = [name for name in columns if name != WHOLE]
        rest = [WHOLE] if WHOLE in columns else []
        if len(shown) > MOST_COLUMNS:
            rest, shown = [MORE, *rest], shown[:MOST_COLUMNS]
        kept = frozenset([*columns] if MORE not in rest else [*shown, *rest])
        rows = (gather_more(json.loads(line), columns, kept) for line in waiting)
        write_sheet(file, form, [*shown, *rest], rows)


def gather_more(
    row: dict[str, Any], columns: Mapping[str, None], kept: frozenset[str]
) -> dict[str, Any]:
    """Return a row whose cells in columns that are not kept are in one column, as JSON."""
    more = {name: row[name] for name in row if name in columns and name not in kept and row[name]}
    return {**row, MORE: write_json(more)} if more else row


def print_tables(
    found: Iterable[PageTables], form: str, file: BinaryIO, names: Sequence[str]
) -> None:
    """Write the tables of all pages to one file; each row names its page if there are several."""
    several = len(names) > 1 or any(is_many(name) or Path(name).is_dir() for name in names)
    write_pages(found, form, file, named=several)
