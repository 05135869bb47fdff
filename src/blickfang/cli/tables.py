"""Results as people read them: tables and short lists on stdout.

In: what a command found. Out: text, in colour on a terminal, plain in a file.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer

from blickfang.cli.output import printable

TEXT_SHOWN = 60  # characters of a text in a table
BUCKETS = {100: "last", 127: "none"}  # those that are more than a number to a crawl


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: words to the left, numbers to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))  # no markup, no emoji
    # Piped into a file a table is as wide as it has to be.
    Console(width=None if sys.stdout.isatty() else 1000).print(table)


def print_facts(facts: dict[str, Any]) -> None:
    """Print named values, one a line."""
    rows = [(name.replace("_", " "), _show(value)) for name, value in facts.items()]
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:<{wide}}  {value}")


def _show(value: Any) -> str:
    if isinstance(value, list):
        nested = any(isinstance(entry, list) for entry in value)
        return ("; " if nested else ", ").join(map(_show, value)) or "–"
    if isinstance(value, float) or value is None:
        return show_number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_keywords(found: Sequence[Any]) -> None:
    """Print keywords with their weights."""
    rows = [(k.word, f"{k.weight:,.2f}", f"{k.tf:,}", f"{k.df:,}") for k in found]
    print_table(["word", "weight", "tf", "df"], rows)


def show_number(value: float | None) -> str:
    """Return a number as people read it; a dash for none."""
    return "–" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def show_bucket(bucket: int) -> str:
    """Return a bucket of the queue as people call it.

    >>> show_bucket(1), show_bucket(100)
    ('1', 'last')
    """
    return BUCKETS.get(bucket, str(bucket))


def shorten(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: 2 * TEXT_SHOWN].split())
    return line if len(line) <= TEXT_SHOWN else line[:TEXT_SHOWN] + "…"


def print_scores(scored: Iterable[dict[str, Any]]) -> None:
    """Print scores of lines as they come: there may be millions."""
    typer.echo(f"{'line':>8} {'tokens':>8} {'oov':>6} {'log10':>12} {'perplexity':>12}")
    for line, entry in enumerate(scored, 1):
        shown = [show_number(entry["log10"]), show_number(entry["perplexity"])]
        cells = f"{entry['tokens']:>8} {entry['oov']:>6} {shown[0]:>12} {shown[1]:>12}"
        sys.stdout.write(f"{line:>8} {cells}\n")
