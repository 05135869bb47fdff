"""Searching a collection: its index is built when corpus or settings have changed.

In: the folder of a collection, or of a corpus. Out: an index to search in. Settings stand in
[search]; a corpus without a collection around it is indexed with the defaults.
"""

from pathlib import Path

from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import FILE, open_collection
from blickfang.corpus import open_corpus
from blickfang.corpus.search import OpenIndex, SearchOptions, build_index, open_index
from blickfang.corpus.search.index_reader import index_folder, is_current


def prepare_index(path: Path, advance: Advance = stay_silent) -> OpenIndex:
    """Return the index of the corpus in a folder, built if need be."""
    corpus = open_corpus(path)
    options = SearchOptions()
    if (path / FILE).exists():
        options = open_collection(path).settings.search
    folder = index_folder(corpus)
    if not is_current(corpus, folder, options):
        build_index(corpus, folder, options, advance)
    return open_index(corpus, folder)
