"""Builds and readings on a real cluster: the same bytes as on one machine, whoever dies."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster
from tests.samples.archives import draw, make_collection, page, picture, write_archive

ARCHIVES, PAGES = 12, 150
SOON, HELD_S, MOST_KILLED = 0.02, 1.0, 12
WORDS = [
    "tower",
    "lamp",
    "keeper",
    "storm",
    "coast",
    "rock",
    "light",
    "horn",
    "stair",
    "glass",
    "oil",
    "brass",
]


def make_archives(folder: Path, archives: int = ARCHIVES, pages: int = PAGES) -> None:
    """Write archives of pages with pictures, which other archives hold as often as not."""
    draws = random.Random(1)  # noqa: S311
    for number in range(archives):
        answers = []
        for n in range(pages):
            key = number * pages + n
            text = " ".join(draws.choices(WORDS, k=300))
            html = (
                f"<h1>Towers {key}</h1><p>{text}</p><figure><img src=/{key}.png alt='tower {key}'>"
            )
            html += f"<figcaption>Tower {key} by the sea</figcaption></figure><p>{text}"
            answers.append(page(f"http://h{key % 7}.test/{key}", html))
            other = (key * 7 + 3) % (archives * pages)
            if n % 5 == 0:
                answers.append(picture(f"http://h{other % 7}.test/{other}.png", draw(other)))
        write_archive(folder / f"{number:03d}.warc.gz", answers)


@pytest.fixture(scope="module")
def built_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a collection that was built on this machine."""
    root = tmp_path_factory.mktemp("here")
    make_collection(root)
    make_archives(root)
    run("build", str(root))
    return root


def run(
    *command: str, env: dict[str, str] | None = None, cwd: Path | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "blickfang", *command],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == code, done.stderr
    return done


def copy(root: Path, target: Path) -> Path:
    """Make the same collection again, not built; archives are of the same moment."""
    make_collection(target)
    for path in root.glob("*.warc.gz"):
        os.link(path, target / path.name)
    return target


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def assert_same_corpus(one: Path, other: Path) -> None:
    """Compare corpora byte by byte, but for the name of the collection in three of their files."""
    left, right = contents(one / "corpus"), contents(other / "corpus")
    assert left.keys() == right.keys()
    for name, data in left.items():
        was, now = data, right[name]
        if not name.endswith(".parquet"):
            was, now = was.replace(one.name.encode(), b"#"), now.replace(other.name.encode(), b"#")
        if name == "manifest.json":  # has digests of the others
            was, now = (json.dumps(shards(text)).encode() for text in (was, now))
        assert was == now, name


def shards(manifest: bytes) -> object:
    told = json.loads(manifest)
    told.pop("files")
    return told


@contextmanager
def killing(pids: Callable[[], list[int]], every: float) -> Iterator[list[int]]:
    """Kill one of some processes as soon as there is one, at once another one, and then some more.

    Each is held for a while before it dies, which is shorter than the engine waits for a slow one:
    so its work is not done when it dies, and there is more to do, however quick the machine is. On
    a slow one nothing would ever be done if that went on for good.
    """
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        draws = random.Random(2)  # noqa: S311
        pause = SOON
        while len(killed) < MOST_KILLED and not ended.wait(pause):
            found, pause = pids(), SOON
            if found:
                pid = draws.choice(found)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                    ended.wait(HELD_S)
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    pause = every if len(killed) > 1 else SOON

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


@contextmanager
def cutting_power(cluster: Cluster) -> Iterator[None]:
    """Kill the second node as soon as there is work on it."""

    ended = threading.Event()

    def cut() -> None:
        while not ended.wait(0.1):
            if set(busy_workers(cluster)) & set(cluster.processes_there()):
                cluster.kill_second()
                return

    thread = threading.Thread(target=cut, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def busy_workers(cluster: Cluster) -> list[int]:
    """Return the workers of a cluster that are at a task of ours."""
    found = []
    for pid in cluster.marked():
        with suppress(OSError):
            if b"ray::_run" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def test_a_build_is_the_same_on_a_cluster(both_nodes: Cluster, built_here: Path) -> None:
    root = copy(built_here, both_nodes.hidden / "there")
    options = ("--engine", "ray", "--address", both_nodes.address)
    run("build", str(root), *options, env=both_nodes.environment)
    assert_same_corpus(built_here, root)


def test_a_worker_killed_every_five_seconds_and_then_a_node(
    both_nodes: Cluster, built_here: Path, tmp_path: Path
) -> None:
    root = copy(built_here, tmp_path / "killed")
    options = ("--engine", "ray", "--address", both_nodes.address)
    with killing(lambda: busy_workers(both_nodes), 5.0) as killed, cutting_power(both_nodes):
        run("build", str(root), *options, env=both_nodes.environment)
    assert len(killed) > 1
    assert not both_nodes.processes_there()
    assert_same_corpus(built_here, root)


def test_rows_are_the_same_on_a_cluster(both_nodes: Cluster, built_here: Path) -> None:
    root = copy(built_here, both_nodes.hidden / "read")
    (root / "blickfang.toml").write_text('[crawl]\nmode = "unfocused"\n')
    asked = ("read", str(root), *sorted(path.name for path in root.glob("*.warc.gz")), "--json")
    here = run(*asked, cwd=root).stdout
    options = ("--engine", "ray", "--address", both_nodes.address)  # whose workers are elsewhere
    there = run(*asked, *options, env=both_nodes.environment, cwd=root).stdout
    assert here == there
    assert here.count("\n") == ARCHIVES * PAGES


def test_copies_records_and_comparisons_are_the_same_on_a_cluster(
    both_nodes: Cluster, built_here: Path, tmp_path: Path
) -> None:
    names = sorted(path.name for path in built_here.glob("*.warc.gz"))[:3]
    run_there = partial(run, cwd=built_here)
    options = ("--engine", "ray", "--address", both_nodes.address)
    found = []
    for where in ((), options):
        out = tmp_path / str(len(where))
        env = both_nodes.environment if where else None
        told = run_there(
            "dedupe", *names, "--pairs", str(out / "pairs"), "--json", *where, env=env
        ).stdout
        tables = run_there("records", *names, "--format", "jsonl", *where, env=env).stdout
        pair = names[:2]
        facts = run_there("compare", *pair, "-o", str(out / "c"), "--json", *where, env=env).stdout
        found.append((told, (out / "pairs").read_bytes(), tables, facts))
    assert found[0] == found[1]
    hidden = copy(built_here, both_nodes.hidden / "copies")
    said = run("dedupe", *names, *options, env=both_nodes.environment, cwd=hidden, code=4).stderr
    assert f"does not see {hidden}" in said  # such files are read in parts, and do not travel
    assert json.loads(found[0][0])["documents"] == 3 * PAGES
