"""How well search does on the demo web, against what is true about its pictures.

Nothing is left out of the corpus for being off topic: birds called kites, software called
lighthouse and stools like mushrooms are all there. Each topic has a corpus ranked for it, by a
language model learned from six pages. Queries are the words by which the captions of a topic's
pictures differ from the others', one, two and three of them; and pictures of samples, which are
then not counted as found.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from blickfang.corpus.search import Hit, OpenIndex, build_index, open_index, search_index
from blickfang.demo import DemoWeb, build_web
from blickfang.text.keywords import find_keywords
from blickfang.text.words import read_many
from tests.search.demo_corpus import DemoCorpus, make_demo_corpus, read_pages

pytestmark = pytest.mark.filterwarnings("ignore:too little text")

CUT = 10
TOPIC_WORDS = 12
EACH = 3  # every third picture of a topic is a query
NDCG_FLOOR, VISUAL_FLOOR = 0.9, 0.9
ALONE = ("text", "visual", "lsi")


class Collection(NamedTuple):
    """The corpus of a topic, its index and the queries for it."""

    topic: str
    demo: DemoCorpus
    opened: OpenIndex
    queries: list[str]
    pictures: list[str]  # ids of queries
    files: dict[str, bytes]  # by id


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> list[Collection]:
    web = build_web()
    shown = read_pages(web)
    folder = tmp_path_factory.mktemp("demo")
    found = []
    for topic in web.topics:
        demo = make_demo_corpus(web, topic, folder / topic / "corpus", shown)
        build_index(demo.corpus, folder / topic / "search")
        index = open_index(demo.corpus, folder / topic / "search")
        ids = sorted(name for name, truth in demo.truths.items() if truth.topic == topic)
        rows = demo.corpus.table(["id", "image"]).to_pylist()
        files = {row["id"]: row["image"]["bytes"] for row in rows}
        queries = topic_queries(web, topic)
        found.append(Collection(topic, demo, index, queries, ids[::EACH], files))
    return found


def topic_queries(web: DemoWeb, topic: str) -> list[str]:
    """Return words that ten captions or more of a topic have, and others less: one to three."""
    texts = {
        image.url: " ".join(sorted({mention.caption for mention in image.mentions}))
        for image in web.images
        if image.duplicate_of is None
    }
    ours = [texts[image.url] for image in web.images if image.topic == topic and image.url in texts]
    others = [
        texts[image.url] for image in web.images if image.topic != topic and image.url in texts
    ]
    keywords = find_keywords(read_many(ours), read_many(others), 200)
    words = [keyword.word for keyword in keywords if keyword.df >= CUT][:TOPIC_WORDS]
    pairs = [" ".join(words[at : at + 2]) for at in range(0, len(words) - 1, 2)]
    return words + pairs + [" ".join(words[at : at + 3]) for at in range(0, len(words) - 2, 3)]


def ndcg(hits: list[Hit], collection: Collection) -> float:
    truths = collection.demo.truths
    gains = [truths[hit.id].topic == collection.topic for hit in hits]
    discounts = 1 / np.log2(np.arange(CUT) + 2)
    return float(sum(d for d, gain in zip(discounts, gains, strict=False) if gain) / sum(discounts))


def ask(collection: Collection, words: str, picture: str, ways: tuple[str, ...]) -> float:
    """Return the quality of what a query finds, but for the picture itself."""
    image = collection.files[picture] if picture else None
    found = search_index(collection.opened, words, image=image, limit=CUT + 1, ways=ways)
    return ndcg([hit for hit in found if hit.id != picture][:CUT], collection)


def pairs_of(collections: list[Collection], kind: str) -> Iterator[tuple[Collection, str, str]]:
    for collection in collections:
        queries, pictures = collection.queries, collection.pictures
        if kind == "words":
            yield from ((collection, query, "") for query in queries)
        elif kind == "picture":
            yield from ((collection, "", picture) for picture in pictures)
        else:
            for at, picture in enumerate(pictures):
                yield collection, queries[at % len(queries)], picture


@pytest.mark.parametrize("kind", ["words", "picture", "both"])
def test_all_ways_together_are_as_good_as_each(collections: list[Collection], kind: str) -> None:
    asked = list(pairs_of(collections, kind))
    together = float(np.mean([ask(*one, ways=()) for one in asked]))
    ways = {"words": ("text", "lsi"), "picture": ("visual", "lsi"), "both": ALONE}[kind]
    alone = {way: float(np.mean([ask(*one, ways=(way,)) for one in asked])) for way in ways}
    print(f"{kind}: {len(asked)} queries, nDCG@10 {together:.3f}, alone {alone}")  # noqa: T201
    assert together >= NDCG_FLOOR
    assert all(together >= score for score in alone.values()), alone


def test_a_picture_finds_its_motif(collections: list[Collection]) -> None:
    collection = collections[0]  # all have the same pictures
    truths = collection.demo.truths
    found = []
    for name, truth in truths.items():
        image = collection.files[name]
        hits = search_index(collection.opened, image=image, limit=6, ways=("visual",))
        motifs = [truths[hit.id].motif for hit in hits if hit.id != name][:5]
        found.append(truth.motif in motifs)
    print(f"motif among the first five: {np.mean(found):.3f} of {len(found)}")  # noqa: T201
    assert np.mean(found) >= VISUAL_FLOOR
