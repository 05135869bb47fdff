"""Hosts move to other shards when there are more of them, or fewer: with all that is known of them.

In: the stores of a crawl that does not run. Out: the same, each host with the shard that owns it:
its queue and what was ever seen of it, the rules it gave, until when it wants to be left alone, its
samples; and letters under way to it. Archives and the log of visits stay where they are; where its
pages lie in them is handed over (crawl/state/previous_owner.py).

Killed at any moment it goes on when it is called again: rows are copied and safe before they are
deleted, and the plan says until the end that hosts are moving (shard_plan.py).
"""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from blickfang.crawl.focus.judged_values import SEEDS
from blickfang.crawl.frontier.candidates import PAGE, Candidate
from blickfang.crawl.frontier.queues import key_of_pattern
from blickfang.crawl.frontier.traps import pattern_of
from blickfang.crawl.shards.shard_plan import ShardPlan, name_shard, read_plan, shard_of, write_plan
from blickfang.crawl.state.previous_owner import hand_over
from blickfang.crawl.state.state_db import STATE, StateDb
from blickfang.crawl.visit.requeue import LIMITS

HOST = "name, pages, fetches, evidence, worth, prior, taken, sleeps_until"
MOVING = "CREATE TEMP TABLE moving (id INTEGER PRIMARY KEY, name TEXT UNIQUE, shard INTEGER)"
LEAVING = (
    "DELETE FROM others WHERE key IN (SELECT key FROM urls JOIN moving ON id = host)",
    "DELETE FROM urls WHERE host IN (SELECT id FROM moving)",
    "DELETE FROM rules WHERE host IN (SELECT name FROM moving)",
    "DELETE FROM samples WHERE host IN (SELECT name FROM moving)",
    "DELETE FROM inside WHERE host IN (SELECT name FROM moving)",
    "DELETE FROM heard WHERE host IN (SELECT id FROM moving)",
    "DELETE FROM hosts WHERE id IN (SELECT id FROM moving)",
    "DROP TABLE moving",
)


def settle_hosts(
    folder: Path, count: int, store: str = "", give: Callable[[], None] = lambda: None
) -> int:
    """Give a crawl so many shards, and every host to its own; return how many hosts moved.

    `give` brings what moved to the store: until the plan is written, the folder is right.
    """
    plan = read_plan(folder)
    if plan.shards and (plan.shards, plan.becoming) != (count, 0):
        write_plan(folder, plan._replace(becoming=count))
        moved = move_hosts(folder, count)
    else:
        moved = 0
    give()
    for number in range(0 if store else count):  # from now on, one that is not there is gone
        name_shard(folder, number).mkdir(parents=True, exist_ok=True)
    write_plan(folder, ShardPlan(count, 0, store))
    return moved


def move_hosts(folder: Path, count: int) -> int:
    """Move every host of a crawl to the shard that owns it among so many."""
    moved, limits = 0, _find_limits(folder)
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        number = int(path.parent.name.removeprefix("shard-"))
        with ExitStack() as opened:
            source = opened.enter_context(closing(StateDb(path)))
            source.number_letters_anew()
            targets = TargetStores(folder, opened, limits)
            moved += _choose(source, number, count)
            _copy(source, targets)
            moving = dict(source.db.execute("SELECT name, shard FROM moving").fetchall())
            hand_over(source, path.parent.name, moving, targets.store)
            _move_letters(source, number, count, targets)
            targets.commit()
            for statement in LEAVING:
                source.db.execute(statement)
            source.commit()
    return moved


def _find_limits(folder: Path) -> str | None:
    """Return the limits of the last run; its first shard is one of any number of them.

    One that is new has none, and one that comes back has those of the last run it was in.
    """
    path = name_shard(folder, 0) / STATE
    if not path.exists():
        return None
    with closing(StateDb(path)) as store:
        kept: str | None = store.fact(LIMITS)
        return kept


class TargetStores:
    """The stores that hosts move to, opened when they are needed."""

    def __init__(self, folder: Path, opened: ExitStack, limits: str | None = None) -> None:
        self.folder, self.opened, self.limits = folder, opened, limits
        self.stores: dict[int, StateDb] = {}
        self.hosts: dict[tuple[int, int], int] = {}  # shard, number there: number here
        self.patterns: dict[int, Counter[int]] = {}

    def store(self, shard: int) -> StateDb:
        """Return the store of a shard; a new one judges by what is known already."""
        if shard not in self.stores:
            path = self.folder / f"shard-{shard:02d}" / STATE
            self.stores[shard] = self.opened.enter_context(closing(StateDb(path)))
            self.stores[shard].number_letters_anew()
            if self.limits is not None:
                self.stores[shard].keep_fact(LIMITS, self.limits)
            self.patterns[shard] = Counter()
        return self.stores[shard]

    def commit(self) -> None:
        """Make what was copied permanent."""
        for shard, counts in self.patterns.items():
            self.stores[shard].db.executemany(
                "INSERT INTO patterns VALUES (?, ?) "
                "ON CONFLICT DO UPDATE SET count = max(count, excluded.count)",
                counts.items(),
            )
        for store in self.stores.values():
            store.commit()
            store.sync()  # what is deleted behind it must not be safer than the copy


def _choose(source: StateDb, number: int, count: int) -> int:
    """Note which hosts of a shard belong to others; return how many they are."""
    source.db.execute(MOVING)
    found = (
        (host, name, owner)
        for host, name in source.db.execute("SELECT id, name FROM hosts").fetchall()
        if (owner := shard_of(name, count)) != number
    )
    return source.db.executemany("INSERT INTO moving VALUES (?, ?, ?)", found).rowcount


def _copy(source: StateDb, targets: TargetStores) -> None:
    """Copy all that is known of the hosts that move; what is there already stays."""
    learned = {name: source.fact(name) for name in ("weights", "inside", "followed")}
    for host, shard, *row in source.db.execute(
        f"SELECT id, shard, {HOST} FROM hosts JOIN moving USING (id, name)"  # noqa: S608 -- constants
    ):
        target = targets.store(shard)
        for name, value in learned.items():
            if value is not None and target.fact(name) is None:
                target.keep_fact(name, value)
        marks = ", ".join("?" * len(row))
        target.db.execute(f"INSERT OR IGNORE INTO hosts ({HOST}) VALUES ({marks})", row)  # noqa: S608 -- constants
        found = target.db.execute("SELECT id FROM hosts WHERE name = ?", (row[0],)).fetchone()
        targets.hosts[shard, host] = found[0]
    for shard, host in source.db.execute("SELECT shard, id FROM moving JOIN heard ON id = host"):
        row = (targets.hosts[shard, host],)
        targets.store(shard).db.execute("INSERT OR IGNORE INTO heard VALUES (?)", row)
    _copy_addresses(source, targets)
    for shard, key, urls in source.db.execute(
        "SELECT shard, key, others.urls FROM others JOIN urls USING (key) JOIN moving ON id = host"
    ):
        row = (key, urls)
        targets.store(shard).db.execute("INSERT OR IGNORE INTO others VALUES (?, ?)", row)
    for shard, *rules in source.db.execute(
        "SELECT shard, rules.* FROM rules JOIN moving ON name = host"
    ):
        targets.store(shard).db.execute("INSERT OR IGNORE INTO rules VALUES (?, ?, ?, ?)", rules)
    for table in ("samples", "inside"):
        _copy_samples(source, targets, table)


def _copy_addresses(source: StateDb, targets: TargetStores) -> None:
    """Copy queues and what was ever seen; count anew which addresses differ only in digits."""
    rows = source.db.execute("SELECT shard, urls.* FROM urls JOIN moving ON id = host")
    for shard, key, url, host, kind, state, bucket, *rest in rows:
        row = (key, url, targets.hosts[shard, host], kind, state, bucket, *rest)
        marks = ", ".join("?" * len(row))
        target = targets.store(shard)
        target.db.execute(f"INSERT OR IGNORE INTO urls VALUES ({marks})", row)  # noqa: S608 -- constants
        target.arrivals = max(target.arrivals, rest[1])  # what comes now comes behind it
        pattern = pattern_of(url) if kind == PAGE and bucket != SEEDS else None
        if pattern is not None:
            targets.patterns[shard][key_of_pattern(row[2], pattern[0])] += 1


def _copy_samples(source: StateDb, targets: TargetStores, table: str) -> None:
    """Copy pages that were kept to learn from, but for hosts whose pages were copied before."""
    there: dict[int, set[str]] = {}
    rows = source.db.execute(
        f"SELECT shard, host, data FROM {table} JOIN moving ON name = host ORDER BY number"  # noqa: S608 -- constants
    )
    for shard, host, data in rows:
        db = targets.store(shard).db
        if shard not in there:
            there[shard] = {name for (name,) in db.execute(f"SELECT DISTINCT host FROM {table}")}  # noqa: S608 -- constants
        if host not in there[shard]:
            db.execute(f"INSERT INTO {table} (host, data) VALUES (?, ?)", (host, data))  # noqa: S608 -- constants


def _move_letters(source: StateDb, number: int, count: int, targets: TargetStores) -> None:
    """Address letters anew, under new numbers; a shard that is no more leaves them to others.

    A letter to oneself is as good as any: the coordinator brings it back.
    """
    for letter, text in source.db.execute("SELECT number, row FROM outbox").fetchall():
        owner = shard_of(Candidate(*json.loads(text)).host, count)
        writer = source if number < count else targets.store(owner)
        source.db.execute("DELETE FROM outbox WHERE number = ?", (letter,))
        writer.db.execute("INSERT INTO outbox (shard, row) VALUES (?, ?)", (owner, text))
