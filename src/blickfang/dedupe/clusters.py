"""Pairs become clusters, and of each cluster one text stays.

In: pairs of texts, by number. Out: for each text the cluster it is in, and who represents it. The
choice depends on the texts alone, not on the order of the pairs: the longest main text, of equally
long ones the earliest, of those the lowest number.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.dedupe.join import MEMORY, JoinedPairs, Progress, join_fingerprints
from blickfang.dedupe.shingles import Places
from blickfang.text.words import Hashes


@inlined
def find_root(parents: Places, i: Integer) -> Integer:
    """Return who stands for i; what lies between is made to point closer."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@filling
def unite(parents: Places, pairs: Places) -> None:
    """Join the two sides of each pair; the lower number stands for both."""
    for p in range(len(pairs)):
        a = find_root(parents, pairs[p, 0])
        b = find_root(parents, pairs[p, 1])
        parents[max(a, b)] = min(a, b)
    for i in range(len(parents)):
        parents[i] = find_root(parents, i)


def cluster(count: int, pairs: NDArray[np.int64]) -> Places:
    """Return for each of `count` texts the lowest number in its cluster."""
    parents = np.arange(count, dtype=np.int64)
    unite(parents, np.ascontiguousarray(pairs, np.int64).reshape(-1, 2))
    return parents


def choose_copies(
    labels: Places,
    lengths: Sequence[int] | Places,
    times: Sequence[float] | Sequence[str] | None = None,
) -> Places:
    """Return for each text who represents its cluster: longest, then earliest, then lowest."""
    count = len(labels)
    order = np.arange(count)
    if times is not None:
        order = order[np.argsort(np.asarray(times), kind="stable")]
    order = order[np.argsort(-np.asarray(lengths, np.int64)[order], kind="stable")]
    best = np.full(count, -1, np.int64)
    best[labels[order[::-1]]] = order[::-1]  # the first of the order is written last
    chosen: Places = best[labels]
    return chosen


COPIES = 100
HOT = 512
CROWD = 16  # hashes of nearly plain pictures are all close to one another
AT_ONCE = 1 << 16  # pairs for the second opinion

Verify = Callable[[Places], NDArray[np.bool_]]  # rows of two numbers of pictures → which are alike


def find_alike(
    phashes: Hashes,
    k: int,
    verify: Verify | None = None,
    *,
    copies: int = COPIES,
    memory: int = MEMORY,
    scratch: Path | None = None,
    threads: int | None = None,
    hot: int = HOT,
    crowd: int = CROWD,
    progress: Progress | None = None,
) -> JoinedPairs:
    """Return the pairs of pictures whose hashes differ in at most k bits, and that are verified."""
    found = join_fingerprints(
        phashes,
        k=k,
        copies=copies,
        memory=memory,
        scratch=scratch,
        threads=threads,
        hot=hot,
        crowd=crowd,
        progress=progress,
    )
    if verify is None or not len(found.pairs):
        return found
    parts = [found.pairs[i : i + AT_ONCE] for i in range(0, len(found.pairs), AT_ONCE)]
    right = np.concatenate([np.asarray(verify(part), np.bool_) for part in parts])
    return found._replace(pairs=found.pairs[right], distances=found.distances[right])
