"""Sightings meet pictures: every address that pages name is decided on, bucket by bucket.

In: runs of sightings, pictures and pages of all archives, rules that drop. Out: `Survey`: every
mention of what is left as numbers, and how many addresses were dropped, by reason. All mentions of
one address are in one bucket, so that each address is decided on at once (filters.py), wherever
`carry` brings its bucket.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.corpus.mentions.captures import PageCaptures, PictureCapture, Pictures
from blickfang.corpus.mentions.filters import (
    LIGHT,
    Bundle,
    Consents,
    Decided,
    DropRules,
    Row,
    decide,
)
from blickfang.corpus.mentions.mention_buckets import MentionRuns
from blickfang.text.relevance import ScoreOptions as Scoring
from blickfang.text.words import locate

STEPS = ("fetched", "format", "size", "text", "consent", "duplicates", "rank")

Carry = Callable[[Callable[[Bundle], Decided], Iterable[Bundle]], Iterator[Decided]]


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
    shots: list[PictureCapture]  # of each address
    mentions: Mentions
    initial: int  # different addresses that pages name
    drops: Counter[tuple[str, str]]  # step and reason → addresses


def survey(
    runs: MentionRuns,
    pictures: Pictures,
    pages: PageCaptures,
    consents: Consents,
    rules: DropRules,
    scoring: Scoring,
    reject: Callable[[list[Row]], None],
    explain: Callable[[list[str]], dict[str, str]],
    carry: Carry = map,
) -> Survey:
    """Decide on every address; `reject` is given the rows of those that are dropped.

    `explain` says of addresses that are not in the archive why, as far as anybody knows.
    """
    addresses: list[str] = []
    mentions: list[Mentions] = []
    drops: Counter[tuple[str, str]] = Counter()
    hosts: dict[str, int] = {}
    initial = start = 0
    task = partial(decide, rules=rules, scoring=scoring)
    for decided in carry(task, bundle_up(runs, pictures, pages, consents, explain)):
        mentions.append(_number(decided, len(addresses), start, hosts))
        addresses += decided.addresses
        drops.update(decided.drops)
        reject(decided.rejected)
        initial += decided.initial
        start += decided.size
    shots = [shot for url in addresses if (shot := pictures.find(url)) is not None]
    return Survey(addresses, shots, _join(mentions), initial, drops)


def bundle_up(
    runs: MentionRuns,
    pictures: Pictures,
    pages: PageCaptures,
    consents: Consents,
    explain: Callable[[list[str]], dict[str, str]],
) -> Iterator[Bundle]:
    """Give each bucket with what is known of its pages and pictures, and no more."""
    known, twins, refused = (
        np.sort(np.fromiter(keys, np.uint64, len(keys)))
        for keys in (pages.captures, pages.twins, pages.refused)
    )
    for table in runs.buckets(LIGHT):
        keys, urls = table["page_key"].to_numpy(), table["url"].unique().to_pylist()
        shots = {url: shot for url in urls if (shot := pictures.find(url)) is not None}
        silent = np.unique(keys[locate(refused, keys)[1]]).tolist()
        yield Bundle(
            table,
            shots,
            explain([url for url in urls if url not in shots]),
            locate(known, keys)[1],
            locate(twins, keys)[1],
            {key: pages.refused[key] for key in silent},
            consents.about({*shots, *(shot.url for shot in shots.values())}),
        )
        del table, keys, urls, shots  # else they are there while the next bucket is read


def _number(decided: Decided, first: int, start: int, hosts: dict[str, int]) -> Mentions:
    """Return the mentions of a bucket with the numbers of addresses, rows and hosts among all."""
    owners = np.arange(first, first + len(decided.addresses), dtype=np.int32)
    numbers = np.array([hosts.setdefault(name, len(hosts)) for name in decided.hosts], np.int32)
    return Mentions(
        np.repeat(owners, decided.counts),
        decided.rows + start,
        decided.study,
        decided.ours,
        numbers[decided.host],
    )


def _join(found: list[Mentions]) -> Mentions:
    """Return mentions one behind the other."""
    kinds: tuple[Any, ...] = (np.int32, np.int64, np.float32, np.float32, np.int32)
    nothing = Mentions(*(np.empty(0, kind) for kind in kinds))
    columns: list[Any] = [np.concatenate(column) for column in zip(nothing, *found, strict=True)]
    return Mentions(*columns)
