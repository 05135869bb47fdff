"""A lost or damaged state is made anew from the archive: nobody is asked again, nothing is lost."""

import sqlite3
from pathlib import Path

import pytest

from blickfang.crawl.state.crawl_queries import check_letters, list_visits, summarise
from blickfang.crawl.state.rebuild_state import begin_anew, put_aside
from blickfang.crawl.state.state_db import (
    STATE,
    EmptyStoreError,
    StateDb,
    explain_store,
    looking_into,
)
from blickfang.errors import BlickfangError, DiskFullError, InputError
from tests.crawl.sites import Sites, archived, crawl_here, moved, page, picture, serving, settings

A, B = "http://a.test", "http://b.test"
WORDS = "The same words stand on two pages, and there are enough of them to be a copy. " * 9


def make_web() -> Sites:
    return Sites(
        {
            f"{A}/": page("/1", "/2", "/to", f"{B}/", images=("/1.gif",)),
            f"{A}/1": page(text=WORDS),
            f"{A}/2": page(text=WORDS),  # the same payload: a record that refers to another
            f"{A}/to": moved(f"{B}/there"),
            f"{A}/1.gif": picture("one"),
            f"{B}/": page("/there"),
            f"{B}/there": page(images=(f"{A}/1.gif",)),
        }
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.warc.gz")}


@pytest.mark.parametrize("shards", [1, 2])
def test_the_state_is_made_anew_without_asking_anybody(tmp_path: Path, shards: int) -> None:
    web = make_web()
    with serving(web) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, options, shards=shards)
        before, asked = files(tmp_path), len(web.asked)
        rows = {row["url"]: row for row in (*list_visits(tmp_path, 0), *list_visits(tmp_path, 1))}
        folders = sorted(tmp_path.glob("shard-*"))
        for folder in folders:
            put_aside(folder)
        for folder in folders:
            begin_anew(folder)
        crawl_here(tmp_path, options, shards=shards)
    assert len(web.asked) == asked
    assert files(tmp_path) == before
    again = {row["url"]: row for row in (*list_visits(tmp_path, 0), *list_visits(tmp_path, 1))}
    assert again.keys() == rows.keys()
    for url, row in again.items():
        assert (row["warc"], row["offset"]) == (rows[url]["warc"], rows[url]["offset"])
    assert summarise(tmp_path)["queued_pages"] == 0
    assert len(list(tmp_path.glob("shard-*/state-before-1.sqlite"))) == shards


def test_what_the_archive_does_not_hold_is_fetched(tmp_path: Path) -> None:
    web = make_web()
    with serving(web) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", max_pages=2))
        put_aside(tmp_path / "shard-00")
        begin_anew(tmp_path / "shard-00")
        crawl_here(tmp_path, settings(server, f"{A}/"))
    urls = [url for url, _ in archived(tmp_path)]
    assert len(urls) == len(set(urls)) == 7
    assert len(web.pages_asked()) == 7


def test_an_archive_without_its_state_is_not_thrown_away(tmp_path: Path) -> None:
    with serving(make_web()) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, options)
        before = files(tmp_path)
        for path in (tmp_path / "shard-00").glob("state.sqlite*"):
            path.unlink()
        with pytest.raises(InputError, match="--rebuild"):
            crawl_here(tmp_path, options)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("SQLITE_FULL", DiskFullError, "no room"),
        ("SQLITE_BUSY", InputError, "held by another"),
        ("SQLITE_CORRUPT", InputError, "--rebuild"),
        ("SQLITE_IOERR_WRITE", InputError, "disk can be written"),
    ],
)
def test_what_a_database_says_becomes_advice(
    tmp_path: Path, name: str, kind: type[BlickfangError], said: str
) -> None:
    error = sqlite3.OperationalError("something")
    error.sqlite_errorname = name
    explained = explain_store(error, tmp_path / "crawl" / "shard-00" / STATE)
    assert type(explained) is kind
    assert said in str(explained)


def test_a_shard_that_lost_letters_it_had_received_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    sender, receiver = (StateDb(folder / f"shard-0{number}" / STATE) for number in range(2))
    for store in (sender, receiver):
        store.commit()
    check_letters(folder)
    sender.forget_letters(1, 7)
    sender.commit()
    with pytest.raises(InputError, match=r"shard-01.* has lost.*--rebuild"):
        check_letters(folder)
    receiver.db.execute("INSERT INTO inbox VALUES (0, 7)")
    receiver.commit()
    check_letters(folder)
    for store in (sender, receiver):
        store.close()


def test_a_database_without_tables_is_an_empty_one(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / STATE).close()
    with pytest.raises(EmptyStoreError), looking_into(tmp_path / STATE) as db:
        db.execute("SELECT * FROM visits")
    StateDb(tmp_path / STATE).close()
