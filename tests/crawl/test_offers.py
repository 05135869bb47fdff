"""What is offered: above all what sitemaps list, whatever befalls them."""

from dataclasses import replace
from pathlib import Path

import pytest

from blickfang.crawl.state.crawl_queries import (
    explain_address,
    find_stores,
    list_visits,
    queue_failed,
)
from blickfang.demo.truth import Answer
from tests.crawl.sites import (
    Reply,
    Sites,
    archived,
    crawl_here,
    failing,
    page,
    serving,
    settings,
    text,
)

A, MAPS = "http://a.test", "http://maps.test"
LISTED = {f"{A}/1", f"{A}/2"}


def listing(*urls: str, kind: str = "url") -> Answer:
    """Return a sitemap, or an index of some."""
    root = {"url": "urlset", "sitemap": "sitemapindex"}[kind]
    entries = "".join(f"<{kind}><loc>{url}</loc></{kind}>" for url in urls)
    xml = f"<{root}>{entries}</{root}>".encode()
    return Answer(200, (("Content-Type", "application/xml"),), xml)


def make_web(named: str, answer: Reply) -> Sites:
    pages: dict[str, Reply] = {url: page() for url in (f"{A}/", *LISTED)}
    robots = text(f"Sitemap: {named}\n")
    return Sites({f"{A}/robots.txt": robots, named: answer, **pages})


def fetched(folder: Path) -> set[str]:
    return {url for url, status in archived(folder) if status == 200}


def test_a_sitemap_that_failed_is_one_when_it_is_queued_again(tmp_path: Path) -> None:
    sites = make_web(f"{A}/map.xml", failing(2, listing(*LISTED)))
    with serving(sites) as server:
        options = settings(server, f"{A}/", sitemaps=True, retries=1)
        crawl_here(tmp_path, options)
        assert not fetched(tmp_path) & LISTED
        assert [queue_failed(path) for path in find_stores(tmp_path)] == [1]
        crawl_here(tmp_path, options)
    assert fetched(tmp_path) >= LISTED
    assert {row["url"] for row in list_visits(tmp_path, 0)} == {f"{A}/", *LISTED}


def test_a_sitemap_that_was_skipped_is_one_when_settings_are_loosened(tmp_path: Path) -> None:
    with serving(make_web(f"{A}/map.xml", listing(*LISTED))) as server:
        options = settings(server, f"{A}/", sitemaps=True)
        crawl_here(tmp_path, replace(options, reject=("(test,a,)/map",)))
        found = explain_address(tmp_path, f"{A}/map.xml")
        assert found
        assert found["why"] == "rejected by the settings"
        crawl_here(tmp_path, options)
    assert {row["url"] for row in list_visits(tmp_path, 0)} == {f"{A}/", *LISTED}


@pytest.mark.parametrize("shards", [1, 3])
def test_a_sitemap_elsewhere_speaks_for_who_named_it_and_for_nobody_else(
    tmp_path: Path, shards: int
) -> None:
    sites = make_web(f"{MAPS}/index.xml", listing(f"{MAPS}/1.xml", kind="sitemap"))
    sites.replies[f"{MAPS}/1.xml"] = listing(*LISTED, "http://other.test/")
    with serving(sites) as server:
        options = settings(server, f"{A}/", sitemaps=True)
        crawl_here(tmp_path, options, shards=shards)
    assert {row["url"] for row in list_visits(tmp_path, 0)} == {f"{A}/", *LISTED}
    assert not [url for url in sites.asked if "other" in url]


@pytest.mark.parametrize("shards", [1, 3])
def test_sitemaps_that_are_wanted_later(tmp_path: Path, shards: int) -> None:
    sites = make_web(f"{MAPS}/map.xml", listing(*LISTED))
    with serving(sites) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, options, shards=shards)
        assert not fetched(tmp_path) & LISTED
        for _ in range(2):
            crawl_here(tmp_path, replace(options, sitemaps=True), shards=shards)
    assert fetched(tmp_path) >= LISTED
    assert sites.count(f"{MAPS}/map.xml") == sites.count(f"{A}/robots.txt") == 1


def test_what_was_left_out_or_failed_and_is_a_seed_later(tmp_path: Path) -> None:
    trap, gone = f"{A}/x/y/x/y/x/y/x/y/", f"{A}/gone"
    sites = Sites({f"{A}/": page(trap, gone), trap: page(), gone: failing(2, page(), 404)})
    with serving(sites) as server:
        for seeds in ((), (trap, gone), (trap, gone)):
            crawl_here(tmp_path, settings(server, f"{A}/", *seeds))
    assert fetched(tmp_path) == {f"{A}/", trap}
    assert (sites.count(trap), sites.count(gone)) == (1, 2)  # as a seed it was tried, once
