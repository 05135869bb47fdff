"""The archive: exchanges in, WARC files out, and back again."""

from blickfang.io.warc.archive_reader import read_archive, read_at
from blickfang.io.warc.archive_writer import ArchiveWriter
from blickfang.io.warc.cdxj import find_captures, write_index
from blickfang.io.warc.record_headers import write_digest
from blickfang.io.warc.record_types import Archived

__all__ = [
    "ArchiveWriter",
    "Archived",
    "find_captures",
    "read_archive",
    "read_at",
    "write_digest",
    "write_index",
]
