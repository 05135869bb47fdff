"""The one way kernels are compiled: by numba, once, kept on disk.

In: a plain Python function over numbers and arrays. Out: the same function, compiled on first
use; later starts load it. See docs/design.md, "Kernels".
"""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np

Integer: TypeAlias = int | np.int64  # one and the same in a kernel
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=tuple[Any, ...])
Plain: TypeAlias = tuple[Any, ...]  # what a kernel gives its names itself; see `unnamed`

STALE_S = 7 * 24 * 3600
IMPORT = re.compile(rb"^from blickfang\.([\w.]+) import", re.MULTILINE)


def _choose_cache() -> bool:
    """Keep compiled kernels in the user's cache, under a fingerprint of their sources.

    Returns False where nothing can be kept: then every run compiles anew.

    By itself numba only notices a change of a kernel's own file, not of what it calls or of a
    constant in another one: it would go on with old machine code.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return True
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for source in find_sources(package):
        digest.update(source)
    try:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "blickfang"
        chosen = caches / f"kernels-{digest.hexdigest()[:16]}"
        if not chosen.exists():
            chosen.mkdir(parents=True, exist_ok=True)
            for other in caches.glob("kernels-*"):
                if time.time() - other.stat().st_mtime > STALE_S:
                    shutil.rmtree(other, ignore_errors=True)
    except (OSError, RuntimeError):  # not writable, or no home at all
        return os.access(package, os.W_OK)  # numba keeps them beside the sources
    numba.config.CACHE_DIR = str(chosen)  # type: ignore[attr-defined]
    return os.access(chosen, os.W_OK)


def find_sources(package: Path) -> list[bytes]:
    """Return the sources of all kernels, and of the modules that they take constants from."""
    sources = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    kernels = {path for path, source in sources.items() if b"blickfang.compute.kernels" in source}
    imported = {
        package / f"{name.decode().replace('.', '/')}.py"
        for path in kernels
        for name in IMPORT.findall(sources[path])
    }
    return [source for path, source in sources.items() if path in kernels | imported]


CACHED = _choose_cache()


SETTINGS: dict[str, Any] = {"cache": CACHED, "nogil": True, "error_model": "numpy"}
LEAN: dict[str, Any] = {**SETTINGS, "_nrt": False}  # arrays that are not made need no counting
# Without a word of it, who is called by an inlined function is inlined, too: then the kernel that
# guards pages was one function of 360 kB, and all took a third longer to compile.
INNER: dict[str, Any] = {
    **LEAN,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "forceinline": False,
}


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel without bounds checks, and release the interpreter lock while it runs."""
    kernel: Callable[P, R] = numba.njit(**SETTINGS)(function)
    return kernel


def filling(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that makes no arrays, only fills those it is given.

    Then nobody needs to count who uses them: with a dozen arrays in a tuple, counting
    took two thirds of the time of scanning a page.
    """
    kernel: Callable[P, R] = numba.njit(**LEAN)(function)
    return kernel


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of the filling kind that only kernels call, in half the time.

    Python must not call it: that would end the process.
    """
    kernel: Callable[P, R] = numba.njit(**INNER)(function)
    return kernel


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of the inner kind that LLVM shall put into the loops that call it."""
    kernel: Callable[P, R] = numba.njit(**{**INNER, "forceinline": True})(function)
    return kernel


# A named tuple as a plain one. Of each that it is given numba asks for the name of its class and of
# all its fields, at every call: that took as long as all other work of calling a kernel. So those
# that are called for every page are given plain ones, and give them their names themselves.
unnamed = cast(Callable[[T], T], itemgetter(slice(None)))


def unnamed_all(named: T) -> T:
    """Return a named tuple and all those in it as plain ones."""
    parts = (unnamed_all(part) if isinstance(part, tuple) else part for part in named)
    return cast(T, tuple(parts))
