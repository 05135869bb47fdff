"""Archives for tests: pages and pictures, record by record."""

import gzip
import io
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

DATE = "2026-01-02T03:04:05Z"
SETTINGS = """
[crawl]
allow_private = true
purpose = "{purpose}"
[images]
min_width = 50
min_height = 50
[build]
archives = ["*.warc.gz"]
{more}
"""


class Answer(NamedTuple):
    """An answer to be archived."""

    url: str
    body: bytes = b""
    kind: str = "text/html"
    date: str = DATE
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    record: str = "response"
    original: str = ""


def page(url: str, html: str, date: str = DATE, **headers: str) -> Answer:
    """Return a page."""
    return Answer(url, html.encode(), date=date, headers=tuple(headers.items()))


def picture(url: str, data: bytes, date: str = DATE, **headers: str) -> Answer:
    """Return a picture."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer(url, data, "image/png", date, headers=named)


def draw(seed: int, width: int = 120, height: int = 90, kind: str = "PNG") -> bytes:
    """Return the file of a picture: large blots in colours, those of one seed alike in any size."""
    colours = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    image = Image.fromarray(colours).resize((width, height), Image.Resampling.BICUBIC)
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def write_archive(path: Path, answers: Iterable[Answer]) -> Path:
    """Write answers as an archive, a gzip member a record."""
    path.write_bytes(b"".join(gzip.compress(_write(answer)) for answer in answers))
    return path


def write_damaged(folder: Path) -> tuple[Path, Path, Path]:
    """Write an archive that is whole, one whose record is cut, and one that is empty."""
    whole = write_archive(folder / "a.warc.gz", [page("http://a.test/", "<p>Some words.")])
    cut = write_archive(folder / "b.warc.gz", [page("http://a.test/gone", "<p>Other words.")])
    cut.write_bytes(gzip.compress(gzip.decompress(cut.read_bytes())[:-9]))
    empty = write_archive(folder / "c.warc.gz", [])
    return whole, cut, empty


def _write(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status}", f"Content-Type: {answer.kind}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    block = "\r\n".join([*lines, "", ""]).encode() + answer.body
    head = {
        "WARC-Type": answer.record,
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, answer.url + answer.date)}>",
        "WARC-Date": answer.date,
        "WARC-Target-URI": answer.url,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    if answer.original:
        head["WARC-Refers-To-Target-URI"] = answer.original
    fields = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"WARC/1.1\r\n" + fields.encode() + b"\r\n" + block + b"\r\n\r\n"


def make_collection(root: Path, more: str = "", purpose: str = "research") -> Path:
    """Write the settings of a collection that builds from archives beside them."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "blickfang.toml").write_text(SETTINGS.format(more=more, purpose=purpose))
    return root
