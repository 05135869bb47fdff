"""Sightings: every image that a page shows or names, with every text about it and what it is worth.

In: pages as they were read. Out: columns, a row a sighting; Arrow tables of them. The texts are the
study's: alt, title, address, parents and siblings, and behind them our own best context; each has
its number of words, its perplexity and its keyword score. Method: docs/method.md, "Samples".
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.data import Context, Image, Page
from blickfang.focus import Strategy, see
from blickfang.focus.surprise import measure, measure_nested
from blickfang.focus.values import Doubles
from blickfang.topic import Topic
from blickfang.words import read_many

LEVELS = 5
SPOKEN = ("alt", "title", "url")  # what does not stand on the page
AROUND = (
    *(f"parent-{level}" for level in range(LEVELS)),
    *(f"sibling-{level}" for level in range(LEVELS)),
    "best",
)
TEXTS = (*SPOKEN, *AROUND)
METHODS = ("best", *AROUND[:-1])  # to be asked for when a page is read
MAX_TEXT = 300  # characters of a parent or sibling that are kept; scores are of all of it
MAX_CONTEXT = 4000  # characters of the best context

_SLOTS = len(TEXTS)
SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("page_url", pa.string()),
        ("page_title", pa.string()),
        ("page_key", pa.uint64()),
        ("page_relevance", pa.float32()),
        ("language", pa.string()),
        ("licences", pa.list_(pa.string())),
        ("fetched_at", pa.string()),
        ("page_file", pa.string()),
        ("page_offset", pa.int64()),
        ("origin", pa.string()),
        ("number", pa.int32()),
        ("alt", pa.string()),
        ("title", pa.string()),
        ("caption", pa.string()),
        ("section", pa.string()),
        ("name", pa.string()),
        ("generated", pa.string()),
        ("context", pa.string()),
        ("method", pa.string()),
        ("kind", pa.string()),
        ("confidence", pa.float32()),
        ("position", pa.int32()),
        ("text_relevance", pa.float32()),
        ("texts", pa.list_(pa.string(), _SLOTS)),
        ("words", pa.list_(pa.int32(), _SLOTS)),
        ("perplexities", pa.list_(pa.float64(), _SLOTS)),
        ("keyword_scores", pa.list_(pa.float64(), _SLOTS)),
    ]
)
MATRICES = ("words", "perplexities", "keyword_scores")


Ranges = tuple[tuple[int, int], ...]  # of words of a page


class Capture(NamedTuple):
    """Which answer a page was read from."""

    key: int  # 64 bits
    fetched_at: str
    file: str
    offset: int | None


class Worth(NamedTuple):
    """What pages and texts are judged by; both None in a collection without a topic."""

    topic: Topic | None
    strategy: Strategy | None


class Sightings:
    """Rows of sightings as they are gathered, column by column."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}

    def __len__(self) -> int:
        return len(self.columns["url"])

    def add(self, page: Page, host: str, capture: Capture, worth: Worth) -> float | None:
        """Take the images of a page; return how much the page is worth."""
        images = [image for image in page.images if image.url]
        relevance, of_texts = _judge(page, host, images, worth.strategy)
        if not images:
            return relevance
        texts = [_read_texts(image) for image in images]
        found = _score(page, images, texts, worth.topic)
        for name, matrix in zip(MATRICES, found, strict=True):
            self.columns[name].append(matrix)
        row = (
            *(page.url, page.title, capture.key, relevance, page.language, page.licences),
            *(capture.fetched_at, capture.file, capture.offset),
        )
        whole = SCHEMA.names[1 : 1 + len(row)]
        for name, value in zip(whole, row, strict=True):
            self.columns[name] += [value] * len(images)
        for image, said, value in zip(images, texts, of_texts, strict=True):
            self._add_one(image, said, value)
        return relevance

    def _add_one(self, image: Image, texts: list[str], relevance: float | None) -> None:
        best = image.contexts.get("best")
        row = {
            "url": image.url,
            "origin": image.origin,
            "number": image.number,
            "alt": image.alt,
            "title": image.title,
            "caption": image.caption,
            "section": image.section,
            "name": image.name,
            "generated": " ".join(image.generated),
            "context": best.text[:MAX_CONTEXT] if best else "",
            "method": best.reasons[0] if best and best.reasons else "",
            "kind": best.kind if best else "",
            "confidence": best.confidence if best else 0.0,
            "position": image.position,
            "text_relevance": relevance,
            "texts": texts,
        }
        for name, value in row.items():
            self.columns[name].append(value)

    def table(self) -> pa.Table:
        """Return all rows gathered."""
        arrays = []
        for field in SCHEMA:
            column = self.columns[field.name]
            if field.name in MATRICES:
                arrays.append(_stack(column, field.type))
            elif field.name == "texts":
                flat = pa.array([text for texts in column for text in texts], pa.string())
                arrays.append(pa.FixedSizeListArray.from_arrays(flat, _SLOTS))
            else:
                arrays.append(pa.array(column, field.type))
        return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _stack(matrices: Sequence[Doubles], kind: pa.DataType) -> pa.Array:
    """Return the rows of matrices as lists of numbers; what is no number becomes null."""
    flat = np.concatenate([matrix.ravel() for matrix in matrices]) if matrices else np.empty(0)
    values = pa.array(flat, kind.value_type, from_pandas=True)
    return pa.FixedSizeListArray.from_arrays(values, _SLOTS)


def _judge(
    page: Page, host: str, images: list[Image], strategy: Strategy | None
) -> tuple[float | None, list[float | None]]:
    """Return how much a page is worth, and what is said of each of its images."""
    if strategy is None:
        return None, [None] * len(images)
    seen = see(page, host)
    judged = strategy.judge(seen)
    values = judged.images.parts.get("text")
    if values is None:
        return judged.relevance, [None] * len(images)
    by_url = dict(zip(seen.images, values.tolist(), strict=True))
    return judged.relevance, [by_url[image.url or ""] for image in images]


def _read_texts(image: Image) -> list[str]:
    """Return the texts of an image in the order of TEXTS, cut to what is kept."""
    around = (image.contexts.get(name) for name in AROUND)
    return [
        image.alt,
        image.title,
        image.name,
        *(context.text[:MAX_TEXT] if context else "" for context in around),
    ]


def _score(
    page: Page, images: list[Image], texts: list[list[str]], topic: Topic | None
) -> tuple[Doubles, Doubles, Doubles]:
    """Return a row an image, a column a text: words, perplexities, keyword scores."""
    spoken = read_many([text for said in texts for text in said[: len(SPOKEN)]])
    shown = [_ranges(image.contexts.get(name)) for image in images for name in AROUND]
    number = {ranges: place for place, ranges in enumerate(dict.fromkeys(shown))}
    which = np.array([number[ranges] for ranges in shown]).reshape(len(images), -1)
    edges = _flatten(list(number))
    first, last = spoken.texts[:-1], spoken.texts[1:]
    said = (len(images), len(SPOKEN))
    counts = np.bincount(edges[:, 0], edges[:, 2] - edges[:, 1], len(number))[which]
    words = np.hstack(((last - first).reshape(said), counts))
    if topic is None:
        nothing = np.full(words.shape, np.nan)
        return words, nothing, nothing
    keywords = topic.keywords
    sums = np.append(0.0, np.cumsum(keywords.weigh(spoken.hashes)))
    told = (sums[last] - sums[first]).reshape(said)
    surprise = measure(topic.model, spoken.hashes, first, last).reshape(said)
    unlike = _measure_ranges(page, list(number), topic)[which]
    sums = np.append(0.0, np.cumsum(keywords.weigh(page.words)))
    stands = np.bincount(edges[:, 0], sums[edges[:, 2]] - sums[edges[:, 1]], len(number))[which]
    return (
        words,
        np.hstack((surprise, unlike)),
        np.hstack((told, stands)) / (keywords.total or 1.0),
    )


def _flatten(texts: list[Ranges]) -> NDArray[np.int64]:
    """Return the ranges of texts, a row each: number of the text, first word, word behind it."""
    rows = [(place, *pair) for place, ranges in enumerate(texts) for pair in ranges]
    return np.array(rows, np.int64).reshape(-1, 3)


def _ranges(context: Context | None) -> Ranges:
    return context.words if context else ()


def _measure_ranges(page: Page, texts: list[Ranges], topic: Topic) -> Doubles:
    """Return the perplexity of each text of a page."""
    found = np.full(len(texts), np.nan)
    single = [place for place, text in enumerate(texts) if len(text) == 1]
    if single:
        edges = np.array([texts[place][0] for place in single], np.int32)
        found[single] = measure_nested(topic.model, page.words, edges[:, 0], edges[:, 1])
    for place, text in enumerate(texts):
        if len(text) > 1:  # with something hidden in between; rare
            words = np.concatenate([page.words[start:end] for start, end in text])
            edge = np.array([0, len(words)], np.int32)
            found[place] = measure(topic.model, words, edge[:1], edge[1:])[0]
    return found
