"""The shape of the code: lines, rooms, imports, names, and the way of a page through it.

`python -m benchmarks.house` reads all from the sources, but for the ways: there a crawl of the demo
web in two lengths, and a build, run with every call of ours counted. What grows with the number of
pages is the way of a page.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row
from blickfang.config import open_collection
from blickfang.corpus.build import build
from blickfang.crawl.run import crawl
from blickfang.demo import run_story, serving

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "blickfang"
TRACE = "BLICKFANG_TRACE_CALLS"  # a folder: processes started with it count their calls
SHORT, LONG = 40, 100  # pages of the two crawls
OFTEN = 0.5  # calls a page or sample: fewer are not its way


def main() -> None:
    """Print all, as a table."""
    table = Table("what", "here", "goal", "")
    with tempfile.TemporaryDirectory() as folder:
        for row in (*measure_tree(), *measure_ways(Path(folder)), *measure_tests()):
            met = "" if row.met is None else "met" if row.met else "MISSED"
            table.add_row(row.what, row.ours, row.goal, met)
    Console(width=100).print(table)


def measure_tree() -> list[Row]:
    """Count what the sources say of themselves."""
    paths = list_files()
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in paths.values())
    rooms = {parts[1] for name in paths if len(parts := name.split(".")) > 1} - {"__main__"}
    graph = {name: find_imports(name, tree, paths) for name, tree in trees.items()}
    importers = Counter(target for targets in graph.values() for target in targets)
    doors = {name for name, path in paths.items() if path.name == "__init__.py"}
    single = [name for name, count in importers.items() if count == 1 and name not in doors]
    stems: dict[str, set[str]] = {}
    for name, path in paths.items():
        if path.name not in ("__init__.py", "__main__.py"):
            parts = name.split(".")
            stems.setdefault(parts[-1], set()).add(parts[1])
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    shared = sum(len(rooms) > 1 for rooms in stems.values())
    return [
        tell("lines of Python in src", lines, 74_000),
        tell("files", len(paths), 350),
        tell("rooms at the top", len(rooms), 14),
        tell("longest chain of imports", longest_chain(graph), 25),
        tell("modules with one importer", len(single), 60),
        tell("stems in several rooms", shared, 5),
        tell("class names more than once", sum(count > 1 for count in classes.values()), 0),
    ]


def tell(what: str, count: int, most: int | None = None) -> Row:
    """Return a line of the report, with the goal if there is one."""
    if most is None:
        return Row(what, f"{count:,}", "", "", "", None)
    return Row(what, f"{count:,}", "", "", f"≤ {most:,}", count <= most)


def list_files() -> dict[str, Path]:
    """Return our files by the names of their modules."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def find_imports(name: str, tree: ast.AST, known: dict[str, Path]) -> set[str]:
    """Return which of our modules a module imports, also within functions."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            found |= {one if one in known else node.module for one in inner}
    return found - {name, "blickfang"}


def longest_chain(graph: dict[str, set[str]]) -> int:
    """Return how many modules the longest chain of imports has; a door is no part of its parts."""

    @cache
    def depth(name: str) -> int:
        below = (one for one in graph[name] if not name.startswith(f"{one}."))
        return 1 + max(map(depth, below), default=0)

    return max(map(depth, graph))


def measure_ways(folder: Path) -> list[Row]:
    """Count the files and calls that a page of a crawl passes, and a sample of a build."""
    with serving(0) as (web, address, fetch):
        run_story(folder / "demo", web, address, fetch, lambda *_: None)  # kernels are compiled
        settings = (folder / "demo" / "blickfang.toml").read_text(encoding="utf-8")
        counts = []
        for pages in (SHORT, LONG):
            place = folder / f"pages{pages}"
            place.mkdir()
            text = settings.replace("max_pages = 120", f"max_pages = {pages}\nshards = 1")
            (place / "blickfang.toml").write_text(text, encoding="utf-8")
            (place / "topic").symlink_to(folder / "demo" / "topic")
            with counting(folder / f"calls{pages}") as found:
                crawl(open_collection(place), lambda _: True)
            counts.append(found)
    way = {key: (count - counts[0][key]) / (LONG - SHORT) for key, count in counts[1].items()}
    with counting(folder / "building") as calls:
        built = build(open_collection(place))
    return [
        tell("files that the coordinator passes a page", count_files(way, OFTEN)),
        tell("calls of the coordinator for a page", round(sum(way.values()))),
        tell("files that the samples of a build pass", count_files(calls, 1), 70),
        tell("calls of ours for a sample", round(calls.total() / built.samples)),
    ]


def count_files(calls: Mapping[str, float], least: float) -> int:
    """Return how many files have a function that is called so often."""
    return len({key.partition(":")[0] for key, count in calls.items() if count >= least})


@contextmanager
def counting(folder: Path) -> Iterator[Counter[str]]:
    """Count the calls of our functions, also in processes that are started meanwhile."""
    folder.mkdir()
    os.environ[TRACE] = str(folder)
    found: Counter[str] = Counter()
    save = start_counting(folder)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        del os.environ[TRACE]
        save()
        for path in folder.iterdir():
            found.update(json.loads(path.read_text(encoding="utf-8")))


def start_counting(folder: Path) -> Finalize:
    """Count from now on; return what writes the counts into a folder."""
    calls: Counter[CodeType] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            calls[frame.f_code] += 1

    def write() -> None:
        ours = {
            f"{code.co_filename}:{code.co_firstlineno}": count
            for code, count in calls.items()
            if code.co_filename.startswith(str(SOURCE)) and code.co_name != "<module>"
        }
        (folder / f"{os.getpid()}.json").write_text(json.dumps(ours), encoding="utf-8")

    threading.setprofile(note)
    sys.setprofile(note)
    return Finalize(None, write, exitpriority=1)


def measure_tests() -> list[Row]:
    """Count the tests, and those that are about the layout of the code."""
    rows = []
    for what, paths, most in (
        ("test items in make test", (), None),
        ("of them about layout", ("tests/test_rooms.py",), 4),
    ):
        command = (sys.executable, "-m", "pytest", "--collect-only", "-q", *paths)
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        rows.append(tell(what, sum("::" in line for line in done.stdout.splitlines()), most))
    return rows


if TRACE in os.environ:  # a process that a traced one has started
    start_counting(Path(os.environ[TRACE]))

if __name__ == "__main__":
    main()
