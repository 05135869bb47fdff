"""Text becomes word hashes, once: language model, keywords and fingerprints all read them.

In: one text, or many. Out: `Words`: for each word a 64-bit hash, its span in the UTF-8 bytes of
the text and whether a sentence begins with it. Case, digits and punctuation are gone; any script;
where a script is written without blanks, every character is a word. With `digits`, they and _ count
as letters, alike in all scripts; words without any keep their hashes. The rules stand in
scripts/words_table.py and docs/method.md, "Words"; here they are table look-ups.
"""

import itertools
import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined, unnamed
from blickfang.errors import InputError

Hashes = NDArray[np.uint64]
Spans = NDArray[np.int32]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Arrays = tuple[Hashes, Spans, Spans, Flags]  # of `Words`, but for its texts
Seen = tuple[Integer, Integer, Integer, Integer]
WordRead = tuple[np.uint64, Integer, Integer, Seen]

BREAK, LETTER, SINGLE, MARK, JOIN, STOP, EDGE, SPACE, CLOSE = range(9)  # scripts/words_table.py
IN_POOL, HANGUL, LONG, SHIFT = 16, 32, 48, 6
BLOCK = np.uint64(64)
AFTER_STOP, SENTENCE_ENDED, BOTH = 16, 32, 48  # states of the gap between two words
FIRST_LETTER, SMALL_I, DOT_ABOVE = 0x61, 0x69, 0x307
FIRST_DIGIT = 0xB0  # what a kept 0 counts as: behind the letters, and itself nobody's fold
NON_ASCII = 15  # in the table of bytes; letters stand there as themselves, in lower case
TEXT_END = 14  # in the table of bytes: NUL, which stands behind every text of a batch
DOTTED_I = re.compile("i\u0307+")
MAX_BYTES = 2**31 - 2  # spans are 32 bit

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX, SECOND_MIX = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
U33 = np.uint64(33)

SCRATCH_WORDS = 2**19  # room kept for texts of up to a megabyte: 9 MB a thread
_scratch = threading.local()


class UnicodeTable(NamedTuple):
    """What each code point means; scripts/words_table.py."""

    ascii: Bytes  # for each byte the folded letter, or the class of what is none
    block_of: NDArray[np.uint16]  # for each 64 code points their block
    blocks: NDArray[np.uint32]
    pool: NDArray[np.uint32]
    gaps: NDArray[np.int64]  # how the state of the gap between two words goes on


class WordScratch(NamedTuple):
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


def _load_tables() -> tuple[UnicodeTable, UnicodeTable, str]:
    with np.load(Path(__file__).parent / "words_table.npz", allow_pickle=False) as table:
        index, blocks = table["index"], table["blocks"]
        ascii_bytes = np.full(256, NON_ASCII, np.uint8)
        ascii_bytes[0] = TEXT_END
        for byte in range(1, 128):
            kind = int(blocks[int(index[byte >> 6]) * 64 + (byte & 63)]) & 15
            ascii_bytes[byte] = ord(chr(byte).lower()) if kind == LETTER else kind
        plain = UnicodeTable(ascii_bytes, index, blocks, table["pool"], _gap_states())
        return plain, _keep_digits(plain, table["zeros"]), str(table["version"])


def _keep_digits(table: UnicodeTable, zeros: NDArray[np.int64]) -> UnicodeTable:
    """Return the table to which ten digits from each zero on, and the underscore, are letters."""
    codes = zeros[:, np.newaxis] + np.arange(10)
    ascii_bytes, block_of = table.ascii.copy(), table.block_of.copy()
    ascii_bytes[[*codes[0], ord("_")]] = FIRST_DIGIT + np.arange(11)
    touched, blocks = np.unique(codes >> 6), table.blocks.reshape(-1, 64)
    block_of[touched] = len(blocks) + np.arange(len(touched))
    blocks = np.concatenate([blocks, blocks[table.block_of[touched]]])
    folds = (FIRST_DIGIT - zeros[:, np.newaxis]) & 0x1FFFFF
    blocks[block_of[codes >> 6], codes & 63] = folds << SHIFT | LETTER
    return UnicodeTable(ascii_bytes, block_of, blocks.ravel(), table.pool, table.gaps)


def _gap_states() -> NDArray[np.int64]:
    """Return the state of a gap after one more character, at state | class.

    It ends at a line end or full-width stop, and at a stop, perhaps a closing mark, and a blank.
    """
    states = np.empty((4, 16), np.int64)
    for row, state in zip(states, (0, AFTER_STOP, SENTENCE_ENDED, BOTH), strict=True):
        ended = state & SENTENCE_ENDED
        row[:] = ended  # whatever else stands there: a stop before it was none
        row[STOP] = ended | AFTER_STOP
        row[[CLOSE, JOIN]] = state
        row[SPACE] = state | (SENTENCE_ENDED if state & AFTER_STOP else 0)
        row[EDGE] = state | SENTENCE_ENDED
        row[TEXT_END] = SENTENCE_ENDED
    return states.ravel()


TABLE, DIGITS_TABLE, TABLE_VERSION = _load_tables()


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
    lead = np.int64(data[np.uint64(i)])  # unsigned places: no test for negative ones
    second = np.int64(data[np.uint64(i + 1)]) & 63
    if lead < 0xE0:
        return (lead & 31) << 6 | second, i + 2
    third = np.int64(data[np.uint64(i + 2)]) & 63
    if lead < 0xF0:
        return (lead & 15) << 12 | second << 6 | third, i + 3
    fourth = np.int64(data[np.uint64(i + 3)]) & 63
    return (lead & 7) << 18 | second << 12 | third << 6 | fourth, i + 4


@inlined
def look(data: Bytes, i: Integer, table: UnicodeTable) -> Seen:
    """Return what stands at a place: an ASCII letter, folded, or the class; code, entry, behind."""
    byte = np.int64(table.ascii[data[np.uint64(i)]])
    if byte != NON_ASCII:
        return byte, 0, 0, i + 1
    code, after = decode(data, i)
    block = np.uint64(table.block_of[np.uint64(code >> 6)])
    entry = np.int64(table.blocks[block * BLOCK + np.uint64(code & 63)])
    return entry & 15, code, entry, after


@compiled
def hash_long(
    h: np.uint64, code: Integer, entry: Integer, pool: NDArray[np.uint32]
) -> tuple[np.uint64, Integer]:
    """Add what a letter of several code points counts as to the hash; also return the last."""
    if entry & HANGUL:
        s = code - 0xAC00
        h = (h ^ np.uint64(0x1100 + s // 588)) * MULTIPLIER
        h = (h ^ np.uint64(0x1161 + s % 588 // 28)) * MULTIPLIER
        if s % 28:
            h = (h ^ np.uint64(0x11A7 + s % 28)) * MULTIPLIER
        return h, 0
    at = entry >> SHIFT
    last: Integer = 0
    for k in range(at + 1, at + 1 + np.int64(pool[at])):
        last = np.int64(pool[k])
        h = (h ^ np.uint64(last)) * MULTIPLIER
    return h, last


@inlined
def read_word(
    data: Bytes, start: Integer, i: Integer, h: np.uint64, table: UnicodeTable
) -> WordRead:
    """Read on from the first letter beyond ASCII: hash, end, the next place, what stands there."""
    end = i
    last: Integer = np.int64(table.ascii[data[np.uint64(i - 1)]]) if i > start else 0
    seen = look(data, i, table)
    single = seen[0] == SINGLE and i == start
    while True:
        kind, code, entry, after = seen
        if kind >= FIRST_LETTER and not single:
            h = (h ^ np.uint64(kind)) * MULTIPLIER
            last = kind
            i = end = after
        elif kind == MARK or (kind == LETTER and not single) or (kind == SINGLE and i == start):
            if entry & LONG:
                h, last = hash_long(h, code, entry, table.pool)
            elif code != DOT_ABOVE or last != SMALL_I:  # so that İ, i + U+0307 and i agree
                last = (code + (entry >> SHIFT)) & 0x1FFFFF
                h = (h ^ np.uint64(last)) * MULTIPLIER
            i = end = after
        elif kind == JOIN:
            i = after
        else:
            return h, end, i, seen
        seen = look(data, i, table)


@inlined
def is_letter(kind: Integer) -> bool:
    """Whether a character beyond ASCII begins a word."""
    return bool(kind == LETTER or kind == SINGLE)  # noqa: SIM109 -- faster than a tuple


@inlined
def is_inner(kind: Integer) -> bool:
    """Whether a character belongs to the word before it, or is invisible to it."""
    return bool(kind == MARK or kind == JOIN)  # noqa: SIM109


@inlined
def keep(
    found: WordScratch, m: int, h: np.uint64, start: Integer, end: Integer, state: Integer
) -> int:
    """Write down a word; return how many there are now."""
    found.hashes[m] = finish(h)
    found.starts[m] = start
    found.ends[m] = end
    found.breaks[m] = state >= SENTENCE_ENDED
    return m + 1


@compiled
def scan(data: Bytes, found: WordScratch, table: UnicodeTable) -> int:
    """Find the words of all texts in `data`, each ended by NUL; return how many."""
    found, table = WordScratch(*found), UnicodeTable(*table)
    m = t = 0
    i: Integer = 0
    state: Integer = SENTENCE_ENDED
    while i < len(data):
        kind: Integer = np.int64(table.ascii[data[np.uint64(i)]])
        start = i
        h = np.uint64(0)
        while kind >= FIRST_LETTER:
            h = (h ^ np.uint64(kind)) * MULTIPLIER
            i += 1
            kind = np.int64(table.ascii[data[np.uint64(i)]])
        after = i + 1
        if kind == NON_ASCII:
            kind, _, _, after = look(data, i, table)
            while is_letter(kind) or (i > start and is_inner(kind)):
                h, end, i, seen = read_word(data, start, i, h, table)
                m = keep(found, m, h, start, end, state)
                kind, _, _, after = seen
                start, h, state = i, np.uint64(0), 0
        if i > start:
            m = keep(found, m, h, start, i, state)
            state = 0
        if kind < FIRST_LETTER:
            state = table.gaps[np.uint64(state | kind)]
            i = after
            if kind == TEXT_END:
                t += 1
                found.texts[t] = m
    return m


def read_words(text: str, *, digits: bool = False) -> Words:
    """Return the words of one text."""
    return read_many([text], digits=digits)


def read_many(texts: Sequence[str], *, digits: bool = False) -> Words:
    """Return the words of many texts in one pass: a call costs as much as fifty short strings."""
    return read_encoded(encode(texts), len(texts), digits=digits)


def read_encoded(data: bytes, texts: int = 1, *, digits: bool = False) -> Words:
    """Return the words of texts that are valid UTF-8 already, each with NUL behind it."""
    room, table = make_room(data, texts), DIGITS_TABLE if digits else TABLE
    count = scan(np.frombuffer(data, np.uint8), unnamed(room), unnamed(table))
    return keep_found(data, room, count, folded=True)


def make_room(data: bytes, texts: int) -> WordScratch:
    """Return arrays large enough for all the words of some texts.

    They are this thread's own until `keep_found` has copied them: fresh ones would be mapped anew.
    """
    if len(data) > MAX_BYTES:
        raise InputError("more than 2 GiB of text at once; give less, or a part at a time")
    room = len(data) // 2 + 1
    arrays: Arrays | None = getattr(_scratch, "arrays", None)
    if arrays is None or len(arrays[0]) < room:
        arrays = _make_arrays(max(room, SCRATCH_WORDS))
        if room <= SCRATCH_WORDS:
            _scratch.arrays = arrays
    return WordScratch(*arrays, np.zeros(texts + 1, np.int32))


def _make_arrays(room: int) -> Arrays:
    spans = np.empty((2, room), np.int32)
    return np.empty(room, np.uint64), spans[0], spans[1], np.empty(room, np.bool_)


def keep_found(data: bytes, room: WordScratch, m: int, *, folded: bool) -> Words:
    """Return the first m words, in arrays of their own."""
    spans = room.starts[:m].copy(), room.ends[:m].copy()
    return Words(room.hashes[:m].copy(), *spans, room.breaks[:m].copy(), room.texts, data, folded)


def sentence_lengths(words: Words) -> NDArray[np.int64]:
    """Return how many words each sentence has, in reading order."""
    return np.diff(np.flatnonzero(words.breaks), append=len(words.hashes))


def locate(known: Hashes, hashes: Hashes) -> tuple[NDArray[np.int64], Flags]:
    """Return where each hash stands among known ones, which are sorted, and whether it does."""
    if not len(known):
        return np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.bool_)
    at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return at, known[at] == hashes


def text_slices(words: Words) -> list[slice]:
    """Return the words of each text, as slices of the arrays."""
    return [slice(*pair) for pair in itertools.pairwise(words.texts.tolist())]


def pick(words: Words, which: Flags | NDArray[np.int64]) -> Words:
    """Return some of the words, as if they stood in one text."""
    hashes = words.hashes[which]
    starts, ends, breaks = words.starts[which], words.ends[which], words.breaks[which]
    texts = np.array([0, len(hashes)], np.int32)
    return Words(hashes, starts, ends, breaks, texts, words.data, words.folded)


def encode(texts: Sequence[str]) -> bytes:
    """Return the texts as UTF-8, each with NUL behind it and none inside."""
    try:
        data = b"\0".join([*map(str.encode, texts), b""])
    except UnicodeEncodeError:  # lone surrogates: to words they are like any control
        data = b"\0".join([*(text.encode("utf-8", "surrogatepass") for text in texts), b""])
    if data.count(b"\0") == len(texts):
        return data
    return encode([text.replace("\0", "\1") for text in texts])


@lru_cache(maxsize=65536)
def _fold_char(char: str) -> str:
    code = ord(char)
    entry = int(DIGITS_TABLE.blocks[int(DIGITS_TABLE.block_of[code >> 6]) * 64 + (code & 63)])
    if entry & 15 not in (LETTER, SINGLE, MARK):
        return "_" if char == "_" else ""
    if entry & HANGUL:
        return unicodedata.normalize("NFD", char)
    if entry & IN_POOL:
        at = entry >> SHIFT
        return "".join(map(chr, TABLE.pool[at + 1 : at + 1 + int(TABLE.pool[at])]))
    fold = (code + (entry >> SHIFT)) & 0x1FFFFF
    return str(fold - FIRST_DIGIT) if FIRST_DIGIT <= fold < FIRST_DIGIT + 10 else chr(fold)


def fold_word(word: str) -> str:
    """Return the form that a word of a text counts as, composed where that reads as the same.

    >>> fold_word("Straße"), fold_word("Rasseportra\u0308t")
    ('strasse', 'rasseporträt')
    """
    if word.isascii():
        return word.lower()
    folded = _fold(word)
    composed = unicodedata.normalize("NFC", folded)
    # Composing sorts marks; where the text had them in another order, it would be another word.
    return composed if _fold(composed) == folded else folded


def _fold(word: str) -> str:
    return DOTTED_I.sub("i", "".join(map(_fold_char, word)))


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
