"""What all ways of finding an image's text ask of a page, computed once, as arrays over its nodes.

In: a `Tree`. Out: `Terms`. Counts are prefix sums: what a subtree holds is a difference of two
entries. Words count as people count them (numbers too); text that is hidden where no image is
hidden with it does not count: whole articles are hidden until a script shows them, and then their
images are too. docs/method.md, "The text that belongs to an image".
"""

from typing import Any

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
        ("hidden", np.bool_),  # begins a part that is not seen
        ("running", np.bool_),  # has the signature of the page's running text
    ]
)
SLOT = np.dtype([("key", np.uint64), ("count", np.int32), ("stamp", np.int32)])

Terms = Any  # an array of ROW, one row a node and one behind; numba knows its fields, mypy does not
Table = Any  # a hash table that counts: an array of SLOT


def make_table(entries: int) -> Table:
    """Return room for so many keys, at most half full."""
    return np.zeros(2 << max(entries, 8).bit_length(), SLOT)


@inlined
def find_slot(table: Table, key: np.uint64) -> np.uint64:
    """Return where a key stands, or shall stand."""
    mask = np.uint64(len(table) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while table[slot].key != key and table[slot].key != np.uint64(0):
        slot = (slot + np.uint64(1)) & mask
    return slot


@inlined
def count_key(table: Table, key: np.uint64, amount: Integer) -> None:
    """Add to the count of a key."""
    slot = find_slot(table, key)
    table[slot].key = key
    table[slot].count += amount


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
    for k in range(len(terms) - 1):
        terms[k].words = 0
        if terms[k].tag == tags.TEXT:
            words, shows, h = read_text_node(text, terms[k].offset, terms[k + 1].offset)
            words = max(words, first_word[k + 1] - first_word[k])  # characters, in some scripts
            terms[k].words = words
            terms[k].shows = shows
            hashes[k] = h
            if words <= LABEL_WORDS:
                count_key(labels, h, 1)


@filling
def sum_up(terms: Terms, flags: NDArray[np.uint32], hashes: Hashes, labels: Table) -> None:
    """Turn what single nodes hold into prefix sums."""
    words = said = texts = headings = stops = blocks = 0
    unseen_until = 0
    text_sum = np.uint64(0)
    for k in range(len(terms) - 1):
        tag = terms[k].tag
        own = terms[k].words
        terms[k].words, terms[k].labels, terms[k].texts = words, said, texts
        terms[k].headings, terms[k].stops, terms[k].blocks = headings, stops, blocks
        terms[k].hidden = False
        terms[k].said = text_sum
        if k < unseen_until:
            continue
        if tag == tags.TEXT:
            terms[texts].text_node = k
            words += own
            texts += 1
            text_sum += hashes[k]
            stops += terms[k].shows & STOP_INSIDE
            if own <= LABEL_WORDS and labels[find_slot(labels, hashes[k])].count >= LABEL_TIMES:
                said += own
            continue
        if flags[k] & np.uint32(HIDES) and terms[terms[k].end].images == terms[k].images:
            unseen_until = terms[k].end
            terms[k].hidden = True
        headings += (TRAITS[tag] & tags.HEADING) > 0
        blocks += (TRAITS[tag] & (tags.BLOCK | OPAQUE)) == tags.BLOCK
    n = len(terms) - 1
    terms[n].words, terms[n].labels, terms[n].texts = words, said, texts
    terms[n].headings, terms[n].stops, terms[n].blocks = headings, stops, blocks
    terms[n].said = text_sum


@filling
def count_images(terms: Terms) -> None:
    """Count the images before each node."""
    images = 0
    for k in range(len(terms) - 1):
        terms[k].images = images
        images += terms[k].tag == IMG
    terms[len(terms) - 1].images = images


@filling
def sign_nodes(terms: Terms, tokens: Hashes, counts: Table) -> None:
    """Give every node its signature."""
    for token in tokens:
        count_key(counts, token, 1)
    for k in range(len(terms) - 1):
        sign = finish(terms[k].name ^ np.uint64(terms[k].tag == tags.TEXT))
        for t in range(terms[k].first_token, terms[k + 1].first_token):
            token = tokens[t]
            if not token & np.uint64(1) and counts[find_slot(counts, token)].count >= COMMON_TOKEN:
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


@filling
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


@filling
def find_prose(terms: Terms, by_signature: Table) -> None:
    """Find the prose blocks, and which signature the page's running text has."""
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
            count_key(by_signature, terms[k].signature, own)
            total = by_signature[find_slot(by_signature, terms[k].signature)].count
            if total > most:
                most = total
                running = terms[k].signature
        previous = k
    n = len(terms) - 1
    terms[n].prose, terms[n].prose_words = blocks, words
    for k in range(n):
        terms[k].running = terms[k].signature == running


def read_terms(tree: Tree) -> Terms:
    """Return the terms of a page."""
    n = len(tree.tag)
    terms = np.zeros(n + 1, ROW)
    for field in ("parent", "end", "tag", "name"):
        terms[field][:n] = getattr(tree, field)
    terms["offset"], terms["first_token"] = tree.offset, tree.first_token
    hashes, labels = np.empty(n, np.uint64), make_table(n)
    count_images(terms)
    count_texts(np.frombuffer(tree.text, np.uint8), tree.first_word, terms, hashes, labels)
    sum_up(terms, tree.flags, hashes, labels)
    sign_nodes(terms, tree.tokens, make_table(len(tree.tokens)))
    find_prose(terms, make_table(n // 2))
    find_levels(terms)
    return terms
