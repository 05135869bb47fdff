"""The one way kernels are compiled: by numba, once, kept on disk beside the source.

In: a plain Python function over numbers and arrays. Out: the same function, compiled on first
use. The cache makes later starts load it in milliseconds; see docs/design.md, "Kernels".
"""

from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar

import numba
import numpy as np

Integer: TypeAlias = int | np.int64  # one and the same in a kernel
P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel without bounds checks, and release the interpreter lock while it runs."""
    kernel: Callable[P, R] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return kernel


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that LLVM shall put into the loop of the kernel that calls it."""
    kernel: Callable[P, R] = numba.njit(
        cache=True, nogil=True, error_model="numpy", forceinline=True
    )(function)
    return kernel
