"""The command read: the pages of archives with their scores.

In: what the user typed. Out: rows on stdout, or files of rows; progress on stderr.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.cluster_options import Address, Engine, Limit, Prefix, choose_engine
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
from blickfang.io.plural import counted

SHOWN = 5  # failures of an archive
COLUMNS = ("score", "perplexity", "relevance")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Archives = Annotated[
    list[str],
    typer.Argument(
        metavar="WARC", help="Archive files: paths, s3://…, https://…, lists (.paths.gz)."
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out", "-o", metavar="PLACE", help="Write rows here, a file an archive; s3://…, too."
    ),
]


@guarded
def read(
    folder: Folder,
    archives: Archives,
    out: Out = "",
    prefix: Prefix = "",
    limit: Limit = 0,
    engine: Engine = "",
    address: Address = "",
    as_json: AsJson = False,
) -> None:
    """Read and score the pages of archives: ours, Common Crawl's, ClueWeb09's.

    Nothing is fetched but the archives that you name. With --out, archives whose file is there are
    not read again: run it again after an interruption, and it goes on.

    \b
    Examples:
      blickfang read birds CC-MAIN-*.warc.gz --json > pages.jsonl
      blickfang read birds warc.paths.gz --prefix https://data.commoncrawl.org/ --limit 100 -o rows
    """
    announce_compiling()
    from blickfang.corpus.archives import archive_sources as archives_archive_sources
    from blickfang.corpus.archives import read_pages as archives_read_pages
    from blickfang.io.storage import as_place

    supply = archives_archive_sources.Supply(tuple(archives), prefix, limit)
    where = choose_engine(engine, address)
    with progress("reading archives") as advance:
        if out:
            found = archives_read_pages.write_archives(
                folder, supply, as_place(out), advance, where
            )
            pages, failures, before = _tell_written(found, as_json)
        else:
            rows = archives_read_pages.read_archives(folder, supply, advance, where)
            pages, failures = _print_rows(rows, as_json)
            before = 0
    note(f"{counted(pages, 'page')} read, {counted(failures, 'record')} could not be")
    if failures and not pages and not before:
        raise typer.Exit(FAILED)


def _print_rows(rows: Iterator[Any], as_json: bool) -> tuple[int, int]:
    """Print pages with their scores; return how many, and how many failures."""
    from blickfang.cli.output import show_number

    pages = failures = 0
    wide = max(map(len, COLUMNS))
    for row in rows:
        if not isinstance(row, dict):
            failures += 1
            note(f"{row.url}: {row.reason}")
            continue
        pages += 1
        if as_json:
            print_json([row])
            continue
        if pages == 1:  # what cannot be read at all has no table
            typer.echo(f"{' '.join(f'{name:>{wide}}' for name in COLUMNS)}  url")
        cells = " ".join(f"{show_number(row[name]):>{wide}}" for name in COLUMNS)
        typer.echo(f"{cells}  {printable(row['url'])}")
    return pages, failures


def _tell_written(found: Iterator[Any], as_json: bool) -> tuple[int, int, int]:
    """Print what was written for each archive; return how many pages, failures, archives before."""
    from blickfang.types import Failure

    pages = failures = before = cleared = 0
    for one in found:
        if isinstance(one, Failure):
            failures += 1
            note(f"{one.url}: {one.reason}")
            continue
        cleared += one.cleared
        if one.was_there:
            before += 1
            continue
        pages += one.pages
        failures += len(one.failures)
        for failure in one.failures[:SHOWN]:
            note(f"{failure.url}: {failure.reason}")
        told = {"archive": one.archive, "file": one.file, "pages": one.pages}
        if as_json:
            print_json([told | {"failures": len(one.failures)}])
        else:
            typer.echo(printable(f"{one.pages:>9,}  {one.file}"))
    if before:
        note(
            f"{counted(before, 'archive was', 'archives were')} read before: their files are there"
        )
    if cleared:
        files = counted(cleared, "file is", "files are")
        note(f"{files} removed: rows of what archives had been")
    return pages, failures, before
