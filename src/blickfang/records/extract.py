"""The whole way: a page → its lists, as tables of records.

In: a page. Out: `Region`s, the list that a person would name first. Candidates for rows → regions →
measures → ranking; then for the first of them: cells by alignment, finer cells by separators,
kinds of columns, links and images; and on demand the fields of publications or of learned classes.
`records/study/study_patterns.py` is the way of the study, from repeats of the token string.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from blickfang.errors import SettingsError
from blickfang.html.images.lazy_sources import choose_source
from blickfang.html.links import find_home
from blickfang.html.page import PausedCollector, parse_page
from blickfang.html.parse.tags import ATTRIBUTES
from blickfang.html.parse.tree import Tree, attributes, read_slices, read_values
from blickfang.html.references import resolve_all
from blickfang.records.attribute_classes import Classes, assign_columns
from blickfang.records.cells import Split, apply_split, classify_column, split_column
from blickfang.records.html_tables import drop_heads, raise_cells
from blickfang.records.node_counts import A, NodeCounts, read_marks
from blickfang.records.publications import (
    FieldWeights,
    ListedPublication,
    measure_text,
    read_publications,
)
from blickfang.records.rank_regions import MEASURES, Floats, measure_regions, rank_regions
from blickfang.records.record_table import RecordTable, make_table
from blickfang.records.region_rows import find_rows
from blickfang.records.regions import find_regions
from blickfang.records.rotation import turn_records
from blickfang.types import Column, Failure, Record, Region

PUBLICATIONS = "publications"
KINDS = "", PUBLICATIONS
REGIONS = 3  # that are looked at closely
CHOICES = 8  # lists among which that of the publications is chosen
PRIOR = 0.1  # what it counts that a person would name a list first
GLANCE = 8  # rows that show whether a list may be publications
SURE = 0.75  # power of how sure it is where titles end: other lists are as sure as that
USUAL_TITLE = 24  # letters that a title has at least
FITS = 0.33  # from this fit on, a region is of the kind that was asked for

HREF = ATTRIBUTES["href"]
LABEL, LINK = "label", "link"
NAMES = {"text": "cell"}  # of columns by their kinds: the text of a record is all of it
CELLS = "tr td"  # the pattern of records that are rows of a table

Range = tuple[int, int]


class Listing(NamedTuple):
    """A region of a page before its cells are read."""

    records: list[Range]  # nodes
    confidence: float
    measures: dict[str, float]
    images: Mapping[int, str] = MappingProxyType({})  # addresses of its images, by nodes


class Grid(NamedTuple):
    """The columns of a region and its rows; images as addresses."""

    columns: tuple[Column, ...]
    rows: list[tuple[str, ...]]
    pattern: str


def find_lists(
    tree: Tree, marks: NodeCounts | None = None, most: int = 0, weights: Floats | None = None
) -> list[Listing]:
    """Return the regions of a page, best first, as ranges of nodes: so many, or all."""
    marks = marks or read_marks(tree)
    regions = find_regions(marks, find_rows(marks))
    measures = measure_regions(marks, regions)
    order, likely = rank_regions(measures, weights)
    found: list[Listing] = []
    for number in order:
        if len(found) == (most or len(order)):
            break
        rows = slice(int(regions.first[number]), int(regions.first[number + 1]))
        starts, ends = regions.start[rows].tolist(), regions.end[rows].tolist()
        why = dict(zip(MEASURES, measures[number].round(4).tolist(), strict=True))
        records = shape_records(marks, list(zip(starts, ends, strict=True)))
        if all(records != other.records for other in found):  # some are one list once turned
            found.append(Listing(records, round(float(likely[number]), 4), why))
    return found


def shape_records(marks: NodeCounts, records: list[Range]) -> list[Range]:
    """Return the records of a region as they are read: turned, rows of tables, without heads."""
    return drop_heads(marks, raise_cells(marks, turn_records(marks, records)))


def extract_records(
    page: Tree | bytes | str,
    url: str = "",
    kind: str = "",
    *,
    regions: int = REGIONS,
    classes: Classes | None = None,
    split: bool = False,
) -> list[Region] | Failure:
    """Return the lists of a page as tables, the one that a person would name first.

    `kind` "publications" reads title, authors, year, venue and PDF of each record; `classes` names
    columns by examples (attribute_classes.py); `regions` says how many lists are wanted, 0 means
    all. With `split`, texts of lists are cut where rows agree on a separator; cells of tables never
    are.
    """
    if kind not in KINDS:
        raise SettingsError(f"there is no kind {kind!r} of records: {PUBLICATIONS} or none")
    if not isinstance(page, Tree):
        body = ("\ufeff" + page).encode("utf-8", "replace") if isinstance(page, str) else page
        parsed = parse_page(body)
        if parsed is None:
            return Failure(url, "records", "binary or empty, not a page")
        page = parsed[0]
    with PausedCollector():
        return _extract(page, url, kind, regions, classes, split)


def _extract(
    tree: Tree, url: str, kind: str, regions: int, classes: Classes | None, split: bool
) -> list[Region]:
    marks = read_marks(tree)
    if kind == PUBLICATIONS:
        return _extract_publications(tree, marks, url, regions, split=split)
    found = []
    for rank, listing in enumerate(find_lists(tree, marks, regions), 1):
        region = read_region(tree, marks, listing, url, rank, split=split)
        found.append(region if classes is None else add_classes(region, classes))
    return found if classes is None else prefer_fitting(found)


def _extract_publications(
    tree: Tree, marks: NodeCounts, url: str, regions: int, *, split: bool
) -> list[Region]:
    found = choose_publications(tree, marks, regions)
    return [
        add_entries(read_region(tree, marks, listing, url, rank, split=split), entries, url, tree)
        for rank, (listing, entries) in enumerate(found, 1)
    ]


def choose_publications(
    tree: Tree,
    marks: NodeCounts,
    regions: int,
    ranking: Floats | None = None,
    fields: FieldWeights | None = None,
) -> list[tuple[Listing, list[ListedPublication | None]]]:
    """Return the lists of a page that read best as publications, with what is read in them.

    What a person would name first may be the years or the menus of such a page: of the first few
    lists the one comes first in which most publications are found, and most surely. Weights other
    than those that are shipped are for training.
    """
    tried = []
    for listing in find_lists(tree, marks, regions and max(regions, CHOICES), ranking):
        entries = read_publications(tree, listing.records, fields)
        fit, count = rate_entries(entries), sum(entry is not None for entry in entries)
        worth = fit * math.log1p(count) * listing.confidence**PRIOR
        tried.append((fit < FITS, -worth, listing, entries))
    tried.sort(key=itemgetter(0, 1))
    return [(listing, entries) for _, _, listing, entries in tried[: regions or None]]


def read_region(
    tree: Tree, marks: NodeCounts, listing: Listing, url: str, rank: int, *, split: bool = False
) -> Region:
    """Return a region with its cells, links and images; texts are split on demand."""
    base = find_home(tree, url)
    images = find_images(tree, marks, listing.records, base)
    table = make_table(tree, marks, listing.records)
    addresses = read_addresses(tree, table, base)
    grid = name_columns(table, *plan_columns(table, addresses, split=split), images, addresses)
    return fill_region(tree, marks, listing._replace(images=images), url, rank, grid)


def fill_region(
    tree: Tree, marks: NodeCounts, listing: Listing, url: str, rank: int, grid: Grid
) -> Region:
    """Return a region with given cells, and the links and images of its records."""
    spans = tree.offset[np.array(listing.records, np.int64).reshape(-1, 2)]
    texts = read_slices(tree, spans[:, 0], spans[:, 1])
    links = read_links(tree, listing.records, find_home(tree, url))
    images = share_images(marks, listing)
    records = tuple(
        Record(text, cells, linked, shown, name_fields(grid.columns, cells), (), nodes)
        for text, cells, linked, shown, nodes in zip(
            texts, grid.rows, links, images, listing.records, strict=True
        )
    )
    return Region(
        url, rank, listing.confidence, grid.columns, records, grid.pattern, listing.measures
    )


def plan_columns(
    table: RecordTable, addresses: Mapping[int, str], *, split: bool
) -> tuple[list[Split | None], list[bool]]:
    """Return how the columns of a table are split, and which have a column of links beside them.

    Cells that a page draws as cells are never split. Links of an image that are those of a text in
    every record are given once, beside the text.
    """
    width = len(table.images)
    splits: list[Split | None] = [None] * width
    if split and not table.pattern.startswith(CELLS):
        for at in range(width):
            if not table.images[at]:
                splits[at] = split_column([row[at] for row in table.rows])[1]
    links = [join_links(table, at, addresses) for at in range(width)]
    texts = [links[at] for at in range(width) if not table.images[at]]
    linked = [
        any(links[at]) and not (table.images[at] and links[at] in texts) for at in range(width)
    ]
    return splits, linked


def join_links(table: RecordTable, at: int, addresses: Mapping[int, str]) -> list[str]:
    """Return where the links of a column lead; several of a cell are parted by blanks."""
    nodes = (own.get(at, ()) for own in table.links)
    return [" ".join(dict.fromkeys(filter(None, map(addresses.get, own)))) for own in nodes]


def fill_columns(
    table: RecordTable,
    splits: Sequence[Split | None],
    linked: Sequence[bool],
    images: Mapping[int, str],
    addresses: Mapping[int, str],
) -> list[list[list[str]]]:
    """Return for each column of a table its columns: texts or images, finer on demand, links."""
    found: list[list[list[str]]] = []
    for at, is_image in enumerate(table.images):
        if is_image:
            columns = [[images.get(row[at], "") for row in table.nodes]]
        else:
            columns = apply_split([row[at] for row in table.rows], splits[at])
        if linked[at]:
            columns.append(join_links(table, at, addresses))
        found.append(columns)
    return found


def name_columns(
    table: RecordTable,
    splits: Sequence[Split | None],
    linked: Sequence[bool],
    images: Mapping[int, str],
    addresses: Mapping[int, str],
) -> Grid:
    """Return the columns of a table with kinds and names: what heads them on the page, or kinds."""
    columns: list[list[str]] = []
    named: list[Column] = []
    for at, parts in enumerate(fill_columns(table, splits, linked, images, addresses)):
        first = ""
        for place, cells in enumerate(parts):
            if linked[at] and place == len(parts) - 1:
                kind, name = LINK, f"{first} {LINK}"
            else:
                kind = "image" if table.images[at] else classify_column(cells)
                name = table.heads[at] or NAMES.get(kind, kind)
            taken = {column.name for column in named}
            if table.images[at] and name in taken and kind == "image" and table.heads[at]:
                name = f"{name} image"
            name = tell_apart(name, taken)
            first = first or name
            named.append(Column(name, kind))
            columns.append(cells)
    rows: list[tuple[str, ...]] = list(zip(*columns, strict=True))
    rows = rows or [()] * len(table.rows)
    return Grid(tuple(named), rows, table.pattern)


def tell_apart(name: str, taken: Collection[str], joint: str = " ") -> str:
    """Return a name, with a number if it is taken.

    >>> tell_apart("title", ["title", "title 2"])
    'title 3'
    """
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}{joint}{number}"
    return new


def name_fields(columns: Sequence[Column], cells: Sequence[str]) -> dict[str, str]:
    """Return the cells of a record by the names of their columns.

    Labels, which say the same in every record, are left out unless someone gave them a name.
    """
    pairs = zip(columns, cells, strict=True)
    return {
        name: cell
        for (name, kind), cell in pairs
        if cell and not (kind == LABEL and name.startswith(LABEL))
    }


def read_addresses(tree: Tree, table: RecordTable, base: str) -> dict[int, str]:
    """Return where the links of a table lead, by their nodes; scripts and places here are left out.

    Where an address cannot be made whole, it is as written.
    """
    nodes = sorted({link for own in table.links for found in own.values() for link in found})
    written = [values.get("href", "").strip() for values in attributes(tree, nodes)]
    urls = resolve_all(base, written)
    return {
        node: url or value
        for node, url, value in zip(nodes, urls, written, strict=True)
        if url or not value.lower().startswith(("javascript:", "#"))
    }


def find_images(tree: Tree, marks: NodeCounts, records: list[Range], base: str) -> dict[int, str]:
    """Return the addresses of the images in records by their nodes; of no others on the page.

    Where they lead nowhere, they are as written.
    """
    shown = (marks.images[1:] > marks.images[:-1]).nonzero()[0].tolist()
    first = marks.images[np.array(records, np.int64).reshape(-1, 2)].tolist()
    nodes = [node for start, end in first for node in shown[start:end]]
    if not nodes:
        return {}
    sources = [choose_source(values) for values in attributes(tree, nodes)]
    urls = resolve_all(base, sources)
    return {n: u or s for n, u, s in zip(nodes, urls, sources, strict=True)}


def share_images(marks: NodeCounts, listing: Listing) -> list[tuple[str, ...]]:
    """Return the addresses of the images of each record."""
    first = marks.images[np.array(listing.records, np.int64).reshape(-1, 2)]
    addresses = list(listing.images.values())  # in document order, as records are
    sizes = first[:, 1] - first[:, 0]
    ends = np.cumsum(sizes)
    spans = zip((ends - sizes).tolist(), ends.tolist(), strict=True)
    return [tuple(addresses[start:end]) for start, end in spans]


def read_links(tree: Tree, records: list[Range], base: str) -> list[tuple[tuple[str, str], ...]]:
    """Return the links of each record: text and address."""
    rows = (tree.attribute_name == HREF).nonzero()[0]
    nodes = np.searchsorted(tree.first_attribute, rows, side="right") - 1
    links = tree.tag[nodes] == A
    rows, nodes = rows[links], nodes[links]
    # Only links of records are resolved: pages have menus of hundreds.
    first = np.searchsorted(nodes, np.array(records, np.int64).reshape(-1, 2))
    wanted = np.zeros(len(nodes), np.bool_)
    for start, end in first.tolist():
        wanted[start:end] = True
    spans = tree.attribute_spans[rows[wanted]]
    values = read_values(tree, spans[:, 2], spans[:, 3])
    urls = [u or v for u, v in zip(resolve_all(base, values), values, strict=True)]
    ends = tree.end[nodes[wanted]]
    texts = read_slices(tree, tree.offset[nodes[wanted]], tree.offset[ends])
    place = np.append(0, np.cumsum(wanted))[first].tolist()
    pairs = list(zip(texts, urls, strict=True))
    return [tuple(pairs[start:end]) for start, end in place]


def add_entries(
    region: Region, entries: Sequence[ListedPublication | None], url: str, tree: Tree
) -> Region:
    """Return a region with the fields of publications; records that are none are left out."""
    base = find_home(tree, url)
    records = []
    for record, entry in zip(region.records, entries, strict=True):
        if entry is not None:
            paper = resolve_all(base, [entry.pdf])[0] or entry.pdf if entry.pdf else ""
            fields = {
                "title": entry.title,
                "authors": "; ".join(person.name for person in entry.authors),
                "year": entry.year,
                "venue": entry.venue,
                "pdf": paper,
            }
            names = tuple((person.first, person.last) for person in entry.authors)
            records.append(record._replace(fields=fields, names=names))
    fit = rate_entries(entries)
    return _replace(region, tuple(records), region.columns, fit)


def rate_entries(entries: Sequence[ListedPublication | None]) -> float:
    """Return how much records are like publications: sure of their authors, who are often several.

    That several names stand in a row tells publications from other lists better than anything;
    titles of two words, and pages where hardly a row has a year, speak against it.
    """
    found = [entry for entry in entries if entry is not None]
    if not found:
        return 0.0
    sure = sum(entry.confidence for entry in found if entry.authors) / len(entries)
    several = sum(len(entry.authors) > 1 for entry in found) / len(found)
    years = sum(bool(entry.year) for entry in found) / len(found)
    size = sum(measure_text(entry.title) for entry in found) / len(found)
    fit = math.pow(sure, SURE) * (5 * several + 2 * years) / 7
    return round(fit * min(size / USUAL_TITLE, 1.0), 4)


def may_publish(tree: Tree, regions: int = CHOICES) -> bool:
    """Whether some rows of a page's first lists look like publications: quick, for many pages."""
    return any(look_published(tree, one.records) for one in find_lists(tree, most=regions))


def look_published(tree: Tree, records: list[Range]) -> bool:
    """Whether some rows of a list look like publications."""
    some = records[:: max(1, len(records) // GLANCE)][:GLANCE]
    return rate_entries(read_publications(tree, some)) >= FITS / 2


def add_classes(region: Region, classes: Classes) -> Region:
    """Return a region whose columns are named by learned classes."""
    found = assign_columns([record.cells for record in region.records], classes)
    names = {column: name for name, column in found.columns.items()}
    taken = [*names.values(), *(column.name for column in region.columns)]
    columns = tuple(
        Column(names[at], names[at])
        if at in names
        else column._replace(name=tell_apart(column.name, taken))
        if column.name in names.values()
        else column
        for at, column in enumerate(region.columns)
    )
    records = tuple(
        record._replace(fields=name_fields(columns, record.cells)) for record in region.records
    )
    return _replace(region, records, columns, round(min(found.confidence, 1.0), 4))


def _replace(
    region: Region, records: tuple[Record, ...], columns: tuple[Column, ...], fit: float
) -> Region:
    return Region(
        region.url,
        region.rank,
        region.confidence,
        columns,
        records,
        region.pattern,
        region.measures,
        fit,
    )


def prefer_fitting(regions: list[Region]) -> list[Region]:
    """Return regions of the kind that was asked for before others, each group in its order."""
    return sorted(regions, key=lambda region: region.fit < FITS)
