"""How far work in other processes has come: each writes a number into its place of one file.

In: the sizes of things that are worked on. Out: `Gauge`s to hand to the workers, and calls of an
`Advance` with all that is done. A file needs no channel, outlives no crash and costs nothing.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

Advance = Callable[[int, int], None]  # told how much is done, of how much
Bars = Callable[[str], AbstractContextManager[Advance]]  # told what is done, for a bar of its own
EVERY_S = 0.5
BYTES = 8  # of a number


def stay_silent(done: int, total: int) -> None:
    """Show no progress."""


def show_no_bars(_: str) -> AbstractContextManager[Advance]:
    """Show no progress of anything."""
    return nullcontext(stay_silent)


class Gauge(NamedTuple):
    """The place in which one worker says how far it is."""

    path: Path
    place: int

    def show(self, done: int) -> None:
        """Say how much is done."""
        with self.path.open("r+b") as file:
            file.seek(self.place * BYTES)
            file.write(done.to_bytes(BYTES, "little"))


@contextmanager
def gauging(path: Path, sizes: Sequence[int], before: int, advance: Advance) -> Iterator[None]:
    """Tell, while work goes on, how much of all is done; `before` was done already."""
    path.write_bytes(bytes(BYTES * len(sizes)))
    total, ended = before + sum(sizes), threading.Event()

    def tell() -> None:
        while not ended.wait(EVERY_S):
            advance(before + read_gauges(path), total)

    advance(before, total)
    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
        advance(total, total)
    finally:
        ended.set()
        thread.join()
        path.unlink(missing_ok=True)


def read_gauges(path: Path) -> int:
    """Return how much all workers together have done."""
    data = path.read_bytes()
    places = range(0, len(data), BYTES)
    return sum(int.from_bytes(data[place : place + BYTES], "little") for place in places)
