"""The target that sends requests to the application: forms, JSON, cookies, addresses."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from functools import cache
from typing import Any

from starlette.applications import Starlette

from blickfang.config import make_collection, open_collection
from blickfang.web import annotate, make_app
from blickfang.web.access import Access
from blickfang.web.annotate import open_store
from tests.annotate.desks import items, pets
from tests.fuzz.kinds import COVERAGE, Target, folder

SESSION = "0123456789abcdef" * 2
STREAMS = ("/live",)  # these answers have no end
BOUNDARY = b"--x\r\nContent-Disposition: form-data; name="
FORM = (
    b"name=birds&title=Birds&text0=Which%3F&categories0=1+%7C+cat%0A2+%7C+pet"
    b"&count=5&how=first&on_topic=cat"
)
REQUESTS = (
    b"POST /annotate/new?preset=relevance\n\n" + FORM,
    b"POST /annotate/new\n\nby=toml&toml=name%3D%22x%22%0A%5B%5Bquestion%5D%5D",
    b"POST /annotate/task/pets/invite\n\nname=Ann",
    b"POST /annotate/task/pets/gold\n\nsample=0000000000000001&topic=cat",
    b"POST /annotate/task/pets/import\ncontent-type: multipart/form-data; boundary=x\n\n"
    + BOUNDARY + b'"labels"; filename="a.tsv"\r\n\r\nsample\tannotator\r\n--x--\r\n',
    b"GET /annotate/task/pets/export/tsv\n\n",
    b"GET /annotate/task/pets\n\n",
    b"GET /annotate/task/pets/results\n\n",
    b"GET /annotate\ncookie: a=b; c=\"d\n\n",
    b"POST /login\n\ntoken=x",
    b"POST /a/TOKEN/next\ncontent-type: application/json\n\n{\"count\": 5}",
    b"POST /a/TOKEN/answers\ncontent-type: application/json\n\n"
    b'[{"unit": 1, "client": "c", "answers": {"topic": "cat", "text": "describes"}, "seconds": 1}]',
    b"POST /a/TOKEN/leave\ncontent-type: application/json\n\n{\"units\": [1]}",
    b"GET /a/TOKEN\n\n",
    b"GET /a/TOKEN/again?unit=1\n\n",
    b"POST /records/paste\n\nhtml=%3Cul%3E%3Cli%3Ea%3Cli%3Eb%3Cli%3Ec%3C%2Ful%3E&kind=",
    b"GET /records?url=http://a.b/&region=1&kind=publications\n\n",
    b"POST /records/table\n\nurl=http://a.b/&to=csv&column=a",
    b"POST /crawl/control\n\nwhat=pause",
    b"GET /crawl/explain?url=http://a.b/\n\n",
    b"GET /corpus?q=a+-b&where=width%3E3&page=99999999999999999999\n\n",
    b"POST /corpus/picture\ncontent-type: multipart/form-data; boundary=x\n\n"
    + BOUNDARY + b'"picture"; filename="a.png"\r\n\r\n\x89PNG\r\n--x--\r\n',
    b"POST /corpus/remove\n\nid=0123456789abcdef&reason=x",
    b"GET /archived/0123?url=x\n\n",
    b"GET /static/../../x\n\n",
    b"GET /report\n\n",
)  # fmt: skip
TOKENS = (
    b"POST ", b"GET ", b"HEAD ", b"/annotate/task/pets/", b"/a/TOKEN/", b"\n", b"\n\n", b"&", b"=",
    b"%", b"%00", b"?",
    b"+", b"cookie: ", b"content-type: ", b"multipart/form-data; boundary=x", b"--x\r\n",
    b"--x--\r\n", b"\r\n",
    b'; filename="', b"application/json", b"content-length: 5\n", b"host: a.b\n", b"[",
    b"{", b'"', b"..", b"%2e",
    b"null", b"-1", b"unit", b"answers", b"client", b"name=", b"toml=", b"by=toml&", b"%ed%a0%80",
    b"\\ud800",
    b"authorization: Bearer x\n", b"x-http-method: PUT\n", b"origin: null\n", b"kind=publications",
    b"where=",
)  # fmt: skip


class Server:
    """The application, and how it knows us."""

    def __init__(self) -> None:
        place = folder() / "collection"
        shutil.rmtree(place, ignore_errors=True)
        make_collection(place)
        with open_store(place) as store:
            annotate.add_task(store, pets(), items(4))
            self.token = annotate.invite(store, "pets", "ann").token
        access = Access()
        self.csrf = access.sign("form", SESSION)
        self.app: Starlette = make_app(open_collection(place), access)
        self.loop = asyncio.new_event_loop()


@cache
def server() -> Server:
    """Return the one server of this process."""
    return Server()


def call_app(data: bytes) -> object:
    """Send a request; an answer that says a defect of ours was met is one."""
    serving = server()
    head, _, body = data.replace(b"TOKEN", serving.token.encode()).partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.partition(b" ")
    path, _, query = target.partition(b"?")
    decoded = path.decode("latin-1")
    if decoded.endswith(STREAMS):
        return None
    given = [line.partition(b":")[::2] for line in lines[:50]]
    headers = [(name.strip().lower(), value.strip()) for name, value in given if name.strip()]
    names = {name for name, _ in headers}
    for name, value in (
        (b"host", b"127.0.0.1"),
        (b"cookie", f"blickfang_session={SESSION}".encode()),
        (b"x-csrf-token", serving.csrf.encode()),
        (b"content-type", b"application/x-www-form-urlencoded"),
    ):
        if name not in names:
            headers.append((name, value))
    scope = {
        "type": "http", "http_version": "1.1",
        "method": method.decode("latin-1").upper()[:10] or "GET",
        "path": decoded or "/", "raw_path": path, "query_string": query, "headers": headers,
        "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip
    status, kind = serving.loop.run_until_complete(ask(serving.app, scope, body))
    assert status < 500, f"status {status}"
    return status, kind, decoded[:12] if status < 400 else ""


async def ask(app: Starlette, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """Return the status of an answer and its type."""
    answers: list[Any] = []
    given = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return given.pop() if given else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answers.append(message)

    await app(scope, receive, send)
    headers = dict(answers[0]["headers"])
    return int(answers[0]["status"]), headers.get(b"content-type", b"")[:20]


def requests() -> Iterator[bytes]:
    """Give requests to every kind of address."""
    yield from REQUESTS
    yield b"POST /a/TOKEN/answers\ncontent-type: application/json\n\n" + json.dumps([{}]).encode()


APP_TARGETS = (
    Target(
        "app",
        call_app,
        requests,
        TOKENS,
        COVERAGE,
        sees=("blickfang.web", "blickfang.web.annotate"),
    ),
)
