"""The guard before the HTML parser, which needs quadratic time for hostile pages.

In: a page in UTF-8. Out: `Guarded`: the page as the parser shall get it, in which every way to make
it slow or its result huge has a bound, and what had to be cut for that. Scripts, style sheets and
comments are emptied on the way; other pages than hostile ones lose nothing else. One pass over the
bytes follows the tags with the standard's own rules (tree_construction.py) and notes what to cut. A
page that is orderly is written on the way as the parser would (canonical_writer.py), which is then
not needed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, inner
from blickfang.html.guard import (
    canonical_writer,
    guard_limits,
    open_elements,
    open_tags,
    tag_classes,
    tokenizer,
    tree_construction,
)
from blickfang.html.guard.end_tags import close_tag, open_tag, take_text
from blickfang.html.guard.guard_limits import cut, cut_tag, note, read_tag

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
    end, tail = tokenizer.find_comment_end(data, i + 4)
    long = end - i > SHORT_COMMENT
    if long:
        cut(room, i + 4, end - tail)
    room[guard_limits.MESSY] |= tail == 0
    if not room[guard_limits.MESSY]:
        canonical_writer.follow_comment(data, room, out, i + 4, i + 4 if long else end - tail)
    return end


@inner
def read_declaration(data: Bytes, room: Ints, out: Bytes, i: Integer, foreign: bool) -> Integer:
    """Return the place behind what begins with <! or <?."""
    bang = data[i + 1] == tokenizer.BANG
    if bang and tokenizer.is_there(data, i + 2, tokenizer.COMMENT):
        return read_comment(data, room, out, i)
    if foreign and bang and tokenizer.is_cdata(data, i):
        room[guard_limits.MESSY] = 1
        i += 9
        while i < len(data):
            i = tokenizer.find_byte(data, i, tokenizer.MORE)
            if data[i - 1] == tokenizer.MORE and data[i - 2] == 93 and data[i - 3] == 93:
                break
        return i
    end = tokenizer.find_byte(data, i + 2, tokenizer.MORE)
    doctype = bang and tokenizer.is_there(data, i + 2, tokenizer.DOCTYPE)
    instruction = not (bang or tokenizer.is_there(data, i + 1, tokenizer.XML))
    room[guard_limits.MESSY] |= instruction or data[end - 1] != tokenizer.MORE
    if doctype:
        canonical_writer.follow_doctype(room, out)
        if room[guard_limits.NO_DOCTYPE]:
            cut_tag(data, room, i, end)
    elif not room[guard_limits.MESSY]:
        canonical_writer.follow_comment(data, room, out, i + 1 + bang, end - 1)
    return end


@inlined
def read_text(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Return where the next markup stands, or the end of the page."""
    n = len(data)
    begin = i
    while i < n:
        i = tokenizer.find_byte(data, i, tokenizer.LESS)
        if i >= n:
            i = n
            break
        after = data[np.uint64(i)]
        if tokenizer.STARTS_MARKUP[after] and (after != tokenizer.SLASH or i + 1 < n):
            i -= 1
            break
        room[guard_limits.STRAYS] += 1
        if room[guard_limits.STRAYS] > guard_limits.MAX_STRAYS:
            note(room, guard_limits.STRAYS_CUT)
            cut(room, i - 1, i)
    if i > begin:
        room[guard_limits.NODES] += 1
        before = room[open_elements.SERIAL]
        top = open_elements.TAG_AT + room[open_elements.COUNT] - 1
        quiet = room[open_elements.BODY_BEGAN] and room[top] != open_elements.COLGROUP
        if room[open_elements.ACTIVE] or not quiet:
            follow_text(data, room, begin, i)
        if not room[open_elements.FILLED]:
            room[open_elements.FILLED] = not is_blank(data, begin, i)
        if not room[guard_limits.MESSY]:
            canonical_writer.follow_text(data, room, out, begin, i, before)
    return i


@inner
def is_blank(data: Bytes, i: Integer, end: Integer) -> bool:
    """Whether text is nothing but white space and NULs."""
    while i < end and tokenizer.KIND_OF_BYTE[data[i]] & (tokenizer.BLANK | tokenizer.NUL):
        i += 1
    return bool(i == end)


@inner
def follow_text(data: Bytes, room: Ints, i: Integer, end: Integer) -> None:
    """Follow text; NULs are none."""
    seen = 0
    while i < end and tokenizer.KIND_OF_BYTE[data[i]] & (tokenizer.BLANK | tokenizer.NUL):
        seen |= tokenizer.KIND_OF_BYTE[data[i]]
        i += 1
    if not room[guard_limits.FLAT] and (i < end or seen & tokenizer.BLANK):
        take_text(room, i == end)


@inner
def find_content_end(data: Bytes, number: Integer, i: Integer, name: Bytes) -> Integer:
    """Return where the end tag of a raw element stands."""
    if number == tree_construction.SCRIPT:
        return tokenizer.find_script_end(data, i, name)
    return tokenizer.find_raw_end(data, i, name)


@inlined
def is_emptied(
    data: Bytes, room: Ints, number: Integer, bits: Integer, begin: Integer, end: Integer
) -> bool:
    """Whether a raw element loses what it holds: all styles, and scripts but for data.

    Data that hold an end tag go, too: whoever looks for the first one would end there.
    """
    if (
        number != tree_construction.SCRIPT
        or not bits & tokenizer.IS_DATA
        or room[open_elements.FRAMES]
    ):
        return bool(number == tree_construction.STYLE or number == tree_construction.SCRIPT)
    return bool(tokenizer.find_raw_end(data, begin, SCRIPT_NAME) < end)


@inlined
def judge_start(room: Ints, number: Integer, size: Integer, bits: Integer) -> Integer:
    """Follow a start tag, its length if it has attributes; return what to do with it."""
    kind = open_elements.kind_of(number)
    if guard_limits.is_beyond(room, number, kind) or bits & tokenizer.UNCLEAR:
        act: Integer = tree_construction.CUT_BEYOND
    elif room[guard_limits.FLAT]:
        return tree_construction.KEEP
    else:
        act = open_tag(room, number, size, bits)
    if act == tree_construction.CUT_DEEP:
        note(room, guard_limits.DEEP)
    elif act == tree_construction.CUT_FORMATTING:
        note(room, guard_limits.FORMATTING_CUT)
    if act > tree_construction.CUT and not kind & tag_classes.EMPTY:
        guard_limits.owe(room, number)
    return act


@inner
def cut_start(
    data: Bytes, room: Ints, i: Integer, end: Integer, number: Integer, with_content: bool
) -> Integer:
    """Cut the start tag here, of a script or style sheet with what it holds; return its end."""
    if with_content and (number == tree_construction.SCRIPT or number == tree_construction.STYLE):
        _, k = tokenizer.read_name(data, i + 1, room)
        end = find_content_end(data, number, end, data[i + 1 : k])
    cut_tag(data, room, i, end)
    return end


@inlined
def read_start(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Follow the start tag here, with what a raw element holds; return the place behind."""
    cuts, before = room[guard_limits.CUTS], room[open_elements.SERIAL]
    number, k = tokenizer.read_name(data, i + 1, room)
    end, attributes, bits = read_tag(data, room, number, k)
    if end > 0 and open_tags.opens_plainly(room, number):
        open_tags.open_innermost(data, room, out, i, end, number, attributes)
        return end
    act: Integer = tree_construction.CUT_BEYOND
    foreign = open_elements.is_in_foreign(room)
    alien = foreign and canonical_writer.is_alien(room, number, bits)
    room[guard_limits.MESSY] |= canonical_writer.is_misplaced(room, number)
    if end < 0:
        end = len(data)  # the parser drops it
    elif not guard_limits.is_bad_name(room, number, k - i):
        size = end - i - guard_limits.count_cut(room, cuts)
        act = judge_start(room, number, size if attributes else 0, bits)
    if number < tag_classes.UNKNOWN and not alien:
        room[open_elements.FILLED] |= tag_classes.FILLS[number]
    room[guard_limits.MESSY] |= room[open_elements.FRAMES]
    if act >= tree_construction.CUT:
        room[guard_limits.MESSY] = 1
        room[guard_limits.CUTS] = cuts
        if (
            number == tree_construction.PLAINTEXT
            and act == tree_construction.CUT
            and not room[open_elements.FRAMES]
        ):
            room[guard_limits.PLAIN_BEGIN], room[guard_limits.PLAIN] = i, end
            return len(data)
        return cut_start(
            data, room, i, end, number, act == tree_construction.CUT_BEYOND and not foreign
        )
    if (
        not alien
        and bits & tokenizer.CLOSED
        and (number == tree_construction.SVG or number == tree_construction.MATH)
    ):
        before += 1  # it was opened and closed
    tag = open_tags.Tag(i, end, number, attributes, alien, before)
    if act == tree_construction.KEEP:
        if not room[guard_limits.MESSY]:
            canonical_writer.follow_start(data, room, out, tag)
        return end
    after = find_content_end(data, number, end, data[i + 1 : k])
    emptied = is_emptied(data, room, number, bits, end, after)
    if emptied:
        cut(room, end, after)
    if not room[guard_limits.MESSY]:
        canonical_writer.follow_raw(data, room, out, tag, after, emptied)
    return skip_end(data, room, after)


@inner
def skip_end(data: Bytes, room: Ints, i: Integer) -> Integer:
    """Return the place behind the end tag of a raw element."""
    if i >= len(data):
        return i
    cuts = room[guard_limits.CUTS]
    number, k = tokenizer.read_name(data, i + 2, room)
    end, _, _ = read_tag(data, room, number, k)
    if end >= 0:
        return end
    room[guard_limits.CUTS] = cuts
    room[guard_limits.MESSY] = 1
    cut(room, i, len(data))
    return len(data)


@inlined
def read_end(data: Bytes, room: Ints, out: Bytes, i: Integer) -> Integer:
    """Follow the end tag here; return the place behind."""
    after = open_tags.end_innermost(data, room, out, i)
    if after:
        return after
    if tokenizer.KIND_OF_BYTE[data[i + 2]] != tokenizer.LETTER:
        room[guard_limits.MESSY] = 1
        return tokenizer.find_byte(data, i + 2, tokenizer.MORE)
    cuts, before = room[guard_limits.CUTS], room[open_elements.SERIAL]
    number, k = tokenizer.read_name(data, i + 2, room)
    end, _, _ = read_tag(data, room, number, k)
    bad = end < 0 or guard_limits.is_bad_name(room, number, k - i) or room[guard_limits.FLAT] > 0
    if end < 0:
        end = len(data)
    if bad or guard_limits.is_owed(room, number):
        room[guard_limits.CUTS] = cuts
        room[guard_limits.MESSY] = 1
        cut_tag(data, room, i, end)
        return end
    room[guard_limits.MESSY] |= canonical_writer.is_unclear(room, number)
    count = room[open_elements.COUNT]
    close_tag(room, number)
    if not room[guard_limits.MESSY]:
        canonical_writer.follow_end(
            data, room, out, number, before, room[open_elements.COUNT] == count
        )
    return end


@filling
def scan_page(data: Bytes, room: Ints, out: Bytes) -> None:
    """Find what to cut from a page, and write it as the parser would, if it is orderly."""
    n = len(data)
    open_elements.push(room, open_elements.HTML, 0)
    room[guard_limits.WRITTEN], room[guard_limits.SKIP] = 1, -1
    i: Integer = 0
    while i < n:
        i = read_text(data, room, out, i)
        if i >= n:
            break
        after = data[i + 1]
        if after == tokenizer.SLASH:
            i = read_end(data, room, out, i)
        elif tokenizer.KIND_OF_BYTE[after] == tokenizer.LETTER:
            i = read_start(data, room, out, i)
        else:
            i = read_declaration(data, room, out, i, open_elements.is_in_foreign(room))
        if room[open_elements.GROWN] > n + MAX_GROWTH and not room[guard_limits.FLAT]:
            room[guard_limits.FLAT] = 1
            note(room, guard_limits.REPEATED)
    if not room[guard_limits.MESSY]:
        canonical_writer.finish(data, room, out)


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

    With `write`, an orderly page comes back as the parser would write it (canonical_writer.py).
    """
    raw = np.frombuffer(data, np.uint8)
    room, out = guard_limits.make_room(len(data)), guard_limits.make_paper(len(data))
    begin, end = tokenizer.find_doctype(raw)
    quirky = tag_classes.is_quirky(data[begin:end]) if end else True
    room[guard_limits.NO_DOCTYPE] = quirky is None
    room[open_elements.QUIRKS] = quirky is not False
    room[guard_limits.MESSY] = not write or b"\0" in data
    scan_page(raw, room, out)
    if room[guard_limits.PLAIN]:
        begin, end = room[guard_limits.PLAIN_BEGIN : guard_limits.PLAIN + 1].tolist()
        return guard_page(data[:begin] + b"<pre>" + escape_plain(data[end:]), write=write)
    if not room[guard_limits.MESSY]:
        end = room[guard_limits.OUT]
        out[end] = tokenizer.LESS  # where the scan ends; put there later, it would cost a copy
        return Guarded(out[: end + 1].tobytes(), guard_limits.get_notes(room), canonical=True)
    cuts = guard_limits.get_cuts(room)
    if not len(cuts):
        return Guarded(data, ())
    rest = np.empty(len(data), np.uint8)
    left = copy_rest(raw, cuts, rest)
    return Guarded(rest[:left].tobytes(), guard_limits.get_notes(room))
