"""A soak: `blickfang crawl` for an hour against thousands of hosts, watched from outside.

In: the web of soakweb.py as a proxy, a topic learned from its sentences; all settings of the crawl
are the usual ones but for limits. Demand is fixed, not as much as can be had: every host asks for a
pause, and all pauses together make RATE requests a second. Out: figures and verdicts, printed; with
--write also docs/soak.json and docs/soak.svg. Exit 1 if a bound is broken. `make soak` runs it.

    python -m benchmarks.soak [--minutes 60] [--hosts 2400] [--rate 60] [--folder F] [--write]
    python -m benchmarks.soak --done F [--write]
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from benchmarks.soakfigures import Checked, Verdict, judge, plot, summarise
from benchmarks.soaksamples import Sample, Sampler
from benchmarks.soakweb import COUNTER, COUNTS, SAID, SUBJECTS, Sentences, name_host
from blickfang.config import open_collection
from blickfang.crawl.focus.learn import learn
from blickfang.demo.web import build_web
from blickfang.io.warc import read_archive
from blickfang.types import Failure

DOCS = Path(__file__).parent.parent / "docs"
SAMPLES, TOLD = "samples.json", "crawl.json"
EVERY_S = 10.0
SHARDS = 2
SEEDED = 6  # every so many hosts
LEARNED = 6  # pages on the topic, and off it
SENTENCES = 60  # of each
READY_S = 120.0
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
LATE_MIN = 15.0  # what a crawl may take to end and to index its archive


def main() -> None:
    """Soak, and say how it went."""
    arguments = read_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # what was started ends with it
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.done or arguments.folder or Path(scratch)
        if not arguments.done:
            folder.mkdir(parents=True, exist_ok=True)
            soak(folder, arguments)
        samples, code = recall(folder)
        checked = check(folder, code)
    verdicts, figures = judge(samples, checked), summarise(samples)
    show(figures, verdicts)
    if arguments.write:
        write(samples, figures, verdicts, arguments)
    sys.exit(any(verdict.met is False for verdict in verdicts))


def read_arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--hosts", type=int, default=2400)
    parser.add_argument("--rate", type=float, default=60.0, help="requests a second, all hosts")
    parser.add_argument("--folder", type=Path, help="keep everything there")
    parser.add_argument("--done", type=Path, help="judge the soak kept in this folder again")
    parser.add_argument("--write", action="store_true", help="write docs/soak.json and .svg")
    return parser.parse_args()


def soak(folder: Path, arguments: argparse.Namespace) -> None:
    """Crawl, and look at it all the time; keep the samples and how it ended in the folder."""
    (folder / "probes").mkdir(exist_ok=True)
    pause_s = arguments.hosts / arguments.rate
    print("… making the web and learning its topic", file=sys.stderr)
    sentences = prepare(folder)
    with serving(folder, arguments.hosts, pause_s) as (server, port):
        collection = make_collection(folder, sentences, arguments, port)
        with crawling(folder, collection) as crawl:
            sampler = Sampler(crawl.pid, server, collection / "crawl", folder / "probes")
            samples = watch(sampler, crawl, arguments.minutes)
            with suppress(subprocess.TimeoutExpired):
                crawl.wait(LATE_MIN * 60)
            code = crawl.poll()
    kept = {
        "code": -signal.SIGKILL if code is None else code,
        "samples": [one._asdict() for one in samples],
    }
    (folder / SAMPLES).write_text(json.dumps(kept), encoding="utf-8")


def recall(folder: Path) -> tuple[list[Sample], int]:
    """Return the samples of a soak, and the exit code of its crawl."""
    kept = json.loads((folder / SAMPLES).read_text(encoding="utf-8"))
    return [Sample(**one) for one in kept["samples"]], kept["code"]


def watch(sampler: Sampler, crawl: "subprocess.Popen[bytes]", minutes: float) -> list[Sample]:
    """Take samples until the crawl is told to end by its own limit."""
    samples: list[Sample] = []
    due = time.monotonic()
    while crawl.poll() is None and time.monotonic() - sampler.begun < minutes * 60:
        sample = sampler.look()
        samples.append(sample)
        if int(sample.at / EVERY_S) % 6 == 0:
            print(
                f"{sample.at / 60:5.1f} min  {sample.pages:,} pages, {sample.images:,} images, "
                f"{sample.answers:,} answers; RSS {sample.rss:.0f} USS {sample.uss:.0f} MB, "
                f"{sample.fds} descriptors, {sample.tasks} tasks, {sample.objects:,} objects, "
                f"{sample.cpu:.0f} s + {sample.server_cpu:.0f} s, log {sample.wal:.0f} MB",
                file=sys.stderr,
                flush=True,
            )
        due += EVERY_S
        time.sleep(max(0.0, due - time.monotonic()))
    return samples


def prepare(folder: Path) -> Sentences:
    """Write down what the web needs; return the sentences of the demo web by subject, each once."""
    found: dict[str, dict[str, None]] = {subject: {} for subject in SUBJECTS}
    for page in build_web().pages:
        subject = page.topic.partition(":")[0]
        if subject in found and page.language == "en":
            found[subject].update(dict.fromkeys(SENTENCE_END.split(page.text)))
    sentences = {name: [one for one in said if len(one) > 20] for name, said in found.items()}
    (folder / SAID).write_text(json.dumps(sentences), encoding="utf-8")
    (folder / COUNTER).write_bytes(bytes(COUNTS.size))
    return sentences


@contextmanager
def serving(folder: Path, hosts: int, pause_s: float) -> Iterator[tuple[int, int]]:
    """Serve the web; give the process and the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.soakweb", str(port), str(folder)]
    server = subprocess.Popen([*command, str(hosts), str(pause_s)])
    try:
        end = time.monotonic() + READY_S
        while socket.socket().connect_ex(("127.0.0.1", port)):
            if time.monotonic() > end or server.poll() is not None:
                raise RuntimeError("the web of the soak does not start")
            time.sleep(0.2)
        yield server.pid, port
    finally:
        server.terminate()
        server.wait()


def make_collection(
    folder: Path, sentences: Sentences, arguments: argparse.Namespace, port: int
) -> Path:
    """Make a collection that has learned the topic of the web."""
    random = Random(1)  # noqa: S311 -- which sentences are learned from
    for number in range(LEARNED):
        for place, said in (("on", sentences[SUBJECTS[0]]), ("off", sentences[SUBJECTS[-1]])):
            path = folder / place / f"{number}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(random.sample(said, SENTENCES)), encoding="utf-8")
    collection = folder / "collection"
    collection.mkdir()
    seeds = [f"http://{name_host(number)}/" for number in range(0, arguments.hosts, SEEDED)]
    lines = [
        "[topic]",
        'positive = ["../on"]',
        'neutral = ["../off"]',
        "[crawl]",
        f"seeds = {seeds}",
        f'proxy = "http://127.0.0.1:{port}"',
        "allow_private = true",
        f"shards = {SHARDS}",
        f"delay_s = {arguments.hosts / arguments.rate / 2}",  # the least that a host asks for
        "max_pages = 0",
        f"max_minutes = {arguments.minutes}",
        'contact = "mailto:soak@example.org"',
    ]
    (collection / "blickfang.toml").write_text("\n".join(lines), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # little text
        learn(open_collection(collection))
    return collection


@contextmanager
def crawling(folder: Path, collection: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the crawl as users do, with probes inside."""
    probes = Path(__file__).parent / "probe"
    environment = os.environ | {"PYTHONPATH": str(probes), "SOAK_PROBE": str(folder / "probes")}
    command = [sys.executable, "-m", "blickfang", "crawl", str(collection), "--json"]
    with (folder / TOLD).open("wb") as told, (folder / "crawl.log").open("wb") as log:
        crawl = subprocess.Popen(
            command, stdout=told, stderr=log, env=environment, start_new_session=True
        )
        try:
            yield crawl
        finally:
            if crawl.poll() is None:
                os.killpg(crawl.pid, signal.SIGKILL)  # its own group: nobody else is in it
                crawl.wait()


def check(folder: Path, code: int) -> Checked:
    """Read the whole archive again, and what the server has counted."""
    records = unreadable = 0
    seen: Counter[str] = Counter()
    for path in sorted(folder.glob("collection/crawl/shard-*/*.warc.gz")):
        for read in read_archive(path):
            records += 1
            if isinstance(read, Failure):
                unreadable += 1
            else:
                seen[read.url] += 1
    requests, early = COUNTS.unpack((folder / COUNTER).read_bytes())
    log = (folder / TOLD).read_text(encoding="utf-8")
    said = json.loads(log) if log.strip() else {}
    return Checked(
        code,
        str(said.get("stopped_because", "nothing said")),
        records,
        unreadable,
        sum(count > 1 for count in seen.values()),
        requests,
        early,
    )


def show(figures: dict[str, float], verdicts: list[Verdict]) -> None:
    """Print what was measured."""
    for name, value in figures.items():
        print(f"{name:20} {value:,.1f}")
    table = Table("soak", "measured", "bound", "")
    for verdict in verdicts:
        said = {True: "met", False: "BROKEN", None: "too short to judge"}[verdict.met]
        table.add_row(verdict.what, verdict.measured, verdict.bound, said)
    Console(width=130).print(table)


def write(
    samples: list[Sample],
    figures: dict[str, float],
    verdicts: list[Verdict],
    arguments: argparse.Namespace,
) -> None:
    """Write figures and plot for the documentation."""
    found = {
        "hosts": arguments.hosts,
        "demand_per_s": arguments.rate,
        "shards": SHARDS,
        "figures": {name: round(value, 3) for name, value in figures.items()},
        "verdicts": [verdict._asdict() for verdict in verdicts],
        "samples": {
            name: [round(getattr(one, name), 1) for one in samples] for name in Sample._fields
        },
    }
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (DOCS / "soak.json").write_text(text + "\n", encoding="utf-8")
    (DOCS / "soak.svg").write_text(plot(samples), encoding="utf-8")


if __name__ == "__main__":
    main()
