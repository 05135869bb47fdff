"""Which elements are open: the tree construction of the HTML standard without its tree.

In: start tags, end tags and text of a page, one after the other, in a kernel. Out: the stack of
open elements and the list of active formatting elements, as the parser will have them: so the
guard knows how deep the next element will lie and how often formatting is opened again. Whatever
the standard says about these two is followed; what it says about nodes is left out.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.html.guard import tag_classes

Ints = NDArray[np.int64]

# Places in the array that holds it all; where several elements stand, the place of the first.
COUNT, ACTIVE, SERIAL, THE_FORM, BODY_BEGAN, HEAD_ENDED, QUIRKS, GROWN, FRAMES = range(9)
FILLED = 9  # the body has what no page of frames may have: its "frameset-ok" is over
ROOM = 512
TAG_AT, CLASS_AT, SERIAL_AT, MODE_AT = (16 + ROOM * k for k in range(4))  # of open elements
ACTIVE_AT, ACTIVE_SERIAL_AT, SIZE_AT = (16 + ROOM * k for k in range(4, 7))  # of active ones
PARAGRAPH_AT = 16 + ROOM * 7  # of open elements: whether a block in it would end a paragraph
KNOWN_AT = 16 + ROOM * 8  # the known names: tag_classes.py
FREE = KNOWN_AT + 1 + 2 * tag_classes.SLOTS  # what lies behind belongs to others
MARKER = -1
IN_SVG, IN_MATH = 1, 2
SPACE_SHIFT = 60  # open elements of these carry their name space above the tag
TAG_BITS = (1 << SPACE_SHIFT) - 1

HTML, BODY_TAG, HEAD_TAG, P, LI = map(tag_classes.number_of, ("html", "body", "head", "p", "li"))
DD, DT, TR, TD, TH = map(tag_classes.number_of, ("dd", "dt", "tr", "td", "th"))
TBODY, COL, COLGROUP, CAPTION = map(tag_classes.number_of, ("tbody", "col", "colgroup", "caption"))
TABLE_TAG, TEMPLATE_TAG = map(tag_classes.number_of, ("table", "template"))
SELECT_TAG, NOSCRIPT = map(tag_classes.number_of, ("select", "noscript"))
FORM_TAG, H1, H6 = map(tag_classes.number_of, ("form", "h1", "h6"))


@inlined
def is_one(tag: Integer, bits: Integer) -> bool:
    """Whether a tag of HTML belongs to a class."""
    return bool(tag < tag_classes.UNKNOWN and tag_classes.CLASS_OF[tag] & bits)


@inlined
def kind_of(tag: Integer) -> Integer:
    """Return how the standard treats a start tag."""
    return tag_classes.KIND_OF[tag] if tag < tag_classes.UNKNOWN else tag_classes.ORDINARY


@inlined
def is_in_foreign(room: Ints) -> bool:
    """Whether the innermost open element belongs to SVG or MathML."""
    return bool(room[TAG_AT + room[COUNT] - 1] >> SPACE_SHIFT)


@inlined
def push(room: Ints, tag: Integer, space: Integer) -> None:
    """Open an element."""
    k = min(room[COUNT], ROOM - 1)
    room[SERIAL] += 1
    room[TAG_AT + k] = tag | space << SPACE_SHIFT
    room[CLASS_AT + k] = (
        tag_classes.CLASS_OF[space * tag_classes.UNKNOWN + tag] if tag < tag_classes.UNKNOWN else 0
    )
    room[SERIAL_AT + k] = room[SERIAL]
    room[MODE_AT + k] = (
        tag_classes.MODE_OF[tag] if tag < tag_classes.UNKNOWN and space == 0 else tag_classes.BODY
    )
    mark_paragraph(room, k)
    room[COUNT] = k + 1


@inlined
def mark_paragraph(room: Ints, k: Integer) -> None:
    """Note whether a paragraph would end before a block in an open element."""
    around = room[PARAGRAPH_AT + k - 1] if k > 0 else 0
    kept = around if not room[CLASS_AT + k] & tag_classes.BUTTON_SCOPE else 0
    room[PARAGRAPH_AT + k] = 1 if room[TAG_AT + k] == P else kept


@inlined
def close_paragraph(room: Ints) -> None:
    """Close a paragraph before a block."""
    if room[PARAGRAPH_AT + room[COUNT] - 1]:
        close(room, P, tag_classes.BUTTON_SCOPE)


@inlined
def find(room: Ints, tag: Integer, stop: Integer) -> Integer:
    """Return where the last open element of a tag stands, or -1 if one that stops comes first."""
    for k in range(room[COUNT] - 1, -1, -1):
        if room[TAG_AT + k] == tag:
            return k
        if room[CLASS_AT + k] & stop:
            return -1
    return -1


@inlined
def close(room: Ints, tag: Integer, stop: Integer) -> bool:
    """Close the last open element of a tag and all in it, if nothing stops that."""
    k = find(room, tag, stop)
    if k >= 0:
        room[COUNT] = k
    return bool(k >= 0)


@inner
def close_implied(room: Ints, besides: Integer) -> None:
    """Close elements whose end tags may be left out, but none of one tag."""
    while room[COUNT] > 1 and room[CLASS_AT + room[COUNT] - 1] & tag_classes.IMPLIED:
        if room[TAG_AT + room[COUNT] - 1] == besides:
            return
        room[COUNT] -= 1


@inner
def remove_open(room: Ints, k: Integer) -> None:
    """Take one element out of the open ones and leave those in it."""
    for j in range(k, room[COUNT] - 1):
        room[TAG_AT + j] = room[TAG_AT + j + 1]
        room[CLASS_AT + j] = room[CLASS_AT + j + 1]
        room[SERIAL_AT + j] = room[SERIAL_AT + j + 1]
        room[MODE_AT + j] = room[MODE_AT + j + 1]
        mark_paragraph(room, j)
    room[COUNT] -= 1


@inner
def insert_open(room: Ints, k: Integer, tag: Integer, bits: Integer, serial: Integer) -> None:
    """Put an element between the open ones."""
    room[COUNT] = min(room[COUNT] + 1, ROOM)
    for j in range(room[COUNT] - 1, k, -1):
        room[TAG_AT + j] = room[TAG_AT + j - 1]
        room[CLASS_AT + j] = room[CLASS_AT + j - 1]
        room[SERIAL_AT + j] = room[SERIAL_AT + j - 1]
        room[MODE_AT + j] = room[MODE_AT + j - 1]
    room[TAG_AT + k], room[CLASS_AT + k], room[SERIAL_AT + k], room[MODE_AT + k] = (
        tag,
        bits,
        serial,
        tag_classes.BODY,
    )
    for j in range(k, room[COUNT]):
        mark_paragraph(room, j)


@inner
def find_serial(room: Ints, serial: Integer, stop: Integer) -> Integer:
    """Return where an element stands among the open ones, or -1."""
    for k in range(room[COUNT] - 1, -1, -1):
        if room[SERIAL_AT + k] == serial:
            return k
        if room[CLASS_AT + k] & stop:
            return -1
    return -1


@inner
def find_active(room: Ints, serial: Integer) -> Integer:
    """Return where an element stands among the active formatting elements, or -1."""
    for k in range(room[ACTIVE] - 1, -1, -1):
        if room[ACTIVE_SERIAL_AT + k] == serial:
            return k
    return -1


@inner
def remove_active(room: Ints, k: Integer) -> None:
    """Take an element out of the active formatting elements."""
    for j in range(k, room[ACTIVE] - 1):
        room[ACTIVE_AT + j] = room[ACTIVE_AT + j + 1]
        room[ACTIVE_SERIAL_AT + j] = room[ACTIVE_SERIAL_AT + j + 1]
        room[SIZE_AT + j] = room[SIZE_AT + j + 1]
    room[ACTIVE] -= 1


@inner
def insert_active(room: Ints, k: Integer, tag: Integer, serial: Integer, size: Integer) -> None:
    """Put an element between the active formatting elements."""
    room[ACTIVE] = min(room[ACTIVE] + 1, ROOM)
    for j in range(room[ACTIVE] - 1, k, -1):
        room[ACTIVE_AT + j] = room[ACTIVE_AT + j - 1]
        room[ACTIVE_SERIAL_AT + j] = room[ACTIVE_SERIAL_AT + j - 1]
        room[SIZE_AT + j] = room[SIZE_AT + j - 1]
    room[ACTIVE_AT + k], room[ACTIVE_SERIAL_AT + k], room[SIZE_AT + k] = tag, serial, size


@inner
def add_marker(room: Ints) -> None:
    """Hide the active formatting elements so far from what follows."""
    insert_active(room, room[ACTIVE], MARKER, 0, 0)


@inner
def clear_to_marker(room: Ints) -> None:
    """Forget the active formatting elements since the last marker, and the marker."""
    while room[ACTIVE] > 0:
        room[ACTIVE] -= 1
        if room[ACTIVE_AT + room[ACTIVE]] == MARKER:
            return


@inner
def reopen(room: Ints) -> None:
    """Open the active formatting elements again that were closed with something around them."""
    k = room[ACTIVE]
    while k > 0:
        if (
            room[ACTIVE_AT + k - 1] == MARKER
            or find_serial(room, room[ACTIVE_SERIAL_AT + k - 1], 0) >= 0
        ):
            break
        k -= 1
    for j in range(k, room[ACTIVE]):
        push(room, room[ACTIVE_AT + j], 0)
        room[ACTIVE_SERIAL_AT + j] = room[SERIAL]
        room[GROWN] += room[SIZE_AT + j] + 16


@inner
def find_named_active(room: Ints, tag: Integer) -> Integer:
    """Return where the last active formatting element of a tag stands since the marker, or -1."""
    for k in range(room[ACTIVE] - 1, -1, -1):
        if room[ACTIVE_AT + k] == MARKER:
            return -1
        if room[ACTIVE_AT + k] == tag:
            return k
    return -1


@inner
def clone_between(room: Ints, at: Integer, block: Integer, k: Integer) -> tuple[Integer, Integer]:
    """Adopt, inner loop: return where the block stands now, and the clone's place in the list."""
    place, rounds, node, first = k, 0, block, True
    while True:
        rounds += 1
        node -= 1
        if node <= at:
            return block, place
        known = (
            find_active(room, room[SERIAL_AT + node])
            if room[CLASS_AT + node] & tag_classes.FORMATTING
            else -1
        )
        if rounds > 3 and known >= 0:
            remove_active(room, known)
            known = -1
        if known < 0:
            remove_open(room, node)
            block -= 1
            continue
        room[SERIAL] += 1
        room[ACTIVE_SERIAL_AT + known] = room[SERIAL_AT + node] = room[SERIAL]
        room[GROWN] += room[SIZE_AT + known] + 16
        if first:
            place, first = known + 1, False


@inner
def adopt(room: Ints, tag: Integer) -> bool:
    """End a formatting element (adoption agency); True: it was none, the tag is like any other."""
    top = room[COUNT] - 1
    if room[TAG_AT + top] == tag and find_active(room, room[SERIAL_AT + top]) < 0:
        room[COUNT] = top
        return False
    for _ in range(8):
        k = find_named_active(room, tag)
        if k < 0:
            return True
        serial, size = room[ACTIVE_SERIAL_AT + k], room[SIZE_AT + k]
        at = find_serial(room, serial, 0)
        if at < 0:
            remove_active(room, k)
            return False
        if find_serial(room, serial, tag_classes.SCOPE) < 0:
            return False
        block = at + 1
        while block < room[COUNT] and not room[CLASS_AT + block] & tag_classes.SPECIAL:
            block += 1
        if block == room[COUNT]:
            room[COUNT] = at
            remove_active(room, k)
            return False
        block, place = clone_between(room, at, block, k)
        bits = room[CLASS_AT + at]
        room[SERIAL] += 1
        room[GROWN] += size + 16
        remove_active(room, k)
        insert_active(room, min(place, room[ACTIVE]), tag, room[SERIAL], size)
        remove_open(room, at)
        insert_open(room, block, tag, bits, room[SERIAL])  # behind it: one less stands before it
    return False


@inner
def find_table_mode(room: Ints) -> tuple[Integer, Integer]:
    """Return where the nearest element stands that parts of tables ask for, and the mode."""
    for k in range(room[COUNT] - 1, -1, -1):
        if room[CLASS_AT + k] & tag_classes.IN_TABLE:
            return k, room[MODE_AT + k]
    return 0, tag_classes.BODY


@inner
def leave_columns(room: Ints) -> bool:
    """Close a column group before what does not belong into it; False: the tag is ignored."""
    k = room[COUNT] - 1
    if room[TAG_AT + k] == COLGROUP:
        room[COUNT] = k
    return not (room[TAG_AT + k] == TEMPLATE_TAG and room[MODE_AT + k] == tag_classes.IN_COLUMNS)


@inner
def fill_template(tag: Integer) -> Integer:
    """Return the mode of a template that begins with a part of a table."""
    if tag == COL:
        return tag_classes.IN_COLUMNS
    if tag == TR:
        return tag_classes.IN_SECTION
    return tag_classes.IN_ROW if is_one(tag, tag_classes.CELL) else tag_classes.IN_TABLE_ITSELF


@inner
def open_part(room: Ints, tag: Integer) -> bool:
    """Open a part of a table, and first what must stand around it; False: it is ignored."""
    while True:
        k, mode = find_table_mode(room)
        template = room[TAG_AT + k] == TEMPLATE_TAG
        if mode == tag_classes.FRESH:
            room[MODE_AT + k] = fill_template(tag)
        elif mode & (tag_classes.IN_CELL | tag_classes.IN_CAPTION):
            room[COUNT] = k
            clear_to_marker(room)
        elif mode == tag_classes.IN_COLUMNS:
            if tag == COL or template:
                return bool(tag == COL)
            room[COUNT] = k
        elif mode == tag_classes.IN_TABLE_ITSELF:
            room[COUNT] = k + 1
            if tag == CAPTION:
                add_marker(room)
            step = (
                COLGROUP
                if tag == COL
                else TBODY
                if is_one(tag, tag_classes.CELL) or tag == TR
                else tag
            )
            push(room, step, 0)
            if step == tag:
                return True
        elif mode == tag_classes.BODY or not open_in_rows(room, tag, k, mode == tag_classes.IN_ROW):
            return False
        elif room[TAG_AT + room[COUNT] - 1] == tag and room[COUNT] == k + 2:
            return True


@inner
def open_in_rows(room: Ints, tag: Integer, k: Integer, row: bool) -> bool:
    """Open a part in a row or section, or close that for it; False: it is ignored."""
    if is_one(tag, tag_classes.CELL) or (tag == TR and not row):
        room[COUNT] = k + 1
        push(room, tag if row or tag == TR else TR, 0)
        if row:
            add_marker(room)
        return True
    if room[TAG_AT + k] == TEMPLATE_TAG:
        return False
    room[COUNT] = k
    return True
