"""Fingerprints of documents on disk: what two corpora are compared by, without reading them again.

In: documents. Out: one Arrow file for a file of documents, memory-mapped when it is used: for each
document its id, address and place, and of all its text and of its main text the number of words, a
SimHash (8 bytes) and a MinHash sketch (64 bytes). Several of them are one `Library`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from blickfang.dedupe import simhashes
from blickfang.dedupe.banding import take_band
from blickfang.dedupe.minhash import BANDS, sketch
from blickfang.dedupe.shingles import HashedTexts, gather
from blickfang.dedupe.templates import FEW_WORDS, MainTexts, find_borrowed
from blickfang.dedupe.unspaced import hash_for
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing, write_text
from blickfang.io.urls import canonical, host
from blickfang.text.words import Hashes
from blickfang.types import Failure

Rows = NDArray[np.int64]

FORMAT = 3  # raise it when the same documents give other fingerprints
BATCH_ROWS, BATCH_CHARS = 8192, 1 << 25
LISTED = 100  # failures
BASES = ("all", "main")
NO_ADDRESS = 0
HTTPS = np.uint64(1)  # the bit of an address that tells it from the one with http

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("url", pa.string()),
        ("host", pa.string()),
        ("number", pa.int64()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("id_hash", pa.uint64()),
        ("url_hash", pa.uint64()),
        ("host_hash", pa.uint64()),
        *((f"{basis}_words", pa.int32()) for basis in BASES),
        *((f"{basis}_simhash", pa.uint64()) for basis in BASES),
        *((f"{basis}_sketch", pa.binary(BANDS * 8)) for basis in BASES),
    ]
)


class DocumentToFingerprint(NamedTuple):
    """A document to be fingerprinted."""

    id: str
    url: str
    text: str
    main: str  # "" where nothing is known of it
    number: int  # in its file
    offset: int  # in its file, -1 where it cannot be reached directly
    length: int


def hash_name(name: str) -> int:
    """Return 64 bits of a name, never 0."""
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) or 1


def hash_address(url: str) -> int:
    """Return 64 bits of an address, never 0; those of http and https differ in the last one.

    >>> hash_address("http://a.test/") ^ hash_address("https://a.test/")
    1
    """
    name = url.removeprefix("https:") if url.startswith("https:") else url.removeprefix("http:")
    return (hash_name(name) & ~1 or 2) | url.startswith("https:")


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()


def describe(entries: Sequence[DocumentToFingerprint], shingle: int) -> pa.RecordBatch:
    """Return the rows of some documents."""
    urls = [canonical(entry.url) or "" for entry in entries]
    ids = [_clean(entry.id) for entry in entries]
    hosts = [host(url) if url else "" for url in urls]
    columns: dict[str, Any] = {
        "id": ids,
        "url": urls,
        "host": hosts,
        "number": [entry.number for entry in entries],
        "offset": [entry.offset for entry in entries],
        "length": [entry.length for entry in entries],
        "id_hash": [hash_name(name) for name in ids],
        "url_hash": [hash_address(url) if url else NO_ADDRESS for url in urls],
        "host_hash": [hash_name(name) if name else NO_ADDRESS for name in hosts],
    }
    whole = hash_for([_clean(entry.text) for entry in entries], shingle)
    main = choose_content(hash_for([_clean(entry.main) for entry in entries], shingle), whole)
    for basis, texts in zip(BASES, (whole, main), strict=True):
        columns[f"{basis}_words"] = np.diff(texts.starts).astype(np.int32)
        columns[f"{basis}_simhash"] = simhashes(texts)
        rows = sketch(texts, shingle)
        packed = pa.py_buffer(rows.tobytes())
        kind = SCHEMA.field(f"{basis}_sketch").type
        columns[f"{basis}_sketch"] = pa.Array.from_buffers(kind, len(rows), [None, packed])
    return pa.record_batch(columns, schema=SCHEMA)


def choose_content(main: HashedTexts, whole: HashedTexts) -> HashedTexts:
    """Return the main text of each document; all of it, where that has few words."""
    chosen = zip(np.diff(main.starts) >= FEW_WORDS, range(len(main.starts) - 1), strict=True)
    return gather([slice_text(main if own else whole, t) for own, t in chosen])


def slice_text(texts: HashedTexts, t: int) -> Hashes:
    """Return the hashes of one text."""
    return texts.hashes[texts.starts[t] : texts.starts[t + 1]]


def write_shelf(
    path: Path, documents: Iterable[DocumentToFingerprint | Failure], shingle: int
) -> None:
    """Write the fingerprints of documents; the entry beside them says that they are whole."""
    failures: list[Failure] = []
    batch: list[DocumentToFingerprint] = []
    chars = count = failed = 0
    with replacing(path) as file, pa.ipc.new_file(file, SCHEMA) as writer:
        for document in documents:
            if isinstance(document, Failure):
                failed += 1
                failures += [document] if len(failures) < LISTED else []
                continue
            batch.append(document)
            chars += len(document.text) + len(document.main)
            if len(batch) == BATCH_ROWS or chars > BATCH_CHARS:
                writer.write_batch(describe(batch, shingle))
                count += len(batch)
                batch, chars = [], 0
        writer.write_batch(describe(batch, shingle))
    listed = [list(failure) for failure in map(_tell, failures)]
    about = {"documents": count + len(batch), "failed": failed, "failures": listed}
    write_text(_entry(path), json.dumps(about, ensure_ascii=True) + "\n")


def _tell(failure: Failure) -> tuple[str, str]:
    return failure.url, failure.reason


def _entry(path: Path) -> Path:
    return path.with_suffix(".json")


def is_shelved(path: Path) -> bool:
    """Whether the fingerprints of a file are there, and whole."""
    return path.exists() and _entry(path).exists()


class Library:
    """The fingerprints of a corpus: those of all its files, in order."""

    def __init__(self, paths: Sequence[Path], *, schemes_apart: bool = False) -> None:
        """Open fingerprints; they stay on disk. Is an address with https another one?"""
        self.schemes_apart = schemes_apart
        tables, sizes, self.failed = [], [0], 0
        self.failures: list[Failure] = []
        for path in paths:
            try:
                table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
                about = json.loads(_entry(path).read_text(encoding="utf-8"))
            except (OSError, ValueError, pa.ArrowException) as error:
                raise InputError(f"{path} is damaged; delete it, it is made anew") from error
            tables.append(table)
            sizes.append(len(table))
            self.failed += about["failed"]
            self.failures += [Failure(url, "documents", why) for url, why in about["failures"]]
        self.table = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
        self.file_starts: Rows = np.cumsum(sizes)
        chunks = [len(chunk) for chunk in self.table["number"].chunks]
        self.chunk_starts: Rows = np.cumsum([0, *chunks])

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def repeats(self) -> dict[int, int]:
        """The rows whose id was taken, and the first number above 1 that makes it another."""
        hashes = self.column("id_hash")
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        first = np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)]
        begins = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
        again = np.flatnonzero(~first)
        rows, counts = order[again], (again - begins[again] + 1).tolist()
        names = self.texts("id", rows)
        new = [hash_name(f"{name}#{count}") for name, count in zip(names, counts, strict=True)]
        if np.isin(np.array(new, np.uint64), hashes).any():  # "a" twice, and an "a#2" beside it
            taken = set(hashes.tolist())
            for place, name in enumerate(names):
                while (told := hash_name(f"{name}#{counts[place]}")) in taken:
                    counts[place] += 1
                taken.add(told)
        return dict(zip(rows.tolist(), counts, strict=True))

    def names(self, rows: Rows) -> list[str]:
        """Return the ids of documents; the second with an id is called id#2."""
        found = self.texts("id", rows)
        if not self.repeats:
            return found
        counts = (self.repeats.get(row, 1) for row in rows.tolist())
        named = zip(found, counts, strict=True)
        return [name if count == 1 else f"{name}#{count}" for name, count in named]

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of numbers; of main texts that are none, that of all text."""
        found = self._stored(name)
        if name.startswith("main_") and self.borrowed.any():
            found = np.where(self.borrowed, self._stored(name.replace("main_", "all_")), found)
        return found

    def _stored(self, name: str) -> NDArray[Any]:
        found = np.ascontiguousarray(self.table[name].to_numpy())
        return found & ~HTTPS if name == "url_hash" and not self.schemes_apart else found

    @cached_property
    def borrowed(self) -> NDArray[np.bool_]:
        """Which documents have a main text that several addresses of their host have.

        A notice or a menu was taken for it, on all pages of a template; then all text counts.
        """
        names = ("host_hash", "url_hash", "main_simhash", "all_simhash")
        return find_borrowed(*map(self._stored, names))

    @cached_property
    def pages(self) -> MainTexts:
        """The documents as their main texts are judged."""
        urls = self._stored("url_hash")
        addresses = np.where(urls == NO_ADDRESS, self._stored("id_hash"), urls)
        rests = self._stored("all_words") - self.column("main_words")
        return MainTexts(self._stored("host_hash"), addresses, rests, self.sketches)

    def _by_chunk(self, rows: Rows) -> Iterator[tuple[int, Rows, Rows]]:
        """Give for each chunk that holds some of the rows which these are, and where in it."""
        chunks = np.searchsorted(self.chunk_starts, rows, "right") - 1
        order = np.argsort(chunks, kind="stable")
        edges = np.flatnonzero(np.diff(chunks[order])) + 1
        for part in np.split(order, edges) if len(order) else ():
            chunk = int(chunks[part[0]])
            yield chunk, part, rows[part] - self.chunk_starts[chunk]

    def texts(self, name: str, rows: Rows) -> list[str]:
        """Return the values of a column of texts."""
        found = np.empty(len(rows), object)
        for chunk, which, places in self._by_chunk(np.asarray(rows, np.int64)):
            taken = self.table[name].chunk(chunk).take(pa.array(places))
            found[which] = taken.to_pylist()
        return cast(list[str], found.tolist())

    def _sketch_chunks(self, basis: str) -> list[Hashes]:
        return [_view(chunk) for chunk in self.table[f"{basis}_sketch"].chunks]

    def sketches(self, basis: str, rows: Rows) -> Hashes:
        """Return the sketches of some documents, rows of eight numbers."""
        chunks = self._sketch_chunks(basis)
        found = np.empty((len(rows), BANDS), np.uint64)
        for chunk, which, places in self._by_chunk(rows):
            found[which] = chunks[chunk][places]
        if basis == "main":
            other = np.flatnonzero(self.borrowed[rows])
            found[other] = self.sketches("all", rows[other])
        return found

    def band(self, basis: str, band: Rows, rows: Rows) -> Hashes:
        """Return a band of the sketches of documents, some bytes of each, in their order."""
        chunks = self._sketch_chunks(basis)
        found = np.empty(len(rows), np.uint64)
        for chunk, which, places in self._by_chunk(rows):
            found[which] = take_band(chunks[chunk], places, band)
        if basis == "main":
            other = np.flatnonzero(self.borrowed[rows])
            found[other] = self.band("all", band, rows[other])
        return found


def _view(chunk: pa.Array) -> Hashes:
    """Return an array of sketches as rows of numbers, without copying it."""
    data = np.frombuffer(chunk.buffers()[1] or b"", np.uint64)
    return data.reshape(-1, BANDS)[chunk.offset : chunk.offset + len(chunk)]
