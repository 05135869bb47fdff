"""Candidates: every way in which parts of a page may be the rows of one list.

In: the marks of a page. Out: rows (key, start, end): ranges of nodes; those with one key are
one region. Four ways: elements alike below one parent or on one path; a child that begins a
record which its next like ends; empty children or line breaks between records.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAGS, TRAITS
from blickfang.html.structure.count_tables import Table, find_slot, make_table
from blickfang.records.node_counts import BR, NodeCounts
from blickfang.text.words import MULTIPLIER, finish

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

WAYS = 18  # rows that one node can give, but for its class tokens
MAX_PARTS = 64  # children that one record without a wrapper may have
UNIT_TAGS = TAGS["body"], TAGS["html"]
HR = TAGS["hr"]
RULE, SPACER, BREAKS, BREAK = range(4)  # what parts records


class CandidateRows(NamedTuple):
    """Ranges of nodes, each with the key of its region."""

    key: Hashes
    start: Ints
    end: Ints


@inlined
def is_live(marks: NodeCounts, k: Integer) -> bool:
    """Whether a node has text or an image to show."""
    end = marks.end[k]
    return bool(marks.texts[end] > marks.texts[k] or marks.images[end] > marks.images[k])


@inlined
def mix(way: Integer, one: np.uint64, other: np.uint64) -> np.uint64:
    """Return the key of a region."""
    return finish((one + np.uint64(way)) * MULTIPLIER ^ finish(other + np.uint64(way)))


@inlined
def put(rows: CandidateRows, at: Integer, key: np.uint64, start: Integer, end: Integer) -> Integer:
    """Write a row; return where the next one goes."""
    rows.key[at], rows.start[at], rows.end[at] = key, start, end
    return at + 1


@compiled
def find_alike(marks: NodeCounts, rows: CandidateRows) -> Integer:
    """Write elements that are alike below one parent, or anywhere on the same path."""
    at: Integer = 0
    for k in range(1, len(marks.parent)):
        tag = marks.tag[k]
        if tag == tags.TEXT or not is_live(marks, k):
            continue
        if tag == UNIT_TAGS[0] or tag == UNIT_TAGS[1]:
            continue
        p, end, name = np.uint64(marks.parent[k]), marks.end[k], marks.name[k]
        at = put(rows, at, mix(1, p, name), k, end)
        at = put(rows, at, mix(2, p, name ^ finish(marks.first[k])), k, end)
        at = put(rows, at, mix(3, p, marks.signature[k]), k, end)
        at = put(rows, at, mix(4, p, name ^ finish(marks.whole[k])), k, end)
        at = put(rows, at, mix(5, marks.path[k], np.uint64(0)), k, end)
        at = put(rows, at, mix(6, marks.class_path[k], np.uint64(0)), k, end)
        above = marks.name[p] ^ finish(marks.whole[p])
        at = put(rows, at, mix(7, name ^ finish(marks.whole[k]), above), k, end)
        for t in range(marks.first_token[k], marks.first_token[k + 1]):
            at = put(rows, at, mix(8, p ^ finish(name), marks.tokens[t]), k, end)
    return at


@compiled
def find_next(marks: NodeCounts, table: Table) -> tuple[Ints, Ints]:
    """Return for each child the next one like it below its parent, or -1, and their number."""
    n = len(marks.parent)
    following, alike = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    for k in range(n - 1, 0, -1):
        if marks.tag[k] == tags.TEXT or not is_live(marks, k):
            continue
        key = finish(marks.signature[k] + np.uint64(marks.parent[k]) * MULTIPLIER)
        slot = find_slot(table, key)
        if table[slot].key == key:
            following[k] = table[slot].stamp
        table[slot].key = key
        table[slot].stamp = k
        table[slot].count += 1
    for k in range(1, n):
        if marks.tag[k] != tags.TEXT:
            key = finish(marks.signature[k] + np.uint64(marks.parent[k]) * MULTIPLIER)
            slot = find_slot(table, key)
            alike[k] = table[slot].count
    return following, alike


@inlined
def end_record(marks: NodeCounts, k: Integer, stop: Integer, most: Integer, alike: Ints) -> int:
    """Return where a record that begins with child k ends: at `stop`, a heading, a part too many.

    A heading ends it where headings like it are rare among the children: it is one over records.
    """
    c = int(marks.end[k])
    parts = 1
    while c < stop and parts < most:
        if TRAITS[marks.tag[c]] & tags.HEADING and 2 * alike[c] < alike[k]:
            break
        c = int(marks.end[c])
        parts += 1
    return c


@inlined
def usual_gap(marks: NodeCounts, following: Ints, head: Integer, gaps: Ints) -> tuple[int, int]:
    """Return the usual number of children from one head to the next, and the largest."""
    for parts in range(MAX_PARTS + 1):
        gaps[parts] = 0
    k = head
    count = largest = 0
    while following[k] >= 0:
        gap = marks.place[following[k]] - marks.place[k]
        largest = max(largest, gap)
        gaps[min(gap, MAX_PARTS)] += 1
        count += 1
        k = following[k]
    below = usual = 0
    while usual < MAX_PARTS and 2 * below < count:
        usual += 1
        below += gaps[usual]
    return usual, largest


@compiled
def find_headed(
    marks: NodeCounts, following: Ints, alike: Ints, at: Integer, rows: CandidateRows
) -> Integer:
    """Write records of several children: each from one child to the next one like it."""
    seen = np.zeros(len(marks.parent), np.bool_)
    gaps = np.zeros(MAX_PARTS + 1, np.int32)
    for head in range(1, len(marks.parent)):
        if following[head] < 0 or seen[head]:
            continue
        usual, largest = usual_gap(marks, following, head, gaps)
        p, sign = marks.parent[head], marks.signature[head]
        k = np.int64(head)
        while k >= 0:
            seen[k] = True
            if largest > 1 and usual < MAX_PARTS:
                last = following[k] < 0
                stop = marks.end[p] if last else following[k]
                most = max(usual, 2) if last else 4 * MAX_PARTS
                end = end_record(marks, k, stop, most, alike)
                at = put(rows, at, mix(9, np.uint64(p), sign), k, end)
                at = put(rows, at, mix(10, marks.path[p], sign), k, end)
            k = np.int64(following[k])
    return at


@inlined
def parts_records(marks: NodeCounts, c: Integer, way: Integer) -> bool:
    """Whether a child stands between records: a rule, anything empty, a line break."""
    tag = marks.tag[c]
    if tag == tags.TEXT:
        return False
    if way == RULE:
        return bool(tag == HR)
    if way == SPACER:
        return bool(tag != BR and not is_live(marks, c))
    return bool(tag == BR)


@compiled
def find_parted(marks: NodeCounts, at: Integer, rows: CandidateRows) -> Integer:
    """Write records between rules, empty children, double and single line breaks."""
    for p in range(1, len(marks.parent)):
        for way in range(4):
            start: Integer = -1
            stop: Integer = 0
            run = cuts = 0
            first = at
            c = np.int64(p + 1)
            while c < marks.end[p]:
                run = run + 1 if parts_records(marks, c, way) else 0
                live = is_live(marks, c)
                if start >= 0 and run == (2 if way == BREAKS else 1):
                    at = put(rows, at, mix(11 + way, np.uint64(p), np.uint64(1)), start, stop)
                    start = -1
                    cuts += 1
                if live and run == 0:
                    start = c if start < 0 else start
                    stop = marks.end[c]
                c = np.int64(marks.end[c])
            if cuts and start >= 0:
                at = put(rows, at, mix(11 + way, np.uint64(p), np.uint64(1)), start, stop)
            at = repeat_by_path(marks, p, first, at, way, rows)
    return at


@inlined
def repeat_by_path(
    marks: NodeCounts, p: Integer, first: Integer, at: Integer, way: Integer, rows: CandidateRows
) -> Integer:
    """Write the rows of a parent again for all parents on its path."""
    last = at
    for row in range(first, last):
        key = mix(11 + way, marks.path[p], np.uint64(2))
        at = put(rows, at, key, rows.start[row], rows.end[row])
    return at


def find_rows(marks: NodeCounts) -> CandidateRows:
    """Return the rows of all candidates, in document order within each way."""
    n = len(marks.parent)
    most = WAYS * n + len(marks.tokens)
    rows = CandidateRows(
        np.empty(most, np.uint64), np.empty(most, np.int32), np.empty(most, np.int32)
    )
    at = find_alike(marks, rows)
    following, alike = find_next(marks, make_table(n))
    at = find_headed(marks, following, alike, at, rows)
    at = find_parted(marks, at, rows)
    return CandidateRows(rows.key[:at], rows.start[:at], rows.end[:at])
