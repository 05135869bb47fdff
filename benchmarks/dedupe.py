"""Near-duplicates: fingerprints from text, the whole way to pairs, the crawl's index.

Peers (gaoya, rensa, datasketch) get 64 hashes of the same 3-shingles from the same documents; what
is not installed is left out. Documents: the gold set in ../shared, else Python sources.
"""

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tests.gates_dedupe import GOLD, read_texts, read_truth, score

from benchmarks.corpus import source_texts
from benchmarks.timing import Row, best, clock, race
from blickfang.dedupe import (
    OnlineIndex,
    choose_copies,
    cluster,
    find_near_duplicates,
    simhashes,
)
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import HashedTexts, Places, hash_texts
from blickfang.dedupe.sketch import sketch_texts
from blickfang.text.words import read_words

DOCUMENTS = 2000
BATCH = 256
GOAL_MB = 180
GOALS = {"gaoya": 2.0, "rensa": 8.0, "datasketch": 20.0}
PAGES, MORE_PAGES, GOAL_ONLINE = 10_000_000, 200_000, 90_000
HASHES, BANDS = 64, 8


def documents() -> list[str]:
    """Return real documents, near-duplicates among them where the gold set is at hand."""
    if GOLD.is_dir():
        return read_texts(GOLD)
    return source_texts(3_000_000)


def fingerprint(texts: list[str], method: Callable[[HashedTexts], object]) -> None:
    """Go from strings to fingerprints, a batch at a time."""
    for begin in range(0, len(texts), BATCH):
        method(hash_texts(texts[begin : begin + BATCH]))


def shingles_of(text: str) -> list[str]:
    """Return 3-shingles as peers are used to get them."""
    words = text.lower().split()
    return [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))]


def with_gaoya(texts: list[str]) -> Any:
    """Let gaoya do it, from raw text, in its own compiled code."""
    index = import_module("gaoya.minhash").MinHashStringIndex
    made = index(32, 0.9, BANDS, BANDS, None, "word", True, (3, 3))
    for number, text in enumerate(texts):
        made.insert_document(number, text)
    return made


def with_rensa(texts: list[str]) -> None:
    """Let rensa do it."""
    kind = import_module("rensa").RMinHash
    for text in texts:
        made = kind(num_perm=HASHES, seed=1)
        made.update(shingles_of(text))
        made.digest()


def with_datasketch(texts: list[str]) -> None:
    """Let datasketch do it."""
    kind = import_module("datasketch").MinHash
    for text in texts:
        made = kind(num_perm=HASHES)
        made.update_batch([shingle.encode() for shingle in shingles_of(text)])


PEERS: dict[str, Callable[[list[str]], object]] = {
    "gaoya": with_gaoya,
    "rensa": with_rensa,
    "datasketch": with_datasketch,
}


def compare_fingerprints(texts: list[str]) -> list[Row]:
    """Measure megabytes a second from `str` to fingerprint, on one core."""
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    rows = []
    methods: dict[str, Callable[[HashedTexts], object]] = {
        "sketch of 3-shingles": sketch,
        "SimHash of words": lambda t: simhashes(t, (1,)),
        "SimHash of 3-grams": lambda t: simhashes(t, (3,)),
        "SimHash of 3+5-grams": lambda t: simhashes(t, (3, 5)),
    }
    for name, method in methods.items():
        fingerprint(texts, method)
        speed = megabytes / best(partial(fingerprint, texts, method))
        goal = f"≥ {GOAL_MB} MB/s"
        rows.append(Row(f"dedupe, {name}", f"{speed:.0f} MB/s", "", "", goal, speed >= GOAL_MB))
    for name, peer in PEERS.items():
        if find_spec(name):
            ours, theirs = race(partial(fingerprint, texts, sketch), partial(peer, texts), 1, 3)
            ratio, goal = theirs / ours, f"≥ {GOALS[name]:.0f}×"
            speeds = f"{megabytes / ours:.0f} MB/s", f"{name} {megabytes / theirs:.0f} MB/s"
            what = "dedupe, sketch of 3-shingles"
            rows.append(Row(what, *speeds, f"{ratio:.1f}×", goal, ratio >= GOALS[name]))
    return rows


def to_clusters(texts: list[str], threads: int = 1) -> Places:
    """Go from strings to verified pairs, and to which text stays for each; return the pairs."""
    pairs = find_near_duplicates(sketch_texts(texts, threads=threads), threads=threads).pairs
    choose_copies(cluster(len(texts), pairs), list(map(len, texts)))
    return pairs


def query_gaoya(texts: list[str]) -> Places:
    """Let gaoya find the near-duplicates of each document."""
    index = with_gaoya(texts)
    found = [index.query(text) for text in texts]
    pairs = [(a, int(b)) for a, others in enumerate(found) for b in others if b > a]
    return np.array(pairs, np.int64).reshape(-1, 2)


def query_gaoya_on_all_cores(texts: list[str]) -> None:
    """Let gaoya do the same with its functions for several cores."""
    index = import_module("gaoya.minhash").MinHashStringIndex
    made = index(32, 0.9, BANDS, BANDS, None, "word", True, (3, 3))
    made.par_bulk_insert_docs(list(range(len(texts))), texts)
    made.par_bulk_query(texts)


def compare_whole_way(texts: list[str], rounds: int) -> list[Row]:
    """Measure text in, clusters out, on one core and on all; and how much of the truth is found."""
    to_clusters(texts[:50])
    pairs, count = to_clusters(texts), len(texts)
    what, said = f"dedupe, {count:,} documents to clusters", f"{len(pairs):,} pairs"
    if not find_spec("gaoya"):
        ours = best(partial(to_clusters, texts), 3)
        return [Row(what, f"{ours:.2f} s, {said}", "", "", "", None)]
    ours, theirs = race(partial(to_clusters, texts), partial(query_gaoya, texts), 1, rounds)
    found = query_gaoya(texts)
    recalls = [recall_of(some, count, pairs) for some in (pairs, found)]
    row = Row(
        what,
        f"{ours:.2f} s, {said}, recall {recalls[0]:.4f}",
        f"gaoya {theirs:.2f} s, {len(found):,} pairs, recall {recalls[1]:.4f}",
        f"{theirs / ours:.1f}×",
        "≥ 10×",
        theirs / ours >= 10 and recalls[0] >= recalls[1],
    )
    cores = os.cpu_count() or 1
    both = partial(to_clusters, texts, threads=cores), partial(query_gaoya_on_all_cores, texts)
    wall = np.min([[wait(function) for function in both] for _ in range(rounds)], axis=0).tolist()
    times = f"{wall[0]:.2f} s", f"gaoya {wall[1]:.2f} s", f"{wall[1] / wall[0]:.1f}×"
    return [row, Row(f"  the same by the clock, on {cores} cores", *times, "", None)]


def recall_of(pairs: Places, count: int, verified: Places) -> float:
    """Return how much of the truth was found: the gold set's, else what was verified here."""
    truth = verified[:, 0] << 32 | verified[:, 1]
    if GOLD.is_dir():
        truth = read_truth(GOLD).shingles
        truth = truth[(truth & 0xFFFFFFFF) < count]  # the higher of both numbers
    return score(pairs, truth)[1]


def wait(function: Callable[[], object]) -> float:
    """Return how long a call takes by the clock."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def measure_page(texts: list[str]) -> Row:
    """Measure what a crawl does for a page: its words with digits, its sketch, the index."""

    def compare() -> None:
        index = OnlineIndex()
        for text in texts:
            index.add(read_words(text, digits=True).hashes)

    compare()
    spent = best(compare, 3) / len(texts) * 1e6
    size = sum(map(len, texts)) / len(texts) / 1000
    what = f"dedupe, a page of a crawl, {size:.0f} kB of text"
    return Row(what, f"{spent:.0f} µs", "", "", "", None)


def measure_online() -> Row:
    """Measure insert and query in an index that holds ten million pages."""
    random = np.random.default_rng(2)
    index = OnlineIndex()
    pages = random.integers(0, 2**32, (PAGES, 8), np.uint32)
    index.__setstate__(index.__getstate__() | {"sketches": pages, "count": PAGES})
    del pages
    rows = list(random.integers(0, 2**64, (MORE_PAGES, 8), np.uint64))
    rate = MORE_PAGES / clock(lambda: list(map(index.see_sketch, rows)))
    held = (32 * len(index) + index.slots.nbytes) / 2**20
    said = f"{rate:,.0f}/s, {held:,.0f} MiB"
    met = rate >= GOAL_ONLINE and held <= 1024
    what = f"dedupe, insert + query at {PAGES:,} pages"
    return Row(what, said, "", "", f"≥ {GOAL_ONLINE:,}/s, ≤ 1 GiB", met)


def run(_: Path) -> list[Row]:
    """Measure everything."""
    texts = documents()
    few = texts[:DOCUMENTS]
    rows = compare_fingerprints(few) + compare_whole_way(few, 5)
    if len(texts) > len(few):
        rows += compare_whole_way(texts, 5)
    return [*rows, measure_page(few), measure_online()]


if __name__ == "__main__":
    for row in run(Path()):
        sys.stdout.write(" | ".join(map(str, row)) + "\n")
