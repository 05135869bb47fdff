"""The one file that keeps tasks, annotators and labels: SQLite, safe against power cuts.

In: the folder of a collection or corpus. Out: `LabelStore`: transactions on DIR/labels.sqlite. The
file holds tokens, so only its owner may read it. Several threads and processes may use it at once;
who writes holds it for milliseconds. What people said is nowhere else, so a copy is kept beside it
(`Copying`, below); a file that is damaged, gone, or older than its copy is refused.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from blickfang.errors import BlickfangError, DiskFullError, InputError
from blickfang.io.atomic_files import explain_failure, is_full, publishing, read_only

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


FILE = "labels.sqlite"
FORMAT = 1
WAIT_S = 20.0  # for another process that writes
SCHEMA = """
CREATE TABLE task(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL,
    made REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE item(
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task(id), sample TEXT NOT NULL,
    text TEXT NOT NULL, page_url TEXT NOT NULL, page_title TEXT NOT NULL,
    variants TEXT NOT NULL, gold TEXT NOT NULL DEFAULT '', UNIQUE(task, sample));
CREATE TABLE unit(
    id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item(id),
    task INTEGER NOT NULL REFERENCES task(id), phase INTEGER NOT NULL,
    position INTEGER NOT NULL, gold INTEGER NOT NULL, need INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,
    skips INTEGER NOT NULL DEFAULT 0, UNIQUE(item, phase));
CREATE INDEX unit_open ON unit(task, position, phase)
    WHERE gold = 0 AND done + held < need AND skips < need;
CREATE INDEX unit_gold ON unit(task, position, phase) WHERE gold = 1;
CREATE TABLE annotator(
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task(id), name TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE, made REAL NOT NULL, seen REAL, verdict TEXT NOT NULL DEFAULT '',
    revoked INTEGER NOT NULL DEFAULT 0, UNIQUE(task, name));
CREATE TABLE lease(
    unit INTEGER NOT NULL REFERENCES unit(id), annotator INTEGER NOT NULL REFERENCES annotator(id),
    until REAL NOT NULL, turn REAL NOT NULL, live INTEGER NOT NULL,
    PRIMARY KEY(unit, annotator)) WITHOUT ROWID;
CREATE INDEX lease_live ON lease(until) WHERE live = 1;
CREATE INDEX lease_annotator ON lease(annotator, live);
CREATE TABLE label(
    id INTEGER PRIMARY KEY, unit INTEGER NOT NULL REFERENCES unit(id),
    annotator INTEGER NOT NULL REFERENCES annotator(id), client TEXT NOT NULL,
    answers TEXT NOT NULL, skip TEXT NOT NULL, at REAL NOT NULL, seconds REAL,
    extra INTEGER NOT NULL, undone REAL, UNIQUE(annotator, client));
CREATE UNIQUE INDEX label_once ON label(unit, annotator) WHERE undone IS NULL;
"""


class LabelStore:
    """Tasks, annotators and labels on disk."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._copying = Copying(path)
        self._lock = threading.Lock()

    def __enter__(self) -> "LabelStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Change it: all or nothing, and safe on disk when this ends."""
        with self._lock, _explaining(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it already
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            self._copying.note_change(self._connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Look at it as it is at one moment."""
        with self._lock, _explaining(self.path):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

    def version(self) -> str:
        """Return a text that is another one when what people did is."""
        with self.reading() as db:
            row = db.execute(
                "SELECT (SELECT coalesce(max(id), 0) FROM label),"
                " (SELECT count(*) FROM label WHERE undone IS NOT NULL),"
                " (SELECT coalesce(sum(extra), 0) FROM label),"
                " (SELECT count(*) FROM annotator), (SELECT count(*) FROM unit),"
                " (SELECT count(*) FROM unit WHERE gold = 1),"
                " (SELECT coalesce(sum(revoked), 0) FROM annotator),"
                " (SELECT coalesce(sum(closed), 0) FROM task)"
            ).fetchone()
        return "-".join(str(value) for value in row)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._copying.finish(self._connection)
            self._connection.close()


def has_store(folder: Path) -> bool:
    """Whether there are tasks in a folder."""
    return (folder / FILE).exists() or has_copy(folder / FILE)


def _keep_to_us(path: Path) -> None:
    """Make a file, if need be, and hide it from others: personal links are in it.

    One that is there is not opened for that: to close it would take the locks away from every
    connection of this process, and another process would then delete the log it writes to.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        with suppress(PermissionError):  # it is another user's, who has let us write to it
            path.chmod(0o600)


def open_store(folder: Path, *, must_exist: bool = False) -> LabelStore:
    """Return the store of a folder; its file is made if it may be, and is not there yet."""
    path = folder / FILE
    if must_exist and not has_store(folder):
        raise InputError(
            f"there is no annotation task in {folder}; make one with: blickfang annotate new"
        )
    try:
        if not folder.is_dir():
            raise InputError(f"there is no folder {folder}")
        if not path.exists() and has_copy(path):
            raise InputError(f"{path} is gone; {tell_copy(path)}")
        _keep_to_us(path)
    except OSError as error:
        raise explain_failure(error, f"cannot open {path}") from error
    with _explaining(path):
        connection = sqlite3.connect(
            path, timeout=WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            _prepare(path, connection)
            check_copy(path, connection)
        except BaseException:
            connection.close()
            raise
    return LabelStore(path, connection)


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make the tables of a new file; refuse a file of another format."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        with closing(connection.execute("PRAGMA user_version")) as rows:
            found = rows.fetchone()[0]
        if found == 0:
            for statement in SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        elif found != FORMAT:
            raise InputError(
                f"{path} has format {found}, this Blickfang reads {FORMAT}; "
                "use the version that made it"
            )
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into an error that says what to do."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise  # ours: a rule of the tables was broken
    except sqlite3.DatabaseError as error:
        raise _explain(error, path) from error


def _explain(error: sqlite3.DatabaseError, path: Path) -> BlickfangError:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL" or is_full(path):
        return DiskFullError(f"cannot write {path}: no room left on the disk")
    if name.startswith("SQLITE_BUSY"):
        return InputError(f"{path} is held by another process; try again")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return InputError(f"{path} is damaged ({error}); {tell_copy(path)}")
    return InputError(f"cannot use {path}: {error}; see whether its disk can be written to")
