"""Pages made harder: what gold pages look like when they lose or change what methods lean on.

In: the bytes of a page. Out: the page without classes, with noisy ones, or with its running text
cut into wrapped sections. All deterministic.
"""

import random
import re
from collections import Counter

import numpy as np

from blickfang.html.parse.tags import TAG_NAMES, TAGS, TEXT
from blickfang.html.parse.tree import Tree, read_tree
from blickfang.html.structure.page_terms import read_terms

CLASS = re.compile(rb' class="([^"]*)"')
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def strip_classes(html: bytes) -> bytes:
    """Remove all class attributes."""
    return CLASS.sub(b"", read_tree(html).data[:-1])


def add_noise(html: bytes) -> bytes:
    """Lose each class token with p = .3, and add random ones."""
    chance = random.Random(len(html))  # noqa: S311 -- no secret

    def spoil(match: re.Match[bytes]) -> bytes:
        tokens = [token for token in match[1].split() if chance.random() >= 0.3]
        if chance.random() < 0.5:
            tokens.append(b"n" + "".join(chance.choices("abcdefghij", k=6)).encode())
        return b' class="' + b" ".join(tokens) + b'"'

    return CLASS.sub(spoil, read_tree(html).data[:-1])


def wrap_sections(html: bytes, blocks: int = 0) -> bytes:
    """Wrap the children of the element with most running text: from heading to heading, or by so
    many blocks."""
    tree = read_tree(html)
    terms = read_terms(tree)
    prose = terms["prose_node"][: terms["prose"][-1]]
    words = terms["words"][tree.end[prose]] - terms["words"][prose]
    amounts: Counter[int] = Counter()
    for parent, amount in zip(tree.parent[prose].tolist(), words.tolist(), strict=True):
        amounts[parent] += amount
    if not amounts:
        return html
    parent = amounts.most_common(1)[0][0]
    cuts = _find_cuts(tree, parent, blocks)
    pieces, last = [], 0
    for number, cut in enumerate(cuts):
        pieces += [tree.data[last:cut], b"</div><div>" if number else b"<div>"]
        last = cut
    end = _find_end(tree, parent)
    return b"".join([*pieces, tree.data[last:end], b"</div>", tree.data[end:-1]])


def _find_cuts(tree: Tree, parent: int, blocks: int) -> list[int]:
    """Return where in the source a new section begins."""
    cuts: list[int] = []
    child, since, after_image = parent + 1, 0, False
    while child < tree.end[parent]:
        name = TAG_NAMES[tree.tag[child]]
        due = since >= blocks if blocks else name in HEADINGS
        if not cuts or (due and not after_image):  # nobody parts an image and what follows it
            cuts.append(_find_start(tree, child))
            since = 0
        since += 1
        silent = tree.first_word[tree.end[child]] == tree.first_word[child]
        after_image = silent and bool(np.any(tree.tag[child : tree.end[child]] == TAGS["img"]))
        child = int(tree.end[child])
    return cuts


def _find_start(tree: Tree, node: int) -> int:
    source = int(tree.source[node])
    if tree.tag[node] == TEXT:
        return source
    return tree.data.rfind(b"<" + TAG_NAMES[tree.tag[node]].encode(), 0, source)


def _find_end(tree: Tree, node: int) -> int:
    """Return where the end tag of an element stands: behind all that is in it."""
    last = int(tree.end[node]) - 1
    place = int(tree.source[last])
    depth_names = []
    walk = last
    while walk != node:
        depth_names.append(TAG_NAMES[tree.tag[walk]])
        walk = int(tree.parent[walk])
    for name in depth_names:
        tag = b"</" + name.encode() + b">"
        found = tree.data.find(tag, place)
        if name not in ("#text", "") and found >= 0 and np.any(tree.tag[last] != TEXT):
            place = found + len(tag)
    return tree.data.find(b"</" + TAG_NAMES[tree.tag[node]].encode(), place)


def wrap_twos(html: bytes) -> bytes:
    """Wrap the running text two blocks at a time."""
    return wrap_sections(html, 2)


def wrap_fours(html: bytes) -> bytes:
    """Wrap the running text four blocks at a time."""
    return wrap_sections(html, 4)


VARIANTS = {
    "no classes": strip_classes,
    "noisy classes": add_noise,
    "sections": wrap_sections,
    "chunks of 2": wrap_twos,
    "chunks of 4": wrap_fours,
}
ARTICLE_VARIANTS = frozenset({wrap_sections, wrap_twos, wrap_fours})
