"""The story of Blickfang on the demo web: seed pages → topic → scores → crawl → corpus → search.

In: a folder. Out: a collection in it, learned from pages fetched over HTTP from 127.0.0.1, with an
archive and a corpus, and a `Story`: what was learned, crawled, built and found.
"""

import statistics
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from blickfang.config import FILE, Collection, make_collection, open_collection
from blickfang.corpus.build import Built, build
from blickfang.corpus.search import Hit, search_index
from blickfang.corpus.search.prepare_index import prepare_index
from blickfang.crawl.crawl_admin import list_fetched
from blickfang.crawl.focus.learn import Learned, explain, learn
from blickfang.crawl.run import crawl
from blickfang.demo.grammar import DATA
from blickfang.demo.serve import serve
from blickfang.demo.web import DemoWeb, build_web
from blickfang.errors import InputError, SettingsError
from blickfang.html import read_titled_text
from blickfang.io.atomic_files import replacing, write_text

TOPIC = "lighthouses"
MARK = "demo.txt"  # in a folder that the demo made
QUERY, HITS = "white lighthouse on a rock", 5
PAGES_PER_KIND = 20
SETTINGS = (DATA / "settings.toml").read_text(encoding="utf-8")
TIMEOUT_S = 10

Fetch = Callable[[str], bytes]
Advance = Callable[[int, int], None]  # is told how many pages are done, of how many


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
    harvest: "Harvest"
    built: Built
    query: str
    hits: list[Hit]


@dataclass(frozen=True, slots=True)
class Harvest:
    """What the crawl brought, and how much of it is on the topic by the truth of the demo web."""

    pages: int
    on_topic: int
    images: int
    on_topic_images: int
    share_of_web: float  # of all pages of the web that are on the topic
    failures: dict[str, int]


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


def run_story(folder: Path, web: DemoWeb, address: str, fetch: Fetch, advance: Advance) -> Story:
    """Fetch seed pages, learn the topic, look at pages of every kind, crawl, build, search."""
    if not (folder / MARK).exists():
        if folder.exists() and any(folder.iterdir()):
            raise SettingsError(f"{folder} is not empty; give the demo a new folder")
        make_collection(folder)
        write_text(folder / MARK, "made by `blickfang demo`, which may change what is in here\n")
    settings = SETTINGS.format(seed=web.start_urls[0], proxy=address)
    write_text(folder / FILE, settings)
    save_pages(folder / "pages", web.seed_pages(TOPIC), fetch)
    save_pages(folder / "neutral", web.neutral_pages(), fetch)
    collection = open_collection(folder)
    learned = learn(collection)
    kinds = score_kinds(web, fetch, learned, collection, advance)
    harvest = crawl_web(collection, web)
    built = build(collection)
    hits = search_index(prepare_index(folder), QUERY, limit=HITS)
    sizes = len(web.hosts), len(web.pages), len(web.images)
    return Story(*sizes, learned, kinds, harvest, built, QUERY, hits)


def score_kinds(
    web: DemoWeb, fetch: Fetch, learned: Learned, collection: Collection, advance: Advance
) -> list[Kind]:
    """Return how well the pages of each kind of host fit the topic, the best first."""
    samples = choose_pages(web)
    kinds, done = [], 0
    for name, urls in samples.items():
        texts = [read_titled_text(fetch(url)) or "" for url in urls]
        done += len(urls)
        advance(done, sum(map(len, samples.values())))
        explained = explain(learned.topic, texts, collection.settings.score)
        perplexity = statistics.median(e.perplexity for e in explained if e.perplexity is not None)
        keywords = statistics.median(e.keyword_score for e in explained)
        score = statistics.median(e.score for e in explained if e.score is not None)
        kinds.append(Kind(name, len(texts), perplexity, keywords, score))
    return sorted(kinds, key=lambda kind: (kind.score, kind.perplexity))


def crawl_web(collection: Collection, web: DemoWeb) -> Harvest:
    """Crawl the demo web from its directory, and look up what is on the topic."""
    crawled = crawl(collection, lambda _: True)
    if crawled.error:
        raise InputError(f"the crawl of the demo web failed: {crawled.error}")
    hosts = {page.host for page in web.pages if page.topic == TOPIC}
    pages = [urlsplit(row["url"]).netloc in hosts for row in list_fetched(collection, "page")]
    images = [urlsplit(row["url"]).netloc in hosts for row in list_fetched(collection, "image")]
    share = sum(page.topic == TOPIC for page in web.pages) / len(web.pages)
    left_out = dict((crawled.standing.failures + crawled.standing.skipped).most_common())
    return Harvest(len(pages), sum(pages), len(images), sum(images), share, left_out)


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
