"""The store with millions of addresses: what people ask while a crawl runs reads no row each."""

import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import patch

from blickfang.app.progress import QUEUE, TROUBLES
from blickfang.crawl.candidates import FAILED, SKIPPED, Candidate
from blickfang.crawl.frontier import Frontier
from blickfang.crawl.history import summarise
from blickfang.crawl.store import Store
from blickfang.focus import Strategy

HOST = "a.org"


def fill(folder: Path) -> Store:
    store = Store(folder / "shard-00" / "state.sqlite")
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
    with patch("blickfang.crawl.store.sqlite3.connect", listen):
        facts = summarise(tmp_path)
    assert facts["failures"] == {"status 404": 2}
    assert facts["queued_pages"] == 2
    on_urls = [one for one in asked if "FROM urls" in one] + [QUEUE, TROUBLES]
    assert len(on_urls) == 4
    for one in on_urls:
        plan = [row[3] for row in store.db.execute(f"EXPLAIN QUERY PLAN {one}")]
        assert "COVERING INDEX" in plan[0], plan
    store.close()
