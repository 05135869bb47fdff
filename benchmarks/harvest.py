"""The harvest: real crawls of the testbed, and how much of what they brought is on the topic.

In: ../shared/testbed, served on 127.0.0.1; draws of six pages of one host and sixteen neutral ones,
which are learned from by their addresses. Out: for each mode and topic P and I: the share of the
first R pages (images of 200 pixels and more) that is on the topic, R being how many there are.
Errors and second addresses of one page are not counted. `make harvest` runs it.

    python -m benchmarks.harvest [--settings easy,hard] [--modes …] [--draws 5] [--shards 1]
"""

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, pstdev

from benchmarks.replay import (
    DIRECTORY,
    LEARNED,
    LOCALITY,
    MIN_SIDE,
    SEED_HOSTS,
    TESTBED,
    Draw,
    draw_standard,
    read_truth,
)
from blickfang.collection import open_collection
from blickfang.crawl.options import MODES
from blickfang.pipeline import crawl, learn, list_fetched
from blickfang.urls import host as host_of

READY_S = 60.0
GOALS = {"easy": 0.80, "hard": 0.78}
LOWEST = 0.60  # of any topic


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
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def count_relevant(topic: str) -> tuple[int, int]:
    """Return how many pages and images of a topic there are."""
    truth = read_truth()
    pages = sum(len(urls) for host, urls in truth.pages.items() if truth.topics[host] == topic)
    return pages, sum(found == topic for found in truth.images.values())


def write_settings(folder: Path, draw: Draw, setting: str, mode: str, proxy: str) -> None:
    """Write the settings of one crawl."""
    truth = read_truth()
    seeds = [DIRECTORY] if setting == "easy" else [truth.starts[host] for host in SEED_HOSTS]
    pages, _ = count_relevant(draw.topic)
    lines = [
        "[topic]",
        f"positive = {json.dumps(draw.learned)}",
        f"neutral = {json.dumps(draw.neutral)}",
        "[crawl]",
        f"seeds = {json.dumps(seeds)}",
        f'mode = "{mode}"',
        f'proxy = "{proxy}"',
        "allow_private = true",
        "delay_s = 0.0",
        f"max_pages = {2 * pages}",
        "[images]",
        f"min_width = {MIN_SIDE}",
        f"min_height = {MIN_SIDE}",
    ]
    (folder / "blickfang.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measure(draw: Draw, setting: str, mode: str, proxy: str, shards: int) -> tuple[float, float]:
    """Learn, crawl, and return P and I."""
    truth = read_truth()
    with tempfile.TemporaryDirectory() as name:
        write_settings(Path(name), draw, setting, mode, proxy)
        collection = open_collection(Path(name))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # six pages are little text; that is the point
            learn(collection)
        crawled = crawl(collection, lambda _: True, shards=shards)
        if crawled.error:
            raise RuntimeError(crawled.error)
        rows = [row for row in list_fetched(collection, "page") if not row["duplicate_of"]]
        pages = [truth.topics.get(host_of(row["url"])) for row in rows]
        images = [truth.images.get(row["url"]) for row in list_fetched(collection, "image")]
    total_pages, total_images = count_relevant(draw.topic)
    return (
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
    parser.add_argument("--shards", type=int, default=1)
    asked = parser.parse_args()
    topics = asked.topics.split(",")
    print(
        f"{'mode':18}{'setting':8}" + "".join(f"{topic:>18}" for topic in topics) + f"{'mean':>14}"
    )
    met = True
    for setting in asked.settings.split(","):
        with serving(setting) as proxy:
            for mode in asked.modes.split(","):
                met &= measure_mode(mode, setting, topics, asked.draws, proxy, asked.shards)
    sys.exit(not met)


def measure_mode(
    mode: str, setting: str, topics: list[str], draws: int, proxy: str, shards: int
) -> bool:
    """Print one line of the table; return whether the goal, if there is one, is met."""
    cells, means = [], []
    for topic in topics:
        drawn = draw_standard(1 if mode == "unfocused" else draws, [topic])
        found = [measure(draw, setting, mode, proxy, shards) for draw in drawn]
        pages, images = [p for p, _ in found], [i for _, i in found]
        means.append((mean(pages), mean(images)))
        cells.append(f"{mean(pages):.3f} ±{pstdev(pages):.2f} {mean(images):.2f}")
    page_mean, image_mean = mean(p for p, _ in means), mean(i for _, i in means)
    line = "".join(f"{cell:>18}" for cell in cells)
    print(f"{mode:18}{setting:8}{line}{page_mean:8.3f} {image_mean:5.2f}", flush=True)
    is_ours = mode == "focused+images"
    return not is_ours or (page_mean >= GOALS[setting] and min(p for p, _ in means) >= LOWEST)


if __name__ == "__main__":
    main()
