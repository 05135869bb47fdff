"""Documents of any source: an id and a text each, in a fixed order that can be gone through twice.

In: JSON Lines with `id` and `text`, perhaps `url` (also .gz, .xz, .bz2, .zst), Parquet with these
columns, WARC files, files of TREC, tables and lists of addresses (document_forms.py), folders of
such files, of texts or of saved pages, collections. Out:
`Document`s, and a `Failure` for what is none. A file that ends too early gives what is before its
end. Of a page, all text or the main text. Single documents can be read again by their number or
place in the file.
"""

import json
from base64 import b64encode
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.config import FILE
from blickfang.dedupe.document_forms import (
    REFUSED,
    USUAL,
    Fields,
    ListedDocument,
    explain_missing,
    find_columns,
    read_rows,
    show_names,
    tell_form,
)
from blickfang.errors import InputError
from blickfang.html import read, read_page
from blickfang.io.atomic_files import explain_failure, is_of_system
from blickfang.io.source_files import (
    PACKED,
    is_archive,
    is_page_file,
    list_crawled,
    list_folder,
    plain_name,
)
from blickfang.io.storage import Place, fetching
from blickfang.io.text_files import decode_unmarked, opening, read_bytes, read_text
from blickfang.io.warc import Archived, read_at
from blickfang.io.warc.archive_reader import in_archive
from blickfang.io.warc.record_types import archived_response
from blickfang.io.warc.walk import has_payload, is_page, iterate_archive
from blickfang.types import Failure

LINES = (".jsonl", ".ndjson", ".json")
TREC_ID = "warc-trec-id"  # of ClueWeb
MARK = "\ufeff"  # of Unicode, before the first line
TIMES = ("time", "date", "fetched_at")
COMPACT = {4: "%Y", 8: "%Y%m%d", 14: "%Y%m%d%H%M%S"}  # dates without signs, by their digits
MILLISECONDS = 1e11  # from here on numbers are no seconds
MAX_LINE = 1 << 30  # bytes of a document in JSON


class Document(NamedTuple):
    """A text with an id."""

    id: str
    text: str
    time: str = ""  # when it was fetched or written, if that is known
    line: str = ""  # as the source has it, where that is JSON
    url: str = ""
    main: str = ""  # the main text of a page
    number: int = 0  # of the record, line or row in its file
    offset: int = -1  # in its file, -1 where single documents cannot be reached
    length: int = 0


def read_documents(
    places: Sequence[Place], *, whole: bool = False, fields: Fields = USUAL
) -> Iterator[Document | Failure]:
    """Give the documents of some sources, one after the other; perhaps with all that is there."""
    for place in places:
        for file in list_files(place) if isinstance(place, Path) else [place]:
            yield from read_place_of(place, file, whole=whole, fields=fields)


def read_place_of(
    source: Place, file: Place, *, whole: bool = False, fields: Fields = USUAL
) -> Iterator[Document | Failure]:
    """Give the documents of one file of a source, wherever it lies."""
    with fetching(file) as path:
        source = source if isinstance(source, Path) else path
        yield from read_file(path, source, name=str(file), whole=whole, fields=fields)


def list_files(path: Path) -> list[Path]:
    """Return the files of a source, in order; of a folder with archives, only these."""
    if not path.exists():
        raise InputError(f"there is no {path}")
    if is_of_system(path) or not (path.is_file() or path.is_dir()):
        # Sources are gone through twice, and their names say what is in them.
        raise InputError(f"{path} is no file, but a pipe or device; write what it gives to a file")
    if (path / FILE).exists():
        return list_crawled(path / "crawl")
    if path.is_dir():
        files = list_folder(path)
        # What lies beside archives is about them: indexes, logs, lists of checksums.
        return [each for each in files if is_archive(each)] or files
    return [path]


def is_table(path: Path) -> bool:
    """Whether a file is Parquet, by its name."""
    return plain_name(path.name.lower()).endswith(".parquet")


def is_single(path: Path, source: Path) -> bool:
    """Whether a file of a source is one document: a text, or a page."""
    return _tell_kind(path, source) == "text"


def _tell_kind(path: Path, source: Path) -> str:
    """Return what a file is: archive, parquet, text (or page), or a form of document_forms.py."""
    if is_archive(path):
        return "archive"
    if is_table(path):
        return "parquet"
    if is_page_file(path):
        return "text"
    form = tell_form(path)
    lines = LINES[:2] if source.is_dir() else LINES  # among texts, .json is one of them
    named = plain_name(path.name.lower()).endswith(lines)
    return "lines" if named and form != "array" else form


def read_file(
    path: Path,
    source: Path,
    wanted: Container[int] | None = None,
    name: str = "",
    *,
    whole: bool = False,
    fields: Fields = USUAL,
) -> Iterator[Document | Failure]:
    """Give the documents of one file of a source, or those whose numbers are wanted.

    `name` is what the user calls the file, where `path` is that of a copy. With `whole`, rows of
    Parquet come as a line of JSON, too. `fields` are what rows call id, text and address.
    """
    kind = _tell_kind(path, source)
    if kind == "text":
        yield _read_text(path, str(path.relative_to(source)) if source.is_dir() else path.name)
    elif kind == "archive":
        yield from _read_archive(path, wanted, name or str(path))
    elif kind == "parquet":
        yield from _read_parquet(path, wanted, fields, whole=whole)
    elif kind == "lines":
        yield from _read_lines(path, wanted, fields)
    elif kind in REFUSED:
        yield Failure(name or str(path), "documents", REFUSED[kind])
    else:
        yield from _read_rows(path, kind, wanted, fields)


def _read_rows(
    path: Path, form: str, wanted: Container[int] | None, fields: Fields
) -> Iterator[Document | Failure]:
    """Give the documents of a list, a table, or a file of TREC."""
    try:
        for row in read_rows(path, form, fields):
            if isinstance(row, str):
                yield Failure(f"{path}, {row}", "documents", f"is no document of this {form}")
            elif wanted is None or row.number in wanted:
                yield _read_row(path, row)
    except InputError as error:
        yield Failure(str(path), "documents", str(error))
    except (OSError, pa.ArrowException) as error:
        yield Failure(str(path), "documents", f"cut or damaged: {error}")


def _read_row(path: Path, row: ListedDocument) -> Document | Failure:
    found = Document(row.id, row.text, url=row.url, number=row.number)
    if row.page is None or not row.page.strip():
        return found
    page = read_page(row.page, methods=())
    if isinstance(page, Failure):
        return Failure(f"{path}, {row.id}", "documents", page.reason)
    return found._replace(text=page.text, main=page.main_text)


def read_place(
    path: Path, number: int, offset: int, length: int, fields: Fields = USUAL
) -> Document | Failure:
    """Give the document at a place of a file."""
    if not is_archive(path):
        try:
            with path.open("rb") as file:
                file.seek(offset)
                line = decode_unmarked(file.read(length)).strip()
        except OSError as error:
            raise explain_failure(error, f"cannot read {path}") from error
        return _read_line(path, number, line, fields)
    record = read_at(path, offset, length)
    if isinstance(record, Archived) and not _is_document(record):
        return Failure(str(path), "documents", "no page any more")
    return record if isinstance(record, Failure) else _read_page(record, number, offset, length)


def _read_text(path: Path, name: str) -> Document | Failure:
    try:
        if not is_page_file(path):
            return Document(name, read_text(path))
        page = read_page(read_bytes(path), methods=())
        if isinstance(page, Failure):
            return Failure(str(path), "documents", page.reason)
        return Document(name, page.text, main=page.main_text)
    except InputError as error:
        return Failure(str(path), "documents", str(error))


def refuse_nothing(count: int, failures: Sequence[Failure], failed: int) -> None:
    """Raise if there are documents, and none of them can be read; not all failures are listed."""
    if failures and not count:
        first = f"{failures[0].url}: {failures[0].reason}"
        more = f", and {failed - 1:,} more failures" if failed > 1 else ""
        raise InputError(f"no document could be read: {first}{more}")


def parse_time(text: str) -> float:
    """Return seconds since 1970 for a number, or a date of ISO 8601; else infinity.

    As archives write them, dates may be nothing but 4, 8 or 14 digits.

    >>> parse_time("999999999") < parse_time("2001-09-09T01:46:40Z") == parse_time("1000000000")
    True
    >>> parse_time("20010909014640") == 1e9, parse_time("1000000000000"), parse_time("soon")
    (True, 1000000000.0, inf)
    >>> parse_time("2001-05-05") < parse_time("2019") == parse_time("20190101")
    True
    """
    try:
        if text.isdecimal() and len(text) in COMPACT:
            return datetime.strptime(text, COMPACT[len(text)]).replace(tzinfo=UTC).timestamp()
        value = float(text)
        value = value / 1000 if value >= MILLISECONDS else value
        return value if isfinite(value) else inf
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return inf


def _read_lines(
    path: Path, wanted: Container[int] | None, fields: Fields
) -> Iterator[Document | Failure]:
    """Give the documents of JSON Lines; a line that is none is a failure."""
    number = offset = 0
    reachable = path.suffix.lower() not in PACKED
    try:
        with opening(path) as file:
            while data := file.readline(MAX_LINE):
                number += 1
                if data.strip() and (wanted is None or number in wanted):
                    entry = _read_line(path, number, decode_unmarked(data).strip(), fields)
                    if reachable and isinstance(entry, Document):
                        entry = entry._replace(offset=offset, length=len(data))
                    yield entry
                offset += len(data)
    except (InputError, OSError, pa.ArrowException) as error:
        yield Failure(f"{path}, behind line {number}", "documents", f"cut or damaged: {error}")


def _read_line(path: Path, number: int, line: str, fields: Fields) -> Document | Failure:
    row, named = None, fields
    try:
        row = json.loads(line.removeprefix(MARK))
        if any(fields) or "id" not in row or "text" not in row:
            named = find_columns(show_names(row), fields)
        name, text = row[named.id or "id"], row[named.text or "text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        name = None
    if name is None or row is None:
        return Failure(f"{path}, line {number}", "documents", explain_missing(show_names(row)))
    text = "" if text is None else text  # as in Parquet; "None" would make copies of all of them
    time = next((row[key] for key in TIMES if row.get(key) is not None), "")
    url = row.get(named.url or "url")
    address = url if isinstance(url, str) else ""
    return Document(
        str(name), str(text), str(time), line.removeprefix(MARK), address, number=number
    )


def _read_parquet(
    path: Path, wanted: Container[int] | None, fields: Fields, *, whole: bool
) -> Iterator[Document | Failure]:
    number = 0
    try:
        file = pq.ParquetFile(path)
        names = file.schema_arrow.names
        named = find_columns(names, fields)
        if not named.id or not named.text:
            raise InputError(f"{path}: {explain_missing(names)}")
        columns = None if whole else sorted({*named, *(set(names) & {*TIMES})} - {""})
        for batch in file.iter_batches(columns=columns):
            for row in _write_out_times(batch).to_pylist():
                number += 1
                if row[named.id] is None:
                    yield Failure(f"{path}, row {number}", "documents", "no id")
                elif wanted is None or number in wanted:
                    text, url = str(row[named.text] or ""), str(row.get(named.url) or "")
                    time = str(next((row[key] for key in TIMES if row.get(key) is not None), ""))
                    line = json.dumps(_tame(row), ensure_ascii=False) if whole else ""
                    yield Document(str(row[named.id]), text, time, line, url, number=number)
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:  # also no UTF-8
        yield Failure(str(path), "documents", f"cut or damaged: {error}")


def _write_out_times(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose times are texts; those that are none for Arrow are unknown.

    Python's own begin and end somewhere: one value would make the whole table unreadable.
    """
    columns = []
    for column in batch.columns:
        if pa.types.is_temporal(column.type):
            try:
                column = column.cast(pa.string())
            except pa.ArrowException:
                column = pa.nulls(len(column), pa.string())
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _tame(value: Any) -> Any:
    """Return a value of Parquet as JSON knows it: bytes in base64, null for what is no number."""
    if isinstance(value, dict):
        return {str(key): _tame(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tame(item) for item in value]
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _read_archive(
    path: Path, wanted: Container[int] | None, name: str
) -> Iterator[Document | Failure]:
    """Give the pages of an archive; one that repeats another has its text."""
    for record in iterate_archive(path, _is_document, numbers=wanted):
        # Its text can be read again where the payload is.
        found = record if isinstance(record, Failure) else _read_page(*record)
        if isinstance(found, Failure):
            found = replace(found, url=in_archive(found.url, path, name))
        yield found


def _is_document(record: Archived) -> bool:
    """Whether a record is of a page; who gives an id of TREC says: whatever its type."""
    return is_page(record) or (TREC_ID in record.fields and has_payload(record))


def _read_page(record: Archived, number: int, offset: int, length: int) -> Document | Failure:
    """Return the page in a record; its id is that of TREC, if it has one, or its address."""
    page = read(archived_response(record), ())
    if isinstance(page, Failure):
        return page
    name = record.fields.get(TREC_ID) or record.url
    return Document(
        name, page.text, record.date, "", record.url, page.main_text, number, offset, length
    )


def to_line(document: Document, name: str, fields: Fields = USUAL) -> str:
    """Return a document as a line of JSON, as it was, if it was one and has that id.

    >>> to_line(Document("a", "words"), "a#2")
    '{"id": "a#2", "text": "words"}'
    """
    if document.line and name == document.id:
        return document.line
    whole: dict[str, Any] = {"id": name, "text": document.text}
    whole |= {key: value for key in ("url", "time") if (value := getattr(document, key))}
    if document.line:
        row = json.loads(document.line)
        whole = row | {find_columns(list(row), fields).id or "id": name}
    return json.dumps(whole, ensure_ascii=False)
