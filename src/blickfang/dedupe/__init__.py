"""Near-duplicates: texts and pictures that are the same but for little."""

from blickfang.dedupe.clusters import choose_copies, cluster, find_alike
from blickfang.dedupe.join import join_fingerprints
from blickfang.dedupe.online_index import OnlineIndex
from blickfang.dedupe.simhash import simhashes
from blickfang.dedupe.similar_texts import find_near_duplicates

__all__ = [
    "OnlineIndex",
    "choose_copies",
    "cluster",
    "find_alike",
    "find_near_duplicates",
    "join_fingerprints",
    "simhashes",
]
