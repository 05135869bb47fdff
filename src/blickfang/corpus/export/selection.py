"""What of a corpus is exported: rows that a filter keeps and no removal list names.

In: a corpus, a filter, a removal list. Out: record batches of samples and pages, counted.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from blickfang.corpus.columns import PAGES, PLACED, SAMPLES, WITHOUT_IMAGE
from blickfang.corpus.export.rejecting import Rejecting
from blickfang.corpus.removals import Removals
from blickfang.corpus.store import Corpus
from blickfang.errors import InputError

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
