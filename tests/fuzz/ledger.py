"""What all runs of the fuzzer came to: rows that add up, in `docs/fuzzing.json` and the document.

In: the `Row` of a run. Out: the row of all runs of that target: executions and seconds added up,
the worst of each, every finding once. From it follows what is left to do, and with which seed.
"""

import json
from pathlib import Path

from tests.fuzz.campaign import Row
from tests.fuzz.engine import Limits
from tests.fuzz.kinds import ROOT
from tests.fuzz.properties import NAME
from tests.fuzz.targets import TARGETS

MEASURED = ROOT / "docs" / "fuzzing.json"
DOCUMENT = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- fuzzing: begin -->\n", "<!-- fuzzing: end -->\n"
HEADS = (
    "target", "engine", "executions", "CPU s", "new coverage", "worst s", "worst MB", "findings",
)  # fmt: skip
ENOUGH = Limits(1_000_000, 1200.0)  # a target that came to one of them is done
REST_S = 1.0  # not worth another process
APART = 100  # seeds between two runs: one run starts up to twenty processes, each with its own

Rows = dict[str, Row]


def read_rows(path: Path) -> Rows:
    """Return what all runs so far came to, in the order of the targets."""
    if not path.exists():
        return {}
    rows = {row["target"]: Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))}
    return {name: rows[name] for name in (*TARGETS, NAME) if name in rows}


def add(before: Row | None, run: Row) -> Row:
    """Return a row with one more run; where the engine is another one, its coverage counts."""
    if before is None:
        return run
    alike = before.engine == run.engine
    found = {(finding["kind"], finding["what"]): finding for finding in run.findings}
    known = {(finding["kind"], finding["what"]) for finding in before.findings}
    return Row(
        run.target,
        run.engine,
        before.executions + run.executions,
        round(before.cpu_s + run.cpu_s, 1),
        max(before.new, run.new) if alike else run.new,
        max(before.seconds, run.seconds),
        max(before.memory, run.memory),
        before.findings + [finding for key, finding in found.items() if key not in known],
        before.runs + run.runs,
    )


def save(rows: Rows, path: Path) -> None:
    """Write the rows as JSON."""
    kept = (rows[name] for name in (*TARGETS, NAME) if name in rows)
    text = ",\n ".join(json.dumps(row._asdict()) for row in kept)
    made = path.with_name(f"{path.name}.new")
    made.write_text(f"[{text}]\n", encoding="utf-8")
    made.replace(path)


def progress(row: Row | None, enough: Limits = ENOUGH) -> float:
    """Return how much of a target is done; 1 and more is all of it."""
    if row is None:
        return 0.0
    return max(row.executions / enough.executions, row.cpu_s / (enough.seconds - REST_S))


def order(names: list[str], rows: Rows) -> list[str]:
    """Return the targets that are not done, those with least done first."""
    left = [name for name in names if progress(rows.get(name)) < 1]
    return sorted(left, key=lambda name: progress(rows.get(name)))


def limit(row: Row | None, budget: Limits) -> Limits:
    """Return what a run may do: its budget, and no more than is left."""
    if row is None:
        return budget
    return Limits(
        min(budget.executions, ENOUGH.executions - row.executions),
        min(budget.seconds, ENOUGH.seconds - row.cpu_s),
    )


def choose_seed(first: int, row: Row | None) -> int:
    """Return the seed of the next run: another one each time, so that inputs are others."""
    return first + APART * (row.runs if row else 0)


def write_cells(row: Row) -> tuple[str, ...]:
    """Return a row as it is printed."""
    new = {"coverage": f"{row.new:,} edges", "mutation": f"{row.new:,} shapes"}.get(row.engine, "–")
    memory = f"{row.memory / 1e6:.0f}" if row.engine != "hypothesis" else "–"
    worst = f"{row.seconds:.2f}"
    return (
        row.target, row.engine, f"{row.executions:,}", f"{row.cpu_s:.0f}", new, worst, memory,
        str(len(row.findings)),
    )  # fmt: skip


def write_markdown(rows: Rows) -> str:
    """Return the table for the document."""
    lines = [HEADS, ("---",) * len(HEADS), *map(write_cells, rows.values())]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def document() -> None:
    """Put the table that was measured last into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = write_markdown(read_rows(MEASURED))
    DOCUMENT.write_text(before + BEGIN + table + END + after, encoding="utf-8")
