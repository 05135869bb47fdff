"""Documents with pictures in their text, as OBELICS has them: parallel lists, one document a page.

In: a selection. Out: data/train-*.parquet; in each row `texts` and `images` are of one length, and
at each place one of them is null: text and pictures in the order of reading. `pictures` holds the
files where `images` has an address. A sample that stands nowhere in the text of a page, as one that
is named in its head only, is in no document, and counted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from blickfang.corpus.export.selection import ExportSelection
from blickfang.corpus.parquet_files import write_table
from blickfang.corpus.sample_columns import IMAGE, TEXT, TEXTS, CorpusColumn, make_schema

DOCUMENTS = (
    CorpusColumn("texts", TEXTS, "parts of the main text; null where a picture stands"),
    CorpusColumn("images", TEXTS, "addresses of pictures; null where text stands"),
    CorpusColumn("pictures", pa.list_(IMAGE), "files of pictures; null where text stands"),
    CorpusColumn("ids", TEXTS, "ids of samples; null where text stands"),
    CorpusColumn("metadata", TEXT, "JSON, a list: what is known of each picture; null for text"),
    CorpusColumn("url", TEXT, "address of the page"),
    CorpusColumn("title", TEXT, "its title"),
    CorpusColumn("language", TEXT, "of its text"),
    CorpusColumn("licences", TEXTS, "all hints of the page at a licence"),
)
KNOWN = ("url", "caption", "width", "height", "format", "sha256", "licence", "credit", "consent")
CARD = """---
configs:
- config_name: default
  data_files: "data/train-*.parquet"
---

# Interleaved documents

One row is one page: `texts` and `images` are of one length, and at each place one of them is null.
{samples:,} samples have a place in the text of a page; {unplaced:,} without one are left out.

| column | meaning |
| --- | --- |
"""


def export_interleaved(selection: ExportSelection, folder: Path) -> None:
    """Write one document a page, with the exported samples at their places."""
    columns = tuple(c for c in DOCUMENTS if selection.with_bytes or c.name != "pictures")
    names = ["id", *KNOWN]
    facts: dict[str, dict[str, Any]] = {}
    for batch in selection.batches():
        facts.update((row["id"], row) for row in batch.select(names).to_pylist())
    schema = make_schema(columns)
    placed: set[str] = set()
    documents = (
        pa.RecordBatch.from_pylist([_make_document(selection, page, facts)], schema)
        for page in _watch(selection, placed)
    )
    write_table(folder, "data/train-{:05}-of-{:05}.parquet", columns, documents)
    selection.unplaced = selection.kept - len(placed)
    card = CARD.format(samples=len(placed), unplaced=selection.unplaced)
    rows = "".join(f"| `{column.name}` | {column.meaning} |\n" for column in columns)
    (folder / "README.md").write_text(card + rows, encoding="utf-8")


def _watch(selection: ExportSelection, placed: set[str]) -> Iterator[dict[str, Any]]:
    """Give the pages of a selection; note whom they show."""
    for batch in selection.pages():
        for page in batch.to_pylist():
            placed.update(place["id"] for place in page["images"])
            yield page


def _make_document(
    selection: ExportSelection, page: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    parts = interleave(page["main_text"] or "", page["images"])
    shown = [None if identity is None else facts[identity] for _, identity in parts]
    document = {
        "texts": [text for text, _ in parts],
        "images": [row and row["url"] for row in shown],
        "ids": [identity for _, identity in parts],
        "metadata": json.dumps([row and _describe(row) for row in shown], ensure_ascii=False),
        **{name: page[name] for name in ("url", "title", "language", "licences")},
    }
    if selection.with_bytes:
        document["pictures"] = [row and _load(selection, row) for row in shown]
    return document


def _describe(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in KNOWN}


def _load(selection: ExportSelection, row: Mapping[str, Any]) -> dict[str, Any]:
    return {"bytes": selection.corpus.image(row["id"]), "path": row["id"]}


def interleave(
    text: str, places: Sequence[Mapping[str, Any]]
) -> list[tuple[str | None, str | None]]:
    """Return the parts of a text and the pictures between them: either is None.

    >>> interleave("One. Two.", [{"id": "a", "offset": 4}, {"id": "b", "offset": 9}])
    [('One.', None), (None, 'a'), ('Two.', None), (None, 'b')]
    """
    parts: list[tuple[str | None, str | None]] = []
    start = 0
    for place in sorted(places, key=lambda place: place["offset"] or 0):
        end = max(start, place["offset"] or 0)
        if part := text[start:end].strip():
            parts.append((part, None))
        parts.append((None, place["id"]))
        start = end
    if part := text[start:].strip():
        parts.append((part, None))
    return parts
