"""A language model on disk: one file, mapped into memory instead of read, never half written.

    16 bytes    "blickfang-lm" and the format version
    32 bytes    SHA-256 of everything behind it
     8 bytes    length of the header
    header      JSON: what the model is, and where its arrays lie
    arrays      at multiples of 64 bytes

In: a model and a path, or a path. Out: the file, or the model; `InputError` if the file is not one.
"""

import hashlib
import json
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing
from blickfang.text.lm.arpa import MAX_LOG
from blickfang.text.lm.language_model import MAX_ORDER, LanguageModel
from blickfang.text.lm.ngram_table import NgramTable
from blickfang.text.words import TABLE_VERSION

FORMAT = 1
MAGIC = b"blickfang-lm"
FIXED_BYTES = 16 + 32 + 8
ALIGNMENT = 64
CHECKED_ROWS = 2**18  # at once


def save_model(model: LanguageModel, path: Path) -> str:
    """Write a model and return its checksum; an older one stays until the new one is complete."""
    arrays = {
        "rows": model.table.rows.data.cast("B"),
        "word_rows": model.word_rows.data.cast("B"),
        "words": memoryview("\n".join(model.words).encode("utf-8", "surrogatepass")),
    }
    places, pieces, end = {}, list[bytes | memoryview](), 0
    for name, data in arrays.items():
        padding = bytes(-len(data) % ALIGNMENT)
        places[name] = (end, len(data))
        pieces += data, padding
        end += len(data) + len(padding)
    header = json.dumps(describe(model) | {"arrays": places}).encode()
    header += b" " * (-(FIXED_BYTES + len(header)) % ALIGNMENT)
    digest = hashlib.sha256()
    with replacing(path) as file:
        file.write(MAGIC + FORMAT.to_bytes(4, "little") + bytes(32))
        for piece in (len(header).to_bytes(8, "little"), header, *pieces):
            digest.update(piece)
            file.write(piece)
        file.seek(16)
        file.write(digest.digest())
    return digest.hexdigest()


def describe(model: LanguageModel) -> dict[str, Any]:
    """Return what a model is, without its arrays."""
    return {
        "order": model.order,
        "counts": model.counts,
        "discounts": model.discounts,
        "tokenised": model.tokenised,
        "sizes": model.table.sizes.tolist(),
        "unknown": model.table.unknown,
        "closed": model.table.closed,
        "opened": model.table.opened,
        "words_table": TABLE_VERSION,
    }


def load_model(path: Path) -> LanguageModel:
    """Return a saved model."""
    data = _map(path)
    if len(data) < FIXED_BYTES or data[:12] != MAGIC:
        raise InputError(f"{path} is not a language model; `blickfang lm import` reads ARPA files")
    version = int.from_bytes(data[12:16], "little")
    if version != FORMAT:
        raise InputError(
            f"{path} has model format {version}, this Blickfang reads format {FORMAT}; train again"
        )
    if hashlib.sha256(memoryview(data)[48:]).digest() != data[16:48]:
        raise InputError(f"{path} is damaged: its checksum does not fit; train or copy it again")
    start = FIXED_BYTES + int.from_bytes(data[48:56], "little")
    try:
        return _assemble(data, start, json.loads(data[FIXED_BYTES:start]), path)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{path} is damaged: its header is incomplete; train again") from error


def _map(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            # Copy on write: kernels see the same kind of array as for a model just trained.
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except ValueError as error:  # an empty file cannot be mapped
        raise InputError(f"{path} is empty, not a language model") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _assemble(data: mmap.mmap, start: int, header: dict[str, Any], path: Path) -> LanguageModel:
    if not header["tokenised"] and header["words_table"] != TABLE_VERSION:
        raise InputError(
            f"{path} was trained with word table {header['words_table']}, "
            f"this Blickfang has {TABLE_VERSION}; train again"
        )

    def array(name: str, kind: type[np.generic]) -> np.ndarray[Any, Any]:
        offset, length = header["arrays"][name]
        if start + offset + length > len(data):
            raise InputError(f"{path} is cut off; train or copy it again")
        count = length // np.dtype(kind).itemsize
        return np.frombuffer(data, kind, count, start + offset)

    rows = array("rows", np.uint64).reshape(-1, 2)
    sizes = np.array(header["sizes"], np.int64)
    words = array("words", np.uint8).tobytes().decode("utf-8", "surrogatepass").split("\n")
    word_rows = array("word_rows", np.uint32)
    if not _fits(rows, sizes, header) or not 3 <= len(words) == len(word_rows):
        raise InputError(f"{path} is damaged: its tables do not fit together; train again")
    if not 0 <= header["unknown"] < sizes[0] or int(word_rows.max()) >= sizes[0]:
        raise InputError(f"{path} is damaged: it has no place for its words; train again")
    return LanguageModel(
        NgramTable(
            rows,
            rows.view(np.float32),
            sizes,
            int(header["unknown"]),
            bool(header["closed"]),
            bool(header["opened"]),
        ),
        words,
        word_rows,
        tuple(map(int, header["counts"])),
        tuple((float(one), float(two), float(more)) for one, two, more in header["discounts"]),
        bool(header["tokenised"]),
    )


def _fits(rows: NDArray[np.uint64], sizes: NDArray[np.int64], header: dict[str, Any]) -> bool:
    """Whether kernels can trust a table: they stop at a free row, and add what its rows say."""
    if not 1 <= len(sizes) == len(header["counts"]) <= MAX_ORDER:
        return False
    if sizes.ndim != 1 or sizes.min() < 1 or sizes.sum() != len(rows):
        return False
    ends = np.cumsum(sizes).tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        used = 0
        for at in range(start, end, CHECKED_ROWS):
            some = rows[at : min(at + CHECKED_ROWS, end)]
            used += int(np.count_nonzero(some[:, 0]))
            if not (np.abs(some.view(np.float32)[:, 2:]) <= MAX_LOG).all():
                return False
        if used == end - start:
            return False
    return True
