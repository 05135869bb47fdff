"""What is global: limits, letters between shards, the end. Shards here share one event loop."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.frontier.candidates import IMAGE, Candidate
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.shards.messages import (
    AskMeans,
    CandidateLetters,
    Ended,
    Full,
    GiveBack,
    Grant,
    Means,
    Message,
    Need,
    News,
    NewWeights,
    NoMorePages,
    Received,
    Report,
    Samples,
    Stop,
)
from blickfang.crawl.shards.progress import Ending
from blickfang.crawl.shards.shard import Shard
from blickfang.crawl.shards.shard_plan import shard_of
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.crawl.state.state_db import StateDb
from blickfang.errors import SettingsError
from tests.crawl.sites import (
    Local,
    Reply,
    Sites,
    archived,
    crawl_here,
    judge_simply,
    moved,
    page,
    picture,
    serving,
    settings,
    text,
)

# A report of a shard that has something to do; what is not named here is 0.
SAID: dict[str, Any] = {
    "failures": {},
    "skipped": {},
    "unrendered": {},
    "queued": (1, 0),
    "best": None,
    "slowest": [],
    "blocking": None,
    "is_idle": False,
    "buckets": {},
    "longest": None,
    "wants_pages": True,
}
QUIET = Report(**{name: SAID.get(name, 0) for name in Report._fields})


class Office:
    """A coordinator whose mail is kept."""

    def __init__(self, shards: int, before: tuple[int, int, int] = (0, 0, 0), **options: Any):
        self.sent: list[tuple[int, Message]] = []
        settings = CrawlOptions(**{"max_pages": 0, "max_minutes": 0.0, **options})
        self.coordinator = Coordinator(
            settings, shards, lambda shard, mail: self.sent.append((shard, mail)), before
        )

    def take(self, *messages: Message) -> list[tuple[int, Message]]:
        """Give it mail; return what it sends, but for news."""
        self.sent.clear()
        for message in messages:
            self.coordinator.take(message)
        return [(shard, mail) for shard, mail in self.sent if not isinstance(mail, News)]


@given(
    st.integers(1, 60),
    st.integers(0, 30),
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20), st.booleans()), max_size=40),
)
def test_never_more_pages_are_granted_than_may_be_fetched(
    most: int, before: int, shards: int, steps: list[tuple[int, int, bool]]
) -> None:
    office = Office(shards, (before, 0, 0), max_pages=most)
    held: Counter[int] = Counter()
    for shard, pages, gives in steps:
        shard %= shards
        message: Message = Need(shard, 1 + pages)
        if gives and held[shard]:
            message = GiveBack(shard, held.pop(shard))
        for receiver, mail in office.take(message):
            assert isinstance(mail, Grant)
            held[receiver] += mail.many
        assert held.total() <= max(0, most - before)


def test_images_are_granted_as_pages_are_and_who_has_some_is_not_idle() -> None:
    office = Office(2, (0, 3, 0), max_images=10)
    assert office.take(Need(0, 64, IMAGE)) == [(0, Grant(3, IMAGE))]
    assert office.take(Need(1, 64, IMAGE)) == [(1, Grant(2, IMAGE))]
    idle = QUIET._replace(is_idle=True)
    assert office.take(idle, idle._replace(shard=1)) == []  # they do not know of them yet
    assert office.take(GiveBack(0, 3, IMAGE), Need(1, 64, IMAGE)) == [(1, Grant(2, IMAGE))]
    end = Stop("nothing is left to fetch", at_once=False)
    both = idle._replace(taken=1), idle._replace(shard=1, taken=2)
    assert office.take(*both) == [(0, end), (1, end)]


def test_pages_given_back_go_to_who_waits() -> None:
    office = Office(2, max_pages=10)
    assert office.take(Need(0, 16)) == [(0, Grant(5))]
    assert office.take(Need(0, 16)) == [(0, Grant(2))]
    assert office.take(Need(1, 16)) == [(1, Grant(1))]
    for _ in range(2):
        office.take(Need(0, 16))
    assert office.take(Need(1, 16)) == []
    assert office.take(GiveBack(0, 4)) == [(1, Grant(2))]


def test_without_a_limit_nobody_has_to_ask_for_every_few_pages() -> None:
    [(shard, grant)] = Office(2).take(Need(1, 16))
    assert shard == 1
    assert isinstance(grant, Grant)
    assert grant.many >= 500
    assert Office(2, max_mb=2.0).take(Need(1, 16)) == [(1, Grant(16))]


def test_no_page_is_granted_when_there_are_enough_megabytes() -> None:
    office = Office(2, (9, 0, 1_000_000), max_mb=2.0)
    assert office.take(Need(0, 16)) == [(0, Grant(16))]
    assert office.take(QUIET._replace(bytes=600_000)) == []
    full = office.take(QUIET._replace(shard=1, bytes=400_000), Need(0, 16))
    assert full == [(0, Stop("max_mb", at_once=False)), (1, Stop("max_mb", at_once=False))]
    again = Office(1, (9, 0, 2_000_000), max_mb=2.0)  # who asks first must not be granted anything
    assert again.take(Need(0, 16)) == []


def test_letters_and_their_receipts_are_passed_on() -> None:
    office = Office(2)
    letters, receipt = CandidateLetters(0, 1, [(1, "[]")]), Received(0, 1, 1)
    assert office.take(letters) == [(1, letters)]
    assert office.take(receipt) == [(0, receipt)]


def test_it_ends_when_all_are_idle_and_no_letter_is_on_its_way() -> None:
    office = Office(2)
    idle = QUIET._replace(is_idle=True, queued=(0, 0))
    assert office.take(idle) == []
    assert office.take(CandidateLetters(0, 1, [(1, "[]")]), idle._replace(shard=1))[1:] == []
    end = Stop("nothing is left to fetch", at_once=False)
    assert office.take(idle._replace(shard=1, taken=1)) == [(0, end), (1, end)]
    assert office.take(Ended(0, ""), Ended(1, "")) == []
    assert office.coordinator.is_over


@pytest.mark.parametrize(
    ("options", "report", "reason"),
    [
        ({"max_mb": 2.0}, {"bytes": 1_000_000}, "max_mb"),
        ({"max_minutes": 1e-9}, {}, "max_minutes"),
    ],
)
def test_limits_end_it(options: dict[str, Any], report: dict[str, Any], reason: str) -> None:
    office = Office(1, (0, 0, 1_000_000), **options)
    assert office.take(QUIET._replace(**report)) == [(0, Stop(reason, at_once=False))]
    assert office.coordinator.standing().stopping == reason


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ({"images": 2, "queued": (0, 5)}, "max_images"),
        ({"images": 2, "queued": (0, 0)}, "nothing is left to fetch"),
        ({"images": 1, "queued": (0, 0)}, "nothing is left to fetch"),
        ({"images": 2, "queued": (3, 5), "is_put_off": True}, Ending.PUT_OFF),
    ],
)
def test_a_limit_of_images_is_named_if_it_was_the_reason(
    report: dict[str, Any], reason: str
) -> None:
    office = Office(1, (0, 3, 0), max_images=5)
    idle = QUIET._replace(is_idle=True, **report)
    assert office.take(idle) == [(0, Stop(reason, at_once=False))]
    assert office.coordinator.may_go_on()


@pytest.mark.parametrize("shards", [1, 2])
def test_a_crawl_that_may_fetch_no_more_images_says_so(tmp_path: Path, shards: int) -> None:
    with serving(Sites(make_web())) as server:
        options = settings(server, f"{HOSTS[0]}/0")
        for most in (5, 9):  # the second goes on where the first one ended
            coordinator = crawl_here(tmp_path, replace(options, max_images=most), shards=shards)
            assert coordinator.standing().stopping == "max_images"
            assert summarise(tmp_path)["queued_images"] > 0
        coordinator = crawl_here(tmp_path, options, shards=shards)
    assert coordinator.standing().stopping == "nothing is left to fetch"


@pytest.mark.parametrize("shards", [1, 2, 4])
@pytest.mark.parametrize("most", [3, 7])
def test_never_more_images_than_may_be_fetched(tmp_path: Path, shards: int, most: int) -> None:
    hosts = [f"http://h{n}.test" for n in range(12)]
    replies: dict[str, Reply] = {}
    for host in hosts:
        images = [f"{host}/{n}.gif" for n in range(6)]
        replies |= {f"{host}/": page(images=(f"{host}/gone.gif", *images))}
        replies |= {image: picture(image) for image in images}
    with serving(Sites(replies, 0.02)) as server:
        options = settings(server, *(f"{host}/" for host in hosts), max_images=most)
        standing = crawl_here(tmp_path, options, shards=shards).standing()
    assert (standing.pages, standing.images, standing.stopping) == (12, most, "max_images")
    assert summarise(tmp_path)["images"] == most


def test_after_the_last_page_only_images_are_fetched() -> None:
    office = Office(1, (4, 0, 0), max_pages=5)
    assert office.take(QUIET._replace(pages=1)) == [(0, NoMorePages())]
    idle = QUIET._replace(pages=1, is_idle=True, queued=(3, 0))
    assert office.take(idle) == []  # it was idle before it heard of that
    assert office.take(idle._replace(wants_pages=False)) == [(0, Stop("max_pages", at_once=False))]


@pytest.mark.parametrize(
    ("message", "reason"), [(Ended(1, "broken"), "error"), (Full(1), "min_disk_mb")]
)
def test_trouble_of_one_shard_ends_all(message: Message, reason: str) -> None:
    office = Office(2)
    assert (0, Stop(reason, at_once=False)) in office.take(message)
    assert office.take(message) == []


def test_the_background_is_learned_from_all_shards() -> None:
    sent: list[tuple[int, Message]] = []
    learned: list[Any] = []

    def relearn(samples: Any, means: Any) -> bytes:
        learned.append((list(samples), dict(means)))
        return b"new"

    coordinator = Coordinator(
        CrawlOptions(),
        2,
        lambda shard, mail: sent.append((shard, mail)),
        (0, 0, 0),
        relearn,
        lambda hosts, pages, _: hosts >= 2 and pages > 0,
    )
    for message in (Samples(0, [b"a"]), Samples(1, [b"b"]), QUIET._replace(pages=3)):
        coordinator.take(message)
    asked = [(shard, mail) for shard, mail in sent if isinstance(mail, AskMeans)]
    assert asked == [(0, AskMeans()), (1, AskMeans())]
    coordinator.take(Means(1, {"b.test": 0.5}))
    assert not learned
    coordinator.take(Means(0, {"a.test": 0.1}))
    assert learned == [([b"a", b"b"], {"a.test": 0.1, "b.test": 0.5})]
    assert sent[-2:] == [(0, NewWeights(b"new")), (1, NewWeights(b"new"))]


def test_nothing_is_learned_when_there_are_pages_enough() -> None:
    """Whoever goes on with a crawl that has ended shall not find other weights by chance."""
    sent: list[Message] = []
    coordinator = Coordinator(
        CrawlOptions(max_pages=3),
        1,
        lambda _, mail: sent.append(mail),
        (3, 0, 0),
        lambda *_: b"new",
        lambda *_: True,
    )
    for _ in range(3):
        coordinator.take(QUIET._replace(is_idle=False))
    assert sent == [NoMorePages()]


# Two shards and their coordinator at work.

HOSTS = [f"http://h{number}.test" for number in range(6)]


def make_web() -> dict[str, Reply]:
    """Hosts of both shards, linked to each other by pages, redirects and images."""
    replies: dict[str, Reply] = {}
    for number, host in enumerate(HOSTS):
        other = HOSTS[(number + 1) % len(HOSTS)]
        for place in range(8):
            links = [f"/{place + 1}", f"{other}/{place}", f"/go/{place}"]
            replies[f"{host}/{place}"] = page(*links, images=(f"{other}/{place}.gif",))
            replies[f"{host}/{place}.gif"] = picture(f"{number}.{place}")
            replies[f"{host}/go/{place}"] = moved(f"{other}/end/{place}")
            replies[f"{host}/end/{place}"] = page()
    replies[f"{HOSTS[0]}/robots.txt"] = text("User-agent: *\nDisallow: /go/3\n")
    return replies


def test_the_hosts_of_the_tests_belong_to_both_shards() -> None:
    assert {shard_of(host.removeprefix("http://"), 2) for host in HOSTS} == {0, 1}


def test_one_shard_or_two_archive_the_same(tmp_path: Path) -> None:
    found = []
    for shards in (1, 2, 3):
        with serving(Sites(make_web())) as server:
            options = settings(server, f"{HOSTS[0]}/0")
            crawl_here(tmp_path / str(shards), options, shards=shards)
        found.append(archived(tmp_path / str(shards)))
        assert len(found[-1]) == len(set(found[-1]))
    assert set(found[0]) == set(found[1]) == set(found[2])
    assert len(found[0]) > 150


@pytest.mark.parametrize("shards", [1, 2])
def test_as_many_pages_as_wanted_not_one_more(tmp_path: Path, shards: int) -> None:
    with serving(Sites(make_web(), 0.002)) as server:
        options = settings(server, f"{HOSTS[0]}/0", images=False)
        for most in (1, 20, 21, 47):  # each goes on where the last one ended
            coordinator = crawl_here(tmp_path, replace(options, max_pages=most), shards=shards)
            assert summarise(tmp_path)["pages"] == most
            assert coordinator.standing().stopping == "max_pages"


def test_a_full_disk_ends_it_with_a_reason(tmp_path: Path) -> None:
    with serving(Sites(make_web())) as server:
        options = settings(server, f"{HOSTS[0]}/0", min_disk_mb=1e12)
        coordinator = crawl_here(tmp_path, options, shards=2)
    assert coordinator.standing().stopping == "min_disk_mb"


def test_beyond_the_razor_until_a_better_mention_in_another_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(response: Any, host: str, state: Any) -> Any:
        found: Any = judge_simply(response, host, state)
        links = found.judged.links
        if response.url.endswith("/poor"):
            links = links._replace(buckets=links.buckets * 0 - 1)
        return found._replace(judged=found.judged._replace(links=links))

    here, there = (
        next(host for host in HOSTS if shard_of(host.removeprefix("http://"), 2) == number)
        for number in (0, 1)
    )
    replies: dict[str, Reply] = {
        f"{here}/": page("/poor", "/good"),
        f"{here}/poor": page(f"{there}/x"),
        f"{here}/good": page(f"{there}/x"),
        f"{there}/x": page(),
    }
    monkeypatch.setattr("tests.crawl.sites.judge_simply", judge)
    for shards in (1, 2):
        with serving(Sites(replies)) as server:
            folder = tmp_path / str(shards)
            crawl_here(folder, settings(server, f"{here}/"), shards=shards, judge=judge)
        assert (f"{there}/x", 200) in archived(folder)


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[tuple[Shard, list[Message]]]:
    """A shard that does not run."""
    sent: list[Message] = []
    local = Local(tmp_path, settings(None), 2)
    shard = Shard(local.setup(0), Unfocused(), judge_simply, sent.append)
    shard.frontier = Frontier(shard.store, shard.strategy)
    yield shard, sent
    shard.archive.close()
    shard.store.close()
    shard.lock.close()


def letter(number: int, url: str) -> tuple[int, str]:
    return number, json.dumps(Candidate(url, url.split("/")[2]))


def test_letters_that_come_twice_count_once(shard: tuple[Shard, list[Message]]) -> None:
    receiver, sent = shard
    first = CandidateLetters(1, 0, [letter(1, "http://a.test/1"), letter(2, "http://a.test/2")])
    again = CandidateLetters(1, 0, [*first.rows, letter(5, "http://a.test/3")])
    for letters in (first, again, first):
        receiver.deliver(letters)
    receiver._read_mail()
    assert receiver.frontier.queued == [3, 0]
    assert not sent  # they are not safe before they are committed
    receiver._commit(sync=False)
    assert not sent  # a power cut could still take them away, and their sender forgets them
    receiver._commit(sync=True)
    assert sent == [Received(1, 0, 5)]


def test_letters_are_sent_when_safe_and_kept_until_they_are_received(
    shard: tuple[Shard, list[Message]],
) -> None:
    sender, sent = shard
    foreign = next(host for host in HOSTS if shard_of(host.removeprefix("http://"), 2) == 1)
    sender.post([Candidate(f"{foreign}/1", foreign.removeprefix("http://"))])
    assert not sent
    sender._commit(sync=False)
    (letters,) = sent
    assert isinstance(letters, CandidateLetters)
    sender._commit(sync=False)
    assert len(sent) == 1
    sender.letters.written, sender.letters.last = 0, {}  # so it is after a kill
    sender._commit(sync=False)
    assert sent[1] == letters
    sender.deliver(Received(0, 1, letters.rows[-1][0]))
    sender._read_mail()
    sender.letters.written, sender.letters.last = 0, {}
    sender._commit(sync=False)
    assert len(sent) == 2


def test_no_number_of_a_letter_comes_twice_even_if_its_row_was_lost(tmp_path: Path) -> None:
    insert = "INSERT INTO outbox (shard, row) VALUES (1, '')"
    store = StateDb(tmp_path / "state.sqlite")
    store.number_letters_anew()
    store.commit()
    lost = store.db.execute(insert).lastrowid
    store.close()  # without a commit: as if the power had gone
    store = StateDb(tmp_path / "state.sqlite")
    store.number_letters_anew()
    assert (store.db.execute(insert).lastrowid or 0) > (lost or 0)
    store.close()


def test_two_shards_cannot_share_a_folder(
    shard: tuple[Shard, list[Message]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.state.control.LOCK_S", 0.2)
    with pytest.raises(SettingsError, match="another process"):
        Shard(shard[0].setup, Unfocused(), judge_simply, lambda _: None)


def test_after_a_mistake_of_ours_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed: list[Any] = []

    def observe(_: Unfocused, state: Any, judged: Any) -> Any:
        observed.append(judged)
        if len(observed) == 7:
            raise ValueError("a mistake")
        return state

    with serving(Sites(make_web())) as server:
        options = settings(server, f"{HOSTS[0]}/0")
        crawl_here(tmp_path / "whole", options)
        with monkeypatch.context() as patched:
            patched.setattr(Unfocused, "observe", observe)
            with pytest.raises(ValueError, match="a mistake"):
                crawl_here(tmp_path / "broken", options)
        crawl_here(tmp_path / "broken", options)
    found = archived(tmp_path / "broken")
    assert sorted(found) == sorted(archived(tmp_path / "whole"))
