"""What a crawl knows of its background, taken out and put back when the topic was learned anew.

In: the folder of a crawl. Out: the samples of its hosts; or the weights that were learned from
them, in every shard, so that reading its archives and going on with it both judge by them. Pages
far inside another topic are forgotten.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from blickfang.crawl.store import STATE, EmptyStoreError, looking_into
from blickfang.errors import InputError
from blickfang.focus.background import unpack_samples
from blickfang.focus.values import HostPage


def recall_samples(folder: Path) -> list[HostPage]:
    """Return the pages of each host that a crawl kept to know its background by."""
    found = []
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        with suppress(EmptyStoreError), looking_into(path) as db:
            for (data,) in db.execute("SELECT data FROM samples ORDER BY number"):
                found += unpack_samples(data)
    return found


def replace_weights(folder: Path, weights: bytes) -> None:
    """Let all shards of a crawl judge by other weights; a crawl that runs must end before."""
    for db in _open_states(folder):
        db.execute("INSERT OR REPLACE INTO facts VALUES ('weights', ?)", (weights,))


def forget_inside(folder: Path) -> None:
    """Forget the pages that were far inside another topic; a crawl that runs must end before."""
    for db in _open_states(folder):
        db.execute("DELETE FROM facts WHERE name = 'inside'")
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'inside'").fetchone():
            db.execute("DELETE FROM inside")


def _open_states(folder: Path) -> Iterator[sqlite3.Connection]:
    """Give the state of each shard, to be changed."""
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        try:
            with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as db:
                if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
                    yield db
        except sqlite3.Error as error:
            raise InputError(f"cannot change {path}: {error}; does a crawl run?") from error
