"""The one sorting engine for fingerprints of 64 bits: runs of equal keys, and pairs inside them.

In: distinct fingerprints and a choice of blocks of their bits. Out: the pairs that differ in at
most k bits and agree in the chosen blocks. Values are thrown into buckets by the upper bits of a
key, a bucket is put in order by the lower ones, and everyone in a run is held against everyone.
join.py goes through all choices of blocks; then no pair is missed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, filling, inlined
from blickfang.dedupe.shingles import Places
from blickfang.text.words import MULTIPLIER, SECOND_MIX, Hashes

M1, M2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
M4, TIMES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
U1, U2, U4, U56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
FOUND, COMPARED, HOT_RUNS, LEFT_OUT = range(4)


class BlockPlan(NamedTuple):
    """One choice of blocks, and what counts as a pair."""

    mask: np.uint64  # the bits of the chosen blocks
    up: np.uint64  # 64 less the bits of the key; 0: the whole value is the key
    low: np.uint64  # bits of the key below the bucket's number
    blocks: Hashes  # masks of all blocks
    chosen: np.uint64  # a bit for each chosen block
    need: int  # how many blocks are chosen
    k: int
    hot: int  # from here on a run is hot, and
    neighbours: int  # each is held against so many only
    crowd: int  # in one run, a value is paired with so many at most
    once: bool  # a pair counts with the first blocks in which it agrees, and no others


class Buckets(NamedTuple):
    """Values in the order of their buckets, and where each bucket begins."""

    values: Hashes
    starts: Places


@inlined
def count_bits(x: np.uint64) -> np.uint64:
    """Return how many bits are 1; compilers know the pattern."""
    x -= (x >> U1) & M1
    x = (x & M2) + ((x >> U2) & M2)
    x = (x + (x >> U4)) & M4
    return (x * TIMES) >> U56


@inlined
def key_of(value: np.uint64, plan: BlockPlan) -> np.uint64:
    """Return the chosen blocks of a value, mixed: equal blocks, equal keys; seldom others."""
    return (value & plan.mask) * SECOND_MIX >> plan.up


@inlined
def bucket_of(value: np.uint64, plan: BlockPlan) -> np.int64:
    """Return the bucket of a value; with whole values as keys, in the order of values."""
    key = value if plan.up == np.uint64(0) else key_of(value, plan)
    return np.int64(key >> plan.low)


@filling
def count_keys(values: Hashes, plan: BlockPlan, counts: Places) -> None:
    """Count how many values each bucket gets."""
    for i in range(len(values)):
        counts[bucket_of(values[i], plan)] += 1


@filling
def scatter(
    values: Hashes, plan: BlockPlan, first: int, last: int, places: Places, room: Hashes
) -> None:
    """Write the values of some buckets to the places of each, and move the places on."""
    for i in range(len(values)):
        bucket = bucket_of(values[i], plan)
        if first <= bucket < last:
            room[places[bucket]] = values[i]
            places[bucket] += 1


@inlined
def order_bucket(values: Hashes, plan: BlockPlan, ends: NDArray[np.int32], room: Hashes) -> None:
    """Put the values of a bucket in the order of their keys; afterwards `ends` has their runs."""
    low = (np.uint64(1) << plan.low) - np.uint64(1)
    for key in range(len(ends)):
        ends[key] = 0
    for i in range(len(values)):
        ends[key_of(values[i], plan) & low] += 1
    total = np.int32(0)
    for key in range(len(ends)):
        total += ends[key]
        ends[key] = total - ends[key]
    for i in range(len(values)):
        mine = key_of(values[i], plan) & low
        room[ends[mine]] = values[i]
        ends[mine] += 1


@inlined
def counts_here(x: np.uint64, plan: BlockPlan) -> bool:
    """Whether the chosen blocks are the first ones in which a pair agrees."""
    if not plan.once:
        return True
    agreed = 0
    for b in range(len(plan.blocks)):
        if x & plan.blocks[b] == np.uint64(0):
            if (plan.chosen >> np.uint64(b)) & U1 == np.uint64(0):
                return False
            agreed += 1
            if agreed == plan.need:
                return True
    return False


@inlined
def keep_pair(a: np.uint64, b: np.uint64, plan: BlockPlan, out: Hashes, seen: Places) -> None:
    """Write down a pair that is close enough, while there is room."""
    if counts_here(a ^ b, plan):
        if seen[FOUND] < len(out):
            out[seen[FOUND], 0] = a
            out[seen[FOUND], 1] = b
        seen[FOUND] += 1


@inlined
def pair_one(a: np.uint64, others: Hashes, plan: BlockPlan, out: Hashes, seen: Places) -> Integer:
    """Hold a value against others until it has found a crowd; return how many are left."""
    k = np.uint64(plan.k)
    before = seen[FOUND]
    n = len(others)
    for j in range(n):
        if count_bits(a ^ others[j]) <= k:
            keep_pair(a, others[j], plan, out, seen)
            if seen[FOUND] - before >= plan.crowd:
                seen[COMPARED] += j + 1
                return n - j - 1
    seen[COMPARED] += n
    return 0


@inlined
def pair_run(run: Hashes, plan: BlockPlan, out: Hashes, seen: Places) -> None:
    """Hold everyone in a run against everyone behind; in a hot one, against neighbours."""
    n = len(run)
    reach = n
    left: Integer = 0
    if n > plan.hot:
        reach = plan.neighbours
        left = (n - reach) * (n - reach - 1) // 2
    for i in range(n - 1):
        left += pair_one(run[i], run[i + 1 : min(n, i + 1 + reach)], plan, out, seen)
    seen[HOT_RUNS] += left > 0
    seen[LEFT_OUT] += left


@filling
def pair_buckets(
    buckets: Buckets,
    first: int,
    last: int,
    plan: BlockPlan,
    ends: NDArray[np.int32],
    room: Hashes,
    out: Hashes,
    seen: Places,
) -> None:
    """Find the pairs of some buckets; `room` is as large as the largest of them."""
    for b in range(first, last):
        values = buckets.values[buckets.starts[b] : buckets.starts[b + 1]]
        if len(values) < 2:
            continue
        order_bucket(values, plan, ends, room)
        begin = np.int32(0)
        for key in range(len(ends)):
            if ends[key] - begin > 1:
                pair_run(room[begin : ends[key]], plan, out, seen)
            begin = ends[key]


@inlined
def first_not_below(run: Hashes, value: np.uint64) -> Integer:
    """Return the place of the first number that is not below a value."""
    low, high = 0, len(run)
    while low < high:
        middle = (low + high) // 2
        if run[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def pair_runs(left: Hashes, right: Hashes, plan: BlockPlan, out: Hashes, seen: Places) -> None:
    """Hold everyone of one run against everyone of another; of a hot one, against neighbours."""
    hot = len(left) * len(right) > plan.hot * plan.hot
    reach = min(len(right), plan.neighbours) if hot else len(right)
    passed: Integer = len(left) * (len(right) - reach)
    for i in range(len(left)):
        begin: Integer = 0
        if hot:
            begin = first_not_below(right, left[i]) - reach // 2
            begin = max(0, min(begin, len(right) - reach))
        passed += pair_one(left[i], right[begin : begin + reach], plan, out, seen)
    seen[HOT_RUNS] += passed > 0
    seen[LEFT_OUT] += passed


@filling
def cross_buckets(
    left: Buckets,
    right: Buckets,
    first: int,
    last: int,
    plan: BlockPlan,
    ends: NDArray[np.int32],
    room: Hashes,
    out: Hashes,
    seen: Places,
) -> None:
    """Find the pairs across the same buckets of two sides; `ends` and `room` are for both."""
    half = len(ends) // 2
    for b in range(first, last):
        mine = left.values[left.starts[b] : left.starts[b + 1]]
        theirs = right.values[right.starts[b] : right.starts[b + 1]]
        if len(mine) == 0 or len(theirs) == 0:
            continue
        order_bucket(mine, plan, ends[:half], room[: len(mine)])
        order_bucket(theirs, plan, ends[half:], room[len(mine) :])
        begin_a, begin_b = np.int64(0), np.int64(len(mine))
        for key in range(half):
            end_a, end_b = np.int64(ends[key]), len(mine) + np.int64(ends[half + key])
            if end_a > begin_a and end_b > begin_b:
                pair_runs(room[begin_a:end_a], room[begin_b:end_b], plan, out, seen)
            begin_a, begin_b = end_a, end_b


@filling
def keep_distinct(ordered: Hashes, out: Hashes, copied: Hashes, seen: Places) -> None:
    """Write down ordered values, each once, and while there is room those with copies.

    `seen` gets how many of both there are.
    """
    n = len(ordered)
    kept = twins = 0
    for i in range(n):
        if i == 0 or ordered[i] != ordered[i - 1]:
            out[kept] = ordered[i]
            kept += 1
            if i + 1 < n and ordered[i + 1] == ordered[i]:
                if twins < len(copied):
                    copied[twins] = ordered[i]
                twins += 1
    seen[0], seen[1] = kept, twins


@compiled
def locate_wanted(
    values: Hashes, wanted: Hashes, sieve: NDArray[np.uint64], which: Places, at: Places
) -> Integer:
    """Write down which wanted number stands where, while there is room; return how often one does.

    `wanted` is ordered; `sieve` has a bit for each of its hashes, and spares most searches.
    """
    found = 0
    shift = np.uint64(64)
    slots = len(sieve)
    while slots > 1:
        slots >>= 1
        shift -= U1
    for i in range(len(values)):
        h = values[i] * MULTIPLIER
        if (sieve[h >> shift] >> ((h >> np.uint64(8)) & np.uint64(63))) & U1 == np.uint64(0):
            continue
        place = first_not_below(wanted, values[i])
        if place < len(wanted) and wanted[place] == values[i]:
            if found < len(which):
                which[found] = place
                at[found] = i
            found += 1
    return found


def cut_spans(sizes: Places, most: int) -> list[tuple[int, int]]:
    """Return ranges of buckets that have at most so many values, or one bucket."""
    spans = []
    begin = total = 0
    for bucket, size in enumerate(sizes.tolist()):
        if total and total + size > most:
            spans.append((begin, bucket))
            begin, total = bucket, 0
        total += size
    return [*spans, (begin, len(sizes))]
