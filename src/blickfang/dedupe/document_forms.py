"""Files of many documents that are no archives: which one is which, and what is read of each.

In: a file that may be anything. Out: its form, told by its first lines whatever it is called; the
fields of a row that are id, text and address; rows. What holds many documents in a form that is
not read is refused by name: as one long text nobody would miss it.

    lines    JSON Lines
    list     an id and an address a line, or an address alone: no texts
    table    lines cut by tabs: id, text; id, address, text; or named by a first line
    trec     <DOC> with <DOCNO>, perhaps <DOCHDR> and a page
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.errors import InputError
from blickfang.io.text_files import decode_unmarked, opening

HEAD = 1 << 16  # bytes of a file by which its form is told
LOOKED_AT = 50  # lines
LONG = 200  # characters of what is taken for the text of a row
LEAST = 2  # lines that make a list or a table
MAX_LINE = 1 << 30  # bytes
MAX_DOC = 1 << 26  # bytes of a document of TREC

IDS = (
    "id",
    "docid",
    "doc_id",
    "docno",
    "_id",
    "document_id",
    "clueweb22-id",
    "warc-trec-id",
    "pid",
)
TEXTS = (
    "text",
    "contents",
    "content",
    "body",
    "clean-text",
    "clean_text",
    "raw_content",
    "passage",
)
URLS = ("url", "uri", "warc-target-uri", "target_uri")
LISTED = re.compile(r"(?:(\S+?),?[,\s]\s*)?(https?://\S+)", re.IGNORECASE)
TREC = re.compile(rb"\s*<DOC>\s*<DOCNO>", re.IGNORECASE)
TABLES = re.compile(r"\.(tsv|tab)(\.|$)")
WIKI = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<mediawiki\b")
EXTRACTED = re.compile(rb'\s*<doc id="')

REFUSED = {
    "wiki": "a dump of MediaWiki: take the articles out of it first, as JSON Lines with id, url "
    "and text (WikiExtractor --json does)",
    "extracted": "articles as WikiExtractor writes them without --json: run it again with --json",
    "csv": "a table cut by commas: write it as JSON Lines, Parquet, or cut by tabs (.tsv)",
    "array": "one JSON array, not JSON Lines: write an object a line (jq -c '.[]' does)",
}


class Fields(NamedTuple):
    """What rows call the id, the text and the address; "" for the usual names."""

    id: str = ""
    text: str = ""
    url: str = ""


USUAL = Fields()


class ListedDocument(NamedTuple):
    """A row of a list or table, or a document of TREC."""

    id: str
    url: str = ""
    text: str = ""
    page: bytes | None = None  # HTML
    number: int = 0


def find_columns(names: Sequence[str], fields: Fields = USUAL) -> Fields:
    """Return which of some names are id, text and address; "" for what is not among them.

    Without an id the address is one.

    >>> find_columns(["docid", "contents"]), find_columns(["url", "text"]).id
    (Fields(id='docid', text='contents', url=''), 'url')
    """
    lower = {name.lower(): name for name in reversed(names)}
    found = [
        wanted
        if wanted in names
        else next((lower[n] for n in usual if n in lower and not wanted), "")
        for wanted, usual in zip(fields, (IDS, TEXTS, URLS), strict=True)
    ]
    if not found[0] and not fields.id:
        found[0] = found[2]
    return Fields(*found)


def explain_missing(names: Sequence[str]) -> str:
    """Return why rows with such names are no documents."""
    listed = ", ".join(str(name)[:40] for name in names[:8])
    return (
        f'no "id" and "text" among {listed}: name them with --id-field and --text-field'
        if names
        else 'no object with "id" and "text"'
    )


def tell_form(path: Path) -> str:
    """Return the form of a file that is no archive, page or Parquet: "text" for any other."""
    try:
        state = path.stat()
        return _tell_form(path, state.st_size, state.st_mtime_ns)
    except (OSError, InputError):
        return "text"  # reading it will say what is wrong


@lru_cache(maxsize=1 << 14)
def _tell_form(path: Path, *_: int) -> str:
    with opening(path) as file:
        head = file.read(HEAD)
    if b"\0" in head[:1024]:
        return "text"
    if TREC.match(head):
        return "trec"
    if WIKI.match(head):
        return "wiki"
    if EXTRACTED.match(head):
        return "extracted"
    name = path.name.lower()
    if ".csv" in name:
        return "csv"
    lines = decode_unmarked(head).splitlines()
    if len(head) == HEAD:
        lines = lines[:-1] or lines  # the last may be cut
    found = tell_lines([line for line in lines if line.strip()][:LOOKED_AT])
    return "table" if found == "text" and TABLES.search(name) and "\t" in "".join(lines) else found


def tell_lines(lines: Sequence[str]) -> str:
    r"""Return the form that some lines are of.

    >>> tell_lines(["d1 http://a.test/", "d2 http://a.test/x"]), tell_lines(["docid\ttext", "1\ta"])
    ('list', 'table')
    """
    if not lines:
        return "text"
    first = lines[0].lstrip("\ufeff").strip()
    if first.startswith("{"):
        return "lines" if _is_row(first) else "text"
    if first.startswith("[") and re.match(r"\[\s*(\{|$)", first):
        return "array" if first != "[" or "".join(lines[1:2]).strip().startswith("{") else "text"
    if len(lines) < LEAST:
        return "text"
    if all(LISTED.fullmatch(line.strip()) for line in lines):
        return "list"
    return "table" if _is_table([line.split("\t") for line in lines]) else "text"


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Whether lines are of documents: named columns, or an id and an address or a long text."""
    if len(rows[0]) > 1 and (names := find_columns(rows[0])).id and names.text:
        return True
    ids = [row[0].strip() for row in rows]
    if len(set(ids)) < len(ids) or any(not name or " " in name for name in ids):
        return False
    if all(len(row) == 3 and LISTED.fullmatch(f"{row[0]} {row[1]}") for row in rows):
        return True
    return all(len(row) == 2 for row in rows) and sum(map(len, rows[0][1:])) >= LONG


def _is_row(line: str) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    columns = find_columns(list(row)) if isinstance(row, dict) else USUAL
    return bool(columns.id and (columns.text or columns.url))


def read_list(path: Path) -> Iterator[ListedDocument | str]:
    """Give the rows of a list of addresses: an id and an address; a line that is none as a text."""
    for number, line in _read_lines(path):
        found = LISTED.fullmatch(line.strip())
        if found is None:
            yield f"line {number}: no address"
            continue
        yield ListedDocument(found[1] or found[2], found[2], number=number)


def read_table(path: Path, fields: Fields = USUAL) -> Iterator[ListedDocument | str]:
    """Give the rows of a table cut by tabs; a line that is none as a text."""
    columns: Mapping[str, int] | None = None
    for number, line in _read_lines(path):
        cells = line.rstrip("\r\n").split("\t")
        if columns is None:
            names = find_columns(cells, fields)
            if any(fields) and not (names.id and names.text):
                raise InputError(explain_missing(cells))
            if names.id and (names.text or names.url):
                columns = {key: cells.index(name) for key, name in names._asdict().items() if name}
                continue
            if not 2 <= len(cells) <= 3:
                raise InputError(explain_missing(cells))
            columns = {"id": 0, "text": len(cells) - 1} | ({"url": 1} if len(cells) == 3 else {})
        if max(columns.values()) >= len(cells):
            yield f"line {number}: {len(cells)} columns"
            continue
        text = {key: cells[place].strip() for key, place in columns.items()}
        yield ListedDocument(text["id"], text.get("url", ""), text.get("text", ""), number=number)


def _read_lines(path: Path) -> Iterator[tuple[int, str]]:
    with opening(path) as file:
        number = 0
        while data := file.readline(MAX_LINE):
            number += 1
            if data.strip():
                yield number, decode_unmarked(data).lstrip("\ufeff")


def read_trec(path: Path) -> Iterator[ListedDocument | str]:
    """Give the documents of a file of TREC; what is none as a text."""
    number = 0
    for data in _cut_trec(path):
        number += 1
        name, rest = _take_element(data, b"DOCNO")
        if not name or len(data) > MAX_DOC:
            yield f"document {number}: " + ("no end" if name else "no <DOCNO>")
            continue
        ident = decode_unmarked(name).strip()
        header, page = _take_element(rest, b"DOCHDR")
        if header:
            yield ListedDocument(
                ident, decode_unmarked(header).split(maxsplit=1)[0], "", page, number
            )
        else:
            yield ListedDocument(ident, page=b"<!DOCTYPE html><body>" + rest, number=number)


def _take_element(data: bytes, name: bytes) -> tuple[bytes, bytes]:
    """Return what stands in the first element of a name, if it begins soon, and what is behind."""
    head = data[:HEAD].upper()
    begin = head.find(b"<" + name + b">")
    end = head.find(b"</" + name + b">", begin)
    if begin < 0 or end < 0:
        return b"", data
    return data[begin + len(name) + 2 : end].strip(), data[end + len(name) + 3 :]


def _cut_trec(path: Path) -> Iterator[bytes]:
    """Give what stands between <DOC> and </DOC>; of what is too long, its beginning."""
    with opening(path) as file:
        parts: list[bytes] | None = None
        size = 0
        while data := file.readline(MAX_DOC):
            if data.lstrip()[:5].upper() == b"<DOC>":
                if parts:
                    yield b"".join(parts)
                parts, size, data = [], 0, data.lstrip()[5:]
            if parts is None:
                continue
            end = data.upper().find(b"</DOC>")
            size += len(data)
            if size <= MAX_DOC + len(data):
                parts.append(data if end < 0 else data[:end])
            if end >= 0:
                yield b"".join(parts)
                parts = None
        if parts:
            yield b"".join(parts)


def read_rows(path: Path, form: str, fields: Fields) -> Iterator[ListedDocument | str]:
    """Give the rows of a file of one of these forms."""
    if form == "table":
        return read_table(path, fields)
    return read_list(path) if form == "list" else read_trec(path)


def show_names(row: Any) -> list[str]:
    """Return the names of a row of JSON."""
    return list(row) if isinstance(row, dict) else []
