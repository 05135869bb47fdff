"""One request and its answer, as they went over the wire: made by fetch, kept by the archive."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from blickfang.types import Response

HTML_TYPES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and the answer to it, one hop: a redirect is an answer like any other.

    The body is kept decoded, as Common Crawl does: `response_head` then says so
    (X-Crawl-Content-Encoding, X-Crawl-Content-Length, X-Crawl-Transfer-Encoding).
    """

    url: str  # canonical
    request_head: bytes  # request line and header lines, ending in an empty line
    response_head: bytes  # status line and header lines, fitting the decoded body
    status: int
    headers: dict[str, str]  # names in lower case; repeated ones are joined, see join_header
    body: bytes  # decoded
    ip: str  # of the server; "" behind a proxy
    fetched_at: str  # as 2026-01-31T12:34:56.789Z, the moment of the request
    first_byte_s: float
    total_s: float
    truncated: str = ""  # "", or as WARC-Truncated: length, time, disconnect, unspecified


def join_header(name: str, before: str, value: str) -> str:
    """Return a header with what a further line of the same name says.

    A line of X-Robots-Tag may name a robot, which holds for all of it and for no other line.

    >>> join_header("vary", "accept", "cookie")
    'accept, cookie'
    >>> join_header("x-robots-tag", "googlebot: noindex", "nofollow")
    'googlebot: noindex\\nnofollow'
    """
    return f"{before}\n{value}" if name == "x-robots-tag" else f"{before}, {value}"


class Later(NamedTuple):
    """A host may not be asked for so long that nobody should wait for it here."""

    pause_s: float


def to_response(exchange: Exchange) -> Response:
    """Return what readers of pages need of an exchange."""
    return Response(
        exchange.url, exchange.status, exchange.headers, exchange.body, exchange.fetched_at
    )


def read_type(headers: Mapping[str, str]) -> str:
    """Return the type that an answer says it has, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
