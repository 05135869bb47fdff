"""`blickfang crawl` as a user meets it: real processes, killed, resumed, looked into."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blickfang.cli import app
from blickfang.cli.output import INTERRUPTED
from blickfang.crawl import CrawlOptions
from blickfang.crawl.state.crawl_queries import count_before
from blickfang.errors import SettingsError
from tests.crawl.sites import (
    Reply,
    Sites,
    archived,
    archived_by_warcio,
    moved,
    page,
    picture,
    serving,
    text,
    write_collection,
)

WORDS = "A kestrel hovers over the meadow and looks for voles, every day but when it rains hard. "
HOSTS, PAGES = 4, 9
PAGE_FIELDS = {
    *("url", "requested", "status", "fetched_at", "depth", "via", "type", "bytes", "score"),
    *("perplexity", "keyword_score", "relevance", "duplicate_of", "title", "language", "words"),
    *("links", "images", "withheld", "similarity", "like_before", "warc", "offset", "length"),
}
IMAGE_FIELDS = {
    *("url", "requested", "status", "fetched_at", "depth", "via", "type", "bytes"),
    *("width", "height", "warc", "offset", "length", "score", "perplexity"),
}


def make_web() -> Sites:
    """A few hosts with pages in words, linked to each other."""
    replies: dict[str, Reply] = {}
    for number in range(HOSTS):
        host, other = f"http://h{number}.test", f"http://h{(number + 1) % HOSTS}.test"
        for place in range(PAGES):
            told = f"{WORDS} This one lives at {'abcdefghijkl'[place] * 5}, {'wxyz'[number] * 5}."
            links = (f"/{place + 1}", f"{other}/{place}", "/broken")
            replies[f"{host}/{place}"] = page(*links, images=(f"/{place}.gif",), text=told)
            replies[f"{host}/{place}.gif"] = picture(f"{number}.{place}")
        replies[f"{host}/{PAGES}"] = moved("/0")
        replies[f"{host}/broken"] = text("", 500)
    return Sites(replies, 0.005)


def look(*args: str | Path) -> list[dict[str, Any]]:
    """Run a command that only looks, and return what it prints."""
    done = CliRunner().invoke(app, [*map(str, args), "--json"])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def crawling(root: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """Run `blickfang crawl` in a group of its own, and leave none of it behind."""
    process = subprocess.Popen(
        [sys.executable, "-m", "blickfang", "crawl", str(root), "--json", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def finish(root: Path, *args: str) -> dict[str, Any]:
    """Let a crawl run to its end; return what it prints."""
    with crawling(root, *args) as process:
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
        found: dict[str, Any] = json.loads(out)
        return found


def test_a_crawl_that_is_killed_looked_into_and_finished(tmp_path: Path) -> None:
    sites = make_web()
    with serving(sites) as server:
        write_collection(tmp_path, server, "http://h0.test/0", shards=2, delay_s=0.04, retries=0)
        with crawling(tmp_path) as process:
            while len(sites.asked) < 25:
                assert process.poll() is None, process.communicate()
                time.sleep(0.02)
            check_while_it_runs(tmp_path)
            os.killpg(process.pid, signal.SIGKILL)
        killed_at = len(sites.asked)
        facts = finish(tmp_path)
        assert killed_at < len(sites.asked)
        assert facts["stopped_because"] == "nothing is left to fetch"
        check_afterwards(tmp_path)
        sites.replies |= {f"http://h{number}.test/broken": page() for number in range(HOSTS)}
        asked = len(sites.asked)
        assert finish(tmp_path, "--retry-failed")["pages"] == HOSTS
        assert sorted(sites.asked[asked:]) == [f"http://h{n}.test/broken" for n in range(HOSTS)]
    (status,) = look("status", tmp_path)
    assert (status["pages"], status["failures"]) == (HOSTS * PAGES + HOSTS, {})


def check_while_it_runs(root: Path) -> None:
    (status,) = look("status", root)
    assert status["queued_pages"] + status["queued_images"] + status["pages"] > 0
    pages = look("pages", root)
    assert len(pages) <= HOSTS * PAGES
    assert all(row.keys() == PAGE_FIELDS for row in pages)


def check_afterwards(root: Path) -> None:
    found = archived(root / "crawl")
    assert len(found) == len(set(found))
    assert archived_by_warcio(root / "crawl") == found
    (status,) = look("status", root)
    assert (status["pages"], status["images"]) == (HOSTS * PAGES, HOSTS * PAGES)
    assert (status["queued_pages"], status["failures"]) == (0, {"status 500": HOSTS})
    pages, images = look("pages", root), look("images", root)
    assert all(row.keys() == PAGE_FIELDS for row in pages)
    assert all(row.keys() == IMAGE_FIELDS for row in images)
    assert [row["fetched_at"] for row in pages] == sorted(row["fetched_at"] for row in pages)
    assert (pages[0]["url"], pages[0]["depth"], pages[0]["via"]) == ("http://h0.test/0", 0, "")
    assert {row["url"] for row in pages} <= {url for url, status in found if status == 200}
    assert all((root / "crawl" / row["warc"]).exists() for row in pages)
    (explained,) = look("explain", root, "http://h1.test/broken")
    assert (explained["state"], explained["why"]) == ("failed", "status 500")


def test_an_interrupt_of_the_whole_group_while_shards_are_loading(tmp_path: Path) -> None:
    sites = make_web()
    with serving(sites) as server:
        write_collection(tmp_path, server, "http://h0.test/0", shards=2, delay_s=0.2)
        with crawling(tmp_path) as process:
            while not (tmp_path / "crawl" / "crawl.json").exists():
                assert process.poll() is None, process.communicate()
                time.sleep(0.02)
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)
            out, errors = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in errors) == (INTERRUPTED, False), errors
    assert json.loads(out)["stopped_because"] == "interrupted"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seeds": []}, "names no addresses"),
        ({"seeds": ["no address"]}, "is no address"),
        ({"allow_private": False, "delay_s": 1.0}, "contact"),
        *(
            ({"allow_private": False, "delay_s": 1.0, "contact": contact}, "only an example")
            for contact in (
                "mailto:you@example.org",
                "https://www.Example.com/bot",
                "mailto:me@mail.example",
                "http://localhost:80/",
            )
        ),
        ({"mode": "focused"}, "topic"),
    ],
)
def test_settings_that_cannot_be_crawled_by(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    with serving(Sites({})) as server:
        write_collection(tmp_path, server, "http://a.test/", **changes)
    done = CliRunner().invoke(app, ["crawl", str(tmp_path)])
    assert done.exit_code != 0
    assert told in done.stderr
    assert "a host is asked every" not in done.stderr  # no estimate of what cannot be
    assert not list(tmp_path.glob("crawl/shard-*"))


def test_hosts_of_others_are_asked_once_a_second_at_most() -> None:
    with pytest.raises(SettingsError, match="delay_s below 1"):
        CrawlOptions(delay_s=0.5)
    assert CrawlOptions(delay_s=0.0, allow_private=True).delay_s == 0


def test_a_crawl_killed_before_its_first_table_was_there_goes_on(tmp_path: Path) -> None:
    (tmp_path / "shard-00").mkdir()
    (tmp_path / "shard-00" / "state.sqlite").touch()
    assert count_before(tmp_path) == (0, 0, 0)


def test_there_is_no_crawl_before_it_begins(tmp_path: Path) -> None:
    with serving(Sites({})) as server:
        write_collection(tmp_path, server, "http://a.test/")
    looked = CliRunner().invoke(app, ["status", str(tmp_path)])
    assert "there is no crawl" in looked.stderr
