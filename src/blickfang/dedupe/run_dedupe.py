"""Near-duplicates among documents: pairs, clusters, and which copy stays.

In: sources of documents. Out: `Copies`; dedupe_outputs.py writes what is asked of them.
Method: docs/method.md, "Near-duplicates".
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from blickfang.compute import EngineOptions, LostTask, each
from blickfang.compute.engine import HERE
from blickfang.compute.worker_progress import Advance, Bars, show_no_bars, stay_silent
from blickfang.dedupe import (
    choose_copies,
    cluster,
    find_near_duplicates,
    join_fingerprints,
    simhashes,
)
from blickfang.dedupe.banding import LEAST_THRESHOLD
from blickfang.dedupe.bands import BandPairs
from blickfang.dedupe.document_forms import USUAL, Fields
from blickfang.dedupe.documents import (
    Document,
    list_files,
    parse_time,
    read_documents,
    read_place_of,
    refuse_nothing,
)
from blickfang.dedupe.equal_items import PAIR_BYTES
from blickfang.dedupe.main_text_pairs import Chosen, choose_texts, find_own, take_words
from blickfang.dedupe.minhash import study_pairs
from blickfang.dedupe.shingles import HashedTexts, Places, pick_texts
from blickfang.dedupe.similar_texts import Deciding, decide_pairs, digest_words
from blickfang.dedupe.sketch import Sketched, join_sketched, sketch_texts
from blickfang.dedupe.unspaced import hash_for
from blickfang.errors import InputError, SettingsError
from blickfang.io.storage import Place, absolute, require_seen
from blickfang.types import Failure

METHODS = ("minhash", "simhash", "study")
BATCH = 1000  # documents whose words are read at once
CORES = os.cpu_count() or 1
MOST_BITS = 16  # in which fingerprints of 64 may differ: with more, any two texts would be alike

Pairs = NDArray[np.int64]
T = TypeVar("T")


def check_threshold(method: str, threshold: float) -> None:
    """Raise if a method cannot keep what a threshold promises."""
    if not 0 < threshold <= 1:
        raise SettingsError("the threshold must lie above 0 and not above 1")
    if method == "minhash" and threshold < LEAST_THRESHOLD:
        raise SettingsError(
            f"minhash finds texts that share at least {LEAST_THRESHOLD} of their shingles: "
            "below that, sketches of 64 bytes are alike by chance"
        )


@dataclass(frozen=True, slots=True)
class DuplicateCriteria:
    """What counts as a near-duplicate, and how they are looked for."""

    method: str = "minhash"
    threshold: float = 0.9
    shingle: int = 3
    distance: int = 3  # bits, of SimHash
    verify: bool = True
    main_text: bool = False
    memory_mb: int = 4096
    fields: tuple[str, str, str] = USUAL  # what rows call id, text and address

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"there is no method {self.method!r}; choose {', '.join(METHODS)}")
        check_threshold(self.method, self.threshold)
        if self.shingle < 1 or not 0 <= self.distance <= MOST_BITS or self.memory_mb < 64:
            raise SettingsError(
                f"shingle must be at least 1, distance 0 to {MOST_BITS}, memory at least 64"
            )


class DuplicatePairs(NamedTuple):
    """Pairs of documents by number, how alike they are, and what it took."""

    pairs: Pairs
    jaccards: NDArray[np.float64]  # NaN where nobody compared them
    candidates: int
    left_out: int  # pairs that nobody compared, at most: too many documents were alike


@dataclass(slots=True)
class DuplicatesFound:
    """What was found."""

    ids: list[str]
    found: DuplicatePairs
    keeps: NDArray[np.int64]  # of each document, the number of the one that stays for it
    words: int
    empty: int = 0  # documents without words: they are not compared
    failures: list[Failure] = field(default_factory=list)
    renamed: int = 0  # documents whose id was taken
    uses_all: NDArray[np.bool_] | None = None  # with main texts: of which all text counts


class Hashed(NamedTuple):
    """Documents, as they are compared."""

    ids: list[str]
    lengths: list[int]
    times: list[str]
    texts: HashedTexts | Sketched
    failures: list[Failure]
    wholes: HashedTexts | Sketched | None  # where main texts are compared: all text,
    lengths_of_all: list[int]  # its lengths,
    urls: list[str]  # and the addresses


def find_copies(
    paths: Sequence[Place],
    likeness: DuplicateCriteria,
    bars: Bars = show_no_bars,
    where: EngineOptions = HERE,
) -> DuplicatesFound:
    """Find the near-duplicates of all documents of some sources."""
    for path in paths:  # before hours of work on the others
        if isinstance(path, Path):
            list_files(path)
    with bars("reading documents") as advance:
        if where == HERE:
            given = [_hash_here(paths, likeness, advance)]
        else:
            given = _hash_elsewhere(paths, likeness, advance, where)
    return _find_among(given, likeness, bars)


def _hash_here(paths: Sequence[Place], likeness: DuplicateCriteria, advance: Advance) -> Hashed:
    """Read all documents with all cores of this machine."""
    entries = read_documents(paths, fields=Fields(*likeness.fields))
    return _hash_documents(entries, likeness, CORES, advance)


def _find_among(
    given: Sequence[Hashed], likeness: DuplicateCriteria, bars: Bars
) -> DuplicatesFound:
    """Find the near-duplicates of documents that have been read."""
    taken: Counter[str] = Counter()
    names = [name for part in given for name in part.ids]
    failures = [failure for part in given for failure in part.failures]
    refuse_nothing(len(names), failures, len(failures))
    ids = [_name(name, taken) for name in names]
    lengths = np.array(_chain(part.lengths for part in given), np.int64)
    times = [parse_time(time) for part in given for time in part.times]
    texts = _join([part.texts for part in given])
    chosen = None
    if likeness.main_text:
        wholes = _join([part.wholes for part in given if part.wholes is not None])
        pairs = list(zip(names, _chain(part.urls for part in given), strict=True))
        chosen = choose_texts(texts, wholes, pairs, likeness.shingle)
        texts = chosen.texts
    with bars("looking for copies") as advance:
        found = find_pairs(texts, likeness, advance, chosen)
    if chosen:
        all_lengths = _chain(part.lengths_of_all for part in given)
        lengths = np.where(chosen.uses_all, all_lengths, lengths)
    keeps = choose_copies(cluster(len(ids), found.pairs), lengths, times)
    renamed = sum(a != b for a, b in zip(names, ids, strict=True))
    uses_all = chosen.uses_all if chosen else None
    return DuplicatesFound(ids, found, keeps, *_count_words(texts), failures, renamed, uses_all)


def _chain(parts: Iterable[list[T]]) -> list[T]:
    return [each for part in parts for each in part]


def hash_file(likeness: DuplicateCriteria, work: tuple[Place, Place]) -> Hashed:
    """Read the documents of one file of a source, and hash their words."""
    require_seen(work[1])
    entries = read_place_of(*work, fields=Fields(*likeness.fields))
    return _hash_documents(entries, likeness, 1, stay_silent)


def _hash_documents(
    entries: Iterator[Document | Failure],
    likeness: DuplicateCriteria,
    threads: int,
    advance: Advance,
) -> Hashed:
    """Hash the words of documents, some at a time."""
    ids, urls, lengths, lengths_of_all, times, failures = [], [], [], [], [], []
    batch: list[Document] = []
    parts: list[tuple[HashedTexts | Sketched, HashedTexts | Sketched | None]] = []
    for entry in entries:
        if isinstance(entry, Failure):
            failures.append(entry)
            continue
        ids.append(entry.id)
        lengths.append(len(entry.main if likeness.main_text else entry.text))
        if likeness.main_text:
            urls.append(entry.url)
            lengths_of_all.append(len(entry.text))
        times.append(entry.time)
        batch.append(entry)
        if len(batch) == BATCH:
            parts.append(_read_batch(batch, likeness, threads))
            batch = []
            advance(len(ids), 0)
    parts.append(_read_batch(batch, likeness, threads))
    found = _join([part for part, _ in parts])
    wholes = [part for _, part in parts if part is not None]
    every = _join(wholes) if wholes else None
    return Hashed(ids, lengths, times, found, failures, every, lengths_of_all, urls)


def _hash_elsewhere(
    places: Sequence[Place], likeness: DuplicateCriteria, advance: Advance, where: EngineOptions
) -> list[Hashed]:
    """Have files read on a cluster, a file a task."""
    work = [
        (place, file)
        for place in map(absolute, places)
        for file in (list_files(place) if isinstance(place, Path) else [place])
    ]
    found: list[Hashed] = []
    for done, result in enumerate(each(partial(hash_file, likeness), work, 0, where), 1):
        if isinstance(result, LostTask):
            raise InputError(f"reading {result.thing[1]} ended its process")
        found.append(result)
        advance(done, len(work))
    return found


def _name(name: str, taken: Counter[str]) -> str:
    """Return an id that no document before has."""
    new = name
    while new in taken:
        taken[name] += 1
        new = f"{name}#{taken[name]}"
    taken[new] += 1
    return new


def _read_batch(
    batch: Sequence[Document], likeness: DuplicateCriteria, threads: int = 1
) -> tuple[HashedTexts | Sketched, HashedTexts | Sketched | None]:
    """Return the words of documents; of main texts, those of all text, too."""
    texts = _read_words([document.text for document in batch], likeness, threads)
    if not likeness.main_text:
        return texts, None
    return _read_words([document.main for document in batch], likeness, threads), texts


def _read_words(
    texts: Sequence[str], likeness: DuplicateCriteria, threads: int
) -> HashedTexts | Sketched:
    """Return the words of texts, or their sketches and no more than verifying needs."""
    if likeness.method == "minhash" and likeness.shingle > 1:
        return sketch_texts(texts, likeness.shingle, threads=threads)
    return hash_for(texts, likeness.shingle, threads=threads)


def _join(parts: Sequence[HashedTexts | Sketched]) -> HashedTexts | Sketched:
    if len(parts) == 1:  # without a copy
        return parts[0]
    sketched = [part for part in parts if isinstance(part, Sketched)]
    if sketched:
        return join_sketched(sketched)
    texts = [part for part in parts if isinstance(part, HashedTexts)]
    starts = [np.zeros(1, np.int64)]
    total = 0
    for part in texts:
        starts.append(part.starts[1:] + total)
        total += len(part.hashes)
    return HashedTexts(np.concatenate([part.hashes for part in texts]), np.concatenate(starts))


def _count_words(texts: HashedTexts | Sketched) -> tuple[int, int]:
    """Return how many words there are, and how many texts have none."""
    words = take_words(texts)
    return len(words.hashes), int((np.diff(words.starts) == 0).sum())


def find_pairs(
    texts: HashedTexts | Sketched,
    likeness: DuplicateCriteria,
    advance: Advance = stay_silent,
    chosen: Chosen | None = None,
) -> DuplicatePairs:
    """Return the pairs that a method finds, verified by their exact Jaccard if so wished.

    With main texts (`chosen`) without those that have only a template in common.
    """
    most = likeness.memory_mb * 2**20 // PAIR_BYTES
    if likeness.method == "minhash":
        how = (likeness.threshold, likeness.shingle)
        near = find_near_duplicates(texts, *how, verify=likeness.verify, most=most)
    else:
        words = cast(HashedTexts, take_words(texts))  # whole: only minhash keeps halves
        propose = partial(_propose, words, likeness, most, advance)
        deciding = Deciding(
            likeness.threshold, likeness.shingle, likeness.verify, most=most, threads=CORES
        )
        digests = texts.digests if isinstance(texts, Sketched) else digest_words(words)
        near = decide_pairs(words, digests, propose, deciding)
    found = DuplicatePairs(near.pairs, near.jaccards, near.candidates, near.left_out)
    if chosen is None:
        return found
    own = find_own(chosen, found.pairs, likeness.shingle, CORES)
    chosen.uses_all[found.pairs[~own]] = True  # their main texts are nobody's
    return found._replace(pairs=found.pairs[own], jaccards=found.jaccards[own])


def _propose(
    texts: HashedTexts, likeness: DuplicateCriteria, most: int, advance: Advance, which: Places
) -> BandPairs:
    """Return the pairs that SimHash or the study's MinHash take for near-duplicates."""
    some = pick_texts(texts, which)
    if likeness.method == "study":
        return study_pairs(some, most=most)
    joined = join_fingerprints(
        simhashes(some),
        k=likeness.distance,
        memory=likeness.memory_mb * 2**20,
        most=most,
        progress=advance,
    )
    return BandPairs(joined.pairs, joined.hot_runs, joined.left_out)


def summarise_copies(copies: DuplicatesFound) -> dict[str, Any]:
    """Return the figures of a search for near-duplicates."""
    extra = int((copies.keeps != np.arange(len(copies.ids))).sum())
    sizes = np.bincount(copies.keeps, minlength=len(copies.ids))
    return {
        "documents": len(copies.ids),
        "empty": copies.empty,
        "words": copies.words,
        "pairs": len(copies.found.pairs),
        "candidates": copies.found.candidates,
        "clusters": int((sizes > 1).sum()),
        "largest_cluster": int(sizes.max(initial=0)),
        "copies": extra,
        "kept": len(copies.ids) - extra,
        "not_compared": copies.found.left_out,
        "failures": len(copies.failures),
        "renamed_ids": copies.renamed,
    }
