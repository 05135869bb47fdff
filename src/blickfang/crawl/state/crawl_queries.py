"""What a crawl did, read from the stores of its shards: while it runs, or later.

In: the folder of a crawl. Out: rows. Nothing is written but what is queued again.
"""

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from math import inf
from pathlib import Path
from typing import Any

from blickfang.crawl.fetch.dead_origins import origin_of
from blickfang.crawl.fetch.early_stop import NOT_A_PAGE, NOT_AN_IMAGE, TOO_LARGE, TOO_SMALL
from blickfang.crawl.frontier.candidates import (
    DONE,
    FAILED,
    FIRST,
    IMAGE,
    KINDS,
    LAST_BUCKET,
    PAGE,
    QUEUED,
    STATES,
    count_tries,
)
from blickfang.crawl.frontier.queues import stay_sitemap
from blickfang.crawl.frontier.traps import without_session
from blickfang.crawl.permission import decide, signals_of
from blickfang.crawl.permission.decide import describe_decision, leave_alone
from blickfang.crawl.permission.host_rules import WELL_KNOWN, load_host, signals_of_delay
from blickfang.crawl.permission.robots_txt import delay_for
from blickfang.crawl.permission.tdmrep import TdmRule
from blickfang.crawl.state.state_db import (
    BYTES,
    IS_HTML,
    RECEIVED,
    STATE,
    EmptyStoreError,
    StateDb,
    advise,
    count_asked,
    count_brought,
    count_ended,
    key_of,
    looking_into,
)
from blickfang.crawl.visit.requeue import prepare_anew, queue_anew
from blickfang.errors import InputError

ROBOTS, TDMREP, AI = WELL_KNOWN
WEIGHTS = "weights"  # what was learned, where it lies without its crawl
FOR_GOOD = ("status 404", "status 410", NOT_A_PAGE, NOT_AN_IMAGE, TOO_SMALL, TOO_LARGE)
# What is queued by arrival stands in the queue by its second since 1970: that is no score.
ARRIVED = 1e9
SCORE = re.compile(r"\bscore ([-+.e\d]+)")  # as the parts of an order name it
LAST = "in the last bucket, because the page that names it repeats another one"
AGAIN = (
    "INSERT OR REPLACE INTO facts SELECT 'again_from', coalesce(max(number), 0) FROM visits",
    f"DELETE FROM facts WHERE name = '{BYTES}'",  # noqa: S608 -- a constant
)


def find_stores(folder: Path) -> list[Path]:
    """Return the stores of a crawl."""
    stores = sorted(folder.glob(f"shard-*/{STATE}"))
    if not stores:
        raise InputError(f"there is no crawl in {folder.parent}; run `blickfang crawl`")
    return stores


def count_before(folder: Path) -> tuple[int, int, int]:
    """Return the pages, images and bytes that a crawl has brought since it was begun (again)."""
    pages = images = size = 0
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        with suppress(EmptyStoreError), looking_into(path) as db:
            found = count_brought(db)
            pages, images, size = pages + found[0], images + found[1], size + found[2]
    return pages, images, size


def count_waiting(folder: Path) -> int:
    """Return how many hosts have something queued."""
    hosts = 0
    for path in find_stores(folder):
        with suppress(EmptyStoreError), looking_into(path) as db:
            query = "EXISTS (SELECT 1 FROM urls WHERE state = 0 AND host = hosts.id)"
            hosts += db.execute(f"SELECT count(*) FROM hosts WHERE {query}").fetchone()[0]  # noqa: S608 -- a constant
    return hosts


def check_letters(folder: Path) -> None:
    """Raise an error if a shard does not know a letter any more that it had received for good."""
    stores = {int(p.parent.name[6:]): p for p in sorted(folder.glob(f"shard-*/{STATE}"))}
    for sender, path in stores.items():
        rows: list[tuple[int, int]] = []
        with suppress(EmptyStoreError), looking_into(path) as db:
            query = "SELECT name, value FROM facts WHERE name LIKE ?"
            found = db.execute(query, (RECEIVED + "%",)).fetchall()
            rows = [(int(name.removeprefix(RECEIVED)), number) for name, number in found]
        for receiver, number in rows:
            other = stores.get(receiver)
            if other is None or _last_letter(other, sender) < number:
                lost = other or folder / f"shard-{receiver:02d}" / STATE
                raise InputError(f"{lost} has lost what it knew last: {advise(lost)}")


def _last_letter(path: Path, sender: int) -> int:
    with suppress(EmptyStoreError), looking_into(path) as db:
        row = db.execute("SELECT number FROM inbox WHERE shard = ?", (sender,)).fetchone()
        return int(row[0]) if row else 0
    return 0


def count_all(folder: Path) -> tuple[int, int, int, int]:
    """Return the pages, images and bytes of a crawl, and the pages that --again has asked for."""
    pages = images = size = again = 0
    for path in find_stores(folder):
        with looking_into(path) as db:
            found = db.execute(
                f"SELECT count(DISTINCT CASE WHEN kind = 0 AND {IS_HTML} THEN url END), "  # noqa: S608 -- a constant
                "count(DISTINCT CASE kind WHEN 1 THEN url END), coalesce(sum(bytes), 0) "
                "FROM visits WHERE status = 200 AND (kind = 1 OR facts != '')"
            ).fetchone()
            pages, images, size = pages + found[0], images + found[1], size + found[2]
            again += db.execute(
                "SELECT count(DISTINCT url) FROM visits WHERE kind = 0 AND status IN (200, 304) "
                "AND number > (SELECT value FROM facts WHERE name = 'again_from')"
            ).fetchone()[0]
    return pages, images, size, again


def list_visits(folder: Path, kind: int) -> Iterator[dict[str, Any]]:
    """Give what was fetched, in order."""
    rows: list[dict[str, Any]] = []
    for path in find_stores(folder):
        with looking_into(path) as db:
            query = (
                "SELECT * FROM visits WHERE kind = ? AND status = 200 AND "
                "(kind = 1 OR facts != '') ORDER BY number"
            )
            rows += [_show(dict(row), path) for row in db.execute(query, (kind,))]
    rows.sort(key=lambda row: row["fetched_at"])
    yield from rows


def _show(row: dict[str, Any], store: Path) -> dict[str, Any]:
    """Return a row as people and programs read it."""
    facts = json.loads(row.pop("facts") or "{}")
    kind = row.pop("kind")
    row["score"] = _read_score(row["score"], "") if kind == IMAGE else row["score"]
    del row["number"], row["validators"]
    file, place, length = (row.pop(name) for name in ("file", "place", "length"))
    archive = {
        "warc": f"{store.parent.name}/{file}" if file else None,  # it was withheld
        "offset": place if file else None,
        "length": length if file else None,
    }
    if kind == PAGE:
        del row["width"], row["height"]
        row |= dict.fromkeys(("withheld", "similarity", "like_before"))
    else:
        for name in ("keyword_score", "relevance", "duplicate_of"):
            del row[name]
    return {**row, **facts, **archive}


def summarise(folder: Path) -> dict[str, Any]:
    """Return how a crawl stands."""
    queued = dict.fromkeys(KINDS, 0)
    buckets: dict[str, int] = {}
    failures, skipped = Counter[str](), Counter[str]()
    hosts = 0
    for path in find_stores(folder):
        with looking_into(path) as db:
            for kind, bucket, count in db.execute(
                "SELECT kind, bucket, count(*) FROM urls WHERE state = 0 GROUP BY kind, bucket"
            ):
                queued[KINDS[kind]] += count
                if kind == PAGE:
                    buckets[str(bucket)] = buckets.get(str(bucket), 0) + count
            for total, found in zip((failures, skipped), count_ended(db), strict=True):
                total.update(found)
            hosts += count_asked(db)
    pages, images, size, again = count_all(folder)
    return {
        "pages": pages,
        "images": images,
        "mb": round(size / 1e6, 1),
        "asked_again": again,
        "hosts": hosts,
        "queued_pages": queued["page"],
        "queued_images": queued["image"],
        "queued_by_bucket": dict(sorted(buckets.items(), key=lambda pair: int(pair[0]))),
        "failures": dict(failures.most_common()),
        "skipped": dict(skipped.most_common()),
    }


def queue_failed(path: Path, unrendered: Sequence[str] = ()) -> int:
    """Queue again what failed in a shard that is not running, in its old place.

    What would fail again for certain is left out: what is gone, or is not what was asked for.
    """
    with closing(StateDb(path)) as store:
        prepare_anew(store, unrendered)
        pages = queue_anew(store, unrendered)
        store.commit()
    return pages + _queue_again(path, FAILED, f"tries = 0, why = {stay_sitemap('why')}")


def queue_fetched(path: Path, unrendered: Sequence[str] = ()) -> int:
    """Queue again the pages that a shard has fetched: to be asked whether they have changed.

    Before all else, but in their own buckets: only seeds may lead out of the scope.
    """
    with closing(StateDb(path)) as store:
        prepare_anew(store, unrendered)
        store.commit()
    return _queue_again(path, DONE, f"tries = {FIRST}, hops = 0", *AGAIN)


def _queue_again(path: Path, state: int, changes: str, *more: str) -> int:
    store = StateDb(path)
    kinds = (PAGE,) if more else (PAGE, IMAGE)
    marks = ", ".join("?" * len(kinds))
    changed = store.db.execute(
        f"UPDATE urls SET state = ?, {changes} "  # noqa: S608 -- constants
        f"WHERE state = ? AND kind IN ({marks}) AND why NOT LIKE 'redirects to %' "
        f"AND why NOT IN ({', '.join('?' * len(FOR_GOOD))})",
        (QUEUED, state, *kinds, *FOR_GOOD),
    )
    for statement in more:
        store.db.execute(statement)
    store.commit()
    store.close()
    return changed.rowcount


def explain_address(folder: Path, url: str) -> dict[str, Any] | None:
    """Return what is known of an address, why, and the way to it; None if it was never seen."""
    key = key_of(without_session(url))
    for path in find_stores(folder):
        with looking_into(path) as db:
            row = db.execute(
                "SELECT urls.*, name, hosts.pages, evidence, worth, prior FROM urls "
                "JOIN hosts ON hosts.id = host WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                continue
            failures = db.execute(
                "SELECT at, room, reason, last FROM failures WHERE url = ? ORDER BY number",
                (row["url"],),
            )
            return {
                "url": row["url"],
                "kind": KINDS[row["kind"]],
                "state": STATES[row["state"]],
                "why": _explain_place(row["why"], row["bucket"]),
                "bucket": row["bucket"],
                "score": _read_score(row["score"], row["why"]),
                "found_at": _read_arrival(row["score"]),
                "depth": row["depth"],
                "via": row["via"],
                "requested": row["requested"] or row["url"],
                "redirects": row["hops"],
                "tries": count_tries(row["tries"]),
                "host": {
                    "name": row["name"],
                    "pages": row["pages"],
                    "relevance": row["worth"] / row["evidence"] if row["evidence"] else None,
                    "promised": row["prior"],
                },
                "copy": _explain_copy(db, row["url"]),
                "failures": [dict(failure) for failure in failures],
            }
    return None


def _read_score(order: float | None, why: str) -> float | None:
    """Return the score of something by its place in the queue; None where arrival decides.

    >>> _read_score(6.24, ""), _read_score(1.8e9, "page 9.1, score 6.24"), _read_score(1.8e9, "")
    (6.24, 6.24, None)
    """
    if order is None or order < ARRIVED:
        return order
    told = SCORE.search(why)
    return float(told[1]) if told else None


def _read_arrival(order: float) -> str | None:
    """Return when something was queued, None where that does not decide on its place."""
    return None if order < ARRIVED else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(order))


def _explain_place(why: str, bucket: int) -> str:
    """Return why an address is where it is; what its order was made of does not decide if last."""
    return "; ".join(filter(None, (why, LAST))) if bucket == LAST_BUCKET else why


def _explain_copy(db: sqlite3.Connection, url: str) -> dict[str, Any] | None:
    """Return what the last whole answer for an address is like; None if there is none."""
    row = db.execute(
        "SELECT duplicate_of, facts FROM visits WHERE url = ? AND kind = 0 AND status = 200 "
        "AND facts != '' ORDER BY number DESC LIMIT 1",
        (url,),
    ).fetchone()
    if row is None:
        return None
    facts = json.loads(row["facts"])
    return {
        "duplicate_of": row["duplicate_of"],
        "similarity": facts.get("similarity"),
        "like_before": facts.get("like_before"),
    }


def list_consent(
    folder: Path, url: str, purpose: str = "", max_delay_s: float = inf
) -> list[dict[str, Any]]:
    """Return every signal that was seen for an address or its host, with what was decided.

    Where no signal was seen nothing was written down: with a purpose, what the rules of its host
    say for it is the decision. A host that did not say its rules is asked for nothing.
    """
    found: list[dict[str, Any]] = []
    decided: list[dict[str, Any]] = []
    silences: list[dict[str, Any]] = []
    origin = origin_of(url)
    for path in find_stores(folder):
        with looking_into(path) as db:
            entries, until = _list_entries(db, url), 0.0
            for row in db.execute("SELECT until, rules FROM rules WHERE origin = ?", (origin,)):
                rules = json.loads(row["rules"])
                until = row["until"] or rules["until"]
                decided += [_decide(db, rules, url, purpose, max_delay_s)] if purpose else []
                found += _show_rules(origin, rules)
            found += entries
            if until < time.time():
                silences += _find_silence(db, origin, purpose, entries[-1]["at"] if entries else "")
    is_decided = any("decision" in row for row in found)
    return found + ([] if is_decided else decided[:1]) + silences[-1:]


def _show_rules(origin: str, rules: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the files of a host that say something."""
    yield {"source": origin + ROBOTS, "robots": rules["robots"]}
    if rules["tdm"]:
        yield {
            "source": origin + TDMREP,
            "rules": [TdmRule(*rule)._asdict() for rule in rules["tdm"]],
        }
    if rules["ai"]["text"]:
        yield {"source": origin + AI, "robots": rules["ai"]}


def _list_entries(db: sqlite3.Connection, url: str) -> list[dict[str, Any]]:
    """Return what was written down of an address, the oldest first."""
    return [
        {
            "at": row["at"],
            "signals": [
                dict(zip(("source", "name", "value", "forbids"), signal, strict=True))
                for signal in json.loads(row["signals"])
            ],
            "decision": json.loads(row["decision"]),
        }
        for row in db.execute("SELECT * FROM consent WHERE url = ? ORDER BY number", (url,))
    ]


def _find_silence(
    db: sqlite3.Connection, origin: str, purpose: str, since: str
) -> list[dict[str, Any]]:
    """Return that a host did not say its rules, unless it has since, and what follows from that."""
    row = db.execute(
        "SELECT at, reason FROM failures WHERE room = 'consent' AND url >= ? AND url < ? "
        "ORDER BY number DESC LIMIT 1",
        (f"{origin}/", f"{origin}0"),  # the next character after the slash
    ).fetchone()
    if row is None or row["at"] < since:
        return []
    decision = describe_decision(leave_alone(row["reason"]), purpose)
    return [{"at": row["at"], "signals": [], "decision": decision}]


def _decide(
    db: sqlite3.Connection, rules: dict[str, Any], url: str, purpose: str, max_delay_s: float
) -> dict[str, Any]:
    """Return what the rules of a host mean for an address of it."""
    row = db.execute("SELECT kind FROM urls WHERE key = ?", (key_of(without_session(url)),))
    kind = (row.fetchone() or (PAGE,))[0]
    loaded = load_host(rules)
    signals = signals_of(loaded, url)
    decision = decide(signals, purpose, KINDS[kind])
    too_slow = delay_for(loaded.robots, 0.0, max_delay_s).skip
    if too_slow:
        signals += signals_of_delay(loaded)
        decision = leave_alone(f"robots.txt: {too_slow}")
    return {
        "at": "now, by these rules",
        "signals": [one._asdict() | {"forbids": sorted(one.forbids)} for one in signals],
        "decision": describe_decision(decision, purpose),
    }


def recall_weights(folder: Path) -> bytes | None:
    """Return what a crawl learned of its background, None if there is none."""
    if (folder / WEIGHTS).exists():  # taken along without the crawl itself
        return (folder / WEIGHTS).read_bytes()
    for path in sorted(folder.glob(f"shard-*/{STATE}")):
        with suppress(EmptyStoreError), looking_into(path) as db:
            row = db.execute("SELECT value FROM facts WHERE name = 'weights'").fetchone()
            if row is not None:
                return bytes(row[0])
    return None
