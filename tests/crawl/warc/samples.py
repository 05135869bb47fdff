"""Exchanges to archive, and another reader's opinion of the result."""

from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange

DATE = "2026-01-31T12:34:56.789Z"
ABOUT = {"operator": "mailto:crawl@example.org", "description": "a test", "max_pages": "10"}
PAGE = b"<!DOCTYPE html><title>Cats</title><p>The cat sat on the mat." * 40


def exchange(
    url: str = "http://example.org/cats",
    body: bytes = PAGE,
    status: int = 200,
    head: bytes = b"Content-Type: text/html\r\n",
    ip: str = "192.0.2.1",
    truncated: str = "",
) -> Exchange:
    return Exchange(
        url=url,
        request_head=b"GET /cats HTTP/1.1\r\nHost: example.org\r\n\r\n",
        response_head=b"HTTP/1.1 %d OK\r\n" % status + head + b"\r\n",
        status=status,
        headers={"content-type": "text/html"},
        body=body,
        ip=ip,
        fetched_at=DATE,
        first_byte_s=0.1,
        total_s=0.2,
        truncated=truncated,
    )


def open_archive(
    folder: Path, committed: tuple[str, int] | None = None, roll_at: int = 10**9
) -> ArchiveWriter:
    return ArchiveWriter.open(folder, "test", committed, ABOUT, roll_at=roll_at)


def read_with_warcio(path: Path) -> list[tuple[str, dict[str, str], bytes]]:
    """Return kind, fields and payload of every record; raise for any wrong digest."""
    found: list[tuple[str, dict[str, str], bytes]] = []
    with path.open("rb") as file:
        records: Any = ArchiveIterator(file, check_digests="raise")
        for record in records:
            body = record.raw_stream.read()
            found.append((record.rec_type, dict(record.rec_headers.headers), body))
        assert records.err_count == 0
    return found
