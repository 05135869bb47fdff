"""Running one target for long: processes that are watched, ended when they hang, started anew.

In: the name of a target and limits. Out: a `Row` of the table; every finding made small and kept.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import NamedTuple

from tests.fuzz.board import Board
from tests.fuzz.child import NOT_SO, Findings
from tests.fuzz.engine import Limits, Tally, run_mutations
from tests.fuzz.kept import keep
from tests.fuzz.kinds import COVERAGE, MUTATION, ROOT, Target

HANGS_S = 30.0  # of the processor without an end
SHRINK_S = 30.0
LOOK_S = 0.5
REACHED = re.compile(r"cov: (\d+)")
TICKS = os.sysconf("SC_CLK_TCK")


class Row(NamedTuple):
    """What came of a target."""

    target: str
    engine: str
    executions: int
    cpu_s: float
    new: int  # edges that the seeds did not reach; shapes of outcomes where edges are not seen
    seconds: float
    memory: int
    findings: list[dict[str, object]]
    runs: int = 1  # that were added up


class StoppedError(Exception):
    """The run was ended from outside."""


def run_target(
    target: Target, engine: str, seed: int, limits: Limits, place: Path, stop: Event
) -> Row:
    """Run a target to a limit, whatever its processes die of, or until told to stop."""
    name = target.name
    total, spent, new, turn = Tally(), 0.0, 0, 0
    left = limits
    while left.executions > 0 and left.seconds > 1 and turn < 20:
        folder = place / f"{name}-{turn}"
        folder.mkdir(parents=True)
        done, cpu, edges = _run_once(target, engine, seed + turn, left, folder, stop)
        total.executions += done.executions
        total.seconds = max(total.seconds, done.seconds)
        total.memory = max(total.memory, done.memory)
        new, spent, turn = max(new, done.found, edges), spent + cpu, turn + 1
        left = Limits(limits.executions - total.executions, limits.seconds - spent)
        if not (folder / "ended").exists():
            break
    findings = _keep_all(target, place)
    return Row(
        name, engine, total.executions, round(spent, 1), new, round(total.seconds, 3),
        total.memory, findings,
    )  # fmt: skip


def run_here(target: Target, seed: int, limits: Limits, place: Path, stop: Event) -> Row:
    """Run a target in this process, for a quick look: nobody watches it, nothing is made small."""
    tally, findings = Tally(), Findings(place / target.name)
    begun = time.process_time()

    def note(_: bytes) -> None:
        if stop.is_set():
            raise StoppedError

    with suppress(StoppedError):
        run_mutations(target, f"{seed}:{target.name}", limits, findings.keep, note, tally)
    told = [json.loads(path.read_text()) for path in sorted((place / target.name).glob("*.json"))]
    cpu = round(time.process_time() - begun, 1)
    worst = round(tally.seconds, 3), tally.memory
    return Row(target.name, MUTATION, tally.executions, cpu, tally.found, *worst, told)


def _run_once(
    target: Target, engine: str, seed: int, limits: Limits, folder: Path, stop: Event
) -> tuple[Tally, float, int]:
    """Run one process; where it hangs or dies, its last input is a finding."""
    board = Board(folder / "board")
    command = [sys.executable, "-m", "tests.fuzz.child", "run", target.call.__module__, target.name]
    limited = str(limits.executions), str(limits.seconds)
    command += [engine, str(seed), *limited, str(folder), *target.sees]
    with (folder / "log").open("wb") as log:
        # A session of its own: Ctrl-C is for this process, which ends its children itself.
        child = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
        hung = _watch(child, board, stop)
    tally, cpu, data = board.read()
    text = (folder / "log").read_text(errors="replace")
    if (hung or child.returncode != 0) and not stop.is_set():
        if not tally.executions and not data:
            raise RuntimeError(f"{target.name} did not start:\n{text[-3000:]}")
        reason = f"hangs for {HANGS_S:.0f} s" if hung else f"ends its process: {child.returncode}"
        _note(folder, data, reason)
        (folder / "ended").touch()
    edges = [int(found) for found in REACHED.findall(text)]
    return tally, cpu, edges[-1] - edges[0] if edges else 0


def _watch(child: subprocess.Popen[bytes], board: Board, stop: Event) -> bool:
    """Wait for a process; end it if one input takes forever. Returns whether that was so."""
    last, since = -1, 0.0
    while child.poll() is None:
        if stop.wait(LOOK_S):
            child.kill()
            child.wait()
            return False
        done = board.read()[0].executions
        cpu = _processor_time(child.pid)
        if done != last or not done:
            last, since = done, cpu
        elif cpu - since > HANGS_S:
            child.kill()
            child.wait()
            return True
    return False


def _processor_time(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _note(folder: Path, data: bytes, what: str) -> None:
    findings = folder / "findings"
    findings.mkdir(exist_ok=True)
    name = hashlib.sha256(data).hexdigest()[:16]
    (findings / name).write_bytes(data)
    facts = {"kind": "dead", "what": what, "bytes": len(data)}
    (findings / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")


def _keep_all(target: Target, place: Path) -> list[dict[str, object]]:
    """Make the findings of a target small, one of each kind, and keep them."""
    name, module = target.name, target.call.__module__
    found: dict[str, tuple[dict[str, object], Path]] = {}
    for about in sorted(place.glob(f"{name}-*/findings/*.json")):
        facts = json.loads(about.read_text(encoding="utf-8"))
        key = f"{facts['kind']} {facts['what']}"
        if key not in found or facts["bytes"] < found[key][0]["bytes"]:
            found[key] = facts, about.with_suffix("")
    kept = []
    for facts, path in found.values():
        command = [sys.executable, "-m", "tests.fuzz.child", "shrink", module, name, str(path)]
        command.append(str(SHRINK_S))
        if facts["kind"] != "dead":  # what hangs or dies is kept as it is: it cannot be tried often
            done = subprocess.run(
                command, cwd=ROOT, check=False, timeout=4 * SHRINK_S, start_new_session=True
            )
            if done.returncode == NOT_SO:
                continue
        file = keep(name, path.read_bytes())
        kept.append({**facts, "file": os.path.relpath(file, ROOT)})
    return kept


def choose_engine(wanted: str) -> str:
    """Return the engine that can be had: coverage needs atheris."""
    if wanted != COVERAGE:
        return wanted
    try:
        import atheris  # noqa: F401
    except ImportError:
        return MUTATION
    return COVERAGE
