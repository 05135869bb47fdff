"""The files that rows of archives go to: one an archive, named by what it was read from and how.

In: a folder, and archives. Out: names; files that hold rows of what an archive had been are cleared
away: whoever reads all files would count its pages twice. Which archive a file is of stands in the
comment of its gzip header, as a digest of its whole path: rows name it as the user did, and
`x.warc.gz` is another one in every folder.
"""

import hashlib
import json
import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

from blickfang.corpus.archives.archive_sources import tell_apart
from blickfang.corpus.mentions.filters import Row
from blickfang.corpus.sample_columns import REJECTED, make_schema
from blickfang.io import storage
from blickfang.io.storage import FileState, Place

FORMAT = 2  # raise it when the same archive gives other rows
ROWS = re.compile(r"(.+)-[0-9a-f]{8}\.jsonl\.gz")
MAX_ROWS = 2**30  # bytes of a file elsewhere that is looked into
HEAD = b"\x1f\x8b\x08\x10\0\0\0\0\0\xff"  # gzip, with a comment, without a time
MARK = re.compile(re.escape(HEAD) + rb"archive ([0-9a-f]{32})\0")


class RowFiles:
    """The files of rows in a folder."""

    def __init__(self, out: Place, places: Sequence[Place], about: str) -> None:
        """`about` says how archives are read."""
        self.out, self.about = out, about
        self.names = tell_apart(places)  # two archives may have one name
        self.there: defaultdict[str, set[str]] = defaultdict(set)  # by name of their archive
        for name in _list_names(out):
            found = ROWS.fullmatch(name)
            if found:
                self.there[found[1]].add(name)

    def name(self, place: Place, state: FileState) -> str:
        """Return the name of the file of an archive, which changes with it and with the reading."""
        named = self.names[place] if isinstance(place, Path) else place
        told = json.dumps([named, state.size, self.about, FORMAT])
        digest = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()
        return f"{storage.name_of(place)}-{digest[:8]}.jsonl.gz"

    def has(self, name: str) -> bool:
        """Whether a file is there."""
        found = ROWS.fullmatch(name)
        return found is not None and name in self.there[found[1]]

    def clear(self, place: Place, current: str) -> int:
        """Remove the rows of what an archive had been; return how many files they were."""
        cleared = 0
        for name in sorted(self.there[storage.name_of(place)] - {current}):
            file = storage.join(self.out, name)
            if _is_of(file, place):
                storage.remove(file)
                self.there[storage.name_of(place)].discard(name)
                cleared += 1
        return cleared


def _list_names(out: Place) -> list[str]:
    if isinstance(out, Path):
        return [path.name for path in out.glob("*.jsonl.gz")] if out.is_dir() else []
    return [storage.name_of(file) for file in storage.find(f"{out.rstrip('/')}/*.jsonl.gz")]


def pack_rows(rows: bytes, place: Place) -> bytes:
    """Return the rows of an archive as they are written: by gzip, and marked with the archive.

    >>> zlib.decompress(pack_rows(b"{}", Path("/x.warc.gz")), zlib.MAX_WBITS | 16)
    b'{}'
    """
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(rows) + packer.flush()
    end = struct.pack("<II", zlib.crc32(rows), len(rows) % 2**32)
    return HEAD + b"archive " + _mark(place) + b"\0" + packed + end


def _mark(place: Place) -> bytes:
    told = str(storage.absolute(place)).encode("utf-8", "surrogateescape")
    return hashlib.sha256(told).hexdigest()[:32].encode()


def _is_of(file: Place, place: Place) -> bool:
    """Whether a file has rows of an archive; one that does not tell it is nobody's."""
    try:
        with storage.fetching(file, MAX_ROWS) as path, path.open("rb") as begin:
            marked = MARK.match(begin.read(100))
    except OSError:
        return False
    return marked is not None and marked[1] == _mark(place)


NOT_KEPT = make_schema(REJECTED)


class Spool:
    """Rows that are written aside until their turn comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer = ipc.new_file(path, NOT_KEPT)

    def add(self, rows: list[Row]) -> None:
        """Keep some rows."""
        if rows:
            self.writer.write_batch(pa.RecordBatch.from_pylist(rows, NOT_KEPT))

    def batches(self) -> Iterator[Any]:
        """Give all rows."""
        self.writer.close()
        with ipc.open_file(self.path) as file:
            for number in range(file.num_record_batches):
                yield file.get_batch(number)
