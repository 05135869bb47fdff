"""Image–text samples on disk: written, read, filtered, described, exported."""

from blickfang.corpus.export import export_corpus
from blickfang.corpus.merge import merge_collections
from blickfang.corpus.origin import FunnelStep, Origin
from blickfang.corpus.store import Corpus, open_corpus
from blickfang.corpus.writing import write_corpus

__all__ = [
    "Corpus",
    "FunnelStep",
    "Origin",
    "export_corpus",
    "merge_collections",
    "open_corpus",
    "write_corpus",
]
