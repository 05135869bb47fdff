"""The harvest: crawls of the testbed, and how much of what they brought is on the topic.

In: ../shared/testbed, served on 127.0.0.1, or with --replay recorded once and replayed without a
socket; draws of six pages of one host and sixteen neutral ones, learned from by their addresses.
With --sentences N: learned from pages of all hosts of the topic, half of their pages at most, until
there are N sentences. With --general: learned from every other host of each topic instead, and half
of the noise is gone, which nobody tuned anything for. With --foreign: half of the hosts are in a
language of which nothing was learned (replay only). Out: for each mode and topic P and I: the
share of the first R pages (images of 200 pixels and more) that is on the topic, R being how many
there are, ± their spread over draws; and what that is of an oracle's, which knows the topic of
every page and follows the same links. Errors and second
addresses of one page are not counted. `make harvest` runs it. Pauses are left out, but for
`--set crawl.delay_s=1`: what users get.

    python -m benchmarks.harvest [--replay] [--settings easy,hard] [--modes …] [--draws 5]
        [--sentences 20000] [--set focus.probe_every=5] [--shards 1] [--general]
        [--foreign] [--first 5]
"""

import argparse
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import mean, pstdev
from typing import Any, NamedTuple

from benchmarks.draws import (
    DIRECTORY,
    LEARNED,
    LOCALITY,
    MIN_SIDE,
    SEED_HOSTS,
    TESTBED,
    Draw,
    draw_general,
    draw_standard,
    read_truth,
)
from benchmarks.foreign import ForeignSight
from benchmarks.testbed import record_testbed
from blickfang.config import Collection, open_collection
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.crawl_options import MODES
from blickfang.crawl.experiment import TopicTruth, consult
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.replay.replay import Sight, lay_out, open_web, replay
from blickfang.crawl.run import crawl
from blickfang.html import read_page
from blickfang.io.urls import host as host_of
from blickfang.io.urls import surt
from blickfang.types import Failure

READY_S = 300.0
GOALS = {"easy": (0.83, 0.72), "hard": (0.82, 0.70)}  # of pages, of images
LOWEST = 0.62  # of the pages of any topic
MIN_SENTENCE = 5  # words: shorter ones are not learned from


class Way(NamedTuple):
    """How crawls are run."""

    setting: str
    mode: str
    proxy: str  # of the live testbed
    shards: int
    sentences: int  # learned from; 0: six pages
    changes: list[str]  # of settings, as focus.probe_every=5
    is_replay: bool
    is_general: bool = False
    is_foreign: bool = False


class Found(NamedTuple):
    """What one crawl came to."""

    pages: float
    images: float


@cache
def open_testbed(setting: str) -> Sight:
    """Return the recorded testbed."""
    return open_web([record_testbed()[setting]])


@cache
def open_foreign(setting: str) -> Sight:
    """Return the recorded testbed, half of it in another language."""
    return ForeignSight(open_testbed(setting).web)


@cache
def ask_oracle(setting: str, topic: str) -> Found:
    """Return what somebody reaches who knows the topic of every page."""
    truth = TopicTruth(TESTBED / "truth.tsv", TESTBED / "truth_images.tsv", MIN_SIDE)
    found = consult(open_testbed(setting), list_seeds(setting), truth, topic)
    return Found(found.pages, found.images)


def list_seeds(setting: str) -> list[str]:
    """Return where crawls begin."""
    return [DIRECTORY] if setting == "easy" else [read_truth().starts[h] for h in SEED_HOSTS]


def draw_many(draw: Draw, sentences: int) -> Draw:
    """Return a draw that is learned from many pages of all hosts of its topic."""
    truth, sight = read_truth(), open_testbed("easy")
    hosts = [host for host, topic in truth.topics.items() if topic == draw.topic]
    pages = sorted(url for host in hosts for url in truth.content[host])
    random.Random(f"{draw.topic} {draw.number}").shuffle(pages)  # noqa: S311 -- repeatable
    learned: list[str] = []
    for url in pages[: len(pages) // 2]:
        body = sight.web.read(url)
        page = None if isinstance(body, Failure) else read_page(body, url)
        if sentences > 0 and page is not None and not isinstance(page, Failure):
            learned.append(url)
            lines = (line for line in page.text.splitlines() if line.strip())
            sentences -= sum(len(line.split()) >= MIN_SENTENCE for line in lines)
    return replace(draw, learned=learned)


@contextmanager
def serving(setting: str) -> Iterator[str]:
    """Serve the testbed as a proxy; give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--blogroll", "3", "--locality", str(LOCALITY[setting]), "--hub", "mixed"]
    command = [sys.executable, str(TESTBED / "serve.py"), "--port", str(port), *options]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(int(READY_S * 10)):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        else:
            raise RuntimeError(f"the testbed does not answer after {READY_S:g} s")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def count_relevant(topic: str) -> tuple[int, int]:
    """Return how many pages and images of a topic there are."""
    truth = read_truth()
    pages = sum(len(urls) for host, urls in truth.pages.items() if truth.topics[host] == topic)
    return pages, sum(found == topic for found in truth.images.values())


def write_settings(folder: Path, draw: Draw, way: Way) -> None:
    """Write the settings of one crawl."""
    pages, _ = count_relevant(draw.topic)
    sections: dict[str, dict[str, Any]] = {
        "topic": {"positive": draw.learned, "neutral": draw.neutral},
        "crawl": {
            "seeds": list_seeds(way.setting),
            "mode": way.mode,
            "proxy": way.proxy,
            "allow_private": True,
            "delay_s": 0.0,
            "max_pages": 2 * pages,
            "reject": [surt(f"http://{host}/") for host in sorted(draw.removed)],
        },
        "images": {"min_width": MIN_SIDE, "min_height": MIN_SIDE},
    }
    for change in way.changes:
        key, _, value = change.partition("=")
        section, _, name = key.strip().partition(".")
        sections.setdefault(section, {})[name] = json.loads(value)
    lines = []
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{name} = {json.dumps(it)}" for name, it in values.items())]
    (folder / "blickfang.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def harvest(collection: Collection, way: Way) -> None:
    """Learn and crawl."""
    if way.is_replay:
        lay_out(collection, open_testbed(way.setting).web)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # six pages are little text; that is the point
        learn(collection)
    if way.is_replay:
        sight = open_foreign if way.is_foreign else open_testbed
        replay(collection, sight(way.setting), lambda _: True)
        return
    crawled = crawl(collection, lambda _: True, shards=way.shards)
    if crawled.error:
        raise RuntimeError(crawled.error)


def measure(draw: Draw, way: Way) -> Found:
    """Learn, crawl, and return P and I."""
    truth = read_truth()
    if way.sentences:
        draw = draw_many(draw, way.sentences)
    with tempfile.TemporaryDirectory() as name:
        write_settings(Path(name), draw, way)
        collection = open_collection(Path(name))
        harvest(collection, way)
        rows = [row for row in list_fetched(collection, "page") if not row["duplicate_of"]]
        pages = [truth.topics.get(host_of(row["url"])) for row in rows]
        images = [truth.images.get(row["url"]) for row in list_fetched(collection, "image")]
    total_pages, total_images = count_relevant(draw.topic)
    return Found(
        sum(topic == draw.topic for topic in pages[:total_pages]) / total_pages,
        sum(topic == draw.topic for topic in images[:total_images]) / total_images,
    )


def main() -> None:
    """Crawl and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", default="easy,hard")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--topics", default=",".join(LEARNED))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--general", action="store_true", help=draw_general.__doc__)
    parser.add_argument("--foreign", action="store_true", help=open_foreign.__doc__)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    asked = parser.parse_args()
    if asked.foreign and not asked.replay:
        parser.error("--foreign needs --replay")
    topics = asked.topics.split(",")
    heads = "".join(f"{topic:>26}" for topic in topics)
    print(f"{'mode':18}{'setting':8}{heads}{'mean':>26}{'of oracle':>12}")
    met = True
    for setting in asked.settings.split(","):
        with nullcontext("") if asked.replay else serving(setting) as proxy:
            for mode in asked.modes.split(","):
                ways = (setting, mode, proxy, asked.shards, asked.sentences, asked.set)
                kinds = asked.replay, asked.general, asked.foreign
                numbers = range(asked.first, asked.first + asked.draws)
                met &= measure_mode(Way(*ways, *kinds), topics, numbers)
        print_oracle(setting, topics)
    sys.exit(not met)


def measure_mode(way: Way, topics: list[str], numbers: range) -> bool:
    """Print one line of the table; return whether the goal, if there is one, is met."""
    cells, means = [], []
    for topic in topics:
        draw = draw_general if way.is_general else draw_standard
        chosen = numbers[:1] if way.mode == "unfocused" else numbers
        drawn = [one for one in draw(chosen.stop, [topic]) if one.number in chosen]
        found = [measure(one, way) for one in drawn]
        columns = list(zip(*found, strict=True))
        means.append([(mean(column), pstdev(column)) for column in columns])
        cells.append(" ".join(f"{middle:.3f} ±{spread:.2f}" for middle, spread in means[-1]))
    totals = [
        [mean(part) for part in zip(*column, strict=True)] for column in zip(*means, strict=True)
    ]
    best = [mean(ask_oracle(way.setting, topic)[kind] for topic in topics) for kind in (0, 1)]
    line = "".join(f"{cell:>26}" for cell in cells)
    total = " ".join(f"{middle:.3f} ±{spread:.2f}" for middle, spread in totals)
    share = " ".join(f"{total[0] / whole:.2f}" for total, whole in zip(totals, best, strict=True))
    print(f"{way.mode:18}{way.setting:8}{line}{total:>26}{share:>12}", flush=True)
    is_plain = not (way.sentences or way.changes or way.is_general or way.is_foreign)
    if way.mode != "focused+images" or not is_plain:
        return True
    pages, images = GOALS[way.setting]
    reached = totals[0][0] >= pages and totals[1][0] >= images
    return bool(reached and min(one[0][0] for one in means) >= LOWEST)


def print_oracle(setting: str, topics: list[str]) -> None:
    """Print what an oracle reaches."""
    found = [ask_oracle(setting, topic) for topic in topics]
    line = "".join(f"{f'{one.pages:.3f}      {one.images:.3f}      ':>26}" for one in found)
    pages, images = (mean(column) for column in zip(*found, strict=True))
    print(f"{'oracle':18}{setting:8}{line}{f'{pages:.3f}      {images:.3f}      ':>26}", flush=True)


if __name__ == "__main__":
    main()
