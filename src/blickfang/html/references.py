"""References that need nothing but a prefix to be canonical addresses: found without a regex each.

In: where references stand in the canonical HTML of a page. Out: for each what it is relative to,
and where its fragment begins; 0 for those that somebody must look at (`urls.resolve`). What is
taken here is what `urls.READY` takes, but for long references; and hosts without a slash.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, unnamed
from blickfang.compute.py_values import make_text, making, put_in_list
from blickfang.compute.simd import LANES, first, match
from blickfang.html.parse.byte_patterns import is_letter, stands_at
from blickfang.html.parse.page_strings import AMP, AMPERSAND, PageStrings, begins_with, values_of
from blickfang.io.urls import IMAGE_TYPES, MAX_LENGTH, canonical, prefixes_of, resolve_many

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Indices = NDArray[np.int64]

LONGEST = MAX_LENGTH // 2  # of a reference that is taken, and of a prefix
NAME, PATH, QUERY, HOST, LETTER, SEEN, SCHEME = (1 << k for k in range(7))  # where a byte may stand
SLASH, DOT, PERCENT, ASKS, HASH, COLON = (ord(sign) for sign in "/.%?#:")
AMPERSANDS, SLASHES, DOTS, QUESTIONS = (AMPERSAND,), (SLASH,), (DOT,), (ASKS,)
HTTP, HTTPS, SCHEME_END, PUNY = (
    np.frombuffer(word, np.uint8) for word in (b"http", b"https", b"://", b"xn--")
)
UNKNOWN, WHOLE, NO_SCHEME, FROM_ROOT, FROM_FOLDER, FROM_FILE, ITSELF = range(7)  # groups of READY
LEADS_NOWHERE = 7  # what is no address of the web
RELATIVE = 7  # the bits of the above; the others say
ESCAPED, BARE = 8, 16  # that there is an &amp; in it; that nothing stands behind its host
STEPS = 64  # that it has /./ or /../ in it, or a name that begins with a dot
IMAGE = 32  # that it may be the address of an image, by the end of its path


def _list_bytes() -> Bytes:
    """Return for each byte where it may stand."""
    low, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
    name = f"{low}{low.upper()}{digits}-_~!$'()*+,;=@"  # & is written as &amp;
    kinds = np.zeros(256, np.uint8)
    for signs, kind in (
        (name, NAME),
        (f"{name}.:/", PATH),
        (f"{name}.:/?|".replace("'", ""), QUERY),
        (f"{low}{digits}_-", HOST),
        (low, LETTER),
        (f"{low}{low.upper()}{digits}+-.", SCHEME),
        ("".join(map(chr, range(0x21, 0x7F))).replace("&", ""), SEEN),
    ):
        kinds[list(signs.encode())] |= kind
    return kinds


def _list_escapes() -> tuple[Bytes, NDArray[np.uint32]]:
    """Return for each byte which digit of an escape it is, and by the first which second ones stay.

    The others stand for characters that need no escape.
    """
    digits, stay = np.full(256, 16, np.uint8), np.zeros(17, np.uint32)
    digits[list(b"0123456789ABCDEF")] = range(16)
    for high in range(16):
        for low in range(16):
            sign = chr(16 * high + low)
            if not (sign.isascii() and (sign.isalnum() or sign in "-._~")):
                stay[high] |= 1 << low
    return digits, stay


class Prefixes(NamedTuple):
    """What references of a page lack to be addresses: a part of its own, from its beginning."""

    letters: Bytes
    sizes: tuple[int, ...]  # of that part, by group


class BaseAddress(NamedTuple):
    """What references of a page are relative to."""

    base: str
    prefixes: Prefixes | None  # None where the page has no address, or a very long one


KINDS = _list_bytes()
DIGITS, STAY = _list_escapes()
TYPES = np.array([list(kind.ljust(4).encode()) for kind in sorted(IMAGE_TYPES)], np.uint8)
SIZES = np.array([len(kind) for kind in sorted(IMAGE_TYPES)], np.uint8)
SHORTEST_TYPE, LONGEST_TYPE = int(SIZES.min()), int(SIZES.max())


@inlined
def is_escape(data: Bytes, i: Integer, end: Integer) -> bool:
    """Whether an escape begins at a place that canonical addresses keep."""
    if data[np.uint64(i)] != PERCENT or i + 2 >= end:
        return False
    first, second = DIGITS[data[np.uint64(i + 1)]], DIGITS[data[np.uint64(i + 2)]]
    return bool(STAY[np.uint64(first)] >> np.uint32(second) & np.uint32(1))


@inlined
def pass_signs(data: Bytes, i: Integer, end: Integer, kind: Integer) -> Integer:
    """Return the first place that is of another kind, and no escape either."""
    while i < end:
        if KINDS[data[np.uint64(i)]] & kind:
            i += 1
        elif is_escape(data, i, end):
            i += 3
        elif data[np.uint64(i)] == AMPERSAND and begins_with(data, i, AMP):
            i += len(AMP)
        else:
            break
    return i


@inlined
def pass_query(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a query, from its question mark on; 0 where it is empty."""
    after = pass_signs(data, i + 1, end, QUERY)
    return after if after > i + 1 else 0


@inlined
def pass_rest(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a path and a query; 0 where a query is empty."""
    i = pass_signs(data, i, end, PATH)
    return pass_query(data, i, end) if i < end and data[np.uint64(i)] == ASKS else i


@inlined
def pass_host(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a host; 0 where it is none of plain names."""
    dots = 0
    while True:
        start = i
        while i < end and KINDS[data[np.uint64(i)]] & HOST:
            i += 1
        if i == start or (i - start >= len(PUNY) and begins_with(data, start, PUNY)):
            return 0
        if i == end or data[np.uint64(i)] != DOT:
            break
        dots += 1
        i += 1
    return i if dots and KINDS[data[np.uint64(start)]] & LETTER else 0


@inlined
def pass_site(data: Bytes, i: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return BARE where nothing but a fragment follows a host, and the place behind all of it."""
    after = pass_host(data, i, end)
    if after and (after == end or data[np.uint64(after)] == HASH):
        return BARE, after
    if after and data[np.uint64(after)] == SLASH:
        return 0, pass_rest(data, after + 1, end)
    return 0, 0


@inlined
def pass_scheme(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind http:// or https://; 0 for anything else."""
    if end - i <= len(HTTPS) or not begins_with(data, i, HTTP):
        return 0
    i += len(HTTP) + 1 if data[np.uint64(i + len(HTTP))] == HTTPS[len(HTTP)] else len(HTTP)
    return i + len(SCHEME_END) if begins_with(data, i, SCHEME_END) else 0


@inlined
def pass_all(data: Bytes, i: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return what a reference is relative to, and the place behind all but its fragment."""
    if i == end or data[np.uint64(i)] == HASH:
        return ITSELF, i
    sign = data[np.uint64(i)]
    if sign == ASKS:
        return FROM_FILE, pass_query(data, i, end)
    if sign == SLASH:
        if i + 1 < end and data[np.uint64(i + 1)] == SLASH:
            bare, stop = pass_site(data, i + 2, end)
            return NO_SCHEME | bare, stop
        return FROM_ROOT, pass_rest(data, i + 1, end)
    host = pass_scheme(data, i, end)
    if host:
        bare, stop = pass_site(data, host, end)
        return WHOLE | bare, stop
    if sign == DOT:
        return UNKNOWN, 0
    after = i
    while True:
        stop = pass_signs(data, after, end, NAME)
        if stop == i or stop == end or data[np.uint64(stop)] != DOT:  # noqa: SIM109 -- faster than a tuple
            break
        after = stop + 1
    if stop == i:
        return UNKNOWN, 0
    if stop < end and data[np.uint64(stop)] == SLASH:
        return FROM_FOLDER, pass_rest(data, stop + 1, end)
    if stop < end and data[np.uint64(stop)] == ASKS:
        return FROM_FOLDER, pass_query(data, stop, end)
    return FROM_FOLDER, stop


@inlined
def look_closer(data: Bytes, start: Integer, stop: Integer) -> tuple[Integer, Integer]:
    """Return ESCAPED where there is an & in a range, and STEPS where a name begins with a dot.

    And where the query begins in it, or its end.
    """
    found: Integer = 0
    path: Integer = stop
    i = start
    while i < stop:
        if i + LANES <= len(data):
            within = (1 << np.int64(min(stop - i, LANES))) - 1
            escapes = match(data, i, AMPERSANDS) & within
            steps = match(data, i, SLASHES) & (match(data, i, DOTS) & within) >> 1
            asks = match(data, i, QUESTIONS) & within
            found |= (ESCAPED if escapes else 0) | (STEPS if steps else 0)
            path = min(path, i + first(asks)) if asks else path
            i += LANES - 1  # a dot may stand first in the next ones
        else:
            found |= ESCAPED if data[np.uint64(i)] == AMPERSAND else 0
            path = min(path, i) if data[np.uint64(i)] == ASKS else path
            if i + 1 < stop and data[np.uint64(i)] == SLASH and data[np.uint64(i + 1)] == DOT:
                found |= STEPS
            i += 1
    return found, path


@inlined
def ends_as_image(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a path ends as a file of an image does."""
    for size in range(SHORTEST_TYPE, LONGEST_TYPE + 1):
        if end - start <= size or data[np.uint64(end - size - 1)] != DOT:
            continue
        for t in range(len(TYPES)):
            k = 0
            while k < size and data[np.uint64(end - size + k)] | np.uint8(32) == TYPES[t, k]:
                k += 1
            if k == size == SIZES[t]:
                return True
    return False


@inlined
def sort_reference(data: Bytes, start: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return what a reference is relative to, UNKNOWN if it is not ready, and its last place."""
    if end - start > LONGEST:
        return UNKNOWN, start
    kind, stop = pass_all(data, start, end)
    if stop < start:
        return UNKNOWN, start
    found, path = look_closer(data, start, stop)
    if found & STEPS:
        return UNKNOWN, start  # /./ and /../ are to be resolved
    kind |= found
    if stop < end:
        if data[np.uint64(stop)] != HASH:
            return UNKNOWN, start
        for i in range(stop + 1, end):
            if not KINDS[data[np.uint64(i)]] & SEEN:
                return UNKNOWN, start
    if ends_as_image(data, start, path):
        kind |= IMAGE
    return kind, stop


@inlined
def is_no_address(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether a reference begins with a scheme that leads to nothing of the web: javascript:."""
    i = start
    while i < end and KINDS[data[np.uint64(i)]] & SCHEME:
        i += 1
    if i == end or data[np.uint64(i)] != COLON or not is_letter(np.int64(data[np.uint64(start)])):
        return False
    size = i - start
    secure = size == len(HTTPS) and stands_at(data, start, HTTPS, 0, len(HTTPS))
    return not (secure or (size == len(HTTP) and stands_at(data, start, HTTP, 0, len(HTTP))))


@filling
def sort_references(data: Bytes, starts: Ints, ends: Ints, out: Ints, images: Ints) -> int:
    """Write down a column each: what references are relative to, where they begin, and end.

    And the numbers of those that may lead to images; return how many these are.
    """
    count = 0
    for k in range(len(starts)):
        out[0, k], out[2, k] = sort_reference(data, starts[k], ends[k])
        out[1, k] = starts[k]
        if out[0, k] == UNKNOWN and is_no_address(data, starts[k], ends[k]):
            out[0, k] = LEADS_NOWHERE
        if out[0, k] == UNKNOWN or out[0, k] & IMAGE:
            images[count] = k
            count += 1
    return count


def resolve_all(base: str, references: list[str]) -> list[str | None]:
    """Return the canonical addresses; without a base only those that need none."""
    if base and references:
        return resolve_many(base, references)
    return [canonical(reference.strip()) for reference in references]


def sort_all(letters: PageStrings, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return three columns: what references are relative to, where they begin, and end.

    And the numbers of those that may lead to images.
    """
    found, images = np.empty((3, len(starts)), np.int32), np.empty(len(starts), np.int32)
    return found, images[: sort_references(letters.data, starts, ends, found, images)]


@inlined
def make_address(letters: PageStrings, found: Ints, k: Integer, prefixes: Prefixes) -> Integer:
    """Return the address of a reference that is not unknown."""
    data, room, kind = letters.data, letters.room, found[0, k]
    group = kind & RELATIVE
    size = np.int64(prefixes.sizes[group])
    start, stop = np.int64(found[1, k]), np.int64(found[2, k])
    if group == WHOLE and not kind & (ESCAPED | BARE):
        return make_text(data.ctypes.data + start, stop - start)
    for p in range(size):
        room[np.uint64(p)] = prefixes.letters[np.uint64(p)]
    if kind & ESCAPED:
        while start < stop:
            room[np.uint64(size)] = data[np.uint64(start)]
            start += len(AMP) if data[np.uint64(start)] == AMPERSAND else 1
            size += 1
    else:
        for i in range(start, stop):
            room[np.uint64(size + i - start)] = data[np.uint64(i)]
        size += stop - start
    if kind & BARE:
        room[np.uint64(size)] = SLASH
        size += 1
    return make_text(room.ctypes.data, size)


@making
def make_addresses(letters: PageStrings, found: Ints, prefixes: Prefixes, urls: int) -> int:
    """Write the addresses of all references but those unknown into a list; count these."""
    letters, prefixes = PageStrings(*letters), Prefixes(*prefixes)
    unknown = 0
    for k in range(found.shape[1]):
        if found[0, k] == UNKNOWN:
            unknown += 1
        elif found[0, k] != LEADS_NOWHERE:
            put_in_list(urls, k, make_address(letters, found, k, prefixes))
    return unknown


def resolve_sorted(
    letters: PageStrings, found: Ints, home: BaseAddress, read: Callable[[Indices], list[str]]
) -> list[str | None]:
    """Return where references lead, given what they are relative to; those unknown are read."""
    base, prefixes = home
    if prefixes is None:
        return resolve_all(base, read(np.arange(found.shape[1])))
    urls: list[str | None] = [None] * found.shape[1]
    if make_addresses(unnamed(letters), found, unnamed(prefixes), id(urls)):
        unknown = (found[0] == UNKNOWN).nonzero()[0]
        for number, url in zip(unknown.tolist(), resolve_many(base, read(unknown)), strict=True):
            urls[number] = url
    return urls


def resolve_values(
    letters: PageStrings, found: Ints, home: BaseAddress, starts: Ints, ends: Ints
) -> list[str | None]:
    """Return the same for references that are values of the canonical HTML."""
    return resolve_sorted(
        letters, found, home, lambda some: values_of(letters, starts[some], ends[some])
    )


def make_home(base: str) -> BaseAddress:
    """Return the address that references are relative to, and what they lack, if that is short."""
    prefixes = prefixes_of(base) if base else None
    if prefixes is None or max(map(len, prefixes)) > LONGEST:
        return BaseAddress(base, None)
    sizes = tuple(map(len, prefixes))
    return BaseAddress(base, Prefixes(np.frombuffer(prefixes[-1].encode(), np.uint8), sizes))
