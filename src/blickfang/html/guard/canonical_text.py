"""Text and tags, written as the parser writes them: the letters of canonical HTML.

In: a piece of a page, in a kernel. Out: the same piece with small names, every attribute once and
in double quotes, references resolved, and &, <, > and hard blanks as references again. What cannot
be written without the parser makes the page `MESSY`, and the parser reads it.
"""

from html.entities import html5

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined, inner
from blickfang.compute.simd import LANES, copy, copy_plain, copy_small
from blickfang.html.guard import canonical_text, open_elements, tokenizer
from blickfang.html.guard.guard_limits import (
    ATTRIBUTES_AT,
    MESSY,
    NAMES_LENGTH_AT,
    NAMES_PLACE_AT,
    OUT,
)

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

SPARE = 64  # bytes that stay free for a reference, what stands around names, and LANES
RETURN, NEWLINE, SHARP, SEMICOLON = 13, 10, ord("#"), ord(";")
HARD_BLANK, LAST, MISSING = 0xA0, 0x10FFFF, 0xFFFD  # characters
FIRST_BYTE, SECOND_BYTE = "\xa0".encode()
DIGIT, HEX, NAME = 1, 2, 4  # what a byte may be part of
PART_OF = np.zeros(256, np.uint8)
PART_OF[[ord(c) for c in "0123456789"]] = DIGIT | HEX | NAME
PART_OF[[ord(c) for c in "abcdefABCDEF"]] = HEX | NAME
PART_OF[[ord(c) for c in "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ"]] = NAME
SPECIAL, LINE_ENDS = (RETURN, FIRST_BYTE, *(ord(c) for c in '&<>"')), (RETURN,)
IS_PLAIN = np.ones(256, np.bool_)
IS_PLAIN[list(SPECIAL)] = False
AMP, LT, GT, QUOT, NBSP = (
    np.frombuffer(word, np.uint8) for word in (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&nbsp;")
)
WINDOWS = np.array(  # what references to control characters mean
    [ord(bytes([k]).decode("cp1252", "ignore") or chr(k)) for k in range(0x80, 0xA0)], np.int64
)


@inlined
def put(room: Ints, out: Bytes, word: Bytes) -> None:
    """Write a few bytes."""
    at = room[OUT]
    for k in range(len(word)):
        out[at + k] = word[k]
    room[OUT] = at + len(word)


@inlined
def put_byte(room: Ints, out: Bytes, byte: Integer) -> None:
    """Write one byte."""
    out[room[OUT]] = byte
    room[OUT] += 1


@inner
def put_character(room: Ints, out: Bytes, char: Integer, quoted: bool) -> None:
    """Write a character that a reference stands for."""
    if char == tokenizer.AMPERSAND:
        put(room, out, AMP)
    elif char == tokenizer.LESS:
        put(room, out, LT)
    elif char == tokenizer.MORE:
        put(room, out, GT)
    elif char == tokenizer.DOUBLE and quoted:
        put(room, out, QUOT)
    elif char == HARD_BLANK:
        put(room, out, NBSP)
    elif char < 0x80:
        put_byte(room, out, char)
    elif char < 0x800:
        put_byte(room, out, 0xC0 | char >> 6)
        put_byte(room, out, 0x80 | char & 63)
    elif char < 0x10000:
        put_byte(room, out, 0xE0 | char >> 12)
        put_byte(room, out, 0x80 | char >> 6 & 63)
        put_byte(room, out, 0x80 | char & 63)
    else:
        put_byte(room, out, 0xF0 | char >> 18)
        put_byte(room, out, 0x80 | char >> 12 & 63)
        put_byte(room, out, 0x80 | char >> 6 & 63)
        put_byte(room, out, 0x80 | char & 63)


@inner
def put_number(
    data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer, quoted: bool
) -> Integer:
    """Write the character of a reference by number, behind &#; return the place behind."""
    base, part = 10, DIGIT
    if i < end and tokenizer.LOWER[data[i]] == ord("x"):
        base, part = 16, HEX
        i += 1
    begin: Integer = i
    char: Integer = 0
    while i < end and PART_OF[data[i]] & part:
        digit = np.int64(tokenizer.LOWER[data[i]])
        if char <= LAST:
            char = char * base + (digit - 48 if digit < 58 else digit - 87)
        i += 1
    if i == begin:
        put(room, out, AMP)
        return begin - (2 if base == 16 else 1)  # the rest is text
    if 0x80 <= char < 0xA0:
        char = WINDOWS[char - 0x80]
    elif char == 0 or char > LAST or 0xD800 <= char < 0xE000:
        char = MISSING
    put_character(room, out, char, quoted)
    return i + 1 if i < end and data[i] == SEMICOLON else i


@inner
def put_reference(
    data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer, quoted: bool
) -> Integer:
    """Write what stands behind the & here means; return the place behind."""
    i += 1
    if i < end and data[i] == SHARP:
        return put_number(data, room, out, i + 1, end, quoted)
    k = i
    while k < end and PART_OF[data[k]]:
        k += 1
    number: Integer = -1
    if k < end and data[k] == SEMICOLON:
        number = canonical_text.find_known(data, i, k + 1, canonical_text.REFERENCE)
        after = k + 1
    if number < 0:
        after = min(k, i + canonical_text.LONGEST_OPEN)
        while after > i + 1:
            number = canonical_text.find_known(data, i, after, canonical_text.REFERENCE)
            if number >= 0:
                break
            after -= 1
        goes_on = after < end and (PART_OF[data[after]] or data[after] == tokenizer.EQUALS)
        if number < 0 or (quoted and goes_on):
            put(room, out, AMP)
            return i
    put_character(room, out, canonical_text.MEANT[number, 0], quoted)
    if canonical_text.MEANT[number, 1]:
        put_character(room, out, canonical_text.MEANT[number, 1], quoted)
    return after


@inner
def put_special(
    data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer, quoted: bool
) -> Integer:
    """Write a byte that is not written as it is; return the place behind."""
    byte = data[i]
    if byte == tokenizer.AMPERSAND:
        return put_reference(data, room, out, i, end, quoted)
    if byte == RETURN:
        put_byte(room, out, NEWLINE)
        return i + 2 if i + 1 < len(data) and data[i + 1] == NEWLINE else i + 1
    if byte == FIRST_BYTE:
        if i + 1 < end and data[i + 1] == SECOND_BYTE:
            put(room, out, NBSP)
            return i + 2
        put_byte(room, out, byte)
    else:
        put_character(room, out, byte, quoted)
    return i + 1


@inlined
def runs_out(room: Ints, out: Bytes, size: Integer) -> bool:
    """Whether there is no room for so many bytes and some more; then the page is for the parser."""
    if room[OUT] + size + SPARE > len(out):
        room[MESSY] = 1
        return True
    return False


@inlined
def write_text(data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer, quoted: bool) -> None:
    """Write text, or the value of an attribute."""
    while i < end and not runs_out(room, out, 1):
        at = room[OUT]
        last = min(end, i + len(out) - SPARE - at)
        k = copy_plain(data, i, last, out, at, SPECIAL)
        room[OUT] = at + k - i
        i = k
        if k < last:
            i = put_special(data, room, out, i, end, quoted)


@inner
def write_raw(data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer) -> None:
    """Write what is no text for the parser, but for its line ends: a comment, a script."""
    if runs_out(room, out, end - i):
        return
    while i < end:
        k = copy_plain(data, i, end, out, room[OUT], LINE_ENDS)
        room[OUT] += k - i
        i = k
        if k < end:
            i = put_special(data, room, out, i, end, False)


@inlined
def write_small(data: Bytes, room: Ints, out: Bytes, i: Integer, end: Integer) -> None:
    """Write a name in small letters."""
    at = room[OUT]
    if end - i <= LANES and i + LANES <= len(data):
        copy_small(out, at, data, i)
    else:
        for k in range(end - i):
            out[at + k] = tokenizer.LOWER[data[i + k]]
    room[OUT] = at + end - i


@inlined
def same_small(data: Bytes, i: Integer, out: Bytes, name: Integer, end: Integer) -> bool:
    """Whether a name that was written stands here, in whatever case."""
    k = 0
    while k < end - name and tokenizer.LOWER[data[np.uint64(i + k)]] == out[np.uint64(name + k)]:
        k += 1
    return k == end - name


@inner
def spell(room: Ints, out: Bytes, begin: Integer, mark: Integer) -> None:
    """Give the name that was just written the spelling of SVG or MathML."""
    number = canonical_text.find_known(out, begin, room[OUT], mark)
    if number >= 0:
        first = np.int64(canonical_text.BEGIN_OF[number]) + 1
        for k in range(room[OUT] - begin):
            out[begin + k] = canonical_text.SPELLED[first + k]


@inlined
def is_second(room: Ints, out: Bytes, begin: Integer, count: Integer) -> bool:
    """Whether an attribute of the name that was just written stands in this tag already."""
    length = room[OUT] - begin
    for k in range(count):
        if room[NAMES_LENGTH_AT + k] == length:
            place, same = room[NAMES_PLACE_AT + k], 0
            while same < length and tokenizer.LOWER[out[place + same]] == out[begin + same]:
                same += 1
            if same == length:
                return True
    return False


@inlined
def write_attributes(data: Bytes, room: Ints, out: Bytes, count: Integer, mark: Integer) -> None:
    """Write the attributes of the tag that was read last."""
    written = 0
    for row in range(ATTRIBUTES_AT, ATTRIBUTES_AT + 4 * count, 4):
        name, after = room[row], room[row + 1]
        if runs_out(room, out, after - name):
            return
        begin = room[OUT] + 1
        put_byte(room, out, ord(" "))
        write_small(data, room, out, name, after)
        if is_second(room, out, begin, written):
            room[OUT] = begin - 1
            room[MESSY] |= mark != 0  # there the parser keeps some
            continue
        room[NAMES_PLACE_AT + written], room[NAMES_LENGTH_AT + written] = begin, room[OUT] - begin
        written += 1
        if mark:
            spell(room, out, begin, mark)
        put_byte(room, out, tokenizer.EQUALS)
        put_byte(room, out, tokenizer.DOUBLE)
        write_text(data, room, out, room[row + 2], room[row + 3], True)
        put_byte(room, out, tokenizer.DOUBLE)


@inlined
def write_start(
    data: Bytes, room: Ints, out: Bytes, begin: Integer, attributes: Integer, space: Integer
) -> tuple[Integer, Integer]:
    """Write the start tag that was read last; return begin and end of the name written."""
    i = tokenizer.skip_name(data, begin + 1)
    if runs_out(room, out, i - begin):
        return 0, 0
    put_byte(room, out, tokenizer.LESS)
    name = room[OUT]
    write_small(data, room, out, begin + 1, i)
    after = room[OUT]
    mark = 0
    if space == open_elements.IN_SVG:
        spell(room, out, name, canonical_text.ELEMENT)
        mark = canonical_text.ATTRIBUTE
    elif space == open_elements.IN_MATH:
        mark = canonical_text.OF_MATH
    write_attributes(data, room, out, attributes, mark)
    put_byte(room, out, tokenizer.MORE)
    return name, after


@inlined
def write_end(room: Ints, out: Bytes, name: Integer, end: Integer) -> None:
    """Write an end tag, its name again as it was written."""
    if runs_out(room, out, end - name):
        return
    put_byte(room, out, tokenizer.LESS)
    put_byte(room, out, tokenizer.SLASH)
    at = room[OUT]
    if end - name <= LANES:
        copy(out, at, out, name)
    else:
        for k in range(end - name):
            out[at + k] = out[name + k]
    room[OUT] = at + end - name
    put_byte(room, out, tokenizer.MORE)


REFERENCE, ELEMENT, ATTRIBUTE, OF_MATH = (ord(mark) for mark in "&<=$")  # in front of a name
ELEMENTS = (
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath "
    "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting "
    "feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
    "feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight "
    "feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient "
    "radialGradient textPath"
)
ATTRIBUTES = (
    "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant "
    "edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength "
    "keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits "
    "markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits "
    "patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha "
    "preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions "
    "requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation "
    "stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox "
    "viewTarget xChannelSelector yChannelSelector zoomAndPan"
)
LONGEST_OPEN = max(len(name) for name in html5 if not name.endswith(";"))  # without a semicolon
SLOTS = 8192
SEED, MULTIPLIER, LOW = 0x811C9DC5, 0x01000193, 0xFFFFFFFF


def hash_of(name: bytes) -> int:
    """Return what the kernel's `find_known` makes of a name with its mark."""
    h = SEED
    for byte in name:
        h = (h ^ byte) * MULTIPLIER & LOW
    return h ^ h >> 15


def list_names() -> list[tuple[bytes, bytes, tuple[int, ...]]]:
    """Return every name with its mark as it is looked for, as it is spelled, and what it means."""
    found = [
        (b"&" + name.encode(), b"&" + name.encode(), tuple(map(ord, meant)))
        for name, meant in html5.items()
    ]
    for mark, names in (("<", ELEMENTS), ("=", ATTRIBUTES), ("$", "definitionURL")):
        for name in names.split():
            spelled = (mark + name).encode()
            found.append((spelled.lower(), spelled, (0,)))
    return found


def make_tables() -> tuple[NDArray[np.int32], ...]:
    """Return a hash table, where each name begins, all names twice, and their characters."""
    names = list_names()
    slots = np.zeros(SLOTS, np.int32)
    begins = np.cumsum([0, *(len(key) for key, _, _ in names)]).astype(np.int32)
    for number, (key, _, _) in enumerate(names):
        slot = hash_of(key) % SLOTS
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = number + 1
    keys, spelled = b"".join(row[0] for row in names), b"".join(row[1] for row in names)
    meant = [(*characters, 0)[:2] for _, _, characters in names]
    return (
        slots,
        begins,
        np.frombuffer(keys, np.uint8).astype(np.int32),
        np.frombuffer(spelled, np.uint8).astype(np.int32),
        np.array(meant, np.int32),
    )


SLOT_OF, BEGIN_OF, KEYS, SPELLED, MEANT = make_tables()


@inlined
def find_known(text: Bytes, begin: Integer, end: Integer, mark: Integer) -> Integer:
    """Return the number of a name behind a mark, or -1."""
    h = (np.uint64(SEED) ^ np.uint64(mark)) * np.uint64(MULTIPLIER) & np.uint64(LOW)
    for k in range(begin, end):
        h = (h ^ np.uint64(text[k])) * np.uint64(MULTIPLIER) & np.uint64(LOW)
    slot = np.int64(h ^ h >> np.uint64(15)) & (SLOTS - 1)
    while SLOT_OF[slot]:
        number = np.int64(SLOT_OF[slot]) - 1
        first = np.int64(BEGIN_OF[number])
        if BEGIN_OF[number + 1] - first == end - begin + 1 and KEYS[first] == mark:
            same = 0
            while same < end - begin and KEYS[first + 1 + same] == text[begin + same]:
                same += 1
            if same == end - begin:
                return number
        slot = (slot + 1) & (SLOTS - 1)
    return -1
