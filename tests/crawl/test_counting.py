"""What failed and what was skipped: a crawl tells of its run what `status` tells of all runs."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.crawl.fetch.early_stop import NOT_A_PAGE
from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import NOT_FOLLOWED
from blickfang.crawl.frontier.candidates import FAILED, IMAGE, SKIPPED, SPENT, Candidate
from blickfang.crawl.frontier.enqueue import BEYOND, LOST
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.shards.messages import Began
from blickfang.crawl.shards.progress import Standing
from blickfang.crawl.shards.rebalancing import settle_hosts
from blickfang.crawl.state.crawl_queries import list_visits, summarise
from blickfang.crawl.state.state_db import StateDb, count_ended
from blickfang.demo.truth import Answer
from tests.crawl.sites import (
    Reply,
    Sites,
    crawl_here,
    moved,
    page,
    picture,
    serving,
    settings,
    text,
)
from tests.crawl.test_coordinator import QUIET, Office

A, B, C, D = (f"http://{name}.test" for name in "abcd")
DISALLOWED, TOO_SLOW = "robots.txt: disallow", "crawl-delay too long"


def make_web() -> dict[str, Reply]:
    """A web of which much cannot be had, for every kind of reason."""
    trap = "/x" * 12
    return {
        f"{A}/robots.txt": text("User-agent: *\nDisallow: /no\n"),
        f"{A}/": page("/1", "/no/1", "/no/2", "/gone", f"{B}/", f"{C}/", trap, images=("/no.gif",)),
        f"{A}/1": page("/2", "/loop", "/no/3", f"{B}/2", f"{C}/2"),
        f"{A}/2": page("/gone/2", f"{D}/1", f"{D}/2", f"{D}/3"),
        f"{A}/loop": moved("/pool"),
        f"{A}/pool": moved("/loop"),
        f"{B}/robots.txt": text("User-agent: *\nCrawl-delay: 3600\n"),
        f"{C}/robots.txt": text("", 500),
        **{f"{D}/{number}": page() for number in range(1, 4)},
    }


def sum_up(standings: list[Standing]) -> tuple[dict[str, int], dict[str, int]]:
    """Return what failed and what was skipped in all runs together."""
    failed, skipped = Counter[str](), Counter[str]()
    for standing in standings:
        failed.update(standing.failures)
        skipped.update(standing.skipped)
    return dict(failed), dict(skipped)


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("limits", [(0,), (1, 2, 3, 0)])
def test_what_runs_tell_is_what_status_tells(
    tmp_path: Path, shards: int, limits: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.frontier.politeness.GIVE_UP_AFTER", 2)
    with serving(Sites(make_web())) as server:
        options = settings(server, f"{A}/")
        runs = [
            crawl_here(tmp_path, replace(options, max_pages=most), shards=shards).standing()
            for most in limits
        ]
    found = summarise(tmp_path)
    assert sum_up(runs) == (found["failures"], found["skipped"])
    assert found["failures"]["status 404"] == 2
    assert found["failures"]["redirect loop"] == 1
    assert sum(n for why, n in found["failures"].items() if LOST in why or "5xx" in why) == 2
    assert found["skipped"][DISALLOWED] == 4
    assert found["skipped"][TOO_SLOW] == 2
    assert found["pages"] == 6


@pytest.mark.parametrize("shards", [1, 2])
def test_hosts_of_which_only_images_came_were_asked_too(tmp_path: Path, shards: int) -> None:
    images = (f"{B}/1.gif", f"{B}/2.gif", f"{C}/gone.gif")
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", f"{D}/moved", images=images),
        f"{A}/1": page(),
        f"{B}/1.gif": picture("1"),
        f"{B}/2.gif": picture("2"),
        f"{D}/moved": moved(f"{A}/1"),
    }
    with serving(Sites(replies)) as server:
        options = settings(server, f"{A}/")
        settle_hosts(tmp_path, shards)
        told = [crawl_here(tmp_path, options, shards=shards).standing().hosts for _ in range(2)]
    assert told == [4, 4]
    assert summarise(tmp_path)["hosts"] == 4
    settle_hosts(tmp_path, 3)
    assert summarise(tmp_path)["hosts"] == 4
    with serving(Sites(replies)) as server:
        options = settings(server, f"{A}/")
        assert crawl_here(tmp_path, options, shards=3).standing().hosts == 4


def test_only_html_counts_for_max_pages(tmp_path: Path) -> None:
    xml = Answer(200, (("Content-Type", "Application/XML ; charset=utf-8"),), b"<a href='x'>b</a>")
    bare = Answer(200, (), page("/4").body)
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/2", "/3"),
        f"{A}/1": text("words"),
        f"{A}/2": xml,
        f"{A}/3": bare,
        f"{A}/4": page("/5"),
        f"{A}/5": page(),
    }
    for most in (2, 3):
        with serving(Sites(replies)) as server:
            standing = crawl_here(tmp_path, settings(server, f"{A}/", max_pages=most)).standing()
        assert summarise(tmp_path)["pages"] == most
    assert standing.pages == 1
    types = {row["url"][-1]: row["type"] for row in list_visits(tmp_path, 0)}
    assert types == {
        "/": "text/html; charset=utf-8",
        "1": "text/plain",
        "2": "Application/XML ; charset=utf-8",
        "3": "",
        "4": "text/html; charset=utf-8",
    }


def test_the_budget_of_a_host_is_told_with_what_was_skipped(tmp_path: Path) -> None:
    with serving(Sites(make_web())) as server:
        options = settings(server, f"{D}/1", f"{D}/2", f"{D}/3", max_pages_per_host=2)
        standing = crawl_here(tmp_path, options).standing()
    assert standing.skipped == summarise(tmp_path)["skipped"] == {SPENT: 1}
    assert not standing.failures


def test_what_comes_back_from_beyond_the_razor_is_not_counted(tmp_path: Path) -> None:
    store = StateDb(tmp_path / "state.sqlite")
    frontier = Frontier(store, Strategy())
    url = f"{A}/x"
    frontier.add([Candidate(url, "a.test", bucket=NOT_FOLLOWED)])
    assert frontier.ended == {FAILED: {}, SKIPPED: {BEYOND: 1}}
    frontier.add([Candidate(url, "a.test")])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.settle(choice, FAILED, NOT_A_PAGE)
    frontier.release("a.test", 0.0)
    assert frontier.ended == {FAILED: {NOT_A_PAGE: 1}, SKIPPED: {BEYOND: 0}}
    frontier.add([Candidate(url, "a.test", IMAGE)])
    assert (+frontier.ended[FAILED], +frontier.ended[SKIPPED]) == count_ended(store.db) == ({}, {})
    store.close()


def test_a_shard_that_came_back_has_failed_as_often_as_it_had_saved() -> None:
    office = Office(2)
    office.take(Began(0, 0, 0, 0, {"old": 5}, {"old": 7}), Began(1, 0, 0, 0, {}, {}))
    assert not office.coordinator.standing().failures
    office.take(QUIET._replace(failures={"old": 5, "new": 3}, skipped={"old": 9}))
    office.take(QUIET._replace(shard=1, failures={"new": 1}))
    told = office.coordinator.standing()
    assert (told.failures, told.skipped) == ({"new": 4}, {"old": 2})
    office.coordinator.part_with(0)
    assert office.coordinator.standing().failures == {"new": 4}
    office.take(Began(0, 0, 0, 0, {"old": 5, "new": 1}, {"old": 8}))  # some of it was not saved
    told = office.coordinator.standing()
    assert (told.failures, told.skipped) == ({"new": 2}, {"old": 1})
    office.take(QUIET._replace(failures={"old": 5, "new": 3}, skipped={"old": 9}))
    assert office.coordinator.standing().failures == {"new": 4}
