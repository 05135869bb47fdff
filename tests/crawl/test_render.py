"""Pages that need JavaScript, in a real browser. Skipped where there is none."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvloop

from blickfang.crawl.fetch.fetcher import Fetcher
from blickfang.crawl.render import browser_render as render
from blickfang.crawl.render.browser_render import Rendered, Renderer, to_response
from blickfang.crawl.render.render_requests import KEPT_S, Pantry, RenderLimits
from blickfang.errors import SettingsError
from blickfang.io.chromium import find_chromium, find_descendants
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure

URL = "http://shell.test/a/page"
HTML, JS, JSON = "text/html", "text/javascript", "application/json"
T = TypeVar("T")
Stored = dict[str, tuple[str, str]]
NOTHING: Stored = {}


def make(url: str, body: str, kind: str = HTML, status: int = 200, **more: str) -> Exchange:
    headers = {"content-type": kind, **{name.replace("_", "-"): more[name] for name in more}}
    return Exchange(url, b"", b"", status, headers, body.encode(), "", "", 0.0, 0.0)


class Web:
    """Answers what is stored; remembers what was asked, and how much at once."""

    def __init__(self, stored: Stored, delay_s: float = 0.0) -> None:
        self.stored, self.delay_s = stored, delay_s
        self.asked: list[tuple[str, str]] = []
        self.at_once = self.most_at_once = 0

    async def ask(self, url: str, kind: str) -> Exchange | Failure:
        self.asked.append((url, kind))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.delay_s)
        finally:
            self.at_once -= 1
        if url not in self.stored:
            return Failure(url, "consent", "robots.txt")
        kind, body = self.stored[url]
        if kind == "moved":
            return make(url, "", status=302, location=body)
        return make(url, body, kind)


class Bench:
    """A renderer in a loop of its own."""

    def __init__(self, **limits: Any) -> None:
        self.runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self.renderer = self.run(self._make(RenderLimits(**limits)))

    async def _make(self, limits: RenderLimits) -> Renderer:
        return Renderer(limits)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def render(self, html: str, web: Web | None = None) -> Rendered | Failure:
        ask = (web or Web(NOTHING)).ask
        return self.run(self.renderer.render(make(URL, html), ask))

    def tighten(self, monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
        monkeypatch.setattr(self.renderer, "limits", replace(self.renderer.limits, **limits))

    def see(self, html: str, web: Web | None = None) -> str:
        """Return a rendered page as text."""
        found = self.render(html, web)
        assert isinstance(found, Rendered), found
        return found.html.decode()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.renderer.__aexit__(None, None, None))
        self.runner.close()


def need_browser() -> None:
    pytest.importorskip("playwright", reason="needs the extra [browser]")
    try:
        find_chromium()
    except SettingsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    need_browser()
    with Bench(stuck_s=1.5, seconds=4.0) as made:
        yield made


# What a page becomes

SHELL = "<!doctype html><title>t</title><div id=root></div><script src=/app.js></script>"
APP = """fetch("data.json").then(r => r.json()).then(d => setTimeout(() => {
  document.getElementById("root").innerHTML = "<p>" + d.text + "</p><img src=/cat.jpg>";
}, 3000));"""
SITE: Stored = {
    "http://shell.test/app.js": (JS, APP),
    "http://shell.test/a/data.json": (JSON, '{"text": "a word"}'),
}


def test_a_shell_is_filled_by_its_scripts(bench: Bench) -> None:
    web = Web(SITE)
    found = bench.render(SHELL, web)
    assert isinstance(found, Rendered)
    assert b'<div id="root"><p>a word</p><img src="/cat.jpg"></div>' in found.html
    assert found.html.startswith(b"<!DOCTYPE html>")
    assert web.asked == [
        ("http://shell.test/app.js", "script"),
        ("http://shell.test/a/data.json", "data"),
    ]
    assert (found.final_url, found.requests, found.leads_to, found.settled) == (URL, 2, "", True)
    assert found.took_s < 2.5  # the three seconds are those of the page


def test_what_is_not_permitted_is_not_there(bench: Bench) -> None:
    script = "fetch('/no').catch(() => document.body.append('refused'))"
    web = Web(NOTHING)
    assert "refused" in bench.see(f"<body><script>{script}</script>", web)
    assert web.asked == [("http://shell.test/no", "data")]


def test_scripts_are_kept_for_the_next_page(bench: Bench) -> None:
    web = Web({"http://kept.test/x.js": (JS, "document.body.append('drawn')")})
    for _ in range(2):
        assert "drawn" in bench.see("<body><script src=//kept.test/x.js></script>", web)
    assert len(web.asked) == 1


def test_redirects_of_scripts_are_followed_here(bench: Bench) -> None:
    web = Web(
        {
            "http://cdn.test/latest.js": ("moved", "/1.0.js"),
            "http://cdn.test/1.0.js": (JS, "document.body.append('drawn')"),
            "http://cdn.test/round.js": ("moved", "/round.js"),
        }
    )
    page = "<body><script src=//cdn.test/latest.js></script><script src=//cdn.test/round.js>"
    assert "drawn" in bench.see(page, web)
    assert len(web.asked) == 2 + 5


def test_a_host_is_asked_one_thing_at_a_time(bench: Bench) -> None:
    web = Web({}, delay_s=0.05)
    bench.see("<body><script>for (let k = 0; k < 6; k++) fetch('/' + k)</script>", web)
    assert (len(web.asked), web.most_at_once) == (6, 1)
    web = Web({}, delay_s=0.05)
    bench.see("<body><script>for (let k of 'ab') fetch(`//${k}.test/`)</script>", web)
    assert (len(web.asked), web.most_at_once) == (2, 2)


def test_only_scripts_and_data_are_asked_for(bench: Bench) -> None:
    web = Web(NOTHING)
    html = """<link rel=stylesheet href=s.css onload="window.styled = 1"><body>
    <img src=i.png onload="document.body.append('image ')"><iframe src=f.html></iframe>
    <video src=v.mp4></video><link rel=manifest href=m.json><link rel=prefetch href=p.html>
    <style>@font-face{font-family:f; src:url(f.woff)} p{font-family:f}</style><p>text</p>
    <script src=https://www.google-analytics.com/analytics.js></script>
    <script>fetch("post", {method: "POST", body: "x"}); navigator.sendBeacon("b");
    new EventSource("e"); new WebSocket("ws://shell.test/w"); open("popup.html");
    addEventListener("load", () => document.body.append(window.styled ? "styled" : "bare"))
    </script>"""
    text = bench.see(html, web)
    assert web.asked == []
    assert "image " in text
    assert "styled" in text


NEXT = "http://shell.test/next"
LEAVING = {
    "location = '/next#top'": NEXT,
    "location.replace('/next')": NEXT,
    "setTimeout(() => location.replace('/next'), 1500)": NEXT,
    "window.top.location = 'http://other.test/'": "http://other.test/",
    "document.body.innerHTML += '<form action=/next>'; document.forms[0].submit()": NEXT,
    "document.body.innerHTML += '<form action=/x method=post>'; document.forms[0].submit()": "",
    "location.reload()": "",
    "setInterval(() => location.reload(), 300)": "",
    "location = 'mailto:a@shell.test'": "",
    "location.hash = 'x'": "",
}


@pytest.mark.parametrize(("script", "target"), LEAVING.items())
def test_where_scripts_lead_is_told_not_visited(bench: Bench, script: str, target: str) -> None:
    web = Web(NOTHING)
    found = bench.render(f"<body><p>its own words</p><script>{script}</script>", web)
    assert isinstance(found, Rendered)
    assert found.leads_to == target
    assert web.asked == []
    html = found.html.decode()
    assert "<p>its own words</p>" in html
    refresh = f'<meta http-equiv="refresh" content="0; url={found.leads_to}">'
    assert (refresh in html) == bool(target)  # so whoever reads the page finds it


@pytest.mark.parametrize("address", ["about:blank", "http://shell.test:1/"])
def test_pages_of_the_browser_are_none(bench: Bench, address: str) -> None:
    found = bench.render(f"<p>words<script>location = '{address}'</script>")
    assert isinstance(found, Failure) or b"<p>words" in found.html, found


def test_an_address_that_scripts_change(bench: Bench) -> None:
    found = bench.render("<a href=x>x</a><script>history.pushState(0, '', '/b/home')</script>")
    assert isinstance(found, Rendered)
    assert found.final_url == "http://shell.test/b/home"
    assert b'<base href="http://shell.test/b/home">' in found.html


def test_shadow_trees_stand_in_their_places(bench: Bench) -> None:
    html = """<my-card><b slot=name>Cat</b>rest</my-card><script>
    customElements.define("my-card", class extends HTMLElement { connectedCallback() {
      this.attachShadow({mode: "open"}).innerHTML =
        "<h1><slot name=name></slot></h1><p><slot>none</slot></p>"; }})</script>"""
    text = bench.see(html)
    assert '<h1><slot name="name"><b slot="name">Cat</b></slot></h1>' in text
    assert "<p><slot>rest</slot></p>" in text


def test_what_comes_into_view_is_loaded(bench: Bench) -> None:
    html = """<div style="height:3000px"></div><img data-src=/far.jpg><script>
    new IntersectionObserver(([entry]) => { if (entry.isIntersecting)
      setTimeout(() => entry.target.src = entry.target.dataset.src, 3000);
    }).observe(document.images[0])</script>"""
    for _ in range(3):
        assert ' src="/far.jpg"' in bench.see(html)


def test_notes_for_those_without_scripts_are_left_out(bench: Bench) -> None:
    html = "<noscript>Enable scripts!</noscript><noscript><img src=a.jpg></noscript><p>x"
    text = bench.see(html)
    assert "Enable" not in text
    assert '<noscript><img src="a.jpg"></noscript>' in text.replace("src=a.jpg", 'src="a.jpg"')


def test_a_rendered_page_is_read_like_any(bench: Bench) -> None:
    page = make(URL, "<meta charset=latin1><p>x<script>document.write('ä\\ud83d')</script>")
    page.headers.update(
        {"x-robots-tag": "x: none\nnoindex", "content-type": "text/html; charset=utf-8"}
    )
    found = bench.run(bench.renderer.render(page, Web(NOTHING).ask))
    assert isinstance(found, Rendered)
    response = to_response(page, found)
    assert (response.url, response.status) == (URL, 200)
    assert response.headers == {
        "content-type": "text/html; charset=utf-8",
        "x-robots-tag": "x: none\nnoindex",
    }
    assert "ä" in response.body.decode()


def test_through_our_own_fetcher(bench: Bench) -> None:
    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", JS)
            self.end_headers()
            self.wfile.write(b"document.body.append('fetched')")

        def log_message(self, *_: object) -> None:
            pass

    async def go(url: str) -> Rendered | Failure:
        async with Fetcher("Blickfang/0.1", allow_private=True) as fetcher:
            page = make(url, "<body><script src=/s.js></script>")
            return await bench.renderer.render(page, lambda url, _: fetcher.fetch(url))

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = bench.run(go(f"http://127.0.0.1:{server.server_port}/"))
        server.shutdown()
    assert isinstance(found, Rendered)
    assert b"fetched" in found.html


# What a page may not do


def test_the_network_is_never_reached(bench: Bench) -> None:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    tcp = socket.socket()
    with udp, tcp:
        for door in (udp, tcp):
            door.bind(("127.0.0.1", 0))
            door.setblocking(False)
        tcp.listen()
        there, here = tcp.getsockname()[1], udp.getsockname()[1]
        html = f"""<link rel=preconnect href=http://127.0.0.1:{there}><body><p>x<script>
        const peer = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{here}"}}]}});
        peer.createDataChannel("x"); peer.createOffer().then(o => peer.setLocalDescription(o));
        try {{ new WebTransport("https://127.0.0.1:{here}/") }} catch {{}}
        new WebSocket("ws://127.0.0.1:{there}/"); new SharedWorker("//127.0.0.1:{there}/");
        fetch("http://127.0.0.1:{there}/", {{mode: "no-cors"}});
        open("http://127.0.0.1:{there}/"); setTimeout(() => {{}}, 9000)</script>"""
        page = make("https://shell.test/", html)  # some of this needs https
        found = bench.run(bench.renderer.render(page, Web(NOTHING).ask))
        assert isinstance(found, Rendered)
        time.sleep(0.5)
        for read in (lambda: udp.recv(9), tcp.accept):
            with pytest.raises(BlockingIOError):
                read()


@pytest.mark.parametrize("late", [True, False])
def test_a_page_that_never_ends(bench: Bench, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "SNAPSHOT_S", 1.0)
    bench.tighten(monkeypatch, seconds=20.0)
    loop = "for (;;);"
    begin = time.monotonic()
    found = bench.render(
        f"<p>x<script>{f'setTimeout(() => {{{loop}}})' if late else loop}</script>"
    )
    assert found == Failure(URL, "render", render.TIMED_OUT)
    assert time.monotonic() - begin < 15  # stuck: the twenty seconds are not waited for
    assert "<p>y" in bench.see("<p>y")


def test_a_page_that_asks_for_ever(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.tighten(monkeypatch, requests=5)
    web = Web(NOTHING)
    html = "<p>x<script>(async () => { for (let k = 0;; k++) try { await fetch(k) } catch {} })()"
    found = bench.render(html + "</script>", web)
    assert isinstance(found, Rendered)
    assert not found.settled  # it was stopped
    assert found.requests == len(web.asked) == 5


def test_a_slow_answer_is_given_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.tighten(monkeypatch, seconds=1.0)
    web = Web(NOTHING, delay_s=60)
    begin = time.monotonic()
    found = bench.render("<p>x<script>fetch('/slow')</script>", web)
    assert isinstance(found, Rendered)
    assert not found.settled
    assert time.monotonic() - begin < 5
    assert web.at_once == 0  # nothing goes on behind our back


def test_a_visit_that_is_cancelled(bench: Bench) -> None:
    web = Web(NOTHING, delay_s=60)

    async def go() -> None:
        page = make(URL, "<p>x<script>fetch('/slow')</script>")
        task = asyncio.create_task(bench.renderer.render(page, web.ask))
        while not web.asked:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        bench.run(go())
    assert web.at_once == 0
    assert "<p>y" in bench.see("<p>y")


def test_megabytes_are_limited(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.tighten(monkeypatch, megabytes=2.0)
    big = "x" * 900_000
    web = Web({f"http://big.test/{k}": (JSON, big) for k in range(4)})
    script = """const get = k => fetch('//big.test/' + k).then(
      r => { document.title += k; get(k + 1) }, () => { document.title += ' no' }); get(0)"""
    assert "<title>01 no</title>" in bench.see(f"<title></title><script>{script}</script>", web)
    assert len(web.asked) == 3


def test_long_documents_are_cut(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.tighten(monkeypatch, html_bytes=1000)
    found = bench.render("<script>document.write('x'.repeat(1e6))</script>")
    assert isinstance(found, Rendered)
    assert len(found.html) == 1000


def test_pages_cannot_forge_what_is_seen(bench: Bench) -> None:
    html = """<p>true<script>String.prototype.slice = () => "forged";
    document.querySelectorAll = () => { throw 1 }; JSON.stringify = () => "forged"</script>"""
    assert "<p>true" in bench.see(html)


def test_memory_is_limited() -> None:
    need_browser()
    greedy = "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));"
    with Bench(memory_mb=600, stuck_s=4.0) as small:
        found = small.render(f"<p>x<script>setTimeout(() => {{{greedy}}})</script>")
        assert isinstance(found, Failure) or found.settled  # an exception, or the page crashed
        assert "<p>y" in small.see("<p>y")


def test_our_own_mistakes_are_raised(bench: Bench) -> None:
    async def ask(url: str, kind: str) -> Exchange | Failure:
        raise ZeroDivisionError(url + kind)

    with pytest.raises(ZeroDivisionError):
        bench.run(bench.renderer.render(make(URL, "<script>fetch('/x')</script>"), ask))
    assert "<p>y" in bench.see("<p>y")


@pytest.mark.parametrize(
    "answer",
    [
        make(URL, "<p>x", "application/octet-stream"),
        make(URL, "", HTML, 204),
    ],
)
def test_answers_that_are_no_pages(bench: Bench, answer: Exchange) -> None:
    found = bench.run(bench.renderer.render(answer, Web(NOTHING).ask))
    assert isinstance(found, Failure)
    assert found.reason == render.NOT_OPENED


# The browser


def test_several_pages_at_once_and_another_browser_now_and_then() -> None:
    need_browser()
    with Bench(pages=2, pages_per_browser=3) as made:
        web = Web({URL + "?": (JSON, "1")}, delay_s=0.2)

        async def go() -> list[Rendered | Failure]:
            html = f"<p>x<script>fetch('{URL}?').then(() => document.title = 'done')</script>"
            page = make(URL, html)
            return await asyncio.gather(*(made.renderer.render(page, web.ask) for _ in range(5)))

        found = made.run(go())
        assert all(isinstance(one, Rendered) and b"done" in one.html for one in found)
        first = made.renderer._running
        assert first is not None
        assert (first.begun, first.open) == (2, 0)


def runs(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def wait_for_end(processes: list[int]) -> None:
    deadline = time.monotonic() + 5
    while any(map(runs, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(runs, processes))


def test_a_browser_that_is_killed() -> None:
    need_browser()
    with Bench(stuck_s=1.0) as made:
        assert "<p>x" in made.see("<p>x")
        for parent in (False, True):  # the browser itself, and Playwright's driver above it
            running = made.renderer._running
            assert running is not None
            processes = find_descendants(running.process)
            victim = parent_of(running.process) if parent else running.process

            async def go(victim: int) -> Rendered | Failure:
                asyncio.get_running_loop().call_later(0.5, os.kill, victim, signal.SIGKILL)
                web = Web(NOTHING, delay_s=2)
                page = make(URL, "<script>fetch('/x')</script>")
                return await made.renderer.render(page, web.ask)

            assert made.run(go(victim)) == Failure(URL, "render", render.DIED)
            assert "<p>y" in made.see("<p>y")  # in another one
            wait_for_end(processes)
        running = made.renderer._running
        assert running is not None
        processes = find_descendants(running.process)
    wait_for_end(processes)


def test_nothing_is_left_when_we_are_killed() -> None:
    need_browser()
    program = f"""
        import asyncio, json, sys
        sys.path[:0] = {json.dumps(sys.path)}
        from blickfang.io.chromium import find_descendants
        from tests.crawl.test_render import NOTHING, URL, Renderer, Web, make

        async def go():
            renderer = Renderer()
            await renderer.render(make(URL, "<p>x"), Web(NOTHING).ask)
            print(json.dumps(find_descendants(renderer._running.process)), flush=True)
            await asyncio.sleep(60)

        asyncio.run(go())
        """
    root = Path(__file__).parents[2]
    started = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, cwd=root
    )
    with started:
        assert started.stdout is not None
        processes = json.loads(started.stdout.readline())
        started.kill()
    assert len(processes) > 2
    wait_for_end(processes)


def test_without_the_package_there_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", fail)
    with Bench() as none:
        found = none.render("<p>x")
    assert found == Failure(URL, "render", "needs [browser]: pip install 'blickfang[browser]'")


def test_without_a_browser_there_is_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(
        "blickfang.crawl.render.browser_render.import_playwright", lambda name: name
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    with Bench() as none:
        assert none.render("<p>x") == Failure(URL, "render", render.NEEDS_BROWSER)


def test_a_browser_that_does_not_start_is_tried_a_few_times(tmp_path: Path) -> None:
    need_browser()
    tried = tmp_path / "tried"
    broken = tmp_path / "chromium"
    broken.write_text(f"#!/bin/sh\necho x >>{tried}\nexit 1\n")
    broken.chmod(0o755)
    with Bench() as never:
        never.renderer._executable = broken
        for _ in range(render.STARTS + 2):
            assert never.render("<p>x") == Failure(URL, "render", render.NO_START)
    assert tried.read_text().count("x") == render.STARTS


# Scripts that are kept


def test_the_pantry_has_room_for_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    pantry = Pantry(0.001)
    for k in range(6):
        pantry.keep(f"http://a.test/{k}", make(URL, "x" * 200))
    pantry.keep("http://a.test/large", make(URL, "x" * 300))
    pantry.keep("http://a.test/error", make(URL, "x", status=500))
    assert list(pantry.kept) == [f"http://a.test/{k}" for k in range(1, 6)]
    assert pantry.find("http://a.test/0") is None
    assert pantry.find("http://a.test/5") is not None
    later = time.monotonic() + KEPT_S + 1
    monkeypatch.setattr("time.monotonic", lambda: later)
    assert pantry.find("http://a.test/5") is None
