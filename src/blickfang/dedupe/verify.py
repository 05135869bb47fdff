"""The exact Jaccard of proposed pairs, without sorting a single shingle.

In: the words of texts, and pairs of them. Out: the Jaccard of their sets of shingles. Texts that
pairs connect form a group. In it shingles are numbered as they come; a text is then a row of bits,
and a pair costs a look at two rows. Near-duplicates mostly say what the text before them says: as
long as its words go on in the same way, so do the numbers, and nothing is hashed or looked up.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.dedupe.clusters import cluster
from blickfang.dedupe.radix_sort import count_bits
from blickfang.dedupe.shingles import (
    Floats,
    Halves,
    HashedTexts,
    KeptWords,
    Places,
    jaccards,
    shingle_all,
)
from blickfang.text.words import MULTIPLIER, Hashes, finish

MOST_BITS = 1 << 24  # words of 64 bits for the rows of a group: 128 MB
LEAST_SLOTS = 64
U0, U1, U6, U63 = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
LOWER = (1 << 32) - 1
Noted = tuple[Integer, np.uint64]  # 64 shingles, and those of them that a text has


class VerifyScratch(NamedTuple):
    """What the work on one group after the other needs."""

    numbers: NDArray[np.int32]  # a table of shingles; -1: a free slot
    shingles: Hashes  # by number
    last: Places  # by number: the text that had it last, and where
    numbered: NDArray[np.int32]  # two rows: the numbers of this text and of the one before it
    bits: Hashes  # 64 shingles of all texts of a group, then the next 64
    sizes: Places  # of the sets


class TextGroups(NamedTuple):
    """Texts that pairs connect, and those pairs."""

    texts: Places  # group after group
    starts: Places
    pairs: Places  # as places in the group
    pair_starts: Places


@inlined
def hash_at(words: Hashes | Halves, i: Integer, size: Integer) -> np.uint64:
    """Return the shingle that begins with a word; shingles.py, roll."""
    h = U0
    for j in range(i, i + size):
        h = h * MULTIPLIER + words[j]
    return finish(h)


@inlined
def number_shingle(h: np.uint64, room: VerifyScratch, mask: np.uint64, count: Integer) -> Integer:
    """Return the number of a shingle: `count`, if it is new."""
    at = h & mask
    while room.numbers[at] >= 0:
        if room.shingles[room.numbers[at]] == h:
            return np.int64(room.numbers[at])
        at = (at + U1) & mask
    room.numbers[at] = count
    return count


@inlined
def fill_table(room: VerifyScratch, slots: np.uint64, count: Integer) -> np.uint64:
    """Make the table anew, with so many slots, of the shingles so far; return its mask."""
    for at in range(slots):
        room.numbers[at] = -1
    for number in range(count):
        number_shingle(room.shingles[number], room, slots - U1, number)
    return slots - U1


@inlined
def meet_shingle(
    h: np.uint64, room: VerifyScratch, mask: np.uint64, count: Integer, texts: Integer
) -> tuple[Integer, Integer, np.uint64]:
    """Return the number of a shingle, how many there are now, and the mask of the table."""
    number = number_shingle(h, room, mask, count)
    if number == count:
        room.shingles[count] = h
        room.last[count] = -1
        if count & 63 == 0:
            for text in range(texts):
                room.bits[(count >> 6) * texts + text] = U0
        count += 1
        if np.uint64(2 * count) > mask:
            mask = fill_table(room, (mask + U1) << U1, count)
    return number, count, mask


@inlined
def count_equal(a: Hashes | Halves, i: Integer, b: Hashes | Halves, j: Integer) -> Integer:
    """Return how many words are the same from a place on."""
    most = min(len(a) - i, len(b) - j)
    n = 0
    while n < most and a[np.uint64(i + n)] == b[np.uint64(j + n)]:
        n += 1
    return n


@inlined
def note_shingle(
    number: Integer, i: Integer, room: VerifyScratch, place: tuple[Integer, Integer], noted: Noted
) -> Noted:
    """Write down that a text has a shingle at a place; 64 are noted at once: most follow."""
    text, texts = place
    row, bits = noted
    room.last[np.uint64(number)] = text << 32 | i
    room.numbered[text & 1, np.uint64(i)] = number
    if number >> 6 != row:
        room.bits[row * texts + text] |= bits
        row, bits = number >> 6, U0
    return row, bits | U1 << (np.uint64(number) & U63)


@inlined
def number_text(
    words: Hashes | Halves,
    before: Hashes | Halves,
    size: Integer,
    place: tuple[Integer, Integer],
    room: VerifyScratch,
    state: tuple[Integer, np.uint64],
) -> tuple[Integer, np.uint64]:
    """Number the shingles of a text, following the text before it as far as it says the same."""
    text, texts = place
    count, mask = state
    width = min(size, len(words))
    may_follow = text > 0 and min(size, len(before)) == width
    noted: Noted = (0, U0)
    i: Integer = 0
    while i + width <= len(words):
        h = hash_at(words, i, width)
        number, count, mask = meet_shingle(h, room, mask, count, texts)
        seen = room.last[np.uint64(number)]
        noted = note_shingle(number, i, room, place, noted)
        i += 1
        if may_follow and seen >> 32 == text - 1:  # the text before says the same at a place
            at = (seen & LOWER) + 1
            same = count_equal(words, i + width - 1, before, at + width - 1)
            for j in range(same):
                number = np.int64(room.numbered[(text + 1) & 1, np.uint64(at + j)])
                noted = note_shingle(number, i + j, room, place, noted)
            i += same
    room.bits[noted[0] * texts + text] |= noted[1]
    return count, mask


@inlined
def number_group(
    texts: HashedTexts | KeptWords, members: Places, size: Integer, room: VerifyScratch
) -> Integer:
    """Number the shingles of all texts of a group; return how many there are."""
    first = texts.starts[members[0] + 1] - texts.starts[members[0]]
    slots = np.uint64(LEAST_SLOTS)
    while slots < np.uint64(4 * first):
        slots <<= U1
    state: tuple[Integer, np.uint64] = (0, fill_table(room, slots, 0))
    words = before = texts.hashes[:0]
    for t in range(len(members)):
        before = words
        words = texts.hashes[texts.starts[members[t]] : texts.starts[members[t] + 1]]
        state = number_text(words, before, size, (t, len(members)), room, state)
    for t in range(len(members)):
        ones = U0
        for row in range((state[0] + 63) >> 6):
            ones += count_bits(room.bits[row * len(members) + t])
        room.sizes[t] = np.int64(ones)
    return state[0]


@filling
def measure_groups(
    texts: HashedTexts | KeptWords,
    groups: TextGroups,
    span: tuple[int, int],
    size: int,
    threshold: float,
    room: VerifyScratch,
    out: Floats,
) -> None:
    """Write down the Jaccard of the pairs of some groups; -1 where it is below the threshold."""
    for g in range(*span):
        members = groups.texts[groups.starts[g] : groups.starts[g + 1]]
        count = number_group(texts, members, size, room)
        for p in range(groups.pair_starts[g], groups.pair_starts[g + 1]):
            a, b = groups.pairs[p, 0], groups.pairs[p, 1]
            both = U0
            for row in range((count + 63) >> 6):
                at = row * len(members)
                both += count_bits(room.bits[at + a] & room.bits[at + b])
            shared = np.int64(both)
            value = shared / max(room.sizes[a] + room.sizes[b] - shared, 1)
            out[p] = value if value >= threshold else -1.0


def _total_lengths(texts: HashedTexts | KeptWords, groups: TextGroups) -> Places:
    """Return how many words the texts of each group have."""
    lengths: Places = np.diff(texts.starts)[groups.texts]
    return np.add.reduceat(lengths, groups.starts[:-1])


def _count_bits(totals: Places, groups: TextGroups) -> Places:
    """Return how much room the bits of each group take at most."""
    return (totals // 64 + 1) * np.diff(groups.starts)


def _make_room(
    texts: HashedTexts | KeptWords, groups: TextGroups, span: tuple[int, int]
) -> VerifyScratch:
    """Return room for the largest of some groups; what is not used takes no memory."""
    totals = _total_lengths(texts, groups)
    chosen = slice(*span)
    shingles = int(totals[chosen].max()) + 1
    longest = int(np.diff(texts.starts)[groups.texts].max()) + 1
    slots = 1 << max(LEAST_SLOTS, 4 * shingles).bit_length()
    return VerifyScratch(
        np.empty(slots, np.int32),
        np.empty(shingles, np.uint64),
        np.empty(shingles, np.int64),
        np.empty((2, longest), np.int32),
        np.empty(int(_count_bits(totals, groups)[chosen].max()), np.uint64),
        np.empty(int(np.diff(groups.starts)[chosen].max()), np.int64),
    )


def group_pairs(count: int, pairs: Places) -> tuple[TextGroups, Places]:
    """Return the groups that pairs connect, and the order in which the pairs now stand."""
    labels = cluster(count, pairs)
    used = np.zeros(count, np.bool_)
    used[pairs] = True
    members = np.flatnonzero(used)
    members = members[np.argsort(labels[members], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[members], prepend=-1)).astype(np.int64)
    places = np.empty(count, np.int64)
    sizes = np.diff(starts, append=len(members))
    places[members] = np.arange(len(members)) - np.repeat(starts, sizes)
    belongs = labels[pairs[:, 0]]
    order = np.argsort(belongs, kind="stable")
    pair_starts = np.searchsorted(belongs[order], labels[members[starts]])
    return TextGroups(
        members,
        np.append(starts, len(members)),
        np.ascontiguousarray(places[pairs[order]]),
        np.append(pair_starts, len(pairs)),
    ), order


def measure_pairs(
    texts: HashedTexts | KeptWords, pairs: Places, threshold: float, size: int, threads: int = 1
) -> Floats:
    """Return the Jaccard of pairs of texts that have words; -1 for those below the threshold."""
    values = np.empty(len(pairs), np.float64)
    if not len(pairs):
        return values
    groups, order = group_pairs(len(texts.starts) - 1, pairs)
    totals = _total_lengths(texts, groups)
    large = np.repeat(_count_bits(totals, groups) > MOST_BITS, np.diff(groups.pair_starts))
    if large.any():
        some, rest = order[large], order[~large]
        values[some] = sort_and_measure(texts, pairs[some], threshold, size, threads)
        values[rest] = measure_pairs(texts, pairs[rest], threshold, size, threads)
        return values
    shares = np.searchsorted(np.cumsum(totals), np.linspace(0, totals.sum(), threads + 1)[1:-1])
    spans = [part for part in pairwise([0, *shares.tolist(), len(totals)]) if part[0] < part[1]]
    found = np.empty(len(pairs), np.float64)

    def work(span: tuple[int, int]) -> None:
        room = _make_room(texts, groups, span)
        measure_groups(texts, groups, span, size, threshold, room, found)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, spans))
    values[order] = found
    return values


def sort_and_measure(
    texts: HashedTexts | KeptWords, pairs: Places, threshold: float, size: int, threads: int
) -> Floats:
    """Return the same by sorted shingles: for groups so large that their bits are too many."""
    involved, places = np.unique(pairs, return_inverse=True)
    sets = shingle_all(texts, size, threads, involved)
    return jaccards(sets, places.reshape(-1, 2), threshold, threads)
