"""Run all benchmarks and print one table; exit 1 if a goal is missed."""

import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import estimation, learning, query, words
from benchmarks.timing import Row


def main() -> None:
    """Run the benchmarks one after the other."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for benchmark in (words, estimation, query, learning):
            print(f"… {benchmark.__name__}", file=sys.stderr)
            rows += benchmark.run(Path(folder))
    table = Table("measured in this run", "Blickfang", "peer", "ratio", "goal", "")
    for row in rows:
        table.add_row(*row[:5], {True: "met", False: "MISSED", None: ""}[row.met])
    Console(width=130).print(table)
    sys.exit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
