"""Counting what was found, segment by segment, without keeping the pairs.

In: what was found for each segment of B. Out: figures: pairs and documents a segment, accumulated,
distributions of Jaccard, kinds, candidates a document; and for each document of A its best partner.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.compare.fingerprint_file import NO_ADDRESS, Library, Rows
from blickfang.dedupe.compare.pair_measures import KINDS, Similarity, reaches
from blickfang.dedupe.compare.segments import Segment, SegmentPairs

BINS = 20
EDGES = [number / BINS for number in range(BINS + 1)]
NAMES = (*KINDS, "unknown")


class SegmentFigures(NamedTuple):
    """The figures of one segment."""

    number: int
    documents: int
    candidates: int
    pairs: int  # near-duplicates
    a_found: int  # documents of A with a near-duplicate in this segment
    b_found: int  # documents of the segment with a near-duplicate in A
    accumulated: int  # documents of A found in this or an earlier segment
    not_compared: int


def decide(alike: Similarity, on: str) -> NDArray[np.float32]:
    """Return the Jaccard that counts: of all text, of main text, or the better one."""
    if on == "all":
        return alike.all
    return alike.main if on == "main" else np.fmax(alike.all, alike.main)


def spread(values: NDArray[Any]) -> list[int]:
    """Return how many values lie in each twentieth from 0 to 1, 1 in the last."""
    values = values[~np.isnan(values)]
    places = np.clip((values * BINS + 1e-6).astype(np.int64), 0, BINS - 1)
    counts: list[int] = np.bincount(places, minlength=BINS).tolist()
    return counts


def count_kinds(kinds: NDArray[np.uint8]) -> dict[str, int]:
    """Return how many pairs are of each kind that occurs."""
    counts = np.bincount(kinds, minlength=len(NAMES)).tolist()
    return {name: count for name, count in zip(NAMES, counts, strict=True) if count}


class OverlapTally:
    """What has been counted so far."""

    def __init__(self, left: Library, right: Library, threshold: float, on: str) -> None:
        """Begin to count near-duplicates of documents of `left` in segments of `right`."""
        self.threshold, self.on = threshold, on
        self.urls = left.column("url_hash"), right.column("url_hash")
        count = len(left)
        self.best = np.full(count, -1, np.float32)  # Jaccard
        self.best_same = np.zeros(count, np.bool_)  # at the same address
        self.best_row = np.full(count, -1, np.int64)
        self.best_kind = np.zeros(count, np.uint8)
        self.candidates = np.zeros(count, np.int32)
        self.segments: list[SegmentFigures] = []
        self.histogram = np.zeros(BINS, np.int64)
        self.kinds = np.zeros(len(NAMES), np.int64)
        self.same_address = 0  # near-duplicate pairs

    def add(self, segment: Segment, found: SegmentPairs) -> None:
        """Count one more segment."""
        values = decide(found.alike, self.on)
        near = reaches(found.alike, self.threshold, self.on)
        same = self._same(found.pairs)
        self.histogram += spread(values)
        self.kinds += np.bincount(found.alike.kind[near], minlength=len(NAMES))
        self.same_address += int(same[near].sum())
        np.add.at(self.candidates, found.pairs[:, 0], 1)
        self._choose(found, values, same)
        mine, theirs = (np.unique(found.pairs[near, side]) for side in (0, 1))
        self.segments.append(
            SegmentFigures(
                segment.number,
                segment.size,
                len(found.pairs),
                int(near.sum()),
                len(mine),
                len(theirs),
                int((self.best >= self.threshold).sum()),
                found.left_out,
            )
        )

    def _same(self, pairs: Rows) -> NDArray[np.bool_]:
        mine, theirs = self.urls[0][pairs[:, 0]], self.urls[1][pairs[:, 1]]
        same: NDArray[np.bool_] = (mine == theirs) & (mine != NO_ADDRESS)
        return same

    def _choose(
        self, found: SegmentPairs, values: NDArray[np.float32], same: NDArray[np.bool_]
    ) -> None:
        """Keep the best partner of each document: most alike, same address, first in B."""
        pairs = found.pairs
        order = np.lexsort((-pairs[:, 1], same, values, pairs[:, 0]))
        rows = pairs[order, 0]
        order = order[np.append(rows[1:] != rows[:-1], True)] if len(rows) else order
        rows = pairs[order, 0]
        old, new = self.best[rows], values[order]
        better = (new > old) | ((new == old) & same[order] & ~self.best_same[rows])
        chosen, rows = order[better], rows[better]
        self.best[rows], self.best_row[rows] = values[chosen], pairs[chosen, 1]
        self.best_same[rows] = same[chosen]
        self.best_kind[rows] = found.alike.kind[chosen]

    def figures(self) -> dict[str, Any]:
        """Return everything that was counted."""
        found = self.best >= self.threshold
        seen = self.candidates > 0
        pairs = sum(each.pairs for each in self.segments)
        candidates = sum(each.candidates for each in self.segments)
        return {
            "candidates": candidates,
            "pairs": pairs,
            "precision": pairs / candidates if candidates else None,
            "a_with_candidates": int(seen.sum()),
            "a_found": int(found.sum()),
            "precision_of_best": float(found[seen].mean()) if seen.any() else None,
            "b_found": sum(each.b_found for each in self.segments),
            "pairs_at_same_address": self.same_address,
            "best_at_same_address": int((found & self.best_same).sum()),
            "not_compared": sum(each.not_compared for each in self.segments),
            "candidates_per_document": describe_counts(self.candidates[seen]),
            "jaccard_of_pairs": self.histogram.tolist(),
            "jaccard_of_best": spread(self.best[seen]),
            "kinds": {n: c for n, c in zip(NAMES, self.kinds.tolist(), strict=True) if c},
            "segments": [each._asdict() for each in self.segments],
        }


def describe_counts(counts: NDArray[Any]) -> dict[str, float | None]:
    """Return mean, median, upper quartile and maximum."""
    if not len(counts):
        return {"mean": None, "median": None, "upper_quartile": None, "maximum": None}
    median, upper = np.percentile(counts, [50, 75]).tolist()
    mean, most = float(counts.mean()), float(counts.max())
    return {"mean": mean, "median": median, "upper_quartile": upper, "maximum": most}
