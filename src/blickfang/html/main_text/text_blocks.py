"""The text blocks of a page: the runs of text that a reader sees as one piece.

In: a `Tree`. Out: `Layout`: its blocks and its elements as arrays. A block is a run of text between
two edges: the start or end of an element that is not inline, or two line breaks in a row. Elements
here are those that are not inline; the text of each is a range of blocks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.main_text import scratch as rooms
from blickfang.html.main_text.class_words import AUTOMATON, Automaton, find_groups
from blickfang.html.main_text.scratch import MainTextScratch
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import HIDES, IN_BUTTON, IN_DIALOG, LINKED, Bytes, Ints
from blickfang.html.parse.tags import ATTRIBUTES, TAGS
from blickfang.html.parse.tree import Tree
from blickfang.text.words import MULTIPLIER, finish

Floats = NDArray[np.float32]
Hashes = NDArray[np.uint64]

CLASS, ID = ATTRIBUTES["class"], ATTRIBUTES["id"]
BR, BODY, HTML = TAGS["br"], TAGS["body"], TAGS["html"]
LEFT_OUT = IN_BUTTON | IN_DIALOG  # what asks the reader to do something
EDGE = 2  # line breaks in a row that part two blocks
BLANK = 32  # the bytes that part pieces of text are not above it
MEMORY_SHIFT = np.uint64(64 - rooms.MEMORY_BITS)


class BlockArrays(NamedTuple):
    """The arrays of a `Tree` that the kernels read."""

    data: Bytes
    text: Bytes
    parent: Ints
    end: Ints
    tag: Bytes
    name: Hashes
    flags: NDArray[np.uint32]
    offset: Ints
    first_word: Ints
    first_attribute: Ints
    attribute_name: Bytes
    attribute_spans: Ints
    first_token: Ints
    tokens: Hashes
    hashes: Hashes
    starts: Ints
    ends: Ints


class Blocks(NamedTuple):
    """The blocks in document order."""

    owner: Ints  # the element around it
    start: Ints  # its text is text[start:end]
    end: Ints
    first_word: Ints  # its words are words.hashes[first_word:last_word]
    last_word: Ints
    style: Ints  # blocks with the same number look alike: elements and classes around are the same
    words: Floats  # how many words
    links: Floats  # how many of them stand in a link


class Elements(NamedTuple):
    """The elements that are not inline, in document order; 0 is the document."""

    node: Ints  # its number in the tree
    up: Ints  # the element around it
    first: Ints  # its text is the blocks first … last
    last: Ints
    tag: Bytes
    flags: NDArray[np.uint32]
    groups: NDArray[np.uint16]  # what its class and id say; class_words.py


class PageBlocks(NamedTuple):
    """Blocks and elements of a page."""

    blocks: Blocks
    elements: Elements


def lay_out(room: MainTextScratch, b: int, m: int) -> PageBlocks:
    """Return b blocks and m elements as they stand in the room."""
    ints = room.ints
    return PageBlocks(
        Blocks(
            ints[rooms.OWNER, :b],
            ints[rooms.START, :b],
            ints[rooms.END, :b],
            ints[rooms.FIRST_WORD, :b],
            ints[rooms.LAST_WORD, :b],
            ints[rooms.STYLE, :b],
            room.floats[rooms.WORDS, :b],
            room.floats[rooms.LINKS, :b],
        ),
        Elements(
            ints[rooms.NODE, :m],
            ints[rooms.UP, :m],
            ints[rooms.FIRST, :m],
            ints[rooms.LAST, :m],
            room.tags[:m],
            room.flags[:m],
            room.groups[rooms.GROUPS, :m],
        ),
    )


look_at = inlined(lay_out)


@inlined
def count_words(page: BlockArrays, node: Integer) -> np.float32:
    """Return how many words a text node has.

    In scripts without blanks every character is a word; one right behind another counts half.
    """
    first, last = page.first_word[node], page.first_word[node + 1]
    joined = 0
    for w in range(first + 1, last):
        joined += page.starts[np.uint64(w)] == page.ends[np.uint64(w - 1)]
    return np.float32(last - first - 0.5 * joined)


@inlined
def begin_block(page: BlockArrays, node: Integer, owner: np.int32, blocks: Blocks, b: int) -> None:
    """Begin block b with a text node, without what parts it from the text before."""
    start, end = page.offset[node], page.offset[node + 1]
    while start < end and page.text[np.uint64(start)] <= BLANK:
        start += 1
    blocks.owner[b] = owner
    blocks.start[b] = start
    blocks.first_word[b] = page.first_word[node]
    blocks.words[b] = blocks.links[b] = 0


@inlined
def add_text(page: BlockArrays, node: Integer, blocks: Blocks, b: int) -> None:
    """Add a text node to block b."""
    words = count_words(page, node)
    blocks.end[b] = page.offset[node + 1]
    blocks.last_word[b] = page.first_word[node + 1]
    blocks.words[b] += words
    if page.flags[node] & np.uint32(LINKED):
        blocks.links[b] += words


@inlined
def begin_element(
    page: BlockArrays, node: Integer, up: np.int32, elements: Elements, m: int
) -> None:
    """Write down element m."""
    elements.node[m], elements.up[m] = node, up
    elements.tag[m], elements.flags[m] = page.tag[node], page.flags[node]


@inlined
def find_runs(
    page: BlockArrays, traits: Bytes, layout: PageBlocks, room: MainTextScratch
) -> tuple[int, int]:
    """Write down blocks and elements, and for each node the blocks before it; count both."""
    blocks, elements = layout
    around, before = room.ints[rooms.AROUND], room.ints[rooms.BEFORE]
    b = m = hidden_until = 0
    breaks = EDGE
    for k in range(len(page.parent)):
        before[k] = b
        tag, flags = page.tag[k], page.flags[k]
        up = around[np.uint64(page.parent[k])] if k else np.int32(0)
        if tag == tags.TEXT:
            if k < hidden_until or flags & np.uint32(LEFT_OUT):
                breaks = EDGE
                continue
            if breaks >= EDGE or blocks.owner[b - 1] != up:
                begin_block(page, k, up, blocks, b)
                b += 1
            add_text(page, k, blocks, b - 1)
            breaks = 0
        elif traits[tag] & np.uint8(tags.BLOCK):
            begin_element(page, k, up, elements, m)
            around[k] = m
            m += 1
            breaks = EDGE
        else:
            around[k] = up
            if tag == BR:
                breaks += 1
            elif flags & np.uint32(HIDES):
                hidden_until = max(hidden_until, page.end[k])
    before[len(page.parent)] = b
    return b, m


@inlined
def sign(page: BlockArrays, node: Integer) -> np.uint64:
    """Return a hash of an element's name and classes."""
    h: np.uint64 = page.name[node]
    for t in range(page.first_token[node], page.first_token[node + 1]):
        h = (h ^ page.tokens[np.uint64(t)]) * MULTIPLIER
    return h


@inlined
def recall_groups(
    page: BlockArrays, row: Integer, signed: np.uint64, room: MainTextScratch, automaton: Automaton
) -> np.uint16:
    """Return what the class in an attribute says; the same sign is the same class."""
    slot = signed >> MEMORY_SHIFT
    if room.signs[slot] != signed:
        start, end = page.attribute_spans[row, 2], page.attribute_spans[row, 3]
        room.signs[slot] = signed
        room.meanings[slot] = find_groups(page.data, start, end, automaton)
    return np.uint16(room.meanings[slot])


@inlined
def read_groups(
    page: BlockArrays, node: Integer, signed: np.uint64, room: MainTextScratch, automaton: Automaton
) -> np.uint16:
    """Return what class and id of an element say; those of <body> speak of the whole page."""
    groups = np.uint16(0)
    tag = page.tag[node]
    if tag == BODY or tag == HTML:  # noqa: SIM109 -- faster than a tuple
        return groups
    for row in range(page.first_attribute[node], page.first_attribute[node + 1]):
        name = page.attribute_name[np.uint64(row)]
        if name == CLASS:
            groups |= recall_groups(page, row, signed, room, automaton)
        elif name == ID:
            start, end = page.attribute_spans[row, 2], page.attribute_spans[row, 3]
            groups |= find_groups(page.data, start, end, automaton)
    return groups


@inlined
def number_styles(layout: PageBlocks, room: MainTextScratch) -> None:
    """Give blocks the same number whose owner and the element around it look the same."""
    blocks, elements = layout
    signs, keys, numbers = room.hashes[rooms.SIGN], room.table, room.numbers
    size = 64
    while size < 2 * len(blocks.owner):
        size *= 2
    keys[:size] = 0
    styles = 0
    for b in range(len(blocks.owner)):
        owner = blocks.owner[b]
        key = finish((signs[owner] * MULTIPLIER) ^ signs[elements.up[owner]])
        slot = key & np.uint64(size - 1)
        while keys[slot] != key and keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        if keys[slot] != key:
            keys[slot], numbers[slot] = key, styles
            styles += 1
        blocks.style[b] = numbers[slot]


@filling
def find_blocks(
    page: BlockArrays, traits: Bytes, automaton: Automaton, room: MainTextScratch
) -> tuple[int, int]:
    """Write the blocks and elements of a page into some room; return how many there are."""
    n = len(page.parent)
    b, m = find_runs(page, traits, look_at(room, n, n), room)
    layout = look_at(room, b, m)
    elements, before = layout.elements, room.ints[rooms.BEFORE]
    signs = room.hashes[rooms.SIGN]  # of elements with text, as everything around a block is
    room.signs[:] = 0
    for e in range(m):
        node = elements.node[e]
        elements.first[e], elements.last[e] = before[node], before[page.end[node]]
        elements.groups[e] = 0
        if elements.first[e] < elements.last[e]:
            signs[e] = sign(page, node)
            elements.groups[e] = read_groups(page, node, signs[e], room, automaton)
    number_styles(layout, room)
    return b, m


def page_arrays(tree: Tree) -> BlockArrays:
    """Return what the kernels read of a page."""
    return BlockArrays(
        tree.letters.data,
        tree.letters.text,
        tree.parent,
        tree.end,
        tree.tag,
        tree.name,
        tree.flags,
        tree.offset,
        tree.first_word,
        tree.first_attribute,
        tree.attribute_name,
        tree.attribute_spans,
        tree.first_token,
        tree.tokens,
        tree.words.hashes,
        tree.words.starts,
        tree.words.ends,
    )


def read_blocks(tree: Tree, room: MainTextScratch) -> PageBlocks:
    """Return the blocks and elements of a page, written into some room."""
    return lay_out(room, *find_blocks(page_arrays(tree), tags.TRAITS, AUTOMATON, room))
