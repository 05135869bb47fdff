"""The links of a page, in document order, resolved and canonical.

In: the arrays of a page and the address that references are relative to. Out: `Link`s: anchors,
areas of image maps, frames, meta refresh, and the relations that <link> elements state. What
leads to no address of the web (javascript:, mailto:) is none.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blickfang.data import Link
from blickfang.page.addresses import IMAGE, UNKNOWN, resolve_all, resolve_sorted, sort_spans
from blickfang.page.tags import TAGS
from blickfang.page.tree import (
    Ints,
    Tree,
    attribute,
    find_attributes,
    find_nodes,
    find_spans,
    find_values,
    read_slices,
    read_values,
)
from blickfang.urls import canonical, resolve

REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?['\"]?\s*([^'\"]+)", re.IGNORECASE)
RELATIONS = frozenset(
    {"canonical", "next", "prev", "alternate", "amphtml", "shortlink", "sitemap", "license"}
)
KINDS = {TAGS[name]: name for name in ("a", "area", "frame", "iframe", "link")}
KIND_OF = [KINDS.get(tag, "") for tag in range(256)]


class References(NamedTuple):
    """The elements of a page with href, in document order; and what rel says of any element."""

    nodes: list[int]
    spans: Ints  # where they stand in the canonical HTML
    rels: dict[int, tuple[str, ...]]  # by node, in lower case


class Targets(NamedTuple):
    """Where the references of a page lead."""

    references: References
    urls: list[str | None]  # canonical; None for what is no address of the web
    images: list[int]  # numbers of those that may lead to images


def find_home(tree: Tree, url: str) -> str:
    """Return what references are relative to: the first <base href> that is an address, or url."""
    for node in find_nodes(tree, "base"):
        reference = attribute(tree, node, "href")
        if reference is not None:  # the first one counts, even if it is worth nothing
            base = resolve(url, reference.strip()) if url else canonical(reference.strip())
            return base or url
    return url


def read_references(tree: Tree) -> References:
    """Return all elements that refer to another address by href."""
    nodes, rels = find_values(tree, "rel")
    words = {rel: tuple(rel.lower().split()) for rel in set(rels)}  # a page has few different ones
    related = {node: words[rel] for node, rel in zip(nodes, rels, strict=True)}
    return References(*find_spans(tree, "href"), related)


def follow(tree: Tree, references: References, base: str) -> Targets:
    """Return where references lead."""
    spans = references.spans
    found = sort_spans(tree, spans)
    urls = resolve_sorted(tree, found, base, lambda some: read_values(tree, spans[some]))
    images = [n for n, kind in enumerate(found.kinds) if kind & IMAGE or kind == UNKNOWN]
    return Targets(references, urls, images)


def find_links(
    tree: Tree, base: str, targets: Targets, *, with_anchors: bool = True
) -> tuple[Link, ...]:
    """Return the links of a page, given its elements with href."""
    nodes, urls, rels = targets.references.nodes, targets.urls, targets.references.rels
    frames = _find_frames(tree)
    if frames:
        sources = resolve_all(base, [source for _, source in frames])
        merged = sorted([*zip(nodes, urls, strict=True), *_pair(frames, sources)], key=_by_node)
        nodes, urls = [node for node, _ in merged], [url for _, url in merged]
    places = np.array(nodes, np.int64)  # once: a list as an index is made an array each time
    ends = tree.end[places]
    anchors = [""] * len(nodes)
    if with_anchors:
        anchors = read_slices(tree, tree.offset[places].tolist(), tree.offset[ends].tolist())
    kinds = [KIND_OF[tag] for tag in tree.tag[places].tolist()]
    for number in (tree.tag[places] == TAGS["link"]).nonzero()[0].tolist():
        named = rels.get(nodes[number], ())
        kinds[number] = next((name for name in named if name in RELATIONS), "")
    words = zip(tree.first_word[places].tolist(), tree.first_word[ends].tolist(), strict=True)
    related = [rels.get(node, ()) for node in nodes]
    # Each row has the fields of a link in their order: made so, it takes a third of the time.
    found = [
        tuple.__new__(Link, row)
        for row in zip(urls, anchors, kinds, related, words, strict=True)
        if row[0] is not None and row[2]
    ]
    return (*_find_refresh(tree, base), *found)


def _find_frames(tree: Tree) -> list[tuple[int, str]]:
    """Return frames and what they show."""
    pairs = ((node, attribute(tree, node, "src")) for node in find_nodes(tree, "frame", "iframe"))
    return [(node, source) for node, source in pairs if source is not None]


def _pair(
    frames: list[tuple[int, str]], urls: list[str | None]
) -> Iterator[tuple[int, str | None]]:
    return ((node, url) for (node, _), url in zip(frames, urls, strict=True))


def _by_node(pair: tuple[int, str | None]) -> int:
    return pair[0]


def _find_refresh(tree: Tree, base: str) -> list[Link]:
    """Return where a page sends its reader after a while."""
    targets = []
    for node, value in find_attributes(tree, "http-equiv"):
        if value.strip().lower() == "refresh" and tree.tag[node] == TAGS["meta"]:
            target = REFRESH.match(attribute(tree, node, "content") or "")
            targets += [target[1]] if target else []
    urls = resolve_all(base, targets)
    return [Link(url, "", "refresh", (), (0, 0)) for url in urls if url]
