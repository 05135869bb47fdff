"""Corpora for tests: documents as JSON Lines, and archives as ClueWeb has them."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from blickfang.dedupe.compare.fingerprint_file import DocumentToFingerprint, Library, write_shelf

CONSONANTS, VOWELS = "bdfgklmnprst", "aeiou"


def word(number: int) -> str:
    """Return a word that no other number has."""
    letters = []
    number += 1
    while number:
        number, rest = divmod(number, 60)
        letters.append(CONSONANTS[rest // 5] + VOWELS[rest % 5])
    return "".join(letters)


def words(first: int, count: int) -> str:
    """Return a text of different words."""
    return " ".join(word(number) for number in range(first, first + count))


def make_library(path: Path, texts: Sequence[tuple[str, str, str, str]]) -> Library:
    """Return a library of documents: id, address, text, main text."""
    entries = [DocumentToFingerprint(*text, number, -1, 0) for number, text in enumerate(texts)]
    write_shelf(path, entries, 3)
    return Library([path])


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write documents as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def page(main: str, frame: str) -> bytes:
    """Return a page with a menu, an article and a footer."""
    half = len(frame.split()) // 2
    menu = "".join(f"<li><a href='/x'>{each}</a></li>" for each in frame.split()[:half])
    footer = " ".join(frame.split()[half:])
    sentences = main.split(". ")
    article = "".join(f"<p>{each.strip()}.</p>" for each in sentences)
    return (
        f"<html><head><title>t</title></head><body><nav><ul>{menu}</ul></nav>"
        f"<article>{article}</article><footer><p>{footer}</p></footer></body></html>"
    ).encode()


def prose(first: int, count: int) -> str:
    """Return sentences of twelve words."""
    every = words(first, count).split()
    return ". ".join(" ".join(every[i : i + 12]) for i in range(0, len(every), 12))


NOTICE = words(8000, 90)


def recipe(number: int) -> str:
    """Return a page whose longest text is a notice that all pages have."""
    items = "".join(f"<li>{each}</li>" for each in words(100_000 + 100 * number, 60).split())
    return (
        f"<html><head><title>{number}</title></head><body><div><p>{NOTICE}.</p></div>"
        f"<h1>{word(number)}</h1><ul>{items}</ul></body></html>"
    )


def clueweb09(trec_id: str, url: str, html: bytes, length: int | None = None) -> bytes:
    """Return a record as ClueWeb09 has it: WARC/0.18, line feeds only, odd dates and lengths."""
    block = b"HTTP/1.1 200 OK\nContent-Type: text/html\nServer: x\n\n" + html
    head = (
        f"WARC/0.18\nWARC-Type: response\nWARC-Target-URI: {url}\n"
        "WARC-Warcinfo-ID: 993d3969-9643-4934-b1c6-68d4dbe55b83\n"
        "WARC-Date: 2009-03-65T08:43:19-0800\n"
        "WARC-Record-ID: <urn:uuid:67f7cabd-146c-41cf-bd01-04f5fa7d5229>\n"
        f"WARC-TREC-ID: {trec_id}\nContent-Type: application/http;msgtype=response\n"
        "WARC-Identified-Payload-Type: \n"
        f"Content-Length: {len(block) if length is None else length}\n\n"
    )
    return head.encode() + block + b"\n\n"


def clueweb12(trec_id: str, url: str, html: bytes, kind: str = "text/html") -> bytes:
    """Return a record as ClueWeb12 has it: WARC/1.0, a payload type that may be anything."""
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + html
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2012-02-10T21:51:20Z\r\n"
        f"WARC-TREC-ID: {trec_id}\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Payload-Digest: sha1:YZUOJNSUGFG3JVUKM6LBHMRMMHWLVNQ4\r\n"
        "WARC-IP-Address: 100.42.59.15\r\n"
        "WARC-Record-ID: <urn:uuid:74edc71e-a881-4e17-81fc-a40db4bf1fb9>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def pack(path: Path, records: Iterable[bytes], *, together: bool = False) -> Path:
    """Write records as an archive: a gzip member each, or all in one, as some copies are."""
    parts = list(records)
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = gzip.compress(b"".join(parts))
    path.write_bytes(whole if together else b"".join(map(gzip.compress, parts)))
    return path
