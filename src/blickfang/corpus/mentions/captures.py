"""All parts together: which capture of each page and picture counts, and where detours lead.

In: the folders of parts, in the order of their archives. Out: `Pictures` and `Pages` by address. Of
several captures the youngest counts; of a page, what a browser made of it before what was sent.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from blickfang.corpus.mentions.capture_tables import is_same_site
from blickfang.corpus.mentions.duplicate_pages import find_twins
from blickfang.io.urls import host

MAX_HOPS = 5  # of redirects


class PictureCapture(NamedTuple):
    """One capture of a picture."""

    part: int
    row: int  # in the table of its part
    url: str
    fetched_at: str
    file: str
    offset: int | None
    length: int | None
    format: str
    width: int
    height: int
    bytes: int
    sha256: str
    phash: int
    orientation: int
    frames: int
    data_mining: str
    licence: str
    credit: str
    refusal: str
    failure: str


COLUMNS = PictureCapture._fields[2:]


class Pictures(NamedTuple):
    """Every picture by its address, and where other addresses lead."""

    shots: dict[str, PictureCapture]
    detours: dict[str, str]

    def find(self, url: str) -> PictureCapture | None:
        """Return the picture that an address shows, through redirects if need be.

        One that could not be read only where no detour leads to another.
        """
        broken = None
        for _ in range(MAX_HOPS + 1):
            shot = self.shots.get(url)
            if shot and not shot.failure:
                return shot
            broken = broken or shot
            if url not in self.detours:
                break
            url = self.detours[url]
        return broken


def gather_pictures(parts: Sequence[Path]) -> Pictures:
    """Return the pictures of all parts."""
    shots: dict[str, PictureCapture] = {}
    detours: dict[str, tuple[str, str]] = {}
    for number, part in enumerate(parts):
        for row, values in enumerate(_rows(part / "pictures.parquet", COLUMNS)):
            shot = PictureCapture(number, row, *values)
            before = shots.get(shot.url)
            if before is None or _is_better(shot, before):
                shots[shot.url] = shot
        for url, target, date in _rows(part / "detours.parquet", ("url", "target", "fetched_at")):
            detours[url] = max(detours.get(url, ("", "")), (date, target))
    return Pictures(shots, {url: target for url, (_, target) in detours.items()})


def _is_better(one: PictureCapture, other: PictureCapture) -> bool:
    """Whether a capture counts before another: readable ones first, then the youngest."""
    return (not one.failure, one.fetched_at, one.part, one.row) > (
        not other.failure,
        other.fetched_at,
        other.part,
        other.row,
    )


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for batch in pq.ParquetFile(path).iter_batches(columns=list(columns)):
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def read_looks(
    parts: Sequence[Path], shots: Sequence[PictureCapture]
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return how pictures look, a row a picture."""
    found: list[Any] = [None] * len(shots)
    wanted: dict[int, list[int]] = {}
    for place, shot in enumerate(shots):
        wanted.setdefault(shot.part, []).append(place)
    for part, places in wanted.items():
        column = pq.read_table(parts[part] / "pictures.parquet", columns=["looks"]).column(0)
        rows = column.take([shots[place].row for place in places]).to_pylist()
        for place, row in zip(places, rows, strict=True):
            found[place] = row
    return np.array(found, np.float32)


def read_data(part: Path, row: int) -> bytes:
    """Return the bytes of a picture whose archive gives no access to single records."""
    with pq.ParquetFile(part / "pictures.parquet") as file:
        for group in range(file.num_row_groups):  # of bounded size: only the one that has it
            count = file.metadata.row_group(group).num_rows
            if row < count:
                return bytes(file.read_row_group(group, ["data"]).column(0)[row].as_py())
            row -= count
    raise IndexError(row)


class PageCapture(NamedTuple):
    """One capture of a page."""

    url: str
    key: int
    fetched_at: str
    rendered: bool
    frames: list[str]
    refusal: str
    image_refusal: str
    title: str


class PageCaptures(NamedTuple):
    """Which captures of pages count, and what is known of them."""

    captures: dict[int, PageCapture]  # by key, those that count
    frames: dict[str, str]  # pages that are shown within another one, and which; as they stand
    refused: dict[int, str]  # by key: captures whose images may not be kept, and why
    titles: dict[str, str]  # of pages that show others within them
    twins: frozenset[int]  # by key: captures whose text another one has, too


def gather_pages(parts: Sequence[Path], consents: Callable[[str, str], str]) -> PageCaptures:
    """Return the pages of all parts; `consents` says why an address may not be kept."""
    best: dict[str, PageCapture] = {}
    for part in parts:
        for values in _rows(part / "pages.parquet", PageCapture._fields):
            page = PageCapture(*values)
            before = best.get(page.url)
            if before is None or _order(page) > _order(before):
                best[page.url] = page
    captures = {page.key: page for page in best.values()}
    asked = (
        (page.key, page.refusal or page.image_refusal or consents(page.url, "page"))
        for page in captures.values()
    )
    refused = {key: why for key, why in asked if why}
    frames = find_frames(_list_shown(parts, best, refused))
    titles = {url: best[url].title for url in frames.values()}
    twins = find_twins(parts, {page.key: page.fetched_at for page in captures.values()})
    return PageCaptures(captures, frames, refused, titles, twins)


def _list_shown(
    parts: Sequence[Path], best: Mapping[str, PageCapture], refused: Mapping[int, str]
) -> dict[str, list[str]]:
    """Return which others each page shows within it, behind redirects on its site.

    A page that may not be kept is named by nothing: what it shows stands for itself.
    """
    frames = {page.url: [] if page.key in refused else page.frames for page in best.values()}
    led: dict[str, str] = {}
    wanted = {url for shown in frames.values() for url in shown if url not in best}
    for _ in range(MAX_HOPS):
        if not wanted:
            break
        found = _find_detours(parts, wanted)
        led |= found
        wanted = {url for url in found.values() if url not in best and url not in led}

    def follow(url: str) -> str:
        target = url
        for _ in range(MAX_HOPS):
            if target in best or target not in led:
                break
            target = led[target]
        return target if is_same_site(host(url), host(target)) else url

    return {url: [follow(each) for each in shown] for url, shown in frames.items()}


def _find_detours(parts: Sequence[Path], wanted: Container[str]) -> dict[str, str]:
    """Return where some addresses lead, by their youngest redirects."""
    detours: dict[str, tuple[str, str]] = {}
    for part in parts:
        for url, target, date in _rows(part / "detours.parquet", ("url", "target", "fetched_at")):
            if url in wanted:
                detours[url] = max(detours.get(url, ("", "")), (date, target))
    return {url: target for url, (_, target) in detours.items()}


def find_frames(shown: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return for each page that others show within them the outermost of these.

    Those within one page follow each other as they stand in it.

    >>> find_frames({"a": ["x", "c", "b"], "b": [], "c": ["d"], "d": [], "e": ["e"]})
    {'c': 'a', 'd': 'a', 'b': 'a'}
    """
    around: dict[str, str] = {}
    for url in sorted(shown):
        for inner in shown[url]:
            if inner in shown and inner != url:
                around.setdefault(inner, url)
    found = {url: outer for url in around if (outer := _outermost(url, around)) != url}
    ordered: dict[str, str] = {}
    for outer in dict.fromkeys(found.values()):
        left = [outer]
        while left:
            url = left.pop()
            if url != outer:
                ordered.setdefault(url, outer)
            within = [each for each in shown[url] if found.get(each) == outer]
            left += [each for each in reversed(within) if each not in ordered]
    return ordered


def _outermost(url: str, around: Mapping[str, str]) -> str:
    """Return the page around all others; of pages that show each other, the first by name."""
    seen = [url]
    while seen[-1] in around:
        outer = around[seen[-1]]
        if outer in seen:
            return min(seen[seen.index(outer) :])
        seen.append(outer)
    return seen[-1]


def _order(page: PageCapture) -> tuple[str, bool, int]:
    return page.fetched_at, page.rendered, page.key
