"""Near-duplicates: fingerprints from text, the whole way to pairs, the crawl's index.

Peers (gaoya, rensa, datasketch) get 64 hashes of the same 3-shingles from the same documents; what
is not installed is left out. Documents: the gold set in ../shared, else Python sources.
"""

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tests.gates_dedupe import GOLD, read_texts

from benchmarks.corpus import source_texts
from benchmarks.timing import Row, best, clock, race
from blickfang.dedupe import OnlineIndex, find_near_duplicates, simhashes
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import Places, Texts, hash_texts

DOCUMENTS = 2000
BATCH = 256
GOAL_MB = 180
GOALS = {"gaoya": 2.0, "rensa": 8.0, "datasketch": 20.0}
PAGES, MORE_PAGES, GOAL_ONLINE = 10_000_000, 200_000, 90_000
HASHES, BANDS = 64, 8


def documents() -> list[str]:
    """Return real documents, near-duplicates among them where the gold set is at hand."""
    if GOLD.is_dir():
        return read_texts(GOLD)[:DOCUMENTS]
    return source_texts(3_000_000)


def fingerprint(texts: list[str], method: Callable[[Texts], object]) -> None:
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
    methods: dict[str, Callable[[Texts], object]] = {
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


def compare_whole_way(texts: list[str]) -> list[Row]:
    """Measure text in, verified pairs out."""
    found: list[Places] = []
    find_near_duplicates(hash_texts(texts[:50]), threads=1)
    ours = best(lambda: found.append(find_near_duplicates(hash_texts(texts), threads=1).pairs))
    pairs = {(a, b) for a, b in found[0].tolist()}
    what = f"dedupe, {len(texts):,} documents to pairs"
    said = f"{ours:.2f} s, {len(pairs):,} pairs"
    if not find_spec("gaoya"):
        return [Row(what, said, "", "", "", None)]
    theirs: set[tuple[int, int]] = set()

    def query() -> None:
        index = with_gaoya(texts)
        for number, text in enumerate(texts):
            theirs.update((number, int(other)) for other in index.query(text) if other > number)

    seconds = clock(query)
    shared = len(pairs & theirs) / len(pairs)
    peer = f"gaoya {seconds:.2f} s, finds {shared:.1%} of them and {len(theirs - pairs):,} others"
    return [Row(what, said, peer, f"{seconds / ours:.1f}×", "≥ 10×", seconds / ours >= 10)]


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
    rows = compare_fingerprints(texts) + compare_whole_way(texts)
    return [*rows, measure_online()]


if __name__ == "__main__":
    for row in run(Path()):
        sys.stdout.write(" | ".join(map(str, row)) + "\n")
