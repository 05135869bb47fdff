"""Fetching from servers that do what they like."""

import asyncio
import errno
import gc
import gzip
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import brotli  # type: ignore[import-untyped]
import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.fetch import resolver, streamed_answer
from blickfang.crawl.fetch.fetcher import Fetcher, FetchLimits
from blickfang.crawl.fetch.streamed_answer import ResponseHead
from blickfang.errors import SettingsError
from blickfang.io import content_encoding
from blickfang.io.content_encoding import EncodingError, choose_decoder
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure
from tests.site.hostile_server import CUT, PAGE, HostileServer, deflate

NAME = "Blickfang/0.1 (+mailto:cat@example.org)"
QUICK = FetchLimits(first_byte_s=0.5, total_s=0.8)
LIMIT = 200_000
Result = Exchange | Failure
T = TypeVar("T")


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server


def run(work: Callable[[Fetcher], Coroutine[Any, Any, T]], **options: Any) -> T:
    async def inside() -> T:
        async with Fetcher(NAME, **{"allow_private": True, **options}) as fetcher:
            return await work(fetcher)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(inside())


def get(url: str, *, asked: dict[str, Any] | None = None, **options: Any) -> Result:
    return run(lambda fetcher: fetcher.fetch(url, **{"limit": LIMIT, **(asked or {})}), **options)


def get_page(url: str, **options: Any) -> Exchange:
    exchange = get(url, **options)
    assert isinstance(exchange, Exchange), exchange
    return exchange


# What is right


def test_an_exchange_is_what_went_over_the_wire(server: HostileServer) -> None:
    url = server.url("/page?a=%2B&b=|'")
    before = time.time()
    exchange = get_page(url)
    assert server.requests == [exchange.request_head]
    assert exchange.request_head.startswith(b"GET /page?a=%2B&b=|' HTTP/1.1\r\nHost: 127.0.0.1:")
    assert exchange.response_head == (
        b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\n'
        b"X-Crawl-Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(PAGE), len(PAGE))
    )
    assert (exchange.url, exchange.status, exchange.body) == (url, 200, PAGE)
    assert exchange.headers["content-type"] == "text/html"
    assert (exchange.ip, exchange.truncated) == ("127.0.0.1", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", exchange.fetched_at)
    stamp = time.strftime("%Y-%m-%dT%H:%M:", time.gmtime(before))
    assert exchange.fetched_at.startswith(stamp) or time.gmtime().tm_sec < 5
    assert 0 < exchange.first_byte_s <= exchange.total_s < 5


RIGHT = """/page
/until-close /http10 /gzip /gzip/members /gzip/padded /br /deflate/zlib /deflate/raw
/deflate/gzip /encoding/utf-8 /encoding/transfer"""


@pytest.mark.parametrize("path", RIGHT.split())
def test_bodies_are_decoded(server: HostileServer, path: str) -> None:
    exchange = get_page(server.url(path))
    assert exchange.body == PAGE
    assert exchange.truncated == ""
    assert exchange.response_head.endswith(b"\r\nContent-Length: %d\r\n\r\n" % len(PAGE))
    assert b"\r\ncontent-encoding:" not in exchange.response_head.lower()
    assert b"\r\ntransfer-encoding:" not in exchange.response_head.lower()


def test_bodies_in_odd_pieces(server: HostileServer) -> None:
    assert get_page(server.url("/chunks")).body == b"abcdefgh"
    assert get_page(server.url("/empty")).body == b""
    assert get_page(server.url("/gzip/empty")).body == b""
    patient = get_page(server.url("/gzip/pieces"))
    assert (patient.body, patient.truncated) == (b"cat", "")


def test_connections_are_kept(server: HostileServer) -> None:
    async def work(fetcher: Fetcher) -> list[Result]:
        paths = ["/page", "/gzip", "/chunks", "/empty", "/redirect", "/cookie", "/page"]
        return [await fetcher.fetch(server.url(path)) for path in paths]

    assert all(isinstance(result, Exchange) for result in run(work))
    assert len(server.requests) == 7
    assert server.connections == 1


def test_redirects_are_answers(server: HostileServer) -> None:
    exchange = get_page(server.url("/redirect"))
    assert (exchange.status, exchange.body) == (302, b"moved")
    assert exchange.headers["location"] == "http://169.254.169.254/"
    assert len(server.requests) == 1
    broken = get_page(server.url("/redirect/broken"))  # who reads the body of a redirect?
    assert (broken.status, broken.body, broken.truncated) == (301, b"", "unspecified")
    endless = get_page(server.url("/redirect/endless"))
    assert (len(endless.body), endless.truncated) == (streamed_answer.SMALL, "length")


def test_conditional_requests(server: HostileServer) -> None:
    more = {"If-None-Match": '"1"\r\nEvil: yes', "If-Modified-Since": "Mon, 01 Jan 2024"}
    exchange = get_page(server.url("/not-modified"), asked={"more_headers": more})
    assert (exchange.status, exchange.body) == (304, b"")
    assert server.requests == [exchange.request_head]
    assert b'\r\nIf-None-Match: "1"Evil: yes\r\nIf-Modified' in exchange.request_head


def test_cookies_are_never_sent_back(server: HostileServer) -> None:
    async def work(fetcher: Fetcher) -> list[Result]:
        return [await fetcher.fetch(server.url("/cookie")) for _ in range(2)]

    first, second = run(work)
    assert isinstance(first, Exchange)
    assert isinstance(second, Exchange)
    assert first.headers["set-cookie"] == "a=1; Path=/, b=2"
    assert first.headers["x-a"] == "1, 2"
    assert first.response_head.count(b"\r\nSet-Cookie: ") == 2
    assert b"\r\ncookie:" not in b"".join(server.requests).lower()


# Limits


@pytest.mark.parametrize("path", ["/endless", "/endless/chunks", "/gzip/bomb", "/br/bomb"])
def test_large_bodies_are_cut(server: HostileServer, path: str) -> None:
    began = time.perf_counter()
    exchange = get_page(server.url(path))
    assert (len(exchange.body), exchange.truncated) == (LIMIT, "length")
    assert time.perf_counter() - began < 2
    assert server.sent[path] < 20_000_000  # buffers of the system included


def test_a_body_of_just_the_limit_is_whole(server: HostileServer) -> None:
    for path in ("/page", "/gzip", "/br"):
        whole = get_page(server.url(path), asked={"limit": len(PAGE)})
        assert (whole.body, whole.truncated) == (PAGE, "")
        cut = get_page(server.url(path), asked={"limit": len(PAGE) - 1})
        assert (cut.body, cut.truncated) == (PAGE[:-1], "length")


@pytest.mark.parametrize("path", ["/drip", "/drip/body", "/drip/headers", "/drip/nothing"])
def test_slow_servers_are_left(server: HostileServer, path: str) -> None:
    began = time.perf_counter()
    result = get(server.url(path), limits=QUICK)
    assert time.perf_counter() - began < 3
    if path == "/drip":
        assert isinstance(result, Exchange)
        assert result.truncated == "time"
        assert set(result.body) == set(b"x")
    else:
        assert result == Failure(server.url(path), "fetch", streamed_answer.TIMED_OUT)


@pytest.mark.parametrize("kind", ["lines", "long", "sum", "name", "reason", "endless"])
def test_header_bombs(server: HostileServer, kind: str) -> None:
    url = server.url(f"/headers/{kind}")
    assert get(url) == Failure(url, "fetch", streamed_answer.HEADERS)
    assert server.sent[f"/headers/{kind}"] < 20_000_000


def test_a_stop_saves_the_rest(server: HostileServer) -> None:
    seen: list[tuple[ResponseHead, int]] = []

    def stop(head: ResponseHead, body: bytes) -> str | None:
        seen.append((head, len(body)))
        return "too dull" if len(body) >= 4096 else None

    url = server.url("/endless")
    result = get(url, asked={"stop": stop, "limit": 10**9})
    assert result == Failure(url, "fetch", "too dull")
    assert seen[0] == (ResponseHead(200, {"content-type": "text/html"}), 0)
    assert seen[-1][1] >= 4096
    assert server.sent["/endless"] < 20_000_000


def test_a_stop_at_the_headers(server: HostileServer) -> None:
    async def work(fetcher: Fetcher) -> list[Result]:
        first = await fetcher.fetch(server.url("/endless"), stop=lambda *_: "no")
        return [first, await fetcher.fetch(server.url("/page"), stop=lambda *_: None)]

    stopped, whole = run(work)
    assert stopped == Failure(server.url("/endless"), "fetch", "no")
    assert isinstance(whole, Exchange)
    assert whole.body == PAGE
    assert server.connections == 2


def test_stops_are_asked_as_the_body_grows(server: HostileServer) -> None:
    sizes: list[int] = []

    def stop(head: ResponseHead, body: bytes) -> None:
        del head
        sizes.append(len(body))

    get(server.url("/endless/chunks"), asked={"stop": stop})
    assert sizes[0] == 0
    assert sizes[-1] >= 65536
    assert sizes == sorted(set(sizes))
    assert 3 <= len(sizes) <= 6  # the last one when all is there


def test_our_own_mistakes_are_raised(server: HostileServer) -> None:
    def stop(head: ResponseHead, body: bytes) -> str:
        raise RuntimeError(f"{head.status} {len(body)}")

    with pytest.raises(RuntimeError, match="200 0"):
        get(server.url("/page"), asked={"stop": stop})
    with pytest.raises(SettingsError, match="one line"):
        Fetcher("a\nb")


# What is wrong

WRONG = {
    "/endless/continue": streamed_answer.BROKEN,
    "/garbage": streamed_answer.BROKEN,
    "/version": streamed_answer.BROKEN,
    "/status": streamed_answer.BROKEN,
    "/switch": streamed_answer.BROKEN,
    "/chunks/broken": streamed_answer.BROKEN,
    "/length/absurd": streamed_answer.BROKEN,
    "/length/short": streamed_answer.BROKEN,
    "/headers/injection": streamed_answer.BROKEN,
    "/length/nothing": streamed_answer.CLOSED,
    "/reset": streamed_answer.CLOSED,
    "/close": streamed_answer.CLOSED,
    "/half": streamed_answer.CLOSED,
    "/gzip/cut-head": content_encoding.BROKEN,
    "/endless/gzip": content_encoding.BROKEN,
    "/gzip/plain": content_encoding.BROKEN,
    "/gzip/damaged": content_encoding.BROKEN,
    "/endless/members": content_encoding.BROKEN,
    "/br/plain": content_encoding.BROKEN,
    "/encoding/zstd": content_encoding.UNKNOWN,
    "/encoding/twice": content_encoding.UNKNOWN,
}


@pytest.mark.parametrize("path", WRONG)
def test_broken_answers_have_a_name(server: HostileServer, path: str) -> None:
    url = server.url(path)
    assert get(url) == Failure(url, "fetch", WRONG[path])
    assert len(server.requests) == 1  # a server in trouble is not asked twice


CUT_OFF = {
    "/length/long": (CUT, "disconnect"),
    "/length/long/late": (CUT, "disconnect"),
    "/length/short/late": (CUT, ""),
    "/chunks/cut": (CUT, "disconnect"),
    "/chunks/cut-first": (CUT, "disconnect"),
    "/chunks/broken/late": (CUT, "unspecified"),
}


@pytest.mark.parametrize("path", CUT_OFF)
def test_what_came_is_kept(server: HostileServer, path: str) -> None:
    began = time.perf_counter()
    for _ in range(5):  # data and the end of the connection may come together or apart
        exchange = get_page(server.url(path))
        assert (exchange.body, exchange.truncated) == CUT_OFF[path]
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize("path", ["/gzip/cut", "/br/cut"])
def test_cut_streams_give_what_there_is(server: HostileServer, path: str) -> None:
    exchange = get_page(server.url(path))
    assert exchange.truncated == "disconnect"
    assert exchange.body
    assert PAGE.startswith(exchange.body)


def test_headers_are_made_harmless(server: HostileServer) -> None:
    exchange = get_page(server.url("/headers/controls"))
    assert exchange.headers["x-a"] == "12 3"
    assert exchange.headers["x-b"] == exchange.headers["x-c"] == "Käfer"
    assert exchange.response_head.split(b"\r\n")[:2] == [b"HTTP/1.1 200 OK\xe4", b"X-A: 12 3"]
    for text in exchange.headers.values():
        text.encode()  # no surrogates, which no database takes


def test_a_forgotten_connection_is_asked_again(server: HostileServer) -> None:
    async def work(fetcher: Fetcher) -> list[Result]:
        first = await fetcher.fetch(server.url("/page"))
        return [first, await fetcher.fetch(server.url("/close"))]

    _, second = run(work)
    assert second == Failure(server.url("/close"), "fetch", streamed_answer.CLOSED)
    assert len(server.requests) == 3  # the page, the kept connection, a new one
    assert server.connections == 2


def test_cancelling_passes(server: HostileServer) -> None:
    async def work(fetcher: Fetcher) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(fetcher.fetch(server.url("/drip")), 0.2)
        task = asyncio.create_task(fetcher.fetch(server.url("/drip/nothing")))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(work)


LINES = b"""HTTP/1.1 |HTTP/1.0 |200 OK|304 x|100 Continue|\r\n|\r\n\r\n|\n|\0|\r|: |\xff|hello
Content-Length: 5|Content-Length: -1|Transfer-Encoding: chunked|Content-Encoding: gzip|Location: /
Content-Encoding: br|5\r\nhello\r\n|0\r\n\r\n|Connection: close|Connection: upgrade|Upgrade: x"""
BLOBS = [gzip.compress(b"hello"), brotli.compress(b"hello"), b"F" * 17 + b"\r\n", b"x" * 70_000]
PIECES = st.sampled_from([*BLOBS, *LINES.replace(b"\n", b"|").split(b"|"), b"\r\n", b"\r\n\r\n"])
START = st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 301 Moved\r\nLocation: /\r\n"])


def test_no_bytes_raise(server: HostileServer, caplog: pytest.LogCaptureFixture) -> None:
    async def enter(fetcher: Fetcher) -> Fetcher:
        return await fetcher.__aenter__()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        fetcher = runner.run(enter(Fetcher(NAME, allow_private=True)))

        @given(START, st.lists(PIECES, max_size=12))
        def ask(start: bytes, pieces: list[bytes]) -> None:
            server.script = start + b"".join(pieces)
            result = runner.run(fetcher.fetch(server.url("/script"), limit=LIMIT))
            assert isinstance(result, Exchange) or result.reason
            assert not isinstance(result, Failure) or result.reason != streamed_answer.TIMED_OUT

        ask()
        runner.run(fetcher.__aexit__(None, None, None))
    gc.collect()
    assert not caplog.records


# Where not to go


INSIDE = """http://127.0.0.1/ http://169.254.169.254/latest/meta-data/ http://[::1]/ http://localhost/
http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]:8080/ http://2130706433/ http://0x7f000001/
http://127.1/ http://0.0.0.0/ https://10.0.0.1/ http://[fe80::1]/
http://[64:ff9b::7f00:1]/"""


@pytest.mark.parametrize("url", INSIDE.split())
@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:9"])
def test_private_addresses_are_refused(url: str, proxy: str) -> None:
    result = get(url, allow_private=False, proxy=proxy)
    assert result == Failure(url, "fetch", resolver.PRIVATE)


def test_names_of_private_addresses_are_refused(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def getaddrinfo(host: bytes, port: object, **rest: object) -> list[object]:
        del port, rest
        if host == b"unknown.test":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(0, 0, 0, "", ("127.0.0.1", 0)), (0, 0, 0, "", ("::ffff:127.0.0.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    url = f"http://inside.test:{server.port}/page"
    assert get(url, allow_private=False) == Failure(url, "fetch", resolver.PRIVATE)
    assert server.connections == 0
    allowed = get_page(url)
    assert (allowed.body, allowed.ip) == (PAGE, "127.0.0.1")
    unknown = "http://unknown.test/"
    assert get(unknown) == Failure(unknown, "fetch", streamed_answer.UNRESOLVED)
    assert run(lambda fetcher: fetcher.look_up("inside.test")) == ("127.0.0.1", "::ffff:127.0.0.1")
    assert run(lambda fetcher: fetcher.look_up("unknown.test")) == ()
    assert run(lambda fetcher: fetcher.look_up("inside.test"), allow_private=False) == ()


def test_ports_and_credentials_are_refused() -> None:
    for url, reason in (
        ("http://example.org:25/", resolver.PORT),
        ("http://user:word@example.org/", resolver.LOGIN),
        ("http://user@example.org/", resolver.LOGIN),
    ):
        assert get(url) == Failure(url, "fetch", reason)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    assert get(url) == Failure(url, "fetch", streamed_answer.REFUSED)
    assert get("http://a.test/", proxy=url) == Failure(
        "http://a.test/", "fetch", streamed_answer.PROXY
    )


def test_our_own_poverty_has_its_own_name() -> None:
    assert streamed_answer.explain_errno(errno.EMFILE) == streamed_answer.TOO_MANY
    assert streamed_answer.explain_errno(errno.ENETUNREACH) == streamed_answer.UNREACHABLE
    assert streamed_answer.explain_errno(errno.ECONNRESET) == streamed_answer.CLOSED
    assert streamed_answer.explain_errno(errno.ETIMEDOUT) == streamed_answer.TIMED_OUT


# Proxy and TLS


def test_a_proxy_is_told_names(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", None)
    proxy = f"http://user:word@127.0.0.1:{server.port}"
    exchange = get_page("http://cat.test/page", proxy=proxy, allow_private=False)
    assert (exchange.body, exchange.ip) == (PAGE, "")
    assert exchange.request_head.startswith(b"GET http://cat.test/page HTTP/1.1\r\nHost: cat.test")
    assert b"Proxy-Authorization: Basic" in server.requests[0]
    assert b"Proxy" not in exchange.request_head  # a secret is not archived
    assert run(lambda fetcher: fetcher.look_up("cat.test"), proxy=proxy) == ()


@pytest.fixture(scope="module")
def certificate(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What trusts a certificate made for this test, and what serves with it."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is missing")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=cat", "-addext", "subjectAltName=DNS:cat.test,IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return ssl.create_default_context(cafile=folder / "cert.pem"), context


def test_certificates_are_checked(certificate: tuple[ssl.SSLContext, ssl.SSLContext]) -> None:
    trusting, context = certificate
    with HostileServer(context) as server:
        url = server.url("/page")
        assert get(url) == Failure(url, "fetch", streamed_answer.CERTIFICATE)
        assert not server.requests
        assert get_page(url, tls=trusting).body == PAGE
        plain = f"http://127.0.0.1:{server.port}/page"
        assert isinstance(get(plain), Failure)
    with HostileServer() as server:
        url = f"https://127.0.0.1:{server.port}/page"
        assert get(url) == Failure(url, "fetch", streamed_answer.TLS)


def test_certificates_are_checked_behind_a_proxy(
    certificate: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    trusting, context = certificate
    for name, right in (("cat", True), ("dog", False), ("cat..dog", False)):
        with HostileServer(context, tunnel=True) as server:
            url = f"https://{name}.test/page"
            result = get(url, proxy=f"http://127.0.0.1:{server.port}", tls=trusting)
            if right:
                assert isinstance(result, Exchange)
                assert result.body == PAGE
                assert server.requests[1] == result.request_head
            elif name == "dog":
                assert result == Failure(url, "fetch", streamed_answer.CERTIFICATE)
            else:
                assert result == Failure(url, "fetch", streamed_answer.UNREACHABLE)


# Decoding

ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": lambda data: deflate(data, -15),
    "Deflate, identity": lambda data: deflate(data, 15),
    "br": brotli.compress,
}


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=5000), st.integers(1, 99), st.data())
def test_pieces_decode_to_the_whole(
    coding: str, data: bytes, size: int, draw: st.DataObject
) -> None:
    encoded = ENCODERS[coding](data * 3)
    end = draw.draw(st.integers(0, len(encoded)))
    decoder = choose_decoder(coding)
    assert decoder is not None
    pieces = [encoded[k : min(k + size, end)] for k in range(0, end, size)]
    decoded = b"".join(decoder.feed(piece, 1 << 20) for piece in pieces)
    assert (data * 3).startswith(decoded)
    if end == len(encoded):
        assert decoded == data * 3
        assert decoder.finished


ZEROS = {coding: encode(bytes(100_000)) for coding, encode in ENCODERS.items()}


@given(st.sampled_from(sorted(ENCODERS)), st.integers(1, 3000))
def test_never_more_than_there_is_room(coding: str, room: int) -> None:
    decoder = choose_decoder(coding)
    assert decoder is not None
    assert len(decoder.feed(ZEROS[coding], room)) == room


@given(st.sampled_from(["gzip", "deflate", "br"]), st.lists(st.binary(max_size=200), max_size=5))
def test_garbage_is_named(coding: str, pieces: list[bytes]) -> None:
    decoder = choose_decoder(coding)
    assert decoder is not None
    with suppress(EncodingError):
        for piece in pieces:
            assert len(decoder.feed(piece, 1000)) <= 1000
