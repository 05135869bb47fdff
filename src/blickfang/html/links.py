"""The links of a page, in document order, resolved and canonical.

In: the arrays of a page and the address that references are relative to. Out: `Link`s: anchors,
areas of image maps, frames, meta refresh, and the relations that <link> elements state. What
leads to no address of the web (javascript:, mailto:) is none.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, filling, inlined, unnamed
from blickfang.compute.py_values import (
    Addresses,
    addresses_of,
    look_up,
    make_pair,
    make_row,
    making,
    put,
    put_in_list,
    share,
    spare,
)
from blickfang.html.pagination import mark_turns
from blickfang.html.parse.page_strings import PageStrings, make_slice, make_tidy, values_of
from blickfang.html.parse.tag_index import Values
from blickfang.html.parse.tags import ATTRIBUTES, TAGS
from blickfang.html.parse.tree import Tree, attribute
from blickfang.html.references import (
    FROM_FILE,
    ITSELF,
    RELATIVE,
    BaseAddress,
    Ints,
    make_home,
    resolve_all,
    resolve_values,
    sort_all,
)
from blickfang.io.urls import IMAGE_TYPES, canonical, resolve
from blickfang.text.words import MULTIPLIER
from blickfang.types import Link

REFRESH = re.compile(  # the standard's "shared declarative refresh steps"
    r"_*+(?:[0-9]|\.)[0-9.]*+(?=_|[;,])_*+[;,]?+_*+"
    r"(?>(?:url_*+=_*+)?)(?:\"([^\"]++)|'([^']++)|([^\"'].*+))".replace("_", r"[\t\n\f\r ]"),
    re.IGNORECASE | re.DOTALL,
)
PICTURE = re.compile(rf"\.(?:{'|'.join(sorted(IMAGE_TYPES))})(?:[?#]|$)", re.IGNORECASE)
RELATIONS = frozenset(
    {"canonical", "next", "prev", "alternate", "amphtml", "shortlink", "sitemap", "license"}
)
LINK, AREA = TAGS["link"], TAGS["area"]
ALT = ATTRIBUTES["alt"]
KINDS = ["a", "area", "frame", "iframe"]
NOTHING, NO_WORDS, NO_TEXT = None, (), ""
CONSTANTS = addresses_of([Link, NOTHING, NO_WORDS, NO_TEXT])
LINK_TYPE, NONE_VALUE, EMPTY_TUPLE, EMPTY_TEXT = range(4)  # places in it


class References(NamedTuple):
    """The elements of a page that refer to another address, in document order."""

    values: Values
    related: Ints  # nodes with rel
    which: Ints  # for each of those what rel says, a place in `rels`
    rels: list[tuple[str, ...]]  # what rel says, in lower case; a page has few different ones


class LinkTargets(NamedTuple):
    """Where the references of a page lead."""

    references: References
    home: BaseAddress
    urls: list[str | None]  # canonical; None for what is no address of the web
    images: list[int]  # numbers of those that may lead to images


def _list_kinds() -> Addresses:
    """Return for each tag what kind of link it makes, 0 where it makes none."""
    kinds = np.zeros(256, np.int64)
    kinds[[TAGS[name] for name in KINDS]] = addresses_of(KINDS)
    return kinds


KIND_OF = _list_kinds()


def find_home(tree: Tree, url: str) -> str:
    """Return what references are relative to: the first <base href> that is an address, or url."""
    for node in tree.census.bases.tolist():
        reference = attribute(tree, node, "href")
        if reference is not None:  # the first one counts, even if it is worth nothing
            base = resolve(url, reference.strip()) if url else canonical(reference.strip())
            return base or url
    return url


@filling
def tell_apart(
    data: NDArray[np.uint8], starts: Ints, ends: Ints, slots: Ints, which: Ints, first: Ints
) -> int:
    """Number different values; write for each which it is, and by number where it came first."""
    different = 0
    last = np.uint64(len(slots) - 1)
    slots[:] = -1
    for k in range(len(starts)):
        start, size = starts[k], ends[k] - starts[k]
        h = np.uint64(size)
        for i in range(size):
            h = (h ^ np.uint64(data[np.uint64(start + i)])) * MULTIPLIER
        slot = (h >> np.uint64(32)) & last
        while slots[slot] >= 0:
            other = first[slots[slot]]
            same = size == ends[other] - starts[other]
            i = 0
            while same and i < size:
                same = data[np.uint64(start + i)] == data[np.uint64(starts[other] + i)]
                i += 1
            if same:
                break
            slot = (slot + np.uint64(1)) & last
        if slots[slot] < 0:
            slots[slot] = different
            first[different] = k
            different += 1
        which[k] = slots[slot]
    return different


def read_references(tree: Tree) -> References:
    """Return all elements that refer to another address."""
    nodes, starts, ends = tree.census.relations
    which, first = np.empty((2, len(nodes)), np.int32)
    slots = np.empty(2 << max(len(nodes), 4).bit_length(), np.int32)
    first = first[: tell_apart(tree.letters.data, starts, ends, slots, which, first)]
    said = values_of(tree.letters, starts[first], ends[first])
    return References(tree.census.references, nodes, which, list(map(_read_relations, said)))


@lru_cache(maxsize=256)  # all pages say the same few
def _read_relations(said: str) -> tuple[str, ...]:
    """Return the words of a rel."""
    return tuple(said.lower().split())


def find_related(references: References, word: str) -> list[int]:
    """Return the elements of which rel says something, in document order."""
    numbers = [number for number, rel in enumerate(references.rels) if word in rel]
    if not numbers:
        return []
    says = np.zeros(len(references.rels), np.bool_)
    says[numbers] = True
    found: list[int] = references.related[says[references.which]].tolist()
    return found


def follow(tree: Tree, references: References, base: str) -> LinkTargets:
    """Return where references lead."""
    _, starts, ends = references.values
    found, may_be_images = sort_all(tree.letters, starts, ends)
    home = make_home(base)
    urls = resolve_values(tree.letters, found, home, starts, ends)
    if PICTURE.search(base):  # then it is meant by what has no path of its own
        without_path = np.isin(found[0] & RELATIVE, (FROM_FILE, ITSELF)).nonzero()[0]
        may_be_images = np.union1d(may_be_images, without_path)
    return LinkTargets(references, home, urls, may_be_images.tolist())


class Stated(NamedTuple):
    """Which elements have rel, and by what it says: its words, and the kind of a <link> with it."""

    nodes: Ints
    which: Ints
    rels: Addresses
    kinds: Addresses  # 0 for a relation that is no link


@inlined
def make_anchor(letters: PageStrings, places: Plain, attributes: Plain, node: Integer) -> Integer:
    """Return the text of a link; an area of a map has nothing but its alt."""
    _, tag, end, offset, _ = places
    if tag[node] != AREA:
        return make_slice(letters, offset[node], offset[end[node]])
    first, names, spans = attributes
    start = stop = np.int64(0)
    for row in range(first[node], first[node + 1]):
        if names[row] == ALT:
            start, stop = np.int64(spans[row, 2]), np.int64(spans[row, 3])
    return make_tidy(letters, start, stop)


@making
def make_links(
    letters: PageStrings,
    places: tuple[Ints, NDArray[np.uint8], Ints, Ints, Ints],
    attributes: tuple[Ints, NDArray[np.uint8], Ints],
    given: Plain,
    kind_of: Addresses,
    constants: Addresses,
    with_anchors: bool,
    urls: int,
    found: int,
    made_of: Ints,
) -> int:
    """Write the links of a page into a list, given what is `Stated`; return how many there are.

    Beside it the node of each.
    """
    letters, stated = PageStrings(*letters), Stated(*given)
    nodes, tag, end, _, first_word = places
    count = r = 0
    for k in range(len(nodes)):
        node = np.int64(nodes[k])
        while r < len(stated.nodes) and stated.nodes[r] < node:
            r += 1
        rel, kind = constants[EMPTY_TUPLE], kind_of[tag[node]]
        if r < len(stated.nodes) and stated.nodes[r] == node:
            rel = stated.rels[stated.which[r]]
            kind = stated.kinds[stated.which[r]] if tag[node] == LINK else kind
        url = look_up(urls, k)
        if kind == 0 or url == constants[NONE_VALUE]:
            continue
        last = np.int64(end[node])
        link = make_row(constants[LINK_TYPE], 5)
        share(link, 0, url)
        if with_anchors:
            put(link, 1, make_anchor(letters, places, attributes, node))
        else:
            share(link, 1, constants[EMPTY_TEXT])
        share(link, 2, kind)
        share(link, 3, rel)
        put(link, 4, make_pair(first_word[node], first_word[last]))
        spare(link)
        put_in_list(found, count, link)
        made_of[count] = node
        count += 1
    return count


def find_links(
    tree: Tree,
    base: str,
    targets: LinkTargets,
    *,
    with_anchors: bool = True,
) -> tuple[Link, ...]:
    """Return the links of a page, given where its references lead."""
    (nodes, _, _), related, which, rels = targets.references
    kinds = [next((name for name in rel if name in RELATIONS), "") for rel in rels]
    known = np.array([id(kind) if kind else 0 for kind in kinds], np.int64)
    found: list[Link] = [None] * len(nodes)  # type: ignore[list-item]
    made_of = np.empty(len(nodes), np.int32)
    count = make_links(
        unnamed(tree.letters),
        (nodes, tree.tag, tree.end, tree.offset, tree.first_word),
        (tree.first_attribute, tree.attribute_name, tree.attribute_spans),
        (related, which, addresses_of(rels), known),
        KIND_OF,
        CONSTANTS,
        with_anchors,
        id(targets.urls),
        id(found),
        made_of,
    )
    del found[count:]
    if with_anchors:
        mark_turns(tree, found, made_of[:count], base)
    return (*_find_refresh(tree, base), *found)


def read_refresh(said: str) -> str:
    """Return where a refresh leads, "" where the same page is only loaded again.

    >>> read_refresh("5; URL='next.html'"), read_refresh("300")
    ('next.html', '')
    """
    target = REFRESH.match(said)
    return target[target.lastindex or 0].strip() if target else ""


def _find_refresh(tree: Tree, base: str) -> list[Link]:
    """Return where a page sends its reader after a while."""
    targets = []
    nodes, starts, ends = tree.census.equivalents
    for node, value in zip(nodes.tolist(), values_of(tree.letters, starts, ends), strict=True):
        if value.strip().lower() == "refresh" and tree.tag[node] == TAGS["meta"]:
            target = read_refresh(attribute(tree, node, "content") or "")
            targets += [target] if target else []
    urls = resolve_all(base, targets)
    return [Link(url, "", "refresh", (), (0, 0)) for url in urls if url]
