"""The index over the archived pages of a collection: built once, again when the archive changed.

In: a collection that was crawled. Out: `PageTexts`, and where in the archive each address lies.
`research/index.json` in the collection names the folder that counts and is written last: a build
that is killed leaves the older index, or none.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from blickfang.compute import LostTask, each
from blickfang.compute.worker_progress import Advance, stay_silent
from blickfang.config import Collection
from blickfang.corpus.search.page_index import (
    FILE,
    MOVED,
    PAGE,
    ArchivedText,
    PageTexts,
    PageTextWriter,
)
from blickfang.errors import InputError
from blickfang.html.metadata import read_title
from blickfang.html.page import parse_page, read_text
from blickfang.io.atomic_files import replacing_index
from blickfang.io.log import report_bug
from blickfang.io.source_files import list_crawled
from blickfang.io.urls import canonical
from blickfang.io.warc import Archived
from blickfang.io.warc.http_exchange import read_type
from blickfang.io.warc.walk import find_target, has_payload, is_page, iterate_archive
from blickfang.types import Failure

FORMAT = 2
POINTER = "index.json"
FILES = ("application/pdf", "application/x-bibtex", "text/x-bibtex", "text/plain")
ENDINGS = (".pdf", ".bib")


def research_folder(collection: Collection) -> Path:
    """Return where research keeps what it made and fetched."""
    return collection.root / "research"


def open_page_index(collection: Collection, advance: Advance = stay_silent) -> PageTexts:
    """Return the index over the archived pages of a collection, built if need be."""
    paths = list_crawled(collection.crawl_folder)
    if not paths:
        raise InputError(f"{collection.root} has no archive yet; run `blickfang crawl` first")
    folder = research_folder(collection)
    digest = _digest(paths, collection.crawl_folder)
    name = _find_current(folder, digest)
    if name is None:
        with replacing_index(folder / POINTER, {"archive": digest}, "index-") as inside:
            _fill(inside, paths, collection.crawl_folder, advance)
        name = inside.name
    return PageTexts(folder / name)


def _digest(paths: list[Path], root: Path) -> str:
    """Return what tells the state of an archive from any other."""
    facts = [(str(p.relative_to(root)), p.stat().st_size, p.stat().st_mtime_ns) for p in paths]
    return hashlib.sha256(json.dumps([FORMAT, facts]).encode()).hexdigest()


def _find_current(folder: Path, digest: str) -> str | None:
    try:
        pointer = json.loads((folder / POINTER).read_text(encoding="utf-8"))
        name = str(pointer["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_there = Path(name).name == name and (folder / name / "meta.json").exists()
    return name if is_there and pointer.get("archive") == digest else None


def _fill(folder: Path, paths: list[Path], root: Path, advance: Advance) -> None:
    """Write what archive files hold into an index."""
    writer = PageTextWriter(folder)
    found = each(partial(list_entries, root), paths, 1 if len(paths) == 1 else 0)
    for done, entries in enumerate(found, 1):
        for entry in () if isinstance(entries, LostTask) else entries:
            writer.add(entry)
        advance(done, len(paths))
    writer.finish()


def list_entries(root: Path, path: Path) -> list[ArchivedText]:
    """Return what an archive file holds that research may need."""
    return list(_read_entries(root, path))


def _read_entries(root: Path, path: Path) -> Iterator[ArchivedText]:
    for found in iterate_archive(path, _is_wanted):
        record = None if isinstance(found, Failure) else found.record
        url = canonical(record.url) if record else None
        if record is None or record.place is None or url is None:
            continue
        where = f"{path.relative_to(root)}\t{record.place.offset}\t{record.place.length}"
        entry = _read_entry(record, url, where)
        if entry is not None:
            yield entry


def _is_wanted(record: Archived) -> bool:
    """Whether a record is of a page, a paper or BibTeX, or leads elsewhere."""
    return is_page(record) or _is_file(record) or 300 <= record.status < 400


def _is_file(record: Archived) -> bool:
    """Whether a record is of a paper or BibTeX, by its type or its address."""
    named = record.url.lower().partition("?")[0].endswith(ENDINGS)
    return has_payload(record) and (named or read_type(record.headers) in FILES)


def _read_entry(record: Archived, url: str, where: str) -> ArchivedText | None:
    target = find_target(url, record.status, record.headers)
    if target:
        return ArchivedText(url, MOVED, target)
    if _is_file(record):
        return ArchivedText(url, FILE, where)
    if not is_page(record):
        return None
    try:
        parsed = parse_page(record.body, record.headers.get("content-type"))
    except Exception as error:  # one page must not end an index
        report_bug(error, url)
        return None
    if parsed is None:
        return None
    return ArchivedText(url, PAGE, where, read_title(parsed[0]), read_text(parsed[0]))
