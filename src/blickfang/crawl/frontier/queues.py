"""The queues of a shard on disk: what is queued of each host, by tries, bucket, score and arrival.

In: candidates and keys. Out: heads of queues, rows. Only statements: frontier.py decides what for.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from blickfang.crawl.fetch.early_stop import NOT_A_PAGE
from blickfang.crawl.focus.judged_values import NEW_HOST, HostState, Order
from blickfang.crawl.frontier.candidates import (
    ANY_BUCKET,
    BEYOND_BUCKET,
    DONE,
    IMAGE,
    PAGE,
    QUEUED,
    SITEMAP,
    SKIPPED,
    SPENT,
    Candidate,
    Host,
    QueuedUrl,
    QueueHead,
    count_tries,
    is_seed,
)
from blickfang.crawl.frontier.scope import TOO_DEEP
from blickfang.crawl.state.previous_owner import OURS
from blickfang.crawl.state.state_db import StateDb, key_of
from blickfang.io.urls import host as host_of

LAST_ANSWER = f"SELECT number FROM visits WHERE url = ? AND {OURS} ORDER BY number DESC LIMIT 1"  # noqa: S608 -- constants
# Sitemaps, also where a reason has taken the place of what they are.
IS_SITEMAP = "bucket = 0 AND kind = 0 AND depth > 0"
ANEW = "queued again: to be rendered"  # why a page that was fetched is to be fetched once more
MOVED = "redirects to "  # why something is done, in front of where
MOST_HOSTS, PATTERNS = 2**24, 2**39  # in one key: beyond, some hosts would share counts
MOST_COUNTS = 50_000  # of patterns, in memory
AWAKE = "AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE substr(url, 1, length(value)) = value) "
COLUMNS = "id, name, pages, fetches, evidence, worth, prior, taken"


def stay_sitemap(why: str) -> str:
    """Return the reason that something is queued again for, in SQL: sitemaps stay what they are."""
    return f"CASE WHEN {IS_SITEMAP} THEN '{SITEMAP}' ELSE {why} END"


class QueueRow(NamedTuple):
    """How an address stands."""

    state: int
    bucket: int
    score: float
    kind: int
    why: str
    tries: int
    hops: int
    requested: str
    depth: int


def key_of_pattern(host: int, pattern: str) -> int:
    """Return the key of a pattern of a host.

    Those of one host lie side by side in the table: a page names many of them, and each place that
    is written to costs a whole leaf.
    """
    return host % MOST_HOSTS * PATTERNS + key_of(pattern) % PATTERNS


def is_loop(found: QueueRow, candidate: Candidate) -> bool:
    """Whether redirects that began at one address have come to another a second time."""
    return (
        found.state == DONE
        and found.why.startswith(MOVED)
        and found.requested == candidate.requested
        and found.hops < candidate.hops
    )


def find_target(found: QueueRow, candidate: Candidate) -> Candidate | None:
    """Return what a mention leads to whose address redirects, as it stands in the queue."""
    if found.state != DONE or not found.why.startswith(MOVED):
        return None
    url, order = found.why.removeprefix(MOVED), (found.bucket, found.score)
    return Candidate(url, host_of(url), PAGE, *order, depth=candidate.depth, via=candidate.via)


def is_better(found: QueueRow, candidate: Candidate) -> bool:
    """Whether a mention changes what is known: by its order, or by what it says of the kind."""
    if candidate.why == ANEW:
        return found.state == DONE
    if candidate.kind != found.kind:  # a link took for a page what another page shows
        mistaken = found.state == QUEUED or found.why == NOT_A_PAGE
        return candidate.kind == IMAGE and mistaken
    if is_seed(candidate) and found.bucket != candidate.bucket and found.why != SPENT:
        return found.state != DONE  # it was left out, or failed, before it was a seed
    if found.state == SKIPPED and found.why == TOO_DEEP:
        return candidate.depth < found.depth
    beyond = found.state == SKIPPED and found.bucket == BEYOND_BUCKET
    order = Order(candidate.bucket, candidate.score)
    return (beyond or found.state == QUEUED) and order < (found.bucket, found.score)


class Queues:
    """Reads and writes the tables of hosts and addresses."""

    def __init__(self, store: StateDb) -> None:
        self.db, self.store = store.db, store
        self.heard: set[int] = set()  # hosts that were asked in this run
        self.counts: dict[int, int] = {}  # of addresses of patterns, as far as they are at hand

    def hosts_with_work(self) -> list[tuple[Host, float]]:
        """Return all hosts of which something is queued, and until when each sleeps."""
        rows = self.db.execute(
            f"SELECT {COLUMNS}, sleeps_until FROM hosts "  # noqa: S608 -- a constant
            "WHERE EXISTS (SELECT 1 FROM urls WHERE state = 0 AND host = hosts.id)"
        ).fetchall()
        return [
            (Host(number, name, HostState(*state), taken), sleeps_until)
            for number, name, *state, taken, sleeps_until in rows
        ]

    def hosts_of_seeds(self) -> list[str]:
        """Return the hosts where seeds were found, also those that seeds have moved to."""
        rows = self.db.execute(
            "SELECT DISTINCT name FROM urls JOIN hosts ON hosts.id = host "
            "WHERE bucket = 0 AND kind = 0 AND state = ? "  # as the index says: SEEDS, PAGE
            "AND depth = 0",  # sitemaps lie deeper
            (DONE,),
        )
        return [name for (name,) in rows]

    def list_seeds(self) -> list[str]:
        """Return the seeds that were fetched, and what others have moved to."""
        rows = self.db.execute(
            "SELECT url FROM urls WHERE bucket = 0 AND kind = 0 AND depth = 0 AND state = ? "
            "AND why NOT LIKE ?",
            (DONE, f"{MOVED}%"),
        )
        return [url for (url,) in rows]

    def count_queued(self) -> tuple[list[int], Counter[int]]:
        """Return how many pages and images are queued, and how many pages in each bucket."""
        counts, buckets = [0, 0], Counter[int]()
        for kind, bucket, count in self.db.execute(
            "SELECT kind, bucket, count(*) FROM urls WHERE state = 0 GROUP BY kind, bucket"
        ):
            counts[kind] += count
            if kind == PAGE:
                buckets[bucket] = count
        return counts, buckets

    def hear(self, host: Host) -> bool:
        """Note that a host was asked for something; return whether it never was before."""
        if host.id in self.heard:
            return False
        self.heard.add(host.id)
        return self.db.execute("INSERT OR IGNORE INTO heard VALUES (?)", (host.id,)).rowcount > 0

    def find_host(self, name: str) -> Host:
        """Return a host, a new one if nothing is known of it."""
        found = self.db.execute(
            f"SELECT {COLUMNS} FROM hosts WHERE name = ?",  # noqa: S608 -- a constant
            (name,),
        ).fetchone()
        if found is None:
            new = self.db.execute(
                "INSERT INTO hosts (name, pages, fetches, evidence, worth, prior) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (name, *NEW_HOST),
            )
            return Host(int(new.lastrowid or 0), name, NEW_HOST, 0)
        number, name, *state, taken = found
        return Host(number, name, HostState(*state), taken)

    def keep_hosts(self, hosts: Iterable[Host]) -> None:
        """Keep what is known of hosts."""
        self.db.executemany(
            "UPDATE hosts SET pages = ?, fetches = ?, evidence = ?, worth = ?, prior = ?, "
            "taken = ? WHERE id = ?",
            [(*host.state, host.taken, host.id) for host in hosts],
        )

    def sleep(self, name: str, until: float) -> None:
        """Keep until when a host asked to be left alone."""
        self.db.execute("UPDATE hosts SET sleeps_until = ? WHERE name = ?", (until, name))

    def look_up(self, keys: Sequence[int]) -> dict[int, QueueRow]:
        """Return how addresses stand; those that nobody has named are missing."""
        rows = self.db.execute(
            "SELECT state, bucket, score, kind, why, tries, hops, requested, depth, urls.key "
            "FROM json_each(?) CROSS JOIN urls WHERE urls.key = value",
            (json.dumps(keys),),
        )
        return {row[-1]: QueueRow(*row[:-1]) for row in rows}

    def insert(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Write new addresses down."""
        statement = "INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)"
        self.db.executemany(statement, rows)

    def keep_others(self, rows: Iterable[tuple[int, str]]) -> None:
        """Keep what to ask for if something cannot be had, one address a line."""
        self.db.executemany("INSERT OR REPLACE INTO others VALUES (?, ?)", rows)

    def take_others(self, key: int) -> tuple[str, ...]:
        """Return what to ask for instead of something, once."""
        row = self.db.execute("DELETE FROM others WHERE key = ? RETURNING urls", (key,)).fetchone()
        return tuple(row[0].split("\n")) if row else ()

    def move_up(self, rows: Iterable[tuple[int, int, float, str, str, int, int]]) -> None:
        """Give things another order, or another kind, with who said so, and queue them."""
        self.db.executemany(
            "UPDATE urls SET state = 0, kind = ?, bucket = ?, score = ?, why = ?, via = ?, "
            "depth = min(depth, ?) WHERE key = ?",
            rows,
        )

    def bring_near(self, rows: Iterable[tuple[int, int]]) -> None:
        """Keep how few links away from the seeds some addresses are."""
        self.db.executemany("UPDATE urls SET depth = ? WHERE key = ?", rows)

    def find_depth(self, key: int) -> int:
        """Return how many links away from the seeds something is."""
        return int(self.db.execute("SELECT depth FROM urls WHERE key = ?", (key,)).fetchone()[0])

    def offer_again(self, key: int, depth: int) -> None:
        """List the last answer for a page, so that what it names is offered again."""
        (url,) = self.db.execute("SELECT url FROM urls WHERE key = ?", (key,)).fetchone()
        found = self.db.execute(LAST_ANSWER, (url,)).fetchone()
        found = (
            found or self.db.execute("SELECT number FROM former WHERE url = ?", (url,)).fetchone()
        )
        if found is not None:
            self.db.execute(
                "INSERT INTO reoffers VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET depth = min(depth, excluded.depth)",
                (found[0], depth),
            )

    def find_head(
        self,
        host: Host,
        kind: int,
        without: int = -1,
        worst_bucket: int = ANY_BUCKET,
        asleep: Sequence[str] = (),
    ) -> QueueHead | None:
        """Return the best of a queue that is good enough, but for one that is under way.

        Addresses that begin with one of `asleep` must wait.
        """
        row = self.db.execute(
            "SELECT bucket, score, number, key, tries FROM urls WHERE state = 0 AND host = ? "  # noqa: S608 -- a constant
            f"AND kind = ? AND key != ? AND bucket <= ? {AWAKE if asleep else ''}"
            "ORDER BY tries, bucket, score, number LIMIT 1",
            (host.id, kind, without, worst_bucket, *([json.dumps(asleep)] if asleep else [])),
        ).fetchone()
        return None if row is None else QueueHead(Order(row[0], row[1]), *row[2:])

    def read(self, key: int, host: Host, kind: int) -> QueuedUrl:
        """Return something queued as it is to be fetched."""
        url, bucket, score, depth, via, hops, requested, why, tries = self.db.execute(
            "SELECT url, bucket, score, depth, via, hops, requested, why, tries FROM urls "
            "WHERE key = ?",
            (key,),
        ).fetchone()
        candidate = Candidate(
            url, host.name, kind, bucket, score, 0.0, depth, via, hops, requested, why
        )
        return QueuedUrl(key, candidate, count_tries(tries))

    def settle(self, key: int, state: int, why: str) -> None:
        """Write down how something ended."""
        self.db.execute("UPDATE urls SET state = ?, why = ? WHERE key = ?", (state, why, key))

    def put_back(self, key: int) -> None:
        """Queue something again, behind all others of its host."""
        self.db.execute("UPDATE urls SET tries = tries + 1 WHERE key = ?", (key,))

    def rename(self, key: int, moved: Candidate) -> None:
        """Give something another address."""
        self.db.execute(
            "UPDATE urls SET url = ?, hops = ?, requested = ? WHERE key = ?",
            (moved.url, moved.hops, moved.requested, key),
        )

    def end(self, host: Host, kind: int, state: int, why: str, beginning: str) -> Counter[int]:
        """Give up what is queued of a host and begins so; return how much it was, by bucket."""
        rows = self.db.execute(
            "UPDATE urls SET state = ?, why = ? WHERE state = ? AND host = ? AND kind = ? "
            "AND substr(url, 1, ?) = ? RETURNING bucket",
            (state, why, QUEUED, host.id, kind, len(beginning), beginning),
        )
        return Counter(bucket for (bucket,) in rows)

    def count_patterns(self, keys: Sequence[int]) -> dict[int, int]:
        """Return how many addresses there are of patterns, with those of others asked for before.

        Most pages of a host name addresses of the same patterns: the disk is asked for each once.
        """
        if len(self.counts) > MOST_COUNTS:
            self.store.write_patterns()
            self.counts.clear()
        unknown = [key for key in keys if key not in self.counts]
        if unknown:
            rows = self.db.execute(
                "SELECT patterns.key, count FROM json_each(?) CROSS JOIN patterns "
                "WHERE patterns.key = value",
                (json.dumps(unknown),),
            )
            self.counts.update(dict.fromkeys(unknown, 0))
            self.counts.update(rows)
        return self.counts

    def keep_patterns(self, keys: Iterable[int]) -> None:
        """Keep how many addresses there are of some patterns: on disk with the next commit."""
        self.store.patterns.update((key, self.counts[key]) for key in keys)
