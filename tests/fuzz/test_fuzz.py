"""What the fuzzer found stays mended, and a slice of it runs with every change.

Sixty seconds of the processor at most for all targets together, the same inputs every time.
"""

import argparse
import os
import random
import time
from io import StringIO
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import pytest
from rich.console import Console

from tests.fuzz.__main__ import campaign, read_arguments, run_one
from tests.fuzz.board import Board
from tests.fuzz.campaign import Row, run_here, run_target
from tests.fuzz.engine import Limits, Tally, run_mutations
from tests.fuzz.kept import KEPT, keep, kept, read
from tests.fuzz.kinds import MUTATION, Target
from tests.fuzz.ledger import (
    APART,
    BEGIN,
    DOCUMENT,
    END,
    MEASURED,
    add,
    choose_seed,
    limit,
    order,
    read_rows,
    save,
    write_markdown,
)  # fmt: skip
from tests.fuzz.mutating import Mutator
from tests.fuzz.targets import TARGETS
from tests.fuzz.watching import Outcome, observe

SLICE_S = 40.0  # of all targets together; the rest of the sixty is for their seeds and the kept
SLOWER = 3  # a machine than the one on which something was found to be slow
FEW = 2000  # executions of a target: cheap ones leave their time to others


def explode(data: bytes) -> int:
    """Do what the kit must notice."""
    if b"\xf1" in data:
        raise KeyError("found")
    if data == b"slow":
        end = os.times().user + 0.3
        while os.times().user < end:
            pass
    return len(bytearray(120_000_000)) if data == b"large" else len(data) % 3


BROKEN = Target("broken", explode, lambda: [b"seed", b"other"], (b"<a>",), seconds=0.1)


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_stays_mended(name: str) -> None:
    for path in kept(name):
        target = TARGETS[name]._replace(seconds=SLOWER * TARGETS[name].seconds)
        outcome = observe(target, read(path))
        assert not outcome.kind, f"{path}: {outcome}"


def test_every_kept_input_has_its_target() -> None:
    assert {path.name for path in KEPT.glob("*") if path.is_dir()} <= set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_slice_of_every_target(name: str, tmp_path: Path) -> None:
    found: list[tuple[Path, Outcome]] = []

    def report(data: bytes, outcome: Outcome) -> None:
        path = tmp_path / f"{name}-{len(found)}"
        path.write_bytes(data)
        found.append((path, outcome))

    tally = Tally()
    limits = Limits(FEW, SLICE_S / len(TARGETS))
    target = TARGETS[name]._replace(seconds=SLOWER * TARGETS[name].seconds)
    run_mutations(target, f"slice:{name}", limits, report, lambda _: None, tally)
    assert not found, found[:3]
    assert tally.executions > 0


def test_the_kit_notices_crashes_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.watching.MOST_MEMORY", 10**8)
    crash = observe(BROKEN, b"a\xf1b")
    assert (crash.kind, crash.what.split()[0]) == ("crash", "KeyError")
    assert observe(BROKEN, b"slow").kind == "slow"
    assert observe(BROKEN._replace(seconds=60.0), b"large").kind == "large"
    fine = observe(BROKEN, b"fine")
    assert (fine.kind, fine.what, fine.shape) == ("", "", 1)


def test_mutations_find_a_planted_defect_and_are_repeatable() -> None:
    def run(seed: str) -> list[bytes]:
        found: list[bytes] = []
        limits = Limits(3000, 20)
        run_mutations(BROKEN, seed, limits, lambda d, _: found.append(d), lambda _: None, Tally())
        return found

    once = run("a")
    assert once
    assert once == run("a")
    assert once != run("b")


def test_inputs_stay_within_their_size() -> None:
    mutator = Mutator("size", (b"<div>", b"#"), [b"x" * 50, b""])
    for _ in range(300):
        assert len(mutator.make(200)) <= 200
    assert max(len(mutator.grow(100_000)) for _ in range(20)) <= 100_000


def test_kept_inputs_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.kept.KEPT", tmp_path)
    noise = random.Random(1).randbytes(100)  # noqa: S311
    for data in (b"", noise, b"<div>" * 1_000_000):
        path = keep("page", data)
        assert read(path) == data
        assert path.stat().st_size < 5000


def test_the_document_shows_what_was_measured() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == write_markdown(read_rows(MEASURED))


def test_runs_add_up_and_what_is_done_is_left_out(tmp_path: Path) -> None:
    slow: dict[str, object] = {"kind": "slow", "what": ""}
    crash: dict[str, object] = {"kind": "crash", "what": "KeyError in a"}
    first = Row("page", "mutation", 400_000, 100.0, 30, 0.5, 100, [slow])
    second = Row("page", "mutation", 300_000, 50.0, 20, 0.7, 90, [slow, crash])
    both = add(add(None, first), second)
    assert both == Row("page", "mutation", 700_000, 150.0, 30, 0.7, 100, [slow, crash], 2)
    assert add(both, second._replace(engine="coverage")).new == 20  # edges are no shapes
    timed = Row("urls", "coverage", 5, 1199.5, 0, 0.1, 1, [])
    little = Row("rule", "mutation", 5, 30.0, 0, 0.1, 1, [])
    rows = {"page": both, "urls": timed, "rule": little}
    assert order(["page", "urls", "rule", "png"], rows) == ["png", "rule", "page"]
    assert limit(both, Limits(1_000_000, 60.0)) == Limits(300_000, 60.0)
    assert limit(None, Limits(7, 60.0)) == Limits(7, 60.0)
    seeds = [choose_seed(1, row) for row in (None, first, both)]
    assert len(set(seeds)) == 3
    assert min(b - a for a, b in pairwise(seeds)) >= APART
    path = tmp_path / "rows.json"
    save(rows, path)
    assert read_rows(path) == rows


def test_a_run_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    path, console = tmp_path / "rows.json", Console(file=StringIO())

    def run(*words: str) -> dict[str, Row]:
        given = read_arguments(["--here", "--json", str(path), "--executions", "20", *words])
        given.place = tmp_path
        assert not campaign(given, console, Event())
        return read_rows(path)

    assert run("--targets", "where")["where"].executions == 20
    more = run("--targets", "where", "captures")
    assert (more["where"].executions, more["where"].runs) == (40, 2)
    assert more["captures"].executions == 20
    anew = run("--anew", "--targets", "where")
    assert (anew["where"].runs, anew["captures"].executions) == (1, 20)


def test_stopping_keeps_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.kept.KEPT", tmp_path)
    stop = Event()

    def call(data: bytes) -> int:
        if len(data) > 6:
            stop.set()
        return len(data) % 3

    limits = Limits(1_000_000, 60.0)
    here = run_here(BROKEN._replace(call=call), 1, limits, tmp_path, stop)
    assert 2 <= here.executions < 1_000_000
    stop.clear()
    board = tmp_path / "where-0" / "board"

    def stop_soon() -> None:
        while not (board.exists() and board.stat().st_size):  # it is made, then filled
            time.sleep(0.05)
        while Board(board).read()[0].executions <= 50:
            time.sleep(0.05)
        stop.set()

    Thread(target=stop_soon, daemon=True).start()
    row = run_target(TARGETS["where"], MUTATION, 1, limits, tmp_path, stop)
    assert 50 < row.executions < 1_000_000
    assert not row.findings  # that it was ended is none
    assert run_one("where", argparse.Namespace(), None, stop) is None
