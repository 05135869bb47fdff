"""make chaos: many schedules, what survived, what did not.

In: how many schedules, from which seed, of which command or fault. Out: a table on stdout and a
JSON file; exit code 1 if anything was found. `--only crawl`, `--only power`, `--only crawl/power`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.chaos.annotating import try_annotate
from tests.chaos.building import try_build
from tests.chaos.crawling import try_crawl
from tests.chaos.deduping import try_dedupe
from tests.chaos.lab import IS_POSSIBLE, Lab, Trial
from tests.chaos.nursery import show
from tests.chaos.schedule import CELLS, FAMILIES, FAULTS, Schedule, draw

TRY: dict[str, Callable[[Lab, Trial], None]] = {
    "crawl": try_crawl,
    "build": try_build,
    "annotate": try_annotate,
    "dedupe": try_dedupe,
}
TOLD_EVERY = 20
APART = "BLICKFANG_CHAOS_APART"


def run_schedule(lab: Lab, schedule: Schedule) -> Trial:
    """Make one experiment."""
    trial = lab.begin(schedule)
    try:
        TRY[schedule.command](lab, trial)
    finally:
        lab.end(trial)
    return trial


def pick(count: int, first: int, only: str) -> Iterable[Schedule]:
    """Give the schedules that are wanted."""
    command, _, kind = only.partition("/")
    if command and command not in FAULTS:
        command, kind = "", command
    cells = [c for c in CELLS if command in ("", c[0]) and kind in ("", c[1]) and c[0] in TRY]
    if not cells:
        raise SystemExit(f"{only} is neither a command nor a fault")
    wanted, seed = set(cells), first
    while count:
        schedule = draw(seed)
        if (schedule.command, schedule.kind) in wanted:
            yield schedule
            count -= 1
        seed += 1


def print_table(trials: list[dict[str, Any]]) -> None:
    """Print how many schedules of each fault each command survived, and what was found."""
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for trial in trials:
        cells[f"{trial['family']}: {trial['kind']}", trial["command"]].append(trial)
    faults = {f"{FAMILIES[kind]}: {kind}": None for kinds in FAULTS.values() for kind in kinds}
    show(f"| fault | {' | '.join(FAULTS)} | findings |")
    show("|---|" + "---:|" * (len(FAULTS) + 1))
    for fault in sorted(faults, key=lambda name: list(FAMILIES).index(name.split(": ")[1])):
        some = [cells[fault, command] for command in FAULTS]
        shown = (f"{sum(not t['findings'] for t in c)} of {len(c)}" if c else "–" for c in some)
        found = sum(len(trial["findings"]) for cell in some for trial in cell)
        if any(some):
            show(f"| {fault} | {' | '.join(shown)} | {found} |")


def summarise(trials: list[dict[str, Any]]) -> int:
    """Print the table and the seeds to run again; return the exit code."""
    print_table(trials)
    bad = [trial["seed"] for trial in trials if trial["findings"]]
    show(f"{len(trials)} schedules, {len(trials) - len(bad)} survived")
    if bad:
        show(f"failing seeds: {' '.join(map(str, bad))}")
    return 1 if bad else 0


def main() -> int:
    """Run many schedules."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--schedules", type=int, default=3 * len(CELLS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path, default=Path("benchmarks/out/chaos.json"))
    parser.add_argument("--keep", action="store_true", help="keep folders with findings")
    parser.add_argument("--show", type=Path, help="print the table of an earlier run")
    options = parser.parse_args()
    if options.show:
        return summarise(json.loads(options.show.read_text(encoding="utf-8")))
    if not IS_POSSIBLE:
        raise SystemExit("faults are injected into system calls: this needs Linux on x86-64 or ARM")
    stand_apart()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    lab, trials, began = Lab(folder), [], time.monotonic()
    try:
        for schedule in pick(options.schedules, options.seed, options.only):
            trial = run_schedule(lab, schedule)
            trials.append(describe(trial))
            if len(trials) % TOLD_EVERY == 0:
                show(f"{len(trials)} of {options.schedules} …")
            for finding in trial.findings:
                show(f"seed {schedule.seed}: {schedule.command}, {schedule.kind}: {finding}")
    finally:
        if options.keep:
            show(f"kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(trials, indent=1, ensure_ascii=False), encoding="utf-8")
    show(f"{time.monotonic() - began:.0f} s; each experiment: {options.json}")
    return summarise(trials)


def describe(trial: Trial) -> dict[str, Any]:
    """Return an experiment as it goes into the file."""
    schedule = trial.schedule
    return {
        "seed": schedule.seed,
        "command": schedule.command,
        "family": schedule.family,
        "kind": schedule.kind,
        "struck": trial.struck.rpartition("/")[2] if trial.struck else "",
        "codes": trial.codes,
        "findings": trial.findings,
    }


def stand_apart() -> None:
    """Start again where mounting a small disk concerns nobody else, if that may be done."""
    if os.geteuid() == 0 and APART not in os.environ and shutil.which("unshare"):
        tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            os.environ[APART] = "1"
            command = [sys.executable, "-m", "tests.chaos", *sys.argv[1:]]
            os.execvp("unshare", ["unshare", "-m", *command])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
