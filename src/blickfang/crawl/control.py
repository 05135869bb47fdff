"""What somebody outside asks of a running crawl: to pause, to go on, to stop.

In: the folder of a crawl and a wish. Out: a small file that the coordinator looks at; whether a
crawl is at work. The file outlives nothing: each crawl begins without one.
"""

import fcntl
from pathlib import Path

from blickfang.disk import write_text

CONTROL = "control.txt"
PAUSE, RESUME, STOP = WISHES = ("pause", "resume", "stop")


def ask(folder: Path, wish: str) -> None:
    """Ask something of the crawl in a folder."""
    write_text(folder / CONTROL, wish + "\n")


def read_wish(folder: Path) -> str:
    """Return what is asked of a crawl, "" for nothing."""
    try:
        wish = (folder / CONTROL).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        return ""
    return wish if wish in WISHES else ""


def forget_wish(folder: Path) -> None:
    """Begin without a wish."""
    (folder / CONTROL).unlink(missing_ok=True)


def is_at_work(folder: Path) -> bool:
    """Whether a process crawls in a folder: it holds the lock of a shard."""
    for path in sorted(folder.glob("shard-*/.lock")):
        with path.open("r") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False
