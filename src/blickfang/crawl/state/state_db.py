"""The one database of a shard: everything it must know after a kill, committed together.

In: rows. Out: rows. The archive is flushed before each commit and the commit notes its length, so
database and archive are always of one moment (shard.py). One writer; readers of a running crawl
(status, pages) open it read-only.
"""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

from blickfang.crawl.fetch.early_stop import TEXT_TYPES
from blickfang.crawl.frontier.candidates import FAILED
from blickfang.errors import BlickfangError, DiskFullError, InputError
from blickfang.io.atomic_files import is_full, read_only, sync_path

FORMAT = 1
STATE = "state.sqlite"
HALF_DONE = ("SQLITE_READONLY_ROLLBACK", "SQLITE_READONLY_RECOVERY", "SQLITE_READONLY")
RECEIVED = "received by "  # a fact: the last letter that another shard has, and will not lose
BYTES = "bytes"  # a fact: of all answers since a crawl was begun (again), also of those not kept
IS_HTML = f"rtrim(substr(type, 1, instr(type || ';', ';') - 1)) COLLATE NOCASE NOT IN {TEXT_TYPES}"
LETTERS_APART = 10**9  # so many letters a shard never sends between two starts
EPOCH = 2**40  # numbers of letters that one life of a shard may use
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  pages INTEGER NOT NULL, fetches INTEGER NOT NULL,        -- what the strategy knows: HostState
  evidence REAL NOT NULL, worth REAL NOT NULL, prior REAL NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0,                        -- requests for pages so far
  sleeps_until REAL NOT NULL DEFAULT 0                     -- on the clock of the wall
);
CREATE TABLE IF NOT EXISTS heard (host INTEGER PRIMARY KEY);  -- asked, if only for an image
CREATE TABLE IF NOT EXISTS rules (                         -- robots.txt and its relatives
  origin TEXT PRIMARY KEY, host TEXT NOT NULL, until REAL NOT NULL, rules TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS urls (        -- in the order they came in: by key each would cost a leaf
  key INTEGER NOT NULL UNIQUE, url TEXT NOT NULL, host INTEGER NOT NULL, kind INTEGER NOT NULL,
  state INTEGER NOT NULL, bucket INTEGER NOT NULL, score REAL NOT NULL, number INTEGER NOT NULL,
  depth INTEGER NOT NULL, via TEXT NOT NULL, hops INTEGER NOT NULL, requested TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS queued                          -- with state: no row is read to count
  ON urls (host, kind, tries, bucket, score, number, state) WHERE state = 0;
CREATE INDEX IF NOT EXISTS ended ON urls (state, why, host) WHERE state IN (2, 3);
CREATE INDEX IF NOT EXISTS seeded ON urls (host) WHERE bucket = 0 AND kind = 0;
CREATE TABLE IF NOT EXISTS others (key INTEGER PRIMARY KEY, urls TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS patterns (key INTEGER PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reoffers (                      -- visits: pages read again for links
  visit INTEGER PRIMARY KEY, depth INTEGER NOT NULL        -- how deep they are by now
);
CREATE TABLE IF NOT EXISTS former (                        -- pages that other shards have fetched
  number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, depth INTEGER NOT NULL,
  is_copy INTEGER NOT NULL, file TEXT NOT NULL, place INTEGER NOT NULL, length INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS away (visit INTEGER PRIMARY KEY);  -- of hosts that others own now
CREATE TABLE IF NOT EXISTS anew (                          -- pages asked for whole once more,
  url TEXT NOT NULL, visit INTEGER NOT NULL,               -- instead of which visits
  PRIMARY KEY (url, visit)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS visits (
  number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, url TEXT NOT NULL, requested TEXT NOT NULL,
  status INTEGER NOT NULL, fetched_at TEXT NOT NULL, depth INTEGER NOT NULL, via TEXT NOT NULL,
  type TEXT NOT NULL, bytes INTEGER NOT NULL, score REAL, perplexity REAL, keyword_score REAL,
  relevance REAL, width INTEGER, height INTEGER, duplicate_of TEXT, facts TEXT NOT NULL,
  validators TEXT NOT NULL,
  file TEXT NOT NULL, place INTEGER NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS visited ON visits (url);
CREATE TABLE IF NOT EXISTS failures (
  number INTEGER PRIMARY KEY, url TEXT NOT NULL, kind INTEGER NOT NULL, room TEXT NOT NULL,
  reason TEXT NOT NULL, at TEXT NOT NULL, last INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS digests (
  digest BLOB PRIMARY KEY, url TEXT NOT NULL, fetched_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (key INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sketches (                      -- by which near-duplicates are found
  visit INTEGER PRIMARY KEY, first INTEGER NOT NULL,       -- 0: it is like one before it
  sketch BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS consent (
  number INTEGER PRIMARY KEY, url TEXT NOT NULL, at TEXT NOT NULL, signals TEXT NOT NULL,
  decision TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS consented ON consent (url);
CREATE TABLE IF NOT EXISTS samples (                       -- pages of the background
  number INTEGER PRIMARY KEY, host TEXT NOT NULL, data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS inside (                        -- pages far inside the topic
  number INTEGER PRIMARY KEY, host TEXT NOT NULL, data BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT, shard INTEGER NOT NULL, row TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS inbox (shard INTEGER PRIMARY KEY, number INTEGER NOT NULL);
"""


def key_of(text: str) -> int:
    """Return the key of an address: 64 bits, the same on every machine."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def advise(path: Path) -> str:
    """Return what to do when the database of a shard cannot be used any more."""
    root = quote(str(path.parents[2]))
    return f"`blickfang crawl {root} --rebuild` makes the state anew from the archive"


def explain_store(error: sqlite3.Error, path: Path) -> BlickfangError:
    """Return the error to raise for one of SQLite's: it says what to do."""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL" or is_full(path):
        return DiskFullError(f"cannot write {path}: no room left on the disk")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return InputError(f"{path} is held by another process; end that one, and try again")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or not name:
        return InputError(f"{path} is damaged ({error}): {advise(path)}")
    return InputError(f"cannot write {path}: {error}; see whether its disk can be written to")


class EmptyStoreError(InputError):
    """A database without tables: its crawl was ended before it had begun."""


class StateDb:
    """The database of a shard, with one transaction always open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.db = sqlite3.connect(path, isolation_level=None, cached_statements=64)
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = NORMAL")
            self.db.execute("PRAGMA cache_size = -65536")  # 64 MB, whatever the size of the file
            self.db.execute("PRAGMA wal_autocheckpoint = 4000")
            self.db.executescript(SCHEMA)
            self.db.execute("BEGIN")
        except sqlite3.Error as error:
            raise explain_store(error, path) from error
        self.is_new = self.fact("format") is None
        if self.fact("format", FORMAT) != FORMAT:
            raise InputError(f"{path} was made by another version of Blickfang")
        self.keep_fact("format", FORMAT)
        self.arrivals = int(self.fact("arrivals", 0))  # addresses that have come so far
        self.patterns: dict[int, int] = {}  # counts that the next commit writes: each page has some

    def fact(self, name: str, default: Any = None) -> Any:
        """Return a fact that was kept, or a default."""
        row = self.db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else row[0]

    def keep_fact(self, name: str, value: Any) -> None:
        """Keep a fact under a name."""
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def commit(self) -> None:
        """Make everything since the last commit permanent, at once."""
        self.keep_fact("arrivals", self.arrivals)
        self.write_patterns()
        self.db.execute("COMMIT")
        self.db.execute("BEGIN")

    def write_patterns(self) -> None:
        """Write down how many addresses there are of patterns that were counted since."""
        rows = self.patterns.items()
        self.db.executemany("INSERT OR REPLACE INTO patterns VALUES (?, ?)", rows)
        self.patterns.clear()

    def sync(self) -> None:
        """Let no power cut take away what was committed."""
        log = self.path.with_name(self.path.name + "-wal")
        if log.exists():
            sync_path(log)

    def number_letters_anew(self, epoch: int = 0) -> None:
        """Give letters from now on numbers that none has had, also none that a crash took away.

        `epoch` counts the lives of a shard that may have come back from an earlier state.
        """
        first = max(LETTERS_APART, epoch * EPOCH)
        changed = self.db.execute(
            "UPDATE sqlite_sequence SET seq = max(seq + ?, ?) WHERE name = 'outbox'",
            (LETTERS_APART, first),
        )
        if not changed.rowcount:
            self.db.execute("INSERT INTO sqlite_sequence VALUES ('outbox', ?)", (first,))

    def forget_letters(self, shard: int, number: int) -> None:
        """Forget letters that another shard has; remember which, should it lose them."""
        self.db.execute("DELETE FROM outbox WHERE shard = ? AND number <= ?", (shard, number))
        self.keep_fact(f"{RECEIVED}{shard}", number)

    def close(self) -> None:
        """Close the database without what was not committed."""
        with suppress(sqlite3.Error):  # after an error there may be nothing to take back
            self.db.execute("ROLLBACK")
        self.db.close()


def count_brought(db: sqlite3.Connection) -> tuple[int, int, int]:
    """Return the pages, images and bytes that a shard has brought since it was begun (again)."""
    brought = {0: 0, 1: 0}
    size = 0
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if "visits" not in tables:
        return 0, 0, 0  # killed before it had any table
    for kind, count, total in db.execute(
        "SELECT kind, count(*), sum(bytes) FROM visits WHERE status IN (200, 304) AND "  # noqa: S608 -- constants
        f"(kind = 1 OR status = 304 OR (facts != '' AND {IS_HTML})) AND "
        "number > coalesce((SELECT value FROM facts WHERE name = 'again_from'), 0) "
        "AND number NOT IN (SELECT visit FROM anew) GROUP BY kind"
    ):
        brought[kind] = count
        size += total or 0
    row = db.execute("SELECT value FROM facts WHERE name = ?", (BYTES,)).fetchone()
    return brought[0], brought[1], max(size, row[0] if row else 0)


def count_asked(db: sqlite3.Connection) -> int:
    """Return how many hosts a shard has asked for a page or an image at least once."""
    return int(db.execute("SELECT count(*) FROM heard").fetchone()[0])


def count_ended(db: sqlite3.Connection) -> tuple[Counter[str], Counter[str]]:
    """Return how many addresses failed, and how many were skipped, by reason."""
    failed, skipped = Counter[str](), Counter[str]()
    for state, why, count in db.execute(
        "SELECT state, why, count(*) FROM urls WHERE state IN (2, 3) GROUP BY state, why"
    ):
        (failed if state == FAILED else skipped)[why] = count
    return failed, skipped


def _open_to_look(path: Path) -> sqlite3.Connection:
    """Open a database for reading; what a killed process left half done is first undone."""
    address = read_only(path)
    db = sqlite3.connect(address, uri=True)
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if error.sqlite_errorname not in HALF_DONE:
            raise
        with closing(sqlite3.connect(path, timeout=5)) as writing:
            writing.execute("SELECT 1 FROM sqlite_master").fetchone()
        db = sqlite3.connect(address, uri=True)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


@contextmanager
def looking_into(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a shard, running or not, to read what is committed."""
    try:
        db = _open_to_look(path)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_CANTOPEN"):
            hint = "see whether it is there, and may be read"
            raise InputError(f"cannot read {path}: {error}; {hint}") from error
        raise explain_store(error, path) from error
    db.row_factory = sqlite3.Row
    try:
        yield db
    except sqlite3.DatabaseError as error:
        if "no such table" in str(error):
            raise EmptyStoreError(f"the crawl in {path.parent} has only just begun") from error
        raise explain_store(error, path) from error
    finally:
        db.close()
