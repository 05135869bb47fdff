"""Image–text samples on disk: written, read, filtered, described, exported."""

from blickfang.corpus.corpus_reader import Corpus, open_corpus
from blickfang.corpus.corpus_writer import write_corpus
from blickfang.corpus.dataset_card import FunnelStep, Origin
from blickfang.corpus.export import export_corpus
from blickfang.corpus.merge_corpora import merge_collections

__all__ = [
    "Corpus",
    "FunnelStep",
    "Origin",
    "export_corpus",
    "merge_collections",
    "open_corpus",
    "write_corpus",
]
