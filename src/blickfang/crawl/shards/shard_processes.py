"""Shards as processes of one machine: each has a pipe to the coordinator.

In: a task that runs one shard, given its number and how to send mail. Out: the crawl, until all
have ended. A shard whose process dies is reported as an error; what it committed is safe.
"""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from blickfang.crawl.shards.messages import LOST, Ended, Message
from blickfang.errors import BlickfangError, DiskFullError
from blickfang.io.atomic_files import explain_failure
from blickfang.io.log import report_bug

Task = Callable[[int, Callable[[Message], None], Callable[[Callable[[Message], None]], None]], None]
ENDING_S = 20.0


@contextmanager
def shielded() -> Iterator[None]:
    """Let processes that are started here ignore Ctrl-C and SIGTERM: the coordinator decides.

    The mask is inherited, so that nothing reaches a shard that is still loading.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Processes:
    """The processes of a crawl and their pipes."""

    restores = False  # who kills a process on this machine means it, or its memory is short

    def __init__(self, task: Task, count: int) -> None:
        self.task = task
        self.context = multiprocessing.get_context("spawn")
        resource_tracker.ensure_running()  # else the first start begins it, and unblocks signals
        self.pipes: dict[int, Connection] = {}
        self.processes: list[Any] = []
        for number in range(count):
            self.start(number)
        self.listening = dict(self.pipes)

    def start(self, shard: int) -> None:
        """Start a shard."""
        here, there = self.context.Pipe()
        process = self.context.Process(
            target=run_shard, args=(self.task, shard, there), name=f"blickfang shard {shard}"
        )
        with shielded():
            process.start()
        there.close()
        self.pipes[shard] = here
        self.processes.append(process)

    def send(self, shard: int, message: Message) -> None:
        """Send mail to a shard; to one that has died it is lost with it."""
        try:
            self.pipes[shard].send(message)
        except (BrokenPipeError, OSError):
            return

    def receive(self, wait_s: float) -> Iterator[tuple[int, Message | None]]:
        """Give the mail of all shards, waited for a while; None: this shard is gone."""
        wait(self.listening.values(), wait_s)
        for number, pipe in list(self.listening.items()):
            try:
                while pipe.poll():
                    yield number, pipe.recv()
            except (EOFError, OSError):
                del self.listening[number]
                yield number, None

    def close(self) -> None:
        """Wait for all processes; end those that do not end themselves."""
        for pipe in self.pipes.values():
            pipe.close()  # who still works sees it and ends
        for process in self.processes:
            process.join(timeout=ENDING_S)
            if process.is_alive():
                process.kill()
                process.join()


def describe_error(error: BaseException) -> str:
    """Return in a sentence what ended a shard; a mistake of ours keeps its name."""
    if isinstance(error, MemoryError):
        return "out of memory"
    return str(error) if isinstance(error, BlickfangError) else f"{type(error).__name__}: {error}"


def run_shard(task: Task, number: int, pipe: Connection) -> None:
    """Run one shard in this process; it ends when its coordinator does."""
    lock = threading.Lock()

    def send(message: Message) -> None:
        with lock:
            pipe.send(message)

    def listen(deliver: Callable[[Message], None]) -> None:
        def read() -> None:
            while True:
                try:
                    deliver(pipe.recv())
                except (EOFError, OSError):
                    deliver(LOST)
                    return

        threading.Thread(target=read, daemon=True).start()

    error, is_full = "", False
    try:
        task(number, send, listen)
    except BrokenPipeError:
        return
    except Exception as found:  # told to the coordinator, which stops the others
        told = explain_failure(found, "cannot go on") if isinstance(found, OSError) else found
        is_full = isinstance(told, DiskFullError)
        error = describe_error(told)
        if not isinstance(told, BlickfangError | MemoryError):
            error = f"shard {number}: {error} ({report_bug(found, f'shard {number}')})"
    try:
        send(Ended(number, error, is_full))
    except OSError:
        return
