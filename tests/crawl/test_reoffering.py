"""Pages found nearer to the seeds than before: nothing is lost because a long way was quicker."""

import random
from collections import Counter, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blickfang.crawl.focus import Strategy
from blickfang.crawl.focus.judged_values import HostState
from blickfang.crawl.focus.strategy import order_alike
from blickfang.crawl.frontier.candidates import DONE, Candidate
from blickfang.crawl.frontier.frontier import Frontier
from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.types import Failure, Response
from tests.crawl.sites import (
    Reply,
    Sites,
    archived,
    crawl_here,
    judge_simply,
    moved,
    page,
    serving,
    settings,
)

A, B = "http://a.test", "http://b.test"
WORDS = "The robin sings at dawn, long before anybody else is awake in these woods. " * 4


@pytest.fixture
def store(tmp_path: Path) -> Any:
    found = StateDb(tmp_path / "state.sqlite")
    yield found
    found.close()


def mention(depth: int, score: float, url: str = f"{A}/p") -> Candidate:
    return Candidate(url, "a.test", score=score, depth=depth)


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_mention_that_is_only_nearer_counts(store: StateDb, in_memory: bool) -> None:
    frontier = Frontier(store, Strategy(), with_depths=True)
    for depth, score in ((3, 1.0), (1, 9.0), (2, 5.0)):
        frontier.add([mention(depth, score)])
        if not in_memory:
            frontier.known.clear()
    choice = frontier.choose(probe=False)
    assert choice is not None
    assert (choice.candidate.depth, choice.candidate.score) == (1, 1.0)


def test_a_page_is_found_nearer_while_it_is_under_way(store: StateDb) -> None:
    frontier = Frontier(store, Strategy(), with_depths=True)
    frontier.add([mention(3, 1.0)])
    choice = frontier.choose(probe=False)
    assert choice is not None
    frontier.add([mention(1, 9.0)])
    assert frontier.queues.find_depth(choice.key) == 1
    frontier.settle(choice, DONE)
    frontier.add([mention(1, 9.0)])
    assert not store.db.execute("SELECT * FROM reoffers").fetchall()  # it is no nearer


def test_without_a_limit_nobody_counts(store: StateDb) -> None:
    frontier = Frontier(store, Strategy())
    frontier.add([mention(3, 1.0)])
    frontier.add([mention(1, 9.0)])
    assert not frontier.known.depths
    choice = frontier.choose(probe=False)
    assert choice is not None
    assert choice.candidate.depth == 3


@pytest.mark.parametrize("shards", [1, 2])
def test_a_page_found_nearer_after_it_was_fetched_passes_that_on(
    tmp_path: Path, shards: int
) -> None:
    replies: dict[str, Reply] = {
        f"{A}/": page("/1", f"{B}/slow"),
        f"{A}/1": page("/2"),
        f"{A}/2": page("/p", f"{B}/go", "/twin", text=WORDS),
        f"{A}/p": page("/q"),  # three links away, as far as it goes; by the slow page two
        f"{A}/q": page("/too-deep"),
        f"{B}/go": moved(f"{A}/r"),
        f"{A}/r": page(f"{B}/s"),
        f"{B}/s": page("/too-deep"),
        f"{A}/twin": page("/p", f"{B}/go", "/twin", text=WORDS),
        f"{B}/slow": page(f"{A}/p", f"{B}/go"),
        f"{A}/too-deep": page(),
        f"{B}/too-deep": page(),
    }
    sites = Sites(replies)
    sites.waits = {f"{B}/slow": 0.7}
    with serving(sites) as server:
        crawl_here(tmp_path, settings(server, f"{A}/", max_depth=3), shards=shards)
    found = [url for url, _ in archived(tmp_path)]
    assert len(found) == len(set(found))
    assert set(replies) - set(found) == {f"{A}/too-deep", f"{B}/too-deep"}
    assert sites.count(f"{A}/p") == 1  # its links come from the archive


def make_random_web(chance: random.Random) -> tuple[Sites, dict[str, list[str]], dict[str, str]]:
    """Return a chain of pages with short cuts and redirects, on several hosts, some slow."""
    urls = [f"http://h{number % 4}.test/{number}" for number in range(60)]
    links = {
        url: [urls[(number + step) % 60] for step in (1, 2, chance.choice([1, 5, 7]))]
        for number, url in enumerate(urls)
    }
    detours = {url: chance.choice(urls) for url in chance.sample(urls[1:], 8)}
    sites = Sites({url: page(*links[url], text=url) for url in urls})
    sites.replies |= {url: moved(target) for url, target in detours.items()}
    sites.waits = {url: chance.choice([0.0, 0.0, 0.01, 0.08]) for url in urls}
    return sites, links, detours


def walk(seed: str, links: dict[str, list[str]], detours: dict[str, str], most: int) -> set[str]:
    """Return what is so many links away from a seed; a redirect is no link."""
    depths, waiting = {seed: 0}, deque([seed])
    while waiting:
        url = waiting.popleft()
        step = 0 if url in detours else 1
        for target in [detours[url]] if url in detours else links[url]:
            depth = depths[url] + step
            if depth <= most and depth < depths.get(target, most + 1):
                depths[target] = depth
                waiting.append(target)
    return set(depths)


@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("number", range(6))
def test_whoever_answers_first_the_same_pages_are_fetched(
    tmp_path: Path, number: int, shards: int
) -> None:
    chance = random.Random(number)  # noqa: S311 -- of a test
    sites, links, detours = make_random_web(chance)
    seed = "http://h0.test/0"

    def judge(response: Response, host: str, state: HostState) -> Judgement | Failure:
        found = judge_simply(response, host, state)
        assert isinstance(found, Judgement)
        scores = np.array([chance.random() for _ in found.links])
        return found._replace(judged=found.judged._replace(links=order_alike(scores)))

    with serving(sites) as server:
        options = settings(server, seed, max_depth=6, images=False, robots=False)
        crawl_here(tmp_path, options, shards=shards, judge=judge)
    asked = Counter(sites.asked)
    assert set(asked.values()) == {1}
    expected = walk(seed, links, detours, 6)
    loops = {url for url in detours if leads_round(url, detours)}
    assert set(asked) - loops == expected - loops


def leads_round(url: str, detours: dict[str, str]) -> bool:
    seen: set[str] = set()
    while url in detours and url not in seen:
        seen.add(url)
        url = detours[url]
    return url in seen
