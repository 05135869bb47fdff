"""An answer while it arrives: its headers, its body so far, and what became of it.

In: what aiohttp receives. Out: an `Exchange`, or one of the fixed reasons why there is none. By
itself aiohttp takes bodies of any size, and loses what came before a connection broke.
"""

import asyncio
import errno
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from math import inf
from time import gmtime, perf_counter, strftime, time
from typing import NamedTuple
from weakref import WeakKeyDictionary

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http_exceptions import LineTooLong
from aiohttp.streams import StreamReader

from blickfang.crawl.fetch.resolver import RefusedAddressError
from blickfang.io.content_encoding import BROKEN as BROKEN_ENCODING
from blickfang.io.content_encoding import Decoder, EncodingError, choose_decoder
from blickfang.io.warc.http_exchange import Exchange, join_header

# The reasons of failures, with those of resolver.py and io/content_encoding.py.
UNRESOLVED = "cannot resolve host"
REFUSED = "connection refused"
UNREACHABLE = "cannot connect"
TOO_MANY = "too many open connections"  # our own fault: the system has no more
CLOSED = "connection closed"
TIMED_OUT = "timed out"
CERTIFICATE = "TLS certificate not valid"
TLS = "TLS handshake failed"
HEADERS = "headers too large"
BROKEN = "broken answer"
PROXY = "proxy failed"  # our own fault, or our neighbour's: it says nothing of the host
TUNNEL = "proxy could not connect"

MARKS = (1_024, 4_096, 16_384, 65_536, inf)  # sizes of a body at which `stop` is asked again
SMALL = 65_536  # the most of a redirect's body, and what a wire may carry beyond what it unfolds to
LONGEST_KEPT = 64
PROXY_LOGIN = 407
MOST_EARLY = 20  # answers with a status of 1xx, before the one that counts
RENAMED = frozenset((b"content-encoding", b"content-length", b"transfer-encoding"))
CONTROLS = bytes(code for code in (*range(32), 127) if code != ord("\t"))
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class ResponseHead(NamedTuple):
    """What is known of an answer before its body."""

    status: int
    headers: dict[str, str]  # names in lower case; repeated ones are joined, see join_header


Stop = Callable[[ResponseHead, bytes], str | None]


class LostError(aiohttp.ClientConnectionError):
    """A new connection ended without an answer; unlike one that lay idle, it is not tried again."""


class Peer:
    """The other end of a connection, for as long as the connection lives."""

    __slots__ = ("content", "ip")

    def __init__(self, ip: str) -> None:
        self.ip = ip
        self.content: StreamReader | None = None  # the body that is being received


PEERS: WeakKeyDictionary[ResponseHandler, Peer] = WeakKeyDictionary()


class StreamedAnswer(aiohttp.ClientResponse):
    """An answer that knows where it comes from."""

    peer: Peer
    early = 0

    @property
    def _continue(self) -> None:  # type: ignore[override]
        """aiohttp looks here once for each early answer (1xx); a server can send any number."""
        self.early += 1
        if self.early > MOST_EARLY:
            raise aiohttp.ClientPayloadError(BROKEN)

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        """Wait for the headers."""
        protocol = connection.protocol
        if protocol is None:
            raise LostError
        known = PEERS.get(protocol)
        self.peer = known or meet(protocol)
        try:
            return await super().start(connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if known is None:
                raise LostError from error
            raise  # the server gave up an idle connection: aiohttp asks again, once, on a new one


def meet(protocol: ResponseHandler) -> Peer:
    """Note the peer of a new connection, and what is to be done when that ends."""
    transport = protocol.transport
    name = transport.get_extra_info("peername") if transport else None
    peer = PEERS[protocol] = Peer(name[0] if name else "")
    lost = protocol.closed
    if lost is not None:
        lost.add_done_callback(partial(part, peer))
    return peer


def part(peer: Peer, lost: asyncio.Future[None]) -> None:
    """Wake up whoever waits for more of a body: aiohttp does not, after a broken chunk."""
    if not lost.cancelled():
        lost.exception()  # seen; otherwise asyncio complains
    content = peer.content
    if content is not None and not content.is_eof() and content.exception() is None:
        content.set_exception(aiohttp.ClientPayloadError(BROKEN))


class Incoming:
    """One answer on its way in."""

    def __init__(self, url: str, limit: int) -> None:
        self.answer: StreamedAnswer | None = None
        self._url = url
        self._limit = limit
        self._head = ResponseHead(0, {})
        self._lines = b""
        self._decoder: Decoder | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._wire_size = 0
        self._truncated = ""
        self._asked = time()
        self._began = self._first_byte = perf_counter()

    def open(self, answer: StreamedAnswer, most_header_bytes: int) -> str:
        """Take note of the headers; return why this cannot be an answer, "" if it can."""
        self.answer = answer
        self._first_byte = perf_counter()
        headers, self._lines = read_fields(answer.raw_headers)
        if len(self._lines) > most_header_bytes:
            return HEADERS
        if answer.status < 200:
            return BROKEN
        self._head = ResponseHead(answer.status, headers)
        if 300 <= answer.status < 400:
            self._limit = min(self._limit, SMALL)
        if "content-encoding" in headers or "transfer-encoding" in headers:
            codings = headers.get("content-encoding", ""), headers.get("transfer-encoding", "")
            self._decoder = choose_decoder(",".join(codings))
        return ""

    async def read(self, stop: Stop | None) -> str:
        """Receive the body; return what `stop` says, "" if nothing."""
        if self.answer is None:
            return ""
        content = self.answer.content
        self.answer.peer.content = content
        marks = iter(MARKS)
        mark: float = 0 if stop else inf
        shown = -1  # bytes
        while True:
            is_whole = bool(self._truncated) or content.at_eof()
            if stop and (self._size >= mark or is_whole) and self._size > shown:
                reason = stop(self._head, self._join())
                if reason:
                    return reason
                shown = self._size
                mark = next((size for size in marks if size > self._size), inf)
            if is_whole:
                break
            self._add(await receive(content))
        if self._wire_size and self._decoder and not self._decoder.finished:
            if not self._size:
                raise EncodingError(BROKEN_ENCODING)
            self._truncated = self._truncated or "disconnect"
        return ""

    def save(self, truncated: str, reason: str, with_body: bool = True) -> str:
        """Return why reading ended early, or "" if what came before that can be used."""
        if self.answer is None:
            return reason
        try:
            self._add(self.answer.content._read_nowait(-1))  # it came, but aiohttp keeps it back
        except EncodingError as error:
            with_body, reason = False, str(error)
        if not with_body:
            self._parts, self._size = [], 0
        leads_on = 300 <= self._head.status < 400 and "location" in self._head.headers
        if not self._size and not leads_on:
            return reason
        self._truncated = self._truncated or truncated
        return ""

    def close(self) -> None:
        """Let go of the connection: it is kept if the answer was received to its end."""
        if self.answer is not None:
            self.answer.peer.content = None
            if not self.answer.closed:
                self.answer.close()

    def report(self, request_head: bytes, with_ip: bool) -> Exchange:
        """Return request and answer as they go into the archive."""
        body = self._join()
        return Exchange(
            url=self._url,
            request_head=request_head,
            response_head=self._write_head(len(body)),
            status=self._head.status,
            headers=self._head.headers,
            body=body,
            ip=self.answer.peer.ip if with_ip and self.answer else "",
            fetched_at=f"{write_second(int(self._asked))}.{int(self._asked * 1000) % 1000:03d}Z",
            first_byte_s=self._first_byte - self._began,
            total_s=perf_counter() - self._began,
            truncated=self._truncated,
        )

    def _add(self, data: bytes) -> None:
        self._wire_size += len(data)
        room = self._limit - self._size + 1  # one more shows that there is more
        if self._decoder:
            data = self._decoder.feed(data, room)
        if len(data) >= room or self._wire_size > self._limit + SMALL:
            data = data[: room - 1]
            self._truncated = "length"
        self._size += len(data)
        self._parts.append(data)

    def _join(self) -> bytes:
        body = b"".join(self._parts)
        self._parts = [body]
        return body

    def _write_head(self, length: int) -> bytes:
        reason = (self.answer and self.answer.reason) or ""
        phrase = reason.encode(errors="surrogateescape").translate(None, CONTROLS)
        major, minor = (self.answer and self.answer.version) or (1, 1)
        start = b"HTTP/%d.%d %d %b\r\n" % (major, minor, self._head.status, phrase)
        return b"%b%bContent-Length: %d\r\n\r\n" % (start, self._lines, length)


async def receive(content: StreamReader) -> bytes:
    """Return the next piece of a body."""
    try:
        return await content.readany()
    except RuntimeError as error:  # so aiohttp says that the connection is gone
        raise aiohttp.ClientPayloadError(CLOSED) from error


def read_fields(fields: Iterable[tuple[bytes, bytes]]) -> tuple[dict[str, str], bytes]:
    """Return headers by their names in lower case, as text, and the lines for the archive."""
    headers: dict[str, str] = {}
    lines: list[bytes] = []
    for raw_name, raw_value in fields:
        # Names of any length would fill the memory that the cache keeps.
        named = read_name if len(raw_name) <= LONGEST_KEPT else read_name.__wrapped__
        name, start = named(raw_name)
        raw = raw_value.translate(None, CONTROLS)
        try:
            value = raw.decode()
        except UnicodeDecodeError:
            value = raw.decode("latin-1")
        headers[name] = join_header(name, headers[name], value) if name in headers else value
        lines += start, raw, b"\r\n"
    return headers, b"".join(lines)


@lru_cache(4096)
def read_name(raw: bytes) -> tuple[str, bytes]:
    """Return the name of a header in lower case, and how its line in the archive begins."""
    raw = raw.translate(None, CONTROLS)
    prefix = b"X-Crawl-" if raw.lower() in RENAMED else b""
    return raw.decode("latin-1").lower(), b"%b%b: " % (prefix, raw)


@lru_cache(8)
def write_second(second: int) -> str:
    """Return a moment in UTC, to the second."""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(second))


def explain(error: Exception, proxied: bool) -> str:
    """Return the fixed reason for what aiohttp raised."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return CERTIFICATE
        case aiohttp.ClientSSLError():
            return TLS
        case aiohttp.ClientProxyConnectionError():
            return PROXY
        case aiohttp.ClientHttpProxyError():  # it is there, but does not reach the host
            return PROXY if error.status == PROXY_LOGIN else TUNNEL
        case aiohttp.ClientConnectorDNSError() if proxied:
            return PROXY
        case aiohttp.ClientConnectorDNSError():
            why = error.os_error
            return str(why) if isinstance(why, RefusedAddressError) else UNRESOLVED
        case aiohttp.ClientConnectorError():
            return explain_errno(error.os_error.errno)
        case aiohttp.ClientResponseError():
            return HEADERS if is_too_long(error) else BROKEN
        case aiohttp.ClientPayloadError() if BROKEN in error.args:
            return BROKEN
        case aiohttp.ClientPayloadError() | aiohttp.ClientConnectionError():
            return CLOSED
        case OSError():
            return explain_errno(error.errno)
    return BROKEN


def explain_errno(number: int | None) -> str:
    """Return the fixed reason why no connection came about."""
    if number == errno.ECONNREFUSED:
        return REFUSED
    if number == errno.ETIMEDOUT:
        return TIMED_OUT
    if number in (errno.ECONNRESET, errno.EPIPE):
        return CLOSED
    return TOO_MANY if number in EXHAUSTED else UNREACHABLE


def is_too_long(error: aiohttp.ClientResponseError) -> bool:
    """Whether headers broke a limit: too many lines, or a line too long."""
    if "Too many headers" in error.message:
        return True
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, LineTooLong):
        cause = cause.__cause__
    return cause is not None
