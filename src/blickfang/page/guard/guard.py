"""The guard before the HTML parser, which needs quadratic time for hostile pages.

In: a page in UTF-8. Out: `Guarded`: the page as the parser shall get it, in which every way to
make it slow or its result huge has a bound, and what had to be cut for that. Scripts, style sheets
and comments are emptied on the way; other pages than hostile ones lose nothing else. One pass over
the bytes follows the tags with the standard's own rules (rules.py) and notes what to cut.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, filling, inlined, inner
from blickfang.page.guard import elements, limits, rules, tags, tokens
from blickfang.page.guard.ends import close_tag, open_tag, take_text
from blickfang.page.guard.limits import cut, cut_tag, note, read_tag

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

MAX_GROWTH = 1024 * 1024  # bytes beyond the page's own length, of formatting opened again
SHORT_COMMENT = 24  # to cut less costs more than it saves


class Guarded(NamedTuple):
    """A page that the parser can read in bounded time, and what it lost to limits."""

    data: bytes
    notes: tuple[str, ...]


@inlined
def is_in_foreign(room: Ints) -> bool:
    """Whether the innermost open element belongs to SVG or MathML."""
    return bool(room[elements.TAG_AT + room[elements.COUNT] - 1] >> elements.SPACE_SHIFT)


@inner
def read_declaration(data: Bytes, room: Ints, i: Integer, foreign: bool) -> Integer:
    """Return the place behind what begins with <! or <?; empty it if it is a comment."""
    bang = data[i + 1] == tokens.BANG
    if bang and tokens.is_there(data, i + 2, tokens.COMMENT):
        end, tail = tokens.find_comment_end(data, i + 4)
        if end - i > SHORT_COMMENT:
            cut(room, i + 4, end - tail)
        return end
    if foreign and bang and tokens.is_cdata(data, i):
        i += 9
        while i < len(data):
            i = tokens.find_byte(data, i, tokens.MORE)
            if data[i - 1] == tokens.MORE and data[i - 2] == 93 and data[i - 3] == 93:
                break
        return i
    end = tokens.find_byte(data, i + 2, tokens.MORE)
    if room[limits.NO_DOCTYPE] and bang and tokens.is_there(data, i + 2, tokens.DOCTYPE):
        cut_tag(data, room, i, end)
    return end


@inlined
def read_text(data: Bytes, room: Ints, i: Integer) -> Integer:
    """Return where the next markup stands, or the end of the page."""
    n = len(data)
    begin = i
    while i < n:
        i = tokens.find_byte(data, i, tokens.LESS)
        if i >= n:
            i = n
            break
        after = data[np.uint64(i)]
        if tokens.STARTS_MARKUP[after] and (after != tokens.SLASH or i + 1 < n):
            i -= 1
            break
        room[limits.STRAYS] += 1
        if room[limits.STRAYS] > limits.MAX_STRAYS:
            note(room, limits.STRAYS_CUT)
            cut(room, i - 1, i)
    if i > begin:
        room[limits.NODES] += 1
        top = elements.TAG_AT + room[elements.COUNT] - 1
        quiet = room[elements.BODY_BEGAN] and room[top] != elements.COLGROUP
        if room[elements.ACTIVE] or not quiet:
            follow_text(data, room, begin, i)
    return i


@inner
def follow_text(data: Bytes, room: Ints, i: Integer, end: Integer) -> None:
    """Follow text; NULs are none."""
    seen = 0
    while i < end and tokens.KIND_OF_BYTE[data[i]] & (tokens.BLANK | tokens.NUL):
        seen |= tokens.KIND_OF_BYTE[data[i]]
        i += 1
    if not room[limits.FLAT] and (i < end or seen & tokens.BLANK):
        take_text(room, i == end)


@inner
def find_content_end(data: Bytes, number: Integer, i: Integer, name: Bytes) -> Integer:
    """Return where the end tag of a raw element stands."""
    if number == rules.SCRIPT:
        return tokens.find_script_end(data, i, name)
    return tokens.find_raw_end(data, i, name)


@inlined
def judge_start(room: Ints, number: Integer, size: Integer, bits: Integer) -> Integer:
    """Follow a start tag, its length if it has attributes; return what to do with it."""
    kind = tags.KIND_OF[number] if number < tags.UNKNOWN else tags.ORDINARY
    if limits.is_beyond(room, number, kind) or bits & tokens.UNCLEAR:
        act: Integer = rules.CUT_BEYOND
    elif room[limits.FLAT]:
        return rules.KEEP
    else:
        act = open_tag(room, number, size, bits)
    if act == rules.CUT_DEEP:
        note(room, limits.DEEP)
    elif act == rules.CUT_FORMATTING:
        note(room, limits.FORMATTING_CUT)
    if act > rules.CUT and not kind & tags.EMPTY:
        limits.owe(room, number)
    return act


@inner
def read_start(data: Bytes, room: Ints, i: Integer) -> Integer:
    """Follow the start tag here, with what a raw element holds; return the place behind."""
    cuts = room[limits.CUTS]
    number, k = tokens.read_name(data, i + 1, room)
    end, attributes, bits = read_tag(data, room, number, k)
    act: Integer = rules.CUT_BEYOND
    foreign = is_in_foreign(room)
    if end < 0:
        end = len(data)  # the parser drops it
    elif not limits.is_bad_name(room, number, k - i):
        size = end - i - limits.count_cut(room, cuts)
        act = judge_start(room, number, size if attributes else 0, bits)
    if act == rules.KEEP:
        return end
    name = data[i + 1 : k]
    if act >= rules.CUT:
        room[limits.CUTS] = cuts
        raw = number == rules.SCRIPT or number == rules.STYLE
        if raw and act == rules.CUT_BEYOND and not foreign:
            end = find_content_end(data, number, end, name)
        cut_tag(data, room, i, end)
        return end
    after = find_content_end(data, number, end, name)
    is_data = bits & tokens.IS_DATA and not room[elements.FRAMES]
    if number == rules.STYLE or (number == rules.SCRIPT and not is_data):
        cut(room, end, after)
    return skip_end(data, room, after)


@inner
def skip_end(data: Bytes, room: Ints, i: Integer) -> Integer:
    """Return the place behind the end tag of a raw element."""
    if i >= len(data):
        return i
    cuts = room[limits.CUTS]
    number, k = tokens.read_name(data, i + 2, room)
    end, _, _ = read_tag(data, room, number, k)
    if end >= 0:
        return end
    room[limits.CUTS] = cuts
    cut(room, i, len(data))
    return len(data)


@inner
def read_end(data: Bytes, room: Ints, i: Integer) -> Integer:
    """Follow the end tag here; return the place behind."""
    if tokens.KIND_OF_BYTE[data[i + 2]] != tokens.LETTER:
        return tokens.find_byte(data, i + 2, tokens.MORE)
    cuts = room[limits.CUTS]
    number, k = tokens.read_name(data, i + 2, room)
    end, _, _ = read_tag(data, room, number, k)
    bad = end < 0 or limits.is_bad_name(room, number, k - i) or room[limits.FLAT] > 0
    if end < 0:
        end = len(data)
    if bad or limits.is_owed(room, number):
        room[limits.CUTS] = cuts
        cut_tag(data, room, i, end)
    else:
        close_tag(room, number)
    return end


@filling
def scan_page(data: Bytes, room: Ints) -> None:
    """Find what to cut from a page."""
    n = len(data)
    elements.push(room, elements.HTML, 0)
    i: Integer = 0
    while i < n:
        i = read_text(data, room, i)
        if i >= n:
            return
        after = data[i + 1]
        if after == tokens.SLASH:
            i = read_end(data, room, i)
        elif tokens.KIND_OF_BYTE[after] == tokens.LETTER:
            i = read_start(data, room, i)
        else:
            i = read_declaration(data, room, i, is_in_foreign(room))
        if room[elements.GROWN] > n + MAX_GROWTH and not room[limits.FLAT]:
            room[limits.FLAT] = 1
            note(room, limits.REPEATED)


@filling
def copy_rest(data: Bytes, cuts: Ints, rest: Bytes) -> Integer:
    """Copy what was not cut; return how much that is."""
    at = done = np.uint64(0)
    for k in range(0, len(cuts) + 1, 2):
        end = np.uint64(cuts[k]) if k < len(cuts) else np.uint64(len(data))
        for i in range(end - done):  # without signs, LLVM copies many bytes at once
            rest[at + np.uint64(i)] = data[done + np.uint64(i)]
        at += end - done
        done = np.uint64(cuts[k + 1]) if k < len(cuts) else end
    return np.int64(at)


def guard_page(data: bytes) -> Guarded:
    """Return a page without what would keep the parser busy for long."""
    raw = np.frombuffer(data, np.uint8)
    room = limits.make_room(len(data))
    begin, end = tokens.find_doctype(raw)
    quirky = tags.is_quirky(data[begin:end]) if end else True
    room[limits.NO_DOCTYPE] = quirky is None
    room[elements.QUIRKS] = quirky is not False
    scan_page(raw, room)
    cuts = limits.get_cuts(room)
    if not len(cuts):
        return Guarded(data, ())
    rest = np.empty(len(data), np.uint8)
    left = copy_rest(raw, cuts, rest)
    return Guarded(rest[:left].tobytes(), limits.get_notes(room))
