"""Archives wherever they lie: which ones, how they come to workers, their pages read and scored."""

from blickfang.corpus.archives.archive_sources import Supply
from blickfang.corpus.archives.read_pages import read_archives, write_archives

__all__ = ["Supply", "read_archives", "write_archives"]
