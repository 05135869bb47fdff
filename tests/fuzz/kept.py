"""The inputs that once did harm: written small, read back by target.

In: an input. Out: a file under `regressions/`, packed where it is long: such inputs repeat a piece.
"""

import hashlib
import lzma
from collections.abc import Iterator
from pathlib import Path

KEPT = Path(__file__).parent / "regressions"
LONG = 2000  # bytes


def keep(target: str, data: bytes) -> Path:
    """Write an input to the kept ones."""
    folder = KEPT / target
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(data).hexdigest()[:16]
    path = folder / (f"{name}.xz" if len(data) > LONG else name)
    path.write_bytes(lzma.compress(data, preset=9) if len(data) > LONG else data)
    return path


def read(path: Path) -> bytes:
    """Return a kept input."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def kept(target: str) -> Iterator[Path]:
    """Give the kept inputs of a target."""
    yield from sorted(path for path in (KEPT / target).glob("*") if path.is_file())
