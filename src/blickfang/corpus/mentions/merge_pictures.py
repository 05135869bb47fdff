"""One sample a picture: addresses with the same bytes, or pictures that look the same, are one.

In: addresses that are left, with their pictures and mentions. Out: for each address the picture
that stands for it, and what each picture is worth, its copies' votes counted. No text is lost:
mentions of all copies are mentions of the one that stays, the largest.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.corpus.mentions.captures import PictureCapture
from blickfang.corpus.mentions.join_pictures import Survey
from blickfang.corpus.mentions.rank import pool_votes
from blickfang.dedupe import cluster, find_alike

Alike = Callable[[PictureCapture, PictureCapture], bool]


class MergedPictures(NamedTuple):
    """Pictures that are one, and what they are worth."""

    owner: NDArray[np.int64]  # of each address, the number of its picture
    pictures: list[PictureCapture]  # those that stay
    copies: list[list[PictureCapture]]  # of each, the others, one of each address
    study: NDArray[np.float64]  # the best of all mentions; NaN for none
    ours: NDArray[np.float64]
    homes: list[str]  # of each picture, the address under which it stays


def merge(
    found: Survey, bits: int, alike: Callable[[list[PictureCapture]], Alike]
) -> MergedPictures:
    """Merge equal and near-equal pictures; `alike` makes the second opinion on near-equal ones."""
    different: dict[str, int] = {}
    exact = np.array(
        [different.setdefault(shot.sha256, len(different)) for shot in found.shots], np.int64
    )
    first: dict[int, PictureCapture] = {}
    for number, shot in zip(exact.tolist(), found.shots, strict=True):
        first[number] = min(first.get(number, shot), shot, key=_age)
    shots = [first[number] for number in range(len(first))]
    labels = _find_near(shots, bits, alike)
    _, owner = np.unique(labels[exact] if len(exact) else labels, return_inverse=True)
    return _choose(found, owner.astype(np.int64))


def _age(shot: PictureCapture) -> tuple[str, str]:
    return shot.fetched_at, shot.url


def _find_near(
    shots: list[PictureCapture], bits: int, alike: Callable[[list[PictureCapture]], Alike]
) -> NDArray[np.int64]:
    """Return for each picture the lowest number among those that look the same."""
    if len(shots) < 2:
        return np.arange(len(shots))
    judge = alike(shots)

    def verify(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.array([judge(shots[a], shots[b]) for a, b in pairs.tolist()], np.bool_)

    hashes = np.array([shot.phash for shot in shots], np.uint64)
    return cluster(len(shots), find_alike(hashes, bits, verify).pairs)


def _choose(found: Survey, owner: NDArray[np.int64]) -> MergedPictures:
    """Return of each picture the address that stays, the others, and its worth."""
    members: list[list[int]] = [[] for _ in range(int(owner.max(initial=-1)) + 1)]
    for address, number in enumerate(owner.tolist()):
        members[number].append(address)
    study, ours = _pool(found, owner, len(members))
    pictures, copies, homes = [], [], []
    for addresses in members:
        ordered = sorted(
            addresses, key=lambda each: _size(found.shots[each], found.addresses[each])
        )
        pictures.append(found.shots[ordered[0]])
        homes.append(found.addresses[ordered[0]])
        copies.append(
            [found.shots[each]._replace(url=found.addresses[each]) for each in ordered[1:]]
        )
    return MergedPictures(owner, pictures, copies, study, ours, homes)


def _size(shot: PictureCapture, url: str) -> tuple[int, int, str, str]:
    """Return the order of copies: the largest first, of equals the earliest."""
    return -shot.width * shot.height, -shot.bytes, shot.fetched_at, url


def _pool(
    found: Survey, owner: NDArray[np.int64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the worth of each picture by all its mentions."""
    mentions = found.mentions
    pictures = owner[mentions.address]
    study = np.full(count, np.inf)
    np.fmin.at(study, pictures, mentions.study)
    by_host: list[dict[int, float]] = [{} for _ in range(count)]
    rows = zip(pictures.tolist(), mentions.host.tolist(), mentions.ours.tolist(), strict=True)
    for picture, host, value in rows:
        by_host[picture][host] = max(by_host[picture].get(host, 0.0), value)
    ours = [_vote(sorted(values.values(), reverse=True)) for values in by_host]
    return np.where(np.isinf(study), np.nan, study), np.array(ours)


def _vote(values: Sequence[float]) -> float:
    return pool_votes(values[0], values[1:]) if values else 0.0
