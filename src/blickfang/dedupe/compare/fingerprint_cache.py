"""Fingerprints of whole sources, kept beside them; and single documents of them, read again.

In: collections, archives, folders, files of texts. Out: a `Corpus`: its library of fingerprints,
made once for each file and anew when the file changes; those of a collection lie in
DIR/fingerprints. Files are read on all cores, a file a task; a killed run goes on with the next.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blickfang.compute import EngineOptions, LostTask, each
from blickfang.compute.engine import HERE
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import FILE
from blickfang.dedupe.compare.fingerprint_file import (
    FORMAT,
    DocumentToFingerprint,
    Library,
    Rows,
    is_shelved,
    write_shelf,
)
from blickfang.dedupe.compare.pair_measures import DocumentWords
from blickfang.dedupe.document_forms import USUAL, Fields
from blickfang.dedupe.documents import (
    Document,
    is_single,
    list_files,
    read_file,
    read_place,
)
from blickfang.dedupe.shingles import HashedTexts, gather
from blickfang.dedupe.unspaced import hash_for
from blickfang.errors import InputError
from blickfang.io.atomic_files import explain_failure
from blickfang.io.source_files import is_archive
from blickfang.io.storage import require_seen
from blickfang.text.words import Hashes
from blickfang.types import Failure

FOLDER = "fingerprints"
FEW = 2000  # pages: reading them takes no longer than starting processes
AT_ONCE = 512  # documents a task
TOLD = 200  # documents
NOTHING = np.empty(0, np.uint64)


class FingerprintUnit(NamedTuple):
    """Files whose fingerprints lie in one file: one, or all the texts of a folder."""

    source: Path
    files: tuple[Path, ...]
    shelf: Path
    bytes: int
    fields: Fields = USUAL


class FingerprintedSource(NamedTuple):
    """A source with its fingerprints."""

    name: str
    units: list[FingerprintUnit]  # those that were read
    library: Library
    bytes: list[int]  # of all units, also of those that were not read
    chosen: list[int]  # which of them were read


class WantedDocuments(NamedTuple):
    """Documents of a unit to be read again."""

    unit: FingerprintUnit
    rows: Rows  # where they belong
    numbers: list[int]
    places: list[tuple[int, int]]  # offset, length


def choose_shelf(source: Path, chosen: Path | None, out: Path) -> Path:
    """Return where fingerprints are kept: as chosen, with a collection, else with the results."""
    return chosen or (source if (source / FILE).exists() else out) / FOLDER


def list_units(
    source: Path, folder: Path, shingle: int, fields: Fields = USUAL
) -> list[FingerprintUnit]:
    """Return the units of a source, in order."""
    files = list_files(source)
    texts = tuple(file for file in files if is_single(file, source))
    groups = [texts] if texts else []
    groups += [(file,) for file in files if not is_single(file, source)]
    return [_describe(source, group, folder, shingle, fields) for group in groups]


def _describe(
    source: Path, files: tuple[Path, ...], folder: Path, shingle: int, fields: Fields
) -> FingerprintUnit:
    """Return a unit; the name of its fingerprints changes with its files and how they are read."""
    home = source if source.is_dir() else source.parent
    states = [(str(file.relative_to(home)), file.stat()) for file in files]
    told = [[name, state.st_size, state.st_mtime_ns] for name, state in states]
    digest = hashlib.sha256(json.dumps([FORMAT, shingle, *fields, told]).encode("utf-8", "replace"))
    total = sum(state.st_size for _, state in states)
    return FingerprintUnit(
        source, files, folder / f"{digest.hexdigest()[:24]}.arrow", total, fields
    )


def shelve(
    source: Path,
    folder: Path,
    shingle: int,
    chosen: Sequence[int] | None = None,
    advance: Advance = stay_silent,
    workers: int = 0,
    where: EngineOptions = HERE,
    *,
    fields: Fields = USUAL,
    schemes_apart: bool = False,
) -> FingerprintedSource:
    """Return a source with its fingerprints, or some units of it; those missing are made."""
    units = list_units(source, folder, shingle, fields)
    if not units:
        raise InputError(f"{source} holds no documents; a collection needs a crawl first")
    chosen = list(range(len(units))) if chosen is None else list(chosen)
    mine = [units[number] for number in chosen]
    missing = [unit for unit in mine if not is_shelved(unit.shelf)]
    done = len(mine) - len(missing)
    advance(done, len(mine))
    try:
        if len(missing) == 1 and where == HERE:  # then what is told is documents
            _shelve_alone(missing.pop(), shingle, advance)
        found = each(partial(shelve_unit, shingle), map(_absolute, missing), workers, where)
        for number, result in enumerate(found, done + 1):
            if isinstance(result, LostTask):
                raise InputError(f"reading {result.thing.files[0]} ended its process")
            advance(number, len(mine))
    except OSError as error:
        raise explain_failure(error, f"cannot write {folder}") from error
    if folder == source / FOLDER:
        _tidy(units)
    library = Library([unit.shelf for unit in mine], schemes_apart=schemes_apart)
    return FingerprintedSource(str(source), mine, library, [unit.bytes for unit in units], chosen)


def _tidy(units: Sequence[FingerprintUnit]) -> None:
    """Remove the fingerprints of files that a collection does not have any more."""
    keep = {unit.shelf.stem for unit in units}
    for old in units[0].shelf.parent.glob("*"):
        if old.suffix in (".arrow", ".json") and old.stem not in keep:
            old.unlink(missing_ok=True)


def _shelve_alone(unit: FingerprintUnit, shingle: int, advance: Advance) -> None:
    """Make the fingerprints of one unit, and tell how many documents it has so far."""

    def watch() -> Iterator[DocumentToFingerprint | Failure]:
        for number, entry in enumerate(_entries(unit), 1):
            yield entry
            if number % TOLD == 0:
                advance(number, 0)

    write_shelf(unit.shelf, watch(), shingle)


def shelve_unit(shingle: int, unit: FingerprintUnit) -> None:
    """Make the fingerprints of one unit."""
    for file in unit.files:
        require_seen(file)
    write_shelf(unit.shelf, _entries(unit), shingle)


def _absolute(unit: FingerprintUnit) -> FingerprintUnit:
    """Return a unit as workers elsewhere call it, who have another working folder."""
    files = tuple(file.absolute() for file in unit.files)
    return unit._replace(source=unit.source.absolute(), files=files, shelf=unit.shelf.absolute())


def _entries(unit: FingerprintUnit) -> Iterator[DocumentToFingerprint | Failure]:
    for place, file in enumerate(unit.files):
        for found in read_file(file, unit.source, fields=unit.fields):
            if isinstance(found, Failure):
                yield found
                continue
            number = found.number if len(unit.files) == 1 else place
            yield DocumentToFingerprint(
                found.id, found.url, found.text, found.main, number, found.offset, found.length
            )


def fetch_words(
    corpus: FingerprintedSource,
    rows: Rows,
    shingle: int,
    workers: int = 0,
    where: EngineOptions = HERE,
) -> DocumentWords:
    """Return the words of some documents, in the order asked for."""
    whole, main = [NOTHING] * len(rows), [NOTHING] * len(rows)
    tasks, borrowed = _plan(corpus, rows), corpus.library.borrowed[rows]
    pages = sum(len(task.rows) for task in tasks if is_archive(task.unit.files[0]))
    workers = 1 if pages < FEW else workers
    where = HERE if pages < FEW else where
    sent = (task._replace(unit=_absolute(task.unit)) for task in tasks)
    words = each(partial(read_words, shingle), sent, workers, where)
    for task, found in zip(tasks, words, strict=True):
        if isinstance(found, LostTask):
            raise InputError(f"reading {task.unit.files[0]} again ended its process")
        for t, at in enumerate(task.rows.tolist()):
            whole[at] = _slice(found.whole, t)
            main[at] = NOTHING if borrowed[at] else _slice(found.main, t)
    return DocumentWords(gather(whole), gather(main))


def _slice(texts: HashedTexts, t: int) -> Hashes:
    return texts.hashes[texts.starts[t] : texts.starts[t + 1]]


def fetch_texts(corpus: FingerprintedSource, rows: Rows) -> list[tuple[str, str]]:
    """Return all text and the main text of some documents, in the order asked for."""
    found = [("", "")] * len(rows)
    for task in _plan(corpus, rows):
        for at, document in zip(task.rows.tolist(), read_again(task), strict=True):
            found[at] = (document.text, document.main)
    return found


def _plan(corpus: FingerprintedSource, rows: Rows) -> list[WantedDocuments]:
    """Return who reads which documents again: by file, in the order of the file."""
    library = corpus.library
    columns = [library.column(name)[rows] for name in ("number", "offset", "length")]
    belongs = np.searchsorted(library.file_starts, rows, "right") - 1
    tasks = []
    for unit in np.unique(belongs).tolist():
        mine = np.flatnonzero(belongs == unit)
        mine = mine[np.argsort(columns[0][mine], kind="stable")]
        reachable = len(corpus.units[unit].files) > 1 or bool((columns[1][mine] >= 0).all())
        step = AT_ONCE if reachable else len(mine)
        for part in (mine[i : i + step] for i in range(0, len(mine), step)):
            numbers, offsets, lengths = (column[part].tolist() for column in columns)
            places = list(zip(offsets, lengths, strict=True))
            tasks.append(WantedDocuments(corpus.units[unit], part, numbers, places))
    return tasks


def read_words(shingle: int, task: WantedDocuments) -> DocumentWords:
    """Return the words of documents that are read again."""
    documents = read_again(task)
    whole = hash_for([_valid(document.text) for document in documents], shingle)
    return DocumentWords(
        whole, hash_for([_valid(document.main) for document in documents], shingle)
    )


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def read_again(task: WantedDocuments) -> list[Document]:
    """Return documents of a unit; whoever is not there any more has changed behind our back."""
    files, source = task.unit.files, task.unit.source
    found: dict[int, Document | Failure] = {}
    if len(files) > 1:
        for number in task.numbers:
            found[number] = next(read_file(files[number], source))  # texts: no fields
    elif all(offset >= 0 for offset, _ in task.places):
        for number, place in zip(task.numbers, task.places, strict=True):
            found[number] = read_place(files[0], number, *place, task.unit.fields)
    else:
        wanted = frozenset(task.numbers)
        for entry in read_file(files[0], source, wanted, fields=task.unit.fields):
            if isinstance(entry, Document):
                found[entry.number] = entry
    documents = []
    for number in task.numbers:
        document = found.get(number)
        if not isinstance(document, Document):
            raise InputError(f"{files[0]} has changed while it was compared; start again")
        documents.append(document)
    return documents
