"""What the fuzzer found stays mended, and a slice of it runs with every change.

Sixty seconds of the processor at most for all targets together, the same inputs every time.
"""

import os
import random
from pathlib import Path

import pytest

from tests.fuzz.__main__ import BEGIN, DOCUMENT, END, read_measured, write_markdown
from tests.fuzz.engine import Limits, Tally, run_mutations
from tests.fuzz.kept import KEPT, keep, kept, read
from tests.fuzz.kinds import Target
from tests.fuzz.mutating import Mutator
from tests.fuzz.targets import TARGETS
from tests.fuzz.watching import Outcome, observe

SLICE_S = 40.0  # of all targets together; the rest of the sixty is for their seeds and the kept
FEW = 2000  # executions of a target: cheap ones leave their time to others


def explode(data: bytes) -> int:
    """Do what the kit must notice."""
    if b"\xf1" in data:
        raise KeyError("found")
    if data == b"slow":
        end = os.times().user + 0.3
        while os.times().user < end:
            pass
    return len(bytearray(1_200_000_000)) if data == b"large" else len(data) % 3


BROKEN = Target("broken", explode, lambda: [b"seed", b"other"], (b"<a>",), seconds=0.1)


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_stays_mended(name: str) -> None:
    for path in kept(name):
        outcome = observe(TARGETS[name], read(path))
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
    run_mutations(TARGETS[name], f"slice:{name}", limits, report, lambda _: None, tally)
    assert not found, found[:3]
    assert tally.executions > 0


def test_the_kit_notices_crashes_time_and_memory() -> None:
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
    assert text.partition(BEGIN)[2].partition(END)[0] == write_markdown(read_measured())
