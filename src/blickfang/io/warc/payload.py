"""From the content of a record to status, headers and body: HTTP as servers really speak it.

In: bytes of a response. Out: its parts, the body without transfer and content encoding, with limits
against bombs. Old archives keep headers that tell of encodings which are undone already, so an
encoding is undone only where the bytes bear it out.
"""

import io
import re
import zlib

import brotli  # type: ignore[import-untyped]

from blickfang.io.warc.http_exchange import join_header
from blickfang.io.warc.unpack import ZstdReader

MAX_HEAD = 2**18
MAX_LAYERS = 3
MAX_CHUNKS = 2**20
MAX_MEMBERS = 1000  # of gzip; what is behind one is copied

END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
STATUS = re.compile(rb"\s{0,9}[A-Za-z]{2,8}(?:/[0-9.]{1,5})?[ \t]{1,9}([0-9]{3})(?![0-9])")
CHUNK = re.compile(rb"[ \t]{0,9}([0-9A-Fa-f]{1,9})[ \t]{0,9}(?:;[^\r\n]{0,255})?\r?\n")


def split_response(block: bytes) -> tuple[int, dict[str, str], bytes] | None:
    """Return status, headers and body of a response, None if it is none of HTTP."""
    status = STATUS.match(block)
    if status is None:
        return None
    end = END_OF_HEAD.search(block, 0, MAX_HEAD)
    stop = end.start() if end else min(len(block), MAX_HEAD)
    body = block[end.end() :] if end else block[stop:]
    return int(status[1]), _parse_headers(block[:stop]), body


def _parse_headers(head: bytes) -> dict[str, str]:
    """Return the headers of a response, names in lower case; what is no header is left out."""
    headers: dict[str, str] = {}
    name = ""
    for line in head.split(b"\n")[1:]:
        text = header_text(line.rstrip(b"\r"))
        if text[:1] in (" ", "\t") and name:
            headers[name] = f"{headers[name]} {text.strip()}".strip()
            continue
        name, colon, value = text.partition(":")
        name = name.strip().lower()
        if not colon or not name:
            name = ""
        elif name in headers:
            headers[name] = join_header(name, headers[name], value.strip())
        else:
            headers[name] = value.strip()
    return headers


def header_text(data: bytes) -> str:
    """Return a header as text: UTF-8 if it is that, else Latin-1."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def decode_body(headers: dict[str, str], body: bytes, limit: int) -> tuple[bytes, str]:
    """Return a body without its encodings, and why it is not whole: "", length, unspecified."""
    cut = ""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body, cut = _join_chunks(body)
    names = headers.get("content-encoding", "").lower().replace(" ", "").split(",")
    for name in reversed(names[:MAX_LAYERS]):
        if cut != "length":
            body, why = _undo(name, body, limit)
            cut = cut or why
    if len(body) > limit:
        return body[:limit], "length"
    return body, cut


def _join_chunks(body: bytes) -> tuple[bytes, str]:
    """Return a body in chunks as one; as it is, if it is not in chunks."""
    if not body:
        return body, ""
    parts: list[bytes] = []
    at = 0
    while len(parts) < MAX_CHUNKS:
        chunk = CHUNK.match(body, at)
        if chunk is None:
            return (b"".join(parts), "unspecified") if at == len(body) else (body, "")
        size = int(chunk[1], 16)
        if size == 0:
            return b"".join(parts), ""
        parts.append(body[chunk.end() : chunk.end() + size])
        at = chunk.end() + size
        if at > len(body):
            return b"".join(parts), "unspecified"
        at += 2 if body.startswith(b"\r\n", at) else body.startswith(b"\n", at)
    return b"".join(parts), "length"


def _undo(name: str, body: bytes, limit: int) -> tuple[bytes, str]:
    """Return a body without one encoding; as it is, if it does not have that encoding."""
    if name in ("gzip", "x-gzip") and body.startswith(b"\x1f\x8b"):
        return _inflate(body, 31, limit)
    if name == "deflate":
        is_zlib = len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2]) % 31 == 0
        return _inflate(body, 15 if is_zlib else -15, limit)
    if name == "br":
        return _undo_brotli(body, limit)
    if name == "zstd" and body.startswith(b"\x28\xb5\x2f\xfd"):
        return _undo_zstd(body, limit)
    return body, ""


def _inflate(body: bytes, window: int, limit: int) -> tuple[bytes, str]:
    """Undo gzip or deflate; gzip may have several members."""
    parts: list[bytes] = []
    left = limit
    rest = body
    while rest and left >= 0 and len(parts) < MAX_MEMBERS:
        engine = zlib.decompressobj(wbits=window)
        try:
            data = engine.decompress(rest, left + 1)
        except zlib.error:
            return (b"".join(parts), "") if parts else _salvage(body, window, limit)
        parts.append(data)
        left -= len(data)
        if not engine.eof and left >= 0:
            return b"".join(parts), "unspecified"
        rest = engine.unused_data if window == 31 else b""
    return b"".join(parts)[:limit], "length" if left < 0 or len(parts) == MAX_MEMBERS else ""


def _salvage(body: bytes, window: int, limit: int) -> tuple[bytes, str]:
    """Undo what can be undone of a damaged body; none at all: it did not have the encoding."""
    engine = zlib.decompressobj(wbits=window)
    parts: list[bytes] = []
    left = limit
    for at in range(0, len(body), 256):
        try:
            data = engine.decompress(body[at : at + 256], left + 1)
        except zlib.error:
            break
        parts.append(data)
        left -= len(data)
        if left < 0:
            return b"".join(parts)[:limit], "length"
    found = b"".join(parts)
    return (found, "unspecified") if found else (body, "")


def _undo_brotli(body: bytes, limit: int) -> tuple[bytes, str]:
    engine = brotli.Decompressor()
    parts: list[bytes] = []
    left = limit
    data = body
    try:
        while left >= 0 and not engine.is_finished():
            part = engine.process(data, output_buffer_limit=left + 1)
            data = b""
            if not part and engine.can_accept_more_data() and not engine.is_finished():
                return (b"".join(parts), "unspecified") if parts else (body, "")
            parts.append(part)
            left -= len(part)
    except brotli.error:
        return body, ""  # without a mark of its own: most probably undone already
    return b"".join(parts)[:limit], "length" if left < 0 else ""


def _undo_zstd(body: bytes, limit: int) -> tuple[bytes, str]:
    try:
        found = ZstdReader(io.BytesIO(body)).read(limit + 1)
    except OSError:
        return body, ""
    return found[:limit], "length" if len(found) > limit else ""
