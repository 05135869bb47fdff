"""Manners, as the hosts see them: rules obeyed, one request at a time, pauses kept."""

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pytest

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.focus import Knowledge
from blickfang.crawl.focus.judged_values import HostState
from blickfang.crawl.focus.thesis_modes import Unfocused
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.frontier.traps import DATED_BUDGET
from blickfang.crawl.page_judge import make_judge
from blickfang.crawl.shards.messages import AskMeans, NewWeights
from blickfang.crawl.shards.progress import Ending
from blickfang.crawl.shards.scheduler import Loop, is_better
from blickfang.crawl.shards.shard_plan import shard_of
from blickfang.crawl.state.crawl_queries import (
    explain_address,
    find_stores,
    list_consent,
    summarise,
)
from blickfang.crawl.visit.page_fetcher import PageFetcher
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.demo import DemoWeb, build_web
from blickfang.demo.truth import Answer
from blickfang.demo.web import page_url
from blickfang.types import Failure, Response
from tests.crawl.sites import (
    SIZES,
    Busy,
    Local,
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

A, B = "http://a.test", "http://b.test"
DELAY_S = 0.05
MEASURED = 0.99  # of a pause: clocks are read on both sides of a connection


def gaps(sites: Sites, host: str) -> list[float]:
    """Return the times between requests to a host."""
    times = [at for url, at in zip(sites.asked, sites.times, strict=True) if f"//{host}/" in url]
    return [later - earlier for earlier, later in pairwise(times)]


class Hurried:
    """The demo web, where nobody asks for a longer pause than a test can take."""

    def __init__(self, web: DemoWeb) -> None:
        self.web = web
        self.asked: list[str] = []

    def delay_s(self, url: str) -> float:
        """Return how long an answer takes."""
        return min(self.web.delay_s(url), 0.1)

    def answer(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer a request."""
        del headers
        self.asked.append(url)
        answer = self.web.answer(url)
        body = answer.body.replace(b"Crawl-delay: 1\n", b"Crawl-delay: 0.1\n")
        kept = [header for header in answer.headers if header[0] != "Retry-After"]
        return replace(answer, headers=tuple(kept), body=body)


def test_the_demo_web(tmp_path: Path) -> None:
    web = build_web()
    hurried = Hurried(web)
    judge = make_judge(Unfocused(), SIZES, Knowledge(None, [], []), with_images=False)
    with serving(hurried) as server:
        options = settings(server, *web.start_urls, delay_s=0.01, images=False, purpose="research")
        crawl_here(tmp_path, options, shards=2, limit_s=60.0, judge=judge)
        stats = server.stats()
    assert sum(host["robots_violations"] or 0 for host in stats.values()) == 0
    assert max(host["most_at_once"] or 0 for host in stats.values()) == 1
    assert min(host["smallest_gap_s"] or 1 for host in stats.values()) >= 0.01 * MEASURED
    assert (stats["red-kite-watch.test"]["smallest_gap_s"] or 0) >= 0.1 * MEASURED
    found = archived(tmp_path)
    assert len(found) == len(set(found))
    assert archived_by_warcio(tmp_path) == found
    check_pages(web, {page_url(url) for url, status in found if status == 200})
    assert sum("/calendar/" in url for url in hurried.asked) <= 2 * DATED_BUDGET
    assert sum("/archive/" in url for url in hurried.asked) < 10
    assert sum("?sid=" in url for url in hurried.asked) < 40  # one for each page
    assert summarise(tmp_path)["queued_pages"] == 0


def check_pages(web: DemoWeb, found: set[str]) -> None:
    """Whether all pages that permit it were archived, and no other."""
    for truth in web.pages:
        if truth.kind == "duplicate" and "?sid=" in truth.url:
            continue  # one page under many addresses
        if not truth.allowed or "/prints/" in truth.url or "noindex" in truth.opt_out:
            assert truth.url not in found
        else:
            assert truth.url in found


def test_a_delay_holds_for_everything_a_host_is_asked(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", "/go", "/500", images=("/1.gif",)),
        f"{A}/1": page(),
        f"{A}/go": moved("/2"),
        f"{A}/500": failing(1, page()),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", delay_s=DELAY_S, purpose="train"))
    assert len(sites.asked) == 10
    assert min(gaps(sites, "a.test")) >= DELAY_S * MEASURED


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_a_host_is_asked_by_one_whoever_sends_us_there(tmp_path: Path, shards: int) -> None:
    replies: dict[str, Reply] = {f"{A}/{number}": page() for number in range(8)}
    replies[f"{A}/"] = page(*replies)
    replies[f"{A}/robots.txt"] = text("User-agent: *\nDisallow: /no\n")
    others = [f"http://b{number}.test" for number in range(5)]
    replies |= {f"{other}/robots.txt": moved(f"{A}/robots.txt") for other in others}
    replies |= {f"{other}/": page("/no") for other in others}
    sites = Sites(replies, 0.01)
    with serving(sites) as server:
        options = settings(server, f"{A}/", *(f"{other}/" for other in others), delay_s=DELAY_S)
        crawl_here(tmp_path, options, shards=shards)
        stats = server.stats()
    assert stats["a.test"]["most_at_once"] == 1
    assert min(gaps(sites, "a.test")) >= DELAY_S * MEASURED
    assert summarise(tmp_path)["pages"] == 14
    assert not [url for url in sites.asked if url.endswith("/no")]


def test_nobody_is_asked_too_soon_after_a_kill_before_anything_was_committed(
    tmp_path: Path,
) -> None:
    """A shard without seeds learns of its hosts by letters, and asks before it commits."""
    others = [f"http://h{number}.test" for number in range(9)]
    other = next(url for url in others if shard_of(url[7:], 2) != shard_of("a.test", 2))
    sites = Sites({f"{A}/": page(f"{other}/"), f"{other}/": page()})
    delay_s, owner = 0.4, shard_of(other[7:], 2)

    def kill(local: Local) -> None:
        local.shards[owner]._commit = lambda *, sync: None  # type: ignore[method-assign]  # noqa: ARG005
        if sites.count(f"{other}/robots.txt"):
            for shard in local.shards:
                shard.loop.error = RuntimeError("killed")
                shard.loop.stirred.set()

    with serving(sites) as server:
        options = settings(server, f"{A}/", delay_s=delay_s)
        with pytest.raises(RuntimeError, match="killed"):
            crawl_here(tmp_path, options, shards=2, watch=kill)
        crawl_here(tmp_path, options, shards=2)
    assert sites.count(f"{other}/robots.txt") == 2
    assert min(gaps(sites, other[7:])) >= delay_s * MEASURED


def test_what_robots_asks_for_holds_from_the_first_page_on_and_after_a_break(
    tmp_path: Path,
) -> None:
    rules = text("User-agent: *\nCrawl-delay: 0.4\n")
    sites = Sites({f"{A}/robots.txt": rules, f"{A}/": page("/1", "/2"), f"{A}/1": page()})
    with serving(sites) as server:
        options = settings(server, f"{A}/", delay_s=0.01, purpose="research", max_pages=1)
        crawl_here(tmp_path, options)
        crawl_here(tmp_path, replace(options, max_pages=2))
    assert len(sites.asked) == 4
    assert min(gaps(sites, "a.test")) >= 0.4 * MEASURED


def test_retry_after_is_waited_for_also_by_robots_and_after_a_break(tmp_path: Path) -> None:
    busy = text("", 503, ("Retry-After", "1"))

    def first(before: int) -> Answer:
        return busy if before == 0 else text("")

    replies: dict[str, Reply] = {
        f"{A}/": page("/1"),
        f"{A}/1": lambda before: busy if before == 0 else page(),
        f"{B}/robots.txt": first,
        f"{B}/": page(),
    }
    sites = Sites(replies)
    with serving(sites) as server:
        options = settings(server, f"{A}/", f"{B}/")
        crawl_here(
            tmp_path,
            options,
            watch=lambda local: (
                local.coordinator.stop("broken off")
                if sites.count(f"{A}/1") and local.coordinator.stopping is None
                else None
            ),
        )
        crawl_here(tmp_path, options)
    assert sites.count(f"{A}/1") == 2
    assert max(gaps(sites, "a.test")) >= 1.0 * MEASURED
    assert max(gaps(sites, "b.test")) >= 1.0 * MEASURED


def test_retry_after_of_a_redirect_is_waited_for(tmp_path: Path) -> None:
    go = Answer(301, (("Location", "/there"), ("Retry-After", "1")), b"")
    sites = Sites({f"{A}/": go, f"{A}/there": page()})
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/"))
    assert max(gaps(sites, "a.test")) >= 1.0 * MEASURED


@pytest.mark.parametrize("place", ["/1", "/robots.txt", "/.well-known/tdmrep.json"])
@pytest.mark.parametrize("shards", [1, 2])
def test_nobody_waits_for_a_pause_longer_than_the_longest_delay(
    tmp_path: Path, place: str, shards: int
) -> None:
    busy = text("", 429, ("Retry-After", "86400"))
    replies: dict[str, Reply] = {f"{B}/": page("/1"), f"{B}/1": page(), f"{A}/2": page()}
    replies |= {f"{A}/": page("/1", "/2"), f"{A}/1": page()}
    answers = {**replies, f"{A}{place}": busy}
    sites = Sites(answers)
    with serving(sites) as server:
        options = settings(server, f"{A}/", f"{B}/", purpose="research")
        ends = [
            crawl_here(tmp_path, options, shards=shards, limit_s=5.0).standing() for _ in range(2)
        ]
        assert [end.stopping for end in ends] == [Ending.PUT_OFF] * 2
        assert sites.count(f"{A}{place}") == 1  # the second crawl knows how long the pause is
        assert sites.count(f"{B}/1") == 1
        assert summarise(tmp_path)["failures"] == {}
        assert summarise(tmp_path)["queued_pages"] == (2 if place == "/1" else 1)
        sites.replies = replies
        for path in find_stores(tmp_path):  # as if the pause were over
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("UPDATE hosts SET sleeps_until = sleeps_until - 86400")
        end = crawl_here(tmp_path, options, shards=shards).standing()
    assert end.stopping == Ending.NOTHING_LEFT
    assert summarise(tmp_path)["pages"] == 5


@pytest.mark.parametrize(("max_delay_s", "pages"), [(1.0, 2), (0.8, 1)])
def test_a_pause_up_to_the_longest_delay_is_waited_for(
    tmp_path: Path, max_delay_s: float, pages: int
) -> None:
    busy = text("", 503, ("Retry-After", "1"))
    replies: dict[str, Reply] = {
        f"{A}/": page("/1"),
        f"{A}/1": lambda before: busy if before == 0 else page(),
    }
    with serving(Sites(replies)) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", max_delay_s=max_delay_s))
    assert summarise(tmp_path)["pages"] == pages


def test_pauses_that_nobody_asked_for_are_waited_for(tmp_path: Path) -> None:
    replies: dict[str, Reply] = {f"{A}/": page("/1"), f"{A}/1": failing(1, page(), 503)}
    with serving(Sites(replies)) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", max_delay_s=0.01))
    assert summarise(tmp_path)["pages"] == 2


def test_trouble_makes_pauses_grow_until_a_host_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.frontier.politeness.GIVE_UP_AFTER", 4)
    replies: dict[str, Reply] = {f"{A}/{number}": text("", 503) for number in range(9)}
    sites = Sites(replies)
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, *replies, delay_s=0.02))
    assert len(sites.pages_asked()) == 4
    pauses = zip(gaps(sites, "a.test")[1:], (0.2, 0.4, 0.8), strict=True)
    assert all(pause >= least * MEASURED for pause, least in pauses)
    failures = summarise(tmp_path)["failures"]
    assert failures == {"its server does not answer: status 503": 8, "status 503": 1}


@pytest.mark.parametrize(("purpose", "kept"), [("train", 1), ("research", 2)])
def test_a_licence_in_the_page_is_to_be_read_before_training(
    tmp_path: Path, purpose: str, kept: int
) -> None:
    head = '<LINK rel="License" type="Application/RSL+xml" href="licence.xml">'
    head += "<script type='application/rsl+xml'><rsl/></script>"
    sites = Sites({f"{A}/": page("/1"), f"{A}/1": page(head=head, text="words " * 30)})
    judge = make_judge(Unfocused(), SIZES, Knowledge(None, [], []))
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", purpose=purpose), judge=judge)
    assert len(archived(tmp_path)) == kept
    ledger = list_consent(tmp_path, f"{A}/1")[-1]["signals"]
    assert [each["value"] for each in ledger] == [
        f"{A}/licence.xml",
        "in the page: names no content",
    ]


def held(licence: str, url: str = "/") -> str:
    content = f"<content url='{url}'><license>{licence}</license></content>"
    return f"<script type='application/rsl+xml'><rsl>{content}</rsl></script>"


PERMITS = "<permits type='usage'>ai-train</permits>"
PROHIBITS = "<prohibits type='usage'>ai-train</prohibits>"


@pytest.mark.parametrize(
    ("head", "said", "kept"),
    [
        (held(PERMITS), "permits training", True),
        (held("<prohibits>ai-input</prohibits>"), "permits training", True),
        (held(PROHIBITS), "prohibits ai-train", False),
        (held(PROHIBITS, "/other/"), "is about other content", True),
        (held(PROHIBITS, "/1*"), "prohibits ai-train", False),
        (held(PERMITS + PROHIBITS), "prohibits ai-train", False),
        (held(PERMITS) + held(PROHIBITS), "permits training", False),
        (held(PERMITS).replace("</rsl>", ""), "cannot be read", False),
        ("</head>" + held(PERMITS), "permits training", True),
    ],
)
def test_a_licence_that_the_page_holds_is_read(
    tmp_path: Path, head: str, said: str, kept: bool
) -> None:
    """As one that is linked, where it forbids training: it is not kept, and its links are."""
    answer = page("/2", head=head, text="words " * 30)
    sites = Sites({f"{A}/": page("/1"), f"{A}/1": answer, f"{A}/2": page()})
    judge = make_judge(Unfocused(), SIZES, Knowledge(None, [], []))
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", purpose="train"), judge=judge)
    assert [url for url, _ in archived(tmp_path)].count(f"{A}/1") == kept
    assert f"{A}/2" in sites.asked
    entry = list_consent(tmp_path, f"{A}/1")[-1]
    assert entry["signals"][0]["value"] == f"in the page: {said}"
    assert entry["decision"]["keep"] is kept
    assert entry["decision"]["reasons"] == ([] if kept else ["meta: license"])


@pytest.mark.parametrize(("purpose", "fetched"), [("train", 0), ("research", 1)])
def test_images_that_a_licence_in_the_page_names_are_not_fetched(
    tmp_path: Path, purpose: str, fetched: int
) -> None:
    both = held(PERMITS) + held(PROHIBITS, "/photos/")
    sites = Sites(
        {
            f"{A}/": page(images=("/photos/a.png",), head=both, text="words " * 30),
            f"{A}/photos/a.png": picture("a"),
        }
    )
    judge = make_judge(Unfocused(), SIZES, Knowledge(None, [], []))
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", purpose=purpose), judge=judge)
    assert sites.count(f"{A}/photos/a.png") == fetched
    assert f"{A}/" in dict(archived(tmp_path))


def test_the_ledger_shows_all_files_of_a_host(tmp_path: Path) -> None:
    reserved = '[{"location": "/photos/*", "tdm-reservation": 1}]'
    replies: dict[str, Reply] = {
        f"{A}/": page(),
        f"{A}/.well-known/tdmrep.json": text(reserved),
        f"{A}/ai.txt": text("User-agent: *\nDisallow: /art/\n"),
    }
    with serving(Sites(replies)) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", purpose="train"))
    _, tdmrep, ai = list_consent(tmp_path, f"{A}/")
    assert tdmrep["rules"] == [{"location": "/photos/*", "reserved": True, "policy": ""}]
    assert "Disallow: /art/" in ai["robots"]["text"]


@pytest.mark.parametrize("purpose", ["search", "train"])
def test_patient_hosts_take_no_place_from_others(tmp_path: Path, purpose: str) -> None:
    slow = [f"http://s{number}.test" for number in range(4)]
    replies: dict[str, Reply] = {f"{A}/{number}": page() for number in range(20)}
    replies[f"{A}/"] = page(*replies)
    for host in slow:
        replies[f"{host}/robots.txt"] = text("User-agent: *\nCrawl-delay: 1.5\n")
        replies[f"{host}/"] = page()
    sites = Sites(replies)
    with serving(sites) as server:
        seeds = [*(f"{host}/" for host in slow), f"{A}/"]
        options = settings(server, *seeds, parallel=2, purpose=purpose)
        crawl_here(tmp_path, options)
    assert set(sites.asked[-4:]) == {f"{host}/" for host in slow}
    others = [at for url, at in zip(sites.asked, sites.times, strict=True) if A in url]
    assert max(others) - sites.times[0] < 1.0  # while the patient ones wait
    assert all(min(gaps(sites, f"s{number}.test")) >= 1.5 * MEASURED for number in range(4))


def test_a_host_that_wants_too_long_pauses_holds_nobody_up(tmp_path: Path) -> None:
    rules = text("User-agent: *\nCrawl-delay: 3600\n")
    sites = Sites({f"{A}/": page(f"{B}/"), f"{B}/robots.txt": rules, f"{B}/": page()})
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", purpose="train"), limit_s=5.0)
    assert sites.pages_asked() == [f"{A}/"]
    found = explain_address(tmp_path, f"{B}/")
    assert found is not None
    assert (found["state"], found["why"]) == ("skipped", "crawl-delay too long")


def test_later_links_to_a_host_that_wants_too_long_pauses_are_skipped_at_once(
    tmp_path: Path,
) -> None:
    rules = text("User-agent: *\nCrawl-delay: 3600\n")
    replies: dict[str, Reply] = {f"{A}/{n}": page(f"/{n + 1}", f"{B}/{n}") for n in range(5)}
    sites = Sites({**replies, f"{B}/robots.txt": rules}, 0.05)
    with serving(sites) as server:
        options = settings(server, f"{A}/0")
        crawl_here(tmp_path, replace(options, max_pages=3), limit_s=5.0)
        crawl_here(tmp_path, options, limit_s=5.0)  # so it is after a break
    found = [explain_address(tmp_path, f"{B}/{n}") for n in range(5)]
    assert [one and one["state"] for one in found] == ["skipped"] * 5
    assert sites.count(f"{B}/robots.txt") == 1


def test_who_only_waits_when_a_crawl_ends_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blickfang.crawl.visit.page_fetcher.LONG_PAUSE_S", 100.0)
    sites = Sites({f"{A}/robots.txt": text("User-agent: *\nCrawl-delay: 50\n"), f"{A}/": page()})

    def stop(local: Local) -> None:
        if sites.count(f"{A}/robots.txt") and local.coordinator.stopping is None:
            local.coordinator.stop("interrupted")

    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/"), watch=stop, limit_s=5.0)
    found = explain_address(tmp_path, f"{A}/")
    assert found is not None
    assert found["state"] == "queued"


@pytest.mark.parametrize("shards", [1, 2])
def test_no_more_at_once_than_an_address_may_bear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int
) -> None:
    monkeypatch.setattr("blickfang.crawl.fetch.resolver._look_up", lambda _: ["127.0.0.1"])
    sites = Busy({f"http://h{n}.test/{path}": page("/1") for n in range(10) for path in ("", "1")})
    with serving(sites) as server:
        seeds = [f"http://h{number}.test:{server.port}/" for number in range(10)]
        options = settings(server, *seeds, per_address=2)
        crawl_here(tmp_path, replace(options, proxy=""), shards=shards)
    assert sites.most == 2
    assert summarise(tmp_path)["pages"] == 20


@pytest.mark.parametrize(("max_pages", "most"), [(0, 32), (100, 4)])
def test_without_a_limit_of_pages_nobody_waits_for_better_ones(max_pages: int, most: int) -> None:
    options = CrawlOptions(max_pages=max_pages, mode="focused+images")
    loop = Loop(options, cast(Frontier, None), cast(PageFetcher, None))
    assert (loop.is_patient, loop.most) == (bool(max_pages), most)


@pytest.mark.parametrize(("patience", "good"), [({}, 4), ({"patience_s": 0.1}, 1)])
def test_a_good_host_is_waited_for_through_its_pause(
    tmp_path: Path, patience: dict[str, float], good: int
) -> None:
    """A patience that is shorter than the pause spends all pages on hosts that are worth less."""
    poor = [f"http://b{number}.test/" for number in range(8)]
    replies = {url: page() for url in [*poor, *(f"{A}/{number}" for number in range(4))]}

    def judge(response: Response, host: str, state: HostState) -> Judgement | Failure:
        found = judge_simply(response, host, state)
        assert isinstance(found, Judgement)
        buckets = np.array([1 if link.startswith(A) else 2 for link in found.links], np.int8)
        links = found.judged.links._replace(buckets=buckets)
        return found._replace(judged=found.judged._replace(links=links))

    sites = Sites({**replies, "http://c.test/": page(*replies)})
    with serving(sites) as server:
        kind = {"mode": "focused+images", "images": False, "max_pages": 5, "delay_s": 0.55}
        options = settings(server, "http://c.test/", **kind, **patience)
        crawl_here(tmp_path, options, judge=judge)
    assert sum(url.startswith(A) for url in sites.pages_asked()) == good


@pytest.mark.parametrize(
    ("delay_s", "wanted", "is_s"),
    [(1.0, "auto", 3.0), (5.0, "auto", 15.0), (0.0, "auto", 0.5), (1.0, 0.0, 0.0)],
)
def test_patience_follows_the_pause(
    delay_s: float, wanted: float | Literal["auto"], is_s: float
) -> None:
    options = CrawlOptions(delay_s=delay_s, patience_s=wanted, allow_private=True)
    assert options.patience == is_s


@pytest.mark.parametrize("come", [True, False])
def test_choices_wait_for_new_weights_but_not_for_ever(tmp_path: Path, *, come: bool) -> None:
    """Where hosts are judged anew in a moment, what is chosen before may be poor."""
    sites = Sites({f"{A}/{number}": page(f"/{number + 1}") for number in range(30)})
    asked: list[float] = []

    def learn(local: Local) -> None:
        now = time.monotonic()
        if not asked and len(sites.asked) > 10:
            asked.append(now)
            local.shards[0].deliver(AskMeans())
        if come and len(asked) == 1 and now > asked[0] + 0.3:
            asked.append(now)
            local.shards[0].deliver(NewWeights(b""))

    with serving(sites) as server:
        options = settings(
            server, f"{A}/0", mode="focused+images", max_pages=25, patience_s=60.0, images=False
        )
        crawl_here(tmp_path, options, watch=learn)
    assert len(sites.pages_asked()) == 25
    waited = max(after - before for before, after in pairwise(sites.times))
    assert 0.25 < waited < 0.9 if come else waited > 0.9  # at most a second, however patient


@pytest.mark.parametrize(
    ("rival", "order", "waits"),
    [
        ((1, -0.9), (1, -0.2), True),  # hosts by their values
        ((1, -0.9), (1, -0.8), False),
        ((1, -0.2), (1, -0.9), False),
        ((0, 0.0), (1, -0.9), True),  # buckets
        ((2, 0.1), (1, -0.1), False),
        ((0, 0.0), (0, 1.0), False),  # seeds
        ((0, 1.0), (0, 0.0), False),
        ((2, 0.91), (2, 0.99), False),  # what comes when nothing else is left
        ((2, 0.99), (2, 0.98), False),
    ],
)
def test_only_a_much_better_host_is_waited_for(
    rival: tuple[int, float], order: tuple[int, float], waits: bool
) -> None:
    assert is_better(rival, order) == waits
