"""What a page says of itself: title, description, headings, address, language, licences.

In: the arrays of a page. Out: an `About`. Nothing here judges; the language of the text itself is
found in language.py.
"""

import json
import re
from typing import Any, NamedTuple

from blickfang.page.addresses import resolve_all
from blickfang.page.language import declared_language
from blickfang.page.links import References
from blickfang.page.tags import HEADING_NAMES, TAGS
from blickfang.page.tree import (
    Tree,
    attribute,
    attributes,
    find_attributes,
    find_nodes,
    inner_source,
    read_letters,
    read_slices,
    read_values,
    unescape,
)

CREATIVE_COMMONS = re.compile(r"https?://(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/")
META_KEYS = ("name", "property", "itemprop")  # in order: an element may have all
PICTURE_NAMES = frozenset(
    {"og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"}
)
RSL_TYPE = "application/rsl+xml"
MAX_SCRIPT = 2**20  # bytes of JSON-LD that are read
LEVELS = {TAGS[name]: int(name[1]) for name in HEADING_NAMES}


class About(NamedTuple):
    """What a page says of itself."""

    title: str
    description: str
    keywords: str
    canonical: str | None
    language: str | None
    headings: tuple[tuple[int, str], ...]
    licences: tuple[str, ...]
    metas: dict[str, str]  # by name or property, in lower case; equal names joined by ", "
    pictures: tuple[str, ...]  # what og:image and its like name


def read_about(tree: Tree, base: str, references: References) -> About:
    """Return what a page says of itself."""
    all_metas, pictures = _read_metas(tree)
    metas = {key: contents[0] for key, contents in all_metas.items()}
    headings = _read_headings(tree)
    title = read_title(tree) or metas.get("og:title", "")
    if not title:
        title = next((text for level, text in headings if level == 1), "")
    return About(
        title,
        metas.get("description") or metas.get("og:description", ""),
        metas.get("keywords", ""),
        _find_canonical(tree, base, references, metas),
        _find_language(tree, metas),
        headings,
        _find_licences(tree, base, references),
        {key: ", ".join(contents) for key, contents in all_metas.items()},
        tuple(pictures),
    )


def glance_about(tree: Tree, base: str, references: References) -> About:
    """Return what a crawl goes by: title, metas, pictures named in them, stated language.

    Of licences those in the language RSL: they ask to be read before a page is used.
    """
    all_metas, pictures = _read_metas(tree)
    metas = {key: contents[0] for key, contents in all_metas.items()}
    title = read_title(tree) or metas.get("og:title", "")
    if not title:
        title = next((text for level, text in _read_headings(tree) if level == 1), "")
    joined = {key: ", ".join(contents) for key, contents in all_metas.items()}
    language = _find_language(tree, metas)
    licences = _find_rsl(tree, base, references)
    return About(title, "", "", None, language, (), licences, joined, tuple(pictures))


def tidy(text: str) -> str:
    """Return a value with its white space made single blanks."""
    return " ".join(text.split())


def read_title(tree: Tree) -> str:
    """Return the <title> of the head; a picture in SVG may have one of its own."""
    for node in find_nodes(tree, "title"):
        if tree.tag[tree.parent[node]] in (TAGS["head"], TAGS["body"]):
            return tidy(unescape(inner_source(tree, node)))
    return ""


def _read_headings(tree: Tree) -> tuple[tuple[int, str], ...]:
    """Return the level and the text of each heading that has one."""
    nodes = find_nodes(tree, *HEADING_NAMES)
    ends = tree.offset[tree.end[nodes]].tolist()
    texts = read_slices(tree, tree.offset[nodes].tolist(), ends)
    return tuple(
        (LEVELS[tag], text.replace("\n", " "))
        for tag, text in zip(tree.tag[nodes].tolist(), texts, strict=True)
        if text
    )


def _read_metas(tree: Tree) -> tuple[dict[str, list[str]], list[str]]:
    """Return the contents of meta elements by name, and all that name a picture."""
    metas: dict[str, list[str]] = {}
    pictures: list[str] = []
    for values in attributes(tree, find_nodes(tree, "meta")):
        if "content" not in values:
            continue
        for name in META_KEYS:
            if name not in values:
                continue
            key = values[name].strip().lower()
            metas.setdefault(key, []).append(tidy(values["content"]))
            pictures += [values["content"]] if key in PICTURE_NAMES else []
    return metas, pictures


def _find_canonical(
    tree: Tree, base: str, references: References, metas: dict[str, str]
) -> str | None:
    for node, rel in references.rels.items():
        if "canonical" in rel and tree.tag[node] == TAGS["link"]:
            return resolve_all(base, [attribute(tree, node, "href") or ""])[0]
    return resolve_all(base, [metas["og:url"]])[0] if "og:url" in metas else None


def _find_language(tree: Tree, metas: dict[str, str]) -> str | None:
    """Return the language that <html>, <body> or a meta element states."""
    for node in find_nodes(tree, "html", "body"):
        value = attribute(tree, node, "lang") or attribute(tree, node, "xml:lang")
        if value and (language := declared_language(value)):
            return language
    for node, value in find_attributes(tree, "http-equiv"):
        if value.strip().lower() == "content-language":
            return declared_language(attribute(tree, node, "content") or "")
    for key in ("language", "dc.language", "og:locale"):
        if key in metas and (language := declared_language(metas[key])):
            return language
    return None


def _find_licences(tree: Tree, base: str, references: References) -> tuple[str, ...]:
    """Return where licences are linked or named, each once, in document order."""
    found: list[str] = []
    if "creativecommons" in tree.data_letters:  # of few pages: to look for it takes no time
        found += filter(CREATIVE_COMMONS.match, read_values(tree, references.spans))
    marked = [node for node, rel in references.rels.items() if "license" in rel]
    for node, value in find_attributes(tree, "itemprop"):
        marked += [node] if "license" in value.lower().split() else []
    for node in marked:
        stated = attribute(tree, node, "href") or attribute(tree, node, "content")
        found += [stated] if stated else []
    found += _licences_of_scripts(tree)
    urls = (url for url in resolve_all(base, found) if url)
    return tuple(dict.fromkeys(urls))


def _find_rsl(tree: Tree, base: str, references: References) -> tuple[str, ...]:
    """Return the licences that <link rel=license type=application/rsl+xml> names."""
    nodes = [
        node
        for node, rel in references.rels.items()
        if "license" in rel and tree.tag[node] == TAGS["link"]
    ]
    stated = [
        attribute(tree, node, "href") or ""
        for node in nodes
        if RSL_TYPE in (attribute(tree, node, "type") or "").lower()
    ]
    return tuple(url for url in resolve_all(base, stated) if url)


def _licences_of_scripts(tree: Tree) -> list[str]:
    """Return the licences that JSON-LD states."""
    found: list[str] = []
    for node, kind in find_attributes(tree, "type"):
        if tree.tag[node] != TAGS["script"] or kind.strip().lower() != "application/ld+json":
            continue
        source = inner_source(tree, node)
        if "licen" not in source or len(source) > MAX_SCRIPT:
            continue
        try:
            _collect_licences(json.loads(read_letters(source)), found)
        except (ValueError, RecursionError):  # written by hand, or meant to break us
            continue
    return found


def _collect_licences(value: Any, found: list[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect_licences(item, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("license", "licence"):
                link = item.get("url") or item.get("@id") if isinstance(item, dict) else item
                found += [link] if isinstance(link, str) else []
            else:
                _collect_licences(item, found)
