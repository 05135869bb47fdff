"""A few pages for learning: with the manners of a crawl, and its patience."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.crawl.fetch.fetch_many import LEFT_ALONE, fetch_few
from blickfang.crawl.fetch.streamed_answer import CLOSED
from blickfang.io.warc.http_exchange import Exchange
from blickfang.types import Failure
from tests.crawl.sites import Busy, Reply, Sites, failing, moved, page, serving, settings, text
from tests.site.hostile_server import HostileServer

A = "http://a.test"


def fetch(sites: Sites, *urls: str) -> tuple[list[str], dict[str, Failure]]:
    kept: list[str] = []

    def keep(url: str, answer: Exchange) -> None:
        del answer
        kept.append(url)

    with serving(sites) as server:
        return kept, fetch_few(urls, settings(server, retries=2), "Blickfang/0", keep)


@pytest.mark.parametrize("path", ["/1", "/robots.txt"])
@pytest.mark.parametrize("status", [500, 503, 429])
def test_errors_that_go_away_cost_nothing(path: str, status: int) -> None:
    last = page() if path == "/1" else text("")
    sites = Sites({f"{A}/1": page(), f"{A}{path}": failing(2, last, status)})
    assert fetch(sites, f"{A}/1") == ([f"{A}/1"], {})
    assert sites.times[-1] - sites.times[0] >= 0.3  # after pauses


def test_errors_that_stay_are_named() -> None:
    replies: dict[str, Reply] = {
        f"{A}/1": text("", 503),
        f"{A}/4": moved("/4"),
        f"{A}/5": page(),
    }
    sites = Sites(replies)
    kept, failures = fetch(sites, *(f"{A}/{number}" for number in (1, 3, 4, 5)))
    assert kept == [f"{A}/5"]
    assert {url.removeprefix(A): failure.reason for url, failure in failures.items()} == {
        "/1": "status 503",
        "/3": "status 404",
        "/4": "too many redirects",
    }
    assert (sites.count(f"{A}/1"), sites.count(f"{A}/3")) == (3, 1)


@pytest.mark.parametrize("path", ["/1", "/robots.txt"])
def test_who_asks_to_be_left_alone_for_long_is_asked_once(path: str) -> None:
    sites = Sites({f"{A}/{number}": page() for number in (1, 2)} | {"http://b.test/1": page()})
    sites.replies[A + path] = text("", 503, ("Retry-After", "4000"))
    kept, failures = fetch(sites, f"{A}/1", f"{A}/2", "http://b.test/1")
    assert kept == ["http://b.test/1"]
    assert "503" in failures[f"{A}/1"].reason or "5xx" in failures[f"{A}/1"].reason
    assert failures[f"{A}/2"].reason == LEFT_ALONE
    assert (sites.count(A + path), sites.count(f"{A}/2")) == (1, 0)


@pytest.mark.parametrize("pause_s", [1, 4000])
def test_who_is_busy_is_left_alone_whatever_it_was_asked_for(pause_s: int) -> None:
    sites = Sites({f"{A}/1": page()})
    sites.replies[f"{A}/.well-known/tdmrep.json"] = text("", 503, ("Retry-After", str(pause_s)))
    kept: list[str] = []
    with serving(sites) as server:
        options = settings(server, purpose="research")
        lost = fetch_few([f"{A}/1"], options, "Blickfang/0", lambda url, _: kept.append(url))
    assert (kept, [why.reason for why in lost.values()]) == (
        ([f"{A}/1"], []) if pause_s == 1 else ([], [LEFT_ALONE])
    )
    assert sites.count(f"{A}/.well-known/tdmrep.json") == 1
    assert pause_s > 1 or sites.times[-1] - sites.times[-2] >= 1


def test_half_a_page_is_none() -> None:
    kept: list[str] = []
    with HostileServer() as server:
        options = settings(None, retries=1, robots=False)
        wanted = [server.url("/length/long")]
        failures = fetch_few(wanted, options, "Blickfang/0", lambda url, _: kept.append(url))
    assert kept == []
    assert [failure.reason for failure in failures.values()] == [CLOSED]
    assert len(server.requests) == 2  # the rest might have come


def test_what_was_fetched_is_kept_when_it_is_broken_off(tmp_path: Path) -> None:
    sites = Sites({f"{A}/1": page(), f"{A}/2": page()})

    def keep(url: str, answer: Exchange) -> None:
        if url.endswith("2"):
            raise KeyboardInterrupt
        (tmp_path / "1").write_bytes(answer.body)

    with serving(sites) as server, pytest.raises(KeyboardInterrupt):
        fetch_few([f"{A}/1", f"{A}/2"], settings(server), "Blickfang/0", keep)
    assert (tmp_path / "1").exists()


def test_a_slow_host_holds_up_nobody() -> None:
    sites = Sites({f"{A}/1": page(), "http://b.test/1": page(), "http://b.test/2": page()})
    sites.waits[f"{A}/1"] = 1.0
    kept: list[str] = []
    told: list[tuple[int, int]] = []
    with serving(sites) as server:
        failures = fetch_few(
            [f"{A}/1", f"{A}/2", "http://b.test/1", "http://b.test/2"],
            settings(server),
            "Blickfang/0",
            lambda url, _: kept.append(url),
            lambda done, total: told.append((done, total)),
        )
    assert kept == ["http://b.test/1", "http://b.test/2", f"{A}/1"]
    assert list(failures) == [f"{A}/2"]
    assert told == [(done, 4) for done in range(5)]


def test_who_waits_for_a_pause_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.fetch_many.HOSTS", 1)
    sites = Sites({f"{A}/1": page(), "http://b.test/1": page()})
    sites.replies[f"{A}/robots.txt"] = text("User-agent: *\nCrawl-delay: 0.5")
    kept: list[str] = []
    with serving(sites) as server:
        wanted = [f"{A}/1", "http://b.test/1"]
        fetch_few(wanted, settings(server), "Blickfang/0", lambda url, _: kept.append(url))
    assert kept == ["http://b.test/1", f"{A}/1"]
    assert sites.times[-1] - sites.times[0] >= 0.5


def test_what_is_not_kept_is_a_failure() -> None:
    sites = Sites({f"{A}/1": page(), f"{A}/2": page()})
    refused = Failure(f"{A}/1", "page", "empty")

    def keep(url: str, answer: Exchange) -> Failure | None:
        del answer
        return refused if url == refused.url else None

    with serving(sites) as server:
        found = fetch_few([f"{A}/1", f"{A}/2"], settings(server), "Blickfang/0", keep)
    assert found == {f"{A}/1": refused}


def test_no_more_at_once_than_an_address_may_bear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.resolver._look_up", lambda _: ["127.0.0.1"])
    names = [f"h{number}.test" for number in range(6)]
    sites = Busy({f"http://{name}/": page() for name in names})
    kept: list[str] = []
    with serving(sites) as server:
        options = replace(settings(server, per_address=2), proxy="")
        wanted = [f"http://{name}:{server.port}/" for name in names]
        fetch_few(wanted, options, "Blickfang/0", lambda url, _: kept.append(url))
    assert len(kept) == 6
    assert sites.most == 2
