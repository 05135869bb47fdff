"""`make fuzz`: every target until a million executions or twenty minutes, and a table of it all.

    python -m tests.fuzz --targets page records --seconds 180

In: which targets, how long this time, how many at once. Out: a table, the same as JSON, and every
finding made small under `regressions/`, where the ordinary tests replay it until it is mended. Runs
add up: each goes on where the last one stopped, with other inputs, targets with least done first;
Ctrl-C keeps what was done. Exit 1 if this run found something.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event

from rich.console import Console
from rich.table import Table

from tests.fuzz.campaign import Row, choose_engine, run_here, run_target
from tests.fuzz.engine import Limits
from tests.fuzz.ledger import (
    ENOUGH,
    HEADS,
    MEASURED,
    Rows,
    add,
    choose_seed,
    document,
    limit,
    order,
    read_rows,
    save,
    write_cells,
)  # fmt: skip
from tests.fuzz.properties import NAME, run_properties
from tests.fuzz.targets import TARGETS

TWICE_S = 1.0  # `timeout` sends its signal twice
ENDING = b"ending: what was done is kept, and findings are made small first\n"


def run_one(name: str, given: argparse.Namespace, before: Row | None, stop: Event) -> Row | None:
    """Run a target, or the property tests; nothing if it is time to stop."""
    if stop.is_set():
        return None
    seed = choose_seed(given.seed, before)
    limits = limit(before, Limits(given.executions, given.seconds))
    if name == NAME:
        return run_properties(limits.seconds, seed, stop)
    if given.here:
        return run_here(TARGETS[name], seed, limits, given.place, stop)
    engine = given.engine or choose_engine(TARGETS[name].engine)
    return run_target(TARGETS[name], engine, seed, limits, given.place, stop)


def read_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--targets", nargs="*", default=[], help="which; all if none is named")
    parser.add_argument(
        "--seconds", type=float, default=ENOUGH.seconds,
        help="of the processor, for each, in this run; never more than is left to do",
    )  # fmt: skip
    parser.add_argument(
        "--executions", type=int, default=ENOUGH.executions, help="at most, of each, in this run"
    )
    parser.add_argument("--engine", choices=("coverage", "mutation"), help="for all of them")
    parser.add_argument("--here", action="store_true", help="mutations, in this process: a look")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each takes another")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at once")
    parser.add_argument("--json", type=Path, default=MEASURED, help="where runs are added up")
    parser.add_argument("--anew", action="store_true", help="forget earlier runs of these targets")
    parser.add_argument("--document", action="store_true", help="only bring docs up to date")
    given = parser.parse_args(words)
    given.jobs = 1 if given.here else given.jobs
    given.targets = given.targets or [*TARGETS, NAME]
    unknown = set(given.targets) - {*TARGETS, NAME}
    if unknown:
        parser.error(
            f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}, {NAME}"
        )
    return given


def listen(stop: Event) -> None:
    """Let Ctrl-C and SIGTERM end the run in order; another one, later, ends it at once."""
    first = 0.0

    def end(number: int, frame: object) -> None:
        nonlocal first
        del number, frame
        if stop.is_set() and time.monotonic() - first > TWICE_S:
            os._exit(1)
        first = first or time.monotonic()
        stop.set()
        os.write(2, ENDING)  # no console: it may be within a line

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)


def run_all(
    names: list[str], given: argparse.Namespace, rows: Rows, stop: Event
) -> Iterator[tuple[str, Row | str]]:
    """Give the row of each target when its run is over, or why there is none."""
    with ThreadPoolExecutor(given.jobs) as threads:
        running: dict[Future[Row | None], str] = {
            threads.submit(run_one, name, given, rows.get(name), stop): name for name in names
        }
        for done in as_completed(running):
            try:
                row = done.result()
            except Exception as error:  # of one target: the others are not lost by it
                yield running[done], f"{type(error).__name__}: {error}"
            else:
                if row is not None and row.executions:  # ended before it began: nothing to add
                    yield running[done], row


def campaign(given: argparse.Namespace, console: Console, stop: Event) -> bool:
    """Run what is left to do, save after each target, and return whether something was found."""
    rows = read_rows(given.json)
    if given.anew:
        rows = {name: row for name, row in rows.items() if name not in given.targets}
    names, harm = order(given.targets, rows), False
    if len(names) < len(given.targets):
        finished = len(given.targets) - len(names)
        console.print(f"{finished} of {len(given.targets)} targets are done (--anew begins anew)")
    for name, run in run_all(names, given, dict(rows), stop):
        if isinstance(run, str):
            harm = True
            console.print(f"{name}: {run}", markup=False, style="red")
            continue
        rows[name] = add(rows.get(name), run)
        save(rows, given.json)
        console.print(" ".join(write_cells(run)), style="dim", highlight=False)
        for finding in run.findings:
            harm = True
            console.print(f"{name}: {finding}", markup=False)
    table = Table(*HEADS, title="all runs so far")
    for name in given.targets:
        if name in rows:
            table.add_row(*write_cells(rows[name]))
    console.print(table)
    return harm


def main() -> None:
    """Run the targets and print the table."""
    given = read_arguments()
    if given.document:
        document()
        return
    console, stop = Console(width=130), Event()
    listen(stop)
    with tempfile.TemporaryDirectory(prefix="blickfang-fuzz-") as folder:
        given.place = Path(folder)
        harm = campaign(given, console, stop)
    sys.exit(harm)


if __name__ == "__main__":
    main()
