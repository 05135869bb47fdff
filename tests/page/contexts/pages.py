"""Small pages for the tests of image contexts, random ones too, and plain looks at them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from blickfang.html.contexts.context_text import Spans, read_spans
from blickfang.html.parse.page_arrays import HIDES
from blickfang.html.parse.tags import TAGS, TEXT
from blickfang.html.parse.tree import Tree, find_nodes, read_tree
from blickfang.html.structure.page_terms import Terms, read_terms


class Page(NamedTuple):
    """A page as the ways of finding contexts take it."""

    tree: Tree
    terms: Terms
    images: NDArray[np.int32]


def read_page(html: str) -> Page:
    tree = read_tree(html.encode())
    return Page(tree, read_terms(tree), np.array(find_nodes(tree, "img"), np.int32))


def find_texts(find: Callable[..., Spans], html: str, **options: Any) -> list[str]:
    """Return the text of each image of a page, white space as one blank."""
    page = read_page(html)
    found = read_spans(page.tree, page.terms, find(*page, **options))
    return [" ".join(text.split()) for text in found]


def find_lists(find: Callable[..., Spans], html: str, **options: Any) -> list[list[str]]:
    """Return the texts of each image, for ways that find several."""
    page = read_page(html)
    return [read_spans(page.tree, page.terms, spans) for spans in find(*page, **options)]


LEAVES = st.sampled_from(["<img>", "<img>", "<hr>", "<br>", "red", "green 7 blue", "rose. ", ""])
TAG_NAMES = st.sampled_from(["div", "div", "p", "span", "a", "li", "h2", "table", "td"])
ATTRIBUTES = st.sampled_from(["", "", " class=x", ' class="x y"', " class=z", " hidden"])


def _wrap(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    element = st.builds(
        lambda tag, attributes, parts: f"<{tag}{attributes}>{''.join(parts)}</{tag}>",
        TAG_NAMES,
        ATTRIBUTES,
        st.lists(inner, max_size=5),
    )
    repeated = st.builds(
        lambda parts, times: "".join(parts) * times,
        st.lists(inner, max_size=3),
        st.integers(2, 4),
    )
    return element | repeated


HTML = st.recursive(LEAVES, _wrap, max_leaves=12).filter(lambda html: html.count("<") <= 40)
PAGES = HTML.map(lambda html: read_page(f"<body><div>{html}</div>"))


def children(page: Page, node: int) -> list[int]:
    return [int(k) for k in np.flatnonzero(page.tree.parent == node)]


def ancestors(page: Page, node: int) -> list[int]:
    """Return the ancestors of a node, the nearest first."""
    above = []
    while (node := int(page.tree.parent[node])) >= 0:
        above.append(node)
    return above


def holds_image(page: Page, node: int) -> bool:
    return bool(np.any(page.tree.tag[node : page.tree.end[node]] == TAGS["img"]))


def is_seen(page: Page, node: int) -> bool:
    """Whether no part of the page that is hidden, without any image, holds this node."""
    return not any(
        page.tree.flags[k] & HIDES and not holds_image(page, k)
        for k in [node, *ancestors(page, node)]
    )


def seen_texts(page: Page, node: int) -> list[int]:
    """Return the text nodes of a subtree that are seen."""
    inside = range(node, int(page.tree.end[node]))
    return [k for k in inside if page.tree.tag[k] == TEXT and is_seen(page, k)]


def span(page: Page, first: int, last: int | None = None) -> tuple[int, int]:
    """Return the span of a subtree's text, or of that of several siblings."""
    end = page.tree.end[first if last is None else last]
    return int(page.tree.offset[first]), int(page.tree.offset[end])
