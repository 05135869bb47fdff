"""Two corpora side by side: what they share by address and by text, and judgements carried over."""

from blickfang.compare.candidates import PairSearch, propose
from blickfang.compare.measure import measure_pairs
from blickfang.compare.overlap import find_overlap
from blickfang.compare.qrels import carry, read_qrels
from blickfang.compare.shelf import Library

__all__ = [
    "Library",
    "PairSearch",
    "carry",
    "find_overlap",
    "measure_pairs",
    "propose",
    "read_qrels",
]
