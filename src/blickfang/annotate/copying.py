"""A second copy of what people said: the only thing here that nobody can fetch or compute again.

In: the database of tasks and labels, after changes. Out: `labels-copy.sqlite` beside it, made at
most every minute and when the store is closed, checked before it takes the place of the one before.
"""

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from blickfang.errors import InputError
from blickfang.io.atomic_files import publishing, read_only

COPY_S = 60.0  # what a damaged file may cost
NEWEST = "SELECT coalesce(max(id), 0) FROM label"


def copy_of(path: Path) -> Path:
    """Return where the copy of a database lies.

    >>> copy_of(Path("birds/labels.sqlite")).name
    'labels-copy.sqlite'
    """
    return path.with_name(f"{path.stem}-copy{path.suffix}")


def has_copy(path: Path) -> bool:
    """Whether there is a copy."""
    return copy_of(path).exists()


def tell_copy(path: Path) -> str:
    """Return in words what to do with the copy, or without one."""
    copy = copy_of(path)
    if not copy.exists():
        return "there is no copy of it here: put one back that you keep elsewhere"
    made = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(copy.stat().st_mtime))
    return f"delete {path.name}* and give {copy.name}, made {made}, the name {path.name}"


def check_copy(path: Path, db: sqlite3.Connection) -> None:
    """Raise an error if a database is damaged, or knows less than its copy."""
    with closing(db.execute("PRAGMA quick_check(1)")) as rows:
        found = rows.fetchone()[0]
    if found != "ok":
        raise InputError(f"{path} is damaged; {tell_copy(path)}")
    copy = copy_of(path)
    if not copy.exists():
        return
    with suppress(sqlite3.Error), closing(sqlite3.connect(read_only(copy), uri=True)) as old:
        known, here = old.execute(NEWEST).fetchone()[0], db.execute(NEWEST).fetchone()[0]
        if known > here:
            raise InputError(f"{path} has lost {known - here} answers; {tell_copy(path)}")


class Copying:
    """Makes the copy of a database when it is due."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_changed = False
        self.made = time.monotonic()

    def note_change(self, db: sqlite3.Connection) -> None:
        """Note that something was committed."""
        self.is_changed = True
        if time.monotonic() - self.made >= COPY_S:
            self.finish(db)

    def finish(self, db: sqlite3.Connection) -> None:
        """Make the copy, if anything has changed; without room for it the old one stays."""
        if not self.is_changed:
            return
        self.made = time.monotonic()
        copy = copy_of(self.path)
        with suppress(sqlite3.Error, OSError):
            with publishing(copy) as part:
                os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                with closing(sqlite3.connect(part)) as target:
                    db.backup(target)
                    target.execute("PRAGMA journal_mode = DELETE")
                    if target.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                        raise sqlite3.DatabaseError("the copy is not what was copied")
            self.is_changed = False
