"""Near-duplicates: texts and pictures that are the same but for little."""

from blickfang.dedupe.clusters import choose_copies, cluster, find_alike
from blickfang.dedupe.join import join_fingerprints
from blickfang.dedupe.online import OnlineIndex
from blickfang.dedupe.pages import find_near_duplicates
from blickfang.dedupe.simhash import simhashes

__all__ = [
    "OnlineIndex",
    "choose_copies",
    "cluster",
    "find_alike",
    "find_near_duplicates",
    "join_fingerprints",
    "simhashes",
]
