"""Archives wherever they lie: which ones, how they come to workers, their pages read and scored."""

from blickfang.pipeline.archives.reading import read_archives, write_archives
from blickfang.pipeline.archives.supplies import Supply

__all__ = ["Supply", "read_archives", "write_archives"]
