"""Writing folders so that whoever reads them finds the old or the new, never a part.

In: the name of a folder, and what is written into a fresh one beside it. Out: the folder, whole
and safe on disk, in place of the old one; or the old one, untouched, and an error that says why.
"""

import ctypes
import glob
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from blickfang.disk import explain_failure, is_running, refuse_odd_path, sync_path
from blickfang.errors import InputError

AT_FDCWD = -100  # of Linux: paths are relative to the working directory
EXCHANGE = 2  # of Linux: swap two names in one step
MANY_FILES = 1000  # from here on the whole system is told to write, not each file


@contextmanager
def replacing_folder(target: Path, keeping: Sequence[str] = ()) -> Iterator[Path]:
    """Make a folder that takes the place of `target` when all in it is safe on disk.

    Files of the old folder whose names are in `keeping` are as they were in the new one.
    """
    refuse_odd_path(target)
    part = None
    try:
        target = target.resolve()  # a link stays a link, its target is replaced
        if target.exists() and not target.is_dir():
            raise InputError(f"cannot write {target}: it is there and not a folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        recover_folder(target)
        _remove_leftovers(target)
        part = _beside(target, "part")
        part.mkdir()
        yield part
        for name in keeping:  # now, not before: somebody may have changed it meanwhile
            if (target / name).is_file() or (target / name).is_symlink():
                shutil.copy2(target / name, part / name, follow_symlinks=False)
        _sync_tree(part)
        _put_in_place(part, target)
        sync_path(target.parent)
    except OSError as error:
        raise explain_failure(error, f"cannot write {target}") from error
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)


def recover_folder(target: Path) -> None:
    """Give a folder its name back if a process was killed while it put a new one in its place."""
    for left in _leftovers(target, "old"):
        if not target.exists():
            left.rename(target)


def _remove_leftovers(target: Path) -> None:
    """Delete what killed processes left."""
    for kind in ("part", "old"):
        for left in _leftovers(target, kind):
            shutil.rmtree(left, ignore_errors=True)


def _leftovers(target: Path, kind: str) -> list[Path]:
    """Return folders beside the target whose process has ended."""
    found = target.parent.glob(f".{glob.escape(target.name)}.*.{kind}")
    pids = {path: path.name.split(".")[-2] for path in found}
    return sorted(path for path, pid in pids.items() if pid.isdigit() and not is_running(int(pid)))


def refuse_full_folder(target: Path) -> None:
    """Raise an error if a folder to be written is there and not empty."""
    try:
        if target.exists() and not target.is_dir():
            raise InputError(f"{target} is a file; choose a folder")
        full = target.exists() and any(target.iterdir())
    except OSError as error:
        raise explain_failure(error, f"cannot look into {target}") from error
    if full:
        raise InputError(f"{target} is not empty; choose another folder, or delete it first")


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.{kind}")


def _put_in_place(part: Path, target: Path) -> None:
    """Give a finished folder its name; what had the name before is deleted."""
    if not target.exists() or not any(target.iterdir()):
        part.rename(target)
    elif not _exchange(part, target):
        old = _beside(target, "old")
        target.rename(old)
        part.rename(target)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    done = rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), EXCHANGE)
    return bool(done == 0)


def _sync_tree(folder: Path) -> None:
    paths = [folder, *folder.rglob("*")]
    if len(paths) > MANY_FILES:
        os.sync()
        return
    for path in paths:
        if path.exists():  # a link may lead nowhere
            sync_path(path)
