"""A web that misbehaves by plan: resets, silence, answers cut off, bad certificates, absence.

In: what each address answers, and which request meets which fault. Out: a server on 127.0.0.1 that
is a proxy for all hosts, or the hosts themselves, with or without TLS. The same plan gives the same
faults to the same requests.
"""

import asyncio
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from blickfang.demo.serve import head_bytes, read_request
from tests.crawl.sites import Sites, moved, page, picture, text

HOSTS, PAGES = 4, 7
SILENCE_S = 30.0
RESET, SILENT, CUT, REFUSED = "reset", "silent", "cut", "status"
RST = struct.pack("ii", 1, 0)  # close without a farewell


def make_web(base: str = "http://h{}.test") -> Sites:
    """Return hosts that link to each other, with images, redirects and rules.

    Pages name addresses that begin with `base`; answers are found by the name of the host alone.
    """
    sites = Sites({})
    for number in range(HOSTS):
        host, other = f"http://h{number}.test", base.format((number + 1) % HOSTS)
        for place in range(PAGES):
            links = [f"/{2 * place + 1}", f"/{2 * place + 2}", f"{other}/{(place * 3) % PAGES}"]
            links += [f"/from/{place}"] if place % 3 == 0 else []
            words = f"Page {place} of host {number} tells of towers by the sea. " * 9
            links = [link for link in links if not link[1:].isdigit() or int(link[1:]) < PAGES]
            answer = page(*links, images=(f"/{place}.gif",), text=words)
            sites.replies[f"{host}/{place}"] = answer
            sites.replies[f"{host}/{place}.gif"] = picture(f"{number}/{place}")
            sites.replies[f"{host}/from/{place}"] = moved(f"{other}/to/{place}")
            sites.replies[f"{host}/to/{place}"] = page("/0", text=f"Moved {number} {place}")
        sites.replies[f"{host}/robots.txt"] = text("User-agent: *\nDisallow: /private/\n")
    return sites


def strip_port(url: str) -> str:
    """Return an address as it is in every experiment, whatever port or scheme was used."""
    host, _, path = url.partition("://")[2].partition("/")
    return f"http://{host.partition(':')[0]}/{path}"


class Server:
    """Serves a web in a thread, with faults at some requests."""

    def __init__(
        self,
        sites: Sites,
        plan: Mapping[int, str],
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.sites, self.plan, self.port, self.tls = sites, plan, port, tls
        self.requests = 0
        self.met: list[str] = []  # faults that somebody met
        self._loop = asyncio.new_event_loop()
        self._stop, self._ready = asyncio.Event(), Event()
        self._thread = Thread(target=self._loop.run_until_complete, args=(self._run(),))
        self._thread.start()
        self._ready.wait()

    @property
    def address(self) -> str:
        """Where it listens, as a proxy."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Close all connections; nobody listens any more."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
            self._loop.close()

    async def _run(self) -> None:
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        server = await asyncio.start_server(self._talk, sock=listening, ssl=self.tls)
        self._ready.set()
        await self._stop.wait()
        server.close()
        talks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, EOFError, asyncio.CancelledError):
            while request := await read_request(reader):
                self.requests += 1
                fault = self.plan.get(self.requests, "")
                if fault:
                    self.met.append(fault)
                answer = self.sites.answer(strip_port(request.url))
                if fault == REFUSED:
                    answer = text("not now", 503)
                head = head_bytes(answer, request.keep_alive)
                if fault == SILENT:
                    await asyncio.sleep(SILENCE_S)
                if fault in (RESET, CUT):
                    writer.write(
                        head + answer.body[: len(answer.body) // 2] if fault == CUT else b""
                    )
                    await writer.drain()
                    found = writer.get_extra_info("socket")
                    found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
                    break
                writer.write(head + answer.body)
                await writer.drain()
                if not request.keep_alive:
                    break
        writer.transport.abort()


@contextmanager
def serving(
    sites: Sites, plan: Mapping[int, str], port: int = 0, tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """Serve a web while the block runs."""
    server = Server(sites, plan, port, tls)
    try:
        yield server
    finally:
        server.stop()


def make_certificates(folder: Path) -> bool:
    """Make an authority, a good certificate and an expired one; False where openssl is missing."""
    if not shutil.which("openssl"):
        return False
    names = ",".join(f"DNS:h{number}.test" for number in range(HOSTS))
    new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test"
    for kind, dates in (("good", "-days 2"), ("other", "-days 2"), ("old", "-days -1")):
        files = f"-keyout {folder}/{kind}.key -out {folder}/{kind}.pem"
        if kind == "old":  # some versions of openssl refuse to make what is over
            dates = "-not_before 20200101000000Z -not_after 20200102000000Z"
        command = f"{new} {dates} -addext subjectAltName={names} {files}"
        made = subprocess.run(command.split(), capture_output=True, check=False)
        if made.returncode and kind != "old":
            return False
        if made.returncode:
            for end in ("key", "pem"):
                shutil.copy(folder / f"other.{end}", folder / f"old.{end}")
    return True


def read_certificate(folder: Path, kind: str) -> ssl.SSLContext:
    """Return what serves with a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{kind}.pem", folder / f"{kind}.key")
    return context
