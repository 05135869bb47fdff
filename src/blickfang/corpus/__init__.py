"""Image–text samples on disk: written, read, filtered, described, exported."""

from blickfang.corpus.origin import Origin, Step
from blickfang.corpus.store import Corpus, open_corpus
from blickfang.corpus.writing import write_corpus

__all__ = ["Corpus", "Origin", "Step", "open_corpus", "write_corpus"]
