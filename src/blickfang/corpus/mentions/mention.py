"""Sightings: every image that a page shows or names, with every text about it and what it is worth.

In: pages as they were read. Out: columns, a row a sighting; Arrow tables of them. The texts are the
study's: alt, title, address, parents and siblings, and behind them our own best context; each has
its number of words, its perplexity and its keyword score. Method: docs/method.md, "Samples".
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.corpus.mentions.score_texts import Ranges, Scoring, find_emphasised
from blickfang.crawl.focus import Strategy, see
from blickfang.crawl.focus.judged_values import Doubles
from blickfang.text import Topic
from blickfang.text.relevance import PARENTS
from blickfang.types import Context, Image, Link, Page

SPOKEN = ("alt", "title", "url")  # what does not stand on the page
AROUND = (
    *(f"parent-{level}" for level in range(PARENTS)),
    *(f"sibling-{level}" for level in range(PARENTS)),
    "best",
)
TEXTS = (*SPOKEN, *AROUND)
METHODS = ("best", *AROUND[:-1])  # to be asked for when a page is read
MAX_TEXT = 300  # characters of a parent or sibling that are kept; scores are of all of it
MAX_CONTEXT = 4000  # characters of the best context
MAX_ATTRIBUTES = 4000  # bytes of all attributes; some hold a picture

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
        ("credit", pa.string()),
        ("section", pa.string()),
        ("name", pa.string()),
        ("generated", pa.string()),
        ("context", pa.string()),
        ("method", pa.string()),
        ("kind", pa.string()),
        ("confidence", pa.float32()),
        ("position", pa.int32()),
        ("width", pa.int32()),  # as the page states it
        ("height", pa.int32()),
        ("text_relevance", pa.float32()),
        ("link_texts", pa.list_(pa.string())),
        ("attributes", pa.string()),
        ("emphasised", pa.list_(pa.int32())),
        ("texts", pa.list_(pa.string(), _SLOTS)),
        ("words", pa.list_(pa.int32(), _SLOTS)),
        ("perplexities", pa.list_(pa.float64(), _SLOTS)),
        ("keyword_scores", pa.list_(pa.float64(), _SLOTS)),
    ]
)
MATRICES = ("words", "perplexities", "keyword_scores")
PAGE_COLUMNS = SCHEMA.names[1:10]  # the same for all images of a page
IMAGE_COLUMNS = ("url", *SCHEMA.names[10:29])
FIELDS = ("alt", "title", "name")  # of an image: what SPOKEN are
FIELD_COLUMNS = tuple(
    name
    for name in IMAGE_COLUMNS
    if name in Image._fields and name not in ("generated", "attributes")
)

NOTHING = Context("", "", 0.0, "", (), ())
_TARGET: Callable[[Link], str] = itemgetter(Link._fields.index("url"))
_PICK: Callable[[dict[str, Context]], tuple[Context, ...]] = itemgetter(*AROUND)


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

    def __init__(self, worth: Worth) -> None:
        self._strategy = worth.strategy
        self._of_page: dict[str, list[Any]] = {name: [] for name in PAGE_COLUMNS}
        self._of_image: dict[str, list[Any]] = {name: [] for name in IMAGE_COLUMNS}
        self._counts: list[int] = []  # images of each page
        self._texts: list[str] = []  # around images, cut to what is kept; images share them
        self._which: list[NDArray[np.int64]] = []  # of them, a row an image, in the order of AROUND
        self._best: list[Ranges] = []  # words of the best context of each image
        self._sizes: list[int] = []  # words of each page
        self._emphasised: list[NDArray[np.int32]] = []  # ranges of them
        self._scoring = Scoring(worth.topic)

    def __len__(self) -> int:
        return len(self._of_image["url"])

    def add(self, page: Page, host: str, capture: Capture) -> float | None:
        """Take the images of a page; return how much the page is worth."""
        images = [image for image in page.images if image.url]
        relevance, of_texts = _judge(page, host, images, self._strategy)
        if not images:
            return relevance
        said = dict(zip(Image._fields, zip(*images, strict=True), strict=True))
        around = [*chain.from_iterable(map(_look_around, said["contexts"]))]
        # The same object is the same text: comparing what it holds would take as long as all else.
        different = dict(zip(map(id, around), around, strict=True))
        number = dict(zip(different, count(len(self._texts)), strict=False))
        which = map(number.__getitem__, map(id, around))
        self._which.append(np.fromiter(which, np.int64, len(around)))
        self._texts += [context.text[:MAX_TEXT] for context in different.values()]
        self._scoring.add(
            page.words,
            [*chain.from_iterable(zip(*(said[name] for name in FIELDS), strict=True))],
            [context.words for context in different.values()],
        )
        of_page = (
            *(page.url, page.title, capture.key, relevance, page.language, page.licences),
            *(capture.fetched_at, capture.file, capture.offset),
        )
        for column, value in zip(self._of_page.values(), of_page, strict=True):
            column.append(value)
        for name in FIELD_COLUMNS:
            self._of_image[name] += said[name]
        self._add_best(around[len(AROUND) - 1 :: len(AROUND)])
        self._of_image["generated"] += map(" ".join, said["generated"])
        self._of_image["text_relevance"] += of_texts
        self._of_image["attributes"] += map(_read_source, said["attributes"])
        self._of_image["link_texts"] += _find_link_texts(page, said["url"])
        self._counts.append(len(images))
        self._sizes.append(len(page.words))
        self._emphasised.append(page.emphasised)
        return relevance

    def _add_best(self, contexts: list[Context]) -> None:
        """Take our own choice of text of each image."""
        columns = self._of_image
        self._best += [best.words for best in contexts]
        columns["context"] += [best.text[:MAX_CONTEXT] for best in contexts]
        columns["method"] += [best.reasons[0] if best.reasons else "" for best in contexts]
        columns["kind"] += [best.kind for best in contexts]
        columns["confidence"] += [best.confidence for best in contexts]

    def table(self) -> pa.Table:
        """Return all rows gathered."""
        rows = np.repeat(np.arange(len(self._counts)), self._counts)
        columns = {
            name: pa.array(values, SCHEMA.field(name).type).take(rows)
            for name, values in self._of_page.items()
        }
        for name, values in self._of_image.items():
            columns[name] = pa.array(values, SCHEMA.field(name).type)
        which = np.concatenate([np.empty(0, np.int64), *self._which]).reshape(-1, len(AROUND))
        columns["texts"] = self._join_texts(columns, which)
        columns["emphasised"] = find_emphasised(
            self._best, self._counts, self._sizes, self._emphasised
        )
        spoken, shown = self._scoring.finish()
        for name, of_spoken, of_shown in zip(MATRICES, spoken, shown, strict=True):
            matrix = np.hstack((of_spoken.reshape(-1, len(SPOKEN)), of_shown[which]))
            columns[name] = _stack(matrix, SCHEMA.field(name).type)
        return pa.Table.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)

    def _join_texts(self, columns: dict[str, pa.Array], which: NDArray[np.int64]) -> pa.Array:
        """Return all texts of each image, which hold some of its columns once more."""
        texts = [*(columns[name] for name in FIELDS), pa.array(self._texts, pa.string())]
        each = np.arange(len(which))[:, None] + len(which) * np.arange(len(FIELDS))
        places = np.hstack((each, which + len(which) * len(FIELDS)))
        flat = pa.concat_arrays(texts).take(places.ravel())
        return pa.FixedSizeListArray.from_arrays(flat, _SLOTS)


def _stack(matrix: Doubles, kind: pa.DataType) -> pa.Array:
    """Return the rows of a matrix as lists of numbers; what is no number becomes null."""
    values = pa.array(matrix.ravel(), kind.value_type, from_pandas=True)
    return pa.FixedSizeListArray.from_arrays(values, _SLOTS)


def _judge(
    page: Page, host: str, images: list[Image], strategy: Strategy | None
) -> tuple[float | None, list[float | None]]:
    """Return how much a page is worth, and what is said of each of its images."""
    if strategy is None:
        return None, [None] * len(images)
    seen = see(page, host, with_links=False)
    relevance, values = strategy.rate(seen)
    if values is None:
        return relevance, [None] * len(images)
    by_url = dict(zip(seen.images, values.tolist(), strict=True))
    return relevance, [by_url[image.url or ""] for image in images]


def _read_source(attributes: Mapping[str, str]) -> str:
    """Return attributes as the page writes them; those of the few samples are taken apart later."""
    source: bytes = getattr(attributes, "source", b"")  # what is only named has none
    return source[:MAX_ATTRIBUTES].decode("utf-8", "ignore")


def _find_link_texts(page: Page, urls: Sequence[str]) -> list[list[str]]:
    """Return for each image the texts of the links of its page that lead to it.

    Also of those that the page shows, and of every link: each may say something else.
    """
    linked = {*urls}.intersection(map(_TARGET, page.links))
    if not linked:
        return [[]] * len(urls)
    texts: dict[str, list[str]] = {url: [] for url in linked}
    for link in page.links:
        if link.url in linked and link.kind == "a" and link.anchor:
            texts[link.url].append(link.anchor[:MAX_TEXT])
    return [texts.get(url, []) for url in urls]


def _look_around(contexts: dict[str, Context]) -> tuple[Context, ...]:
    """Return the texts around an image in the order of AROUND."""
    try:
        return _PICK(contexts)
    except KeyError:  # named by the page, but nowhere on it
        return tuple(contexts.get(name, NOTHING) for name in AROUND)
