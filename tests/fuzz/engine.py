"""The two ways to run a target: our own mutations, or atheris, which sees what an input reaches.

In: a target, a seed and limits. Out: a `Tally`, and findings by a function that is told of each.
Kernels are machine code that atheris cannot look into, and its marks in their source would keep
them from being compiled: their modules are left as they are, and targets that live on them are
grown by mutation, which keeps inputs whose outcome is of a shape that was not seen before.
"""

import importlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.kinds import LARGEST, ROOT, Target
from tests.fuzz.mutating import Mutator
from tests.fuzz.watching import Outcome, observe

SOURCE = ROOT / "src"
WARM = 8  # seeds that are run first, so that what must be compiled or loaded is there
MOST_KEPT = 4000  # inputs of new shapes


@dataclass(slots=True)
class Tally:
    """What came of running a target."""

    executions: int = 0
    found: int = 0  # new shapes, or edges that the seeds did not reach
    seconds: float = 0.0  # of the slowest input
    memory: int = 0  # of the hungriest one

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.executions += 1
        self.seconds = max(self.seconds, outcome.seconds)
        self.memory = max(self.memory, outcome.memory)


Report = Callable[[bytes, Outcome], None]
Note = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: whichever comes first."""

    executions: int
    seconds: float  # of the processor


def run_mutations(
    target: Target, seed: str, limits: Limits, report: Report, note: Note, tally: Tally
) -> None:
    """Run inputs of our own engine."""
    seeds = [data for data in target.seeds() if len(data) <= LARGEST]
    for data in seeds[:WARM]:
        observe(target, data)
    start = time.process_time()
    shapes: dict[object, None] = {}
    mutator = Mutator(seed, target.tokens, [data[: target.longest] for data in seeds])
    for data in _give(mutator, target, seeds):
        if tally.executions >= limits.executions or time.process_time() - start > limits.seconds:
            return
        note(data)
        outcome = observe(target, data)
        tally.add(outcome)
        if outcome.kind:
            report(data, outcome)
        elif outcome.shape not in shapes and len(shapes) < MOST_KEPT:
            shapes[outcome.shape] = None
            tally.found = len(shapes)
            if len(data) <= target.longest:
                mutator.pool.append(data)


def _give(mutator: Mutator, target: Target, seeds: list[bytes]) -> Iterator[bytes]:
    """Give the seeds, then what grows of them without end."""
    yield from seeds
    while True:
        for _ in range(target.grown - 1):
            yield mutator.make(target.longest)
        yield mutator.grow(target.most)


def list_kernels() -> list[str]:
    """Return the modules that atheris must leave alone."""
    return [
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in sorted((SOURCE / "blickfang").rglob("*.py"))
        if "blickfang.compute.kernels" in path.read_text(encoding="utf-8")
        or path.name == "kernels.py"
    ]


def load_marked(module: str, sees: list[str]) -> Any:
    """Return atheris, with a module of targets loaded under its eyes."""
    import atheris

    with atheris.instrument_imports(include=sees, exclude=list_kernels()):
        importlib.import_module(module)
    return atheris


def run_coverage(
    atheris: Any,
    target: Target,
    seed: int,
    limits: Limits,
    place: Path,
    run: Callable[[bytes], bool],
) -> None:
    """Let atheris grow inputs; it ends the process. `run` says whether to go on."""
    corpus = place / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = [data for data in target.seeds() if len(data) <= LARGEST]
    for data in seeds[:WARM]:
        observe(target, data)
    for number, data in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(data[: target.longest])
    words = place / "words.txt"
    lines = ("".join(f"\\x{byte:02x}" for byte in token) for token in target.tokens)
    words.write_text("".join(f'"{line}"\n' for line in lines))
    mutator = Mutator(seed, target.tokens, [data[: target.longest] for data in seeds])
    count = 0

    def grow(data: bytes, most: int, number: int) -> bytes:
        nonlocal count
        count += 1
        mutator.random.seed(number)
        if count % target.grown == 0:
            run(mutator.grow(target.most))  # too large to be kept, and worth a try
        if number % 2:
            return bytes(atheris.Mutate(data, most))
        return mutator.change(data, most)

    def test(data: bytes) -> None:
        if not run(data):
            os._exit(0)  # to atheris any other way out is a crash

    flags = [
        "fuzz", f"-seed={seed}", f"-runs={limits.executions}", f"-max_len={target.longest}",
        f"-dict={words}", f"-artifact_prefix={place}/", "-rss_limit_mb=0", "-timeout=600",
        "-print_final_stats=1", "-len_control=20", "-verbosity=1", str(corpus),
    ]  # fmt: skip
    atheris.Setup(flags, test, custom_mutator=grow)
    atheris.Fuzz()
