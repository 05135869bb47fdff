"""The join of fingerprints at the sizes of real corpora, with planted pairs that must all be found.

In: nothing; the fingerprints are drawn and written to files, which the join maps into memory. Out:
fingerprints a second and core, the most memory, whether every planted pair was found.

    python -m benchmarks.joining                one set of 200 M, k 3
    python -m benchmarks.joining --clueweb      504 M × 733 M: ClueWeb09 against ClueWeb12, English
        [--scale 0.01] [--memory 14] [--folder DIR]    smaller; GiB; where the files are put

Of the second set 1 % are copies of a thousand others, as pages that say only "not found" are.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Row
from blickfang.dedupe import join_fingerprints
from blickfang.text.words import Hashes

K, BLOCKS = 3, 5
ONE_SET = 200_000_000
CLUEWEB = (504_000_000, 733_000_000)
PLANTED = 100_000
POPULAR, COPIED = 1000, 0.01
CHUNK = 1 << 24
MEMORY, CLUEWEB_MEMORY = 3, 14  # GiB: the budget of the join
GOAL_RATE, GOAL_GIB = 2e6, 5.0
GOAL_MINUTES, CLUEWEB_GIB, CLUEWEB_DISK = 30, 20, 12e9
SPARE_DISK = 1e9
SAMPLE_S = 0.1

Places = NDArray[np.int64]


class Figures(NamedTuple):
    """What a join took and found."""

    fingerprints: int
    seconds: float
    cpu: float
    gib: float  # the most memory, but for files that are mapped
    pairs: int
    planted: int  # found of those planted
    compared: int


def write_set(path: Path, count: int, seed: int, copied: float = 0.0) -> Hashes:
    """Write a file of random fingerprints and return it, mapped."""
    random = np.random.default_rng(seed)
    popular = random.integers(0, 2**64, POPULAR, np.uint64)
    with path.open("wb") as file:
        for begin in range(0, count, CHUNK):
            chunk = random.integers(0, 2**64, min(CHUNK, count - begin), np.uint64)
            some = random.integers(0, len(chunk), int(len(chunk) * copied))
            chunk[some] = popular[random.integers(0, POPULAR, len(some))]
            chunk.tofile(file)
    return np.memmap(path, np.uint64, "r+")


def plant(sets: Sequence[Hashes], count: int) -> Places:
    """Make some of the last set near-duplicates of some of the first; return their places."""
    random = np.random.default_rng(7)
    size = min(map(len, sets)) // 2
    left = np.sort(random.choice(size, count, replace=False))
    right = len(sets[-1]) - 1 - left
    changed = np.array(sets[0][left])
    for bit in range(K):  # 0 to K bits, the same one perhaps twice
        flipped = np.uint64(1) << random.integers(0, 64, count).astype(np.uint64)
        changed ^= np.where(random.random(count) < (bit + 1) / K, flipped, np.uint64(0))
    sets[-1][right] = changed
    return np.stack([left, right], axis=1)


def count_found(planted: Places, pairs: Places) -> int:
    """Return how many of the planted pairs are among those found."""
    mine, found = ((rows[:, 0] << 32) | rows[:, 1] for rows in (planted, pairs))
    return int(np.isin(mine, found).sum())


class Watch(threading.Thread):
    """Notes the most memory of this process that is no mapped file."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.ended = threading.Event()

    def run(self) -> None:
        """Look again and again."""
        while not self.ended.wait(SAMPLE_S):
            lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
            found = next(line.split()[1] for line in lines if line.startswith("RssAnon"))
            self.most = max(self.most, int(found))


def measure(folder: Path, sizes: Sequence[int], memory: float, planted: int) -> Figures:
    """Draw fingerprints, join them, and hold what is found against what was planted."""
    begun = time.monotonic()
    shares = (0.0, COPIED) if len(sizes) > 1 else (0.0,)
    parts = zip(sizes, shares, strict=True)
    sets = [write_set(folder / f"{n}.u64", *part[:1], n, part[1]) for n, part in enumerate(parts)]
    truth = plant(sets, planted)
    say(f"{sum(sizes):,} fingerprints written in {time.monotonic() - begun:.0f} s")
    join_fingerprints(np.arange(1000, dtype=np.uint64), np.arange(9, dtype=np.uint64))
    watch = Watch()
    watch.start()
    start, cpu = time.monotonic(), time.process_time()

    def tell(done: int, of: int) -> None:
        say(f"{done / of:5.1%} after {time.monotonic() - start:.0f} s")

    found = join_fingerprints(
        sets[0],
        sets[1] if len(sets) > 1 else None,
        K,
        blocks=BLOCKS,
        memory=int(memory * 2**30),
        parts=folder / "parts",
        progress=tell,
    )
    spent = time.monotonic() - start, time.process_time() - cpu
    watch.ended.set()
    hits = count_found(truth, found.pairs)
    return Figures(sum(sizes), *spent, watch.most / 2**20, len(found.pairs), hits, found.compared)


def say(line: str) -> None:
    """Tell people how it stands."""
    sys.stderr.write(f"  {line}\n")


def report(what: str, figures: Figures, planted: int, goal: str, met: bool) -> Row:
    """Return the figures of a join as a line."""
    rate = figures.fingerprints / figures.cpu
    whole = figures.planted == planted
    said = (
        f"{rate / 1e6:.1f} M/s/core, {figures.seconds / 60:.1f} min, {figures.gib:.1f} GiB, "
        f"{figures.planted:,} of {planted:,} planted, {figures.pairs:,} pairs, "
        f"{figures.compared:,} compared"
    )
    return Row(what, said, "", "", goal, whole and met)


def measure_alone(arguments: Sequence[str]) -> Figures:
    """Measure in a process of its own: its memory is that of the join."""
    command = [sys.executable, "-m", "benchmarks.joining", "--figures", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Figures(*json.loads(done.stdout))


def run(folder: Path, scale: float = 1.0) -> list[Row]:
    """Join one set with itself."""
    size, planted = int(ONE_SET * scale), int(PLANTED * min(1.0, scale * 10))
    free = available()
    if free < 2 * GOAL_GIB * scale:
        return [Row(f"join of {size:,}: skipped, {free:.0f} GiB free", "", "", "", "", None)]
    figures = measure_alone(["--scale", str(scale), "--folder", str(folder)])
    rate = figures.fingerprints / figures.cpu
    goal = f"≥ {GOAL_RATE / 1e6:.0f} M/s/core, ≤ {GOAL_GIB:.0f} GiB, all planted"
    met = rate >= GOAL_RATE and figures.gib <= GOAL_GIB
    return [report(f"dedupe, join of {size:,} at k {K}", figures, planted, goal, met)]


def available() -> float:
    """Return how much memory is free, in GiB."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("MemAvail"))) / 2**20


def run_clueweb(folder: Path, scale: float, memory: float) -> Row:
    """Join two sets of the size of ClueWeb09 and ClueWeb12; say first what that takes."""
    sizes = [int(size * scale) for size in CLUEWEB]
    disk, planted = sum(sizes) * 8, int(PLANTED * min(1.0, scale * 10))
    free, cores = shutil.disk_usage(folder).free, os.cpu_count() or 1
    say(
        f"{sizes[0]:,} × {sizes[1]:,} fingerprints at k {K}: {disk / 1e9:.1f} GB of disk in "
        f"{folder} ({free / 1e9:.0f} GB free), {memory:.3g} GiB of memory ({available():.0f} GiB "
        f"free), {cores} cores; expected: {sum(sizes) / GOAL_RATE / cores / 60:.0f} minutes, "
        f"at most {GOAL_MINUTES}"
    )
    if free < disk + SPARE_DISK or available() < memory:
        sys.exit("there is too little of it; name another --folder, or less --memory or --scale")
    begun = time.monotonic()
    figures = measure(folder, sizes, memory, planted)
    minutes = (time.monotonic() - begun) / 60
    within = disk <= CLUEWEB_DISK and figures.gib <= CLUEWEB_GIB and minutes <= GOAL_MINUTES
    goal = f"≤ {GOAL_MINUTES} min, ≤ {CLUEWEB_GIB} GiB, ≤ {CLUEWEB_DISK / 1e9:.0f} GB of disk"
    what = f"dedupe, join of {sizes[0]:,} × {sizes[1]:,}, {minutes:.1f} min with making the files"
    return report(what, figures, planted, goal, within)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clueweb", action="store_true")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--memory", type=float)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--figures", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        if asked.figures:
            size, planted = int(ONE_SET * asked.scale), int(PLANTED * min(1.0, asked.scale * 10))
            figures: Any = measure(folder, [size], MEMORY * max(asked.scale, 0.05), planted)
            sys.stdout.write(json.dumps(figures))
            return
        if asked.clueweb:
            memory = asked.memory or CLUEWEB_MEMORY * max(asked.scale, 0.05)
            rows = [run_clueweb(folder, asked.scale, memory)]
        else:
            rows = run(folder, asked.scale)
    for row in rows:
        sys.stdout.write(" | ".join(map(str, row)) + "\n")
    sys.exit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
