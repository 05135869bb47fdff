"""The bytes of a page, read as the parser's tokenizer does: names, attributes, comments, raw text.

In: a page and a place in it, in a kernel. Out: what stands there and the place behind it. Nothing
here depends on which elements are open.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, inner
from blickfang.compute.simd import find_sign
from blickfang.html.guard.open_elements import KNOWN_AT
from blickfang.html.guard.tag_classes import MULTIPLIER, SLOTS, UNKNOWN, number_of

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

LESS, MORE, SLASH, EQUALS, BANG, DASH, QUERY = (ord(c) for c in "<>/=!-?")
DOUBLE, SINGLE, AMPERSAND = (ord(c) for c in "\"'&")
LETTER, BLANK, QUOTE, NUL = 1, 2, 4, 8
KIND_OF_BYTE = np.zeros(256, np.uint8)
KIND_OF_BYTE[[*range(65, 91), *range(97, 123)]] = LETTER
KIND_OF_BYTE[[9, 10, 12, 13, 32]] = BLANK
KIND_OF_BYTE[[DOUBLE, SINGLE]] = QUOTE
KIND_OF_BYTE[0] = NUL
ENDS_NAME = np.zeros(256, np.bool_)
ENDS_NAME[[9, 10, 12, 13, 32, SLASH, MORE]] = True
STARTS_MARKUP = KIND_OF_BYTE == LETTER
STARTS_MARKUP[[SLASH, BANG, QUERY]] = True
LOWER = np.arange(256, dtype=np.uint8)
LOWER[65:91] += 32

COMMENT, DOCTYPE, CDATA, XHTML, PLAIN, XML = (
    np.frombuffer(word, np.uint8)
    for word in (b"--", b"doctype", b"[CDATA[", b"application/xhtml+xml", b"text/html", b"?xml ")
)
ENCODING, COLOR, FACE, SIZE, JSON, RSL = (
    np.frombuffer(word, np.uint8)
    for word in (b"encoding", b"color", b"face", b"size", b"ld+json", b"rsl+xml")
)


FONT, ANNOTATION, SCRIPT = map(number_of, ("font", "annotation-xml", "script"))
OF_HTML, HOLDS_HTML, HOLDS_OTHER, IS_DATA, UNCLEAR, CLOSED = 1, 2, 4, 8, 16, 32  # a tag's bits
SHIFT = np.uint64(29)


@inlined
def is_there(data: Bytes, i: Integer, word: Bytes) -> bool:
    """Whether a word in lower case stands at a place, in whatever case."""
    if i + len(word) > len(data):
        return False
    same = 0
    while same < len(word) and LOWER[data[i + same]] == LOWER[word[same]]:
        same += 1
    return same == len(word)


@inner
def is_cdata(data: Bytes, i: Integer) -> bool:
    """Whether <![CDATA[ stands at a place, in capitals."""
    if i + 9 > len(data):
        return False
    same = 0
    while same < len(CDATA) and data[i + 2 + same] == CDATA[same]:
        same += 1
    return same == len(CDATA)


@inlined
def hash_bytes(data: Bytes, i: Integer, end: Integer, room: Ints) -> Integer:
    """Return the hash of a name, whatever its case; see `tags.hash_name`."""
    h = np.uint64(room[KNOWN_AT])
    for k in range(i, end):
        h = (h ^ np.uint64(LOWER[data[np.uint64(k)]])) * np.uint64(MULTIPLIER)
    return np.int64((h ^ (h >> SHIFT)) >> np.uint64(1))


@inlined
def skip_name(data: Bytes, i: Integer) -> Integer:
    """Return the place behind the name of a tag."""
    while i < len(data) and not ENDS_NAME[data[np.uint64(i)]]:
        i += 1
    return i


@inlined
def read_name(data: Bytes, i: Integer, room: Ints) -> tuple[Integer, Integer]:
    """Return the number of the tag whose name begins here, and the place behind the name."""
    begin = i
    i = skip_name(data, i)
    h = hash_bytes(data, begin, i, room)
    slot = KNOWN_AT + 1 + (h & (SLOTS - 1))
    while room[slot]:
        if room[slot] == h:
            return room[slot + SLOTS], i
        slot = KNOWN_AT + 1 + ((slot - KNOWN_AT) & (SLOTS - 1))
    return UNKNOWN + (h >> 5), i


@inlined
def find_quote(data: Bytes, i: Integer, quote: Integer) -> Integer:
    """Return where a quoted value ends, or the end of the page."""
    return find_sign(data, i, (np.int64(quote),))


@inlined
def read_value(data: Bytes, i: Integer) -> tuple[Integer, Integer, Integer]:
    """Return begin and end of the value of an attribute, and the place behind it."""
    n = len(data)
    while i < n and KIND_OF_BYTE[data[np.uint64(i)]] == BLANK:
        i += 1
    if i < n and KIND_OF_BYTE[data[np.uint64(i)]] == QUOTE:
        end = find_quote(data, i + 1, data[np.uint64(i)])
        return i + 1, end, end + 1
    begin = i
    while i < n and data[np.uint64(i)] != MORE and KIND_OF_BYTE[data[np.uint64(i)]] != BLANK:
        i += 1
    return begin, i, i


@inlined
def read_attribute(data: Bytes, i: Integer) -> tuple[Integer, Integer, Integer, Integer]:
    """Return the end of an attribute's name, begin and end of its value, the place behind."""
    n = len(data)
    i += 1  # the first character may be =
    while i < n and not ENDS_NAME[data[np.uint64(i)]] and data[np.uint64(i)] != EQUALS:
        i += 1
    name = i
    while i < n and KIND_OF_BYTE[data[np.uint64(i)]] == BLANK:
        i += 1
    if i < n and data[np.uint64(i)] == EQUALS:
        begin, end, i = read_value(data, i + 1)
        return name, begin, end, i
    return name, name, name, name


@inlined
def is_weighed(tag: Integer, bits: Integer) -> bool:
    """Whether an attribute of a tag can matter; of several of a name the first counts."""
    if tag == ANNOTATION:
        return not bits & (HOLDS_HTML | HOLDS_OTHER | UNCLEAR)
    return bool(tag == FONT or tag == SCRIPT)  # noqa: SIM109 -- faster than a tuple


@inner
def weigh_attribute(
    data: Bytes, tag: Integer, at: Integer, name: Integer, begin: Integer, end: Integer
) -> Integer:
    """Return what an attribute says about its tag."""
    length = name - at
    if tag == FONT:
        font = (length == 5 and is_there(data, at, COLOR)) or (
            length == 4 and (is_there(data, at, FACE) or is_there(data, at, SIZE))
        )
        return OF_HTML if font else 0
    if tag == ANNOTATION and length == 8 and is_there(data, at, ENCODING):
        for k in range(begin, end):
            if data[k] == AMPERSAND:
                return UNCLEAR
        html = (end - begin == 9 and is_there(data, begin, PLAIN)) or (
            end - begin == 21 and is_there(data, begin, XHTML)
        )
        return HOLDS_HTML if html else HOLDS_OTHER
    if tag == SCRIPT:
        for k in range(begin, end - 6):  # both are of seven letters
            if is_there(data, k, JSON) or is_there(data, k, RSL):
                return IS_DATA
    return 0


@inlined
def find_byte(data: Bytes, i: Integer, byte: Integer) -> Integer:
    """Return the place behind the next such byte, or the end of the page."""
    return min(find_sign(data, i, (np.int64(byte),)) + 1, len(data))


@inner
def find_comment_end(data: Bytes, i: Integer) -> tuple[Integer, Integer]:
    """Return the place behind a comment whose text begins here, and how long its end is."""
    n = len(data)
    if i < n and data[i] == MORE:
        return i + 1, 1
    if i + 1 < n and data[i] == DASH and data[i + 1] == MORE:
        return i + 2, 2
    text = i
    while i < n:
        i = find_byte(data, i, MORE)
        for tail in (3, 4):  # --> and --!>
            k = i - tail
            dashes = k >= text and data[k] == DASH and data[k + 1] == DASH
            if dashes and data[i - 1] == MORE and (tail == 3 or data[i - 2] == BANG):
                return i, tail
    return n, 0


@inner
def is_end_of(data: Bytes, i: Integer, name: Bytes) -> bool:
    """Whether the end tag of a raw element stands at a place."""
    k = i + 2 + len(name)
    return bool(
        k < len(data)
        and data[i + 1] == SLASH
        and ENDS_NAME[data[k]]
        and is_there(data, i + 2, name)
    )


@inner
def find_raw_end(data: Bytes, i: Integer, name: Bytes) -> Integer:
    """Return where the end tag of a raw element stands, or the end of the page."""
    n = len(data)
    while i < n:
        i = find_byte(data, i, LESS) - 1
        if data[i] == LESS and is_end_of(data, i, name):
            return i
        i += 1
    return n


@inner
def find_script_end(data: Bytes, i: Integer, name: Bytes) -> Integer:
    """Return where the end tag of a script stands: after <!-- and <script it can be text."""
    n = len(data)
    escaped = dashes = 0
    while i < n:
        if not escaped:
            i = find_byte(data, i, LESS) - 1
        byte = data[i]
        if byte == LESS:
            ends = is_end_of(data, i, name)
            if ends and escaped < 2:
                return i
            if ends:
                escaped = 1
            elif (
                not escaped and i + 1 < n and data[i + 1] == BANG and is_there(data, i + 2, COMMENT)
            ):
                escaped, dashes = 1, 2
                i += 4
                continue
            elif escaped == 1 and is_there(data, i + 1, name) and i + 1 + len(name) < n:
                escaped += ENDS_NAME[data[i + 1 + len(name)]]
        elif byte == MORE and dashes >= 2:
            escaped = 0
        dashes = dashes + 1 if byte == DASH else 0
        i += 1
    return n


@filling
def find_doctype(data: Bytes) -> tuple[Integer, Integer]:
    """Return begin and end of the doctype that counts, or of nothing."""
    n = len(data)
    i: Integer = 0
    while i + 2 < n:
        if KIND_OF_BYTE[data[i]] == BLANK:
            i += 1
            continue
        if data[i] != LESS:
            return 0, 0
        if data[i + 1] == BANG and is_there(data, i + 2, COMMENT):
            i, _ = find_comment_end(data, i + 4)
        elif data[i + 1] == BANG and is_there(data, i + 2, DOCTYPE):
            return i, find_byte(data, i, MORE)
        elif (
            data[i + 1] == BANG
            or data[i + 1] == QUERY
            or (data[i + 1] == SLASH and KIND_OF_BYTE[data[i + 2]] != LETTER)
        ):
            i = find_byte(data, i + 2, MORE)
        else:
            return 0, 0
    return 0, 0
