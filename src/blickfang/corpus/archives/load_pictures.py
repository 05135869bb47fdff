"""The bytes of pictures, out of their archives, wherever these lie.

In: the parts of a build, and shots. Out: bytes. Of archives elsewhere, those needed next are asked
for together: an answer takes as long as reading hundreds from a disk.
"""

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from blickfang.corpus.archives.archive_parts import ArchivePart
from blickfang.corpus.mentions.captures import PictureCapture, read_data
from blickfang.errors import BlickfangError
from blickfang.io.storage import AT_ONCE, read_range
from blickfang.io.warc import read_at
from blickfang.types import Failure


class Loader:
    """Loads pictures; remembers those that are needed next."""

    def __init__(self, parts: Sequence[ArchivePart]) -> None:
        self.parts = parts
        self.ready: dict[tuple[int, int], bytes] = {}  # by part and row

    def prepare(self, shots: Sequence[PictureCapture]) -> None:
        """Fetch the records of pictures that are not on this machine."""
        far = [
            shot
            for shot in shots
            if shot.length is not None and isinstance(self.parts[shot.part].archive, str)
        ]
        self.ready = {}
        if far:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                records = pool.map(self._fetch, far)
                self.ready = {
                    (shot.part, shot.row): data for shot, data in zip(far, records, strict=True)
                }

    def _fetch(self, shot: PictureCapture) -> bytes:
        archive = self.parts[shot.part].archive
        return read_range(str(archive), shot.offset or 0, shot.length or 0)

    def load(self, shot: PictureCapture) -> bytes:
        """Return the bytes of a picture."""
        part = self.parts[shot.part]
        if shot.offset is None or shot.length is None:
            return read_data(part.folder, shot.row)
        if isinstance(part.archive, str):
            data = self.ready.pop((shot.part, shot.row), b"") or self._fetch(shot)
            record = read_at(io.BytesIO(data), 0, len(data))
        else:
            record = read_at(part.archive, shot.offset, shot.length)
        if isinstance(record, Failure):
            raise BlickfangError(f"{part.archive} has changed while it was read: {record.reason}")
        return record.body
