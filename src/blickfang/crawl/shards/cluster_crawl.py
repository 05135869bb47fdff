"""The shards of a crawl on the nodes of a cluster, and where they are kept meanwhile.

In: a collection, an engine, and a store if nodes do not see the collection's folder. Out: shards at
work, each in a folder of its node, saved to the store now and then; their states as they were saved
last, in the folder of the crawl, for whoever watches; in the end everything.
"""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from blickfang.compute import EngineOptions, connect
from blickfang.compute.engine import LOCAL
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import Message
from blickfang.crawl.shards.shard_plan import read_plan
from blickfang.crawl.shards.worker_bundle import Kit, open_kit
from blickfang.crawl.state.checkpoint import Keeper
from blickfang.crawl.state.checkpoint_store import CheckpointStore, push_shard
from blickfang.crawl.state.control import lock_folder
from blickfang.crawl.state.state_db import STATE
from blickfang.errors import SettingsError
from blickfang.io.storage import explain, is_remote

Send = Callable[[Message], None]
RunShard = Callable[..., None]


def join_cluster(where: EngineOptions) -> Any:
    """Return the module `ray`, joined to a cluster; signals stay what they were."""
    try:
        before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
        ray = connect(where.address)
        for number, old in before:
            signal.signal(number, old)
    except ValueError:  # not in the main thread: then nobody has touched them
        ray = connect(where.address)
    return ray


def count_cores(where: EngineOptions) -> int:
    """Return how many cores there are to crawl with."""
    if where.name == LOCAL:
        return os.cpu_count() or 1
    return max(1, int(join_cluster(where).cluster_resources().get("CPU", 1)))


def run_elsewhere(
    run: RunShard,
    kit: Kit,
    store: str,
    number: int,
    send: Send,
    listen: Callable[[Callable[[Message], None]], None],
) -> None:
    """Run one shard on a node: in the folder of the crawl, or in one of its own that is saved."""
    if not store:
        if not kit.sees():
            raise SettingsError(
                f"the node {socket.gethostname()} does not see {kit.root}: mount it there under "
                "the same name, or give --store"
            )
        run(kit.root, None, number, send, listen)
        return
    root = open_kit(kit._replace(root=os.devnull))  # a copy, whatever this node sees
    folder = root / "crawl" / f"shard-{number:02d}"
    shutil.rmtree(folder, ignore_errors=True)
    run(str(root), Keeper(CheckpointStore(store), number, folder), number, send, listen)


@contextmanager
def _explaining(store: str) -> Iterator[None]:
    """Say in a sentence what is wrong with a store elsewhere; errors of our disk stay theirs."""
    try:
        yield
    except Exception as error:
        if not is_remote(store):
            raise
        raise explain(error, store) from error


class CrawlFolder:
    """The folder of a crawl, and the store that its shards are saved to, if it has one."""

    def __init__(self, folder: Path, store: str = "") -> None:
        self.folder = folder
        self.shelf = CheckpointStore(store) if store else None
        self.store = store
        self.is_new = False  # the store has nothing of this crawl yet
        self.locks: list[IO[str]] = []
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="mirror")
        self.fetching: dict[int, Future[bool]] = {}
        if self.shelf is not None and self.shelf.is_folder(folder):
            raise SettingsError(f"{store} is the folder of the crawl itself; give another one")

    def _shard(self, number: int) -> Path:
        return self.folder / f"shard-{number:02d}"

    def fetch(self, *, archives: bool) -> None:
        """Bring what the store has into the folder."""
        if self.shelf is None:
            return
        moving = read_plan(self.folder).becoming  # then the folder knows more than the store
        with _explaining(self.store):
            for number in self.shelf.list_shards():
                if not moving:
                    self.shelf.fetch_state(number, self._shard(number))
                if archives:
                    self.shelf.fetch_archives(number, self._shard(number))

    def give(self) -> None:
        """Bring the states in the folder to the store; with archives, if they are not there."""
        if self.shelf is None:
            return
        for path in sorted(self.folder.glob(f"shard-*/{STATE}")):
            number = int(path.parent.name.removeprefix("shard-"))
            with _explaining(self.store):
                push_shard(self.shelf, number, path.parent, archives=self.is_new)

    def guard(self, count: int) -> None:
        """Show others that a crawl is at work, where its shards are not."""
        if self.shelf is not None:
            self.locks = [lock_folder(self._shard(number)) for number in range(count)]

    def look(self, coordinator: Coordinator) -> None:
        """Bring the states of shards that were saved, beside everything else."""
        if self.shelf is None:
            return
        for number in list(coordinator.saved):
            before = self.fetching.get(number)
            if before is None or before.done():
                coordinator.saved.discard(number)
                task = self.pool.submit(self.shelf.fetch_state, number, self._shard(number))
                self.fetching[number] = task

    def close(self) -> None:
        """Wait for what is being brought."""
        self.pool.shutdown()
        for lock in self.locks:
            lock.close()


def open_home(folder: Path, where: EngineOptions, store: str) -> CrawlFolder:
    """Return where a crawl is kept, with the newest states in its folder."""
    plan = read_plan(folder)
    if store and where.name == LOCAL:
        raise SettingsError("--store is for --engine ray; on one machine shards write to DIR")
    if store and not is_remote(store):
        store = str(Path(store).resolve())
    place = store or ("" if where.name == LOCAL else plan.store)
    if plan.store and plan.store != place:
        CrawlFolder(folder, plan.store).fetch(archives=True)
    home = CrawlFolder(folder, place)
    if home.shelf is not None:
        home.shelf.check()
        home.is_new = plan.store != place
        if not home.is_new:
            home.fetch(archives=False)
        elif home.shelf.list_shards():
            raise SettingsError(f"{place} holds another crawl; give a new place")
    return home


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Let the states in the folder of a crawl be changed, wherever its shards are kept."""
    home = CrawlFolder(folder, read_plan(folder).store)
    home.fetch(archives=False)
    yield
    home.give()
