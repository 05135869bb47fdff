"""Files wherever they lie: on this machine, in an object store (s3://, gs://, hdfs://), on the web.

In: places: paths, or addresses that fsspec knows. Out: local copies, bytes, folders uploaded; every
trouble with a storage is one sentence that says what to do. Packages and networks are touched only
when a place is not on this machine.
"""

import errno
import hashlib
import os
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from blickfang.errors import BlickfangError, InputError, SettingsError, UnreachableError
from blickfang.io.atomic_files import explain_failure, is_running, replacing
from blickfang.io.log import LOGGER
from blickfang.types import Failure

T = TypeVar("T")

Place = Path | str  # a path is on this machine, a text is an address elsewhere

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
READ_ONLY = ("http", "https")
MAX_FILE = 2**36  # bytes of an archive: one is a gigabyte as a rule
BLOCK = 2**23  # bytes read at once
AT_ONCE = 32  # questions to a storage
TRIES, PAUSE_S = 3, 1.0
MOST_SILENT = 16  # files in a row that could not be had: then the network is down
EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
# Names of scratch folders have the machine and the number of their process: TMPDIR may be shared.
OURS = f"blickfang-{socket.gethostname().replace('-', '.')}-"
EXPIRED = re.compile(r"expired", re.IGNORECASE)
REFUSED = re.compile(
    r"access ?denied|forbidden|invalid ?access ?key|signature|unauthori[sz]ed|"
    r"invalid ?token|does not exist in our records",
    re.IGNORECASE,
)
UNKNOWN = re.compile(r"credentials|anonymous caller", re.IGNORECASE)
UNREACHED = {"ClientConnectorError", "ConnectionError", "ConnectionRefusedError", "TimeoutError"}
NO_BUCKET = re.compile(r"bucket (does not|doesn't) exist|no ?such ?bucket", re.IGNORECASE)


class FileState(NamedTuple):
    """A file at one moment."""

    size: int  # 0 where the storage does not tell
    mark: str  # changes with the file


class Patience:
    """Counts archives, one after the other, whose storage did not answer."""

    def __init__(self) -> None:
        self.in_a_row = 0

    def note(self, silence: str) -> None:
        """Note what came of an archive: "", or why its storage is silent; raise at too many."""
        self.in_a_row = self.in_a_row + 1 if silence else 0
        if self.in_a_row >= MOST_SILENT:
            raise UnreachableError(silence)


def is_remote(name: str) -> bool:
    """Whether a name is an address elsewhere.

    >>> is_remote("s3://bucket/a.warc.gz"), is_remote("a.warc.gz"), is_remote("C:/a")
    (True, False, False)
    """
    return SCHEME.match(name) is not None


def as_place(name: str) -> Place:
    """Return the place that a name stands for."""
    return name if is_remote(name) else Path(name)


def absolute(place: Place) -> Place:
    """Return a place as it is called in every process of this machine."""
    return place.absolute() if isinstance(place, Path) else place


def shown(place: str) -> str:
    """Return an address without passwords and signatures, for messages.

    >>> shown("https://me:secret@a.test/x.gz?X-Amz-Signature=1"), shown("s3://b/x.gz")
    ('https://a.test/x.gz', 's3://b/x.gz')
    """
    scheme, _, rest = place.partition("://")
    host, slash, path = rest.partition("/")
    path = path.partition("?")[0] if scheme.lower() in READ_ONLY else path
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def require_seen(place: Place) -> None:
    """Raise if this machine does not see a file that the machine of the command sees."""
    if isinstance(place, Path) and not place.exists():
        raise SettingsError(
            f"the machine {socket.gethostname()} does not see {place}: mount it there under the "
            "same name, or give an address (s3://…)"
        )


def name_of(place: Place) -> str:
    """Return the name of a file without its folders.

    >>> name_of("s3://bucket/crawl/a.warc.gz")
    'a.warc.gz'
    """
    return place.name if isinstance(place, Path) else place.split("?")[0].rsplit("/", 1)[-1]


def _connect(place: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    scheme = place.partition("://")[0].lower()
    try:
        from fsspec.core import url_to_fs

        fs, path = url_to_fs(place, **({"auto_mkdir": True} if scheme == "file" else {}))
    except ImportError as error:
        extra = EXTRAS.get(scheme)
        what = f'`pip install "blickfang[{extra}]"`' if extra else f"({error})"
        raise SettingsError(f"{scheme}:// needs a package that is not installed: {what}") from error
    except ValueError as error:
        raise SettingsError(f"{place}: {scheme}:// is no storage we know") from error
    except Exception as error:
        raise explain(error, place) from error
    return fs, path


def explain(error: Exception, place: str) -> BlickfangError:
    """Return one sentence for what a storage says."""
    if isinstance(error, BlickfangError):
        return error
    # What the place itself is called must not be taken for what is wrong with it.
    text = " ".join(str(part) for part in _chain(error)).replace(place, "")
    text = text.replace(place.partition("://")[2], "")
    full, place = place, shown(place)
    names = {type(part).__name__ for part in _chain(error)}
    refused = any(getattr(part, "status", 0) in (401, 403) for part in _chain(error))
    if EXPIRED.search(text):
        return SettingsError(f"the credentials for {place} have expired; renew them")
    if NO_BUCKET.search(text):
        return SettingsError(f"there is no such bucket: {place}; correct its name, or make it")
    if "NoCredentialsError" in names or "DefaultCredentialsError" in names or UNKNOWN.search(text):
        return SettingsError(
            f"there are no credentials for {place}; set those of its provider in the environment "
            "(AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for s3://), or log in with its tool"
        )
    if refused or isinstance(error, PermissionError) or REFUSED.search(text):
        return SettingsError(f"{place} is not open to us: its storage refuses our credentials")
    if isinstance(error, FileNotFoundError) and not names & UNREACHED:
        return InputError(f"there is no {place}")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return explain_failure(error, f"cannot keep a copy of {place}")
    root = list(_chain(error))[-1]
    said = str(root).replace(full, place) or type(root).__name__
    said = " ".join(said.split())[:200]
    return UnreachableError(
        f"the storage of {place} cannot be reached ({said}); check the network and the address of "
        "the server (AWS_ENDPOINT_URL for s3://), then run it again: it goes on"
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _try(act: Callable[[], T], place: str) -> T:
    """Do something with a storage; what may pass is tried again."""
    for left in reversed(range(TRIES)):
        try:
            return act()
        except Exception as error:
            found = explain(error, place)
            LOGGER.debug("%s did not answer as it should", shown(place), exc_info=True)
            if isinstance(found, (InputError, SettingsError)) or not left:
                raise found from error
            time.sleep(PAUSE_S * (TRIES - left))
    raise AssertionError("there is a last try")


def inspect(place: Place) -> FileState:
    """Return the state of a file."""
    if isinstance(place, Path):
        try:
            found = place.stat()
        except OSError as error:
            raise explain_failure(error, f"cannot read {place}") from error
        return FileState(found.st_size, str(found.st_mtime_ns))
    fs, path = _connect(place)
    try:
        info = _try(lambda: fs.info(path), place)
    except InputError:
        _look_for_bucket(fs, path, place)
        raise
    if info.get("type") == "directory":
        raise InputError(f"{place} is a folder; name its files, as {place.rstrip('/')}/*.warc.gz")
    marks = (info.get(name) for name in ("ETag", "etag", "LastModified", "mtime", "updated"))
    return FileState(int(info.get("size") or 0), next((str(mark) for mark in marks if mark), ""))


def _look_for_bucket(fs: Any, path: str, place: str) -> None:
    """Raise if it is not a file that is missing, but the whole bucket."""
    if place.partition("://")[0].lower() in EXTRAS:
        with suppress(InputError):
            _try(lambda: fs.ls(path.partition("/")[0], detail=False), place)


def inspect_all(places: Sequence[Place]) -> list[FileState | Failure]:
    """Return the states of files, in order; a `Failure` for each that is not there."""

    def look(place: Place) -> FileState | Failure:
        try:
            return inspect(place)
        except InputError as error:
            return Failure(str(place), "archive", str(error))

    if all(isinstance(place, Path) for place in places):
        return [look(place) for place in places]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(look, places))


def find(pattern: str) -> list[str]:
    """Return the addresses that a pattern with * stands for, in order."""
    fs, path = _connect(pattern)
    if pattern.lower().startswith(READ_ONLY):
        raise InputError(f"{pattern}: patterns do not work on the web; name files, or a list")
    found = _try(lambda: fs.glob(path), pattern)
    if not found:
        _look_for_bucket(fs, path, pattern)
    return sorted(str(fs.unstrip_protocol(each)) for each in found)


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder to work in; what killed processes left of theirs goes, too."""
    home = Path(tempfile.gettempdir())
    for old in home.glob(f"{OURS}[0-9]*-*"):
        pid = old.name.removeprefix(OURS).partition("-")[0]
        if pid.isdigit() and not is_running(int(pid)):
            shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{OURS}{os.getpid()}-") as folder:
        yield Path(folder)


@contextmanager
def fetching(place: Place, most: int = MAX_FILE) -> Iterator[Path]:
    """Give a file as one of this machine: itself, or a copy that goes afterwards."""
    if isinstance(place, Path):
        yield place
        return
    fs, path = _connect(place)
    with scratch() as folder:
        target = folder / (name_of(place) or "file")
        _try(lambda: _download(fs, path, target, most, place), place)
        yield target


def _download(fs: Any, path: str, target: Path, most: int, place: str) -> None:
    done = 0
    with fs.open(path, "rb", block_size=BLOCK) as source, target.open("wb") as file:
        size = getattr(source, "size", None)
        while data := source.read(BLOCK):
            done += len(data)
            if done > most:
                raise InputError(f"{place} is larger than {most:,} bytes")
            file.write(data)
    if size is not None and done != size:
        raise ConnectionError(f"{done:,} of {size:,} bytes came")


def bring(place: Place, folder: Path) -> Path:
    """Return a file as one of this machine, copied to a folder once, where it was elsewhere."""
    if isinstance(place, Path):
        return place
    # Files of two places may have one name.
    mark = hashlib.sha256(place.encode()).hexdigest()[:8]
    target = folder / f"{mark}-{name_of(place)}"
    state = inspect(place)
    if not target.exists() or target.stat().st_size != state.size:
        with fetching(place) as path, path.open("rb") as source, replacing(target) as file:
            shutil.copyfileobj(source, file, BLOCK)
    return target


def read_bytes(place: Place, most: int) -> bytes:
    """Return all of a file."""
    with fetching(place, most) as path:
        if path.stat().st_size > most:
            raise InputError(f"{place} is larger than {most:,} bytes")
        return path.read_bytes()


def read_range(place: str, offset: int, length: int) -> bytes:
    """Return some bytes of a file elsewhere."""
    fs, path = _connect(place)
    data: bytes = _try(lambda: fs.cat_file(path, start=offset, end=offset + length), place)
    if len(data) != length:
        raise InputError(f"{place} has changed, or its server gives no parts of files; copy it")
    return data


def exists(place: Place) -> bool:
    """Whether there is a file."""
    if isinstance(place, Path):
        return place.exists()
    fs, path = _connect(place)
    return bool(_try(lambda: _is_there(fs, path), place))


def _is_there(fs: Any, path: str) -> bool:
    with suppress(FileNotFoundError):
        fs.info(path)
        return True
    return False


def refuse_reading_only(place: Place) -> None:
    """Raise if nothing can be written at a place."""
    if isinstance(place, str) and place.lower().startswith(READ_ONLY):
        raise SettingsError(f"{place}: nothing can be written on the web; give s3://, gs:// …")


def write_bytes(place: Place, data: bytes) -> None:
    """Write a file, whole or not at all."""
    if isinstance(place, Path):
        with replacing(place) as file:
            file.write(data)
        return
    refuse_reading_only(place)
    fs, path = _connect(place)
    _try(lambda: fs.pipe_file(path, data), place)


def remove(place: Place) -> None:
    """Remove a file."""
    if isinstance(place, Path):
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            raise explain_failure(error, f"cannot remove {place}") from error
        return
    fs, path = _connect(place)
    _try(lambda: fs.rm_file(path), place)


def join(place: Place, name: str) -> Place:
    """Return a place within a folder."""
    return place / name if isinstance(place, Path) else f"{place.rstrip('/')}/{name}"


def upload(
    folder: Path, place: str, mark: str, beside: Mapping[str, bytes | None] | None = None
) -> int:
    """Make a folder elsewhere the same as one here; return how many files it was given.

    `mark` is the file that comes last; a folder that has others and not this one is not ours.
    `beside` are files that go first, by name, instead of those of that name here; one that is None
    stays as it is there.
    """
    refuse_reading_only(place)
    fs, path = _connect(place)
    path = path.rstrip("/")
    there = set(map(str, _try(lambda: fs.find(path), place)))
    if not there:
        _look_for_bucket(fs, path, place)
    if there and f"{path}/{mark}" not in there:
        raise SettingsError(f"{place} holds something else; give a new folder")
    files = (each for each in folder.rglob("*") if each.is_file())
    beside = beside or {}
    names = sorted({file.relative_to(folder).as_posix() for file in files} - beside.keys())
    given = {name: data for name, data in beside.items() if data is not None}
    for name, data in given.items():
        _try(partial(fs.pipe_file, f"{path}/{name}", data), place)
    for name in sorted(names, key=lambda name: (name == mark, name)):
        _try(partial(fs.put_file, str(folder / name), f"{path}/{name}"), place)
    for old in sorted(there - {f"{path}/{name}" for name in (*names, *beside)}):
        _try(partial(fs.rm_file, old), place)
    return len(names) + len(given)
