"""The same function over many things, on all cores of a Ray cluster (extra `ray`).

In: a function and things to give it, all of which can be pickled. Out: results as `local_pool.py`
gives them. A worker or node that dies costs time, nothing else: what it had in hand is given to
another. Who kills worker after worker comes back as `Lost`. When nothing is left to hand out, what
takes longest is begun a second time elsewhere, and the first answer counts: tasks must bear that.
"""

import os
import pickle
import secrets
import socket
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from statistics import median
from typing import Any, Generic, TypeVar

from blickfang.compute.local_pool import AHEAD, LostTask
from blickfang.errors import BlickfangError, SettingsError

A = TypeVar("A")
B = TypeVar("B")

PACKAGE = __name__.partition(".")[0]
DEFAULT_PORT = 6379
KNOCK_S = 5.0  # to reach the head
CHECK_S = 120.0  # for a first answer of every node: it may start workers for it
BATCH_S, MOST = 0.5, 64  # things that take little time go together: a task costs about 1 ms
DEATHS, STARVED = 8, 3  # workers that die of a thing, and of its hunger, before it is lost
SICK = 0.25  # how much a death counts while everything dies
WAIT_S = 1.0
MOST_SAID = 2**16  # bytes
COUNT_EVERY_S = 5.0  # cores: nodes come and go
SLOW, SLOW_S = 2.0, 2.0  # times the usual, and seconds, before a thing is begun again


def connect(address: str = "") -> Any:
    """Return the module `ray`, joined to the cluster at an address, or to an own one without."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    address = address or os.environ.get("RAY_ADDRESS", "")
    if not address and "RAY_AUTH_MODE" not in os.environ and "ray" not in sys.modules:
        # Else everybody on the network could give our own one work. Ray looks when it is imported.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        import ray
    except ImportError as error:
        raise SettingsError(
            "the engine ray needs a package that is not installed: "
            'run `pip install "blickfang[ray]"` here and on every node'
        ) from error
    if ray.is_initialized():
        return ray
    if address and address != "auto":
        _knock(address)
    with _hushing() as said:
        try:
            _join(ray, address)
        except Exception as error:
            raise _explain(error, address, said()) from error
    _check_nodes(ray)
    return ray


def _knock(address: str) -> None:
    """Raise if nobody listens at an address: Ray itself would wait for minutes."""
    if "://" in address:
        raise SettingsError(
            f"{address} is an address of Ray's client; run this command on a machine of the "
            "cluster, and give host:port of its head"
        )
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise SettingsError(
            f"{address} is no address of a Ray cluster; give host:port of its head, "
            f"as 10.0.0.1:{DEFAULT_PORT}"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_S).close()
    except OSError as error:
        raise SettingsError(
            f"no Ray cluster answers at {address} ({error.strerror or error}); start one with "
            f"`ray start --head --port={port}`, or correct the address"
        ) from error


@contextmanager
def _hushing() -> Iterator[Callable[[], str]]:
    """Keep from the user what Ray's native part writes to stderr; give it to whom explains."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield lambda: os.pread(kept.fileno(), MOST_SAID, 0).decode("utf-8", "replace")
        finally:
            os.dup2(before, 2)
            os.close(before)


def _join(ray: Any, address: str) -> None:
    # Ray tells of every worker that dies, on stdout, where our results go; we tell what is lost.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    quiet = {"log_to_driver": False, "configure_logging": False}
    if address:
        ray.init(address, **quiet)
    else:
        ray.init("local", include_dashboard=False, **quiet)


def _explain(error: Exception, address: str, said: str) -> SettingsError:
    """Return one sentence for what Ray says in many."""
    text = str(error)
    place = address or "this machine"
    if type(error).__name__ == "AuthenticationError":
        return SettingsError(
            f"Ray at {place} wants a token and there is none: name the file of the cluster's "
            "token in RAY_AUTH_TOKEN_PATH"
        )
    if "Unauthenticated" in said:
        return SettingsError(
            f"the Ray cluster at {place} refuses our token, or the lack of one: set "
            "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN_PATH to the file of the cluster's token"
        )
    if "Version mismatch" in text:
        lines = [line.strip() for line in text.splitlines()]
        told = [line for line in lines if line.startswith(("Ray:", "Python:"))]
        theirs, ours = ", ".join(told[:2]), ", ".join(told[2:4])
        return SettingsError(
            f"the Ray cluster at {place} has other versions ({theirs}) than this machine ({ours}); "
            "install the same on all"
        )
    if isinstance(error, ConnectionError):
        return SettingsError(
            f"{place} answers, but not as a Ray cluster does; give the port of its head, "
            f"which is {DEFAULT_PORT} unless another was chosen"
        )
    first = " ".join(text.split())[:300]
    return SettingsError(
        f"cannot join the Ray cluster at {place} ({first}); this machine must be a node of it: "
        f"run `ray start --address={address or 'HOST:PORT'}` here"
    )


def _check_nodes(ray: Any) -> None:
    """Raise if a node lacks our package, or has another version of it."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=True)
            task = ray.remote(_tell_version).options(num_cpus=0, scheduling_strategy=there)
            asked[task.remote(PACKAGE)] = node["NodeManagerHostname"]
    if not asked:
        raise SettingsError("the Ray cluster has no cores; start nodes with `ray start`")
    ray.wait(list(asked), num_returns=len(asked), timeout=CHECK_S)
    for answer, host in asked.items():
        advice = f'run `pip install "{PACKAGE}[ray]=={version(PACKAGE)}"` there'
        try:
            found = ray.get(answer, timeout=0.1)
        except ray.exceptions.GetTimeoutError as error:
            raise BlickfangError(
                f"the node {host} does not answer; see `ray status`, then try again"
            ) from error
        except ray.exceptions.RayTaskError as error:
            raise SettingsError(f"{PACKAGE} does not run on the node {host}; {advice}") from error
        if found != version(PACKAGE):
            raise SettingsError(
                f"the node {host} has {PACKAGE} {found}, this machine {version(PACKAGE)}; {advice}"
            )


def _tell_version(package: str) -> str:
    return version(package)


def each(
    task: Callable[[A], B],
    things: Iterable[A],
    workers: int = 0,
    address: str = "",
    *,
    in_order: bool = True,
    together: int = MOST,
    ahead: int = AHEAD,
) -> Iterator[B | LostTask[A]]:
    """Yield the result for each thing, in order, or as they come; on all cores by default."""
    work = WorkQueue(connect(address), task, things, workers, in_order=in_order)
    work.together, work.ahead = together, ahead
    try:
        yield from work.results()
    finally:
        work.cancel()


def _run(task: Callable[[A], B], things: list[A]) -> tuple[list[B], Exception | None, float]:
    """Return the results of some things, up to the first mistake; on a worker."""
    begun = time.monotonic()
    done: list[B] = []
    try:
        for thing in things:
            done.append(task(thing))  # noqa: PERF401 -- what is done before a mistake counts
    except Exception as error:
        if not isinstance(error, BlickfangError):  # a traceback does not travel, but notes do
            error.add_note("".join(traceback.format_exception(error)))
        return done, _pack(error), time.monotonic() - begun
    return done, None, time.monotonic() - begun


def _pack(error: Exception) -> Exception:
    """Return a mistake in a form that travels."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 -- our own, just made
    except Exception:
        packed = RuntimeError(f"{type(error).__name__}: {error}")
        packed.__notes__ = getattr(error, "__notes__", [])
        return packed
    return error


@dataclass(slots=True, eq=False)
class TaskBatch(Generic[A]):
    """Things that travel together."""

    place: int  # of the first among all things
    things: list[A]
    runs: dict[Any, float] = field(default_factory=dict)  # under way, and since when
    deaths: float = 0.0
    finished: int = -1  # things that were, when it died last


class WorkQueue(Generic[A, B]):
    """What is handed out, what has come back, and what must go out again."""

    def __init__(
        self,
        ray: Any,
        task: Callable[[A], B],
        things: Iterable[A],
        workers: int,
        *,
        in_order: bool,
    ) -> None:
        self.ray, self.workers, self.in_order = ray, workers, in_order
        self.together, self.ahead = MOST, AHEAD
        self.task = ray.put(task)  # once, however large it is
        self.run = ray.remote(num_cpus=1, max_retries=0)(_run)
        self.todo, self.exhausted = iter(things), False
        self.taken = self.given = self.finished = 0  # things
        self.running: dict[Any, TaskBatch[A]] = {}
        self.again: deque[TaskBatch[A]] = deque()
        self.done: dict[int, tuple[list[B | LostTask[A]], Exception | None]] = {}
        self.size = 1
        self.times: deque[float] = deque(maxlen=100)
        self.cores, self.counted = 1, 0.0

    def results(self) -> Iterator[B | LostTask[A]]:
        """Yield what comes back."""
        self._fill()
        while self.running or self.done or not self.exhausted:
            if self.running:
                ready, _ = self.ray.wait(list(self.running), num_returns=1, timeout=WAIT_S)
                for answer in ready:
                    self._receive(answer)
            self._fill()
            yield from self._give()

    def cancel(self) -> None:
        """End what still runs; nobody waits for it."""
        for answer in self.running:
            self.ray.cancel(answer, force=True)
        self.running.clear()

    def _give(self) -> Iterator[B | LostTask[A]]:
        """Yield what is next, or all that is there."""
        while self.done:
            place = self.given if self.in_order else min(self.done)
            if place not in self.done:
                return
            results, mistake = self.done.pop(place)
            yield from results
            self.given += len(results)
            if mistake is not None:
                raise mistake

    def _fill(self) -> None:
        """Hand out as much as the cluster can do, and some more."""
        slots = self._count_slots()
        while self.again:
            self._start(self.again.popleft())
        while not self.exhausted and len(self.running) <= slots + slots // 2:
            if len(self.running) + len(self.done) >= slots * self.ahead:
                return
            things = list(islice(self.todo, self.size))
            if not things:
                self.exhausted = True
                break
            self._start(TaskBatch(self.taken, things))
            self.taken += len(things)
        if self.exhausted and len(self.running) < slots:
            self._begin_again()

    def _count_slots(self) -> int:
        now = time.monotonic()
        if now - self.counted > COUNT_EVERY_S:
            self.counted = now
            self.cores = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        return min(self.workers, self.cores) if self.workers else self.cores

    def _start(self, batch: TaskBatch[A], **options: Any) -> None:
        run = self.run.options(**options) if options else self.run
        answer = run.remote(self.task, batch.things)
        batch.runs[answer] = time.monotonic()
        self.running[answer] = batch

    def _begin_again(self) -> None:
        """Give what takes longest to a second worker, on another node if there is one."""
        alone = [batch for batch in self.running.values() if len(batch.runs) == 1]
        if not alone or not self.times:
            return
        slowest = min(alone, key=lambda batch: min(batch.runs.values()))
        age = time.monotonic() - min(slowest.runs.values())
        if age > max(SLOW_S, SLOW * median(self.times)):
            self._start(slowest, scheduling_strategy="SPREAD")

    def _receive(self, answer: Any) -> None:
        """Take what came back from one run: results, or the news of a death."""
        batch = self.running.pop(answer)
        begun = batch.runs.pop(answer)
        died = self.ray.exceptions
        try:
            results, mistake, seconds = self.ray.get(answer)
        except (died.WorkerCrashedError, died.NodeDiedError, died.ObjectLostError):
            self._bury(batch, DEATHS)
        except died.OutOfMemoryError:
            self._bury(batch, STARVED)
        except died.RayTaskError as error:  # not of the task: that one's mistakes are results
            raise BlickfangError(
                f"a node of the cluster cannot do the work: {_last_line(error)}; "
                f"install the same {PACKAGE} on all"
            ) from error
        except died.RayError as error:
            raise BlickfangError(
                f"the cluster cannot do the work: {_last_line(error)}; see `ray status`"
            ) from error
        else:
            self.times.append(time.monotonic() - begun)
            self._enter(batch, results, mistake)
            self._resize(seconds / max(1, len(results)))

    def _enter(self, batch: TaskBatch[A], results: list[Any], mistake: Exception | None) -> None:
        self.done[batch.place] = (results, mistake)
        self.finished += len(results)
        for other in batch.runs:  # the slower of two
            self.running.pop(other)
            self.ray.cancel(other, force=True)
        batch.runs.clear()

    def _bury(self, batch: TaskBatch[A], most: int) -> None:
        """Decide about things whose worker died."""
        # Where nothing else gets done either, it may be the cluster that is sick.
        batch.deaths += 1.0 if self.finished > batch.finished else SICK
        batch.finished = self.finished
        if batch.runs:  # another worker has them, too
            return
        if len(batch.things) > 1:  # which of them it was is not known
            for number, thing in enumerate(batch.things):
                self.again.append(TaskBatch(batch.place + number, [thing]))
        elif batch.deaths < most:
            self.again.append(batch)
        else:
            self._enter(batch, [LostTask(batch.things[0])], None)

    def _resize(self, seconds: float) -> None:
        """Let as many things go together as keep a worker busy for a while."""
        wanted = int(BATCH_S / max(seconds, 1e-6))
        self.size = max(1, min(wanted, 2 * self.size, self.together))


def _last_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[-1].split())[:300] if lines else type(error).__name__
