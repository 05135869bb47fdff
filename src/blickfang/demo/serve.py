"""The demo web on a port: a DemoWeb goes in, an HTTP/1.1 server on 127.0.0.1 comes out.

One port stands for all hosts: by the Host header, or as an HTTP proxy (the whole URL in the request
line). The server runs in a thread of its own, so a test or a demo can crawl it from the same
process. `/__stats` tells, per host, how the crawler behaved.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http import HTTPStatus
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlsplit

from blickfang.demo.plans import is_allowed
from blickfang.demo.truth import Answer
from blickfang.demo.web import DemoWeb, normal
from blickfang.errors import SettingsError

LONGEST_LINE_BYTES = 65536


@dataclass(slots=True)
class HostStats:
    """How a crawler treated one host."""

    requests: int = 0
    robots_fetched: int = 0
    robots_violations: int = 0
    smallest_gap_s: float | None = None  # between the starts of two requests
    most_at_once: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came over the wire."""

    method: str
    url: str
    headers: dict[str, str]
    keep_alive: bool


class RequestLog:
    """Counts requests, per host; only the server's own thread writes it."""

    def __init__(self) -> None:
        self._hosts: dict[str, HostStats] = {}
        self._last: dict[str, float] = {}
        self._open: dict[str, int] = {}

    @contextlib.contextmanager
    def request(self, url: str) -> Iterator[None]:
        """Count a request from its beginning to its end."""
        host, now = urlsplit(url).netloc, monotonic()
        stats = self._hosts.setdefault(host, HostStats())
        stats.requests += 1
        stats.robots_fetched += urlsplit(url).path == "/robots.txt"
        stats.robots_violations += not is_allowed(url)
        if host in self._last:
            gap = now - self._last[host]
            stats.smallest_gap_s = min(gap, stats.smallest_gap_s or gap)
        self._last[host] = now
        self._open[host] = self._open.get(host, 0) + 1
        stats.most_at_once = max(stats.most_at_once, self._open[host])
        try:
            yield
        finally:
            self._open[host] -= 1

    def report(self) -> dict[str, dict[str, float | None]]:
        """Return the counts so far, by host."""
        return {host: asdict(stats) for host, stats in sorted(self._hosts.items())}


class Server:
    """A running server; `serve` starts and stops it."""

    def __init__(self, web: DemoWeb, port: int, host: str) -> None:
        self.port, self.host = port, host
        self._web = web
        self._log = RequestLog()
        self._ready = Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, name="demo web", daemon=True)

    @property
    def address(self) -> str:
        """Where it listens, as the base of a URL or as a proxy setting."""
        return f"http://{self.host}:{self.port}"

    def stats(self) -> dict[str, dict[str, float | None]]:
        """Per host: requests, robots violations, smallest gap, most at once."""
        return self._log.report()

    def start(self) -> None:
        """Listen, and return when connections are taken."""
        self._thread.start()
        self._ready.wait()
        if self._failure:
            self._thread.join()
            raise SettingsError(
                f"port {self.port} of {self.host} cannot be used ({self._failure}); "
                "choose another, or 0 for any free one"
            ) from self._failure

    def stop(self) -> None:
        """Close all connections and wait for the thread to end."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._listen())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _listen(self) -> None:
        try:
            server = await asyncio.start_server(
                self._talk, self.host, self.port, limit=LONGEST_LINE_BYTES, backlog=512
            )
        except (OSError, OverflowError) as failure:  # taken, forbidden, or no port at all
            self._failure = failure
            self._ready.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        talks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await server.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after the other."""
        with contextlib.suppress(ConnectionError, ValueError, EOFError, asyncio.CancelledError):
            while request := await read_request(reader):
                answer = await self._answer(request)
                writer.write(head_bytes(answer, request.keep_alive))
                if request.method != "HEAD":
                    writer.write(answer.body)
                await writer.drain()
                if not request.keep_alive:
                    break
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    async def _answer(self, request: Request) -> Answer:
        """Answer one request; painting happens beside the loop, so others need not wait."""
        if request.method not in ("GET", "HEAD"):
            return Answer(405, (("Content-Type", "text/plain"),), b"GET and HEAD only\n")
        if urlsplit(request.url).path == "/__stats":
            body = json.dumps(self.stats(), indent=1).encode()
            return Answer(200, (("Content-Type", "application/json"),), body)
        with self._log.request(request.url):
            await asyncio.sleep(self._web.delay_s(request.url))
            if request.url.endswith((".jpg", ".png", ".gif", ".webp")):
                return await asyncio.to_thread(self._web.answer, request.url, request.headers)
            return self._web.answer(request.url, request.headers)


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read one request, None at the end of the connection or of its patience."""
    parts = (await reader.readline()).decode("latin-1").split()
    if len(parts) != 3:
        return None
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, version = parts
    url = target if "://" in target else f"http://{headers.get('host', '')}{target}"
    keep_alive = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return Request(method, normal(url), headers, keep_alive)


def head_bytes(answer: Answer, keep_alive: bool) -> bytes:
    """Write status line and headers."""
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    lines.append(f"Content-Length: {len(answer.body)}")
    lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@contextlib.contextmanager
def serve(web: DemoWeb, port: int = 0, host: str = "127.0.0.1") -> Iterator[Server]:
    """Serve the web on 127.0.0.1 while the block runs; port 0 takes a free one.

    Another host is for tests in which another machine must reach it.
    """
    server = Server(web, port, host)
    server.start()
    try:
        yield server
    finally:
        server.stop()
