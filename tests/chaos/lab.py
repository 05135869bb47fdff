"""What all experiments share: a place to work, a way to start commands, undisturbed results.

In: a folder. Out: `Lab`. An experiment prepares a folder, lets a command meet its fault, goes on
without faults until the command ends well, and compares with what came out undisturbed.
"""

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tests.chaos import fence
from tests.chaos.judging import find_leftovers, judge
from tests.chaos.nursery import Ended, Job, open_nursery, run
from tests.chaos.schedule import Schedule, draw_jumps
from tests.chaos.warden import Fault

COUNTED = {"full": "grow", "short": "write", "torn": "write", "fsync": "sync"}  # else: change
BY_WARDEN = (
    "full",
    "read-only",
    "short",
    "fsync",
    "torn",
    "power",
    "worker",
    "kill",
    "term",
    "int",
)
RESUMES = 4
MEMORY = (6 * 2**20, 40 * 2**20)  # bytes beyond what the process has when it starts
PAGE = 4096


class Baseline(NamedTuple):
    """What a command does undisturbed."""

    result: Any
    counts: dict[str, int]  # of changes, by kind
    before: int  # bytes that lie there before it
    after: int
    seconds: float


class Command(Protocol):
    """A command that can be experimented with."""

    name: str

    def prepare(self, root: Path) -> None:
        """Make what it works on."""

    def arguments(self, root: Path) -> tuple[str, ...]:
        """Return what is typed."""

    def result(self, root: Path) -> Any:
        """Return what came out, to be compared; raise AssertionError if it cannot be read."""


@dataclass(slots=True)
class Trial:
    """One experiment under way."""

    schedule: Schedule
    root: Path
    out: Path
    findings: list[str] = field(default_factory=list)
    runs: int = 0
    struck: str = ""
    codes: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


class Lab:
    """A place for experiments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nursery = open_nursery()
        self.baselines: dict[str, Baseline] = {}
        self.mounted: list[Path] = []

    def begin(self, schedule: Schedule) -> Trial:
        """Make a place for one experiment."""
        place = self.folder / f"{schedule.seed}-{schedule.command}-{schedule.kind}"
        place.mkdir(parents=True)
        return Trial(schedule, place / "birds", place / "said")

    def measure(self, command: Command) -> Baseline:
        """Return what a command does undisturbed; it is run once."""
        if command.name not in self.baselines:
            place = self.folder / f"undisturbed-{command.name}"
            root = place / "birds"
            place.mkdir(parents=True)
            command.prepare(root)
            before = measure_folder(root)
            job = Job(command.arguments(root), str(place / "said"))
            ended = run(self.nursery, job, root, Fault())
            assert ended.code == 0, (command.name, ended)
            self.baselines[command.name] = Baseline(
                command.result(root), ended.counts, before, measure_folder(root), ended.seconds
            )
        return self.baselines[command.name]

    def run(self, trial: Trial, command: Command, job: Job | None = None, **more: Any) -> Ended:
        """Run a command as part of an experiment."""
        trial.runs += 1
        fault = more.pop("fault", None)
        job = job or Job(command.arguments(trial.root), f"{trial.out}-{trial.runs}", **more)
        ended = run(self.nursery, job, trial.root, fault)
        trial.codes.append(ended.code)
        trial.said.append(ended.said)
        trial.struck = trial.struck or ended.struck
        return ended

    def strike(self, trial: Trial, command: Command) -> Ended:
        """Run a command so that it meets the fault of the schedule, of disk, process or clock."""
        schedule, known = trial.schedule, self.measure(command)
        kind, chance = schedule.kind, schedule.chance
        if kind in BY_WARDEN:
            total = known.counts.get(COUNTED.get(kind, "change"), 0)
            return self.run(trial, command, fault=Fault(kind, schedule.when(total)))
        if kind == "tiny-disk":
            return self._run_on_tiny_disk(trial, command, known)
        if kind == "memory":
            low, high = MEMORY
            return self.run(trial, command, memory=low + int(chance.random() * (high - low)))
        if kind == "clock":
            return self.run(trial, command, clock=draw_jumps(chance, 400))
        raise ValueError(kind)

    def _run_on_tiny_disk(self, trial: Trial, command: Command, known: Baseline) -> Ended:
        """Run a command on a disk that is really full before it ends."""
        part = trial.schedule.chance.random()
        room = known.before + int(part * (known.after - known.before)) + 8 * PAGE
        place = trial.root.parent / "disk"
        if not self.mount(place, room):
            return self.run(trial, command, largest=max(PAGE, int(part * known.after / 2)))
        trial.root = place / "birds"
        command.prepare(trial.root)
        ended = self.run(trial, command)
        self.make_room()
        return ended

    def mount(self, place: Path, room: int) -> bool:
        """Put a small disk at a place; False where that may not be done."""
        place.mkdir(exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(place)]
        try:
            is_done = subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False
        if is_done:
            self.mounted.append(place)
        return is_done

    def make_room(self) -> None:
        """Make the small disk a large one."""
        self.shrink(2**30)

    def shrink(self, room: int) -> None:
        """Change the size of the small disk."""
        for place in self.mounted:
            command = ["mount", "-o", f"remount,size={room}", str(place)]
            subprocess.run(command, check=False, capture_output=True)

    def resume(
        self, trial: Trial, command: Command, then: Callable[[Ended], Job | None] | None = None
    ) -> None:
        """Go on without faults until the command ends well; `then` may say how after a failure."""
        job = None
        for _ in range(RESUMES):
            ended = self.run(trial, command, job)
            if ended.code == 0:
                return
            trial.findings += judge(ended, "resume")
            job = then(ended) if then else None
        trial.findings.append(f"does not go on: {ended.said[-300:]!r}")

    def compare(self, trial: Trial, command: Command) -> None:
        """Compare what came out with what comes out undisturbed."""
        wanted = self.measure(command).result
        try:
            found = command.result(trial.root)
        except Exception as error:
            trial.findings.append(
                f"left what cannot be read: {type(error).__name__}: {error}"[:400]
            )
            return
        if found != wanted:
            trial.findings.append(f"another result: {tell_difference(wanted, found)}")
        trial.findings += find_leftovers(trial.root)

    def end(self, trial: Trial) -> None:
        """Clear the place of an experiment, unless something is to be looked at."""
        for place in self.mounted:
            subprocess.run(["umount", "-l", str(place)], check=False)
        self.mounted.clear()
        if not trial.findings:
            shutil.rmtree(trial.out.parent, ignore_errors=True)


def experiment(lab: Lab, command: Command, trial: Trial) -> None:
    """Strike once, resume, compare: the way of most commands and faults."""
    lab.measure(command)
    if trial.schedule.kind != "tiny-disk":
        command.prepare(trial.root)
    ended = lab.strike(trial, command)
    trial.findings += judge(ended, trial.schedule.kind)
    if ended.code == 0:  # then all must be there already
        lab.compare(trial, command)
    lab.resume(trial, command)
    lab.compare(trial, command)


def measure_folder(root: Path) -> int:
    """Return how many bytes the files of a folder take, in whole pages."""
    sizes = (path.stat().st_size for path in root.rglob("*") if path.is_file())
    return sum(-(-size // PAGE) * PAGE for size in sizes)


def tell_difference(wanted: Any, found: Any) -> str:
    """Return in a line what two results do not share."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        missing = [key for key in wanted if key not in found]
        more = [key for key in found if key not in wanted]
        other = [key for key in wanted if key in found and wanted[key] != found[key]]
        return f"missing {missing[:3]!r}, more {more[:3]!r}, other {other[:3]!r}"
    return f"{found!r:.150} instead of {wanted!r:.150}"


def wait_until(is_so: Callable[[], bool], most_s: float = 10.0) -> bool:
    """Wait for something; return whether it came."""
    end = time.monotonic() + most_s
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


IS_POSSIBLE = fence.is_possible()
