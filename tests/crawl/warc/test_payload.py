"""HTTP as servers speak it."""

import gzip
import io
import zlib
from collections.abc import Callable
from functools import partial

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blickfang.io.warc.payload import decode_body, split_response
from tests.crawl.warc.samples import PAGE
from tests.crawl.warc.test_reader import in_chunks

MEGABYTE = 2**20


def deflate_raw(body: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(body) + engine.flush()


def zstd(body: bytes) -> bytes:
    from fastwarc.stream_io import ZstdWriter

    out = io.BytesIO()
    writer = ZstdWriter(out)
    writer.write(body)
    writer.finish()
    writer.flush()
    return out.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": deflate_raw,
    "br": partial(brotli.compress, quality=3),
    "zstd": zstd,
    "identity": bytes,
    "unknown": bytes,
}


@pytest.mark.parametrize("name", PACKERS)
@settings(max_examples=50)
@given(body=st.binary(max_size=2000), size=st.integers(1, 3000))
def test_encodings_are_undone(name: str, body: bytes, size: int) -> None:
    packed = PACKERS[name](body)
    assert decode_body({"content-encoding": name}, packed, MEGABYTE) == (body, "")
    headers = {"content-encoding": name, "transfer-encoding": "chunked"}
    assert decode_body(headers, in_chunks(packed, size), MEGABYTE) == (body, "")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_bombs_and_limits(name: str) -> None:
    bomb = PACKERS[name](b"\0" * 10**8)
    assert decode_body({"content-encoding": name}, bomb, 1000) == (b"\0" * 1000, "length")
    exact = PACKERS[name](b"\0" * 1000)
    assert decode_body({"content-encoding": name}, exact, 1000) == (b"\0" * 1000, "")
    many = {"content-encoding": ", ".join([name] * 1000)}
    decode_body(many, bomb, 1000)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_headers_that_are_not_true_any_more(name: str) -> None:
    assert decode_body({"content-encoding": name}, PAGE, MEGABYTE) == (PAGE, "")
    chunked = {"transfer-encoding": "chunked"}
    assert decode_body(chunked, PAGE, MEGABYTE) == (PAGE, "")
    assert decode_body(chunked, b"abc\r\nis no length", MEGABYTE)[0] == b"is no length"
    assert decode_body(chunked, b"2\r\nno chunk follows", MEGABYTE)[0].startswith(b"2\r\n")
    assert decode_body(chunked, b"", MEGABYTE) == (b"", "")
    assert decode_body({"content-encoding": name}, b"", MEGABYTE) == (b"", "")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_what_was_cut_off_is_used(name: str) -> None:
    body = b"".join(b"%d cats, " % number for number in range(9999))
    packed = PACKERS[name](body)[:-500]
    found, why = decode_body({"content-encoding": name}, packed, MEGABYTE)
    assert body.startswith(found)
    assert len(found) > len(body) // 2
    assert why == "unspecified"
    damaged = gzip.compress(body)[:4000] + b"\xff" * 99
    found, why = decode_body({"content-encoding": "gzip"}, damaged, MEGABYTE)
    assert found.startswith(body[:5000])
    assert why == "unspecified"


def test_several_members() -> None:
    two = gzip.compress(b"a") + gzip.compress(b"b")
    assert decode_body({"content-encoding": "gzip"}, two, 10) == (b"ab", "")
    assert decode_body({"content-encoding": "gzip"}, two + b"rubbish", 10) == (b"ab", "")
    assert decode_body({"content-encoding": "gzip"}, two, 1) == (b"a", "length")


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", (200, {"a": "b"}, b"body")),
        (b"HTTP/1.1 200 OK\nA : b \n\nbody", (200, {"a": "b"}, b"body")),
        (b"HTTP/2 404\r\nnonsense\r\n: empty\r\n\r\n", (404, {}, b"")),
        (b"ICY 200 OK\r\nA: b\r\n c\r\n\td\r\n\r\n", (200, {"a": "b c d"}, b"")),
        (b"HTTP/1.0 302\r\nLocation: /K\xc3\xa4se\r\n\r\n", (302, {"location": "/Käse"}, b"")),
        (b"HTTP/1.0 302\r\nLocation: /K\xe4se\r\n\r\n", (302, {"location": "/Käse"}, b"")),
        (b"HTTP/1.1 200 OK\r\nA: b", (200, {"a": "b"}, b"")),
        (b"HTTP/1.1 200 OK\r\n\r\n\r\n\r\nx", (200, {}, b"\r\n\r\nx")),
        (b"HTTP/1.1 20 OK\r\n\r\n", None),
        (b"<html>200", None),
        (b"", None),
    ],
)
def test_heads(block: bytes, expected: tuple[int, dict[str, str], bytes] | None) -> None:
    assert split_response(block) == expected


@given(st.binary(), st.sampled_from([*PACKERS, "gzip, br", ",,,"]), st.integers(0, 100))
def test_nothing_raises(body: bytes, name: str, limit: int) -> None:
    headers = {"content-encoding": name, "transfer-encoding": "chunked"}
    found, why = decode_body(headers, body, limit)
    assert len(found) <= limit
    assert why in ("", "length", "unspecified")
    split_response(body)
    split_response(b"HTTP/1.1 200 " + body)
