"""A corpus on disk, opened: its rows, its pages, its pictures.

In: the folder of a corpus or of the collection around it. Out: `Corpus`. What is missing, cut or
not a corpus is an `InputError` that names the file and says what to do. Nothing is read before it
is asked for, and a picture is found by its id without reading the others.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from blickfang.corpus.corpus_writer import FORMAT, MANIFEST, PAGES_FILE, REJECTED_FILE
from blickfang.corpus.filter_expression import nearest_name, parse_filter
from blickfang.corpus.parquet_files import PICTURE
from blickfang.corpus.sample_columns import (
    PAGES,
    REJECTED,
    SAMPLES,
    WITHOUT_IMAGE,
    CorpusColumn,
    make_schema,
)
from blickfang.errors import InputError, MissingError, SettingsError
from blickfang.io.atomic_files import recover_folder, refuse_odd_path
from blickfang.io.plural import counted

SAFE_NAME = re.compile(r"(data/)?[A-Za-z0-9_-][A-Za-z0-9._-]*")
HEAVY = frozenset({"image", "text", "main_text"})
REPAIR = "build the corpus again (blickfang build), or copy it again from where it came"


class Corpus:
    """A corpus: image–text samples, best rank first, with the pages behind them."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self._open: dict[str, Any] = {}  # shards that a picture was read from
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return int(self.manifest["rows"])

    def __repr__(self) -> str:
        return f"Corpus({str(self.folder)!r}, {counted(len(self), 'sample')})"

    @property
    def has_images(self) -> bool:
        """Whether the files of the pictures are in it; else only their addresses and hashes."""
        return bool(self.manifest["with_bytes"])

    def table(self, columns: Sequence[str] | None = None, where: str = "") -> Any:
        """Return samples as an Arrow table: all columns but `image`, unless asked for."""
        chosen = self._choose(columns)
        return pa.Table.from_batches(
            list(self.batches(chosen, where=where)),
            pa.schema([make_schema(SAMPLES).field(name) for name in chosen]),
        )

    def batches(
        self,
        columns: Sequence[str] | None = None,
        size: int = 1000,
        where: str = "",
        advance: Callable[[int], None] | None = None,
    ) -> Iterator[Any]:
        """Yield samples as record batches of at most so many rows, in order.

        `advance` is told how many rows were looked at, those that the filter drops included.
        """
        chosen = self._choose(columns)
        keep = parse_filter(where)
        needed = sorted({*chosen, *(keep.columns if keep else ())})
        for shard in self.manifest["shards"]:
            for batch in self._read(shard["name"], SAMPLES, needed, size):
                rows = batch.filter(keep.mask(batch)) if keep else batch
                if rows.num_rows:
                    yield rows.select(chosen)
                if advance:
                    advance(batch.num_rows)

    def pages(self, columns: Sequence[str] | None = None, size: int = 1000) -> Iterator[Any]:
        """Yield the pages behind the samples as record batches."""
        names = list(columns or [column.name for column in PAGES])
        yield from self._read(PAGES_FILE, PAGES, names, size)

    def rejected(self, columns: Sequence[str] | None = None, size: int = 1000) -> Iterator[Any]:
        """Yield the rows that were dropped, each with its reason, as record batches."""
        names = list(columns or [column.name for column in REJECTED])
        yield from self._read(REJECTED_FILE, REJECTED, names, size)

    def image(self, name: str) -> bytes:
        """Return the file of the sample with an id."""
        if not self.has_images:
            raise InputError(f"{self.folder} was exported without pictures; fetch them by `url`")
        shard, row = self._find(name)
        with self._lock, _explaining(self.folder / shard):
            if shard not in self._open:
                self._open[shard] = pq.ParquetFile(self.folder / shard)
            data = _read_picture(self._open[shard], row)
        if not hashlib.sha256(data).hexdigest().startswith(name):
            raise InputError(f"{self.folder / shard} is damaged: picture {name} changed; {REPAIR}")
        return data

    def sample(self, name: str) -> dict[str, Any]:
        """Return all columns but `image` of the sample with an id."""
        shard, row = self._find(name)
        with _explaining(self.folder / shard), _open_checked(self.folder / shard) as file:
            group, row = _find_group(file, row)
            columns = [column.name for column in WITHOUT_IMAGE]
            found = file.read_row_group(group, columns=columns, use_threads=False)
        return dict(found.slice(row, 1).to_pylist()[0])

    def _read(
        self, name: str, table: tuple[CorpusColumn, ...], columns: Sequence[str], size: int
    ) -> Iterator[Any]:
        """Yield some columns of a file, in the order asked for."""
        known = make_schema(table)
        schema = pa.schema([known.field(column) for column in columns])
        with _explaining(self.folder / name), _open_checked(self.folder / name) as file:
            for batch in _iterate(file, size, columns):
                yield batch.select(columns).cast(schema)

    def _choose(self, columns: Sequence[str] | None) -> list[str]:
        """Return the columns to read, checked."""
        known = [column.name for column in (SAMPLES if self.has_images else WITHOUT_IMAGE)]
        for name in columns or ():
            if name not in known:
                raise SettingsError(f"there is no column {name!r}{nearest_name(name, known)}")
        return [name for name in known if name != "image"] if columns is None else list(columns)

    @cached_property
    def _places(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """All ids in rising order, the row of each, and the first row of each shard."""
        batches = list(self.batches(["id"], 100_000))
        texts = [name for batch in batches for name in batch.column(0).to_pylist()]
        ids = np.array([int(text, 16) for text in texts], np.uint64)
        order = np.argsort(ids)
        starts = np.cumsum([0, *(shard["rows"] for shard in self.manifest["shards"])])
        return ids[order], order, np.asarray(starts, np.int64)

    def _find(self, name: str) -> tuple[str, int]:
        """Return the shard of a sample and its row there."""
        ids, order, starts = self._places
        wanted = np.uint64(int(name, 16)) if re.fullmatch("[0-9a-f]{16}", name) else None
        at = len(ids) if wanted is None else int(np.searchsorted(ids, wanted))
        if at == len(ids) or ids[at] != wanted:
            raise MissingError(f"no sample of {self.folder} has the id {name!r}")
        row = int(order[at])
        shard = int(np.searchsorted(starts, row, "right")) - 1
        return self.manifest["shards"][shard]["name"], row - int(starts[shard])


def open_corpus(path: str | Path) -> Corpus:
    """Return the corpus in a folder, or in the folder `corpus` of a collection."""
    root = Path(path)
    refuse_odd_path(root)
    for folder in (root / "corpus", root):
        with suppress(OSError):  # a folder that cannot be changed can still be read
            recover_folder(folder)
        if (folder / MANIFEST).is_file():
            return Corpus(folder, _load_manifest(folder))
    if (root / "data").is_dir() or (root / "corpus" / "data").is_dir():
        raise InputError(f"{root} holds half a corpus: {MANIFEST} is missing; {REPAIR}")
    raise InputError(
        f"there is no corpus in {root}; make one with: blickfang build {quote(str(root))}"
    )


def _load_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        found = manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged; {REPAIR}") from error
    if found != FORMAT:
        raise InputError(
            f"{folder} has the format {found!r}, this Blickfang reads {FORMAT}; "
            "use the version that made it, or build it again"
        )
    try:
        for file in [*manifest["shards"], *manifest["files"]]:
            if not SAFE_NAME.fullmatch(file["name"]):
                raise InputError(f"{path} names a file outside the corpus: {file['name']!r}")
            _check_size(folder / file["name"], file["bytes"])
        if manifest["rows"] != sum(shard["rows"] for shard in manifest["shards"]):
            raise InputError(f"{path} is damaged: its rows do not add up; {REPAIR}")
    except (KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged; {REPAIR}") from error
    return dict(manifest)


def _check_size(path: Path, size: int) -> None:
    """Raise an error if a file is not there as a whole."""
    try:
        found = path.stat().st_size
    except OSError as error:
        raise InputError(f"{path} is missing; {REPAIR}") from error
    if found != size and path.suffix == ".parquet":  # the card may be edited
        raise InputError(f"{path} has {found} bytes instead of {size}; {REPAIR}")


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Turn what a Parquet reader raises into an error that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path} is damaged: {reason}; {REPAIR}") from error


def _open_checked(path: Path) -> Any:
    return pq.ParquetFile(path, page_checksum_verification=True)


def _iterate(file: Any, size: int, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a file; a row group at a time where one batch could grow too large."""
    groups: list[list[int]] = [list(range(file.num_row_groups))]
    if HEAVY & set(columns):
        groups = [[group] for group in groups[0]]
    for some in groups:
        yield from file.iter_batches(size, row_groups=some, columns=columns)


def _find_group(file: Any, row: int) -> tuple[int, int]:
    """Return the row group of a row of a file, and its row there."""
    group = 0
    while row >= file.metadata.row_group(group).num_rows:
        row -= file.metadata.row_group(group).num_rows
        group += 1
    return group, row


def _read_picture(file: Any, row: int) -> bytes:
    group, row = _find_group(file, row)
    column = file.read_row_group(group, columns=[PICTURE], use_threads=False).column(0)
    return bytes(column[row]["bytes"].as_py())
