"""End tags, text, and everything inside SVG and MathML, for the guard; see tree_construction.py."""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import open_elements, tag_classes, tokenizer, tree_construction

Ints = NDArray[np.int64]


@inlined
def open_tag(room: Ints, tag: Integer, size: Integer, bits: Integer) -> Integer:
    """Follow a start tag, its length and what its attributes say; return what to do with it."""
    if room[open_elements.FRAMES]:
        return tree_construction.open_frame(room, tag)
    closed = bits & tokenizer.CLOSED
    if not tree_construction.is_foreign(room, tag):
        act = tree_construction.open_html(room, tag, size)
        if (
            closed
            and act == tree_construction.KEEP
            and (tag == tree_construction.SVG or tag == tree_construction.MATH)
        ):
            room[open_elements.COUNT] -= 1
        return act
    if open_elements.is_one(tag, tag_classes.BREAKS_OUT) or (
        tag == tree_construction.FONT and bits & tokenizer.OF_HTML
    ):
        return break_out(room, tag, size)
    if tag == tree_construction.OPTION_TAG:
        return (
            tree_construction.CUT
        )  # the parser takes it for one of HTML and writes where it must not
    if room[open_elements.COUNT] >= tree_construction.MAX_DEPTH:
        return tree_construction.CUT_DEEP
    if not closed:
        space = (
            room[open_elements.TAG_AT + room[open_elements.COUNT] - 1] >> open_elements.SPACE_SHIFT
        )
        open_elements.push(room, tag, space)
        if bits & tokenizer.HOLDS_HTML and space == open_elements.IN_MATH:
            room[open_elements.CLASS_AT + room[open_elements.COUNT] - 1] |= tag_classes.POINT
    return tree_construction.KEEP


@inner
def break_out(room: Ints, tag: Integer, size: Integer) -> Integer:
    """Follow a start tag of HTML in SVG or MathML, which end before it."""
    count = room[open_elements.COUNT]
    tree_construction.leave_foreign(room)
    act = tree_construction.open_html(room, tag, size)
    if act >= tree_construction.CUT:
        room[open_elements.COUNT] = count  # nothing was written over
    return act


@inlined
def close_tag(room: Ints, tag: Integer) -> None:
    """Follow an end tag."""
    if room[open_elements.FRAMES]:
        room[open_elements.COUNT] -= (
            tag == tree_construction.FRAMESET_TAG and room[open_elements.COUNT] > 1
        )
        return
    top = room[open_elements.COUNT] - 1
    if top > 0 and room[open_elements.TAG_AT + top] >> open_elements.SPACE_SHIFT:
        if tag == open_elements.P or tag == tree_construction.BR:
            tree_construction.leave_foreign(room)
        else:
            for k in range(top, 0, -1):
                if room[open_elements.TAG_AT + k] & open_elements.TAG_BITS == tag:
                    room[open_elements.COUNT] = k
                    return
                if room[open_elements.TAG_AT + k - 1] >> open_elements.SPACE_SHIFT == 0:
                    break
    close_html(room, tag)


@inner
def close_before_body(room: Ints, tag: Integer) -> bool:
    """Follow an end tag in the head or behind it; True: nothing else is to be done for it."""
    if room[open_elements.COUNT] == 2:
        if tag == open_elements.NOSCRIPT or tag == tree_construction.BR:
            room[open_elements.COUNT] = 1
        if tag != tree_construction.BR:
            return True
    if tag == open_elements.HEAD_TAG:
        room[open_elements.HEAD_ENDED] = 1
    if open_elements.is_one(tag, tag_classes.STARTS_BODY):
        tree_construction.begin_body(room)
    return bool(tag != tree_construction.BR)


@inlined
def close_html(room: Ints, tag: Integer) -> None:
    """Follow an end tag of HTML."""
    kind = open_elements.kind_of(tag)
    if tree_construction.is_before_body(room) and close_before_body(room, tag):
        return
    stays = open_elements.is_one(tag, tag_classes.IN_COLGROUP) or tag == open_elements.COLGROUP
    if not stays and not open_elements.leave_columns(room):
        return
    if tag == open_elements.P:
        open_elements.close(room, tag, tag_classes.BUTTON_SCOPE)
    elif kind & (tag_classes.BLOCK | tag_classes.BUTTON | tag_classes.SELECT):
        open_elements.close(room, tag, tag_classes.SCOPE)
    elif kind & tag_classes.ANY_FORMAT:
        if open_elements.adopt(room, tag):
            open_elements.close(room, tag, tag_classes.SPECIAL)
    elif kind == tag_classes.ITEM:
        open_elements.close(
            room, tag, tag_classes.LIST_SCOPE if tag == open_elements.LI else tag_classes.SCOPE
        )
    elif kind & (tag_classes.PART | tag_classes.TABLE):
        close_part(room, tag)
    elif tag == tree_construction.BR:
        open_elements.reopen(room)
        room[open_elements.FILLED] = 1
    elif kind != tag_classes.ROOT:
        close_other(room, tag, kind)


@inner
def close_other(room: Ints, tag: Integer, kind: Integer) -> None:
    """Follow an end tag of a rare kind."""
    if kind == tag_classes.HEADING:
        for k in range(room[open_elements.COUNT] - 1, -1, -1):
            if open_elements.H1 <= room[open_elements.TAG_AT + k] <= open_elements.H6:
                room[open_elements.COUNT] = k
                return
            if room[open_elements.CLASS_AT + k] & tag_classes.SCOPE:
                return
    elif kind == tag_classes.FORM:
        close_form(room)
    elif kind == tag_classes.OBJECT:
        if open_elements.close(room, tag, tag_classes.SCOPE):
            open_elements.clear_to_marker(room)
    elif kind == tag_classes.TEMPLATE:
        if open_elements.close(room, tag, 0):
            open_elements.clear_to_marker(room)
    else:
        open_elements.close(room, tag, tag_classes.SPECIAL)


@inner
def close_form(room: Ints) -> None:
    """Take the form out of the open elements."""
    if open_elements.find(room, open_elements.TEMPLATE_TAG, 0) >= 0:
        open_elements.close(room, open_elements.FORM_TAG, tag_classes.SCOPE)
        return
    serial = room[open_elements.THE_FORM]
    room[open_elements.THE_FORM] = 0
    if serial and open_elements.find_serial(room, serial, tag_classes.SCOPE) >= 0:
        open_elements.close_implied(room, 0)
        open_elements.remove_open(room, open_elements.find_serial(room, serial, tag_classes.SCOPE))


@inner
def close_part(room: Ints, tag: Integer) -> None:
    """Follow the end tag of a table or of a part of one."""
    while True:
        k, mode = open_elements.find_table_mode(room)
        if mode == tag_classes.IN_CELL:
            if (
                open_elements.is_one(tag, tag_classes.NO_ROWS)
                or open_elements.find(room, tag, tag_classes.TABLE_SCOPE) < 0
            ):
                return
            if open_elements.is_one(tag, tag_classes.CELL):
                open_elements.close(room, tag, tag_classes.TABLE_SCOPE)
            else:
                room[open_elements.COUNT] = k
            open_elements.clear_to_marker(room)
        elif mode == tag_classes.IN_CAPTION and (
            tag == open_elements.CAPTION or tag == open_elements.TABLE_TAG
        ):
            room[open_elements.COUNT] = k
            open_elements.clear_to_marker(room)
        elif (
            mode == tag_classes.IN_COLUMNS
            and tag != open_elements.COL
            and room[open_elements.TAG_AT + k] == open_elements.COLGROUP
        ):
            room[open_elements.COUNT] = k
        elif not close_row(room, tag, k, mode):
            return
        if open_elements.is_one(tag, tag_classes.CELL | tag_classes.NO_ROWS):
            return


@inner
def close_row(room: Ints, tag: Integer, k: Integer, mode: Integer) -> bool:
    """Follow an end tag in a row, a section or straight in a table; False: it is done."""
    table = mode & (tag_classes.IN_ROWS)
    if not table or open_elements.is_one(tag, tag_classes.CELL | tag_classes.NO_ROWS):
        return False
    if tag == open_elements.TABLE_TAG and mode == tag_classes.IN_TABLE_ITSELF:
        open_elements.close(room, tag, tag_classes.TABLE_SCOPE)
        return False
    if mode == tag_classes.IN_TABLE_ITSELF or (
        mode == tag_classes.IN_SECTION and tag == open_elements.TR
    ):
        return False
    if room[open_elements.TAG_AT + k] == open_elements.TEMPLATE_TAG or (
        tag != open_elements.TABLE_TAG
        and open_elements.find(room, tag, tag_classes.TABLE_SCOPE) < 0
    ):
        return False
    done = room[open_elements.TAG_AT + k] == tag
    room[open_elements.COUNT] = k
    return not done


@inner
def take_text(room: Ints, blank: bool) -> None:
    """Follow text; `blank`: nothing but white space."""
    top = room[open_elements.COUNT] - 1
    holds_html = room[open_elements.CLASS_AT + top] & (tag_classes.POINT | tag_classes.MATH_POINT)
    if room[open_elements.TAG_AT + top] >> open_elements.SPACE_SHIFT and not holds_html:
        return
    if tree_construction.is_before_body(room):
        if blank:
            return
        tree_construction.begin_body(room)
    if not blank and not open_elements.leave_columns(room):
        return
    mode = room[open_elements.MODE_AT + room[open_elements.COUNT] - 1]
    if not blank or not mode & (tag_classes.IN_ROWS | tag_classes.IN_COLUMNS):
        open_elements.reopen(room)
