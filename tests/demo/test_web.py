"""What the demo web promises: how much of what there is, and that it is always the same."""

import gzip
import os
import subprocess
import sys
from collections import Counter
from time import perf_counter

import pytest

from blickfang.demo import DemoWeb, build_web

KINDS = {"start", "content", "listing", "boilerplate", "duplicate", "trap"}
DIGEST = """
from hashlib import sha256
from blickfang.demo import build_web
web = build_web(7)
digest = sha256()
for page in web.pages:
    digest.update(repr(page).encode() + web.answer(page.url).body)
digest.update(repr(web.images).encode())
for image in web.images[::80]:
    digest.update(web.answer(image.url).body)
"""


def digest_here() -> str:
    space: dict[str, object] = {}
    exec(DIGEST, space)  # noqa: S102 - the very text the other process runs
    return space["digest"].hexdigest()  # type: ignore[attr-defined, no-any-return]


def test_enough_of_everything(web: DemoWeb) -> None:
    topics = {page.host: page.topic for page in web.pages}
    assert len(web.hosts) == len(set(web.hosts)) >= 14
    assert all(host.endswith(".test") for host in web.hosts)
    assert len(web.pages) >= 300
    hosts = Counter(topics.values())
    assert len(web.topics) == 3
    assert all(hosts[topic] >= 3 for topic in web.topics)
    assert sum(topic.startswith("noise:") for topic in topics.values()) >= 4
    assert sum(topic.startswith("near-miss:") for topic in topics.values()) >= 3
    german = {(page.host, page.topic) for page in web.pages if page.language == "de"}
    assert any(topic in web.topics for _, topic in german)
    assert any(topic.startswith("noise:") for _, topic in german)


def test_kinds_and_duplicates(web: DemoWeb) -> None:
    pages = {page.url: page for page in web.pages}
    assert len(pages) == len(web.pages)
    assert {page.kind for page in web.pages} == KINDS
    for page in web.pages:
        assert (page.kind == "duplicate") == (page.duplicate_of is not None)
        assert page.duplicate_of is None or pages[page.duplicate_of].kind != "duplicate"
        assert page.url.startswith(f"http://{page.host}/")
    assert sum(page.kind == "duplicate" for page in web.pages) >= 20
    assert sum(not page.allowed for page in web.pages) >= 10
    assert sum(page.opt_out != "" for page in web.pages) >= 5


def test_pages_are_of_real_length(web: DemoWeb) -> None:
    lengths = sorted(len(page.text.split()) for page in web.pages if page.kind == "content")
    assert lengths[len(lengths) // 20] >= 120
    assert 150 <= lengths[len(lengths) // 2] <= 500
    assert lengths[-1] <= 600


def test_seed_and_neutral_pages(web: DemoWeb) -> None:
    pages = {page.url: page for page in web.pages}
    for topic in web.topics:
        seeds = [pages[url] for url in web.seed_pages(topic)]
        assert len(seeds) == 6
        assert len({page.host for page in seeds}) == 1
        assert {(page.topic, page.kind, page.allowed) for page in seeds} == {
            (topic, "content", True)
        }
    neutral = [pages[url] for url in web.neutral_pages()]
    assert len(neutral) >= 12
    assert len({page.host for page in neutral}) == 2
    assert all(page.topic.startswith("noise:") for page in neutral)


def test_every_page_answers(web: DemoWeb) -> None:
    for page in web.pages:
        answer = web.answer(page.url)
        assert answer.status == 200, page.url
        assert answer.header("content-type").startswith("text/html")


def test_build_is_quick() -> None:
    began = perf_counter()
    build_web()
    assert perf_counter() - began < 1.5  # measured 0.2 s; the rest is for a busy machine


def test_same_seed_same_web() -> None:
    one, two = build_web(7), build_web(7)
    assert one.pages == two.pages
    assert one.images == two.images
    assert build_web(8).pages != one.pages


def test_same_bytes_in_another_process() -> None:
    command = [sys.executable, "-c", DIGEST + "print(digest.hexdigest())"]
    environment = os.environ | {"PYTHONHASHSEED": "1234", "PYTHONPATH": "src"}
    other = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest_here()


def test_gzip_and_tags(web: DemoWeb) -> None:
    url = web.start_urls[0]
    plain = web.answer(url)
    packed = web.answer(url, {"Accept-Encoding": "gzip, br"})
    assert packed.header("Content-Encoding") == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    again = web.answer(url, {"If-None-Match": plain.header("ETag")})
    assert (again.status, again.body) == (304, b"")
    assert web.answer("http://nobody.test/").status == 404
    assert web.answer("HTTP://Wander-Directory.test:80#top").body == plain.body


@pytest.mark.parametrize(
    ("host", "charset", "said"),
    [
        ("leuchttuerme-kueste.test", "iso-8859-1", "header"),
        ("gemeinde-moorbach.test", "windows-1252", "nowhere"),
        ("harbour-lights.test", "windows-1252", "meta"),
    ],
)
def test_charsets(web: DemoWeb, host: str, charset: str, said: str) -> None:
    page = next(it for it in web.pages if it.host == host and it.kind == "content")
    answer = web.answer(page.url)
    html = answer.body.decode(charset)
    assert page.title.split()[0] in html
    assert (charset in answer.header("Content-Type")) == (said == "header")
    assert (f'<meta charset="{charset}">' in html) == (said == "meta")
    if page.language == "de":
        with pytest.raises(UnicodeDecodeError):
            answer.body.decode("utf-8")
