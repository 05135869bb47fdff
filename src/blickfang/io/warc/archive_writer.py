"""Keeping every exchange: WARC 1.1, one gzip member per record, files of one gigabyte.

In: exchanges as they went over the wire. Out: files that every tool for web archives reads, and
the place of each record in them.

Records are packed in memory and written with one call at a known place, so that a full disk leaves
whole ones only. What was written after the last commit of the crawl's own state is cut off when
the archive is opened again: the crawl fetches it once more.
"""

import io
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from isal import isal_zlib

from blickfang.errors import InputError
from blickfang.io.atomic_files import explain_failure, sync_path
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.record_headers import (
    Fields,
    new_record_id,
    payload_digest,
    record_head,
    request_fields,
    response_fields,
    revisit_fields,
    warcinfo,
)
from blickfang.io.warc.record_types import RecordPlace
from blickfang.io.warc.unpack import GzipWriter

ROLL_AT = 10**9
LEVEL = 1  # of ISA-L: pages get .206 of their size in 221 µs; zlib-ng's first level .252 in 394
GZIP = 31  # window bits, as zlib wants them: a gzip member
AT_ONCE = 2**20  # bytes that are packed in one call, in two thirds of the time of several
MAX_UNCOMMITTED = 2**28  # no batch holds more: the state would not be that of this archive

END_OF_HEAD = re.compile(rb"\n\r?\n")
# First bytes of what is packed already: gzip would take ten times as long and make it larger.
PACKED = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"\x1f\x8b", b"PK\x03\x04")


class ArchiveWriter:
    """The files that one shard of a crawl writes."""

    def __init__(
        self, folder: Path, prefix: str, about: Mapping[str, str], level: int, roll_at: int
    ) -> None:
        self._folder = folder
        self._prefix = prefix
        self._about = about
        self._roll_at = roll_at
        self._buffer = io.BytesIO()
        self._level = level
        self._storing = GzipWriter(self._buffer, 0)
        self._number = 0
        self._file = -1
        self._length = 0  # of the whole records in the current file
        self._full: list[int] = []  # files to close when they are safe on disk
        self._is_new = False  # the current file's name may not be safe on disk

    @classmethod
    def open(
        cls,
        folder: Path,
        prefix: str,
        committed: tuple[str, int] | None,
        about: Mapping[str, str],
        level: int = LEVEL,
        roll_at: int = ROLL_AT,
    ) -> Self:
        """Open an archive to go on behind what was committed; what was written later is removed.

        `about` goes into the first record of every file: best `operator`, `description` and the
        settings of the crawl.
        """
        archive = cls(folder, prefix, about, level, roll_at)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            archive._resume(committed)
            archive._begin()
        except OSError as error:
            raise explain_failure(error, f"cannot write to {folder}") from error
        return archive

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def position(self) -> tuple[str, int]:
        """The current file and its length: what a commit notes, behind `flush`."""
        return self._name(self._number), self._length

    def write(
        self, exchange: Exchange, refers_to: tuple[str, str] | None = None, digest: str = ""
    ) -> RecordPlace:
        """Append a request and its answer; return the place of the answer.

        With `refers_to`, address and date of an earlier answer with the same payload, only the
        head of this one is kept. `digest` is that of `payload_digest`, if it is known already.
        """
        end = END_OF_HEAD.search(exchange.response_head)
        if end is None or end.end() != len(exchange.response_head):
            raise ValueError("the head of a response must end with its only empty line")
        digest = digest or payload_digest(exchange.body)
        record_id = new_record_id()
        self._begin()
        self._pack("request", request_fields(exchange, record_id), exchange.request_head)
        offset = self._buffer.tell()
        if refers_to is None:
            fields = response_fields(exchange, record_id, digest)
            self._pack("response", fields, exchange.response_head, exchange.body)
        else:
            fields = revisit_fields(exchange, record_id, digest, refers_to)
            self._pack("revisit", fields, exchange.response_head)
        return self._append(offset, record_id, digest)

    def write_conversion(
        self,
        url: str,
        date: str,
        content: bytes,
        refers_to_id: str,
        content_type: str = "text/html; charset=utf-8",
    ) -> RecordPlace:
        """Append what was made of an answer, such as the page after its scripts have run."""
        record_id = new_record_id()
        digest = payload_digest(content)
        fields = [
            ("WARC-Record-ID", record_id),
            ("WARC-Date", date),
            ("WARC-Target-URI", url),
            ("WARC-Refers-To", refers_to_id),
            ("WARC-Payload-Digest", digest),
            ("Content-Type", content_type),
        ]
        self._begin()
        self._pack("conversion", fields, content)
        return self._append(0, record_id, digest)

    def flush(self, sync: bool = False) -> None:
        """Make sure that a crash of this process loses nothing; with `sync`, no power cut either.

        The first is so already: nothing is kept back.
        """
        try:
            if sync:
                for file in self._open_files():
                    os.fsync(file)
                if self._is_new:
                    sync_path(self._folder)
                    self._is_new = False
        except OSError as error:
            raise explain_failure(error, f"cannot write to {self._folder}") from error
        while self._full:
            os.close(self._full.pop())

    def close(self) -> None:
        """Close the files; another record would open the last one again."""
        for file in self._open_files():
            os.close(file)
        self._full, self._file = [], -1

    def _open_files(self) -> list[int]:
        return [*self._full, self._file] if self._file >= 0 else self._full

    def _name(self, number: int) -> str:
        return f"{self._prefix}-{number:05}.warc.gz"

    def _resume(self, committed: tuple[str, int] | None) -> None:
        """Cut the files back to what was committed and open the last one."""
        pattern = re.compile(re.escape(self._prefix) + r"-([0-9]{5,})\.warc\.gz")
        found = {path: pattern.fullmatch(path.name) for path in self._folder.iterdir()}
        numbers = {path: int(match[1]) for path, match in found.items() if match}
        name, length = committed or (self._name(0), 0)
        known = pattern.fullmatch(name)
        if known is None:
            raise ValueError(f"{name} is no file of the archive {self._prefix}")
        self._number = int(known[1])
        path = self._folder / name
        size = path.stat().st_size if path in numbers else 0
        if size < length:
            raise InputError(f"{path} has lost {length - size} bytes: bring the whole file back")
        later = [other for other, number in numbers.items() if number > self._number]
        excess = size - length + sum(other.stat().st_size for other in later)
        if excess > MAX_UNCOMMITTED:
            raise InputError(
                f"{path} and its successors hold {excess} bytes that the state of the crawl does "
                "not know: move them elsewhere, or bring back the state that belongs to them"
            )
        for other in later:
            other.unlink()
        self._length = length
        self._open_file()

    def _begin(self) -> None:
        """Get ready for a record: with an open file, the next one if the current one is full."""
        self._buffer.seek(0)
        self._buffer.truncate()
        if self._length >= self._roll_at:
            self._full += [self._file] if self._file >= 0 else []
            self._number, self._file, self._length = self._number + 1, -1, 0
        if self._file < 0:
            self._open_file()
        if self._length == 0:
            fields, content = warcinfo(self._name(self._number), self._about)
            self._pack("warcinfo", fields, content)
            self._append(0, "", "")

    def _open_file(self) -> None:
        """Open the current file, without what is behind its whole records."""
        path = self._folder / self._name(self._number)
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(self._file, self._length)
        except OSError as error:
            raise explain_failure(error, f"cannot write {path}") from error
        self._is_new = self._is_new or self._length == 0

    def _pack(self, kind: str, fields: Fields, *block: bytes) -> None:
        """Add a record to those that the next call of `_append` writes."""
        parts = record_head(kind, fields, block), *block, b"\r\n\r\n"
        if block[-1].startswith(PACKED) or block[-1][4:8] == b"ftyp":
            for part in parts:
                self._storing.write(part)
            self._storing.finish()  # ends the gzip member
            return
        if sum(map(len, parts)) <= AT_ONCE:
            self._buffer.write(isal_zlib.compress(b"".join(parts), self._level, GZIP))
            return
        packing = isal_zlib.compressobj(self._level, wbits=GZIP)
        for part in parts:
            self._buffer.write(packing.compress(part))
        self._buffer.write(packing.flush())

    def _append(self, offset: int, record_id: str, digest: str) -> RecordPlace:
        """Write the packed records; return the place of that at `offset` among them."""
        packed = memoryview(self._buffer.getvalue())
        written = 0
        try:
            while written < len(packed):
                written += os.pwrite(self._file, packed[written:], self._length + written)
        except OSError as error:
            with suppress(OSError):  # the next record is written over the rest anyway
                os.ftruncate(self._file, self._length)
            path = self._folder / self._name(self._number)
            raise explain_failure(error, f"cannot write {path}") from error
        finally:
            self._buffer.seek(0)
            self._buffer.truncate()
        place = RecordPlace(
            self._name(self._number), self._length + offset, written - offset, record_id, digest
        )
        self._length += written
        return place
