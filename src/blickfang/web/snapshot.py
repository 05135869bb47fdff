"""A crawled page as it may be shown: without scripts, without addresses of others, with marks.

In: the arrays of a page, which texts and images to mark, and where pictures come from. Out: HTML
and the policy it is sent with. The policy alone forbids scripts, forms and the network; that the
HTML has none of them either is the second lock.
"""

import html
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from blickfang.html.parse.tags import TAGS
from blickfang.html.parse.tree import Tree, find_nodes


def _split(names: str) -> frozenset[str]:
    return frozenset(names.split())


DROPPED = _split(
    "script noscript iframe frame object embed applet link meta base template audio video "
    "source track portal param noframes noembed"
)
KEPT_ATTRIBUTES = _split(
    "class id style title alt width height align valign colspan rowspan border cellpadding "
    "cellspacing bgcolor color face size dir lang type start value datetime d viewbox fill "
    "stroke points x y x1 y1 x2 y2 cx cy r rx ry transform role"
)
LONGEST_VALUE = 2000
BLANK = b" \t\r\n\f\x01\xc2\xa0"  # of the text of a tree; a blank that does not break, too
MOST_ELEMENTS = 200_000
FRAMES = "<p>This page is a set of frames: what they show stands on pages of their own.</p>"
PLAIN = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}
"""
STYLE = """
html{background:#fff;color:#111}
img{max-width:100%;height:auto}
xmp:empty{display:none}
mark.bf{background:#ffe08a;color:#111;border-radius:3px;box-shadow:0 0 0 2px #ffe08a}
mark.bf-1{background:#fff3cf;box-shadow:0 0 0 2px #fff3cf}
mark.bf-2{background:#ffe7a3;box-shadow:0 0 0 2px #ffe7a3}
mark.bf-3{background:#ffd666;box-shadow:0 0 0 2px #ffd666}
mark.bf-even{background:#cfeeea;box-shadow:0 0 0 2px #cfeeea}
mark.bf-odd{background:#ffe9c7;box-shadow:0 0 0 2px #ffe9c7}
img:has(+bf-spot){outline:5px solid #0b6b63;outline-offset:3px}
bf-spot{display:inline-block;width:0;height:0;scroll-margin:22rem 0}
"""


class SnapshotMarks(NamedTuple):
    """What to mark on a page."""

    texts: Mapping[int, tuple[str, str]]  # text node → class and title
    images: Iterable[int] = ()  # nodes of <img>, to be seen at once
    spots: Iterable[int] = ()  # text nodes, to be seen at once


def nodes_of_words(tree: Tree, ranges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the text nodes that have a word in one of some ranges, or stand between such words."""
    first = tree.first_word
    wanted = np.zeros(len(tree.tag), np.bool_)
    for start, end in ranges:
        wanted |= (first[:-1] < end) & (first[1:] > start)
    return _take_seen(tree, wanted.nonzero()[0])


def nodes_between(tree: Tree, start: int, end: int) -> list[int]:
    """Return the text nodes in a range of nodes."""
    return _take_seen(tree, np.arange(start, end))


def _take_seen(tree: Tree, nodes: NDArray[np.int64]) -> list[int]:
    """Return the text nodes among some that can be seen: words, but also prices, years, signs."""
    offset = tree.offset
    texts = nodes[(tree.tag[nodes] == 0) & (offset[nodes + 1] > offset[nodes])]
    return [int(node) for node in texts if tree.text[offset[node] : offset[node + 1]].strip(BLANK)]


def make_snapshot(tree: Tree, marks: SnapshotMarks, picture: Callable[[int], str]) -> str:
    """Return a page with marks; `picture` gives the address to show for each <img> by number."""
    parser = LexborHTMLParser(_insert_marks(tree, marks))
    root = parser.root
    if root is None:
        return ""
    elements, rest = _take_nodes(root)
    number = -1
    for node in elements:
        number += node.tag == "img"
        _clean(node, picture(number) if node.tag == "img" else "")
    for node in (*(node for node in elements if node.tag in DROPPED), *rest):
        node.remove()
    shown = (parser.body.inner_html if parser.body is not None else FRAMES) or ""
    styles = "".join(style.html or "" for style in parser.css("head style"))
    return (
        f'<!doctype html><html lang=""><head><meta charset="utf-8"><title>Snapshot</title>'
        f"<style>{PLAIN}</style>{styles}<style>{STYLE}</style></head><body>{shown}</body></html>"
    )


def _take_nodes(root: LexborNode) -> tuple[list[LexborNode], list[LexborNode]]:
    """Return the elements that are shown, and what nobody cleans: all else that is no text
    (comments, processing instructions), and elements beyond the limit."""
    elements: list[LexborNode] = []
    rest: list[LexborNode] = []
    for node in root.traverse(include_text=False):
        is_shown = node.is_element_node and len(elements) < MOST_ELEMENTS
        (elements if is_shown else rest).append(node)
    return elements, rest


def _insert_marks(tree: Tree, marks: SnapshotMarks) -> str:
    """Return the canonical HTML with marks around texts and after images."""
    data = tree.data
    edits: list[tuple[int, int, bytes]] = []  # from where to where something else comes
    for node, (kind, title) in marks.texts.items():
        start = int(tree.source[node])
        opened = f'<mark class="bf {kind}" title="{html.escape(title)}">'.encode()
        if tree.tag[tree.parent[node]] == TAGS["xmp"]:  # there, a mark were text
            end = data.find(b"</xmp>", start)
            text = html.escape(data[start:end].decode("utf-8", "replace")).encode()
            edits.append((start, end, b"</xmp><pre>" + opened + text + b"</mark></pre><xmp>"))
        else:
            end = data.find(b"<", start)
            edits += [(start, start, opened), (end, end, b"</mark>")]
    for node in (*marks.images, *marks.spots):
        start = int(tree.source[node])
        if tree.tag[tree.parent[node]] == TAGS["xmp"]:
            start = data.find(b"</xmp>", start) + len(b"</xmp>")
        edits.append((start, start, b'<bf-spot id="bf-spot"></bf-spot>'))
    parts, at = [], 0
    for start, end, inserted in sorted(edits, key=lambda edit: edit[0]):
        parts += [data[at:start], inserted]
        at = end
    parts.append(data[at:-1])  # the reader put a < at the end
    return b"".join(parts).decode("utf-8", "replace")


def _clean(node: LexborNode, source: str) -> None:
    """Leave an element only what can do nothing; an image gets the address it is shown from."""
    attributes = node.attrs
    for name, value in list(node.attributes.items()):
        if name.lower() not in KEPT_ATTRIBUTES or len(value or "") > LONGEST_VALUE:  # viewBox
            del attributes[name]
    if source:
        attributes["src"] = source
    if node.tag == "a":
        attributes["tabindex"] = "-1"


def policy_of(host: str) -> str:
    """Return what a snapshot may do: show itself, and pictures of ours."""
    return (
        f"sandbox; default-src 'none'; img-src {host}/archived/; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


def find_images_of(tree: Tree, numbers: Iterable[int]) -> list[int]:
    """Return the nodes of images by their numbers among all <img>."""
    nodes = find_nodes(tree, "img")
    return [nodes[number] for number in numbers if 0 <= number < len(nodes)]
