"""One compiled pass over the canonical HTML of a page: nodes, attributes, class tokens and text.

In: what the parser writes when it serialises its tree: every element has its end tag, values stand
in double quotes, text knows four entities. Out: arrays in document order, in the room that
`page_arrays.py` gives; `tree.py` keeps what was found. Nothing here can fail: an end tag that fits
nothing is passed over.
"""

import numpy as np

from blickfang.compute.kernels import Integer, filling, inlined, inner
from blickfang.compute.simd import LANES, copy, find_sign, first, match
from blickfang.html.parse import tags
from blickfang.html.parse.byte_patterns import is_one_of, pack
from blickfang.html.parse.class_marks import own_flags
from blickfang.html.parse.page_arrays import (
    ATTRS,
    ENDED,
    ENTITY,
    GAP,
    INHERITED,
    NODES,
    OUT,
    PLAIN,
    PRE,
    SILENT,
    TAG,
    TEMPLATES,
    TOKENS,
    TOP,
    WHITE,
    Bytes,
    ScanScratch,
    ScanTables,
)
from blickfang.html.parse.tags import ATTRIBUTES, TAGS, NameTable, hash_span, look_up

LT, GT, SLASH, BANG, QUERY, QUOTE, EQUALS, BLANK, AMP, NEWLINE, DASH = b'<>/!?"= &\n-'
SEMICOLON = ord(";")
CUT = 1  # stands between letters that a tag parts; it is printed as nothing
NO_GAP, TAG_GAP, BLANK_GAP, LINE_GAP = range(4)  # what stands before the next character
EQUAL_SIGN = (EQUALS,)
BREAKS, BLANKS = (*b"<&\t\n\r\f",), (BLANK,)  # what is not copied as it stands; blanks may be
LAST_LANE = 1 << (LANES - 1)

TEMPLATE = TAGS["template"]
SHADOW_ROOT = ATTRIBUTES["shadowrootmode"]
SHADOW_MODES = pack(["open", "closed"])


@inlined
def add_node(
    room: ScanScratch, tag: Integer, name: np.uint64, source: Integer, flags: np.uint32
) -> int:
    """Write down a node below the one that is open; return its number."""
    state = room.state
    k = np.uint64(state[NODES])
    top = state[TOP]
    room.parent[k] = top
    room.tag[k] = tag
    room.name[k] = name
    room.flags[k] = flags | (room.flags[np.uint64(top)] & np.uint32(INHERITED))
    room.offset[k] = state[OUT]
    room.source[k] = source
    room.first_attribute[k] = state[ATTRS]
    room.first_token[k] = state[TOKENS]
    room.end[k] = state[NODES] + 1
    state[NODES] += 1
    return np.int64(k)  # type: ignore[return-value]


@inlined
def is_wordlike(byte: np.uint8) -> bool:
    """Whether a byte may belong to a word that a tag must not let run on."""
    return bool(byte >= 0x80 or ((byte | 32) - 0x61 < 26 and (byte | 32) >= 0x61))


@inlined
def fill_gap(room: ScanScratch, out: np.uint64, gap: Integer, following: np.uint8) -> np.uint64:
    """Write what stands between two pieces of text; return the place behind it."""
    if out == 0 or gap == NO_GAP:
        return out
    if gap == TAG_GAP:
        before = room.text[out - np.uint64(1)]
        if is_wordlike(before) and is_wordlike(following):
            lower_then_upper = before & 32 and following < np.uint8(0x5B)
            room.text[out] = BLANK if lower_then_upper else CUT
            return out + np.uint64(1)
        return out
    room.text[out] = NEWLINE if gap == LINE_GAP else BLANK
    return out + np.uint64(1)


@inlined
def read_entity(data: Bytes, i: np.uint64) -> tuple[np.uint8, np.uint64]:
    """Return the character that stands at an ampersand and the place behind: & < > or a blank.

    Alone it stands for itself: in SVG the parser writes what <style> holds as it is.
    """
    second = data[i + np.uint64(1)]
    if second == 0x61 and data[i + np.uint64(4)] == SEMICOLON:  # &amp;
        return np.uint8(AMP), i + np.uint64(5)
    if second == 0x6C and data[i + np.uint64(3)] == SEMICOLON:  # &lt;
        return np.uint8(LT), i + np.uint64(4)
    if second == 0x67 and data[i + np.uint64(3)] == SEMICOLON:  # &gt;
        return np.uint8(GT), i + np.uint64(4)
    if second == 0x6E and data[i + np.uint64(5)] == SEMICOLON:  # &nbsp;
        return np.uint8(BLANK), i + np.uint64(6)
    return np.uint8(AMP), i + np.uint64(1)


@inlined
def copy_words(data: Bytes, i: Integer, text: Bytes, at: Integer, kinds: Bytes) -> Integer:
    """Copy letters, also words with single blanks between them; return the place behind."""
    while i + LANES <= len(data):
        copy(text, at, data, i)
        breaks, blanks = match(data, i, BREAKS), match(data, i, BLANKS)
        stops = breaks | blanks & ((breaks | blanks) >> 1 | LAST_LANE)
        if stops:
            return i + first(stops)
        i += LANES
        at += LANES
    while kinds[data[np.uint64(i)]] == PLAIN:
        text[np.uint64(at)] = data[np.uint64(i)]
        i += 1
        at += 1
    return i


@inlined
def read_text(data: Bytes, i: Integer, room: ScanScratch, lexicon: ScanTables) -> Integer:
    """Copy text up to the next tag, white space made one blank; return the place of the tag."""
    state, text = room.state, room.text
    flags = room.flags[np.uint64(state[TOP])]
    if state[TEMPLATES] or flags & np.uint32(SILENT):
        return skip_to(data, i, LT)
    out, gap = np.uint64(state[OUT]), state[GAP]
    line = LINE_GAP if flags & np.uint32(PRE) else BLANK_GAP
    begun = False
    at = np.uint64(i)
    while True:
        byte = data[at]
        kind = lexicon.kinds[byte]
        after = at + np.uint64(1)
        if kind == TAG:
            break
        if kind == ENTITY:
            byte, after = read_entity(data, at)
            kind = np.uint8(WHITE if byte == BLANK else PLAIN)
        if kind == WHITE:
            gap = max(gap, line if byte == NEWLINE else BLANK_GAP)
        else:
            if not begun:
                add_node(room, tags.TEXT, np.uint64(0), np.int64(at), np.uint32(0))
                begun = True
            out = fill_gap(room, out, gap, byte)
            gap = NO_GAP
            text[out] = byte
            begin, out = after, out + np.uint64(1)
            after = np.uint64(copy_words(data, np.int64(begin), text, np.int64(out), lexicon.kinds))
            out += after - begin
        at = after
    state[OUT], state[GAP] = np.int64(out), gap
    if begun:
        state[ENDED] = 0
    return np.int64(at)


@inlined
def skip_to(data: Bytes, i: Integer, byte: int) -> Integer:
    """Return the next place of a byte, or that of the last one, where every search ends."""
    return min(find_sign(data, i, (byte,)), len(data) - 1)


@inlined
def read_name(data: Bytes, i: Integer) -> tuple[np.uint64, Integer]:
    """Return the hash of an element's name and the place behind it."""
    begin = i
    last = len(data) - 1
    while i < last and data[np.uint64(i)] != GT and data[np.uint64(i)] != BLANK:
        i += 1
    return hash_span(data, begin, i), i


@inlined
def read_attributes(
    data: Bytes, i: Integer, tag: Integer, room: ScanScratch, lexicon: ScanTables
) -> tuple[Integer, np.uint32]:
    """Write down the attributes of a start tag; return the place behind it and its flags."""
    state = room.state
    flags = np.uint32(0)
    every = lexicon.traits[np.uint64(tag)] & tags.EVERY_ATTRIBUTE
    last = len(data) - 1
    while i < last and data[np.uint64(i)] != GT:
        start = i + 1
        name_end = min(find_sign(data, start + 1, EQUAL_SIGN), last)  # the first may be one
        value = min(name_end + 2, last)
        i = skip_to(data, value, QUOTE)
        name = np.int64(look_up(lexicon.attributes, hash_span(data, start, name_end)))
        if name or every:
            at = np.uint64(state[ATTRS])
            room.attribute_name[at] = name
            spans = at * np.uint64(4)
            room.attribute_spans[spans] = start
            room.attribute_spans[spans + np.uint64(1)] = name_end
            room.attribute_spans[spans + np.uint64(2)] = value
            room.attribute_spans[spans + np.uint64(3)] = i
            state[ATTRS] += 1
            flags |= own_flags(data, name, (value, i), room, tag)
        i += 1
    return i + 1, flags


@inlined
def skip_raw(data: Bytes, i: Integer, h: np.uint64) -> Integer:
    """Return the place of the end tag of an element whose text is no HTML."""
    last = len(data) - 1
    while True:
        i = skip_to(data, i, LT)
        if i >= last:
            return last
        if data[np.uint64(i + 1)] == SLASH and read_name(data, i + 2)[0] == h:
            return i
        i += 1


@inlined
def open_element(data: Bytes, i: Integer, room: ScanScratch, lexicon: ScanTables) -> Integer:
    """Read a start tag, from its name on; return the place behind it."""
    state = room.state
    h, i = read_name(data, i)
    tag = np.int64(look_up(lexicon.tags, h)) or np.int64(tags.OTHER)
    traits = lexicon.traits[np.uint64(tag)]
    if state[TEMPLATES]:  # what is in a template is not in the document
        i = skip_tag(data, i)
        state[TEMPLATES] += tag == TEMPLATE
        return skip_raw(data, i, h) if traits & tags.RAW else i
    k = add_node(room, tag, h, 0, lexicon.zones[np.uint64(tag)])
    i, flags = read_attributes(data, i, tag, room, lexicon)
    room.flags[k] |= flags
    room.source[k] = i
    if traits & (tags.BLOCK | tags.LINE):
        state[GAP] = LINE_GAP
    else:
        state[GAP] = max(state[GAP], BLANK_GAP if state[ENDED] else TAG_GAP)
    if traits & tags.RAW:
        if room.flags[k] & np.uint32(SILENT):
            return skip_raw(data, i, h)
        state[TOP] = k
        return read_raw(data, i, skip_raw(data, i, h), room, lexicon)
    if not traits & tags.VOID:
        state[TOP] = k
        state[TEMPLATES] = tag == TEMPLATE and not show_shadow(data, room, k)
    return i


@inner
def show_shadow(data: Bytes, room: ScanScratch, k: Integer) -> bool:
    """Show what is in a template that a browser makes part of the page; False: it does not."""
    state = room.state
    for row in range(room.first_attribute[k], state[ATTRS]):
        start, end = room.attribute_spans[4 * row + 2], room.attribute_spans[4 * row + 3]
        if room.attribute_name[row] == SHADOW_ROOT and is_one_of(data, start, end, SHADOW_MODES):
            around = room.flags[np.uint64(room.parent[k])]
            room.flags[k] &= ~np.uint32(SILENT) | around & np.uint32(SILENT)
            state[GAP] = LINE_GAP
            return True
    return False


@inner
def read_raw(
    data: Bytes, i: Integer, end: Integer, room: ScanScratch, lexicon: ScanTables
) -> Integer:
    """Copy what stands in an element whose text is no HTML, and is shown; return its end."""
    state, out = room.state, np.uint64(room.state[OUT])
    begun = False
    for at in range(i, end):
        byte = data[np.uint64(at)]
        if lexicon.kinds[byte] == WHITE:
            state[GAP] = max(state[GAP], LINE_GAP if byte == NEWLINE else BLANK_GAP)
            continue
        if not begun:
            add_node(room, tags.TEXT, np.uint64(0), at, np.uint32(0))
            begun = True
        out = fill_gap(room, out, state[GAP], byte)
        state[GAP] = NO_GAP
        room.text[out] = byte
        out += np.uint64(1)
    state[OUT] = np.int64(out)
    if begun:
        state[ENDED] = 0
    return end


@inlined
def skip_tag(data: Bytes, i: Integer) -> Integer:
    """Return the place behind a start tag; a > inside a value does not end it."""
    last = len(data) - 1
    while i < last and data[np.uint64(i)] != GT:
        if data[np.uint64(i)] == QUOTE and data[np.uint64(i - 1)] == EQUALS:
            i = skip_to(data, i + 1, QUOTE)
        i += 1
    return min(i + 1, last)


@inlined
def close_element(data: Bytes, i: Integer, room: ScanScratch, lexicon: ScanTables) -> Integer:
    """Read an end tag, from its name on; return the place behind it."""
    state = room.state
    h, i = read_name(data, i)
    i = skip_to(data, i, GT) + 1
    if state[TEMPLATES]:
        state[TEMPLATES] -= look_up(lexicon.tags, h) == TEMPLATE
        if state[TEMPLATES]:
            return i
    top = np.uint64(state[TOP])
    if room.name[top] == h and top > 0:
        tag = np.int64(room.tag[top])
        room.end[top] = state[NODES]
        state[TOP] = room.parent[top]
    else:
        tag = np.int64(look_up(lexicon.tags, h))
        if not lexicon.traits[np.uint64(tag)] & tags.RAW:
            return i
    shadow = tag == TEMPLATE and not room.flags[top] & np.uint32(SILENT)
    if lexicon.traits[np.uint64(tag)] & tags.BLOCK or shadow:
        state[GAP] = LINE_GAP
    else:
        state[GAP] = max(state[GAP], TAG_GAP)
        state[ENDED] = 1
    return i


@inner
def skip_declaration(data: Bytes, i: Integer) -> Integer:
    """Return the place behind a comment, a doctype or a processing instruction."""
    last = len(data) - 1
    if data[np.uint64(i)] == BANG and data[np.uint64(i + 1)] == DASH:
        i += 3
        while i < last:
            i = skip_to(data, i, GT)
            if data[np.uint64(i - 1)] == DASH and data[np.uint64(i - 2)] == DASH:
                break
            i += 1
    else:
        i = skip_to(data, i, GT)
    return min(i + 1, last)


@inlined
def name_lexicon(given: ScanTables) -> ScanTables:
    """Give the parts of a plain tuple their names."""
    return ScanTables(NameTable(*given[0]), NameTable(*given[1]), given[2], given[3], given[4])


@filling
def scan_page(data: Bytes, room: ScanScratch, lexicon: ScanTables) -> None:
    """Fill the room from canonical HTML with a < behind it, where every search ends."""
    room, lexicon = ScanScratch(*room), name_lexicon(lexicon)
    state = room.state
    state[:] = 0
    room.flags[0] = 0
    room.name[0] = room.tag[0] = 0
    add_node(room, tags.OTHER, np.uint64(0), 0, np.uint32(0))
    room.parent[0] = -1
    i: Integer = 0
    last = len(data) - 1
    while i < last:
        if data[np.uint64(i)] != LT:
            i = read_text(data, i, room, lexicon)
            continue
        byte = data[np.uint64(i + 1)]
        if byte == SLASH:
            i = close_element(data, i + 2, room, lexicon)
        elif byte == BANG or byte == QUERY:  # noqa: SIM109
            i = skip_declaration(data, i + 1)
            state[GAP] = max(state[GAP], TAG_GAP)
        else:
            i = open_element(data, i + 1, room, lexicon)
    top = state[TOP]
    while top >= 0:
        room.end[top] = state[NODES]
        top = np.int64(room.parent[top])
    n = state[NODES]
    room.offset[n] = state[OUT]
    room.first_attribute[n] = state[ATTRS]
    room.first_token[n] = state[TOKENS]
