"""The one engine for repeated structure: which children of a node form a list of alike things?

In: the terms of a page. Out: for a child that holds an image, the *run* of children that makes up
its record where records have no wrapper (`find_runs`), and whether the child is itself one of
several alike (`is_one_of_many` in siblings.py). Each parent is looked at once, however many images
it holds; the work is linear in the number of children. docs/method.md, "Repeated structure".
"""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, inlined, inner, unnamed
from blickfang.html.parse.tags import TAGS
from blickfang.html.structure.count_tables import (
    KEPT_ENTRIES,
    StampedTable,
    lend_sheets,
    place_entry,
    take_sheet,
)
from blickfang.html.structure.page_terms import Terms
from blickfang.text.words import MULTIPLIER, finish

Ints = NDArray[np.int32]

HR = TAGS["hr"]
MIN_HOLDERS, MIN_HOLDERS_COARSE = 3, 4
MAX_CLASSES = 8  # kinds of image holders looked at below one parent
MAX_STARTS = 12  # symbols tried as the start of a record
MAX_RECORD_WORDS = 220
NEIGHBOURS = 6  # segments on either side that a segment is compared with
SOLVED, HEADED, RUNNING_TEXT = 1, 2, 4  # bits of a run
USED = 0  # place in `state`
_scratch = threading.local()


NODE = np.dtype(
    [
        ("holder", np.uint64),  # tag and most usual class of a child
        ("listed", np.bool_),  # whether its live children are
        ("first_kid", np.int32),  # where
        ("kid_count", np.int32),
        ("place", np.int32),  # of a child in that list
        ("run_start", np.int32),  # the record of a child that holds an image
        ("run_end", np.int32),
        ("run_prose", np.float32),  # share of its words in symbols of running text
        ("run_bits", np.uint8),
        ("wrapped", np.int8),  # 0 not asked yet, 1 yes, -1 no
        # Not of this node: lists that are as long as there are nodes.
        ("kid", np.int32),
        ("id", np.int32),  # the symbol of each child of the parent at work
        ("cut", np.int32),  # where its segments begin
    ]
)
SYMBOL = np.dtype(
    [
        ("counts", np.int32),  # how often it stands among the children
        ("segments", np.int32),  # how many segments have it
        ("last_seen", np.int32),
        ("bag", np.int32),
        ("words", np.int32),
        ("prose", np.int32),  # words of prose
        ("blocks", np.int32),  # blocks of prose
    ]
)


class SiblingGroups(NamedTuple):
    """What was found so far on a page, and room to work in."""

    nodes: Any  # NODE
    symbols: Any  # SYMBOL, of the parent at work
    slots: StampedTable  # of symbols
    holders: StampedTable
    tokens: NDArray[np.uint64]
    state: NDArray[np.int64]


@inlined
def name_groups(given: Plain) -> SiblingGroups:
    """Return what `make_groups` gives with names."""
    slots, holders = StampedTable(*given[2]), StampedTable(*given[3])
    return SiblingGroups(given[0], given[1], slots, holders, given[4], given[5])


def make_groups(terms: Terms, tokens: NDArray[np.uint64]) -> Plain:
    """Return room for the groups of a page; part of it is this thread's own, for one page."""
    n = len(terms)
    slots, holders = lend_sheets(n, len(tokens))
    nodes, state = np.zeros(n + 1, NODE), np.zeros(1, np.int64)
    return nodes, _lend_symbols(n), unnamed(slots), unnamed(holders), tokens, state


def _lend_symbols(entries: int) -> Any:
    """Return room for the symbols of a parent: its kernels leave it fit for the next."""
    if entries > KEPT_ENTRIES:
        return np.zeros(entries, SYMBOL)
    if not hasattr(_scratch, "symbols"):
        _scratch.symbols = np.zeros(KEPT_ENTRIES, SYMBOL)
    return _scratch.symbols


@inlined
def words_in(terms: Terms, start: Integer, end: Integer) -> Integer:
    """Return how many words a range of nodes holds."""
    return terms[end].words - terms[start].words


@inlined
def images_in(terms: Terms, k: Integer) -> Integer:
    """Return how many images a subtree holds."""
    return terms[terms[k].end].images - terms[k].images


@inlined
def texts_in(terms: Terms, k: Integer) -> Integer:
    """Return how many visible text nodes a subtree holds."""
    return terms[terms[k].end].texts - terms[k].texts


@inlined
def is_live(terms: Terms, k: Integer) -> bool:
    """Whether a child counts: it has text or an image, or is a rule between things."""
    return bool(texts_in(terms, k) or images_in(terms, k) or terms[k].tag == HR)


@inlined
def holder_key(terms: Terms, p: Integer, c: Integer, token: np.uint64) -> np.uint64:
    """Return what a class token counts as among the children of p with the tag of c."""
    return finish(token ^ (terms[c].name + np.uint64(p)) * MULTIPLIER)


@inlined
def choose_holder(terms: Terms, groups: SiblingGroups, p: Integer, c: Integer) -> None:
    """Note the tag of a child with that class which most of its like have."""
    most = 1
    chosen = np.uint64(0)
    for t in range(terms[c].first_token, terms[c + 1].first_token):
        token = groups.tokens[t]
        if token & np.uint64(1):
            continue
        slot = place_entry(groups.holders, holder_key(terms, p, c, token))
        count = groups.holders.slots[slot].count
        if count > most or (count == most and most > 1 and token < chosen):
            most, chosen = count, token
    groups.nodes[c].holder = finish(terms[c].name ^ finish(chosen))


@inner
def list_kids(terms: Terms, groups: SiblingGroups, p: Integer) -> None:
    """List the live children of a node, and the class of each that holds an image."""
    at = groups.state[USED]
    groups.nodes[p].listed = True
    groups.nodes[p].first_kid = at
    c = np.int64(p + 1)
    while c < terms[p].end:
        if is_live(terms, c):
            groups.nodes[at].kid = c
            groups.nodes[c].place = at
            at += 1
            for t in range(terms[c].first_token, terms[c + 1].first_token):
                slot = place_entry(groups.holders, holder_key(terms, p, c, groups.tokens[t]))
                groups.holders.slots[slot].count += 1
        c = np.int64(terms[c].end)
    groups.nodes[p].kid_count = at - groups.state[USED]
    for place in range(groups.state[USED], at):
        choose_holder(terms, groups, p, np.int64(groups.nodes[place].kid))
    groups.state[USED] = at


@inlined
def holder_of(terms: Terms, groups: SiblingGroups, c: Integer, coarse: bool) -> np.uint64:
    """Return what holds an image: a tag and its usual class, or just the tag."""
    return finish(terms[c].name) if coarse else groups.nodes[c].holder


@inlined
def symbol_of(
    terms: Terms, groups: SiblingGroups, c: Integer, holder: np.uint64, coarse: bool
) -> np.uint64:
    """Return what a child counts as in the sequence of its siblings."""
    image, text = images_in(terms, c) > 0, texts_in(terms, c) > 0
    if image and holder_of(terms, groups, c, coarse) == holder:
        return holder
    sign = finish(terms[c].name) if coarse else terms[c].signature
    return finish(sign + np.uint64(image) * np.uint64(2) + np.uint64(text))


@inner
def number_symbols(
    terms: Terms, groups: SiblingGroups, p: Integer, holder: np.uint64, coarse: bool
) -> int:
    """Number the symbols of the children of p in order of appearance; return how many."""
    take_sheet(groups.slots)
    table, stamp = groups.slots.slots, groups.slots.stamp[0]
    mask = np.uint64(len(table) - 1)
    known = 0
    first = groups.nodes[p].first_kid
    for j in range(groups.nodes[p].kid_count):
        key = symbol_of(terms, groups, np.int64(groups.nodes[first + j].kid), holder, coarse)
        slot = key & mask
        while table[slot].stamp == stamp and table[slot].key != key:
            slot = (slot + np.uint64(1)) & mask
        if table[slot].stamp != stamp:
            table[slot].stamp = stamp
            table[slot].key = key
            table[slot].count = known
            known += 1
        groups.nodes[j].id = table[slot].count
    return known


@inlined
def holder_number(
    terms: Terms, groups: SiblingGroups, p: Integer, holder: np.uint64, coarse: bool
) -> tuple[int, int, int, int]:
    """Return the number of the holders' symbol, how many there are, and where first and last."""
    number, count, first, last = -1, 0, -1, -1
    for j in range(groups.nodes[p].kid_count):
        c = groups.nodes[groups.nodes[p].first_kid + j].kid
        if holder_of(terms, groups, c, coarse) == holder and images_in(terms, c):
            number = groups.nodes[j].id
            first = j if count == 0 else first
            last = j
            count += 1
    return number, count, first, last
