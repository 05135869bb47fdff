"""Folders that are whole or not there: what was read from an archive, with a digest of each file.

In: a folder that is being filled. Out: the same in its place, which no kill and no power cut leaves
half, and whether one that is found is what was written.
"""

import hashlib
import json
import secrets
import shutil
from pathlib import Path

from blickfang.disk import sync_path
from blickfang.storage import Place, State

DONE = "part.json"


def name_part(path: Place, told: str, state: State, about: str) -> str:
    """Return the name of the folder of an archive.

    It changes with the file, with what rows call it (`told`), and with how it is read (`about`).
    """
    facts: list[object] = [path, state.size, state.mark, told, about]
    if isinstance(path, Path):
        facts[:3] = [str(path.resolve()), state.size, int(state.mark)]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]


def make_fresh(folder: Path) -> Path:
    """Return an empty folder beside one that is to be; nobody else has it, on no machine."""
    fresh = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}.new")
    fresh.mkdir(parents=True)
    return fresh


def put_in_place(fresh: Path, folder: Path) -> None:
    """Give a folder that is done its place, unless somebody else was faster."""
    if is_whole(folder):  # somebody else was faster, and may be reading it
        shutil.rmtree(fresh)
        return
    shutil.rmtree(folder, ignore_errors=True)
    try:
        fresh.replace(folder)
    except OSError:
        if not is_whole(folder):  # else somebody else was faster by a moment
            raise
        shutil.rmtree(fresh)


def is_whole(folder: Path) -> bool:
    """Whether all that was read from an archive is there, as it was written."""
    try:
        files = json.loads((folder / DONE).read_text(encoding="utf-8"))["files"]
        return all(digest(folder / name) == known for name, known in files.items())
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def digest(path: Path, *, sync: bool = False) -> str:
    """Return a digest of a file; with `sync`, one that no power cut takes away."""
    if sync:
        sync_path(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
