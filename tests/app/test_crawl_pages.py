"""The crawl: what the dashboard says, what a running crawl can be asked, explanations, metrics."""

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.crawl.sites import (
    Local,
    Sites,
    crawl_here,
    page,
    serving,
    settings,
    text,
    write_collection,
)

from blickfang.config import Collection, open_collection
from blickfang.crawl.run import Watching
from blickfang.crawl.state.control import (
    PAUSE,
    RESUME,
    STOP,
    ask,
    forget_wish,
    is_at_work,
    read_wish,
)
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.web import make_app
from blickfang.web.crawl_curves import (
    SIZE,
    draw_buckets,
    draw_on_topic,
    draw_perplexity,
    draw_speed,
    share_on_topic,
)
from blickfang.web.crawl_routes import _send_changes
from blickfang.web.crawl_view import CurvePoint, Watched

HOST = "http://a.test"


def long_web(pages: int = 200) -> Sites:
    """Return a web of one host whose pages lead one to the next."""
    replies = {f"{HOST}/{n}": page(f"/{n + 1}", f"/gone/{n}") for n in range(pages)}
    replies[f"{HOST}/robots.txt"] = text("User-agent: *\nDisallow: /gone/1\n")
    return Sites(replies, wait_s=0.01)


def token(client: TestClient) -> str:
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/crawl").text)
    assert found
    return found[1]


def test_the_dashboard_counts_as_the_history_does(
    client: TestClient, collection: Collection
) -> None:
    told = summarise(collection.crawl_folder)
    view = Watched(collection.crawl_folder).look()
    assert (len(view.pages), view.images) == (told["pages"], told["images"])
    assert view.queued["page"] == told["queued_pages"]
    assert {f"{k}": v for k, v in view.buckets.items()} == told["queued_by_bucket"]
    failed = {reason: n for reason, n in view.failures if not reason.startswith("not asked")}
    assert failed == told["failures"]
    text = client.get("/crawl").text
    assert "at rest" in text
    assert f"<b>{told['pages']}</b>" in text
    assert "Share of pages on topic" in text
    assert text.count("/archived/") == len(view.recent) > 0


def test_without_a_crawl_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "blickfang.toml").write_text("")
    client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
    assert "not begun" in client.get("/crawl").text
    asked = {"csrf": token(client), "wish": "pause"}
    refused = client.post("/crawl/control", data=asked)
    assert refused.status_code == 400
    assert "no crawl is running" in refused.text
    assert "blickfang_pages_total 0" in client.get("/metrics").text
    assert client.get("/crawl/explain", params={"url": "http://a.org/"}).status_code == 200


def test_explanations(client: TestClient, rows: list[dict[str, Any]]) -> None:
    known = client.get("/crawl/explain", params={"url": rows[0]["page_url"]}).text
    assert "done" in known
    assert "a.example.org" in known
    for url in ("http://nobody.example/", "nonsense"):
        assert client.get("/crawl/explain", params={"url": url}).status_code == 200
    assert "never queued" in client.get("/crawl/explain?url=http://nobody.example/").text


def test_metrics_are_what_prometheus_reads(client: TestClient) -> None:
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in answer.text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{\w+=\"[^\n]*\"\})? [0-9.]+", line), line
    assert "blickfang_crawl_running 0" in answer.text


def test_a_running_crawl_is_seen_paused_resumed_and_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    steps: list[tuple[str, int]] = []
    wishes = iter([(10, PAUSE), (0, RESUME), (20, STOP)])
    due: list[Any] = [next(wishes)]
    since = 0.0

    def watch(local: Local) -> None:
        nonlocal since
        Watching(local.coordinator, lambda _: True, folder).look()
        pages = local.coordinator.standing().pages
        least, wish = due[0] if due else (1 << 30, "")
        if wish == RESUME and time.monotonic() - since < 0.4:
            return
        if pages >= least:
            steps.append((wish, pages))
            assert is_at_work(folder)
            ask(folder, wish)
            since = time.monotonic()
            due[:] = list(filter(None, [next(wishes, None)]))

    with serving(long_web()) as server:
        done = crawl_here(folder, settings(server, f"{HOST}/0", delay_s=0.005), watch=watch)
    asked_at_pause, asked_at_resume = steps[0][1], steps[1][1]
    assert asked_at_resume - asked_at_pause <= 6  # only what was under way
    assert done.standing().stopping == "asked to stop"
    assert 20 <= done.standing().pages < 200
    assert not is_at_work(folder)


def test_wishes_are_few_words(tmp_path: Path) -> None:
    assert read_wish(tmp_path) == ""
    (tmp_path / "control.txt").write_bytes(b"\xff\xfe")
    assert read_wish(tmp_path) == ""
    ask(tmp_path, PAUSE)
    assert read_wish(tmp_path) == PAUSE
    forget_wish(tmp_path)
    assert read_wish(tmp_path) == ""


def test_the_buttons_reach_a_running_crawl(tmp_path: Path) -> None:
    with serving(long_web(2000)) as server:
        write_collection(tmp_path, server, f"{HOST}/0", delay_s=0.01)
        options = settings(server, f"{HOST}/0", delay_s=0.01)
        folder = tmp_path / "crawl"

        def watch(local: Local) -> None:
            Watching(local.coordinator, lambda _: True, folder).look()

        crawling = threading.Thread(
            target=lambda: crawl_here(folder, options, watch=watch, limit_s=60)
        )
        crawling.start()
        try:
            client = TestClient(make_app(open_collection(tmp_path)), base_url="http://127.0.0.1")
            wait_for(lambda: 'value="pause"' in client.get("/crawl").text)
            csrf = token(client)
            client.post("/crawl/control", data={"csrf": csrf, "wish": "pause"})
            wait_for(lambda: "Go on" in client.get("/crawl").text)
            assert "blickfang_crawl_paused 1" in client.get("/metrics").text
            client.post("/crawl/control", data={"csrf": csrf, "wish": "resume"})
            wait_for(lambda: 'value="pause"' in client.get("/crawl").text)
            wrong = client.post("/crawl/control", data={"csrf": csrf, "wish": "explode"})
            assert wrong.status_code == 400
        finally:
            ask(folder, STOP)
            crawling.join(20)
        wait_for(lambda: "at rest" in client.get("/crawl").text)


def wait_for(is_so: Any, most_s: float = 15.0) -> None:
    end = time.monotonic() + most_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


async def first_events(request: Any) -> list[str]:
    stream = _send_changes(request)
    return [await anext(stream) for _ in range(7)]


def test_the_stream_sends_every_part_once(client: TestClient) -> None:
    import asyncio

    from starlette.requests import Request

    scope = {"type": "http", "app": client.app, "state": {"csrf": "x", "is_admin": True}}
    events = asyncio.run(first_events(Request(scope)))
    names = re.findall(r"^event: (\w+)$", "".join(events), re.MULTILINE)
    assert names == ["state", "figures", "curves", "failures", "hosts", "images"]
    assert events[-1].startswith(":")
    assert "<svg" in json.loads(events[2].split("data: ")[1])


@pytest.mark.parametrize("count", [1, 4, 7, 11, 59, 301, 601, 1003])
def test_a_last_page_on_topic_is_no_spike(count: int) -> None:
    pages = [CurvePoint(float(n), 10.0, float(n == count)) for n in range(1, count + 1)]
    late, so_far = share_on_topic(pages, 0.5)
    assert late.x[-1] == so_far.x[-1] == count
    assert so_far.y[-1] == pytest.approx(1 / count)
    assert (late.y[-1] or 0) <= 1 / min(count, 5)
    unrated = [
        page._replace(relevance=page.relevance if (n + 1) % 50 else None)
        for n, page in enumerate(pages)
    ]
    assert max(value or 0 for value in share_on_topic(unrated, 0.5)[0].y) <= 1 / min(count, 5)


@pytest.mark.parametrize("queued", [{}, {4: 214}, {1: 1}, {0: 3, 2: 5, 9: 1, 100: 4, 127: 12_345}])
def test_the_queue_is_drawn_as_large_as_its_neighbours(queued: dict[int, int]) -> None:
    drawn = str(draw_buckets(queued))
    speed = str(draw_speed([CurvePoint(float(n), 10.0, 0.5) for n in range(30)]))
    (width, height), neighbour = (
        tuple(map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0]))
        for svg in (drawn, speed)
    )
    assert (width, *SIZE) == (neighbour[0], *neighbour)  # so their letters are equal, too
    assert height >= SIZE[1] - 1  # and no card is half blank
    assert height == pytest.approx(SIZE[1], abs=1) or len(queued) > 4
    words = re.findall(r"<text[^>]*>([^<]*)<", drawn)
    labels = [word for word in words if word.startswith("bucket")]
    assert labels[:4] == [f"bucket {at + (0 not in queued)}" for at in range(4)]
    assert labels[-2:] == ["bucket last", "bucket none"] or 100 not in queued
    assert not any("." in word for word in words)


@pytest.mark.parametrize("draw", [lambda p: draw_on_topic(p, 0.5), draw_perplexity, draw_speed])
def test_curves_bear_anything(draw: Any) -> None:
    for pages in (
        [CurvePoint(5.0, None, None)],
        [CurvePoint(float(n // 7), 10.0 + n % 13 or None, n % 3 / 2) for n in range(1000)],
    ):
        svg = draw(pages)
        assert svg.startswith("<svg")
        assert len(svg) < 60_000
