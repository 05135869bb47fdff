"""What happens in the process of a command before the command: its world is made what it shall be.

In: a `Job`. Out: the command's own exit code and words.
"""

import io
import multiprocessing
import os
import resource
import socket
import sys
import time
from concurrent.futures import process as pools
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import connector

from blickfang.__main__ import main
from blickfang.crawl.fetch import fetcher, polite_client, resolver
from blickfang.crawl.shards import shard, shard_processes
from blickfang.crawl.state import control
from blickfang.web.annotate import label_store
from blickfang.web.annotate import label_store as labels
from tests.chaos import fence
from tests.chaos.nursery import Job

RUN_SHARD = shard_processes.run_shard
SHORT = fetcher.FetchLimits(connect_s=0.5, first_byte_s=0.8, total_s=2.0)
REAL = {name: getattr(time, name) for name in ("time", "gmtime", "localtime", "time_ns")}


def run_job(job: Job) -> None:
    """Run a command in this process."""
    os.setsid()
    for number, kind in ((1, "out"), (2, "err")):
        file = os.open(f"{job.out}.{kind}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), encoding="utf-8", write_through=True
    )
    _hurry()
    if job.clock:
        _shift_clock(dict(job.clock))
    if job.names:
        _answer_names(job.names)
    if job.trusted:
        connector._SSL_CONTEXT_VERIFIED.load_verify_locations(job.trusted)
    if job.largest:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job.largest, job.largest))
    if job.memory:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + job.memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if job.address:
        fence.enter(job.address)
    sys.argv = ["blickfang", *job.arguments]
    try:
        main()
    finally:
        pools._python_exit()  # as an interpreter that ends does, before anything else


def _hurry() -> None:
    """Make waiting short, and fork where a new interpreter would be started."""
    forking: Any = multiprocessing.get_context("fork")
    changes: list[tuple[Any, str, Any]] = [
        (multiprocessing, "get_context", lambda _=None: forking),
        (shard_processes, "run_shard", _run_shard_alone),
        (shard, "COMMIT_S", 0.1),
        (shard, "SYNC_S", 0.5),
        (control, "LOCK_S", 3.0),
        (polite_client, "CUT_OFF_S", 0.4),
        (fetcher, "Limits", lambda: SHORT),
        (resolver, "UNKNOWN_S", 0.05),
        (resolver, "KNOWN_S", 0.05),
        (labels, "WAIT_S", 1.0),
        (label_store, "COPY_S", 0.5),
    ]
    for module, name, value in changes:
        setattr(module, name, value)


def _run_shard_alone(task: Any, number: int, pipe: Any) -> None:
    """Run a shard without lock and pipes of its coordinator, as a process that was not forked."""
    for link in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):
            what, file = str(link.readlink()), int(link.name)
            if what.endswith("/.lock") or (what.startswith("socket:") and file != pipe.fileno()):
                os.close(file)
    RUN_SHARD(task, number, pipe)


def _shift_clock(jumps: dict[int, float]) -> None:
    """Let the clock on the wall jump; the one that only goes forwards is not touched."""
    looks, off = 0, 0.0

    def shift() -> float:
        nonlocal looks, off
        looks += 1
        off += jumps.get(looks, 0.0)
        return off

    def jumping_time() -> float:
        return float(REAL["time"]()) + shift()

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.fromtimestamp(jumping_time(), tz or UTC)

    def broken_down(name: str) -> Any:
        real = REAL[name]
        return lambda seconds=None: real(jumping_time() if seconds is None else seconds)

    new = {
        "time": jumping_time,
        "time_ns": lambda: int(jumping_time() * 1e9),
        "gmtime": broken_down("gmtime"),
        "localtime": broken_down("localtime"),
    }
    for name, module in list(sys.modules.items()):
        if name == "time" or name.startswith("blickfang"):
            for fact, real in REAL.items():
                if module.__dict__.get(fact) is real:
                    setattr(module, fact, new[fact])
            if module.__dict__.get("datetime") is datetime:
                module.__dict__["datetime"] = Jumping


def _answer_names(answers: tuple[str, ...]) -> None:
    """Let names lead where the schedule says: one answer after the other, the last one for good."""
    left = list(answers)

    def look_up(host: Any, port: Any, *_: Any, **__: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else str(host)
        if not name.endswith(".test"):
            return REAL_LOOKUP(host, port, *_, **__)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if not answer:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answer, port or 0))]

    socket.getaddrinfo = look_up


REAL_LOOKUP = socket.getaddrinfo
