"""The commands on single pages: their text, and the text that belongs to their images.

In: files, or - for standard input. Out: JSON Lines, or what people would rather read.
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import typer

from blickfang.cli.output import (
    FAILED,
    STARTS_ANEW,
    AsJson,
    announce_compiling,
    guarded,
    note,
    print_json,
    printable,
    progress,
)

Pages = Annotated[
    list[str],
    typer.Argument(
        metavar="PAGE…",
        help="HTML files, also .gz, .xz or .bz2; - is stdin; with --archive also addresses.",
    ),
]
PREVIEW = 200


def _check_method(name: str) -> str:
    if name not in ("all", "best"):
        from blickfang.html import METHODS

        if name not in METHODS:
            raise typer.BadParameter(
                f"there is no method {name!r}; there are all, {', '.join(METHODS)}"
            )
    return name


def _check_boxes(method: str) -> None:
    if not method.startswith(("layout", "expansion", "all")):
        raise typer.BadParameter(
            "a browser measures for layout, layout-edge, layout-priority, expansion and all only; "
            "name one of them as --method"
        )


Method = Annotated[
    str, typer.Option(metavar="NAME", callback=_check_method, help="Which way to find it, or all.")
]
Browser = Annotated[
    bool,
    typer.Option(
        "--browser", help="Measure boxes in Chromium, for the layout methods ([browser])."
    ),
]
Archives = Annotated[
    list[str] | None,
    typer.Option(
        "--archive",
        metavar="WARC",
        help="PAGE may be an address in these archives; a browser loads from them alone.",
    ),
]


@partial(guarded, interruption=STARTS_ANEW)
def context(
    pages: Pages,
    method: Method = "best",
    browser: Browser = False,
    archives: Archives = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also say why.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the text that belongs to each image of a page.

    Each <img> of the page is listed, whatever its size. `kind` is the place it is in: a record of
    a list, a figure with its caption, text, or decoration without text. Many files are read on
    all cores; one that cannot be read is named and does not stop the others. A frameset is read
    with its frames, where they lie beside it or in the archive.

    \b
    Methods: best (default), window, dynamic-window, paragraph, monash, repeats, before-after,
    parent-0 … parent-4, sibling-0 … sibling-4, layout, layout-edge, layout-priority, expansion.

    \b
    Examples:
      blickfang context page.html
      blickfang context saved/*.html.gz --json > contexts.jsonl
      blickfang context page.html --method all --explain --json
      blickfang context https://example.org/ --archive birds/crawl --method layout --browser
    """
    if browser:
        _check_boxes(method)
    how = {"archives": tuple(archives or ()), "browser": browser}
    rows = _read_rows(_read_all(pages, (method,), how), method, explain)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        _print_context(row)


@partial(guarded, interruption=STARTS_ANEW)
def text(
    pages: Pages,
    main: Annotated[
        bool, typer.Option("--main", help="Only the main text, without menus and the like.")
    ] = False,
    archives: Archives = None,
    as_json: AsJson = False,
) -> None:
    """Print the text of pages.

    Many files are read on all cores; one that cannot be read is named and does not stop the others.

    \b
    Examples:
      blickfang text page.html --main
      blickfang text saved/*.html.gz --json > texts.jsonl
    """
    rows = (
        {
            "page": page.name,
            "title": page.title,
            "language": page.language,
            "text": page.main_text if main else page.text,
        }
        for page in _read_all(pages, (), {"archives": tuple(archives or ())})
    )
    if as_json:
        print_json(rows)
        return
    for row in rows:
        if len(pages) > 1:
            sys.stdout.write(f"== {printable(row['page'])}\n")
        lines = str(row["text"]).split("\n")
        sys.stdout.write("".join(printable(line) + "\n" for line in lines))


def _read_all(names: list[str], methods: tuple[str, ...], how: dict[str, Any]) -> Iterator[Any]:
    """Yield the pages that can be read; name the others; fail if there is none."""
    announce_compiling()
    from blickfang.cli.page_files import read_pages
    from blickfang.types import Failure

    readable = 0
    with progress("reading pages") as advance:
        for page in read_pages(names, methods, advance, **how):
            if isinstance(page, Failure):
                told = page.reason.startswith(f"cannot read {page.url}: ")
                note(page.reason if told else f"cannot read {page.url}: {page.reason}")
                continue
            for remark in page.notes:
                note(f"note: {page.name}: {remark}")
            readable += 1
            yield page
    if not readable:
        raise typer.Exit(FAILED)


def _read_rows(pages: Iterator[Any], method: str, explain: bool) -> Iterator[dict[str, Any]]:
    """Yield one object an image."""
    for page in pages:
        for image in page.images:
            shown = image.contexts["best" if method == "all" else method]
            row = {
                "page": page.name,
                "index": image.number,
                "src": image.src,
                "url": image.url,
                "method": shown.method,
                "kind": shown.kind,
                "confidence": shown.confidence,
                "text": shown.text,
            }
            if method == "all":
                row["texts"] = {name: found.text for name, found in image.contexts.items()}
            if explain:
                row |= {
                    "why": list(shown.reasons),
                    "alt": image.alt,
                    "caption": image.caption,
                    "name": image.name,
                    "generated": list(image.generated),
                }
            yield row


def _print_context(row: dict[str, Any]) -> None:
    """Print one image for people."""
    head = f"{row['page']} image {row['index']}: {row['kind'] or row['method']}"
    address = (row["url"] or row["src"])[:PREVIEW]  # src may be a placeholder until a script runs
    typer.echo(printable(f"{head}, confidence {row['confidence']:.2f}, {address}"))
    for reason in row.get("why", []):
        typer.echo(f"    because: {reason}")
    texts = row.get("texts") or {"": row["text"]}
    for name, found in texts.items():
        label = f"{name}: " if name else ""
        typer.echo(printable(f"    {label}{' '.join(found.split()) or '(no text)'}"))
