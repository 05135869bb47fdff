"""Every link leads somewhere that was meant, and every page and image can be found."""

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

import pytest

from blickfang.demo import DemoWeb

LINKED = {"a": ("href",), "area": ("href",), "link": ("href",), "source": ("srcset",),
          "img": ("src", "data-src", "data-original", "srcset")}  # fmt: skip
Attributes = list[tuple[str, str | None]]


class Reader(HTMLParser):
    """Collects the addresses a page names."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.anchors: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.tags.add(tag)
        given = {name: value or "" for name, value in attrs}
        for name in LINKED.get(tag, ()):
            parts = given.get(name, "").split(",") if name == "srcset" else [given.get(name, "")]
            self.found += [part.split()[0] for part in parts if part.strip()]
        if "url('" in given.get("style", ""):
            self.found.append(given["style"].split("url('")[1].split("'")[0])
        if tag == "meta" and "url=" in given.get("content", ""):
            self.found.append(given["content"].split("url=")[1])
        if tag == "meta" and given.get("property") == "og:image":
            self.found.append(given["content"])
        self.anchors += [given.get("rel", "")] if tag == "a" else []


def named_by(web: DemoWeb, url: str) -> Iterator[str]:
    reader = Reader()
    reader.feed(web.answer(url).body.decode("utf-8", "replace"))
    for found in reader.found:
        yield urldefrag(urljoin(url, found)).url


@pytest.fixture(scope="module")
def graph(web: DemoWeb) -> dict[str, list[str]]:
    return {page.url: list(named_by(web, page.url)) for page in web.pages}


def test_every_link_answers_or_fails_on_purpose(web: DemoWeb, graph: dict[str, list[str]]) -> None:
    quirks = {quirk.url: quirk for quirk in web.quirks}
    images = {image.url for image in web.images}
    for url in {url for urls in graph.values() for url in urls} - images:
        answer = web.answer(url)
        if url in quirks:
            assert answer.status == quirks[url].status
        elif answer.status != 200:
            assert answer.status == 302, url
            assert answer.header("Location").startswith("http://lighthouse-almanac.test/"), url
            assert web.answer(answer.header("Location")).status == 200


def test_everything_is_reachable(web: DemoWeb, graph: dict[str, list[str]]) -> None:
    known = {page.url for page in web.pages} | {image.url for image in web.images}
    targets = {quirk.url: quirk.target for quirk in web.quirks if quirk.target}
    seen, waiting = set(web.start_urls), list(web.start_urls)
    while waiting:
        for url in graph.get(waiting.pop(), ()):
            for step in (url, targets.get(url, url)):
                if step not in seen:
                    seen.add(step)
                    waiting.append(step)
    assert known <= seen


@pytest.mark.parametrize("hidden", ["harbour-lights.test", "paper-and-spar.test"])
def test_tunnels(web: DemoWeb, graph: dict[str, list[str]], hidden: str) -> None:
    topics = {page.url: page.topic for page in web.pages}
    doors = {
        topics[page]
        for page, urls in graph.items()
        if any(url.startswith(f"http://{hidden}/") for url in urls) and hidden not in page
    }
    assert len(doors) == 1
    assert doors.pop().startswith("noise:")


def test_many_ways_to_link(web: DemoWeb) -> None:
    reader, anchors = Reader(), ""
    for page in web.pages:
        html = web.answer(page.url).body.decode("utf-8", "replace")
        reader.feed(html)
        anchors += html
    assert {"area", "map", "a", "noscript", "picture", "figure", "table"} <= reader.tags
    assert any("nofollow" in rel for rel in reader.anchors)
    for sign in ('rel="canonical"', 'http-equiv="refresh"', ">click here</a>", '.test/"></a>'):
        assert sign in anchors
