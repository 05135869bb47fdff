"""The links of a page, in document order, resolved and canonical.

In: the arrays of a page and the address that references are relative to. Out: `Link`s: anchors,
areas of image maps, frames, meta refresh, and the relations that <link> elements state. What
leads to no address of the web (javascript:, mailto:) is none.
"""

import re

import numpy as np

from blickfang.data import Link
from blickfang.page.tags import TAGS
from blickfang.page.tree import Tree, attribute, find_attributes, find_nodes, slice_text
from blickfang.urls import canonical, resolve, resolve_many

REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?['\"]?\s*([^'\"]+)", re.IGNORECASE)
RELATIONS = frozenset(
    {"canonical", "next", "prev", "alternate", "amphtml", "shortlink", "sitemap", "license"}
)
KINDS = {TAGS[name]: name for name in ("a", "area", "frame", "iframe", "link")}
FRAMES = frozenset({TAGS["frame"], TAGS["iframe"]})


def find_base(tree: Tree, url: str) -> str:
    """Return what references are relative to: the first <base href> that is an address, or url."""
    for node in find_nodes(tree, "base"):
        reference = attribute(tree, node, "href")
        if reference is not None:  # the first one counts, even if it is worth nothing
            base = resolve(url, reference.strip()) if url else canonical(reference.strip())
            return base or url
    return url


def resolve_all(base: str, references: list[str]) -> list[str | None]:
    """Return the canonical addresses; without a base only those that need none."""
    if base:
        return resolve_many(base, references)
    return [canonical(reference.strip()) for reference in references]


def find_links(tree: Tree, base: str, hrefs: list[tuple[int, str]]) -> tuple[Link, ...]:
    """Return the links of a page, given its elements with href."""
    rels = dict(find_attributes(tree, "rel"))
    sources = [pair for pair in find_attributes(tree, "src") if tree.tag[pair[0]] in FRAMES]
    found = sorted([*hrefs, *sources]) if sources else hrefs
    urls = resolve_all(base, [reference for _, reference in found])
    nodes = np.array([node for node, _ in found], np.int64)
    first = tree.first_word[nodes].tolist()
    ends = tree.end[nodes] if len(nodes) else nodes
    last = tree.first_word[ends].tolist()
    starts, stops = tree.offset[nodes].tolist(), tree.offset[ends].tolist()
    tags = tree.tag[nodes].tolist()
    links = []
    for k, url in enumerate(urls):
        kind = KINDS.get(tags[k])
        if url is None or kind is None:
            continue
        rel = tuple(rels.get(found[k][0], "").lower().split()) if rels else ()
        if kind == "link":
            kind = next((name for name in rel if name in RELATIONS), "")
            if not kind:
                continue
        anchor = slice_text(tree, starts[k], stops[k]) if starts[k] < stops[k] else ""
        links.append(Link(url, anchor, kind, rel, (first[k], last[k])))
    return (*_find_refresh(tree, base), *links)


def _find_refresh(tree: Tree, base: str) -> list[Link]:
    """Return where a page sends its reader after a while."""
    targets = []
    for node, value in find_attributes(tree, "http-equiv"):
        if value.strip().lower() == "refresh" and tree.tag[node] == TAGS["meta"]:
            target = REFRESH.match(attribute(tree, node, "content") or "")
            targets += [target[1]] if target else []
    urls = resolve_all(base, targets)
    return [Link(url, "", "refresh", (), (0, 0)) for url in urls if url]
