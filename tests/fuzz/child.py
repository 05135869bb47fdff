"""A process that runs inputs of one target: `python -m tests.fuzz.child run|shrink …`.

In: a target, a seed, limits, a folder. Out: in that folder the board, and `findings/`, an input and
what it did for each kind of harm. It may hang or die: whoever started it watches.
"""

import hashlib
import importlib
import json
import resource
import sys
import time
import warnings
from itertools import islice
from pathlib import Path

from tests.fuzz.board import Board
from tests.fuzz.engine import WARM, Limits, Tally, load_marked, run_coverage, run_mutations
from tests.fuzz.kinds import COVERAGE, Target
from tests.fuzz.watching import Outcome, observe

SAME = 3  # findings of one kind that are kept of a run
NOT_SO = 3  # the harm was that of the marks of atheris, or of a busy machine
ROOM = 6 * 2**30  # of addresses: what asks for more gets a MemoryError instead of the machine


class Findings:
    """The inputs that did harm, a few of each kind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: dict[str, int] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def keep(self, data: bytes, outcome: Outcome) -> None:
        """Write a finding, unless there are enough of its kind."""
        key = f"{outcome.kind} {outcome.what}"
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > SAME:
            return
        name = hashlib.sha256(data).hexdigest()[:16]
        (self.folder / name).write_bytes(data)
        facts = {"kind": outcome.kind, "what": outcome.what, "seconds": round(outcome.seconds, 3),
                 "memory": outcome.memory, "bytes": len(data)}  # fmt: skip
        (self.folder / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")


def find_target(module: str, name: str) -> Target:
    """Return a target of a module, without loading the others."""
    for key, group in vars(importlib.import_module(module)).items():
        for target in group if key.endswith("_TARGETS") else ():
            if isinstance(target, Target) and target.name == name:
                return target
    raise SystemExit(f"{module} has no target {name}")


def run(
    module: str, name: str, engine: str, seed: int, limits: Limits, place: Path, sees: list[str]
) -> None:
    """Run inputs until a limit is reached."""
    atheris = load_marked(module, sees) if engine == COVERAGE else None
    warnings.simplefilter("ignore")
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, hard))
    target, tally = find_target(module, name), Tally()
    board, findings = Board(place / "board"), Findings(place / "findings")
    if atheris is None:
        run_mutations(
            target,
            f"{seed}:{name}",
            limits,
            findings.keep,
            lambda data: board.note(tally, data),
            tally,
        )
        board.show(tally)
        return
    begun: list[float] = []

    def step(data: bytes) -> bool:
        begun[:] = begun or [time.process_time()]
        board.note(tally, data)
        outcome = observe(target, data)
        tally.add(outcome)
        if outcome.kind:
            findings.keep(data, outcome)
        board.show(tally)
        return (
            tally.executions < limits.executions and time.process_time() - begun[0] < limits.seconds
        )

    run_coverage(atheris, target, seed, limits, place, step)


def is_same(target: Target, data: bytes, kind: str, what: str) -> bool:
    """Whether an input still does the same harm."""
    outcome = observe(target, data)
    return (outcome.kind, outcome.what) == (kind, what)


def shrink(module: str, name: str, path: Path, seconds: float) -> None:
    """Make an input smaller as long as it does the same; the file is written again and again."""
    warnings.simplefilter("ignore")
    target, data = find_target(module, name), path.read_bytes()
    for seed in islice(target.seeds(), WARM):
        observe(target, seed)
    outcome = observe(target, data)
    if not outcome.kind:
        sys.exit(NOT_SO)
    end = time.monotonic() + seconds
    step = max(1, len(data) // 2)
    while step and time.monotonic() < end:
        at, before = 0, len(data)
        while at < len(data) and time.monotonic() < end:
            shorter = data[:at] + data[at + step :]
            if is_same(target, shorter, outcome.kind, outcome.what):
                data = shorter
                path.write_bytes(data)
            else:
                at += step
        step = min(step, len(data)) // 2 if len(data) == before or step > 1 else 1


def main() -> None:
    """Do what the command line says."""
    what, module, name, *rest = sys.argv[1:]
    if what == "shrink":
        shrink(module, name, Path(rest[0]), float(rest[1]))
        return
    engine, seed, executions, seconds, place, *sees = rest
    limits = Limits(int(executions), float(seconds))
    run(module, name, engine, int(seed), limits, Path(place), sees)


if __name__ == "__main__":
    main()
