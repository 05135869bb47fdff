"""SimHash: 64 or 128 bits for a text, of which near-duplicates differ in few.

In: word hashes. Out: for each text one number (64 bit) or a row of two (128 bit). Features are the
word n-grams of one or several lengths, each counted as often as it stands in the text ("tf") or
once ("set"). A bit is 1 where more features have a 1 there than have a 0. All bits are counted at
once: the counters stand upright, one number holds one binary digit of all 64 of them.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.dedupe.shingles import HashedTexts, Places, gather, roll, shingle_all
from blickfang.text.words import MULTIPLIER, Hashes, finish

BLOCK = 16  # features added at once
DIGITS = 40  # of the counters
READY = 0  # in place of a length: the hashes are features already
ZERO, ALL = np.uint64(0), np.uint64(2**64 - 1)
Weights = Literal["tf", "set"]


@inlined
def add3(a: np.uint64, b: np.uint64, c: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Add three one-digit counters: the low and the high digit of the sums."""
    u = a ^ b
    return u ^ c, a & b | u & c


@inlined
def add4(s: np.uint64, x: Hashes, i: Integer) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Add four features to the ones: the ones, and two counters of twos."""
    s, first = add3(s, x[i], x[i + 1])
    s, second = add3(s, x[i + 2], x[i + 3])
    return s, first, second


@inlined
def add8(
    ones: np.uint64, twos: np.uint64, x: Hashes, i: Integer
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Add eight features: the ones, the twos, and two counters of fours."""
    ones, a, b = add4(ones, x, i)
    twos, first = add3(twos, a, b)
    ones, a, b = add4(ones, x, i + 4)
    twos, second = add3(twos, a, b)
    return ones, twos, first, second


@inlined
def carry(digits: Hashes, d: Integer, x: np.uint64) -> None:
    """Add to the counters from a digit on."""
    while x != ZERO:
        kept = digits[d]
        digits[d] = kept ^ x
        x &= kept
        d += 1


@inlined
def count_ones(x: Hashes, count: Integer, digits: Hashes) -> None:
    """Count for each of 64 bits how many features have it; behind them stand 15 zeros."""
    for d in range(DIGITS):
        digits[d] = ZERO
    ones = twos = fours = eights = ZERO
    for i in range(0, count, BLOCK):
        ones, twos, a, b = add8(ones, twos, x, i)
        fours, first = add3(fours, a, b)
        ones, twos, a, b = add8(ones, twos, x, i + 8)
        fours, second = add3(fours, a, b)
        eights, over = add3(eights, first, second)
        carry(digits, 4, over)
    digits[0], digits[1], digits[2], digits[3] = ones, twos, fours, eights


@inlined
def more_than(digits: Hashes, bound: Integer) -> np.uint64:
    """Return the bits whose counters exceed a number."""
    above, level = ZERO, ALL
    for d in range(DIGITS - 1, -1, -1):
        digit = ALL if bound >> d & 1 else ZERO
        above |= level & digits[d] & ~digit
        level &= ~(digits[d] ^ digit)
    return above


@inlined
def vote(x: Hashes, count: Integer, digits: Hashes, row: Hashes) -> None:
    """Write down the fingerprint of some features; they are used up."""
    for i in range(count, count + BLOCK - 1):
        x[i] = ZERO
    for part in range(len(row)):
        if part:
            for i in range(count):
                x[i] = finish(x[i] + MULTIPLIER)
        count_ones(x, count, digits)
        row[part] = more_than(digits, count // 2)


@filling
def vote_all(
    texts: HashedTexts, lengths: Places, room: Hashes, digits: Hashes, rows: Hashes
) -> None:
    """Write down the fingerprint of each text from its n-grams."""
    for t in range(len(rows)):
        begin, end = texts.starts[t], texts.starts[t + 1]
        count: Integer = 0
        if lengths[0] == READY:
            count = end - begin
            for i in range(count):
                room[i] = texts.hashes[begin + i]
        for k in range(len(lengths)):
            if lengths[k] != READY and (k == 0 or end - begin >= lengths[k]):
                count += roll(texts.hashes, begin, end, lengths[k], room[count:])
        vote(room, count, digits, rows[t])


def simhashes(
    texts: HashedTexts, lengths: Sequence[int] = (1,), bits: int = 64, weights: Weights = "tf"
) -> NDArray[np.uint64]:
    """Return the fingerprints of texts: numbers, or rows of two with 128 bits."""
    if bits not in (64, 128):
        raise ValueError("a SimHash has 64 or 128 bits")
    if not lengths or min(lengths) < 1:
        raise ValueError("an n-gram has at least one word")
    if weights == "set":
        texts, lengths = _distinct(texts, sorted(lengths)), (READY,)
    rows = np.empty((len(texts.starts) - 1, bits // 64), np.uint64)
    longest = int(np.diff(texts.starts).max(initial=0))
    room = np.empty((longest + 1) * len(lengths) + BLOCK, np.uint64)
    vote_all(texts, np.array(sorted(lengths), np.int64), room, np.empty(DIGITS, np.uint64), rows)
    return rows if bits == 128 else rows[:, 0].copy()


def _distinct(texts: HashedTexts, lengths: Sequence[int]) -> HashedTexts:
    """Return the n-grams of each text, each once."""
    parts = [shingle_all(texts, length) for length in lengths]
    sizes = np.diff(texts.starts)
    rows = []
    for t in range(len(sizes)):
        for k, part in enumerate(parts):
            if k == 0 or sizes[t] >= lengths[k]:
                rows.append(part.hashes[part.starts[t] : part.starts[t + 1]])
            else:
                rows.append(part.hashes[:0])
    joined = gather(rows)
    return HashedTexts(joined.hashes, joined.starts[:: len(lengths)].copy())
