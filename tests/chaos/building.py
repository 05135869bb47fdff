"""Experiments with `blickfang build`: the corpus is the same, byte by byte, whatever happened."""

import hashlib
import os
import sqlite3
from pathlib import Path
from typing import Any

from blickfang.crawl.state.state_db import StateDb
from tests.chaos.judging import judge
from tests.chaos.lab import Lab, Trial, experiment
from tests.chaos.warden import Fault
from tests.samples.archives import draw, make_collection, page, picture, write_archive

ARCHIVES, PAGES = 3, 5
FIGURE = (
    "<html lang=en><title>Towers {n}</title><h1>Towers</h1><p>Some words before it.</p><figure>"
    '<img src="{n}.png" alt="tower {n}"><figcaption>A tower by the sea, number {n}</figcaption>'
    "</figure><p>And some words behind it.</p>"
)


class Build:
    """A corpus from a few archives."""

    name = "build"

    def prepare(self, root: Path) -> None:
        """Write archives of pages with pictures, and the state of a crawl."""
        root.parent.mkdir(parents=True, exist_ok=True)
        make_collection(root)
        for archive in range(ARCHIVES):
            site = f"http://h{archive}.test"
            numbers = range(archive * PAGES, (archive + 1) * PAGES)
            answers = [page(f"{site}/{n}", FIGURE.format(n=n)) for n in numbers]
            answers += [picture(f"{site}/{n}.png", draw(n)) for n in numbers]
            write_archive(root / f"{archive}.warc.gz", answers)
        folder = root / "crawl" / "shard-00"
        folder.mkdir(parents=True)
        store = StateDb(folder / "state.sqlite")
        store.commit()
        store.close()

    def arguments(self, root: Path) -> tuple[str, ...]:
        """Return what is typed."""
        return ("build", str(root))

    def result(self, root: Path) -> Any:
        """Return the hashes of all files of the corpus."""
        corpus = root / "corpus"
        return {
            str(path.relative_to(corpus)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in corpus.rglob("*")
            if path.is_file()
        }


def try_build(lab: Lab, trial: Trial) -> None:
    """Let a build meet a fault."""
    if trial.schedule.kind not in ("locked", "corrupt", "missing"):
        experiment(lab, Build(), trial)
        return
    command = Build()
    total = lab.measure(command).counts["change"]
    command.prepare(trial.root)
    lab.run(trial, command, fault=Fault("kill", trial.schedule.when(total)))
    trial.struck = ""
    with_lock = _damage(trial)
    ended = lab.run(trial, command)
    if with_lock is not None:
        with_lock.close()
    trial.findings += judge(ended, trial.schedule.kind)
    if ended.code == 0:
        lab.compare(trial, command)
    lab.resume(trial, command)
    lab.compare(trial, command)


def _damage(trial: Trial) -> sqlite3.Connection | None:
    """Damage what a killed build left, or hold the database it reads."""
    chance, kind = trial.schedule.chance, trial.schedule.kind
    if kind == "locked":
        holder = sqlite3.connect(trial.root / "crawl" / "shard-00" / "state.sqlite")
        holder.isolation_level = None
        holder.execute("BEGIN EXCLUSIVE")
        return holder
    made = sorted(path for path in (trial.root / "build").rglob("*") if path.is_file())
    if not made:
        return None
    path = chance.choice(made)
    trial.struck = f"{kind} {path.name}"
    if kind == "missing":
        path.unlink()
        return None
    size = path.stat().st_size
    with path.open("r+b") as file:
        for _ in range(4):
            file.seek(chance.randrange(max(1, size)))
            file.write(os.urandom(0) + bytes([chance.randrange(256)]) * 8)
    return None
