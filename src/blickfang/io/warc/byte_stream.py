"""Reading the unpacked bytes of an archive: by line or by length, forward, and back a little.

In: an archive file. Out: bytes, and the offsets in the file where they can be found again. What is
asked for never reaches into the next gzip member that begins a record, nor over damage.
"""

import io
import re
from collections import deque
from typing import BinaryIO

from blickfang.io.warc.record_headers import (
    LONGEST_LINE,
    LONGEST_SCHEME,
    NEXT_LINE,
    SCHEME,
    begins_arc,
)
from blickfang.io.warc.unpack import UnpackedBytes, unpack

RECORD = b"WARC/"
BLANK_LINES = re.compile(rb"(?>(?:\r*+\n)+)")


class Tape:
    """The unpacked bytes of an archive file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._is_packed, self._pieces = unpack(file)
        self._next: UnpackedBytes | None = None
        self._data = b""
        self._at = 0
        self._before = 0  # unpacked bytes in front of `_data`
        self._starts: deque[tuple[int, int]] = deque()  # of gzip members: position, offset
        self.returned = 0  # bytes that lying lengths made us read twice
        self.damage = ""  # what was crossed since it was last emptied
        self.is_arc = False  # whether records begin as those of ARC

    def offset(self) -> int | None:
        """Return where in the file the next byte is found again, None if not directly."""
        position = self._before + self._at
        if not self._is_packed:
            return position
        while self._starts and self._starts[0][0] < position:
            self._starts.popleft()
        if self._starts and self._starts[0][0] == position:
            return self._starts[0][1]
        return self._file.seek(0, io.SEEK_END) if self.is_at_end() else None

    def line(self, limit: int) -> bytes:
        """Return the rest of the line with its end, at most so many bytes."""
        while True:
            end = self._data.find(b"\n", self._at, self._at + limit)
            if end >= 0 or len(self._data) - self._at >= limit or not self._extend():
                break
        stop = end + 1 if end >= 0 else min(self._at + limit, len(self._data))
        line = self._data[self._at : stop]
        self._at = stop
        return line

    def take_to(self, end: bytes, limit: int) -> bytes:
        """Return what is at hand up to some bytes, and these; b"" where they are not at hand."""
        at = self._data.find(end, self._at, self._at + limit)
        if at < 0:
            return b""
        begin, self._at = self._at, at + len(end)
        return self._data[begin : self._at]

    def take(self, count: int) -> bytes:
        """Return so many bytes, less at an end."""
        parts = [self._data[self._at : self._at + count]]
        self._at += len(parts[0])
        left = count - len(parts[0])
        while left and self._extend():
            parts.append(self._data[self._at : self._at + left])
            self._at += len(parts[-1])
            left -= len(parts[-1])
        return b"".join(parts)

    def skip(self, count: int) -> None:
        """Go over so many bytes, less at an end."""
        while True:
            step = min(count, len(self._data) - self._at)
            self._at += step
            count -= step
            if not count or not self._extend():
                return

    def blank_lines(self, limit: int) -> bytes:
        """Return the empty lines at hand, at most so many bytes."""
        found = BLANK_LINES.match(self._data, self._at, self._at + limit)
        if found is None:
            return b""
        self._at = found.end()
        return found[0]

    def skip_lines(self) -> int:
        """Go over lines at hand, up to one that may begin a record; return how many bytes."""
        if self.is_arc:
            next_line = NEXT_LINE.search(self._data, self._at)
            found = next_line.start() if next_line else -1
        else:
            found = self._data.find(b"\n" + RECORD, self._at)
        stop = 1 + (found if found >= 0 else self._data.rfind(b"\n", self._at))
        step = max(stop - self._at, 0)
        self._at += step
        return step

    def put_back(self, data: bytes) -> None:
        """Undo the reading of the last bytes."""
        if self._data.endswith(data, 0, self._at):
            self._at -= len(data)
            return
        self._before += self._at - len(data)
        self._data = data + self._data[self._at :]
        self._at = 0

    def is_at_end(self) -> bool:
        """Whether nothing more can be read."""
        return not self._peek(1)

    def is_at_record(self) -> bool:
        """Whether a record seems to begin with the next bytes."""
        return self._is_at_arc() if self.is_arc else self._peek(len(RECORD)) == RECORD

    def _is_at_arc(self) -> bool:
        if not SCHEME.match(self._peek(LONGEST_SCHEME)):
            return False
        return begins_arc(self._peek(LONGEST_LINE))

    def find_out(self) -> None:
        """Find out whether this is ARC, where its first record begins."""
        self.is_arc = True  # so that looking ahead stops where the next record begins
        self.is_arc = self._is_at_arc()

    def _peek(self, count: int) -> bytes:
        """Return the next bytes, also those of the next gzip member and behind damage."""
        while self._at == len(self._data) and self._look_ahead() is not None:
            self._add()
        while len(self._data) - self._at < count and self._extend():
            pass
        return self._data[self._at : self._at + count]

    def _look_ahead(self) -> UnpackedBytes | None:
        if self._next is None:
            self._next = next(self._pieces, None)
        return self._next

    def _extend(self) -> bool:
        """Add the next piece, unless a record ends before it."""
        piece = self._look_ahead()
        if piece is None or piece.damage:
            return False
        if piece.start is not None and self._begins_record(piece.data):
            return False
        self._add()
        return True

    def _begins_record(self, data: bytes) -> bool:
        return begins_arc(data) if self.is_arc else data.startswith(RECORD)

    def _add(self) -> None:
        piece = self._next
        if piece is None:
            return
        if piece.start is not None:
            self._starts.append((self._before + len(self._data), piece.start))
        self.damage = self.damage or piece.damage
        self._data = self._data[self._at :] + piece.data
        self._before += self._at
        self._at = 0
        self._next = None
