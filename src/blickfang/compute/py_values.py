"""Python's own values, made by kernels: texts, numbers, tuples, without a step of Python for each.

In: places in memory and addresses of values. Out: addresses of new values, which a kernel puts
into a list that Python has made. A page has a thousand of them; made one by one in Python they
cost more than reading the page. These are functions of Python's C interface, by their names in the
running process. docs/design.md, "Kernels".
"""

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from blickfang.compute.kernels import LEAN, Integer, inlined

P = ParamSpec("P")
R = TypeVar("R")

Addresses = NDArray[np.int64]


def making(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that makes values of Python: it keeps the interpreter lock."""
    kernel: Callable[P, R] = numba.njit(**{**LEAN, "nogil": False})(function)
    return kernel


def _name(function: str, *given: Any, gives: Any = types.intp) -> Any:
    """Return a function of Python's C interface; an address is a number as large as one."""
    return types.ExternalFunction(function, gives(*given))


_decode = _name("PyUnicode_DecodeUTF8", types.intp, types.intp, types.intp)
_allocate = _name("PyType_GenericAlloc", types.intp, types.intp)
_new_tuple = _name("PyTuple_New", types.intp)
_to_int = _name("PyLong_FromSsize_t", types.intp)
_put_in_list = _name("PyList_SetItem", types.intp, types.intp, types.intp, gives=types.int32)
_get_of_list = _name("PyList_GetItem", types.intp, types.intp)
_to_bytes = _name("PyBytes_FromStringAndSize", types.intp, types.intp)
_find_utf8 = _name("PyUnicode_AsUTF8AndSize", types.intp, types.intp)
_copy = _name("memcpy", types.intp, types.intp, types.intp)
_spare = _name("PyObject_GC_UnTrack", types.intp, gives=types.void)
_keep = _name("Py_IncRef", types.intp, gives=types.void)
_drop = _name("Py_DecRef", types.intp, gives=types.void)
_set = _name("PyObject_SetAttr", types.intp, types.intp, types.intp, gives=types.int32)

FIRST, WIDTH = tuple.__basicsize__, np.dtype(np.intp).itemsize  # where values of a tuple stand
# Between its head (that of any object, and a size) and its values a tuple of Python 3.14 keeps its
# hash, -1 before somebody asks for it. New memory says 0: then all would have that hash.
HASH_AT = object.__basicsize__ + WIDTH
KEEPS_HASH = FIRST > HASH_AT
NO_HASH = -1
REPLACING = np.frombuffer(b"replace\0", np.uint8)  # how a text is read that is no UTF-8


def _emit_write(_: Any, _place: Any, _value: Any) -> Any:
    def emit(context: Any, builder: Any, _: Any, given: Any) -> Any:
        builder.store(given[1], builder.inttoptr(given[0], ir.PointerType(given[1].type)))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), emit


_write: Any = intrinsic(_emit_write)  # an address to a place in memory


@inlined
def make_text(start: Integer, size: Integer) -> Integer:
    """Return the text that stands in memory as UTF-8."""
    return _decode(start, size, REPLACING.ctypes.data)  # type: ignore[no-any-return]


@inlined
def make_bytes(start: Integer, size: Integer) -> Integer:
    """Return some bytes of memory."""
    return _to_bytes(start, size)  # type: ignore[no-any-return]


@inlined
def read_text(text: Integer, size: Addresses, room: NDArray[np.uint8]) -> Integer:
    """Write a text as UTF-8 into some room; return its size, -1 where it does not fit.

    `size` is where Python writes a number for us.
    """
    start = _find_utf8(text, size.ctypes.data)
    if start == 0 or size[0] > len(room):
        return -1
    _copy(room.ctypes.data, start, size[0])
    return np.int64(size[0])


@inlined
def put(row: Integer, place: Integer, value: Integer) -> None:
    """Put a new value into a new tuple, where nothing stands yet.

    Python's own function would ask whether that is so: a page has more than a thousand of them.
    """
    _write(row + FIRST + WIDTH * place, value)


@inlined
def share(row: Integer, place: Integer, value: Integer) -> None:
    """Put a value into a new tuple that others have, too."""
    _keep(value)
    put(row, place, value)


@inlined
def make_number(number: Integer) -> Integer:
    """Return a number."""
    return _to_int(number)  # type: ignore[no-any-return]


@inlined
def make_pair(first: Integer, second: Integer) -> Integer:
    """Return a tuple of two numbers."""
    pair = _new_tuple(2)
    put(pair, 0, _to_int(first))
    put(pair, 1, _to_int(second))
    _spare(pair)
    return pair  # type: ignore[no-any-return]


@inlined
def make_tuple(size: Integer) -> Integer:
    """Return a tuple with room for so many values, which must all be put in."""
    return _new_tuple(size)  # type: ignore[no-any-return]


@inlined
def make_row(kind: Integer, size: Integer) -> Integer:
    """Return a named tuple with room for its values, which must all be put in."""
    row = _allocate(kind, size)
    if KEEPS_HASH:
        _write(row + HASH_AT, np.int64(NO_HASH))
    return row  # type: ignore[no-any-return]


@inlined
def make_holder(kind: Integer, name: Integer, value: Integer) -> Integer:
    """Return an object that holds a new value by a name, without its `__init__`."""
    holder = _allocate(kind, 0)
    _set(holder, name, value)
    _drop(value)
    return holder  # type: ignore[no-any-return]


@inlined
def spare(row: Integer) -> None:
    """Keep Python's collector from looking at a tuple again and again: no cycle can go through it.

    Only for what is complete, and holds nothing but texts, numbers and tuples of these.
    """
    _spare(row)


@inlined
def put_in_list(found: Integer, place: Integer, value: Integer) -> None:
    """Put a new value into a list, in the place of another."""
    _put_in_list(found, place, value)


@inlined
def share_in_list(found: Integer, place: Integer, value: Integer) -> None:
    """Put a value that others have, too, into a list, in the place of another."""
    _keep(value)
    _put_in_list(found, place, value)


@inlined
def look_up(found: Integer, place: Integer) -> Integer:
    """Return the value at a place of a list; it stays there."""
    return _get_of_list(found, place)  # type: ignore[no-any-return]


def addresses_of(values: Sequence[object]) -> Addresses:
    """Return where values lie; whoever asks must keep them as long as the addresses."""
    return np.array([id(value) for value in values], np.int64)
