"""The gate: rules are asked for once, kept, obeyed; who does not answer is not asked for more."""

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from blickfang.crawl.crawl_options import CrawlOptions
from blickfang.crawl.fetch.streamed_answer import PROXY
from blickfang.crawl.frontier.candidates import IMAGE, PAGE
from blickfang.crawl.permission import HostRules
from blickfang.crawl.permission.gate import NOT_THE_HOST, UNREADABLE, Gate, Silence
from blickfang.crawl.state.state_db import StateDb
from blickfang.io.urls import canonical
from blickfang.io.warc.http_exchange import Exchange, Later
from blickfang.types import Failure

A = "http://a.test"
FORBIDDING = "User-agent: *\nDisallow: /no"
ROBOTS, TDMREP, AI = f"{A}/robots.txt", f"{A}/.well-known/tdmrep.json", f"{A}/ai.txt"


class Host:
    """Plays a host: what it answers, and what it was asked for."""

    def __init__(self, answers: dict[str, tuple[int, str] | str]) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.delays: list[float] = []

    async def ask(self, url: str, size: int, delay_s: float) -> Exchange | Failure:
        self.asked.append(url)
        self.delays.append(delay_s)
        answer = self.answers.get(url, (404, ""))
        if isinstance(answer, str):
            return Failure(url, "fetch", answer)
        status, body = answer
        headers = {"location": body} if 300 <= status < 400 else {}
        headers |= {"retry-after": body} if status in (429, 503) else {}
        return exchange(url, status, headers, body.encode()[:size])


def exchange(url: str, status: int, headers: dict[str, str], body: bytes = b"") -> Exchange:
    return Exchange(url, b"", b"", status, headers, body, "", "2026-01-01T00:00:00Z", 0.0, 0.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StateDb]:
    store = StateDb(tmp_path / "state.sqlite")
    yield store
    store.close()


def rules_of(gate: Gate, host: Host) -> HostRules | Silence | Later:
    return asyncio.run(gate.rules(A, "a.test", host.ask))


def ask(store: StateDb, host: Host, **options: Any) -> tuple[Gate, HostRules]:
    gate = Gate(store, CrawlOptions(**options))
    rules = rules_of(gate, host)
    assert isinstance(rules, HostRules)
    return gate, rules


def test_rules_are_asked_for_once_and_kept_over_restarts(store: StateDb) -> None:
    host = Host({ROBOTS: (200, "User-agent: *\nDisallow: /no\nCrawl-delay: 3")})
    gate, rules = ask(store, host, purpose="search")
    assert not gate.before(rules, f"{A}/no/1", PAGE).may_fetch
    assert gate.before(rules, f"{A}/yes", PAGE).may_fetch
    assert gate.delay(rules) == (3.0, "")
    rules_of(gate, host)
    again, kept = ask(store, Host({}), purpose="search")
    assert host.asked == [ROBOTS]
    assert again.before(kept, f"{A}/no/1", PAGE).reasons == ("robots.txt: disallow",)


def test_old_rules_are_asked_for_again(store: StateDb) -> None:
    ask(store, Host({ROBOTS: (200, "User-agent: *\nDisallow: /")}), purpose="search")
    store.db.execute("UPDATE rules SET until = 1")
    gate, rules = ask(store, Host({ROBOTS: (404, "")}), purpose="search")
    assert gate.before(rules, f"{A}/", PAGE).may_fetch


@pytest.mark.parametrize(
    ("answer", "silence"),
    [
        ((500, ""), Silence(f"{UNREADABLE}: status 5xx", None)),
        ((503, "120"), Silence(f"{UNREADABLE}: status 5xx", 120.0, is_busy=True)),
        ((429, "7"), Silence(f"{UNREADABLE}: status 429", 7.0, is_busy=True)),
        ("timed out", Silence(f"{UNREADABLE}: timed out", None)),
        ("broken answer", Silence(f"{UNREADABLE}: broken answer", None)),
        *((reason, Silence(reason, None)) for reason in sorted(NOT_THE_HOST)),
    ],
)
def test_silence_is_not_kept(
    store: StateDb, answer: tuple[int, str] | str, silence: Silence
) -> None:
    host = Host({ROBOTS: answer})
    gate = Gate(store, CrawlOptions())
    assert rules_of(gate, host) == silence
    assert host.asked == [ROBOTS]  # nothing else is asked of who is silent
    host.answers[ROBOTS] = (200, "")
    assert isinstance(rules_of(gate, host), HostRules)


def test_redirects_of_robots_are_followed_to_any_host(store: StateDb) -> None:
    there = "https://www.a.test/robots.txt"
    host = Host({ROBOTS: (301, there), there: (200, "User-agent: *\nDisallow: /no")})
    gate, rules = ask(store, host, purpose="search")
    assert host.asked == [ROBOTS, there]
    assert not gate.before(rules, f"{A}/no", PAGE).may_fetch


@pytest.mark.parametrize("to", ["/rights/tdm.json", "//other.test/tdm.json"])
def test_redirects_of_the_other_files_are_followed_as_those_of_robots(
    store: StateDb, to: str
) -> None:
    reserved = json.dumps([{"location": "/", "tdm-reservation": 1}])
    there, ai = canonical(f"{A}{to}" if to[1] != "/" else f"http:{to}"), f"{A}/ai"
    assert there is not None
    host = Host(
        {
            ROBOTS: (200, "User-agent: *\nCrawl-delay: 2"),
            TDMREP: (302, there),
            there: (200, reserved),
            AI: (308, ai),
            ai: (200, "User-agent: *\nDisallow: /art/"),
        }
    )
    gate, rules = ask(store, host, purpose="train")
    assert host.asked == [ROBOTS, TDMREP, there, AI, ai]
    own = 2.0 if there.startswith(A) else 0.0  # of another host nobody has said how slow it is
    assert host.delays == [0.0, 2.0, own, 2.0, 2.0]
    reasons = gate.before(rules, f"{A}/art/1", PAGE).reasons
    assert reasons == ("tdmrep.json: tdm-reservation", "ai.txt: disallow")


def test_redirects_of_the_other_files_end(store: StateDb) -> None:
    host = Host({TDMREP: (302, TDMREP), AI: (302, f"{A}/no"), ROBOTS: (200, FORBIDDING)})
    gate, rules = ask(store, host, purpose="train")
    assert host.asked == [ROBOTS, *[TDMREP] * 6, AI]  # not what robots.txt forbids
    assert gate.before(rules, f"{A}/art/1", PAGE).may_fetch


def test_a_chain_of_redirects_ends(store: StateDb) -> None:
    names = [f"/robots.txt{'x' * number}" for number in range(10)]
    host = Host({A + name: (302, after) for name, after in pairwise(names)})
    gate, rules = ask(store, host, purpose="search")
    assert len(host.asked) == 6
    assert gate.before(rules, f"{A}/anything", PAGE).may_fetch  # RFC 9309, 2.3.1.2
    nowhere = Host({ROBOTS: (302, "mailto:nobody")})
    assert isinstance(rules_of(Gate(store, CrawlOptions(purpose="search")), nowhere), HostRules)


@pytest.mark.parametrize(
    ("purpose", "asked"),
    [("search", [ROBOTS]), ("research", [ROBOTS, TDMREP]), ("train", [ROBOTS, TDMREP, AI])],
)
def test_only_what_matters_for_the_purpose_is_asked_for(
    store: StateDb, purpose: str, asked: list[str]
) -> None:
    host = Host({ROBOTS: (200, "User-agent: *\nCrawl-delay: 2")})
    ask(store, host, purpose=purpose)
    assert host.asked == asked
    assert host.delays[1:] == [2.0] * (len(asked) - 1)  # robots.txt has said so by then


def test_what_robots_forbids_is_not_asked_for_either(store: StateDb) -> None:
    host = Host({ROBOTS: (200, "User-agent: *\nDisallow: /.well-known/")})
    ask(store, host, purpose="train")
    assert host.asked == [ROBOTS, AI]


def test_reservations_bind_by_purpose(store: StateDb) -> None:
    reserved = json.dumps([{"location": "/photos/*", "tdm-reservation": 1}])
    answers: dict[str, tuple[int, str] | str] = {
        TDMREP: (200, reserved),
        AI: (200, "User-agent: *\nDisallow: /art/"),
    }
    gate, rules = ask(store, Host(answers), purpose="research")
    assert not gate.before(rules, f"{A}/photos/1", PAGE).may_fetch
    assert gate.before(rules, f"{A}/art/1", PAGE).may_fetch
    store.db.execute("DELETE FROM rules")
    gate, rules = ask(store, Host(answers), purpose="train")
    assert not gate.before(rules, f"{A}/art/1", IMAGE).may_fetch


def test_another_purpose_asks_for_what_is_missing(store: StateDb) -> None:
    reserved = json.dumps([{"location": "/", "tdm-reservation": 1}])
    host = Host({TDMREP: (200, reserved), AI: (200, "User-agent: *\nDisallow: /art/")})
    gate, rules = ask(store, host, purpose="search")
    assert gate.before(rules, f"{A}/x", PAGE).may_fetch
    gate, rules = ask(store, host, purpose="research")
    assert gate.before(rules, f"{A}/x", PAGE).reasons == ("tdmrep.json: tdm-reservation",)
    gate, rules = ask(store, host, purpose="train")
    reasons = gate.before(rules, f"{A}/art/1", PAGE).reasons
    assert reasons == ("tdmrep.json: tdm-reservation", "ai.txt: disallow")
    for purpose in ("search", "research", "train"):
        _, known = ask(store, host, purpose=purpose)
        assert known == rules  # what was heard is not lost where it does not matter
    assert host.asked == [ROBOTS, TDMREP, AI]  # each once


def test_hosts_that_want_too_long_pauses_are_left_out(store: StateDb) -> None:
    host = Host({ROBOTS: (200, "User-agent: *\nCrawl-delay: 3600")})
    gate, rules = ask(store, host, purpose="train", max_delay_s=60.0)
    assert gate.delay(rules)[1] == "crawl-delay too long"
    assert host.asked == [ROBOTS]  # for nothing else is worth that pause
    rules_of(gate, host)
    assert host.asked == [ROBOTS]
    ask(store, host, purpose="train", max_delay_s=4000.0)  # the settings were changed
    assert host.asked == [ROBOTS, TDMREP, AI]


def test_without_our_proxy_nothing_is_known_of_reservations(store: StateDb) -> None:
    host = Host({ROBOTS: (200, ""), TDMREP: PROXY})
    gate = Gate(store, CrawlOptions())
    assert rules_of(gate, host) == Silence(PROXY, None)
    reserved = json.dumps([{"location": "/*", "tdm-reservation": 1}])
    host.answers[TDMREP] = (200, reserved)
    gate, rules = ask(store, host)
    assert not gate.before(rules, f"{A}/photos/1", PAGE).may_fetch
    assert host.asked == [ROBOTS, TDMREP, TDMREP]


def test_a_long_pause_between_the_files_is_not_sat_out(store: StateDb) -> None:
    there, reserved = f"{A}/there.txt", json.dumps([{"location": "/", "tdm-reservation": 1}])
    host = Host({ROBOTS: (302, there), there: (200, "User-agent: *\nDisallow: /no")})
    gate, every_other = Gate(store, CrawlOptions(purpose="train")), [False]

    host.answers |= {TDMREP: (302, f"{A}/tdm"), f"{A}/tdm": (200, reserved)}

    async def ask(url: str, size: int, delay_s: float) -> Exchange | Failure | Later:
        every_other[0] = not every_other[0]
        return await host.ask(url, size, delay_s) if every_other[0] else Later(30.0)

    for _ in range(4):
        assert asyncio.run(gate.rules(A, "a.test", ask)) == Later(30.0)
    rules = asyncio.run(gate.rules(A, "a.test", ask))
    assert isinstance(rules, HostRules)
    assert host.asked == [ROBOTS, there, TDMREP, f"{A}/tdm", AI]  # each once, whatever the pauses
    reasons = gate.before(rules, f"{A}/no", PAGE).reasons
    assert reasons == ("robots.txt: disallow", "tdmrep.json: tdm-reservation")


def test_what_a_page_says_of_itself(store: StateDb) -> None:
    gate = Gate(store, CrawlOptions())
    plain = exchange(f"{A}/", 200, {})
    assert gate.after_page(plain, {}) == (gate.after_page(plain, {})[0], True)
    decision, images = gate.after_page(plain, {"robots": "noindex, noimageindex"})
    assert (decision.may_keep, decision.may_follow, images) == (False, True, False)
    header = exchange(f"{A}/", 200, {"x-robots-tag": "nofollow"})
    decision, images = gate.after_page(header, {})
    assert (decision.may_keep, decision.may_follow, images) == (True, False, True)


def test_every_signal_is_in_the_ledger(store: StateDb) -> None:
    host = Host({ROBOTS: (200, "User-agent: *\nDisallow: /no")})
    gate, rules = ask(store, host, purpose="search")
    gate.before(rules, f"{A}/yes", PAGE)
    gate.before(rules, f"{A}/no", PAGE)
    gate.after_page(exchange(f"{A}/yes", 200, {"x-robots-tag": "noai"}), {})
    rows = store.db.execute("SELECT url, signals, decision FROM consent ORDER BY number").fetchall()
    assert [url for url, _, _ in rows] == [f"{A}/no", f"{A}/yes"]
    assert json.loads(rows[0][2])["fetch"] is False
    assert json.loads(rows[1][2])["keep"] is True  # noai does not bind a search
    assert json.loads(rows[1][1])[0][:2] == ["header", "noai"]


def test_more_origins_than_memory_holds(store: StateDb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blickfang.crawl.permission.gate.IN_MEMORY", 2)
    gate = Gate(store, CrawlOptions(purpose="search"))
    host = Host({})

    async def ask_all() -> None:
        for number in [*range(5), *range(5)]:
            await gate.rules(f"http://h{number}.test", f"h{number}.test", host.ask)

    asyncio.run(ask_all())
    assert len(gate.known) <= 2
    assert len(host.asked) == 5  # the others are in the store


def test_of_several_who_want_the_rules_at_once_one_asks(store: StateDb) -> None:
    host, gate = (
        Host({ROBOTS: (200, "User-agent: *\nDisallow: /secret")}),
        Gate(store, CrawlOptions()),
    )

    async def ask_slowly(url: str, size: int, delay_s: float) -> Exchange | Failure:
        await asyncio.sleep(0)  # all the others begin meanwhile
        return await host.ask(url, size, delay_s)

    async def ask_at_once() -> list[HostRules | Silence | Later]:
        return await asyncio.gather(*(gate.rules(A, "a.test", ask_slowly) for _ in range(5)))

    found = asyncio.run(ask_at_once())
    assert isinstance(found[0], HostRules)
    assert found == [found[0]] * 5
    assert host.asked.count(ROBOTS) == 1
    assert len(host.asked) == len({*host.asked})


def test_who_waits_asks_where_the_first_could_not(store: StateDb) -> None:
    gate, answers = Gate(store, CrawlOptions()), [Later(30.0)]
    host = Host({})

    async def ask(url: str, size: int, delay_s: float) -> Exchange | Failure | Later:
        await asyncio.sleep(0)
        return answers.pop() if answers else await host.ask(url, size, delay_s)

    async def ask_at_once() -> list[HostRules | Silence | Later]:
        return await asyncio.gather(*(gate.rules(A, "a.test", ask) for _ in range(2)))

    first, second = asyncio.run(ask_at_once())
    assert first == Later(30.0)
    assert isinstance(second, HostRules)
    assert host.asked.count(ROBOTS) == 1
