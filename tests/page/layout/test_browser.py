"""A real browser: measured boxes, no network, limits. Skipped where there is no browser."""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from blickfang.errors import InputError, SettingsError
from blickfang.html.contexts.layout_method import find_layout
from blickfang.html.layout.boxes import Boxes, estimate_boxes
from blickfang.html.layout.browser_layout import measure_boxes
from blickfang.html.layout.sections import LayoutOptions
from blickfang.html.parse.tree import Tree, read_tree, slice_text
from blickfang.io import chromium
from blickfang.io.chromium import (
    BrowserLimits,
    Chromium,
    find_chromium,
    find_descendants,
    try_driver,
)

URL = "http://page.test/a/"
HTML = {"Content-Type": "text/html; charset=utf-8"}
OPTIONS = LayoutOptions()
Stored = dict[str, tuple[int, Mapping[str, str], bytes]]
NOTHING: Stored = {}


def need_browser() -> None:
    pytest.importorskip("playwright", reason="needs the extra [browser]")
    try:
        find_chromium()
    except SettingsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    need_browser()
    with Chromium() as started:
        yield started


def measure(
    browser: Chromium, html: str, stored: Stored | None = None
) -> tuple[Tree, Boxes, dict[str, tuple[float, ...]]]:
    """Return tree, boxes, and where each text stands."""
    tree = read_tree(html.encode())
    boxes = measure_boxes(tree, URL, (stored or {}).get, browser, OPTIONS)
    rows = np.stack(boxes.place[:4], axis=1).tolist()
    spans = zip(boxes.start.tolist(), boxes.end.tolist(), strict=True)
    found = {slice_text(tree, *span): tuple(row) for span, row in zip(spans, rows, strict=True)}
    return tree, boxes, found


def test_style_sheets_move_things(browser: Chromium) -> None:
    css = b"p{position:absolute;margin:0} .b{left:300px;top:400px}"
    html = '<link rel=stylesheet href=s.css><p class=b>first</p><p style="top:9px">second'
    stored: Stored = {URL + "s.css": (200, {"Content-Type": "text/css"}, css)}
    _, _, found = measure(browser, html, stored)
    assert found["first"][:2] == (300, 400)
    assert found["second"][1] == 9


def test_a_style_sheet_decides_which_text_is_near(browser: Chromium) -> None:
    html = """<style>div{position:absolute;top:0} .far{top:2000px}</style>
    <img width=200 height=200><div class=far>next in the source</div><div>beside on the page</div>
    """
    tree, boxes, _ = measure(browser, html)
    (context,) = find_layout(tree, boxes, boxes.image, OPTIONS)
    assert slice_text(tree, *context.spans[0]) == "beside on the page"


def test_same_sections_as_estimated(browser: Chromium) -> None:
    html = """<h1>Title</h1><p>one <b>two</b> <img> three</p><table><tr><td>a<td>b</table>
    <p hidden>never</p><noscript><img></noscript><br>&nbsp;<ul><li>\u2003wide blank</ul><pre>
    x\n y</pre>"""
    tree, boxes, _ = measure(browser, html)
    estimated = estimate_boxes(tree, OPTIONS)
    for name in ("owner", "start", "end", "characters", "links", "image", "home"):
        assert getattr(boxes, name).tolist() == getattr(estimated, name).tolist(), name
    assert boxes.place.gap.tolist() == estimated.place.gap.tolist()
    assert (boxes.place.width > 0).all()


def test_what_is_not_shown_is_no_section(browser: Chromium) -> None:
    html = "<style>.no{display:none}</style><p class=no>gone <img></p><p>here <img></p>"
    _, boxes, found = measure(browser, html)
    assert list(found) == ["here"]
    assert boxes.home.tolist() == [-1, 0]
    assert boxes.image_place.width.tolist() == [0, 200]


def test_what_waits_for_a_script_is_shown(browser: Chromium) -> None:
    _, boxes, found = measure(
        browser, '<div style="display:none">later <img></div><p hidden>no</p>'
    )
    assert list(found) == ["later"]
    assert boxes.image_place.width.tolist() == [200]


@pytest.mark.parametrize(
    "image",
    ["<img>", "<img src=missing.png alt='a text'>", "<img src='data:,' loading=lazy>"],
)
def test_missing_images_have_the_size_of_unknown_ones(browser: Chromium, image: str) -> None:
    _, boxes, _ = measure(browser, f"<p>{image}</p>")
    assert (boxes.image_place.width[0], boxes.image_place.height[0]) == (200, 200)


def test_known_images_have_their_own(browser: Chromium) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="70" height="30"></svg>'
    stored: Stored = {URL + "i.svg": (200, {"content-type": "image/svg+xml"}, svg)}
    _, boxes, _ = measure(browser, "<img src=i.svg><img src=i.svg width=140>", stored)
    assert boxes.image_place.width.tolist() == [70, 140]
    assert boxes.image_place.height.tolist() == [30, 60]


def test_another_tree_is_an_error(browser: Chromium) -> None:
    tree = read_tree(b"<p>one</p><p>two</p>")
    other = replace(tree, data=b"<p>one</p>")
    with pytest.raises(InputError, match="elements, not as"):
        measure_boxes(other, URL, NOTHING.get, browser, OPTIONS)
    renamed = replace(tree, data=tree.data.replace(b"<p>two</p>", b"<b>two</b>"))
    with pytest.raises(InputError, match="as <"):
        measure_boxes(renamed, URL, NOTHING.get, browser, OPTIONS)
    moved = replace(tree, data=tree.data.replace(b"two", b""))
    with pytest.raises(InputError, match="other texts"):
        measure_boxes(moved, URL, NOTHING.get, browser, OPTIONS)


def test_scripts_only_where_they_are_wanted(browser: Chromium) -> None:
    page = b"<title>no</title><script>document.title = 'yes'</script>"
    stored: Stored = {URL: (200, HTML, page)}
    assert browser.visit(URL, stored.get, "() => document.title") == "no"
    assert browser.visit(URL, stored.get, "() => document.title", javascript=True) == "yes"
    assert browser.visit(URL, stored.get, "x => x + 1", 41) == 42


class Counter(BaseHTTPRequestHandler):
    """A server that nobody may ask."""

    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_the_network_is_never_reached(browser: Chromium) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Counter) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        tricks = f"""<link rel=preconnect href={address}><link rel=prefetch href={address}p>
        <img src={address}i><iframe src={address}f></iframe><video src={address}v></video>
        <script>fetch("{address}s"); new WebSocket("{address.replace("http", "ws")}w");
        navigator.sendBeacon("{address}b"); new Worker("{address}k")</script>"""
        stored: Stored = {
            URL: (200, HTML, tricks.encode()),
            URL + "moved": (302, {"location": address + "r"}, b""),
        }
        browser.visit(URL, stored.get, "() => 1", javascript=True)
        for target in (URL + "moved", address):
            with pytest.raises(InputError, match="could not open"):
                browser.visit(target, stored.get, "() => 1")
        time.sleep(0.3)
        server.shutdown()
    assert Counter.asked == 0


def test_only_web_addresses(browser: Chromium) -> None:
    with pytest.raises(InputError, match="http and https"):
        browser.visit("file:///etc/passwd", NOTHING.get, "() => 1")


def test_a_page_that_never_ends(browser: Chromium) -> None:
    stored: Stored = {URL: (200, HTML, b"<p>x")}
    with Chromium(BrowserLimits(seconds=4)) as impatient:
        impatient.visit(URL, stored.get, "() => 1")
        begin = time.monotonic()
        with pytest.raises(InputError, match="longer than 4 s"):
            impatient.visit(URL, stored.get, "() => { for (;;); }")
        assert time.monotonic() - begin < 12
        assert impatient.visit(URL, stored.get, "() => 2") == 2  # with a new browser
    assert browser.visit(URL, stored.get, "() => 3") == 3


def test_limits_of_requests_and_bytes(browser: Chromium) -> None:
    asked: list[str] = []

    def fetch(url: str) -> tuple[int, Mapping[str, str], bytes]:
        asked.append(url)
        images = "".join(f"<img src={k}.svg>" for k in range(20))
        return (200, HTML, images.encode())

    with Chromium(BrowserLimits(requests=5)) as small:
        small.visit(URL, fetch, "() => 1")
    assert len(asked) == 5
    with (
        Chromium(BrowserLimits(megabytes=0)) as smaller,
        pytest.raises(InputError, match="could not"),
    ):
        smaller.visit(URL, fetch, "() => 1")
    assert browser.limits.requests == 500


def test_memory_is_limited() -> None:
    need_browser()
    stored: Stored = {URL: (200, HTML, b"<p>x")}
    greedy = "() => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)); }"
    with Chromium(BrowserLimits(seconds=20, memory_mb=800)) as small:
        with pytest.raises(InputError):
            small.visit(URL, stored.get, greedy)
        assert small.visit(URL, stored.get, "() => 1") == 1


def test_nothing_is_left_running() -> None:
    need_browser()
    stored: Stored = {URL: (200, HTML, b"<p>x")}
    with Chromium() as started:
        started.visit(URL, stored.get, "() => 1")
        processes = find_descendants(started._process)
    assert len(processes) > 1
    deadline = time.monotonic() + 5
    while any(_runs(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(_runs(process) for process in processes)


def _runs(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(chromium, "find_chromium", lambda _: Path("chromium"))
    monkeypatch.setattr("importlib.import_module", fail)
    with pytest.raises(SettingsError, match=r'pip install "blickfang\[browser\]"'):
        Chromium()


def test_a_browser_that_does_not_start(tmp_path: Path) -> None:
    need_browser()
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with Chromium(executable=broken) as never, pytest.raises(SettingsError, match="does not start"):
        never.visit(URL, NOTHING.get, "() => 1")


def test_a_missing_browser_names_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="apt install chromium"):
        find_chromium()
    with pytest.raises(SettingsError, match="is no browser"):
        find_chromium(tmp_path / "chromium")


def test_a_driver_that_does_not_start_is_named(tmp_path: Path) -> None:
    program = tmp_path / "node"
    program.write_text("#!/bin/sh\necho libatomic.so.1: no such file >&2\nexit 127\n")
    program.chmod(0o755)
    assert "libatomic.so.1" in try_driver(program)
    assert try_driver(tmp_path / "none") == ""
