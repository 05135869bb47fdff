"""Phase 1 of the language model: sentences are counted as n-grams of every order at once.

In: words, sentence by sentence (`Sentences.add`). Out: `Grams` per order: an n-gram is the number
of its prefix, its last word, the number of its suffix, and a count, adjusted as Kneser–Ney wants
it: below the highest order the number of different words seen before the n-gram, except that one
that begins with <s> keeps its plain count.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled
from blickfang.text.words import FIRST_MIX, Hashes, Words, pick, sentence_lengths, spell

Numbers = NDArray[np.uint32]
Depths = NDArray[np.uint8]
Rows = NDArray[np.uint64]  # of (key, number)
Place = tuple[int, int]  # where a kernel stopped, and how many things are numbered

UNKNOWN, BEGIN, END = 0, 1, 2  # the numbers of <unk>, <s> and </s>
SPECIAL = ("<unk>", "<s>", "</s>")
# Their hashes; no text hashes to them but by a miracle.
UNKNOWN_HASH, BEGIN_HASH, END_HASH = np.uint64(1), np.uint64(2), np.uint64(3)
SPECIAL_HASHES = np.array([UNKNOWN_HASH, BEGIN_HASH, END_HASH], np.uint64)
NO_GRAM = np.uint32(0xFFFFFFFF)
FREE, U32 = np.uint64(0), np.uint64(32)


@dataclass(frozen=True, slots=True)
class Grams:
    """The different n-grams of one order."""

    prefix: Numbers  # number of the first n - 1 words among the n-grams one order below
    word: Numbers
    suffix: Numbers  # number of the last n - 1 words
    count: Numbers


class Text(NamedTuple):
    """All tokens, and the n-gram of the last order counted that ends at each."""

    tokens: Numbers
    depth: Depths  # distance from <s>
    grams: Numbers


class OrderCounts(NamedTuple):
    """Room for the n-grams of one order: the arrays of `Grams`, and the counts one order below."""

    prefix: Numbers
    word: Numbers
    suffix: Numbers
    counts: Numbers
    lower: Numbers  # the counts


@compiled
def find_slot(table: Rows, key: np.uint64) -> Integer:
    """Return the row of a key in an open-addressed table of (key, number), or its free row."""
    mask = len(table) - 1
    mixed = key * FIRST_MIX
    slot = np.int64((mixed ^ mixed >> U32) & np.uint64(mask))
    while table[slot, 0] != FREE and table[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def move_rows(old: NDArray[np.uint64], new: Rows) -> None:
    """Copy all keys into a larger table."""
    for row in range(len(old)):
        if old[row, 0] != FREE:
            slot = find_slot(new, old[row, 0])
            new[slot, 0] = old[row, 0]
            new[slot, 1] = old[row, 1]


def grow(table: Rows) -> Rows:
    """Return a table of twice the size with the same keys."""
    larger = np.zeros((2 * len(table), 2), np.uint64)
    move_rows(table, larger)
    return larger


@compiled
def number_words(
    hashes: Hashes,
    begin: int,
    known: int,
    table: Rows,
    out: Numbers,
    fresh: NDArray[np.int64],
) -> tuple[int, int]:
    """Give each word its number, new words the next one, until done or the table is half full."""
    limit = len(table) // 2
    for i in range(begin, len(hashes)):
        slot = find_slot(table, hashes[i])
        if table[slot, 0] == FREE:
            if known >= limit:
                return i, known
            table[slot, 0] = hashes[i]
            table[slot, 1] = np.uint64(known)
            fresh[known] = i
            known += 1
        out[i] = np.uint32(table[slot, 1])
    return len(hashes), known


@compiled
def frame_sentences(
    numbers: Numbers, lengths: NDArray[np.int64], out: Numbers, depth: Depths
) -> None:
    """Put <s> and </s> around every sentence; the depth of a token is its distance from <s>."""
    i = o = 0
    for length in lengths:
        out[o] = BEGIN
        depth[o] = 0
        for k in range(1, length + 1):
            out[o + k] = numbers[i]
            depth[o + k] = min(k, 255)
            i += 1
        out[o + length + 1] = END
        depth[o + length + 1] = min(length + 1, 255)
        o += length + 2


class Sentences:
    """Collects sentences as arrays of word numbers; words are numbered as they come."""

    def __init__(self) -> None:
        self.words: list[str] = list(SPECIAL)
        self._hashes: list[Hashes] = [SPECIAL_HASHES]
        self._table = np.zeros((1 << 14, 2), np.uint64)
        self._tokens: list[Numbers] = []
        self._depth: list[Depths] = []
        self.sentences = 0

    def add(self, words: Words, min_words: int = 1) -> None:
        """Take in all sentences of at least so many words."""
        lengths = sentence_lengths(words)
        kept = lengths >= min_words
        if not kept.all():
            words = pick(words, np.repeat(kept, lengths))
            lengths = lengths[kept]
        numbers = self._number(words)
        tokens = np.empty(len(numbers) + 2 * len(lengths), np.uint32)
        depth = np.empty(len(tokens), np.uint8)
        frame_sentences(numbers, lengths, tokens, depth)
        self._tokens.append(tokens)
        self._depth.append(depth)
        self.sentences += len(lengths)

    def _number(self, words: Words) -> Numbers:
        numbers = np.empty(len(words.hashes), np.uint32)
        old = known = len(self.words)
        fresh = np.empty(old + len(numbers), np.int64)
        at = 0
        while True:
            at, known = number_words(words.hashes, at, known, self._table, numbers, fresh)
            if at == len(numbers):
                break
            self._table = grow(self._table)
        first_seen = fresh[old:known]
        self.words += spell(pick(words, first_seen))
        self._hashes.append(words.hashes[first_seen])
        return numbers

    def framed(self) -> tuple[Numbers, Depths]:
        """Return all tokens with <s> and </s>, and the depth of each."""
        if not self._tokens:
            return np.empty(0, np.uint32), np.empty(0, np.uint8)
        return np.concatenate(self._tokens), np.concatenate(self._depth)

    def hashes(self) -> Hashes:
        """Return the hash of each word, by number."""
        return np.concatenate(self._hashes)


@compiled
def count_from(
    i: int, n: int, k: int, top: bool, text: Text, table: Rows, grams: OrderCounts
) -> Place:
    """Count n-grams of order k from token `i` down to 0, or until the table is half full.

    `text.grams[i]` is the (k-1)-gram that ends at i and becomes the k-gram; walking down lets it
    be replaced in place, since the k-gram at i needs the (k-1)-gram at i - 1.
    """
    limit = len(table) // 2
    while i >= 0:
        if text.depth[i] < k - 1:
            text.grams[i] = NO_GRAM
            i -= 1
            continue
        prefix, word, suffix = text.grams[i - 1], text.tokens[i], text.grams[i]
        key = np.uint64(prefix) << U32 | np.uint64(word)
        slot = find_slot(table, key)
        if table[slot, 0] == FREE:
            if n >= limit:
                return i, n
            table[slot, 0] = key
            table[slot, 1] = np.uint64(n)
            grams.prefix[n] = prefix
            grams.word[n] = word
            grams.suffix[n] = suffix
            grams.counts[n] = 0
            grams.lower[suffix] += 1  # one more word seen before this suffix
            n += 1
        number = np.int64(table[slot, 1])
        if top or text.depth[i] == k - 1:
            grams.counts[number] += 1
        text.grams[i] = number
        i -= 1
    return i, n


def count_grams(sentences: Sentences, order: int) -> list[Grams]:
    """Return the n-grams of order 1 … `order`; fewer orders if no sentence is long enough."""
    tokens, depth = sentences.framed()
    none = np.zeros(len(sentences.words), np.uint32)
    count = none.copy()
    if order == 1:
        count += np.bincount(tokens, minlength=len(count)).astype(np.uint32)
        count[BEGIN] = 0
    levels = [Grams(none, np.arange(len(none), dtype=np.uint32), none, count)]
    text = Text(tokens, depth, tokens.copy())
    for k in range(2, order + 1):
        if not (depth >= k - 1).any():
            return count_grams(sentences, k - 1)
        levels.append(count_order(k, k == order, text, levels[-1]))
    return levels


def count_order(k: int, top: bool, text: Text, lower: Grams) -> Grams:
    """Count the n-grams of one order, and with them adjust the counts one order below."""
    possible = int(np.count_nonzero(text.depth >= k - 1))
    # As large as they could get, but memory is only taken where something is written.
    columns = [np.empty(possible, np.uint32) for _ in range(4)]
    level = OrderCounts(columns[0], columns[1], columns[2], columns[3], lower.count)
    table = np.zeros((1 << max(10, (2 * len(lower.word)).bit_length()), 2), np.uint64)
    i, n = len(text.tokens) - 1, 0
    while True:
        i, n = count_from(i, n, k, top, text, table, level)
        if i < 0:
            return Grams(*(column[:n].copy() for column in columns))
        table = grow(table)
