"""A crawl of the study that adapts, replayed: it learns from pages far inside, and says so."""

import json
from pathlib import Path

import pytest

from blickfang.config import open_collection
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.focus.online_learning import ADAPTATION, let_adapt
from blickfang.crawl.focus.self_training import unpack_page, unpack_texts
from blickfang.crawl.replay.replay import lay_out, open_web, replay
from blickfang.crawl.state.state_db import STATE, StateDb
from blickfang.io.warc import ArchiveWriter
from blickfang.io.warc.http_exchange import Exchange
from tests.lab.webs import page
from tests.topic.birdweb import HOSTS, list_pages, write_topic

MOMENT = "2026-01-01T00:00:00Z"

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def record(folder: Path) -> Path:
    """Write the web into an archive."""
    with ArchiveWriter.open(folder, "web", None, {}) as archive:
        for url, text, links in list_pages():
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
            request, body = b"GET / HTTP/1.1\r\n\r\n", page(f"Page {url}", text, links)
            archive.write(Exchange(url, request, head, 200, {}, body, "", MOMENT, 0.0, 0.0))
    return folder / "web-00000.warc.gz"


def write_settings(folder: Path, mode: str) -> Path:
    folder.mkdir()
    (folder / "blickfang.toml").write_text(
        f'{write_topic()}[crawl]\nseeds = ["http://birds0.test/0"]\nmode = "{mode}"\n'
        "max_pages = 80\nparallel = 1\n"
    )
    return folder


@pytest.mark.parametrize("mode", ["focused", "focused+keywords"])
def test_pages_far_inside_are_learned_from_and_the_topic_stays(tmp_path: Path, mode: str) -> None:
    sight = open_web([record(tmp_path)])
    collection = let_adapt(open_collection(write_settings(tmp_path / "c", mode)))
    lay_out(collection, sight.web)
    learn(collection)
    before = (collection.topic_folder / "topic.json").read_bytes()
    replay(collection, sight, lambda _: True)
    lines = (collection.crawl_folder / ADAPTATION).read_text(encoding="utf-8").splitlines()
    steps = [json.loads(line) for line in lines]
    assert any(step["accepted"] for step in steps)
    assert {host for step in steps for host in step["hosts"]} <= {
        f"birds{n}.test" for n in range(HOSTS)
    }
    store = StateDb(collection.crawl_folder / "shard-00" / STATE)
    learned, kept = store.fact("inside"), store.db.execute("SELECT data FROM inside").fetchall()
    assert store.fact("weights") is None
    store.close()
    texts = unpack_texts(learned or b"")
    assert {*texts} <= {text for (data,) in kept for text in unpack_texts(unpack_page(data).text)}
    assert len(texts) == steps[-1]["pages"] * steps[-1]["accepted"]
    assert (collection.topic_folder / "topic.json").read_bytes() == before
