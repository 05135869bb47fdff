"""Draws of the testbed: what topics are learned from, and what is true of every page and image.

In: the tables of ../shared/testbed. Out: `Draw`, six pages of one host and sixteen neutral ones of
two hosts, the same every time; `Truth`; the testbed's server, asked without a socket.
"""

import argparse
import csv
import importlib.util
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.io.urls import canonical

TESTBED = Path(__file__).parents[2] / "shared" / "testbed"
LEARNED = {
    "astronomy": "galacticbulletin.test",
    "food": "foodrecipes.test",
    "plants": "houseplants.test",
    "wildlife": "birdful.test",
}
LOCALITY = {"easy": 0.5, "hard": 0.0}
SEED_HOSTS = ("gimp-help.test", "andrewzc.test")  # of the setting hard
DIRECTORY = "http://hub.test/"  # of the setting easy
MIN_SIDE = 200  # pixels of an image that counts
PAGES_LEARNED, PAGES_NEUTRAL, MIN_WORDS = 6, 8, 30


class Truth(NamedTuple):
    """What the testbed knows of itself."""

    topics: dict[str, str]  # of hosts
    pages: dict[str, list[str]]  # of hosts
    content: dict[str, list[str]]  # pages of content with some words
    starts: dict[str, str]
    images: dict[str, str]  # topics of the images that count


@dataclass(frozen=True)
class Draw:
    """What a topic is learned from, and which part of the web is left out."""

    topic: str
    host: str
    number: int
    learned: list[str]
    neutral: list[str]
    removed: frozenset[str] = frozenset()


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the testbed's tables."""
    with (TESTBED / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def read_truth() -> Truth:
    """Read what is on which topic."""
    truth = Truth({}, defaultdict(list), defaultdict(list), {}, {})
    for row in read_table("truth.tsv"):
        url = canonical(row["url"]) or ""
        truth.topics[row["host"]] = row["topic"]
        truth.pages[row["host"]].append(url)
        if row["kind"] == "content" and int(row["words"]) >= MIN_WORDS:
            truth.content[row["host"]].append(url)
        if row["kind"] == "start":
            truth.starts[row["host"]] = url
    for row in read_table("truth_images.tsv"):
        if min(int(row["width"]), int(row["height"])) >= MIN_SIDE:
            truth.images[canonical(row["image_url"]) or ""] = row["topic"]
    return truth


def start_server() -> Any:
    """Load the testbed's server, which is asked without a socket."""
    specification = importlib.util.spec_from_file_location("testbed", TESTBED / "serve.py")
    assert specification is not None and specification.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.Testbed(server_options("easy"))


def server_options(setting: str) -> argparse.Namespace:
    """Return how the issue starts the server."""
    plain = {"hosts": "", "robots": False, "log": "", "error_rate": 0, "trap": False, "seed": "0"}
    links = {"hub": "mixed", "blogroll": 3, "blogroll_share": 0.1, "locality": LOCALITY[setting]}
    return argparse.Namespace(**plain, **links)


def draw_standard(draws: int, topics: Sequence[str]) -> list[Draw]:
    """Return draws of six pages of one host each, neutral ones of two noise hosts."""
    return [draw(topic, LEARNED[topic], n, 0.0) for topic in topics for n in range(draws)]


def draw_general(draws: int, topics: Sequence[str]) -> list[Draw]:
    """Return draws for what nobody tuned: every host as the learned one, half of the noise gone."""
    truth = read_truth()
    hosts = [host for host in sorted(truth.topics) if truth.topics[host] in topics]
    able = [host for host in hosts if len(truth.content[host]) >= PAGES_LEARNED]
    foreign = {"universe-atlas-ar.test"}  # in Arabic, the only host that is
    chosen = [host for host in able if host not in foreign]
    return [draw(truth.topics[host], host, n, 0.5) for host in chosen for n in range(draws)]


def draw(topic: str, host: str, number: int, removed_share: float) -> Draw:
    """Draw learned and neutral pages, and noise hosts to leave out."""
    truth = read_truth()
    chance = random.Random(f"{topic} {host} {number}")  # noqa: S311 -- repeatable
    noise = sorted(h for h, t in truth.topics.items() if t.startswith("noise") and t != topic)
    spared = [h for h in noise if h not in SEED_HOSTS]
    removed = frozenset(chance.sample(spared, int(removed_share * len(noise))))
    able = [h for h in noise if len(truth.content[h]) >= PAGES_NEUTRAL and h not in removed]
    neutral = [chance.sample(truth.content[h], PAGES_NEUTRAL) for h in chance.sample(able, 2)]
    learned = chance.sample(truth.content[host], PAGES_LEARNED)
    return Draw(topic, host, number, learned, [*neutral[0], *neutral[1]], removed)
