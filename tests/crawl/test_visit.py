"""Visits: what becomes of every kind of answer, and of servers that mean harm."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from blickfang.crawl.fetch.fetcher import Fetcher, FetchLimits
from blickfang.crawl.focus.judged_values import HostState, Packed
from blickfang.crawl.frontier.candidates import LAST_BUCKET, STATES
from blickfang.crawl.permission import decide, signals_of_answer
from blickfang.crawl.state.crawl_queries import (
    explain_address,
    find_stores,
    list_visits,
    queue_failed,
    queue_fetched,
    summarise,
)
from blickfang.crawl.state.state_db import looking_into
from blickfang.crawl.visit import page_duplicates
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.demo.truth import Answer
from blickfang.io.urls import canonical
from blickfang.io.warc import Archived, read_archive
from blickfang.types import Failure, Response
from tests.crawl.sites import (
    GIF,
    Reply,
    Sites,
    archived,
    archived_by_warcio,
    crawl_here,
    failing,
    judge_simply,
    moved,
    page,
    picture,
    serving,
    settings,
    text,
)
from tests.site.hostile_server import ANSWERS, HostileServer

A, B = "http://a.test", "http://b.test"
LONG = "the same words on both of these pages, so many that they are taken for one text twice " * 2


def crawl(
    folder: Path, replies: dict[str, Reply], *seeds: str, wait_s: float = 0.0, **options: Any
) -> Sites:
    """Crawl a small web to its end."""
    sites = Sites(replies, wait_s)
    with serving(sites) as server:
        crawl_here(folder, settings(server, *(seeds or (f"{A}/",)), **options))
    return sites


def state_of(folder: Path, url: str) -> tuple[str, str]:
    """Return how an address stands, and why."""
    found = explain_address(folder, url)
    assert found is not None, url
    assert found["state"] in STATES
    return found["state"], found["why"]


def test_a_page_its_links_and_its_images(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", f"{B}/", images=("/a.gif",)),
        f"{A}/1": page("/"),
        f"{A}/a.gif": picture("a"),
        f"{B}/": page(f"{A}/1", images=(f"{A}/a.gif",)),
    }
    sites = crawl(tmp_path, replies)
    assert sorted(sites.pages_asked()) == sorted(replies)
    assert sorted(archived(tmp_path)) == sorted((url, 200) for url in replies)
    assert archived_by_warcio(tmp_path) == archived(tmp_path)
    pages = list(list_visits(tmp_path, 0))
    assert pages[0]["url"] == f"{A}/"
    assert {row["url"]: row["via"] for row in pages}[f"{B}/"] == f"{A}/"
    (image,) = list_visits(tmp_path, 1)
    queued = explain_address(tmp_path, image["url"])
    assert queued
    assert (image["score"], image["perplexity"]) == (queued["score"], None)
    assert {"status", "fetched_at", "depth", "via"} <= image.keys()
    assert (image["url"], image["width"], image["height"]) == (f"{A}/a.gif", 1, 1)


def test_redirects_across_hosts(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/go"),
        f"{A}/go": moved(f"{B}/next"),
        f"{B}/next": moved("/end?"),
        f"{B}/end": page(),
    }
    crawl(tmp_path, replies)
    end = list(list_visits(tmp_path, 0))[-1]
    assert (end["url"], end["requested"], end["depth"]) == (f"{B}/end", f"{A}/go", 1)
    assert (f"{A}/go", 301) in archived(tmp_path)
    assert state_of(tmp_path, f"{A}/go") == ("done", f"redirects to {B}/next")


@pytest.mark.parametrize(
    ("path", "target", "reason"),
    [
        ("/self", "/self", "redirect loop"),
        ("/back", "/self2", "redirect loop"),
        ("/nowhere", "mailto:x@a.test", "redirect to no address"),
        ("/missing", "", "redirect loop"),
        ("/long0", "/long1", "too many redirects"),
        ("/into", "/ring1", "redirect loop"),
    ],
)
def test_redirects_that_lead_nowhere(tmp_path: Path, path: str, target: str, reason: str) -> None:
    replies: dict[str, Reply] = {f"{A}/": page(path), f"{A}{path}": moved(target)}
    replies[f"{A}/self2"] = moved("/back", 302)
    replies |= {f"{A}/ring1": moved("/ring2"), f"{A}/ring2": moved("/ring1")}
    replies |= {f"{A}/long{n}": moved(f"/long{n + 1}", 308) for n in range(20)}
    sites = crawl(tmp_path, replies)
    assert summarise(tmp_path)["failures"] == {reason: 1}
    assert len(sites.pages_asked()) <= 7
    (store,) = find_stores(tmp_path)
    with looking_into(store) as db:
        assert [row[0] for row in db.execute("SELECT reason FROM failures WHERE last")] == [reason]


def test_a_redirect_that_adds_a_session_is_followed(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/x"),
        f"{A}/x": moved("/x?PHPSESSID=1"),
        f"{A}/x?PHPSESSID=1": page("/y?PHPSESSID=1", "/y?PHPSESSID=2"),
        f"{A}/y?PHPSESSID=1": page(),
    }
    sites = crawl(tmp_path, replies)
    assert sites.pages_asked()[1:] == [f"{A}/x", f"{A}/x?PHPSESSID=1", f"{A}/y?PHPSESSID=1"]


@pytest.mark.parametrize("status", [500, 502, 503, 408, 429])
def test_errors_that_go_away_cost_nothing(tmp_path: Path, status: int) -> None:
    replies: dict[str, Reply] = {f"{A}/": page("/1"), f"{A}/1": failing(2, page(), status)}
    sites = crawl(tmp_path, replies)
    assert sites.count(f"{A}/1") == 3
    assert archived(tmp_path) == [(f"{A}/", 200), (f"{A}/1", 200)]
    assert summarise(tmp_path)["failures"] == {}


def test_errors_that_stay_end_after_the_last_try(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {f"{A}/": page("/1", "/2"), f"{A}/1": text("", 500)}
    sites = crawl(tmp_path, replies, retries=1)
    assert (sites.count(f"{A}/1"), sites.count(f"{A}/2")) == (2, 1)
    assert summarise(tmp_path)["failures"] == {"status 500": 1, "status 404": 1}


def test_what_failed_is_tried_again_when_asked_for(tmp_path: Path) -> None:
    film = Answer(200, (("Content-Type", "video/mp4"),), bytes(30))
    known = {f"{A}/": page("/1", "/gone", "/film"), f"{A}/1": text("", 500), f"{A}/film": film}
    sites = Sites(known)
    with serving(sites) as server:
        options = settings(server, f"{A}/", retries=0)
        crawl_here(tmp_path, options)
        sites.replies[f"{A}/1"] = page("/2")
        sites.replies[f"{A}/2"] = page()
        crawl_here(tmp_path, options)
        assert sites.count(f"{A}/1") == 1  # not by itself
        assert [queue_failed(path) for path in find_stores(tmp_path)] == [1]
        crawl_here(tmp_path, options)
    fetched = [url for url, status in archived(tmp_path) if status == 200]
    assert fetched == [f"{A}/", f"{A}/1", f"{A}/2"]
    assert summarise(tmp_path)["failures"] == {"status 404": 1, "not a page": 1}
    assert sites.count(f"{A}/gone") == sites.count(f"{A}/film") == 1


def test_what_has_not_changed_still_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.focus.thesis_modes.Unfocused.on_topic", 0.5)
    same = Answer(304, (), b"")
    replies: dict[str, Reply] = {
        f"{A}/": lambda before: same if before else page("/1", images=("/a.gif",)),
        f"{A}/1": lambda before: page(text="new" * before),
        f"{A}/a.gif": picture("a"),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, options)
        before = summarise(tmp_path)
        assert [queue_fetched(path) for path in find_stores(tmp_path)] == [2]
        standing = crawl_here(tmp_path, options).standing()
    assert (standing.pages, standing.rated, standing.on_topic) == (2, 2, 2)
    after = summarise(tmp_path)
    assert (before["pages"], before["images"], before["asked_again"]) == (2, 1, 0)
    assert (after["pages"], after["images"], after["asked_again"]) == (2, 1, 2)


@pytest.mark.parametrize(
    "scope", [{"stay_on_seed_hosts": True}, {"reject": ("(test,b,",)}, {"accept": ("(test,a,",)}]
)
def test_asking_again_stays_in_the_scope(tmp_path: Path, scope: dict[str, Any]) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/2"),
        f"{A}/1": page(),
        f"{A}/2": lambda before: moved(f"{B}/") if before else page(),
        f"{B}/": page("/far"),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/", **scope)
        for _ in range(3):  # the third time all know what the second one did
            crawl_here(tmp_path, options)
            for path in find_stores(tmp_path):
                queue_fetched(path)
    assert not [url for url in sites.asked if url.startswith(B)]
    assert state_of(tmp_path, f"{A}/2") == ("skipped", "redirects out of scope")


def test_what_is_asked_for_again_comes_first_in_its_own_bucket(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {f"{A}/{n}": page() for n in (1, 2, 3)}
    replies[f"{A}/"] = page("/1", "/2", "/3")
    replies[f"{A}/1"] = lambda before: text("busy", 500) if before == 1 else page()
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/", max_pages=3)
        crawl_here(tmp_path, options)
        places = [explain_address(tmp_path, f"{A}/{n}") for n in (1, 2)]
        first = list(sites.pages_asked())
        queue_fetched(find_stores(tmp_path)[0])
        crawl_here(tmp_path, options)
    assert sorted(sites.pages_asked()[3:]) == sorted([*first, f"{A}/1"])
    for place, tries in zip(places, (1, 0), strict=True):
        assert place
        now = explain_address(tmp_path, place["url"])
        assert now
        assert (now["bucket"], now["score"], now["tries"]) == (
            place["bucket"],
            place["score"],
            tries,
        )


def test_a_page_that_cannot_be_read_is_no_page(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/2"),
        f"{A}/1": page(text="unreadable"),
        f"{A}/2": page(),
    }
    crawl(tmp_path, replies, max_pages=2)
    assert summarise(tmp_path)["pages"] == 2
    assert summarise(tmp_path)["failures"] == {"not readable": 1}
    assert [row["url"] for row in list_visits(tmp_path, 0)] == [f"{A}/", f"{A}/2"]


def test_types_that_are_no_pages_are_not_read_to_their_end(tmp_path: Path) -> None:
    film = Answer(200, (("Content-Type", "video/mp4"),), bytes(3_000_000))
    crawl(tmp_path, {f"{A}/": page("/film"), f"{A}/film": film})
    assert summarise(tmp_path)["failures"] == {"not a page": 1}
    assert [url for url, _ in archived(tmp_path)] == [f"{A}/"]


def test_small_answers_are_looked_at_like_large_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.crawl.sites.SIZES", (200, 100, 10_000, 10_000))
    jpeg, gif = (("Content-Type", "image/jpeg"),), (("Content-Type", "image/gif"),)
    replies: dict[str, Reply] = {
        f"{A}/pixel.gif": Answer(200, gif, GIF + bytes(6)),
        f"{A}/words.jpg": Answer(200, jpeg, b"hello, not an image"),
        f"{A}/few.jpg": Answer(200, jpeg, b"hello"),
        f"{A}/none.jpg": Answer(200, jpeg, b""),
    }
    names = tuple(url.removeprefix(A) for url in replies)
    crawl(tmp_path, {**replies, f"{A}/": page(images=names)})
    assert summarise(tmp_path)["failures"] == {"not an image": 3, "image too small": 1}
    assert archived(tmp_path) == [(f"{A}/", 200)]


def test_what_a_page_took_for_a_page_may_be_an_image(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/x", "/gone", "/p"),
        f"{A}/p": page(images=("/x", "/gone")),
        f"{A}/x": picture("x"),
    }
    crawl(tmp_path, replies)
    assert [row["url"] for row in list_visits(tmp_path, 1)] == [f"{A}/x"]
    assert len(archived(tmp_path)) == len(set(archived(tmp_path)))


def test_the_same_words_pass_on_no_priority_but_lose_nothing(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/2", "/5"),
        f"{A}/1": page("/3", images=("/1.gif",), text=LONG),
        f"{A}/2": page("/4", images=("/2.gif",), text=LONG),
        f"{A}/5": page("/6", images=("/3.gif",)),
    }
    sites = crawl(tmp_path, replies)
    assert set(sites.pages_asked()[-2:]) == {f"{A}/4", f"{A}/2.gif"}
    rows = {row["url"]: row["duplicate_of"] for row in list_visits(tmp_path, 0)}
    assert rows[f"{A}/2"] == f"{A}/1"


TALE = [f"word{number}" for number in range(200)]


def told(*changed: int) -> str:
    """Return a long text in which some words are others."""
    return " ".join(f"other{n}" if n in changed else word for n, word in enumerate(TALE))


def test_nearly_the_same_words_pass_on_no_priority(tmp_path: Path) -> None:
    """On one host new images are new, though; a page on another host repeats them."""
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/2", f"{B}/3", "/4", "/9"),
        f"{A}/1": page(images=("/1.gif",), text=told()),
        f"{A}/2": page("/20", images=("/2.gif",), text=told(7)),
        f"{B}/3": page("/30", images=("/3.gif",), text=told(9)),
        f"{A}/4": page("/40", text=told(*range(0, 200, 3))),
        f"{A}/9": page("/90"),
    }
    sites = crawl(tmp_path, replies, wait_s=0.01)
    late = [f"{A}/20", f"{B}/30", f"{B}/3.gif"]
    asked = sites.pages_asked()
    assert set(asked) == {*replies, *late, f"{A}/1.gif", f"{A}/2.gif", f"{A}/40", f"{A}/90"}
    assert asked.index(f"{A}/20") > max(asked.index(f"{A}/40"), asked.index(f"{A}/90"))
    (store,) = find_stores(tmp_path)
    with looking_into(store) as db:
        buckets = dict(db.execute("SELECT url, bucket FROM urls").fetchall())
    assert {url for url in buckets if buckets[url] == LAST_BUCKET} == set(late)
    for url in buckets:
        is_last = "the page that names it repeats another" in str(explain_address(tmp_path, url))
        assert is_last == (url in late)
    rows = {row["url"]: row for row in list_visits(tmp_path, 0)}
    for url in (f"{A}/2", f"{B}/3"):
        assert rows[url]["duplicate_of"] == f"{A}/1"
        assert 0.9 <= rows[url]["similarity"] <= 1
        assert rows[url]["warc"]
        explained = explain_address(tmp_path, url)
        assert explained is not None
        assert explained["copy"] == {
            name: rows[url][name] for name in ("duplicate_of", "similarity", "like_before")
        }
    for url in (f"{A}/1", f"{A}/4", f"{A}/9"):
        assert rows[url]["duplicate_of"] is rows[url]["similarity"] is None


def test_a_changed_page_is_no_copy_of_itself(tmp_path: Path) -> None:
    """After a break, pages are asked for again: copies stay copies, versions are told apart."""
    versions = {
        f"{A}/1": [told(), told(5)],
        f"{A}/2": [told(7), told(7)],
        f"{A}/3": [" ".join(TALE[::-1]), told(3)],
        f"{A}/4": ["", told(100)],
    }

    def answer(url: str) -> Reply:
        return lambda before: page(text=versions[url][min(before, 1)])

    sites = Sites({f"{A}/": page(*versions), **{url: answer(url) for url in versions}})
    with serving(sites) as server:
        options = settings(server, f"{A}/")
        crawl_here(tmp_path, options)
        (path,) = find_stores(tmp_path)
        queue_fetched(path)
        crawl_here(tmp_path, options)
    rows = list(list_visits(tmp_path, 0))
    first, last = ({row["url"]: row for row in part} for part in (rows[:5], rows[5:]))
    assert {url: row["like_before"] for url, row in first.items()} == dict.fromkeys(first)
    assert [first[url]["duplicate_of"] for url in versions] == [None, f"{A}/1", None, None]
    assert [last[url]["duplicate_of"] for url in versions] == [None, f"{A}/1", f"{A}/1", f"{A}/1"]
    alike = [last[url]["like_before"] for url in versions]
    assert alike[3] is None
    assert alike[0] >= 0.85
    assert alike[1] == 1
    assert alike[2] < 0.3


def test_copies_are_known_after_a_break(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered comes from the store; a full memory compares, but keeps no more."""
    monkeypatch.setattr(page_duplicates, "MOST", 2)
    monkeypatch.setattr(page_duplicates, "AT_ONCE", 1)
    words = [f"some{n} quite{n} different{n} words{n}" for n in range(100)]
    texts = [" ".join(words[n : n + 30]) for n in (0, 30, 60)]
    replies: dict[str, Reply] = {
        f"{A}/{n}": page(f"/{n + 1}", text=texts[n % 3] + " twice" * (n // 3)) for n in range(6)
    }
    sites = Sites(replies)
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/0", max_pages=3))
        crawl_here(tmp_path, settings(server, f"{A}/0"))
    rows = {row["url"]: row["duplicate_of"] for row in list_visits(tmp_path, 0)}
    assert rows == {
        **dict.fromkeys([f"{A}/0", f"{A}/1", f"{A}/2", f"{A}/5"]),
        f"{A}/3": f"{A}/0",
        f"{A}/4": f"{A}/1",
    }


def test_what_a_page_forbids(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/noindex", "/nofollow", "/noimage"),
        f"{A}/noindex": page("/1", head='<meta name="robots" content="noindex">'),
        f"{A}/nofollow": page("/2", head='<meta name="robots" content="nofollow">'),
        f"{A}/noimage": page(images=("/3",), head='<meta name="robots" content="noimageindex">'),
    }
    sites = crawl(tmp_path, replies)
    assert {f"{A}/1", f"{A}/2", f"{A}/3"} & set(sites.asked) == {f"{A}/1"}
    assert f"{A}/noindex" not in [url for url, _ in archived(tmp_path)]
    rows = {row["url"]: row for row in list_visits(tmp_path, 0)}
    kept, withheld = rows[f"{A}/nofollow"], rows[f"{A}/noindex"]
    assert (withheld["withheld"], withheld.get("title")) == ("meta: noindex", None)
    assert [withheld[name] for name in ("warc", "offset", "length")] == [None] * 3
    assert (kept["withheld"], kept["title"]) == (None, "A page")


def test_every_line_of_a_header_has_its_own_scope(tmp_path: Path) -> None:
    def tagged(answer: Answer, *tags: str) -> Answer:
        lines = tuple(("X-Robots-Tag", tag) for tag in tags)
        return Answer(answer.status, (*answer.headers, *lines), answer.body)

    replies: dict[str, Reply] = {
        f"{A}/": tagged(page("/0", "/1"), "googlebot: noindex, nofollow", "noai, noimageai"),
        f"{A}/0": tagged(page("/2"), "googlebot: noindex", "noindex, nofollow"),
        f"{A}/1": tagged(page(text="words"), "noai", "otherbot: noindex"),
    }
    sites = crawl(tmp_path, replies)
    assert f"{A}/2" not in sites.asked
    rows = {row["url"]: row for row in list_visits(tmp_path, 0)}
    assert rows[f"{A}/0"]["withheld"] == "header: noindex, header: nofollow"
    assert rows[f"{A}/1"]["withheld"] is None
    # They are read again as they were heard, for another purpose.
    kept = {}
    for path in tmp_path.glob("shard-*/*.warc.gz"):
        for record in read_archive(path):
            if isinstance(record, Archived):
                signals = signals_of_answer(record.headers, {}, 0.0)
                kept[record.url] = decide(signals, "train", "page").reasons
    assert kept[f"{A}/"] == kept[f"{A}/1"] == ("header: noai",)


def judge_with_samples(response: Response, host: str, state: HostState) -> Judgement | Failure:
    found = judge_simply(response, host, state)
    if isinstance(found, Failure):
        return found
    sample = Packed(response.url, b"some words")
    return found._replace(judged=found.judged._replace(sample=sample))


def test_the_background_learns_nothing_of_pages_that_are_withheld(tmp_path: Path) -> None:
    head = '<meta name="tdm-reservation" content="1">'
    sites = Sites({f"{A}/": page("/mine"), f"{A}/mine": page(head=head, text=LONG)})
    with serving(sites) as server:
        options = settings(server, f"{A}/", purpose="research")
        crawl_here(tmp_path, options, judge=judge_with_samples)
    (path,) = find_stores(tmp_path)
    with looking_into(path) as db:
        assert [row[0] for row in db.execute("SELECT host FROM samples")] == [f"{A}/"]
        assert db.execute("SELECT count(*) FROM texts").fetchone()[0] == 0


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"max_depth": 1}, ["/", "/0.gif", "/1", "/x/1.gif"]),
        ({"images": False}, ["/", "/1", "/2", "/3"]),
        ({"max_pages_per_host": 2}, ["/", "/0.gif", "/1", "/x/1.gif"]),
        ({"reject": ("(test,a,)/2", "(test,a,)/x")}, ["/", "/0.gif", "/1"]),
        ({"accept": ("(test,a,)/1",)}, ["/", "/0.gif", "/1", "/x/1.gif"]),
    ],
)
def test_limits_and_scope(tmp_path: Path, options: dict[str, Any], asked: list[str]) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", images=("/0.gif",)),
        f"{A}/1": page("/2", images=("/x/1.gif",)),
        f"{A}/2": page("/3"),
        f"{A}/3": page(),
    }
    sites = crawl(tmp_path, replies, **options)
    assert sorted(url.removeprefix(A) for url in sites.pages_asked()) == sorted(asked)


def test_no_more_images_than_wanted(tmp_path: Path) -> None:
    names = tuple(f"/{number}.gif" for number in range(9))
    replies: dict[str, Reply] = {f"{A}{name}": picture(name) for name in names}
    replies |= {f"{A}/": page("/p", images=names), f"{A}/p": page()}
    crawl(tmp_path, replies, max_images=4)
    found = summarise(tmp_path)
    assert (found["pages"], found["images"]) == (2, 4)


def test_the_budget_of_a_host_holds_whoever_links_to_it(tmp_path: Path) -> None:
    hosts = [f"http://c{number}.test/" for number in range(8)]
    replies: dict[str, Reply] = {url: page(f"{B}/{n}") for n, url in enumerate(hosts)}
    replies |= {f"{B}/{number}": page() for number in range(8)}
    sites = Sites(replies)
    sites.waits = {url: 0.03 * number for number, url in enumerate(hosts)}
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, *hosts, max_pages_per_host=3))
    assert sum(url.startswith(B) for url in sites.pages_asked()) == 3


def test_what_was_not_asked_for_costs_no_budget(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1"),
        f"{A}/robots.txt": failing(2, text("")),
        f"{A}/1": page(),
    }
    crawl(tmp_path, replies, max_pages_per_host=2)
    assert summarise(tmp_path)["pages"] == 2


def test_a_seed_that_has_moved_takes_the_scope_with_it(tmp_path: Path) -> None:
    there = "http://www.a.test"
    replies: dict[str, Reply] = {f"{A}/": moved(f"{there}/"), f"{there}/": page("/1", f"{B}/")}
    replies |= {f"{there}/1": page("/2"), f"{there}/2": page()}
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/", stay_on_seed_hosts=True, max_pages=1)
        crawl_here(tmp_path, options)
        crawl_here(tmp_path, replace(options, max_pages=0))  # it knows that after a break, too
    assert sites.pages_asked()[1:] == [f"{there}/", f"{there}/1", f"{there}/2"]


def test_addresses_that_must_not_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.crawl_options.LEAST_DELAY_S", 0.01)
    bad = {
        "http://127.0.0.1/": "private address refused",
        "http://169.254.169.254/latest/meta-data/": "private address refused",
        "http://[::ffff:127.0.0.1]/": "private address refused",
        "http://localhost/": "private address refused",
        "http://0x7f000001/": "private address refused",
        "http://b.test:22/": "port refused",
        "http://user:secret@b.test/": "address with credentials",
    }
    replies: dict[str, Reply] = {f"{A}/{n}": moved(url) for n, url in enumerate(bad)}
    replies[f"{A}/"] = page(*replies, *bad, "/end")
    replies[f"{A}/end"] = page()
    sites = crawl(tmp_path, replies, allow_private=False, delay_s=0.01, contact="mailto:a@b.test")
    reasons = [state_of(tmp_path, canonical(url) or "") for url in bad]
    assert reasons == [("failed", reason) for reason in bad.values()]
    assert (f"{A}/end", 200) in archived(tmp_path)
    assert all(url.startswith(A) for url in sites.asked)


def test_a_robots_file_of_ten_megabytes(tmp_path: Path) -> None:
    rules = "User-agent: *\nDisallow: /no\n" + "# nothing\n" * 1_000_000 + "Disallow: /late\n"
    replies: dict[str, Reply] = {
        f"{A}/": page("/no", "/late"),
        f"{A}/robots.txt": text(rules),
        f"{A}/late": page(),
    }
    sites = crawl(tmp_path, replies)
    assert sites.pages_asked() == [f"{A}/", f"{A}/late"]
    assert state_of(tmp_path, f"{A}/no") == ("skipped", "robots.txt: disallow")


@pytest.mark.parametrize("reply", [text("", 500), text("", 403), moved("/robots.txt")])
def test_rules_that_cannot_be_had(
    tmp_path: Path, reply: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.frontier.politeness.GIVE_UP_AFTER", 3)
    replies: dict[str, Reply] = {f"{A}/": page(f"{B}/"), f"{B}/": page(), f"{B}/robots.txt": reply}
    crawl(tmp_path, replies)
    is_silent = reply.status == 500
    wanted = ("failed", "robots.txt cannot be read: status 5xx") if is_silent else ("done", "")
    assert state_of(tmp_path, f"{B}/") == wanted
    assert (f"{A}/", 200) in archived(tmp_path)


@pytest.mark.parametrize("robots", [True, False])
def test_when_our_proxy_is_gone_the_queue_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, robots: bool
) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.polite_client.CUT_OFF_S", 0.5)
    monkeypatch.setattr("blickfang.crawl.visit.page_fetcher.CUT_OFF_PAUSE_S", 0.1)
    hosts = [f"http://c{number}.test" for number in range(8)]
    replies: dict[str, Reply] = {f"{host}/": page("/1", "/2") for host in hosts}
    replies |= {f"{host}/{number}": page() for host in hosts for number in (1, 2)}
    sites = Sites(replies)
    seeds = [f"{host}/" for host in hosts]
    with serving(sites) as server:
        options = settings(server, *seeds, max_pages=8, robots=robots, retries=0)
        crawl_here(tmp_path, options)
    options = replace(options, max_pages=0)
    ended = crawl_here(tmp_path, options, shards=1)
    assert ended.trouble == f"the proxy {server.address.removeprefix('http://')} does not answer"
    assert summarise(tmp_path)["failures"] == {}
    assert summarise(tmp_path)["queued_pages"] == 16
    with serving(sites) as server:
        ended = crawl_here(tmp_path, replace(options, proxy=server.address))
    assert not ended.trouble
    assert summarise(tmp_path)["pages"] == 24


def test_a_host_that_was_given_up_is_not_waited_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.frontier.politeness.GIVE_UP_AFTER", 2)
    replies: dict[str, Reply] = {f"{A}/": page("/0", f"{B}/"), f"{B}/robots.txt": text("", 500)}
    replies |= {f"{A}/{n}": page(f"/{n + 1}", f"{B}/{n}") for n in range(30)}
    sites = crawl(tmp_path, replies, wait_s=0.03)
    assert sites.count(f"{B}/robots.txt") == 2
    assert state_of(tmp_path, f"{B}/29")[0] == "failed"


SURVIVED = {  # what can be read of an answer all the same, or has nothing wrong with it
    *("/page", "/cookie", "/until-close", "/http10", "/chunks", "/gzip", "/gzip/members", "/br"),
    *("/gzip/padded", "/gzip/pieces", "/gzip/cut", "/deflate/zlib", "/deflate/raw", "/br/cut"),
    *("/deflate/gzip", "/encoding/utf-8", "/encoding/transfer", "/endless"),
    *("/endless/chunks", "/headers/controls", "/gzip/bomb", "/br/bomb"),
}
QUICK = FetchLimits(connect_s=3.0, first_byte_s=2.0, total_s=4.0, page_bytes=100_000)


def limited(make: Callable[..., Fetcher], *args: Any, **more: Any) -> Fetcher:
    return make(*args, **{**more, "limits": QUICK})


def test_hostile_servers_end_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.fetcher.Fetcher", partial(limited, Fetcher))
    monkeypatch.setattr("blickfang.crawl.visit.page_fetcher.PAGE_BYTES", 100_000)
    paths = [path for path in ANSWERS if not path.startswith("/redirect")]
    seeds = [f"http://h{n}.test{path}" for n, path in enumerate([*paths, "/reset", "/page"])]
    with HostileServer() as server:
        options = settings(None, *seeds, robots=False, retries=0, parallel=64)
        options = replace(options, proxy=f"http://127.0.0.1:{server.port}")
        crawl_here(tmp_path, options, limit_s=60.0)
    states = {url.split(".test")[1]: state_of(tmp_path, url) for url in seeds}
    lost = {path: why for path, (state, why) in states.items() if state != "done"}
    assert all(state == "failed" for state, _ in states.values() if state != "done"), states
    assert {path: why for path, why in lost.items() if path in SURVIVED} == {}
    assert lost["/headers/lines"] == lost["/headers/long"] == "headers too large"
    assert lost["/drip/nothing"] == lost["/drip/headers"] == "timed out"
    assert lost["/chunks/broken"] == "broken answer"
    assert lost["/gzip/plain"] == "broken content encoding"
    assert len(archived(tmp_path)) == len(set(archived(tmp_path)))
    assert archived_by_warcio(tmp_path) == archived(tmp_path)
