"""What workers elsewhere need of a collection, and files that travel by their content.

In: a collection. Out: a `Kit`, which a worker opens: the folder itself where it sees the same disk,
else a small copy of settings, topic and what the crawl learned. A `Parcel` is a file of this
machine that becomes its bytes when it is sent.
"""

import atexit
import io
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from blickfang.compute import EngineOptions
from blickfang.compute.engine import LOCAL
from blickfang.config import ENTRY, FILE, Collection
from blickfang.crawl.state.crawl_queries import WEIGHTS, recall_weights
from blickfang.io import storage

SIGN = ".here-"  # a file by which workers know that they see the same disk


class Kit(NamedTuple):
    """What a worker needs of a collection."""

    root: str
    sign: str = ""  # "": the worker is on this machine
    packed: bytes = b""

    def sees(self) -> bool:
        """Whether this process sees the disk that the collection is on."""
        return not self.sign or (Path(self.root) / self.sign).exists()

    def sees_file(self, path: Path) -> bool:
        """Whether this process sees a file of the command's machine, in the folder or not."""
        return not self.sign or (self.sees() and path.exists())


class ReceivedFile(NamedTuple):
    """A file that has arrived."""

    name: str
    data: bytes


class Parcel(NamedTuple):
    """A file of this machine that travels by its content, which is read when it is sent."""

    path: Path

    def __reduce__(self) -> tuple[Any, ...]:
        return ReceivedFile, (self.path.name, self.path.read_bytes())

    def __str__(self) -> str:
        return str(self.path)


@contextmanager
def packing(collection: Collection, where: EngineOptions) -> Iterator[Kit]:
    """Give what workers need of a collection."""
    root = str(collection.root.resolve())
    if where.name == LOCAL:
        yield Kit(root)
        return
    sign = collection.root / f"{SIGN}{secrets.token_hex(16)}"
    sign.touch()
    try:
        yield Kit(root, sign.name, pack(collection))
    finally:
        sign.unlink(missing_ok=True)


def pack(collection: Collection) -> bytes:
    """Return settings, topic and what the crawl learned as one archive."""
    root, packed = collection.root, io.BytesIO()
    files = [root / FILE, root / ENTRY, *sorted((root / "topic").rglob("*"))]
    with zipfile.ZipFile(packed, "w", strict_timestamps=False) as kit:
        for file in files:
            if file.is_file():
                kit.write(file, file.relative_to(root))
        weights = recall_weights(collection.crawl_folder)
        if weights is not None:
            kit.writestr(f"crawl/{WEIGHTS}", weights)
    return packed.getvalue()


def open_kit(kit: Kit) -> Path:
    """Return the collection that a kit stands for, on the machine of this process."""
    return Path(kit.root) if kit.sees() else _unpack(kit.packed)


@cache
def _unpack(packed: bytes) -> Path:
    with storage.scratch():  # what killed workers left goes
        folder = Path(tempfile.mkdtemp(prefix=f"{storage.OURS}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(io.BytesIO(packed)) as kit:
        kit.extractall(folder)
    return folder


@contextmanager
def opening(place: storage.Place | ReceivedFile | Parcel) -> Iterator[Path]:
    """Give an archive as a file of this machine, wherever it was."""
    if isinstance(place, Parcel):
        yield place.path
    elif isinstance(place, ReceivedFile):
        with storage.scratch() as folder:
            (folder / place.name).write_bytes(place.data)
            yield folder / place.name
    else:
        with storage.fetching(place) as path:
            yield path
