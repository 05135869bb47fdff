"""System calls of other processes, stopped one by one: the way to faults below Python.

In: a process that lets itself be fenced in (`enter`), and who decides (`Gatekeeper`). Out: every
call that changes a file waits until it is let through, answered with an error, or its process is
dead. SQLite and Arrow write below Python, so it is the kernel that is asked: a seccomp filter with
a listener. No rights are needed, and nothing is built. Linux on x86-64 and ARM only.
"""

import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

TABLES = {
    "x86_64": {
        "write": 1, "open": 2, "pwrite64": 18, "writev": 20, "sendfile": 40, "fsync": 74,
        "fdatasync": 75, "ftruncate": 77, "rename": 82, "mkdir": 83, "unlink": 87, "openat": 257,
        "mkdirat": 258, "unlinkat": 263, "renameat": 264, "fallocate": 285, "pwritev": 296,
        "renameat2": 316, "seccomp": 317,
    },
    "aarch64": {
        "mkdirat": 34, "unlinkat": 35, "renameat": 38, "ftruncate": 46, "fallocate": 47,
        "openat": 56, "write": 64, "writev": 66, "pwrite64": 68, "pwritev": 70, "sendfile": 71,
        "fsync": 82, "fdatasync": 83, "renameat2": 276, "seccomp": 277,
    },
}  # fmt: skip
NUMBERS = TABLES.get(platform.machine(), {})
NAMES = {number: name for name, number in NUMBERS.items() if name != "seccomp"}
BY_PATH = {"open": 0, "rename": 0, "mkdir": 0, "unlink": 0}  # which argument is a path
BY_FOLDER = {"openat": 1, "renameat": 1, "renameat2": 1, "mkdirat": 1, "unlinkat": 1}
OPENS = {"open": 1, "openat": 2}  # which argument says how
WRITES = ("write", "pwrite64", "writev", "pwritev", "sendfile")
SYNCS = ("fsync", "fdatasync")
NAMING = ("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat")
TO_CHANGE = os.O_WRONLY | os.O_RDWR | os.O_CREAT
HERE = -100  # AT_FDCWD
PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER, NEW_LISTENER = 38, 1, 8
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
RECEIVE, SEND = 0xC0502100, 0xC0182101
REQUEST, ANSWER = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
GO_ON = 1  # let the kernel do the call


class Call(NamedTuple):
    """A call that waits."""

    id: int
    pid: int  # of the thread
    name: str
    arguments: tuple[int, ...]
    path: str  # of the file, "" if it has none

    @property
    def is_write(self) -> bool:
        """Whether it brings bytes into a file."""
        return self.name in WRITES


def is_possible() -> bool:
    """Whether this machine lets processes be fenced in."""
    return bool(NUMBERS) and platform.system() == "Linux"


def _filter() -> bytes:
    """Return the program that picks the calls to wait for: those that change files."""
    opens = [NUMBERS[name] for name in OPENS if name in NUMBERS]
    plain = [number for number in NAMES if number not in opens]
    steps: list[tuple[int, int, int, int]] = [(LOAD, 0, 0, 0)]
    ends = 1 + len(plain) + 3 * len(opens)  # where ALLOW stands, NOTIFY behind it
    for number in plain:
        steps.append((EQUAL, ends - len(steps), 0, number))
    for name, place in OPENS.items():
        if name in NUMBERS:
            steps.append((EQUAL, 0, 2, NUMBERS[name]))
            steps.append((LOAD, 0, 0, 16 + 8 * place))
            at = len(steps)
            steps.append((ANY_BIT, ends - at, ends - at - 1, TO_CHANGE))
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, NOTIFY)]
    return b"".join(struct.pack("HBBI", code, yes, no, k) for code, yes, no, k in steps)


def enter(address: str) -> None:
    """Fence this process in, with all it will start; whoever listens at `address` decides."""
    program = _filter()
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        listener = libc.syscall(NUMBERS["seccomp"], SET_MODE_FILTER, NEW_LISTENER, header)
        if listener < 0:
            raise OSError(ctypes.get_errno(), "seccomp")
        socket.send_fds(line, [b"!"], [listener])
        os.close(listener)


Decide = Callable[[Call], int | None]  # an errno, 0 for a call that was done already, None: go on


class Gatekeeper:
    """Waits for calls of fenced processes and answers them, in a thread, until all have ended."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.door = socket.socket(socket.AF_UNIX)
        self.address = f"\0blickfang-chaos-{os.getpid()}-{id(self)}"
        self.door.bind(self.address)
        self.door.listen(1)
        self.result = 0  # what a call that `decide` did itself has brought
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Wait for the end of the fenced processes."""
        with suppress(OSError):
            self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        self.thread.join(5)

    def _work(self) -> None:
        try:
            line, _ = self.door.accept()
            with line:
                _, files, _, _ = socket.recv_fds(line, 1, 1)
        except OSError:
            return  # nobody came
        if files:
            try:
                self._serve(files[0])
            finally:
                os.close(files[0])

    def _serve(self, listener: int) -> None:
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while True:
            if poll.poll()[0][1] & select.POLLHUP:
                return
            buffer = bytearray(REQUEST.size)
            try:
                fcntl.ioctl(listener, RECEIVE, buffer)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR):  # its process was killed
                    continue
                return
            call = _read(buffer)
            self.result = 0
            verdict = self.decide(call)
            answer = (
                ANSWER.pack(call.id, 0, 0, GO_ON)
                if verdict is None
                else ANSWER.pack(call.id, self.result, -verdict, 0)
            )
            with suppress(OSError):  # killed meanwhile
                fcntl.ioctl(listener, SEND, answer)


def _read(buffer: bytearray) -> Call:
    number, pid, _, system, _, _, *arguments = REQUEST.unpack(buffer)
    name = NAMES.get(system, str(system))
    return Call(number, pid, name, tuple(arguments), _find_path(pid, name, arguments))


def _find_path(pid: int, name: str, arguments: list[int]) -> str:
    """Return the file that a call is about, "" if it has gone."""
    with suppress(OSError, ValueError):
        if name in BY_PATH:
            return _resolve(pid, HERE, arguments[BY_PATH[name]])
        if name in BY_FOLDER:
            return _resolve(pid, arguments[0], arguments[BY_FOLDER[name]])
        return os.readlink(f"/proc/{pid}/fd/{arguments[0]}")  # noqa: PTH115 -- may be a socket
    return ""


def _resolve(pid: int, folder: int, place: int) -> str:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(place)
        name = memory.read(4096).partition(b"\0")[0]
    here = ctypes.c_int32(folder & 0xFFFFFFFF).value
    base = f"/proc/{pid}/cwd" if here == HERE else f"/proc/{pid}/fd/{here}"
    return os.path.normpath(Path(os.readlink(base)) / os.fsdecode(name))  # noqa: PTH115


def read_memory(pid: int, place: int, count: int) -> bytes:
    """Return what a process has in its memory."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(place)
        return memory.read(count)
