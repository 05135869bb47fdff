"""The guard before the HTML parser, which needs quadratic time for hostile pages.

In: a page in UTF-8. Out: `Guarded`: the page as the parser shall get it, in which every way to
make it slow or its result huge has a bound, and what had to be cut for that. Scripts, style sheets
and comments are emptied on the way; other pages than hostile ones lose nothing else. One pass over
the bytes follows the tags with the standard's own rules (rules.py) and notes what to cut. A page
that is orderly is written on the way as the parser would (orderly.py), which is then not needed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, inner
from blickfang.page.guard import elements, limits, openings, orderly, rules, tags, tokens
from blickfang.page.guard.ends import close_tag, open_tag, take_text
from blickfang.page.guard.limits import cut, cut_tag, note, read_tag

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

MAX_GROWTH = 1024 * 1024  # bytes beyond the page's own length, of formatting opened again
MAX_PLAIN = 2**20  # bytes that are read behind <plaintext>: in HTML they take up to five times that
SHORT_COMMENT = 24  # to cut less costs more than it saves
SCRIPT_NAME = np.frombuffer(b"script", np.uint8)


class Guarded(NamedTuple):
    """A page that the parser can read in bounded time, and what it lost to limits."""

    data: bytes
    notes: tuple[str, ...]
    canonical: bool = False  # the parser would give back the same, but for a < behind it all


@inner
def read_comment(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Return the place behind a comment; empty it, unless it is short."""
    end, tail = tokens.find_comment_end(data, i + 4)
    long = end - i > SHORT_COMMENT
    if long:
        cut(room, i + 4, end - tail)
    room[limits.MESSY] |= tail == 0
    if not room[limits.MESSY]:
        orderly.follow_comment(data, room, out, i + 4, i + 4 if long else end - tail)
    return end


@inner
def read_declaration(data: Bytes, room: Ints, out: Bytes, i: Integer, foreign: bool) -> Integer:
    """Return the place behind what begins with <! or <?."""
    bang = data[i + 1] == tokens.BANG
    if bang and tokens.is_there(data, i + 2, tokens.COMMENT):
        return read_comment(data, room, out, i)
    if foreign and bang and tokens.is_cdata(data, i):
        room[limits.MESSY] = 1
        i += 9
        while i < len(data):
            i = tokens.find_byte(data, i, tokens.MORE)
            if data[i - 1] == tokens.MORE and data[i - 2] == 93 and data[i - 3] == 93:
                break
        return i
    end = tokens.find_byte(data, i + 2, tokens.MORE)
    doctype = bang and tokens.is_there(data, i + 2, tokens.DOCTYPE)
    instruction = not (bang or tokens.is_there(data, i + 1, tokens.XML))
    room[limits.MESSY] |= instruction or data[end - 1] != tokens.MORE
    if doctype:
        orderly.follow_doctype(room, out)
        if room[limits.NO_DOCTYPE]:
            cut_tag(data, room, i, end)
    elif not room[limits.MESSY]:
        orderly.follow_comment(data, room, out, i + 1 + bang, end - 1)
    return end


@inlined
def read_text(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
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
        before = room[elements.SERIAL]
        top = elements.TAG_AT + room[elements.COUNT] - 1
        quiet = room[elements.BODY_BEGAN] and room[top] != elements.COLGROUP
        if room[elements.ACTIVE] or not quiet:
            follow_text(data, room, begin, i)
        if not room[elements.FILLED]:
            room[elements.FILLED] = not is_blank(data, begin, i)
        if not room[limits.MESSY]:
            orderly.follow_text(data, room, out, begin, i, before)
    return i


@inner
def is_blank(data: Bytes, i: Integer, end: Integer) -> bool:
    """Whether text is nothing but white space and NULs."""
    while i < end and tokens.KIND_OF_BYTE[data[i]] & (tokens.BLANK | tokens.NUL):
        i += 1
    return bool(i == end)


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
def is_emptied(
    data: Bytes, room: Ints, number: Integer, bits: Integer, begin: Integer, end: Integer
) -> bool:
    """Whether a raw element loses what it holds: all styles, and scripts but for data.

    Data that hold an end tag go, too: whoever looks for the first one would end there.
    """
    if number != rules.SCRIPT or not bits & tokens.IS_DATA or room[elements.FRAMES]:
        return bool(number == rules.STYLE or number == rules.SCRIPT)
    return bool(tokens.find_raw_end(data, begin, SCRIPT_NAME) < end)


@inlined
def judge_start(room: Ints, number: Integer, size: Integer, bits: Integer) -> Integer:
    """Follow a start tag, its length if it has attributes; return what to do with it."""
    kind = elements.kind_of(number)
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
def cut_start(
    data: Bytes, room: Ints, i: Integer, end: Integer, number: Integer, with_content: bool
) -> Integer:
    """Cut the start tag here, of a script or style sheet with what it holds; return its end."""
    if with_content and (number == rules.SCRIPT or number == rules.STYLE):
        _, k = tokens.read_name(data, i + 1, room)
        end = find_content_end(data, number, end, data[i + 1 : k])
    cut_tag(data, room, i, end)
    return end


@inlined
def read_start(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Follow the start tag here, with what a raw element holds; return the place behind."""
    cuts, before = room[limits.CUTS], room[elements.SERIAL]
    number, k = tokens.read_name(data, i + 1, room)
    end, attributes, bits = read_tag(data, room, number, k)
    if end > 0 and openings.opens_plainly(room, number):
        openings.open_innermost(data, room, out, i, end, number, attributes)
        return end
    act: Integer = rules.CUT_BEYOND
    foreign = elements.is_in_foreign(room)
    alien = foreign and orderly.is_alien(room, number, bits)
    room[limits.MESSY] |= orderly.is_misplaced(room, number)
    if end < 0:
        end = len(data)  # the parser drops it
    elif not limits.is_bad_name(room, number, k - i):
        size = end - i - limits.count_cut(room, cuts)
        act = judge_start(room, number, size if attributes else 0, bits)
    if number < tags.UNKNOWN and not alien:
        room[elements.FILLED] |= tags.FILLS[number]
    room[limits.MESSY] |= room[elements.FRAMES]
    if act >= rules.CUT:
        room[limits.MESSY] = 1
        room[limits.CUTS] = cuts
        if number == rules.PLAINTEXT and act == rules.CUT and not room[elements.FRAMES]:
            room[limits.PLAIN_BEGIN], room[limits.PLAIN] = i, end
            return len(data)
        return cut_start(data, room, i, end, number, act == rules.CUT_BEYOND and not foreign)
    if not alien and bits & tokens.CLOSED and (number == rules.SVG or number == rules.MATH):
        before += 1  # it was opened and closed
    tag = openings.Tag(i, end, number, attributes, alien, before)
    if act == rules.KEEP:
        if not room[limits.MESSY]:
            orderly.follow_start(data, room, out, tag)
        return end
    after = find_content_end(data, number, end, data[i + 1 : k])
    emptied = is_emptied(data, room, number, bits, end, after)
    if emptied:
        cut(room, end, after)
    if not room[limits.MESSY]:
        orderly.follow_raw(data, room, out, tag, after, emptied)
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
    room[limits.MESSY] = 1
    cut(room, i, len(data))
    return len(data)


@inlined
def read_end(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Follow the end tag here; return the place behind."""
    after = openings.end_innermost(data, room, out, i)
    if after:
        return after
    if tokens.KIND_OF_BYTE[data[i + 2]] != tokens.LETTER:
        room[limits.MESSY] = 1
        return tokens.find_byte(data, i + 2, tokens.MORE)
    cuts, before = room[limits.CUTS], room[elements.SERIAL]
    number, k = tokens.read_name(data, i + 2, room)
    end, _, _ = read_tag(data, room, number, k)
    bad = end < 0 or limits.is_bad_name(room, number, k - i) or room[limits.FLAT] > 0
    if end < 0:
        end = len(data)
    if bad or limits.is_owed(room, number):
        room[limits.CUTS] = cuts
        room[limits.MESSY] = 1
        cut_tag(data, room, i, end)
        return end
    room[limits.MESSY] |= orderly.is_unclear(room, number)
    count = room[elements.COUNT]
    close_tag(room, number)
    if not room[limits.MESSY]:
        orderly.follow_end(data, room, out, number, before, room[elements.COUNT] == count)
    return end


@filling
def scan_page(data: Bytes, room: Ints, out: Bytes) -> None:
    """Find what to cut from a page, and write it as the parser would, if it is orderly."""
    n = len(data)
    elements.push(room, elements.HTML, 0)
    room[limits.WRITTEN], room[limits.SKIP] = 1, -1
    i: Integer = 0
    while i < n:
        i = read_text(data, room, out, i)
        if i >= n:
            break
        after = data[i + 1]
        if after == tokens.SLASH:
            i = read_end(data, room, out, i)
        elif tokens.KIND_OF_BYTE[after] == tokens.LETTER:
            i = read_start(data, room, out, i)
        else:
            i = read_declaration(data, room, out, i, elements.is_in_foreign(room))
        if room[elements.GROWN] > n + MAX_GROWTH and not room[limits.FLAT]:
            room[limits.FLAT] = 1
            note(room, limits.REPEATED)
    if not room[limits.MESSY]:
        orderly.finish(data, room, out)


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


def escape_plain(text: bytes) -> bytes:
    """Return what stands behind <plaintext>, which has no end, as HTML says it."""
    return text[:MAX_PLAIN].replace(b"&", b"&amp;").replace(b"<", b"&lt;")


def guard_page(data: bytes, *, write: bool = True) -> Guarded:
    """Return a page without what would keep the parser busy for long.

    With `write`, an orderly page comes back as the parser would write it (orderly.py).
    """
    raw = np.frombuffer(data, np.uint8)
    room, out = limits.make_room(len(data)), limits.make_paper(len(data))
    begin, end = tokens.find_doctype(raw)
    quirky = tags.is_quirky(data[begin:end]) if end else True
    room[limits.NO_DOCTYPE] = quirky is None
    room[elements.QUIRKS] = quirky is not False
    room[limits.MESSY] = not write or b"\0" in data
    scan_page(raw, room, out)
    if room[limits.PLAIN]:
        begin, end = room[limits.PLAIN_BEGIN : limits.PLAIN + 1].tolist()
        return guard_page(data[:begin] + b"<pre>" + escape_plain(data[end:]), write=write)
    if not room[limits.MESSY]:
        end = room[limits.OUT]
        out[end] = tokens.LESS  # where the scan ends; put there later, it would cost a copy
        return Guarded(out[: end + 1].tobytes(), limits.get_notes(room), canonical=True)
    cuts = limits.get_cuts(room)
    if not len(cuts):
        return Guarded(data, ())
    rest = np.empty(len(data), np.uint8)
    left = copy_rest(raw, cuts, rest)
    return Guarded(rest[:left].tobytes(), limits.get_notes(room))
