"""Where shards are kept when the folder they work in may be lost: any path that fsspec knows.

In: a place (a mounted folder, s3://…, gs://…, hdfs://…). Out: shards in it, laid out as in the
folder of a crawl; each is always of one moment.

    PLACE/shard-00/epoch.txt        how often it was begun: who has an older number must not write
    PLACE/shard-00/*.warc.gz        written first, perhaps longer than the state says
    PLACE/shard-00/state.sqlite     written last, as a whole; says how long the archive is
"""

import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import fsspec

from blickfang.crawl.state.state_db import STATE
from blickfang.errors import BlickfangError, InputError, SettingsError
from blickfang.io.atomic_files import publishing, read_only
from blickfang.io.log import LOGGER
from blickfang.io.storage import explain, shown

EPOCH = "epoch.txt"
SHARD = re.compile(r"shard-\d{2,}")
AT_ONCE = {"s3", "s3a", "gs", "gcs", "abfs", "az", "memory"}  # files appear there when complete


class CheckpointStore:
    """Shards in a place."""

    def __init__(self, place: str) -> None:
        self.place = place
        try:
            self.fs, self.root = fsspec.core.url_to_fs(place, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise SettingsError(
                f"{place} cannot be used as a store: {error}; s3:// needs blickfang[s3], "
                "gs:// blickfang[gcs]"
            ) from error
        names = {self.fs.protocol} if isinstance(self.fs.protocol, str) else {*self.fs.protocol}
        self.is_local = "file" in names
        self.is_whole = bool(names & AT_ONCE)

    def is_folder(self, folder: Path) -> bool:
        """Whether this place is a folder of this machine."""
        return self.is_local and Path(self.root).resolve() == folder.resolve()

    def list_shards(self) -> list[int]:
        """Return the shards that are kept here."""
        self.fs.invalidate_cache()
        if not self.fs.exists(self.root):
            return []
        names = (Path(path).name for path in self.fs.ls(self.root, detail=False))
        found = [int(n.removeprefix("shard-")) for n in names if SHARD.fullmatch(n)]
        return sorted(shard for shard in found if self.fs.exists(self._name(shard, STATE)))

    def _name(self, shard: int, name: str) -> str:
        return f"{self.root}/shard-{shard:02d}/{name}"

    def check(self) -> None:
        """Say what is wrong with a place before anything is begun in it."""
        probe = f"{self.root}/.blickfang"
        try:
            self.fs.makedirs(self.root, exist_ok=True)
            self.fs.pipe_file(probe, b"may we write here?")
            self.fs.rm_file(probe)
        except Exception as error:  # fsspec lets through whatever its file systems raise
            advice = "check its name and your right to write there"
            said = f"{_say(error)}; {advice}" if self.is_local else str(explain(error, self.place))
            raise SettingsError(f"cannot write to the store {shown(self.place)}: {said}") from error

    def begin_epoch(self, shard: int) -> int:
        """Return the number of a new life of a shard; all earlier ones must not write any more."""
        self.fs.makedirs(f"{self.root}/shard-{shard:02d}", exist_ok=True)
        epoch = self.read_epoch(shard) + 1
        self.fs.pipe_file(self._name(shard, EPOCH), f"{epoch}\n".encode())
        return epoch

    def read_epoch(self, shard: int) -> int:
        """Return the number of the latest life of a shard."""
        try:
            return int(self.fs.cat_file(self._name(shard, EPOCH)))
        except FileNotFoundError:
            return 0

    def put(self, shard: int, path: Path, name: str) -> None:
        """Keep a file under a name; who looks meanwhile finds the old one or the new one."""
        target = self._name(shard, name)
        if self.is_whole:
            self.fs.put_file(str(path), target)
            return
        part = self._name(shard, f".{name}.part")
        self.fs.put_file(str(path), part)
        self.fs.mv(part, target)

    def fetch_state(self, shard: int, folder: Path) -> bool:
        """Bring the state of a shard into a folder, whole or not at all; return if there is one."""
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with publishing(folder / STATE) as part:
                self.fs.get_file(self._name(shard, STATE), str(part))
                for name in (f"{STATE}-wal", f"{STATE}-shm"):  # of the one that was here
                    (folder / name).unlink(missing_ok=True)
        except FileNotFoundError:
            return False
        return True

    def restore(self, shard: int, folder: Path) -> None:
        """Bring a shard into a folder to go on with it; what was kept behind its state goes."""
        if not self.fetch_state(shard, folder):
            return
        file, length = read_position(folder / STATE)
        for path in self.list_archives(shard):
            name = Path(path).name
            if file and name > file:
                self.fs.rm_file(path)
            elif name == file:
                self.fs.get_file(path, str(folder / name))
                if (folder / name).stat().st_size < length:
                    raise InputError(f"{self.place}/shard-{shard:02d}/{name} has lost its end")

    def list_archives(self, shard: int) -> list[str]:
        """Return the archive files of a shard."""
        self.fs.invalidate_cache()
        return sorted(self.fs.glob(self._name(shard, "*.warc.gz")))

    def fetch_archives(self, shard: int, folder: Path) -> None:
        """Bring the archive files of a shard into a folder, as long as its state says."""
        file, length = read_position(folder / STATE)
        for path in self.list_archives(shard):
            here, size = folder / Path(path).name, int(self.fs.size(path))
            size = length if here.name == file else size
            if here.name > file or (here.exists() and here.stat().st_size == size):
                continue
            with publishing(here) as part:
                self.fs.get_file(path, str(part))
                os.truncate(part, size)


def read_position(state: Path) -> tuple[str, int]:
    """Return the archive file that a state belongs to, and its length."""
    with closing(sqlite3.connect(state)) as db:
        facts = dict(db.execute("SELECT name, value FROM facts WHERE name LIKE 'archive_%'"))
    return str(facts.get("archive_file", "")), int(facts.get("archive_length", 0))


def open_snapshot(state: Path) -> sqlite3.Connection:
    """Open a database as it was committed now, whatever is written to it later."""
    db = sqlite3.connect(read_only(state), uri=True, check_same_thread=False)
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM facts").fetchone()
    return db


def copy_snapshot(db: sqlite3.Connection, target: Path) -> None:
    """Write a database that was opened into a file of its own, complete without any other."""
    target.unlink(missing_ok=True)
    with closing(db), closing(sqlite3.connect(target)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def _say(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def push_shard(shelf: CheckpointStore, shard: int, folder: Path, *, archives: bool) -> None:
    """Keep a shard that does not run; with its archives, where they are not there yet."""
    if archives:
        for path in sorted(folder.glob("*.warc.gz")):
            shelf.put(shard, path, path.name)
    copy = folder / ".snapshot.sqlite"
    copy_snapshot(open_snapshot(folder / STATE), copy)
    shelf.put(shard, copy, STATE)
    copy.unlink()


def try_again(task: Callable[[], None], times: int, wait: Callable[[float], None]) -> None:
    """Call a function until it does not raise, so many times; our own mistakes are raised."""
    for number in range(times):
        try:
            task()
        except BlickfangError:
            raise
        except Exception:  # whatever a file system far away raises
            LOGGER.debug("the store did not answer as it should", exc_info=True)
            if number == times - 1:
                raise
            wait(2.0**number)
        else:
            return
