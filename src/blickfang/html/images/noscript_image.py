"""The same image in a <noscript> beside a placeholder: what is shown where no script runs.

In: the <img> elements of a page, what is known of them. Out: for a placeholder the number of its
twin, which stands right behind it or right before it, perhaps outside of a wrapper; no word stands
between them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.html.images.img_attributes import Clues
from blickfang.html.parse.page_arrays import IN_NOSCRIPT
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree

Ints = NDArray[np.int32]

NONE = -1
MAX_WRAPPERS = 2
TINY_PX = 2  # of what counts visits
ITEMS = frozenset(TAGS[name] for name in ("li", "td", "th", "tr", "body"))


class Beside(NamedTuple):
    """The images of a page, and which of those in <noscript> are taken."""

    tree: Tree
    nodes: Ints
    clues: Clues
    taken: set[int]


def find_near(tree: Tree, nodes: Ints) -> list[int]:
    """Return the numbers of images right before or behind one in <noscript>."""
    hidden = (tree.flags[nodes] & IN_NOSCRIPT) > 0
    near = np.zeros_like(hidden)
    near[:-1] |= hidden[1:]
    near[1:] |= hidden[:-1]
    found: list[int] = (near & ~hidden).nonzero()[0].tolist()
    return found


def find_twin(images: Beside, number: int, placeholders: set[int]) -> int:
    """Return the number of the image in <noscript> that a placeholder stands for, NONE if none.

    The one before it may be the twin of what stands before that.
    """
    before, behind = number - 1, number + 1
    if _is_twin(images, number, before) and before not in images.taken:
        owner = before - 1
        if owner in placeholders or not _is_twin(images, owner, before):
            images.taken.add(before)
            return before
    if _is_twin(images, number, behind):
        images.taken.add(behind)
        return behind
    return NONE


def _is_twin(images: Beside, number: int, twin: int) -> bool:
    """Whether an image in <noscript> stands beside another one that is not in one."""
    tree, nodes, clues, _ = images
    if not (0 <= number < len(nodes) and 0 <= twin < len(nodes)):
        return False
    node, other = int(nodes[number]), int(nodes[twin])
    if tree.flags[node] & IN_NOSCRIPT or not tree.flags[other] & IN_NOSCRIPT:
        return False
    if 0 <= clues.widths[twin] <= TINY_PX or 0 <= clues.heights[twin] <= TINY_PX:
        return False
    if tree.first_word[node] != tree.first_word[other]:
        return False
    box = int(tree.parent[node])
    for _ in range(MAX_WRAPPERS):
        if box < other < tree.end[box] or box <= 0:
            break
        if int(tree.tag[box]) in ITEMS or tree.first_word[tree.end[box]] > tree.first_word[box]:
            return False
        box = int(tree.parent[box])
    return bool(0 <= box < other < tree.end[box])
