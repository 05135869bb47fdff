"""Where Python keeps the characters of texts, so that kernels read them there.

In: texts. Out: for each the place of its characters in memory, and how they are to be read: as they
lie, if each of them does to the hash of a word what char_table.py says; else encoded.
"""

import ctypes
from sys import getsizeof
from typing import Any, NamedTuple

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from blickfang.compute.kernels import compiled, inlined
from blickfang.text.char_table import HARD, U0, U1, Units
from blickfang.text.words import Hashes

LOOK = 32  # characters that are looked at together
WIDE = np.uint8(0x80)
ENCODED, NARROW, DOUBLE = 0, 1, 2  # a text in UTF-8; bytes a character of one that is read as it is
SPREAD = 4  # beside these: some letters of it are several steps


class TextAddresses(NamedTuple):
    """Where each text lies in memory, NUL behind it; how many units it has; how wide they are."""

    addresses: Hashes
    sizes: Hashes
    widths: Hashes


# Where CPython keeps bytes, and what it has in front of the characters of a text.
find_bytes = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object)(
    ("PyBytes_AsString", ctypes.pythonapi)
)
SIZE_AT, STATE_AT = np.uint64(16), np.uint64(32)
WIDTH_SHIFT, TOGETHER, ASCII = 2, 1 << 5, 1 << 6  # in the state; together: nothing lies elsewhere
ASCII_AT, OTHERS_AT = np.uint64(getsizeof("") - 1), np.uint64(getsizeof("\xbb") - 2)


def _check_layout() -> bool:
    """Whether this Python keeps texts as 3.11 to 3.13 do; if not, all of them are encoded."""
    for text, codec, width in (
        ("ab", "ascii", 1),
        ("\xbb", "latin-1", 1),
        ("\u2014", "utf-16-le", 2),
    ):
        state = ctypes.c_uint32.from_address(id(text) + int(STATE_AT)).value
        begin = id(text) + int(ASCII_AT if state & ASCII else OTHERS_AT)
        if state >> WIDTH_SHIFT & 7 != width or not state & TOGETHER:
            return False
        if ctypes.string_at(begin, width * len(text)) != text.encode(codec):
            return False
    return True


IN_PLACE = _check_layout()


def _type_pointer(_: Any, address: Any) -> Any:
    """Make a number a place in memory: what numba asks for to compile that."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(address), generate


point_to: Any = intrinsic(_type_pointer)


@inlined
def find_wide(data: Units, i: np.uint64, end: np.uint64) -> np.uint64:
    """Return the first place that is not ASCII, or the end."""
    while i + np.uint64(LOOK) <= end:
        seen = np.uint8(0)
        for j in range(LOOK):
            seen |= data[i + np.uint64(j)]
        if seen >= WIDE:
            break
        i += np.uint64(LOOK)
    while i < end and data[i] < WIDE:
        i += U1
    return i


@inlined
def judge(data: Units, end: np.uint64, letters: Hashes) -> np.uint64:
    """Return 1 if each character of a text is one step of a hash or ends it, SPREAD if several."""
    found = U1
    i = U0
    while i < end:
        i = find_wide(data, i, end)
        for k in range(i, min(i + np.uint64(LOOK), end)):
            letter = letters[data[k]]
            if letter == HARD:
                return U0
            if letter > HARD:
                found = np.uint64(SPREAD)
        i += np.uint64(LOOK)
    return found


@compiled
def locate(objects: Hashes, letters: Hashes, given: TextAddresses) -> None:
    """Write down where Python keeps the characters of texts, and which are to be encoded."""
    for t in range(len(objects)):
        state = carray(point_to(objects[t] + STATE_AT), 1, np.uint32)[0]
        end = carray(point_to(objects[t] + SIZE_AT), 1, np.uint64)[0]
        width = np.uint64(state >> WIDTH_SHIFT & 7)
        at = objects[t] + (ASCII_AT if state & ASCII else OTHERS_AT)
        found = U0  # so it stays, if its characters lie elsewhere or are of four bytes
        if state & TOGETHER and state & ASCII:
            found = U1
        elif state & TOGETHER and width == NARROW:
            found = judge(carray(point_to(at), end + U1, np.uint8), end, letters)
        elif state & TOGETHER and width == DOUBLE:
            found = judge(carray(point_to(at), end + U1, np.uint16), end, letters)
        given.addresses[t] = at
        given.sizes[t] = end
        given.widths[t] = width | (found & np.uint64(SPREAD)) if found else np.uint64(ENCODED)
