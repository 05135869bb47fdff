"""What all ways of finding an image's text ask of a page, computed once, as arrays over its nodes.

In: a `Tree`. Out: `Terms`. Counts are prefix sums: what a subtree holds is a difference of two
entries. Words count as people count them (numbers too); text that is hidden where no image is
hidden with it does not count: whole articles are hidden until a script shows them, and then their
images are too. docs/method.md, "The text that belongs to an image".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compiled import Integer, filling, inlined
from blickfang.page import tags
from blickfang.page.arrays import HIDES
from blickfang.page.tags import TAGS, TRAITS
from blickfang.page.tree import Tree
from blickfang.words import MULTIPLIER, finish

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

STOP_INSIDE, STOP_LAST, BRACKET_LAST, COPYRIGHT = 1, 2, 4, 8  # what a text node shows
LABEL_WORDS, LABEL_TIMES = 4, 3  # "Pin", "Video", "Add to cart": said again and again
PROSE_WORDS = 20
COMMON_TOKEN = 2  # a class that stands on the page once says nothing of structure
IMG = TAGS["img"]
OPAQUE = tags.VOID | tags.RAW | tags.SILENT


class Terms(NamedTuple):
    """Arrays over the nodes of a page; those marked n + 1 are prefix sums."""

    parent: Ints
    end: Ints
    tag: Bytes
    offset: Ints  # n + 1
    words: Ints  # n + 1
    labels: Ints  # n + 1: words of labels
    texts: Ints  # n + 1: text nodes that are seen
    images: Ints  # n + 1
    headings: Ints  # n + 1
    stops: Ints  # n + 1: text nodes with the end of a sentence in them
    prose: Ints  # n + 1: prose blocks
    prose_words: Ints  # n + 1
    blocks: Ints  # n + 1: block elements that can hold text
    shows: Bytes  # for a text node what it shows
    hidden: NDArray[np.bool_]  # begins a part that is not seen
    signature: Hashes  # tag, and the classes that tell of structure
    first_token: Ints
    tokens: Hashes
    running: Hashes  # one entry: the signature of the page's running text, or 0


class Table(NamedTuple):
    """A hash table that counts."""

    keys: Hashes
    counts: Ints


def make_table(entries: int) -> Table:
    """Return room for so many keys, at most half full."""
    size = 2 << max(entries, 8).bit_length()
    return Table(np.zeros(size, np.uint64), np.zeros(size, np.int32))


@inlined
def find_slot(table: Table, key: np.uint64) -> np.uint64:
    """Return where a key stands, or shall stand."""
    mask = np.uint64(len(table.keys) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while table.keys[slot] != key and table.keys[slot] != np.uint64(0):
        slot = (slot + np.uint64(1)) & mask
    return slot


@inlined
def count_key(table: Table, key: np.uint64, amount: Integer) -> None:
    """Add to the count of a key."""
    slot = find_slot(table, key)
    table.keys[slot] = key
    table.counts[slot] += amount


@inlined
def classify(text: Bytes, i: Integer, end: Integer) -> tuple[int, int]:
    """Return whether a character is 1 of a word, 2 a stop, 4 a bracket, 8 ©; and its length."""
    byte = text[np.uint64(i)]
    if byte < 0x80:
        if ((byte | 32) - 0x61 < 26 and byte >= 0x41) or 0x30 <= byte <= 0x39:
            return 1, 1
        if byte == 0x2E or byte == 0x21 or byte == 0x3F or byte == 0x3A or byte == 0x3B:
            return 2, 1
        return 4 if byte == 0x29 or byte == 0x5D else 0, 1
    second = text[np.uint64(i + 1)] if i + 1 < end else np.uint8(0)
    if byte < 0xE0:
        if byte == 0xC2:  # Latin-1 signs: © « » and their like
            return 8 if second == 0xA9 else 0, 2
        return 1, 2
    third = text[np.uint64(i + 2)] if i + 2 < end else np.uint8(0)
    if byte == 0xE2 and 0x80 <= second <= 0x81:  # dashes, quotes, dots
        return 2 if second == 0x80 and third == 0xA6 else 0, 3
    if byte == 0xE3 and second == 0x80 and third <= 0x9F:  # 、 。 「 」
        return 2 if third == 0x82 else 0, 3
    if byte == 0xEF and second == 0xBC and (third == 0x81 or third == 0x9F or third == 0x9A):
        return 2, 3
    return 1, 3 if byte < 0xF0 else 4


@inlined
def read_text_node(text: Bytes, start: Integer, end: Integer) -> tuple[int, int, np.uint64]:
    """Return how many words a text node has, what it shows, and a hash of it."""
    words = shows = 0
    last = before = 0
    h = np.uint64(0)
    i = start
    while i < end:
        byte = text[np.uint64(i)]
        if byte <= 32:
            if before == 2:
                shows |= STOP_INSIDE
            before = 0
            i += 1
            continue
        kind, length = classify(text, i, end)
        if kind == 1 and before != 1:
            words += 1
        if kind or byte > 0x27:  # a quote behind the last stop does not hide it
            last = kind
        shows |= COPYRIGHT if kind == 8 else 0
        before = kind if kind or byte > 0x29 else before
        h = (h ^ np.uint64(byte)) * MULTIPLIER
        i += length
    if last == 2:
        shows |= STOP_INSIDE | STOP_LAST
    if last == 4:
        shows |= BRACKET_LAST
    return words, shows, finish(h)


@filling
def count_texts(text: Bytes, first_word: Ints, terms: Terms, hashes: Hashes, labels: Table) -> None:
    """Read the text nodes: their words into `words`, what they show, how often each is said."""
    for k in range(len(terms.tag)):
        terms.words[k] = 0
        if terms.tag[k] == tags.TEXT:
            words, shows, h = read_text_node(text, terms.offset[k], terms.offset[k + 1])
            words = max(words, first_word[k + 1] - first_word[k])  # characters, in some scripts
            terms.words[k] = words
            terms.shows[k] = shows
            hashes[k] = h
            if words <= LABEL_WORDS:
                count_key(labels, h, 1)


@filling
def sum_up(terms: Terms, flags: NDArray[np.uint32], hashes: Hashes, labels: Table) -> None:
    """Turn what single nodes hold into prefix sums."""
    words = said = texts = headings = stops = blocks = 0
    unseen_until = 0
    for k in range(len(terms.tag)):
        tag = terms.tag[k]
        own = terms.words[k]
        terms.words[k], terms.labels[k], terms.texts[k] = words, said, texts
        terms.headings[k], terms.stops[k], terms.blocks[k] = headings, stops, blocks
        terms.hidden[k] = False
        if k < unseen_until:
            continue
        if tag == tags.TEXT:
            words += own
            texts += 1
            stops += terms.shows[k] & STOP_INSIDE
            if own <= LABEL_WORDS and labels.counts[find_slot(labels, hashes[k])] >= LABEL_TIMES:
                said += own
            continue
        if flags[k] & np.uint32(HIDES) and terms.images[terms.end[k]] == terms.images[k]:
            unseen_until = terms.end[k]
            terms.hidden[k] = True
        headings += (TRAITS[tag] & tags.HEADING) > 0
        blocks += (TRAITS[tag] & (tags.BLOCK | OPAQUE)) == tags.BLOCK
    n = len(terms.tag)
    terms.words[n], terms.labels[n], terms.texts[n] = words, said, texts
    terms.headings[n], terms.stops[n], terms.blocks[n] = headings, stops, blocks


@filling
def count_images(terms: Terms) -> None:
    """Count the images before each node."""
    images = 0
    for k in range(len(terms.tag)):
        terms.images[k] = images
        images += terms.tag[k] == IMG
    terms.images[len(terms.tag)] = images


@filling
def sign_nodes(terms: Terms, name: Hashes, counts: Table) -> None:
    """Give every node its signature."""
    for token in terms.tokens:
        count_key(counts, token, 1)
    for k in range(len(terms.tag)):
        sign = finish(name[k] ^ np.uint64(terms.tag[k] == tags.TEXT))
        for t in range(terms.first_token[k], terms.first_token[k + 1]):
            token = terms.tokens[t]
            if not token & np.uint64(1) and counts.counts[find_slot(counts, token)] >= COMMON_TOKEN:
                sign += finish(token)  # in any order
        terms.signature[k] = sign


@inlined
def is_leaf(terms: Terms, k: Integer) -> bool:
    """Whether a node is a block with nothing but inline parts in it."""
    return bool(terms.blocks[terms.end[k]] - terms.blocks[k] == 1 and is_block(terms, k))


@inlined
def is_block(terms: Terms, k: Integer) -> bool:
    """Whether a node is a block element that can hold text."""
    return bool((TRAITS[terms.tag[k]] & (tags.BLOCK | OPAQUE)) == tags.BLOCK)


@inlined
def is_heading(terms: Terms, k: Integer) -> bool:
    """Whether a node is h1 … h6."""
    return bool(TRAITS[terms.tag[k]] & tags.HEADING)


@inlined
def follows(terms: Terms, previous: Integer, k: Integer) -> bool:
    """Whether a block stands right after one of its kind."""
    return bool(
        terms.end[previous] == k
        and terms.parent[previous] == terms.parent[k]
        and terms.signature[previous] == terms.signature[k]
    )


@filling
def find_prose(terms: Terms, by_signature: Table) -> None:
    """Find the prose blocks, and which signature the page's running text has."""
    blocks = words = most = 0
    previous = -1  # the prose block before
    for k in range(len(terms.tag)):
        terms.prose[k], terms.prose_words[k] = blocks, words
        if is_heading(terms, k) or not is_leaf(terms, k):
            continue
        end = terms.end[k]
        own = terms.words[end] - terms.words[k]
        if own < PROSE_WORDS or terms.stops[end] == terms.stops[k]:
            continue
        blocks += 1
        words += own
        if previous >= 0 and follows(terms, previous, k):
            count_key(by_signature, terms.signature[k], own)
            total = by_signature.counts[find_slot(by_signature, terms.signature[k])]
            if total > most:
                most = total
                terms.running[0] = terms.signature[k]
        previous = k
    terms.prose[len(terms.tag)], terms.prose_words[len(terms.tag)] = blocks, words


def read_terms(tree: Tree) -> Terms:
    """Return the terms of a page."""
    n = len(tree.tag)
    sums = np.empty((9, n + 1), np.int32)
    terms = Terms(
        tree.parent,
        tree.end,
        tree.tag,
        tree.offset,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        sums[4],
        sums[5],
        sums[6],
        sums[7],
        sums[8],
        np.zeros(n, np.uint8),
        np.empty(n, np.bool_),
        np.empty(n, np.uint64),
        tree.first_token,
        tree.tokens,
        np.zeros(1, np.uint64),
    )
    text = np.frombuffer(tree.text, np.uint8)
    hashes, labels = np.empty(n, np.uint64), make_table(n)
    count_images(terms)
    count_texts(text, tree.first_word, terms, hashes, labels)
    sum_up(terms, tree.flags, hashes, labels)
    sign_nodes(terms, tree.name, make_table(len(tree.tokens)))
    find_prose(terms, make_table(n // 2))
    return terms
