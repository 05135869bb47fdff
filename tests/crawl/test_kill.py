"""Kills at any moment: what is archived in the end is what an undisturbed crawl archives.

Shards are real processes in a group of their own, started from one that has all modules loaded.
BLICKFANG_KILLS sets how often the long run is killed.
"""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

from typing import Any

import pytest

from blickfang.collection import open_collection
from blickfang.crawl import processes
from blickfang.crawl.history import summarise
from blickfang.pipeline import crawling
from tests.crawl.sites import (
    Sites,
    archived,
    archived_by_warcio,
    failing,
    judge_simply,
    moved,
    page,
    picture,
    serving,
    text,
    write_collection,
)

HOSTS, PAGES = 8, 40
DELAY_S = 0.03
RUN_SHARD = processes.run_shard
KILLS = int(os.environ.get("BLICKFANG_KILLS", "30"))


def make_web() -> Sites:
    """Hosts that all link to each other, with images, redirects, errors that go away, rules."""
    sites = Sites({}, 0.004)
    for number in range(HOSTS):
        host, other = f"http://h{number}.test", f"http://h{(number + 1) % HOSTS}.test"
        for place in range(PAGES):
            links = [f"/{2 * place + 1}", f"/{2 * place + 2}", f"{other}/{(place * 5) % PAGES}"]
            links += [f"/from/{place}", "/private/1"] if place % 6 == 0 else []
            answer = page(*links, images=(f"/{place}.gif",))
            sites.replies[f"{host}/{place}"] = failing(2, answer) if place % 7 == 3 else answer
            sites.replies[f"{host}/{place}.gif"] = picture(f"{number}/{place}")
            sites.replies[f"{host}/from/{place}"] = moved(f"{other}/to/{place}")
            sites.replies[f"{host}/to/{place}"] = page("/0")
        sites.replies[f"{host}/robots.txt"] = text("User-agent: *\nDisallow: /private/\n")
    return sites


def run_shard_alone(*args: Any) -> None:
    """Run a shard without the lock of its coordinator, as a process that was not forked."""
    for link in Path("/proc/self/fd").iterdir():
        if link.exists() and link.resolve().name == ".lock":
            os.close(int(link.name))
    RUN_SHARD(*args)


def crawl_group(root: Path) -> None:
    """Crawl in a process group of its own; shards are forked, so that they start at once."""
    os.setsid()
    fork = multiprocessing.get_context("fork")
    processes.multiprocessing.get_context = lambda _=None: fork  # type: ignore
    processes.run_shard = run_shard_alone
    crawling.make_judge = lambda *_: judge_simply  # type: ignore
    crawled = crawling.crawl(open_collection(root), lambda _: True)
    is_over = crawled.standing.stopping == "nothing is left to fetch" and not crawled.error
    os._exit(0 if is_over else 3)


@pytest.fixture(scope="module")
def nursery() -> ForkServerContext:
    """Give a context whose processes have the modules of a crawl when they begin."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.crawl.test_kill"])
    return context


@contextmanager
def crawling_group(nursery: ForkServerContext, root: Path) -> Iterator[ForkServerProcess]:
    """Run a crawl in its own group, and leave none of it behind."""
    process = nursery.Process(target=crawl_group, args=(root,))
    process.start()
    assert process.pid is not None
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def finish(nursery: ForkServerContext, root: Path) -> None:
    """Let a crawl run to its end."""
    with crawling_group(nursery, root) as process:
        process.join(60)
        assert process.exitcode == 0


def shards_of(pid: int) -> list[int]:
    """Return the processes of shards that a coordinator has started."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in found.split()]


def kill_once(process: ForkServerProcess, chance: random.Random) -> str:
    """Kill the whole group, or the coordinator alone, or one shard."""
    assert process.pid is not None
    victim = chance.choice(["group", "group", "shard", "coordinator"])
    with suppress(ProcessLookupError):
        if victim == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif victim == "shard":
            shards = shards_of(process.pid)
            os.kill(chance.choice(shards) if shards else process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
    process.join(20)
    return victim


def test_kills_lose_nothing_and_double_nothing(tmp_path: Path, nursery: ForkServerContext) -> None:
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    with serving(make_web()) as server:
        write_collection(undisturbed, server, "http://h0.test/0", shards=2, delay_s=DELAY_S)
        t = time.time(); finish(nursery, undisturbed); print("undisturbed", time.time() - t)
    expected = archived(undisturbed / "crawl")
    web = make_web()
    chance = random.Random(4)
    kills: Counter[str] = Counter()
    with serving(web) as server:
        write_collection(disturbed, server, "http://h0.test/0", shards=2, delay_s=DELAY_S)
        while kills.total() < KILLS:
            with crawling_group(nursery, disturbed) as process:
                process.join(chance.uniform(0.05, 0.7))
                assert process.exitcode is None, "it was over before all kills"
                kills[kill_once(process, chance)] += 1
        finish(nursery, disturbed)
        stats = server.stats()
    found = archived(disturbed / "crawl")
    print(kills, summarise(disturbed / "crawl"), len(web.asked), len(found))
    print(min(h["smallest_gap_s"] for h in stats.values()))
    assert set(found) == set(expected)
    assert len(found) == len(set(found))
    assert sorted(archived_by_warcio(disturbed / "crawl")) == sorted(found)
    assert max(host["most_at_once"] or 0 for host in stats.values()) == 1
    assert not [url for url in web.asked if "/private/" in url]
