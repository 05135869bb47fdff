"""Start and end tags of an orderly page, also those that it leaves out.

In: the open elements, as the last token left them, and those whose start tags are written. Out:
end tags of what is open no more, start tags of what is open now. Elements are only ever opened and
closed at the end of the list: all else makes a page `MESSY` (canonical_writer.py).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import open_elements, tag_classes, tokenizer
from blickfang.html.guard.canonical_text import (
    put,
    runs_out,
    same_small,
    write_attributes,
    write_end,
    write_start,
)
from blickfang.html.guard.guard_limits import (
    AFTER,
    MAX_STARTS,
    MESSY,
    NODES,
    OUT,
    STAGE,
    STARTS,
    WRITTEN,
    WRITTEN_END_AT,
    WRITTEN_NAME_AT,
    WRITTEN_SERIAL_AT,
)
from blickfang.html.guard.tree_construction import FULL, MAX_DEPTH

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

NOTHING, HTML_OPEN, HEAD_OPEN, HEAD_CLOSED, BODY_OPEN = range(5)  # stages
NO_TAG = -1
HTML, HEAD, END_OF_HEAD, BODY, TBODY, ROW, COLUMNS = (
    np.frombuffer(word, np.uint8)
    for word in (b"<html>", b"<head>", b"</head>", b"<body>", b"<tbody>", b"<tr>", b"<colgroup>")
)

# Nearly all tags do nothing but open or close one element; these are of the kinds that may.
BLOCKS = tag_classes.BLOCK | tag_classes.HEADING | tag_classes.ITEM
PLAIN = BLOCKS | tag_classes.ORDINARY | tag_classes.ANY_FORMAT
CLOSES_PLAINLY = tag_classes.KIND_OF & PLAIN > 0
OPENS_PLAINLY = tag_classes.KIND_OF & (PLAIN & ~tag_classes.NOBR | tag_classes.VOID) > 0
OPENS_PLAINLY[
    [tag_classes.number_of(name) for name in ("pre", "listing", "image", "annotation-xml")]
] = 0


class Tag(NamedTuple):
    """A start tag that was followed."""

    begin: Integer  # its place in the page, and that behind it
    end: Integer
    number: Integer
    attributes: Integer  # how many
    alien: bool  # it means an element of SVG or MathML
    before: Integer  # the serial of the last element that was opened before it


@inlined
def no_tag(before: Integer) -> Tag:
    """Return what stands for the tag where text or an end tag opened something."""
    return Tag(0, 0, NO_TAG, 0, False, before)


@inlined
def is_one_of(number: Integer, one: int, other: int) -> bool:
    """Whether a tag is one of two."""
    return bool(number == one or number == other)  # noqa: SIM109 -- faster than a tuple


@inlined
def record(room: Ints, k: Integer, name: Integer, end: Integer) -> None:
    """Remember that an open element is written, and where its name stands."""
    room[WRITTEN_SERIAL_AT + k] = room[open_elements.SERIAL_AT + k]
    room[WRITTEN_NAME_AT + k], room[WRITTEN_END_AT + k] = name, end
    room[WRITTEN] = k + 1


@inlined
def put_tag(room: Ints, out: Bytes, k: Integer, tag: Bytes) -> None:
    """Write the start tag of an element that the page leaves out."""
    if runs_out(room, out, 0):
        return
    put(room, out, tag)
    record(room, k, room[OUT] - len(tag) + 1, room[OUT] - 1)


@inner
def reach(room: Ints, out: Bytes, stage: Integer) -> None:
    """Write what must stand before something of the head or the body."""
    if runs_out(room, out, 0):
        return
    if room[STAGE] < HTML_OPEN <= stage:
        put_tag(room, out, 0, HTML)
        room[STAGE] = HTML_OPEN
    if room[STAGE] < HEAD_OPEN <= stage:
        put(room, out, HEAD)
        room[STAGE] = HEAD_OPEN
    if room[STAGE] < HEAD_CLOSED <= stage:
        put(room, out, END_OF_HEAD)
        room[STAGE] = HEAD_CLOSED


@inner
def add_attributes(data: Bytes, room: Ints, out: Bytes, tag: Tag, k: Integer) -> None:
    """Give the attributes of a second <html> or <body> to the first, if that has none."""
    place, begin = room[WRITTEN_END_AT + k], room[OUT]
    if out[place] != tokenizer.MORE or open_elements.find(room, open_elements.TEMPLATE_TAG, 0) >= 0:
        room[MESSY] = 1
        return
    write_attributes(data, room, out, tag.attributes, 0)
    size = room[OUT] - begin
    if runs_out(room, out, size):
        return
    for j in range(size):
        out[room[OUT] + j] = out[begin + j]
    for j in range(begin - 1, place - 1, -1):
        out[j + size] = out[j]
    for j in range(size):
        out[place + j] = out[room[OUT] + j]
    for j in range(k + 1, room[WRITTEN]):
        room[WRITTEN_NAME_AT + j] += size
        room[WRITTEN_END_AT + j] += size


@inlined
def close_down(room: Ints, out: Bytes) -> None:
    """Write the end tags of elements that are open no more."""
    k = room[WRITTEN] - 1
    while k > 0 and (
        k >= room[open_elements.COUNT]
        or room[WRITTEN_SERIAL_AT + k] != room[open_elements.SERIAL_AT + k]
    ):
        write_end(room, out, room[WRITTEN_NAME_AT + k], room[WRITTEN_END_AT + k])
        k -= 1
        room[WRITTEN] = k + 1


@inlined
def is_settled(room: Ints, k: Integer) -> bool:
    """Whether the page is orderly, in its body, and all open elements are written."""
    return bool(
        not room[MESSY]
        and room[open_elements.BODY_BEGAN]
        and room[WRITTEN] == k + 1
        and room[WRITTEN_SERIAL_AT + k] == room[open_elements.SERIAL_AT + k]
    )


@inlined
def opens_plainly(room: Ints, number: Integer) -> bool:
    """Whether a start tag opens its element in the innermost one, and does nothing else."""
    if number >= tag_classes.UNKNOWN or not OPENS_PLAINLY[number]:
        return False
    k = room[open_elements.COUNT] - 1
    top, mode = room[open_elements.TAG_AT + k], room[open_elements.MODE_AT + k]
    if top >> open_elements.SPACE_SHIFT or mode & (
        tag_classes.IN_ROWS | tag_classes.IN_COLUMNS | tag_classes.FRESH
    ):
        return False
    if not is_settled(room, k) or k + 1 >= MAX_DEPTH or room[STARTS] >= MAX_STARTS:
        return False
    kind = tag_classes.KIND_OF[number]
    if kind & BLOCKS:
        if room[open_elements.PARAGRAPH_AT + k]:
            return False
        if kind == tag_classes.ITEM:
            stops = room[open_elements.CLASS_AT + k] & tag_classes.STOPS_ITEM
            return bool(stops and open_elements.kind_of(top) != tag_classes.ITEM)
        return bool(
            kind != tag_classes.HEADING or open_elements.kind_of(top) != tag_classes.HEADING
        )
    last = room[open_elements.ACTIVE] - 1
    if last < 0 or room[open_elements.ACTIVE_AT + last] == open_elements.MARKER:
        return bool(last < FULL - 1)
    innermost = room[open_elements.ACTIVE_SERIAL_AT + last] == room[open_elements.SERIAL_AT + k]
    return bool(innermost and not kind & tag_classes.ANY_FORMAT)


@inlined
def open_innermost(
    data: Bytes,
    room: Ints,
    out: Bytes,
    i: Integer,
    end: Integer,
    number: Integer,
    attributes: Integer,
) -> None:
    """Follow and write a start tag that opens its element plainly."""
    room[AFTER] = 0
    room[STARTS] += 1
    room[NODES] += 1
    room[open_elements.FILLED] |= tag_classes.FILLS[number]
    name, after = write_start(data, room, out, i, attributes, 0)
    kind = tag_classes.KIND_OF[number]
    if kind == tag_classes.VOID:
        return
    open_elements.push(room, number, 0)
    record(room, room[open_elements.COUNT] - 1, name, after)
    if kind & tag_classes.ANY_FORMAT:
        size = end - i if attributes else 0
        open_elements.insert_active(
            room, room[open_elements.ACTIVE], number, room[open_elements.SERIAL], size
        )


@inlined
def end_innermost(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Follow and write the end tag here, if it plainly is that of the innermost element.

    Return the place behind it; 0 where all rules must be asked. Nearly all end tags are plain.
    """
    k = room[open_elements.COUNT] - 1
    tag = room[open_elements.TAG_AT + k]
    if tag >= tag_classes.UNKNOWN or not CLOSES_PLAINLY[tag]:
        return 0
    if not is_settled(room, k):
        return 0
    name, end = room[WRITTEN_NAME_AT + k], room[WRITTEN_END_AT + k]
    after: Integer = i + 2 + end - name
    if after >= len(data) or data[np.uint64(after)] != tokenizer.MORE:
        return 0
    if not same_small(data, i + 2, out, name, end) or runs_out(room, out, end - name):
        return 0
    if tag_classes.KIND_OF[tag] & tag_classes.ANY_FORMAT:
        last = room[open_elements.ACTIVE] - 1
        if (
            last < 0
            or room[open_elements.ACTIVE_SERIAL_AT + last] != room[open_elements.SERIAL_AT + k]
        ):
            return 0
        room[open_elements.ACTIVE] = last
    room[open_elements.COUNT] = room[WRITTEN] = k
    room[AFTER] = 0
    write_end(room, out, name, end)
    return after + 1


@inner
def open_body(data: Bytes, room: Ints, out: Bytes, tag: Tag) -> bool:
    """Write the start tag of the body; return whether it stands in the page."""
    reach(room, out, HEAD_CLOSED)
    room[STAGE] = BODY_OPEN
    if tag.number != open_elements.BODY_TAG:
        put_tag(room, out, 1, BODY)
        return False
    name, after = write_start(data, room, out, tag.begin, tag.attributes, 0)
    record(room, 1, name, after)
    return True


@inlined
def open_up(data: Bytes, room: Ints, out: Bytes, tag: Tag) -> bool:
    """Write the start tags of elements that a tag has opened; return whether it is one of them."""
    own = False
    if room[open_elements.SERIAL] - tag.before != room[open_elements.COUNT] - room[WRITTEN]:
        room[MESSY] = 1  # some are closed again already, or something around them was taken away
        return own
    for k in range(room[WRITTEN], room[open_elements.COUNT]):
        opened = room[open_elements.TAG_AT + k]
        if k == 1 and opened == open_elements.BODY_TAG and room[STAGE] < BODY_OPEN:
            own = open_body(data, room, out, tag)
        elif k == room[open_elements.COUNT] - 1 and opened & open_elements.TAG_BITS == tag.number:
            space = opened >> open_elements.SPACE_SHIFT
            name, after = write_start(data, room, out, tag.begin, tag.attributes, space)
            record(room, k, name, after)
            own = True
        elif opened == open_elements.TBODY:
            put_tag(room, out, k, TBODY)
        elif opened == open_elements.TR:
            put_tag(room, out, k, ROW)
        elif opened == open_elements.COLGROUP:
            put_tag(room, out, k, COLUMNS)
        else:
            room[MESSY] = 1  # formatting that is opened again
        if room[MESSY]:
            return own
    return own
