"""Experiments with `blickfang crawl`: in the end all is archived, nothing twice, all readable."""

import random
import sqlite3
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from blickfang.crawl.state.crawl_queries import summarise
from blickfang.crawl.state.state_db import looking_into
from blickfang.io.warc import read_at
from blickfang.types import Failure
from tests.chaos.judging import judge
from tests.chaos.lab import Lab, Trial, experiment, wait_until
from tests.chaos.nursery import Ended, Job, starting
from tests.chaos.warden import Fault
from tests.chaos.web import (
    CUT,
    REFUSED,
    RESET,
    SILENT,
    Server,
    make_certificates,
    make_web,
    read_certificate,
    serving,
    strip_port,
)
from tests.crawl.sites import archived_by_warcio, settings, write_settings

PLANS = {"resets": (RESET, REFUSED), "half-open": (SILENT,), "cut-off": (CUT,)}
NOWHERE = "127.0.0.77"  # nobody listens there
PAGE = 4096
DATABASE = ("locked", "corrupt", "missing", "lost-wal")
REBUILD = "--rebuild"


class Crawl:
    """A crawl of four hosts in two shards."""

    name = "crawl"

    def __init__(self, server: Server, seed: str, proxy: bool = True) -> None:
        self.server, self.seed, self.proxy = server, seed, proxy
        self.more: tuple[str, ...] = ()

    def prepare(self, root: Path) -> None:
        """Write the settings."""
        address = self.server.address if self.proxy else ""
        write_settings(root, settings(None, self.seed, proxy=address, shards=2))

    def arguments(self, root: Path) -> tuple[str, ...]:
        """Return what is typed."""
        return ("crawl", str(root), *self.more)

    def result(self, root: Path) -> Any:
        """Return how often each address is archived, after looking at every row and record."""
        folder = root / "crawl"
        found = Counter(archived_by_warcio(folder))
        for path in sorted(folder.glob("shard-*/state.sqlite")):
            with looking_into(path) as db:
                rows = db.execute("SELECT url, file, place, length FROM visits WHERE file != ''")
                for row in rows:
                    record = read_at(path.parent / row["file"], row["place"], row["length"])
                    assert not isinstance(record, Failure), record
                    assert record.url == row["url"], (record.url, row["url"])
        facts = summarise(folder)
        assert facts["queued_pages"] + facts["queued_images"] == 0, facts
        assert len(list(folder.glob("shard-*/*.cdxj"))) == 2, "an index is missing"
        return {f"{status} {strip_port(url)}": n for (url, status), n in found.items()}


def try_crawl(lab: Lab, trial: Trial) -> None:
    """Let a crawl meet a fault."""
    kind = trial.schedule.kind
    with ExitStack() as stack:
        server = stack.enter_context(serving(make_web(), {}))
        command = Crawl(server, "http://h0.test/0")
        lab.measure(command)
        server.requests = 0
        if kind in DATABASE:
            _try_database(lab, command, trial)
        elif kind in PLANS:
            _try_plan(lab, command, trial)
        elif kind == "proxy-loss":
            _try_without_proxy(lab, command, trial)
        elif kind == "dns":
            _try_names(lab, trial)
        elif kind == "tls":
            _try_certificates(lab, trial)
        else:
            experiment(lab, command, trial)


def _try_plan(lab: Lab, command: Crawl, trial: Trial) -> None:
    """Let some requests meet a reset, silence, or half an answer."""
    chance = trial.schedule.chance
    kinds, total = PLANS[trial.schedule.kind], 90
    plan = {1 + chance.randrange(total): chance.choice(kinds) for _ in range(chance.randint(1, 9))}
    command.server.plan = plan
    command.prepare(trial.root)
    _survive(lab, command, trial)
    trial.struck = ", ".join(command.server.met)


def _survive(lab: Lab, command: Crawl, trial: Trial) -> None:
    """Crawl through trouble of the network, then ask again for what failed."""
    ended = lab.run(trial, command)
    trial.findings += judge(ended, trial.schedule.kind)
    command.server.plan = {}
    command.more = ("--retry-failed",)
    lab.resume(trial, command)
    lab.compare(trial, command)


def _try_without_proxy(lab: Lab, command: Crawl, trial: Trial) -> None:
    """Let the proxy go away in the middle, and come back for the next run."""
    command.prepare(trial.root)
    after, server = trial.schedule.when(60), command.server
    job = Job(command.arguments(trial.root), f"{trial.out}-0")
    with starting(lab.nursery, job, trial.root) as (running, _):
        wait_until(lambda: server.requests >= after or running.is_over())
        server.stop()
        ended = running.wait()
    trial.struck = f"after {server.requests} requests"
    trial.codes.append(ended.code)
    trial.findings += judge(ended, trial.schedule.kind)
    with serving(server.sites, {}, server.port) as again:
        command.server = again
        lab.resume(trial, command)
        lab.compare(trial, command)


def _try_names(lab: Lab, trial: Trial) -> None:
    """Let names be unknown for a while, and lead elsewhere between two looks."""
    chance = trial.schedule.chance
    names = [chance.choice(["", "127.0.0.1", NOWHERE]) for _ in range(chance.randint(1, 8))]
    with serving(make_web(), {}) as server:
        base = f"http://h{{}}.test:{server.port}"
        server.sites = make_web(base)
        command = Crawl(server, base.format(0) + "/0", proxy=False)
        command.prepare(trial.root)
        ended = lab.run(trial, command, names=(*names, "127.0.0.1"))
        trial.struck = " ".join(name or "unknown" for name in names)
        trial.findings += judge(ended, "dns")
        command.more = ("--retry-failed",)
        job = Job(command.arguments(trial.root), f"{trial.out}-again", names=("127.0.0.1",))
        ended = lab.run(trial, command, job)
        trial.findings += judge(ended, "dns")
        lab.compare(trial, command)


def _try_certificates(lab: Lab, trial: Trial) -> None:
    """Let hosts show a certificate that is old or unknown, and then a good one."""
    folder = trial.root.parent
    if not make_certificates(folder):
        return
    bad, trusted = trial.schedule.chance.choice(["old", "other"]), str(folder / "good.pem")
    with serving(make_web(), {}, 0, read_certificate(folder, bad)) as server:
        port, base = server.port, f"https://h{{}}.test:{server.port}"
        server.sites = make_web(base)
        command = Crawl(server, base.format(0) + "/0", proxy=False)
        command.prepare(trial.root)
        world: dict[str, Any] = {"names": ("127.0.0.1",), "trusted": trusted}
        ended = lab.run(trial, command, **world)
        trial.struck = bad
        trial.findings += judge(ended, "tls")
        if server.requests:
            trial.findings.append("asked a host whose certificate is not valid")
    with serving(make_web(base), {}, port, read_certificate(folder, "good")) as server:
        command.more = ("--retry-failed",)
        job = Job(command.arguments(trial.root), f"{trial.out}-again", **world)
        trial.findings += judge(lab.run(trial, command, job), "tls")
        lab.compare(trial, command)


def _try_database(lab: Lab, command: Crawl, trial: Trial) -> None:
    """Kill a crawl, damage the database of one shard, and go on as the message says."""
    chance, total = trial.schedule.chance, lab.measure(command).counts["change"]
    command.prepare(trial.root)
    lab.run(trial, command, fault=Fault("kill", trial.schedule.when(total)))
    stores = sorted((trial.root / "crawl").glob("shard-*/state.sqlite"))
    trial.struck = ""
    if stores:
        path = chance.choice(stores)
        trial.struck = f"{trial.schedule.kind} {path.name}"
        if trial.schedule.kind == "locked":
            with holding(path):
                ended = lab.run(trial, command)
        else:
            damage(path, trial.schedule.kind, chance)
            ended = lab.run(trial, command)
        trial.findings += judge(ended, trial.schedule.kind)
        command.more = (REBUILD,) if REBUILD in ended.said else ()

    def follow(ended: Ended) -> Job | None:
        command.more = (REBUILD,) if REBUILD in ended.said else ()
        return None

    lab.resume(trial, command, follow)
    lab.compare(trial, command)


class holding:  # noqa: N801 -- used as a function
    """Hold the lock of a database while the block runs."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)

    def __enter__(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self.db.close()


def damage(path: Path, kind: str, chance: random.Random) -> None:
    """Damage a database: pages overwritten, the file gone, the end of its log lost."""
    log = path.with_name(path.name + "-wal")
    if kind == "missing":
        path.unlink()
        log.unlink(missing_ok=True)
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
    elif kind == "lost-wal" and log.exists():
        with log.open("r+b") as file:
            file.truncate(chance.randrange(log.stat().st_size + 1))
    elif kind == "corrupt":
        for victim in (path, log):
            pages = victim.stat().st_size // PAGE if victim.exists() else 0
            with victim.open("r+b") if pages else path.open("rb") as file:
                for _ in range(min(pages, 4)):
                    file.seek(PAGE * chance.randrange(pages))
                    file.write(chance.randbytes(PAGE))
