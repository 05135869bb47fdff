"""End tags, text, and everything inside SVG and MathML, for the guard; see rules.py."""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.page.guard import elements, rules, tags, tokens

Ints = NDArray[np.int64]


@inlined
def open_tag(room: Ints, tag: Integer, size: Integer, bits: Integer) -> Integer:
    """Follow a start tag, its length and what its attributes say; return what to do with it."""
    if room[elements.FRAMES]:
        return rules.open_frame(room, tag)
    closed = bits & tokens.CLOSED
    if not rules.is_foreign(room, tag):
        act = rules.open_html(room, tag, size)
        if closed and act == rules.KEEP and (tag == rules.SVG or tag == rules.MATH):
            room[elements.COUNT] -= 1
        return act
    if elements.is_one(tag, tags.BREAKS_OUT) or (tag == rules.FONT and bits & tokens.OF_HTML):
        return break_out(room, tag, size)
    if tag == rules.OPTION_TAG:
        return rules.CUT  # the parser takes it for one of HTML and writes where it must not
    if room[elements.COUNT] >= rules.MAX_DEPTH:
        return rules.CUT_DEEP
    if not closed:
        space = room[elements.TAG_AT + room[elements.COUNT] - 1] >> elements.SPACE_SHIFT
        elements.push(room, tag, space)
        if bits & tokens.HOLDS_HTML and space == elements.IN_MATH:
            room[elements.CLASS_AT + room[elements.COUNT] - 1] |= tags.POINT
    return rules.KEEP


@inner
def break_out(room: Ints, tag: Integer, size: Integer) -> Integer:
    """Follow a start tag of HTML in SVG or MathML, which end before it."""
    count = room[elements.COUNT]
    rules.leave_foreign(room)
    act = rules.open_html(room, tag, size)
    if act >= rules.CUT:
        room[elements.COUNT] = count  # nothing was written over
    return act


@inlined
def close_tag(room: Ints, tag: Integer) -> None:
    """Follow an end tag."""
    if room[elements.FRAMES]:
        room[elements.COUNT] -= tag == rules.FRAMESET_TAG and room[elements.COUNT] > 1
        return
    top = room[elements.COUNT] - 1
    if top > 0 and room[elements.TAG_AT + top] >> elements.SPACE_SHIFT:
        if tag == elements.P or tag == rules.BR:
            rules.leave_foreign(room)
        else:
            for k in range(top, 0, -1):
                if room[elements.TAG_AT + k] & elements.TAG_BITS == tag:
                    room[elements.COUNT] = k
                    return
                if room[elements.TAG_AT + k - 1] >> elements.SPACE_SHIFT == 0:
                    break
    close_html(room, tag)


@inner
def close_before_body(room: Ints, tag: Integer) -> bool:
    """Follow an end tag in the head or behind it; True: nothing else is to be done for it."""
    if room[elements.COUNT] == 2:
        if tag == elements.NOSCRIPT or tag == rules.BR:
            room[elements.COUNT] = 1
        if tag != rules.BR:
            return True
    if tag == elements.HEAD_TAG:
        room[elements.HEAD_ENDED] = 1
    if elements.is_one(tag, tags.STARTS_BODY):
        rules.begin_body(room)
    return bool(tag != rules.BR)


@inlined
def close_html(room: Ints, tag: Integer) -> None:
    """Follow an end tag of HTML."""
    kind = elements.kind_of(tag)
    if rules.is_before_body(room) and close_before_body(room, tag):
        return
    stays = elements.is_one(tag, tags.IN_COLGROUP) or tag == elements.COLGROUP
    if not stays and not elements.leave_columns(room):
        return
    if tag == elements.P:
        elements.close(room, tag, tags.BUTTON_SCOPE)
    elif kind & (tags.BLOCK | tags.BUTTON | tags.SELECT):
        elements.close(room, tag, tags.SCOPE)
    elif kind & tags.ANY_FORMAT:
        if elements.adopt(room, tag):
            elements.close(room, tag, tags.SPECIAL)
    elif kind == tags.ITEM:
        elements.close(room, tag, tags.LIST_SCOPE if tag == elements.LI else tags.SCOPE)
    elif kind & (tags.PART | tags.TABLE):
        close_part(room, tag)
    elif tag == rules.BR:
        elements.reopen(room)
        room[elements.FILLED] = 1
    elif kind != tags.ROOT:
        close_other(room, tag, kind)


@inner
def close_other(room: Ints, tag: Integer, kind: Integer) -> None:
    """Follow an end tag of a rare kind."""
    if kind == tags.HEADING:
        for k in range(room[elements.COUNT] - 1, -1, -1):
            if elements.H1 <= room[elements.TAG_AT + k] <= elements.H6:
                room[elements.COUNT] = k
                return
            if room[elements.CLASS_AT + k] & tags.SCOPE:
                return
    elif kind == tags.FORM:
        close_form(room)
    elif kind == tags.OBJECT:
        if elements.close(room, tag, tags.SCOPE):
            elements.clear_to_marker(room)
    elif kind == tags.TEMPLATE:
        if elements.close(room, tag, 0):
            elements.clear_to_marker(room)
    else:
        elements.close(room, tag, tags.SPECIAL)


@inner
def close_form(room: Ints) -> None:
    """Take the form out of the open elements."""
    if elements.find(room, elements.TEMPLATE_TAG, 0) >= 0:
        elements.close(room, elements.FORM_TAG, tags.SCOPE)
        return
    serial = room[elements.THE_FORM]
    room[elements.THE_FORM] = 0
    if serial and elements.find_serial(room, serial, tags.SCOPE) >= 0:
        elements.close_implied(room, 0)
        elements.remove_open(room, elements.find_serial(room, serial, tags.SCOPE))


@inner
def close_part(room: Ints, tag: Integer) -> None:
    """Follow the end tag of a table or of a part of one."""
    while True:
        k, mode = elements.find_table_mode(room)
        if mode == tags.IN_CELL:
            if elements.is_one(tag, tags.NO_ROWS) or elements.find(room, tag, tags.TABLE_SCOPE) < 0:
                return
            if elements.is_one(tag, tags.CELL):
                elements.close(room, tag, tags.TABLE_SCOPE)
            else:
                room[elements.COUNT] = k
            elements.clear_to_marker(room)
        elif mode == tags.IN_CAPTION and (tag == elements.CAPTION or tag == elements.TABLE_TAG):
            room[elements.COUNT] = k
            elements.clear_to_marker(room)
        elif (
            mode == tags.IN_COLUMNS
            and tag != elements.COL
            and room[elements.TAG_AT + k] == elements.COLGROUP
        ):
            room[elements.COUNT] = k
        elif not close_row(room, tag, k, mode):
            return
        if elements.is_one(tag, tags.CELL | tags.NO_ROWS):
            return


@inner
def close_row(room: Ints, tag: Integer, k: Integer, mode: Integer) -> bool:
    """Follow an end tag in a row, a section or straight in a table; False: it is done."""
    table = mode & (tags.IN_ROWS)
    if not table or elements.is_one(tag, tags.CELL | tags.NO_ROWS):
        return False
    if tag == elements.TABLE_TAG and mode == tags.IN_TABLE_ITSELF:
        elements.close(room, tag, tags.TABLE_SCOPE)
        return False
    if mode == tags.IN_TABLE_ITSELF or (mode == tags.IN_SECTION and tag == elements.TR):
        return False
    if room[elements.TAG_AT + k] == elements.TEMPLATE_TAG or (
        tag != elements.TABLE_TAG and elements.find(room, tag, tags.TABLE_SCOPE) < 0
    ):
        return False
    done = room[elements.TAG_AT + k] == tag
    room[elements.COUNT] = k
    return not done


@inner
def take_text(room: Ints, blank: bool) -> None:
    """Follow text; `blank`: nothing but white space."""
    top = room[elements.COUNT] - 1
    holds_html = room[elements.CLASS_AT + top] & (tags.POINT | tags.MATH_POINT)
    if room[elements.TAG_AT + top] >> elements.SPACE_SHIFT and not holds_html:
        return
    if rules.is_before_body(room):
        if blank:
            return
        rules.begin_body(room)
    if not blank and not elements.leave_columns(room):
        return
    mode = room[elements.MODE_AT + room[elements.COUNT] - 1]
    if not blank or not mode & (tags.IN_ROWS | tags.IN_COLUMNS):
        elements.reopen(room)
