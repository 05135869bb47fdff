"""Taking samples with you, and taking them out: export of a selection, the removal list.

In: ids of samples, chosen in the grid. Out: a ZIP file with an export of them; or lines in
removals.txt, which every later export and this application obey.
"""

import re
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from blickfang.corpus import export_corpus
from blickfang.corpus.corpus_writer import LIST
from blickfang.corpus.removals import parse_removals
from blickfang.errors import InputError
from blickfang.io.atomic_files import write_text
from blickfang.io.text_files import read_text
from blickfang.web.corpus_routes import change_address, find_rows, read_wish
from blickfang.web.render_pages import read_field, read_fields

IDENTITY = re.compile("[0-9a-f]{16}")
MOST = 20_000  # samples in one download
LONGEST_REASON = 200
LISTING = threading.Lock()  # who adds to the removal list reads it first


def read_choice(request: Request) -> list[str]:
    """Return the ids that were chosen, checked."""
    names = list(dict.fromkeys(read_fields(request, "id")))
    if not names:
        raise InputError("nothing was chosen: tick some pictures first")
    for name in names:
        if not IDENTITY.fullmatch(name):
            raise InputError("this is no id of a sample")
    return names


def export_choice(request: Request) -> Response:
    """Send an export of the samples that were chosen, or of all that the grid shows."""
    shelf = request.app.state.shelves.get()
    if read_field(request, "all"):
        rows = find_rows(request, shelf, read_wish(request, shelf))
        names = [name.decode() for name in shelf.index.ids[rows]]
    else:
        names = read_choice(request)
    if len(names) > MOST:
        raise InputError(f"{len(names):,} samples are too many to download: run blickfang export")
    form = read_field(request, "to", "files")
    folder = Path(tempfile.mkdtemp(prefix="blickfang-"))
    try:
        export_corpus(shelf.index.corpus, form, folder / "export", only=frozenset(names))
        pack(folder / "export", folder / "export.zip")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / "export.zip",
        media_type="application/zip",
        filename=f"samples-{form}.zip",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


def pack(folder: Path, target: Path) -> None:
    """Write all files of a folder into a ZIP file; pictures are packed already."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in _walk(folder):
            archive.write(path, path.relative_to(folder).as_posix())


def _walk(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def remove_choice(request: Request) -> Response:
    """Put the samples that were chosen on the removal list."""
    names = read_choice(request)
    shelf = request.app.state.shelves.get()
    for name in names:
        shelf.index.row_of(name)  # or it is no sample
    reason = " ".join(read_field(request, "reason").split())[:LONGEST_REASON]
    with LISTING:
        add_removals(request.app.state.collection.root / LIST, names, reason)
    wish = read_wish(request, shelf)
    return RedirectResponse(change_address(wish, page=wish.page), 303)


def add_removals(path: Path, names: list[str], reason: str) -> None:
    """Add ids to a removal list; what stands in it stays."""
    before = read_text(path) if path.exists() else ""
    if before and not before.endswith("\n"):
        before += "\n"
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    note = f"{day}, {reason}" if reason else day
    text = before + "".join(f"{name}  # {note}\n" for name in names)
    parse_removals(text, str(path))  # before it is written: a broken list would stop exports
    write_text(path, text)


ROUTES = [
    Route("/corpus/export", export_choice, methods=["POST"]),
    Route("/corpus/remove", remove_choice, methods=["POST"]),
]
