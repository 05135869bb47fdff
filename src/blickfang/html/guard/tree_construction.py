"""What a tag does to the open elements: the rules of the HTML standard, kind by kind.

In: a tag, in a kernel, and the elements open before it (open_elements.py). Out: the elements open
after it, and what the guard shall do with the tag. A tag that is cut must change nothing here, as
the parser will not see it.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import open_elements, tag_classes

Ints = NDArray[np.int64]

KEEP, READ_RAW = range(2)  # what to do with a start tag
CUT, CUT_DEEP, CUT_FORMATTING, CUT_BEYOND = range(2, 6)  # but for the first: with its end tag
MAX_DEPTH = 256
MAX_FORMATTING = 24
MAX_ALIKE = 3  # with attributes: of more, the parser drops one if they are equal
FULL = 480  # active formatting elements and markers; there is room for 512

SCRIPT, STYLE, FONT, BR = map(tag_classes.number_of, ("script", "style", "font", "br"))
SVG, MATH, ANNOTATION = map(tag_classes.number_of, ("svg", "math", "annotation-xml"))
MGLYPH, MALIGNMARK = map(tag_classes.number_of, ("mglyph", "malignmark"))
RUBY_TAG, RP, RT, RTC = map(tag_classes.number_of, ("ruby", "rp", "rt", "rtc"))
OPTGROUP, OPTION_TAG = map(tag_classes.number_of, ("optgroup", "option"))
FRAME, FRAMESET_TAG, NOFRAMES = map(tag_classes.number_of, ("frame", "frameset", "noframes"))
PLAINTEXT = tag_classes.number_of("plaintext")


@inner
def begin_body(room: Ints) -> None:
    """Close what is open of the head and open the body."""
    room[open_elements.COUNT] = 1
    open_elements.push(room, open_elements.BODY_TAG, 0)
    room[open_elements.BODY_BEGAN] = 1


@inner
def is_before_body(room: Ints) -> bool:
    """Whether the parser is still at the head or behind it."""
    count = room[open_elements.COUNT]
    return bool(
        not room[open_elements.BODY_BEGAN]
        and (
            count == 1 or (count == 2 and room[open_elements.TAG_AT + 1] == open_elements.NOSCRIPT)
        )
    )


@inner
def take_before_body(room: Ints, tag: Integer) -> bool:
    """Follow a start tag of the head; True: nothing else is to be done for it."""
    bits = tag_classes.CLASS_OF[tag] if tag < tag_classes.UNKNOWN else 0
    if tag == open_elements.HTML or tag == open_elements.HEAD_TAG:
        return True
    if room[open_elements.COUNT] == 2:  # a noscript element in the head
        if bits & tag_classes.IN_NOSCRIPT:
            return True
        room[open_elements.COUNT] = 1
    if bits & tag_classes.IN_HEAD:
        return bool(tag != open_elements.TEMPLATE_TAG)
    if tag == open_elements.NOSCRIPT and not room[open_elements.HEAD_ENDED]:
        open_elements.push(room, tag, 0)
        return True
    begin_body(room)
    return bool(tag == open_elements.BODY_TAG)


@inner
def open_item(room: Ints, tag: Integer) -> None:
    """Open a list item; one before it in the same list ends."""
    for k in range(room[open_elements.COUNT] - 1, -1, -1):
        other = room[open_elements.TAG_AT + k]
        if other == tag or (
            tag != open_elements.LI and (other == open_elements.DD or other == open_elements.DT)
        ):
            room[open_elements.COUNT] = k
            break
        if room[open_elements.CLASS_AT + k] & tag_classes.STOPS_ITEM:
            break
    open_elements.close_paragraph(room)
    open_elements.push(room, tag, 0)


@inner
def is_crowded(room: Ints, tag: Integer, size: Integer) -> bool:
    """Whether another formatting element would be too many, or one that the parser may drop."""
    count = alike = 0
    for k in range(room[open_elements.ACTIVE] - 1, -1, -1):
        if room[open_elements.ACTIVE_AT + k] == open_elements.MARKER:
            break
        count += 1
        alike += room[open_elements.ACTIVE_AT + k] == tag and room[open_elements.SIZE_AT + k] > 0
    return bool(count >= MAX_FORMATTING or (size > 0 and alike >= MAX_ALIKE))


@inner
def open_formatting(room: Ints, tag: Integer, kind: Integer, size: Integer) -> None:
    """Open a formatting element; of those without attributes at most three of a tag stay active."""
    if kind == tag_classes.ANCHOR:
        k = open_elements.find_named_active(room, tag)
        if k >= 0:
            serial = room[open_elements.ACTIVE_SERIAL_AT + k]
            open_elements.adopt(room, tag)
            k = open_elements.find_active(room, serial)
            if k >= 0:
                open_elements.remove_active(room, k)
            k = open_elements.find_serial(room, serial, 0)
            if k >= 0:
                open_elements.remove_open(room, k)
    open_elements.reopen(room)
    if kind == tag_classes.NOBR and open_elements.find(room, tag, tag_classes.SCOPE) >= 0:
        if open_elements.adopt(room, tag):
            open_elements.close(room, tag, tag_classes.SPECIAL)
        open_elements.reopen(room)
    open_elements.push(room, tag, 0)
    first, alike = 0, 0
    for k in range(room[open_elements.ACTIVE] - 1, -1, -1):
        if room[open_elements.ACTIVE_AT + k] == open_elements.MARKER:
            break
        if (
            room[open_elements.ACTIVE_AT + k] == tag
            and room[open_elements.SIZE_AT + k] == 0
            and size == 0
        ):
            first, alike = k, alike + 1
    if alike >= 3:
        open_elements.remove_active(room, first)
    open_elements.insert_active(
        room, room[open_elements.ACTIVE], tag, room[open_elements.SERIAL], size
    )


@inner
def open_table(room: Ints) -> None:
    """Open a table; it ends one that it stands in directly."""
    while True:
        _, mode = open_elements.find_table_mode(room)
        if mode & tag_classes.IN_ROWS:
            if not open_elements.close(room, open_elements.TABLE_TAG, tag_classes.TABLE_SCOPE):
                return
        else:
            break
    if not room[open_elements.QUIRKS]:
        open_elements.close_paragraph(room)
    open_elements.push(room, open_elements.TABLE_TAG, 0)


@inner
def open_form(room: Ints) -> None:
    """Open a form, unless one is open."""
    in_template = open_elements.find(room, open_elements.TEMPLATE_TAG, 0) >= 0
    if room[open_elements.THE_FORM] and not in_template:
        return
    _, mode = open_elements.find_table_mode(room)
    if mode & tag_classes.IN_ROWS:
        room[open_elements.SERIAL] += 1  # it stands there without content
    else:
        open_elements.close_paragraph(room)
        open_elements.push(room, open_elements.FORM_TAG, 0)
    if not in_template:
        room[open_elements.THE_FORM] = room[open_elements.SERIAL]


@inner
def open_in_select(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open a select element or an option, or what ends them."""
    if kind == tag_classes.SELECT:
        if open_elements.close(room, tag, tag_classes.SCOPE):
            return
        open_elements.reopen(room)
        open_elements.push(room, tag, 0)
    elif kind == tag_classes.INPUT:
        open_elements.close(room, open_elements.SELECT_TAG, tag_classes.SCOPE)
        open_elements.reopen(room)
    else:
        if open_elements.find(room, open_elements.SELECT_TAG, tag_classes.SCOPE) >= 0:
            open_elements.close_implied(room, OPTGROUP if tag == OPTION_TAG else 0)
        elif (
            kind == tag_classes.OPTION
            and room[open_elements.TAG_AT + room[open_elements.COUNT] - 1] == OPTION_TAG
        ):
            room[open_elements.COUNT] -= 1
        if kind == tag_classes.OPTION:
            open_elements.reopen(room)
            open_elements.push(room, tag, 0)


@inner
def open_block(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open a block or heading, or a ruby text; a paragraph ends before a block."""
    if kind == tag_classes.RUBY:
        if open_elements.find(room, RUBY_TAG, tag_classes.SCOPE) >= 0:
            open_elements.close_implied(room, 0 if tag < RP or tag > RT else RTC)
    else:
        open_elements.close_paragraph(room)
        if (
            kind == tag_classes.HEADING
            and open_elements.H1
            <= room[open_elements.TAG_AT + room[open_elements.COUNT] - 1]
            <= open_elements.H6
        ):
            room[open_elements.COUNT] -= 1
    open_elements.push(room, tag, 0)


@inner
def open_inline(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open an element that stands in a line."""
    if kind == tag_classes.BUTTON:
        open_elements.close(room, tag, tag_classes.SCOPE)
    open_elements.reopen(room)
    if kind == tag_classes.FOREIGN:
        open_elements.push(room, tag, open_elements.IN_SVG if tag == SVG else open_elements.IN_MATH)
    else:
        open_elements.push(room, tag, 0)
    if kind == tag_classes.OBJECT:
        open_elements.add_marker(room)


@inner
def open_kind(room: Ints, tag: Integer, kind: Integer, size: Integer) -> None:
    """Follow a start tag in the body."""
    if kind & (tag_classes.BLOCK | tag_classes.HEADING | tag_classes.RUBY):
        open_block(room, tag, kind)
    elif kind & tag_classes.ANY_FORMAT:
        open_formatting(room, tag, kind, size)
    elif kind == tag_classes.ITEM:
        open_item(room, tag)
    elif kind == tag_classes.VOID:
        open_elements.reopen(room)
    elif kind == tag_classes.PART:
        open_elements.open_part(room, tag)
    elif kind == tag_classes.TABLE:
        open_table(room)
    elif kind == tag_classes.FORM:
        open_form(room)
    else:
        open_other(room, tag, kind)


@inner
def open_other(room: Ints, tag: Integer, kind: Integer) -> None:
    """Follow a start tag of a rare kind in the body."""
    if kind & (
        tag_classes.ORDINARY | tag_classes.BUTTON | tag_classes.OBJECT | tag_classes.FOREIGN
    ):
        open_inline(room, tag, kind)
    elif kind & (tag_classes.SELECT | tag_classes.INPUT | tag_classes.OPTION):
        open_in_select(room, tag, kind)
    elif kind == tag_classes.RULE:
        open_elements.close_paragraph(room)
        open_in_select(room, tag, kind)
    elif kind == tag_classes.XMP:
        open_elements.close_paragraph(room)
        open_elements.reopen(room)
    elif kind == tag_classes.TEMPLATE:
        open_elements.push(room, tag, 0)
        open_elements.add_marker(room)


@inner
def check_room(room: Ints, tag: Integer, kind: Integer, size: Integer) -> Integer:
    """Return whether a start tag can be kept: KEEP, or why it is to be cut."""
    if (
        kind
        & (
            tag_classes.VOID
            | tag_classes.QUIET
            | tag_classes.RULE
            | tag_classes.ROOT
            | tag_classes.RAW
            | tag_classes.XMP
        )
        or tag == open_elements.COL
    ):
        return KEEP
    if kind == tag_classes.INPUT:
        _, mode = open_elements.find_table_mode(room)
        rows = mode & tag_classes.IN_ROWS  # there it depends on its attributes
        return (
            CUT
            if rows and open_elements.find(room, open_elements.SELECT_TAG, tag_classes.SCOPE) >= 0
            else KEEP
        )
    if room[open_elements.COUNT] >= MAX_DEPTH:
        return CUT_DEEP
    if kind & tag_classes.ANY_FORMAT and is_crowded(room, tag, size):
        return CUT_FORMATTING
    marks = kind & (
        tag_classes.ANY_FORMAT | tag_classes.OBJECT | tag_classes.PART | tag_classes.TEMPLATE
    )
    return CUT_FORMATTING if marks and room[open_elements.ACTIVE] >= FULL else KEEP


@inner
def begin_frames(room: Ints) -> None:
    """Let the page have frames instead of a body; also where that began, if nothing came in it."""
    if is_before_body(room):
        room[open_elements.FRAMES] = 1
    elif (
        not room[open_elements.FILLED] and room[open_elements.TAG_AT + 1] == open_elements.BODY_TAG
    ):
        room[open_elements.FRAMES] = room[open_elements.COUNT] = 1


@inner
def open_frame(room: Ints, tag: Integer) -> Integer:
    """Follow a start tag on a page of frames: the parser ignores all others."""
    if tag == NOFRAMES:
        return READ_RAW
    if tag == FRAMESET_TAG and room[open_elements.FRAMES]:
        if room[open_elements.COUNT] >= MAX_DEPTH:
            return CUT_DEEP
        open_elements.push(room, tag, 0)
        return KEEP
    return KEEP if tag == FRAME else CUT


@inlined
def open_html(room: Ints, tag: Integer, size: Integer) -> Integer:
    """Follow a start tag of HTML; return what to do with it."""
    kind = open_elements.kind_of(tag)
    raw = kind & (tag_classes.RAW | tag_classes.XMP)
    if kind == tag_classes.DROP:
        return CUT
    if kind == tag_classes.FRAMESET:
        begin_frames(room)
        return open_frame(room, tag)
    act = check_room(room, tag, kind, size)
    if act != KEEP:
        return act
    if is_before_body(room) and take_before_body(room, tag):
        return READ_RAW if raw else KEEP
    stays = open_elements.is_one(tag, tag_classes.IN_COLGROUP) or tag == open_elements.HTML
    if not stays and not open_elements.leave_columns(room):
        return CUT
    top = room[open_elements.COUNT] - 1
    fresh = (
        room[open_elements.MODE_AT + top] == tag_classes.FRESH
    )  # a template without content so far
    if fresh and kind != tag_classes.PART and not open_elements.is_one(tag, tag_classes.IN_HEAD):
        room[open_elements.MODE_AT + top] = tag_classes.BODY
    open_kind(room, tag, kind, size)
    return READ_RAW if raw else KEEP


@inner
def leave_foreign(room: Ints) -> None:
    """Close elements of SVG and MathML up to one that holds HTML."""
    while room[open_elements.COUNT] > 1:
        k = room[open_elements.COUNT] - 1
        if room[open_elements.TAG_AT + k] >> open_elements.SPACE_SHIFT == 0 or room[
            open_elements.CLASS_AT + k
        ] & (tag_classes.POINT | tag_classes.MATH_POINT):
            return
        room[open_elements.COUNT] = k


@inner
def is_foreign(room: Ints, tag: Integer) -> bool:
    """Whether a start tag means an element of SVG or MathML."""
    k = room[open_elements.COUNT] - 1
    if (
        k < 0
        or room[open_elements.TAG_AT + k] >> open_elements.SPACE_SHIFT == 0
        or room[open_elements.CLASS_AT + k] & tag_classes.POINT
    ):
        return False
    if (
        room[open_elements.CLASS_AT + k] & tag_classes.MATH_POINT
        and tag != MGLYPH
        and tag != MALIGNMARK
    ):
        return False
    annotation = ANNOTATION | open_elements.IN_MATH << open_elements.SPACE_SHIFT
    return not (tag == SVG and room[open_elements.TAG_AT + k] == annotation)
