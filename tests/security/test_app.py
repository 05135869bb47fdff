"""The application: tokens cannot be guessed, seen or sent on; nobody else's page can use it."""

import io
import os
import re
import stat
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from blickfang.config import make_collection, open_collection
from blickfang.web import access as access_room
from blickfang.web import make_access, make_app
from blickfang.web.annotate.label_store import FILE, open_store
from blickfang.web.middleware import HEADERS

TOKEN = "0123456789abcdef-fair"  # noqa: S105
PLACE = "http://192.168.1.5:8765"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    make_collection(tmp_path / "birds")
    app = make_app(open_collection(tmp_path / "birds"), make_access("192.168.1.5", TOKEN))
    return TestClient(app, base_url=PLACE, follow_redirects=False)


def bearer(one: TestClient, token: str) -> int:
    return one.get("/crawl", headers={"authorization": f"Bearer {token}"}).status_code


def test_guessing_ends_soon(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(access_room, "monotonic", lambda: now)
    for number in range(access_room.MOST_WRONG - 1):
        assert bearer(client, f"guess-{number}") == 401
    assert bearer(client, TOKEN) == 200  # a few mistakes cost nothing
    assert bearer(client, "one more") == 429
    assert bearer(client, TOKEN) == 429  # else guessing could go on
    assert client.get(f"/crawl?token={TOKEN}").status_code == 429
    csrf = re.search(r'name="csrf" content="(\w+)"', client.get("/static/nothing").text)
    assert csrf
    form = {"token": TOKEN, "csrf": csrf[1]}
    assert client.post("/login", data=form).status_code == 429
    now += access_room.WAIT_S + 1
    assert client.post("/login", data=form).status_code == 303


def test_who_is_in_stays_in_while_others_guess(client: TestClient) -> None:
    assert client.get(f"/crawl?token={TOKEN}").status_code == 303
    for number in range(2 * access_room.MOST_WRONG):
        client.get("/crawl", headers={"authorization": f"Bearer {number}"})
    assert client.get("/crawl").status_code == 200


def test_the_memory_of_guessers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_room, "MOST_GUESSERS", 3)
    tries = access_room.Tries()
    for number in range(10):
        tries.note(str(number))
    assert len(tries._wrong) == 3


@pytest.mark.parametrize(
    "token", ["\udcff" * 16, "ü" * 20, "\x00" * 16, "", " " * 99, "x" * 10_000]
)
def test_any_text_can_be_tried(token: str) -> None:
    access = make_access("192.168.1.5", TOKEN)
    assert not access.is_token(token, "me")
    assert not access.is_signed(token.encode("utf-8", "replace").decode(), "administrator")


def test_the_token_is_nowhere_to_be_seen(client: TestClient) -> None:
    heard = io.StringIO()
    with redirect_stderr(heard):
        opened = client.get(f"/crawl?token={TOKEN}&next=http://evil.example/")
        shown = client.get("/crawl")
    assert opened.headers["location"] == "/crawl"  # no token that a Referer could carry on
    cookies = opened.headers.get_list("set-cookie")
    assert all("HttpOnly" in each and "samesite=lax" in each.lower() for each in cookies)
    assert TOKEN not in str(cookies) + shown.text + heard.getvalue()
    assert opened.headers["referrer-policy"] == "same-origin"
    assert opened.headers["cache-control"] == "no-store"


def test_every_answer_forbids_frames_scripts_and_sniffing(client: TestClient) -> None:
    for path in ("/", "/crawl", "/static/style.css", "/login", "/nothing", f"/?token={TOKEN}"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in policy
        assert "unsafe" not in policy
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.nip.io", "192.168.1.5.evil.org", "169.254.169.254", "", "a b"],
)
def test_a_name_that_was_bound_to_us_is_not_ours(client: TestClient, host: str) -> None:
    headers = {"host": host, "authorization": f"Bearer {TOKEN}"}
    assert client.get("/crawl", headers=headers).status_code == 421


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guarding.py",
        "/static/%2e%2e/guarding.py",
        "/static/..%2f..%2faccess.py",
        "/static//etc/passwd",
        "/corpus/small/..%2f..%2fx.jpg",
        "/corpus/sample/../../etc",
        "/annotate/task/..%2f..%2fx/export/tsv",
    ],
)
def test_no_path_leads_out(client: TestClient, path: str) -> None:
    client.get(f"/?token={TOKEN}")
    answer = client.get(path)
    assert answer.status_code in (400, 404, 303, 409)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def test_links_are_for_the_owner_of_their_file(tmp_path: Path) -> None:
    make_collection(tmp_path / "birds")
    before = os.umask(0)
    try:
        open_store(tmp_path / "birds").close()
        path = tmp_path / "birds" / FILE
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)  # as a copy has it
        store = open_store(tmp_path / "birds")
        for each in path.parent.glob(f"{FILE}*"):
            assert stat.S_IMODE(each.stat().st_mode) == 0o600, each
        store.close()
    finally:
        os.umask(before)
