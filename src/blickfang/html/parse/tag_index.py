"""Which elements and attributes of a page are looked at, found in one pass over its nodes.

In: the arrays of a page. Out: a `Census`: the nodes of some kinds, and where some attributes stand,
all in document order. Asking the arrays once for each kind takes ten times as long.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, filling, inlined, inner
from blickfang.html.parse.tags import ATTRIBUTES, BACKGROUND_NAMES, HEADING_NAMES, TAGS, hash_known

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

# Kinds of elements, and of attributes; 0 is of no kind.
IMAGES, HEADINGS, METAS, ROOTS, TITLES, BASES, FOREIGN = range(1, 8)
REFERENCES, RELATIONS, EQUIVALENTS, PROPERTIES, TYPES, STYLES, DESCRIBED, BACKGROUNDS = range(1, 9)
NODE, START, END = range(3)  # rows of an attribute


def _list_kinds(numbers: dict[str, int], kinds: dict[str, int]) -> Bytes:
    table = np.zeros(256, np.uint8)
    for name, kind in kinds.items():
        table[numbers[name]] = kind
    return table


KIND_OF_TAG = _list_kinds(
    TAGS,
    {
        "img": IMAGES,
        **dict.fromkeys(HEADING_NAMES, HEADINGS),
        "meta": METAS,
        "html": ROOTS,
        "body": ROOTS,
        "title": TITLES,
        "base": BASES,
        "svg": FOREIGN,
        "math": FOREIGN,
    },
)
KIND_OF_ATTRIBUTE = _list_kinds(
    ATTRIBUTES,
    {
        "href": REFERENCES,
        "rel": RELATIONS,
        "http-equiv": EQUIVALENTS,
        "itemprop": PROPERTIES,
        "type": TYPES,
        "style": STYLES,
        "aria-describedby": DESCRIBED,
        "aria-labelledby": DESCRIBED,
        **dict.fromkeys(BACKGROUND_NAMES, BACKGROUNDS),
    },
)
SRC, OLD_HREF = (ATTRIBUTES[name] for name in ("src", "xlink:href"))
A, FRAME, IFRAME, IMG, SCRIPT = (TAGS[name] for name in ("a", "frame", "iframe", "img", "script"))
BRACKET = ord("(")
SVG = TAGS["svg"]
ONLY_HTML = np.zeros(256, np.bool_)  # in SVG and MathML their names mean nothing; <a> is a link
ONLY_HTML[[TAGS[name] for name in ("base", "link", "area", "frame", "iframe")]] = True
# In these elements of SVG, and in these of MathML, HTML stands again.
HTML_IN_SVG, HTML_IN_MATH = (
    np.array([hash_known(name) for name in names.split()], np.uint64)
    for names in ("foreignObject desc title", "mi mo mn ms mtext")
)


class NodePlaces(NamedTuple):
    """Where the nodes of a page lie, and what they are called."""

    parent: Ints
    end: Ints
    tag: Bytes
    name: Hashes


class Values(NamedTuple):
    """Attributes of a kind: their elements, and where their values stand in the canonical HTML."""

    nodes: Ints
    starts: Ints
    ends: Ints


NO_VALUES = Values(*np.empty((3, 0), np.int32))


class Census(NamedTuple):
    """Nodes by kind, and attributes by kind."""

    images: Ints
    headings: Ints
    metas: Ints
    roots: Ints  # <html>, <body>
    titles: Ints
    bases: Ints
    references: Values  # href, of links in SVG also xlink:href, and src of frames
    relations: Values  # rel
    equivalents: Values  # http-equiv
    properties: Values  # itemprop
    types: Values  # of scripts
    styles: Values  # that may name an address
    described: Values  # aria-describedby and aria-labelledby of images
    backgrounds: Values  # data-bg and its like, not of images


@inlined
def is_one_of(name: np.uint64, names: Hashes) -> bool:
    """Whether a name is one of some."""
    found = False
    for k in range(len(names)):
        found |= names[k] == name
    return found


@inner
def is_foreign(places: NodePlaces, node: Integer) -> bool:
    """Whether an element belongs to SVG or MathML, and is none of HTML."""
    in_svg = in_math = False  # whether it lies where HTML stands again
    k = np.int64(places.parent[node])
    while k > 0:
        if KIND_OF_TAG[places.tag[k]] == FOREIGN:
            return not (in_svg if places.tag[k] == SVG else in_math)
        in_svg |= is_one_of(places.name[k], HTML_IN_SVG)
        in_math |= is_one_of(places.name[k], HTML_IN_MATH)
        k = np.int64(places.parent[k])
    return False


@inlined
def has_reference(values: NDArray[np.int32], node: Integer) -> bool:
    """Whether a reference of an element is known already: one is enough."""
    last = values[REFERENCES, 0, 0]
    return bool(last and values[REFERENCES, NODE, last] == node)


@filling
def count_all(
    data: Bytes, given: Plain, first: Ints, names: Bytes, spans: Ints, nodes: Ints, values: Ints
) -> None:
    """Write down nodes and attributes, a row a kind; the first number of a row is its count."""
    places = NodePlaces(*given)
    tag = places.tag
    nodes[:, 0] = 0
    values[:, 0, 0] = 0
    foreign_until = 0
    for k in range(len(tag)):
        if k < foreign_until and ONLY_HTML[tag[k]] and is_foreign(places, k):
            continue
        kind = KIND_OF_TAG[tag[k]]
        if kind and kind != FOREIGN:
            nodes[kind, 0] += 1
            nodes[kind, nodes[kind, 0]] = k
        elif kind:
            foreign_until = max(foreign_until, places.end[k])
        for row in range(first[k], first[k + 1]):
            sort = KIND_OF_ATTRIBUTE[names[row]]
            if names[row] == SRC and (tag[k] == FRAME or tag[k] == IFRAME):
                sort = REFERENCES
            if (
                names[row] == OLD_HREF
                and tag[k] == A
                and k < foreign_until
                and not has_reference(values, k)
            ):
                sort = REFERENCES
            if sort and is_asked(data, sort, tag[k], spans[row, 2], spans[row, 3]):
                values[sort, 0, 0] += 1
                place = values[sort, 0, 0]
                values[sort, NODE, place] = k
                values[sort, START, place] = spans[row, 2]
                values[sort, END, place] = spans[row, 3]


@filling
def is_asked(data: Bytes, kind: Integer, tag: Integer, start: Integer, end: Integer) -> bool:
    """Whether an attribute is looked at.

    Types of scripts only, styles only with a bracket, texts elsewhere only of images.
    """
    if kind == TYPES:
        return bool(tag == SCRIPT)
    if kind == DESCRIBED:
        return bool(tag == IMG)
    if kind == BACKGROUNDS:
        return bool(tag != IMG)
    if kind == STYLES:
        while start < end and data[np.uint64(start)] != BRACKET:
            start += 1
        return bool(start < end)
    return True


def take_census(data: Bytes, places: Plain, first: Ints, names: Bytes, spans: Ints) -> Census:
    """Return which elements and attributes of a page are looked at, given its `Places`."""
    nodes = np.empty((1 + BASES, len(first)), np.int32)
    values = np.empty((1 + BACKGROUNDS, 3, len(names) + 1), np.int32)
    count_all(data, places, first, names, spans, nodes, values)
    counts = nodes[1:, 0].tolist(), values[1:, 0, 0].tolist()
    images, headings, metas, roots, titles, bases = (
        nodes[kind, 1 : count + 1] for kind, count in enumerate(counts[0], 1)
    )
    said = (
        Values(*values[kind, :, 1 : count + 1]) if count else NO_VALUES
        for kind, count in enumerate(counts[1], 1)
    )
    return Census(images, headings, metas, roots, titles, bases, *said)
