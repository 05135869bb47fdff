"""The limits of the guard: what a page may have of everything, and a list of what to cut.

In: counts of tags, attributes, names and options as a pass over a page meets them, in a kernel.
Out: whether one is too many, the ranges to cut, and notes for the user.
"""

import threading

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import tag_classes, tokenizer
from blickfang.html.guard.open_elements import FREE, KNOWN_AT, ROOM, SELECT_TAG, TAG_AT, find
from blickfang.html.guard.tree_construction import OPTION_TAG

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

MAX_STARTS = 200_000
MAX_ATTRIBUTES = 128
MAX_VALUE = 64 * 1024
MAX_TAG = 1024 * 1024
MAX_NAME = 1024
MAX_ROOTS = 32  # html, head and body tags: each merges its attributes with those before
MAX_OPTIONS = 2_000
MAX_OPTION_WORK = 20_000_000  # nodes that the parser walks, all in all, to find selected options
MAX_TAILS = 64  # comments behind the body; a page with more is left to the parser
MAX_STRAYS = 50_000  # < that begins no tag: each is a token of its own
FREE_NAMES = 20_000  # attributes and unknown tags that need not be told apart
MAX_NAMES = 4_096  # different names among those beyond: the parser keeps them in short tables

NOTES_OF = (
    "nesting deeper than 256 was flattened",
    "open formatting tags beyond 24 were cut",
    "start tags beyond 200,000 were cut",
    "attributes beyond 128 in a tag were cut",
    "attribute values longer than 64 kB were cut",
    "html, head and body tags beyond 32 were cut",
    "options beyond 2,000 in a select were cut",
    "names longer than 1 kB were cut",
    "different names of tags and attributes beyond 4,096 were cut",
    "single < beyond 50,000 were cut",
    "tags were cut where formatting would have been repeated too often",
)
DEEP, FORMATTING_CUT, TOO_MANY, ATTRIBUTES_CUT, VALUES_CUT = range(5)
ROOTS_CUT, OPTIONS_CUT, NAMES_CUT, DIFFERENT_CUT, STRAYS_CUT, REPEATED = range(5, 11)

# Places in the room of open_elements.py, behind its own; where there are several, the first.
CUTS, STARTS, NOTES, ATTRIBUTES, NAMES, ROOTS, OPTIONS, NODES = range(FREE, FREE + 8)
OPTION_WORK, FLAT, UNKNOWNS, NO_DOCTYPE, STRAYS = range(FREE + 8, FREE + 13)
PLAIN_BEGIN, PLAIN = range(FREE + 13, FREE + 15)  # <plaintext>, which makes text of all behind it
# Of the canonical HTML (canonical_writer.py): bytes written, whether the parser must do it, how far
# it is.
OUT, MESSY, STAGE, AFTER, BEGUN, SKIP, WRITTEN, TAILS = range(FREE + 16, FREE + 24)
OWED_ROOM, NAMES_ROOM = 1024, 2 * MAX_NAMES
OWED_AT = FREE + 32  # end tags to cut, by tag
NAMES_AT = OWED_AT + OWED_ROOM  # a hash table
WRITTEN_AT = NAMES_AT + NAMES_ROOM
WRITTEN_SERIAL_AT, WRITTEN_NAME_AT, WRITTEN_END_AT = (WRITTEN_AT + ROOM * k for k in range(3))
TAIL_AT = WRITTEN_AT + 3 * ROOM  # comments behind the body: begin, end, behind what
NAMES_PLACE_AT = TAIL_AT + 3 * MAX_TAILS  # of the attributes of a tag, as they are written
NAMES_LENGTH_AT = NAMES_PLACE_AT + MAX_ATTRIBUTES
# Of the attributes of the last tag that was read, where each begins, its name ends, its value
# begins and ends.
ATTRIBUTES_AT = NAMES_LENGTH_AT + MAX_ATTRIBUTES
CUTS_AT = ATTRIBUTES_AT + 4 * MAX_ATTRIBUTES  # begin and end of every range


SCRATCH_BYTES = 2**18  # room kept for pages of this size: 2 MB a thread, touched as needed
SPARE_BYTES = 2**12
_scratch = threading.local()


def make_room(size: int) -> Ints:
    """Return room for all that a page of so many bytes may need: this thread's own.

    To clear a million bytes for every page would drive the page itself out of the cache.
    """
    room: Ints | None = getattr(_scratch, "room", None)
    if room is None or len(room) < CUTS_AT + size + 4:
        room = np.zeros(CUTS_AT + max(size, SCRATCH_BYTES) + 4, np.int64)
        room[KNOWN_AT : KNOWN_AT + len(tag_classes.KNOWN)] = tag_classes.KNOWN
        if size <= SCRATCH_BYTES:
            _scratch.room = room
        return room
    if room[NAMES]:
        room[NAMES_AT:WRITTEN_AT] = 0
    room[:TAG_AT] = 0
    room[FREE:NAMES_AT] = 0
    return room


def make_paper(size: int) -> Bytes:
    """Return room for canonical HTML: this thread's own; a page that needs more is for the parser.

    The parser writes some pages larger than they were; few, and by little.
    """
    paper: Bytes | None = getattr(_scratch, "paper", None)
    if paper is None or len(paper) < 2 * size + SPARE_BYTES:
        paper = np.empty(2 * max(size, SCRATCH_BYTES) + SPARE_BYTES, np.uint8)
        if size <= SCRATCH_BYTES:
            _scratch.paper = paper
    return paper


def get_cuts(room: Ints) -> Ints:
    """Return begin and end of the ranges to cut, one after the other."""
    return room[CUTS_AT : CUTS_AT + 2 * int(room[CUTS])]


def get_notes(room: Ints) -> tuple[str, ...]:
    """Return what was cut because of a limit."""
    bits = int(room[NOTES])
    return tuple(text for k, text in enumerate(NOTES_OF) if bits >> k & 1) if bits else ()


@inlined
def note(room: Ints, which: Integer) -> None:
    """Remember that a limit was met; what such a page becomes only the parser knows."""
    room[NOTES] |= 1 << which
    room[MESSY] = 1


@inlined
def cut(room: Ints, begin: Integer, end: Integer) -> None:
    """Cut a range; ranges come in order."""
    if begin >= end:
        return
    k = CUTS_AT + 2 * room[CUTS]
    if room[CUTS] > 0 and room[k - 1] == begin:
        room[k - 1] = end
        return
    room[k], room[k + 1] = begin, end
    room[CUTS] += 1


@inner
def cut_tag(data: Bytes, room: Ints, begin: Integer, end: Integer) -> None:
    """Cut a tag, and with it any < right before it, which would make a tag of what follows."""
    last = room[CUTS_AT + 2 * room[CUTS] - 1] if room[CUTS] else 0
    while begin > last and data[begin - 1] == tokenizer.LESS:
        begin -= 1
    cut(room, begin, end)


@inner
def count_cut(room: Ints, since: Integer) -> Integer:
    """Return how many bytes were cut since there were so many ranges."""
    total = 0
    for k in range(CUTS_AT + 2 * since, CUTS_AT + 2 * room[CUTS], 2):
        total += room[k + 1] - room[k]
    return total


@inlined
def owe(room: Ints, tag: Integer) -> None:
    """Remember that a start tag was cut, so that an end tag of its name will be."""
    room[OWED_AT + (tag & (OWED_ROOM - 1))] += 1


@inlined
def is_owed(room: Ints, tag: Integer) -> bool:
    """Whether an end tag belongs to a start tag that was cut."""
    k = OWED_AT + (tag & (OWED_ROOM - 1))
    if room[k] == 0:
        return False
    room[k] -= 1
    return True


@inner
def is_one_too_many(room: Ints, h: Integer) -> bool:
    """Whether a name is new, and there are too many already; else remember it."""
    k = h & (NAMES_ROOM - 1)
    while room[NAMES_AT + k]:
        if room[NAMES_AT + k] == h:
            return False
        k = (k + 1) & (NAMES_ROOM - 1)
    if room[NAMES] >= MAX_NAMES:
        return True
    room[NAMES_AT + k] = h
    room[NAMES] += 1
    return False


@inlined
def is_bad_name(room: Ints, tag: Integer, length: Integer) -> bool:
    """Whether a tag must be cut for its name."""
    if tag < tag_classes.UNKNOWN:
        return False
    room[UNKNOWNS] += 1
    if length > MAX_NAME:
        note(room, NAMES_CUT)
        return True
    if room[UNKNOWNS] > FREE_NAMES and is_one_too_many(room, tag):
        note(room, DIFFERENT_CUT)
        return True
    return False


@inlined
def is_beyond(room: Ints, tag: Integer, kind: Integer) -> bool:
    """Whether a start tag is one too many of its sort."""
    room[STARTS] += 1
    room[NODES] += 1
    if room[STARTS] > MAX_STARTS:
        note(room, TOO_MANY)
        return True
    if kind == tag_classes.ROOT:
        room[ROOTS] += 1
        if room[ROOTS] > MAX_ROOTS:
            note(room, ROOTS_CUT)
            return True
    if kind == tag_classes.SELECT and find(room, SELECT_TAG, 0) < 0:
        room[OPTIONS] = room[NODES] = 0
    if tag == OPTION_TAG and find(room, SELECT_TAG, 0) >= 0:
        room[OPTIONS] += 1
        room[OPTION_WORK] += room[NODES]
        if room[OPTIONS] > MAX_OPTIONS or room[OPTION_WORK] > MAX_OPTION_WORK:
            note(room, OPTIONS_CUT)
            return True
    return bool(room[FLAT] and not kind & tag_classes.EMPTY)


@inlined
def is_bad_attribute(data: Bytes, room: Ints, at: Integer, end: Integer, full: bool) -> bool:
    """Whether an attribute must be cut for its name, or because its tag is full."""
    room[ATTRIBUTES] += 1
    if full:
        note(room, ATTRIBUTES_CUT)
        return True
    if end - at > MAX_NAME:
        note(room, NAMES_CUT)
        return True
    free = room[ATTRIBUTES] <= FREE_NAMES
    if not free and is_one_too_many(room, tokenizer.hash_bytes(data, at, end, room) | 1):
        note(room, DIFFERENT_CUT)
        return True
    return False


@inlined
def cut_value(data: Bytes, room: Ints, row: Integer, begin: Integer, end: Integer) -> None:
    """Cut a value that is too long; without quotes its first character stays, or it were none.

    What is left is written like others: the page stays orderly.
    """
    room[NOTES] |= 1 << VALUES_CUT
    left = begin
    if tokenizer.KIND_OF_BYTE[data[np.uint64(begin - 1)]] != tokenizer.QUOTE:
        left += 1
        while left < end and data[np.uint64(left)] & np.uint8(0xC0) == np.uint8(0x80):
            left += 1
    room[row + 3] = left
    cut(room, left, end)


@inlined
def read_tag(
    data: Bytes, room: Ints, number: Integer, i: Integer
) -> tuple[Integer, Integer, Integer]:
    """Return the place behind a tag, or -1, its number of attributes and what they say of it."""
    n = len(data)
    count = 0
    first: Integer = i
    bits: Integer = 0
    beyond: Integer = n  # from here on attributes are cut
    while i < n:
        byte = data[np.uint64(i)]
        slash = byte == tokenizer.SLASH
        if byte == tokenizer.MORE:
            cut(room, beyond, i)
            return i + 1, count, bits
        if slash and i + 1 < n and data[np.uint64(i + 1)] == tokenizer.MORE:
            cut(room, beyond, i)
            return i + 2, count, bits | tokenizer.CLOSED
        if slash or tokenizer.KIND_OF_BYTE[byte] == tokenizer.BLANK:
            i += 1
            continue
        at = i
        name, begin, end, i = tokenizer.read_attribute(data, i)
        if beyond < n:
            continue
        full = bool(count >= MAX_ATTRIBUTES or at - first > MAX_TAG)
        if is_bad_attribute(data, room, at, name, full):
            beyond = at - 1 if data[np.uint64(at - 1)] == tokenizer.SLASH else at
            continue
        row = ATTRIBUTES_AT + 4 * count
        room[row], room[row + 1], room[row + 2], room[row + 3] = at, name, begin, end
        count += 1
        if tokenizer.is_weighed(number, bits):
            bits |= tokenizer.weigh_attribute(data, number, at, name, begin, end)
        if end - begin > MAX_VALUE:
            cut_value(data, room, row, begin, end)
            first += end - begin
    return -1, count, bits
