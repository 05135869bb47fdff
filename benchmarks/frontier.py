"""The frontier with ten million addresses: how fast, how large, how soon again after a kill.

In: addresses of 2,500 hosts, put into the real frontier as a shard does, a page's links at a time,
with the best one taken after each; half-way the process is killed. Out: inserts and takes a second
at 1 M and at 10 M, the most memory, the size on disk, the time to go on after the kill; and whether
every address is there once. Takes some minutes a million: not part of a plain `make bench`; with
--direct the first N addresses are written into the tables without the frontier, which is quicker.

    python -m benchmarks frontier
    python -m benchmarks.frontier [--addresses 10000000] [--folder F] [--direct N]
    python -m benchmarks.frontier fill FOLDER ADDRESSES    (a part of the above)
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.timing import Row, peak_mb
from blickfang.crawl.focus import Strategy
from blickfang.crawl.frontier.candidates import DONE, IMAGE, PAGE, Candidate, Host
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.queues import key_of_pattern
from blickfang.crawl.frontier.traps import pattern_of
from blickfang.crawl.state.state_db import StateDb, key_of

ADDRESSES, EARLY = 10_000_000, 1_000_000
HOSTS = 2_500
LINKS, STAYING = 25, 18  # of a page; on its host
PAGES_A_COMMIT = 100
WINDOW = 250_000  # inserts between two lines
PAUSE = 2_000  # pages until a host may be asked again: most of them wait
MEMORY_GOAL, KEPT_GOAL, RESUME_GOAL = 500, 0.25, 60.0
DIRECT, DIRECT_CACHE = 250_000, 3_000_000  # addresses written at a time; kB
COUNT_PATTERN = "INSERT INTO patterns VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1"
STATE, PLACE = "state.sqlite", "benchmark"


class Line(NamedTuple):
    """How it went with the last so many addresses."""

    addresses: int  # so far
    inserts: float  # a second of processor time, takes not counted
    takes: float  # a second of processor time
    clock: float  # inserts a second of the clock, with their takes
    memory: int  # most so far, MB
    entries: int  # in all heaps
    disk: int  # MB
    log: int  # of the database, MB


def make_candidate(number: int) -> Candidate:
    """Return one of many addresses, as long as those of real pages, every fifth one an image.

    Most links of a page stay on its host.
    """
    page, link = divmod(number, LINKS)
    which = page if link < STAYING else number
    host = f"www.a-host-with-number-{which * 7919 % HOSTS}.test"
    kind = IMAGE if number % 5 == 0 else PAGE
    url = f"http://{host}/a/folder/and-another-one/page-{number:x}-about-something.html"
    score = number * 2654435761 % 1_000_003 / 1_000_003
    why = "parent 0.123, anchor 0.456, address 0.789"
    via = f"http://{host}/a/folder/"
    return Candidate(url, host, kind, 1 + number % 3, score, via=via, why=why)


def fill_directly(folder: Path, addresses: int) -> None:
    """Write what the frontier would have written for so many addresses, in a tenth of the time.

    Hosts come from the frontier itself; rows and patterns are written in the order of their keys,
    and the index of queues is made behind them. Nothing is taken.
    """
    store = StateDb(folder / STATE)
    queues, db = Frontier(store, Strategy()).queues, store.db
    index = db.execute("SELECT sql FROM sqlite_master WHERE name = 'queued'").fetchone()[0]
    db.execute("DROP INDEX queued")
    db.execute(f"PRAGMA cache_size = {-DIRECT_CACHE}")
    hosts: dict[str, Host] = {}
    for begin in range(0, addresses, DIRECT):
        rows, patterns = [], []
        for number in range(begin, min(begin + DIRECT, addresses)):
            one = make_candidate(number)
            host = hosts.get(one.host) or hosts.setdefault(one.host, queues.find_host(one.host))
            order = 0, one.bucket, one.score, number + 1
            row = key_of(one.url), one.url, host.id, one.kind, *order, 0, one.via, 0, "", 0, one.why
            rows.append(row)
            pattern = pattern_of(one.url) if one.kind == PAGE else None
            patterns += [(key_of_pattern(host.id, pattern[0]),)] if pattern else []
        db.executemany(f"INSERT INTO urls VALUES ({', '.join('?' * 14)})", sorted(rows))  # noqa: S608
        db.executemany(COUNT_PATTERN, sorted(patterns))
        print(f"… {begin + DIRECT:,} written", file=sys.stderr, flush=True)
    db.execute(index)
    store.arrivals = addresses
    store.keep_fact(PLACE, addresses // LINKS)
    store.commit()
    store.close()


class Filling:
    """A frontier that is being filled; what must last is in its store."""

    def __init__(self, folder: Path) -> None:
        begun = time.monotonic()
        self.store = StateDb(folder / STATE)
        self.frontier = Frontier(self.store, Strategy())
        self.frontier.queues.hosts_of_seeds()  # a shard asks for them when it starts
        self.resumed_s = time.monotonic() - begun
        self.folder = folder
        self.pages = int(self.store.fact(PLACE, 0))
        self.inserting = self.taking = 0.0  # seconds of processor time in this window
        self.since = time.monotonic()

    def fill(self, addresses: int) -> Iterator[Line]:
        """Put addresses in, take the best in between; give a line a window."""
        for page in range(self.pages, addresses // LINKS):
            start = time.process_time()
            self.frontier.add(map(make_candidate, range(page * LINKS, (page + 1) * LINKS)))
            middle = time.process_time()
            self._take(page)
            end = time.process_time()
            if (page + 1) % PAGES_A_COMMIT == 0:
                self.store.keep_fact(PLACE, page + 1)
                self.store.commit()
            self.taking += end - middle
            self.inserting += middle - start + time.process_time() - end
            if (page + 1) * LINKS % WINDOW == 0:
                yield self._tell((page + 1) * LINKS)

    def _take(self, page: int) -> None:
        """Take the best of all hosts that are ready, and let its host wait."""
        self.frontier.wake(float(page))
        choice = self.frontier.choose(probe=False)
        if choice is not None:
            self.frontier.settle(choice, DONE)
            self.frontier.release(choice.candidate.host, float(page + PAUSE))

    def _tell(self, addresses: int) -> Line:
        frontier, now = self.frontier, time.monotonic()
        heaps: list[list[Any]]
        heaps = [frontier.ready, frontier.probes, frontier.better, frontier.waiting.heap]
        sizes = [self.folder / name for name in (STATE, f"{STATE}-wal")]
        line = Line(
            addresses,
            WINDOW / self.inserting,
            WINDOW / LINKS / self.taking,
            WINDOW / (now - self.since),
            peak_mb(),
            sum(len(heap) for heap in heaps),
            *(path.stat().st_size // 1_000_000 for path in sizes),
        )
        self.inserting = self.taking = 0.0
        self.since = now
        return line


def fill(folder: Path, addresses: int) -> None:
    """Go on filling, a line of JSON first for the start, then one a window."""
    filling = Filling(folder)
    print(json.dumps([filling.resumed_s, filling.pages * LINKS, peak_mb()]), flush=True)
    for line in filling.fill(addresses):
        print(json.dumps(line), flush=True)
    filling.store.commit()
    filling.store.close()


def follow(folder: Path, addresses: int, until: int) -> tuple[list[float], list[Line]]:
    """Fill in a process of its own and kill it once so many are in; return what it said."""
    command = [sys.executable, "-m", "benchmarks.frontier", "fill", str(folder), str(addresses)]
    lines: list[Line] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = process.stdout
            if told is None:
                raise RuntimeError("no pipe")
            start = json.loads(told.readline())
            print(f"… goes on at {start[1]:,} after {start[0]:.1f} s", file=sys.stderr, flush=True)
            for text in told:
                lines.append(Line(*json.loads(text)))
                print(f"… {lines[-1]}", file=sys.stderr, flush=True)
                if lines[-1].addresses >= until:
                    break
        finally:
            if lines and lines[-1].addresses < addresses:
                process.send_signal(signal.SIGKILL)
    return start, lines


def count(folder: Path) -> tuple[int, int, int]:
    """Return the addresses in a store, those done, and those whose queue does not lead to them."""
    store = StateDb(folder / STATE)
    rows = dict(store.db.execute("SELECT state, count(*) FROM urls GROUP BY state").fetchall())
    queued = sum(Frontier(store, Strategy()).queued)
    store.close()
    return sum(rows.values()), rows.get(DONE, 0), abs(rows.get(0, 0) - queued)


def measure(folder: Path, addresses: int) -> list[Row]:
    """Fill, kill half-way, go on, count."""
    folder.mkdir(parents=True, exist_ok=True)
    _, before = follow(folder, addresses, addresses // 2)
    start, after = follow(folder, addresses, addresses)
    lines = [*before, *after]
    early = next(line for line in lines if line.addresses >= min(EARLY, addresses // 4))
    last = lines[-1]
    found, done, lost = count(folder)
    names = f"{early.addresses / 1e6:g} M", f"{last.addresses / 1e6:g} M"
    return [
        report_rate("inserts", early.inserts, last.inserts, names),
        report_rate("best-first takes", early.takes, last.takes, names),
        Row(
            f"frontier, most memory of a shard's process with {names[1]} addresses",
            f"{max(line.memory for line in lines)} MB",
            "",
            "",
            f"≤ {MEMORY_GOAL} MB",
            max(line.memory for line in lines) <= MEMORY_GOAL,
        ),
        Row(f"frontier, on disk with {names[1]}", f"{last.disk:,} MB", "", "", "", None),
        Row(
            f"frontier, killed at {before[-1].addresses / 1e6:g} M: until it goes on",
            f"{start[0]:.1f} s",
            "",
            "",
            f"≤ {RESUME_GOAL:g} s",
            start[0] <= RESUME_GOAL,
        ),
        Row(
            f"frontier, addresses there once, of which taken {done:,}",
            f"{found:,}",
            f"{addresses:,} put in",
            "",
            "all",
            found == addresses and not lost,
        ),
    ]


def report_rate(what: str, early: float, late: float, names: tuple[str, str]) -> Row:
    """Return the line of one speed."""
    return Row(
        f"frontier, {what} a second of processor time, at {names[1]} against {names[0]}",
        f"{late:,.0f}/s",
        f"{early:,.0f}/s",
        f"{late / early:.2f}×",
        f"≥ {KEPT_GOAL}×",
        late >= KEPT_GOAL * early,
    )


def run(folder: Path) -> list[Row]:
    """Measure ten million addresses."""
    return measure(folder / "frontier", ADDRESSES)


def main() -> None:
    """Measure as many as asked for, or be the process that is killed."""
    if sys.argv[1:2] == ["fill"]:
        fill(Path(sys.argv[2]), int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--addresses", type=int, default=ADDRESSES)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--direct", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        if arguments.direct and not (folder / STATE).exists():
            fill_directly(folder, arguments.direct)
        rows = measure(folder, arguments.addresses)
    for row in rows:
        said = {True: "met", False: "MISSED", None: ""}[row.met]
        print(f"{row.what}: {row.ours}  {row.peer}  {row.ratio}  {row.goal} {said}")
    sys.exit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
