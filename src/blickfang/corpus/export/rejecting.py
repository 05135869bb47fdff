"""What a build dropped, without anything that is removed.

In: a corpus and a removal list. Out: `Rejecting`, which says of rejected rows whether they go. A
row goes if its address, its page or its hash is listed, or if it is a copy of a picture that goes,
be that a sample or dropped itself: no row that stays names what is removed.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from blickfang.corpus.columns import ID_DIGITS
from blickfang.corpus.removals import Removals, read_removed
from blickfang.corpus.store import Corpus

NEEDED = ("url", "page_url", "sha256", "detail")

Row = Mapping[str, Any]


class Rejecting:
    """A removal list, as it is applied to what the build of a corpus dropped."""

    def __init__(self, corpus: Corpus, removals: Removals) -> None:
        self.removals = removals
        self.urls: set[str] = set()  # of pictures that are removed, listed or not
        self.hashes: set[str] = set()
        if removals:
            self._find_samples(corpus)
            self._find_others(corpus)

    def _find_samples(self, corpus: Corpus) -> None:
        for sample in read_removed(corpus, self.removals):
            for one in (sample, *(sample["copies"] or ())):
                self.urls.update(filter(None, (one["url"],)))
                self.hashes.update(filter(None, (one["sha256"],)))

    def _find_others(self, corpus: Corpus) -> None:
        """Note pictures that are no samples, and of copies the one that they are copies of."""
        for batch in corpus.rejected(NEEDED):
            for row in batch.to_pylist():
                if self._is_listed(row):
                    self.urls.update(filter(None, (row["url"], find_kept(row))))

    def _is_listed(self, row: Row) -> bool:
        sha256 = row["sha256"] or ""
        if {sha256, sha256[:ID_DIGITS]} & self.removals.hashes:
            return True
        urls = (row["url"], row["page_url"], find_kept(row))
        return any(self.removals.has_url(url) for url in urls if url)

    def _is_removed(self, row: Row) -> bool:
        named = (row["url"], find_kept(row))
        return (
            self._is_listed(row)
            or row["sha256"] in self.hashes
            or not self.urls.isdisjoint(filter(None, named))
        )

    def apply(self, batch: Any) -> Any:
        """Return the rows of a record batch that stay."""
        if not self.removals:
            return batch
        rows = batch.select(NEEDED).to_pylist()
        return batch.filter(pa.array([not self._is_removed(row) for row in rows], pa.bool_()))


def find_kept(row: Row) -> str:
    """Return the address of the picture that a row is a copy of, "" for others.

    >>> find_kept({"detail": "https://a.test/t.png"}), find_kept({"detail": "16×16"})
    ('https://a.test/t.png', '')
    """
    detail = str(row["detail"] or "")
    return detail if "://" in detail else ""
