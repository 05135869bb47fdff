"""Which documents of two corpora may be near-duplicates: proposed by their fingerprints alone.

In: two libraries, and some rows of the second. Out: pairs of rows, each once. By MinHash: sketches
that agree in a band (dedupe/banding.py) and in enough of their bytes; by SimHash: at most k bits
differ. Both are joins of 64-bit numbers (dedupe/join.py), within a budget of memory. Where more
than `CROWD` documents of a corpus have equal fingerprints, the first of those with the same text
(as far as sketches tell) stands for these, and each of the others is paired with the closest of its
partners: none is lost, and no crowd meets another.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from blickfang.dedupe import join_fingerprints
from blickfang.dedupe.banding import LINES, choose_bands, least_equal
from blickfang.dedupe.compare.fingerprint_file import Library, Rows
from blickfang.dedupe.equal_items import PAIR_BYTES as LISTED_BYTES
from blickfang.dedupe.equal_items import distinct_pairs
from blickfang.dedupe.minhash import BINS
from blickfang.text.words import MULTIPLIER, Hashes

CROWD = 200  # documents with equal fingerprints
AT_ONCE = 1 << 18  # pairs of sketches that are compared at once
CHANCE = 1 / 256  # that two bytes agree
PAIR_BYTES = 64  # of memory for a pair that agrees in a band

Progress = Callable[[int, int], None]


class PairSearch(NamedTuple):
    """How near-duplicates are looked for."""

    method: str  # minhash, simhash
    bases: tuple[str, ...]  # all, main
    threshold: float  # Jaccard
    distance: int  # bits, of SimHash
    memory: int  # bytes


class Proposed(NamedTuple):
    """Pairs of rows of two libraries, by the second, then the first."""

    pairs: Rows
    left_out: int  # pairs that nobody looked at, at most: too many documents were equal


class Crowd(NamedTuple):
    """Who of a corpus is joined, by which numbers; and who is spoken for, by whom of those."""

    rows: Rows
    numbers: Hashes
    others: Rows
    speakers: Rows


def usable(library: Library, basis: str, rows: Rows | None = None) -> Rows:
    """Return the rows that have a text to go by."""
    words = library.column(f"{basis}_words")
    rows = np.arange(len(library), dtype=np.int64) if rows is None else rows
    return rows[words[rows] > 0]


def needed_bases(left: Library, right: Library, bases: Sequence[str]) -> list[str]:
    """Return what documents are compared on; one is enough where nobody has a main text."""
    if len(bases) > 1 and all(
        np.array_equal(one.column("all_simhash"), one.column("main_simhash"))
        for one in (left, right)
    ):
        return ["all"]
    return list(bases)


def propose(
    left: Library, right: Library, rows: Rows, search: PairSearch, progress: Progress | None = None
) -> Proposed:
    """Return the pairs that fingerprints propose, of all of one corpus and rows of the other."""
    parts, left_out = [np.empty((0, 2), np.int64)], 0
    bases = needed_bases(left, right, search.bases)
    for number, basis in enumerate(bases):
        mine, theirs = usable(left, basis), usable(right, basis, rows)
        if not len(mine) or not len(theirs):
            continue
        tell = _after(progress, number, len(bases))
        if search.method == "simhash":
            columns = [
                library.column(f"{basis}_simhash")[chosen]
                for library, chosen in ((left, mine), (right, theirs))
            ]
            how = (search.distance, search.memory, tell)
            found, skipped = _join((left, right), basis, (mine, theirs), columns, *how)
        else:
            found, skipped = _join_bands(left, right, (mine, theirs), basis, search, tell)
        parts.append(found)
        left_out += skipped
    pairs = distinct_pairs(np.concatenate(parts)[:, ::-1])[:, ::-1]
    most = len(left) * len(rows) - len(pairs)  # several bands may leave out the same pair
    return Proposed(np.ascontiguousarray(pairs), min(left_out, most))


def _name(pairs: Rows, mine: Rows, theirs: Rows) -> Rows:
    return np.stack([mine[pairs[:, 0]], theirs[pairs[:, 1]]], axis=1)


def _after(progress: Progress | None, number: int, count: int) -> Progress:
    """Return what tells of the bands of one basis among several."""

    def tell(done: int, total: int) -> None:
        if progress:
            progress(number * total + done, count * total)

    return tell


def _join_bands(
    left: Library,
    right: Library,
    rows: tuple[Rows, Rows],
    basis: str,
    search: PairSearch,
    progress: Progress,
) -> tuple[Rows, int]:
    """Return the pairs whose sketches agree in a band, and as much as the threshold asks for."""
    parts, left_out = [np.empty((0, 2), np.int64)], 0
    least, bands = least_equal(search.threshold), choose_bands(search.threshold)
    for number, band in enumerate(bands, 1):
        mine = left.band(basis, band, rows[0])
        for theirs in _portions(rows, len(band), search.memory):
            columns = [mine, right.band(basis, band, theirs)]
            pairs, skipped = _join(
                (left, right), basis, (rows[0], theirs), columns, 0, search.memory
            )
            parts.append(pairs[count_equal(left, right, pairs, basis) >= least])
            left_out += skipped
        if number % LINES == 0:  # most pairs agree in many bands
            parts = [distinct_pairs(np.concatenate(parts))]
        progress(number, len(bands))
    return distinct_pairs(np.concatenate(parts)), left_out


def _portions(rows: tuple[Rows, Rows], width: int, memory: int) -> list[Rows]:
    """Return the rows of the second corpus in parts: pairs that agree by chance fit the memory."""
    by_chance = len(rows[0]) * len(rows[1]) * CHANCE**width
    return np.array_split(rows[1], max(1, math.ceil(by_chance * PAIR_BYTES / memory)))


def count_equal(left: Library, right: Library, pairs: Rows, basis: str) -> Rows:
    """Return in how many of 64 bytes the sketches of pairs agree."""
    equal = np.empty(len(pairs), np.int64)
    for begin in range(0, len(pairs), AT_ONCE):
        part = pairs[begin : begin + AT_ONCE]
        mine = left.sketches(basis, part[:, 0]).view(np.uint8)
        theirs = right.sketches(basis, part[:, 1]).view(np.uint8)
        equal[begin : begin + AT_ONCE] = (mine == theirs).sum(axis=1)
    return equal


def estimate_jaccards(left: Library, right: Library, pairs: Rows, basis: str) -> np.ndarray:
    """Return what sketches tell of the Jaccard of pairs, ± .04 at .9; NaN without words."""
    agree = count_equal(left, right, pairs, basis) / BINS
    values = np.maximum(0.0, (agree - CHANCE) / (1 - CHANCE)).astype(np.float32)
    for side, library in enumerate((left, right)):
        words = library.column(f"{basis}_words")[pairs[:, side]]
        values[words == 0] = np.nan
    return values


def _join(
    libraries: tuple[Library, Library],
    basis: str,
    rows: tuple[Rows, Rows],
    numbers: Sequence[Hashes],
    k: int,
    memory: int,
    progress: Progress | None = None,
) -> tuple[Rows, int]:
    """Return the rows whose numbers differ in at most k bits, and how many pairs are left out."""
    crowds = [choose_speakers(*of, basis) for of in zip(libraries, rows, numbers, strict=True)]
    found = join_fingerprints(
        crowds[0].numbers,
        crowds[1].numbers,
        k=k,
        memory=memory,
        copies=CROWD,
        most=memory // LISTED_BYTES,
        progress=progress,
    )
    pairs, skipped = _name(found.pairs, crowds[0].rows, crowds[1].rows), found.left_out
    for side, crowd in enumerate(crowds):
        if len(crowd.others):
            pairs, more = _add_others(libraries, basis, pairs, side, crowd)
            skipped += more
    return pairs, skipped


def choose_speakers(library: Library, rows: Rows, numbers: Hashes, basis: str) -> Crowd:
    """Return who stands for the others among more than `CROWD` documents with one number."""
    ordered = np.sort(numbers)
    edges = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))
    crowded = ordered[edges[:-1][np.diff(edges) > CROWD]]
    if not len(crowded):
        return Crowd(rows, numbers, rows[:0], rows[:0])
    inside = np.isin(numbers, crowded)
    members = rows[inside]
    texts = numbers[inside] ^ digest_sketches(library, basis, members)
    _, first, which = np.unique(texts, return_index=True, return_inverse=True)
    speakers = members[first[which]]
    spoken = speakers != members
    joined = ~inside
    joined[inside] = ~spoken
    return Crowd(rows[joined], numbers[joined], members[spoken], speakers[spoken])


def digest_sketches(library: Library, basis: str, rows: Rows) -> Hashes:
    """Return a number for each document that those with the same text share, and few others."""
    digests = library.column(f"{basis}_words")[rows].astype(np.uint64)
    for begin in range(0, len(rows), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        for column in library.sketches(basis, rows[part]).T:
            digests[part] = (digests[part] ^ column) * MULTIPLIER
            digests[part] ^= digests[part] >> np.uint64(32)
    return digests


def _add_others(
    libraries: tuple[Library, Library], basis: str, pairs: Rows, side: int, crowd: Crowd
) -> tuple[Rows, int]:
    """Pair everyone who is spoken for with the closest partner of the one who speaks."""
    mine = np.flatnonzero(np.isin(pairs[:, side], crowd.speakers))
    if not len(mine):
        return pairs, 0
    near = count_equal(*libraries, pairs[mine], basis)
    mine = mine[np.lexsort((-near, pairs[mine, side]))]
    listed, place, partners = np.unique(pairs[mine, side], return_index=True, return_counts=True)
    at = np.minimum(np.searchsorted(listed, crowd.speakers), len(listed) - 1)
    paired = listed[at] == crowd.speakers
    fresh = pairs[mine[place[at[paired]]]]
    fresh[:, side] = crowd.others[paired]
    return np.concatenate([pairs, fresh]), int((partners[at[paired]] - 1).sum())
