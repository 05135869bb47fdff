"""The words of addresses of images, and which texts about images a person must have written.

In: addresses, and where texts stand in a page. Out: the words of each address (`urls.url_words`),
and for each text whether it may be a program's: then `alts.is_generated` is to be asked. Nearly all
texts are told by a look, without a regex; what is in doubt is left to Python.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.compute.py_values import (
    Addresses,
    look_up,
    make_text,
    making,
    put_in_list,
    read_text,
)
from blickfang.html.images.generated_alts import EMPTY_WORDS, FIRST_WORDS, FOLDERS, MAX_LENGTH
from blickfang.html.parse.byte_patterns import is_digit, is_letter, is_one_of, pack, stands_at
from blickfang.html.parse.page_strings import (
    AMPERSAND,
    BLANK,
    CUT,
    NO_BREAK,
    begins_with,
    read_entity,
)
from blickfang.io.urls import IMAGE_TYPES

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

LETTER, DIGIT, WHITE, DOT, SIGN, NOTHING, UNSURE = range(7)  # what a character is
WIDE = 0xFF  # stands for a letter beyond ASCII: none is in the words of an address
LONGEST_HEX = 11  # letters in a row that may be digits: more are an identifier
TOO_LONG = -2  # for what programs write
BEFORE_NUMBER = 2  # words: "Screen Shot 2019", "WhatsApp Image 2020"
SLASH, ASKS, HASH, PERCENT, AT = (ord(sign) for sign in "/?#%@")
PUNY, SCHEME_END = np.frombuffer(b"xn--", np.uint8), np.frombuffer(b"//", np.uint8)


EMPTY = pack(sorted(EMPTY_WORDS))
TYPES = pack(sorted(IMAGE_TYPES))
PLACES = pack(FOLDERS)
FIRST = pack(sorted(FIRST_WORDS))
BRACE = ord("{")


@inlined
def find_last(url: Bytes, start: Integer, end: Integer, sign: Integer) -> Integer:
    """Return the last place of a sign in a range, or the place before it."""
    i = end - 1
    while i >= start and url[np.uint64(i)] != sign:
        i -= 1
    return i


@inlined
def cut_extension(url: Bytes, start: Integer, end: Integer) -> Integer:
    """Return where the name of a file ends without its extension, or both: "cat.jpg.webp"."""
    dot = find_last(url, start, end, 0x2E)
    if dot <= start or not 1 <= end - dot - 1 <= 4:
        return end
    for i in range(dot + 1, end):
        if not (is_letter(np.int64(url[np.uint64(i)])) or is_digit(np.int64(url[np.uint64(i)]))):
            return end
    inner = find_last(url, start, dot, 0x2E)
    if inner > start and is_one_of(url, inner + 1, dot, TYPES):
        return inner
    return dot


@inlined
def write_words(url: Bytes, start: Integer, end: Integer, out: Bytes, size: Integer) -> Integer:
    """Write the words of a range in lower case behind others; return the size of all."""
    gap = True
    for i in range(start, end):
        byte = np.int64(url[np.uint64(i)])
        if is_letter(byte):
            if gap and size:
                out[np.uint64(size)] = BLANK
                size += 1
            out[np.uint64(size)] = byte | 32
            size += 1
        gap = not is_letter(byte)
    return size


@inlined
def read_escape(url: Bytes, i: Integer, size: Integer) -> Integer:
    """Return the byte that an escape stands for; -1 where there is none."""
    if i + 2 >= size:
        return -1
    byte: Integer = 0
    for k in range(1, 3):
        sign = np.int64(url[np.uint64(i + k)])
        if is_digit(sign):
            byte = 16 * byte + sign - 0x30
        elif 0x61 <= sign | 32 <= 0x66:
            byte = 16 * byte + (sign | 32) - 0x57
        else:
            return -1
    return byte


class Path(NamedTuple):
    """Where the parts of an address stand, once its escapes are read."""

    start: Integer  # behind the scheme
    name: Integer  # of the file; the end where there is none
    end: Integer  # -1 where more must be known to read it


UNREAD = Path(0, 0, -1)


@inlined
def read_path(url: Bytes, size: Integer) -> Path:
    """Find host, folders and file of an address; escapes of ASCII are written as what they mean."""
    i: Integer = 0
    while i + 1 < size and not begins_with(url, i, SCHEME_END):
        i += 1
    i += 2
    start: Integer = i
    end: Integer = i
    slash: Integer = -1
    while i < size and url[np.uint64(i)] != ASKS and url[np.uint64(i)] != HASH:
        byte: Integer = np.int64(url[np.uint64(i)])
        if slash < 0 and (byte == PERCENT or byte == AT):  # noqa: SIM109 -- faster
            return UNREAD
        if slash < 0 and i + len(PUNY) <= size and begins_with(url, i, PUNY):
            return UNREAD
        escaped = read_escape(url, i, size) if byte == PERCENT else -1
        if escaped >= 0:
            byte = escaped
            i += 2
        if byte > 0x7E:
            return UNREAD
        if byte == SLASH:
            slash = end
        url[np.uint64(end)] = byte
        end += 1
        i += 1
    return Path(start, slash + 1 if slash >= 0 else end, end)


@inlined
def write_url_words(url: Bytes, size: Integer, out: Bytes) -> tuple[Integer, Integer]:
    """Write the words of an address; return their size, and that of those of its file alone.

    -1 where more must be known to read it.
    """
    if size == 0:
        return 0, 0
    start, name, end = read_path(url, size)
    if end < 0:
        return -1, 0
    end = cut_extension(url, name, end)
    folders = write_words(url, start, name, out, 0)
    both = write_words(url, name, end, out, folders)
    return both, both - folders - (1 if 0 < folders < both else 0)


@inlined
def tell_wide(text: Bytes, i: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return what a character beyond ASCII is, and its size; many are left to others."""
    first = text[np.uint64(i)]
    second = text[np.uint64(i + 1)] if i + 1 < end else np.uint8(0)
    if first == 0xC3:
        return SIGN if second == 0x97 or second == 0xB7 else LETTER, 2
    if first == 0xD0 or first == 0xD1 or (first == 0xCE and second >= 0xB1):
        return LETTER, 2
    if first == 0xC2:
        if second == 0xA0:
            return WHITE, 2
        plain = second >= 0xA1 and second != 0xAA and second < 0xB0
        return SIGN if plain or second == 0xB7 or second == 0xBB else UNSURE, 2
    if 0xE4 <= first <= 0xE9:  # Chinese, and some signs of its oracle
        return LETTER if first != 0xE4 or second != 0xB7 else UNSURE, 3
    third = text[np.uint64(i + 2)] if i + 2 < end else np.uint8(0)
    if first == 0xE2 and second == 0x80 and 0x90 <= third <= 0xA7:  # dashes, quotes, dots
        return SIGN, 3
    return UNSURE, 1


@inlined
def tell_character(text: Bytes, i: Integer, end: Integer, in_html: bool) -> tuple[Integer, Integer]:
    """Return what a character is, and its size."""
    byte = np.int64(text[np.uint64(i)])
    if byte > 0x7F:
        kind, size = tell_wide(text, i, end)
        return UNSURE if kind == WHITE and not in_html else kind, size
    if is_letter(byte):
        return LETTER, 1
    if is_digit(byte):
        return DIGIT, 1
    if byte == BLANK or 0x09 <= byte <= 0x0D:
        return WHITE, 1
    if byte == AMPERSAND and in_html:
        sign, size = read_entity(text, i, end)
        return WHITE if sign == NO_BREAK else SIGN, size
    if byte == BRACE:  # of a template
        return UNSURE, 1
    if byte < BLANK:
        return NOTHING if byte == CUT and not in_html else UNSURE, 1
    return DOT if byte == 0x2E else SIGN, 1


@inlined
def may_follow_number(said: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a word may stand behind the number of a photo.

    "at", "PM" or "p.m.", "WA", "copy", "edited", "800x600".
    """
    while start < end and (said[np.uint64(start)] == 0x78 or said[np.uint64(start)] == 0x74):
        start += 1
    if start == end:
        return True
    first, size = said[np.uint64(start)], end - start
    if first == ord("a") or (size <= 2 and (first == ord("p") or first == ord("m"))):
        return True
    if first == ord("w") and size == 2:
        return True
    known = first == ord("c") or first == ord("e") or first == ord("s")
    return bool(known and 4 <= size <= 7)


@inlined
def ends_with(words: Bytes, size: Integer, said: Bytes, said_size: Integer) -> bool:
    """Whether the words of an address end with what a text says."""
    if said_size > size:
        return False
    for k in range(said_size):
        if words[np.uint64(size - said_size + k)] != said[np.uint64(k)]:
            return False
    return True


@inlined
def begins_as_place(said: Bytes, size: Integer) -> bool:
    """Whether words begin like a path to what was uploaded."""
    letters, edges = PLACES
    for w in range(len(edges) - 1):
        fits = edges[w + 1] - edges[w] <= size
        if fits and stands_at(said, 0, letters, edges[w], edges[w + 1]):
            return True
    return False


@inlined
def find_gap(said: Bytes, start: Integer, size: Integer) -> Integer:
    """Return where a word ends."""
    while start < size and said[np.uint64(start)] != BLANK:
        start += 1
    return start


@inlined
def names_type(said: Bytes, size: Integer) -> bool:
    """Whether one of some words is the extension of an image."""
    start: Integer = 0
    while start < size:
        end = find_gap(said, start, size)
        if is_one_of(said, start, end, TYPES):
            return True
        start = end + 1
    return False


class AltText(NamedTuple):
    """What a text says, and how it looks."""

    words: Integer  # how many; -1 where its characters are not known, or TOO_LONG
    last: Integer  # where the last one begins
    size: Integer  # of all words, in lower case, a blank between them
    blanks: Integer
    digits: Integer
    dots: Integer
    is_file: bool  # as names of files may look, if there is no blank in it
    is_photo: bool  # as cameras number photos


@inlined
def read_said(text: Bytes, start: Integer, end: Integer, in_html: bool, said: Bytes) -> AltText:
    """Write down the words of a text; return what it says."""
    count = size = last = blanks = digits = dots = in_row = longest = letters = 0
    before: Integer = WHITE
    photo = True
    begun = gap = False
    i = start
    while i < end:
        byte = np.int64(text[np.uint64(i)])
        kind, step = tell_character(text, i, end, in_html)
        i += step
        if kind == NOTHING:
            continue
        blanks += int(gap and kind != WHITE)  # not those at the ends
        letters += int(kind != WHITE)
        if kind == UNSURE or letters + blanks > MAX_LENGTH:
            return AltText(-1 if kind == UNSURE else TOO_LONG, 0, 0, 0, 0, 0, False, False)
        begun = begun or kind != WHITE
        gap = begun and kind == WHITE
        if kind == LETTER:
            if before != LETTER:
                photo = photo and (digits > 0 or count < BEFORE_NUMBER)
                count += 1
                if size:
                    said[np.uint64(size)] = BLANK
                    size += 1
                last = size
            said[np.uint64(size)] = byte | 32 if byte < 0x80 else WIDE
            size += 1
        elif before == LETTER and digits:
            photo = photo and may_follow_number(said, last, size)
        in_row = in_row + 1 if byte < 0x80 and 0x61 <= byte | 32 <= 0x66 else 0
        longest = max(longest, in_row)
        digits += int(kind == DIGIT)
        dots += int(kind == DOT)
        before = kind
    if before == LETTER and digits:
        photo = photo and may_follow_number(said, last, size)
    is_file = digits > 0 or dots > 0 or longest > LONGEST_HEX
    return AltText(count, last, size, blanks, digits, dots, is_file, photo)


@inlined
def may_be_generated(
    text: Bytes,
    start: Integer,
    end: Integer,
    in_html: bool,
    words: Bytes,
    sizes: tuple[Integer, Integer],
    room: Bytes,
) -> bool:
    """Whether a program may have made a text about an image, given the words of its address."""
    if start == end:
        return False
    size, file_size = sizes
    said = read_said(text, start, end, in_html, room)
    if said.words == TOO_LONG:
        return False
    if said.words <= 0 or (said.digits and said.is_photo) or size < 0:
        return True
    if said.blanks == 0 and said.is_file:
        return True
    if said.words <= 2 and is_one_of(room, said.last, said.size, EMPTY):
        return True
    if begins_as_place(room, said.size):
        return True
    if is_one_of(room, 0, find_gap(room, 0, said.size), FIRST):
        return True
    if said.dots and names_type(room, said.size):
        return True
    return bool(said.size >= file_size and ends_with(words, size, room, said.size))


@filling
def doubt_texts(
    text: Bytes,
    spans: Ints,
    image: Integer,
    in_html: bool,
    words: Bytes,
    sizes: tuple[Integer, Integer],
    said: Bytes,
) -> bool:
    """Whether a program may have made the text of an image."""
    start, end = np.int64(spans[0, image]), np.int64(spans[1, image])
    return may_be_generated(text, start, end, in_html, words, sizes, said)


@making
def name_images(
    data: Bytes,
    text: Bytes,
    spans: tuple[Ints, Ints, Ints, Ints],
    addresses: int,
    room: Bytes,
    size: Addresses,
    doubts: NDArray[np.bool_],
    names: int,
) -> bool:
    """Write the words of addresses into a list, and which texts of images are to be looked at.

    Return whether there are such texts.
    """
    alts, titles, labels, captions = spans
    doubtful = False
    for k in range(doubts.shape[1]):
        length = read_text(look_up(addresses, k), size, room[0])
        sizes = write_url_words(room[0], length, room[1]) if length >= 0 else (-1, 0)
        if sizes[0] >= 0:
            put_in_list(names, k, make_text(room[1].ctypes.data, sizes[0]))
        doubts[0, k] = doubt_texts(data, alts, k, True, room[1], sizes, room[2])
        doubts[1, k] = doubt_texts(data, titles, k, True, room[1], sizes, room[2])
        doubts[2, k] = doubt_texts(data, labels, k, True, room[1], sizes, room[2])
        doubts[3, k] = doubt_texts(text, captions, k, False, room[1], sizes, room[2])
        doubtful |= doubts[0, k] or doubts[1, k] or doubts[2, k] or doubts[3, k]
    return doubtful
