"""The text of a page as people read it.

In: the arrays of a page. Out: all its text, a line break at every block edge, so that a sentence
never runs from one paragraph into the next.
"""

from blickfang.page.tree import Tree, slice_text


def read_text(tree: Tree) -> str:
    """Return all visible text of a page."""
    return slice_text(tree, 0, len(tree.text))
