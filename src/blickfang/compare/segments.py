"""The work in pieces: segments of B, and what was found for each, on disk.

In: where the files of a corpus begin, and how many documents a segment has. Out: segments; their
results as files that are there whole or not at all, so that killed work goes on.
"""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blickfang.compare.measure import Similarity
from blickfang.compare.shelf import Rows
from blickfang.io.atomic_files import replacing

TOGETHER = 1 << 22  # documents whose fingerprints are joined at once


class Segment(NamedTuple):
    """Some consecutive documents of a corpus."""

    number: int  # among all, also those that were not drawn
    first: int
    last: int  # behind it

    @property
    def size(self) -> int:
        """How many documents it has."""
        return self.last - self.first


class SegmentPairs(NamedTuple):
    """What was found for a segment: pairs of rows of A and B, by the second."""

    pairs: Rows
    alike: Similarity
    left_out: int


def pick(found: SegmentPairs, which: Any) -> SegmentPairs:
    """Return some of what was found: by places, flags or a slice."""
    columns = found.alike._asdict()
    alike = Similarity(**{name: column[which] for name, column in columns.items()})
    return SegmentPairs(found.pairs[which], alike, 0)


def cut_segments(file_starts: Rows, numbers: Sequence[int], documents: int) -> list[Segment]:
    """Return the files of a corpus as segments; a single file in pieces of so many documents."""
    edges = file_starts.tolist()
    if len(edges) > 2:
        return [Segment(n, edges[i], edges[i + 1]) for i, n in enumerate(numbers)]
    total = edges[-1]
    starts = range(0, max(total, 1), documents)
    return [Segment(n, first, min(first + documents, total)) for n, first in enumerate(starts)]


def batches(segments: Sequence[Segment], documents: int = TOGETHER) -> Iterator[list[Segment]]:
    """Give segments in groups of about so many documents, at least one each."""
    group: list[Segment] = []
    for segment in segments:
        if group and sum(each.size for each in group) + segment.size > documents:
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def save_found(path: Path, found: SegmentPairs) -> None:
    """Write what was found for a segment."""
    columns = {f"is_{name}": column for name, column in found.alike._asdict().items()}
    with replacing(path) as file:
        np.savez(file, pairs=found.pairs, left_out=np.int64(found.left_out), **columns)


def load_found(path: Path) -> SegmentPairs | None:
    """Return what was found for a segment; None if that is not known yet."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            alike = Similarity(*(file[f"is_{name}"] for name in Similarity._fields))
            return SegmentPairs(file["pairs"], alike, int(file["left_out"]))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        path.unlink(missing_ok=True)  # damaged: found again
        return None
