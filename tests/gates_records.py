"""Records and publications on the gold pages: `python -m tests.gates_records` prints all figures.

Each page is measured with weights that were trained on the pages of other sites, which takes some
minutes. `make gates` measures only the shipped weights, on the files that the command writes; and
that they are what training writes.
"""

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from training.records import (
    Sample,
    cross_validate,
    rate_venues,
    read_samples,
    summarise,
    write_weights,
)
from training.scorers import load_scorer
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.html.page import parse_page
from blickfang.records import extract_records, find_lists
from blickfang.records.saved_rules import apply_rule, make_rule
from blickfang.records.study.page_tokens import ALL, read_tokens
from blickfang.types import Failure, Region

GOLD = Path(__file__).parent.parent.parent / "shared" / "records-gold"
BEST_OF = 12  # regions of a page: the scorer takes long over hundreds
ROWS = (250, 1000, 8000)  # of the pages on which the time must grow with the size, not faster
FLOORS = {
    "lists, first region": 0.95,
    "lists, best region": 0.99,
    "segments, first region": 0.96,
    "publications, title and authors": 0.93,
    "publications, year": 0.96,
    "publications, venue": 0.735,
    "publications, pages with something": 26,
    "publications, pages with F of .9": 20,
}


class Figure(NamedTuple):
    """A measured value, and what it must reach if anything."""

    name: str
    value: float
    floor: float | None = None


def extract(sample: Sample, kind: str, regions: int) -> list[Region]:
    """Return what the front door gives on a page."""
    found = extract_records(sample.tree, kind=kind, regions=regions)
    return [] if isinstance(found, Failure) else found


def write_output(folder: Path, place: Path, kinds: Sequence[str], *options: str) -> str:
    """Let the command write its files for the gold pages of some kinds; return where."""
    pages = [str(page) for kind in kinds for page in sorted((folder / kind / "pages").iterdir())]
    done = CliRunner().invoke(app, ["records", *pages, *options, "-o", str(place)])
    if done.exit_code:
        raise RuntimeError(done.stderr)
    return str(place)


def write_regions(folder: Path, place: Path) -> str:
    """Write the first regions of the list pages for the scorer; return where."""
    place.mkdir()
    for page in sorted((folder / "records" / "pages").iterdir()):
        found = extract_records(gzip.decompress(page.read_bytes()), regions=BEST_OF)
        regions = [] if isinstance(found, Failure) else found
        rows = [{"region": r.rank, "text": each.text} for r in regions for each in r.records]
        path = place / page.name.replace(".html.gz", ".jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(place)


def measure_commands(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the scorer's own figures on the files that the command writes."""
    score, gold = load_scorer(folder), str(folder)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        first = write_output(folder, place / "first", ("records", "publications"))
        yield "lists, first region", score.summary(score.records(gold, first))["mean_F"]
        yield "segments, first region", score.summary(score.segments(gold, first))["mean_F"]
        every = write_regions(folder, place / "all")
        found = score.summary(score.records(gold, every, "oracle"))
        yield "lists, best region", found["mean_F"]
        papers = write_output(folder, place / "papers", ("publications",), "--as", "publications")
        found = score.summary(score.publications(gold, papers))
        yield "publications, title and authors", found["mean_F"]
        yield "publications, pages with something", found["pages_with_a_hit"]
        yield "publications, pages with F of .9", found["pages_F_ge_0_9"]
        yield "publications, title", found["mean_title_F"]
        yield "publications, venue", measure_venues(score, gold, papers)


def measure_venues(score: ModuleType, gold: str, output: str) -> float:
    """Return the share of the gold's venues that are found, alike to four fifths."""
    right = [
        found
        for meta in score.pages(gold, "publications")
        for found in rate_venues(
            score, score.gold_pubs(gold, meta)[0], score.preds(output, meta["id"])
        )
    ]
    return sum(right) / len(right)


def count_untrained(folder: Path) -> int:
    """Return how many files of weights are not what training on the gold pages writes."""
    files = write_weights(read_samples(folder))
    return sum(path.read_text(encoding="utf-8") != text for path, text in files.items())


def measure_rules(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield how often a rule finds its own list again, and refuses the page of another site."""
    trees, rules = [], []
    again = 0
    for path in sorted((folder / "records" / "pages").iterdir()):
        parsed = parse_page(gzip.decompress(path.read_bytes()))
        found = extract_records(parsed[0], regions=1) if parsed else []
        if parsed is None or isinstance(found, Failure) or not found:
            continue
        rule = make_rule(parsed[0], found[0], "", path.name)
        region = apply_rule(rule, parsed[0]).region
        nodes = [record.nodes for record in region.records] if region else []
        again += nodes == [record.nodes for record in found[0].records]
        trees.append(parsed[0])
        rules.append(rule)
    others = zip(rules, [*trees[1:], trees[0]], strict=True)
    refused = sum(apply_rule(rule, tree).region is None for rule, tree in others)
    yield "rules that find their list again", again / len(rules)
    yield "rules that refuse the page of another site", refused / len(rules)


def measure_fit(samples: list[Sample]) -> Iterator[tuple[str, float]]:
    """Yield how well the fit tells publication pages from other lists."""
    fits = {"records": [0.0], "publications": [0.0]}
    for sample in samples:
        regions = extract(sample, "publications", 1)
        fits[sample.meta["kind"]].append(regions[0].fit if regions else 0.0)
    papers, others = fits["publications"][1:], fits["records"][1:]
    above = sum((p > o) + 0.5 * (p == o) for p in papers for o in others)
    yield "publication pages before other lists, by fit", above / len(papers) / len(others)


def make_rows(rows: int) -> bytes:
    """Return a page with a list of so many rows."""
    items = (
        f'<li><a href="p{k}">Thing {k} of many</a><br><i>A. Writer{k % 77}</i> <b>${k}</b></li>'
        for k in range(rows)
    )
    return f"<h1>Things</h1><ul>{''.join(items)}</ul>".encode()


def measure_speed(samples: list[Sample]) -> Iterator[tuple[str, float]]:
    """Yield times: of real pages a 3,000 tokens, and of made pages of growing size."""
    real = []
    for sample in samples:
        tokens = len(read_tokens(sample.tree, ALL).number)
        begin = time.perf_counter()
        find_lists(sample.tree)
        middle = time.perf_counter()
        extract(sample, "", 1)
        real.append((tokens, middle - begin, time.perf_counter() - middle))
    for place, name in ((1, "lists found and ranked"), (2, "first list with its cells")):
        usual = sorted(row[place] / row[0] for row in real)[len(real) // 2]
        yield f"ms for 3,000 tokens, {name}", usual * 3_000_000
    for rows in ROWS:
        parsed = parse_page(make_rows(rows))
        if parsed is None:
            continue
        tokens = len(read_tokens(parsed[0], ALL).number)
        begin = time.perf_counter()
        extract_records(parsed[0], regions=1)
        yield f"ms for {tokens:,} tokens", 1000 * (time.perf_counter() - begin)


def measure_records(folder: Path) -> Iterator[Figure]:
    """Yield every figure, those with a floor among them."""
    samples = read_samples(folder)
    for name, value in summarise(folder, cross_validate(samples)).items():
        yield Figure(name, value, FLOORS.get(name))
    for name, value in measure_commands(folder):
        yield Figure(f"the command: {name}", value)
    for name, value in (*measure_rules(folder), *measure_fit(samples), *measure_speed(samples)):
        yield Figure(name, value)


def main() -> int:
    """Print all figures; return how many are below their floors."""
    failed = 0
    for figure in measure_records(GOLD):
        low = figure.floor is not None and figure.value < figure.floor
        floor = "" if figure.floor is None else f" ≥ {figure.floor}"
        verdict = "      " if figure.floor is None else "FAILED" if low else "ok    "
        sys.stdout.write(f"{verdict} {figure.name} {figure.value:.4g}{floor}\n")
        sys.stdout.flush()
        failed += low
    return failed


if __name__ == "__main__":
    sys.exit(main())
