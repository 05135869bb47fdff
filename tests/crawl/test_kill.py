"""Kills and interrupts at any moment: in the end all is archived, and nothing twice.

A crawl is a real group of processes, a coordinator and two shards; it is forked from a process that
has all modules loaded, so that it can be killed often. BLICKFANG_KILLS sets how often.
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

from blickfang.cli import watch_crawl as command
from blickfang.cli.output import INTERRUPTED
from blickfang.config import open_collection
from blickfang.crawl import run
from blickfang.crawl.shards import shard, shard_processes
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.errors import SettingsError
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

LOCKED = 5  # exit code of a crawl that found another one at work
KILLS = int(os.environ.get("BLICKFANG_KILLS", "30"))
HOSTS, PAGES = 8, 40  # so many that no crawl is over before it was killed often
DELAY_S = 0.1
SEED = "http://h0.test/0"
RUN_SHARD = shard_processes.run_shard


def make_web(wait_s: float = 0.002) -> Sites:
    """Hosts that all link to each other, with images, redirects, errors that go away, rules."""
    sites = Sites({}, wait_s)
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


def run_shard_alone(task: Any, number: int, pipe: Any) -> None:
    """Run a shard without lock and pipes of its coordinator, as a process that was not forked."""
    for link in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):
            what, file = str(link.readlink()), int(link.name)
            if what.endswith("/.lock") or (what.startswith("socket:") and file != pipe.fileno()):
                os.close(file)
    RUN_SHARD(task, number, pipe)


def crawl_group(root: Path) -> None:
    """Crawl in a process group of its own; shards are forked, so that they start at once."""
    os.setsid()
    forking: Any = multiprocessing.get_context("fork")
    changes: list[tuple[Any, str, Any]] = [
        (multiprocessing, "get_context", lambda _=None: forking),
        (shard_processes, "run_shard", run_shard_alone),
        (run, "make_judge", lambda *_, **__: judge_simply),
        (shard, "COMMIT_S", 0.1),
    ]
    for module, name, value in changes:
        setattr(module, name, value)
    with command.watching() as watch:
        try:
            crawled = run.crawl(open_collection(root), watch)
        except SettingsError:  # a fork of the last one, just killed, still holds its lock
            os._exit(LOCKED)
    is_over = crawled.standing.stopping == "nothing is left to fetch" and not crawled.error
    is_interrupted = crawled.standing.stopping == "interrupted" and not crawled.error
    os._exit(0 if is_over else INTERRUPTED if is_interrupted else 3)


@pytest.fixture(scope="module")
def nursery() -> ForkServerContext:
    """Give a context whose processes have the modules of a crawl when they begin."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.crawl.test_kill"])
    return context


@contextmanager
def crawling_group(nursery: ForkServerContext, root: Path) -> Iterator[ForkServerProcess]:
    """Run a crawl in its own group, and leave none of it behind."""
    process = start(nursery, root)
    try:
        yield process
    finally:
        signal_group(process, signal.SIGKILL)
        process.join()


def start(nursery: ForkServerContext, root: Path) -> ForkServerProcess:
    process = nursery.Process(target=crawl_group, args=(root,))
    process.start()
    return process


def signal_group(process: ForkServerProcess, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid or 0, number)


def finish(nursery: ForkServerContext, root: Path) -> None:
    """Let a crawl run to its end."""
    with crawling_group(nursery, root) as process:
        process.join(60)
        assert process.exitcode == 0


@pytest.fixture(scope="module")
def undisturbed(
    nursery: ForkServerContext, tmp_path_factory: pytest.TempPathFactory
) -> Counter[Any]:
    """What a crawl archives that nobody disturbs."""
    root = tmp_path_factory.mktemp("undisturbed")
    with serving(make_web()) as server:
        write_collection(root, server, SEED, shards=2)
        finish(nursery, root)
    return Counter(archived(root / "crawl"))


def wait_until(is_so: Any, most_s: float = 20.0) -> None:
    end = time.monotonic() + most_s
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def kill_once(process: ForkServerProcess, chance: random.Random) -> None:
    """Kill the whole group, or the coordinator alone, or one shard: then the others end, too."""
    pid = process.pid or 0
    victim = chance.choice(["group", "group", "shard", "coordinator"])
    if victim == "group":
        signal_group(process, signal.SIGKILL)
    else:
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended by itself
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            is_shard = victim == "shard" and children
            os.kill(int(chance.choice(children)) if is_shard else pid, signal.SIGKILL)
    process.join(30)
    assert process.exitcode in (-signal.SIGKILL, 3, LOCKED, 0)  # 3: it says which shard has died


def test_kills_lose_nothing_and_double_nothing(
    tmp_path: Path, nursery: ForkServerContext, undisturbed: Counter[Any]
) -> None:
    web, chance, begun = make_web(), random.Random(4), []  # noqa: S311
    with serving(web) as server:
        write_collection(tmp_path, server, SEED, shards=2, delay_s=DELAY_S)
        try:
            for _ in range(KILLS):  # a new one starts while the rest of the last one may still end
                begun.append(process := start(nursery, tmp_path))
                process.join(chance.uniform(0.03, 0.35))
                if process.exitcode == 0:
                    break  # a very quick machine
                kill_once(process, chance)
            wait_until(lambda: not any(living(process.pid or 0) for process in begun))
            finish(nursery, tmp_path)
        finally:
            for process in begun:
                signal_group(process, signal.SIGKILL)
        stats = server.stats()
    assert sum(process.exitcode in (-signal.SIGKILL, 3) for process in begun) > KILLS // 2
    assert Counter(archived(tmp_path / "crawl")) == undisturbed
    assert set(undisturbed.values()) == {1}
    assert Counter(archived_by_warcio(tmp_path / "crawl")) == undisturbed
    assert summarise(tmp_path / "crawl")["queued_pages"] == 0
    assert max(host["most_at_once"] or 0 for host in stats.values()) == 1
    assert min(host["smallest_gap_s"] or 1 for host in stats.values()) >= DELAY_S * 0.99
    assert not [url for url in web.asked if "/private/" in url]


def test_limits_hold_however_often_it_is_killed(tmp_path: Path, nursery: ForkServerContext) -> None:
    most, begun = 90, []
    with serving(make_web()) as server:
        write_collection(tmp_path, server, SEED, shards=2, delay_s=0.02, max_pages=most)
        try:
            for number in range(7):  # shards that lose their coordinator save what they have
                begun.append(process := start(nursery, tmp_path))
                process.join(0.12 + 0.03 * number)
                if process.exitcode is None:
                    os.kill(process.pid or 0, signal.SIGKILL)
                    process.join()
            wait_until(lambda: not any(living(process.pid or 0) for process in begun))
            begun.append(process := start(nursery, tmp_path))
            process.join(60)
        finally:
            for process in begun:
                signal_group(process, signal.SIGKILL)
    assert summarise(tmp_path / "crawl")["pages"] == most


def living(group: int) -> list[str]:
    """Return the processes of a group that still do something."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, owner, *_ = path.read_text(encoding="ascii").rpartition(") ")[2].split()
            found += [path.parent.name] if int(owner) == group and state not in "ZX" else []
    return found


def test_without_their_coordinator_shards_end(tmp_path: Path, nursery: ForkServerContext) -> None:
    web = make_web()
    with serving(web) as server:
        write_collection(tmp_path, server, SEED, shards=2, delay_s=DELAY_S)
        with crawling_group(nursery, tmp_path) as process:
            wait_until(lambda: len(web.asked) > 20)
            group = process.pid or 0
            assert len(living(group)) == 3
            os.kill(group, signal.SIGKILL)
            wait_until(lambda: not living(group), 5.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_finishes_what_is_under_way(
    tmp_path: Path, nursery: ForkServerContext, undisturbed: Counter[Any], number: int
) -> None:
    web = make_web(0.1)
    with serving(web) as server:
        write_collection(tmp_path, server, SEED, shards=2)
        with crawling_group(nursery, tmp_path) as process:
            wait_until(lambda: len(web.asked) > 40)
            signal_group(process, number)
            process.join(20)
            assert process.exitcode == INTERRUPTED
        answered = [url for url in web.pages_asked() if not is_failing(url)]
        assert sorted(answered) == sorted(url for url, _ in archived(tmp_path / "crawl"))
        web.wait_s = 0.002
        finish(nursery, tmp_path)
    assert Counter(archived(tmp_path / "crawl")) == undisturbed


def is_failing(url: str) -> bool:
    name = url.rpartition("/")[2]
    return name.isdigit() and int(name) % 7 == 3


def test_the_second_interrupt_ends_it_at_once(
    tmp_path: Path, nursery: ForkServerContext, undisturbed: Counter[Any]
) -> None:
    web = make_web()
    web.waits = {f"http://h{number}.test/4": 30.0 for number in range(HOSTS)}
    with serving(web) as server:
        write_collection(tmp_path, server, SEED, shards=2)
        with crawling_group(nursery, tmp_path) as process:
            wait_until(lambda: len(web.asked) > 40)
            time.sleep(0.5)
            signal_group(process, signal.SIGINT)
            process.join(1.0)
            assert process.exitcode is None  # it waits for the slow ones
            signal_group(process, signal.SIGINT)
            process.join(5.0)
            assert process.exitcode == INTERRUPTED
        web.waits = {}
        finish(nursery, tmp_path)
    assert Counter(archived(tmp_path / "crawl")) == undisturbed


@pytest.mark.parametrize("after_s", [0.0, 0.01, 0.03, 0.06, 0.1])
def test_an_interrupt_while_it_starts(
    tmp_path: Path, nursery: ForkServerContext, after_s: float
) -> None:
    web = make_web()
    with serving(web) as server:
        write_collection(tmp_path, server, SEED, shards=2, delay_s=DELAY_S)
        with crawling_group(nursery, tmp_path) as process:
            wait_until((tmp_path / "crawl" / "crawl.json").exists)
            time.sleep(after_s)
            signal_group(process, signal.SIGINT)
            process.join(20)
            assert process.exitcode == INTERRUPTED
