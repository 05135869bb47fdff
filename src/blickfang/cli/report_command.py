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
from blickfang.io.plural import counted

Folders = Annotated[
    list[Path], typer.Argument(metavar="DIR…", help="Collections: the runs to compare.")
]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="OUT", help="A folder for the report.")]
Truth = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A table with the columns url (or host) and topic."),
]
OnTopic = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A topic of --truth that counts as ours; repeatable."),
]
Topic = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Judge all runs by the topic of this collection."),
]


@guarded
def report(
    folders: Folders,
    out: Out,
    truth: Truth = None,
    on_topic: OnTopic = None,
    topic: Topic = None,
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
    from blickfang.web.report.run_report import report_on

    ours = on_topic or ()
    if ours and truth is None:
        raise typer.BadParameter("--on-topic names topics of the file --truth; give that, too")
    with progress("reading pages") as show:
        written = report_on(folders, out, truth=truth, on_topic=ours, topic=topic, advance=show)
    if as_json:
        facts = {"page": str(written.page), "facts": str(written.facts)}
        print_json([{**facts, "figures": written.figures, "bytes": written.bytes}])
        return
    size = f"{written.bytes / 1e6:.1f} MB, {counted(written.figures, 'figure')}"
    typer.echo(f"{printable(str(written.page))}: {size}")
