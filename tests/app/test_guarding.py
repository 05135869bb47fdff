"""The guard: names, tokens, forms, headers."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from blickfang.config import make_collection, open_collection
from blickfang.errors import InputError, SettingsError
from blickfang.web import Access, application, make_access, make_app
from blickfang.web.middleware import LARGEST_OF_GUESTS, MOST_FIELDS
from blickfang.web.render_pages import read_field, read_json, read_upload

TOKEN = "a-token-of-a-fair-length"  # noqa: S105
LOCAL = "http://127.0.0.1:8765"


def change(request: Request) -> Response:
    return PlainTextResponse(read_field(request, "word") + str(len(read_upload(request, "file"))))


def change_json(request: Request) -> Response:
    return PlainTextResponse(str(read_json(request)["word"]))


def fail(_: Request) -> Response:
    raise InputError("the <b>file</b> is gone; fetch it")


def break_down(_: Request) -> Response:
    raise RuntimeError("a secret of ours")


class Subject:
    ROUTES = (
        Route("/change", change, methods=["POST"]),
        Route("/change-json", change_json, methods=["POST"]),
        Route("/fail", fail),
        Route("/break", break_down),
        Route("/open/door", lambda _: PlainTextResponse("open")),
    )
    OPEN = ("/open/",)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_collection(tmp_path / "birds")
    monkeypatch.setattr(application, "SUBJECTS", (Subject,))
    return tmp_path / "birds"


def client(folder: Path, access: Access | None = None, url: str = LOCAL) -> TestClient:
    app = make_app(open_collection(folder), access)
    return TestClient(app, base_url=url, raise_server_exceptions=False, follow_redirects=False)


def csrf_of(one: TestClient) -> str:
    found = re.search(r'name="csrf" content="(\w+)"', one.get("/nowhere").text)
    assert found
    return found[1]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost:1", "[::1]:8765", "LOCALHOST."])
def test_names_of_this_machine_are_known(folder: Path, name: str) -> None:
    assert client(folder).get("/open/door", headers={"host": name}).text == "open"


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "", "10.0.0.1"])
def test_other_names_are_refused(folder: Path, name: str) -> None:
    answer = client(folder).get("/open/door", headers={"host": name})
    assert answer.status_code == 421
    assert "not called that" in answer.text


def test_headers_are_on_every_answer(folder: Path) -> None:
    one = client(folder)
    for path in ("/nowhere", "/open/door", "/static/style.css", "/break"):
        headers = one.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_a_form_that_was_cut_off_is_refused(folder: Path) -> None:
    one = client(folder)
    headers = {
        "x-csrf-token": csrf_of(one),
        "content-type": "multipart/form-data; boundary=x",
    }
    part = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
    answer = one.post("/change", content=part, headers=headers)
    assert (answer.status_code, "cut off" in answer.text) == (400, True)
    assert one.post("/change", content=part + b"\r\n--x--\r\n", headers=headers).status_code == 200


def test_changes_need_the_token_of_the_form(folder: Path) -> None:
    one = client(folder)
    token = csrf_of(one)
    assert one.post("/change", data={"word": "x"}).status_code == 403
    assert one.post("/change", data={"word": "x", "csrf": "0" * 40}).status_code == 403
    assert one.post("/change", data={"word": "x", "csrf": token}).text == "x0"
    files = {"file": ("a.bin", b"12345")}
    assert one.post("/change", data={"word": "x", "csrf": token}, files=files).text == "x5"
    headers = {"x-csrf-token": token}
    assert one.post("/change-json", json={"word": "y"}, headers=headers).text == "y"
    assert one.post("/change-json", content=b"{", headers=headers).status_code == 400


def test_tokens_of_forms_are_of_one_visitor(folder: Path) -> None:
    app = make_app(open_collection(folder))
    one, other = (TestClient(app, base_url=LOCAL) for _ in range(2))
    assert csrf_of(one) != csrf_of(other)
    assert one.post("/change", data={"csrf": csrf_of(other)}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_changes_from_other_sites_are_refused(folder: Path, headers: dict[str, str]) -> None:
    one = client(folder)
    data = {"csrf": csrf_of(one), "word": "x"}
    assert one.post("/change", data=data, headers={"origin": LOCAL}).status_code == 200
    assert one.post("/change", data=data, headers=headers).status_code == 403


def test_large_bodies_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.web.middleware.LARGEST_BODY", 1000)
    one = client(folder)
    headers = {"x-csrf-token": csrf_of(one)}
    assert one.post("/change", content=b"x" * 1001, headers=headers).status_code == 413
    pieces = (b"x" * 600 for _ in range(2))  # without a length
    assert one.post("/change", content=pieces, headers=headers).status_code == 413


def test_errors_are_pages_and_escaped(folder: Path) -> None:
    one = client(folder)
    answer = one.get("/fail")
    assert answer.status_code == 400
    assert "the &lt;b&gt;file&lt;/b&gt; is gone" in answer.text
    assert one.get("/nowhere").status_code == 404
    broken = one.get("/break")
    assert broken.status_code == 500
    assert "secret" not in broken.text
    assert "<nav" in broken.text


def test_beyond_loopback_a_token_is_a_must() -> None:
    for host in ("0.0.0.0", "192.168.1.5", "example.org", "::"):  # noqa: S104
        with pytest.raises(SettingsError, match="token"):
            make_access(host)
    with pytest.raises(SettingsError, match="16"):
        make_access("0.0.0.0", "short")  # noqa: S104
    for host in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        assert make_access(host).token == ""


def test_the_token_opens(folder: Path) -> None:
    one = client(folder, make_access("192.168.1.5", TOKEN), "http://192.168.1.5:8765")
    assert one.get("/fail").status_code == 401
    assert one.get("/open/door").text == "open"
    assert one.get("/fail?token=wrong").status_code == 401
    wrong = one.post("/login", data={"token": "wrong", "csrf": csrf_of(one)})
    assert wrong.status_code == 401
    opened = one.get("/fail", params={"token": TOKEN})
    assert (opened.status_code, urlsplit(opened.headers["location"]).query) == (303, "")
    assert one.get("/fail").status_code == 400  # comes through


def test_the_login_form_and_the_header_open_too(folder: Path) -> None:
    access = make_access("192.168.1.5", TOKEN)
    one = client(folder, access, "http://192.168.1.5:8765")
    assert one.post("/login", data={"token": TOKEN}).status_code == 403  # no token of the form
    done = one.post("/login", data={"token": TOKEN, "csrf": csrf_of(one)})
    assert done.status_code == 303
    assert one.get("/fail").status_code == 400
    other = client(folder, access, "http://192.168.1.5:8765")
    assert other.get("/fail", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 400
    assert other.get("/fail", headers={"authorization": "Bearer x"}).status_code == 401


def test_a_server_on_all_addresses_is_called_by_numbers_and_given_names(folder: Path) -> None:
    access = make_access("0.0.0.0", TOKEN, ["Birds.example.org"])  # noqa: S104
    one = client(folder, access)
    for name, status in {"10.1.2.3:80": 200, "birds.example.org": 200, "evil.org": 421}.items():
        assert one.get("/open/door", headers={"host": name}).status_code == status


def test_too_many_parts_are_refused_with_our_headers(folder: Path) -> None:
    one = client(folder)
    headers = {"x-csrf-token": csrf_of(one)}
    kind = {"content-type": "application/x-www-form-urlencoded"}
    fields = "&".join(f"a{number}=" for number in range(MOST_FIELDS + 1))
    files = [("file", (f"{number}", b"x")) for number in range(1001)]
    for answer in (
        one.post("/change", content=fields, headers=headers | kind),
        one.post("/change", files=files, headers=headers),
    ):
        assert answer.status_code == 400
        assert "content-security-policy" in answer.headers


def test_guests_may_send_less_than_the_administrator(folder: Path) -> None:
    one = client(folder, make_access("192.168.1.5", TOKEN), "http://192.168.1.5:8765")
    large = {"token": "x" * LARGEST_OF_GUESTS, "csrf": csrf_of(one)}
    assert one.post("/login", data=large).status_code == 413
    one.get("/fail", params={"token": TOKEN})
    assert one.post("/login", data=large).status_code == 401
