"""What a join has found so far, on disk: after a kill it goes on with what is missing.

In: the pairs of one partition (one choice of blocks, some buckets), and counts. Out: the same, when
the join is begun again with the same fingerprints and settings. A folder holds the parts of one
join; they are removed when it has ended.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from blickfang.dedupe.shingles import Places
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing, write_text
from blickfang.text.words import Hashes

ABOUT = "join.json"
COUNTS = 4  # numbers before the pairs
CHUNK = 1 << 22


def digest(values: Hashes) -> list[int]:
    """Return numbers that tell one array of fingerprints from another: count, parity, sum."""
    parity = total = 0
    for begin in range(0, len(values), CHUNK):
        chunk = values[begin : begin + CHUNK]
        parity ^= int(np.bitwise_xor.reduce(chunk))
        total += int(chunk.sum(dtype=np.uint64))
    return [len(values), parity, total]


class JoinPartitions:
    """The finished partitions of a join."""

    def __init__(self, folder: Path, sides: Sequence[Hashes], settings: dict[str, Any]) -> None:
        """Go on in a folder, if what is in it belongs to the same join; else say so."""
        self.folder = folder
        about = json.dumps({**settings, "fingerprints": [digest(side) for side in sides]})
        path = folder / ABOUT
        if not path.exists():
            write_text(path, about)
        elif path.read_text(encoding="utf-8") != about:
            raise InputError(f"{folder} holds parts of another join; name another folder")

    def _path(self, plan: int, span: tuple[int, int]) -> Path:
        return self.folder / f"part-{plan:03d}-{span[0]}-{span[1]}.npy"

    def load(self, plan: int, span: tuple[int, int]) -> tuple[Hashes, Places] | None:
        """Return the pairs and counts of a partition; None for one that is not finished."""
        path = self._path(plan, span)
        if not path.exists():
            return None
        try:
            kept: Hashes = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{path} is damaged; remove it") from error
        return kept[COUNTS:].reshape(-1, 2), kept[:COUNTS].astype(np.int64)

    def keep(self, plan: int, span: tuple[int, int], pairs: Hashes, seen: Places) -> None:
        """Keep the pairs and counts of a partition."""
        with replacing(self._path(plan, span)) as file:
            np.save(file, np.concatenate([seen.astype(np.uint64), pairs.ravel()]))

    def remove(self) -> None:
        """Remove everything: the join has ended."""
        shutil.rmtree(self.folder)
