"""One bucket of sightings: which addresses show a picture that may be kept, and what is said of it.

In: a `Bundle`, everything that is known of the addresses of one bucket. Out: `Decided`: every
mention of what is left as numbers, and every address that was dropped, with its reason. Pure, and
both can be pickled, so that buckets may be decided on anywhere.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from blickfang.corpus.mentions.captures import PictureCapture
from blickfang.corpus.mentions.rank import Ranks, rank
from blickfang.crawl.focus.judged_values import Doubles
from blickfang.text.relevance import ScoreOptions as Scoring

LIGHT = (
    *("url", "page_url", "page_title", "page_key", "page_relevance", "language", "origin"),
    *("alt", "title", "caption", "context", "generated", "confidence", "text_relevance"),
    *("perplexities", "keyword_scores", "width", "height"),
)
MAX_CAPTION = 1000  # characters of what is kept of a dropped one

Row = dict[str, Any]
Rows = NDArray[np.int64]


class Drop(NamedTuple):
    """Why an address is dropped, and at which step."""

    step: str
    reason: str  # in few fixed words
    detail: str = ""


UNKNOWN, NEVER = "not in the archive", "never asked for"


class Consents(Protocol):
    """Says of an address and its kind why its host does not agree now, or ""."""

    def __call__(self, url: str, kind: str, /) -> str:
        """Return why an address may not be kept."""

    def about(self, urls: Iterable[str], /) -> "Consents":
        """Return as much of it as these addresses need."""


class DropRules(NamedTuple):
    """What drops an address."""

    fits: Callable[[PictureCapture], Drop | None]
    alt_or_title: str  # the setting that asks for one of them; "": any text will do
    languages: frozenset[str]  # none: all
    shown_small: Callable[[int | None, int | None], bool]  # so that nobody asks for it
    drawn: bool = False  # text drawn in a picture is enough; it is read when samples are assembled


class Bundle(NamedTuple):
    """The sightings of one bucket, and what is known of their pages and pictures."""

    table: pa.Table
    shots: dict[str, PictureCapture]  # by address
    lost: dict[str, str]  # why others are not in the archive, by address, as far as it is known
    current: NDArray[np.bool_]  # rows read from the capture that counts
    repeated: NDArray[np.bool_]  # rows of pages whose text another one has, too
    refused: dict[int, str]  # by key: pages whose images may not be kept, and why
    consents: Consents


class Decided(NamedTuple):
    """What is left of a bucket, and what is not."""

    addresses: list[str]
    counts: list[int]  # mentions of each address
    rows: Rows  # of these mentions, in the bucket
    study: NDArray[np.float32]
    ours: NDArray[np.float32]
    hosts: list[str]  # of pages, each once
    host: Rows  # which of them each mention is of
    size: int  # rows of the bucket
    initial: int  # different addresses
    drops: Counter[tuple[str, str]]
    rejected: list[Row]


def decide(bundle: Bundle, rules: DropRules, scoring: Scoring) -> Decided:
    """Decide on every address of a bucket."""
    bucket = Bucket(bundle, rules, scoring)
    addresses, chosen = [], []
    dropped: list[tuple[str, int, Drop]] = []
    groups = bucket.list_addresses()
    for url, rows in groups:
        drop = bucket.judge(url, rows)
        if drop is not None:
            dropped.append((url, int(rows[0]), drop))
            continue
        addresses.append(url)
        chosen.append(bucket.choose(rows))
    rows = np.concatenate([np.empty(0, np.int64), *chosen])
    hosts, host = bucket.find_hosts(rows)
    decided = Decided(
        addresses,
        list(map(len, chosen)),
        rows,
        bucket.ranks.study[rows].astype(np.float32),
        bucket.ranks.ours[rows].astype(np.float32),
        hosts,
        host,
        len(bucket.table),
        len(groups),
        Counter((drop.step, drop.reason) for _, _, drop in dropped),
        bucket.describe(dropped),
    )
    del bucket
    pa.default_memory_pool().release_unused()  # else it keeps what the largest took
    return decided


class Bucket:
    """The sightings of one bucket, looked at together; texts stay in their columns."""

    def __init__(self, bundle: Bundle, rules: DropRules, scoring: Scoring) -> None:
        table = bundle.table
        self.bundle, self.table, self.rules = bundle, table, rules
        self.keys = table["page_key"].to_numpy()
        self.refused = np.isin(self.keys, np.array([*bundle.refused], np.uint64))
        self.speaks = np.ones(len(table), np.bool_)
        if rules.languages:
            wanted = pa.array(sorted(rules.languages), pa.string())
            self.speaks = pc.is_in(table["language"], wanted).to_numpy()
        self.counts = bundle.current & ~self.refused & self.speaks
        names = ("alt", "title") if rules.alt_or_title else ("alt", "title", "caption", "context")
        self.spoken = np.logical_or.reduce([_is_written(table, name) for name in names])
        self.ranks = _rank(table, scoring)

    def list_addresses(self) -> list[tuple[str, Rows]]:
        """Return each address with the numbers of its rows, in the order of addresses."""
        names, codes = _encode(self.table["url"])
        rows = np.flatnonzero(self.bundle.current)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        edges = np.searchsorted(codes[rows], np.arange(len(names) + 1)).tolist()
        found = (
            (name, rows[edges[code] : edges[code + 1]])
            for code, name in enumerate(names)
            if edges[code] < edges[code + 1]
        )
        return sorted(found, key=lambda pair: pair[0])

    def judge(self, url: str, rows: Rows) -> Drop | None:
        """Return why an address is dropped, None if it stays."""
        shot = self.bundle.shots.get(url)
        if shot is None:
            return self._explain(url, rows)
        misfit = self.rules.fits(shot)
        if misfit:
            return misfit
        seen = rows[self.speaks[rows]]
        if not len(seen):
            wanted = ", ".join(f'"{name}"' for name in sorted(self.rules.languages))
            return Drop("text", f"other language (languages = [{wanted}])")
        told = seen[self.spoken[seen]]
        if not len(told) and self.rules.drawn:
            told = seen
        if not len(told):
            alone = self.rules.alt_or_title
            return Drop("text", f"no alt text and no title ({alone})" if alone else "no text")
        consents = self.bundle.consents
        why = shot.refusal or consents(shot.url, "image") or consents(url, "image")
        if why:
            return Drop("consent", why)
        if self.refused[told].all():  # whoever says something does not agree
            return Drop("consent", self.bundle.refused[int(self.keys[told[0]])])
        return None

    def _explain(self, url: str, rows: Rows) -> Drop:
        """Return why an address is not in the archive."""
        why = self.bundle.lost.get(url, UNKNOWN)
        if why != NEVER:
            return Drop("fetched", why)
        seen = self.table.select(["width", "height"]).take(rows)
        sizes = dict.fromkeys(zip(*(column.to_pylist() for column in seen.columns), strict=True))
        if not all(self.rules.shown_small(*size) for size in sizes):
            return Drop("fetched", NEVER)
        shown = "×".join("?" if side is None else str(side) for side in next(iter(sizes)))
        return Drop("fetched", f"{NEVER}: shown too small", f"shown as {shown}")

    def choose(self, rows: Rows) -> Rows:
        """Return the rows that count; of repeated pages those that say what no other does."""
        rows = rows[self.counts[rows]]
        again = self.bundle.repeated[rows]
        if not again.any() or again.all():
            return rows
        known = {self._read_texts(row) for row in rows[~again].tolist()}
        new = [self._read_texts(row) not in known for row in rows[again].tolist()]
        again[again] = ~np.array(new)
        return rows[~again]

    def _read_texts(self, row: int) -> tuple[str, ...]:
        names = ("alt", "title", "caption", "context")
        return tuple(self.table[name][row].as_py() for name in names)

    def describe(self, dropped: list[tuple[str, int, Drop]]) -> list[Row]:
        """Return the rows of addresses that were dropped; each is told of by one sighting."""
        names = ("page_url", "page_title", "caption", "context", "alt", "title")
        table = self.table.select(names).take(pa.array([row for _, row, _ in dropped], pa.int64()))
        columns = [table[name].to_pylist() for name in names]
        rejected = []
        for (url, _, drop), page_url, page_title, *texts in zip(dropped, *columns, strict=True):
            shot = self.bundle.shots.get(url)
            seen = None if shot is None or shot.failure else shot
            rejected.append(
                {
                    "url": url,
                    "page_url": page_url,
                    "page_title": page_title,
                    "caption": next(filter(None, texts), "")[:MAX_CAPTION],
                    "width": seen.width if seen else None,
                    "height": seen.height if seen else None,
                    "sha256": seen.sha256 if seen else "",
                    "step": drop.step,
                    "reason": drop.reason,
                    "detail": drop.detail,
                }
            )
        return rejected

    def find_hosts(self, rows: Rows) -> tuple[list[str], Rows]:
        """Return the hosts of all pages, and which of them some rows are of."""
        pages, codes = _encode(self.table["page_url"])
        numbers: dict[str, int] = {}
        owners = [numbers.setdefault(url.split("/", 3)[2], len(numbers)) for url in pages]
        return list(numbers), np.array(owners, np.int64)[codes[rows]]


def _encode(column: pa.ChunkedArray) -> tuple[list[str], Rows]:
    """Return the different texts of a column, and which of them each row has."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _is_written(table: pa.Table, name: str) -> NDArray[np.bool_]:
    """Return in which rows a text is not empty, and not made by a program."""
    filled = pc.not_equal(table[name], "").to_numpy()
    generated = pc.match_substring(table["generated"], name).to_numpy()
    written: NDArray[np.bool_] = filled & ~generated
    return written


def _rank(table: pa.Table, scoring: Scoring) -> Ranks:
    def matrix(name: str) -> Doubles:
        column = table[name].combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        return np.asarray(flat, np.float64).reshape(len(table), -1)

    def numbers(name: str) -> Doubles:
        return np.asarray(table[name].to_numpy(), np.float64)

    return rank(
        matrix("perplexities"),
        matrix("keyword_scores"),
        numbers("page_relevance"),
        numbers("text_relevance"),
        numbers("confidence"),
        scoring,
    )
