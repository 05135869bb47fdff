"""How the guard's kernels are compiled: they make no arrays and so count no references to them.

In: a function over numbers and arrays. Out: the same, compiled. Small functions called for every
tag are what the guard consists of; with the usual counting at every call it takes three times as
long. See blickfang.compiled.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from blickfang.compiled import CACHED

P = ParamSpec("P")
R = TypeVar("R")

OPTIONS: dict[str, Any] = {"cache": CACHED, "nogil": True, "error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}  # half of the time to compile them


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls."""
    kernel: Callable[P, R] = numba.njit(**OPTIONS)(function)
    return kernel


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call."""
    kernel: Callable[P, R] = numba.njit(**OPTIONS, **INNER)(function)
    return kernel


def hot(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that shall become a part of the kernels that call it."""
    kernel: Callable[P, R] = numba.njit(**OPTIONS, **INNER, forceinline=True)(function)
    return kernel
