"""What characters do to the hash of a word, those of two bytes, and which do it in one step.

In: the table of words.py. Out: for each character what it adds to a hash, 0 for what ends a word;
then, for each, what the hash is multiplied with, 0 again; then, for each, how many words it ends.
With these three a character is a step without a decision, and the processor looks them up at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import inlined
from blickfang.text.words import (
    BREAK,
    CLOSE,
    DIGITS_TABLE,
    EDGE,
    FIRST_LETTER,
    IN_POOL,
    LETTER,
    LONG,
    MULTIPLIER,
    SHIFT,
    SPACE,
    STOP,
    TABLE,
    Hashes,
    UnicodeTable,
)

Units = NDArray[np.uint8] | NDArray[np.uint16]

HARD = np.uint64(2**63)  # in place of a letter: none of these; with a place in the pool: several
MOST_STEPS = 3  # of a letter that is spread
U0, U1 = np.uint64(0), np.uint64(1)
CODES = np.uint64(1 << 16)  # characters of two bytes


class CharTable(NamedTuple):
    """What each character of two bytes does to a hash, in a text as it is and in one spread."""

    plain: Hashes
    spread: Hashes


def _list_letters(table: UnicodeTable) -> Hashes:
    """Return for each character of two bytes what it adds to a hash; 0 for what is no letter."""
    codes = np.arange(int(CODES))
    entries = table.blocks[table.block_of[codes >> 6].astype(np.int64) * 64 + (codes & 63)]
    kinds, folds = entries & 15, (codes + (entries >> SHIFT)) & 0x1FFFFF
    letters = np.where((kinds == LETTER) & (entries & LONG == 0), folds, HARD)
    letters[np.isin(kinds, (BREAK, STOP, EDGE, SPACE, CLOSE))] = 0
    letters[:128] = np.where(table.ascii[:128] >= FIRST_LETTER, table.ascii[:128], 0)
    found = letters.astype(np.uint64)
    places = (entries >> SHIFT).astype(np.uint64)
    pooled = (kinds == LETTER) & (entries & LONG == IN_POOL)
    pooled[pooled] = table.pool[places[pooled]] <= MOST_STEPS
    found[pooled] = HARD | (places[pooled] + U1)
    return found


def _make_letters(table: UnicodeTable) -> CharTable:
    """Return both; where letters are spread, each mark is a step of its own."""
    plain = _list_letters(table)
    spread = np.where(plain >= HARD, np.arange(len(plain), dtype=np.uint64), plain)
    return CharTable(_add_steps(plain), _add_steps(spread))


def _add_steps(letters: Hashes) -> Hashes:
    """Return letters with factors and ends behind them."""
    ends = letters == U0
    return np.concatenate([letters, np.where(ends, U0, MULTIPLIER), ends.astype(np.uint64)])


LETTERS, DIGIT_LETTERS = _make_letters(TABLE), _make_letters(DIGITS_TABLE)


@inlined
def spread(
    data: Units, end: np.uint64, letters: Hashes, pool: NDArray[np.uint32], room: Units
) -> np.uint64:
    """Write a text whose letters are a step each, NUL behind it; return how many there are."""
    at = U0
    for i in range(end):
        letter = letters[data[i]]
        if letter < HARD:
            room[at] = data[i]
            at += U1
        else:
            place = letter ^ HARD  # one more than that of their number
            for k in range(place, place + np.uint64(pool[place - U1])):
                room[at] = pool[k]
                at += U1
    room[at] = 0
    return at
