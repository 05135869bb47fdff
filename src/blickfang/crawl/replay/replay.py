"""Replaying: a crawl of a recorded web, with the real frontier, judge and strategy, but no network.

In: a collection with a learned topic, and a recorded web (recorded_web.py). Out: the stores of a
crawl in DIR/crawl, as a live crawl leaves them, without archives. One shard, in this process, on a
logical clock: the same settings give the same crawl, in the time that the judging takes.
"""

import asyncio
import selectors
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from blickfang.config import Collection, locking
from blickfang.crawl import Ending, Standing
from blickfang.crawl.focus import PageFeatures, make_strategy
from blickfang.crawl.focus.background import is_due
from blickfang.crawl.focus.fetch_topic_pages import name_page
from blickfang.crawl.focus.online_learning import find_teacher
from blickfang.crawl.page_judge import find_watcher, know, look_at, make_judge
from blickfang.crawl.replay.recorded_web import RecordedWeb
from blickfang.crawl.run import check_crawl, set_up
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import Ended, Message
from blickfang.crawl.shards.rebalancing import settle_hosts
from blickfang.crawl.shards.shard import Shard
from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import replacing
from blickfang.io.source_files import is_archive, list_folder, match_names
from blickfang.io.urls import canonical
from blickfang.types import Failure, Response


class _Jumping(selectors.SelectSelector):
    """Looks what is ready and, if nothing is, lets the time pass."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now; nothing is waited for."""
        found = super().select(0)
        if not found:
            if timeout is None:
                raise RuntimeError("everybody waits, and nobody for a moment in time")
            self.passed += max(0.0, timeout)
        return found


class LogicalLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at a second and passes only when nothing else is to do."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the time on the logical clock."""
        return 1.0 + self._jumping.passed  # 0 means "never" to some


MOST_SEEN = 10_000  # pages whose reading is kept for the next replay

Watch = Callable[[Standing], bool]


def find_archives(named: Iterable[str], home: Path) -> list[Path]:
    """Return the archive files that are named: files, patterns, folders, collections."""
    found: list[Path] = []
    for name in named:
        more: list[Path] = []
        for path in match_names(name, home):
            more += filter(is_archive, list_folder(path)) if path.is_dir() else [path]
        if not more:
            raise InputError(
                f"{home / name} names no archive; give WARC, ARC or WACZ files or a crawled folder"
            )
        found += more
    return found


class Sight:
    """Looks at the pages of a recorded web, at each once, however many crawls meet it."""

    def __init__(self, web: RecordedWeb) -> None:
        self.web = web
        self.seen: dict[tuple[str, str], PageFeatures | Failure] = {}

    def look(self, response: Response, host: str) -> PageFeatures | Failure:
        """Return a page as strategies see it."""
        key = (response.url, host)
        found = self.seen.get(key)
        if found is None:
            found = look_at(response, host)
            if len(self.seen) < MOST_SEEN:
                self.seen[key] = found
        return found


def lay_out(collection: Collection, web: RecordedWeb) -> None:
    """Put the pages a topic is learned from, where they are addresses, where `learn` finds them."""
    options = collection.settings.topic
    for address in (*options.positive, *options.neutral):
        if "://" not in address:
            continue
        url = canonical(address)
        body = web.read(url) if url else Failure(address, "fetch", "no address of the web")
        if isinstance(body, Failure):
            raise InputError(f"{address} is to be learned from, but is {body.reason}")
        path = collection.topic_folder / "fetched" / name_page(url or "")
        if not path.exists():
            with replacing(path) as file:
                file.write(body)


def replay(collection: Collection, sight: Sight, watch: Watch) -> Standing:
    """Crawl a recorded web; `watch` is told how it stands now and then, and says False to end it.

    Everything that was recorded may be read again, so nobody is asked for permission.
    """
    crawling = replace(
        collection.settings.crawl,
        robots=False,
        allow_private=True,
        delay_s=0.0,
        render="never",
        proxy="",
        max_minutes=0.0,
        min_disk_mb=0.0,
    )
    here = replace(collection, settings=replace(collection.settings, crawl=crawling))
    check_replay(here)
    with locking(collection), asyncio.Runner(loop_factory=LogicalLoop) as runner:
        settle_hosts(collection.crawl_folder, 1)
        coordinator = _wire(here, sight, watch, runner)
    if coordinator.ended[0]:
        raise RuntimeError(coordinator.ended[0])
    return coordinator.standing()


def check_replay(collection: Collection) -> None:
    """Say what is missing or cannot be."""
    check_crawl(collection)
    if any(collection.crawl_folder.glob("shard-*/*.sqlite")):
        raise SettingsError(f"{collection.crawl_folder} holds a crawl; replay into a new folder")


def _wire(
    collection: Collection, sight: Sight, watch: Watch, runner: asyncio.Runner
) -> Coordinator:
    """Let one shard and its coordinator talk, in one process, until the crawl ends."""
    settings, knowledge = collection.settings, know(collection)
    clock = runner.get_loop().time
    strategy = make_strategy(
        settings.crawl.mode, knowledge, settings.score, settings.focus, clock=clock
    )
    watcher = find_watcher(collection, knowledge)
    strategy.on_topic = watcher.on_topic if watcher else strategy.on_topic
    setup = replace(set_up(collection, 0, 1), web=sight.web)
    look = sight.look if settings.crawl.images else None
    judge = make_judge(
        strategy,
        setup.picture_sizes,
        knowledge,
        with_images=settings.crawl.images,
        watcher=watcher,
        look=look,
    )

    def take(message: Message) -> None:
        coordinator.take(message)
        if not watch(coordinator.standing()) and coordinator.stopping is None:
            coordinator.stop(Ending.INTERRUPTED, at_once=True)

    shard = Shard(setup, strategy, judge, take)
    coordinator = Coordinator(
        settings.crawl,
        1,
        lambda _, message: shard.deliver(message),
        (0, 0, 0),
        find_teacher(collection, knowledge),
        is_due,
    )
    runner.run(shard.run())
    coordinator.take(Ended(0, ""))
    return coordinator


def open_web(paths: Sequence[Path]) -> Sight:
    """Return a recorded web, ready to be replayed again and again."""
    return Sight(RecordedWeb(paths))
