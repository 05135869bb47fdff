"""Settings changed between two runs of a crawl: what they had kept out comes back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus.judged_values import NOT_FOLLOWED, HostState
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.shards.coordinator import Coordinator
from blickfang.crawl.state.crawl_queries import explain_address, find_stores, summarise
from blickfang.crawl.state.state_db import looking_into
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.crawl.visit.requeue import find_loosened, list_limits
from blickfang.types import Failure, Response
from tests.cli.running import run
from tests.crawl.sites import (
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
    write_collection,
)

A, B = "http://a.test", "http://b.test"
WORDS = "The robin sings at dawn, long before anybody else is awake in these woods. " * 4
WEB: dict[str, Reply] = {
    f"{A}/robots.txt": text("User-agent: *\nDisallow: /no\n"),
    f"{A}/": page("/1", "/no", f"{B}/", "/go", images=("/1.gif",)),
    f"{A}/1": page("/2"),
    f"{A}/2": page("/3"),
    f"{A}/3": page(),
    f"{A}/no": page(),
    f"{A}/go": moved(f"{B}/there"),
    f"{A}/1.gif": picture("1"),
    f"{B}/": page("/far"),
    f"{B}/far": page(),
    f"{B}/there": page(),
}
ALL = {url for url in WEB if not url.endswith((".gif", "/no", ".txt"))}
OF_B = {url for url in ALL if url.startswith(B)}
CASES: list[tuple[dict[str, Any], dict[str, Any], set[str], str]] = [
    ({"max_pages_per_host": 1}, {"max_pages_per_host": 0}, ALL - {f"{A}/", f"{B}/"}, "addresses"),
    ({"max_pages_per_host": 1}, {"max_pages_per_host": 2}, {f"{A}/1", f"{B}/far"}, "addresses"),
    ({"max_depth": 1}, {"max_depth": 2}, {f"{A}/2", f"{B}/far"}, "pages"),
    ({"max_depth": 1}, {"max_depth": 0}, {f"{A}/2", f"{A}/3", f"{B}/far"}, "pages"),
    ({"accept": ("(test,a,",)}, {"accept": ()}, OF_B, "pages"),
    ({"accept": ("(test,a,",)}, {"accept": ("(test,a,", "(test,b,)/far")}, set(), "pages"),
    ({"reject": ("(test,b,",)}, {}, OF_B, "pages"),
    ({"stay_on_seed_hosts": True}, {"stay_on_seed_hosts": False}, OF_B, "pages"),
    ({"images": False}, {"images": True}, {f"{A}/1.gif"}, "pages"),
    ({"robots": True}, {"robots": False}, {f"{A}/no"}, "addresses"),
]


def crawl(folder: Path, shards: int, **more: Any) -> Coordinator:
    with serving(Sites(WEB)) as server:
        return crawl_here(folder, settings(server, f"{A}/", **more), shards=shards)


def fetched(folder: Path) -> set[str]:
    found = [url for url, _ in archived(folder)]
    return set(found)


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize(("before", "after", "more", "what"), CASES)
def test_what_a_limit_kept_out_comes_back(
    tmp_path: Path,
    before: dict[str, Any],
    after: dict[str, Any],
    more: set[str],
    what: str,
    shards: int,
) -> None:
    quiet = {"images": False}
    first = crawl(tmp_path, shards, **(quiet | before)).standing()
    assert not first.queued_again
    assert not first.read_again
    there = fetched(tmp_path)
    again = crawl(tmp_path, shards, **(quiet | after)).standing()
    assert fetched(tmp_path) - there == more
    told = again.queued_again if what == "addresses" else again.read_again
    assert set(told) == set(before)
    assert told.total() > 0
    last = crawl(tmp_path, shards, **(quiet | after)).standing()  # nothing has changed since
    assert not last.queued_again
    assert not last.read_again
    assert fetched(tmp_path) == there | more


TIGHTER: list[tuple[dict[str, Any], set[str], int, str]] = [
    ({"reject": ("(test,b,",)}, OF_B, 1, "rejected by the settings"),
    ({"accept": ("(test,a,",)}, OF_B, 1, "out of scope"),
    ({"stay_on_seed_hosts": True}, OF_B, 1, "out of scope"),
    ({"max_depth": 1}, {f"{A}/2", f"{A}/3", f"{B}/far"}, 3, "deeper than max_depth"),
]


def queued(folder: Path) -> set[str]:
    found = set[str]()
    for path in find_stores(folder):
        with looking_into(path) as db:
            found |= {url for (url,) in db.execute("SELECT url FROM urls WHERE state = 0")}
    return found


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize(("more", "without", "pages", "why"), TIGHTER)
def test_tighter_settings_hold_for_what_is_queued(
    tmp_path: Path, more: dict[str, Any], without: set[str], pages: int, why: str, shards: int
) -> None:
    crawl(tmp_path, shards, max_pages=pages, images=False)
    there, waited = fetched(tmp_path), queued(tmp_path)
    assert waited & without
    crawl(tmp_path, shards, images=False, **more)
    assert fetched(tmp_path) == there | ALL - without
    assert summarise(tmp_path)["skipped"].get(why) == len(waited & without)
    again = crawl(tmp_path, shards, images=False).standing()
    assert fetched(tmp_path) == ALL
    assert again.queued_again.keys() == more.keys()


def test_images_that_are_not_wanted_any_more(tmp_path: Path) -> None:
    pictures = {f"{A}/{n}.gif" for n in range(5)}
    replies: dict[str, Reply] = {f"{A}/": page("/1", images=tuple(pictures)), f"{A}/1": page()}
    sites = Sites(replies | {url: picture(url) for url in pictures})
    with serving(sites) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, replace(options, max_images=2))
        crawl_here(tmp_path, replace(options, images=False))
        assert summarise(tmp_path)["skipped"] == {"images are not wanted": 3}
        standing = crawl_here(tmp_path, options).standing()
    assert fetched(tmp_path) == {*sites.replies}
    assert standing.queued_again == {"images": 3}


def test_what_was_too_deep_comes_back_when_it_is_found_nearer(tmp_path: Path) -> None:
    sites = Sites({f"{A}/{n}": page(f"/{n + 1}") for n in range(4)})
    sites.replies[f"{A}/new"] = page("/3")
    with serving(sites) as server:
        options = settings(server, f"{A}/0")
        crawl_here(tmp_path, replace(options, max_pages=3))
        crawl_here(tmp_path, replace(options, max_depth=1))
        assert summarise(tmp_path)["skipped"] == {"deeper than max_depth": 1}
        crawl_here(tmp_path, replace(options, max_depth=1, seeds=(f"{A}/0", f"{A}/new")))
    assert f"{A}/3" in fetched(tmp_path)


@pytest.mark.parametrize("shards", [1, 2])
def test_what_is_rejected_is_not_even_fetched_as_a_seed(tmp_path: Path, shards: int) -> None:
    replies = WEB | {
        f"{A}/robots.txt": text(f"Sitemap: {B}/map.xml\n"),
        f"{A}/moved": moved(f"{B}/there"),
        f"{B}/map.xml": text("<urlset></urlset>"),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/", f"{A}/moved", f"{B}/", sitemaps=True)
        crawl_here(tmp_path, replace(options, reject=("(test,b,",)), shards=shards)
        assert not [url for url in sites.asked if url.startswith(B)]
        assert explain_address(tmp_path, f"{B}/")["why"] == "rejected by the settings"  # type: ignore[index]
        crawl_here(tmp_path, options, shards=shards)
    assert fetched(tmp_path) >= ALL | {f"{B}/map.xml"}


def test_a_user_is_told_of_seeds_that_are_rejected(tmp_path: Path) -> None:
    with serving(Sites(WEB)) as server:
        write_collection(tmp_path, server, f"{A}/", f"{B}/", reject=("(test,b,",), max_pages=9)
        done = run("crawl", tmp_path, "--shards", "1")
    assert done.returncode == 0, done.stderr
    assert f"left out, for reject names them, too: {B}/ in seeds" in done.stderr


def test_a_razor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(response: Response, host: str, state: HostState) -> Judgement | Failure:
        found = judge_simply(response, host, state)
        if isinstance(found, Judgement) and Unfocused.razor == 1.0:
            for number, url in enumerate(found.links):
                if url.endswith("far"):
                    found.judged.links.buckets[number] = NOT_FOLLOWED
        return found

    for razor, count in ((1.0, len(ALL) - 1), (2.0, len(ALL))):
        monkeypatch.setattr(Unfocused, "razor", razor)
        with serving(Sites(WEB)) as server:
            options = settings(server, f"{A}/", images=False)
            crawl_here(tmp_path, options, shards=2, judge=judge)
        assert len(fetched(tmp_path)) == count
    assert summarise(tmp_path)["skipped"] == {"robots.txt: disallow": 1}


def test_pages_whose_payload_is_in_another_record_are_read_again(tmp_path: Path) -> None:
    same = page("end", text=WORDS)
    replies: dict[str, Reply] = {
        f"{A}/": page("/x/", "/y/"),
        f"{A}/x/": same,
        f"{A}/y/": same,
        f"{A}/x/end": page(),
        f"{A}/y/end": page(),
    }
    with serving(Sites(replies)) as server:
        for depth in (1, 2):
            crawl_here(tmp_path, settings(server, f"{A}/", max_depth=depth))
    assert fetched(tmp_path) == set(replies)
    for path in find_stores(tmp_path):
        with looking_into(path) as db:
            assert not db.execute("SELECT * FROM reoffers").fetchall()


@pytest.mark.parametrize(
    ("head", "before", "after"),
    [
        ("nofollow", {"robots": True}, {"robots": False}),
        ("noimageindex", {"robots": True}, {"robots": False}),
        ("noimageai", {"purpose": "train"}, {"purpose": "search"}),
    ],
)
def test_what_pages_asked_not_to_follow(
    tmp_path: Path, head: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    said = f'<meta name="robots" content="{head}">'
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", images=("/1.gif",), head=said),
        f"{A}/1": page(),
        f"{A}/1.gif": picture("1"),
    }
    for more, is_all in ((before, False), (after, True)):
        with serving(Sites(replies)) as server:
            crawl_here(tmp_path, settings(server, f"{A}/", **more))
        assert (fetched(tmp_path) == set(replies)) == is_all


def test_only_what_lets_in_more_is_looser() -> None:
    options: dict[str, Any] = {"seeds": (f"{A}/",), "stay_on_seed_hosts": True}
    before = list_limits(CrawlOptions(**options, max_depth=3, reject=("(org,",)), 5.0)
    assert find_loosened(before, before) == []
    assert find_loosened({}, before) == []
    tighter = CrawlOptions(**options, max_depth=2, max_pages_per_host=3, reject=("(org,", "(com,"))
    assert find_loosened(before, list_limits(tighter, 4.0)) == []
    more = {**options, "seeds": (f"{A}/", f"{B}/")}
    looser = list_limits(CrawlOptions(**more, max_depth=0, purpose="search"), None)
    assert set(find_loosened(before, looser)) == {
        *("max_depth", "reject", "purpose", "seeds", "razor"),
    }


def test_a_user_is_told_in_a_line(tmp_path: Path) -> None:
    with serving(Sites(WEB)) as server:
        for most in (2, 0):
            write_collection(
                tmp_path / "c", server, f"{A}/", max_pages_per_host=most, images=False, shards=2
            )
            done = run("crawl", tmp_path / "c")
            assert done.returncode == 0, done.stderr
            told = "max_pages_per_host changed since the last run: 3 addresses are queued again"
            assert (told in done.stderr) == (most == 0), done.stderr
    found = explain_address(tmp_path / "c" / "crawl", f"{A}/3")
    assert found is not None
    assert found["state"] == "done"
