"""What a crawl takes while it runs, seen from outside: /proc, its stores, its folder.

In: the process of `blickfang crawl`, its folder, and the folder where probes write. Out: `Sample`s,
one a look. Memory is resident (RSS, what several processes share counted in each), proportional
(PSS) and of each process alone (USS); threads, descriptors, tasks and objects are of all together.
"""

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
MEMORY = {"Rss": "rss", "Pss": "pss", "Private_Clean": "uss", "Private_Dirty": "uss"}
COUNT = (
    "SELECT max(number), total(kind = 0 AND status = 200 AND facts != ''), total(kind = 1) "
    "FROM visits WHERE number > ?"
)


class Sample(NamedTuple):
    """One look; sizes in MB, times in seconds."""

    at: float  # since the start
    rss: float
    pss: float
    uss: float
    largest: float  # RSS of the largest process
    fds: int
    threads: int
    tasks: int  # of all event loops; the last that probes saw
    objects: int  # that garbage collectors look after; the same
    cpu: float  # of the crawl, so far
    server_cpu: float
    written: float  # to the disk, so far
    disk: float  # that its folder takes
    wal: float  # the logs of its databases
    pages: int
    images: int
    answers: int  # that were archived or logged: pages, images, redirects, errors
    waited: float = 0.0  # for a core, ready to run: what others on the machine took from the crawl


def find_below(root: int) -> list[int]:
    """Return a process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has just ended
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children.setdefault(int(parent), []).append(int(entry.name))
    found, below = [], [root]
    while below:
        found.append(below.pop())
        below += children.get(found[-1], [])
    return found


def count_cpu(pid: int) -> float:
    """Return the processor time that a process has taken so far, 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def count_waiting(pid: int) -> float:
    """Return how long the threads of a process were ready to run, and did not."""
    found = 0.0
    with suppress(OSError):  # it has just ended
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            found += int(path.read_text().split()[1]) / 1e9
    return found


def read_memory(pid: int) -> dict[str, float]:
    """Return the memory of a process in MB: rss, pss and uss."""
    found = {"rss": 0.0, "pss": 0.0, "uss": 0.0}
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in MEMORY:
                found[MEMORY[name]] += int(value.split()[0]) / 1024
    return found


def count_open(pid: int) -> tuple[int, int]:
    """Return the open descriptors and the threads of a process."""
    try:
        fds, threads = (list(Path(f"/proc/{pid}/{name}").iterdir()) for name in ("fd", "task"))
    except OSError:
        return 0, 0
    return len(fds), len(threads)


def count_written(pid: int) -> float:
    """Return how many MB a process has had written to the disk."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes")) / 1e6


def read_probes(folder: Path, pids: list[int]) -> tuple[int, int]:
    """Return the tasks and objects that probes saw last."""
    tasks = objects = 0
    for pid in pids:
        with suppress(OSError, ValueError):
            seen = [int(word) for word in (folder / str(pid)).read_text().split()]
            tasks, objects = tasks + seen[0], objects + seen[1]
    return tasks, objects


def measure_folder(folder: Path) -> tuple[float, float]:
    """Return the MB of a folder, and of the logs of databases in it."""
    sizes = {}
    for path in folder.rglob("*"):
        with suppress(OSError):
            sizes[path] = path.stat().st_size / 1e6
    return sum(sizes.values()), sum(s for path, s in sizes.items() if path.suffix == ".sqlite-wal")


class Progress:
    """Counts what the stores of a crawl say was done; each row is read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last: dict[Path, int] = {}
        self.pages = self.images = 0

    def look(self) -> tuple[int, int, int]:
        """Return the pages, images and answers so far."""
        for path in sorted(self.folder.glob("shard-*/state.sqlite")):
            with (
                suppress(sqlite3.OperationalError),  # it has only just begun
                closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db,
            ):
                last, pages, images = db.execute(COUNT, (self.last.get(path, 0),)).fetchone()
                self.last[path] = last or self.last.get(path, 0)
                self.pages, self.images = self.pages + int(pages), self.images + int(images)
        return self.pages, self.images, sum(self.last.values())


class Sampler:
    """Looks at one crawl again and again."""

    def __init__(self, crawl: int, server: int, folder: Path, probes: Path) -> None:
        self.crawl, self.server, self.folder, self.probes = crawl, server, folder, probes
        self.progress = Progress(folder)
        self.begun = time.monotonic()
        self.spent: dict[int, float] = {}  # of each process: those that end keep what they took
        self.written: dict[int, float] = {}
        self.waited: dict[int, float] = {}

    def look(self) -> Sample:
        """Take one sample."""
        pids = find_below(self.crawl)
        for pid in pids:
            self.spent[pid] = max(self.spent.get(pid, 0.0), count_cpu(pid))
            self.written[pid] = max(self.written.get(pid, 0.0), count_written(pid))
            self.waited[pid] = max(self.waited.get(pid, 0.0), count_waiting(pid))
        memory = [read_memory(pid) for pid in pids]
        opened = [count_open(pid) for pid in pids]
        tasks, objects = read_probes(self.probes, pids)
        disk, wal = measure_folder(self.folder)
        pages, images, answers = self.progress.look()
        return Sample(
            at=time.monotonic() - self.begun,
            rss=sum(one["rss"] for one in memory),
            pss=sum(one["pss"] for one in memory),
            uss=sum(one["uss"] for one in memory),
            largest=max(one["rss"] for one in memory),
            fds=sum(fds for fds, _ in opened),
            threads=sum(threads for _, threads in opened),
            tasks=tasks,
            objects=objects,
            cpu=sum(self.spent.values()),
            server_cpu=count_cpu(self.server),
            waited=sum(self.waited.values()),
            written=sum(self.written.values()),
            disk=disk,
            wal=wal,
            pages=pages,
            images=images,
            answers=answers,
        )
