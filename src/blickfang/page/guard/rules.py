"""What a tag does to the open elements: the rules of the HTML standard, kind by kind.

In: a tag, in a kernel, and the elements open before it (elements.py). Out: the elements open
after it, and what the guard shall do with the tag. A tag that is cut must change nothing here, as
the parser will not see it.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.page.guard import elements, tags

Ints = NDArray[np.int64]

KEEP, READ_RAW = range(2)  # what to do with a start tag
CUT, CUT_DEEP, CUT_FORMATTING, CUT_BEYOND = range(2, 6)  # but for the first: with its end tag
MAX_DEPTH = 256
MAX_FORMATTING = 24
MAX_ALIKE = 3  # with attributes: of more, the parser drops one if they are equal
FULL = 480  # active formatting elements and markers; there is room for 512

SCRIPT, STYLE, FONT, BR = map(tags.number_of, ("script", "style", "font", "br"))
SVG, MATH, ANNOTATION = map(tags.number_of, ("svg", "math", "annotation-xml"))
MGLYPH, MALIGNMARK = map(tags.number_of, ("mglyph", "malignmark"))
RUBY_TAG, RP, RT, RTC = map(tags.number_of, ("ruby", "rp", "rt", "rtc"))
OPTGROUP, OPTION_TAG = map(tags.number_of, ("optgroup", "option"))
FRAME, FRAMESET_TAG, NOFRAMES = map(tags.number_of, ("frame", "frameset", "noframes"))
PLAINTEXT = tags.number_of("plaintext")


@inner
def begin_body(room: Ints) -> None:
    """Close what is open of the head and open the body."""
    room[elements.COUNT] = 1
    elements.push(room, elements.BODY_TAG, 0)
    room[elements.BODY_BEGAN] = 1


@inner
def is_before_body(room: Ints) -> bool:
    """Whether the parser is still at the head or behind it."""
    count = room[elements.COUNT]
    return bool(
        not room[elements.BODY_BEGAN]
        and (count == 1 or (count == 2 and room[elements.TAG_AT + 1] == elements.NOSCRIPT))
    )


@inner
def take_before_body(room: Ints, tag: Integer) -> bool:
    """Follow a start tag of the head; True: nothing else is to be done for it."""
    bits = tags.CLASS_OF[tag] if tag < tags.UNKNOWN else 0
    if tag == elements.HTML or tag == elements.HEAD_TAG:
        return True
    if room[elements.COUNT] == 2:  # a noscript element in the head
        if bits & tags.IN_NOSCRIPT:
            return True
        room[elements.COUNT] = 1
    if bits & tags.IN_HEAD:
        return bool(tag != elements.TEMPLATE_TAG)
    if tag == elements.NOSCRIPT and not room[elements.HEAD_ENDED]:
        elements.push(room, tag, 0)
        return True
    begin_body(room)
    return bool(tag == elements.BODY_TAG)


@inner
def open_item(room: Ints, tag: Integer) -> None:
    """Open a list item; one before it in the same list ends."""
    for k in range(room[elements.COUNT] - 1, -1, -1):
        other = room[elements.TAG_AT + k]
        if other == tag or (tag != elements.LI and (other == elements.DD or other == elements.DT)):
            room[elements.COUNT] = k
            break
        if room[elements.CLASS_AT + k] & tags.STOPS_ITEM:
            break
    elements.close_paragraph(room)
    elements.push(room, tag, 0)


@inner
def is_crowded(room: Ints, tag: Integer, size: Integer) -> bool:
    """Whether another formatting element would be too many, or one that the parser may drop."""
    count = alike = 0
    for k in range(room[elements.ACTIVE] - 1, -1, -1):
        if room[elements.ACTIVE_AT + k] == elements.MARKER:
            break
        count += 1
        alike += room[elements.ACTIVE_AT + k] == tag and room[elements.SIZE_AT + k] > 0
    return bool(count >= MAX_FORMATTING or (size > 0 and alike >= MAX_ALIKE))


@inner
def open_formatting(room: Ints, tag: Integer, kind: Integer, size: Integer) -> None:
    """Open a formatting element; of those without attributes at most three of a tag stay active."""
    if kind == tags.ANCHOR:
        k = elements.find_named_active(room, tag)
        if k >= 0:
            serial = room[elements.ACTIVE_SERIAL_AT + k]
            elements.adopt(room, tag)
            k = elements.find_active(room, serial)
            if k >= 0:
                elements.remove_active(room, k)
            k = elements.find_serial(room, serial, 0)
            if k >= 0:
                elements.remove_open(room, k)
    elements.reopen(room)
    if kind == tags.NOBR and elements.find(room, tag, tags.SCOPE) >= 0:
        if elements.adopt(room, tag):
            elements.close(room, tag, tags.SPECIAL)
        elements.reopen(room)
    elements.push(room, tag, 0)
    first, alike = 0, 0
    for k in range(room[elements.ACTIVE] - 1, -1, -1):
        if room[elements.ACTIVE_AT + k] == elements.MARKER:
            break
        if room[elements.ACTIVE_AT + k] == tag and room[elements.SIZE_AT + k] == 0 and size == 0:
            first, alike = k, alike + 1
    if alike >= 3:
        elements.remove_active(room, first)
    elements.insert_active(room, room[elements.ACTIVE], tag, room[elements.SERIAL], size)


@inner
def open_table(room: Ints) -> None:
    """Open a table; it ends one that it stands in directly."""
    while True:
        _, mode = elements.find_table_mode(room)
        if mode & tags.IN_ROWS:
            if not elements.close(room, elements.TABLE_TAG, tags.TABLE_SCOPE):
                return
        else:
            break
    if not room[elements.QUIRKS]:
        elements.close_paragraph(room)
    elements.push(room, elements.TABLE_TAG, 0)


@inner
def open_form(room: Ints) -> None:
    """Open a form, unless one is open."""
    in_template = elements.find(room, elements.TEMPLATE_TAG, 0) >= 0
    if room[elements.THE_FORM] and not in_template:
        return
    _, mode = elements.find_table_mode(room)
    if mode & tags.IN_ROWS:
        room[elements.SERIAL] += 1  # it stands there without content
    else:
        elements.close_paragraph(room)
        elements.push(room, elements.FORM_TAG, 0)
    if not in_template:
        room[elements.THE_FORM] = room[elements.SERIAL]


@inner
def open_in_select(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open a select element or an option, or what ends them."""
    if kind == tags.SELECT:
        if elements.close(room, tag, tags.SCOPE):
            return
        elements.reopen(room)
        elements.push(room, tag, 0)
    elif kind == tags.INPUT:
        elements.close(room, elements.SELECT_TAG, tags.SCOPE)
        elements.reopen(room)
    else:
        if elements.find(room, elements.SELECT_TAG, tags.SCOPE) >= 0:
            elements.close_implied(room, OPTGROUP if tag == OPTION_TAG else 0)
        elif kind == tags.OPTION and room[elements.TAG_AT + room[elements.COUNT] - 1] == OPTION_TAG:
            room[elements.COUNT] -= 1
        if kind == tags.OPTION:
            elements.reopen(room)
            elements.push(room, tag, 0)


@inner
def open_block(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open a block or heading, or a ruby text; a paragraph ends before a block."""
    if kind == tags.RUBY:
        if elements.find(room, RUBY_TAG, tags.SCOPE) >= 0:
            elements.close_implied(room, 0 if tag < RP or tag > RT else RTC)
    else:
        elements.close_paragraph(room)
        if (
            kind == tags.HEADING
            and elements.H1 <= room[elements.TAG_AT + room[elements.COUNT] - 1] <= elements.H6
        ):
            room[elements.COUNT] -= 1
    elements.push(room, tag, 0)


@inner
def open_inline(room: Ints, tag: Integer, kind: Integer) -> None:
    """Open an element that stands in a line."""
    if kind == tags.BUTTON:
        elements.close(room, tag, tags.SCOPE)
    elements.reopen(room)
    if kind == tags.FOREIGN:
        elements.push(room, tag, elements.IN_SVG if tag == SVG else elements.IN_MATH)
    else:
        elements.push(room, tag, 0)
    if kind == tags.OBJECT:
        elements.add_marker(room)


@inner
def open_kind(room: Ints, tag: Integer, kind: Integer, size: Integer) -> None:
    """Follow a start tag in the body."""
    if kind & (tags.BLOCK | tags.HEADING | tags.RUBY):
        open_block(room, tag, kind)
    elif kind & tags.ANY_FORMAT:
        open_formatting(room, tag, kind, size)
    elif kind == tags.ITEM:
        open_item(room, tag)
    elif kind == tags.VOID:
        elements.reopen(room)
    elif kind == tags.PART:
        elements.open_part(room, tag)
    elif kind == tags.TABLE:
        open_table(room)
    elif kind == tags.FORM:
        open_form(room)
    else:
        open_other(room, tag, kind)


@inner
def open_other(room: Ints, tag: Integer, kind: Integer) -> None:
    """Follow a start tag of a rare kind in the body."""
    if kind & (tags.ORDINARY | tags.BUTTON | tags.OBJECT | tags.FOREIGN):
        open_inline(room, tag, kind)
    elif kind & (tags.SELECT | tags.INPUT | tags.OPTION):
        open_in_select(room, tag, kind)
    elif kind == tags.RULE:
        elements.close_paragraph(room)
        open_in_select(room, tag, kind)
    elif kind == tags.XMP:
        elements.close_paragraph(room)
        elements.reopen(room)
    elif kind == tags.TEMPLATE:
        elements.push(room, tag, 0)
        elements.add_marker(room)


@inner
def check_room(room: Ints, tag: Integer, kind: Integer, size: Integer) -> Integer:
    """Return whether a start tag can be kept: KEEP, or why it is to be cut."""
    if (
        kind & (tags.VOID | tags.QUIET | tags.RULE | tags.ROOT | tags.RAW | tags.XMP)
        or tag == elements.COL
    ):
        return KEEP
    if kind == tags.INPUT:
        _, mode = elements.find_table_mode(room)
        rows = mode & tags.IN_ROWS  # there it depends on its attributes
        return CUT if rows and elements.find(room, elements.SELECT_TAG, tags.SCOPE) >= 0 else KEEP
    if room[elements.COUNT] >= MAX_DEPTH:
        return CUT_DEEP
    if kind & tags.ANY_FORMAT and is_crowded(room, tag, size):
        return CUT_FORMATTING
    marks = kind & (tags.ANY_FORMAT | tags.OBJECT | tags.PART | tags.TEMPLATE)
    return CUT_FORMATTING if marks and room[elements.ACTIVE] >= FULL else KEEP


@inner
def begin_frames(room: Ints) -> None:
    """Let the page have frames instead of a body; also where that began, if nothing came in it."""
    if is_before_body(room):
        room[elements.FRAMES] = 1
    elif not room[elements.FILLED] and room[elements.TAG_AT + 1] == elements.BODY_TAG:
        room[elements.FRAMES] = room[elements.COUNT] = 1


@inner
def open_frame(room: Ints, tag: Integer) -> Integer:
    """Follow a start tag on a page of frames: the parser ignores all others."""
    if tag == NOFRAMES:
        return READ_RAW
    if tag == FRAMESET_TAG and room[elements.FRAMES]:
        if room[elements.COUNT] >= MAX_DEPTH:
            return CUT_DEEP
        elements.push(room, tag, 0)
        return KEEP
    return KEEP if tag == FRAME else CUT


@inlined
def open_html(room: Ints, tag: Integer, size: Integer) -> Integer:
    """Follow a start tag of HTML; return what to do with it."""
    kind = elements.kind_of(tag)
    raw = kind & (tags.RAW | tags.XMP)
    if kind == tags.DROP:
        return CUT
    if kind == tags.FRAMESET:
        begin_frames(room)
        return open_frame(room, tag)
    act = check_room(room, tag, kind, size)
    if act != KEEP:
        return act
    if is_before_body(room) and take_before_body(room, tag):
        return READ_RAW if raw else KEEP
    stays = elements.is_one(tag, tags.IN_COLGROUP) or tag == elements.HTML
    if not stays and not elements.leave_columns(room):
        return CUT
    top = room[elements.COUNT] - 1
    fresh = room[elements.MODE_AT + top] == tags.FRESH  # a template without content so far
    if fresh and kind != tags.PART and not elements.is_one(tag, tags.IN_HEAD):
        room[elements.MODE_AT + top] = tags.BODY
    open_kind(room, tag, kind, size)
    return READ_RAW if raw else KEEP


@inner
def leave_foreign(room: Ints) -> None:
    """Close elements of SVG and MathML up to one that holds HTML."""
    while room[elements.COUNT] > 1:
        k = room[elements.COUNT] - 1
        if room[elements.TAG_AT + k] >> elements.SPACE_SHIFT == 0 or room[elements.CLASS_AT + k] & (
            tags.POINT | tags.MATH_POINT
        ):
            return
        room[elements.COUNT] = k


@inner
def is_foreign(room: Ints, tag: Integer) -> bool:
    """Whether a start tag means an element of SVG or MathML."""
    k = room[elements.COUNT] - 1
    if (
        k < 0
        or room[elements.TAG_AT + k] >> elements.SPACE_SHIFT == 0
        or room[elements.CLASS_AT + k] & tags.POINT
    ):
        return False
    if room[elements.CLASS_AT + k] & tags.MATH_POINT and tag != MGLYPH and tag != MALIGNMARK:
        return False
    annotation = ANNOTATION | elements.IN_MATH << elements.SPACE_SHIFT
    return not (tag == SVG and room[elements.TAG_AT + k] == annotation)
