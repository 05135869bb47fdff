"""Workers of a Ray cluster that live long and talk: one process each, spread over the nodes.

In: a function that is given a number and a line, and runs until its work is done. Out: whatever it
sends over that line; to it, whatever is sent. What is said means nothing here. A worker whose
process or node dies is told of, and can be started again elsewhere.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from blickfang.errors import BlickfangError

COLLECT_S = 5.0  # the longest that a worker lets us wait for what it says
SILENT_S = 60.0  # without a question from us: then we are gone, and the worker ends


class ActorPipe:
    """One end of a conversation, as a pipe has it."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.is_closed = False

    def send(self, message: Any) -> None:
        """Say something."""
        self.said.put(message)

    def recv(self) -> Any:
        """Hear what is said next; a line that was closed ends as a file does."""
        message = self.heard.get()
        if message is self:
            raise EOFError
        return message

    def hang_up(self) -> None:
        """Let the other end hear that nobody is here any more."""
        self.heard.put(self)


class Worker:
    """A function at work in a process of the cluster."""

    def __init__(self, run: Callable[[int, ActorPipe], None], number: int) -> None:
        self.line, self.next, self.early = ActorPipe(), 0, dict[int, list[Any]]()
        self.lock = threading.Lock()
        self.asked_at = time.monotonic()
        threading.Thread(target=run, args=(number, self.line), daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while time.monotonic() - self.asked_at < SILENT_S:
            time.sleep(1.0)
        self.line.hang_up()

    def collect(self) -> list[Any]:
        """Return what was said since the last time, waited for a while."""
        self.asked_at = time.monotonic()
        found: list[Any] = []
        with suppress(queue.Empty):
            found.append(self.line.said.get(timeout=COLLECT_S))
            while True:
                found.append(self.line.said.get_nowait())
        self.asked_at = time.monotonic()
        return found

    def deliver(self, place: int, messages: list[Any]) -> None:
        """Take what is said to the worker; calls may overtake each other, words do not."""
        with self.lock:
            self.early[place] = messages
            while self.next in self.early:
                for message in self.early.pop(self.next):
                    self.line.heard.put(message)
                self.next += 1


class Actors:
    """Workers by number, and the mail to and from them."""

    restores = True

    def __init__(
        self,
        ray: Any,
        run: Callable[[int, ActorPipe], None],
        count: int,
        only_last: type | None = None,
    ) -> None:
        """Of messages of the type `only_last` that wait to be sent only the last one is."""
        self.ray, self.run, self.only_last = ray, ray.put(run), only_last
        self.workers: dict[int, Any] = {}
        self.answers: dict[Any, int] = {}
        self.waiting: dict[int, list[Any]] = {}
        self.places: dict[int, int] = {}
        cores = int(ray.cluster_resources().get("CPU", 0))
        for number in range(count):
            self.start(number, 1.0 if count <= cores else 0.0)

    def start(self, number: int, cores: float = 0.0) -> None:
        """Start a worker, again if it is gone; then no core need be free: a full node is enough."""
        self._kill(number)
        self.answers = {ref: other for ref, other in self.answers.items() if other != number}
        place = {"num_cpus": cores, "scheduling_strategy": "SPREAD"}
        actor = self.ray.remote(Worker).options(**place, max_concurrency=4, max_restarts=0)
        worker = self.workers[number] = actor.remote(self.run, number)
        self.waiting[number], self.places[number] = [], 0
        self.answers[worker.collect.remote()] = number

    def send(self, number: int, message: Any) -> None:
        """Send something to a worker; to one that is gone it is lost with it."""
        waiting = self.waiting[number]
        if self.only_last is not None and isinstance(message, self.only_last):
            waiting[:] = [other for other in waiting if not isinstance(other, self.only_last)]
        waiting.append(message)

    def _flush(self) -> None:
        for number, messages in self.waiting.items():
            if messages:
                self.workers[number].deliver.remote(self.places[number], messages)
                self.places[number] += 1
                self.waiting[number] = []

    def receive(self, wait_s: float) -> Iterator[tuple[int, Any]]:
        """Give what workers say, waited for a while; None: this worker is gone."""
        self._flush()
        answers = list(self.answers)
        ready, _ = self.ray.wait(answers, num_returns=1, timeout=wait_s)
        if ready:
            ready, _ = self.ray.wait(answers, num_returns=len(answers), timeout=0)
        for answer in ready:
            number = self.answers.pop(answer, None)
            if number is None:  # it was started again meanwhile
                continue
            try:
                messages = self.ray.get(answer)
            except self.ray.exceptions.RayTaskError as error:
                lines = str(error).strip().splitlines() or [type(error).__name__]
                raise BlickfangError(f"a node cannot do the work: {lines[-1]}") from error
            except self.ray.exceptions.RayError:
                yield number, None
                continue
            self.answers[self.workers[number].collect.remote()] = number
            for message in messages:
                yield number, message
        self._flush()

    def _kill(self, number: int) -> None:
        worker = self.workers.pop(number, None)
        if worker is not None:
            with suppress(Exception):  # it is dead, or its node is: then it need not be killed
                self.ray.kill(worker, no_restart=True)

    def close(self) -> None:
        """End all workers."""
        for number in list(self.workers):
            self._kill(number)
