"""What a page says of itself: title, description, headings, address, language, licences.

In: the arrays of a page. Out: an `About`. Nothing here judges; the language of the text itself is
found in language.py.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, filling, inlined
from blickfang.html.links import References, find_related, read_refresh
from blickfang.html.parse.byte_patterns import Packed, pack, stands_at
from blickfang.html.parse.page_strings import BLANK, lines_of, tidy_of, values_of
from blickfang.html.parse.tags import ATTRIBUTES, HEADING_NAMES, TAGS
from blickfang.html.parse.tree import Tree, attribute, inner_source, unescape
from blickfang.html.references import Ints, resolve_all
from blickfang.text.language import declared_language
from blickfang.types import LicenceTerms, Link

JSON_LD = "application/ld+json"
MAX_SCRIPT = 2**20  # bytes of one that is read
MAX_SCRIPTS = 2**22  # bytes of all of a page
MAX_TEXT = 2**18  # bytes of one that is handed on as it is
MAX_TEXTS = 8  # of those


def list_script_types(tree: Tree) -> dict[int, str]:
    """Return the types of scripts by their nodes, in lower case, without parameters."""
    nodes, starts, ends = tree.census.types
    if not len(nodes):
        return {}
    kinds = values_of(tree.letters, starts, ends)
    return {
        node: kind.partition(";")[0].strip().lower()
        for node, kind in zip(nodes.tolist(), kinds, strict=True)
    }


def read_texts(tree: Tree, kind: str) -> list[str]:
    """Return what scripts of a type hold; "" stands for all that are too many, and too long ones.

    What is empty is as if it could not be read: the guard cuts what holds an end tag.
    """
    nodes = [node for node, each in list_script_types(tree).items() if each == kind]
    sources = [inner_source(tree, node) for node in nodes[:MAX_TEXTS]]
    texts = ["" if len(source) > MAX_TEXT else source.decode() for source in sources]
    return [*texts, ""] if len(nodes) > MAX_TEXTS else texts


def read_scripts(tree: Tree, *words: bytes) -> Iterator[Any]:
    """Yield what scripts of JSON-LD say in which one of some words stands."""
    left = MAX_SCRIPTS
    for node, kind in list_script_types(tree).items():
        if kind != JSON_LD:
            continue
        source = inner_source(tree, node)
        if len(source) > min(MAX_SCRIPT, left) or not any(word in source for word in words):
            continue
        left -= len(source)
        try:
            # Strings broken over lines are common where texts are pasted.
            yield json.loads(source, strict=False)
        except (ValueError, RecursionError):  # written by hand, or meant to break us
            continue


META_KEYS = ("name", "property", "itemprop")  # in order: an element may have all
KEY_NUMBERS = np.array([ATTRIBUTES[name] for name in META_KEYS], np.uint8)
CONTENT = ATTRIBUTES["content"]
PICTURE_NAMES = frozenset(
    {"og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"}
)
RSL_TYPE = "application/rsl+xml"
LEVELS = {TAGS[name]: int(name[1]) for name in HEADING_NAMES}
# Where licences of Creative Commons lie, behind http(s).
COMMONS = tuple(
    f"{scheme}://{name}creativecommons.org/{folder}/"
    for scheme in ("http", "https")
    for name in ("", "www.")
    for folder in ("licenses", "publicdomain")
)
COMMONS_HOSTS = pack(["//creativecommons.org/", "//www.creativecommons.org/"])
SCHEMES = pack(["http:", "https:"])


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
    terms: tuple[LicenceTerms, ...]  # its licences in RSL


class Metas(NamedTuple):
    """What meta elements say, by name or property in lower case."""

    first: dict[str, str]
    joined: dict[str, str]  # equal names by ", "
    pictures: list[str]


def read_about(
    tree: Tree,
    base: str,
    references: References,
    headings: list[str],
    urls: Sequence[str | None] = (),
) -> About:
    """Return what a page says of itself, given the texts of its headings.

    `urls`: where its references lead, if that is known.
    """
    metas = _read_metas(tree)
    first = metas.first
    return About(
        _choose_title(tree, first, headings),
        first.get("description") or first.get("og:description", ""),
        first.get("keywords", ""),
        _find_canonical(tree, base, references, urls, first),
        _find_language(tree, first),
        _list_headings(tree, headings),
        _find_licences(tree, base, references),
        metas.joined,
        tuple(metas.pictures),
        _find_terms(tree, base, references),
    )


def glance_about(tree: Tree, base: str, references: References) -> About:
    """Return what a crawl goes by: title, metas, pictures named in them, stated language.

    Of licences those in RSL alone: they ask to be read before a page is used.
    """
    metas = _read_metas(tree)
    title = read_title(tree) or metas.first.get("og:title", "")
    if not title:
        title = _choose_title(tree, {}, read_headings(tree))
    language = _find_language(tree, metas.first)
    terms, pictures = _find_terms(tree, base, references), tuple(metas.pictures)
    return About(title, "", "", None, language, (), (), metas.joined, pictures, terms)


def tidy(text: str) -> str:
    """Return a value with its white space made single blanks."""
    return " ".join(text.split())


def read_title(tree: Tree) -> str:
    """Return the <title> of the head; a picture in SVG may have one of its own."""
    for node in tree.census.titles.tolist():
        if tree.tag[tree.parent[node]] in (TAGS["head"], TAGS["body"]):
            return tidy(unescape(inner_source(tree, node).decode()))
    return ""


def _choose_title(tree: Tree, metas: dict[str, str], headings: list[str]) -> str:
    """Return the title of a page; without one its first heading."""
    title = read_title(tree) or metas.get("og:title", "")
    if title:
        return title
    tags = tree.tag[tree.census.headings].tolist()
    named = (text for tag, text in zip(tags, headings, strict=True) if LEVELS[tag] == 1)
    return next(filter(None, named), "")


def read_headings(tree: Tree) -> list[str]:
    """Return the text of each heading, "" where it has none."""
    return lines_of(tree.letters, tree.census.headings, tree.end, tree.offset)


def _list_headings(tree: Tree, texts: list[str]) -> tuple[tuple[int, str], ...]:
    """Return the level and the text of each heading that has one."""
    if not texts:
        return ()
    tags = tree.tag[tree.census.headings].tolist()
    return tuple([(LEVELS[tag], text) for tag, text in zip(tags, texts, strict=True) if text])


@filling
def note_metas(nodes: Ints, first: Ints, names: NDArray[np.uint8], spans: Ints, out: Ints) -> int:
    """Write down where keys and contents of meta elements stand; return how many there are."""
    count = 0
    for k in range(len(nodes)):
        begin, end = first[nodes[k]], first[nodes[k] + 1]
        content = -1
        for row in range(begin, end):
            if names[row] == CONTENT:
                content = row
        if content < 0:
            continue
        for number in KEY_NUMBERS:
            for row in range(begin, end):
                if names[row] == number:
                    out[0, count], out[1, count] = spans[row, 2], spans[row, 3]
                    out[2, count], out[3, count] = spans[content, 2], spans[content, 3]
                    count += 1
    return count


def _read_metas(tree: Tree) -> Metas:
    """Return the contents of meta elements by name, and all that name a picture."""
    out = np.empty((4, len(META_KEYS) * len(tree.census.metas)), np.int32)
    count = note_metas(
        tree.census.metas, tree.first_attribute, tree.attribute_name, tree.attribute_spans, out
    )
    starts, ends, contents, behind = out[:, :count]
    said = tidy_of(tree.letters, contents, behind)
    first: dict[str, str] = {}
    more: dict[str, list[str]] = {}
    pictures = []
    for number, name in enumerate(values_of(tree.letters, starts, ends)):
        key = name.strip().lower()
        if key in first:
            more.setdefault(key, [first[key]]).append(said[number])
        else:
            first[key] = said[number]
        if key in PICTURE_NAMES:
            pictures.append(number)
    joined = first | {key: ", ".join(values) for key, values in more.items()}
    if not pictures:
        return Metas(first, joined, [])
    return Metas(first, joined, values_of(tree.letters, contents[pictures], behind[pictures]))


def _find_canonical(
    tree: Tree,
    base: str,
    references: References,
    urls: Sequence[str | None],
    metas: dict[str, str],
) -> str | None:
    """Return the first address that a page states as its own; an empty one is none."""
    nodes, starts, ends = references.values
    for node in find_related(references, "canonical"):
        number = int(nodes.searchsorted(np.int32(node)))  # of a plain number all would be copied
        if tree.tag[node] != TAGS["link"] or number == len(nodes) or nodes[number] != node:
            continue
        if starts[number] < ends[number]:
            url = urls[number] if urls else resolve_all(base, [_read_href(tree, node)])[0]
            if url:
                return url
    return resolve_all(base, [metas["og:url"]])[0] if "og:url" in metas else None


def _read_href(tree: Tree, node: int) -> str:
    return attribute(tree, node, "href") or ""


def _find_language(tree: Tree, metas: dict[str, str]) -> str | None:
    """Return the language that <html>, <body> or a meta element states."""
    for node in tree.census.roots.tolist():
        value = attribute(tree, node, "lang") or attribute(tree, node, "xml:lang")
        if value and (language := declared_language(value)):
            return language
    nodes, starts, ends = tree.census.equivalents
    for node, value in zip(nodes.tolist(), values_of(tree.letters, starts, ends), strict=True):
        if value.strip().lower() == "content-language":
            return declared_language(attribute(tree, node, "content") or "")
    for key in ("language", "dc.language", "og:locale"):
        if key in metas and (language := declared_language(metas[key])):
            return language
    return None


@filling
def find_commons(data: NDArray[np.uint8], starts: Ints, ends: Ints, out: Ints) -> int:
    """Write down the numbers of references to licences of Creative Commons."""
    count = 0
    for k in range(len(starts)):
        if is_commons(data, np.int64(starts[k]), np.int64(ends[k])):
            out[count] = k
            count += 1
    return count


@inlined
def pass_one(data: NDArray[np.uint8], start: Integer, end: Integer, packed: Packed) -> Integer:
    """Return the place behind one of some words, -1 where none of them stands."""
    words, edges = packed
    for w in range(len(edges) - 1):
        behind: Integer = start + np.int64(edges[w + 1] - edges[w])
        if behind <= end and stands_at(data, start, words, edges[w], edges[w + 1]):
            return behind
    return -1


@inlined
def is_commons(data: NDArray[np.uint8], start: Integer, end: Integer) -> bool:
    """Whether a reference may lead to Creative Commons."""
    while start < end and data[np.uint64(start)] <= BLANK:
        start += 1
    host = pass_one(data, start, end, SCHEMES)
    return bool(pass_one(data, start if host < 0 else host, end, COMMONS_HOSTS) >= 0)


def _find_licences(tree: Tree, base: str, references: References) -> tuple[str, ...]:
    """Return where licences are linked or named, each once, in document order."""
    _, starts, ends = references.values
    numbers, found, commons = np.empty(len(starts), np.int32), [], 0
    if count := find_commons(tree.letters.data, starts, ends, numbers):
        numbers = numbers[:count]
        found = values_of(tree.letters, starts[numbers], ends[numbers])
        commons = len(found)
    marked = find_related(references, "license")
    nodes, starts, ends = tree.census.properties
    for node, value in zip(nodes.tolist(), values_of(tree.letters, starts, ends), strict=True):
        marked += [node] if "license" in value.lower().split() else []
    for node in marked:
        stated = attribute(tree, node, "href") or attribute(tree, node, "content")
        found += [stated] if stated else []
    found += _licences_of_scripts(tree)
    if not found:
        return ()
    urls = enumerate(resolve_all(base, found))
    kept = (url for k, url in urls if url and (k >= commons or url.lower().startswith(COMMONS)))
    return tuple(dict.fromkeys(kept))


def _find_terms(tree: Tree, base: str, references: References) -> tuple[LicenceTerms, ...]:
    """Return the licences in RSL that <link rel=license> names."""
    stated = [
        attribute(tree, node, "href") or ""
        for node in find_related(references, "license")
        if tree.tag[node] == TAGS["link"]
        and RSL_TYPE in (attribute(tree, node, "type") or "").lower()
    ]
    return tuple(LicenceTerms(url) for url in resolve_all(base, stated) if url)


def find_held_terms(
    tree: Tree, url: str, base: str, references: References
) -> tuple[LicenceTerms, ...]:
    """Return the licences in RSL that the page of an address holds in scripts."""
    texts = read_texts(tree, RSL_TYPE)
    if not texts:
        return ()
    named = _find_canonical(tree, base, references, (), _read_metas(tree).first)
    names = (named,) if named and named != url else ()
    return tuple(LicenceTerms(url, text, names) for text in texts)


def _licences_of_scripts(tree: Tree) -> list[str]:
    """Return the licences that JSON-LD states."""
    found: list[str] = []
    for value in read_scripts(tree, b"licen"):
        _collect_licences(value, found)
    return found


def _collect_licences(value: Any, found: list[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _collect_licences(item, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("license", "licence"):
                for one in item if isinstance(item, list) else [item]:
                    link = one.get("url") or one.get("@id") if isinstance(one, dict) else one
                    found += [link] if isinstance(link, str) else []
            else:
                _collect_licences(item, found)


MAX_HEADER = 100_000  # characters
SPEAKING = frozenset({"link", "content-language"})  # few answers have them
PARAMETER = r";\s*+([^\s=;,]*+)(?>(?:\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;,\"]*+)))?)"
LINK = re.compile(rf"<([^<>]*+)>((?>(?:\s*+{PARAMETER})*))")
EACH_PARAMETER = re.compile(PARAMETER)


def add_stated(about: About, headers: Mapping[str, str], url: str, *, whole: bool) -> About:
    """Return what a page says of itself and its headers add; not `whole`: only its language.

    Licences that a crawl asks for are read from headers in crawl/consent.
    """
    if SPEAKING.isdisjoint(headers):
        return about
    language = about.language or declared_language(headers.get("content-language", ""))
    links = list(_read_links(headers.get("link", "")[:MAX_HEADER])) if whole else []
    canonicals = resolve_all(url, [target for target, rel in links if "canonical" in rel])
    licences = resolve_all(url, [target for target, rel in links if "license" in rel])
    return about._replace(
        canonical=about.canonical or next(filter(None, canonicals), None),
        licences=tuple(dict.fromkeys([*about.licences, *filter(None, licences)])),
        language=language,
    )


def find_sent(headers: Mapping[str, str], url: str) -> list[Link]:
    """Return where the header Refresh sends the reader of a page."""
    target = read_refresh(headers.get("refresh", ""))
    found = resolve_all(url, [target]) if target else []
    return [Link(address, "", "refresh", (), (0, 0)) for address in found if address]


def _read_links(said: str) -> Iterator[tuple[str, list[str]]]:
    """Yield where each link of the header Link leads, and its relations (RFC 8288)."""
    for link in LINK.finditer(said):
        stated: dict[str, str] = {}
        for name, quoted, plain in EACH_PARAMETER.findall(link[2]):
            stated.setdefault(name.lower(), quoted or plain)  # the first one counts
        if "anchor" not in stated:  # else it is said of another page
            yield link[1].strip(), stated.get("rel", "").lower().split()
