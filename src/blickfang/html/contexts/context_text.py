"""From spans of a page's text to the text that people read.

In: byte ranges in the text of a page, as every way of finding an image's text gives them. Out: the
texts, without what is hidden, and which words of the page they are. Images often share a text:
each is made once.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined, unnamed
from blickfang.compute.py_values import (
    make_pair,
    make_text,
    make_tuple,
    making,
    put,
    put_in_list,
    spare,
)
from blickfang.html.parse.page_strings import CUT, NEW_LINE, PageStrings, trim
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.page_terms import Terms
from blickfang.text.words import MULTIPLIER

Ints = NDArray[np.int32]
Spans = NDArray[np.int32]  # one row an image: start and end in the text; empty where none was found
Piece = tuple[int, int]
MAX_BYTES = 2**24  # of all texts of a method: boxes lie in each other, and each may hold the page


class Hidden(NamedTuple):
    """The parts of a page's text that are not seen, in order; none touches the next."""

    starts: Ints
    ends: Ints


NOTHING_HIDDEN = Hidden(*np.empty((2, 0), np.int32))


class TextPieces(NamedTuple):
    """The different texts of some images, in pieces."""

    which: Ints  # of each image its text
    edges: Ints  # where the pieces of each text begin, and one more
    pieces: Ints  # start and end of each


class SpokenTexts(NamedTuple):
    """The different texts of some images in words."""

    texts: list[str]
    words: list[tuple[Piece, ...]]  # ranges among the words of the page


@filling
def list_hidden(terms: Terms, out: Ints) -> int:
    """Write down where hidden text begins and ends; return how often."""
    count = 0
    for k in range(len(terms) - 1):
        if terms[k].hidden:
            start, end = terms[k].offset, terms[terms[k].end].offset
            if count and start <= out[1, count - 1]:
                out[1, count - 1] = max(out[1, count - 1], end)
            else:
                out[0, count], out[1, count] = start, end
                count += 1
    return count


def find_hidden(terms: Terms) -> Hidden:
    """Return what is hidden on a page."""
    if not terms["hidden"][-1]:
        return NOTHING_HIDDEN
    out = np.empty((2, len(terms)), np.int32)
    return Hidden(*out[:, : list_hidden(terms, out)])


@inlined
def find_first(places: Ints, place: Integer) -> Integer:
    """Return the first of some places in order that is not before another."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) >> 1
        if places[np.uint64(middle)] < place:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def trim_hidden(hidden: Hidden, start: Integer, end: Integer) -> tuple[Integer, Integer]:
    """Return a span without what is hidden at its ends."""
    place = find_first(hidden.ends, start + 1)
    if place < len(hidden.starts) and hidden.starts[place] <= start:
        start = np.int64(hidden.ends[place])
    place = find_first(hidden.starts, end) - 1
    if place >= 0 and hidden.ends[place] >= end:
        end = np.int64(hidden.starts[place])
    return start, end


@inlined
def tell_spans_apart(spans: Spans, which: Ints, different: Ints, slots: Ints) -> int:
    """Write which of the different spans each is, and those; return how many there are."""
    mask = np.uint64(len(slots) - 1)
    slots[:] = -1
    count = 0
    for k in range(len(spans)):
        start, end = spans[k, 0], spans[k, 1]
        h = (np.uint64(start) * MULTIPLIER ^ np.uint64(end)) * MULTIPLIER
        slot = (h >> np.uint64(32)) & mask
        while slots[slot] >= 0:
            if different[slots[slot], 0] == start and different[slots[slot], 1] == end:
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = count
            different[count, 0], different[count, 1] = start, end
            count += 1
        which[k] = slots[slot]
    return count


@inlined
def cut_span(hidden: Hidden, start: Integer, end: Integer, out: Ints, at: Integer) -> Integer:
    """Write a span without what is hidden in it, where there is room for it; count its pieces."""
    count = 0
    last = find_first(hidden.starts, end)
    for place in range(find_first(hidden.ends, start + 1), last):
        if start < hidden.starts[place]:
            if at + count < len(out):
                out[at + count, 0], out[at + count, 1] = start, hidden.starts[place]
            count += 1
        start = np.int64(hidden.ends[place])
    if start < end:
        if at + count < len(out):
            out[at + count, 0], out[at + count, 1] = start, end
        count += 1
    return count


@filling
def cut_different(
    hidden: Hidden,
    spans: Spans,
    which: Ints,
    different: Ints,
    slots: Ints,
    edges: Ints,
    pieces: Ints,
) -> tuple[Integer, Integer]:
    """Write which of the different texts each span has, where their pieces begin, the pieces.

    Return how many texts there are, and pieces; of these as many are written as there is room for.
    """
    hidden = Hidden(*hidden)
    count = tell_spans_apart(spans, which, different, slots)
    at: Integer = 0
    for k in range(count):
        edges[k] = at
        start, end = np.int64(different[k, 0]), np.int64(different[k, 1])
        at += cut_span(hidden, start, end, pieces, at)
    edges[count] = at
    return count, at


def cut_texts(hidden: Hidden, spans: Spans) -> TextPieces:
    """Return the texts of some spans, an image each, without what is hidden."""
    n = len(spans)
    which, edges = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    different = np.empty((n, 2), np.int32)
    slots = np.empty(2 << max(n, 8).bit_length(), np.int32)
    pieces = np.empty((n + len(hidden.starts), 2), np.int32)  # that is enough for nearly all pages
    room = which, different, slots, edges
    count, cut = cut_different(unnamed(hidden), spans, *room, pieces)
    if cut > len(pieces):
        pieces = np.empty((cut, 2), np.int32)
        cut_different(unnamed(hidden), spans, *room, pieces)
    return TextPieces(which, edges[: count + 1], pieces[:cut])


def list_texts(pieces: Sequence[Sequence[Piece]]) -> TextPieces:
    """Return texts of an image each, given in pieces; equal ones are one text."""
    numbers: dict[tuple[Piece, ...], int] = {}
    which = [numbers.setdefault(tuple(each), len(numbers)) for each in pieces]
    edges = np.cumsum([0, *map(len, numbers)]).astype(np.int32)
    flat = np.array(list(chain.from_iterable(numbers)), np.int32).reshape(-1, 2)
    return TextPieces(np.array(which, np.int32), edges, flat)


def shorten_texts(tree: Tree, texts: TextPieces) -> TextPieces:
    """Return texts of which none takes more than its share of what all may take.

    Each ends before the word that would go beyond.
    """
    count = len(texts.edges) - 1
    starts, ends = texts.pieces.T.astype(np.int64)
    behind = np.append(0, np.cumsum(ends - starts))  # how much stands before each piece
    if behind[-1] <= MAX_BYTES:
        return texts
    before = np.repeat(behind[texts.edges[:-1]], np.diff(texts.edges))
    room = MAX_BYTES // count - (behind[:-1] - before)
    cut = room < ends - starts
    places = tree.words.starts.searchsorted(starts[cut] + np.maximum(room[cut], 0)) - 1
    words = np.append(tree.words.starts, 0)[places]  # before all words stands the last: a 0
    ends[cut] = np.maximum(starts[cut], words)
    return texts._replace(pieces=np.stack((starts, ends), axis=1).astype(np.int32))


@inlined
def join_pieces(letters: PageStrings, pieces: Ints, first: Integer, last: Integer) -> Integer:
    """Return the text of some pieces, a line each."""
    text, room = letters.text, letters.room
    size = 0
    for k in range(first, last):
        start, end = trim(text, np.int64(pieces[k, 0]), np.int64(pieces[k, 1]))
        if start == end or size + end - start >= len(room):
            continue
        if size:
            room[np.uint64(size)] = NEW_LINE
            size += 1
        for i in range(start, end):
            byte = text[np.uint64(i)]
            room[np.uint64(size)] = byte
            size += int(byte != CUT)
    return make_text(room.ctypes.data, size)


@making
def say_texts(
    letters: PageStrings,
    word_starts: Ints,
    texts: TextPieces,
    with_texts: bool,
    said: int,
    words: int,
) -> None:
    """Write the texts, and which words they are, into two lists."""
    letters, texts = PageStrings(*letters), TextPieces(*texts)
    for k in range(len(texts.edges) - 1):
        first, last = np.int64(texts.edges[k]), np.int64(texts.edges[k + 1])
        ranges = make_tuple(last - first)
        for p in range(first, last):
            start = find_first(word_starts, texts.pieces[p, 0])
            put(ranges, p - first, make_pair(start, find_first(word_starts, texts.pieces[p, 1])))
        spare(ranges)
        put_in_list(words, k, ranges)
        if with_texts:
            put_in_list(said, k, join_pieces(letters, texts.pieces, first, last))


def put_into_words(tree: Tree, texts: TextPieces, *, with_texts: bool = True) -> SpokenTexts:
    """Return texts as people read them, and which words of the page they are."""
    count = len(texts.edges) - 1
    if count * len(tree.text) > MAX_BYTES:
        texts = shorten_texts(tree, texts)
    said = SpokenTexts([""] * count, [()] * count)
    lists = id(said.texts), id(said.words)
    say_texts(unnamed(tree.letters), tree.words.starts, unnamed(texts), with_texts, *lists)
    return said


def read_spans(tree: Tree, terms: Terms, spans: Spans) -> list[str]:
    """Return the text of each span."""
    texts = cut_texts(find_hidden(terms), spans.reshape(-1, 2))
    said = put_into_words(tree, texts).texts
    return [said[which] for which in texts.which.tolist()]
