"""Writing files so that whoever reads them finds the old or the new, never a part.

In: a path and what to write. Out: the file, complete, or an error that says what to do.
"""

import errno
import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from blickfang.errors import BlickfangError, DiskFullError, InputError, SettingsError

LEAST_ROOM = 2**17  # bytes; with less SQLite cannot even make the index of its log


def is_of_system(path: Path) -> bool:
    """Whether a name stands for a device or an open file, and not for one of the user's files."""
    place = path.absolute()
    return place.is_relative_to("/proc") or place.parent in (Path("/dev"), Path("/dev/fd"))


def _follow(link: Path) -> Path:
    """Return what a link names: that may be a device that is itself a link to a file."""
    return link.parent / link.readlink()


def find_target(path: Path) -> Path:
    """Return the file that is replaced when `path` is written; raise if it cannot be."""
    if (
        path.name == "-"
        or is_of_system(path)
        or (path.is_symlink() and is_of_system(_follow(path)))
    ):
        raise InputError(f"cannot write {path}: it is not a file; give the name of one")
    target = path.resolve()  # a link stays a link, its target is replaced
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}: it is there and not a file")
    folder = next(each for each in target.parents if each.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {path}: nothing can be written to {folder}")
    return target


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all is written and safe on disk."""
    part = None
    try:
        target = find_target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        sync_path(target.parent)
    except OSError as error:
        raise explain_failure(error, f"cannot write {path}") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def explain_failure(error: OSError, what: str) -> BlickfangError:
    """Return the error to raise for one of the operating system's."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"{what}: no room left on the disk")
    return InputError(f"{what}: {error.strerror or error}")


def is_full(path: Path) -> bool:
    """Whether the disk of a file has no room even for the smallest: SQLite says so in vain."""
    try:
        return shutil.disk_usage(path.parent).free < LEAST_ROOM
    except OSError:
        return False


def _remove_leftovers(target: Path) -> None:
    """Delete what killed processes left half written."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        pid = part.name.split(".")[-2]
        if pid.isdigit() and not is_running(int(pid)):
            part.unlink(missing_ok=True)


def is_running(pid: int) -> bool:
    """Whether there is a process with this number."""
    with suppress(PermissionError):  # of another user, so it runs
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


def sync_path(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Replace a file by a text."""
    with replacing(path) as file:
        file.write(text.encode())


def set_aside(path: Path) -> Path:
    """Give a file or folder another name, so that its own is free and nothing is lost."""
    names = (path.with_name(f"{path.stem}-before-{n}{path.suffix}") for n in count(1))
    return path.rename(next(name for name in names if not name.exists()))


def read_only(database: Path) -> str:
    """Return the address by which SQLite opens a database for reading, whatever its name is."""
    return f"{database.absolute().as_uri()}?mode=ro"


def show_name(name: str) -> str:
    r"""Return the name of a file as text that can be written: what is no UTF-8 in it becomes �.

    >>> show_name("w\udce4ldchen.html"), show_name("wäldchen.html")
    ('w�ldchen.html', 'wäldchen.html')
    """
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # other surrogates than Python makes of bytes in names
        return name.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def refuse_odd_path(folder: Path) -> None:
    """Raise an error if the path of a folder is not UTF-8: Parquet cannot be written there."""
    path = os.fsencode(os.path.realpath(folder))  # links too: what is written goes where they lead
    try:
        path.decode()
    except UnicodeDecodeError as error:
        end = path.find(b"/", error.start)
        odd = path if end < 0 else path[:end]
        raise SettingsError(
            f"the name of the folder {odd.decode('utf-8', 'replace')} is not UTF-8, and not all "
            "of a collection can be written there: give the folder another name"
        ) from error
