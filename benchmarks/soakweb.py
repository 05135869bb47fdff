"""A web without end for soaks: thousands of hosts, millions of addresses, made when asked for.

In: an address; everything in the answer follows from its letters, and for some pages from the
minute. Out: pages of real sentences on the topic or off it, links within and across hosts, images
of four formats, rules of every host with its own pause; errors, redirects, loops, slow answers,
broken ones, copies. Served as a proxy on 127.0.0.1. It keeps count of requests that came before the
pause that their host asks for was over.

    python -m benchmarks.soakweb PORT FOLDER HOSTS PAUSE    FOLDER: with sentences, and a counter
"""

import asyncio
import hashlib
import io
import json
import mmap
import re
import struct
import sys
import time
import zlib
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import uvloop
from PIL import Image

from benchmarks.webserver import take_requests

PAGES = 4000  # of a host: below what a crawl follows of addresses that differ only in digits
ON_TOPIC = 8  # every so many hosts
TOPIC = "lighthouses"
SUBJECTS = (TOPIC, "kites", "mushrooms", "noise")
PARAGRAPHS = 1500  # made of the sentences of each subject
SENTENCES, IN_PAGE, LINKS, LEAVING, SHOWN = 4, 14, 24, 6, 3
FORMATS = ("jpg", "png", "gif", "webp")
PICTURES = 8  # of each format, before each gets a mark of its own
EARLY = 0.98  # of a pause: clocks differ
COUNTS = struct.Struct("<QQ")  # requests, and those that came too early
SAID, COUNTER = "sentences.json", "counter"

Sentences = dict[str, list[str]]

PAGE = re.compile(rb"http://s(\d+)\.test/(?:(?:[a-z]+/)?[a-z-]*-(\d+)\.html)?$")
PICTURE = re.compile(rb"http://s(\d+)\.test/images/[a-z-]*-(\d+)-(\d)\.(\w+)$")
LOOP = re.compile(rb"http://s(\d+)\.test/loop/(\d+)$")
FILE = re.compile(rb"http://s(\d+)\.test/(?:robots\.txt|\.well-known/.*)$")


def name_host(number: int) -> str:
    """Return the name of a host.

    >>> name_host(7)
    's7.test'
    """
    return f"s{number}.test"


def pause_of(number: int, mean_s: float) -> float:
    """Return the pause that a host asks for: between a half and three halves of the mean."""
    return round(mean_s * (0.5 + number * 0.6180339887 % 1), 1)


def subject_of(host: int) -> int:
    """Return what the pages of a host are on, as a place in SUBJECTS."""
    return 0 if host % ON_TOPIC == 0 else 1 + host % (len(SUBJECTS) - 1)


def digest_of(*numbers: int) -> bytes:
    """Return 64 bytes that decide everything about something."""
    return hashlib.blake2b(struct.pack(f"<{len(numbers)}q", *numbers)).digest()


class Answer(NamedTuple):
    """What is sent: nothing at all, or with `is_cut` less than promised."""

    status: str
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    headers: str = ""
    delay_s: float = 0.0
    is_cut: bool = False


SILENCE = Answer("")
GONE = {10: "404 Not Found", 15: "410 Gone", 22: "500 Internal Server Error"}  # of 1000


class Web:
    """All answers, by address."""

    def __init__(self, sentences: Sentences, hosts: int, pause_s: float) -> None:
        self.hosts, self.pause_s = hosts, pause_s
        self.begun = time.monotonic()
        self.paragraphs = [write_paragraphs(sentences[name]) for name in SUBJECTS]
        self.words = [list_words(sentences[name]) for name in SUBJECTS]
        self.pictures = {name: [draw(name, n) for n in range(PICTURES)] for name in FORMATS}
        self.small = draw("png", 99, 16)

    def answer(self, url: bytes) -> Answer:
        """Return the answer to a request for an address."""
        if page := PAGE.match(url):
            return self._answer_page(int(page[1]), int(page[2] or 0))
        if picture := PICTURE.match(url):
            return self._answer_picture(int(picture[1]), int(picture[2]), int(picture[3]), picture)
        if file := FILE.match(url):
            return self._answer_file(int(file[1]), url.endswith(b"/robots.txt"))
        if LOOP.match(url):  # there and back again
            other = url[:-1] + (b"1" if url.endswith(b"0") else b"0")
            return Answer("302 Found", headers=f"Location: {other.decode()}\r\n")
        return Answer("404 Not Found", body=b"<p>There is nothing here.")

    def _answer_file(self, host: int, is_robots: bool) -> Answer:
        if not is_robots or host % 50 == 3:
            return Answer("404 Not Found", "text/plain", b"no such file")
        pause = pause_of(host, self.pause_s)
        rules = f"User-agent: *\nDisallow: /private/\nCrawl-delay: {pause}\n"
        return Answer("200 OK", "text/plain", rules.encode())

    def pause(self, host: int) -> float:
        """Return the pause that a host asks for."""
        return 0.0 if host % 50 == 3 else pause_of(host, self.pause_s)

    def _answer_page(self, host: int, number: int) -> Answer:
        digest = digest_of(host, number)
        roll = int.from_bytes(digest[:2], "little") % 1000 if number else 999
        for edge, status in GONE.items():
            if roll < edge:
                return Answer(status, body=b"<p>Not here, or not now.")
        if roll < 25:
            busy = "Retry-After: 2\r\n"
            return Answer("503 Service Unavailable", headers=busy, body=b"<p>Too much to do.")
        if roll < 54:
            return self._lead_away(host, number, roll, digest)
        if roll < 57:
            return SILENCE
        if roll < 61:
            return Answer("200 OK", "application/pdf", b"%PDF-1.4 nothing to read")
        page = self._write_page(host, number, digest)
        if roll < 64:
            return Answer("200 OK", body=page, is_cut=True)
        slow = 0.5 + digest[3] / 100 if roll < 84 else 0.0
        if digest[4] < 32:
            packed = zlib.compress(page, 1, 31)
            return Answer("200 OK", body=packed, headers="Content-Encoding: gzip\r\n", delay_s=slow)
        return Answer("200 OK", body=page, delay_s=slow)

    def _lead_away(self, host: int, number: int, roll: int, digest: bytes) -> Answer:
        """Send to another page of a host, to another host, or round in a circle."""
        there = int.from_bytes(digest[4:8], "little")
        if roll < 45:
            target = self.name_page(host, there % PAGES)
        elif roll < 52:
            target = self.name_page(there % self.hosts, there % PAGES)
        else:
            target = f"http://{name_host(host)}/loop/{number}0"
        return Answer("301 Moved Permanently", headers=f"Location: {target}\r\n")

    def name_page(self, host: int, number: int) -> str:
        """Return the address of a page: its words are of its subject."""
        if number == 0:
            return f"http://{name_host(host)}/"
        words = self.words[subject_of(host)]
        slug = f"{words[number % len(words)]}/{words[number * 7 % len(words)]}"
        return f"http://{name_host(host)}/{slug}-{words[number * 31 % len(words)]}-{number}.html"

    def _write_page(self, host: int, number: int, digest: bytes) -> bytes:
        """Return a page; some repeat another, and some change by the minute."""
        told = digest_of(-1, subject_of(host), digest[6]) if digest[5] < 8 else digest
        minute = int((time.monotonic() - self.begun) / 60) if digest[7] < 64 else 0
        choices = np.frombuffer(told, "<u2")[6 : 6 + IN_PAGE] + minute
        subject = subject_of(host)
        text = [self.paragraphs[subject][n % PARAGRAPHS] for n in choices.tolist()]
        if digest[8] < 25:
            text[3] = self.paragraphs[0][digest[9]]
        title = f"{self.words[subject][digest[10]]} {self.words[subject][digest[11]]} {number}"
        shown = [self._show(number, n, title) for n in range(digest[12] % (SHOWN + 1))]
        for place, figure in enumerate(shown):
            text.insert(2 + 3 * place, figure)
        body = "".join([*text, "<ul>", *self._link(host, digest), "</ul>"])
        top = f"<!doctype html><html lang=en><title>{title}</title><nav><a href=/>Home</a></nav>"
        return f"{top}<main><h1>{title}</h1>{body}</main><footer>{name_host(host)}".encode()

    def _show(self, number: int, place: int, title: str) -> str:
        kind = FORMATS[(number + place) % len(FORMATS)]
        path = f"/images/{title.split()[0].lower()}-{number}-{place}.{kind}"
        return f'<figure><img src="{path}" alt="{title}"><figcaption>{title}</figcaption></figure>'

    def _link(self, host: int, digest: bytes) -> list[str]:
        """Return links: most stay; of those that leave most lead to hosts of the same subject."""
        items = []
        numbers = np.frombuffer(digest_of(host, *digest[:4]), "<u4").tolist()
        numbers += np.frombuffer(digest_of(*digest[:4], host), "<u4").tolist()
        for place, n in enumerate(numbers[:LINKS]):
            to = n % self.hosts if place < LEAVING else host
            if place < LEAVING // 2 and subject_of(host) == 0:
                to = to - to % ON_TOPIC
            words = self.words[subject_of(to)]
            text = f"{words[n % len(words)]} {words[n // 97 % len(words)]}"
            items.append(f'<li><a href="{self.name_page(to, n // 4096 % PAGES)}">{text}</a>')
        return items

    def _answer_picture(self, host: int, number: int, place: int, found: re.Match[bytes]) -> Answer:
        digest = digest_of(host, number, place)
        roll, kind = int.from_bytes(digest[:2], "little") % 1000, found[4].decode()
        if roll < 10 or kind not in FORMATS:
            return Answer("404 Not Found", body=b"<p>No such picture.")
        if roll < 20:
            return Answer("200 OK", "image/png", self.small)
        if roll < 25:
            return Answer("200 OK", body=b"<p>Pictures are only for members.")
        picture = self.pictures[kind][digest[3] % PICTURES]
        if digest[4] >= 16:  # the others are the same under many addresses
            picture = mark(kind, picture, digest[:16])
        slow = 0.5 + digest[5] / 200 if roll > 985 else 0.0
        return Answer("200 OK", f"image/{kind.replace('jpg', 'jpeg')}", picture, delay_s=slow)


def write_paragraphs(said: list[str]) -> list[str]:
    """Return paragraphs of some sentences each."""
    draws = np.random.default_rng(len(said)).integers(0, len(said), (PARAGRAPHS, SENTENCES))
    return [f"<p>{' '.join(said[n] for n in row)}</p>\n" for row in draws.tolist()]


def list_words(said: list[str]) -> list[str]:
    """Return 256 words of a subject, as they stand in addresses."""
    words = list(dict.fromkeys(re.findall(r"\b[a-z]{4,12}\b", " ".join(said).lower())))
    return (words * (1 + 256 // len(words)))[:256]


def draw(kind: str, seed: int, side: int = 0) -> bytes:
    """Return a picture of a format, and of a side if one is given."""
    random = np.random.default_rng(seed)
    width, height = (side, side) if side else random.integers(520, 720, 2).tolist()
    small = random.integers(0, 256, (9, 12, 3), dtype=np.uint8)
    file = io.BytesIO()
    picture = Image.fromarray(small).resize((width, height), Image.Resampling.NEAREST)
    picture.save(file, "JPEG" if kind == "jpg" else kind.upper())
    return file.getvalue()


def mark(kind: str, picture: bytes, sign: bytes) -> bytes:
    """Return a picture with a comment of its own, where its format has room for one."""
    if kind == "jpg":
        return picture[:2] + b"\xff\xfe" + struct.pack(">H", len(sign) + 2) + sign + picture[2:]
    if kind == "png":
        chunk = b"tEXtsign\0" + sign.hex().encode()
        whole = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        return picture[:33] + whole + picture[33:]
    if kind == "gif":
        return picture[:-1] + b"\x21\xfe" + bytes([len(sign)]) + sign + b"\0;"
    more = b"SIGN" + struct.pack("<I", len(sign)) + sign
    return b"RIFF" + struct.pack("<I", len(picture) + len(more) - 8) + picture[8:] + more


class Log:
    """Counts requests, and those that came too early."""

    def __init__(self, web: Web, folder: Path) -> None:
        self.web, self.requests, self.early = web, 0, 0
        self.last: dict[bytes, float] = {}  # when a host was answered; no pause is known before
        with (folder / COUNTER).open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), COUNTS.size)

    def note(self, url: bytes) -> bytes:
        """Note that a request has come; return its host."""
        host = url.partition(b"//")[2].partition(b"/")[0]
        self.requests += 1
        if host in self.last and host[1:-5].isdigit():
            gap = time.monotonic() - self.last[host]
            self.early += gap < EARLY * self.web.pause(int(host[1:-5]))
        self.map[:] = COUNTS.pack(self.requests, self.early)
        return host


class Connection(asyncio.Protocol):
    """One connection, kept as long as the client likes."""

    def __init__(self, web: Web, log: Log) -> None:
        self.web, self.log, self.data = web, log, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the other end."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        urls, self.data = take_requests(self.data + data)
        for url in urls:
            host = self.log.note(url)
            answer = self.web.answer(url)
            if answer.delay_s:
                loop = asyncio.get_running_loop()
                loop.call_later(answer.delay_s, partial(self.send, answer, host))
            else:
                self.send(answer, host)

    def send(self, answer: Answer, host: bytes) -> None:
        """Send an answer, or hang up."""
        if not answer.status:
            # On a connection that was idle this looks like one given up by the server: clients ask
            # again, once, at once, on a new one.
            self.log.last.pop(host, None)
            self.transport.close()
            return
        self.log.last[host] = time.monotonic()
        head = (
            f"HTTP/1.1 {answer.status}\r\nServer: soak\r\nContent-Type: {answer.kind}\r\n"
            f"Content-Length: {len(answer.body)}\r\n{answer.headers}\r\n"
        ).encode()
        if answer.is_cut:
            self.transport.write(head + answer.body[: len(answer.body) // 2])
            self.transport.close()
        else:
            self.transport.write(head + answer.body)


async def serve(port: int, folder: Path, hosts: int, pause_s: float) -> None:
    """Serve until the process is ended."""
    web = Web(json.loads((folder / SAID).read_text(encoding="utf-8")), hosts, pause_s)
    log = Log(web, folder)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(web, log), "127.0.0.1", port, backlog=512)
    await server.serve_forever()


def main() -> None:
    """Serve on the port given."""
    port, folder, hosts, pause_s = sys.argv[1:]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(port), Path(folder), int(hosts), float(pause_s)))


if __name__ == "__main__":
    main()
