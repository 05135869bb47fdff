"""Crawling against Scrapy: the same web, the same pages, the same run, one core each.

In: the web of webserver.py, as a proxy; six pages to learn a topic from. Out: pages a second of
processor time and of the clock, counted by the server between two moments behind all warming up;
the time of a crawl is that of all its processes. Shown are medians; ratios are medians of those
within a round, for the machine is quicker in one round than in another. Ours is `blickfang crawl`
as users run it, robots and all; images are judged and queued, but only the first few fetched. The
peers are in peers/.

    python -m benchmarks.crawling fill COLLECTION FOLDER ADDRESSES    (a part of the above)
"""

import mmap
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.timing import Row, peak_mb
from benchmarks.webserver import NAMES, has_pages, load_pages
from blickfang.config import open_collection
from blickfang.crawl.crawl_options import MODES
from blickfang.crawl.focus import make_strategy
from blickfang.crawl.focus.judged_values import NEW_HOST
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.frontier.candidates import Candidate
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.page_judge import know, make_judge
from blickfang.crawl.state.state_db import StateDb
from blickfang.text import load_topic
from blickfang.text.lm import write_arpa
from blickfang.types import Response

ROUNDS = 5
WARM, PAGES = 400, 1000  # served: counting begins, and ends
FEW_WARM, FEW_PAGES = 100, 250  # of the slow peer
LEARNED = 6  # pages
PATIENCE_S = 300.0
CORES = sorted(os.sched_getaffinity(0))  # the server has the first, crawlers the last
TICKS = os.sysconf("SC_CLK_TCK")
QUEUED, HOSTS = 1_000_000, 10_000  # addresses whose memory is measured
BATCH, COMMIT = 100, 5000  # of them: a page, and half a second
TUNED_GOAL, ORDINARY_GOAL, SHARDS_GOAL, KEYWORDS_GOAL, MEMORY_GOAL = 1.4, 8.0, 0.85, 0.80, 500

UNFOCUSED, _, KEYWORDS, OURS = MODES
TUNED, BORROWED = "tuned, its own queue", "tuned, and with our queue on disk"
ORDINARY, TWO = "ordinary", "two shards"


class Rate(NamedTuple):
    """Pages a second, of processor time and of the clock."""

    cpu: float
    clock: float


class Web(NamedTuple):
    """The web that is crawled."""

    proxy: str
    counter: mmap.mmap

    def served(self) -> int:
        """Return how many pages it has served."""
        return int.from_bytes(self.counter[:8], "little")


class Contender(NamedTuple):
    """A crawler: how it is started, on which cores, when it is measured, what it leaves behind."""

    command: list[str]
    cores: str
    warm: int
    pages: int
    rubbish: Path


def run(folder: Path) -> list[Row]:
    """Race all crawlers, some rounds of each in turn."""
    if not has_pages():
        return [Row("crawling: skipped, ../shared has no pages", "", "", "", "", None)]
    with serving(folder) as web:
        contenders = list_contenders(folder, web.proxy)
        found: dict[str, list[Rate]] = {name: [] for name in contenders}
        for _ in range(ROUNDS):
            for name, contender in contenders.items():
                found[name].append(measure(contender, web))
    memory = [measure_memory(folder / OURS, folder / "queue", number) for number in (QUEUED, 0)]
    return [*compare(found), *report_memory(*memory)]


def compare(found: dict[str, list[Rate]]) -> list[Row]:
    """Return the table of a race."""
    rows = []
    for mode in MODES:
        what = f"crawl, {mode}, pages/s of processor time (of the clock)"
        goal = KEYWORDS_GOAL if mode == KEYWORDS else None
        rows.append(report(found, what, mode, UNFOCUSED, goal))
    for peer, least in ((TUNED, TUNED_GOAL), (BORROWED, None), (ORDINARY, ORDINARY_GOAL)):
        rows.append(report(found, f"crawl, {OURS}, against Scrapy, {peer}", OURS, peer, least))
    what = "crawl, two shards against one, pages a second of processor time"
    rows.append(report(found, what, TWO, OURS, SHARDS_GOAL))
    spread = max(max(rates).cpu / min(rates).cpu for rates in found.values())
    rows.append(Row("  noise: best round against worst", f"{spread:.2f}×", "", "", "", None))
    return rows


def report(
    found: dict[str, list[Rate]], what: str, ours: str, theirs: str, goal: float | None = None
) -> Row:
    """Return a line of the race between two."""
    rounds = zip(found[ours], found[theirs], strict=True)
    ratio = median(one.cpu / other.cpu for one, other in rounds)
    return Row(
        what,
        show(found[ours]),
        f"{theirs.partition(',')[0]} {show(found[theirs])}",
        f"{ratio:.2f}×",
        f"≥ {goal:g}×" if goal else "",
        ratio >= goal if goal else None,
    )


def show(rates: list[Rate]) -> str:
    """Return the median of some rates as text."""
    cpu, clock = (median(column) for column in zip(*rates, strict=True))
    return f"{cpu:.0f}/s ({clock:.0f})"


def report_memory(queued: int, resumed: int) -> list[Row]:
    """Return the lines on memory."""
    return [
        Row(
            f"memory of a shard {what}, {QUEUED:,} addresses of {HOSTS:,} hosts",
            f"{megabytes} MB",
            "",
            "",
            f"≤ {MEMORY_GOAL} MB",
            megabytes <= MEMORY_GOAL,
        )
        for what, megabytes in (("that has queued", queued), ("that goes on with", resumed))
    ]


@contextmanager
def serving(folder: Path) -> Iterator[Web]:
    """Serve the web on a core of its own, where this process stays, too."""
    path = folder / "served"
    path.write_bytes(bytes(8))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.sched_setaffinity(0, CORES[:1])
    command = [sys.executable, "-m", "benchmarks.webserver", str(port), str(path)]
    server = subprocess.Popen(command)
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.1)
        with path.open("r+b") as file:
            yield Web(f"http://127.0.0.1:{port}", mmap.mmap(file.fileno(), 8))
    finally:
        os.sched_setaffinity(0, CORES)
        server.terminate()
        server.wait()


def list_contenders(folder: Path, proxy: str) -> dict[str, Contender]:
    """Return all crawlers, ready to start."""
    make_collections(folder, proxy)
    last, every = str(CORES[-1]), ",".join(map(str, CORES))
    python, ours = [sys.executable, "-m"], str(folder / OURS)
    found = {
        mode: Contender(
            [*python, "blickfang", "crawl", str(folder / mode), "--shards", "1"],
            last,
            WARM,
            PAGES,
            folder / mode / "crawl",
        )
        for mode in MODES
    }
    found[TWO] = Contender(
        [*python, "blickfang", "crawl", ours, "--shards", "2"],
        every,
        WARM,
        PAGES,
        folder / OURS / "crawl",
    )
    peer, rest = folder / "peer", folder / "peer"
    for name, queue in ((TUNED, "scrapy"), (BORROWED, "ours")):
        command = [*python, "benchmarks.peers.tuned", ours, str(peer), proxy, queue]
        found[name] = Contender(command, last, WARM, PAGES, rest)
    arguments = [str(folder / "topic.arpa"), str(folder / "seeds"), str(peer), proxy]
    command = [*python, "benchmarks.peers.ordinary", *arguments]
    found[ORDINARY] = Contender(command, last, FEW_WARM, FEW_PAGES, rest)
    return found


def make_collections(folder: Path, proxy: str) -> None:
    """Make a collection for each mode, with a topic learned; the model for kenlm; the seeds."""
    pages, seeds = load_pages(), [f"http://{name}/" for name in NAMES]
    (folder / "seeds").write_text("\n".join(seeds), encoding="utf-8")
    for number in range(2 * LEARNED):
        place = folder / ("on" if number % 2 else "off") / f"{number}.html"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(pages[number * len(pages) // (2 * LEARNED)])
    for mode in MODES:
        (folder / mode).mkdir()
        lines = [
            "[topic]",
            'positive = ["../on"]',
            'neutral = ["../off"]',
            "[crawl]",
            f"seeds = {seeds}",
            f'mode = "{mode}"',
            f'proxy = "{proxy}"',
            "allow_private = true",
            "delay_s = 0.0",
            "patience_s = 0.0",  # all hosts all the time: the same mix of pages for everybody
            "max_pages = 0",
            "max_images = 1",
            "max_pages_per_host = 0",
            'render = "never"',
            "[score]",
            "razor = 1e12",  # six pages are little text: all would lie beyond
        ]
        (folder / mode / "blickfang.toml").write_text("\n".join(lines), encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # six pages are little text
            learn(open_collection(folder / mode))
    write_arpa(load_topic(folder / OURS / "topic").model, folder / "topic.arpa")


def measure(contender: Contender, web: Web) -> Rate:
    """Start a crawler, count while it is at work, and end it."""
    remove(contender.rubbish)
    start, begun = web.served(), None
    end = time.monotonic() + PATIENCE_S
    command = ["taskset", "-c", contender.cores, *contender.command]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as crawler:
        try:
            while time.monotonic() < end and crawler.poll() is None:
                time.sleep(0.005)
                pages = web.served() - start
                if begun is None and pages >= contender.warm:
                    begun = pages, count_seconds(crawler.pid), time.monotonic()
                if begun is not None and pages >= contender.pages:
                    spent = count_seconds(crawler.pid) - begun[1]
                    pages -= begun[0]
                    return Rate(pages / spent, pages / (time.monotonic() - begun[2]))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(crawler.pid, signal.SIGKILL)  # its own group: nobody else is in it
    raise RuntimeError(f"{' '.join(contender.command)} served {web.served() - start} pages only")


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def count_seconds(root: int) -> float:
    """Return the processor time that a process and all below it have taken so far."""
    children: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        spent[int(entry.name)] = int(fields[11]) + int(fields[12])
    found, below = 0, [root]
    while below:
        process = below.pop()
        found += spent.get(process, 0)
        below += children.get(process, [])
    return found / TICKS


def measure_memory(collection: Path, folder: Path, addresses: int) -> int:
    """Return the most memory, in MB, that a shard takes to queue so many more addresses."""
    command = [sys.executable, "-m", "benchmarks.crawling", "fill", str(collection), str(folder)]
    done = subprocess.run([*command, str(addresses)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def fill(collection: Path, folder: Path, addresses: int) -> int:
    """Queue addresses as a shard that has read a page does; return its most memory, in MB."""
    opened = open_collection(collection)
    knowledge, settings = know(opened), opened.settings
    strategy = make_strategy(settings.crawl.mode, knowledge, settings.score, settings.focus)
    judge = make_judge(strategy, (0, 0, 9999, 9999), knowledge)
    judge(Response(f"http://{NAMES[0]}/", 200, {}, load_pages()[0]), NAMES[0], NEW_HOST)
    store = StateDb(folder / "state.sqlite")
    frontier = Frontier(store, strategy)
    for begin in range(0, addresses, BATCH):
        frontier.add(make_candidate(number) for number in range(begin, begin + BATCH))
        if begin % COMMIT == 0:
            store.commit()
    store.commit()
    return peak_mb()


def make_candidate(number: int) -> Candidate:
    """Return one of many addresses, as long as those of real pages."""
    host = f"www.a-host-with-number-{number * 7919 % HOSTS}.test"
    url = f"http://{host}/a/folder/and-another-one/page-{number:x}-about-something.html"
    via = f"http://{host}/a/folder/"
    why = "parent 0.123, anchor 0.456, address 0.789"
    return Candidate(url, host, bucket=1 + number % 3, score=number % 97 / 97, via=via, why=why)


def main() -> None:
    """Fill a queue and print how much memory that took."""
    _, collection, folder, addresses = sys.argv[1:]
    print(fill(Path(collection), Path(folder), int(addresses)))


if __name__ == "__main__":
    main()
