"""`make fuzz`: every target until a million executions or twenty minutes, and a table of it all.

    python -m tests.fuzz --targets page records --seconds 180

In: which targets, how long, how many at once. Out: a table, the same as JSON, and every finding
made small under `regressions/`, where the ordinary tests replay it until it is mended. Exit 1 if
there was one.
"""

import argparse
import json
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.fuzz.campaign import Row, choose_engine, run_here, run_target
from tests.fuzz.engine import Limits
from tests.fuzz.kinds import ROOT
from tests.fuzz.properties import NAME, run_properties
from tests.fuzz.targets import TARGETS

MEASURED = ROOT / "docs" / "fuzzing.json"
DOCUMENT = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- fuzzing: begin -->\n", "<!-- fuzzing: end -->\n"
HEADS = (
    "target",
    "engine",
    "executions",
    "CPU s",
    "new coverage",
    "worst s",
    "worst MB",
    "findings",
)


def write_cells(row: Row) -> tuple[str, ...]:
    """Return a row as it is printed."""
    new = {"coverage": f"{row.new:,} edges", "mutation": f"{row.new:,} shapes"}.get(row.engine, "–")
    memory = f"{row.memory / 1e6:.0f}" if row.engine != "hypothesis" else "–"
    worst = f"{row.seconds:.2f}"
    return (
        row.target, row.engine, f"{row.executions:,}", f"{row.cpu_s:.0f}", new, worst, memory,
        str(len(row.findings)),
    )  # fmt: skip


def write_markdown(rows: list[Row]) -> str:
    """Return the table for the document."""
    lines = [HEADS, ("---",) * len(HEADS), *map(write_cells, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def read_measured() -> list[Row]:
    """Return what was measured last."""
    if not MEASURED.exists():
        return []
    return [Row(**row) for row in json.loads(MEASURED.read_text(encoding="utf-8"))]


def save(rows: list[Row], path: Path) -> None:
    """Write the table as JSON; targets that were not run keep their last row."""
    known = {row.target: row for row in read_measured()} if path == MEASURED else {}
    known |= {row.target: row for row in rows}
    order = [*TARGETS, NAME]
    kept = sorted(
        (r for r in known.values() if r.target in order), key=lambda r: order.index(r.target)
    )
    text = ",\n ".join(json.dumps(row._asdict()) for row in kept)
    path.write_text(f"[{text}]\n", encoding="utf-8")


def document() -> None:
    """Put the table that was measured last into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCUMENT.write_text(
        before + BEGIN + write_markdown(read_measured()) + END + after, encoding="utf-8"
    )


def run_one(name: str, given: argparse.Namespace, place: Path) -> Row:
    """Run a target, or the property tests."""
    if name == NAME:
        return run_properties(given.seconds, given.seed)
    if given.here:
        return run_here(TARGETS[name], given.seed, Limits(given.executions, given.seconds), place)
    engine = given.engine or choose_engine(TARGETS[name].engine)
    return run_target(
        TARGETS[name], engine, given.seed, Limits(given.executions, given.seconds), place
    )


def read_arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--targets", nargs="*", default=[], help="which; all if none is named")
    parser.add_argument("--seconds", type=float, default=1200, help="of the processor, for each")
    parser.add_argument("--executions", type=int, default=1_000_000, help="at most, of each")
    parser.add_argument("--engine", choices=("coverage", "mutation"), help="for all of them")
    parser.add_argument("--here", action="store_true", help="mutations, in this process: a look")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at once")
    parser.add_argument("--json", type=Path, default=MEASURED, help="where the table goes")
    parser.add_argument("--document", action="store_true", help="only bring docs up to date")
    given = parser.parse_args()
    given.jobs = 1 if given.here else given.jobs
    unknown = set(given.targets) - {*TARGETS, NAME}
    if unknown:
        parser.error(
            f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}, {NAME}"
        )
    return given


def main() -> None:
    """Run the targets and print the table."""
    given = read_arguments()
    if given.document:
        document()
        return
    names = given.targets or [*TARGETS, NAME]
    console = Console(width=130)
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory(prefix="blickfang-fuzz-") as folder,
        ThreadPoolExecutor(given.jobs) as threads,
    ):
        running = [threads.submit(run_one, name, given, Path(folder)) for name in names]
        for done in as_completed(running):
            rows.append(done.result())
            save(rows, given.json)
            console.print(" ".join(write_cells(rows[-1])), style="dim", highlight=False)
    rows.sort(key=lambda row: names.index(row.target))
    table = Table(*HEADS)
    for row in rows:
        table.add_row(*write_cells(row))
    console.print(table)
    for row in rows:
        for finding in row.findings:
            console.print(f"{row.target}: {finding}", markup=False)
    sys.exit(any(row.findings for row in rows))


if __name__ == "__main__":
    main()
