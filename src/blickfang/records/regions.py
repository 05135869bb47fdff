"""Rows become regions: gathered by key, cleaned of rows that are none, each kept once.

In: the rows of all candidates. Out: `Regions`: for each region its records as ranges of nodes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.html.structure.count_tables import Table, count_key, find_slot, make_table
from blickfang.records.node_counts import BAG, NodeCounts
from blickfang.records.region_rows import CandidateRows
from blickfang.text.words import MULTIPLIER, finish

Ints = NDArray[np.int32]

MIN_SHARE = 0.02  # of the page's text
SHORT = 0.25  # of the usual length: perhaps a heading between records
VERY_SHORT = 0.15
FEW_TEXTS = 3  # times fewer texts than usual: built otherwise, whatever the kinds of nodes
SHARED = 0.6  # of the records have a kind of node, of the kinds are in a record
MIN_CLEANED = 5  # records
MAX_SHORT = 0.4  # of the records; where more are short, that is how the list is
MAX_HEADINGS = 2  # that stand one behind the other between records
MIN_BELOW = 3  # records below headings


class Regions(NamedTuple):
    """The records of region r are first[r] … first[r + 1]."""

    first: Ints
    start: Ints
    end: Ints


@compiled
def gather(rows: CandidateRows, table: Table) -> Regions:
    """Bring the rows of one key together; rows within others of their region are left out."""
    n = len(rows.key)
    for r in range(n):
        count_key(table, rows.key[r], 1)
    regions = total = 0
    for place in range(len(table)):
        if table[place].count >= 2:
            regions += 1
            total += table[place].count
    first, order = np.zeros(regions + 1, np.int32), np.empty(regions, np.int64)
    start, end = np.empty(total, np.int32), np.empty(total, np.int32)
    region: Integer = 0
    at = 0
    for r in range(n):  # regions in the order of their first rows
        slot = find_slot(table, rows.key[r])
        if table[slot].count >= 2 and table[slot].stamp == 0:
            region += 1
            table[slot].stamp = region
            first[region - 1] = at
            order[region - 1] = at
            at += table[slot].count
    first[regions] = at
    for r in range(n):
        region = table[find_slot(table, rows.key[r])].stamp
        if region == 0:
            continue
        here = order[region - 1]
        if here > first[region - 1] and rows.start[r] < end[here - 1]:
            continue
        start[here], end[here] = rows.start[r], rows.end[r]
        order[region - 1] = here + 1
    return close_up(first, order, start, end)


@compiled
def close_up(first: Ints, stop: NDArray[np.int64], start: Ints, end: Ints) -> Regions:
    """Close the gaps that dropped rows left."""
    at = 0
    for region in range(len(stop)):
        begin = first[region]
        first[region] = at
        for row in range(begin, stop[region]):
            start[at], end[at] = start[row], end[row]
            at += 1
    first[len(stop)] = at
    return Regions(first, start[:at].copy(), end[:at].copy())


@inlined
def letters_in(marks: NodeCounts, start: Integer, end: Integer) -> int:
    """Return how much text a range of nodes shows."""
    return int(marks.letters[end] - marks.letters[start])


@inlined
def bag_of(marks: NodeCounts, start: Integer, end: Integer, bag: NDArray[np.uint64]) -> None:
    """Fill in the kinds of nodes of a range of siblings."""
    for word in range(BAG):
        bag[word] = np.uint64(0)
    k = np.int64(start)
    while k < end:
        for word in range(BAG):
            bag[word] |= marks.bags[k, word]
        k = np.int64(marks.end[k])


@compiled
def find_shared(
    marks: NodeCounts, regions: Regions, region: Integer, counted: NDArray[np.bool_]
) -> NDArray[np.uint64]:
    """Return the kinds of nodes that most of some records of a region have."""
    counts = np.zeros(64 * BAG, np.int32)
    bag = np.empty(BAG, np.uint64)
    lo, hi = regions.first[region], regions.first[region + 1]
    for row in range(lo, hi):
        if not counted[row - lo]:
            continue
        bag_of(marks, regions.start[row], regions.end[row], bag)
        for bit in range(64 * BAG):
            counts[bit] += np.int32(bag[bit // 64] >> np.uint64(bit % 64) & np.uint64(1))
    shared = np.zeros(BAG, np.uint64)
    least = SHARED * np.sum(counted)
    for bit in range(64 * BAG):
        if counts[bit] >= least:
            shared[bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
    return shared


@inlined
def count_bits(bits: np.uint64) -> int:
    """Return how many bits are set."""
    count = 0
    while bits:
        bits &= bits - np.uint64(1)
        count += 1
    return count


@inlined
def share_kinds(
    marks: NodeCounts,
    start: Integer,
    end: Integer,
    shared: NDArray[np.uint64],
    bag: NDArray[np.uint64],
) -> int:
    """Return how many of some kinds of nodes a range has."""
    bag_of(marks, start, end, bag)
    both = 0
    for word in range(BAG):
        both += count_bits(shared[word] & bag[word])
    return both


@inlined
def stand_above(regions: Regions, lo: Integer, short: NDArray[np.bool_]) -> bool:
    """Whether short rows stand above others as headings do: apart, never last, few in a row."""
    run = long = 0
    for row in range(len(short)):
        run = run + 1 if short[row] else 0
        long += not short[row]
        if run > MAX_HEADINGS or (row and regions.start[lo + row] == regions.end[lo + row - 1]):
            return False
    return run == 0 and long >= MIN_BELOW


@compiled
def find_odd(
    marks: NodeCounts,
    regions: Regions,
    region: Integer,
    short: NDArray[np.bool_],
    very: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which of the short rows of a region are not built like the others.

    `very` says which are so short that this alone is enough where rows have but one kind of node.
    """
    lo, hi = regions.first[region], regions.first[region + 1]
    many = np.sum(short) > MAX_SHORT * (hi - lo)
    shared = find_shared(marks, regions, region, ~short if many else np.ones(hi - lo, np.bool_))
    kinds = 0
    for word in range(BAG):
        kinds += count_bits(shared[word])
    bag = np.empty(BAG, np.uint64)
    odd = np.zeros(hi - lo, np.bool_)
    texts = marks.texts[regions.end[lo:hi]] - marks.texts[regions.start[lo:hi]]
    usual = np.median(texts[~short])
    for row in range(hi - lo - 1, -1, -1):
        if not short[row]:
            continue
        both = share_kinds(marks, regions.start[lo + row], regions.end[lo + row], shared, bag)
        odd[row] = both < SHARED * kinds if kinds > 1 else very[row] and not many
        odd[row] |= FEW_TEXTS * texts[row] <= usual
        if many and row + 1 < hi - lo:
            odd[row] |= odd[row + 1]  # the heading over a heading
    if many and np.sum(odd) < np.sum(short):
        odd[:] = False
    return odd


@compiled
def clean(marks: NodeCounts, regions: Regions) -> Regions:
    """Drop rows that are far shorter than usual and not built like the others.

    Where they are many they must stand above the others as headings do, one for every few records.
    """
    keep = np.ones(len(regions.start), np.bool_)
    for region in range(len(regions.first) - 1):
        lo, hi = regions.first[region], regions.first[region + 1]
        sizes = np.empty(hi - lo, np.int32)
        for row in range(lo, hi):
            sizes[row - lo] = letters_in(marks, regions.start[row], regions.end[row])
            keep[row] = (
                sizes[row - lo] > 0
                or marks.images[regions.end[row]] > marks.images[regions.start[row]]
            )
        if hi - lo < MIN_CLEANED:
            continue
        usual = np.median(sizes)
        few = np.sum(sizes < SHORT * usual)
        if few == 0 or few > MAX_SHORT * (hi - lo):
            # Up to half of the rows are headings: the usual length is that of the others.
            usual = float(np.sort(sizes)[3 * (hi - lo) // 4])
            many = np.sum(sizes < SHORT * usual) > MAX_SHORT * (hi - lo)
            if not many or not stand_above(regions, lo, sizes < SHORT * usual):
                continue
        odd = find_odd(marks, regions, region, sizes < SHORT * usual, sizes < VERY_SHORT * usual)
        keep[lo:hi] &= ~odd
    return drop(regions, keep)


@compiled
def drop(regions: Regions, keep: NDArray[np.bool_]) -> Regions:
    """Return the regions without some rows, and without those of fewer than two rows."""
    first = np.zeros(len(regions.first), np.int32)
    start, end = np.empty(len(keep), np.int32), np.empty(len(keep), np.int32)
    at = kept = 0
    for region in range(len(first) - 1):
        begin = at
        for row in range(regions.first[region], regions.first[region + 1]):
            if keep[row]:
                start[at], end[at] = regions.start[row], regions.end[row]
                at += 1
        if at - begin < 2:
            at = begin
        else:
            kept += 1
            first[kept] = at
    return Regions(first[: kept + 1].copy(), start[:at].copy(), end[:at].copy())


@compiled
def keep_one(marks: NodeCounts, regions: Regions, table: Table) -> Regions:
    """Keep regions with enough text, each only once."""
    total = marks.letters[len(marks.parent)]
    keep = np.zeros(len(regions.start), np.bool_)
    for region in range(len(regions.first) - 1):
        lo, hi = regions.first[region], regions.first[region + 1]
        letters = 0
        h = np.uint64(0)
        for row in range(lo, hi):
            letters += letters_in(marks, regions.start[row], regions.end[row])
            pair = np.uint64(regions.start[row]) << np.uint64(32) | np.uint64(regions.end[row])
            h = (h ^ finish(pair)) * MULTIPLIER
        h = finish(h)
        slot = find_slot(table, h)
        if table[slot].key == h or letters < MIN_SHARE * total:
            continue
        table[slot].key = h
        keep[lo:hi] = True
    return drop(regions, keep)


def find_regions(marks: NodeCounts, rows: CandidateRows) -> Regions:
    """Return the regions of a page, each once."""
    regions = gather(rows, make_table(len(rows.key)))
    regions = keep_one(marks, regions, make_table(len(regions.first)))
    regions = clean(marks, regions)
    return keep_one(marks, regions, make_table(len(regions.first)))
