"""Documents of any source: an id and a text each, in a fixed order that can be gone through twice.

In: JSON Lines with `id` and `text` (also .gz, .xz, .bz2, .zst), Parquet with these columns, WARC
files, folders of text files, collections. Out: `Document`s, and a `Failure` for what is none. A
file that ends too early gives what is before its end. Of a page, all text or the main text.
"""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.config import FILE
from blickfang.crawl.warc import read_archive
from blickfang.crawl.warc.values import archived_response
from blickfang.data import Failure
from blickfang.errors import InputError
from blickfang.page import read
from blickfang.textfiles import opening, read_text

LINES = (".jsonl", ".ndjson", ".json")
PACKED = (".gz", ".xz", ".bz2", ".zst")
TREC_ID = "warc-trec-id"  # of ClueWeb
HTML = ("text/html", "application/xhtml+xml", "")


class Document(NamedTuple):
    """A text with an id."""

    id: str
    text: str
    time: str = ""  # when it was fetched or written, if that is known
    line: str = ""  # as the source has it, where that is JSON


def read_documents(
    paths: Sequence[Path], *, main_text: bool = False
) -> Iterator[Document | Failure]:
    """Give the documents of some sources, one after the other."""
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no {path}")
        yield from _read_source(path, main_text)


def _read_source(path: Path, main_text: bool) -> Iterator[Document | Failure]:
    name = path.name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    if (path / FILE).exists():
        for archive in sorted(path.glob("crawl/shard-*/*.warc.gz")):
            yield from _read_archive(archive, main_text)
    elif path.is_dir():
        for file in sorted(each for each in path.rglob("*") if each.is_file()):
            yield from _read_file(file, str(file.relative_to(path)))
    elif name.endswith((".warc", ".arc")):
        yield from _read_archive(path, main_text)
    elif name.endswith(".parquet"):
        yield from _read_parquet(path)
    elif name.endswith(LINES):
        yield from _read_lines(path)
    else:
        yield from _read_file(path, path.name)


def _read_file(path: Path, name: str) -> Iterator[Document | Failure]:
    try:
        yield Document(name, read_text(path))
    except InputError as error:
        yield Failure(str(path), "documents", str(error))


def _read_lines(path: Path) -> Iterator[Document | Failure]:
    """Give the documents of JSON Lines; a line that is none is a failure."""
    number = 0
    try:
        with _opening(path) as file:
            for number, data in enumerate(file, 1):
                line = data.decode("utf-8", "replace").strip()
                if line:
                    yield _read_line(path, number, line)
    except (InputError, OSError, pa.ArrowException) as error:
        yield Failure(f"{path}, behind line {number}", "documents", f"cut or damaged: {error}")


@contextmanager
def _opening(path: Path) -> Iterator[io.BufferedReader]:
    if path.suffix.lower() != ".zst":
        with opening(path) as file:
            yield file
        return
    with pa.input_stream(str(path), compression="zstd") as stream:
        yield io.BufferedReader(stream)


def _read_line(path: Path, number: int, line: str) -> Document | Failure:
    try:
        row = json.loads(line)
        name, text = row["id"], row["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Failure(f"{path}, line {number}", "documents", 'no object with "id" and "text"')
    time = next((row[key] for key in ("time", "date", "fetched_at") if key in row), "")
    return Document(str(name), str(text), str(time), line)


def _read_parquet(path: Path) -> Iterator[Document | Failure]:
    try:
        file = pq.ParquetFile(path)
        missing = {"id", "text"} - set(file.schema_arrow.names)
        if missing:
            raise InputError(f"{path} has no column {', '.join(sorted(missing))}")
        for batch in file.iter_batches(columns=["id", "text"]):
            for row in batch.to_pylist():
                yield Document(str(row["id"]), row["text"] or "")
    except (OSError, pa.ArrowException) as error:
        yield Failure(str(path), "documents", f"cut or damaged: {error}")


def _read_archive(path: Path, main_text: bool) -> Iterator[Document | Failure]:
    """Give the pages of an archive; their ids are those of TREC, if they have one, or addresses."""
    for record in read_archive(path):
        if isinstance(record, Failure):
            yield record
            continue
        kind = record.headers.get("content-type", "").partition(";")[0].strip().lower()
        if record.status != 200 or kind not in HTML or record.kind == "revisit":
            continue
        name = record.fields.get(TREC_ID) or record.url
        page = read(archived_response(record), ())
        if isinstance(page, Failure):
            yield page
        else:
            yield Document(name, page.main_text if main_text else page.text, record.date)


def to_line(document: Document) -> str:
    """Return a document as a line of JSON, as it was, if it was one.

    >>> to_line(Document("a", "words"))
    '{"id": "a", "text": "words"}'
    """
    whole: dict[str, Any] = {"id": document.id, "text": document.text}
    return document.line or json.dumps(whole, ensure_ascii=False)
