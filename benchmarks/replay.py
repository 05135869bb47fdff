"""The harvest without a network: crawls of the testbed replayed one fetch at a time.

In: ../shared/testbed and a draw: six pages of one host, sixteen neutral ones. Out: P and I, the
on-topic share of the first R pages and images, R being how many there are; a table per mode and
topic. Sequential, so without politeness: the upper end of what a polite crawl reaches.

    python -m benchmarks.replay --setting hard --mode focused+images --draws 5 [--general]
"""

import argparse
import csv
import hashlib
import importlib.util
import itertools
import pickle
import random
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from pathlib import Path
from statistics import mean, pstdev
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from blickfang import focus
from blickfang.crawl.options import MODES
from blickfang.data import Failure
from blickfang.focus.background import is_due, relearn
from blickfang.focus.values import NEW_HOST, NOT_FOLLOWED, SEEDS, HostState, Order, Sample
from blickfang.page import read_page
from blickfang.topic import learn_topic
from blickfang.urls import canonical
from blickfang.urls import host as host_of
from blickfang.words import Hashes

TESTBED = Path(__file__).parents[2] / "shared" / "testbed"
CACHE = Path(tempfile.gettempdir()) / "blickfang-replay.pickle"
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


class Answer(NamedTuple):
    """What a server says of an address."""

    kind: str  # page, redirect, missing
    target: str  # where a redirect leads; for a page, what tells it from others
    seen: focus.Seen | None


Web = dict[str, Answer]


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


def load_webs() -> dict[str, Web]:
    """Return the web of each setting, read once and then kept while the code that reads is old."""
    sources = [*TESTBED.iterdir(), *Path(focus.__file__).parent.glob("*.py")]
    stamp = max(path.stat().st_mtime_ns for path in sources)
    if CACHE.exists() and CACHE.stat().st_mtime_ns > stamp:
        with CACHE.open("rb") as kept:
            return dict(pickle.load(kept))  # noqa: S301 -- our own file
    server = start_server()
    known: dict[tuple[str, str], focus.Seen | None] = {}
    webs = {setting: dict(walk(server, setting, known)) for setting in LOCALITY}
    CACHE.write_bytes(pickle.dumps(webs, -1))
    return webs


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


def walk(server: Any, setting: str, known: dict[Any, Any]) -> Iterator[tuple[str, Answer]]:
    """Ask for every address there is."""
    server.a = server_options(setting)
    truth = read_truth()
    queue = [DIRECTORY, *itertools.chain.from_iterable(truth.pages.values())]
    met = set(queue)
    while queue:
        url = queue.pop()
        answer = ask(server, url, known)
        yield url, answer
        leads = answer.seen.links if answer.seen else [answer.target]
        for target in leads:
            is_here = host_of(target) in truth.topics or target.startswith(DIRECTORY)
            if is_here and target not in met:
                met.add(target)
                queue.append(target)


def ask(server: Any, url: str, known: dict[Any, Any]) -> Answer:
    """Return what the server says of an address."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    status, kind, body, headers = server.answer(parts.netloc, path, {})
    if status == 301:
        return Answer("redirect", canonical(headers["Location"]) or "", None)
    if status != 200 or "html" not in kind:
        return Answer("missing", "", None)
    digest = hashlib.sha256(body).hexdigest()
    if (url, digest) not in known:
        page = read_page(body, url)
        known[url, digest] = None if isinstance(page, Failure) else focus.see(page, parts.netloc)
    seen = known[url, digest]
    return Answer("page" if seen else "missing", digest, seen)


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


def know(draw: Draw, web: Web, mode: str) -> focus.Knowledge:
    """Learn what a draw says of its topic."""
    topic = None
    if mode in ("focused", "focused+keywords"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # little text is the point
            topic = learn_topic(read_texts(draw.learned, web), read_texts(draw.neutral, web))
    learned, neutral = read_hashes(draw.learned, web), read_hashes(draw.neutral, web)
    return focus.Knowledge(topic, learned, neutral, frozenset({draw.host}))


def read_texts(urls: list[str], web: Web) -> list[str]:
    """Return the texts of pages, their titles in front."""
    pages = [seen.page for url in urls if (seen := web[url].seen)]
    return [f"{page.title}\n{page.text}" for page in pages]


def read_hashes(urls: list[str], web: Web) -> list[Hashes]:
    """Return the same as hashed words."""
    return [seen.words[: seen.page_words] for url in urls if (seen := web[url].seen)]


@dataclass
class Queue:
    """What is queued of one host."""

    state: HostState = NEW_HOST
    heap: list[tuple[Order, int, str]] = field(default_factory=list)


class Crawl:
    """A crawl of a web of one setting, one fetch at a time."""

    def __init__(self, draw: Draw, setting: str, web: Web, mode: str) -> None:
        self.draw, self.web = draw, web
        self.knowledge = know(draw, web, mode)
        self.counter = itertools.count()
        self.strategy = focus.make_strategy(
            mode, self.knowledge, clock=lambda: float(next(self.counter))
        )
        self.hosts: dict[str, Queue] = defaultdict(Queue)
        self.orders: dict[str, Order] = {}  # the best of each address
        self.done: set[str] = set()
        self.bodies: set[tuple[str, str]] = set()
        self.samples: list[Sample] = []
        self.learned_at = 0
        self.pages: list[str] = []  # hosts of the pages fetched
        self.images: list[tuple[Order, str]] = []
        starts = read_truth().starts
        for url in [DIRECTORY] if setting == "easy" else [starts[host] for host in SEED_HOSTS]:
            self.add(url, Order(SEEDS, 0.0))

    def add(self, url: str, order: Order) -> None:
        """Queue an address, or move it up."""
        host = host_of(url)
        better = url not in self.orders or order < self.orders[url]
        if better and url not in self.done and url in self.web and host not in self.draw.removed:
            self.orders[url] = order
            heappush(self.hosts[host].heap, (order, next(self.counter), url))

    def run(self, pages: int) -> None:
        """Fetch so many pages, or all there are."""
        for turn in itertools.count(1):
            ready = [host for host, queue in self.hosts.items() if self._settle(queue)]
            if not ready or len(self.pages) >= pages:
                return
            every = self.strategy.probe_every
            if every and turn % every == 0:
                probes = [h for h in ready if self.strategy.wants_probe(self.hosts[h].state)]
                ready = probes or ready
            host = min(ready, key=self._place)
            order, _, url = heappop(self.hosts[host].heap)
            self.done.add(url)
            self.fetch(host, order, self.web[url])

    def _settle(self, queue: Queue) -> bool:
        """Drop what is done or moved up; return whether there is more."""
        heap = queue.heap
        while heap and (heap[0][2] in self.done or self.orders[heap[0][2]] != heap[0][0]):
            heappop(heap)
        return bool(heap)

    def _place(self, host: str) -> tuple[tuple[int, float], int]:
        queue = self.hosts[host]
        order, arrival, _ = queue.heap[0]
        key = order if order.bucket == SEEDS else self.strategy.host_order(queue.state, order)
        return key, arrival

    def fetch(self, host: str, order: Order, answer: Answer) -> None:
        """Fetch an address: judge a page, follow a redirect."""
        queue = self.hosts[host]
        if answer.kind == "redirect":
            self.add(answer.target, order)
            return
        if answer.seen is None:
            queue.state = self.strategy.observe_failure(queue.state)
            return
        if (host, answer.target) in self.bodies:
            return  # a second address of a page
        self.bodies.add((host, answer.target))
        self.judge(queue, answer.seen)
        self.pages.append(host)

    def judge(self, queue: Queue, seen: focus.Seen) -> None:
        """Judge a page, queue what it names, learn from it."""
        judged = self.strategy.judge(seen, queue.state)
        queue.state = self.strategy.observe(queue.state, judged)
        links = judged.links
        columns = zip(seen.links, seen.link_hosts, *links[:3], strict=True)
        for url, host, bucket, score, prior in columns:
            if host != seen.host:
                target = self.hosts[host]
                target.state = self.strategy.mention(target.state, float(prior))
            if bucket != NOT_FOLLOWED:
                self.add(url, Order(int(bucket), float(score)))
        for url, bucket, score in zip(seen.images, *judged.images[:2], strict=True):
            self.images.append((Order(int(bucket), float(score)), url))
        if judged.sample is not None:
            self.strategy.keep(judged.sample)
            self.samples.append(judged.sample)
        if self.strategy.mode == "focused+images":
            self.learn()

    def learn(self) -> None:
        """Learn the background anew when it is time to."""
        states = {host: queue.state for host, queue in self.hosts.items() if queue.state.pages}
        pages = sum(state.pages for state in states.values())
        if is_due(len(states), pages, self.learned_at):
            self.learned_at = pages
            means = {host: self.strategy.host_value(state) for host, state in states.items()}
            learned = relearn(self.knowledge, self.samples, means, focus.Options())
            for host, state in self.strategy.adopt(learned, states).items():
                self.hosts[host].state = state


def measure(draw: Draw, setting: str, web: Web, mode: str) -> tuple[float, float]:
    """Return P and I of one crawl."""
    truth = read_truth()
    on_topic = {host for host, topic in truth.topics.items() if topic == draw.topic}
    pages = sum(len(truth.pages[host]) for host in on_topic)
    wanted = sum(topic == draw.topic for topic in truth.images.values())
    crawl = Crawl(draw, setting, web, mode)
    crawl.run(pages)
    precision = sum(host in on_topic for host in crawl.pages) / pages
    images: list[str] = []
    for more in range(pages, 2 * pages, 20):  # it goes on until there are enough images
        crawl.run(more)
        images = [url for url in in_order(crawl.images) if url in truth.images][:wanted]
        if sum(o.bucket == 1 and url in truth.images for o, url in crawl.images) >= wanted:
            break
    hits = sum(truth.images[url] == draw.topic for url in images)
    return precision, hits / max(1, wanted)


def in_order(images: Iterable[tuple[Order, str]]) -> list[str]:
    """Return images as they are fetched: good ones at once, the rest at the end."""
    now = [url for order, url in images if order.bucket == 1]
    later = [url for _, url in sorted(image for image in images if image[0].bucket > 1)]
    return list(dict.fromkeys([*now, *later]))


def main() -> None:
    """Replay crawls and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--setting", choices=LOCALITY, action="append")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--topics", default=",".join(LEARNED))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--general", action="store_true", help=draw_general.__doc__)
    chosen = parser.parse_args()
    topics = chosen.topics.split(",")
    webs = load_webs()
    make = draw_general if chosen.general else draw_standard
    draws = make(chosen.draws, topics)
    print(f"{'mode':18}{'setting':8}{'P':>6}{'±':>6}{'I':>6}   P by topic")
    for mode, setting in itertools.product(chosen.mode or MODES, chosen.setting or LOCALITY):
        some = draws if mode != "unfocused" else draws[:: 1 if chosen.general else chosen.draws]
        begun = time.perf_counter()
        print(row(mode, setting, some, webs[setting]), f" {time.perf_counter() - begun:.0f} s")


def row(mode: str, setting: str, draws: list[Draw], web: Web) -> str:
    """Return a line of the table: means over topics of means over draws."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in draws:
        found[one.topic].append(measure(one, setting, web, mode))
    pages = [mean(p for p, _ in values) for values in found.values()]
    spread = mean(pstdev(p for p, _ in values) for values in found.values())
    images = mean(mean(i for _, i in values) for values in found.values())
    each = " ".join(f"{topic} {p:.2f}" for topic, p in zip(found, pages, strict=True))
    return f"{mode:18}{setting:8}{mean(pages):6.3f}{spread:6.2f}{images:6.3f}   {each}"


if __name__ == "__main__":
    main()
