"""Near-duplicate pages: the same text under several addresses says a thing once.

In: the pages of all parts. Out: the captures that repeat another one. Sketches propose, the texts
themselves decide; the longest stays, of equals the earliest.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from blickfang.dedupe import choose_copies, cluster, find_near_duplicates
from blickfang.dedupe.minhash import sketch
from blickfang.dedupe.shingles import hash_texts
from blickfang.dedupe.similar_texts import THRESHOLD, propose_pairs
from blickfang.types import Page

FEW_WORDS = 20  # pages with fewer are not compared


def sketch_page(page: Page) -> bytes | None:
    """Return what a page is compared by; None for a page of few words."""
    texts = hash_texts([page.main_text or page.text])
    return sketch(texts).tobytes() if len(texts.hashes) >= FEW_WORDS else None


def find_twins(parts: Sequence[Path], fetched_at: Mapping[int, str]) -> frozenset[int]:
    """Return the keys of captures that repeat another; `fetched_at` has those that count."""
    places, sketches = [], []
    for number, part in enumerate(parts):
        table = pq.read_table(part / "pages.parquet", columns=["key", "sketch"])
        pairs = zip(table["key"].to_pylist(), table["sketch"].to_pylist(), strict=True)
        for row, (key, data) in enumerate(pairs):
            if data is not None and key in fetched_at:
                places.append((key, number, row))
                sketches.append(data)
    if not places:
        return frozenset()
    rows = np.frombuffer(b"".join(sketches), np.uint64).reshape(len(places), -1)
    proposed = propose_pairs(rows, THRESHOLD)
    involved = np.unique(proposed.pairs).tolist()
    if not involved:
        return frozenset()
    texts = _read_texts(parts, [places[number][1:] for number in involved])
    found = find_near_duplicates(hash_texts(texts), THRESHOLD)
    labels = cluster(len(texts), found.pairs)
    times = [fetched_at[places[number][0]] for number in involved]
    keeps = choose_copies(labels, [len(text) for text in texts], times).tolist()
    chosen = enumerate(zip(involved, keeps, strict=True))
    return frozenset(places[number][0] for at, (number, kept) in chosen if kept != at)


def _read_texts(parts: Sequence[Path], places: Sequence[tuple[int, int]]) -> list[str]:
    """Return the main texts of pages, given the part and the row of each."""
    found = [""] * len(places)
    for part in {part for part, _ in places}:
        table = pq.read_table(parts[part] / "pages.parquet", columns=["main_text", "text"])
        chosen = [at for at, place in enumerate(places) if place[0] == part]
        rows = table.take([places[at][1] for at in chosen]).to_pylist()
        for at, row in zip(chosen, rows, strict=True):
            found[at] = row["main_text"] or row["text"]
    return found
