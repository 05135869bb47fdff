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

from blickfang.crawl.coordinator import Coordinator
from blickfang.crawl.mail import LOST, Ended, Message

Task = Callable[[int, Callable[[Message], None], Callable[[Callable[[Message], None]], None]], None]
WAIT_S = 0.25
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

    def __init__(self, task: Task, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        resource_tracker.ensure_running()  # else the first start begins it, and unblocks signals
        self.pipes: list[Connection] = []
        self.processes: list[Any] = []
        for number in range(count):
            here, there = context.Pipe()
            process = context.Process(
                target=run_shard, args=(task, number, there), name=f"blickfang shard {number}"
            )
            with shielded():
                process.start()
            there.close()
            self.pipes.append(here)
            self.processes.append(process)

    def send(self, shard: int, message: Message) -> None:
        """Send mail to a shard; to one that has died it is lost with it."""
        try:
            self.pipes[shard].send(message)
        except (BrokenPipeError, OSError):
            return

    def carry(self, coordinator: Coordinator, watch: Callable[[], None]) -> None:
        """Carry mail until all shards have ended; call `watch` now and then."""
        listening = dict(enumerate(self.pipes))
        while listening and not coordinator.is_over:
            wait(listening.values(), WAIT_S)
            for number, pipe in list(listening.items()):
                try:
                    while pipe.poll():
                        coordinator.take(pipe.recv())
                except (EOFError, OSError):
                    del listening[number]
                    if number not in coordinator.ended:
                        coordinator.take(Ended(number, f"shard {number} ended unexpectedly"))
            watch()

    def close(self) -> None:
        """Wait for all processes; end those that do not end themselves."""
        for pipe in self.pipes:
            pipe.close()  # who still works sees it and ends
        for process in self.processes:
            process.join(timeout=ENDING_S)
            if process.is_alive():
                process.kill()
                process.join()


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

    error = ""
    try:
        task(number, send, listen)
    except BrokenPipeError:
        return
    except Exception as found:  # told to the coordinator, which stops the others
        error = f"{type(found).__name__}: {found}"
    try:
        send(Ended(number, error))
    except OSError:
        return
