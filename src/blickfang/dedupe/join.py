"""Fingerprints of 64 bits that differ in at most k bits: within one set, or across two.

In: arrays of fingerprints, perhaps memory-mapped files. Out: the pairs of their positions. Equal
fingerprints are collapsed first. The bits are cut into blocks; two fingerprints that differ in k
bits agree in all blocks but k, so for each choice of the others those that agree there are brought
together (radix_sort.py): no pair is missed, but in runs so hot that everyone cannot be held against
everyone, and those are counted. Memory: the distinct fingerprints (or a file for them, in
`scratch`) and room for as many at a time as the budget allows. What each part of the work has found
can be kept on disk (`JoinPartitions`), so that a killed join goes on.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations, pairwise
from math import comb, log2, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.dedupe.equal_items import (
    COPIES,
    MOST_PAIRS,
    distinct,
    distinct_pairs,
    expand_some,
    share_out,
    thin_out,
    with_twins,
)
from blickfang.dedupe.radix_sort import (
    COMPARED,
    FOUND,
    HOT_RUNS,
    LEFT_OUT,
    BlockPlan,
    Buckets,
    count_keys,
    cross_buckets,
    cut_spans,
    keep_distinct,
    locate_wanted,
    pair_buckets,
    scatter,
)
from blickfang.dedupe.shingles import Places
from blickfang.errors import InputError
from blickfang.io.atomic_files import replacing, write_text
from blickfang.text.words import MULTIPLIER, Hashes

ABOUT = "join.json"
COUNTS = 4  # numbers before the pairs
CHUNK = 1 << 22


def digest(values: Hashes) -> list[int]:
    """Return numbers that tell one array of fingerprints from another: count, parity, sum."""
    parity = total = 0
    for begin in range(0, len(values), CHUNK):
        chunk = values[begin : begin + CHUNK]
        parity ^= int(np.bitwise_xor.reduce(chunk))
        total += int(chunk.sum(dtype=np.uint64))
    return [len(values), parity, total]


class JoinPartitions:
    """The finished partitions of a join."""

    def __init__(self, folder: Path, sides: Sequence[Hashes], settings: dict[str, Any]) -> None:
        """Go on in a folder, if what is in it belongs to the same join; else say so."""
        self.folder = folder
        about = json.dumps({**settings, "fingerprints": [digest(side) for side in sides]})
        path = folder / ABOUT
        if not path.exists():
            write_text(path, about)
        elif path.read_text(encoding="utf-8") != about:
            raise InputError(f"{folder} holds parts of another join; name another folder")

    def _path(self, plan: int, span: tuple[int, int]) -> Path:
        return self.folder / f"part-{plan:03d}-{span[0]}-{span[1]}.npy"

    def load(self, plan: int, span: tuple[int, int]) -> tuple[Hashes, Places] | None:
        """Return the pairs and counts of a partition; None for one that is not finished."""
        path = self._path(plan, span)
        if not path.exists():
            return None
        try:
            kept: Hashes = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{path} is damaged; remove it") from error
        return kept[COUNTS:].reshape(-1, 2), kept[:COUNTS].astype(np.int64)

    def keep(self, plan: int, span: tuple[int, int], pairs: Hashes, seen: Places) -> None:
        """Keep the pairs and counts of a partition."""
        with replacing(self._path(plan, span)) as file:
            np.save(file, np.concatenate([seen.astype(np.uint64), pairs.ravel()]))

    def remove(self) -> None:
        """Remove everything: the join has ended."""
        shutil.rmtree(self.folder)


BITS = 64
HOT, NEIGHBOURS = 2048, 256
HOT_TIMES = 8  # the mean
CROWD = 2048
LOW_BITS, SORTED_BITS = 14, 26  # of the key: inside a bucket, and in all
SPARE_BITS = 2  # of the key: other blocks seldom have equal keys
SORT_NS, COMPARE_NS = 15.0, 0.6  # a value, a pair: how many blocks are best
MEMORY = 4 << 30
ROOM = 2**12  # pairs, at first
SLICES = 8  # of the work of a thread

LEAST_ROOM = 1 << 16  # values

Progress = Callable[[int, int], None]


class FingerprintSet(NamedTuple):
    """One set of fingerprints."""

    source: Hashes
    distinct: Hashes  # ordered
    copied: Hashes  # those that stand there several times, ordered


class JoinedPairs(NamedTuple):
    """Pairs of positions, in order, and what it took to find them."""

    pairs: Places  # rows of two; within one set the lower position first
    distances: NDArray[np.uint8]
    distinct: int  # fingerprints
    compared: int  # pairs of them
    hot_runs: int
    left_out: int  # pairs that were not compared because too many are alike, at most


class JoinResources(NamedTuple):
    """What a join may use."""

    pool: ThreadPoolExecutor
    threads: int
    room: int  # values at a time
    scratch: Path | None
    most: int  # pairs


def choose_blocks(count: int, k: int) -> int:
    """Return into how many blocks to cut: few choices, or short runs, whatever costs less."""

    def cost(blocks: int) -> float:
        key = min(BITS * (blocks - k) // blocks, SORTED_BITS, log2(count + 2) + 2)
        return comb(blocks, k) * (SORT_NS + COMPARE_NS * count / 2**key / 2)

    return min(range(k + 1, min(k + 8, BITS) + 1), key=cost)


def block_masks(bits: int, blocks: int) -> list[int]:
    """Return the blocks of so many bits as masks, the uppermost first, as even as can be."""
    edges = [bits - bits * b // blocks for b in range(blocks + 1)]
    return [(1 << high) - (1 << low) for high, low in pairwise(edges)]


def make_plans(
    count: int, k: int, blocks: int, hot: int = HOT, crowd: int = CROWD
) -> list[BlockPlan]:
    """Return all choices of blocks, in the order in which a pair looks for its first."""
    masks = block_masks(BITS, blocks)
    plans = []
    for choice in combinations(range(blocks), blocks - k):
        mask = sum(masks[b] for b in choice)
        used = min(mask.bit_count() + SPARE_BITS, SORTED_BITS, int(log2(count + 1)) + SPARE_BITS)
        low = max(0, min(LOW_BITS, used // 2 + 1, used - 1))
        limit = max(hot, HOT_TIMES * count >> min(mask.bit_count(), used))
        plan = BlockPlan(
            np.uint64(mask),
            np.uint64(BITS - used),
            np.uint64(low),
            np.array(masks, np.uint64),
            np.uint64(sum(1 << b for b in choice)),
            blocks - k,
            k,
            limit,
            min(NEIGHBOURS, limit),
            crowd,
            True,
        )
        plans.append(plan)
    return plans


def bucket_count(plan: BlockPlan) -> int:
    """Return how many buckets a plan has."""
    return 1 << (BITS - int(plan.up) - int(plan.low))


def freeze(values: Hashes) -> Hashes:
    """Return a view that is only read: kernels then exist once, for arrays and files alike."""
    if values.dtype != np.uint64 or values.ndim != 1:
        raise ValueError("fingerprints are an array of uint64")
    frozen: Hashes = np.ascontiguousarray(values).view(np.ndarray).view()
    frozen.flags.writeable = False
    return frozen


def _count(values: Hashes, plan: BlockPlan, work: JoinResources) -> Places:
    """Return how many values each part of the array gives to each bucket."""
    counts = np.zeros((work.threads, bucket_count(plan)), np.int64)
    parts = np.array_split(values, work.threads)
    list(work.pool.map(lambda t: count_keys(parts[t], plan, counts[t]), range(work.threads)))
    return counts


def _throw(
    values: Hashes, plan: BlockPlan, counts: Places, span: tuple[int, int], work: JoinResources
) -> Buckets:
    """Return the values of some buckets, in the order of buckets."""
    first, last = span
    mine = counts[:, first:last]
    starts = np.zeros(counts.shape[1] + 1, np.int64)
    starts[first + 1 : last + 1] = np.cumsum(mine.sum(axis=0))
    places = np.zeros_like(counts)
    places[:, first:last] = np.cumsum(mine, axis=0) - mine + starts[first:last]
    room = np.empty(int(starts[last]), np.uint64)
    parts = np.array_split(values, work.threads)
    tasks = range(work.threads)
    list(work.pool.map(lambda t: scatter(parts[t], plan, first, last, places[t], room), tasks))
    return Buckets(room, starts)


def collapse(source: Hashes, work: JoinResources) -> FingerprintSet:
    """Return the distinct fingerprints of a set, and which of them have copies."""
    source = freeze(source)
    low = BITS - min(12, max(4, int(log2(len(source) + 2)) - 10))
    plan = make_plans(len(source), 0, 1)[0]._replace(up=np.uint64(0), low=np.uint64(low))
    distinct = _reserve(len(source), work.scratch)
    counts = _count(source, plan, work)
    at, copied = 0, []
    for span in cut_spans(counts.sum(axis=0), work.room):
        room, starts = _throw(source, plan, counts, span, work)
        parts = [room[a:b] for a, b in pairwise(starts[span[0] : span[1] + 1].tolist())]
        list(work.pool.map(np.ndarray.sort, parts))
        seen, twins = np.zeros(2, np.int64), np.empty(0, np.uint64)
        keep_distinct(room, distinct[at:], twins, seen)
        if seen[1]:
            twins = np.empty(int(seen[1]), np.uint64)
            keep_distinct(room, distinct[at:], twins, seen)
        at += int(seen[0])
        copied.append(twins)
    return FingerprintSet(source, freeze(distinct[:at]), np.concatenate(copied))


def _reserve(count: int, scratch: Path | None) -> Hashes:
    if scratch is None or not count:
        return np.empty(count, np.uint64)
    with tempfile.TemporaryFile(dir=scratch) as file:
        return np.memmap(file, np.uint64, "w+", shape=(count,)).view(np.ndarray)


def join_plan(
    sides: list[FingerprintSet],
    plan: BlockPlan,
    number: int,
    work: JoinResources,
    parts: JoinPartitions | None,
) -> Iterator[tuple[Hashes, Places, int]]:
    """Give the pairs of distinct fingerprints that one choice of blocks finds, part by part.

    With each part come counts, and how many fingerprints it has gone through.
    """
    counts = [_count(side.distinct, plan, work) for side in sides]
    sizes = np.asarray(sum(count.sum(axis=0) for count in counts))
    for span in cut_spans(sizes, work.room):
        done = parts and parts.load(number, span)
        pairs, seen = done or _join_span(sides, counts, plan, span, work)
        if parts and not done:
            parts.keep(number, span, pairs, seen)
        yield pairs, seen, int(sizes[slice(*span)].sum())


def _join_span(
    sides: list[FingerprintSet],
    counts: list[Places],
    plan: BlockPlan,
    span: tuple[int, int],
    work: JoinResources,
) -> tuple[Hashes, Places]:
    """Return the pairs in some buckets, and counts."""
    buckets = [
        _throw(side.distinct, plan, count, span, work)
        for side, count in zip(sides, counts, strict=True)
    ]
    edges = np.linspace(*span, work.threads * SLICES + 1).astype(np.int64).tolist()
    slices = [(a, b) for a, b in pairwise(edges) if a < b]

    def pair(rooms: list[int]) -> list[tuple[Hashes, Places]]:
        return list(work.pool.map(partial(_pair, buckets, plan), slices, rooms))

    found = pair([ROOM] * len(slices))
    while sum(int(seen[FOUND]) for _, seen in found) > work.most and plan.crowd > 1:
        plan = plan._replace(crowd=plan.crowd // 2)
        found = pair([ROOM] * len(slices))
    if any(seen[FOUND] > len(part) for part, seen in found):  # now it is known how many there are
        found = pair([int(seen[FOUND]) for _, seen in found])
    pairs = np.concatenate([part for part, _ in found])
    return pairs, np.sum([seen for _, seen in found], axis=0)


def _pair(
    buckets: list[Buckets], plan: BlockPlan, part: tuple[int, int], most: int
) -> tuple[Hashes, Places]:
    """Return the pairs in some buckets of one side, or across two, while there is room."""
    first, last = part
    largest = sum(int(np.diff(side.starts[first : last + 1]).max()) for side in buckets)
    ends = np.empty(len(buckets) << int(plan.low), np.int32)
    room, out = np.empty(largest, np.uint64), np.empty((most, 2), np.uint64)
    seen = np.zeros(4, np.int64)
    if len(buckets) == 1:
        pair_buckets(buckets[0], first, last, plan, ends, room, out, seen)
    else:
        cross_buckets(buckets[0], buckets[1], first, last, plan, ends, room, out, seen)
    return out[: int(seen[FOUND])], seen


def join_distinct(
    sides: list[FingerprintSet],
    plans: list[BlockPlan],
    work: JoinResources,
    parts: JoinPartitions | None = None,
    progress: Progress | None = None,
) -> tuple[Hashes, Places]:
    """Return all pairs of distinct fingerprints, some several times, and counts."""
    pairs, total = [np.empty((0, 2), np.uint64)], np.zeros(4, np.int64)
    done, of = 0, len(plans) * sum(len(side.distinct) for side in sides)
    for number, plan in enumerate(plans):
        # What a hot run passed over, another choice of blocks may find: then all count.
        plan = plan._replace(once=not total[HOT_RUNS])
        for found, seen, size in join_plan(sides, plan, number, work, parts):
            pairs.append(found)
            total += seen
            if sum(map(len, pairs)) > work.most:
                pairs, dropped = thin_out(pairs, work.most, ordered=len(sides) == 1)
                total[LEFT_OUT] += dropped
            done += size
            if progress:
                progress(done, of)
    return np.concatenate(pairs), total


def find_positions(source: Hashes, wanted: Hashes) -> tuple[Places, Places]:
    """Return where each of the wanted numbers, which are ordered, stands: starts, positions."""
    slots = 1 << max(1, int(len(wanted) / 4).bit_length())
    sieve = np.zeros(slots, np.uint64)
    h = wanted * MULTIPLIER
    bits = np.uint64(1) << ((h >> np.uint64(8)) & np.uint64(63))
    np.bitwise_or.at(sieve, h >> np.uint64(65 - slots.bit_length()), bits)
    parts: list[tuple[Places, Places]] = []
    which, at = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    for begin in range(0, len(source), CHUNK):
        chunk = source[begin : begin + CHUNK]
        found = int(locate_wanted(chunk, wanted, sieve, which, at))
        if found > len(which):
            which, at = np.empty(len(chunk), np.int64), np.empty(len(chunk), np.int64)
            locate_wanted(chunk, wanted, sieve, which, at)
        parts.append((which[:found].copy(), at[:found] + begin))
    belongs = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
    positions = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
    starts = np.zeros(len(wanted) + 1, np.int64)
    np.cumsum(np.bincount(belongs, minlength=len(wanted)), out=starts[1:])
    return starts, positions[np.argsort(belongs, kind="stable")]


def _count_room(total: int, memory: int, scratch: Path | None) -> int:
    """Return how many fingerprints can be worked on at a time; too few are an error."""
    held = 0 if scratch else total * 8
    room = (memory - held) // 8
    if room < min(total, LEAST_ROOM):
        raise InputError(
            f"{total:,} fingerprints need at least {(held >> 20) + 1:,} MB of memory; "
            "allow more, or name a folder for a file of them"
        )
    return room


def join_fingerprints(
    left: Hashes,
    right: Hashes | None = None,
    k: int = 3,
    *,
    blocks: int | None = None,
    memory: int = MEMORY,
    scratch: Path | None = None,
    threads: int | None = None,
    hot: int = HOT,
    crowd: int = CROWD,
    copies: int = COPIES,
    most: int = MOST_PAIRS,
    parts: Path | None = None,
    progress: Progress | None = None,
) -> JoinedPairs:
    """Return the positions of fingerprints that differ in at most k bits: within one set, or two.

    Of more than `copies` equal fingerprints each is paired with neighbours only. Where more than
    `hot` agree in the chosen blocks, one is close to more than `crowd` of those, or there would be
    more than `most` pairs, not all are compared; that is counted. With `parts`, it can go on.
    """
    sources = [left] if right is None else [left, right]
    total, threads = sum(map(len, sources)), threads or os.cpu_count() or 1
    blocks = blocks or choose_blocks(total, k)
    if not 0 <= k < blocks <= BITS:
        raise ValueError("k is at least 0, and below the number of blocks, at most 64")
    if not total:
        return JoinedPairs(np.empty((0, 2), np.int64), np.empty(0, np.uint8), 0, 0, 0, 0)
    with ThreadPoolExecutor(threads) as pool:
        work = JoinResources(pool, threads, _count_room(total, memory, scratch), scratch, most)
        sides = [collapse(source, work) for source in sources]
        plans = make_plans(total, k, blocks, hot, crowd)
        about = {"k": k, "blocks": blocks, "hot": hot, "crowd": crowd, "most": most}
        kept = JoinPartitions(parts, [side.distinct for side in sides], about) if parts else None
        pairs, seen = join_distinct(sides, plans, work, kept, progress)
    joined = _find_where(sides, pairs, seen, copies, most)
    if kept:
        kept.remove()
    return joined


def _find_where(
    sides: list[FingerprintSet], pairs: Hashes, seen: Places, copies: int, most: int
) -> JoinedPairs:
    """Return the positions behind pairs of fingerprints; of one side, those of equal ones too."""
    groups = np.empty_like(pairs, np.int64)
    values, members, starts = np.empty(0, np.uint64), np.empty(0, np.int64), np.zeros(1, np.int64)
    for number, side in enumerate(sides):
        columns = slice(None) if len(sides) == 1 else slice(number, number + 1)
        twins = side.copied if len(sides) == 1 else side.copied[:0]
        wanted = distinct(np.concatenate([pairs[:, columns].ravel(), twins]))
        begins, positions = find_positions(side.source, wanted)
        values = np.concatenate([values, wanted])
        groups[:, columns] = np.searchsorted(wanted, pairs[:, columns]) + len(starts) - 1
        starts = np.concatenate([starts, begins[1:] + len(members)])
        members = np.concatenate([members, positions])
    groups = distinct_pairs(groups)
    apart = np.bitwise_count(values[groups[:, 0]] ^ values[groups[:, 1]])
    if len(sides) == 1:
        groups = with_twins(groups, starts)
        apart = np.concatenate([apart, np.zeros(len(groups) - len(apart), np.uint8)])
    shares, crowded = share_out(groups, starts, apart == 0, copies, most)
    found, which = expand_some(groups, members, starts, shares, ordered=len(sides) == 1)
    # Behind a fingerprint that nobody compared may stand as many as behind any other, at most.
    often = int(np.diff(starts).max(initial=1))
    left_out = min(int(seen[LEFT_OUT]) * often**2 + crowded, _count_pairs(sides) - len(found))
    total = sum(len(side.distinct) for side in sides)
    return JoinedPairs(
        found, apart[which], total, int(seen[COMPARED]), int(seen[HOT_RUNS]), left_out
    )


def _count_pairs(sides: list[FingerprintSet]) -> int:
    """Return how many pairs there are, close ones and others."""
    sizes = [len(side.source) for side in sides]
    return comb(sizes[0], 2) if len(sizes) == 1 else prod(sizes)
