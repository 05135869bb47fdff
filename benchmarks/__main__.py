"""Run all benchmarks, or those named, and print one table; exit 1 if a goal is missed.

`python -m benchmarks frontier` takes an hour and runs only when it is named.
"""

import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    annotating,
    building,
    cluster,
    crawling,
    dedupe,
    estimation,
    frontier,
    grid,
    growth,
    joining,
    learning,
    query,
    reading,
    records,
    searching,
    words,
)
from benchmarks.timing import Row

BENCHMARKS = {
    "words": words,
    "reading": reading,
    "growth": growth,
    "estimation": estimation,
    "query": query,
    "learning": learning,
    "crawling": crawling,
    "building": building,
    "cluster": cluster,
    "searching": searching,
    "grid": grid,
    "dedupe": dedupe,
    "joining": joining,
    "annotating": annotating,
    "records": records,
}
ONLY_NAMED = {"frontier": frontier}


def main() -> None:
    """Run the benchmarks one after the other."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or BENCHMARKS:
            print(f"… {name}", file=sys.stderr)
            rows += (BENCHMARKS | ONLY_NAMED)[name].run(Path(folder))
    table = Table("measured in this run", "Blickfang", "peer", "ratio", "goal", "")
    for row in rows:
        table.add_row(*row[:5], {True: "met", False: "MISSED", None: ""}[row.met])
    Console(width=130).print(table)
    sys.exit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
