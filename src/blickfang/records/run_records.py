"""Pages become tables: read on all cores, in order, whatever they come from.

In: names of pages, archives, collections or addresses, and what is `Asked`. Out: `Tables` a page,
a `Failure` for each that cannot be read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from blickfang.compute import EngineOptions, LostTask, each
from blickfang.compute.engine import HERE
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.errors import InputError
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree
from blickfang.io.atomic_files import show_name, write_text
from blickfang.io.text_files import read_bytes
from blickfang.records import extract_records, find_lists
from blickfang.records.extract import FITS, PUBLICATIONS, look_published, may_publish
from blickfang.records.persons import Publication
from blickfang.records.rank_regions import MEASURES, load_weights
from blickfang.records.record_sources import (
    ALL,
    LOOKED_AT,
    LOOKED_AT_FOR_ALL,
    RecordsRequest,
    RecordsSource,
    expand,
    is_many,
    measure,
    read_sources,
    recall_classes,
    recall_rule,
)
from blickfang.records.saved_names import RULES, place_named
from blickfang.records.saved_rules import apply_rule, dump_rule, make_rule
from blickfang.types import Column, Failure, Record, Region

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


FEW_PAGES = 64  # a process costs as much as hundreds of pages
LOOKED_AT_FOR_OTHERS = 8  # lists of a page beside the one that is taken
MUCH, LEAST_OF_OTHERS, FURNISHED = 0.12, 3, 0.5  # of the page's text; records; in furniture
LARGE_ARCHIVE = 2_000_000  # bytes: some hundred pages
FEW_PAPERS = 8  # pages of publications: each takes as long as many others


@dataclass(frozen=True, slots=True)
class ListNote:
    """What there is to say about a list."""

    number: int  # on its page
    records: int
    confidence: float
    fit: float
    columns: tuple[Column, ...]
    pattern: str
    reasons: dict[str, tuple[float, float]]  # measures, and what each adds to its rank


@dataclass(frozen=True, slots=True)
class PageTables:
    """The lists of a page that were asked for, as rows."""

    origin: str  # what the user named
    page: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    lists: tuple[ListNote, ...]
    notes: tuple[str, ...]


def read_tables(
    names: Sequence[str],
    asked: RecordsRequest,
    advance: Advance = stay_silent,
    where: EngineOptions = HERE,
) -> Iterator[PageTables | Failure]:
    """Yield the tables of pages in order, read on all cores."""
    names = expand(names)
    total = measure(names)
    few = FEW_PAGES if asked.kind != PUBLICATIONS else FEW_PAPERS
    large = total >= LARGE_ARCHIVE and any(map(is_many, names))
    workers = 0 if len(names) >= few or large or where != HERE else 1
    sources = read_sources(names, asked.options, with_bodies=where != HERE)
    found = each(partial(read_one, asked), sources, workers, where)
    for result in found:
        if isinstance(result, LostTask):
            page = result.thing.url if isinstance(result.thing, Failure) else result.thing.page
            yield Failure(page, "records", "reading it ended its process; please report this page")
            continue
        done, tables = result
        if done:
            advance(done, total)
        yield tables


def read_one(
    asked: RecordsRequest, source: RecordsSource | Failure
) -> tuple[int, PageTables | Failure]:
    """Read one page; return also how much of all is behind."""
    if isinstance(source, Failure):
        return 0, source
    try:
        return source.done, read_page_tables(asked, source)
    except InputError as error:
        return source.done, Failure(source.page, "records", str(error))


def parse_source(source: RecordsSource) -> tuple[Tree, list[str]]:
    """Return the arrays of a page, and what was cut or guessed."""
    body = read_bytes(Path(source.page)) if source.body is None else source.body
    parsed = parse_page(body, source.content_type)
    if parsed is None:
        raise InputError("binary or empty, not a page")
    return parsed


def read_page_tables(asked: RecordsRequest, source: RecordsSource) -> PageTables:
    """Return the tables of one page."""
    tree, notes = parse_source(source)
    many = source.origin != source.page
    if asked.rule:
        regions, remark = take_by_rule(asked, tree, source.url, leave_others=many)
    else:
        regions, remark = take(asked, tree, source.url, leave_others=many)
    if regions and not many and not remark and not asked.rule and asked.region == 1:
        remark = tell_others(asked, tree, regions[0][1])
    if remark and not many:  # in an archive most pages have no such list; that is no news
        notes.append(remark)
    papers = asked.kind == PUBLICATIONS
    named = name_columns(asked)
    rows = tuple(make_rows(regions, papers=papers))
    return PageTables(
        source.origin,
        source.page,
        tuple(list_columns(regions, rows, named, papers=papers)),
        rows,
        tuple(tell(number, region) for number, region in regions),
        tuple(notes),
    )


def name_columns(asked: RecordsRequest) -> list[str]:
    """Return the columns that classes or a rule give names to."""
    if asked.kind == PUBLICATIONS:
        return []
    if asked.rule:
        rule = recall_rule(asked.rule)
        return [c.name for at, c in enumerate(rule.columns) if at not in rule.left_out]
    classes = recall_classes(asked.classes)
    return list(classes.weights) if classes else []


def extract(asked: RecordsRequest, tree: Tree, url: str) -> list[Region]:
    """Return the lists of a page, as many as must be looked at."""
    papers = PUBLICATIONS if asked.kind == PUBLICATIONS else ""
    classes = recall_classes(asked.classes)
    if asked.region == ALL:
        tries = [LOOKED_AT_FOR_ALL if asked.kind else ALL]
    elif classes:
        # Where the first list fits, no other comes before it.
        tries = [1, LOOKED_AT] if asked.region == 1 else [max(asked.region, LOOKED_AT)]
    else:
        tries = [asked.region]
    found: list[Region] = []
    for most in tries:
        regions = extract_records(
            tree, url, papers, regions=most, classes=classes, split=asked.split
        )
        found = [] if isinstance(regions, Failure) else regions
        if found and found[0].fit >= FITS:
            break
    return found


def take(
    asked: RecordsRequest, tree: Tree, url: str, *, leave_others: bool
) -> tuple[list[tuple[int, Region]], str]:
    """Return the wanted lists of a page with their numbers, and a remark where something is odd."""
    if leave_others and asked.kind == PUBLICATIONS and not may_publish(tree):
        return [], f"its lists do not look like {asked.kind}"
    found = extract(asked, tree, url)
    if not found:
        return [], "no list found on it"
    numbered = list(enumerate(found, 1))
    if asked.region != ALL:
        numbered = numbered[asked.region - 1 : asked.region]
        if not numbered:
            return [], f"it has only {len(found)} lists, not {asked.region}"
    fitting = [pair for pair in numbered if pair[1].fit >= FITS]
    if not asked.kind or fitting:
        return fitting if asked.kind and asked.region == ALL else numbered, ""
    remark = f"its lists do not look like {asked.kind} (fit {numbered[0][1].fit:.2f})"
    if asked.kind == PUBLICATIONS:
        return [], f"{remark}; without --as they are printed as they are"
    return [] if leave_others else numbered[:1], remark


def tell_others(asked: RecordsRequest, tree: Tree, taken: Region) -> str:
    """Return what to say of lists that stand elsewhere on the page and are not taken."""
    nodes = [record.nodes for record in taken.records]
    seen = [(nodes[0][0], nodes[-1][1])] if nodes else []
    others = []
    for number, found in enumerate(find_lists(tree, most=LOOKED_AT_FOR_OTHERS), 1):
        start, end = found.records[0][0], found.records[-1][1]
        apart = all(end <= a or start >= b for a, b in seen)
        much = found.measures["cover"] >= MUCH and len(found.records) >= LEAST_OF_OTHERS
        if not (apart and much) or found.measures["furniture"] >= FURNISHED:
            continue
        if asked.kind == PUBLICATIONS and not look_published(tree, found.records):
            continue
        others.append(f"list {number} with {len(found.records)} records")
        seen.append((start, end))  # other ways to read the same place follow
    if not others:
        return ""
    several = "another list" if len(others) == 1 else "other lists"
    way = "--region all" if asked.kind else "--region NUMBER or all"
    return f"this is its first list; it has {several}, too ({', '.join(others)}): {way} takes more"


def take_by_rule(
    asked: RecordsRequest, tree: Tree, url: str, *, leave_others: bool
) -> tuple[list[tuple[int, Region]], str]:
    """Return the list that a rule finds, and what to say where it no longer fits."""
    rule = recall_rule(asked.rule)
    applied = apply_rule(rule, tree, url)
    if applied.region is None or (applied.foreign and leave_others):
        return [], f"the rule {Path(asked.rule).stem!r} no longer fits: {applied.remark}"
    return [(1, applied.region)], applied.remark


def tell(number: int, region: Region) -> ListNote:
    """Return what there is to say about a list."""
    weights = zip(MEASURES, load_weights().tolist(), strict=True)
    reasons = {
        name: (region.measures[name], weight * region.measures[name])
        for name, weight in weights
        if name in region.measures
    }
    return ListNote(
        number,
        len(region.records),
        region.confidence,
        region.fit,
        region.columns,
        region.pattern,
        reasons,
    )


def save_rule(name: str, page: str, asked: RecordsRequest) -> dict[str, Any]:
    """Keep the structure of one list of a page under a name; return what was kept."""
    target = place_named(RULES, name)
    source = next(iter(read_sources([page], asked.options)))
    if isinstance(source, Failure):
        raise InputError(f"cannot read {source.url}: {source.reason}")
    tree, _ = parse_source(source)
    regions, remark = take(asked, tree, source.url, leave_others=False)
    if not regions:
        raise InputError(f"{page}: {remark}; nothing to save")
    region = regions[0][1]
    classes = recall_classes(asked.classes)
    rule = make_rule(
        tree,
        region,
        asked.kind,
        source.url or show_name(Path(page).name),
        classes,
        split=asked.split,
    )
    write_text(target, dump_rule(rule))
    return {
        "name": name,
        "kind": rule.kind,
        "source": rule.source,
        "records": rule.records,
        "columns": [column.name for column in rule.columns],
        "pattern": rule.pattern,
        "file": str(target),
    }
