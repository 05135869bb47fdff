"""Commands as processes: the real front door, in a process that has all modules loaded already.

In: a `Job`: what is typed, and what is otherwise than usual in that process. Out: how it ended and
what it said. Processes are forked from one that has imported everything and loaded the kernels, so
that a command starts in a tenth of a second; whatever else they do is the real thing.
"""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from tests.chaos import fence
from tests.chaos.warden import Fault, Warden

PATIENCE_S = 30.0
UNHEARD_S = 10.0  # after it was told to end


@dataclass(frozen=True, slots=True)
class Job:
    """A command line, and the world it runs in."""

    arguments: tuple[str, ...]
    out: str  # two files: what it prints
    address: str = ""  # of the gatekeeper
    clock: tuple[tuple[int, float], ...] = ()  # at which look at the clock it jumps, by how much
    names: tuple[str, ...] = ()  # what looking up a name brings, one after the other
    memory: int = 0  # bytes it may have more than it has when it starts
    largest: int = 0  # bytes of a file
    trusted: str = ""  # a certificate, beside those this machine trusts


@dataclass(slots=True)
class Ended:
    """How a command ended."""

    code: int
    said: str  # on stderr
    printed: str
    struck: str = ""  # which change was hit
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    hung: bool = False


def open_nursery() -> ForkServerContext:
    """Return a context whose processes begin with everything loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.warm"])
    return context


class Running:
    """A command that runs."""

    def __init__(self, nursery: ForkServerContext, job: Job) -> None:
        from tests.chaos.child import run_job

        self.job = job
        self.began = time.monotonic()
        self.process = nursery.Process(target=run_job, args=(job,))
        self.process.start()

    @property
    def pid(self) -> int:
        """Return the number of its process, and of its group."""
        return self.process.pid or 0

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.process.exitcode is not None

    def signal(self, number: int) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self, patience_s: float = PATIENCE_S) -> Ended:
        """Wait for its end; who takes too long is killed, and counts as hung."""
        self.process.join(patience_s)
        hung = self.process.exitcode is None
        self.kill()
        said, printed = (
            Path(f"{self.job.out}.{kind}").read_text(encoding="utf-8", errors="replace")
            if Path(f"{self.job.out}.{kind}").exists()
            else ""
            for kind in ("err", "out")
        )
        took = time.monotonic() - self.began
        return Ended(self.process.exitcode or 0, said, printed, seconds=took, hung=hung)

    def kill(self) -> None:
        """End it with all it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.join()


@contextmanager
def starting(
    nursery: ForkServerContext, job: Job, root: Path, fault: Fault | None = None
) -> Iterator[tuple[Running, Warden | None]]:
    """Start a command whose changes of `root` are watched, and leave nothing of it behind."""
    warden = None
    if fault is not None and fence.is_possible():
        warden = Warden(root, fault)
        job = Job(**{**as_dict(job), "address": warden.keeper.address})
    running = Running(nursery, job)
    if warden is not None:
        warden.leader = running.pid
    try:
        yield running, warden
    finally:
        running.kill()
        if warden is not None:
            warden.close()


def as_dict(job: Job) -> dict[str, Any]:
    """Return the fields of a job."""
    return {name: getattr(job, name) for name in job.__slots__}


def run(nursery: ForkServerContext, job: Job, root: Path, fault: Fault | None = None) -> Ended:
    """Run a command to its end."""
    with starting(nursery, job, root, fault) as (running, warden):
        ended = running.wait()
    if warden is not None:
        ended.struck, ended.counts = warden.struck, dict(warden.counts)
    return ended


def show(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
