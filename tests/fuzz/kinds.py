"""The value that travels in the kit: a target, and a place for inputs that must be files."""

import atexit
import gzip
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
GOLD = ROOT.parent / "shared"  # where the gold data is at hand; read, never copied
GOLDEN = ROOT / "tests" / "golden"
LARGEST = 5_000_000  # bytes of an input
MUTATION, COVERAGE = "mutation", "coverage"


class Target(NamedTuple):
    """Something that reads bytes: allowed are values, and errors that say what to do."""

    name: str
    call: Callable[[bytes], object]  # its result is hashable: what is new is worth keeping
    seeds: Callable[[], Iterable[bytes]]
    tokens: tuple[bytes, ...] = ()
    engine: str = MUTATION  # of `make fuzz`; coverage where the work is done by Python we can see
    longest: int = 20_000  # bytes of most inputs
    grown: int = 500  # one input in so many is grown to megabytes
    seconds: float = 1.0  # what an input may take
    most: int = LARGEST  # bytes of a grown input
    sees: tuple[str, ...] = ()  # modules in which coverage is measured


def spread(number: int) -> int:
    """Return a count as its order of magnitude, so that outcomes can be told apart."""
    return number.bit_length()


@cache
def folder() -> Path:
    """Return a folder of this process, in memory where there is such a place."""
    shared = Path("/dev/shm")  # noqa: S108 - only a faster place for the same
    place = shared if os.access(shared, os.W_OK) else None
    made = Path(tempfile.mkdtemp(prefix="blickfang-fuzz-", dir=place))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def written(data: bytes, name: str) -> Path:
    """Return a file with these bytes; the next one of that name replaces it."""
    path = folder() / name
    path.write_bytes(data)
    return path


def text_of(data: bytes) -> str:
    """Return bytes as a text in which anything may stand, lone surrogates too."""
    return data.decode("utf-8", "surrogateescape")


def gold_pages(most: int = 60, longest: int = 60_000) -> Iterator[bytes]:
    """Give some of the gold pages: small ones of all sets, always the same."""
    for name in ("context-gold", "records-gold", "text-gold"):
        paths = sorted((GOLD / name).rglob("*.html.gz")) if GOLD.is_dir() else []
        for path in paths[:: max(1, len(paths) // most)][:most]:
            page = gzip.decompress(path.read_bytes())
            if len(page) <= longest:
                yield page
