"""Faults of disk and process, at a chosen change of a chosen folder.

In: a folder and a `Fault`. Out: the fault, at exactly that change: an error that lasts or passes, a
write that is cut short, a signal, a power cut. Changes are system calls: writes, files opened for
writing, names given and taken, syncs; they are counted over all processes of a command.
"""

import ctypes
import errno
import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.chaos.fence import NAMING, OPENS, SYNCS, Call, Gatekeeper, read_memory

PIDFD_OPEN, PIDFD_GETFD = 434, 438
GROWING = ("mkdir", "mkdirat", "fallocate")
SHORT_EVERY = 3  # of the writes behind the first that is cut short
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT}
KINDS = ("full", "read-only", "short", "fsync", "torn", "power", "worker", *SIGNALS)


class Fault(NamedTuple):
    """What happens, and at which change; 0: never."""

    kind: str = ""
    at: int = 0


class Warden:
    """Counts the changes that processes make in a folder, and brings the fault when it is due."""

    def __init__(self, root: Path, fault: Fault) -> None:
        self.root, self.fault = f"{root}/", fault
        self.counts: Counter[str] = Counter()
        self.leader = 0  # whose group is killed; known when it has been started
        self.struck = ""  # what was hit
        self.is_dead = False
        self.unsafe: dict[tuple[int, int], int] = {}  # files: from where on they are not synced
        self.synced: dict[tuple[int, int], int] = {}  # files: how long they were when synced last
        self.keeper = Gatekeeper(self.decide)

    def close(self) -> None:
        """Wait until all have ended; after a power cut, lose what was not synced."""
        self.keeper.close()
        if self.fault.kind == "power" and self.struck:
            self._lose()

    def decide(self, call: Call) -> int | None:
        """Say what becomes of a call."""
        if not call.path.startswith(self.root):
            return None
        if self.is_dead:  # the kill is under way: nothing more reaches the disk
            return errno.EIO
        self.counts["change"] += 1
        for name, belongs in (
            ("grow", call.is_write or call.name in GROWING or self._creates(call)),
            ("write", call.is_write),
            ("sync", call.name in SYNCS),
        ):
            self.counts[name] += belongs
        try:
            return self._strike(call)
        finally:
            self._follow(call)

    def _creates(self, call: Call) -> bool:
        if call.name not in OPENS:
            return False
        return bool(call.arguments[OPENS[call.name]] & os.O_CREAT) and not Path(call.path).exists()

    def _strike(self, call: Call) -> int | None:
        """Bring the fault if it is due."""
        kind, at = self.fault
        counts = self.counts
        if not at:
            return None
        if kind == "full" and counts["grow"] >= at:
            grows = call.is_write or call.name in GROWING or self._creates(call)
            return self._hit(call, errno.ENOSPC) if grows else None
        if kind == "read-only" and counts["change"] >= at and call.name not in SYNCS:
            return self._hit(call, errno.EROFS)
        if kind == "fsync" and call.name in SYNCS and counts["sync"] == at:
            return self._hit(call, errno.EIO)
        if kind == "short" and call.is_write and counts["write"] >= at:
            due = (counts["write"] - at) % SHORT_EVERY == 0
            return self._write_half(call) if due else None
        if kind == "torn" and call.is_write and counts["write"] >= at:
            self._write_half(call)
            return self._kill(call)
        if kind == "power" and counts["change"] >= at:
            return self._kill(call)
        if kind == "worker" and counts["change"] >= at and not self.struck:
            return self._kill_worker(call)
        if kind in SIGNALS and counts["change"] == at:
            if kind == "kill":
                return self._kill(call)
            self.struck = f"{call.name} {call.path}"
            os.kill(self.leader, SIGNALS[kind])
        return None

    def _hit(self, call: Call, number: int) -> int:
        self.struck = self.struck or f"{call.name} {call.path}"
        return number

    def _kill(self, call: Call) -> int:
        self.is_dead = True
        self.struck = f"{call.name} {call.path}"
        with suppress(ProcessLookupError):
            os.killpg(self.leader, signal.SIGKILL)
        return errno.EIO

    def _kill_worker(self, call: Call) -> int | None:
        """Kill the process that makes this change as the system does when memory runs out."""
        pid = _process_of(call.pid)
        if pid == self.leader or not pid:
            return None
        self.struck = f"{call.name} {call.path}"
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return None

    def _write_half(self, call: Call) -> int | None:
        """Write the first half of what was to be written, and say so."""
        number, place, count = call.arguments[:3]
        if call.name not in ("write", "pwrite64") or count < 2:
            return None
        file = _borrow(_process_of(call.pid), number)
        if file < 0:
            return None
        try:
            half = read_memory(call.pid, place, count // 2)
            if call.name == "write":
                self.keeper.result = os.write(file, half)
            else:
                self.keeper.result = os.pwrite(file, half, call.arguments[3])
        finally:
            os.close(file)
        self.struck = self.struck or f"{call.name} {call.path}"
        return 0

    def _follow(self, call: Call) -> None:
        """Remember what would be lost if the power went now."""
        if self.is_dead or call.name in NAMING or call.name in OPENS:
            return
        with suppress(OSError, ValueError, IndexError):
            found = Path(f"/proc/{call.pid}/fd/{call.arguments[0]}").stat()
            key = (found.st_dev, found.st_ino)
            if call.name in SYNCS:
                if not (self.fault.kind == "fsync" and self.counts["sync"] == self.fault.at):
                    self.unsafe.pop(key, None)
                    self.synced[key] = found.st_size
            elif call.is_write:
                start = _position(call, found.st_size)
                self.unsafe[key] = min(self.unsafe.get(key, start), start)

    def _lose(self) -> None:
        """Cut every file back to what was safe on disk.

        What was written over keeps either: no disk makes a file shorter than it once was.
        """
        for path in Path(self.root).rglob("*"):
            found = path.lstat()
            key = (found.st_dev, found.st_ino)
            if key in self.unsafe and path.is_file():
                safe = max(self.unsafe[key], self.synced.get(key, 0))
                os.truncate(path, min(safe, found.st_size))


def _position(call: Call, size: int) -> int:
    """Return where in its file a write begins."""
    if call.name in ("pwrite64", "pwritev"):
        return call.arguments[3]
    lines = Path(f"/proc/{call.pid}/fdinfo/{call.arguments[0]}").read_text(encoding="ascii")
    facts = dict(line.split(":", 1) for line in lines.splitlines() if ":" in line)
    return size if int(facts["flags"], 8) & os.O_APPEND else int(facts["pos"])


def _process_of(thread: int) -> int:
    """Return the process of a thread, 0 if it has gone."""
    with suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{thread}/status").read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith("Tgid:")).split()[1])
    return 0


def _borrow(pid: int, number: int) -> int:
    """Return an open file of another process, -1 if it cannot be had."""
    libc = ctypes.CDLL(None, use_errno=True)
    process = libc.syscall(PIDFD_OPEN, pid, 0)
    if process < 0:
        return -1
    try:
        return int(libc.syscall(PIDFD_GETFD, process, number, 0))
    finally:
        os.close(process)
