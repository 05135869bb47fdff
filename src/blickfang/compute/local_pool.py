"""The same function over many things, on all cores of one machine.

In: a function and things to give it, all of which can be pickled. Out: results in the order of the
things, as they come; a thing that kills its process comes back as `Lost` and stops nothing else.
"""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

END_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl
AHEAD = 8  # things, or batches of them, handed out for each worker and not given back


@dataclass(frozen=True, slots=True)
class LostTask(Generic[A]):
    """A thing whose process died of it."""

    thing: A


def each(
    task: Callable[[A], B], things: Iterable[A], workers: int = 0, ahead: int = AHEAD
) -> Iterator[B | LostTask[A]]:
    """Yield the result for each thing, in order; by default with one process a core."""
    workers = workers or len(os.sched_getaffinity(0))
    if workers == 1:
        yield from map(task, things)
        return
    waiting: deque[tuple[A, Future[B]]] = deque()
    in_hand: list[A] = []
    todo = iter(things)
    with _pool(workers) as pool:
        try:
            for thing in islice(todo, workers * ahead):
                in_hand.append(thing)
                waiting.append((thing, pool.submit(task, thing)))
                in_hand.clear()
            while waiting:
                thing, future = waiting[0]
                result = future.result()
                waiting.popleft()
                yield result
                for following in islice(todo, 1):
                    in_hand.append(following)  # a broken pool refuses it: it must not be lost
                    waiting.append((following, pool.submit(task, following)))
                    in_hand.clear()
        except BrokenProcessPool:
            pass
        except BaseException:  # the user has had enough, or our own mistake: leave nothing running
            pool.shutdown(cancel_futures=True)  # waits, as the interpreter would when it ends
            raise
    # Who of those in flight killed the pool is not known: each gets a process of its own.
    unsure = [*(thing for thing, _ in waiting), *in_hand]
    for thing in unsure:
        yield _try_alone(task, thing)
    if unsure:
        yield from each(task, todo, workers, ahead)


def _pool(workers: int) -> ProcessPoolExecutor:
    # Threads and forks do not mix; a fresh interpreter costs half a second, once.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(
        workers, mp_context=context, initializer=_depend_on, initargs=(os.getpid(),)
    )


def _depend_on(parent: int) -> None:
    """Leave Ctrl-C to the process that the user talks to, and end when that one is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # killed while this process was loading: nobody would ever end it
        os._exit(1)


def _try_alone(task: Callable[[A], B], thing: A) -> B | LostTask[A]:
    with _pool(1) as pool:
        try:
            return pool.submit(task, thing).result()
        except BrokenProcessPool:
            return LostTask(thing)
