"""A web server that misbehaves by path, on 127.0.0.1, with threads and raw sockets.

In: `with HostileServer() as server`, then requests for `server.url("/drip")` and the other keys of
`ANSWERS`; or any bytes, set as `server.script`. Out: what it saw: `requests` (raw heads),
`connections`, `sent` (bytes by path). Asked as a proxy it plays every host; with a TLS context it
speaks TLS, at once or behind a CONNECT.
"""

import gzip
import socket
import ssl
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import brotli  # type: ignore[import-untyped]

PAGE = b"<!doctype html><title>Cat</title><p>" + b"A cat sat on the mat. " * 300
OK = b"HTTP/1.1 200 OK\r\n"
HTML = OK + b"Content-Type: text/html\r\n"
CHUNKED = HTML + b"Transfer-Encoding: chunked\r\n\r\n"
CUT = PAGE[:1000]
ZEROS = bytes(1 << 20)

Pieces = Iterator[bytes | float]  # bytes are sent, seconds waited


def write(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = b"".join(header + b"\r\n" for header in headers)
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status, lines, len(body), body)


def encoded(coding: bytes, body: bytes) -> bytes:
    return write(body, b"Content-Type: text/html", b"Content-Encoding: " + coding)


def deflate(data: bytes, window: int) -> bytes:
    stream = zlib.compressobj(wbits=window)
    return stream.compress(data) + stream.flush()


def drip(start: bytes, piece: bytes) -> Pieces:
    yield start
    while True:
        yield piece
        yield 0.05


def flood(start: bytes, piece: bytes) -> Pieces:
    yield start
    while True:
        yield piece


def bomb(coding: bytes) -> Pieces:
    """About 1 GB of zeros, if unfolded."""
    yield HTML + b"Content-Encoding: " + coding + b"\r\n\r\n"
    gz, br = zlib.compressobj(wbits=31), brotli.Compressor(quality=1)
    for _ in range(1000):
        yield gz.compress(ZEROS) if coding == b"gzip" else br.process(ZEROS) + br.flush()


def late(*pieces: bytes) -> Pieces:
    for piece in pieces:
        yield piece
        yield 0.02


ANSWERS: dict[str, bytes | Callable[[], Pieces]] = {
    "/page": write(PAGE, b"Content-Type: text/html", b'ETag: "1"'),
    "/not-modified": b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',
    "/cookie": write(PAGE, b"Set-Cookie: a=1; Path=/", b"Set-Cookie: b=2", b"X-A: 1", b"x-a: 2"),
    "/redirect": write(b"moved", b"Location: http://169.254.169.254/", status=b"302 Found"),
    "/redirect/broken": write(
        b"plain", b"Location: /page", b"Content-Encoding: gzip", status=b"301 Moved"
    ),
    "/redirect/endless": lambda: flood(b"HTTP/1.1 302 F\r\nLocation: /\r\n\r\n", ZEROS),
    "/until-close": HTML + b"\r\n" + PAGE,
    "/http10": b"HTTP/1.0 200 OK\r\n\r\n" + PAGE,
    "/empty": write(b""),
    "/chunks": CHUNKED + b"3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nTrailer: 1\r\n\r\n",
    # without end
    "/endless": lambda: flood(HTML + b"\r\n", ZEROS),
    "/endless/chunks": lambda: flood(CHUNKED, b"1\r\nx\r\n" * 1000),
    "/endless/gzip": lambda: flood(
        HTML + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 9999
    ),
    "/endless/members": lambda: flood(
        HTML + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"", mtime=0) * 1000
    ),
    "/endless/continue": lambda: flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "/drip": lambda: drip(HTML + b"\r\n", b"x"),
    "/drip/headers": lambda: drip(HTML, b"X: y\r\n"),
    "/drip/nothing": lambda: drip(b"", b""),
    "/drip/body": lambda: drip(HTML + b"Content-Length: 9\r\n\r\n", b""),
    # headers
    "/headers/lines": HTML + b"X: y\r\n" * 5000 + b"\r\n" + PAGE,
    "/headers/long": HTML + b"X: " + b"y" * 100_000 + b"\r\n\r\n" + PAGE,
    "/headers/sum": HTML + (b"X: " + b"y" * 30_000 + b"\r\n") * 4 + b"\r\n" + PAGE,
    "/headers/name": HTML + b"X" * 100_000 + b": y\r\n\r\n" + PAGE,
    "/headers/reason": b"HTTP/1.1 200 " + b"y" * 100_000 + b"\r\n\r\n" + PAGE,
    "/headers/endless": lambda: flood(HTML, b"X: y\r\n" * 1000),
    "/headers/controls": b"HTTP/1.1 200 O\x01K\xe4\r\nX-A: 1\x0b2\r\n 3\r\nX-B: K\xe4fer\r\n"
    b"X-C: K\xc3\xa4fer\r\nContent-Length: 2\r\n\r\nok",
    "/headers/injection": OK + b"X-A: 1\rX-B: 2\r\nContent-Length: 2\r\n\r\nok",
    # encodings
    "/gzip": encoded(b"gzip", gzip.compress(PAGE)),
    "/gzip/empty": encoded(b"gzip", b""),
    "/gzip/members": encoded(b"x-gzip", gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:])),
    "/gzip/padded": encoded(b"gzip", gzip.compress(PAGE) + bytes(99)),
    "/gzip/pieces": lambda: late(
        HTML + b"Content-Encoding: gzip\r\n\r\n", *(bytes([c]) for c in gzip.compress(b"cat"))
    ),
    "/gzip/cut": encoded(b"gzip", gzip.compress(PAGE)[:-20]),
    "/gzip/cut-head": encoded(b"gzip", gzip.compress(PAGE)[:5]),
    "/gzip/plain": encoded(b"gzip", PAGE),
    "/gzip/damaged": encoded(b"gzip", gzip.compress(PAGE)[:-8] + b"\xff" * 8),
    "/gzip/bomb": lambda: bomb(b"gzip"),
    "/deflate/zlib": encoded(b"deflate", deflate(PAGE, 15)),
    "/deflate/raw": encoded(b"deflate", deflate(PAGE, -15)),
    "/deflate/gzip": encoded(b"deflate", gzip.compress(PAGE)),
    "/br": encoded(b"br", brotli.compress(PAGE)),
    "/br/cut": encoded(b"br", brotli.compress(PAGE, quality=1)[:-5]),
    "/br/plain": encoded(b"br", b"\xff" * 99),
    "/br/bomb": lambda: bomb(b"br"),
    "/encoding/utf-8": encoded(b"UTF-8", PAGE),
    "/encoding/zstd": encoded(b"zstd", PAGE),
    "/encoding/twice": encoded(b"gzip, gzip", gzip.compress(gzip.compress(PAGE))),
    "/encoding/transfer": HTML + b"Transfer-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE),
    # wrong
    "/length/long": HTML + b"Content-Length: 5000\r\n\r\n" + CUT,
    "/length/long/late": lambda: late(HTML + b"Content-Length: 5000\r\n\r\n", CUT),
    "/length/nothing": HTML + b"Content-Length: 5000\r\n\r\n",
    "/length/short": HTML + b"Content-Length: 1000\r\n\r\n" + PAGE,
    "/length/short/late": lambda: late(
        HTML + b"Content-Length: 1000\r\n\r\n" + CUT, PAGE[1000:], PAGE
    ),
    "/length/absurd": HTML + b"Content-Length: 99999999999999999999999\r\n\r\n" + CUT,
    "/chunks/broken": CHUNKED + b"5\r\nhello\r\nZZ\r\n",
    "/chunks/broken/late": lambda: late(CHUNKED + b"3E8\r\n" + CUT + b"\r\n", b"ZZ\r\nxx\r\n", b""),
    "/chunks/cut": CHUNKED + b"3E8\r\n" + CUT + b"\r\n",
    "/chunks/cut-first": CHUNKED + b"7D0\r\n" + CUT,
    "/garbage": b"SSH-2.0-OpenSSH_9.2p1\r\n",
    "/version": b"HTTP/7.5 200 OK\r\n\r\n",
    "/status": b"HTTP/1.1 099 Odd\r\n\r\n",
    "/switch": b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxyz",
    "/close": b"",
    "/half": HTML[:30],
}
KEPT = {"/page", "/cookie", "/empty", "/chunks", "/redirect", "/gzip", "/not-modified"}


class HostileServer:
    """Serves `ANSWERS` while it is open."""

    def __init__(self, context: ssl.SSLContext | None = None, tunnel: bool = False) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.sent: Counter[str] = Counter()
        self.script = b""  # the answer to /script
        self._context = context
        self._tunnel = tunnel
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self.port = int(self._socket.getsockname()[1])
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._socket.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def url(self, path: str) -> str:
        return f"http{'s' if self._context else ''}://127.0.0.1:{self.port}{path}"

    def _accept(self) -> None:
        while not self._over.is_set():
            with suppress(OSError):
                connection, _ = self._socket.accept()
                self.connections += 1
                thread = threading.Thread(target=self._serve, args=(connection,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        self._open.add(connection)
        try:
            if self._tunnel:
                self._answer(connection)
            if self._context:
                connection = self._context.wrap_socket(connection, server_side=True)
                self._open.add(connection)
            while self._answer(connection):
                pass
        except OSError:
            pass
        finally:
            connection.close()

    def _answer(self, connection: socket.socket) -> bool:
        """Answer one request; return whether another may follow."""
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            data = connection.recv(65536)
            if not data:
                return False
            if data.startswith(b"\x16\x03"):  # TLS where none is spoken
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return False
            request += data
        self.requests.append(request)
        method, target = request.split()[:2]
        if method == b"CONNECT":
            connection.sendall(OK + b"\r\n")
            return False
        path = target.decode()
        path = "/" + path.split("/", 3)[3] if path.startswith("http:") else path
        self._play(connection, path.partition("?")[0])
        return path in KEPT

    def _play(self, connection: socket.socket, path: str) -> None:
        if path == "/reset":  # closing with a linger time of 0 sends RST
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        answer = self.script if path == "/script" else ANSWERS[path]
        for piece in [answer] if isinstance(answer, bytes) else answer():
            if isinstance(piece, bytes):
                connection.sendall(piece)
                self.sent[path] += len(piece)
            elif self._over.wait(piece):
                return
