"""The topics can be told apart by their words, and the near misses are near but misses."""

import math
import re
from collections import Counter

import pytest

from blickfang.demo import DemoWeb

Vector = dict[str, float]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


@pytest.fixture(scope="module")
def vectors(web: DemoWeb) -> dict[str, Vector]:
    counts = {page.url: Counter(words(page.text)) for page in web.pages}
    spread = Counter(word for count in counts.values() for word in count)
    return {
        url: {word: n * math.log(len(counts) / spread[word]) for word, n in count.items()}
        for url, count in counts.items()
    }


def cosine(one: Vector, two: Vector) -> float:
    dot = sum(weight * two.get(word, 0.0) for word, weight in one.items())
    return dot / (math.hypot(*one.values()) * math.hypot(*two.values()) or 1.0)


def centre(vectors: dict[str, Vector], urls: tuple[str, ...]) -> Vector:
    total: Counter[str] = Counter()
    for url in urls:
        total.update(vectors[url])
    return dict(total)


def test_pages_are_nearest_to_their_own_seeds(web: DemoWeb, vectors: dict[str, Vector]) -> None:
    centres = {topic: centre(vectors, web.seed_pages(topic)) for topic in web.topics}
    centres["noise"] = centre(vectors, web.neutral_pages())
    wanted = [it for it in web.pages if it.kind == "content" and it.language == "en"]
    right = total = 0
    for page in wanted:
        if page.topic in web.topics:
            near = {name: cosine(vectors[page.url], middle) for name, middle in centres.items()}
            right += max(near, key=lambda name: near[name]) == page.topic
            total += 1
    assert total >= 150
    assert right / total > 0.99


def test_near_misses_are_nearer_than_noise_but_farther_than_the_topic(
    web: DemoWeb, vectors: dict[str, Vector]
) -> None:
    middle = centre(vectors, web.seed_pages("lighthouses"))

    def mean(topic: str, host: str) -> float:
        wanted = [it for it in web.pages if it.host == host and it.kind == "content"]
        assert {page.topic for page in wanted} == {topic}
        return sum(cosine(vectors[page.url], middle) for page in wanted) / len(wanted)

    topic = mean("lighthouses", "keepers-journal.test")
    miss = mean("near-miss:audit-software", "lighthouse-audit.test")
    noise = mean("noise:cookery", "plain-kitchen.test")
    assert topic > 2 * miss
    assert miss > noise


def test_german_is_german(web: DemoWeb) -> None:
    german = [page for page in web.pages if page.language == "de" and page.kind == "content"]
    assert len(german) >= 20
    for page in german:
        assert {"der", "die", "und"} & set(words(page.text))
        assert re.search("[äöüß]", page.text)
        assert f'lang="{page.language}"'.encode() in web.answer(page.url).body
