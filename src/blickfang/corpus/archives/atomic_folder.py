"""What was read from an archive, in a folder with a digest of each file.

In: an archive, or such a folder. Out: the name of its folder; whether it is what was written.
"""

import hashlib
import json
from pathlib import Path

from blickfang.io.storage import FileState, Place

DONE = "part.json"


def name_part(path: Place, told: str, state: FileState, about: str) -> str:
    """Return the name of the folder of an archive.

    It changes with the file, with what rows call it (`told`), and with how it is read (`about`).
    """
    facts: list[object] = [path, state.size, state.mark, told, about]
    if isinstance(path, Path):
        facts[:3] = [str(path.resolve()), state.size, int(state.mark)]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]


def is_whole(folder: Path) -> bool:
    """Whether all that was read from an archive is there, as it was written."""
    try:
        files = json.loads((folder / DONE).read_text(encoding="utf-8"))["files"]
        return all(digest(folder / name) == known for name, known in files.items())
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def digest(path: Path) -> str:
    """Return a digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
