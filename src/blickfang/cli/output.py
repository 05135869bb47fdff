"""What commands share: exit codes, data on stdout, everything else on stderr.

In: what a command has to say. Out: tables for people, JSON Lines for programs, progress, errors.
Heavy imports wait until they are needed: `blickfang --help` must be quick.
"""

import functools
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import typer

from blickfang.errors import BlickfangError, DiskFullError, SettingsError
from blickfang.io.atomic_files import explain_failure, show_name
from blickfang.io.log import LOGGER, report_bug

P = ParamSpec("P")

SOFT_HYPHEN = "\u00ad"
JOINERS = "\u200c\u200d"  # without them words of some scripts, and emoji, fall apart
UNSAFE = re.compile(
    "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)  # steer terminals, end lines
NOT_ASCII = re.compile("[\x7f-\U0010ffff]")

FAILED, CONFIGURATION, INTERRUPTED, DISK_FULL = 1, 4, 11, 13  # 2, wrong usage, is typer's own

INTERRUPTION = "interrupted; nothing is half written, and running it again goes on"
STARTS_ANEW = "interrupted; nothing is half written, and running it again starts anew"

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON Lines: one object a result.")]


def note(text: str) -> None:
    """Tell the user something that is no result."""
    typer.echo(printable(text), err=True)


def printable(text: str) -> str:
    """Return a text without what could steer a terminal; it may come from anywhere."""
    if text.isprintable():
        return text
    text = show_name(text).replace(SOFT_HYPHEN, "")
    return "".join(char if char.isprintable() or char in JOINERS else " " for char in text)


def refuse_overwriting(source: Path, out: Path) -> None:
    """Raise if what is read would be replaced by what is written."""
    if source.exists() and out.exists() and source.samefile(out):
        raise SettingsError(f"{out} is what is read; write to another file")


def guarded(command: Callable[P, None], interruption: str = INTERRUPTION) -> Callable[P, None]:
    """Let a command end with a sentence and the documented exit code, never with a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        warnings.showwarning = _show_warning
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            note(interruption)
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:  # as in `blickfang … | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from error
        except (BlickfangError, OSError, MemoryError) as error:
            LOGGER.debug("the command ends", exc_info=True)
            raise typer.Exit(_report(error)) from error
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("typer", "click"):
                note(f"error: {report_bug(error, f'blickfang {command.__name__}')}")
            raise  # Python shows the traceback of ours

    return run


def _report(error: Exception) -> int:
    """Say what went wrong and return the exit code for it."""
    if isinstance(error, OSError):
        error = explain_failure(error, str(error.filename or "the system refused something"))
    note(f"error: {error or 'out of memory'}")
    if isinstance(error, SettingsError):
        return CONFIGURATION
    return DISK_FULL if isinstance(error, DiskFullError) else FAILED


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    note(f"note: {message}")


def announce_compiling() -> None:
    """Say why the first run takes longer, if it does: numba tells when it really compiles."""
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, _: Any) -> None:
            if not Listener.told:
                note("compiling once, which takes a while; later runs start at once …")
                Listener.told = True

        def on_end(self, _: Any) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def print_json(objects: Iterable[dict[str, Any]]) -> None:
    """Print one JSON object a line; names of files in it are Unicode, whatever they are on disk."""
    escaped = UNSAFE if sys.stdout.encoding.lower() == "utf-8" else NOT_ASCII
    for entry in objects:
        line = show_name(json.dumps(entry, ensure_ascii=False))
        sys.stdout.write(escaped.sub(lambda char: json.dumps(char[0])[1:-1], line) + "\n")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr while something is done, if someone is looking."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # Results go to stdout as they are, also while the bar is shown on stderr.
    bars = Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
    with bars as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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
