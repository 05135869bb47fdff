"""Replays: a recorded web answers as its hosts did, in the same order every time."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest

from blickfang.config import Collection, open_collection
from blickfang.crawl.crawl_admin import list_fetched, summarise_crawl
from blickfang.crawl.focus.background import is_due
from blickfang.crawl.focus.learn import learn
from blickfang.crawl.focus.link_feedback import Following
from blickfang.crawl.focus.online_learning import let_adapt
from blickfang.crawl.replay.recorded_web import NOT_RECORDED, RecordedWeb, Replayer
from blickfang.crawl.replay.replay import (
    LogicalLoop,
    Sight,
    find_archives,
    lay_out,
    open_web,
    replay,
)
from blickfang.crawl.shards.scheduler import FEW_AT_ONCE
from blickfang.crawl.state.state_db import STATE, StateDb
from blickfang.errors import InputError, SettingsError
from blickfang.io.urls import host as host_of
from blickfang.io.warc import ArchiveWriter
from blickfang.types import Failure
from tests.lab.webs import list_answers, record, write_settings

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def sight(tmp_path_factory: pytest.TempPathFactory) -> Sight:
    """A recorded web."""
    return open_web([record(tmp_path_factory.mktemp("archive"))])


def crawl(folder: Path, sight: Sight, mode: str, max_pages: int = 30) -> Collection:
    """Learn and replay."""
    collection = open_collection(write_settings(folder, mode, max_pages))
    lay_out(collection, sight.web)
    learn(collection)
    replay(collection, sight, lambda _: True)
    return collection


def list_urls(collection: Collection, kind: str = "page") -> list[str]:
    """Return what was fetched, in order."""
    return [row["url"] for row in list_fetched(collection, kind)]


def test_a_recorded_web_answers_what_was_recorded(sight: Sight) -> None:
    """Bodies, statuses and redirects are those of the archive."""
    for url, (status, kind, body) in list_answers().items():
        found = sight.web.find(url)
        assert found is not None
        assert found.status == status
        assert sight.web.read(url) == body
        assert kind in found.headers.values()


def test_what_is_not_recorded_is_a_failure(sight: Sight) -> None:
    """Nobody is asked for what the archive does not have."""

    async def ask() -> object:
        async with Replayer(sight.web) as replayer:
            return await replayer.fetch("http://nowhere.test/")

    with asyncio.Runner(loop_factory=LogicalLoop) as runner:
        found = runner.run(ask())
    assert isinstance(found, Failure)
    assert found.reason == NOT_RECORDED


def test_a_repeated_payload_is_found_where_it_first_was(tmp_path: Path) -> None:
    """A revisit record has the body of the record that it names."""
    from blickfang.io.warc.http_exchange import Exchange

    head, moment = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n", "2026-01-01T00:00:00Z"
    with ArchiveWriter.open(tmp_path, "a", None, {}) as archive:
        for url, before in (("http://a.test/", None), ("http://b.test/", "http://a.test/")):
            exchange = Exchange(url, b"GET /\r\n\r\n", head, 200, {}, b"same", "", moment, 0.0, 0.0)
            archive.write(exchange, (before, moment) if before else None)
    web = RecordedWeb([tmp_path / "a-00000.warc.gz"])
    assert web.read("http://b.test/") == b"same"


@pytest.mark.parametrize("mode", ["unfocused", "focused", "focused+keywords", "focused+images"])
def test_a_replay_is_the_same_every_time(tmp_path: Path, sight: Sight, mode: str) -> None:
    """Twice the same settings: the same pages and images in the same order."""
    first, second = (crawl(tmp_path / name, sight, mode) for name in "ab")
    for kind in ("page", "image"):
        assert list_urls(first, kind) == list_urls(second, kind)
    assert len(list_urls(first)) == 30


def test_a_replay_without_limit_fetches_all_and_writes_no_archive(
    tmp_path: Path, sight: Sight
) -> None:
    """Every page that can be reached is fetched once; the archive is not copied."""
    collection = crawl(tmp_path / "all", sight, "unfocused", 1000)
    pages = {url for url, (_, kind, _) in list_answers().items() if kind == "text/html"}
    urls = list_urls(collection)
    assert set(urls) == pages
    assert len(urls) == len(pages)
    assert not list(collection.root.rglob("*.warc.gz"))
    assert summarise_crawl(collection)["pages"] == len(pages)


def test_focus_shows_in_a_replay(tmp_path: Path, sight: Sight) -> None:
    """The first sixteen pages behind the seed are mostly about owls only with focus."""
    shares = {}
    for mode in ("unfocused", "focused+images"):
        urls = list_urls(crawl(tmp_path / mode, sight, mode))[1:17]
        shares[mode] = sum(host_of(url) in ("owls.test", "night.test") for url in urls)
    assert shares["focused+images"] >= shares["unfocused"] + 4


def test_whether_to_learn_anew_is_asked_as_pages_grow_not_by_the_clock(
    tmp_path: Path, sight: Sight, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However quick a crawl is, what it has read counts for the pages it chooses next."""
    asked: list[tuple[int, int]] = []

    def note(hosts: int, pages: int, last: int) -> bool:
        asked.append((hosts, pages))
        return is_due(hosts, pages, last)

    monkeypatch.setattr("blickfang.crawl.replay.replay.is_due", note)
    monkeypatch.setattr("blickfang.crawl.shards.shard.REPORT_S", 1000.0)
    crawl(tmp_path / "new", sight, "focused+images")
    steps = [after - before for (_, before), (_, after) in pairwise(asked)]
    assert max(steps) <= FEW_AT_ONCE + 1  # that arrive together; of thirty, one is below 5 %
    assert all(hosts > 0 for hosts, pages in asked if pages > FEW_AT_ONCE)  # samples come along


def test_a_replay_goes_into_a_new_folder(tmp_path: Path, sight: Sight) -> None:
    """A crawl that is there is not mixed with a replay."""
    collection = crawl(tmp_path / "once", sight, "unfocused", 3)
    with pytest.raises(SettingsError, match="new folder"):
        replay(collection, sight, lambda _: True)


def test_who_watches_can_end_a_replay(tmp_path: Path, sight: Sight) -> None:
    """False ends it at once."""
    collection = open_collection(write_settings(tmp_path / "c", "unfocused"))
    standing = replay(collection, sight, lambda standing: standing.pages < 5)
    assert 5 <= standing.pages < 30
    assert standing.stopping == "interrupted"


def test_what_is_learned_must_be_recorded(tmp_path: Path, sight: Sight) -> None:
    """An address that is not in the archive cannot be learned from."""
    folder = write_settings(tmp_path / "c", "focused")
    path = folder / "blickfang.toml"
    path.write_text(path.read_text().replace("owls.test/1", "owls.test/100"))
    with pytest.raises(InputError, match=r"owls\.test/100"):
        lay_out(open_collection(folder), sight.web)


def test_archives_are_found_by_folder_and_by_pattern(tmp_path: Path) -> None:
    """A collection's folder, a pattern and a file all name archives."""
    path = record(tmp_path / "crawl" / "shard-00")
    assert find_archives(["crawl"], tmp_path) == [path]
    assert find_archives(["crawl/**/*.warc.gz"], tmp_path) == [path]
    with pytest.raises(InputError, match="no archive"):
        find_archives(["nothing"], tmp_path)


def test_an_archive_without_answers_is_refused(tmp_path: Path) -> None:
    """There must be something to replay."""
    path = tmp_path / "empty.warc"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="no answer of any host"):
        RecordedWeb([path])


def test_time_passes_without_waiting() -> None:
    """An hour of sleep takes no time, and sleepers wake in their order."""
    order = []

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds)
        order.append(seconds)

    async def go() -> float:
        await asyncio.gather(sleep(3600), sleep(1), sleep(60))
        return asyncio.get_running_loop().time()

    begun = time.monotonic()
    with asyncio.Runner(loop_factory=LogicalLoop) as runner:
        assert runner.run(go()) == pytest.approx(3601)
    assert order == [1, 60, 3600]
    assert time.monotonic() - begun < 5


def test_waiting_for_nothing_is_an_error() -> None:
    """What nobody will ever end is not waited for."""

    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    loop = LogicalLoop()
    task = loop.create_task(wait())
    with pytest.raises(RuntimeError, match="everybody waits"):
        loop.run_until_complete(task)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()


# The head of a picture in JPEG XL, a thousand pixels wide and high.
JXL = b"\xff\x0a" + (1 << 1 | 999 << 3 | 1 << 16).to_bytes(10, "little") + bytes(50)


def test_a_smaller_form_is_fetched_where_the_largest_is_gone(tmp_path: Path) -> None:
    """Of a srcset the largest is asked for; the others only where it cannot be had, or be read."""
    from blickfang.io.warc.http_exchange import Exchange
    from tests.lab.webs import PIXEL

    shown = (
        '<img src="/c-small.png" srcset="/c-large.png 2000w, /c-middle.png 900w" alt="gone">'
        '<img width="90" height="90" src="/d-small.png" alt="there"'
        ' srcset="/d-large.png 2000w, /d-middle.png 900w">'
        '<picture><source srcset="/e-large 2000w"><img src="/e-small.png" alt="other"></picture>'
    )
    answers = {"/": shown.encode()} | {
        f"/{name}.png": PIXEL + name.encode()
        for name in ("c-middle", "c-small", "d-large", "d-middle", "d-small", "e-small")
    }
    answers["/e-large"] = JXL
    with ArchiveWriter.open(tmp_path, "web", None, {}) as archive:
        for path, body in answers.items():
            kind = "text/html" if path == "/" else "image/x"
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\r\n".encode()
            url, moment = f"http://a.test{path}", "2026-01-01T00:00:00Z"
            archive.write(Exchange(url, b"GET /\r\n\r\n", head, 200, {}, body, "", moment, 0, 0))
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "blickfang.toml").write_text(
        '[crawl]\nmode = "unfocused"\nseeds = ["http://a.test/"]\n'
    )
    collection = open_collection(folder)
    replay(collection, open_web([tmp_path / "web-00000.warc.gz"]), lambda _: True)
    assert set(list_urls(collection, "image")) == {
        "http://a.test/c-middle.png",
        "http://a.test/d-large.png",
        "http://a.test/e-large",
        "http://a.test/e-small.png",
    }
    from blickfang.crawl.crawl_admin import explain_url

    told = explain_url(collection, "http://a.test/c-middle.png")
    assert "instead of http://a.test/c-large.png" in str(told)


def test_what_links_brought_is_kept_with_the_pages(tmp_path: Path, sight: Sight) -> None:
    """A crawl that adapts goes on after a break with what it has learned; others keep nothing."""
    plain = crawl(tmp_path / "plain", sight, "focused+images")
    adapting = let_adapt(
        open_collection(write_settings(tmp_path / "adapting", "focused+images", 30))
    )
    lay_out(adapting, sight.web)
    learn(adapting)
    replay(adapting, sight, lambda _: True)
    stores = [StateDb(c.crawl_folder / "shard-00" / STATE) for c in (plain, adapting)]
    kept = [store.fact("followed") for store in stores]
    for store in stores:
        store.close()
    assert kept[0] is None
    assert Following.unpack(kept[1]).pages > 5
