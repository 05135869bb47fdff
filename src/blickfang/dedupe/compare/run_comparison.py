"""Comparing two corpora: addresses and texts they share, judgements carried over, a report.

In: two sources of documents. Out: a folder with report, figures as JSON, pairs, hosts, judgements
and a sheet of pairs. Fingerprints are made once and kept; what was found for a segment of B is kept
too, so that work that was interrupted, or asked for again with other outputs, goes on from there.
Method: docs/method.md, "Comparing corpora".
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute import EngineOptions
from blickfang.compute.engine import HERE
from blickfang.compute.worker_progress import Advance, Bars
from blickfang.dedupe.banding import LINES, choose_bands
from blickfang.dedupe.compare.fingerprint_cache import (
    FingerprintedSource,
    choose_shelf,
    fetch_words,
    list_units,
    shelve,
)
from blickfang.dedupe.compare.fingerprint_file import FORMAT, Rows
from blickfang.dedupe.compare.overlap import Overlap, find_overlap
from blickfang.dedupe.compare.overlap_counts import OverlapTally
from blickfang.dedupe.compare.pair_candidates import PairSearch, estimate_jaccards, propose
from blickfang.dedupe.compare.pair_measures import (
    DocumentWords,
    Similarity,
    find_rejected,
    measure_pairs,
    unknown_kinds,
)
from blickfang.dedupe.compare.segments import (
    Segment,
    SegmentPairs,
    batches,
    choose_segments,
    cut_segments,
    load_found,
    save_found,
)
from blickfang.dedupe.document_forms import USUAL, Fields
from blickfang.dedupe.documents import list_files, refuse_nothing
from blickfang.dedupe.run_dedupe import check_threshold
from blickfang.dedupe.shingles import HashedTexts, gather
from blickfang.dedupe.templates import TemplateGuard
from blickfang.errors import SettingsError

METHODS = ("minhash", "simhash")
SHARED = 20_000  # pairs of documents behind shared addresses, measured at once
RULES = 3  # raise it when the same fingerprints give other pairs, or pairs other kinds
WORD_BYTES = 100  # of memory for a word of a document that is measured: text, hashes, shingles
_OURS = re.compile(r"[0-9a-f]{16}/(segment|shared)-\d{6,}\.npz")


@dataclass(frozen=True, slots=True)
class Comparing:
    """How two corpora are compared."""

    method: str = "minhash"
    on: str = "either"  # all text, main text, or either
    threshold: float = 0.9
    shingle: int = 3
    distance: int = 3  # bits, of SimHash
    verify: bool = True
    segment: int = 10_000  # documents, of a source of one file; else a file is a segment
    segments: int = 0  # drawn; 0: all
    sample: int = 0  # pairs for judging by eye
    seed: int = 1
    memory_mb: int = 4096
    where: EngineOptions = HERE
    fields: tuple[str, str, str] = USUAL  # what rows call id, text and address
    schemes_apart: bool = False  # http and https are two addresses

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"there is no method {self.method!r}; choose {', '.join(METHODS)}")
        if self.on not in ("all", "main", "either"):
            raise SettingsError(f"documents are compared on all, main or either, not {self.on!r}")
        check_threshold(self.method, self.threshold)
        if min(self.shingle, self.segment) < 1 or self.memory_mb < 64:
            raise SettingsError("shingle and segment must be at least 1, memory 64")
        if not 0 <= self.distance <= 16 or min(self.segments, self.sample, self.seed) < 0:
            raise SettingsError("distance is 0 to 16; segments, sample and seed at least 0")


class Compared(NamedTuple):
    """Two corpora with all that was found."""

    a: FingerprintedSource
    b: FingerprintedSource
    how: Comparing
    overlap: Overlap
    segments: list[Segment]  # those that were looked at
    all_segments: int
    tally: OverlapTally
    work: Path

    def found(self) -> Iterator[tuple[Segment, SegmentPairs]]:
        """Give what was found for each segment again."""
        for segment in self.segments:
            found = load_found(_place(self.work, "segment", segment.number))
            if found is not None:
                yield segment, found

    def shared(self) -> Iterator[SegmentPairs]:
        """Give what was found for the documents behind shared addresses again."""
        for number in range(-(-len(self.overlap.pairs) // SHARED)):
            found = load_found(_place(self.work, "shared", number))
            if found is not None:
                yield found


def compare_sources(
    a: Path, b: Path, out: Path, how: Comparing, shelf: Path | None, bars: Bars
) -> Compared:
    """Compare two sources; what has been done before is not done again."""
    for source in (a, b):  # before hours of work on the other one
        list_files(source)
    shelving = partial(
        shelve,
        shingle=how.shingle,
        where=how.where,
        fields=Fields(*how.fields),
        schemes_apart=how.schemes_apart,
    )
    with bars(f"fingerprints of {a.name}") as advance:
        left = shelving(a, choose_shelf(a, shelf, out), advance=advance)
    with bars(f"fingerprints of {b.name}") as advance:
        folder = choose_shelf(b, shelf, out)
        units = len(list_units(b, folder, how.shingle, Fields(*how.fields)))
        chosen = choose_segments(units, how.segments, how.seed) if units > 1 else None
        right = shelving(b, folder, chosen=chosen, advance=advance)
    for corpus in (left, right):
        refuse_nothing(len(corpus.library), corpus.library.failures, corpus.library.failed)
    overlap = find_overlap(left.library, right.library)
    segments = cut_segments(right.library.file_starts, right.chosen, how.segment)
    total = max(units, len(segments))
    if units == 1:
        drawn = choose_segments(len(segments), how.segments, how.seed)
        segments = [segments[number] for number in drawn]
    work = _work_folder(out, left, right, how)
    _join_all(left, right, segments, how, work, bars)
    with bars("documents behind shared addresses") as advance:
        _measure_shared(left, right, overlap, how, work, advance)
    tally = OverlapTally(left.library, right.library, how.threshold, how.on)
    compared = Compared(left, right, how, overlap, segments, total, tally, work)
    for segment, found in compared.found():
        tally.add(segment, found)
    return compared


def _work_folder(
    out: Path, left: FingerprintedSource, right: FingerprintedSource, how: Comparing
) -> Path:
    """Return where results are kept; it is another one for other files or another search."""
    settings = asdict(how)
    for name in ("segments", "sample", "seed", "memory_mb", "where"):
        del settings[name]  # they change what is looked at, not what is found there
    if how.method == "minhash" and len(bands := choose_bands(how.threshold)) > LINES:
        settings["bands"] = bands.tolist()  # what was found with fewer is not enough
    files = [[unit.shelf.name for unit in corpus.units] for corpus in (left, right)]
    told = json.dumps([FORMAT, RULES, settings, files], sort_keys=True).encode()
    name = hashlib.sha256(told).hexdigest()[:16]
    for old in (out / "work").glob("*/*.npz"):
        # Only what was named here goes: the user may have a folder called work of their own.
        if old.parent.name != name and _OURS.fullmatch(f"{old.parent.name}/{old.name}"):
            old.unlink(missing_ok=True)
            with suppress(OSError):  # others are left in it
                old.parent.rmdir()
    return out / "work" / name


def _place(work: Path, kind: str, number: int) -> Path:
    return work / f"{kind}-{number:06d}.npz"


def _join_all(
    left: FingerprintedSource,
    right: FingerprintedSource,
    segments: list[Segment],
    how: Comparing,
    work: Path,
    bars: Bars,
) -> None:
    """Find the near-duplicates of all segments that are not done yet."""
    bases = ("all", "main") if how.on == "either" else (how.on,)
    search = PairSearch(how.method, bases, how.threshold, how.distance, how.memory_mb << 20)
    todo = [s for s in segments if load_found(_place(work, "segment", s.number)) is None]
    done = len(segments) - len(todo)
    for group in batches(todo):
        rows = np.concatenate([np.arange(each.first, each.last) for each in group])
        with bars("looking for candidates") as advance:
            proposed = propose(left.library, right.library, rows, search, advance)
        with bars("near-duplicates, segment by segment") as advance:
            for segment in group:
                advance(done, len(segments))
                edges = np.searchsorted(proposed.pairs[:, 1], [segment.first, segment.last])
                pairs = proposed.pairs[edges[0] : edges[1]]
                left_out = proposed.left_out if segment is group[0] else 0
                found = SegmentPairs(pairs, measure(left, right, pairs, how), left_out)
                save_found(_place(work, "segment", segment.number), found)
                done += 1


def _measure_shared(
    left: FingerprintedSource,
    right: FingerprintedSource,
    overlap: Overlap,
    how: Comparing,
    work: Path,
    advance: Advance,
) -> None:
    """Measure the documents behind shared addresses."""
    parts = range(0, len(overlap.pairs), SHARED)
    for number, begin in enumerate(parts):
        advance(number, len(parts))
        place = _place(work, "shared", number)
        if load_found(place) is None:
            pairs = overlap.pairs[begin : begin + SHARED]
            save_found(place, SegmentPairs(pairs, measure(left, right, pairs, how), 0))


def measure(
    left: FingerprintedSource, right: FingerprintedSource, pairs: Rows, how: Comparing
) -> Similarity:
    """Return how alike pairs are: exactly, or as their sketches say."""
    if not how.verify:
        by_all, by_main = (
            estimate_jaccards(left.library, right.library, pairs, basis)
            for basis in ("all", "main")
        )
        own = partial(_are_own, left, right, pairs)
        rejected = find_rejected(by_all, by_main, own)
        by_main[rejected] = by_all[rejected]
        return unknown_kinds(by_all, by_main)
    words = [corpus.library.column("all_words") for corpus in (left, right)]
    limit = (how.memory_mb << 20) // WORD_BYTES
    parts = [_measure_block(left, right, block, how) for block in _blocks(pairs, words, limit)]
    return Similarity(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _blocks(pairs: Rows, words: Sequence[NDArray[np.int32]], limit: int) -> Iterator[Rows]:
    """Give pairs in blocks whose documents have at most so many words, in order."""
    named = (words[side][np.unique(pairs[:, side])] for side in (0, 1))
    if len(pairs) > 1 and sum(int(each.sum(dtype=np.int64)) for each in named) > limit:
        yield from _blocks(pairs[: len(pairs) // 2], words, limit)
        yield from _blocks(pairs[len(pairs) // 2 :], words, limit)
    else:
        yield pairs


def _measure_block(
    left: FingerprintedSource, right: FingerprintedSource, pairs: Rows, how: Comparing
) -> Similarity:
    """Read the documents of some pairs again, and measure them."""
    mine, at = np.unique(pairs[:, 0], return_inverse=True)
    theirs, there = np.unique(pairs[:, 1], return_inverse=True)
    size = how.shingle
    fetch = partial(fetch_words, shingle=size, where=how.where)
    words = _behind(fetch(left, mine), fetch(right, theirs))
    own = partial(_are_own, left, right, pairs)
    return measure_pairs(words, np.stack([at, there + len(mine)], axis=1), size, own)


def _are_own(
    left: FingerprintedSource,
    right: FingerprintedSource,
    pairs: Rows,
    which: Rows,
    alike: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Return of which of some pairs the main texts are their own, not their template's."""
    return TemplateGuard(left.library.pages, right.library.pages).own(pairs[which], alike)


def _behind(first: DocumentWords, second: DocumentWords) -> DocumentWords:
    return DocumentWords(
        *(gather([*_parts(a), *_parts(b)]) for a, b in zip(first, second, strict=True))
    )


def _parts(texts: HashedTexts) -> list[Any]:
    return np.split(texts.hashes, texts.starts[1:-1]) if len(texts.starts) > 1 else []
