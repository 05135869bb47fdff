"""Collections made by hand: a web of pages with pictures, crawled here, and the corpus of them.

In: samples, and the pages that show them. Out: a collection with archive and corpus. Everything is
served on 127.0.0.1.
"""

import html
import io
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import uvicorn
from PIL import Image
from tests.corpus.samples import make_pages, make_rejected, make_rows, table_of
from tests.crawl.sites import Sites, crawl_here, serving, settings, write_collection

from blickfang.config import Collection, open_collection
from blickfang.corpus import FunnelStep, Origin, write_corpus
from blickfang.corpus.pictures import read_picture
from blickfang.demo.truth import Answer
from blickfang.types import Picture
from blickfang.web import make_app

HTML = (("Content-Type", "text/html; charset=utf-8"),)
COUNT = 40


def plain_rows(count: int = COUNT) -> list[dict[str, Any]]:
    """Return samples with real visual features, of a web without encryption."""
    rows = make_rows(count, size=(320, 240))
    for row in rows:
        picture = read_picture(row["url"], row["image"]["bytes"])
        assert isinstance(picture, Picture)
        row["looks"] = picture.looks.tolist()
        del row["image"]["path"]
        data = row.pop("image")
        text = json.dumps(row).replace("https://", "http://").replace("käse", "kaese")
        row.clear()
        row.update(json.loads(text), image={**data, "path": "x.jpg"})
    return rows


def figure_page(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a page with a figure for each of some samples."""
    figures = "".join(
        f'<figure><img src="{html.escape(row["url"])}" alt="{html.escape(row["caption"])}" '
        f'width="320" height="240"><figcaption>{html.escape(row["caption"])}</figcaption></figure>'
        f"<p>Some more words about this picture, and where it was taken, number {at}.</p>"
        for at, row in enumerate(rows)
    )
    items = "".join(
        f"<li><b>Thing {at}</b> <i>{at + 3} coins</i> <span>kept in drawer {at}</span></li>"
        for at in range(8)
    )
    return (
        "<!doctype html><html lang=en><title>Pictures</title><nav><a href=/>Home</a></nav>"
        f"<h1>Pictures of the day</h1>{figures}<h2>Things</h2><ul>{items}</ul>"
    )


def make_sites(rows: Sequence[Mapping[str, Any]], pages: Mapping[str, bytes] = {}) -> Sites:
    """Return a web that shows samples on their pages."""
    replies: dict[str, Answer] = {}
    by_page: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_page.setdefault(row["page_url"], []).append(row)
        kind = "image/" + ("svg+xml" if row["format"] == "svg" else row["format"])
        replies[row["url"]] = Answer(200, (("Content-Type", kind),), row["image"]["bytes"])
        rules = urljoin(row["page_url"], "/robots.txt")
        replies[rules] = Answer(200, (("Content-Type", "text/plain"),), b"User-agent: *\nAllow: /")
    for url, shown in by_page.items():
        body = pages.get(url) or figure_page(shown).encode()
        replies[url] = Answer(200, HTML, body)
    return Sites(replies)


def make_whole(
    root: Path, rows: list[dict[str, Any]], pages: Mapping[str, bytes] = {}
) -> Collection:
    """Make a collection of samples: their web is crawled, their corpus written."""
    seeds = list(dict.fromkeys(row["page_url"] for row in rows))
    seeds.append(urljoin(seeds[0], "/robots.txt"))  # some pages link to it
    with serving(make_sites(rows, pages)) as server:
        write_collection(root, server, *seeds)
        options = settings(server, *seeds)
        with ThreadPoolExecutor(1) as thread:  # a browser may hold the loop of this one
            thread.submit(crawl_here, root / "crawl", options, limit_s=30).result()
    write_rows(root, rows)
    return open_collection(root)


def write_rows(root: Path, rows: list[dict[str, Any]]) -> None:
    """Write the corpus of a collection."""
    funnel = (
        FunnelStep("initial", len(rows) + 4),
        FunnelStep("size", len(rows), (("too small", 4),)),
    )
    write_corpus(
        root / "corpus",
        table_of(rows).to_batches(max_chunksize=16),
        origin=Origin(title="Motifs", funnel=funnel),
        rejected=make_rejected(4).to_batches(),
        pages=make_pages(rows).to_batches(),
    )


@contextmanager
def running(collection: Collection) -> Iterator[str]:
    """Serve the application over a collection on a free port; give its address."""
    config = uvicorn.Config(
        make_app(collection),
        port=0,
        log_level="error",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        threading.Event().wait(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def draw_png(colour: tuple[int, int, int]) -> bytes:
    """Return a picture of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (200, 150), colour).save(file, "PNG")
    return file.getvalue()
