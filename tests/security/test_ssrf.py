"""No way in leads to a machine that is not of the public internet."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from blickfang.crawl.fetch import resolver
from blickfang.crawl.fetch.fetcher import Fetcher
from blickfang.crawl.fetch.resolver import PRIVATE
from blickfang.crawl.render.browser_render import Rendered, Renderer
from blickfang.crawl.render.js_shell import Rendering
from blickfang.errors import InputError
from blickfang.io.warc.http_exchange import Exchange
from blickfang.records.persons.research_sources import ask_searx
from blickfang.types import Failure
from tests.crawl.sites import Sites, moved, page, settings, text
from tests.security.forms import FORMS, NAMES, PUBLIC, PUBLIC_6
from tests.security.ssrf import HOME, WAYS, all_hosts, run_all, show, strict
from tests.security.tollgate import Tollgate, guarding

ROOT = Path(__file__).parent.parent.parent
MARKED = "<!-- python -m tests.security.ssrf -->\n"


def test_the_matrix(tmp_path: Path) -> None:
    cells, leaks = run_all(tmp_path)
    assert leaks == []
    expected = {(form.name, way): {form.outcome} for form in FORMS for way in WAYS}
    assert {cell: found for cell, found in cells.items() if found != expected[cell]} == {}
    assert set(cells) == set(expected)
    written = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert MARKED + show(cells) in written, "python -m tests.security.ssrf"


def run(work: Callable[[Fetcher], Coroutine[Any, Any, None]], **more: Any) -> None:
    async def inside() -> None:
        async with Fetcher("Blickfang/0", **more) as fetcher:
            await work(fetcher)

    asyncio.run(inside())


def reason(found: Exchange | Failure) -> str:
    return found.reason if isinstance(found, Failure) else ""


def test_a_name_that_turns_private_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "KNOWN_S", -1.0)  # as if each answer were the last of its kind
    asked: list[str] = []

    def rebind(host: str) -> tuple[str, ...]:
        asked.append(host)
        return (PUBLIC,) if len(asked) == 1 else ("127.0.0.1", "::1")

    async def work(fetcher: Fetcher) -> None:
        assert reason(await fetcher.fetch("http://turning.test/1")) == ""
        assert reason(await fetcher.fetch("http://turning.test/2")) == PRIVATE

    answer = text("x", 200, ("Connection", "close"))
    with guarding(rebind, Sites({"http://turning.test/1": answer})) as gate:
        run(work)
    assert (gate.reached, gate.leaks, len(asked)) == ([PUBLIC], [], 2)


def test_what_is_connected_to_is_what_was_checked() -> None:
    """One lookup serves check and connection: there is no second one to be answered differently."""
    asked: list[str] = []

    def turn(host: str) -> tuple[str, ...]:
        asked.append(host)
        return (PUBLIC, PUBLIC_6) if len(asked) == 1 else ("10.0.0.1",)

    async def work(fetcher: Fetcher) -> None:
        assert await fetcher.look_up("turning.test") == (PUBLIC, PUBLIC_6)
        assert reason(await fetcher.fetch("http://turning.test/")) == ""

    with guarding(turn, Sites({})) as gate:
        run(work)
    assert (gate.reached, gate.leaks, asked) == ([PUBLIC, PUBLIC_6], [], ["turning.test"])


def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:3128")

    async def work(fetcher: Fetcher) -> None:
        assert reason(await fetcher.fetch(f"{HOME}/")) == ""

    with guarding(NAMES, Sites({})) as gate:
        run(work)
    assert (gate.reached, gate.leaks) == ([PUBLIC], [])


def test_a_proxy_is_not_asked_for_private_addresses() -> None:
    async def work(fetcher: Fetcher) -> None:
        for _, form, host in all_hosts():
            if form.outcome == "refused" and host.strip("[]0123456789.:abcdef") == "":
                assert reason(await fetcher.fetch(f"http://{host}/")) == PRIVATE, host

    with guarding({"proxy.test": (PUBLIC,)}, Sites({})) as gate:
        run(work, proxy="http://proxy.test:3128")
    assert gate.reached == gate.leaks == []


def test_a_search_engine_leads_nowhere_else() -> None:
    """The engine itself may be private; a redirect of it is no answer."""
    with socket.create_server(("127.0.0.1", 0)) as trap:
        target = f"http://127.0.0.1:{trap.getsockname()[1]}/search"
        with (
            guarding(NAMES, Sites({})) as gate,
            pytest.raises(InputError, match="status 404"),
        ):
            ask_searx(f"{HOME}/", "Ann Lee", 5)
        sites = Sites({url: moved(target, 302) for url in gate.asked})
        with guarding(NAMES, sites), pytest.raises(InputError, match="status 302"):
            ask_searx(f"{HOME}/", "Ann Lee", 5)
        trap.settimeout(0.05)
        with pytest.raises(TimeoutError):
            trap.accept()


SCRIPTED = """<!doctype html><title>x</title><body><div id=app></div>
<link rel=preconnect href="{url}p"><link rel=dns-prefetch href="{url}"><link rel=preload as=fetch
href="{url}l"><iframe src="{url}f"></iframe><img src="{url}i"><object data="{url}o"></object>
<script src="{url}s"></script><script>
const seen = [];
const ask = (how, work) => {{ try {{ work(); }} catch {{ seen.push(how); }} }};
ask("fetch", () => fetch("{url}1").then(a => a.text())
  .then(t => app.append("LE" + "AK " + t), () => 0));
ask("post", () => fetch("{url}2", {{method: "POST", mode: "no-cors", body: "x"}}).catch(() => 0));
ask("xhr", () => {{ const x = new XMLHttpRequest(); x.open("GET", "{url}3"); x.send(); }});
ask("socket", () => new WebSocket("{url}4".replace("http", "ws")));
ask("events", () => new EventSource("{url}5"));
ask("beacon", () => navigator.sendBeacon("{url}6", "x"));
ask("worker", () => new Worker(URL.createObjectURL(new Blob(["importScripts('{url}7')"]))));
ask("form", () => {{ const f = document.createElement("form"); f.action = "{url}8";
  f.target = "_blank"; document.body.append(f); f.submit(); }});
ask("window", () => open("{url}9"));
ask("rtc", () => {{ const servers = [{{urls: "stun:127.0.0.1:{port}"}}];
  const p = new RTCPeerConnection({{iceServers: servers}});
  p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)); }});
app.append("ran");
</script>"""


def test_a_browser_reaches_nothing_private() -> None:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with udp, socket.create_server(("127.0.0.1", 0)) as trap:
        port = trap.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        html = SCRIPTED.format(url=f"http://127.0.0.1:{port}/", port=port)
        with guarding(NAMES, Sites({HOME + "/": page()})) as gate:
            rendered = asyncio.run(render(html, gate))
        if isinstance(rendered, Failure) and rendered.reason.startswith("needs"):
            pytest.skip(rendered.reason)
        assert isinstance(rendered, Rendered), rendered
        assert b"ran" in rendered.html
        assert b"LEAK" not in rendered.html
        for line in (trap, udp):
            line.settimeout(0.05)
            with pytest.raises(TimeoutError):
                line.accept() if line is trap else line.recv(10)
    assert gate.leaks == []
    assert set(gate.asked.values()) == {PRIVATE}  # what scripts wanted was asked for, and refused


async def render(html: str, gate: Tollgate) -> Rendered | Failure:
    from blickfang.crawl.fetch.polite_client import Asker
    from blickfang.crawl.permission.gate import Gate
    from blickfang.crawl.state.state_db import StateDb

    del gate
    options = strict(settings(None, robots=False, render="always"))
    store = StateDb(Path(":memory:"))
    try:
        async with Fetcher("Blickfang/0") as fetcher, Renderer() as renderer:
            asker = Asker(options, Gate(store, options), fetcher, resumed=False)
            rendering = Rendering(options, asker, renderer)
            shown = Exchange(
                f"{HOME}/",
                b"",
                b"",
                200,
                {"content-type": "text/html"},
                html.encode(),
                "",
                "",
                0,
                0,
            )
            return await renderer.render(shown, rendering._ask)
    finally:
        store.close()
