"""A web for benchmarks: real pages under many hosts, served as a proxy faster than anybody crawls.

In: pages of ../shared of the class of 161 kB, loaded when it starts, never copied to disk. Out: an
answer to every address. The pages are shared out among the hosts; which one an address shows, its
letters decide. Their links lead to these hosts; behind each page stand links to addresses that only
this page knows, so that the web has no end and no two pages are equal.

    python -m benchmarks.webserver PORT COUNTER    COUNTER: a file of 8 bytes, the pages served
"""

import asyncio
import gzip
import hashlib
import io
import mmap
import re
import sys
from pathlib import Path
from typing import cast

import uvloop
from PIL import Image

GOLD = Path(__file__).parent.parent.parent / "shared"
FOLDERS = ("context-gold", "text-gold", "text-gold/more")
LARGE = range(120_000, 240_001)  # bytes: the class of pages of 161 kB
HOSTS = 32  # as many as a shard asks at once: then each mode asks all of them all the time
NEW_LINKS = 20  # of each page; the others are soon known, as on real hosts
LEAVING = 5  # every so many of them lead to another host

ABSOLUTE = re.compile(rb"""(\shref\s*=\s*["']?)(?:https?:)?//([^/"'\s>?#]+)""", re.IGNORECASE)
END = re.compile(rb"</body\s*>(?!.*</body\s*>)", re.IGNORECASE | re.DOTALL)
WORDS = re.findall(
    r"\w+",
    "amber birch cedar delta ember field grove heron island jasper kettle lagoon meadow nectar "
    "onyx pebble",
)
ROBOTS = b"User-agent: *\nDisallow: /private/\n"

Page = tuple[bytes, bytes]  # what stands before the new links, and behind them


def has_pages() -> bool:
    """Whether the real pages are there."""
    return all((GOLD / name / "pages").is_dir() for name in FOLDERS)


def load_pages() -> list[bytes]:
    """Return the real pages."""
    paths = [path for name in FOLDERS for path in sorted((GOLD / name / "pages").glob("*.gz"))]
    pages = (gzip.decompress(path.read_bytes()) for path in paths)
    return [page for page in pages if len(page) in LARGE]


def host_name(number: int) -> str:
    """Return the name of a host.

    >>> host_name(3)
    'site-d.test'
    """
    letters = chr(97 + number % 26)
    return f"site-{letters}{letters if number >= 26 else ''}.test"


NAMES = [host_name(number) for number in range(HOSTS)]
NUMBERS = {name.encode(): number for number, name in enumerate(NAMES)}


def settle(page: bytes) -> Page:
    """Return a page whose links lead to our hosts, parted where new ones are put in."""

    def lead(link: re.Match[bytes]) -> bytes:
        number = int.from_bytes(hashlib.blake2b(link[2].lower(), digest_size=2).digest(), "big")
        return link[1] + b"http://" + NAMES[number % HOSTS].encode()

    page = ABSOLUTE.sub(lead, page)
    end = END.search(page)
    return (page[: end.start()], page[end.start() :]) if end else (page, b"")


def write_links(host: int, digest: bytes) -> bytes:
    """Return the links that only one page has."""
    items = []
    for number in range(NEW_LINKS):
        a, b, c = digest[number], digest[number + 1], digest[number + 2]
        to = NAMES[(host + c) % HOSTS if number % LEAVING == 0 else host]
        words = f"{WORDS[a % 16]}-{WORDS[b % 16]}-{WORDS[a // 16]}-{WORDS[b // 16]}"
        ending = c * 256 + a if number % 2 else WORDS[c % 16] + WORDS[c // 16]
        text = words.replace("-", " ")
        items.append(f'<li><a href="http://{to}/{words}/{ending}.html">{text} of the {to}</a>')
    return f"<ul class=more>{''.join(items)}</ul>".encode()


class Web:
    """All pages, by address."""

    def __init__(self, counter: Path) -> None:
        pages = list(map(settle, load_pages()))
        self.pages = [pages[number::HOSTS] for number in range(HOSTS)]
        with counter.open("r+b") as file:
            self.counter = mmap.mmap(file.fileno(), 8)
        self.picture = make_picture()
        self.served = 0

    def answer(self, url: bytes) -> list[bytes]:
        """Return the parts of the answer to a request for an address."""
        host, _, path = url.partition(b"//")[2].partition(b"/")
        if path == b"robots.txt":
            return write_answer("200 OK", b"text/plain", [ROBOTS])
        if path.startswith(b".well-known/"):
            return write_answer("404 Not Found", b"text/plain", [b"no such file"])
        number = NUMBERS.get(host)
        if number is None:  # pages show images of hosts that are not ours
            return write_answer("200 OK", b"image/png", [self.picture])
        digest = hashlib.blake2b(url, digest_size=32).digest()
        pages = self.pages[number]
        before, behind = pages[digest[31] % len(pages)]
        self.served += 1
        self.counter[:] = self.served.to_bytes(8, "little")
        return write_answer("200 OK", b"text/html", [before, write_links(number, digest), behind])


def make_picture() -> bytes:
    """Return an image of a size that is kept."""
    file = io.BytesIO()
    Image.new("RGB", (640, 480)).save(file, "PNG")
    return file.getvalue()


def write_answer(status: str, kind: bytes, parts: list[bytes]) -> list[bytes]:
    """Return the parts of an answer with its head in front."""
    head = b"HTTP/1.1 %b\r\nServer: benchmark\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
    return [head % (status.encode(), kind, sum(map(len, parts))), *parts]


def take_requests(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the addresses of the requests that are complete, and the bytes behind them."""
    *heads, rest = data.split(b"\r\n\r\n")
    return [head.split(b" ", 2)[1] for head in heads], rest


class Connection(asyncio.Protocol):
    """One connection, kept as long as the client likes."""

    def __init__(self, web: Web) -> None:
        self.web, self.data = web, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of the other end."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        urls, self.data = take_requests(self.data + data)
        for url in urls:
            self.transport.writelines(self.web.answer(url))


async def serve(port: int, counter: Path) -> None:
    """Serve until the process is ended."""
    web = Web(counter)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(web), "127.0.0.1", port)
    await server.serve_forever()


def main() -> None:
    """Serve on the port given."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1]), Path(sys.argv[2])))


if __name__ == "__main__":
    main()
