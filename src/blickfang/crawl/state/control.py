"""What somebody outside asks of a running crawl: to pause, to go on, to stop.

In: the folder of a crawl and a wish. Out: a small file that the coordinator looks at; whether a
crawl is at work. The file outlives nothing: each crawl begins without one.
"""

import fcntl
import time
from pathlib import Path
from typing import IO

from blickfang.errors import SettingsError
from blickfang.io.atomic_files import write_text

CONTROL = "control.txt"
LOCK_S = 30.0
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


def lock_folder(folder: Path) -> IO[str]:
    """Keep another process from working in a folder; one that is just ending is waited for."""
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / ".lock").open("w")
    for _ in range(int(LOCK_S * 10)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.1)
        else:
            return file
    file.close()
    raise SettingsError(f"another process still works in {folder}")
