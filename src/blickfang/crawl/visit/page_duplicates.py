"""Pages that a shard has already: the same words, nearly the same words, or an earlier version.

In: what was judged of a page, and its address. Out: `Likeness`. The same words are looked up in the
store; nearly the same by the sketches of all pages so far, 85 bytes each in memory and 32 in the
store, from which they come back after a kill. A page is never a copy of itself: one that is fetched
again is held against what it was before.
"""

from array import array
from typing import NamedTuple

import numpy as np

from blickfang.crawl.state.state_db import StateDb
from blickfang.crawl.visit.page_verdict import Judgement
from blickfang.dedupe import OnlineIndex
from blickfang.dedupe.online_index import similarity
from blickfang.io.urls import host as host_of

MOST = 10_000_000  # sketches in memory, below 1 GiB; later pages are compared, but not kept
AT_ONCE = 100_000  # that are read from the store


class PageLikeness(NamedTuple):
    """What a page is like."""

    copy_of: str | None = None  # the address of the page it repeats
    similarity: float | None = None  # to that page: an estimate of the Jaccard of their shingles
    before: float | None = None  # to what stood under its own address; None: nothing is known
    sketch: bytes = b""
    first: bool = False  # nothing was like it: later pages are compared with it
    equal: bool = False  # to that page, in all words

    def repeats_images(self, host: str) -> bool:
        """Whether its images are those of the other page, for all we know.

        The photo pages of a gallery are nearly the same but for the photo: on one host such pages
        share the addresses of what they share, and what is new is new.
        """
        return self.copy_of is not None and (self.equal or host_of(self.copy_of) != host)

    @property
    def facts(self) -> dict[str, float | None]:
        """What the log says of it."""
        return {"similarity": self.similarity, "like_before": self.before}


class PageDuplicates:
    """The pages of a shard that others may repeat."""

    def __init__(self, store: StateDb) -> None:
        self.store = store
        self.visits = array("q")  # the number of each page in the index
        self.index = OnlineIndex()
        self._recall()

    def _recall(self) -> None:
        """Fill the index with what the store has."""
        rows = self.store.db.execute(
            "SELECT visit, sketch FROM sketches WHERE first ORDER BY visit LIMIT ?", (MOST,)
        )
        parts = []
        while part := rows.fetchmany(AT_ONCE):
            self.visits.extend(visit for visit, _ in part)
            parts.append(np.frombuffer(b"".join(sketch for _, sketch in part), np.uint32))
        if parts:
            self.index.recall(np.concatenate(parts).reshape(len(self.visits), -1))

    def compare(self, found: Judgement, url: str, *, again: bool) -> PageLikeness:
        """Return what a page is like; it has to be noted afterwards (`note`)."""
        twin = self._find_equal(found.text_key, url)
        if found.sketch is None:
            return PageLikeness(twin, 1.0 if twin else None, equal=twin is not None)
        keep = twin is None and len(self.index) < MOST
        seen = self.index.see_sketch(found.sketch, keep=keep)
        sketch = self.index.last_row
        before = self._like_before(sketch, url) if again else None
        if twin is not None:
            return PageLikeness(twin, 1.0, before, sketch, equal=True)
        if seen.new or seen.number < 0:
            return PageLikeness(None, None, before, sketch, seen.new)
        original = self._address(seen.number)
        if original == url:
            return PageLikeness(None, None, before, sketch)
        return PageLikeness(original, seen.similarity, before, sketch)

    def note(self, likeness: PageLikeness, visit: int) -> None:
        """Keep the sketch of a page that was compared, under the number of its visit."""
        if likeness.first:
            self.visits.append(visit)
        if likeness.sketch:
            self.store.db.execute(
                "INSERT INTO sketches VALUES (?, ?, ?)", (visit, likeness.first, likeness.sketch)
            )

    def _find_equal(self, text_key: int | None, url: str) -> str | None:
        """Return the page seen before that has the same words, if there is one."""
        if text_key is None:
            return None
        new = self.store.db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (text_key, url))
        if new.rowcount:
            return None
        row = self.store.db.execute("SELECT url FROM texts WHERE key = ?", (text_key,)).fetchone()
        found: str = row[0]
        return found if found != url else None

    def _address(self, number: int) -> str:
        """Return where a page of the index was found."""
        visit = self.visits[number]
        row = self.store.db.execute("SELECT url FROM visits WHERE number = ?", (visit,)).fetchone()
        return str(row[0])

    def _like_before(self, sketch: bytes, url: str) -> float | None:
        """Return how much a page is like its last version; None for one that nobody knows."""
        row = self.store.db.execute(
            "SELECT sketch FROM visits JOIN sketches ON visit = number WHERE url = ? "
            "ORDER BY number DESC LIMIT 1",
            (url,),
        ).fetchone()
        return None if row is None else similarity(sketch, row[0])
