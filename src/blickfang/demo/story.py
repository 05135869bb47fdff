"""The story of Blickfang on the demo web, as far as it exists: seed pages → topic → scores.

In: a folder. Out: a collection in it, learned from pages fetched over HTTP from 127.0.0.1, and a
`Story`: what was learned and how the pages of each kind of host score.
"""

import statistics
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blickfang.collection import make_collection, open_collection
from blickfang.demo.serve import serve
from blickfang.demo.web import DemoWeb, build_web
from blickfang.disk import replacing, write_text
from blickfang.errors import SettingsError
from blickfang.page import read_body_text
from blickfang.pipeline import Learned, explain, learn

TOPIC = "lighthouses"
MARK = "demo.txt"  # in a folder that the demo made
PAGES_PER_KIND = 20
TIMEOUT_S = 10

Fetch = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Kind:
    """How the pages of one kind of host fit the topic: medians."""

    kind: str  # a topic, noise, near miss; and the language
    pages: int
    perplexity: float
    keyword_score: float
    score: float


@dataclass(frozen=True, slots=True)
class Story:
    """What came of running the demo."""

    hosts: int
    pages: int
    images: int
    learned: Learned
    kinds: list[Kind]


@contextmanager
def serving(port: int) -> Iterator[tuple[DemoWeb, str, Fetch]]:
    """Serve the demo web; give its address and a function that fetches a page from it."""
    web = build_web()
    with serve(web, port=port) as server:
        proxy = urllib.request.ProxyHandler({"http": server.address})
        opener = urllib.request.build_opener(proxy)

        def fetch(url: str) -> bytes:
            with opener.open(url, timeout=TIMEOUT_S) as answer:
                body: bytes = answer.read()
                return body

        yield web, server.address, fetch


def run_story(
    folder: Path, web: DemoWeb, fetch: Fetch, advance: Callable[[int, int], None]
) -> Story:
    """Fetch seed pages, learn the topic from them, and look at pages of every kind."""
    if not (folder / MARK).exists():
        if folder.exists() and any(folder.iterdir()):
            raise SettingsError(f"{folder} is not empty; give the demo a new folder")
        make_collection(folder)
        write_text(folder / MARK, "made by `blickfang demo`, which may change what is in here\n")
    save_pages(folder / "pages", web.seed_pages(TOPIC), fetch)
    save_pages(folder / "neutral", web.neutral_pages(), fetch)
    collection = open_collection(folder)
    learned = learn(collection)
    samples = choose_pages(web)
    kinds, done = [], 0
    for name, urls in samples.items():
        texts = [read_body_text(fetch(url)) or "" for url in urls]
        done += len(urls)
        advance(done, sum(map(len, samples.values())))
        explained = explain(learned.topic, texts, collection.settings.score)
        kinds.append(
            Kind(
                name,
                len(texts),
                statistics.median(e.perplexity for e in explained if e.perplexity is not None),
                statistics.median(e.keyword_score for e in explained),
                statistics.median(e.score for e in explained if e.score is not None),
            )
        )
    kinds.sort(key=lambda kind: (kind.score, kind.perplexity))
    return Story(len(web.hosts), len(web.pages), len(web.images), learned, kinds)


def save_pages(folder: Path, urls: Sequence[str], fetch: Fetch) -> None:
    """Fetch pages into a folder, one file each; a file that is the same already stays."""
    for number, url in enumerate(urls, 1):
        path, page = folder / f"{number:02}-{url.rsplit('/', 1)[-1]}", fetch(url)
        if not path.exists() or path.read_bytes() != page:
            with replacing(path) as file:
                file.write(page)


def choose_pages(web: DemoWeb) -> dict[str, list[str]]:
    """Return some content pages of each kind of host; none that the topic is learned from."""
    learned = {*web.seed_pages(TOPIC), *web.neutral_pages()}
    chosen: dict[str, list[str]] = {}
    for page in web.pages:
        if page.kind != "content" or page.url in learned or not page.allowed:
            continue
        name = page.topic.split(":")[0].replace("-", " ")
        urls = chosen.setdefault(f"{name} ({page.language})", [])
        if len(urls) < PAGES_PER_KIND:
            urls.append(page.url)
    return chosen
