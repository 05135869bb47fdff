"""Exchanges for the tests, made of a status and a body."""

from blickfang.io.warc.http_exchange import Exchange

NOW = 1_750_000_000.0  # June 2025


def answer(
    body: bytes | str = b"", status: int = 200, truncated: str = "", **headers: str
) -> Exchange:
    return Exchange(
        url="http://example.org/robots.txt",
        request_head=b"",
        response_head=b"",
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        body=body.encode() if isinstance(body, str) else body,
        ip="192.0.2.1",
        fetched_at="2025-06-15T15:06:40.000Z",
        first_byte_s=0.1,
        total_s=0.1,
        truncated=truncated,
    )
