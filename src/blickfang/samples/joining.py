"""Sightings meet pictures: which addresses show a picture that may be kept, and what is said of it.

In: runs of sightings, pictures and pages of all archives, rules that drop. Out: `Survey`: every
mention of what is left as numbers, and every address that was dropped, with its reason. All
mentions of one address are in one bucket, so that each address is decided on at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from blickfang.focus.values import Doubles
from blickfang.samples.gathering import Pages, Pictures, Shot
from blickfang.samples.ranking import Ranks, rank
from blickfang.samples.runs import Runs
from blickfang.score import Options as Scoring

LIGHT = (
    *("url", "page_url", "page_title", "page_key", "page_relevance", "language", "origin"),
    *("alt", "title", "caption", "context", "generated", "confidence", "text_relevance"),
    *("perplexities", "keyword_scores"),
)
STEPS = ("fetched", "format", "size", "text", "consent", "duplicates", "rank")
MAX_CAPTION = 1000  # characters of what is kept of a dropped one


class Drop(NamedTuple):
    """Why an address is dropped, and at which step."""

    step: str
    reason: str  # in few fixed words
    detail: str = ""


NOT_FETCHED = Drop("fetched", "not in the archive")


class Rules(NamedTuple):
    """What drops an address."""

    fits: Callable[[Shot], Drop | None]
    alt_or_title: bool
    languages: frozenset[str]
    consents: Callable[[str, str], str]  # address, kind → why its host does not agree now, or ""


class Mentions(NamedTuple):
    """Mentions of what is left, as numbers, a row each."""

    address: NDArray[np.int32]  # number of the address
    place: NDArray[np.int64]  # number of the row among all rows of all buckets
    study: NDArray[np.float32]
    ours: NDArray[np.float32]
    host: NDArray[np.int32]  # number of the page's host


class Survey(NamedTuple):
    """What is left, and what is not."""

    addresses: list[str]
    shots: list[Shot]  # of each address
    mentions: Mentions
    initial: int  # different addresses that pages name
    drops: Counter[tuple[str, str]]  # step and reason → addresses


Row = dict[str, Any]


def survey(
    runs: Runs,
    pictures: Pictures,
    pages: Pages,
    rules: Rules,
    scoring: Scoring,
    reject: Callable[[list[Row]], None],
) -> Survey:
    """Decide on every address; `reject` is given the rows of those that are dropped."""
    addresses: list[str] = []
    shots: list[Shot] = []
    found: list[Mentions] = []
    drops: Counter[tuple[str, str]] = Counter()
    hosts: dict[str, int] = {}
    initial = start = 0
    for table in runs.buckets(LIGHT):
        bucket = Bucket(table, pages, rules, scoring)
        rejected, chosen = [], []
        for url, rows in bucket.addresses():
            initial += 1
            shot = pictures.find(url)
            drop = NOT_FETCHED if shot is None else bucket.judge(url, rows, shot, rules)
            if shot is None or drop is not None:
                drop = drop or NOT_FETCHED
                drops[drop.step, drop.reason] += 1
                rejected.append(bucket.describe(url, rows, shot, drop))
                continue
            chosen.append(bucket.choose(rows))
            addresses.append(url)
            shots.append(shot)
        found.append(bucket.number(chosen, len(addresses) - len(chosen), start, hosts))
        reject(rejected)
        start += len(table)
    return Survey(addresses, shots, _join(found), initial, drops)


def _join(found: list[Mentions]) -> Mentions:
    """Return mentions one behind the other."""
    kinds: tuple[Any, ...] = (np.int32, np.int64, np.float32, np.float32, np.int32)
    nothing = Mentions(*(np.empty(0, kind) for kind in kinds))
    columns: list[Any] = [np.concatenate(column) for column in zip(nothing, *found, strict=True)]
    return Mentions(*columns)


class Bucket:
    """The sightings of one bucket, looked at together; texts stay in their columns."""

    def __init__(self, table: pa.Table, pages: Pages, rules: Rules, scoring: Scoring) -> None:
        self.table, self.pages = table, pages
        self.keys = table["page_key"].to_numpy()
        known = np.fromiter(pages.captures, np.uint64, len(pages.captures))
        refused = np.fromiter(pages.refused, np.uint64, len(pages.refused))
        twins = np.fromiter(pages.twins, np.uint64, len(pages.twins))
        self.current = np.isin(self.keys, known)  # read from the capture that counts
        self.refused = np.isin(self.keys, refused)
        self.repeated = np.isin(self.keys, twins)
        self.speaks = np.ones(len(table), np.bool_)
        if rules.languages:
            wanted = pa.array(sorted(rules.languages), pa.string())
            self.speaks = pc.is_in(table["language"], wanted).to_numpy()
        self.counts = self.current & ~self.refused & self.speaks
        names = ("alt", "title") if rules.alt_or_title else ("alt", "title", "caption", "context")
        self.spoken = np.logical_or.reduce([_is_written(table, name) for name in names])
        self.ranks = _rank(table, scoring)

    def addresses(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Give each address with the numbers of its rows, in the order of addresses."""
        names, codes = _encode(self.table["url"])
        rows = np.flatnonzero(self.current)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        ends = np.flatnonzero(np.diff(codes[rows])) + 1
        groups = np.split(rows, ends) if len(rows) else []
        for group in sorted(groups, key=lambda group: names[codes[group[0]]]):
            yield names[codes[group[0]]], group

    def judge(self, url: str, rows: NDArray[np.int64], shot: Shot, rules: Rules) -> Drop | None:
        """Return why an address is dropped, None if it stays."""
        misfit = rules.fits(shot)
        if misfit:
            return misfit
        seen = rows[self.speaks[rows]]
        if not len(seen):
            return Drop("text", "language")
        told = seen[self.spoken[seen]]
        if not len(told):
            why = "no alt text and no title" if rules.alt_or_title else "no text"
            return Drop("text", why)
        why = shot.refusal or rules.consents(shot.url, "image") or rules.consents(url, "image")
        if why:
            return Drop("consent", why)
        if self.refused[told].all():  # whoever says something does not agree
            return Drop("consent", self.pages.refused[int(self.keys[told[0]])])
        return None

    def choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows that count; of repeated pages those that say what no other does."""
        rows = rows[self.counts[rows]]
        again = self.repeated[rows]
        if not again.any() or again.all():
            return rows
        known = {self._read_texts(row) for row in rows[~again].tolist()}
        new = [self._read_texts(row) not in known for row in rows[again].tolist()]
        again[again] = ~np.array(new)
        return rows[~again]

    def _read_texts(self, row: int) -> tuple[str, ...]:
        names = ("alt", "title", "caption", "context")
        return tuple(self.table[name][row].as_py() for name in names)

    def describe(self, url: str, rows: NDArray[np.int64], shot: Shot | None, drop: Drop) -> Row:
        """Return the row of an address that was dropped."""
        row = int(rows[0])
        names = ("page_url", "page_title", "caption", "context", "alt", "title")
        told = {name: self.table[name][row].as_py() for name in names}
        texts = (told[name] for name in names[2:])
        readable = shot is not None and not shot.failure
        return {
            "url": url,
            "page_url": told["page_url"],
            "page_title": told["page_title"],
            "caption": next(filter(None, texts), "")[:MAX_CAPTION],
            "width": shot.width if shot and readable else None,
            "height": shot.height if shot and readable else None,
            "sha256": shot.sha256 if shot and readable else "",
            "reason": drop.reason,
            "detail": drop.detail,
        }

    def number(
        self, chosen: list[NDArray[np.int64]], first: int, start: int, hosts: dict[str, int]
    ) -> Mentions:
        """Return the mentions of addresses, the first of which has a number, as numbers."""
        rows = np.concatenate([np.empty(0, np.int64), *chosen])
        pages, codes = _encode(self.table["page_url"])
        names = (url.split("/", 3)[2] for url in pages)
        numbers = [hosts.setdefault(name, len(hosts)) for name in names]
        owners = np.arange(first, first + len(chosen), dtype=np.int32)
        return Mentions(
            np.repeat(owners, list(map(len, chosen))),
            rows + start,
            self.ranks.study[rows].astype(np.float32),
            self.ranks.ours[rows].astype(np.float32),
            np.array(numbers, np.int32)[codes[rows]],
        )


def _encode(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
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
