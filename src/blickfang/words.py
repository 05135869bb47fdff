"""Text becomes word hashes, once: language model, keywords and fingerprints all read them.

In: one text, or many. Out: `Words`: for each word a 64-bit hash, its span in the UTF-8 bytes of
the text and whether a sentence begins with it. Case, digits and punctuation are gone; any script;
where a script is written without blanks, every character is a word. The rules stand in
scripts/words_table.py and docs/method.md, "Words"; here they are table look-ups.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.errors import InputError

Hashes = NDArray[np.uint64]
Spans = NDArray[np.int32]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

BREAK, LETTER, SINGLE, MARK, JOIN, STOP, EDGE, SPACE, CLOSE = range(9)  # scripts/words_table.py
IN_POOL, HANGUL, SHIFT = 16, 32, 6
BLANK, FIRST_LETTER, SMALL_I, DOT_ABOVE = 0x20, 0x61, 0x69, 0x307
NON_ASCII = 15  # in the table of bytes; letters stand there as themselves, in lower case
TEXT_END = 14  # in the table of bytes: NUL, which stands behind every text of a batch
MAX_BYTES = 2**31 - 2  # spans are 32 bit

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xFF51AFD7ED558CCD)
SECOND_MIX = np.uint64(0xC4CEB9FE1A85EC53)
U33 = np.uint64(33)


class Table(NamedTuple):
    """What each code point means; scripts/words_table.py."""

    ascii: Bytes  # for each byte the folded letter, or the class of what is none
    block_of: NDArray[np.uint16]  # for each 64 code points their block
    blocks: NDArray[np.uint32]
    pool: NDArray[np.uint32]


class Found(NamedTuple):
    """Room for the words that a kernel finds: the arrays of `Words`."""

    hashes: Hashes
    starts: Spans
    ends: Spans
    breaks: Flags
    texts: Spans


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one or many texts, in reading order."""

    hashes: Hashes
    starts: Spans  # byte offsets into `data`
    ends: Spans
    breaks: Flags  # a sentence begins with this word
    texts: Spans  # text t has the words texts[t] … texts[t + 1]
    data: bytes
    folded: bool  # False: taken as they stand


def _load_table() -> tuple[Table, str]:
    with np.load(Path(__file__).parent / "words_table.npz", allow_pickle=False) as table:
        index, blocks = table["index"], table["blocks"]
        ascii_bytes = np.full(256, NON_ASCII, np.uint8)
        ascii_bytes[0] = TEXT_END
        for byte in range(1, 128):
            kind = int(blocks[int(index[byte >> 6]) * 64 + (byte & 63)]) & 15
            ascii_bytes[byte] = ord(chr(byte).lower()) if kind == LETTER else kind
        return Table(ascii_bytes, index, blocks, table["pool"]), str(table["version"])


TABLE, TABLE_VERSION = _load_table()


@inlined
def finish(h: np.uint64) -> np.uint64:
    """Spread the bits of a running hash (Murmur's finaliser); never 0, the mark of a free slot."""
    h ^= h >> U33
    h *= FIRST_MIX
    h ^= h >> U33
    h *= SECOND_MIX
    h ^= h >> U33
    return h if h != np.uint64(0) else np.uint64(1)


@inlined
def decode(data: Bytes, i: Integer) -> tuple[Integer, Integer]:
    """Return the code point at a lead byte ≥ 0x80 of valid UTF-8 and the place behind it."""
    lead = np.int64(data[i])
    second = np.int64(data[i + 1]) & 63
    if lead < 0xE0:
        return (lead & 31) << 6 | second, i + 2
    third = np.int64(data[i + 2]) & 63
    if lead < 0xF0:
        return (lead & 15) << 12 | second << 6 | third, i + 3
    return (lead & 7) << 18 | second << 12 | third << 6 | (np.int64(data[i + 3]) & 63), i + 4


@inlined
def entry_of(code: Integer, table: Table) -> Integer:
    """Return the table's entry for a code point."""
    return np.int64(table.blocks[np.int64(table.block_of[code >> 6]) * 64 + (code & 63)])


@compiled
def hash_code(
    h: np.uint64, last: Integer, code: Integer, entry: Integer, pool: NDArray[np.uint32]
) -> tuple[np.uint64, Integer]:
    """Add what a letter or mark counts as to the running hash; return it and its last letter."""
    if entry & HANGUL:
        s = code - 0xAC00
        h = (h ^ np.uint64(0x1100 + s // 588)) * MULTIPLIER
        h = (h ^ np.uint64(0x1161 + s % 588 // 28)) * MULTIPLIER
        if s % 28:
            h = (h ^ np.uint64(0x11A7 + s % 28)) * MULTIPLIER
        return h, 0
    if entry & IN_POOL:
        at = entry >> SHIFT
        for k in range(at + 1, at + 1 + np.int64(pool[at])):
            h = (h ^ np.uint64(pool[k])) * MULTIPLIER
            last = np.int64(pool[k])
        return h, last
    if code == DOT_ABOVE and last == SMALL_I:  # so that İ, i + U+0307 and i agree
        return h, last
    folded = (code + (entry >> SHIFT)) & 0x1FFFFF
    return (h ^ np.uint64(folded)) * MULTIPLIER, folded


@compiled
def finish_word(
    data: Bytes, start: Integer, i: Integer, h: np.uint64, table: Table
) -> tuple[np.uint64, Integer, Integer]:
    """Go on with a word at its first letter beyond ASCII: hash, end, where to read on."""
    end = i
    last: Integer = np.int64(table.ascii[data[i - 1]]) if i > start else 0
    single = False
    while True:
        byte = table.ascii[data[i]]
        if byte >= FIRST_LETTER and not single:
            last = np.int64(byte)
            h = (h ^ np.uint64(byte)) * MULTIPLIER
            i += 1
            end = i
            continue
        if byte != NON_ASCII:
            return h, end, i
        code, after = decode(data, i)
        entry = entry_of(code, table)
        kind = entry & 15
        if kind == SINGLE and i == start:
            single = True
        elif kind == JOIN:
            i = after
            continue
        elif kind != MARK and (kind != LETTER or single):
            return h, end, i
        h, last = hash_code(h, last, code, entry, table.pool)
        i = after
        end = i


@inlined
def scan_ascii(data: Bytes, i: Integer, table: Table) -> tuple[np.uint64, Integer, Integer]:
    """Read letters up to the first byte that is none: hash, where that is, its kind."""
    h = np.uint64(0)
    at = np.uint64(i)  # unsigned: no test for negative places in this innermost loop
    kind = table.ascii[data[at]]
    while kind >= FIRST_LETTER:
        h = (h ^ np.uint64(kind)) * MULTIPLIER
        at += np.uint64(1)
        kind = table.ascii[data[at]]
    return h, np.int64(at), np.int64(kind)


@inlined
def pass_gap(kind: Integer, edge: bool, stop: bool) -> tuple[bool, bool]:
    """Return whether a sentence ended, or will at the next blank, after one more character.

    It ends at a line end or full-width stop, and at a stop, perhaps a closing quote or bracket,
    and white space.
    """
    if kind == SPACE:
        return edge or stop, stop
    if kind == EDGE or kind == TEXT_END:  # noqa: SIM109 -- faster than a tuple in numba
        return True, stop and kind == EDGE
    if kind == CLOSE or kind == JOIN:  # noqa: SIM109
        return edge, stop
    return edge, kind == STOP


@compiled
def scan(data: Bytes, found: Found, table: Table) -> int:
    """Find the words of all texts in `data`, each ended by NUL; return how many."""
    m = t = 0
    i: Integer = 0
    edge, stop = True, False
    while i < len(data):
        kind: Integer = np.int64(table.ascii[data[i]])
        start = after = i
        h = np.uint64(0)
        if kind >= FIRST_LETTER:
            h, i, kind = scan_ascii(data, i, table)
            after = i
            if kind == NON_ASCII:
                h, after, i = finish_word(data, start, i, h, table)
        elif kind == NON_ASCII:
            code, i = decode(data, i)
            kind = entry_of(code, table) & 15
            if kind == LETTER or kind == SINGLE:  # noqa: SIM109
                h, after, i = finish_word(data, start, start, h, table)
        else:
            i += 1
        if after == start:
            edge, stop = pass_gap(kind, edge, stop)
            if kind == TEXT_END:
                t += 1
                found.texts[t] = m
            continue
        found.hashes[m] = finish(h)
        found.starts[m] = start
        found.ends[m] = after
        found.breaks[m] = edge
        m += 1
        edge = stop = False
        if data[i] == BLANK:  # the usual gap, and never the end of a sentence
            i += 1
    return m


def read_words(text: str) -> Words:
    """Return the words of one text."""
    return read_many([text])


def read_many(texts: Sequence[str]) -> Words:
    """Return the words of many texts in one pass: a call costs as much as fifty short strings."""
    data, room = make_room(texts)
    return keep_found(data, room, scan(np.frombuffer(data, np.uint8), room, TABLE), folded=True)


def make_room(texts: Sequence[str]) -> tuple[bytes, Found]:
    """Return texts as bytes for a kernel, and arrays large enough for all their words."""
    data = _encode(texts)
    if len(data) > MAX_BYTES:
        raise InputError("a text of more than 2 GiB at once; split it into several files")
    room = len(data) // 2 + 1
    spans = np.empty((2, room), np.int32)
    texts_at = np.zeros(len(texts) + 1, np.int32)
    return data, Found(
        np.empty(room, np.uint64), spans[0], spans[1], np.empty(room, np.bool_), texts_at
    )


def keep_found(data: bytes, room: Found, m: int, *, folded: bool) -> Words:
    """Return the first m words."""
    starts, ends, breaks = room.starts[:m], room.ends[:m], room.breaks[:m]
    return Words(room.hashes[:m], starts, ends, breaks, room.texts, data, folded)


def pick(words: Words, which: Flags | NDArray[np.int64]) -> Words:
    """Return some of the words, as if they stood in one text."""
    hashes = words.hashes[which]
    starts, ends, breaks = words.starts[which], words.ends[which], words.breaks[which]
    texts = np.array([0, len(hashes)], np.int32)
    return Words(hashes, starts, ends, breaks, texts, words.data, words.folded)


def _encode(texts: Sequence[str]) -> bytes:
    """Return the texts as UTF-8, each with NUL behind it and none inside."""
    try:
        data = b"\0".join([*map(str.encode, texts), b""])
    except UnicodeEncodeError:  # lone surrogates: to words they are like any control
        data = b"\0".join([*(text.encode("utf-8", "surrogatepass") for text in texts), b""])
    if data.count(b"\0") == len(texts):
        return data
    return _encode([text.replace("\0", "\1") for text in texts])


@lru_cache(maxsize=65536)
def _fold_char(char: str) -> str:
    code = ord(char)
    entry = int(TABLE.blocks[int(TABLE.block_of[code >> 6]) * 64 + (code & 63)])
    if entry & 15 not in (LETTER, SINGLE, MARK):
        return ""
    if entry & HANGUL:
        return char  # composed or not, NFC makes them equal
    if entry & IN_POOL:
        at = entry >> SHIFT
        return "".join(map(chr, TABLE.pool[at + 1 : at + 1 + int(TABLE.pool[at])]))
    return chr((code + (entry >> SHIFT)) & 0x1FFFFF)


def fold_word(word: str) -> str:
    """Return the form that a word of a text counts as, composed for reading.

    >>> fold_word("Straße"), fold_word("Rasseportra\u0308t")
    ('strasse', 'rasseporträt')
    """
    if word.isascii():
        return word.lower()
    folded = "".join(map(_fold_char, word))
    return unicodedata.normalize("NFC", folded.replace("i\u0307", "i"))


def spell(words: Words) -> list[str]:
    """Return the words themselves, folded if they count so, in reading order."""
    data = words.data
    spans = zip(words.starts.tolist(), words.ends.tolist(), strict=True)
    written = [data[a:b].decode("utf-8", "surrogatepass") for a, b in spans]
    return list(map(fold_word, written)) if words.folded else written


def normalise(text: str) -> str:
    """Return a text as the language model sees it.

    >>> normalise("This funny & cute cat has more than 99 lives :) – THIS is awesome!")
    'this funny cute cat has more than lives this is awesome'
    """
    return " ".join(spell(read_words(text)))
