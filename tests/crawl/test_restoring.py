"""Shards that are lost come back from what they saved: nothing is missing, nothing is there twice.

Shards share one event loop here, and no cluster is needed: a shard is lost with its folder and all
that it has not saved.
"""

import asyncio
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.frontier.candidates import IMAGE, Candidate
from blickfang.crawl.shards import transport
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import (
    AskMeans,
    Began,
    CandidateLetters,
    Ended,
    Grant,
    Means,
    Message,
    Need,
    NewWeights,
    NoMorePages,
    Received,
    Samples,
    SendAgain,
)
from blickfang.crawl.shards.outbox import Letterbox
from blickfang.crawl.shards.progress import Ending
from blickfang.crawl.shards.shard import Shard
from blickfang.crawl.shards.shard_config import Setup
from blickfang.crawl.shards.transport import carry
from blickfang.crawl.state.checkpoint import Keeper
from blickfang.crawl.state.checkpoint_store import CheckpointStore, read_position
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.crawl.state.state_db import EPOCH, StateDb
from blickfang.errors import BlickfangError, InputError, SettingsError
from tests.crawl.sites import Local, Sites, archived, archived_by_warcio, serving, settings
from tests.crawl.test_coordinator import QUIET, Office
from tests.crawl.test_rebalancing import HOSTS, make_web


class Losing(Local):
    """Shards that work in folders of their own, save to a shelf, and are lost now and then."""

    def __init__(self, folder: Path, options: CrawlOptions, count: int, losses: int) -> None:
        super().__init__(folder / "store", options, count)
        self.work, self.shelf = folder / "work", CheckpointStore(str(folder / "store"))
        self.losses, self.chance = losses, random.Random(7)  # noqa: S311
        self.lives = 0
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.keepers: dict[int, Keeper] = {}

    def setup(self, number: int) -> Setup:
        """Return a shard with a folder that nobody had before it."""
        self.lives += 1
        folder = self.work / f"{number}-{self.lives}"
        self.keepers[number] = Keeper(self.shelf, number, folder, 0.1)
        return replace(super().setup(number), folder=folder, keeper=self.keepers[number])

    async def crawl(self, limit_s: float, watch: Callable[[Local], None]) -> Coordinator:
        """Crawl to the end, losing shards on the way."""
        del watch
        self.coordinator = Coordinator(self.options, self.count, self._send, (0, 0, 0))
        self.shards = [self.begin(number) for number in range(self.count)]
        for number, shard in enumerate(self.shards):
            self.tasks[number] = asyncio.create_task(self._run(shard))
        loop = asyncio.get_running_loop()
        end, lose_at = loop.time() + limit_s, loop.time() + 0.3
        while not self.coordinator.is_over:
            assert loop.time() < end, self.coordinator.standing()
            while self.mail:
                self.coordinator.take(self.mail.popleft())
            if loop.time() > lose_at and self.losses and self.coordinator.stopping is None:
                self.losses -= 1
                await self.lose(self.chance.randrange(self.count))
                lose_at = loop.time() + self.chance.uniform(0.1, 0.5)
            await asyncio.sleep(0.005)
        if self.errors:
            raise self.errors[0]
        return self.coordinator

    def begin(self, number: int) -> Shard:
        return Shard(self.setup(number), Unfocused(), self.judge, self.mail.append)

    async def lose(self, number: int) -> None:
        """Lose a shard with everything it has not saved, and the mail under way to it."""
        self.tasks[number].cancel()
        await asyncio.gather(self.tasks[number], return_exceptions=True)
        self.keepers[number].pool.shutdown(cancel_futures=True)
        shutil.rmtree(self.shards[number].setup.folder)
        kept = [message for message in self.mail if getattr(message, "shard", -1) != number]
        self.mail.clear()
        self.mail.extend(kept)
        self.coordinator.part_with(number)
        self.coordinator.lost += 1
        self.shards[number] = self.begin(number)
        self.tasks[number] = asyncio.create_task(self._run(self.shards[number]))


def crawl_losing(folder: Path, options: CrawlOptions, count: int, losses: int) -> Coordinator:
    """Crawl while shards are lost."""
    losing = Losing(folder, options, count, losses)
    with (
        patch("blickfang.crawl.shards.shard.COMMIT_S", 0.05),
        patch("blickfang.crawl.shards.shard.REPORT_S", 0.03),
        patch("blickfang.crawl.state.checkpoint.URGENT_S", 0.1),
        patch("blickfang.crawl.state.checkpoint.SHARE", 1),
        asyncio.Runner() as runner,
    ):
        return runner.run(losing.crawl(30.0, lambda _: None))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, int]]:
    """What a crawl archives that loses nothing."""
    root = tmp_path_factory.mktemp("undisturbed")
    with serving(Sites(make_web())) as server:
        crawl_losing(root, settings(server, f"{HOSTS[0]}/0"), 2, 0)
    return Counter(archived(root / "store"))


def test_shards_that_are_lost_come_back(
    tmp_path: Path, undisturbed: Counter[tuple[str, int]]
) -> None:
    # Slow enough that no machine is done before the last is lost.
    with serving(Sites(make_web(), 0.05)) as server:
        options = settings(server, f"{HOSTS[0]}/0", parallel=2)
        coordinator = crawl_losing(tmp_path, options, 3, 6)
    assert coordinator.standing().restored == 6
    assert coordinator.standing().stopping == "nothing is left to fetch"
    assert Counter(archived(tmp_path / "store")) == undisturbed
    assert Counter(archived_by_warcio(tmp_path / "store")) == undisturbed
    assert set(undisturbed.values()) == {1}
    found = summarise(tmp_path / "store")
    assert found["queued_pages"] == found["queued_images"] == 0
    assert coordinator.standing().pages == found["pages"]
    assert coordinator.standing().images == found["images"]
    assert coordinator.standing().failures == found["failures"]
    assert coordinator.standing().skipped == found["skipped"]


def test_limits_hold_whatever_is_lost(tmp_path: Path) -> None:
    with serving(Sites(make_web(), 0.05)) as server:
        options = settings(
            server, f"{HOSTS[0]}/0", max_pages=70, max_images=9, parallel=2, images=True
        )
        coordinator = crawl_losing(tmp_path, options, 2, 4)
    assert coordinator.standing().restored > 1
    found = summarise(tmp_path / "store")
    # Who is lost while the crawl ends is not asked for more: the next one fetches what was lost.
    assert 70 - 2 * 2 <= found["pages"] <= 70
    assert 9 - 2 * 2 <= found["images"] <= 9


def test_a_shard_that_came_back_is_told_what_was_said() -> None:
    office = Office(2, max_pages=40)
    office.coordinator.relearn = lambda samples, means: f"{len(samples)} {len(means)}".encode()
    office.take(Began(0, 5, 1, 100, {}, {}), Began(1, 0, 0, 0, {}, {}), Need(0, 16), Need(1, 16))
    office.take(Samples(0, [b"a"]), Samples(1, [b"b", b"c"]))
    office.coordinator.part_with(1)
    assert office.take(Began(1, 4, 2, 70, {}, {})) == [(0, SendAgain(1)), (1, SendAgain(1))]
    assert office.coordinator.standing().pages == 4
    office.take(Samples(1, [b"b"]))
    office.coordinator.relearning = True
    sent = office.take(Means(0, {}), Means(1, {}))
    assert sent == [(0, NewWeights(b"2 0")), (1, NewWeights(b"2 0"))]
    office.coordinator.part_with(0)
    office.coordinator.has_pages = office.coordinator.relearning = True
    told = [mail for shard, mail in office.take(Began(0, 9, 1, 130, {}, {})) if shard == 0]
    assert told == [SendAgain(0), NewWeights(b"2 0"), AskMeans(), NoMorePages()]
    standing = office.coordinator.standing()
    assert (standing.pages, standing.images, standing.bytes) == (4 + 4, 2, 70 + 30)


def test_pages_granted_to_a_life_that_was_lost_are_granted_again() -> None:
    office = Office(1, max_pages=20)
    office.take(Began(0, 0, 0, 0, {}, {}), Need(0, 16))
    office.take(Need(0, 16))
    office.coordinator.part_with(0)
    assert office.take(Began(0, 3, 0, 0, {}, {})) == [(0, SendAgain(0))]
    granted = [mail for _, mail in office.take(Need(0, 30))]
    assert granted == [Grant(17)]


class Unlucky:
    """A carrier whose shard dies at once, again and again."""

    restores = True

    def __init__(self, works: int = 0) -> None:
        self.lives, self.works = 0, works

    def send(self, shard: int, message: Message) -> None:
        """Lose it."""

    def receive(self, wait_s: float) -> Iterator[tuple[int, Message | None]]:
        """Tell of a death, and of something done before in the first lives."""
        del wait_s
        if self.lives < self.works:
            yield 0, QUIET._replace(pages=1)
        yield 0, None

    def start(self, shard: int) -> None:
        """Count."""
        del shard
        self.lives += 1

    def close(self) -> None:
        """Do nothing."""


def test_who_dies_again_and_again_is_not_restored_for_ever() -> None:
    for works in (0, 9):
        carrier, office = Unlucky(works), Office(1)
        carry(carrier, office.coordinator, lambda: None)
        assert carrier.lives == works + transport.VAIN_LIVES - 1
        assert "lost 4 times in a row" in office.coordinator.ended[0]


def test_what_is_lost_while_a_crawl_ends_is_not_restored() -> None:
    carrier, office = Unlucky(), Office(1)
    office.coordinator.stop("interrupted")
    carry(carrier, office.coordinator, lambda: None)
    assert carrier.lives == 0
    assert "lost while the crawl ended" in office.coordinator.ended[0]
    carrier.restores = False
    office = Office(1)
    carry(carrier, office.coordinator, lambda: None)
    assert office.coordinator.ended == {0: "shard 0 ended unexpectedly"}


Line = list[tuple[int, Message | None]]


class Told(Unlucky):
    """A carrier of two shards that tells what is written down for it, a line a time."""

    def __init__(self, lines: list[Line]) -> None:
        super().__init__()
        self.lines = iter(lines)
        self.started: list[int] = []

    def receive(self, wait_s: float) -> Iterator[tuple[int, Message | None]]:
        """Give the next line."""
        del wait_s
        yield from next(self.lines)

    def start(self, shard: int) -> None:
        """Note it."""
        self.started.append(shard)


def idle(shard: int) -> tuple[int, Message]:
    return shard, QUIET._replace(shard=shard, pages=1, requests=3, is_idle=True)


BOTH_BEGIN: Line = [(n, Began(n, 0, 0, 0, {}, {})) for n in (0, 1)]
BOTH_IDLE: Line = [idle(0), idle(1)]
LOST: tuple[int, None] = (1, None)
ONE_ENDED: tuple[int, Message] = (0, Ended(0, ""))
OTHER_ENDED: tuple[int, Message] = (1, Ended(1, ""))


@pytest.mark.parametrize("is_slow", [False, True])
def test_an_end_is_taken_back_where_a_shard_is_lost_in_it(is_slow: bool) -> None:
    # Who has been told to end, and is slow to do so, ends by itself after all.
    loss: list[Line] = [[LOST], [ONE_ENDED]] if is_slow else [[ONE_ENDED, LOST]]
    ending: list[Line] = [[*BOTH_BEGIN, *BOTH_IDLE], [ONE_ENDED, OTHER_ENDED]]
    carrier, office = Told([[*BOTH_BEGIN, *BOTH_IDLE], *loss, *ending]), Office(2)
    carry(carrier, office.coordinator, lambda: None)
    assert sorted(carrier.started) == [0, 1]
    assert office.coordinator.ended == {0: "", 1: ""}
    standing = office.coordinator.standing()
    assert (standing.stopping, standing.restored) == ("nothing is left to fetch", 1)
    assert standing.requests == 4 * 3  # of four lives that told of three each


def test_limits_hold_while_an_end_is_taken_back() -> None:
    office = Office(2, max_images=10)
    office.take(*(Began(n, 0, 0, 0, {}, {}) for n in (0, 1)))
    office.take(*[Need(n, 5, IMAGE) for n in (0, 1)] * 4)
    assert office.coordinator.given[IMAGE].total() == 10
    office.take(*(QUIET._replace(shard=n, images=5, pages=3, taken=9) for n in (0, 1)))
    office.coordinator.stop(Ending.NOTHING_LEFT)
    office.coordinator.take(Ended(0, ""))
    assert office.coordinator.may_go_on()
    office.coordinator.part_with(1)
    assert office.coordinator.go_on() == [0]
    assert office.coordinator.standing().images == 10
    had = office.coordinator.given[IMAGE][0]
    assert office.take(Began(0, 3, had, 0, {}, {}), Need(0, 64, IMAGE))[2:] == []
    office.take(Began(1, 2, 10 - had - 1, 0, {}, {}))  # the last one was not saved
    assert office.coordinator.standing().images == 9
    assert office.take(Need(0, 64, IMAGE)) == [(0, Grant(1, IMAGE))]


def test_an_end_is_not_taken_back_for_ever() -> None:
    dying: list[Line] = [[*BOTH_BEGIN, *BOTH_IDLE], [ONE_ENDED, LOST]]
    carrier, office = Told(dying * 9), Office(2)
    carry(carrier, office.coordinator, lambda: None)
    assert carrier.started == [1, 0] * 3
    assert "lost while the crawl ended" in office.coordinator.ended[1]


class Boxes:
    """Two letterboxes and what they send."""

    def __init__(self, folder: Path) -> None:
        self.mail: list[Message] = []
        self.stores = [StateDb(folder / f"{number}.sqlite") for number in range(2)]
        self.boxes = [
            Letterbox(store, number, self.mail.append) for number, store in enumerate(self.stores)
        ]

    def written(self, *urls: str) -> list[Message]:
        """Let the first write to the second; return what it sends."""
        self.mail.clear()
        for url in urls:
            self.boxes[0].write(1, Candidate(url, "h.test"))
        self.boxes[0].send_new()
        return list(self.mail)


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[Boxes]:
    found = Boxes(tmp_path)
    yield found
    for store in found.stores:
        store.close()


def test_letters_behind_a_gap_are_not_taken_until_the_gap_is_filled(boxes: Boxes) -> None:
    (first,), (second,) = boxes.written("http://h.test/1"), boxes.written("http://h.test/2")
    assert isinstance(first, CandidateLetters)
    assert isinstance(second, CandidateLetters)
    receiver = boxes.boxes[1]
    assert receiver.take(second) == []  # it came back from a state without the first
    assert receiver.take_confirmations() == []
    boxes.mail.clear()
    boxes.boxes[0].send_again(1)
    (both,) = boxes.mail
    assert isinstance(both, CandidateLetters)
    assert [one.url[-1] for one in receiver.take(both)] == ["1", "2"]
    assert receiver.take(second) == []
    (received,) = receiver.take_confirmations()
    assert received == Received(0, 1, second.rows[-1][0])
    boxes.stores[0].forget_letters(received.receiver, received.number)
    assert not boxes.boxes[0].is_waiting()


def test_a_sender_that_came_back_uses_no_number_twice(boxes: Boxes) -> None:
    (first,) = boxes.written("http://h.test/1", "http://h.test/2")
    assert isinstance(first, CandidateLetters)
    boxes.boxes[1].take(first)
    boxes.stores[0].db.execute("ROLLBACK")  # it never was
    boxes.stores[0].db.execute("BEGIN")
    boxes.stores[0].number_letters_anew(epoch=2)
    boxes.boxes[0] = Letterbox(boxes.stores[0], 0, boxes.mail.append)
    (again,) = boxes.written("http://h.test/3")
    assert isinstance(again, CandidateLetters)
    assert again.rows[0][0] == 2 * EPOCH + 1
    assert [one.url[-1] for one in boxes.boxes[1].take(again)] == ["3"]


def saved_shard(tmp_path: Path) -> tuple[CheckpointStore, Path]:
    """Return a shelf with a shard, and the folder it was saved from."""
    shelf, folder = CheckpointStore(str(tmp_path / "shelf")), tmp_path / "work"
    save_something(shelf, folder)
    return shelf, folder


def save_something(shelf: CheckpointStore, folder: Path) -> None:
    """Save a shard with two archive files, the last of which is longer than it has committed."""
    keeper = Keeper(shelf, 0, folder)
    store = StateDb(folder / "state.sqlite")
    (folder / "crawl-00-00000.warc.gz").write_bytes(b"full")
    (folder / "crawl-00-00001.warc.gz").write_bytes(b"0123456789 not committed")
    store.keep_fact("archive_file", "crawl-00-00001.warc.gz")
    store.keep_fact("archive_length", 10)
    store.commit()
    store.keep_fact("archive_length", 24)
    asyncio.run(_finish(keeper))
    store.close()


async def _finish(keeper: Keeper) -> None:
    await keeper.finish([])


def test_what_is_saved_is_of_one_moment(tmp_path: Path) -> None:
    shelf, folder = saved_shard(tmp_path)
    assert not (folder / "crawl-00-00000.warc.gz").exists()  # it is safe on the shelf
    shelf.put(0, folder / "state.sqlite", "crawl-00-00002.warc.gz")  # of a life that was lost
    new = tmp_path / "elsewhere"
    again = Keeper(shelf, 0, new)
    assert again.epoch == 2
    assert read_position(new / "state.sqlite") == ("crawl-00-00001.warc.gz", 10)
    assert [path.name for path in sorted(new.glob("*.warc.gz"))] == ["crawl-00-00001.warc.gz"]
    home = tmp_path / "home"
    assert shelf.fetch_state(0, home)
    shelf.fetch_archives(0, home)
    assert {path.name: path.read_bytes() for path in home.glob("*.warc.gz")} == {
        "crawl-00-00000.warc.gz": b"full",
        "crawl-00-00001.warc.gz": b"0123456789",
    }
    assert shelf.list_shards() == [0]
    again.pool.shutdown()


def test_an_earlier_life_must_not_write_any_more(tmp_path: Path) -> None:
    shelf, folder = saved_shard(tmp_path)
    keeper, later = Keeper(shelf, 0, folder), Keeper(shelf, 0, tmp_path / "later")
    assert (keeper.epoch, later.epoch) == (2, 3)
    with pytest.raises(BlickfangError, match="goes on elsewhere"):
        asyncio.run(_finish(keeper))
    later.pool.shutdown()


def test_a_store_that_fails_for_a_while_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OSError("a hiccup"), OSError("another one")]
    put = CheckpointStore.put

    def put_later(shelf: CheckpointStore, shard: int, path: Path, name: str) -> None:
        if failures:
            raise failures.pop()
        put(shelf, shard, path, name)

    monkeypatch.setattr(CheckpointStore, "put", put_later)
    monkeypatch.setattr("blickfang.crawl.state.checkpoint.time.sleep", lambda _: None)
    shelf, _ = saved_shard(tmp_path)
    assert shelf.list_shards() == [0]
    failures += [OSError("the bucket is gone")] * 20
    with pytest.raises(BlickfangError, match=r"cannot save shard 0 to .*the bucket is gone"):
        saved_shard(tmp_path)


def test_a_store_that_cannot_be_used_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be used as a store"):
        CheckpointStore("nowhere://bucket/crawl")
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(SettingsError, match="cannot write to the store"):
        CheckpointStore(str(tmp_path / "file" / "below")).check()
    shelf, _ = saved_shard(tmp_path)
    (tmp_path / "shelf" / "shard-00" / "crawl-00-00001.warc.gz").write_bytes(b"0123")
    with pytest.raises(InputError, match="has lost its end"):
        Keeper(shelf, 0, tmp_path / "again")


def test_readers_of_a_snapshot_need_no_other_file(tmp_path: Path) -> None:
    saved_shard(tmp_path)
    state = tmp_path / "shelf" / "shard-00" / "state.sqlite"
    assert sorted(path.name for path in state.parent.iterdir()) == [
        "crawl-00-00000.warc.gz",
        "crawl-00-00001.warc.gz",
        "epoch.txt",
        "state.sqlite",
    ]
    state.parent.chmod(0o500)
    with sqlite3.connect(f"file:{state}?mode=ro", uri=True) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    db.close()
    state.parent.chmod(0o700)
