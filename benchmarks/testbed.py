"""The testbed as archives: everything its server would answer, recorded once for each setting.

In: ../shared/testbed. Out: FOLDER/easy-00000.warc.gz and FOLDER/hard-00000.warc.gz, to be replayed:
pages, images and redirects of all addresses that pages name. The server is asked without a socket.

    python -m benchmarks.testbed FOLDER
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.draws import (
    DIRECTORY,
    LOCALITY,
    TESTBED,
    read_table,
    read_truth,
    server_options,
    start_server,
)
from blickfang.crawl.focus import see
from blickfang.html import read_page
from blickfang.io.urls import canonical
from blickfang.io.urls import host as host_of
from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure

FOLDER = Path(tempfile.gettempdir()) / "blickfang-testbed"
MOMENT = "2026-01-01T00:00:00Z"


def record_testbed(folder: Path = FOLDER) -> dict[str, Path]:
    """Return the archive of each setting, recorded if that was not done since it changed."""
    paths = {setting: folder / f"{setting}-00000.warc.gz" for setting in LOCALITY}
    newest = max(path.stat().st_mtime_ns for path in TESTBED.iterdir())
    old = [path for path in paths.values() if not path.exists()]
    if not old and min(path.stat().st_mtime_ns for path in paths.values()) > newest:
        return paths
    server = start_server()
    for setting, path in paths.items():
        path.unlink(missing_ok=True)
        with ArchiveWriter.open(
            folder, setting, None, {"description": f"the testbed, {setting}"}
        ) as out:
            server.a = server_options(setting)
            for exchange in walk(server):
                out.write(exchange)
            out.flush(sync=True)
    return paths


def walk(server: Any) -> Iterator[Exchange]:
    """Ask for every address there is."""
    truth = read_truth()
    images = (canonical(row["image_url"]) or "" for row in read_table("truth_images.tsv"))
    queue = [DIRECTORY, *chain.from_iterable(truth.pages.values()), *images]
    met = set(queue)
    while queue:
        exchange = ask(server, queue.pop())
        if exchange is None:
            continue
        yield exchange
        for url in find_leads(exchange):
            is_here = host_of(url) in truth.topics or url.startswith(DIRECTORY)
            if is_here and url not in met:
                met.add(url)
                queue.append(url)


def find_leads(exchange: Exchange) -> list[str]:
    """Return the addresses that an answer names."""
    if exchange.status != 200:
        return [canonical(exchange.headers["location"]) or ""]
    page = None
    if "html" in exchange.headers["content-type"]:
        page = read_page(exchange.body, exchange.url)
    if page is None or isinstance(page, Failure):
        return []
    seen = see(page, host_of(exchange.url))
    return [*seen.links, *seen.images]


def ask(server: Any, url: str) -> Exchange | None:
    """Return what the server says of an address, None for what is not there."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    status, kind, body, more = server.answer(parts.netloc, path, {})
    if status not in (200, 301):
        return None
    headers = {"content-type": kind, **{name.lower(): value for name, value in more.items()}}
    lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, "", ""]).encode()
    request = f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    return Exchange(url, request, head, status, headers, body, "127.0.0.1", MOMENT, 0.0, 0.0)


if __name__ == "__main__":
    for made in record_testbed(Path(sys.argv[1]) if sys.argv[1:] else FOLDER).values():
        print(made, f"{made.stat().st_size / 1e6:.1f} MB")
