"""Bodies as they travel, turned back into what they are: gzip, deflate and Brotli.

In: the Content-Encoding of an answer, then its bytes as they come. Out: decoded bytes, never more
than asked for: a few kilobytes can be made to unfold into gigabytes.
"""

import zlib
from typing import Protocol

import brotli  # type: ignore[import-untyped]

UNKNOWN = "unknown content encoding"
BROKEN = "broken content encoding"
ACCEPTED = "gzip, deflate, br"
# Never asked for, and unreadable. All other unknown words ("utf-8", "none") are taken as browsers
# take them: as a mistake, with a plain body behind it.
UNREADABLE = frozenset(("zstd", "compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz"))
DEFLATED = frozenset(("gzip", "x-gzip", "deflate"))

GZIP_MAGIC = b"\x1f\x8b"
RAW, ZLIB, GZIP = -15, 15, 31  # window bits, as zlib wants them
MOST_MEMBERS = 1000  # of one gzip stream; each costs a copy of what is left


class EncodingError(Exception):
    """A body that cannot be decoded; the text is one of the fixed reasons."""


class Decoder(Protocol):
    """Decodes one body, piece by piece."""

    finished: bool  # the end of the stream was seen

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode some more; as soon as `room` bytes are full the rest is lost."""


def choose_decoder(encoding: str) -> Decoder | None:
    """Return what decodes a body with this Content-Encoding, None if it is plain."""
    words = [word.strip() for word in encoding.lower().split(",")]
    codings = [word for word in words if word in DEFLATED or word in UNREADABLE or word == "br"]
    if not codings:
        return None
    if len(codings) > 1 or codings[0] in UNREADABLE:
        raise EncodingError(UNKNOWN)
    return Brotli() if codings[0] == "br" else Deflate(codings[0])


class Deflate:
    """Decodes gzip and deflate, which servers mix up: the first two bytes tell."""

    def __init__(self, coding: str) -> None:
        self.finished = False
        self._coding = coding
        self._members = 0
        self._start = b""  # of a member: not enough to tell
        self._stream = zlib.decompressobj()

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode some more; as soon as `room` bytes are full the rest is lost."""
        data, self._start = self._start + data, b""
        decoded = b""
        while data and len(decoded) < room:
            if not self._members or self._stream.eof:
                if len(data) < len(GZIP_MAGIC):
                    self._start = data
                    break
                if self._members and not data.startswith(GZIP_MAGIC):
                    break  # padding
                self._begin(tell_window(data, self._coding))
            try:
                decoded += self._stream.decompress(data, room - len(decoded))
            except zlib.error as error:
                raise EncodingError(BROKEN) from error
            data = self._stream.unused_data
        self.finished = self._stream.eof
        return decoded

    def _begin(self, window: int) -> None:
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise EncodingError(BROKEN)
        self._stream = zlib.decompressobj(window)


def tell_window(start: bytes, coding: str) -> int:
    """Return the window bits for a stream that starts with these bytes."""
    if start.startswith(GZIP_MAGIC):
        return GZIP
    if start[0] & 0x8F == 8 and (start[0] << 8 | start[1]) % 31 == 0:
        return ZLIB
    if coding == "deflate":
        return RAW
    raise EncodingError(BROKEN)


class Brotli:
    """Decodes Brotli."""

    def __init__(self) -> None:
        self.finished = False
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode some more; as soon as `room` bytes are full the rest is lost."""
        if self.finished:
            return b""
        try:
            decoded = self._stream.process(data, output_buffer_limit=room)
            while len(decoded) < room and not self._stream.can_accept_more_data():
                decoded += self._stream.process(b"", output_buffer_limit=room - len(decoded))
        except brotli.error as error:
            raise EncodingError(BROKEN) from error
        self.finished = self._stream.is_finished()
        return bytes(decoded[:room])
