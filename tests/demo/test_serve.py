"""The server: virtual hosts, proxy, keep-alive, compression, redirects, statistics."""

import contextlib
import gzip
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from time import perf_counter

import pytest

from blickfang.demo import DemoWeb, serve
from blickfang.demo.serve import Server
from blickfang.errors import SettingsError

HOST = "lighthouse-almanac.test"


@pytest.fixture(scope="module")
def server(web: DemoWeb) -> Iterator[Server]:
    with serve(web) as running:
        yield running


def fetch(server: Server, target: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_host_header_and_proxy_form(web: DemoWeb, server: Server) -> None:
    expected = web.answer(f"http://{HOST}/").body
    assert fetch(server, "/", Host=HOST)[1] == expected
    assert fetch(server, "/", Host=f"{HOST}:{server.port}")[1] == expected
    assert fetch(server, f"http://{HOST}/", Host="other.test")[1] == expected
    assert fetch(server, "/", Host="nobody.test")[0].status == 404
    assert server.address == f"http://127.0.0.1:{server.port}"


def test_keep_alive_and_head(web: DemoWeb, server: Server) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    for number, page in enumerate(web.pages[:20]):
        connection.request("HEAD" if number % 2 else "GET", page.url)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200
        assert (body == b"") == (number % 2 == 1)
        if number == 0:
            first = connection.sock
        assert connection.sock is first
    connection.close()


def test_gzip_images_and_not_modified(web: DemoWeb, server: Server) -> None:
    response, body = fetch(server, "/", Host=HOST, **{"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == web.answer(f"http://{HOST}/").body
    image = next(image for image in web.images if image.host == HOST and image.width >= 640)
    response, body = fetch(server, image.url)
    assert (response.headers["Content-Type"], body) == ("image/jpeg", web.answer(image.url).body)
    response, body = fetch(server, image.url, **{"If-None-Match": response.headers["ETag"]})
    assert (response.status, body) == (304, b"")


def test_redirects_errors_and_other_methods(server: Server) -> None:
    response, _ = fetch(server, "/old/skarvoe.html", Host=HOST)
    assert (response.status, response.headers["Location"]) == (301, "/towers/skarvoe.html")
    assert fetch(server, "http://rook-and-pawn.test/results.html")[0].status == 500
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("POST", f"http://{HOST}/", body=b"x=1")
    assert connection.getresponse().status == 405
    connection.close()


def test_slow_page_takes_its_time(web: DemoWeb, server: Server) -> None:
    slow = min((it for it in web.quirks if it.what == "slow"), key=lambda quirk: quirk.delay_s)
    began = perf_counter()
    assert fetch(server, slow.url)[0].status == 200
    assert perf_counter() - began >= slow.delay_s


def test_stats_tell_how_a_crawler_behaved(web: DemoWeb) -> None:
    with serve(web) as server:
        for target in ("/robots.txt", "/", "/print/towers/skarvoe.html"):
            fetch(server, target, Host=HOST)
        slow = [quirk.url for quirk in web.quirks if "paper-and-spar" in quirk.url]
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda url: fetch(server, url), slow * 3))
        stats = server.stats()
        seen = json.loads(fetch(server, "/__stats")[1])
    assert seen == stats
    assert stats[HOST]["requests"] == 3
    assert stats[HOST]["robots_fetched"] == 1
    assert stats[HOST]["robots_violations"] == 1
    gap = stats[HOST]["smallest_gap_s"]
    assert gap is not None
    assert 0 < gap < 5
    assert stats["paper-and-spar.test"]["most_at_once"] == 3


def test_broken_requests_close_the_connection(server: Server) -> None:
    for nonsense in (b"\r\n", b"GET /\r\n\r\n", b"GET " + 70000 * b"x"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
            raw.sendall(nonsense)
            raw.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):  # a way to say the same
                assert raw.recv(100) == b""
    assert fetch(server, "/", Host=HOST)[0].status == 200


def test_port_in_use_is_an_error(web: DemoWeb, server: Server) -> None:
    with pytest.raises(SettingsError, match="in use"), serve(web, server.port):
        pass


def test_open_connections_do_not_hinder_the_end(web: DemoWeb) -> None:
    with serve(web) as server:
        idle = HTTPConnection("127.0.0.1", server.port, timeout=10)
        idle.request("GET", "/", headers={"Host": HOST})
        idle.getresponse().read()
    idle.close()
