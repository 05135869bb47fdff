"""The text blocks of a page: the runs of text that a reader sees as one piece.

In: a `Tree`. Out: `Layout`: its blocks and its elements as arrays. A block is a run of text between
two edges: the start or end of an element that is not inline, or two line breaks in a row. Elements
here are those that are not inline; the text of each is a range of blocks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, compiled, inlined
from blickfang.page import tags
from blickfang.page.arrays import HIDES, IN_BUTTON, IN_DIALOG, LINKED, Bytes, Ints
from blickfang.page.main.classwords import AUTOMATON, Automaton, find_groups
from blickfang.page.tags import ATTRIBUTES, TAGS
from blickfang.page.tree import Tree
from blickfang.words import MULTIPLIER, finish

Floats = NDArray[np.float32]
Hashes = NDArray[np.uint64]

CLASS, ID = ATTRIBUTES["class"], ATTRIBUTES["id"]
BR, BODY, HTML = TAGS["br"], TAGS["body"], TAGS["html"]
LEFT_OUT = IN_BUTTON | IN_DIALOG  # what asks the reader to do something
EDGE = 2  # line breaks in a row that part two blocks
BLANK = 32  # the bytes that part pieces of text are not above it
MEMORY = 512  # classes whose groups are remembered: most stand on a page again and again
MEMORY_SHIFT = np.uint64(64 - 9)


class Page(NamedTuple):
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
    groups: NDArray[np.uint16]  # what its class and id say; classwords.py


class Memory(NamedTuple):
    """The groups of classes read before, by the sign of their elements; a new one ousts another."""

    signs: Hashes
    groups: NDArray[np.uint16]


class Layout(NamedTuple):
    """Blocks and elements of a page."""

    blocks: Blocks
    elements: Elements


@compiled
def make_blocks(n: int) -> Blocks:
    """Return room for n blocks."""
    ints, floats = np.empty((6, n), np.int32), np.zeros((2, n), np.float32)
    return Blocks(ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], floats[0], floats[1])


@compiled
def make_elements(n: int) -> Elements:
    """Return room for n elements."""
    ints = np.empty((4, n), np.int32)
    tag, flags = np.empty(n, np.uint8), np.empty(n, np.uint32)
    return Elements(ints[0], ints[1], ints[2], ints[3], tag, flags, np.zeros(n, np.uint16))


@compiled
def cut(blocks: Blocks, elements: Elements, b: int, m: int) -> Layout:
    """Return what was found: b blocks and m elements."""
    return Layout(
        Blocks(
            blocks.owner[:b],
            blocks.start[:b],
            blocks.end[:b],
            blocks.first_word[:b],
            blocks.last_word[:b],
            blocks.style[:b],
            blocks.words[:b],
            blocks.links[:b],
        ),
        Elements(
            elements.node[:m],
            elements.up[:m],
            elements.first[:m],
            elements.last[:m],
            elements.tag[:m],
            elements.flags[:m],
            elements.groups[:m],
        ),
    )


@inlined
def find_elements(page: Page, traits: Bytes, around: Ints, elements: Elements) -> int:
    """Write down the elements, and for each node the one around it; return how many there are."""
    m = 0
    for k in range(len(page.parent)):
        up = around[np.uint64(page.parent[k])] if k else np.int32(0)
        if traits[page.tag[k]] & np.uint8(tags.BLOCK):
            elements.node[m] = k
            elements.up[m] = up
            elements.tag[m], elements.flags[m] = page.tag[k], page.flags[k]
            around[k] = m
            m += 1
        else:
            around[k] = up
    return m


@inlined
def count_words(page: Page, node: Integer) -> np.float32:
    """Return how many words a text node has.

    In scripts without blanks every character is a word; one right behind another counts half.
    """
    first, last = page.first_word[node], page.first_word[node + 1]
    joined = 0
    for w in range(first + 1, last):
        joined += page.starts[np.uint64(w)] == page.ends[np.uint64(w - 1)]
    return np.float32(last - first - 0.5 * joined)


@inlined
def begin_block(page: Page, node: Integer, blocks: Blocks, b: int) -> None:
    """Begin block b with a text node, without what parts it from the text before."""
    start, end = page.offset[node], page.offset[node + 1]
    while start < end and page.text[np.uint64(start)] <= BLANK:
        start += 1
    blocks.start[b] = start
    blocks.first_word[b] = page.first_word[node]


@inlined
def add_text(page: Page, node: Integer, blocks: Blocks, b: int) -> None:
    """Add a text node to block b."""
    words = count_words(page, node)
    blocks.end[b] = page.offset[node + 1]
    blocks.last_word[b] = page.first_word[node + 1]
    blocks.words[b] += words
    if page.flags[node] & np.uint32(LINKED):
        blocks.links[b] += words


@inlined
def find_runs(page: Page, traits: Bytes, around: Ints, before: Ints, blocks: Blocks) -> int:
    """Write down the blocks, and for each node how many begin before it; return how many."""
    b = hidden_until = 0
    breaks = EDGE
    for k in range(len(page.parent)):
        before[k] = b
        tag, flags = page.tag[k], page.flags[k]
        if tag == tags.TEXT:
            if k < hidden_until or flags & np.uint32(LEFT_OUT):
                breaks = EDGE
                continue
            if breaks >= EDGE or blocks.owner[b - 1] != around[k]:
                begin_block(page, k, blocks, b)
                blocks.owner[b] = around[k]
                b += 1
            add_text(page, k, blocks, b - 1)
            breaks = 0
        elif tag == BR:
            breaks += 1
        elif traits[tag] & np.uint8(tags.BLOCK):
            breaks = EDGE
        elif flags & np.uint32(HIDES):
            hidden_until = max(hidden_until, page.end[k])
    before[len(page.parent)] = b
    return b


@inlined
def sign(page: Page, node: Integer) -> np.uint64:
    """Return a hash of an element's name and classes."""
    h: np.uint64 = page.name[node]
    for t in range(page.first_token[node], page.first_token[node + 1]):
        h = (h ^ page.tokens[np.uint64(t)]) * MULTIPLIER
    return h


@inlined
def recall_groups(
    page: Page, row: Integer, signed: np.uint64, memory: Memory, automaton: Automaton
) -> np.uint16:
    """Return what the class in an attribute says; the same sign is the same class."""
    slot = signed >> MEMORY_SHIFT
    if memory.signs[slot] != signed:
        start, end = page.attribute_spans[row, 2], page.attribute_spans[row, 3]
        memory.signs[slot] = signed
        memory.groups[slot] = find_groups(page.data, start, end, automaton)
    return np.uint16(memory.groups[slot])


@inlined
def read_groups(
    page: Page, node: Integer, signed: np.uint64, memory: Memory, automaton: Automaton
) -> np.uint16:
    """Return what class and id of an element say; those of <body> speak of the whole page."""
    groups = np.uint16(0)
    tag = page.tag[node]
    if tag == BODY or tag == HTML:  # noqa: SIM109 -- faster than a tuple
        return groups
    for row in range(page.first_attribute[node], page.first_attribute[node + 1]):
        name = page.attribute_name[np.uint64(row)]
        if name == CLASS:
            groups |= recall_groups(page, row, signed, memory, automaton)
        elif name == ID:
            start, end = page.attribute_spans[row, 2], page.attribute_spans[row, 3]
            groups |= find_groups(page.data, start, end, automaton)
    return groups


@compiled
def number_styles(layout: Layout, signs: Hashes) -> None:
    """Give blocks the same number whose owner and the element around it look the same."""
    blocks, elements = layout
    size = 64
    while size < 2 * len(blocks.owner):
        size *= 2
    keys, numbers = np.zeros(size, np.uint64), np.empty(size, np.int32)
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


@compiled
def find_blocks(page: Page, traits: Bytes, automaton: Automaton) -> Layout:
    """Return the blocks and elements of a page."""
    n = len(page.parent)
    around, before = np.empty(n, np.int32), np.empty(n + 1, np.int32)
    blocks, elements = make_blocks(n), make_elements(n)
    m = find_elements(page, traits, around, elements)
    b = find_runs(page, traits, around, before, blocks)
    signs = np.empty(m, np.uint64)  # of elements with text, as everything around a block is
    memory = Memory(np.zeros(MEMORY, np.uint64), np.zeros(MEMORY, np.uint16))
    for e in range(m):
        node = elements.node[e]
        elements.first[e], elements.last[e] = before[node], before[page.end[node]]
        if elements.first[e] < elements.last[e]:
            signs[e] = sign(page, node)
            elements.groups[e] = read_groups(page, node, signs[e], memory, automaton)
    layout = cut(blocks, elements, b, m)
    number_styles(layout, signs)
    return layout


def page_arrays(tree: Tree) -> Page:
    """Return what the kernels read of a page."""
    return Page(
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


def read_blocks(tree: Tree) -> Layout:
    """Return the blocks and elements of a page."""
    return find_blocks(page_arrays(tree), tags.TRAITS, AUTOMATON)
