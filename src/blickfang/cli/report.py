"""The command that reports on crawls.

In: what the user typed. Out: progress on stderr, what was written on stdout.
"""

from pathlib import Path
from typing import Annotated

import typer

from blickfang.cli.output import (
    AsJson,
    announce_compiling,
    guarded,
    print_json,
    printable,
    progress,
)


@guarded
def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Collections: the runs to compare.")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="OUT", help="A folder for the report.")
    ],
    truth: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table with the columns url (or host) and topic."),
    ] = None,
    on_topic: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A topic of --truth that counts as ours; repeatable."),
    ] = None,
    topic: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Judge all runs by the topic of this collection, not their own."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report on crawls: one page with tables and figures, for one run or several side by side.

    Writes OUT/report.html, which needs nothing else and opens offline, OUT/report.json with all
    numbers, and OUT/figures. A page is on topic by --truth, else by its relevance.

    \b
    Examples:
      blickfang report birds -o birds-report
      blickfang report focused unfocused -o comparison --truth pages.tsv --on-topic birds
    """
    announce_compiling()
    from blickfang.pipeline import report_on

    with progress("reading pages") as advance:
        written = report_on(
            folders, out, truth=truth, on_topic=on_topic or (), topic=topic, advance=advance
        )
    if as_json:
        facts = {"page": str(written.page), "facts": str(written.facts)}
        print_json([{**facts, "figures": written.figures, "bytes": written.bytes}])
        return
    typer.echo(
        f"{printable(str(written.page))}: {written.bytes / 1e6:.1f} MB, {written.figures} figures"
    )
