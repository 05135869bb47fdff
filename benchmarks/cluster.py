"""What a cluster engine costs: the same archives read by Ray and by our own processes, two each.

In: real pages of ../shared, archived by our own writer into 24 files of as many pages as give a
minute of work. Out: the throughput of Ray beside that of the local engine, on the same cores; both
with workers that have to start, Ray itself already running.

    python -m benchmarks.cluster [SECONDS]    (less work for a first look)
"""

import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.building import GOLD, archive, load_pages, make_collection
from benchmarks.timing import Row
from blickfang.compute import EngineOptions, connect
from blickfang.config import Collection
from blickfang.corpus.archives.archive_parts import read_parts

ARCHIVES, WORKERS, ROUNDS = 24, 2, 2
SECONDS, GOAL = 60.0, 0.85
LOCAL, RAY = EngineOptions(), EngineOptions("ray")


def run(folder: Path, seconds: float = SECONDS) -> list[Row]:
    """Measure both engines, in turn."""
    if not GOLD.is_dir() or find_spec("ray") is None:
        return [Row("cluster: skipped, needs ../shared and Ray", "", "", "", "", None)]
    collection = make_collection(folder)
    pages = list(load_pages())
    paths = fill(collection, pages, seconds)
    start = time.monotonic()
    ray = connect()
    started = time.monotonic() - start
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for engine in (LOCAL, RAY):
            taken = clock(collection, paths, engine)
            best[engine.name] = min(taken, best.get(engine.name, taken))
    ray.shutdown()
    ratio = best["local"] / best["ray"]
    what = f"build: {ARCHIVES} archives by Ray, {WORKERS} workers (started in {started:.0f} s)"
    shown = (f"{best['ray']:.1f} s", f"local {best['local']:.1f} s", f"{ratio:.2f}×")
    return [Row(what, *shown, f"≥ {GOAL}×", ratio >= GOAL)]


def fill(collection: Collection, pages: list[bytes], seconds: float) -> list[Path]:
    """Write archives that take so many seconds to be read by all workers."""
    probe = archive(collection.root, "probe", pages)
    read_parts(collection, [probe])  # kernels are loaded
    (probe.parent / "again").mkdir()
    start = time.process_time()
    read_parts(collection, [probe.rename(probe.parent / "again" / probe.name)])
    cost = (time.process_time() - start) / len(pages)
    count = max(1, int(seconds * WORKERS / cost / ARCHIVES))
    print(f"{ARCHIVES} archives of {count} pages, {1 / cost:.0f} pages/s a core", file=sys.stderr)
    chosen = [pages[number % len(pages)] for number in range(count)]
    return [archive(collection.root, f"cluster{number}", chosen) for number in range(ARCHIVES)]


def clock(collection: Collection, paths: list[Path], engine: EngineOptions) -> float:
    """Return the seconds until all archives are read."""
    for path in paths:  # another moment of the file: everything is read anew
        path.touch()
    start = time.monotonic()
    parts, failures = read_parts(collection, paths, workers=WORKERS, where=engine)
    assert len(parts) == len(paths)
    assert not failures
    return time.monotonic() - start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for row in run(Path(place), float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
            print(*row)
