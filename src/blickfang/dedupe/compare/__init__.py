"""Two corpora side by side: what they share by address and by text, and judgements carried over."""

from blickfang.dedupe.compare.fingerprint_file import Library
from blickfang.dedupe.compare.overlap import find_overlap
from blickfang.dedupe.compare.pair_candidates import PairSearch, propose
from blickfang.dedupe.compare.pair_measures import measure_pairs
from blickfang.dedupe.compare.qrels import carry, read_qrels

__all__ = [
    "Library",
    "PairSearch",
    "carry",
    "find_overlap",
    "measure_pairs",
    "propose",
    "read_qrels",
]
