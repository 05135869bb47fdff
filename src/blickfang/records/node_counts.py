"""What is counted over the nodes of a page before regions are looked for.

In: a `Tree` and its terms (page/structure). Out: `Marks`: arrays over nodes, prefix sums and bags
of kinds, from which everything about any range of nodes follows without walking it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling
from blickfang.html.main_text.class_words import Automaton, find_groups, make_automaton
from blickfang.html.parse import tags
from blickfang.html.parse.tags import ATTRIBUTES, TAGS, TRAITS
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.count_tables import Table, count_key, find_slot, make_table
from blickfang.html.structure.page_terms import read_terms
from blickfang.text.words import MULTIPLIER, finish

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

LONG = 80  # characters of a text node that says more than a label
MANY = 3  # siblings alike that make a list
BAG = 4  # words of 64 bits that hold the kinds of nodes in a subtree
A, IMG, BR, LI = TAGS["a"], TAGS["img"], TAGS["br"], TAGS["li"]
CLASS, ID = ATTRIBUTES["class"], ATTRIBUTES["id"]
# What style sheets call the furniture of a page: of the site, not of this page.
FURNITURE = {
    "furniture": "nav menu foot header sidebar side-bar breadcrumb crumb widget related -ad- -ads- "
    "advert sponsor promo social share sharing pager paginat filter facet toolbar tabs login "
    "signup cookie newsletter copyright -tags- tagcloud rail -toc- banner masthead"
}
AUTOMATON = make_automaton(FURNITURE)


class NodeCounts(NamedTuple):
    """Arrays over nodes; those marked n + 1 are sums of what stands before a node."""

    parent: Ints
    end: Ints
    tag: Bytes
    name: Hashes
    depth: Ints
    place: Ints  # among the children of its parent
    whole: Hashes  # hash of all its class tokens, in any order
    first: Hashes  # the first class token without a digit, or 0
    signature: Hashes  # tag, and the classes that tell of structure
    path: Hashes  # tags from the root
    class_path: Hashes  # tags and first classes from the root
    offset: Ints  # n + 1
    letters: Ints  # n + 1: bytes of visible text
    digits: Ints  # n + 1
    texts: Ints  # n + 1
    long_texts: Ints  # n + 1
    links: Ints  # n + 1
    images: Ints  # n + 1
    headings: Ints  # n + 1
    said: Hashes  # n + 1
    furniture: NDArray[np.bool_]  # in an element whose class or id names it so
    inside: Ints  # bytes of text below in lists
    bags: NDArray[np.uint64]  # n x BAG: kinds of the nodes of a subtree
    tokens: Hashes
    first_token: Ints


@filling
def name_nodes(tree_arrays: tuple[Ints, Bytes, Hashes, Ints, Hashes], marks: NodeCounts) -> None:
    """Fill what follows from tags and classes: depth, place, classes and paths."""
    parent, _, name, first_token, tokens = tree_arrays
    marks.depth[0] = 0
    marks.path[0] = marks.class_path[0] = np.uint64(7)
    for k in range(len(parent)):
        whole = first = np.uint64(0)
        for t in range(first_token[k], first_token[k + 1]):
            whole += finish(tokens[t])
            if first == 0 and not tokens[t] & np.uint64(1):
                first = tokens[t]
        marks.whole[k], marks.first[k] = whole, first
        if k:
            p = parent[k]
            marks.depth[k] = marks.depth[p] + 1
            marks.path[k] = finish(marks.path[p] * MULTIPLIER ^ name[k])
            sign = name[k] ^ finish(first)
            marks.class_path[k] = finish(marks.class_path[p] * MULTIPLIER ^ sign)


@filling
def place_nodes(marks: NodeCounts) -> None:
    """Number the children of every node."""
    n = len(marks.parent)
    marks.place[0] = 0
    for p in range(n):
        c = p + 1
        place = 0
        while c < marks.end[p]:
            marks.place[c] = place
            place += 1
            c = marks.end[c]


@filling
def sum_texts(text: Bytes, visible: Ints, marks: NodeCounts) -> None:
    """Fill the sums over text, links, images and headings."""
    n = len(marks.parent)
    letters = long_texts = links = 0
    digits: Integer = 0
    for k in range(n + 1):
        marks.letters[k], marks.digits[k], marks.long_texts[k] = letters, digits, long_texts
        marks.links[k] = links
        if k == n:
            break
        links += marks.tag[k] == A
        if marks.tag[k] != tags.TEXT or visible[k + 1] == visible[k]:
            continue
        size = 0
        for i in range(marks.offset[k], marks.offset[k + 1]):
            byte = text[i]
            size += byte > 32 and (byte < 0x80 or byte >= 0xC0)
            digits += np.uint8(byte - np.uint8(48)) < 10
        letters += size
        long_texts += size >= LONG


@filling
def mark_furniture(
    data: Bytes,
    rows: tuple[Ints, Bytes, Ints],
    automaton: Automaton,
    marks: NodeCounts,
) -> None:
    """Mark what stands in furniture by the words of classes and ids."""
    first, names, spans = rows
    for k in range(len(marks.parent)):
        found = k > 0 and marks.furniture[marks.parent[k]]
        if not found and marks.depth[k] > 2:
            for row in range(first[k], first[k + 1]):
                if names[row] == CLASS or names[row] == ID:
                    found |= find_groups(data, spans[row, 2], spans[row, 3], automaton) > 0
        marks.furniture[k] = found


@filling
def gather_bags(marks: NodeCounts) -> None:
    """Put the kinds of all nodes of a subtree into one bag of bits, bottom up."""
    for k in range(len(marks.parent) - 1, -1, -1):
        sign = marks.name[k] + finish(marks.first[k]) + np.uint64(marks.depth[k])
        bit = finish(sign * MULTIPLIER) >> np.uint64(56)
        marks.bags[k, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
        if k:
            p = marks.parent[k]
            for word in range(BAG):
                marks.bags[p, word] |= marks.bags[k, word]


@filling
def measure_lists(table: Table, marks: NodeCounts) -> None:
    """Count below every node the text that stands in lists of blocks that are alike."""
    n = len(marks.parent)
    for k in range(1, n):
        if TRAITS[marks.tag[k]] & tags.BLOCK and marks.letters[marks.end[k]] > marks.letters[k]:
            key = finish(marks.signature[k] + np.uint64(marks.parent[k]) * MULTIPLIER)
            count_key(table, key, 1)
    for k in range(n - 1, 0, -1):
        own = marks.letters[marks.end[k]] - marks.letters[k]
        alike = False
        if TRAITS[marks.tag[k]] & tags.BLOCK and own > 0:
            key = finish(marks.signature[k] + np.uint64(marks.parent[k]) * MULTIPLIER)
            alike = table[find_slot(table, key)].count >= MANY
        marks.inside[marks.parent[k]] += own if alike else marks.inside[k]


def read_marks(tree: Tree) -> NodeCounts:
    """Return the marks of a page."""
    terms, n = read_terms(tree), len(tree.tag)
    ints, hashes = np.zeros((6, n + 1), np.int32), np.zeros((4, n), np.uint64)
    marks = NodeCounts(
        tree.parent,
        tree.end,
        tree.tag,
        tree.name,
        ints[0],
        ints[1],
        hashes[0],
        hashes[1],
        np.ascontiguousarray(terms["signature"][:n]),
        hashes[2],
        hashes[3],
        tree.offset,
        ints[2],
        ints[3],
        np.ascontiguousarray(terms["texts"]),
        ints[4],
        ints[5],
        np.ascontiguousarray(terms["images"]),
        np.ascontiguousarray(terms["headings"]),
        np.ascontiguousarray(terms["said"]),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int32),
        np.zeros((n, BAG), np.uint64),
        tree.tokens,
        tree.first_token,
    )
    name_nodes((tree.parent, tree.tag, tree.name, tree.first_token, tree.tokens), marks)
    place_nodes(marks)
    sum_texts(np.frombuffer(tree.text, np.uint8), marks.texts, marks)
    rows = (tree.first_attribute, tree.attribute_name, tree.attribute_spans)
    mark_furniture(np.frombuffer(tree.data, np.uint8), rows, AUTOMATON, marks)
    gather_bags(marks)
    measure_lists(make_table(n), marks)
    return marks
