"""What a running process shows its parent: how far it is, and the input it is at.

In: a file. Out: `Board`, shared memory of both. When the process hangs or dies, the input that did
it stands here.
"""

import mmap
import struct
import time
from pathlib import Path

from tests.fuzz.engine import Tally
from tests.fuzz.kinds import LARGEST

HEAD = struct.Struct("<QQdQdQ")  # executions, found, seconds, memory, processor time, length


class Board:
    """Shared memory between a process that runs inputs and its parent."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            with path.open("wb") as file:
                file.truncate(HEAD.size + LARGEST)
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.begun = 0.0  # loading and compiling is before the first input, and no time of any

    def note(self, tally: Tally, data: bytes) -> None:
        """Show an input that is about to be run."""
        data = data[:LARGEST]
        self.begun = self.begun or time.process_time()
        self.memory[HEAD.size : HEAD.size + len(data)] = data
        self.show(tally, len(data))

    def show(self, tally: Tally, length: int = 0) -> None:
        """Show how far it is."""
        worst = tally.executions, tally.found, tally.seconds, tally.memory
        HEAD.pack_into(self.memory, 0, *worst, time.process_time() - self.begun, length)

    def read(self) -> tuple[Tally, float, bytes]:
        """Return what was shown last: the tally, the processor's time, the input."""
        *worst, cpu, length = HEAD.unpack_from(self.memory, 0)
        return Tally(*worst), cpu, self.memory[HEAD.size : HEAD.size + length]
