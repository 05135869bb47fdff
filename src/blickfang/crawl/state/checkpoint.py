"""Saving a shard elsewhere while it works: its archive, then its state, of one moment.

In: a shard's folder, and a shelf. Out: the same on the shelf, now and then, in a thread of its own.
Letters are confirmed when the state that holds them is safe there: a shard that is lost and comes
back from the shelf has not forgotten anything that others count on.
"""

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from blickfang.crawl.shards.messages import Message, Received, Saved
from blickfang.crawl.state.checkpoint_store import (
    CheckpointStore,
    copy_snapshot,
    open_snapshot,
    read_position,
    try_again,
)
from blickfang.crawl.state.state_db import STATE
from blickfang.errors import BlickfangError

EVERY_S = 20.0
URGENT_S = 1.0  # at least between two, when others wait for a confirmation
SHARE = 10  # saving takes no more than this part of the time
ROLL_AT = 64_000_000  # bytes of an archive file: the last one is sent again each time
TRIES = 6


class Keeper:
    """Saves one shard."""

    def __init__(
        self, shelf: CheckpointStore, shard: int, folder: Path, every_s: float = EVERY_S
    ) -> None:
        """Begin a new life of a shard: with what the shelf has, and alone from now on."""
        self.shelf, self.shard, self.folder, self.every_s = shelf, shard, folder, every_s
        self.epoch = shelf.begin_epoch(shard)
        self.roll_at = ROLL_AT
        shelf.restore(shard, folder)
        self.saved: dict[str, int] = {}  # archive files and how much of each
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="keeper")
        self.running: Future[None] | None = None
        self.safe: list[Received] = []  # when what runs is done
        self.begun_at = self.took_s = 0.0  # the first time comes at once

    def is_due(self, *, urgent: bool) -> bool:
        """Whether it is time to save; `urgent` when nothing else is to do."""
        if self.running is not None:
            return False
        wait = URGENT_S if urgent else max(self.every_s, SHARE * self.took_s)
        return time.monotonic() - self.begun_at >= wait

    def begin(self, confirmations: list[Received]) -> None:
        """Save what is committed now, beside everything else."""
        self.begun_at, self.safe = time.monotonic(), confirmations
        snapshot = open_snapshot(self.folder / STATE)
        self.running = self.pool.submit(self._save, snapshot)

    def look(self) -> Sequence[Message]:
        """Return what may be said by now."""
        if self.running is None or not self.running.done():
            return []
        done, self.running = self.running, None
        done.result()
        return [*self.safe, Saved(self.shard)]

    async def finish(self, confirmations: list[Received]) -> Sequence[Message]:
        """Save for the last time; return what may be said then."""
        said: list[Message] = []
        if self.running is not None:
            await asyncio.wrap_future(self.running)
            said += self.look()
        self.begin(confirmations)
        if self.running is not None:
            await asyncio.wrap_future(self.running)
        self.pool.shutdown()
        return [*said, *self.look()]

    def _save(self, snapshot: sqlite3.Connection) -> None:
        begun = time.monotonic()
        copy = self.folder / ".snapshot.sqlite"
        copy_snapshot(snapshot, copy)
        try:
            try_again(lambda: self._put(copy), TRIES, time.sleep)
        except BlickfangError:
            raise
        except Exception as error:
            raise BlickfangError(
                f"cannot save shard {self.shard} to {self.shelf.place}: {error}; what was saved "
                "before is safe, the same command goes on from there"
            ) from error
        self.took_s = time.monotonic() - begun

    def _put(self, copy: Path) -> None:
        """Put archive files, then the state; only the last life of a shard may."""
        if self.shelf.read_epoch(self.shard) != self.epoch:
            raise BlickfangError(f"shard {self.shard} goes on elsewhere")
        current, length = read_position(copy)
        for path in sorted(self.folder.glob("*.warc.gz")):
            if path.name > current:
                continue
            size = length if path.name == current else path.stat().st_size
            if self.saved.get(path.name) != size:
                self.shelf.put(self.shard, path, path.name)
                self.saved[path.name] = size
            if path.name < current:
                path.unlink()  # it is safe, and this disk may be small
        self.shelf.put(self.shard, copy, STATE)
