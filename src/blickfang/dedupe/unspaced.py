"""Words of scripts without blanks, where texts are compared by their sets of single words.

In: texts. Out: their word hashes. There every character is a word of ours (words.py), and there are
few: two pages on anything share most of them. In shingles of three they say enough; alone they do
not. So with shingles of one word, neighbouring characters of such scripts count as pairs, as search
engines index Chinese: most of its words have two characters. One that stands alone stays.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.shingles import HashedTexts, hash_texts
from blickfang.text.words import (
    FIRST_MIX,
    MULTIPLIER,
    SECOND_MIX,
    SINGLE,
    TABLE,
    U33,
    Hashes,
    Words,
    read_many,
)

BATCH_CHARS = 2**19  # of texts that are read at once
FIRST_LEAD, LONG_LEAD = 0xE0, 0xF0  # of characters of three bytes, and of four


def hash_for(texts: Sequence[str], shingle: int, threads: int = 1) -> HashedTexts:
    """Return the words of texts, digits kept, as shingles of so many of them need them."""
    if shingle > 1:
        return hash_texts(texts, threads=threads)
    hashes, starts, total, begin = [], [np.zeros(1, np.int64)], 0, 0
    while begin < len(texts):
        end, size = begin, 0
        while end < len(texts) and size < BATCH_CHARS:
            size += len(texts[end])
            end += 1
        part = pair_characters(read_many(texts[begin:end], digits=True))
        hashes.append(part.hashes)
        starts.append(part.starts[1:] + total)
        total, begin = total + len(part.hashes), end
    return HashedTexts(np.concatenate([np.empty(0, np.uint64), *hashes]), np.concatenate(starts))


def pair_characters(words: Words) -> HashedTexts:
    """Return words with neighbouring single characters as pairs."""
    starts = words.texts.astype(np.int64)
    joined = np.zeros(len(words.hashes), np.bool_)  # to the next word
    single = is_single(words)
    if not single.any():
        return HashedTexts(words.hashes, starts)
    joined[:-1] = single[:-1] & single[1:] & (words.ends[:-1] == words.starts[1:])
    follows = np.concatenate([[False], joined[:-1]])
    hashes = words.hashes.copy()
    first = np.flatnonzero(joined)
    hashes[first] = _mix(words.hashes[first] * MULTIPLIER + words.hashes[first + 1])
    kept = joined | ~follows  # the last of a row is in the pair before it
    counts = np.concatenate([[0], np.cumsum(kept)])
    return HashedTexts(hashes[kept], counts[starts])


def is_single(words: Words) -> NDArray[np.bool_]:
    """Return which words are characters of a script without blanks."""
    data = np.frombuffer(words.data, np.uint8)
    found = np.zeros(len(words.hashes), np.bool_)
    leads = data[words.starts]
    which = np.flatnonzero(leads >= FIRST_LEAD)
    if not len(which):
        return found
    at = words.starts[which].astype(np.int64)
    a, b, c = (data[at + n].astype(np.int64) for n in range(3))
    d = data[np.minimum(at + 3, len(data) - 1)].astype(np.int64) & 63
    three = (a & 15) << 12 | (b & 63) << 6 | c & 63
    four = (a & 7) << 18 | (b & 63) << 12 | (c & 63) << 6 | d
    codes = np.where(a >= LONG_LEAD, four, three)
    entries = TABLE.blocks[TABLE.block_of[codes >> 6].astype(np.int64) * 64 + (codes & 63)]
    found[which] = (entries & 15) == SINGLE
    return found


def _mix(h: Hashes) -> Hashes:
    """Spread the bits of hashes, as words.finish does."""
    for factor in (FIRST_MIX, SECOND_MIX):
        h = (h ^ h >> U33) * factor
    return np.maximum(h ^ h >> U33, np.uint64(1))
