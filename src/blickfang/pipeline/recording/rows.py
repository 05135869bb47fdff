"""Records become rows: the columns that users and the gold's scorer read.

In: the lists that were taken from a page. Out: for each record a row by column.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from blickfang.records.research import Publication
from blickfang.types import Record, Region

PAPERS = ("title", "authors", "year", "venue", "pdf", "pattern")
HEADS = ("affiliation", "email", "abstract")  # where heads of PDFs were read
LISTS = ("region", "row")
WHOLE = "text"  # of a record, as one
PAGE = "page"
OURS = frozenset([*LISTS, WHOLE, "images", "links", PAGE])


def label(name: str) -> str:
    """Return the column of cells; one that is called like a column of ours gets a mark.

    >>> label("price"), label("row")
    ('price', 'row (column)')
    """
    return f"{name} (column)" if name in OURS else name


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


def row_of_list(record: Record, number: int, row: int, columns: Sequence[str]) -> dict[str, Any]:
    """Return the row of a record of any list: its cells by column, and what belongs to it."""
    return {
        "region": number,
        "row": row,
        **dict(zip(columns, record.cells, strict=True)),
        WHOLE: record.text,
        "images": list(record.images),
        "links": [list(link) for link in record.links],
    }


def make_rows(regions: Sequence[tuple[int, Region]], *, papers: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of lists, each with its number on the page."""
    for number, region in regions:
        columns = [label(column.name) for column in region.columns]
        for place, record in enumerate(region.records, 1):
            if papers:
                yield row_of_publication(record, number)
            else:
                yield row_of_list(record, number, place, columns)


def list_columns(
    regions: Sequence[tuple[int, Region]],
    rows: Sequence[dict[str, Any]],
    named: Sequence[str],
    *,
    papers: bool,
) -> list[str]:
    """Return the columns of a table: named ones first, then those of its lists, each once.

    Of publications those every file has, and those of PDF heads if any.
    """
    if papers:
        return [*PAPERS, *(name for name in HEADS if any(name in row for row in rows))]
    own = [label(column.name) for _, region in regions for column in region.columns]
    return list(dict.fromkeys([*LISTS, *map(label, named), *own, WHOLE]))
