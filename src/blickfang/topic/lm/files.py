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

from blickfang.disk import replacing
from blickfang.errors import InputError
from blickfang.topic.lm.model import MAX_ORDER, LanguageModel
from blickfang.topic.lm.table import Table
from blickfang.words import TABLE_VERSION

FORMAT = 1
MAGIC = b"blickfang-lm"
FIXED_BYTES = 16 + 32 + 8
ALIGNMENT = 64


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
    except (KeyError, TypeError, ValueError) as error:
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
    if sizes.sum() != len(rows) or not 1 <= len(sizes) <= MAX_ORDER:
        raise InputError(f"{path} is damaged: its tables do not fit together; train again")
    if not 0 <= header["unknown"] < sizes[0]:
        raise InputError(f"{path} is damaged: it has no place for unknown words; train again")
    words = array("words", np.uint8).tobytes().decode("utf-8", "surrogatepass").split("\n")
    return LanguageModel(
        Table(
            rows,
            rows.view(np.float32),
            sizes,
            header["unknown"],
            header["closed"],
            header["opened"],
        ),
        words,
        array("word_rows", np.uint32),
        tuple(header["counts"]),
        tuple((d[0], d[1], d[2]) for d in header["discounts"]),
        header["tokenised"],
    )
