"""Rows of what a build drops, kept on disk until the corpus is written.

In: rows, as they are dropped. Out: record batches, in the same order.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

from blickfang.corpus.columns import REJECTED, make_schema
from blickfang.samples.deciding import Row

NOT_KEPT = make_schema(REJECTED)


class Spool:
    """Rows that are written aside until their turn comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer = ipc.new_file(path, NOT_KEPT)

    def add(self, rows: list[Row]) -> None:
        """Keep some rows."""
        if rows:
            self.writer.write_batch(pa.RecordBatch.from_pylist(rows, NOT_KEPT))

    def batches(self) -> Iterator[Any]:
        """Give all rows."""
        self.writer.close()
        with ipc.open_file(self.path) as file:
            for number in range(file.num_record_batches):
                yield file.get_batch(number)
