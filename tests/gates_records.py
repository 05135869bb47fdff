"""Records and publications on the gold pages: `python -m tests.gates_records` prints all figures.

Each page is measured with weights that were trained on the pages of other sites; the shipped
weights are measured through the front door, with the files that the gold's scorer reads.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from training.records import Sample, cross_validate, load_scorer, read_samples, summarise

from blickfang.data import Failure, Region
from blickfang.page.page import parse_page
from blickfang.records import extract_records, find_lists
from blickfang.records.tokens import ALL, read_tokens

GOLD = Path(__file__).parent.parent.parent / "shared" / "records-gold"
ROWS = (250, 1000, 8000)  # of the pages on which the time must grow with the size, not faster
FLOORS = {
    "lists, first region": 0.95,
    "lists, best region": 0.99,
    "segments, first region": 0.96,
    "publications, title and authors": 0.91,
    "publications, pages with something": 26,
    "publications, pages with F of .9": 18,
    "front door: lists, first region": 0.95,
    "front door: lists, best region": 0.99,
    "front door: segments, first region": 0.96,
    "front door: publications, title and authors": 0.92,
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


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write what the scorer reads."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def measure_front_door(folder: Path, samples: list[Sample]) -> Iterator[tuple[str, float]]:
    """Yield the scorer's own figures on files as the command writes them."""
    score = load_scorer(folder)
    with tempfile.TemporaryDirectory() as place:
        texts, papers = Path(place, "texts"), Path(place, "papers")
        texts.mkdir()
        papers.mkdir()
        for sample in samples:
            page = sample.meta["id"]
            rows = [
                {"region": str(region.rank), "text": record.text}
                for region in extract(sample, "", 0)
                for record in region.records
            ]
            write_rows(texts / f"{page}.jsonl", rows)
            if sample.meta["kind"] == "publications":
                first = extract(sample, "publications", 3)[0]
                write_rows(papers / f"{page}.jsonl", [record.fields for record in first.records])
        gold = str(folder)
        for region in ("first", "oracle"):
            name = "first" if region == "first" else "best"
            found = score.summary(score.records(gold, str(texts), region))
            yield f"lists, {name} region", found["mean_F"]
            found = score.summary(score.segments(gold, str(texts), region))
            yield f"segments, {name} region", found["mean_F"]
        found = score.summary(score.publications(gold, str(papers)))
        yield "publications, title and authors", found["mean_F"]
        yield "publications, pages with something", found["pages_with_a_hit"]
        yield "publications, pages with F of .9", found["pages_F_ge_0_9"]
        yield "publications, title", found["mean_title_F"]


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
    for name, value in measure_front_door(folder, samples):
        yield Figure(f"front door: {name}", value, FLOORS.get(f"front door: {name}"))
    for name, value in (*measure_fit(samples), *measure_speed(samples)):
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
