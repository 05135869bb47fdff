"""The commands on records: lists of pages as tables, classes of columns, rules for sources.

In: files, addresses, archives or collections. Out: tables on stdout, or a file a page.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, choose_engine
from blickfang.cli.output import (
    FAILED,
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    printable,
    progress,
)
from blickfang.compute import EngineOptions
from blickfang.io.plural import counted

FORMATS = ("csv", "jsonl", "parquet", "bibtex")
PUBLICATIONS = "publications"
SHOWN_MEASURES = 6
SHOWN_PATTERN = 300

classes = typer.Typer(
    help="Learn what the columns of tables are, from examples.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
rules = typer.Typer(
    help="Keep the structure of a list under a name and apply it to other pages of its source.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


def _check_region(value: str) -> str:
    if value != "all" and not (value.isascii() and value.isdigit() and 0 < int(value) < 1000):
        raise typer.BadParameter("a number from 1 on, or all")
    return value


def _check_format(value: str) -> str:
    if value not in FORMATS:
        raise typer.BadParameter(f"there is no format {value!r}; there are {', '.join(FORMATS)}")
    return value


Pages = Annotated[
    list[str],
    typer.Argument(
        metavar="PAGE…",
        help="HTML files (also .gz, .xz, .bz2), folders of them, addresses, WARC files or "
        "collections; - is stdin.",
    ),
]
As = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help="publications, or classes that you have learned."),
]
Which = Annotated[
    str,
    typer.Option(
        "--region",
        metavar="K",
        callback=_check_region,
        help="Which list of a page: 1 is the first that a person would name; or all.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format", metavar="NAME", callback=_check_format, help="csv, jsonl, parquet or bibtex."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Write a file a page into this folder."),
]
Contact = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="Where hosts reach you, if addresses are fetched."),
]
Manners = Annotated[
    Path | None,
    typer.Option(
        "--collection", metavar="DIR", help="Fetch addresses with the settings of this collection."
    ),
]
Split = Annotated[
    bool,
    typer.Option(
        "--split",
        help="Cut texts of lists where rows agree on a separator (comma, dash, brackets); cells of "
        "tables stay whole.",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say on stderr why these lists.")]


@guarded
def records(
    pages: Pages,
    kind: As = "",
    region: Which = "1",
    form: Format = "csv",
    output: Output = None,
    split: Split = False,
    explain: Explain = False,
    contact: Contact = "",
    collection: Manners = None,
    engine: Engine = "",
    address: Address = "",
) -> None:
    """Print the list of a page as a table: products, results, publications.

    The list is found without any example; of several the one that a person would name first.
    A table comes out as that table, its heads as names; of other lists each part of a record is a
    column, named by what it holds. Links and images have columns of their own. Before them come
    region and row, behind them the whole record; with --as publications the columns are title,
    authors, year, venue, pdf, pattern. Of archives and collections every page's best table, on all
    cores. A page that cannot be read is named and does not stop the others.

    \b
    Examples:
      blickfang records results.html
      blickfang records saved/*.html.gz --as publications -o tables
      blickfang records https://example.org/shop --contact mailto:you@example.org --format jsonl
      blickfang records birds --format parquet -o tables      # a collection
    """
    _check_output(form, kind, output)
    announce_compiling()
    from blickfang.records.record_sources import ask

    wanted = 0 if region == "all" else int(region)
    asked = ask(kind, wanted, "", contact, collection, split=split)
    _give_out(pages, asked, form, output, explain, choose_engine(engine, address))


def _check_output(form: str, kind: str, output: Path | None) -> None:
    if form == "parquet" and output is None:
        raise typer.BadParameter("Parquet is no text: give a folder with -o")
    if form == "bibtex" and kind != PUBLICATIONS:
        raise typer.BadParameter("BibTeX is for publications: add --as publications")


def _give_out(
    pages: list[str],
    asked: Any,
    form: str,
    output: Path | None,
    explain: bool,
    where: EngineOptions | None = None,
) -> None:
    """Write or print the tables of pages; fail if none could be read."""
    from blickfang.records.run_records import read_tables
    from blickfang.records.write_records import print_tables, write_tables

    counts = {"pages": 0, "fitting": 0, "records": 0}
    files = 0
    with progress("reading pages") as advance:
        given = read_tables(pages, asked, advance, where or EngineOptions())
        found = _tell(given, asked, explain, counts)
        if output is None:
            print_tables(found, form, sys.stdout.buffer, pages)
        else:
            files = write_tables(found, form, output, pages)
    if files:
        records = f"{counted(counts['records'], 'record')} of {counted(counts['fitting'], 'page')}"
        note(f"{records}, {counted(files, 'file')} in {output}")
    if asked.rule and counts["pages"] > 1:
        note(f"the rule fits {counts['fitting']} of {counted(counts['pages'], 'page')}")
    if not counts["fitting"]:
        if asked.kind == PUBLICATIONS and counts["pages"] > 1:
            note(f"none of {counts['pages']} pages has a list that looks like publications")
        raise typer.Exit(FAILED)


def _tell(given: Iterator[Any], asked: Any, explain: bool, counts: dict[str, int]) -> Iterator[Any]:
    """Yield the tables of pages; name what cannot be read and what is odd."""
    from blickfang.types import Failure

    for tables in given:
        if isinstance(tables, Failure):
            told = tables.reason.startswith(f"cannot read {tables.url}: ")
            note(tables.reason if told else f"cannot read {tables.url}: {tables.reason}")
            continue
        for remark in tables.notes:
            note(f"note: {tables.page}: {remark}")
        counts["pages"] += 1
        if (asked.rule or asked.kind == PUBLICATIONS) and not tables.lists:
            continue
        counts["fitting"] += 1
        counts["records"] += len(tables.rows)
        if explain:
            _explain(tables)
        yield tables


def _explain(tables: Any) -> None:
    """Say why these are the lists of a page."""
    for found in tables.lists:
        fit = f", fit {found.fit:.2f}" if found.fit else ""
        head = f"{tables.page} list {found.number}: {counted(found.records, 'record')}"
        note(f"{head}, confidence {found.confidence:.2f}{fit}")
        names = [
            c.name if c.name.startswith(c.kind) else f"{c.name} ({c.kind})" for c in found.columns
        ]
        note(f"    columns: {', '.join(names) or '(none)'}")
        note(f"    pattern: {found.pattern[:SHOWN_PATTERN]}")
        reasons = sorted(found.reasons.items(), key=lambda pair: -abs(pair[1][1]))
        told = [f"{name} {value:.2f} ({adds:+.1f})" for name, (value, adds) in reasons]
        note(f"    because: {', '.join(told[:SHOWN_MEASURES])}")


@classes.command("learn")
@guarded
def learn_classes(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call them, for --as.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="BibTeX (.bib), DBLP (.xml) or CSV with a head."),
    ],
    as_json: AsJson = False,
) -> None:
    """Learn classes of columns from examples: the fields of a file become classes.

    Of CSV the columns, of BibTeX and DBLP authors, title, year and venue. Words that set a class
    apart from the others count; learning again replaces what was there.

    \b
    Example:
      blickfang classes learn wines wines.csv
      blickfang records shop.html --as wines
    """
    from blickfang.cli.output import print_facts
    from blickfang.records.saved_names import learn_named

    facts = learn_named(name, files)
    print_json([facts]) if as_json else print_facts(_flatten(facts))


def _flatten(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts with inner ones as a line of text."""
    return {
        key: ", ".join(f"{name} {count}" for name, count in value.items())
        if isinstance(value, dict)
        else value
        for key, value in facts.items()
    }


@classes.command("list")
@guarded
def list_classes(as_json: AsJson = False) -> None:
    """List the classes that you have learned, with the number of words of each.

    \b
    Example:
      blickfang classes list
    """
    from blickfang.records.saved_names import list_named

    rows = list_named("classes")
    if as_json:
        print_json(rows)
        return
    typer.echo(f"{PUBLICATIONS}: built in")
    for row in rows:
        typer.echo(printable(f"{row['name']}: {counted(_flatten(row)['classes'], 'word')}"))


@rules.command("save")
@guarded
def save(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the rule.")],
    page: Annotated[str, typer.Argument(metavar="PAGE", help="A file or an address.")],
    kind: As = "",
    region: Which = "1",
    split: Split = False,
    contact: Contact = "",
    collection: Manners = None,
    as_json: AsJson = False,
) -> None:
    """Keep the structure of a list of a page as a rule.

    \b
    Example:
      blickfang records shop.html --region all --explain > /dev/null   # which list?
      blickfang rules save shop shop.html --region 2
    """
    if region == "all":
        raise typer.BadParameter("a rule is of one list: give its number")
    announce_compiling()
    from blickfang.cli.output import print_facts
    from blickfang.records.record_sources import ask
    from blickfang.records.run_records import save_rule

    facts = save_rule(name, page, ask(kind, int(region), "", contact, collection, split=split))
    print_json([facts]) if as_json else print_facts(facts)


@rules.command("apply")
@guarded
def apply(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the rule.")],
    pages: Pages,
    form: Format = "csv",
    output: Output = None,
    explain: Explain = False,
    contact: Contact = "",
    collection: Manners = None,
) -> None:
    """Apply a rule to other pages of its source: the same list, the same columns.

    Where no list of a page is built like the rule's, that is said; the exit code is 1 if it fits
    no page at all.

    \b
    Example:
      blickfang rules apply shop shop-page-*.html -o tables
    """
    announce_compiling()
    from blickfang.records.record_sources import ask

    asked = ask("", 1, name, contact, collection)
    if form == "bibtex" and asked.kind != PUBLICATIONS:
        raise typer.BadParameter("BibTeX needs a rule that was saved with --as publications")
    _check_output(form, asked.kind, output)
    _give_out(pages, asked, form, output, explain)


@rules.command("list")
@guarded
def list_rules(as_json: AsJson = False) -> None:
    """List the rules that you have saved, with the page each comes from.

    \b
    Example:
      blickfang rules list
    """
    from blickfang.records.saved_names import list_named

    rows = list_named("rules")
    if as_json:
        print_json(rows)
        return
    for row in rows:
        kind = f" as {row['kind']}" if row["kind"] else ""
        head = f"{row['name']}: {counted(row['records'], 'record')}{kind}, from {row['source']}"
        typer.echo(printable(head))
        typer.echo(printable(f"    columns: {', '.join(row['columns']) or '(by kind)'}"))
