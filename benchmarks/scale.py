"""What large builds cost: rates measured on one core, and what follows from them.

In: real pages and images of ../shared. Out: benchmarks/rates.json, and the tables of docs/scale.md.

    python -m benchmarks.scale             (prints the tables from the rates in the repository)
    python -m benchmarks.scale --measure   (measures anew, on a quiet machine; writes both files)
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from benchmarks.building import (
    DATE,
    GOLD,
    archive,
    load_images,
    load_pages,
    make_collection,
    write_runs,
)
from blickfang.corpus.archives.archive_parts import read_parts
from blickfang.corpus.mentions.captures import PageCapture
from blickfang.corpus.pictures import read_picture

RATES = Path(__file__).parent / "rates.json"
SIGHTINGS = 1_000_000
ROUNDS = 3
DOCS = Path(__file__).parent.parent / "docs" / "scale.md"
MARK = "<!-- python -m benchmarks.scale -->\n"
SIZES = {"1 M": 10**6, "100 M": 10**8, "3 G": 3 * 10**9}
MACHINES = {"2 cores": 2, "16 cores": 16, "10 × 64 cores": 640}
LINK = 10e9 / 8  # bytes a second, of ten gigabits
HELD = 0.7  # of pictures' bytes: those of samples that stay; the corpus has nothing larger


def measure() -> dict[str, float]:
    """Return the rates of one core, and sizes."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        collection = make_collection(folder)
        pages, images = list(load_pages()), load_images()
        path = archive(collection.root, "scale", pages)
        read_parts(collection, [path])  # kernels are loaded
        seconds = 1e9
        for number in range(ROUNDS):
            path = path.rename(path.with_name(f"again{number}.warc.gz"))
            start = time.process_time()
            parts, _ = read_parts(collection, [path])
            seconds = min(seconds, time.process_time() - start)
        kept = sum(file.stat().st_size for file in parts[0].folder.iterdir())
        write_runs(folder / "join", SIGHTINGS)
        command = [
            sys.executable,
            "-m",
            "benchmarks.building",
            str(folder / "join"),
            str(SIGHTINGS),
        ]
        before = os.times()
        subprocess.run(command, check=True, capture_output=True)
        after = os.times()
        joined = after.children_user - before.children_user
        return {
            "pages_per_core_second": len(pages) / seconds,
            "page_bytes": sum(map(len, pages)) / len(pages),
            "warc_bytes_per_page": path.stat().st_size / len(pages),
            "part_bytes_per_page": kept / len(pages),
            "sightings_per_page": count_sightings(parts[0].folder) / len(pages),
            "images_per_core_second": time_images(images),
            "image_bytes": sum(map(len, images)) / len(images),
            "sightings_joined_per_core_second": SIGHTINGS / joined,
            "memory_bytes_per_page": weigh_pages(),
        }


def count_sightings(folder: Path) -> int:
    """Return how many images the pages of a part name."""
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(folder / "sightings.parquet").metadata.num_rows)


def time_images(images: list[bytes]) -> float:
    """Return how many images one core reads in a second."""
    for data in images[:50]:
        read_picture("", data)
    start = time.process_time()
    for data in images:
        read_picture("", data)
    return len(images) / (time.process_time() - start)


def weigh_pages(count: int = 50_000) -> float:
    """Return the memory that the join needs for a page: its capture, by address and by key."""
    tracemalloc.start()
    best = {}
    for number in range(count):
        url = f"http://host-{number % 1000}.test/a/path/of/usual/length/page-{number}.html"
        title = f"A title of about forty characters {number}"
        best[url] = PageCapture(url, 2**63 + number, DATE, False, [], "", "", title)
    captures = {page.key: page for page in best.values()}
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(captures) == count
    return taken / count


def show(rates: dict[str, float], pictures: float = 1.0) -> str:
    """Return what follows, as tables for the docs; `pictures` are fetched for a page."""
    lines = ["| rate | measured |", "|---|---|"]
    lines += [f"| {name.replace('_', ' ')} | {value:,.0f} |" for name, value in rates.items()]
    per_page = 1 / rates["pages_per_core_second"] + pictures / rates["images_per_core_second"]
    joining = rates["sightings_per_page"] / rates["sightings_joined_per_core_second"]
    stored = rates["warc_bytes_per_page"] + pictures * rates["image_bytes"]
    clocks = " | ".join(f"reading, {name}" for name in MACHINES)
    hours_of = "core-hours, reading | core-hours, joining"
    head = f"{hours_of} | archives | parts | corpus | memory of the join"
    lines += ["", f"| pages | {head} | network in, ten gigabits | {clocks} |"]
    lines.append("|" + "---|" * (8 + len(MACHINES)))
    for name, pages in SIZES.items():
        cells = [
            name,
            f"{pages * per_page / 3600:,.0f}",
            f"{pages * joining / 3600:,.1f}",
            size(pages * stored),
            size(pages * rates["part_bytes_per_page"]),
            size(pages * pictures * rates["image_bytes"] * HELD),
            size(pages * rates["memory_bytes_per_page"]),
            hours(pages * stored / LINK / 3600),
            *(hours(pages * per_page / 3600 / cores) for cores in MACHINES.values()),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write_docs(tables: str) -> None:
    """Put the tables into the page of the docs."""
    before, _, behind = DOCS.read_text("utf-8").split(MARK)
    DOCS.write_text(f"{before}{MARK}{tables}{MARK}{behind}", "utf-8")


def size(value: float) -> str:
    """Return a number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000:
            return f"{value:,.0f} {unit}"
        value /= 1000
    return f"{value:,.1f} PB"


def hours(value: float) -> str:
    """Return hours, or days, for people."""
    return f"{value / 24:,.0f} days" if value >= 72 else f"{value:,.1f} h"


if __name__ == "__main__":
    if "--measure" in sys.argv:
        if not GOLD.is_dir():
            sys.exit("there is no ../shared to measure on")
        RATES.write_text(json.dumps(measure(), indent=1) + "\n", "utf-8")
    shown = show(json.loads(RATES.read_text("utf-8")))
    if "--measure" in sys.argv:
        write_docs(shown)
    print(shown, end="")
