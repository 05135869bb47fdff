"""The pages behind the samples, with the places of their pictures in the text.

In: the tables of parts, which captures count, and which address became which sample. Out: record
batches for pages.parquet. A page within a frame is part of the page around it.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from blickfang.corpus.mentions.captures import PageCaptures
from blickfang.corpus.sample_columns import PAGES, make_schema

AT_ONCE = 500

Row = dict[str, Any]


def write_pages(
    parts: Sequence[Path], pages: PageCaptures, ids: Mapping[str, str], languages: frozenset[str]
) -> Iterator[Any]:
    """Give the pages that show samples, part by part, those with frames last.

    What a page says of itself binds: one that may not be kept is not here either.
    """
    framed: dict[str, dict[str, Row]] = {}
    schema = make_schema(PAGES)
    for part in parts:
        for batch in pq.ParquetFile(part / "pages.parquet").iter_batches(AT_ONCE):
            rows = []
            for row in batch.to_pylist():
                if row["key"] not in pages.captures or row["key"] in pages.refused:
                    continue
                is_outer = row["url"] in pages.titles  # a frameset has no text of its own
                if languages and not is_outer and row["language"] not in languages:
                    continue
                page = _make_page(row, ids)
                outer = pages.frames.get(row["url"], row["url"])
                if outer in pages.titles:
                    framed.setdefault(outer, {})[row["url"]] = page
                elif page["images"]:
                    rows.append(page)
            yield pa.RecordBatch.from_pylist(rows, schema)
    order = {url: number for number, url in enumerate(pages.frames)}
    joined = [
        _join_frames(outer, sorted(inner.items(), key=lambda each: order.get(each[0], -1)))
        for outer, inner in sorted(framed.items())
    ]
    yield pa.RecordBatch.from_pylist([page for page in joined if page["images"]], schema)


def _make_page(row: Row, ids: Mapping[str, str]) -> Row:
    names = ("url", "title", "description", "text", "main_text", "licences", "fetched_at")
    shown: dict[str, int] = {}
    for image in row["images"]:  # those that others link to come last: a picture's own place counts
        if image["url"] in ids:
            shown.setdefault(ids[image["url"]], image["position"])
    return {
        **{name: row[name] for name in names},
        "language": row["language"] or "",
        "warc_file": row["file"],
        "warc_offset": row["offset"],
        "images": _list_places(shown),
    }


def _join_frames(outer: str, inner: list[tuple[str, Row]]) -> Row:
    """Return a page with the pages that it shows within frames as one, in their order."""
    ordered = [page for _, page in inner]
    whole = ordered[0] | {"url": outer}
    for name in ("title", "description", "language"):
        whole[name] = next((page[name] for page in ordered if page[name]), "")
    whole["licences"] = list(dict.fromkeys(each for page in ordered for each in page["licences"]))
    whole["text"] = "\n".join(page["text"] for page in ordered if page["text"])
    text = ""
    shown: dict[str, int] = {}
    for page in ordered:
        before = len(text) + 1 if text else 0
        text = f"{text}\n{page['main_text']}" if text else page["main_text"]
        for image in page["images"]:
            shown.setdefault(image["id"], image["offset"] + before)
    whole["main_text"] = text
    whole["images"] = _list_places(shown)
    return whole


def _list_places(shown: Mapping[str, int]) -> list[Row]:
    """Return samples with their places, each once."""
    return [{"id": name, "offset": offset} for name, offset in shown.items()]
