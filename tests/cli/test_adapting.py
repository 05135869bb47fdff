"""`crawl --adapt` as a user meets it: with shards in processes of their own, real requests."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blickfang.crawl.focus.online_learning import ADAPTATION
from tests.cli.running import run
from tests.crawl.sites import Sites, page, serving
from tests.topic.birdweb import HOSTS, list_pages, write_topic

SETTINGS = """
[crawl]
seeds = ["http://birds0.test/0"]
mode = "{mode}"
proxy = "{proxy}"
allow_private = true
delay_s = 0.01
max_pages = 80
shards = 2
parallel = 2
[score]
razor = 1e9
"""


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    """Serve the web."""
    replies = {url: page(*links, text=text) for url, text, links in list_pages()}
    with serving(Sites(replies, wait_s=0.05)) as server:
        yield server.address


def crawl(folder: Path, proxy: str, mode: str, *more: str) -> Path:
    folder.mkdir()
    text = write_topic() + SETTINGS.format(mode=mode, proxy=proxy)
    (folder / "blickfang.toml").write_text(text)
    run("learn", folder)
    run("crawl", folder, *more)
    return folder / "crawl"


def ask(crawl: Path, query: str) -> list[int]:
    """Return a number of each shard."""
    found = []
    for path in sorted(crawl.glob("shard-*/state.sqlite")):
        with closing(sqlite3.connect(path)) as db:
            found.append(int(db.execute(query).fetchone()[0]))
    return found


def test_pages_far_inside_are_learned_from_until_the_topic_is_another(
    tmp_path: Path, proxy: str
) -> None:
    kept = "SELECT count(*) FROM inside"
    learned = "SELECT count(*) FROM facts WHERE name = 'inside'"
    folder = crawl(tmp_path / "birds", proxy, "focused", "--adapt")
    steps = [json.loads(line) for line in (folder / ADAPTATION).read_text().splitlines()]
    assert any(step["accepted"] for step in steps)
    assert {host for step in steps for host in step["hosts"]} <= {
        f"birds{n}.test" for n in range(HOSTS)
    }
    assert sum(ask(folder, kept)) >= 5
    assert ask(folder, learned) == [1, 1]
    settings = tmp_path / "birds" / "blickfang.toml"
    settings.write_text(settings.read_text().replace("birds0.test/2", "birds0.test/3"))
    run("learn", tmp_path / "birds")
    assert (sum(ask(folder, kept)), ask(folder, learned)) == (0, [0, 0])


def test_links_are_learned_from(tmp_path: Path, proxy: str) -> None:
    told = crawl(tmp_path / "told", proxy, "focused+images", "--adapt")
    plain = crawl(tmp_path / "plain", proxy, "focused+images")
    query = "SELECT count(*) FROM facts WHERE name = 'followed'"
    assert (ask(told, query), ask(plain, query)) == ([1, 1], [0, 0])
    assert (told / ADAPTATION).exists()
    assert not (plain / ADAPTATION).exists()
