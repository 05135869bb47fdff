"""What a shard needs of a host of another: the owner asks, nobody else."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from blickfang.crawl.fetch.polite_client import Asker
from blickfang.crawl.render.js_shell import Rendering
from blickfang.crawl.shards import remote_fetch as module
from blickfang.crawl.shards.messages import Brought, Message, RemoteFetch
from blickfang.crawl.shards.remote_fetch import RULES, Answer, Errands
from blickfang.io.warc.http_exchange import Later
from blickfang.types import Failure
from tests.cli.running import objects, run
from tests.crawl.sites import (
    Local,
    Reply,
    Sites,
    crawl_here,
    moved,
    page,
    serving,
    settings,
    text,
    write_collection,
)

ROBOTS = "http://a.test/robots.txt"
GONE = Failure(ROBOTS, "fetch", "gone")


class Post:
    """Errands of shard 0, which owns no host, and what it has sent."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.errands = Errands(0, lambda _: 1, self.sent.append)

    def ask(self, kind: str = RULES) -> "asyncio.Task[Answer]":
        return asyncio.create_task(self.errands.ask(ROBOTS, "a.test", kind))


def test_who_asks_for_the_same_waits_for_the_same_errand() -> None:
    async def go() -> None:
        post = Post()
        tasks = [post.ask(), post.ask()]
        await asyncio.sleep(0)
        assert post.sent == [RemoteFetch(0, 1, ROBOTS, RULES)]
        post.errands.take(Brought(0, ROBOTS, RULES, GONE))
        assert await asyncio.gather(*tasks) == [GONE, GONE]
        assert not post.errands.open
        post.errands.take(Brought(0, ROBOTS, RULES, GONE))  # nobody waits for it

    asyncio.run(go())


def test_who_gives_up_takes_nothing_from_others_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1)

    async def go() -> None:
        post = Post()
        tasks = [post.ask("script"), post.ask("script")]
        await asyncio.sleep(0)
        tasks[0].cancel()
        other = post.ask()  # more than are kept in mind
        await asyncio.sleep(0.01)
        for kind in ("script", RULES):
            post.errands.take(Brought(0, ROBOTS, kind, GONE))
        async with asyncio.timeout(1.0):
            assert [await tasks[1], await other] == [GONE, GONE]
        assert not post.errands.open
        last = post.ask("script")
        await asyncio.sleep(0)
        last.cancel()
        await asyncio.gather(last, return_exceptions=True)
        assert not post.errands.open  # a script is large

    asyncio.run(go())


def test_rules_that_take_long_are_there_when_they_are_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)

    async def go() -> None:
        post = Post()
        assert isinstance(await post.ask(), Later)
        post.errands.take(Brought(0, ROBOTS, RULES, GONE))
        assert await post.ask() == GONE
        assert len(post.sent) == 1

    asyncio.run(go())


def test_an_errand_that_was_lost_with_its_shard_is_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    monkeypatch.setattr(module, "LOST_S", 0.0)

    async def go() -> None:
        post = Post()
        for _ in range(2):
            assert isinstance(await post.ask(), Later)
        assert len(post.sent) == 2
        assert isinstance(await post.ask("script"), Later)
        assert len(post.errands.open) == 1  # of scripts, nothing is kept that nobody waits for

    asyncio.run(go())


def test_the_owner_asks_once_and_stops_when_it_ends() -> None:
    async def go() -> None:
        asked: list[str] = []

        async def fetch(url: str, kind: str) -> Answer:
            asked.append(f"{kind} {url}")
            await asyncio.sleep(60)
            return GONE

        post = Post()
        for _ in range(2):
            post.errands.run(RemoteFetch(1, 0, ROBOTS, RULES), fetch)
        await asyncio.sleep(0)
        await post.errands.end()
        assert asked == [f"{RULES} {ROBOTS}"]
        assert (post.errands.running, post.sent, post.errands.error) == ({}, [], None)

    asyncio.run(go())


def test_no_shard_asks_a_host_of_another(tmp_path: Path) -> None:
    hosts = [f"http://h{number}.test" for number in range(12)]
    replies: dict[str, Reply] = {}
    for host, following in zip(hosts, hosts[1:] + hosts[:1], strict=True):
        replies[f"{host}/robots.txt"] = moved(f"{following}/rules")
        replies[f"{host}/rules"] = text("User-agent: *\nDisallow: /no\n")
        replies[f"{host}/.well-known/tdmrep.json"] = moved(f"{following}/tdm")
        replies[f"{host}/tdm"] = text('[{"location": "/mine", "tdm-reservation": 1}]')
        replies[f"{host}/"] = page("/no", "/go", "/mine")
        replies[f"{host}/go"] = moved(f"{following}/there")
        replies[f"{host}/there"] = page()
    sites, locals_ = Sites(replies), list[Local]()
    with serving(sites) as server:
        seeds = [f"{host}/" for host in hosts]
        options = settings(server, *seeds, delay_s=0.02, purpose="research")
        crawl_here(tmp_path, options, shards=3, watch=locals_.append)
    shards = locals_[-1].shards
    for shard in shards:
        assert shard.visitor.asker.asked_at
        assert all(map(shard.errands.is_ours, shard.visitor.asker.asked_at))
    for host in hosts:
        assert sites.count(f"{host}/there") == 1
        assert not sites.count(f"{host}/no") + sites.count(f"{host}/mine")


def test_between_processes(tmp_path: Path) -> None:
    hosts = [f"http://h{number}.test" for number in range(4)]
    replies: dict[str, Reply] = {f"{host}/": page("/no") for host in hosts}
    replies |= {f"{host}/robots.txt": moved("http://h0.test/rules") for host in hosts}
    replies["http://h0.test/rules"] = text("User-agent: *\nDisallow: /no\n")
    sites = Sites(replies)
    with serving(sites) as server:
        seeds = [f"{host}/" for host in hosts]
        write_collection(tmp_path, server, *seeds, delay_s=0.1, shards=2, images=False)
        assert objects(run("crawl", tmp_path, "--json"))[0]["pages"] == 4
        stats = server.stats()["h0.test"]
    assert stats["most_at_once"] == 1
    assert (stats["smallest_gap_s"] or 0) >= 0.099
    assert not [url for url in sites.asked if url.endswith("/no")]


@pytest.mark.parametrize("seconds", [5.0, 500.0])
def test_who_must_be_left_alone_for_long_is_asked_later(seconds: float) -> None:
    class Slow:
        def pause_left(self, _: str) -> float:
            return seconds

        async def ask(self, *_: str, **__: object) -> Failure:
            return GONE

    answer = asyncio.run(Asker.ask_rules_for_others(cast(Asker, Slow()), ROBOTS))
    assert answer == (GONE if seconds < 30 else Later(seconds))


def test_scripts_of_another_shard_are_asked_for_there(tmp_path: Path) -> None:
    script = "http://cdn.test/app.js"
    sites = Sites(
        {
            script: text("draw()"),
            "http://cdn.test/robots.txt": text("User-agent: *\nDisallow: /secret\n"),
            "http://h0.test/": page(),
            "http://h1.test/": page(),
        }
    )
    found: dict[int, list[Answer]] = {}
    asking: list[asyncio.Task[None]] = []

    async def ask(number: int, rendering: Rendering) -> None:
        for url in (script, "http://cdn.test/secret.js"):
            found.setdefault(number, []).append(await rendering._ask(url, "script"))

    def watch(local: Local) -> None:
        ready = [shard for shard in local.shards if hasattr(shard, "visitor")]
        if len(ready) == 2 and not asking:
            for shard in ready:
                rendering = shard.visitor.rendering
                asking.append(asyncio.create_task(ask(shard.setup.number, rendering)))

    with serving(sites) as server:
        sites.waits = {"http://h0.test/": 0.5, "http://h1.test/": 0.5}
        options = settings(server, "http://h0.test/", "http://h1.test/")
        crawl_here(tmp_path, options, shards=2, watch=watch)
    for answers in found.values():
        assert [getattr(one, "body", None) for one in answers] == [b"draw()", None]
        assert answers[1] == Failure("http://cdn.test/secret.js", "consent", "robots.txt: disallow")
    assert len(found) == 2
    assert sites.count("http://cdn.test/robots.txt") == 1
