"""Records become rows: the columns that users and the gold's scorer read.

In: the lists that were taken from a page. Out: for each record a row by column.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from blickfang.data import Record, Region
from blickfang.records.research import Publication

PAPERS = ("title", "authors", "year", "venue", "pdf", "pattern")
HEADS = ("affiliation", "email", "abstract")  # where heads of PDFs were read
LISTS = ("region", "row", "text", "cells")
PAGE = "page"
OURS = frozenset([*LISTS, "images", PAGE])


def label(name: str) -> str:
    """Return the column of a class; one that is called like a column of ours gets a mark.

    >>> label("price"), label("text")
    ('price', 'text (class)')
    """
    return f"{name} (class)" if name in OURS else name


def row_of_publication(record: Record, pattern: int) -> dict[str, Any]:
    """Return the row of a publication; what its PDF said, if that was read; names apart."""
    fields = record.fields
    row: dict[str, Any] = {name: fields.get(name, "") for name in PAPERS}
    row["pattern"] = pattern
    row |= {name: fields[name] for name in HEADS if name in fields}
    row["names"] = [{"first": first, "last": last} for first, last in record.names]
    return row


def publication_of_row(row: dict[str, Any]) -> Publication:
    """Return the publication that a row tells of, names as BibTeX has them: Last, First."""
    return Publication(
        title=row.get("title", ""),
        authors=tuple(
            f"{name['last']}, {name['first']}" if name["first"] else name["last"]
            for name in row.get("names", ())
        ),
        year=row.get("year", ""),
        venue=row.get("venue", ""),
        pdfs=(row["pdf"],) if row.get("pdf") else (),
        abstract=row.get("abstract", ""),
    )


def row_of_list(record: Record, region: int, row: int, named: Sequence[str]) -> dict[str, Any]:
    """Return the row of a record of any list, with the columns that classes or a rule named."""
    return {
        "region": region,
        "row": row,
        "text": record.text,
        **{label(name): record.fields.get(name, "") for name in named},
        "cells": list(record.cells),
        "images": list(record.images),
    }


def make_rows(
    regions: Sequence[tuple[int, Region]], named: Sequence[str], *, papers: bool
) -> Iterator[dict[str, Any]]:
    """Yield the rows of lists, each with its number on the page."""
    for number, region in regions:
        for place, record in enumerate(region.records, 1):
            if papers:
                yield row_of_publication(record, number)
            else:
                yield row_of_list(record, number, place, named)


def list_columns(
    rows: Sequence[dict[str, Any]], named: Sequence[str], *, papers: bool
) -> list[str]:
    """Return the columns of a table: those every file has, and those of PDF heads if any."""
    if papers:
        return [*PAPERS, *(name for name in HEADS if any(name in row for row in rows))]
    return ["region", "row", "text", *named, "cells"]
