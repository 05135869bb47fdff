"""Where archives come from: the crawl of a collection, files, addresses, lists of them.

In: what settings or a command name: paths, globs, s3:// and the like, lists as Common Crawl gives
them (`warc.paths.gz`). Out: places, each once, in a fixed order. Only what the user names is
fetched: a list from elsewhere cannot lead to other hosts or to files of this machine.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from blickfang.config import Collection
from blickfang.errors import InputError, SettingsError
from blickfang.io import storage
from blickfang.io.atomic_files import show_name
from blickfang.io.source_files import list_crawled, match_names
from blickfang.io.storage import Place

LISTS = (".paths", ".paths.gz", ".txt", ".txt.gz")
MAX_LIST = 2**28  # bytes, unpacked: Common Crawl's have about 15 million
GZIP = b"\x1f\x8b"


class Supply(NamedTuple):
    """What a command names."""

    names: tuple[str, ...] = ()  # none: what the collection has
    prefix: str = ""  # stands before the entries of lists
    limit: int = 0  # so many archives at most; 0: all


ALL = Supply()


def list_archives(collection: Collection, supply: Supply = ALL) -> list[Place]:
    """Return the archives to build from: those named, else those of the collection."""
    if supply.names:
        return _resolve(list_places(supply))
    found: list[Place] = [*list_crawled(collection.crawl_folder)]
    for pattern in collection.settings.build.archives:
        found += expand(pattern, collection.root, supply.prefix, " in archives of [build]")
    if not found:
        raise InputError(
            f"nothing is archived in {collection.root}; run `blickfang crawl`, or name WARC files "
            "in archives of [build]"
        )
    return _resolve(found)[: supply.limit or None]


def list_places(supply: Supply) -> list[Place]:
    """Return the archives that a command names."""
    found = [place for name in supply.names for place in expand(name, Path(), supply.prefix)]
    return list(dict.fromkeys(found))[: supply.limit or None]


def tell_apart(places: Sequence[Place]) -> dict[Place, str]:
    """Return for each archive its name, with as much of its path as no other one has.

    >>> list(tell_apart([Path("/data/d1/x.gz"), Path("/data/d2/x.gz"), Path("/y.gz")]).values())
    ['d1/x.gz', 'd2/x.gz', 'y.gz']
    """
    parts = {place: _split(place) for place in places}
    depths = dict.fromkeys(places, 1)
    while True:
        names = {place: show_name("/".join(parts[place][-depths[place] :])) for place in places}
        counts = Counter(names.values())
        deeper = [p for p in depths if counts[names[p]] > 1 and depths[p] < len(parts[p])]
        if not deeper:
            return names
        for place in deeper:
            depths[place] += 1


def _split(place: Place) -> list[str]:
    """Return the folders and the name of an archive, from the root of its disk or its host on."""
    if isinstance(place, Path):
        return list(place.parts[1:] if place.is_absolute() else place.parts)
    begin, _, path = place.partition("://")
    host, *folders = path.split("/")
    return [f"{begin}://{host}", *folders]


def find_archives(collection: Collection) -> list[Path]:
    """Return the archive files of a collection that are on this machine."""
    found = [place for place in list_archives(collection) if isinstance(place, Path)]
    if not found:
        raise InputError(f"no archive of {collection.root} is on this machine; copy those you need")
    return found


def _resolve(found: Sequence[Place]) -> list[Place]:
    """Return each archive once, also those with two names."""
    places = (each.resolve() if isinstance(each, Path) else each for each in found)
    return list(dict.fromkeys(places))


def expand(name: str, home: Path, prefix: str = "", where: str = "") -> list[Place]:
    """Return the archives that one name stands for; paths are relative to `home`."""
    if storage.is_remote(name):
        if name.lower().endswith(LISTS):
            return read_list(name, prefix)
        found: list[Place] = list(storage.find(name)) if "*" in name else [name]
        if not found:
            raise InputError(f"{name}{where} fits no file")
        return found
    matches = match_names(name, home)
    found_files = list(filter(Path.is_file, matches))
    if not found_files:
        hint = "; name its files, as x/*.warc.gz" if any(map(Path.is_dir, matches)) else ""
        what = "matches nothing" if "*" in name else "is no file"
        raise InputError(f"{name}{where} {what}{hint}")
    files: list[Place] = []
    for path in found_files:
        files += read_list(path, prefix) if path.name.lower().endswith(LISTS) else [path]
    return files


def read_list(place: Place, prefix: str = "") -> list[Place]:
    """Return the archives that a list names, an entry a line."""
    data = storage.read_bytes(place, MAX_LIST)
    if data.startswith(GZIP):
        unpacker = zlib.decompressobj(31)
        try:
            data = unpacker.decompress(data, MAX_LIST)
        except zlib.error as error:
            raise InputError(f"{place} is damaged: {error}") from error
        if not unpacker.eof:
            raise InputError(f"{place} is cut, or larger than {MAX_LIST:,} bytes unpacked")
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    entries = [line for line in lines if line and not line.startswith("#")]
    if not entries:
        raise InputError(f"{place} names no archives")
    return [resolve_entry(entry, place, prefix) for entry in entries]


def resolve_entry(entry: str, place: Place, prefix: str = "") -> Place:
    """Return the archive that an entry of a list means.

    >>> resolve_entry("crawl-data/a.warc.gz", "https://data.test/crawl-data/warc.paths.gz")
    'https://data.test/crawl-data/a.warc.gz'
    >>> resolve_entry("crawl-data/a.warc.gz", Path("lists/warc.paths.gz"), "s3://commoncrawl/")
    's3://commoncrawl/crawl-data/a.warc.gz'
    """
    begin = prefix or _beginning(place)
    if storage.is_remote(entry) or Path(entry).is_absolute():
        # The user's own list may name anything, one from elsewhere nothing but what is beside it.
        if isinstance(place, str) and not entry.startswith(begin.rstrip("/") + "/"):
            raise SettingsError(
                f"{place} names {entry[:200]}, which is elsewhere; if you trust it, copy the list"
            )
        return storage.as_place(entry)
    if ".." in entry.split("/"):
        raise InputError(f"{place} names {entry[:200]}, which leads out of its folder")
    return storage.as_place(f"{begin.rstrip('/')}/{entry}" if begin else entry)


def _beginning(place: Place) -> str:
    """Return what the entries of a list are relative to: its host or bucket, else its folder."""
    if isinstance(place, Path):
        return str(place.parent)
    parts = urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}/"
