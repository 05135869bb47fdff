"""A crawl that is started again: limits hold, nothing that is gone goes unnoticed."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from blickfang.config import open_collection
from blickfang.crawl import CrawlOptions
from blickfang.crawl.crawl_admin import CrawlRates, estimate, guess_time
from blickfang.crawl.shards.rebalancing import settle_hosts
from blickfang.crawl.shards.shard_plan import check_shards
from blickfang.crawl.state.crawl_queries import list_consent
from blickfang.demo.truth import Answer
from blickfang.errors import InputError
from tests.cli.running import objects, run
from tests.crawl.sites import (
    Reply,
    Sites,
    archived,
    crawl_here,
    page,
    serving,
    settings,
    text,
    write_collection,
)

A, B = "http://a.test", "http://b.test"
LONG = "Words, and more of them. " * 2000


def make_web() -> Sites:
    replies: dict[str, Reply] = {
        f"{A}/{n}": page(f"/{n + 1}", text=f"{n} {LONG}") for n in range(9)
    }
    replies[f"{A}/robots.txt"] = text("User-agent: *\nDisallow: /no\n")
    replies[f"{B}/0"] = page()
    return Sites(replies)


def test_what_was_not_kept_counts_for_max_mb_after_a_break(tmp_path: Path) -> None:
    sites = make_web()
    sites.replies[f"{A}/1"] = text(LONG * 4, 404)
    sites.replies[f"{A}/0"] = page("/1", "/2")
    with serving(sites) as server:
        options = settings(server, f"{A}/0", max_mb=0.15, images=False, delay_s=0.2)
        for _ in range(2):
            assert crawl_here(tmp_path, options).standing().stopping == "max_mb"
            assert sites.pages_asked() == [f"{A}/0", f"{A}/1"]


def test_the_decision_for_what_nobody_spoke_of(tmp_path: Path) -> None:
    with serving(make_web()) as server:
        write_collection(tmp_path, server, f"{A}/0", images=False, shards=2)
        assert run("crawl", tmp_path).returncode == 0
    free = objects(run("consent", tmp_path, f"{A}/1", "--json"))
    assert [*free[-1]] == ["at", "signals", "decision"]
    decision: Any = free[-1]["decision"]
    assert decision == {
        "fetch": True,
        "keep": True,
        "follow": True,
        "reasons": [],
        "purpose": "search",
    }
    forbidden: Any = objects(run("consent", tmp_path, f"{A}/no", "--json"))[-1]
    assert forbidden["decision"]["fetch"] is False
    assert forbidden["signals"][0]["name"] == "disallow"
    assert "fetch" in run("consent", tmp_path, f"{A}/1").stdout
    assert list_consent(tmp_path / "crawl", "http://nobody.test/", "search") == []


@pytest.mark.parametrize(
    ("robots", "reason"),
    [
        # It is asked once before the time is over; after some silences it would be given up.
        (text("", 503, ("Retry-After", "30")), "robots.txt cannot be read: status 5xx"),
        (text("User-agent: *\nCrawl-delay: 3600\n"), "robots.txt: crawl-delay too long"),
    ],
)
def test_the_ledger_says_why_nothing_of_a_host_is_asked_for(
    tmp_path: Path, robots: Answer, reason: str
) -> None:
    sites = make_web()
    sites.replies[f"{A}/robots.txt"] = robots
    with serving(sites) as server:
        write_collection(tmp_path, server, f"{A}/0", shards=1, max_minutes=0.12)
        run("crawl", tmp_path)
        assert sites.pages_asked() == []
        for path in ("/0", "/never"):
            last: Any = objects(run("consent", tmp_path, A + path, "--json"))[-1]
            assert last["decision"]["fetch"] is False
            assert last["decision"]["reasons"] == [reason]
        sites.replies[f"{A}/robots.txt"] = text("User-agent: *\nDisallow: /no")
        with sqlite3.connect(tmp_path / "crawl" / "shard-00" / "state.sqlite") as db:
            db.execute("UPDATE rules SET until = 1")
            db.execute("UPDATE hosts SET sleeps_until = 0")
        db.close()
        write_collection(tmp_path, server, f"{A}/0", shards=1, max_delay_s=61.0)
        run("crawl", tmp_path)
    assert f"{A}/0" in sites.asked
    last = objects(run("consent", tmp_path, f"{A}/1", "--json"))[-1]
    assert last["decision"]["fetch"] is True  # it has said since


def test_a_shard_whose_folder_is_gone_is_noticed(tmp_path: Path) -> None:
    sites = make_web()
    sites.replies[f"{A}/2"] = page(f"{B}/0")
    with serving(sites) as server:
        write_collection(tmp_path, server, f"{A}/0", f"{B}/0", images=False, shards=2)
        assert run("crawl", tmp_path).returncode == 0
        there = sorted(archived(tmp_path / "crawl"))
        shutil.rmtree(tmp_path / "crawl" / "shard-01")
        asking = (["crawl"], ["crawl", "--retry-failed"], ["status"], ["pages"], ["images"])
        for asked in (*asking, ["explain", f"{B}/0"], ["consent", f"{B}/0"]):
            done = run(asked[0], tmp_path, *asked[1:])
            assert done.returncode == 1
            assert "shard-01 is gone" in done.stderr
            assert "--rebuild" in done.stderr
        assert not (tmp_path / "crawl" / "shard-01").exists()
        done = run("crawl", tmp_path, "--rebuild")
        assert done.returncode == 0, done.stderr
        assert sorted(archived(tmp_path / "crawl")) == there
        assert run("crawl", tmp_path).returncode == 0


def test_a_crawl_that_was_killed_before_its_shards_began_is_whole(tmp_path: Path) -> None:
    settle_hosts(tmp_path / "crawl", 3)
    check_shards(tmp_path / "crawl")
    (tmp_path / "crawl" / "shard-02").rmdir()
    with pytest.raises(InputError, match="one of 3 shards"):
        check_shards(tmp_path / "crawl")


KNOWN = CrawlRates(0, 1.0, 1.0, 4)


@pytest.mark.parametrize(
    ("more", "known", "left", "told"),
    [
        (
            {"max_pages": 1200},
            KNOWN,
            1200,
            "4 hosts are known: from these alone, 1,200 pages take 5 m",
        ),
        (
            {"max_pages": 100},
            KNOWN._replace(hosts=1),
            100,
            "1 host is known: from these alone, 100 p",
        ),
        (
            {"max_pages": 1200},
            KNOWN._replace(requests_per_page=3.0),
            1200,
            "1,200 pages take 15 minu",
        ),
        ({"max_pages": 9**9, "max_minutes": 2}, KNOWN, 9**9, "480 pages take 2 minutes"),
        ({"max_pages": 0, "max_minutes": 2}, KNOWN, 0, "480 pages take 2 minutes"),
        ({"max_pages": 999, "max_pages_per_host": 10}, KNOWN, 999, "40 pages take 10 seconds"),
        ({"max_pages": 9, "max_pages_per_host": 0, "max_minutes": 0}, KNOWN, 9, "9 pages take 2."),
        (
            {"max_pages": 0, "max_pages_per_host": 0, "max_minutes": 0},
            KNOWN,
            0,
            "4 hosts are known",
        ),
    ],
)
def test_a_guess_of_the_time(more: dict[str, Any], known: CrawlRates, left: int, told: str) -> None:
    assert told in guess_time(CrawlOptions(**more), known, left)


def test_there_is_nothing_to_guess(tmp_path: Path) -> None:
    assert guess_time(CrawlOptions(max_pages=5), KNOWN, 0) == ""
    assert guess_time(CrawlOptions(delay_s=0.0, allow_private=True), KNOWN, 9) == ""
    with serving(make_web()) as server:
        write_collection(
            tmp_path, server, f"{A}/0", f"{B}/0", delay_s=1.0, images=False, max_pages=9
        )
        assert "2 hosts are known: from these alone, 9 pages" in estimate(open_collection(tmp_path))
        crawl_here(tmp_path / "crawl", settings(server, f"{A}/0", max_pages=1, images=False))
        assert "8 pages" in estimate(open_collection(tmp_path))
