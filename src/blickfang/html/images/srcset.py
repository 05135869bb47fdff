"""Where the bytes of an <img> lie that names several addresses: srcset, lazy loading; as kernels.

In: the attributes of an element. Out: where the address stands that shows most, and up to three
others; nothing where one must look more closely: then `sources.choose_source` and `find_others` are
asked, which say the same of what is taken here.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.html.file_formats import NOT_READ_ENDS, READ
from blickfang.html.images.lazy_sources import MOST_OTHERS, NAMES_FIRST, OTHER_MEDIA
from blickfang.html.images.placeholder import is_doubtful, is_inline, is_trimmed
from blickfang.html.parse.byte_patterns import (
    LAST_PLAIN,
    is_digit,
    is_letter,
    is_one_of,
    may_have,
    pack,
    stands_at,
)
from blickfang.html.parse.page_strings import AMP, AMPERSAND, BLANK, begins_with
from blickfang.html.parse.tags import ATTRIBUTES, TAGS

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Span = tuple[Integer, Integer]

SRC, SRCSET, TYPE, MEDIA = (ATTRIBUTES[name] for name in ("src", "srcset", "type", "media"))
SOURCE = TAGS["source"]
MOST = 32  # candidates of a set
COMMA, DASH = ord(","), ord("-")
LONGEST_NUMBER = 8
LONGEST_SET = 4096
WIDTH, HEIGHT, TIMES = ord("w"), ord("h"), ord("x")
SET_NAME = pack(["srcset"])
NAMES, NAME_EDGES = pack(NAMES_FIRST)
VIDEO, VIDEO_EDGES = pack(["video/"])
READ_TYPES = pack([*(f"image/{kind}" for kind in READ), "image/jpg"])
NOT_FOR_ALL = pack(OTHER_MEDIA)
ENDINGS, ENDING_EDGES = pack(NOT_READ_ENDS)
ASKS, HASH = ord("?"), ord("#")


_scratch = threading.local()


class Set(NamedTuple):
    """Room for the candidates of a set."""

    spans: Ints
    sizes: Floats


class ImageNodes(NamedTuple):
    """What is asked of the nodes of a page."""

    tag: Bytes
    parent: Ints
    end: Ints
    first: Ints  # their first attribute
    flags: NDArray[np.uint32]


def lend_set() -> Set:
    """Return room for the candidates of a set: this thread's own, as nothing stays there."""
    kept: Set | None = getattr(_scratch, "set", None)
    if kept is None:
        kept = _scratch.set = Set(np.empty((MOST, 2), np.int32), np.empty(MOST, np.float64))
    return kept


@inlined
def is_blank(byte: Integer) -> bool:
    """Whether a byte is white space in a value."""
    return bool(byte == BLANK or byte == 0x09 or byte == 0x0A or byte == 0x0C or byte == 0x0D)


@inlined
def read_descriptor(data: Bytes, start: Integer, end: Integer) -> float:
    """Return the size that a descriptor states, -1 for what is none."""
    if not 2 <= end - start <= LONGEST_NUMBER:
        return -1.0
    size, unit = 0.0, 1.0
    dots = 0
    for i in range(start, end - 1):
        byte = np.int64(data[np.uint64(i)])
        if is_digit(byte):
            size = size * 10.0 + (byte - 0x30)
            unit *= 10.0 if dots else 1.0
        elif byte == 0x2E:
            dots += 1
        else:
            return -1.0
    kind = data[np.uint64(end - 1)]
    if dots > 1 or dots == end - start - 1:
        return -1.0
    if kind == TIMES:
        return size / unit * 1.5  # above 1x, below any w; see lazy_sources.py
    if kind == WIDTH:
        return size / unit
    return size / unit if kind == HEIGHT else -1.0


@inlined
def is_plain(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a value has only signs of ASCII, white space as it is usual, no entity but &amp;."""
    for i in range(start, end):
        byte = data[np.uint64(i)]
        if byte > LAST_PLAIN or (byte < BLANK and not is_blank(byte)):
            return False
        if byte == AMPERSAND and (end - i < len(AMP) or not begins_with(data, i, AMP)):
            return False
    return True


@inlined
def pass_word(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a word."""
    while i < end and not is_blank(data[np.uint64(i)]):
        i += 1
    return i


@inlined
def pass_size(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a descriptor."""
    while i < end and not is_blank(data[np.uint64(i)]) and data[np.uint64(i)] != COMMA:
        i += 1
    return i


@inlined
def pass_blanks(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind white space."""
    while i < end and is_blank(data[np.uint64(i)]):
        i += 1
    return i


@inlined
def cut_set(data: Bytes, start: Integer, end: Integer, out: Set, before: Integer) -> Integer:
    """Write down the candidates of a set behind others; return how many there are then.

    -1 for a set that is left to others.
    """
    if end - start > LONGEST_SET or not is_plain(data, start, end):
        return -1
    count = before
    i = pass_blanks(data, start, end)
    while i < end:
        stop = pass_word(data, i, end)
        if count == MOST or data[np.uint64(i)] == COMMA or data[np.uint64(stop - 1)] == COMMA:
            return -1
        out.spans[count, 0], out.spans[count, 1] = i, stop
        begin = pass_blanks(data, stop, end)
        if begin == end:  # no size: plain only if it is the only one
            out.sizes[count] = 1.5
            return count + 1 if count == before else -1
        stop = pass_size(data, begin, end)
        has_comma = stop < end and data[np.uint64(stop)] == COMMA  # another may stand right behind
        i = pass_blanks(data, stop + 1 if has_comma else stop, end)
        if not has_comma and i < end:
            return -1
        out.sizes[count] = read_descriptor(data, begin, stop)
        if out.sizes[count] < 0:
            return -1
        count += 1
    return count


@inlined
def are_same(data: Bytes, one: Span, other: Span) -> bool:
    """Whether the same stands at two places."""
    size = one[1] - one[0]
    if size != other[1] - other[0]:
        return False
    k = 0
    while k < size and data[np.uint64(one[0] + k)] == data[np.uint64(other[0] + k)]:
        k += 1
    return bool(k == size)


@inlined
def add_address(data: Bytes, span: Span, found: Ints, count: Integer) -> Integer:
    """Add an address to those found unless it is there or a placeholder; -1 if one cannot know."""
    if is_inline(data, span[0], span[1]):
        return count
    if is_doubtful(data, span[0], span[1]):
        return -1
    for k in range(count):
        if are_same(data, span, (np.int64(found[k, 0]), np.int64(found[k, 1]))):
            return count
    found[count, 0], found[count, 1] = span[0], span[1]
    return count + 1


@inlined
def add_largest(
    data: Bytes, candidates: Integer, room: Set, found: Ints, count: Integer, most: Integer
) -> Integer:
    """Add candidates, the largest first, of equals the first, until there are more than so many."""
    if candidates < 0:
        return -1
    while 0 <= count <= most:
        best = -1
        for k in range(candidates):
            if room.sizes[k] >= 0 and (best < 0 or room.sizes[k] > room.sizes[best]):
                best = k
        if best < 0:
            break
        room.sizes[best] = -1.0
        span = (np.int64(room.spans[best, 0]), np.int64(room.spans[best, 1]))
        count = add_address(data, span, found, count)
    return count


@inlined
def add_set(
    data: Bytes, start: Integer, end: Integer, room: Set, found: Ints, count: Integer
) -> Integer:
    """Add the addresses of a set while there is room."""
    candidates = cut_set(data, start, end, room, 0)
    return add_largest(data, candidates, room, found, count, MOST_OTHERS)


@inlined
def which_first(data: Bytes, span: Ints) -> Integer:
    """Return which of the usual names of lazy loaders an attribute has, -1 for none."""
    size = span[1] - span[0]
    for w in range(len(NAME_EDGES) - 1):
        begin, end = NAME_EDGES[w], NAME_EDGES[w + 1]
        if size == end - begin and stands_at(data, span[0], NAMES, begin, end):
            return w
    return -1


@inlined
def is_own_name(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a name is made of letters, digits and "-" only: others may not be read as a set."""
    for i in range(start, end):
        byte = np.int64(data[np.uint64(i)])
        if not (is_letter(byte) or (i > start and (is_digit(byte) or byte == DASH))):
            return False
    return bool(data[np.uint64(start)] | 32 != 0x6F)  # as in onload


@inlined
def find_set(data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer) -> Integer:
    """Return the row of the only set of an element; -1 if it has none, -2 if it has several."""
    found = -1
    for row in range(begin, end):
        start, stop = spans[row, 0], spans[row, 1]
        lazy = names[row] == 0 and may_have(data, start, stop, SET_NAME)
        if (lazy or names[row] == SRCSET) and spans[row, 2] < spans[row, 3]:
            found = row if found == -1 and is_own_name(data, start, stop) else -2
    return found


@inlined
def add_source(data: Bytes, span: Span, found: Ints, count: Integer) -> Integer:
    """Add what src says to the addresses of an element; return how many there are, or -1."""
    if are_same(data, span, (np.int64(found[0, 0]), np.int64(found[0, 1]))):
        return 1  # others are not asked for where src says it all
    if not is_trimmed(data, span) and not is_inline(data, span[0], span[1]):
        return -1
    return add_address(data, span, found, count) if count <= MOST_OTHERS else count


@inlined
def choose_addresses(
    data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer, room: Set, found: Ints
) -> Integer:
    """Write down the addresses of an element, the one that shows most first; return how many.

    0 where it is left to others which one it is.
    """
    count: Integer = 0
    the_set = find_set(data, names, spans, begin, end)
    if the_set == -2:
        return 0
    if the_set >= 0:
        count = add_set(data, spans[the_set, 2], spans[the_set, 3], room, found, count)
    for wanted in range(len(NAME_EDGES) - 1):
        for row in range(begin, end):
            if count == 0 and names[row] == 0 and which_first(data, spans[row]) == wanted:
                span = (np.int64(spans[row, 2]), np.int64(spans[row, 3]))
                if not is_trimmed(data, span):
                    return 0
                count = add_address(data, span, found, count)
    return max(add_sources(data, names, spans, begin, end, found, count), 0)


@inlined
def add_sources(
    data: Bytes,
    names: Bytes,
    spans: Ints,
    begin: Integer,
    end: Integer,
    found: Ints,
    count: Integer,
) -> Integer:
    """Add what src says, if an element has one; return how many addresses there are, or -1."""
    for row in range(begin, end):
        if count > 0 and names[row] == SRC and spans[row, 2] < spans[row, 3]:
            span = (np.int64(spans[row, 2]), np.int64(spans[row, 3]))
            count = add_source(data, span, found, count)
    return count


@inlined
def cut_sets(
    data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer, room: Set, count: Integer
) -> Integer:
    """Write down the candidates of srcset, then of lazy ones, behind others; -1 if in doubt."""
    for lazy in range(2):
        for row in range(begin, end):
            start, stop = spans[row, 0], spans[row, 1]
            is_set = names[row] == (0 if lazy else SRCSET)
            if lazy and is_set:
                is_set = may_have(data, start, stop, SET_NAME)
            if is_set and not is_own_name(data, start, stop):
                return -1
            if is_set and count >= 0 and spans[row, 2] < spans[row, 3]:
                count = cut_set(data, spans[row, 2], spans[row, 3], room, count)
    return count


@inlined
def is_video(data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer) -> bool:
    """Whether a source is one of a video, by its type."""
    for row in range(begin, end):
        if names[row] == TYPE and spans[row, 3] - spans[row, 2] >= VIDEO_EDGES[1]:
            return stands_at(data, spans[row, 2], VIDEO, VIDEO_EDGES[0], VIDEO_EDGES[1])
    return False


@inlined
def is_unread(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether an address ends like that of a picture that is not read."""
    stop = start
    while stop < end and data[np.uint64(stop)] != ASKS and data[np.uint64(stop)] != HASH:
        stop += 1
    for w in range(len(ENDING_EDGES) - 1):
        begin = stop - (ENDING_EDGES[w + 1] - ENDING_EDGES[w])
        if begin > start and stands_at(data, begin, ENDINGS, ENDING_EDGES[w], ENDING_EDGES[w + 1]):
            return True
    return False


@inlined
def is_odd(data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer) -> bool:
    """Whether a source is not plainly for all: by its type, or where it is shown."""
    for row in range(begin, end):
        start, stop = np.int64(spans[row, 2]), np.int64(spans[row, 3])
        if names[row] == TYPE and start < stop:
            if not is_one_of(data, start, stop, READ_TYPES):
                return True
        elif names[row] == MEDIA and may_have(data, start, stop, NOT_FOR_ALL):
            return True
    return False


@inlined
def cut_source(
    data: Bytes, names: Bytes, spans: Ints, begin: Integer, end: Integer, room: Set, count: Integer
) -> Integer:
    """Write down the candidates of a <source> behind others; -1 if it is left to others."""
    if is_video(data, names, spans, begin, end):
        return count
    if is_odd(data, names, spans, begin, end):
        return -1
    before, typed = count, False
    count = cut_sets(data, names, spans, begin, end, room, count)
    for row in range(begin, end):
        typed |= names[row] == TYPE and spans[row, 2] < spans[row, 3]
    for k in range(before, count):
        if not typed and is_unread(data, np.int64(room.spans[k, 0]), np.int64(room.spans[k, 1])):
            return -1
    return count


@inlined
def add_forms(
    data: Bytes,
    nodes: ImageNodes,
    names: Bytes,
    spans: Ints,
    picture: Integer,
    room: Set,
    found: Ints,
    count: Integer,
) -> Integer:
    """Add the largest candidate of each source, while there is room; return how many, or -1."""
    k = picture + 1
    while 0 < count <= MOST_OTHERS and k < nodes.end[picture]:
        if nodes.tag[k] == SOURCE:
            first, behind = np.int64(nodes.first[k]), np.int64(nodes.first[k + 1])
            candidates = cut_source(data, names, spans, first, behind, room, 0)
            count = add_largest(data, candidates, room, found, count, count)
        k = np.int64(nodes.end[k])
    return count


@inlined
def choose_pictured(
    data: Bytes,
    nodes: ImageNodes,
    names: Bytes,
    spans: Ints,
    picture: Integer,
    image: Integer,
    room: Set,
    found: Ints,
) -> Integer:
    """Write down the addresses of the first image of a <picture>; return how many.

    0 where its sources name none, -1 where it is left to others.
    """
    candidates: Integer = 0
    k = picture + 1
    while k < nodes.end[picture]:
        first, behind = np.int64(nodes.first[k]), np.int64(nodes.first[k + 1])
        if nodes.tag[k] == SOURCE and candidates >= 0:
            candidates = cut_source(data, names, spans, first, behind, room, candidates)
        k = np.int64(nodes.end[k])
    begin, end = np.int64(nodes.first[image]), np.int64(nodes.first[image + 1])
    if candidates >= 0:
        candidates = cut_sets(data, names, spans, begin, end, room, candidates)
    count = add_largest(data, candidates, room, found, 0, 0)
    if count <= 0:
        return count
    the_set = find_set(data, names, spans, begin, end)
    if the_set == -2:
        return -1
    if the_set >= 0:
        count = add_set(data, spans[the_set, 2], spans[the_set, 3], room, found, count)
    count = add_sources(data, names, spans, begin, end, found, count)
    return add_forms(data, nodes, names, spans, picture, room, found, count)
