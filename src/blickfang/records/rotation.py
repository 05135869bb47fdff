"""Records are turned until they begin where a record begins, by what stands around the list.

In: records of several children each, every one headed by a child like the others'. A head may be
the trailing part of a record: then its beginning stands before the first head, and its end is all
that follows the last. What is before the first and behind the last are one record together. Out:
records that begin there; where blank lines or rules part the page, between these.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAGS, TRAITS
from blickfang.records.node_counts import BR, NodeCounts

Range = tuple[int, int]
Signs = tuple[int, ...]

HR, DT = TAGS["hr"], TAGS["dt"]
LEAST = 2  # heads that tell where records begin
REACH = 64  # children before the first and behind the last head that are looked at
OFTEN = 0.2  # of the gaps are built so: that is how a record may be
MOSTLY = 0.7  # of the records
PARTS = 3  # of a block that is more than a line
LIKE = 0.5  # of the usual parts of a record make a block one that lacks its head


class ShownChildren(NamedTuple):
    """The children of an element that show something, or break lines."""

    nodes: list[int]
    signs: list[int]  # what they are: their structure, the same for all texts
    parting: list[bool]  # rules, and line breaks one behind the other
    ends: list[int]
    breaks: list[bool]


def read_line(marks: NodeCounts, parent: int) -> ShownChildren:
    """Return the children of an element."""
    nodes = np.flatnonzero(marks.parent[parent + 1 : marks.end[parent]] == parent) + parent + 1
    ends = marks.end[nodes]
    live = (marks.texts[ends] > marks.texts[nodes]) | (marks.images[ends] > marks.images[nodes])
    broken = (marks.tag[nodes] == BR) | (marks.tag[nodes] == HR)
    kept = live | broken
    nodes, ends = nodes[kept], ends[kept]
    tag = marks.tag[nodes]
    signs = np.where(tag == tags.TEXT, np.uint64(1), marks.signature[nodes])
    is_break = tag == BR
    doubled = np.zeros(len(nodes), np.bool_)
    doubled[1:] |= is_break[1:] & is_break[:-1]
    doubled[:-1] |= is_break[1:] & is_break[:-1]
    return ShownChildren(
        nodes.tolist(),
        signs.tolist(),
        (doubled | (tag == HR)).tolist(),
        ends.tolist(),
        (is_break | (tag == HR)).tolist(),
    )


def turn_records(marks: NodeCounts, records: list[Range]) -> list[Range]:
    """Return records so that each begins where a record begins; most do already."""
    if len(records) < LEAST or all(marks.end[start] >= end for start, end in records):
        return records
    touching = sum(one[1] == other[0] for one, other in pairwise(records))
    if touching < MOSTLY * (len(records) - 1):
        return drop_heading(marks, records)  # parted by what stands between them
    parents = {int(marks.parent[start]) for start, _ in records}
    heads = [start for start, _ in records]
    traits = TRAITS[marks.tag[heads]]
    if len(parents) > 1 or (traits & tags.HEADING).any() or (marks.tag[heads] == DT).any():
        return records
    line = read_line(marks, parents.pop())
    places = np.searchsorted(np.array(line.nodes), heads).tolist()
    if [line.nodes[place] for place in places if place < len(line.nodes)] != heads:
        return records
    spans = []
    if not (traits & tags.BLOCK).any() and not any(line.breaks[place] for place in places):
        spans = find_blocks(line, places)
    spans = spans or turn_heads(line, places)
    return [(line.nodes[a], line.ends[b - 1]) for a, b in spans] or records


def drop_heading(marks: NodeCounts, records: list[Range]) -> list[Range]:
    """Return records without a first one that is a single node, where all others are several."""
    several = 0
    for start, end in records[1:]:
        node, parts = start, 0
        while node < end and parts < PARTS:
            node, parts = int(marks.end[node]), parts + 1
        several += parts == PARTS
    heading = marks.end[records[0][0]] >= records[0][1] and several == len(records) - 1
    return records[1:] if heading and len(records) > PARTS else records


def find_blocks(line: ShownChildren, places: Sequence[int]) -> list[tuple[int, int]]:
    """Return what stands between blank lines and rules, where records lie across these.

    Either the heads are inside, then all blocks like theirs are records; or they are the headings
    of several blocks that are alike.
    """
    blocks = list_blocks(line)
    heads = set(places)
    headed = [block for block in blocks if not heads.isdisjoint(range(*block))]
    if straddle(line, blocks, places):
        return keep_like(line, blocks, headed, heads)
    stops = [*places[1:], len(line.nodes)]
    starts = [start for start, _ in blocks]
    below = [
        max(0, bisect_left(starts, b) - bisect_right(starts, a))
        for a, b in zip(places, stops, strict=True)
    ]
    known = set(headed)
    others = [block for block in blocks if block[0] > places[0] and block not in known]
    if (
        all(b - a == 1 for a, b in headed)
        and len(set(below)) > 1
        and min(below) > 0
        and sorted(b - a for a, b in others)[len(others) // 2] >= PARTS
    ):
        return keep_like(line, others, others, heads)
    return []


def list_blocks(line: ShownChildren) -> list[tuple[int, int]]:
    """Return the ranges of children that blank lines and rules part."""
    blocks, start = [], 0
    for at in range(len(line.nodes) + 1):
        if at == len(line.nodes) or line.parting[at]:
            if at > start:
                blocks.append((start, at))
            start = at + 1
    return blocks


def straddle(line: ShownChildren, blocks: list[tuple[int, int]], places: Sequence[int]) -> bool:
    """Whether records lie across the blank lines and rules of a page, from the first head on.

    What stands before most heads in their blocks is alike, so it is as long: only what is as long
    is compared. That is one head of a block, thus no more than the children there are.
    """
    starts = [start for start, _ in blocks]
    begins = [begin_block(line, starts, place) for place in places]
    sizes = [place - begin for begin, place in zip(begins, places, strict=True)]
    size, times = Counter(sizes).most_common(1)[0]
    if not sizes[0] or not size or times <= len(places) / 2:
        return False
    before = Counter(
        tuple(line.signs[place - size : place])
        for place, own in zip(places, sizes, strict=True)
        if own == size
    )
    usual, times = before.most_common(1)[0]
    inside = [any(line.parting[a:b]) for a, b in pairwise(places)]
    return (
        times > len(places) / 2
        and line.signs[places[0] - 1] == usual[-1]
        and sum(inside) >= MOSTLY * len(inside)
    )


def begin_block(line: ShownChildren, starts: list[int], place: int) -> int:
    """Return where what stands before a child, behind the last blank line or rule, begins."""
    if not place or line.parting[place - 1]:
        return place
    return starts[bisect_left(starts, place) - 1]


def keep_like(
    line: ShownChildren, blocks: list[tuple[int, int]], sure: list[tuple[int, int]], heads: set[int]
) -> list[tuple[int, int]]:
    """Return the blocks that are built like those that are sure to be records; heads may lack."""
    usual: Counter[int] = Counter()
    for a, b in sure:
        usual.update(line.signs[at] for at in range(a, b) if at not in heads)
    parts = {sign: round(times / len(sure)) for sign, times in usual.items()}
    parts = {sign: times for sign, times in parts.items() if times}
    needed = LIKE * sum(parts.values())

    def is_record(block: tuple[int, int]) -> bool:
        own = Counter(line.signs[block[0] : block[1]])
        both = sum(min(times, parts.get(sign, 0)) for sign, times in own.items())
        return both > needed and own.total() - both <= needed

    kept = set(sure) if sure is not blocks else set()
    return [block for block in blocks if block in kept or is_record(block)]


def turn_heads(line: ShownChildren, places: Sequence[int]) -> list[tuple[int, int]]:
    """Return records that begin before their heads, none where they begin with them."""
    gaps = [tuple(line.signs[a + 1 : b]) for a, b in pairwise(places)]
    before = tuple(line.signs[max(0, places[0] - REACH) : places[0]])
    after = tuple(line.signs[places[-1] + 1 : places[-1] + 1 + REACH])
    found = find_turn(gaps, before, after)
    if not found:
        return []
    usual, size = found
    if size > 1 and len(usual) > size:  # a break before it shows where lines begin
        kind = dict(zip(line.signs, line.breaks, strict=True))
        least = len(usual) - count_alike(usual, after)
        begun = [n for n in range(size, least - 1, -1) if n == len(usual) or kind[usual[-n - 1]]]
        size = begun[0] if begun else size
    beginning = usual[-size:]
    starts = [places[0] - size]
    for gap, place in zip(gaps, places[1:], strict=True):
        starts.append(place - count_alike(gap[::-1], beginning[::-1]))
    tail = count_alike(usual[:-size], after)
    return list(pairwise([*starts, places[-1] + 1 + tail]))


def find_turn(gaps: Sequence[Signs], before: Signs, after: Signs) -> tuple[Signs, int] | None:
    """Return how records are built behind their heads, and how much of it comes before the head.

    None where nothing is missing behind the last head: records begin with their heads.

    >>> find_turn([(2, 1, 2), (2, 1, 2)], (7, 1, 2), (2,))
    ((2, 1, 2), 2)
    """
    variants = Counter(gaps)
    usual = [gap for gap, times in variants.most_common() if times >= OFTEN * len(gaps)]
    if any(after[: len(gap)] == gap for gap in usual):
        return None
    for gap in usual:
        ahead = count_alike(gap[::-1], before[::-1])
        behind = count_alike(gap, after)
        if ahead and ahead + behind >= len(gap):
            return gap, ahead
    return None


def count_alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many signs two sequences have in common at their beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
