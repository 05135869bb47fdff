"""From archive to sightings and pictures: pages and images a second, one core and two; memory.

In: real pages of ../shared and the real images of its testbed, archived by our own writer; made-up
sightings for the join. Out: rates of processor time of one core, how much two cores do, and the
most memory that joining ten million sightings takes.

    python -m benchmarks.building FOLDER SIGHTINGS    (the join, a process of its own)
"""

import gzip
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.timing import Row, peak_mb
from blickfang.config import Collection, open_collection
from blickfang.corpus.archives.archive_parts import read_parts
from blickfang.corpus.mentions.captures import PageCapture, PageCaptures, PictureCapture, Pictures
from blickfang.corpus.mentions.filters import DropRules
from blickfang.corpus.mentions.join_pictures import survey
from blickfang.corpus.mentions.limits import SampleLimits, find_misfit
from blickfang.corpus.mentions.mention import SCHEMA, TEXTS
from blickfang.corpus.mentions.mention_buckets import MentionRuns, write_run
from blickfang.corpus.pictures import read_picture
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.permission.current_consent import HostConsents
from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange
from blickfang.text.relevance import ScoreOptions as Scoring

GOLD = Path(__file__).parent.parent.parent / "shared"
PAGES_GOAL, IMAGES_GOAL, CORES_GOAL, MEMORY_GOAL = 300, 400, 1.7, 2000
ARCHIVES = 18  # to start two processes takes three seconds: with 6 they would be 1.4 times as fast
ROUNDS = 3
SIGHTINGS = 10_000_000
PER_ADDRESS, PER_RUN = 5, 250_000
FETCHED = 4  # every so many addresses: pages name more images than anybody fetches
DATE = "2026-01-01T00:00:00Z"


def run(folder: Path) -> list[Row]:
    """Measure reading, both cores, and the join."""
    if not GOLD.is_dir():
        return [Row("building: skipped, there is no ../shared", "", "", "", "", None)]
    collection = make_collection(folder)
    pages = list(load_pages())
    return [
        report_pages(collection, pages),
        report_images(),
        report_cores(collection, pages),
        report_join(folder),
    ]


def load_pages() -> Iterator[bytes]:
    """Give the real pages."""
    for name in ("context-gold", "text-gold"):
        for path in sorted((GOLD / name / "pages").glob("*.gz")):
            yield gzip.decompress(path.read_bytes())


def load_images() -> list[bytes]:
    """Return the real images."""
    found = []
    for path in sorted((GOLD / "testbed").glob("*.tar.xz")):
        with tarfile.open(path) as files:
            for member in files:
                if member.name.lower().endswith((".jpg", ".jpeg", ".png", ".gif", ".webp")):
                    file = files.extractfile(member)
                    found.append(file.read() if file else b"")
    return found


def make_collection(folder: Path) -> Collection:
    """Make a collection with a topic."""
    root = folder / "building"
    for kind, name in (("on", "context-gold"), ("off", "text-gold")):
        (root / kind).mkdir(parents=True)
        for path in sorted((GOLD / name / "pages").glob("*.gz"))[:12]:
            page = gzip.decompress(path.read_bytes())
            (root / kind / path.name.removesuffix(".gz")).write_bytes(page)
    text = '[topic]\npositive = ["on"]\nneutral = ["off"]\n[crawl]\nallow_private = true\n'
    (root / "blickfang.toml").write_text(text, encoding="utf-8")
    collection = open_collection(root)
    learn(collection)
    return collection


def archive(folder: Path, name: str, pages: list[bytes]) -> Path:
    """Write pages into an archive; return its file."""
    writer = ArchiveWriter.open(folder, name, None, {})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    for number, body in enumerate(pages):
        url = f"http://{name}.test/{number}.html"
        headers = {"content-type": "text/html"}
        request = f"GET {url} HTTP/1.1\r\n\r\n".encode()
        writer.write(Exchange(url, request, head, 200, headers, body, "", DATE, 0.0, 0.0), None)
    writer.close()
    return sorted(folder.glob(f"{name}-*.warc.gz"))[0]


def report_pages(collection: Collection, pages: list[bytes]) -> Row:
    """Measure pages from their archive to sightings on disk."""
    path = archive(collection.root, "one", pages)
    read_parts(collection, [path])
    best = 1e9
    for _ in range(ROUNDS):
        shutil.rmtree(collection.root / "build")
        start = time.process_time()
        read_parts(collection, [path])
        best = min(best, time.process_time() - start)
    rate = len(pages) / best
    size = sum(map(len, pages)) // len(pages) // 1000
    what = f"build: pages of {size} kB from WARC to sightings, a second of one core"
    return Row(what, f"{rate:.0f}", "", "", f"≥ {PAGES_GOAL}", rate >= PAGES_GOAL)


def report_images() -> Row:
    """Measure images from bytes to what is known of them."""
    images = load_images()
    for data in images[:50]:
        read_picture("", data)
    best = 1e9
    for _ in range(ROUNDS):
        start = time.process_time()
        for data in images:
            read_picture("", data)
        best = min(best, time.process_time() - start)
    rate = len(images) / best
    what = f"build: {len(images)} images decoded and hashed, a second of one core"
    return Row(what, f"{rate:.0f}", "", "", f"≥ {IMAGES_GOAL}", rate >= IMAGES_GOAL)


def report_cores(collection: Collection, pages: list[bytes]) -> Row:
    """Measure how much sooner two processes are done than one, by the clock."""
    paths = [archive(collection.root, f"many{n}", pages) for n in range(ARCHIVES)]
    seconds: dict[int, float] = {}
    for workers in (1, 2, 1, 2):
        shutil.rmtree(collection.root / "build", ignore_errors=True)
        start = time.monotonic()
        read_parts(collection, paths, workers=workers)
        taken = time.monotonic() - start
        seconds[workers] = min(taken, seconds.get(workers, taken))
    ratio = seconds[1] / seconds[2]
    return Row(
        f"build: {ARCHIVES} archives by two processes, by the clock",
        f"{seconds[2]:.1f} s",
        f"one {seconds[1]:.1f} s",
        f"{ratio:.2f}×",
        f"≥ {CORES_GOAL}×",
        ratio >= CORES_GOAL,
    )


def report_join(folder: Path) -> Row:
    """Measure the most memory of a process that joins sightings."""
    place = folder / "join"
    write_runs(place, SIGHTINGS)
    command = [sys.executable, "-m", "benchmarks.building", str(place), str(SIGHTINGS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    megabytes, seconds, busy = map(float, done.stdout.split())
    shutil.rmtree(place)
    return Row(
        f"build: {SIGHTINGS:,} sightings joined with their pictures, most memory",
        f"{megabytes:.0f} MB ({seconds:.0f} s, {busy:.0f} of a core)",
        "",
        "",
        f"≤ {MEMORY_GOAL} MB",
        megabytes <= MEMORY_GOAL,
    )


def write_runs(folder: Path, sightings: int) -> None:
    """Write made-up sightings, of addresses and pages that many runs share."""
    folder.mkdir()
    alike = make_alike(PER_RUN)
    for first in range(0, sightings, PER_RUN):
        numbers = np.arange(first, min(sightings, first + PER_RUN)) * 7919
        names = list(map(name_picture, (numbers % (sightings // PER_ADDRESS)).tolist()))
        pages = [f"http://host-{n % 1000}.test/page-{n % 300_000}.html" for n in numbers.tolist()]
        table = alike.slice(0, len(names))
        table = table.set_column(0, "url", pa.array(names)).set_column(
            1, "page_url", pa.array(pages)
        )
        write_run(table, folder / f"sightings-{first // PER_RUN:05d}.parquet")


def name_picture(number: int) -> str:
    """Return the address of one of many pictures."""
    return f"http://host-{number % 1000}.test/images/a-picture-{number}.jpg"


def make_alike(count: int) -> pa.Table:
    """Return sightings that are all the same."""
    text = "A few words about the picture that stand beside it on its page, as long as usual. "
    columns = {}
    for field in SCHEMA:
        if field.name == "page_key":
            columns[field.name] = pa.array(np.zeros(count, np.uint64))
        elif pa.types.is_fixed_size_list(field.type):
            kind = field.type.value_type
            value = text if pa.types.is_string(kind) else 100
            flat = pa.array([value] * (count * len(TEXTS)), kind)
            columns[field.name] = pa.FixedSizeListArray.from_arrays(flat, len(TEXTS))
        elif pa.types.is_list(field.type):
            columns[field.name] = pa.array([[]] * count, field.type)
        elif pa.types.is_string(field.type):
            columns[field.name] = pa.array([text] * count)
        else:
            columns[field.name] = pa.array([1] * count, field.type)
    return pa.table(columns, schema=SCHEMA)


def join(folder: Path, sightings: int) -> None:
    """Join sightings with pictures; print most memory, seconds, and those of the processor."""
    start = time.monotonic()
    shot = PictureCapture(
        0, 0, "", DATE, "", 0, 0, "jpeg", 640, 480, 1, "", 0, 1, 1, "", "", "", "", ""
    )
    shots = {
        (url := name_picture(n)): shot._replace(url=url, sha256=f"{n:064x}")
        for n in range(0, sightings // PER_ADDRESS, FETCHED)
    }
    page = PageCapture("", 0, DATE, False, [], "", "", "")
    pages = PageCaptures({0: page}, {}, {}, {}, frozenset())
    limits = SampleLimits(min_width=512, min_height=384)
    found = survey(
        MentionRuns(sorted(folder.iterdir())),
        Pictures(shots, {}),
        pages,
        HostConsents("research", {}),
        DropRules(partial(find_misfit, limits=limits), "", frozenset(), lambda *_: False),
        Scoring(),
        lambda _: None,
        lambda _: {},
    )
    assert len(found.mentions.place) == sightings // FETCHED
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(peak_mb(), time.monotonic() - start, used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    join(Path(sys.argv[1]), int(sys.argv[2]))
