"""Repeating groups: climb until the image is part of a group of siblings that repeats.

In: a page and its images. Out: a span of text for each image. The study compares children of one
parent by tag and class (all text nodes are equal) and looks for the contiguous subsequence that
occurs most often, the longest among equals, more than once; then whether the image lies in it. We
read this by its aim, a parent whose children can be *split* into groups that hold an image and all
its text, and chose among the readings by their results on pages. The first two leave its letter:
* a group holds the child with the image, and text: the most frequent *of those* is looked for, as
  otherwise one more paragraph anywhere among the children hides the list;
* children with and without text are never equal;
* class means the classes that tell of structure (`Terms.signature`);
* groups do not overlap; of several longest groups the one that begins last is taken;
* a group grows to at most 64 children, else two copies of one long list would cost quadratic time;
* the climb stops below the first ancestor with more words than the limit. The text is then that of
  the last subtree within the limit, or of that ancestor if none had text before.

Time is linear in the page. Every group holds one of two *seeds*: the child with the image and
whatever follows up to the first text, or whatever precedes up to the last text. No group is more
frequent than its seed, so the best ones are the seeds, grown while all their places agree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.contexts.context_text import Spans
from blickfang.html.contexts.paragraph import has_text
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.count_tables import Table, find_slot, make_table
from blickfang.html.structure.page_terms import Terms
from blickfang.text.words import MULTIPLIER, finish

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

WORD_LIMIT = 20
MOST_CHILDREN = 64
UNKNOWN = -2


class SiblingRows(NamedTuple):
    """The children of all parents looked at, one parent's after the other's."""

    first: Ints  # for each parent the place of its first child, -1 if it was not looked at
    behind: Ints  # for each parent the place behind its last child
    place: Ints  # for each child its place
    node: Ints  # for each place its child
    symbol: Hashes  # for each place what makes children equal


class Seeds(NamedTuple):
    """Seeds, two a place: place p begins seed 2p, which reads on, and ends 2p + 1."""

    start: Ints  # the place where it begins, -1 where there is no text on that side
    key: Hashes  # equal for equal seeds of one parent
    species: Ints  # equal seeds have one number
    next: Ints  # the equal seed before it, or -1
    table: Table  # key → species + 1


class Species(NamedTuple):
    """Sets of equal seeds."""

    total: Ints  # how many they are
    newest: Ints  # a seed; the others follow by `Seeds.next`
    length: Ints  # of the seed
    before: Ints  # by how many children all of them can grow, UNKNOWN if nobody asked
    after: Ints


class Answers(NamedTuple):
    """For each node met on a climb the text that the climb ends with; start -1 if not yet met."""

    start: Ints
    end: Ints


class RepeatSearch(NamedTuple):
    """Everything that the search keeps."""

    rows: SiblingRows
    seeds: Seeds
    species: Species
    answers: Answers


@inlined
def lay_out(terms: Terms, p: Integer, rows: SiblingRows, begin: Integer) -> Integer:
    """Write the children of a parent in a row, from a place on; return the place behind."""
    place = begin
    k = p + 1
    while k < terms[p].end:
        rows.place[k], rows.node[place] = place, k
        rows.symbol[place] = finish(terms[k].signature + np.uint64(has_text(terms, k)))
        place += 1
        k = terms[k].end
    rows.first[p], rows.behind[p] = begin, place
    return place


@inlined
def sow(seeds: Seeds, species: Species, seed: Integer, length: Integer, m: Integer) -> Integer:
    """Put a seed with its equals; return how many species there are."""
    slot = find_slot(seeds.table, seeds.key[seed])
    one = seeds.table[slot].count - 1
    if one < 0:
        one = m
        m += 1
        seeds.table[slot].key, seeds.table[slot].count = seeds.key[seed], m
        species.total[one], species.newest[one], species.length[one] = 0, -1, length
        species.before[one] = species.after[one] = UNKNOWN
    seeds.species[seed], seeds.next[seed] = one, species.newest[one]
    species.total[one] += 1
    species.newest[one] = seed
    return m


@inlined
def extend_key(key: np.uint64, symbol: np.uint64) -> np.uint64:
    """Return the key of a seed with one more child."""
    return finish(key * MULTIPLIER + symbol)


@filling
def sow_row(terms: Terms, p: Integer, search: RepeatSearch, m: Integer) -> Integer:
    """Find all seeds of a parent; return how many species there are."""
    rows, seeds, species, _ = search
    first, behind = rows.first[p], rows.behind[p]
    text = -1
    for place in range(behind - 1, first - 1, -1):  # those that read on to a text
        seed = 2 * place
        if has_text(terms, rows.node[place]):
            text = place
            seeds.key[seed] = extend_key(np.uint64(2 * p), rows.symbol[place])
        elif text >= 0:
            seeds.key[seed] = extend_key(seeds.key[seed + 2], rows.symbol[place])
        seeds.start[seed] = place if text >= 0 else -1
        if text >= 0:
            m = sow(seeds, species, seed, text - place + 1, m)
    text = -1
    for place in range(first, behind):  # those that have read a text; a text itself is both
        seed = 2 * place + 1
        seeds.start[seed] = -1
        if has_text(terms, rows.node[place]):
            text = place
            seeds.key[seed] = extend_key(np.uint64(2 * p + 1), rows.symbol[place])
        elif text >= 0:
            seeds.key[seed] = extend_key(seeds.key[seed - 2], rows.symbol[place])
            seeds.start[seed] = text
            m = sow(seeds, species, seed, place - text + 1, m)
    return m


@inlined
def agree(
    search: RepeatSearch, one: Integer, shift: Integer, first: Integer, behind: Integer
) -> bool:
    """Whether all seeds of a species have the same child at a distance from their beginning."""
    rows, seeds, species, _ = search
    seed = species.newest[one]
    place = seeds.start[seed] + shift
    if place < first or place >= behind:
        return False
    symbol = rows.symbol[place]
    while seed >= 0:
        place = seeds.start[seed] + shift
        if place < first or place >= behind or rows.symbol[place] != symbol:
            return False
        seed = seeds.next[seed]
    return True


@inlined
def find_room(search: RepeatSearch, one: Integer) -> int:
    """Return how long the groups of a species may grow before they overlap."""
    _, seeds, species, _ = search
    room = MOST_CHILDREN
    seed = species.newest[one]
    while seeds.next[seed] >= 0:
        room = min(room, abs(seeds.start[seed] - seeds.start[seeds.next[seed]]))
        seed = seeds.next[seed]
    return room


@filling
def grow(search: RepeatSearch, one: Integer, first: Integer, behind: Integer) -> None:
    """Find how far all seeds of a species can grow together: to the end first, then to the front.

    The one that begins last is wanted, and where the room is short, only one side can have it.
    """
    species = search.species
    length = species.length[one]
    room = find_room(search, one) - length
    after = before = 0
    while after < room and agree(search, one, length + after, first, behind):
        after += 1
    while after + before < room and agree(search, one, -1 - before, first, behind):
        before += 1
    species.after[one], species.before[one] = after, before


@inlined
def find_group(terms: Terms, x: Integer, search: RepeatSearch) -> tuple[int, int]:
    """Return the nodes where the best group around a child begins and ends; -1 where none is."""
    rows, seeds, species, _ = search
    p, place = terms[x].parent, rows.place[x]
    most = longest = start = 0
    for seed in range(2 * place, 2 * place + 2):
        one = seeds.species[seed]
        if seeds.start[seed] < 0 or species.total[one] < 2 or species.total[one] < most:
            continue
        if species.before[one] == UNKNOWN:
            grow(search, one, rows.first[p], rows.behind[p])
        length = species.before[one] + species.length[one] + species.after[one]
        if (species.total[one], length) > (most, longest):  # of equals, the first begins later
            most, longest = species.total[one], length
            start = seeds.start[seed] - species.before[one]
    if most == 0:
        return -1, -1
    return rows.node[start], terms[rows.node[start + longest - 1]].end


@inlined
def answer(terms: Terms, answers: Answers, x: Integer, start: Integer, end: Integer) -> None:
    """Note that a climb that comes by a node ends with the text from one node to another."""
    answers.start[x], answers.end[x] = terms[start].offset, terms[end].offset


@filling
def climb(terms: Terms, image: Integer, limit: Integer, search: RepeatSearch) -> Integer:
    """Climb to the first node whose answer is known, or can be told; return it."""
    answers = search.answers
    x = image
    while answers.start[x] < 0:
        p = terms[x].parent
        if p < 0:
            answer(terms, answers, x, x, terms[x].end if has_text(terms, x) else x)
            break
        start, end = find_group(terms, x, search)
        if start >= 0:
            answer(terms, answers, x, start, end)
        elif terms[terms[p].end].words - terms[p].words > limit:
            last = x if has_text(terms, x) else p
            answer(terms, answers, x, last, terms[last].end)
        else:
            x = p
    return x


@filling
def prepare(terms: Terms, images: Ints, limit: Integer, search: RepeatSearch) -> None:
    """Lay out and sow every parent that a climb can come by."""
    places: Integer = 0
    species: Integer = 0
    for i in range(len(images)):
        p = terms[images[i]].parent
        while p >= 0 and search.rows.first[p] < 0:
            places = lay_out(terms, p, search.rows, places)
            species = sow_row(terms, p, search, species)
            if terms[terms[p].end].words - terms[p].words > limit:
                break
            p = terms[p].parent


@filling
def fill_spans(
    terms: Terms, images: Ints, limit: Integer, search: RepeatSearch, spans: Spans
) -> None:
    """Write the span of each image."""
    prepare(terms, images, limit, search)
    answers = search.answers
    for i in range(len(images)):
        top = climb(terms, images[i], limit, search)
        x = images[i]
        while x != top:  # whoever comes by here again need not climb
            answers.start[x], answers.end[x] = answers.start[top], answers.end[top]
            x = terms[x].parent
        spans[i, 0], spans[i, 1] = answers.start[top], answers.end[top]


def make_search(n: int) -> RepeatSearch:
    """Return room for a page of n nodes."""
    by_node = np.full((5, n), -1, np.int32)
    by_place = np.empty((4, 2 * n), np.int32)
    by_species = np.empty((5, 2 * n), np.int32)
    first, behind, place, start, end = by_node
    node, seed_start, number, equal = by_place
    return RepeatSearch(
        SiblingRows(first, behind, place, node, np.empty(n, np.uint64)),
        Seeds(seed_start, np.empty(2 * n, np.uint64), number, equal, make_table(2 * n)),
        Species(*by_species),
        Answers(start, end),
    )


def find_repeats(tree: Tree, terms: Terms, images: Ints, limit: int = WORD_LIMIT) -> Spans:
    """Return for each image the text of the repeating group that it is part of."""
    spans = np.zeros((len(images), 2), np.int32)
    fill_spans(terms, images, limit, make_search(len(tree.tag)), spans)
    return spans
