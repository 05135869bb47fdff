"""What of a corpus is exported: rows that a filter keeps and no removal list names.

In: a corpus, a filter, a removal list. Out: record batches of samples and pages, counted.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from blickfang.corpus.corpus_reader import Corpus
from blickfang.corpus.removals import Removals, read_removed
from blickfang.corpus.sample_columns import ID_DIGITS, PAGES, PLACED, SAMPLES, WITHOUT_IMAGE
from blickfang.errors import InputError

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


BATCH_ROWS = 200  # pictures held in memory at once
IDENTITY = re.compile("[0-9a-f]{16}")

Advance = Callable[[int], None]  # told how many samples were looked at


class ExportSelection:
    """The samples and pages of one export, read as they are needed."""

    def __init__(
        self,
        corpus: Corpus,
        where: str,
        removals: Removals,
        with_bytes: bool,
        advance: Advance,
        only: frozenset[str] | None = None,
    ) -> None:
        if with_bytes and not corpus.has_images:
            raise InputError(f"{corpus.folder} holds no pictures; export it with --no-bytes")
        self.corpus = corpus
        self.where = where
        self.removals = removals
        self.with_bytes = with_bytes
        self.columns = SAMPLES if with_bytes else WITHOUT_IMAGE
        self.advance = advance
        self.only = only  # ids, where somebody has chosen them
        self.ids: set[str] = set()  # of the samples that passed
        self.removed = 0
        self.removed_rejected = 0  # rows that the build had dropped
        self.unplaced = 0  # of those that passed, how many the form has no place for

    @property
    def kept(self) -> int:
        """How many samples passed so far."""
        return len(self.ids)

    def batches(self) -> Iterator[Any]:
        """Yield the samples as record batches."""
        names = [column.name for column in self.columns]
        for found in self.corpus.batches(names, BATCH_ROWS, self.where, self.advance):
            batch = found
            if self.only is not None:
                chosen = [name in self.only for name in batch.column("id").to_pylist()]
                batch = batch.filter(pa.array(chosen, pa.bool_()))
            kept = self.removals.apply(batch)
            self.removed += batch.num_rows - kept.num_rows
            ids = kept.column("id").to_pylist()
            for identity in ids:
                if not IDENTITY.fullmatch(identity):  # it becomes the name of a file
                    raise InputError(f"{self.corpus.folder} is damaged: {identity!r} is no id")
            self.ids.update(ids)
            if kept.num_rows:
                yield kept

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the samples as dictionaries."""
        for batch in self.batches():
            yield from batch.to_pylist()

    def pages(self) -> Iterator[Any]:
        """Yield the pages of the samples that passed; after those were read."""
        at = [column.name for column in PAGES].index("images")
        for batch in self.corpus.pages(size=BATCH_ROWS):
            rest = self.removals.filter_pages(batch)
            images = [
                [place for place in places or () if place["id"] in self.ids]
                for places in rest.column("images").to_pylist()
            ]
            cleaned = rest.set_column(at, rest.schema.field(at), pa.array(images, pa.list_(PLACED)))
            shown = pa.array([bool(places) for places in images], pa.bool_())
            yield cleaned.filter(shown)

    def rejected(self) -> Iterator[Any]:
        """Yield the rows that the build dropped, without what is removed; count those left out."""
        rejecting = Rejecting(self.corpus, self.removals)
        for batch in self.corpus.rejected():
            rest = rejecting.apply(batch)
            self.removed_rejected += batch.num_rows - rest.num_rows
            yield rest
