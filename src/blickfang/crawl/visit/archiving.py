"""What a visit leaves: records in the archive, and rows that say where they are.

In: answers and what was judged of them. Out: WARC records and rows of the store. The same payload
is written once; later ones refer to it.
"""

import hashlib
import json
import time
from typing import Any

from blickfang.crawl.fetch.image_header import read_head
from blickfang.crawl.focus.judged_values import JudgedPage, Packed
from blickfang.crawl.frontier.candidates import IMAGE, Candidate
from blickfang.crawl.state.rebuild_state import Recalled
from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.page_duplicates import PageDuplicates, PageLikeness
from blickfang.io.warc import ArchiveWriter, write_digest
from blickfang.io.warc.http_exchange import Exchange
from blickfang.io.warc.record_types import RecordPlace
from blickfang.types import Failure

NOT_MODIFIED = 304
MAX_VALIDATOR = 500
SCORES = ("score", "perplexity", "keyword_score", "relevance")
COLUMNS = (
    *("kind", "url", "requested", "status", "fetched_at", "depth", "via", "type", "bytes"),
    *("width", "height", "duplicate_of", "facts", "validators", *SCORES),
    *("file", "place", "length"),
)
INSERT_VISIT = (
    f"INSERT INTO visits ({', '.join(COLUMNS)}) "  # noqa: S608 -- constants
    f"VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
)
NOWHERE = RecordPlace("", 0, 0, "", "")
UNCOMPARED = PageLikeness()
SMALL = 200  # bytes; an empty page is no copy of another empty page


def read_validators(answer: Exchange) -> str:
    """Return what to send with the next request for the same, as JSON; "" for nothing."""
    found = {
        asked: answer.headers[given][:MAX_VALIDATOR]
        for given, asked in (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))
        if answer.headers.get(given)
    }
    return json.dumps(found) if found else ""


def describe(candidate: Candidate, answer: Exchange) -> dict[str, Any]:
    """Return what the log says of every answer."""
    return {
        "kind": candidate.kind,
        "url": answer.url,
        "requested": candidate.requested or answer.url,
        "status": answer.status,
        "fetched_at": answer.fetched_at,
        "depth": candidate.depth,
        "via": candidate.via,
        "type": answer.headers.get("content-type", "")[:100],
        "bytes": len(answer.body),
        "validators": read_validators(answer),
    }


class Archiving:
    """The archive and the log of a shard."""

    def __init__(
        self, store: StateDb, archive: ArchiveWriter, recalled: Recalled | None = None
    ) -> None:
        self.store, self.archive, self.recalled = store, archive, recalled
        self.copies = PageDuplicates(store)
        self.samples: list[bytes] = []  # not yet told to the coordinator

    def keep(
        self,
        candidate: Candidate,
        answer: Exchange,
        facts: dict[str, Any],
        *,
        judged: JudgedPage | None = None,
        likeness: PageLikeness = UNCOMPARED,
        withheld: str = "",
        rendered: bytes = b"",
    ) -> None:
        """Archive an answer and log it; of what its owner withholds only that, and why.

        `rendered` is the page after its scripts have run; it is archived beside the answer.
        """
        if withheld:
            facts = {**dict.fromkeys(facts), "withheld": withheld}
        is_kept = self.recalled is not None and self.recalled.has(answer.url)
        place = NOWHERE if withheld else self._write(answer)
        if rendered and not withheld and not is_kept:
            self.archive.write_conversion(answer.url, answer.fetched_at, rendered, place.record_id)
        head = read_head(answer.body) if candidate.kind == IMAGE else None
        scores = {name: judged and getattr(judged, name) for name in SCORES}
        if candidate.kind == IMAGE:  # nothing of it is judged but what was said of it before
            scores["score"] = candidate.score
        row = {
            **describe(candidate, answer),
            **scores,
            "width": head and head.width,
            "height": head and head.height,
            "duplicate_of": likeness.copy_of,
            "facts": json.dumps(facts, ensure_ascii=False) if facts else "",
            "file": place.file,
            "place": place.offset,
            "length": place.length,
        }
        visit = self.store.db.execute(INSERT_VISIT, row).lastrowid
        self.copies.note(likeness, visit or 0)

    def _write(self, answer: Exchange) -> RecordPlace:
        """Write an answer, or a reference to an earlier one with the same payload."""
        if answer.status == NOT_MODIFIED:
            return self.archive.write(answer, self.find_earlier(answer.url))
        key = hashlib.sha1(answer.body, usedforsecurity=False).digest()
        earlier = None
        if len(answer.body) >= SMALL:
            row = (key, answer.url, answer.fetched_at)
            new = self.store.db.execute("INSERT OR IGNORE INTO digests VALUES (?, ?, ?)", row)
            if not new.rowcount:
                earlier = self.store.db.execute(
                    "SELECT url, fetched_at FROM digests WHERE digest = ?", (key,)
                ).fetchone()
        kept = self.recalled.take_place(answer.url) if self.recalled is not None else None
        return kept or self.archive.write(answer, earlier, write_digest(key))

    def find_earlier(self, url: str) -> tuple[str, str] | None:
        """Return address and date of the last whole answer in the archive."""
        row: tuple[str, str] | None = self.store.db.execute(
            "SELECT url, fetched_at FROM visits WHERE url = ? AND status = 200 "
            "AND file != '' ORDER BY number DESC LIMIT 1",
            (url,),
        ).fetchone()
        return row

    def find_validators(self, url: str) -> dict[str, str]:
        """Return what to ask by whether a page has changed; nothing if it must come whole."""
        row = self.store.db.execute(
            "SELECT validators FROM visits WHERE url = ? AND status = 200 AND file != '' AND "
            "number > coalesce((SELECT max(visit) FROM anew WHERE anew.url = visits.url), 0) "
            "ORDER BY number DESC LIMIT 1",
            (url,),
        ).fetchone()
        found: dict[str, str] = json.loads(row[0]) if row and row[0] else {}
        return found

    def find_relevance(self, url: str) -> float | None:
        """Return how relevant a page was when it was last whole, None if nobody knows."""
        row = self.store.db.execute(
            "SELECT relevance FROM visits WHERE url = ? AND status = 200 "
            "ORDER BY number DESC LIMIT 1",
            (url,),
        ).fetchone()
        return None if row is None else row[0]

    def note_failure(self, candidate: Candidate, failure: Failure, *, last: bool) -> None:
        """Log what could not be had."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.store.db.execute(
            "INSERT INTO failures (url, kind, room, reason, at, last) VALUES (?, ?, ?, ?, ?, ?)",
            (candidate.url, candidate.kind, failure.room, failure.reason, at, last),
        )

    def keep_sample(self, table: str, sample: Packed) -> None:
        """Keep a page that a strategy learns from, over restarts too."""
        self.samples.append(sample.data)
        self.store.db.execute(f"INSERT INTO {table} (host, data) VALUES (?, ?)", sample)  # noqa: S608 -- constants

    def commit(self, *, sync: bool = False) -> None:
        """Make everything since the last commit permanent, archive and store of one moment."""
        self.archive.flush(sync=sync)
        file, length = self.archive.position
        self.store.keep_fact("archive_file", file)
        self.store.keep_fact("archive_length", length)
        self.store.commit()
        if sync:
            self.store.sync()
