"""Windows: so many words before and after the image, wherever they stand.

In: a page and its images. Out: a span of text for each image. A page is a sequence of words and
images; words that are not seen are left out of the count. The dynamic window is wider, but ends
where the page's structure does.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.html.contexts.context_text import Spans
from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree
from blickfang.html.structure.page_terms import Terms

Ints = NDArray[np.int32]
Places = NDArray[np.int64]

WORDS = 20  # the best of Coelho et al. 2004, says the study
DYNAMIC_WORDS = 64
# The study names no tags. These are the rulers and tables that gave pages their structure when the
# method was published (Feng, Shi, Chua 2004); its own list we have not seen. Not fitted to pages:
# headings and list items as well would be better for captions and worse for records.
SEPARATORS = ["hr", "table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"]
SEPARATES = np.isin(np.arange(256), [TAGS[name] for name in SEPARATORS])  # by tag


def find_window(tree: Tree, terms: Terms, images: Ints, words: int = WORDS) -> Spans:
    """Return for each image the words around it: one half before, one half after."""
    seen = _find_seen_words(tree, terms)
    place = np.searchsorted(seen, tree.first_word[images])
    return _span_words(tree, seen, place - words // 2, place + words // 2)


def find_dynamic_window(
    tree: Tree, terms: Terms, images: Ints, words: int = DYNAMIC_WORDS
) -> Spans:
    """Return for each image the words around it that no structural separator parts from it."""
    seen = _find_seen_words(tree, terms)
    edges = _find_edges(tree)
    gap = np.searchsorted(edges, images, side="right")
    first = np.searchsorted(seen, tree.first_word[edges[gap - 1]])
    behind = np.searchsorted(seen, tree.first_word[edges[gap]])
    place = np.searchsorted(seen, tree.first_word[images])
    first = np.maximum(first, place - words // 2)
    behind = np.minimum(behind, place + words // 2)
    return _span_words(tree, seen, first, behind)


def _find_edges(tree: Tree) -> Places:
    """Return the nodes before which a separator begins or ends, or the page does."""
    edges = np.zeros(len(tree.tag) + 1, np.bool_)
    edges[[0, -1]] = True
    separators = np.flatnonzero(SEPARATES[tree.tag])
    edges[separators] = edges[tree.end[separators]] = True
    return np.flatnonzero(edges)


def _find_seen_words(tree: Tree, terms: Terms) -> Places:
    """Return the places, among all words of the page, of those that are seen."""
    hidden = np.flatnonzero(terms["hidden"][:-1])
    seen = np.ones(len(tree.words.starts), np.bool_)
    for begin, end in zip(tree.first_word[hidden], tree.first_word[tree.end[hidden]], strict=True):
        seen[begin:end] = False
    return np.flatnonzero(seen)


def _span_words(tree: Tree, seen: Places, first: Places, behind: Places) -> Spans:
    """Return the spans from the first word to the last before `behind`; empty without words."""
    first, behind = np.maximum(first, 0), np.minimum(behind, len(seen))
    spans = np.zeros((len(first), 2), np.int32)
    some = first < behind
    spans[some, 0] = tree.words.starts[seen[first[some]]]
    spans[some, 1] = tree.words.ends[seen[behind[some] - 1]]
    return spans
