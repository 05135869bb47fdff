"""Pictures that look alike, by perceptual hashes of 64 bits.

In: the hashes of pictures, and perhaps a second opinion. Out: pairs of pictures whose hashes differ
in at most k bits, and of which the second opinion, if there is one, says the same. Plain and empty
pictures often share one hash by the thousand: beyond `copies`, each is paired with the first only.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.join import MEMORY, JoinedPairs, Progress, join_fingerprints
from blickfang.dedupe.shingles import Places
from blickfang.text.words import Hashes

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
