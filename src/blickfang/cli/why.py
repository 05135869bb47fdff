"""The commands that say why: explain for an address of the queue, consent for what was allowed.

In: what the user typed. Out: facts and rows on stdout.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.output import FAILED, AsJson, guarded, note, print_json, progress
from blickfang.io.plural import counted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the collection.")]
Url = Annotated[str, typer.Argument(metavar="URL", help="The address.")]
UrlOrNone = Annotated[str, typer.Argument(metavar="URL", help="The address.")]
Recheck = Annotated[
    bool, typer.Option("--recheck", help="Ask all hosts again whether we may keep what we have.")
]


@guarded
def explain(folder: Folder, url: Url, as_json: AsJson = False) -> None:
    """Say why an address has its place in the queue, or why it was left out.

    \b
    Example:
      blickfang explain birds https://example.org/robins.html
    """
    from blickfang import pipeline
    from blickfang.cli.tables import show_bucket
    from blickfang.collection import open_collection

    facts = pipeline.explain_url(open_collection(folder), url)
    if as_json:
        print_json([facts])
        return
    _print_nested(facts | {"bucket": show_bucket(facts["bucket"])})


@guarded
def consent(
    folder: Folder, url: UrlOrNone = "", recheck: Recheck = False, as_json: AsJson = False
) -> None:
    """Show every signal of consent seen for an address, and what was decided.

    With --recheck instead of an address, robots.txt and its relatives are asked for again at all
    hosts; what may not be kept any more is listed, and the next build leaves it out.

    \b
    Examples:
      blickfang consent birds https://example.org/robins.html
      blickfang consent birds --recheck
    """
    from blickfang import pipeline
    from blickfang.collection import open_collection

    if bool(url) == recheck:
        raise typer.BadParameter("give either an address or --recheck")
    if recheck:
        _recheck(folder, as_json)
        return
    rows = pipeline.show_consent(open_collection(folder), url)
    if as_json:
        print_json(rows)
        return
    if not rows:
        note("nothing was said about it, or it was never asked for")
    for row in rows:
        _print_nested(row)


def _recheck(folder: Path, as_json: bool) -> None:
    """Ask all hosts again, and list what they forbid by now."""
    from blickfang import pipeline
    from blickfang.cli.output import printable
    from blickfang.collection import open_collection

    with progress("asking hosts") as advance:
        found = pipeline.recheck_consent(open_collection(folder), advance)
    rows = [one._asdict() for one in found.withdrawn]
    if as_json:
        print_json(rows)
    for row in () if as_json else rows:
        typer.echo(printable(f"{row['kind']:<6} {row['url']}  {', '.join(row['reasons'])}"))
    for origin, reason in sorted(found.silent.items()):
        note(printable(f"{origin} did not say: {reason}; what it said before still counts"))
    unheard = f"; {found.unheard:,} not, for their hosts did not say" if found.unheard else ""
    checked = counted(found.addresses, "kept address", "kept addresses")
    note(f"{checked} checked, {len(rows):,} withdrawn{unheard}")
    if found.silent:
        raise typer.Exit(FAILED)


def _print_nested(facts: dict[str, Any], indent: int = 0) -> None:
    """Print named values, those inside others further to the right."""
    from blickfang.cli.output import printable
    from blickfang.cli.tables import show_number

    for name, value in facts.items():
        title = " " * indent + name.replace("_", " ")
        is_list = isinstance(value, list | tuple)
        entries = value if is_list else [value]
        if entries and isinstance(entries[0], dict):
            typer.echo(title)
            for entry in entries:
                _print_nested(entry, indent + 2)
        elif isinstance(value, str) and "\n" in value:  # a file, line by line
            typer.echo(title)
            for line in value.splitlines():
                typer.echo(printable(" " * (indent + 2) + line))
        elif is_list:
            typer.echo(f"{title:<14} {printable(', '.join(map(str, value)) or '–')}")
        else:
            is_number = value is None or isinstance(value, float)
            shown = show_number(value) if is_number else printable(str(value))
            typer.echo(f"{title:<14} {shown or '–'}")
