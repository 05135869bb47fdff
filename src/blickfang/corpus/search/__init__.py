"""Corpus in, index and hits out: search by words, by a picture, by both, or for more like one."""

from blickfang.corpus.search.index_builder import build_index
from blickfang.corpus.search.index_reader import OpenIndex, open_index
from blickfang.corpus.search.run_query import Hit, search_corpus, search_index
from blickfang.corpus.search.search_options import SearchOptions

__all__ = [
    "Hit",
    "OpenIndex",
    "SearchOptions",
    "build_index",
    "open_index",
    "search_corpus",
    "search_index",
]
