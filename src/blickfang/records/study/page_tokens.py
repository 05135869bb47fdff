"""A page as a string of numbers: its tags and texts, at two levels.

In: a `Tree`. Out: `Tokens`: for each token its number and its node. At the level "block" only
block elements count, at "all" every element. An end that authors may leave out (</li>, </p>, </td>)
gives no token: pages with and without it read alike. All texts are one token.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, compiled
from blickfang.errors import SettingsError
from blickfang.html.parse import tags
from blickfang.html.parse.tags import BLOCK_NAMES, INLINE_NAMES, TAGS, TRAITS
from blickfang.html.parse.tree import Tree

Ints = NDArray[np.int32]

BLOCK, ALL = "block", "all"
LEVELS = BLOCK, ALL
OPEN_ENDED = [
    "li",
    "p",
    "dt",
    "dd",
    "tr",
    "td",
    "th",
    "thead",
    "tbody",
    "tfoot",
    "option",
    "optgroup",
    "colgroup",
    "html",
    "body",
    "rp",
    "rt",
]
ENDLESS = np.zeros(256, np.bool_)
ENDLESS[[TAGS[name] for name in OPEN_ENDED]] = True
ENDLESS |= (TRAITS & tags.VOID) > 0


class Alphabet(NamedTuple):
    """The number of each tag's beginning; its end has the next one; all texts the last."""

    begin: NDArray[np.int32]  # by tag; -1 for tags that give no token
    text: int


class Tokens(NamedTuple):
    """A page as numbers, and from which node each comes; an end comes from its element."""

    number: Ints
    node: Ints


def make_alphabet(names: Sequence[str]) -> Alphabet:
    """Return the alphabet of some elements.

    >>> alphabet = make_alphabet(["ul", "li", "h1"])
    >>> [int(alphabet.begin[TAGS[name]]) for name in ("ul", "li", "h1")], alphabet.text
    ([0, 2, 4], 6)
    """
    begin = np.full(256, -1, np.int32)
    for place, name in enumerate(names):
        begin[TAGS[name]] = 2 * place
    return Alphabet(begin, 2 * len(names))


ALPHABETS = {BLOCK: make_alphabet(BLOCK_NAMES), ALL: make_alphabet([*BLOCK_NAMES, *INLINE_NAMES])}


@compiled
def write_tokens(
    nodes: tuple[Ints, NDArray[np.uint8], Ints], visible: Ints, alphabet: Alphabet, body: Integer
) -> Tokens:
    """Return the tokens below a node."""
    end, tag, parent = nodes
    most = 2 * (end[body] - body)
    number, node = np.empty(most, np.int32), np.empty(most, np.int32)
    at = 0
    above = np.int64(body)
    for k in range(body + 1, end[body] + 1):
        while above != body and end[above] <= k:
            code = alphabet.begin[tag[above]]
            if code >= 0 and not ENDLESS[tag[above]]:
                number[at], node[at] = code + 1, above
                at += 1
            above = np.int64(parent[above])
        if k == end[body]:
            break
        if tag[k] == tags.TEXT:
            if visible[k + 1] > visible[k] and (at == 0 or number[at - 1] != alphabet.text):
                number[at], node[at] = alphabet.text, k
                at += 1
            continue
        code = alphabet.begin[tag[k]]
        if code >= 0:
            number[at], node[at] = code, k
            at += 1
        above = np.int64(k)
    return Tokens(number[:at].copy(), node[:at].copy())


def read_tokens(tree: Tree, level: str = BLOCK, alphabet: Alphabet | None = None) -> Tokens:
    """Return the tokens of a page's body; texts that only inline tags part are one at "block"."""
    if level not in LEVELS:
        raise SettingsError(f"there is no level {level!r}: {' or '.join(LEVELS)}")
    bodies = np.flatnonzero(tree.tag == TAGS["body"])
    body = int(bodies[0]) if len(bodies) else 0
    visible = np.zeros(len(tree.tag) + 1, np.int32)
    shown = (tree.tag == tags.TEXT) & (np.diff(tree.offset) > 0)
    np.cumsum(shown, out=visible[1:])
    nodes = (tree.end, tree.tag, tree.parent)
    return write_tokens(nodes, visible, alphabet or ALPHABETS[level], body)
