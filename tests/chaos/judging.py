"""What is wrong with how a command ended: findings, one sentence each.

In: how it ended, and the fault it met. Out: findings, none if it did what is promised: a documented
exit code, one sentence that says what happened, no traceback, nothing left lying about.
"""

import re
import signal
from pathlib import Path

from blickfang.cli.output import CONFIGURATION, DISK_FULL, FAILED, INTERRUPTED
from tests.chaos.nursery import Ended

CODES = (0, FAILED, CONFIGURATION, INTERRUPTED, DISK_FULL)
KILLING = ("kill", "torn", "power")
ENDING = ("term", "int")
FILLING = ("full", "tiny-disk")
HARMLESS = ("short", "clock")  # nothing fails because of them
# Words of our own code, and of libraries, that no user should have to read.
JARGON = re.compile(r"\b[A-Z]\w*(Error|Exception)\b|sqlite3|Errno|\bNone\b|0x[0-9a-f]{6}")
LEFT = re.compile(r"\.part$|\.new$|\.old$|^tmp|\.tmp$")


def judge(ended: Ended, kind: str) -> list[str]:
    """Return what is wrong with the end of a command that met a fault."""
    last = next((line for line in reversed(ended.said.splitlines()) if line.strip()), "")
    if ended.hung:
        return [f"hangs; last words: {last[:200]}"]
    if "Traceback" in ended.said or "Exception ignored" in ended.said:
        return [f"ends with a traceback: {last[:200]}"]
    if ended.code == -signal.SIGKILL and kind in KILLING:
        return []
    if ended.code not in CODES:
        return [f"ends with code {ended.code}: {last[:200]}"]
    if ended.code and kind in HARMLESS:
        return [f"fails with code {ended.code} though nothing was wrong: {last[:200]}"]
    if ended.code == INTERRUPTED:
        told = "interrupted" in ended.said
        return [] if kind in ENDING and told else [f"says it was interrupted: {last[:200]}"]
    return _judge_message(ended, kind) if ended.code else []


def _judge_message(ended: Ended, kind: str) -> list[str]:
    told = [line for line in ended.said.splitlines() if line.startswith("error: ")]
    found = []
    if len(told) != 1:
        found.append(f"fails with {len(told)} sentences instead of one: {ended.said[-300:]!r}")
    for line in told:
        if JARGON.search(line):
            found.append(f"speaks like a library: {line[:300]}")
        if len(line) > 400:
            found.append(f"says too much: {line[:200]}")
    if kind in FILLING and (ended.code != DISK_FULL or "no room" not in ended.said):
        found.append(f"a full disk ends with code {ended.code}: {(told or [''])[0][:300]}")
    return found


def find_leftovers(root: Path) -> list[str]:
    """Return what lies about after a command has ended as it should."""
    names = sorted(path.name for path in root.rglob("*") if LEFT.search(path.name))
    return [f"leaves behind {', '.join(names[:3])}"] if names else []
