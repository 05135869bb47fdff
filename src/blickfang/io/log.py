"""The log: mistakes of ours that must not end a run, kept with their traceback.

In: an exception. Out: a reason for people, which says that it is a mistake of ours and what to
send; the traceback on the logger "blickfang", at debug level, and in the file blickfang.log of the
collection that this process works in. A process opens that file for each entry, so shards and
workers write to the same one. Passwords and tokens are left out. Nothing is shown unless
`show_log` was called, as `blickfang --verbose` does, or a program sets up `logging` itself.
"""

import fcntl
import logging
import os
import re
import sys
import traceback
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

LOGGER = logging.getLogger("blickfang")
LOGGER.addHandler(logging.NullHandler())
FILE = "blickfang.log"
MOST_BYTES = 2**20  # of a file; the one before is kept, too
MOST_ALIKE = 10  # entries of a process about one line of code: others must find room
LONGEST_ABOUT = 2000
VERBOSE = "BLICKFANG_VERBOSE"  # tells processes that we start
SECRET = "BLICKFANG_TOKEN"  # noqa: S105 -- the name of it

HERE = "please report it with what blickfang.log in the folder of the collection says"
NOWHERE = "please report it with what `blickfang --verbose` says"

HIDDEN = (
    (re.compile(r"(\w://)[^\s/@'\"]{1,500}@"), r"\1…@"),  # user and password
    (re.compile(r"((?:cookie|authorization)['\"]?\s?[=:]).*", re.IGNORECASE), r"\1 …"),
    (re.compile(r"(/a/)[\w-]{16,}"), r"\1…"),  # the links of annotators
    (
        re.compile(
            r"((?:token|secret|passw|pwd|signature|credential|api_?key|auth|session)"
            r"[\w-]{0,40}['\"]?\s?[=:]\s?)"
            r"(?:'[^'\n]*'|\"[^\"\n]*\"|(?:Bearer |Basic )?[^\s&'\",;)]+)",
            re.IGNORECASE,
        ),
        r"\1…",
    ),
)


class _Place:
    """Where this process keeps its log, and what is there already."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.seen: Counter[tuple[str, str, int]] = Counter()


PLACE = _Place()


def keep_log(folder: Path) -> None:
    """Keep mistakes in the log file of a folder, from now on."""
    PLACE.folder = folder
    if os.environ.get(VERBOSE):
        show_log()


def show_log() -> None:
    """Show everything that is logged on stderr, also what processes of ours log."""
    os.environ[VERBOSE] = "1"
    if not any(isinstance(handler, _Shown) for handler in LOGGER.handlers):
        LOGGER.addHandler(_Shown())
        LOGGER.setLevel(logging.DEBUG)


class _Shown(logging.StreamHandler):  # type: ignore[type-arg]
    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(_Redacted("%(asctime)s %(processName)s: %(message)s"))


class _Redacted(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def redact(text: str) -> str:
    """Return a text without passwords and tokens.

    >>> redact("GET http://me:pw@proxy.test/?token=12&x=1")
    'GET http://…@proxy.test/?token=…&x=1'
    """
    secret = os.environ.get(SECRET, "")
    if secret:
        text = text.replace(secret, "…")
    for pattern, instead in HIDDEN:
        text = pattern.sub(instead, text)
    return text


def report_bug(error: Exception, about: str) -> str:
    """Keep the traceback of a mistake; return what to say of it. `about` says of what it came."""
    name, about = type(error).__name__, about[:LONGEST_ABOUT]
    LOGGER.debug("%s: %s", about, name, exc_info=error)
    kept = PLACE.folder is not None and _keep(error, about, PLACE.folder / FILE)
    if isinstance(error, MemoryError):
        return name
    return f"{name}, a mistake of Blickfang: {HERE if kept else NOWHERE}"


def _keep(error: Exception, about: str, path: Path) -> bool:
    """Write a traceback into a log file; whether it is there now, or others like it are."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    place = (type(error).__name__, last.filename if last else "", (last and last.lineno) or 0)
    PLACE.seen[place] += 1
    if PLACE.seen[place] > MOST_ALIKE:
        return True
    now = datetime.now(UTC).isoformat(timespec="seconds")
    text = "".join(traceback.format_exception(error))[:MOST_BYTES]
    entry = redact(f"{now} process {os.getpid()}: {about}\n{text}\n")
    with suppress(OSError):  # of a folder that cannot be written to: there is no better place
        _append(path, entry.encode("utf-8", "backslashreplace")[:MOST_BYTES])
        return True
    return False


def _append(path: Path, data: bytes) -> None:
    """Add to a file, after it was put aside if it would be too long."""
    for _ in range(5):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        with open(os.open(path, flags, 0o600), "ab") as file:  # noqa: PTH123
            fcntl.flock(file, fcntl.LOCK_EX)
            state = os.fstat(file.fileno())
            if not state.st_size or state.st_size + len(data) <= MOST_BYTES:
                file.write(data)
                return
            if path.stat().st_ino == state.st_ino:  # nobody else has put it aside
                path.replace(path.with_name(f"{path.name}.1"))
