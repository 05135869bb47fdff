"""Crawling: a topic and seeds → an archive, one process a shard.

In: a collection with a learned topic. Out: WARC files and the stores beside them, in DIR/crawl. The
judge is handed to it (page_judge.py): the crawl itself knows nothing of pages and topics.
"""

import asyncio
import gc
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import uvloop

from blickfang.compute import EngineOptions as Engine
from blickfang.compute.engine import LOCAL
from blickfang.compute.ray_actors import Actors
from blickfang.config import Collection, locking, open_collection
from blickfang.crawl import Ending, Standing
from blickfang.crawl.focus import make_strategy
from blickfang.crawl.focus.background import is_due
from blickfang.crawl.focus.fetch_topic_pages import name_crawler
from blickfang.crawl.focus.online_learning import check_adapting, find_teacher, let_adapt
from blickfang.crawl.page_judge import UNFOCUSED, find_watcher, know, make_judge
from blickfang.crawl.shards.cluster_crawl import (
    CrawlFolder,
    count_cores,
    join_cluster,
    open_home,
    run_elsewhere,
)
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import Message, News
from blickfang.crawl.shards.rebalancing import settle_hosts
from blickfang.crawl.shards.shard import Shard
from blickfang.crawl.shards.shard_config import Setup
from blickfang.crawl.shards.shard_plan import check_shards, name_shard, read_plan
from blickfang.crawl.shards.shard_processes import Processes
from blickfang.crawl.shards.shard_processes import run_shard as work_shard
from blickfang.crawl.shards.transport import Carrier, carry
from blickfang.crawl.shards.worker_bundle import packing
from blickfang.crawl.state.checkpoint import Keeper
from blickfang.crawl.state.control import PAUSE, STOP, forget_wish, lock_folder, read_wish
from blickfang.crawl.state.crawl_queries import (
    check_letters,
    count_before,
)
from blickfang.crawl.state.rebuild_state import begin_anew, put_aside
from blickfang.crawl.state.state_db import STATE, explain_store
from blickfang.errors import InputError, SettingsError
from blickfang.io.source_files import list_crawled
from blickfang.io.urls import canonical
from blickfang.io.warc import write_index
from blickfang.text import load_topic

COLLECT_EVERY = (5000, 20, 50)  # objects: pages make many, and hardly any cycles

Send = Callable[[Message], None]


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a crawl came to."""

    standing: Standing
    shards: int
    error: str
    moved: int = 0  # hosts that went to other shards, for there are more or fewer of them
    is_full: bool = False  # the disk


def crawl(
    collection: Collection,
    watch: Callable[[Standing], bool],
    *,
    shards: int = 0,
    with_adapting: bool = False,
    rebuild: bool = False,
    where: Engine | None = None,
    store: str = "",
    leave: bool = False,
) -> Crawled:
    """Crawl, or go on crawling; `watch` is told how it stands, and says False to end it.

    Said twice, the crawl ends at once. With `rebuild` its state is first made anew. On a cluster
    shards are saved to a store, if there is one; in the end all is brought into the folder of the
    crawl, but for archives that are to be left.
    """
    collection = let_adapt(collection) if with_adapting else collection
    where = where or collection.settings.engine
    check_crawl(collection)
    folder = collection.crawl_folder
    if rebuild:
        rebuild_state(collection)
    with locking(collection):
        wait_for_shards(folder)
        home = open_home(folder, where, store)
        check_shards(folder)
        check_letters(folder)
        count = count_shards(folder, shards or collection.settings.crawl.shards, where)
        moved = settle_hosts(folder, count, home.store, home.give)
        home.guard(count)
        try:
            coordinator = run_shards(collection, where, home, count, watch)
        finally:
            home.close()
        home.fetch(archives=not leave)
        if coordinator.stopping is None or not coordinator.stopping.at_once:
            index_archives(collection)
    error = next((error for error in coordinator.ended.values() if error), coordinator.trouble)
    return Crawled(coordinator.standing(), count, error, moved, coordinator.is_full)


def run_shards(
    collection: Collection,
    where: Engine,
    home: CrawlFolder,
    count: int,
    watch: Callable[[Standing], bool],
) -> Coordinator:
    """Run all shards of a crawl until they have ended."""
    options, folder = collection.settings.crawl, collection.crawl_folder
    before = count_before(folder)
    with packing(collection, where) as kit:
        run = partial(run_shard, count, collection.settings.focus.adapt)
        carrier: Carrier
        if where.name == LOCAL:
            carrier = Processes(partial(run, str(collection.root), None), count)
        else:
            task = partial(work_shard, partial(run_elsewhere, run, kit, home.store))
            carrier = Actors(join_cluster(where), task, count, News)
        try:
            teach = find_teacher(collection, know(collection))
            coordinator = Coordinator(options, count, carrier.send, before, teach, is_due)
            watching = Watching(coordinator, watch, folder)

            def look() -> None:
                watching.look()
                home.look(coordinator)

            carry(carrier, coordinator, look)
        finally:
            carrier.close()
    return coordinator


def count_shards(folder: Path, wanted: int, where: Engine) -> int:
    """Return how many shards a crawl will have: as wanted, else as before, else one a core."""
    plan = read_plan(folder)
    return wanted or plan.becoming or plan.shards or count_cores(where)


def wait_for_shards(folder: Path) -> None:
    """Wait for shards whose coordinator was killed: they are just ending."""
    for path in sorted(folder.glob("shard-*")):
        lock_folder(path).close()
    forget_wish(folder)


class Watching:
    """Shows somebody how a crawl stands, and ends it when told to."""

    def __init__(
        self, coordinator: Coordinator, watch: Callable[[Standing], bool], folder: Path
    ) -> None:
        self.coordinator, self.watch, self.folder = coordinator, watch, folder
        self.told = 0

    def look(self) -> None:
        """Show how it stands; every False is one Ctrl-C, and the second one means: at once."""
        standing = self.coordinator.standing()
        while not self.watch(standing):
            self.told += 1
            self.coordinator.stop(Ending.INTERRUPTED, at_once=self.told > 1)
        wish = read_wish(self.folder)
        if wish == STOP and self.coordinator.stopping is None:
            self.coordinator.stop("asked to stop")
        elif (wish == PAUSE) != self.coordinator.is_paused:
            self.coordinator.pause(on=wish == PAUSE)


def check_crawl(collection: Collection) -> None:
    """Say what is missing or cannot be, before a crawl begins."""
    options = collection.settings.crawl
    if not options.seeds:
        raise SettingsError("seeds in [crawl] names no addresses to start from")
    for seed in options.seeds:
        if canonical(seed) is None:
            raise SettingsError(f"{seed} in seeds is no address; write https://example.org/")
    name_crawler(options)
    topic = load_topic(collection.topic_folder) if options.mode != UNFOCUSED else None
    if collection.settings.focus.adapt:
        check_adapting(options.mode, topic)


def run_shard(
    count: int,
    adapts: bool,
    root: str,
    keeper: Keeper | None,
    number: int,
    send: Send,
    listen: Callable[[Callable[[Message], None]], None],
) -> None:
    """Run one shard in this process until it ends; whether it adapts, a command may have said."""
    collection = open_collection(Path(root))
    collection = let_adapt(collection) if adapts else collection
    settings = collection.settings
    knowledge = know(collection)
    strategy = make_strategy(settings.crawl.mode, knowledge, settings.score, settings.focus)
    setup = replace(set_up(collection, number, count), keeper=keeper)
    watcher = find_watcher(collection, knowledge)
    if watcher is not None:
        strategy.on_topic = watcher.on_topic
    with_images = settings.crawl.images
    judge = make_judge(
        strategy, setup.picture_sizes, knowledge, with_images=with_images, watcher=watcher
    )
    gc.freeze()  # what is loaded by now stays; looking through it took 3 % of the time
    gc.set_threshold(*COLLECT_EVERY)
    try:
        _work(Shard(setup, strategy, judge, send), listen)
    except sqlite3.Error as error:
        raise explain_store(error, setup.folder / STATE) from error


def _work(shard: Shard, listen: Callable[[Callable[[Message], None]], None]) -> None:
    """Let a shard work, with its mail, until it ends."""

    async def go() -> None:
        loop = asyncio.get_running_loop()

        def deliver(message: Message) -> None:
            with suppress(RuntimeError):  # the shard has ended, and its loop with it
                loop.call_soon_threadsafe(shard.deliver, message)

        listen(deliver)
        await shard.run()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(go())


def set_up(collection: Collection, number: int, count: int) -> Setup:
    """Return what one shard of a collection's crawl is made of."""
    options, images = collection.settings.crawl, collection.settings.images
    return Setup(
        number=number,
        count=count,
        folder=name_shard(collection.crawl_folder, number),
        options=options,
        seeds=options.seeds,
        picture_sizes=(images.min_width, images.min_height, images.max_width, images.max_height),
        user_agent=name_crawler(options),
        about={
            "operator": options.contact,
            "description": f"{options.mode} crawl for {options.purpose}",
        },
    )


def rebuild_state(collection: Collection) -> None:
    """Put the databases of a crawl aside, so that it makes them anew from its archive.

    All of them: shards remember what they told each other.
    """
    folder = collection.crawl_folder
    if read_plan(folder).store:
        raise SettingsError(
            "--rebuild needs all archives here: first run `blickfang crawl` with --engine local, "
            "which brings the crawl home"
        )
    shards = sorted(path for path in folder.glob("shard-*") if path.is_dir())  # also former ones
    if not shards:
        raise InputError(f"there is no crawl in {collection.root}; run `blickfang crawl`")
    lost = {name_shard(folder, number) for number in range(read_plan(folder).shards)} - {*shards}
    for path in lost:
        path.mkdir()
    with locking(collection):
        for shard in shards:
            lock_folder(shard).close()
            put_aside(shard)
        for shard in shards:
            begin_anew(shard)


def index_archives(collection: Collection) -> None:
    """Write the CDXJ index of every archive file that has none, or an old one."""
    for path in list_crawled(collection.crawl_folder):
        index = path.with_name(path.name.removesuffix(".warc.gz") + ".cdxj")
        if not index.exists() or index.stat().st_mtime_ns < path.stat().st_mtime_ns:
            write_index(path, index)
