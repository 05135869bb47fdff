"""What all ways of finding an image's text ask of a page, computed once, as arrays over its nodes.

In: a `Tree`. Out: `Terms`. Counts are prefix sums: what a subtree holds is a difference of two
entries. Words count as people count them (numbers too); text that is hidden where no image is
hidden with it does not count: whole articles are hidden until a script shows them, and then their
images are too. docs/method.md, "The text that belongs to an image".
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, filling, inlined, unnamed
from blickfang.html.parse import tags
from blickfang.html.parse.page_arrays import HIDES
from blickfang.html.parse.tags import TAGS, TRAITS
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.count_tables import StampedTable, lend_sheets, place_entry, take_sheet
from blickfang.html.structure.text_nodes import STOP_INSIDE, read_text_node
from blickfang.text.words import finish

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

LABEL_WORDS, LABEL_TIMES = 4, 3  # "Pin", "Video", "Add to cart": said again and again
PROSE_WORDS = 20
COMMON_TOKEN = 2  # a class that stands on the page once says nothing of structure
IMG = TAGS["img"]
OPAQUE = tags.VOID | tags.RAW | tags.SILENT


ROW = np.dtype(
    [
        ("name", np.uint64),  # hash of the element's name
        ("signature", np.uint64),  # tag, and the classes that tell of structure
        ("said", np.uint64),  # sum of the hashes of the texts before: same text, same difference
        ("parent", np.int32),
        ("end", np.int32),
        ("offset", np.int32),
        ("first_token", np.int32),
        ("above", np.int32),  # the nearest ancestor with more text, or -1
        ("run_end", np.int32),  # where the run of inline siblings from here ends; 0: not yet sought
        ("below", np.int32),  # the child of that ancestor on whose side the node stands, or -1
        # How much stands before this node.
        ("words", np.int32),
        ("labels", np.int32),  # words of labels
        ("texts", np.int32),  # text nodes that are seen
        ("images", np.int32),
        ("headings", np.int32),
        ("stops", np.int32),  # text nodes with the end of a sentence in them
        ("prose", np.int32),  # prose blocks
        ("prose_words", np.int32),
        ("blocks", np.int32),  # block elements that can hold text
        # Not of this node, but of what has its number.
        ("text_node", np.int32),  # the node of a visible text, by its number in `texts`
        ("prose_node", np.int32),  # the node of a prose block, by its number in `prose`
        ("tag", np.uint8),
        ("shows", np.uint8),  # what a text node shows
        ("hidden", np.bool_),  # begins a part that is not seen; behind all nodes: there are some
    ]
)
Terms = Any  # an array of ROW, one row a node and one behind; numba knows its fields, mypy does not


class TermNodes(NamedTuple):
    """The arrays of a `Tree` that the kernel reads."""

    text: Bytes
    parent: Ints
    end: Ints
    tag: Bytes
    name: Hashes
    flags: NDArray[np.uint32]
    offset: Ints
    first_word: Ints
    first_token: Ints
    tokens: Hashes


@inlined
def copy_node(nodes: TermNodes, terms: Terms, k: Integer) -> None:
    """Write down what the tree says of a node."""
    terms[k].name, terms[k].parent, terms[k].end = nodes.name[k], nodes.parent[k], nodes.end[k]
    terms[k].tag, terms[k].offset = nodes.tag[k], nodes.offset[k]
    terms[k].first_token = nodes.first_token[k]
    terms[k].run_end = 0


@inlined
def end_terms(nodes: TermNodes, terms: Terms, images: Integer) -> None:
    """Write down what stands behind all nodes."""
    n = len(nodes.tag)
    terms[n].images, terms[n].offset = images, nodes.offset[n]
    terms[n].first_token = nodes.first_token[n]
    terms[n].name = np.uint64(0)
    terms[n].parent = terms[n].end = terms[n].above = terms[n].below = 0
    terms[n].text_node = terms[n].prose_node = 0
    terms[n].words = terms[n].tag = terms[n].shows = 0


@inlined
def count_texts(nodes: TermNodes, terms: Terms, hashes: Hashes, labels: StampedTable) -> None:
    """Count images, and read the text nodes: their words, what they show, how often each is said.

    Words come into `words`.
    """
    take_sheet(labels)
    images = 0
    for k in range(len(nodes.tag)):
        copy_node(nodes, terms, k)
        terms[k].images = images
        terms[k].words = terms[k].shows = 0
        images += nodes.tag[k] == IMG
        if nodes.tag[k] == tags.TEXT:
            words, shows, h = read_text_node(nodes.text, nodes.offset[k], nodes.offset[k + 1])
            # Characters are words in some scripts.
            words = max(words, nodes.first_word[k + 1] - nodes.first_word[k])
            terms[k].words = words
            terms[k].shows = shows
            hashes[k] = h
            if words <= LABEL_WORDS:
                labels.slots[place_entry(labels, h)].count += 1
    end_terms(nodes, terms, images)


@inlined
def is_label(labels: StampedTable, h: np.uint64) -> bool:
    """Whether a short text is said again and again."""
    return bool(labels.slots[place_entry(labels, h)].count >= LABEL_TIMES)


@inlined
def sum_up(terms: Terms, flags: NDArray[np.uint32], hashes: Hashes, labels: StampedTable) -> None:
    """Turn what single nodes hold into prefix sums."""
    words = said = texts = headings = stops = blocks = 0
    unseen_until = 0
    hides = False
    text_sum = np.uint64(0)
    n = len(terms) - 1
    for k in range(n + 1):
        own = terms[k].words
        terms[k].words, terms[k].labels, terms[k].texts = words, said, texts
        terms[k].headings, terms[k].stops, terms[k].blocks = headings, stops, blocks
        terms[k].hidden = False
        terms[k].said = text_sum
        if k < unseen_until or k == n:
            continue
        tag = terms[k].tag
        if tag == tags.TEXT:
            terms[texts].text_node = k
            words += own
            texts += 1
            text_sum += hashes[k]
            stops += terms[k].shows & STOP_INSIDE
            if own <= LABEL_WORDS and is_label(labels, hashes[k]):
                said += own
            continue
        if flags[k] & np.uint32(HIDES) and terms[terms[k].end].images == terms[k].images:
            unseen_until = terms[k].end
            terms[k].hidden = hides = True
        headings += (TRAITS[tag] & tags.HEADING) > 0
        blocks += (TRAITS[tag] & (tags.BLOCK | OPAQUE)) == tags.BLOCK
    terms[n].hidden = hides


@inlined
def sign_nodes(terms: Terms, tokens: Hashes, places: Hashes, counts: StampedTable) -> None:
    """Give every node its signature; `places` is room for as many as there are tokens."""
    take_sheet(counts)
    for t in range(len(tokens)):
        slot = place_entry(counts, tokens[t])
        counts.slots[slot].count += 1
        places[t] = slot
    for k in range(len(terms) - 1):
        sign = finish(terms[k].name ^ np.uint64(terms[k].tag == tags.TEXT))
        for t in range(terms[k].first_token, terms[k + 1].first_token):
            token = tokens[np.uint64(t)]
            if not token & np.uint64(1) and (
                counts.slots[places[np.uint64(t)]].count >= COMMON_TOKEN
            ):
                sign += finish(token)  # in any order
        terms[k].signature = sign


@inlined
def is_leaf(terms: Terms, k: Integer) -> bool:
    """Whether a node is a block with nothing but inline parts in it."""
    return bool(terms[terms[k].end].blocks - terms[k].blocks == 1 and is_block(terms, k))


@inlined
def is_block(terms: Terms, k: Integer) -> bool:
    """Whether a node is a block element that can hold text."""
    return bool((TRAITS[terms[k].tag] & (tags.BLOCK | OPAQUE)) == tags.BLOCK)


@inlined
def is_heading(terms: Terms, k: Integer) -> bool:
    """Whether a node is h1 … h6."""
    return bool(TRAITS[terms[k].tag] & tags.HEADING)


@inlined
def follows(terms: Terms, previous: Integer, k: Integer) -> bool:
    """Whether a block stands right after one of its kind."""
    return bool(
        terms[previous].end == k
        and terms[previous].parent == terms[k].parent
        and terms[previous].signature == terms[k].signature
    )


@inlined
def find_levels(terms: Terms) -> None:
    """Find where a climb from each node meets more text: one look, since parents come first."""
    terms[0].above = terms[0].below = -1
    for k in range(1, len(terms) - 1):
        p = terms[k].parent
        inside = terms[terms[k].end].texts - terms[k].texts
        if terms[terms[p].end].texts - terms[p].texts > inside:
            terms[k].above, terms[k].below = p, k
        else:
            terms[k].above, terms[k].below = terms[p].above, terms[p].below


@inlined
def is_running(terms: Terms, k: Integer) -> bool:
    """Whether a node has the signature of the page's running text, which stands behind them all."""
    return bool(terms[k].signature == terms[len(terms) - 1].signature)


@inlined
def find_prose(terms: Terms, by_signature: StampedTable) -> None:
    """Find the prose blocks, and which signature the page's running text has."""
    take_sheet(by_signature)
    blocks = words = most = 0
    previous = -1  # the prose block before
    running = np.uint64(0)
    for k in range(len(terms) - 1):
        terms[k].prose, terms[k].prose_words = blocks, words
        if is_heading(terms, k) or not is_leaf(terms, k):
            continue
        end = terms[k].end
        own = terms[end].words - terms[k].words
        if own < PROSE_WORDS or terms[end].stops == terms[k].stops:
            continue
        terms[blocks].prose_node = k
        blocks += 1
        words += own
        if previous >= 0 and follows(terms, previous, k):
            slot = place_entry(by_signature, terms[k].signature)
            by_signature.slots[slot].count += own
            total = by_signature.slots[slot].count
            if total > most:
                most = total
                running = terms[k].signature
        previous = k
    n = len(terms) - 1
    terms[n].prose, terms[n].prose_words = blocks, words
    terms[n].signature = running


@filling
def fill_terms(given: Plain, terms: Terms, hashes: Hashes, places: Hashes, lent: Plain) -> None:
    """Fill the terms of a page, given its `Nodes`; the others are room."""
    nodes, sheet = TermNodes(*given), StampedTable(*lent)
    count_texts(nodes, terms, hashes, sheet)
    sum_up(terms, nodes.flags, hashes, sheet)
    sign_nodes(terms, nodes.tokens, places, sheet)
    find_prose(terms, sheet)
    find_levels(terms)


def read_terms(tree: Tree) -> Terms:
    """Return the terms of a page."""
    n, tokens = len(tree.tag), len(tree.tokens)
    terms = np.empty(n + 1, ROW)
    nodes = (
        tree.letters.text,
        tree.parent,
        tree.end,
        tree.tag,
        tree.name,
        tree.flags,
        tree.offset,
        tree.first_word,
        tree.first_token,
        tree.tokens,
    )
    (sheet,) = lend_sheets(max(n, tokens))
    room = np.empty(n, np.uint64), np.empty(tokens, np.uint64)
    fill_terms(nodes, terms, *room, unnamed(sheet))
    return terms
