"""A few pages for learning: with the manners of a crawl, and its patience."""

from pathlib import Path

import pytest

from blickfang.crawl.exchange import Exchange
from blickfang.crawl.few import fetch_few
from blickfang.data import Failure
from tests.crawl.sites import Reply, Sites, failing, moved, page, serving, settings, text

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
        f"{A}/2": text("", 503, ("Retry-After", "4000")),
        f"{A}/4": moved("/4"),
        f"{A}/5": page(),
    }
    sites = Sites(replies)
    kept, failures = fetch(sites, *(f"{A}/{number}" for number in range(1, 6)))
    assert kept == [f"{A}/5"]
    assert {url.removeprefix(A): failure.reason for url, failure in failures.items()} == {
        "/1": "status 503",
        "/2": "status 503",
        "/3": "status 404",
        "/4": "too many redirects",
    }
    assert (sites.count(f"{A}/1"), sites.count(f"{A}/2"), sites.count(f"{A}/3")) == (3, 1, 1)


def test_what_was_fetched_is_kept_when_it_is_broken_off(tmp_path: Path) -> None:
    sites = Sites({f"{A}/1": page(), f"{A}/2": page()})

    def keep(url: str, answer: Exchange) -> None:
        if url.endswith("2"):
            raise KeyboardInterrupt
        (tmp_path / "1").write_bytes(answer.body)

    with serving(sites) as server, pytest.raises(KeyboardInterrupt):
        fetch_few([f"{A}/1", f"{A}/2"], settings(server), "Blickfang/0", keep)
    assert (tmp_path / "1").exists()
