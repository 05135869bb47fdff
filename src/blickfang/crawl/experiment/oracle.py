"""The oracle: how far somebody would come who knows the topic of every page, by the same links.

In: a recorded web, seeds and a truth. Out: the share of the first R pages that is on the topic, R
being how many there are, and of the images. It takes a page on the topic whenever a link to one
was seen; else it goes the shortest way, over whatever pages, to the next one. Greedy, so a little
less than the best there is; no crawler that has to read pages to know them comes near it.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from blickfang.crawl.experiment.ground_truth import TopicTruth
from blickfang.crawl.focus import PageFeatures
from blickfang.crawl.page_judge import key_of_words
from blickfang.crawl.permission.gate import REDIRECTS
from blickfang.crawl.replay.replay import Sight
from blickfang.io.urls import canonical, resolve
from blickfang.io.urls import host as host_of
from blickfang.types import Failure, Response

HOPS = 5


class Node(NamedTuple):
    """A page as the oracle knows it."""

    key: str | int  # the same for second addresses of one page
    links: list[str]  # where they lead in the end
    images: list[str]


class Consulted(NamedTuple):
    """What an oracle reaches."""

    pages: float  # of the first R, on the topic
    images: float
    steps: int  # pages fetched


def consult(
    sight: Sight, seeds: Sequence[str], truth: TopicTruth, topic: str, budget: int = 0
) -> Consulted:
    """Return what an oracle reaches from seeds; images by so many pages, by default 2 R."""
    graph = Graph(sight)
    wanted, wanted_images = truth.count_pages(topic), truth.count_images(topic)
    begin = [found for url in seeds if (found := graph.settle(canonical(url) or ""))]
    order = walk(graph, begin, truth, topic, max(wanted, budget or 2 * wanted))
    hits = sum(truth.topic_of(url) == topic for url in order[:wanted])
    named = {image for url in order for image in graph.node(url).images}
    images = sum(truth.images.get(url) == topic and url in sight.web.answers for url in named)
    return Consulted(
        hits / max(1, wanted), min(1.0, images / max(1, wanted_images)), len(order[:wanted])
    )


class Graph:
    """The pages of a recorded web and their links, each read when it is needed."""

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.nodes: dict[str, Node] = {}
        self.settled: dict[str, str | None] = {}

    def settle(self, url: str) -> str | None:
        """Return where an address leads in the end, None if to no page."""
        if url not in self.settled:
            self.settled[url] = self._follow(url)
        return self.settled[url]

    def _follow(self, url: str) -> str | None:
        for _ in range(HOPS):
            found = self.sight.web.find(url)
            if found is None:
                return None
            if found.status not in REDIRECTS:
                is_page = "html" in found.headers.get("content-type", "text/html")
                return url if found.status == 200 and is_page else None
            url = resolve(url, found.headers.get("location", "")) or ""
        return None

    def node(self, url: str) -> Node:
        """Return a page."""
        if url not in self.nodes:
            self.nodes[url] = self._read(url)
        return self.nodes[url]

    def _read(self, url: str) -> Node:
        body, head = self.sight.web.read(url), self.sight.web.find(url)
        if head is None or isinstance(body, Failure):
            return Node(url, [], [])
        seen = self.sight.look(Response(url, 200, dict(head.headers), body), host_of(url))
        if isinstance(seen, Failure):
            return Node(url, [], [])
        leads = dict.fromkeys(found for link in seen.links if (found := self.settle(link)))
        return Node(key_of_words(seen.page) or url, list(leads), self._find_images(seen))

    def _find_images(self, seen: PageFeatures) -> list[str]:
        """Return the images of a page, each in the largest form that was recorded."""
        forms = {image.url: (image.url, *image.others) for image in seen.page.images if image.url}
        recorded = self.sight.web.answers
        return [next((form for form in forms[url] if form in recorded), url) for url in seen.images]


def walk(graph: Graph, seeds: list[str], truth: TopicTruth, topic: str, most: int) -> list[str]:
    """Return the pages that an oracle fetches, in order; second addresses do not count."""
    order: list[str] = []
    keys: set[str | int] = set()
    fetched: set[str] = set()
    good, other = deque[str](), dict.fromkeys(seeds)

    def fetch(url: str) -> None:
        fetched.add(url)
        node = graph.node(url)
        if node.key not in keys:
            keys.add(node.key)
            order.append(url)
        for link in node.links:
            if link not in fetched:
                good.append(link) if truth.topic_of(link) == topic else other.setdefault(link)

    while len(order) < most:
        while good and good[0] in fetched:
            good.popleft()
        way = [good.popleft()] if good else find_way(graph, list(other), fetched, truth, topic)
        if not way:
            break
        for url in way:
            other.pop(url, None)
            fetch(url)
    return order[:most]


def find_way(
    graph: Graph, begin: list[str], fetched: set[str], truth: TopicTruth, topic: str
) -> list[str]:
    """Return the shortest way from known pages to one on the topic, [] if there is none."""
    before: dict[str, str | None] = {url: None for url in begin if url not in fetched}
    queue = deque(before)
    while queue:
        url = queue.popleft()
        if truth.topic_of(url) == topic:
            way: list[str] = []
            step: str | None = url
            while step is not None:
                way.append(step)
                step = before[step]
            return way[::-1]
        for link in graph.node(url).links:
            if link not in before and link not in fetched:
                before[link] = url
                queue.append(link)
    return []
