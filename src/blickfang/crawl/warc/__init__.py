"""The archive: exchanges in, WARC files out, and back again."""

from blickfang.crawl.warc.heads import write_digest
from blickfang.crawl.warc.index import find_captures, write_index
from blickfang.crawl.warc.reader import read_archive, read_at
from blickfang.crawl.warc.values import Archived
from blickfang.crawl.warc.writer import ArchiveWriter

__all__ = [
    "ArchiveWriter",
    "Archived",
    "find_captures",
    "read_archive",
    "read_at",
    "write_digest",
    "write_index",
]
