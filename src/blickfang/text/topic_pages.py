"""The pages a topic is learned from: found by pattern, read once, read again only when changed.

In: patterns (files, folders, globs) and a function that reads one page. Out: the texts. What was
read is kept in a small database, so that learning again with more pages reads only the new ones.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from blickfang.errors import DiskFullError, InputError, SettingsError
from blickfang.io.source_files import PAGE_FILES, list_folder, match_names
from blickfang.types import Failure

SUFFIXES = (".txt", *PAGE_FILES)  # what a folder is searched for
FILE = "pages.sqlite"
READER_VERSION = 2  # raise it when pages are read differently: everything is read again
SHOWN = 5  # patterns in one message
PAGES_PER_COMMIT = 100  # a killed run loses at most these
SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
  path BLOB PRIMARY KEY, size INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
  reader INTEGER NOT NULL, text TEXT NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class PagesRead:
    """What came of reading some pages."""

    texts: list[str]
    fresh: int  # pages that were new or changed
    failures: list[Failure]


def find_files(patterns: Iterable[str], root: Path) -> list[Path]:
    """Return the files that patterns name, each once, in order; patterns are relative to `root`."""
    found: dict[Path, Path] = {}
    missing = []
    for pattern in patterns:
        matches = list(_expand(pattern, root))
        if not matches:
            missing.append(repr(pattern))
        for match in matches:
            found.setdefault(match.resolve(), match)  # links may lead to one file many times
    if missing:
        more = f" and {len(missing) - SHOWN:,} more" if len(missing) > SHOWN else ""
        raise SettingsError(f"nothing matches {', '.join(missing[:SHOWN])}{more} in {root}")
    return list(found.values())


def _expand(pattern: str, root: Path) -> Iterator[Path]:
    for match in match_names(pattern, root):
        if match.is_dir():
            yield from (path for path in list_folder(match) if path.suffix.lower() in SUFFIXES)
        elif match.is_file():
            yield match


class PageStore:
    """Remembers the text of every page that was read."""

    def __init__(self, folder: Path, root: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._db = sqlite3.connect(folder / FILE)
        self._db.execute(SCHEMA)

    def read(
        self,
        paths: Iterable[Path],
        read_page: Callable[[Path], str],
        advance: Callable[[int], None] = lambda _: None,
    ) -> PagesRead:
        """Return the texts of pages; a page that cannot be read is a failure, not an error.

        So is one with the text of another: saved twice, its words would count twice.
        """
        found: dict[str, Path] = {}
        failures, fresh = [], 0
        try:
            for done, path in enumerate(paths, 1):
                try:
                    text, is_fresh = self._read_one(path, read_page)
                    fresh += is_fresh
                    if found.setdefault(text, path) != path:
                        reason = f"{path} has the same text as {found[text]}"
                        failures.append(Failure(str(path), "topic", reason))
                except InputError as error:
                    failures.append(Failure(str(path), "topic", str(error)))
                except OSError as error:
                    reason = f"cannot read {path}: {error.strerror}"
                    failures.append(Failure(str(path), "topic", reason))
                if done % PAGES_PER_COMMIT == 0:
                    self._db.commit()
                advance(done)
        finally:
            self._db.commit()  # interrupted or not: what was read need not be read again
        return PagesRead(list(found), fresh, failures)

    def forget_others(self, paths: Iterable[Path]) -> None:
        """Drop the texts of all pages but these."""
        kept = {_relative(path, self._root) for path in paths}
        stored = [row[0] for row in self._db.execute("SELECT path FROM page")]
        gone = [(name,) for name in stored if name not in kept]
        self._db.executemany("DELETE FROM page WHERE path = ?", gone)
        self._db.commit()

    def _read_one(self, path: Path, read_page: Callable[[Path], str]) -> tuple[str, bool]:
        """Return the text of a page, and whether it is new."""
        name = _relative(path, self._root)
        state = path.stat()
        query = "SELECT size, changed_ns, reader, text FROM page WHERE path = ?"
        row = self._db.execute(query, (name,)).fetchone()
        stamp = (state.st_size, state.st_mtime_ns, READER_VERSION)
        if row is not None and row[:3] == stamp:
            return str(row[3]), False
        text = read_page(path)
        self._db.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?)", (name, *stamp, text))
        return text, True

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _relative(path: Path, root: Path) -> bytes:
    """Return a path as the collection may keep it: relative, so that the folder can be moved."""
    return os.fsencode(os.path.relpath(path.resolve(), root.resolve()))  # names may be no text


@contextmanager
def opening_store(folder: Path, root: Path) -> Iterator[PageStore]:
    """Open the page store in a folder, for a collection at `root`, and close it."""
    try:
        with closing(PageStore(folder, root)) as store:
            yield store
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise DiskFullError(f"no room left on the disk to write {folder / FILE}") from error
        raise InputError(
            f"{folder / FILE} cannot be used ({error}); delete it, then learn again"
        ) from error
