"""Corpus in, index and hits out: search by words, by a picture, by both, or for more like one."""

from blickfang.search.building import build_index
from blickfang.search.index import OpenIndex, open_index
from blickfang.search.options import SearchOptions
from blickfang.search.searching import Hit, search_corpus, search_index

__all__ = [
    "Hit",
    "OpenIndex",
    "SearchOptions",
    "build_index",
    "open_index",
    "search_corpus",
    "search_index",
]
