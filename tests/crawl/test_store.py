"""The store with millions of addresses: what people ask while a crawl runs reads no row each."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from blickfang.crawl.focus import Strategy
from blickfang.crawl.frontier.candidates import FAILED, SKIPPED, Candidate
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.state.checkpoint_store import CheckpointStore, open_snapshot
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.crawl.state.state_db import StateDb, looking_into
from blickfang.errors import InputError
from blickfang.web.crawl_view import QUEUE, TROUBLES

HOST = "a.org"


def fill(folder: Path) -> StateDb:
    store = StateDb(folder / "shard-00" / "state.sqlite")
    frontier = Frontier(store, Strategy())
    frontier.add(Candidate(f"http://{HOST}/{name}", HOST) for name in "abcde")
    for state, why in ((FAILED, "status 404"), (FAILED, "status 404"), (SKIPPED, "robots.txt")):
        choice = frontier.choose(probe=False)
        assert choice is not None
        frontier.settle(choice, state, why)
        frontier.release(HOST, 0.0)
    store.commit()
    return store


def test_what_status_and_the_application_ask_of_addresses_an_index_answers(tmp_path: Path) -> None:
    asked: list[str] = []
    connect = sqlite3.connect

    def listen(*place: Any, **how: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*place, **how)
        db.set_trace_callback(asked.append)
        return db

    store = fill(tmp_path)
    with patch("blickfang.crawl.state.state_db.sqlite3.connect", listen):
        facts = summarise(tmp_path)
    assert (facts["failures"], facts["skipped"]) == ({"status 404": 2}, {"robots.txt": 1})
    assert facts["queued_pages"] == 2
    on_urls = [one for one in asked if "FROM urls" in one] + [QUEUE, TROUBLES]
    assert len(on_urls) == 4
    for one in on_urls:
        plan = [row[3] for row in store.db.execute(f"EXPLAIN QUERY PLAN {one}")]
        assert "COVERING INDEX" in plan[0], plan
    store.close()


KILLED_WHILE_WRITING = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("CREATE TABLE facts(name)")
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
db.executemany("INSERT INTO facts VALUES (?)", ((str(number) * 99,) for number in range(9999)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_left_half_done_is_undone_before_anybody_looks(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(path)], check=False)
    assert (tmp_path / "state.sqlite-journal").exists()
    with looking_into(path) as db:
        assert db.execute("SELECT count(*) FROM facts").fetchone()[0] == 0


def test_any_folder_may_hold_a_store(tmp_path: Path) -> None:
    for name in ("a#b", "a?b", "a%41", "a b [1]", "ä"):
        fill(tmp_path / name).close()
        assert summarise(tmp_path / name)["queued_pages"] == 2, name
        shelf = CheckpointStore(str(tmp_path / name))
        assert shelf.list_shards() == [0], name
        open_snapshot(tmp_path / name / "shard-00" / "state.sqlite").close()


def test_a_store_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"none\.sqlite: .*see whether it is there"),
        looking_into(tmp_path / "none.sqlite"),
    ):
        pass
