"""Which files a name stands for: one way to match patterns, go through folders, tell kinds apart.

In: names as users give them: files, folders, patterns. Out: files, in order; what each is by its
name, packed or not. What a verb does with them differs, and stays with it: which kinds of files it
takes of a folder, what it says where nothing matches, whether a list of archives is read
(`corpus/archives/archive_sources.py`) or a collection stands for its archives.
"""

import glob
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PACKED = (".gz", ".xz", ".bz2", ".zst")
PAGE_FILES = (".html", ".htm", ".xhtml")
ARCHIVES = (".warc", ".arc", ".wacz")


def match_names(pattern: str, home: Path) -> list[Path]:
    """Return the files and folders that a name stands for, in order; it is relative to `home`.

    What is there by that very name is meant, though the name holds * or [.
    """
    with suppress(ValueError):  # of a name with NUL, whose home nobody knows
        pattern = os.path.expanduser(pattern)  # noqa: PTH111 -- Path raises for more
    named = home / pattern
    if os.path.exists(named):  # noqa: PTH110 -- never raises
        return [named]
    found = glob.iglob(pattern, root_dir=home, recursive=True)  # noqa: PTH207 -- absolute too
    return sorted(home / name for name in found)


def list_folder(folder: Path) -> list[Path]:
    """Return the files below a folder, in order, without hidden ones: those are of programs.

    Folders that are linked are gone into, each once.
    """
    return sorted(path for path in _walk(folder) if path.is_file())


def _walk(folder: Path) -> Iterator[Path]:
    seen = set()
    for root, folders, files in os.walk(folder, followlinks=True):
        place = os.path.realpath(root)
        if place in seen:  # linked to from inside itself, or twice
            folders.clear()
            continue
        seen.add(place)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root, name) for name in files if not name.startswith("."))


def plain_name(name: str) -> str:
    """Return the name of a file without the ending that says how it is packed.

    >>> plain_name("page.html.gz")
    'page.html'
    """
    for packed in PACKED:
        name = name.removesuffix(packed)
    return name


def is_archive(path: Path) -> bool:
    """Whether a file is a web archive, by its name."""
    return plain_name(path.name.lower()).endswith(ARCHIVES)


def is_page_file(path: Path) -> bool:
    """Whether a file is a saved page, by its name."""
    return plain_name(path.name.lower()).endswith(PAGE_FILES)


def list_crawled(folder: Path) -> list[Path]:
    """Return the archive files of a crawl, in order."""
    return sorted(folder.glob("shard-*/*.warc.gz"))
