"""The folder of a comparison: whether it may be written to, asked before anything is read.

In: a folder, and the sources. Out: nothing, or an error that says why not. What we write among
documents would be read as some of them the next time; what others wrote is not ours to mix with.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from blickfang.config import FILE
from blickfang.errors import InputError, SettingsError
from blickfang.io.atomic_files import BESIDE, refuse_full_folder
from blickfang.io.storage import Place
from blickfang.pipeline.shelving import FOLDER

FACTS = "comparison.json"
KEYS = {"a", "b", "addresses", "near_duplicates"}  # that every comparison.json of ours has
# A comparison that was stopped early has only these: fingerprints, and copies of files elsewhere.
EARLY = re.compile(r"(.+/)?[0-9a-f]{24}\.(arrow|json)|fetched/[0-9a-f]{8}-[^/]*")
READ_OF_A_COLLECTION = ("crawl", FOLDER)


def claim_folder(out: Path, sources: Sequence[Place]) -> None:
    """Raise unless a folder is new, empty, or of an earlier comparison, and no source meets it."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; choose a folder")
    for source in sources:
        if isinstance(source, Path):
            _refuse_source(out, source)
    if (out / "index.html").exists() and not (out / FACTS).exists():
        raise InputError(f"{out} holds an index.html that is no comparison; choose another folder")
    refuse_full_folder(out, "comparison", is_ours)


def _refuse_source(out: Path, source: Path) -> None:
    place, read = out.resolve(), source.resolve()
    inner = [read]
    if (read / FILE).exists():  # people keep what they made of a collection in it
        inner = [read / name for name in READ_OF_A_COLLECTION]
    if place == read or any(place.is_relative_to(folder) for folder in inner):
        raise SettingsError(f"{out} is read from, as {source}; choose a folder outside of it")
    if read.is_relative_to(place):
        raise SettingsError(f"{out} holds {source}, which is read; choose a folder without it")


def is_ours(out: Path) -> bool:
    """Whether all in a folder is of a comparison: finished, stopped on its way, or not begun."""
    if (out / FACTS).exists():
        return _is_comparison(out / FACTS)
    if any(out.glob("work/" + "[0-9a-f]" * 16 + "/segment-*.npz")):
        return True
    return all(_is_early(path.relative_to(out)) for path in out.rglob("*") if path.is_file())


def _is_comparison(path: Path) -> bool:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(facts, dict) and facts.keys() >= KEYS


def _is_early(path: Path) -> bool:
    half = BESIDE.fullmatch(path.name)  # a file half written
    name = path.with_name(half[1]) if half else path
    return EARLY.fullmatch(name.as_posix()) is not None
