"""The command publications: what somebody has published, from pages, BibTeX and PDFs.

In: a name, and where to look. Out: CSV, JSON Lines or BibTeX; why pages were left out on stderr.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from blickfang.cli.output import announce_compiling, guarded, note, progress
from blickfang.io.plural import counted

FORMATS = ("csv", "jsonl", "bibtex")
REASONS_SHOWN = 8


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise typer.BadParameter(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return name


Who = Annotated[str, typer.Argument(metavar="NAME", help='"First Last", in quotes.')]
Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="DIR", help="A collection: its archive is searched, its [crawl] steers fetching."
    ),
]
Searx = Annotated[
    str, typer.Option("--searx", metavar="URL", help="Ask this SearXNG-compatible search engine.")
]
Urls = Annotated[
    str, typer.Option("--urls", metavar="FILE", help="Look at these addresses; - is stdin.")
]
Fetch = Annotated[
    bool, typer.Option("--fetch", help="Also fetch what the archive does not have: PDFs, links.")
]
Pages = Annotated[int, typer.Option(min=1, max=1000, help="Pages to look at, and links to follow.")]
Papers = Annotated[int, typer.Option("--pdfs", min=0, max=10_000, help="PDFs to read at most.")]
Follow = Annotated[
    bool, typer.Option("--follow/--no-follow", help="Go one link further within a domain.")
]
Format = Annotated[
    str, typer.Option("--format", callback=_check_format, help="csv, jsonl or bibtex.")
]
Out = Annotated[Path | None, typer.Option("-o", "--output", help="A file; else stdout.")]
Contact = Annotated[
    str, typer.Option(help="Without DIR: how hosts reach you, as mailto:you@example.org.")
]
Private = Annotated[
    bool, typer.Option("--allow-private", help="Without DIR: permit private addresses.")
]
Explain = Annotated[bool, typer.Option("--explain", help="Name every page left out, and why.")]


@guarded
def publications(
    name: Who,
    folder: Folder = None,
    searx: Searx = "",
    urls: Urls = "",
    fetch: Fetch = False,
    pages: Pages = 40,
    pdfs: Papers = 100,
    follow: Follow = True,
    form: Format = "csv",
    output: Out = None,
    contact: Contact = "",
    allow_private: Private = False,
    explain: Explain = False,
) -> None:
    """List what somebody has published, each publication once.

    Reads lists of publications, the BibTeX they link to and the heads of the PDFs. By default
    nothing is fetched: the archive of DIR is searched. People of one name get numbers (`person`).

    \b
    Examples:
      blickfang publications "Ada Lovelace" institutes -o lovelace.csv
      blickfang publications "Ada Lovelace" institutes --fetch --format bibtex
      blickfang publications "Ada Lovelace" institutes --searx http://127.0.0.1:8080/
      blickfang publications "Ada Lovelace" --contact mailto:me@my.org --urls - < addresses.txt
    """
    if searx and urls:
        raise typer.BadParameter("give --searx or --urls, not both")
    lines = _read_lines(urls) if urls else None
    given = (name, folder, searx, lines, fetch, contact, allow_private, pages, pdfs, follow)
    _research(given, form, output, explain)


def _research(given: tuple[Any, ...], form: str, output: Path | None, explain: bool) -> None:
    """Find publications, write them, and say what was left out."""
    announce_compiling()
    from blickfang.io.atomic_files import write_text
    from blickfang.records.persons.research_sources import ResearchQuestion, find_publications
    from blickfang.records.persons.write_publications import write_study

    with progress("searching, reading pages and papers") as advance:
        study = find_publications(ResearchQuestion(*given), advance)
    text = "".join(write_study(study, form))
    if output is not None:
        write_text(output, text)
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))  # whatever the terminal is set to
    _tell([(failure.url, failure.reason) for failure in study.failures], explain)
    people = counted(study.people, "person", "people")
    note(f"{counted(len(study.findings), 'publication')}, {people} of this name")


def _read_lines(name: str) -> list[str]:
    """Return the lines of a file or of standard input."""
    from blickfang.io.text_files import read_text

    if name == "-":
        return sys.stdin.read(10_000_000).splitlines()
    return read_text(Path(name)).splitlines()


def _tell(failures: list[tuple[str, str]], explain: bool) -> None:
    """Say what was left out: every page, or how many for each reason."""
    if explain:
        for url, reason in failures:
            note(f"left out: {url}: {reason}")
        return
    reasons = Counter(reason for _, reason in failures)
    for reason, count in reasons.most_common(REASONS_SHOWN):
        note(f"left out: {count:,} {reason}")
