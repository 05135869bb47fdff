"""Nothing that was crawled executes, leaves the host, or breaks a page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.app.hostile import make_hostile
from tests.app.visits import visiting
from tests.app.webs import make_whole, running

from blickfang.config import Collection
from blickfang.html.page import parse_page
from blickfang.web import make_app
from blickfang.web.snapshot import SnapshotMarks, make_snapshot

TAGS = re.compile(r"<(script|img|svg|iframe|a|form|input)\b[^>]*>", re.IGNORECASE)
HANDLER = re.compile(r"\son\w+\s*=", re.IGNORECASE)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return make_hostile()[0]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return make_whole(tmp_path_factory.mktemp("hostile") / "<b>evil", *make_hostile())


@pytest.fixture(scope="module")
def client(collection: Collection) -> TestClient:
    return TestClient(make_app(collection), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def address(collection: Collection) -> Iterator[str]:
    with running(collection) as found:
        yield found


def paths(rows: list[dict[str, Any]]) -> list[str]:
    pages = {row["page_url"] for row in rows}
    return [
        "/corpus",
        "/corpus?q=%3Cscript%3Ealert(1)%3C/script%3E&host=%22%3E%3Cscript%3E",
        "/crawl",
        "/report",
        *(f"/corpus/sample/{row['id']}" for row in rows),
        *(f"/corpus/sample/{row['id']}/snapshot?method=all" for row in rows),
        *(f"/crawl/explain?url={page}" for page in pages),
        *(f"/records?url={page}" for page in pages),
        *(f"/records/page?url={page}" for page in pages),
    ]


def test_every_text_is_escaped_and_cut(client: TestClient, rows: list[dict[str, Any]]) -> None:
    for path in paths(rows):
        text = client.get(path).text
        assert len(text) < 600_000, path
        for tag in TAGS.finditer(text):
            unquoted = re.sub(r'"[^"]*"', '""', tag[0])
            assert not HANDLER.search(unquoted), (path, tag[0][:200])
            if tag[1].lower() == "script":
                assert 'src="/static/' in tag[0], (path, tag[0][:200])
        assert "49" not in re.findall(r'class="caption">([^<]*)', text)


def test_snapshots_keep_nothing_that_acts(client: TestClient, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        answer = client.get(f"/corpus/sample/{row['id']}/snapshot")
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        text = answer.text.lower()
        for gone in ("<script", "<iframe", "<object", "<embed", "<base", "<meta http", "<link"):
            assert gone not in text
        without_texts = re.sub(r'(title|alt|style)="[^"]*"', "", text)
        assert not re.search(r"(href|ping|action|srcset|background)=", without_texts)


def test_what_is_beyond_the_limit_of_elements_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.web.snapshot.MOST_ELEMENTS", 8)
    acts = (
        "<script>1</script><link rel=preconnect href=http://a.example/><a href=http://a.example/>"
    )
    parsed = parse_page(f"<body>{'<i>kept</i>' * 4}{'<i>x</i>' * 4}<p>{acts}".encode(), "text/html")
    assert parsed
    shown = make_snapshot(parsed[0], SnapshotMarks({}), lambda _: "")
    assert "kept" in shown
    assert not re.search("<script|<link|href", shown)


def test_an_svg_is_never_sent(client: TestClient, rows: list[dict[str, Any]]) -> None:
    for size in ("small", "large"):
        answer = client.get(f"/corpus/{size}/{rows[-1]['id']}.jpg")
        assert b"script" not in answer.content
        assert b"hacked" not in answer.content


def test_downloads_are_named_by_us(client: TestClient, rows: list[dict[str, Any]]) -> None:
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/corpus").text)
    assert found
    data = {"csrf": found[1], "id": rows[0]["id"], "to": "files"}
    answer = client.post("/corpus/export", data=data)
    assert answer.headers["content-disposition"] == 'attachment; filename="samples-files.zip"'


def test_nothing_executes(browser: Any, address: str, rows: list[dict[str, Any]]) -> None:
    with visiting(browser, address, calm=False) as page:
        for path in paths(rows):
            page.goto(address + path, wait_until="load")
            for frame in page.frames:
                assert not frame.url or frame.url.startswith((address, "about:")), frame.url
            assert (
                page.evaluate("document.title").endswith("Blickfang")
                or "/snapshot" in path
                or ("/records/page" in path)
            )
            page.keyboard.press("Tab")
