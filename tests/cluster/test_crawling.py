"""Crawls of the demo web on two nodes: whatever is killed, the archive is that of a quiet crawl."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from blickfang.cli.output import INTERRUPTED
from blickfang.crawl.state.crawl_queries import summarise
from blickfang.demo import build_web, serve
from blickfang.errors import InputError
from tests.cluster.nodes import Cluster
from tests.crawl.sites import archived, archived_by_warcio, write_collection

# Some hosts of the demo web; others have endless calendars, or want to be asked slowly.
HOSTS = (
    "wander-directory",
    "lighthouse-almanac",
    "keepers-journal",
    "harbour-lights",
    "fungi-field-guide",
    "rook-and-pawn",
    "glow-and-shade",
    "windy-meadow",
)
MOST_S = 240


@pytest.fixture(scope="module")
def web(cluster: Cluster) -> Iterator[Any]:
    """The demo web, where both nodes reach it."""
    demo = build_web()
    with serve(demo, host=cluster.here) as server:
        yield demo, server


def prepare(root: Path, web: Any, **more: Any) -> Path:
    """Write a collection that crawls a part of the demo web."""
    demo, server = web
    accept = [f"(test,{host}," for host in HOSTS]
    options = {"accept": accept, "delay_s": 0.15, "max_minutes": 5.0, **more}
    write_collection(root, server, demo.start_urls[0], **options)
    return root


@contextmanager
def crawling(cluster: Cluster, root: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run `blickfang crawl` as a user would; nothing of it is left behind."""
    process = subprocess.Popen(
        [sys.executable, "-m", "blickfang", "crawl", str(root), "--json", *options],
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the end of a crawl; return what it says."""
    said, trouble = process.communicate(timeout=MOST_S)
    assert process.returncode == 0, trouble[-3000:]
    found: dict[str, Any] = json.loads(said)
    return found


def wait_for_pages(
    process: subprocess.Popen[str], root: Path, pages: int, is_so: Callable[[], bool] = lambda: True
) -> None:
    """Wait until `status` knows of so many pages, while the crawl runs."""
    end = time.monotonic() + MOST_S
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()[1][-3000:]
        with suppress(InputError):
            if summarise(root / "crawl")["pages"] >= pages and is_so():
                return
        time.sleep(0.1)
    raise TimeoutError(f"{root} has not come to {pages} pages")


def find_workers(cluster: Cluster) -> list[int]:
    """Return the processes of shards, on both nodes."""
    found = []
    for pid in cluster.marked():
        with suppress(OSError):
            title = Path(f"/proc/{pid}/cmdline").read_bytes()
            found += [pid] if title.startswith(b"ray::Worker") else []
    return found


@pytest.fixture(scope="module")
def undisturbed(
    cluster: Cluster, web: Any, tmp_path_factory: pytest.TempPathFactory
) -> Counter[tuple[str, int]]:
    """What a crawl on this machine archives that nobody disturbs."""
    root = prepare(tmp_path_factory.mktemp("undisturbed"), web, delay_s=0.02)
    with crawling(cluster, root, "--shards", "1") as process:
        assert finish(process)["stopped_because"] == "nothing is left to fetch"
    return Counter(archived(root / "crawl"))


def check(root: Path, said: dict[str, Any], undisturbed: Counter[tuple[str, int]]) -> None:
    """Compare a crawl on the cluster with that of one machine."""
    assert said["stopped_because"] == "nothing is left to fetch"
    found = Counter(archived(root / "crawl"))
    assert found == undisturbed
    assert Counter(archived_by_warcio(root / "crawl")) == undisturbed
    assert len(found) > 150
    assert set(found.values()) == {1}
    known = summarise(root / "crawl")
    assert (known["pages"], known["images"]) == (said["pages"], said["images"])
    assert known["queued_pages"] == known["queued_images"] == 0


def test_a_node_that_is_killed_costs_nothing(
    both_nodes: Cluster, web: Any, tmp_path: Path, undisturbed: Counter[tuple[str, int]]
) -> None:
    """Shards work on disks of their own, and save to a store that only they know."""
    cluster, root = both_nodes, prepare(tmp_path / "birds", web)
    there = ("--engine", "ray", "--address", cluster.address, "--shards", "2")
    with crawling(cluster, root, *there, "--store", str(tmp_path / "store")) as process:
        wait_for_pages(process, root, 15, lambda: is_on_both(cluster))
        cluster.kill_second()
        said = finish(process)
    assert said["restored_shards"] >= 1
    check(root, said, undisturbed)
    assert json.loads((root / "crawl" / "crawl.json").read_text("utf-8"))["store"]


def is_on_both(cluster: Cluster) -> bool:
    """Whether each node has a shard."""
    workers, there = set(find_workers(cluster)), set(cluster.processes_there())
    return bool(workers & there) and bool(workers - there)


def test_actors_killed_again_and_again_cost_nothing(
    both_nodes: Cluster, web: Any, tmp_path: Path, undisturbed: Counter[tuple[str, int]]
) -> None:
    """Shards write to a folder that both nodes see; more of them than a crawl had before."""
    cluster, root = both_nodes, prepare(tmp_path / "birds", web)
    there = ("--engine", "ray", "--address", cluster.address)
    with crawling(cluster, root, *there, "--shards", "2") as process:
        wait_for_pages(process, root, 5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == INTERRUPTED
    with crawling(cluster, root, *there, "--shards", "3") as process:
        for number in range(1, 5):
            wait_for_pages(process, root, 5 + 12 * number, lambda: bool(find_workers(cluster)))
            for pid in find_workers(cluster)[:1]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        said = finish(process)
    assert said["shards"] == 3
    assert said["restored_shards"] >= 3
    known = summarise(root / "crawl")
    said |= {"pages": known["pages"], "images": known["images"]}  # with those of the first run
    check(root, said, undisturbed)


def test_limits_hold_over_the_cluster(both_nodes: Cluster, web: Any, tmp_path: Path) -> None:
    cluster, root = both_nodes, prepare(tmp_path / "birds", web, max_pages=23, max_images=5)
    there = ("--engine", "ray", "--address", cluster.address, "--shards", "2")
    with crawling(cluster, root, *there) as process:
        said = finish(process)
    assert (said["stopped_because"], said["pages"]) == ("max_pages", 23)
    assert summarise(root / "crawl")["pages"] == 23
    assert said["images"] <= 5 + 2 * 32


def test_a_store_needs_the_cluster(both_nodes: Cluster, web: Any, tmp_path: Path) -> None:
    cluster, root = both_nodes, prepare(tmp_path / "birds", web)
    with crawling(cluster, root, "--store", str(tmp_path)) as process:
        said = process.communicate(timeout=MOST_S)[1]
    assert process.returncode != 0
    assert "--store is for --engine ray" in said
