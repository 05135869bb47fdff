"""An orderly page needs no parser: what the guard follows is written down as it goes.

In: tags, text and comments of a page, in a kernel, each behind what it did to the open elements
(tree_construction.py). Out: canonical HTML, the same bytes that the parser would give. A page in
which something lands elsewhere than where it stands (content of a table outside of its cells,
formatting that is misnested, a second body) is `MESSY`: that is left to the parser.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import (
    guard_limits,
    open_elements,
    tag_classes,
    tokenizer,
    tree_construction,
)
from blickfang.html.guard.canonical_text import (
    IS_PLAIN,
    NEWLINE,
    RETURN,
    put,
    runs_out,
    write_end,
    write_raw,
    write_start,
    write_text,
)
from blickfang.html.guard.guard_limits import AFTER, BEGUN, MESSY, SKIP, STAGE, TAIL_AT, TAILS
from blickfang.html.guard.open_tags import (
    BODY_OPEN,
    HEAD_CLOSED,
    HEAD_OPEN,
    HTML_OPEN,
    NOTHING,
    Tag,
    add_attributes,
    close_down,
    is_one_of,
    no_tag,
    open_up,
    reach,
    record,
)

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

BODY_ENDED, PAGE_ENDED = 1, 2  # after
TITLE, TEXTAREA, PRE, LISTING, IMAGE = map(
    tag_classes.number_of, ("title", "textarea", "pre", "listing", "image")
)
PARAGRAPH, DOCTYPE, COMMENT, END_OF_COMMENT = (
    np.frombuffer(word, np.uint8) for word in (b"<p></p>", b"<!DOCTYPE html>", b"<!--", b"-->")
)


@inlined
def is_in_rows(room: Ints) -> bool:
    """Whether content would stand in a table, but in no cell: the parser puts it elsewhere."""
    mode = room[open_elements.MODE_AT + room[open_elements.COUNT] - 1]
    return bool(mode & (tag_classes.IN_ROWS | tag_classes.IN_COLUMNS))


@inlined
def is_misplaced(room: Ints, number: Integer) -> bool:
    """Whether a start tag stands in a table where only parts of tables and scripts may.

    Or a part of a table straight in a template, which makes rules of its own.
    """
    kind = open_elements.kind_of(number)
    if is_in_rows(room):
        script = is_one_of(number, tree_construction.SCRIPT, tree_construction.STYLE)
        return bool(not (script or kind & (tag_classes.PART | tag_classes.TABLE)))
    return bool(kind == tag_classes.PART and is_in_fresh(room))


@inlined
def is_in_fresh(room: Ints) -> bool:
    """Whether a template is open that has no elements yet: what comes says which rules it has."""
    return bool(room[open_elements.MODE_AT + room[open_elements.COUNT] - 1] == tag_classes.FRESH)


@inlined
def is_unclear(room: Ints, number: Integer) -> bool:
    """Whether an end tag does what only the parser knows: a paragraph's in SVG or in columns.

    Or any but its own in a template that has no elements yet.
    """
    if number == open_elements.P:
        top = room[open_elements.TAG_AT + room[open_elements.COUNT] - 1]
        return bool(
            open_elements.is_in_foreign(room) or top == open_elements.COLGROUP or is_in_fresh(room)
        )
    return bool(number != open_elements.TEMPLATE_TAG and is_in_fresh(room))


@inlined
def is_alien(room: Ints, number: Integer, bits: Integer) -> bool:
    """Whether a start tag will mean an element of SVG or MathML, and is not itself one of these."""
    breaks_out = open_elements.is_one(number, tag_classes.BREAKS_OUT) or (
        number == tree_construction.FONT and bits & tokenizer.OF_HTML != 0
    )
    return bool(tree_construction.is_foreign(room, number) and not breaks_out)


@inlined
def prepare(data: Bytes, room: Ints, out: Bytes, tag: Tag) -> bool:
    """Write everything that a start tag opens and closes; return whether it is open itself."""
    room[BEGUN] = 1
    room[AFTER] = 0
    close_down(room, out)
    if not room[open_elements.BODY_BEGAN]:
        if room[STAGE] > HEAD_OPEN:
            room[MESSY] = 1  # back into the head
            return False
        reach(room, out, HEAD_OPEN)
    return open_up(data, room, out, tag)


@inner
def follow_root(data: Bytes, room: Ints, out: Bytes, tag: Tag) -> None:
    """Follow <html>, <head> or <body> where there may be one already."""
    close_down(room, out)
    room[BEGUN] = 1
    if tag.number != open_elements.HTML:
        room[AFTER] = 0
    if tag.number == open_elements.HTML and room[STAGE] == NOTHING:
        name, after = write_start(data, room, out, tag.begin, tag.attributes, 0)
        record(room, 0, name, after)
        room[STAGE] = HTML_OPEN
    elif tag.number == open_elements.HEAD_TAG and room[STAGE] < HEAD_OPEN:
        reach(room, out, HTML_OPEN)
        write_start(data, room, out, tag.begin, tag.attributes, 0)
        room[STAGE] = HEAD_OPEN
    elif tag.attributes and tag.number != open_elements.HEAD_TAG:
        add_attributes(data, room, out, tag, tag.number == open_elements.BODY_TAG)


@inlined
def follow_start(data: Bytes, room: Ints, out: Bytes, tag: Tag) -> None:
    """Write a start tag that was followed, with what it opens and closes."""
    number = tag.number
    kind = open_elements.kind_of(number)
    opens_body = number == open_elements.BODY_TAG and room[STAGE] < BODY_OPEN
    if kind == tag_classes.ROOT and not tag.alien and not opens_body:
        follow_root(data, room, out, tag)
    elif prepare(data, room, out, tag):
        if kind == tag_classes.BLOCK and not tag.alien and is_one_of(number, PRE, LISTING):
            room[SKIP] = tag.end
    elif not room[MESSY]:
        follow_empty(data, room, out, tag, kind)


@inner
def follow_empty(data: Bytes, room: Ints, out: Bytes, tag: Tag, kind: Integer) -> None:
    """Write an element without content, or nothing for a tag that the parser ignores."""
    number, top = tag.number, room[open_elements.TAG_AT + room[open_elements.COUNT] - 1]
    if tag.alien or is_one_of(number, tree_construction.SVG, tree_construction.MATH):
        space = (
            top >> open_elements.SPACE_SHIFT
            if tag.alien
            else 1 + (number == tree_construction.MATH)
        )
        name, after = write_start(data, room, out, tag.begin, tag.attributes, space)
        write_end(room, out, name, after)
    elif kind & tag_classes.EMPTY or number == open_elements.COL:
        if number == IMAGE:
            room[MESSY] = 1  # it becomes <img>
        elif number != tree_construction.FRAME and (
            number != open_elements.COL or top == open_elements.COLGROUP
        ):
            write_start(data, room, out, tag.begin, tag.attributes, 0)


@inner
def is_touchy(data: Bytes, room: Ints, i: Integer) -> bool:
    """Whether the content of a text area, which begins here, is not just text for the parser.

    It may begin with a reference to a line break, and the parser opens formatting again in it.
    """
    last = room[open_elements.ACTIVE] - 1
    return bool(
        (i < len(data) and data[i] == tokenizer.AMPERSAND)
        or (
            last >= 0
            and open_elements.find_serial(room, room[open_elements.ACTIVE_SERIAL_AT + last], 0) < 0
        )
    )


@inner
def follow_raw(
    data: Bytes, room: Ints, out: Bytes, tag: Tag, after: Integer, emptied: bool
) -> None:
    """Write an element whose content holds no tags and ends at a place."""
    prepare(data, room, out, tag)
    if after >= len(data) or (tag.number == TEXTAREA and is_touchy(data, room, tag.end)):
        room[MESSY] = 1
    if room[MESSY]:
        return
    name, name_end = write_start(data, room, out, tag.begin, tag.attributes, 0)
    if tag.number == TITLE:
        write_text(data, room, out, tag.end, after, False)
    elif tag.number == TEXTAREA:
        write_text(data, room, out, skip_newline(data, tag.end, after), after, False)
    elif not emptied:
        write_raw(data, room, out, tag.end, after)
    write_end(room, out, name, name_end)


@inlined
def skip_newline(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a line break, if there is one here."""
    i += i < end and data[i] == RETURN
    return i + (i < end and data[i] == NEWLINE)


@inlined
def follow_end(
    data: Bytes, room: Ints, out: Bytes, number: Integer, before: Integer, in_vain: bool
) -> None:
    """Write what an end tag closes; `in_vain`: nothing."""
    close_down(room, out)
    room[BEGUN] = 1
    if (
        number == open_elements.HEAD_TAG
        and room[STAGE] < BODY_OPEN
        and room[open_elements.COUNT] == 1
    ):
        reach(room, out, HEAD_CLOSED)
        return
    room[AFTER] = 0
    open_up(data, room, out, no_tag(before))
    if is_one_of(number, open_elements.BODY_TAG, open_elements.HTML):
        if open_elements.is_in_foreign(room):
            room[MESSY] = 1  # within SVG or MathML, which has rules of its own
        if open_elements.find(room, open_elements.BODY_TAG, tag_classes.SCOPE) >= 0:
            room[AFTER] = BODY_ENDED if number == open_elements.BODY_TAG else PAGE_ENDED
    elif number == tree_construction.BR:
        room[MESSY] = 1
    elif number == open_elements.P and in_vain and not tree_construction.is_before_body(room):
        if is_in_rows(room):
            room[MESSY] = 1
        elif not runs_out(room, out, 0):
            put(room, out, PARAGRAPH)


@inlined
def is_raw(room: Ints) -> bool:
    """Whether text stands in a script or its like in SVG or MathML: it is written as it is."""
    number = room[open_elements.TAG_AT + room[open_elements.COUNT] - 1] & open_elements.TAG_BITS
    raw = open_elements.kind_of(number) & (tag_classes.RAW | tag_classes.XMP | tag_classes.DROP)
    return bool(raw and open_elements.is_in_foreign(room))


@inner
def is_plain(data: Bytes, i: Integer, end: Integer) -> bool:
    """Whether text looks the same however it is written."""
    while i < end and (IS_PLAIN[data[i]] or data[i] == tokenizer.DOUBLE):
        i += 1
    return bool(i == end)


@inlined
def follow_text(
    data: Bytes, room: Ints, out: Bytes, begin: Integer, end: Integer, before: Integer
) -> None:
    """Write text, and what it closes."""
    if begin == room[SKIP]:
        room[MESSY] = data[begin] == tokenizer.AMPERSAND  # it may mean a line break
        begin = skip_newline(data, begin, end)
    i = begin
    while i < end and tokenizer.KIND_OF_BYTE[data[i]] == tokenizer.BLANK:
        i += 1
    blank = i == end
    if not blank and data[i] == tokenizer.AMPERSAND and (room[STAGE] < BODY_OPEN or room[AFTER]):
        room[MESSY] = 1  # it may mean a blank
        return
    if room[STAGE] < BODY_OPEN:
        if blank and room[open_elements.SERIAL] != before:
            room[MESSY] = 1  # formatting is opened again, in a template of the head
            return
        if room[STAGE] >= HEAD_OPEN:
            write_text(data, room, out, begin, i, False)
        if blank:
            return
        begin = i
    if not blank:
        room[BEGUN] = 1
        room[AFTER] = 0
    close_down(room, out)
    open_up(data, room, out, no_tag(before))
    if not blank and (is_in_rows(room) or (is_raw(room) and not is_plain(data, begin, end))):
        room[MESSY] = 1
    if not room[MESSY]:
        write_text(data, room, out, begin, end, False)


@inner
def write_comment(data: Bytes, room: Ints, out: Bytes, begin: Integer, end: Integer) -> None:
    """Write a comment."""
    if runs_out(room, out, 8):
        return
    put(room, out, COMMENT)
    write_raw(data, room, out, begin, end)
    put(room, out, END_OF_COMMENT)


@inner
def follow_comment(data: Bytes, room: Ints, out: Bytes, begin: Integer, end: Integer) -> None:
    """Write a comment, or keep it until what it stands behind has ended."""
    if not room[AFTER]:
        write_comment(data, room, out, begin, end)
        return
    k = room[TAILS]
    if k == guard_limits.MAX_TAILS:
        room[MESSY] = 1
        return
    room[TAIL_AT + 3 * k], room[TAIL_AT + 3 * k + 1] = begin, end
    room[TAIL_AT + 3 * k + 2] = room[AFTER]
    room[TAILS] = k + 1


@inner
def follow_doctype(room: Ints, out: Bytes) -> None:
    """Write the doctype, if it is the first thing on the page and not to be cut.

    The parser ignores it in the body, where some pages have another whole page, but not everywhere:
    between columns it closes them. Where it is cut, what stands around it may become a tag.
    """
    if room[BEGUN]:
        top = room[open_elements.COUNT] - 1
        odd = room[open_elements.MODE_AT + top] & (
            tag_classes.IN_ROWS | tag_classes.IN_COLUMNS | tag_classes.FRESH
        )
        odd |= room[open_elements.TAG_AT + top] >> open_elements.SPACE_SHIFT
        room[MESSY] |= room[guard_limits.NO_DOCTYPE] or odd or not room[open_elements.BODY_BEGAN]
    elif not room[guard_limits.NO_DOCTYPE] and not runs_out(room, out, 0):
        put(room, out, DOCTYPE)
    room[BEGUN] = 1


@inner
def finish(data: Bytes, room: Ints, out: Bytes) -> None:
    """Write the end of a page."""
    if room[open_elements.FRAMES]:
        room[MESSY] = 1
        return
    before = room[open_elements.SERIAL]
    if not room[open_elements.BODY_BEGAN]:
        tree_construction.begin_body(room)
    close_down(room, out)
    open_up(data, room, out, no_tag(before))
    room[open_elements.COUNT] = 1
    close_down(room, out)
    for which in (BODY_ENDED, PAGE_ENDED):
        for k in range(room[TAILS]):
            if room[TAIL_AT + 3 * k + 2] == which:
                begin, end = room[TAIL_AT + 3 * k], room[TAIL_AT + 3 * k + 1]
                write_comment(data, room, out, begin, end)
        if which == BODY_ENDED:
            write_end(
                room, out, room[guard_limits.WRITTEN_NAME_AT], room[guard_limits.WRITTEN_END_AT]
            )
