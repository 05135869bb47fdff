"""Comparing corpora on the gold set: `python -m tests.gates_compare`.

The documents are cut in two, every other revision: near-duplicates across the halves are known
from the complete truth. Prints precision and recall of the pairs that `blickfang compare` writes.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from blickfang.dedupe.compare import run_comparison as compare_run_comparison
from blickfang.web.report import write_comparison as report_write_comparison
from tests.gates_dedupe import GOLD, THRESHOLD, read_lines

Pair = tuple[str, str]
METHODS = {
    "minhash, verified": compare_run_comparison.Comparing(),
    "minhash, estimated": compare_run_comparison.Comparing(verify=False),
    "simhash k 3, verified": compare_run_comparison.Comparing(method="simhash"),
}


def cut(folder: Path, out: Path) -> dict[str, int]:
    """Write the two halves as JSON Lines; return which half each document is in."""
    halves: dict[str, int] = {}
    files = [(out / name).open("w", encoding="utf-8") for name in ("a.jsonl", "b.jsonl")]
    for line in read_lines(folder / "docs.jsonl.zst"):
        row = json.loads(line)
        half = halves[str(row["id"])] = row["rev"] % 2
        url = f"http://{row['repo'].partition('/')[0]}.test/{row['path']}"
        short = {"id": str(row["id"]), "url": url, "text": row["text"]}
        files[half].write(json.dumps(short) + "\n")
    for file in files:
        file.close()
    return halves


def read_truth(folder: Path, halves: dict[str, int]) -> set[Pair]:
    """Return the near-duplicates across the halves, by shingles of three."""
    found = set()
    for line in read_lines(folder / "pairs.tsv.zst"):
        a, b, _, by_shingles, _ = line.split("\t")
        if float(by_shingles) >= THRESHOLD and halves[a] != halves[b]:
            found.add((a, b) if halves[b] else (b, a))
    return found


@contextmanager
def in_silence(_: str) -> Iterator[Callable[[int, int], None]]:
    """Show no bar."""
    yield lambda *_: None


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = read_truth(GOLD, cut(GOLD, folder))
        for method, how in METHODS.items():
            sources = folder / "a.jsonl", folder / "b.jsonl"
            facts, *_ = report_write_comparison.compare(
                *sources, folder / "out", how, folder / "shelf", [], in_silence
            )
            rows = map(json.loads, (folder / "out" / "pairs.jsonl").open(encoding="utf-8"))
            pairs = {(row["a"], row["b"]) for row in rows}
            hits = len(pairs & truth)
            sys.stdout.write(
                f"{method:22} P {hits / len(pairs):.4f} R {hits / len(truth):.4f}, "
                f"{facts['candidates'] / facts['documents_a']:.1f} candidates a document of A\n"
            )


if __name__ == "__main__":
    main()
