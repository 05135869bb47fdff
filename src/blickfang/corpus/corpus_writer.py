"""A corpus on its way to disk: all of it, or the old one stays.

In: samples, rejected rows and pages as record batches, and where they come from. Out: the folder
of a corpus: shards in the Hugging Face image layout, card, Croissant description, and last the
manifest with the hash of every file. Same rows and origin give the same bytes.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from blickfang.corpus.croissant import describe_corpus
from blickfang.corpus.dataset_card import Origin, origin_to_json, write_card
from blickfang.corpus.parquet_files import STANDARD, WHOLE, FileLimits, ParquetFile, write_table
from blickfang.corpus.sample_columns import ID_DIGITS, PAGES, REJECTED, SAMPLES, WITHOUT_IMAGE
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing_folder
from blickfang.io.urls import host

FORMAT = 2
MANIFEST = "manifest.json"
CARD = "README.md"
CROISSANT = "croissant.json"
PAGES_FILE = "pages.parquet"
REJECTED_FILE = "rejected.parquet"
LIST = "removals.txt"  # no part of it, but people put it here: what was taken down must stay so
SHARD_NAME = "data/train-{:05}-of-{:05}.parquet"
COUNTED = ("format", "language", "licence", "consent", "data_mining")
MOST_NAMED = 100  # of each kind; the rest is a sum


class CardTally:
    """What the card tells of the samples, counted as they pass."""

    def __init__(self) -> None:
        self.rows = 0
        self.bytes = 0
        self.ids: set[str] = set()
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in (*COUNTED, "host")}

    def watch(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield record batches of samples, counted and checked."""
        for batch in batches:
            self._check_ids(batch)
            self.rows += batch.num_rows
            self.bytes += sum(size or 0 for size in batch.column("bytes").to_pylist())
            for name in COUNTED:
                self.counts[name].update(text or "" for text in batch.column(name).to_pylist())
            self.counts["host"].update(host(url or "") for url in batch.column("url").to_pylist())
            yield batch

    def _check_ids(self, batch: Any) -> None:
        """Raise an error if two samples have one id: images are found by it."""
        pairs = zip(batch.column("id").to_pylist(), batch.column("sha256").to_pylist(), strict=True)
        for name, sha256 in pairs:
            if name in self.ids or len(name) != ID_DIGITS or not sha256.startswith(name):
                raise InputError(f"the id {name!r} of a sample is not new, or not of its sha-256")
            self.ids.add(name)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the manifest keeps them: the most frequent, then by name."""
        return {name: _most_frequent(counter) for name, counter in self.counts.items()}


def _most_frequent(counter: Counter[str]) -> dict[str, Any]:
    named = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = named[MOST_NAMED:]
    return {
        "most": [list(pair) for pair in named[:MOST_NAMED]],
        "others": len(rest),
        "samples_of_others": sum(count for _, count in rest),
    }


def write_corpus(
    folder: Path,
    samples: Iterable[Any],
    *,
    origin: Origin | Callable[[], Origin],
    rejected: Iterable[Any] = (),
    pages: Iterable[Any] = (),
    with_bytes: bool = True,
    limits: FileLimits = STANDARD,
) -> dict[str, Any]:
    """Write a corpus to a folder, in place of the one that is there; return its manifest.

    A removal list that lies in the folder stays.

    Samples are read first, then pages, then rejected rows, and the origin is asked for last: each
    may depend on those before.
    """
    with replacing_folder(folder, (LIST,)) as part:
        return write_parts(part, samples, origin, rejected, pages, with_bytes, limits)


def write_parts(
    folder: Path,
    samples: Iterable[Any],
    origin: Origin | Callable[[], Origin],
    rejected: Iterable[Any],
    pages: Iterable[Any],
    with_bytes: bool = True,
    limits: FileLimits = STANDARD,
) -> dict[str, Any]:
    """Write the files of a corpus to an empty folder, the manifest last."""
    tally = CardTally()
    columns = SAMPLES if with_bytes else WITHOUT_IMAGE
    shards = write_table(folder, SHARD_NAME, columns, tally.watch(samples), limits)
    others = write_table(folder, PAGES_FILE, PAGES, pages, WHOLE)
    others += write_table(folder, REJECTED_FILE, REJECTED, rejected, WHOLE)
    manifest = {
        "format": FORMAT,
        **origin_to_json(origin() if callable(origin) else origin),
        "rows": tally.rows,
        "image_bytes": tally.bytes,
        "with_bytes": with_bytes,
        "counts": tally.to_json(),
        "shards": [shard._asdict() for shard in shards],
    }
    filled = [shard.name.removesuffix(".parquet") for shard in others if shard.rows]
    others.append(_write_text(folder, CARD, write_card(manifest, filled)))
    others.append(_write_text(folder, CROISSANT, describe_corpus(manifest)))
    manifest["files"] = [shard._asdict() for shard in others]
    _write_text(folder, MANIFEST, to_json(manifest))
    return manifest


def to_json(value: Mapping[str, Any]) -> str:
    """Return a value as JSON that is the same for the same value."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _write_text(folder: Path, name: str, text: str) -> ParquetFile:
    data = text.encode()
    (folder / name).write_bytes(data)
    return ParquetFile(name, 0, len(data), hashlib.sha256(data).hexdigest())
