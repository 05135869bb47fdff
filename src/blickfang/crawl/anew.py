"""Pages that are fetched once more, whole, to be rendered: they were kept as they came.

In: addresses of pages that no browser could make, or that nobody asked it to. Out: the same queued
again in their old places. The store knows which visits they take the place of: these count no more
for the limits of a crawl, and whether a page has changed since is not asked (visit.py).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from blickfang.crawl.candidates import DONE, PAGE, QUEUED
from blickfang.crawl.frontier import Frontier
from blickfang.crawl.queues import ANEW, MOVED
from blickfang.crawl.store import EmptyStoreError, StateDb, key_of, looking_into
from blickfang.crawl.traps import without_session
from blickfang.io.urls import host as host_of

UNRENDERED = "SELECT DISTINCT url FROM failures WHERE room = 'render' AND last"
REPLACE = (  # what was heard of a page last, whether it had changed or not
    "INSERT OR IGNORE INTO anew SELECT url, max(number) FROM visits "
    "WHERE url = ? AND kind = 0 AND status IN (200, 304) GROUP BY url"
)


def find_unrendered(stores: Iterable[Path]) -> list[str]:
    """Return the pages that could not be rendered when they were fetched last, of all shards.

    Their hosts may have moved to another one since: then that one must ask for them.
    """
    found = set[str]()
    for path in stores:
        with suppress(EmptyStoreError), looking_into(path) as db:
            found.update(url for (url,) in db.execute(UNRENDERED))
    return sorted(found)


def prepare_anew(store: StateDb, urls: Sequence[str]) -> None:
    """Let pages come whole when they are asked for next; that they failed is history then."""
    store.db.executemany(REPLACE, [(url,) for url in urls])
    if urls:
        forget_unrendered(store)


def forget_unrendered(store: StateDb) -> None:
    """Take no failure of rendering for the last word on a page: it will be tried again."""
    store.db.execute("UPDATE failures SET last = 0 WHERE room = 'render'")


def queue_anew(store: StateDb, urls: Sequence[str]) -> int:
    """Queue pages that a resting shard has fetched; return how many of them are its own."""
    rows = [(QUEUED, ANEW, key_of(without_session(url)), DONE, f"{MOVED}%") for url in urls]
    changed = store.db.executemany(
        "UPDATE urls SET state = ?, tries = 0, why = ? "
        "WHERE key = ? AND kind = 0 AND state = ? AND why NOT LIKE ?",
        rows,
    )
    return max(0, changed.rowcount)


def ask_anew(frontier: Frontier, url: str) -> None:
    """Queue a page that a shard at work has fetched."""
    queues = frontier.queues
    key = key_of(without_session(url))
    found = queues.look_up([key]).get(key)
    if found is None or found.state != DONE or found.kind != PAGE or found.why.startswith(MOVED):
        return
    queues.db.execute(REPLACE, (url,))
    page = queues.read(key, frontier.host(host_of(url)), PAGE).candidate
    frontier.known.forget(page)
    frontier.add([page._replace(why=ANEW)])
