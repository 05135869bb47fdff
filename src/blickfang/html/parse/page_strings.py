"""Texts and values of a page, made by kernels from where they stand in it.

In: ranges in the text of a page, or in its canonical HTML. Out: the texts as people read them:
trimmed, without the marks of tags between letters; values with their entities as characters.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, unnamed
from blickfang.compute.py_values import make_text, making, put_in_list
from blickfang.io.urls import MAX_LENGTH

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

CUT = 0x01  # stands in the text where only a tag parts letters
AMPERSAND, BLANK, NEW_LINE, NO_BREAK = ord("&"), ord(" "), ord("\n"), 0xA0
AMP, QUOT, NBSP, LT, GT = (  # all that the parser writes
    np.frombuffer(f"&{name};".encode(), np.uint8) for name in ("amp", "quot", "nbsp", "lt", "gt")
)


class PageStrings(NamedTuple):
    """The bytes of a page as kernels read them."""

    data: Bytes  # the canonical HTML
    text: Bytes  # the visible text
    room: Bytes  # to put texts together in
    has_cuts: bool  # of the text


SCRATCH_BYTES = 2**20  # room kept for pages of this size, touched as needed
_scratch = threading.local()


def make_letters(data: bytes, text: bytes) -> PageStrings:
    """Return the bytes of a page as kernels read them."""
    room = _make_room(len(data) + 2 * MAX_LENGTH)
    return PageStrings(
        np.frombuffer(data, np.uint8), np.frombuffer(text, np.uint8), room, b"\x01" in text
    )


def _make_room(size: int) -> Bytes:
    """Return room to put texts together in: this thread's own, as no text stays there."""
    room: Bytes | None = getattr(_scratch, "room", None)
    if room is None or len(room) < size:
        room = np.empty(max(size, SCRATCH_BYTES), np.uint8)
        if size <= SCRATCH_BYTES:
            _scratch.room = room
    return room[:size]  # just as much, whatever was read before: texts in pieces may fill it


@inlined
def measure_white(text: Bytes, i: Integer, end: Integer) -> Integer:
    """Return how many bytes a sign of white space beyond ASCII takes, 0 if it is none."""
    if end - i < 2:
        return 0
    first, second = text[np.uint64(i)], text[np.uint64(i + 1)]
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if end - i < 3:
        return 0
    third = text[np.uint64(i + 2)]
    if first == 0xE2:
        spaces = second == 0x80 and (third <= 0x8A or third == 0xA8 or third == 0xA9)
        narrow = (second == 0x80 and third == 0xAF) or (second == 0x81 and third == 0x9F)
        return 3 if spaces or narrow else 0
    ogham = first == 0xE1 and second == 0x9A and third == 0x80
    return 3 if ogham or (first == 0xE3 and second == 0x80 and third == 0x80) else 0


@inlined
def is_plain_white(byte: Integer) -> bool:
    """Whether a byte is white space to Python, or the mark of a tag, which is no letter either."""
    return bool(byte == 0x20 or 0x09 <= byte <= 0x0D or 0x1C <= byte <= 0x1F or byte == CUT)


@inlined
def trim(text: Bytes, start: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return a range without white space at its ends."""
    while start < end:
        byte = np.int64(text[np.uint64(start)])
        size = 1 if is_plain_white(byte) else measure_white(text, start, end) if byte > 0x7F else 0
        if size == 0:
            break
        start += size
    while start < end:
        byte = np.int64(text[np.uint64(end - 1)])
        size = 1 if is_plain_white(byte) else 0
        if byte > 0x7F:
            for wide in range(2, 4):
                if (
                    size == 0
                    and end - start >= wide
                    and measure_white(text, end - wide, end) == wide
                ):
                    size = wide
        if size == 0:
            break
        end -= size
    return start, end


@inlined
def make_slice(letters: PageStrings, start: Integer, end: Integer) -> Integer:
    """Return a piece of the page's text as people read it."""
    text, room = letters.text, letters.room
    start, end = trim(text, start, end)
    if letters.has_cuts:
        size = 0
        for i in range(start, end):
            byte = text[np.uint64(i)]
            room[np.uint64(size)] = byte
            size += int(byte != CUT)
        return make_text(room.ctypes.data, size)
    return make_text(text.ctypes.data + start, end - start)


@inlined
def begins_with(data: Bytes, i: Integer, wanted: Bytes) -> bool:
    """Whether some bytes stand at a place."""
    k = 0
    while k < len(wanted) and data[np.uint64(i + k)] == wanted[np.uint64(k)]:
        k += 1
    return bool(k == len(wanted))


@inlined
def make_line(letters: PageStrings, start: Integer, end: Integer) -> Integer:
    """Return a piece of the page's text in one line."""
    text, room = letters.text, letters.room
    start, end = trim(text, start, end)
    size = 0
    for i in range(start, end):
        byte = text[np.uint64(i)]
        room[np.uint64(size)] = BLANK if byte == NEW_LINE else byte
        size += int(byte != CUT)
    return make_text(room.ctypes.data, size)


@inlined
def read_entity(data: Bytes, i: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return the character and the size of an entity of canonical HTML; an & alone is one, too."""
    if end - i >= len(AMP) and begins_with(data, i, AMP):
        return AMPERSAND, len(AMP)
    if end - i >= len(QUOT) and begins_with(data, i, QUOT):
        return ord('"'), len(QUOT)
    if end - i >= len(NBSP) and begins_with(data, i, NBSP):
        return NO_BREAK, len(NBSP)
    if end - i >= len(LT) and begins_with(data, i, LT):
        return ord("<"), len(LT)
    if end - i >= len(GT) and begins_with(data, i, GT):
        return ord(">"), len(GT)
    return AMPERSAND, 1


@inlined
def copy_value(data: Bytes, start: Integer, end: Integer, room: Bytes) -> Integer:
    """Write down a value as it was meant; return its size."""
    size = 0
    i = start
    while i < end:
        byte = data[np.uint64(i)]
        if byte != AMPERSAND:
            room[np.uint64(size)] = byte
            size += 1
            i += 1
            continue
        sign, step = read_entity(data, i, end)
        if sign == NO_BREAK:
            room[np.uint64(size)] = 0xC2
            size += 1
        room[np.uint64(size)] = sign
        size += 1
        i += step
    return size


@inlined
def make_tidy(letters: PageStrings, start: Integer, end: Integer) -> Integer:
    """Return a value as it was meant, its white space made single blanks."""
    room = letters.room
    size = copy_value(letters.data, start, end, room)
    kept = 0
    i: Integer = 0
    gap = False
    while i < size:
        byte = np.int64(room[np.uint64(i)])
        white: Integer = 1 if byte != CUT and is_plain_white(byte) else 0
        if byte > 0x7F:
            white = measure_white(room, i, size)
        if white:
            gap = kept > 0
            i += white
            continue
        if gap:
            room[np.uint64(kept)] = BLANK
            kept += 1
            gap = False
        room[np.uint64(kept)] = byte
        kept += 1
        i += 1
    return make_text(room.ctypes.data, kept)


@inlined
def make_value(letters: PageStrings, start: Integer, end: Integer) -> Integer:
    """Return a value of the canonical HTML as it was meant."""
    data = letters.data
    for i in range(start, end):
        if data[np.uint64(i)] == AMPERSAND:
            size = copy_value(data, start, end, letters.room)
            return make_text(letters.room.ctypes.data, size)
    return make_text(data.ctypes.data + start, end - start)


@making
def _make_slices(letters: PageStrings, starts: Ints, ends: Ints, found: int) -> None:
    letters = PageStrings(*letters)
    for k in range(len(starts)):
        put_in_list(found, k, make_slice(letters, starts[k], ends[k]))


def slices_of(letters: PageStrings, starts: Ints, ends: Ints) -> list[str]:
    """Return many pieces of the page's text."""
    found = [""] * len(starts)
    if found:
        _make_slices(unnamed(letters), starts, ends, id(found))
    return found


@making
def _make_lines(letters: PageStrings, nodes: Ints, end: Ints, offset: Ints, found: int) -> None:
    letters = PageStrings(*letters)
    for k in range(len(nodes)):
        start, stop = offset[nodes[k]], offset[end[nodes[k]]]
        put_in_list(found, k, make_line(letters, start, stop))


def lines_of(letters: PageStrings, nodes: Ints, end: Ints, offset: Ints) -> list[str]:
    """Return the texts of some nodes, each in one line, given where nodes end and stand."""
    found = [""] * len(nodes)
    if found:
        _make_lines(unnamed(letters), nodes, end, offset, id(found))
    return found


@making
def _make_tidy(letters: PageStrings, starts: Ints, ends: Ints, found: int) -> None:
    letters = PageStrings(*letters)
    for k in range(len(starts)):
        put_in_list(found, k, make_tidy(letters, starts[k], ends[k]))


def tidy_of(letters: PageStrings, starts: Ints, ends: Ints) -> list[str]:
    """Return values as `values_of` does, their white space made single blanks."""
    found = [""] * len(starts)
    if found:
        _make_tidy(unnamed(letters), starts, ends, id(found))
    return found


@making
def _make_values(letters: PageStrings, starts: Ints, ends: Ints, found: int) -> None:
    letters = PageStrings(*letters)
    for k in range(len(starts)):
        put_in_list(found, k, make_value(letters, starts[k], ends[k]))


def values_of(letters: PageStrings, starts: Ints, ends: Ints) -> list[str]:
    """Return the values that stand at some places of the canonical HTML."""
    found = [""] * len(starts)
    if found:
        _make_values(unnamed(letters), starts, ends, id(found))
    return found
