"""A collection: the folder that holds everything of one topic, from settings to corpus.

    DIR/blickfang.toml     settings, written by the user
    DIR/collection.json    the format version
    DIR/topic/             what was learned
    DIR/crawl/             what was fetched: archives and the stores beside them
    DIR/blickfang.io.log      mistakes of ours, if there were any

In: a folder. Out: `Collection`. Only relative paths are kept in it: it can be moved, copied and
backed up. A folder of another format version is refused.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from blickfang.config import FILE, Settings, load_settings, write_example
from blickfang.errors import SettingsError
from blickfang.io.atomic_files import refuse_odd_path, write_text
from blickfang.io.log import keep_log

FORMAT = 1
ENTRY = "collection.json"
LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder with its settings."""

    root: Path
    settings: Settings

    @property
    def topic_folder(self) -> Path:
        """Where the learned topic lies."""
        return self.root / "topic"

    @property
    def crawl_folder(self) -> Path:
        """Where the archive of the crawl lies."""
        return self.root / "crawl"


def make_collection(root: Path) -> Path:
    """Make a new collection with a commented settings file; return that file."""
    refuse_odd_path(root)
    path = root / FILE
    if path.exists():
        raise SettingsError(f"{path} is there already; edit it, or choose another folder")
    if root.exists() and not root.is_dir():
        raise SettingsError(f"{root} is a file; choose a folder")
    write_text(path, write_example())
    _write_entry(root)
    return path


def open_collection(root: Path) -> Collection:
    """Return the collection in a folder, its format checked."""
    refuse_odd_path(root)
    settings = load_settings(root / FILE)
    keep_log(root)
    if not (root / ENTRY).exists():  # settings written by hand; the first change adds it
        return Collection(root, settings)
    try:
        found = json.loads((root / ENTRY).read_text(encoding="utf-8"))["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{root / ENTRY} is damaged; delete it if nothing else is") from error
    if found != FORMAT:
        age = "a newer" if isinstance(found, int) and found > FORMAT else "another"
        raise SettingsError(
            f"{root} was made by {age} Blickfang: it has format {found!r}, "
            f"this one reads {FORMAT}; use that version, or learn into a new folder"
        )
    return Collection(root, settings)


def _write_entry(root: Path) -> None:
    write_text(root / ENTRY, json.dumps({"format": FORMAT}) + "\n")


def refuse_busy(collection: Collection) -> None:
    """Raise an error if another process is changing a collection; nothing is written for that."""
    path = collection.root / LOCK
    if path.exists():
        with path.open() as file:
            _lock(file, fcntl.LOCK_SH, collection)  # two who only ask do not meet each other


@contextmanager
def locking(collection: Collection) -> Iterator[None]:
    """Keep other processes from changing a collection; the lock ends with the process."""
    with (collection.root / LOCK).open("w") as file:
        _lock(file, fcntl.LOCK_EX, collection)
        if not (collection.root / ENTRY).exists():
            _write_entry(collection.root)
        yield


def _lock(file: TextIO, kind: int, collection: Collection) -> None:
    """Lock a file until it is closed."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise SettingsError(f"another Blickfang is working in {collection.root}") from error
