"""Writing files and folders so that whoever reads them finds the old or the new, never a part.

In: a path and what to write. Out: the file or folder, complete and safe on disk, or the old one,
untouched, and an error that says what to do.

    .NAME.PID-xxxxxxxx.part    NAME on its way, beside it; of a process that has ended it goes
    .NAME.PID-xxxxxxxx.old     a folder that had the name, where two names cannot be swapped
"""

import ctypes
import errno
import glob
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from blickfang.errors import BlickfangError, DiskFullError, InputError, SettingsError

LEAST_ROOM = 2**17  # bytes; with less SQLite cannot even make the index of its log
AT_FDCWD = -100  # of Linux: paths are relative to the working directory
EXCHANGE = 2  # of Linux: swap two names in one step
MANY_FILES = 1000  # from here on the whole system is told to write, not each file
_UNDER_WAY: set[Path] = set()  # what this process is writing
BESIDE = re.compile(r"\.(.+)\.(\d+)(?:-[0-9a-f]{8})?\.(part|old)", re.DOTALL)


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
def publishing(target: Path, keep: Callable[[Path], bool] | None = None) -> Iterator[Path]:
    """Give a free name beside `target` for a file or folder that takes its place in the end.

    Whoever looks for `target` finds the old one until the new one is safe on disk. One for which
    `keep` holds stays even then, and the new one goes: somebody else was faster. Errors of the
    operating system are raised as they are.
    """
    _remove_leftovers(target)
    part = _beside(target, "part")
    _UNDER_WAY.add(part)
    try:
        yield part
        _sync_all(part)
        if keep is None or not keep(target):
            _put_in_place(part, target)
            sync_path(target.parent)
    finally:
        _UNDER_WAY.discard(part)
        _remove(part)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all is written and safe on disk."""
    try:
        target = find_target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with publishing(target) as part, part.open("wb") as file:
            yield file
    except OSError as error:
        raise explain_failure(error, f"cannot write {path}") from error


@contextmanager
def replacing_folder(target: Path, keeping: Sequence[str] = ()) -> Iterator[Path]:
    """Make a folder that takes the place of `target` when all in it is safe on disk.

    Files of the old folder whose names are in `keeping` are as they were in the new one.
    """
    refuse_odd_path(target)
    try:
        target = target.resolve()  # a link stays a link, its target is replaced
        if target.exists() and not target.is_dir():
            raise InputError(f"cannot write {target}: it is there and not a folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        with publishing(target) as part:
            part.mkdir()
            yield part
            for name in keeping:  # now, not before: somebody may have changed it meanwhile
                if (target / name).is_file() or (target / name).is_symlink():
                    shutil.copy2(target / name, part / name, follow_symlinks=False)
    except OSError as error:
        raise explain_failure(error, f"cannot write {target}") from error


@contextmanager
def replacing_index(pointer: Path, about: Mapping[str, Any], begin: str = "") -> Iterator[Path]:
    """Make the folder of an index, which a file beside it names in the end instead of an older one.

    What else lies beside it stays. `pointer` is written last: `about`, and the name of the folder,
    which begins with `begin`.
    """
    home = pointer.parent
    inside = home / f"{begin}{os.getpid()}-{secrets.token_hex(4)}"
    _UNDER_WAY.add(inside)
    try:
        inside.mkdir(parents=True)
        yield inside
        _sync_all(inside)
        write_text(pointer, json.dumps({**about, "name": inside.name}, indent=1) + "\n")
    except OSError as error:
        raise explain_failure(error, f"cannot write the index in {home}") from error
    finally:
        _UNDER_WAY.discard(inside)
        _remove_indexes(pointer, begin)


def _remove_indexes(pointer: Path, begin: str) -> None:
    """Delete folders that a pointer does not name, but for those that are under way."""
    try:
        kept = str(json.loads(pointer.read_text(encoding="utf-8"))["name"])
    except (OSError, ValueError, KeyError, TypeError):
        kept = ""
    for path in pointer.parent.glob(f"{glob.escape(begin)}[0-9]*-*"):
        pid = path.name.removeprefix(begin).partition("-")[0]
        if path.name != kept and path.is_dir() and pid.isdigit() and _is_left(path, int(pid)):
            shutil.rmtree(path, ignore_errors=True)


def recover_folder(target: Path) -> None:
    """Give a folder its name back if a process was killed while it put a new one in its place."""
    for left in _list_leftovers(target, "old"):
        if not target.exists():
            left.rename(target)


def _remove_leftovers(target: Path) -> None:
    """Delete what killed processes left, but for the only folder that there is."""
    recover_folder(target)
    for kind in ("part", "old"):
        for left in _list_leftovers(target, kind):
            _remove(left)


def _list_leftovers(target: Path, kind: str) -> list[Path]:
    """Return what lies beside a target, and was on its way when its process ended."""
    found = []
    for path in target.parent.glob(f".{glob.escape(target.name)}.*.{kind}"):
        named = BESIDE.fullmatch(path.name)
        if named and named[1] == target.name and _is_left(path, int(named[2])):
            found.append(path)
    return sorted(found)


def _is_left(path: Path, pid: int) -> bool:
    """Whether something that bears the number of a process is left over.

    A killed process may have had the number of this one: in a container it often is the same.
    """
    return path not in _UNDER_WAY if pid == os.getpid() else not is_running(pid)


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.{kind}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _put_in_place(part: Path, target: Path) -> None:
    """Give what is finished its name; what had the name before is deleted."""
    if not part.is_dir() or not target.exists() or not any(target.iterdir()):
        part.replace(target)
    elif not _exchange(part, target):
        old = _beside(target, "old")
        _UNDER_WAY.add(old)
        try:
            target.rename(old)
            part.rename(target)
        finally:
            _UNDER_WAY.discard(old)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    done = rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), EXCHANGE)
    return bool(done == 0)


def _sync_all(part: Path) -> None:
    """Make a file, or all in a folder, survive a power cut."""
    paths = [part, *part.rglob("*")] if part.is_dir() else [part]
    if len(paths) > MANY_FILES:
        os.sync()
        return
    for path in paths:
        if path.exists():  # a link may lead nowhere
            sync_path(path)


def refuse_full_folder(
    target: Path, kind: str = "", is_ours: Callable[[Path], bool] | None = None
) -> None:
    """Raise an error if a folder to be written is there and not empty.

    One `kind` of folder may be there already: `is_ours` says whether it is one.
    """
    try:
        if target.exists() and not target.is_dir():
            raise InputError(f"{target} is a file; choose a folder")
        full = target.exists() and any(target.iterdir())
    except OSError as error:
        raise explain_failure(error, f"cannot look into {target}") from error
    if full and is_ours is None:
        raise InputError(f"{target} is not empty; choose another folder, or delete it first")
    if full and is_ours is not None and not is_ours(target):
        raise InputError(f"{target} is there, not empty and no {kind}; choose a new folder")


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
