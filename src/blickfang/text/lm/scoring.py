"""Phase 4 of the language model: how probable is each word of a text, given the words before it?

In: hashed words and a `Table`. Out: log10 p per word, per sentence end, or summed per text, in
units of 2^-36: whole numbers, whose sums are exact in any order of adding (prefix sums rely on it).

Scoring goes order by order instead of word by word: at each order all look-ups are independent of
one another, so the processor fetches many rows at once instead of waiting for each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled
from blickfang.text.lm.kneser_ney import Doubles, Floats
from blickfang.text.lm.ngram_counts import BEGIN_HASH, END_HASH, NO_GRAM, Depths, Numbers
from blickfang.text.lm.ngram_table import FREE, NgramTable, Rows, gram_key, home, search, spread
from blickfang.text.words import Flags, Hashes, Spans

Fixed = NDArray[np.int64]

CHUNK = 1024  # tokens scored together: what they touch stays in the nearest cache
UNITS_PER_ONE = float(2**36)


class Progress(NamedTuple):
    """What is known of each token of a chunk after some orders."""

    depth: Depths  # distance from <s>
    words: Numbers  # row of its word
    grams: Numbers  # row of the n-gram of the last order that ends here
    backoffs: Floats  # and its back-off weight
    logs: Doubles  # log10 p so far


class NgramLookup(NamedTuple):
    """The n-grams of one order that have to be looked up."""

    tokens: NDArray[np.int32]  # where each ends
    keys: Rows
    homes: Numbers  # the row where its search begins
    found: Rows  # the key that stands there


@compiled
def frame_words(hashes: Hashes, breaks: Flags, texts: Spans) -> tuple[Hashes, Depths, Spans]:
    """Return tokens with <s> and </s> around every sentence, their depth, and texts in tokens."""
    room = len(hashes) + 2 * (np.count_nonzero(breaks) + len(texts))
    tokens = np.empty(room, np.uint64)
    depth = np.empty(room, np.uint8)
    texts_at = np.zeros(len(texts), np.int32)
    o = 0
    for t in range(len(texts) - 1):
        for i in range(texts[t], texts[t + 1]):
            if i == texts[t] or breaks[i]:
                tokens[o] = BEGIN_HASH
                depth[o] = 0
                o += 1
            tokens[o] = hashes[i]
            depth[o] = min(depth[o - 1] + 1, 255)
            o += 1
            if i + 1 == texts[t + 1] or breaks[i + 1]:
                tokens[o] = END_HASH
                depth[o] = min(depth[o - 1] + 1, 255)
                o += 1
        texts_at[t + 1] = o
    return tokens[:o], depth[:o], texts_at


@compiled
def score_single(tokens: Hashes, table: NgramTable, now: Progress) -> None:
    """Look up each word by itself."""
    size = table.sizes[0]
    for i in range(len(tokens)):
        row = search(table.rows, 0, size, tokens[i], home(tokens[i], size))
        found = table.rows[row, 0] == tokens[i]
        if not found:
            row = table.unknown
        now.words[i] = row
        # Text in a foreign language is made of unknown words: no look-ups that must fail.
        now.grams[i] = row if found or table.opened else NO_GRAM
        now.logs[i] = table.values[row, 2]
        now.backoffs[i] = table.values[row, 3]


@compiled
def seek_grams(
    k: Integer, base: Integer, table: NgramTable, now: Progress, wanted: NgramLookup
) -> int:
    """List the n-grams of order k that may exist, with the key in their home row; settle the rest.

    The last loop has no branch that waits for memory, so its reads overlap. Walking backwards
    lets `grams` be replaced in place: the k-gram at i needs the (k-1)-gram at i - 1.
    """
    n = 0
    for i in range(len(now.words) - 1, 0, -1):
        prefix = now.grams[i - 1]
        if now.depth[i] < k - 1 or prefix == NO_GRAM:
            now.grams[i] = NO_GRAM
        elif now.grams[i] == NO_GRAM and table.closed:
            now.logs[i] += now.backoffs[i - 1]  # without its suffix there is no k-gram
        else:
            wanted.tokens[n] = i
            wanted.keys[n] = gram_key(prefix, now.words[i])
            n += 1
    now.grams[0] = NO_GRAM
    for w in range(n):
        wanted.homes[w] = home(spread(wanted.keys[w]), table.sizes[k - 1])
    for w in range(n):
        wanted.found[w] = table.rows[base + wanted.homes[w], 0]
    return n


@compiled
def settle_grams(
    n: Integer, k: Integer, base: Integer, table: NgramTable, now: Progress, wanted: NgramLookup
) -> None:
    """Take the k-grams that exist: they replace what shorter ones said; else add the back-off."""
    for w in range(n):
        i = wanted.tokens[w]
        row: Integer = np.int64(wanted.homes[w])
        found = wanted.found[w]
        if found != wanted.keys[w] and found != FREE:
            row = search(table.rows, base, table.sizes[k - 1], wanted.keys[w], row)
            found = table.rows[base + row, 0]
        if found == wanted.keys[w]:
            now.logs[i] = table.values[base + row, 2]
            now.backoffs[i] = table.values[base + row, 3]
            now.grams[i] = row
        else:
            now.logs[i] += now.backoffs[i - 1]
            now.grams[i] = NO_GRAM


@compiled
def score_tokens(tokens: Hashes, depth: Depths, table: NgramTable) -> tuple[Fixed, Numbers]:
    """Return log10 p of each token, 0 for <s>, and the row of its word."""
    n = len(tokens)
    words, grams = np.empty(n, np.uint32), np.empty(n, np.uint32)
    backoffs, logs = np.empty(n, np.float32), np.empty(n, np.float64)
    wanted = NgramLookup(
        np.empty(n, np.int32),
        np.empty(n, np.uint64),
        np.empty(n, np.uint32),
        np.empty(n, np.uint64),
    )
    begin = 0
    while begin < n:
        end = min(begin + CHUNK, n)
        while end < n and depth[end] > 0:  # whole sentences
            end += 1
        part = slice(begin, end)
        now = Progress(depth[part], words[part], grams[part], backoffs[part], logs[part])
        score_single(tokens[part], table, now)
        base = 0
        for k in range(2, len(table.sizes) + 1):
            base += table.sizes[k - 2]
            count = seek_grams(k, base, table, now, wanted)
            settle_grams(count, k, base, table, now, wanted)
        begin = end
    fixed = np.empty(n, np.int64)
    for i in range(n):
        fixed[i] = np.int64(np.rint(logs[i] * UNITS_PER_ONE)) if depth[i] else 0
    return fixed, words


@compiled
def score_texts(
    hashes: Hashes, breaks: Flags, texts: Spans, table: NgramTable
) -> tuple[Doubles, NDArray[np.int64], NDArray[np.int64]]:
    """Return for each text Σ log10 p, its tokens with </s>, and how many words were unknown."""
    tokens, depth, texts_at = frame_words(hashes, breaks, texts)
    logs, words = score_tokens(tokens, depth, table)
    sums = np.zeros(len(texts) - 1)  # floats: exact up to a hundred thousand, never overflowing
    counted, missing = np.zeros(len(sums), np.int64), np.zeros(len(sums), np.int64)
    for t in range(len(sums)):
        for i in range(texts_at[t], texts_at[t + 1]):
            sums[t] += logs[i]
            counted[t] += depth[i] > 0
            missing[t] += words[i] == table.unknown
        sums[t] /= UNITS_PER_ONE
    return sums, counted, missing


@compiled
def score_words(
    hashes: Hashes, breaks: Flags, texts: Spans, table: NgramTable
) -> tuple[Fixed, Fixed]:
    """Return log10 p of each word, and of </s> behind it where a sentence ends, else 0."""
    tokens, depth, _ = frame_words(hashes, breaks, texts)
    logs, _ = score_tokens(tokens, depth, table)
    of_word, of_end = np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
    i = -1
    for o in range(len(tokens)):
        if tokens[o] == END_HASH:
            of_end[i] = logs[o]
        elif depth[o]:
            i += 1
            of_word[i] = logs[o]
    return of_word, of_end
