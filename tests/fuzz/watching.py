"""Judging one input: what it did, how long it took, how much memory it asked for.

In: a target and bytes. Out: an `Outcome`; its `kind` is "" where all is well, else crash, slow or
large. Time is that of the processor, so that a busy machine does not blame an input; what seems
slow is tried again, because a kernel may have been compiled on the way.
"""

import resource
import time
import traceback
from pathlib import Path
from typing import NamedTuple

from blickfang.errors import BlickfangError
from tests.fuzz.kinds import ROOT, Target

MOST_MEMORY = 10**9
NOTABLE = 64 * 2**20  # a peak worth forgetting, so that the next one is seen
HIDDEN = ("tests", ".venv")


class Outcome(NamedTuple):
    """What an input did."""

    kind: str  # "", crash, slow, large
    what: str  # of a crash: the exception, and where
    seconds: float
    memory: int  # bytes beyond what was in use before
    shape: object  # what the target made of it


def observe(target: Target, data: bytes) -> Outcome:
    """Return what an input does to a target."""
    first = _run(target, data)
    if first.kind != "slow":
        return first
    again = _run(target, data)
    return again if again.seconds < first.seconds else first


def _run(target: Target, data: bytes) -> Outcome:
    before = _resident()
    start = time.process_time()
    kind, what, shape = "", "", None
    try:
        shape = target.call(data)
    except BlickfangError as error:
        shape = type(error).__name__
    except Exception as error:  # whatever it is: it should not have come out
        kind, what = "crash", explain(error)
        shape = what
    seconds = time.process_time() - start
    memory = max(0, _peak() - before)
    if memory > NOTABLE:
        _forget_peak()
    if not kind:
        kind = "slow" if seconds > target.seconds else "large" if memory > MOST_MEMORY else ""
    return Outcome(kind, what, seconds, memory, shape)


def explain(error: BaseException) -> str:
    """Return an exception and the last line of ours that it went through."""
    place = "?"
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if "blickfang" in path.parts:
            place = f"{'/'.join(path.parts[path.parts.index('blickfang') :])}:{frame.name}"
        elif place == "?" and path.is_relative_to(ROOT):
            place = f"{path.name}:{frame.name}"
    return f"{type(error).__name__} in {place}"


def _peak() -> int:
    """Return the most memory ever in use; `getrusage` would tell of who started this process."""
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123
        return int(file.read().partition(b"VmHWM:")[2].split(None, 1)[0]) * 1024


def _resident() -> int:
    """Return the memory in use."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - a million times, so quickly
        return int(file.read().split()[1]) * resource.getpagesize()


def _forget_peak() -> None:
    """Let the peak begin anew (Linux); where that is not allowed, the highest one stays."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return
