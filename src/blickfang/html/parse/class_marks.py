"""What the attributes of an element say of it: its classes, and whether it is hidden or a caption.

In: a value in canonical HTML, in a kernel. Out: hashes of class tokens in the room that
`page_arrays.py` gives, and flags of the element.
"""

import numpy as np

from blickfang.compute.kernels import Integer, inlined
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import (
    ARIA_HIDDEN,
    CAPTIONED,
    HIDES,
    IN_BODY_ITEM,
    LINKED,
    TOKENS,
    UNSEEN,
    Bytes,
    ScanScratch,
)
from blickfang.html.parse.tags import ATTRIBUTES, TAGS
from blickfang.text.words import MULTIPLIER

BLANK = ord(" ")
A, AREA = TAGS["a"], TAGS["area"]
CLASS, STYLE, HIDDEN, HREF, ITEMPROP, ARIA = (
    ATTRIBUTES[name] for name in ("class", "style", "hidden", "href", "itemprop", "aria-hidden")
)
ARTICLE_BODY = np.uint64(tags.hash_name("articlebody"))
TRUE = np.uint64(tags.hash_name("true"))
DISPLAY_NONE = np.frombuffer(b"display:none", np.uint8)
VISIBILITY_HIDDEN = np.frombuffer(b"visibility:hidden", np.uint8)
CAPTION = np.frombuffer(b"caption", np.uint8)  # as in wp-caption-text, thumbcaption
GALLERY_TEXT = np.frombuffer(b"gallerytext", np.uint8)  # MediaWiki
IN_CAPTION, IN_GALLERY = (  # which letters a value must have to say it
    np.uint32(sum({1 << (byte & 31) for byte in word.tolist()})) for word in (CAPTION, GALLERY_TEXT)
)


@inlined
def hash_value(data: Bytes, start: Integer, end: Integer) -> np.uint64:
    """Return the hash of a value in lower case."""
    h = np.uint64(0)
    for k in range(start, end):
        byte = data[np.uint64(k)]
        h = (h ^ np.uint64(byte | 32 if 65 <= byte <= 90 else byte)) * MULTIPLIER
    return h


@inlined
def says(data: Bytes, start: Integer, end: Integer, wanted: Bytes) -> bool:
    """Whether a value says something, whatever its case and blanks."""
    matched = 0
    for k in range(start, end):
        byte = data[np.uint64(k)] | np.uint8(32 if data[np.uint64(k)] != 0x3A else 0)
        if byte == wanted[matched]:
            matched += 1
            if matched == len(wanted):
                return True
        elif byte != BLANK:
            matched = 1 if byte == wanted[0] else 0
    return False


@inlined
def add_tokens(data: Bytes, start: Integer, end: Integer, room: ScanScratch) -> np.uint32:
    """Write down the class tokens of a value as hashes; 1 in the last bit marks a digit in it.

    Return which letters it has, a bit each.
    """
    count = np.uint64(room.state[TOKENS])
    h, digit = np.uint64(0), np.uint64(0)
    letters = np.uint32(0)
    for k in range(start, end):
        byte = data[np.uint64(k)]
        if byte == BLANK or 9 <= byte <= 13:
            if h:
                room.tokens[count] = (h & ~np.uint64(1)) | digit
                count += np.uint64(1)
            h, digit = np.uint64(0), np.uint64(0)
        else:
            h = (h ^ np.uint64(byte)) * MULTIPLIER
            letters |= np.uint32(1) << np.uint32(byte & 31)
            digit |= np.uint64(0x30 <= byte <= 0x39)
    if h:
        room.tokens[count] = (h & ~np.uint64(1)) | digit
        count += np.uint64(1)
    room.state[TOKENS] = np.int64(count)
    return letters


@inlined
def is_captioned(data: Bytes, start: Integer, end: Integer, letters: np.uint32) -> bool:
    """Whether a class speaks of a caption; hardly any has the letters for it."""
    if letters & IN_CAPTION == IN_CAPTION and says(data, start, end, CAPTION):
        return True
    return letters & IN_GALLERY == IN_GALLERY and says(data, start, end, GALLERY_TEXT)


@inlined
def own_flags(
    data: Bytes, name: Integer, span: tuple[Integer, Integer], room: ScanScratch, tag: Integer
) -> np.uint32:
    """Return the flags that one attribute gives its element."""
    start, end = span
    if name == CLASS:
        letters = add_tokens(data, start, end, room)
        if is_captioned(data, start, end, letters):
            return np.uint32(CAPTIONED)
    elif name == STYLE:
        if says(data, start, end, DISPLAY_NONE) or says(data, start, end, VISIBILITY_HIDDEN):
            return np.uint32(HIDES | UNSEEN)
    elif name == HIDDEN:
        return np.uint32(HIDES | UNSEEN)
    elif name == HREF:
        if tag == A or tag == AREA:  # noqa: SIM109 -- faster than a tuple
            return np.uint32(LINKED)
    elif name == ITEMPROP:
        if hash_value(data, start, end) == ARTICLE_BODY:
            return np.uint32(IN_BODY_ITEM)
        if says(data, start, end, CAPTION):
            return np.uint32(CAPTIONED)
    elif name == ARIA and hash_value(data, start, end) == TRUE:
        return np.uint32(ARIA_HIDDEN)
    return np.uint32(0)
