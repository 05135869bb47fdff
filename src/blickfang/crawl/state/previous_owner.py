"""Pages that other shards fetched while their hosts were theirs: where they lie in the archives.

In: the store that hosts leave, and those they move to. Out: rows there. Archives and the log of
visits stay where they are, but links of fetched pages may have to be offered again
(crawl/visit/relink.py): by the shard that owns their hosts now. The other one notes that these
pages are no longer its own.
"""

from collections.abc import Callable

from blickfang.crawl.state.state_db import StateDb
from blickfang.io.urls import host as host_of

OURS = (  # which visits have links that can be offered again, by this shard
    "kind = 0 AND status = 200 AND file != '' AND facts != '' "
    "AND number NOT IN (SELECT visit FROM away)"
)
PAGES = (  # former ones have numbers below 0: what came later counts
    "SELECT number, url, depth, is_copy, file, place, length FROM former UNION ALL "  # noqa: S608 -- constants
    "SELECT number, url, depth, duplicate_of IS NOT NULL, ? || file, place, length FROM visits "
    f"WHERE {OURS} ORDER BY number"
)
ADD = (
    "INSERT INTO former SELECT coalesce(min(number), 0) - 1, ?, ?, ?, ?, ?, ? FROM former "
    "WHERE true ON CONFLICT (url) DO UPDATE SET depth = min(depth, excluded.depth), "
    "is_copy = excluded.is_copy, file = excluded.file, place = excluded.place, "
    "length = excluded.length"
)
LIST = (
    "INSERT INTO reoffers SELECT number, ? FROM former WHERE url = ? "
    "ON CONFLICT DO UPDATE SET depth = min(depth, excluded.depth)"
)


def hand_over(
    source: StateDb, folder: str, moving: dict[str, int], to: Callable[[int], StateDb]
) -> None:
    """Tell the new shards of hosts, which are given by name, where the pages of these lie.

    `folder` is what the one that they leave is called.
    """
    listed = dict(source.db.execute("SELECT visit, depth FROM reoffers").fetchall())
    away = []
    for number, url, *row in source.db.execute(PAGES, (f"../{folder}/",)):
        host = host_of(url)
        if host not in moving:
            continue
        target = to(moving[host])
        target.db.execute(ADD, (url, *row))
        if number in listed:
            target.db.execute(LIST, (listed[number], url))
        away.append((number,))
    source.db.executemany("DELETE FROM reoffers WHERE visit = ?", away)
    source.db.executemany("DELETE FROM former WHERE number = ?", away)
    source.db.executemany("INSERT OR IGNORE INTO away SELECT ?1 WHERE ?1 > 0", away)


def list_former(store: StateDb, depth: int) -> int:
    """List those from some depth on to be read again; return how many they are."""
    listed = store.db.execute(
        "INSERT INTO reoffers SELECT number, depth FROM former WHERE depth >= ? "
        "ON CONFLICT DO UPDATE SET depth = min(depth, excluded.depth)",
        (depth,),
    )
    return max(0, listed.rowcount)
