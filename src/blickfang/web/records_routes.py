"""Records: the lists of a page, seen on the page, chosen, named and taken away as a table.

In: a page of the archive by its address, or HTML that was pasted. Out: the page with its lists
marked, each list with its pattern and what it extracts, a table as CSV, TSV or JSON, and the rule
by which `blickfang records` finds the list again. Pasted pages are kept in memory for a while.
"""

import csv
import io
import json
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from blickfang.errors import InputError
from blickfang.html import read
from blickfang.html.page import parse_page
from blickfang.html.parse.tree import Tree
from blickfang.io.atomic_files import write_text
from blickfang.io.escaping import tsv_cell
from blickfang.records import extract_records
from blickfang.records.saved_names import RULES, place_named
from blickfang.records.saved_rules import choose_columns as name_rule
from blickfang.records.saved_rules import dump_rule, make_rule
from blickfang.types import Failure, Region
from blickfang.types import Response as Answered
from blickfang.web.archived_page import find_archived, list_pages
from blickfang.web.corpus_routes import Dropped
from blickfang.web.render_pages import read_field, read_fields, show
from blickfang.web.sample_routes import picture_finder, send_snapshot
from blickfang.web.snapshot import SnapshotMarks, make_snapshot, nodes_between

REGIONS = 12
SHOWN_ROWS = 50
LARGEST = 10_000_000
KINDS = {"": "any list", "publications": "publications"}
FORMS = {"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json"}
LONGEST_NAME = 100
WIDEST = 1000  # columns


class ViewedPage(NamedTuple):
    """A page that is looked into."""

    url: str
    pasted: str  # the name under which it is kept
    kind: str  # of records that are wanted
    answered: Answered

    def address(self, region: int = 0) -> str:
        """Return the parameters that name this page, and one of its lists."""
        named = {"url": self.url, "pasted": self.pasted, "kind": self.kind}
        pairs = {name: value for name, value in named.items() if value}
        return urlencode(pairs | ({"region": str(region)} if region else {}))


class RecordsSheet(NamedTuple):
    """A list as rows under names."""

    names: list[str]
    rows: list[list[str]]


def prepare(app: Starlette) -> None:
    """Keep pages that were pasted."""
    app.state.pasted = Dropped()


def read_source(request: Request) -> ViewedPage | None:
    """Return the page that a request names, None if it names none."""
    given = request.query_params
    url, pasted = given.get("url", "").strip()[:4000], given.get("pasted", "")[:64]
    kind = given.get("kind", "") if given.get("kind", "") in KINDS else ""
    if pasted:
        return ViewedPage(
            url, pasted, kind, Answered(url, 200, {}, request.app.state.pasted.get(pasted))
        )
    if not url:
        return None
    found = find_archived(request.app.state.collection, url)
    if isinstance(found, Failure):
        raise InputError(f"{url}: {found.reason}")
    return ViewedPage(url, "", kind, Answered(url, 200, found.headers, found.body))


def read_lists(source: ViewedPage) -> tuple[Tree, list[Region]]:
    """Return a page and its lists, the likeliest first."""
    parsed = parse_page(source.answered.body, source.answered.headers.get("content-type"))
    if parsed is None:
        raise InputError("this is no page: binary, or empty")
    found = extract_records(parsed[0], source.url, source.kind, regions=REGIONS)
    return parsed[0], [] if isinstance(found, Failure) else found


def make_sheet(region: Region, kind: str) -> RecordsSheet:
    """Return a list as a table: its columns, or the fields of its kind."""
    if kind:
        names = list(dict.fromkeys(name for record in region.records for name in record.fields))
        rows = [[record.fields.get(name, "") for name in names] for record in region.records]
        return RecordsSheet(names, rows)
    return RecordsSheet(
        [column.name for column in region.columns],
        [list(record.cells) for record in region.records],
    )


def show_records(request: Request) -> Response:
    """Show a page with its lists, and one of them as a table."""
    source = read_source(request)
    if source is None:
        pages = list_pages(request.app.state.collection)
        return show(request, "records.html", source=None, pages=pages, kinds=KINDS)
    _, regions = read_lists(source)
    number = _number_of(request, len(regions))
    region = regions[number - 1] if regions else None
    sheet = make_sheet(region, source.kind) if region else RecordsSheet([], [])
    given = request.query_params
    names, ticked = sheet.names, [str(at) for at in range(len(sheet.names))]
    if len(given.getlist("name")) == len(names):  # as after a rule was saved
        names = [one.strip()[:LONGEST_NAME] for one in given.getlist("name")]
        ticked = given.getlist("column")
    return show(
        request,
        "records.html",
        source=source,
        regions=regions,
        number=number,
        region=region,
        sheet=sheet._replace(rows=sheet.rows[:SHOWN_ROWS]),
        names=names,
        ticked=ticked,
        more=max(0, len(sheet.rows) - SHOWN_ROWS),
        forms=FORMS,
        kinds=KINDS,
        pages=[],
        kept=given.get("kept", "")[:64],
    )


def _number_of(request: Request, count: int) -> int:
    given = request.query_params.get("region", "1")[:9]
    return min(max(1, int(given)), max(1, count)) if given.isascii() and given.isdigit() else 1


def paste(request: Request) -> Response:
    """Take a page that was pasted."""
    text = read_field(request, "html")
    if not text.strip():
        raise InputError("nothing was pasted")
    data = ("\ufeff" + text).encode("utf-8", "replace")
    if len(data) > LARGEST:
        raise InputError(f"a page of {len(data):,} bytes is too large; limit: {LARGEST:,}")
    pairs = {"pasted": request.app.state.pasted.keep(data), "kind": read_field(request, "kind")}
    if read_field(request, "url"):
        pairs["url"] = read_field(request, "url")[:4000]
    return RedirectResponse("/records?" + urlencode(pairs), 303)


def show_marked(request: Request) -> Response:
    """Show the page, the records of the chosen list marked in turns, other lists faintly."""
    source = read_source(request)
    if source is None:
        raise InputError("no page was named")
    tree, regions = read_lists(source)
    number = _number_of(request, len(regions))
    texts: dict[int, tuple[str, str]] = {}
    for at, region in enumerate(regions, 1):
        if at != number:
            for record in region.records:
                for node in nodes_between(tree, *record.nodes):
                    texts.setdefault(node, ("bf-1", f"list {at}"))
    if regions:
        for at, record in enumerate(regions[number - 1].records, 1):
            for node in nodes_between(tree, *record.nodes):
                texts[node] = "bf-odd" if at % 2 else "bf-even", f"record {at}"
    first = regions[number - 1].records[0].nodes[0] if regions else 0
    page = read(source.answered, ())
    pictures = (lambda _: "") if isinstance(page, Failure) else picture_finder(request, page)
    return send_snapshot(
        request,
        make_snapshot(
            tree,
            SnapshotMarks(texts, spots=[node for node in texts if node >= first][:1]),
            pictures,
        ),
    )


def download(request: Request) -> Response:
    """Send a list as a table, its columns named and chosen by the form."""
    source = read_source(request)
    form = read_field(request, "form", "csv")
    if source is None or form not in FORMS:
        raise InputError("name a page, and csv, tsv or json")
    _, regions = read_lists(source)
    if not regions:
        raise InputError("this page has no list")
    sheet = make_sheet(regions[_number_of(request, len(regions)) - 1], source.kind)
    sheet = choose_columns(sheet, read_fields(request, "name"), read_fields(request, "column"))
    headers = {"content-disposition": f'attachment; filename="records.{form}"'}
    return Response(write_sheet(sheet, form), media_type=FORMS[form], headers=headers)


def keep_rule(request: Request) -> Response:
    """Keep the structure of a list under a name, its columns named by the form."""
    source, name = read_source(request), read_field(request, "rule").strip()
    if source is None:
        raise InputError("no page was named")
    tree, regions = read_lists(source)
    if not regions:
        raise InputError("this page has no list")
    number = _number_of(request, len(regions))
    rule = make_rule(tree, regions[number - 1], source.kind, source.url or "a pasted page")
    names = [text.strip()[:LONGEST_NAME] for text in read_fields(request, "name")]
    if not source.kind:
        chosen = {int(at) for at in read_fields(request, "column")[:WIDEST] if at.isdecimal()}
        rule = name_rule(rule, names, chosen)
    write_text(place_named(RULES, name), dump_rule(rule))
    shown = {"kept": name, "name": names, "column": read_fields(request, "column")}
    address = f"{source.address(number)}&{urlencode(shown, doseq=True)}"
    return RedirectResponse(f"/records?{address}#table", 303)


def choose_columns(sheet: RecordsSheet, names: list[str], chosen: list[str]) -> RecordsSheet:
    """Return a table with only the columns chosen by number, under the names given."""
    kept = [at for at in range(len(sheet.names)) if str(at) in chosen]
    if not kept:
        raise InputError("choose at least one column")
    named = [
        (names[at].strip()[:LONGEST_NAME] if at < len(names) else "") or sheet.names[at]
        for at in kept
    ]
    return RecordsSheet(_tell_apart(named), [[row[at] for at in kept] for row in sheet.rows])


def _tell_apart(names: list[str]) -> list[str]:
    """Return names of which no two are the same: in JSON one would take the other's place.

    >>> _tell_apart(["price", "price", "price 2"])
    ['price', 'price 3', 'price 2']
    """
    told: list[str] = []
    for at, name in enumerate(names):
        number, new = 1, name
        while new in told or (number > 1 and new in names[at:]):
            number += 1
            new = f"{name} {number}"
        told.append(new)
    return told


def write_sheet(sheet: RecordsSheet, form: str) -> str:
    """Return a table as text; no cell of it makes a spreadsheet compute something."""
    if form == "json":
        rows = [dict(zip(sheet.names, row, strict=True)) for row in sheet.rows]
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    file = io.StringIO()
    writer = csv.writer(file, delimiter="," if form == "csv" else "\t", lineterminator="\n")
    for row in [sheet.names, *sheet.rows]:
        writer.writerow([tsv_cell(cell) for cell in row])
    return file.getvalue()


ROUTES = [
    Route("/records", show_records),
    Route("/records/paste", paste, methods=["POST"]),
    Route("/records/page", show_marked),
    Route("/records/table", download, methods=["POST"]),
    Route("/records/rule", keep_rule, methods=["POST"]),
]
