"""A page becomes arrays, once: everything that reads a page reads these.

In: the UTF-8 bytes of a page that `decode.py` and `guard.py` have seen. Out: a `Tree`: nodes in
document order, text nodes among them; the text of the page in one piece; its words. The subtree
of a node is a range of nodes, its text a slice of the page's text, its words a slice of the page's
words. Everything that can be counted over nodes is a difference of two prefix sums.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from blickfang.compute.kernels import Integer, filling, unnamed
from blickfang.html.parse import page_arrays
from blickfang.html.parse.page_strings import PageStrings, make_letters, slices_of, values_of
from blickfang.html.parse.scan import scan_page
from blickfang.html.parse.tag_index import Census, take_census
from blickfang.html.parse.tags import ATTRIBUTE_NAMES, ATTRIBUTES, TAG_NAMES, TAGS
from blickfang.text.words import Words, read_encoded

Ints = NDArray[np.int32]

# All that the parser writes when it serialises a value; the last one first would make others.
ENTITIES = (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\xa0"), ("&amp;", "&"))
FEW_WORDS = 20  # a page with fewer may say everything in <noscript>, as some forums do


@dataclass(frozen=True, slots=True)
class Tree:
    """The arrays of a page. Those marked n + 1 have one more entry, so that every range has an end.

    The nodes of the subtree of k are k … end[k]; its text is text[offset[k] : offset[end[k]]];
    its words are first_word[k] … first_word[end[k]].
    """

    data: bytes  # the canonical HTML
    text: bytes  # visible text: a line break at block edges, CUT where only a tag parts letters
    letters: PageStrings  # both again, as kernels read them
    parent: Ints  # -1 for node 0, the document
    end: Ints
    tag: NDArray[np.uint8]  # tags.TAGS; 0 is a text node
    name: NDArray[np.uint64]  # hash of the element's name
    flags: NDArray[np.uint32]  # arrays.LINKED and its neighbours
    offset: Ints  # n + 1
    source: Ints  # where the content of the node begins in `data`
    first_word: Ints  # n + 1
    first_attribute: Ints  # n + 1
    first_token: Ints  # n + 1
    attribute_name: NDArray[np.uint8]  # tags.ATTRIBUTES; 0 is a name we do not know
    attribute_spans: Ints  # one row an attribute: name, its end, value, its end in `data`
    tokens: NDArray[np.uint64]  # hashes of class tokens; odd if the token has a digit
    words: Words
    census: Census  # which elements and attributes are looked at


@filling
def count_words_before(starts: Ints, offset: Ints, before: Ints) -> None:
    """Write for each node how many words begin before its text."""
    w = 0
    for k in range(len(offset)):
        while w < len(starts) and starts[w] < offset[k]:
            w += 1
        before[k] = w


def read_tree(data: bytes, *, canonical: bool = False) -> Tree:
    """Return the arrays of a page; `canonical`: as the parser would write it, a < behind it."""
    if not canonical:
        data = (LexborHTMLParser(data).html or "").encode("utf-8", "replace") + b"<"
    tree = _scan(data, page_arrays.LEXICON)
    if len(tree.words.hashes) < FEW_WORDS and np.any(tree.tag == TAGS["noscript"]):
        fuller = _scan(data, page_arrays.NOSCRIPT_LEXICON)
        if len(fuller.words.hashes) > 5 * FEW_WORDS:
            return fuller
    return tree


def _scan(canonical: bytes, lexicon: page_arrays.ScanTables) -> Tree:
    room = page_arrays.make_room(len(canonical))
    scan_page(np.frombuffer(canonical, np.uint8), unnamed(room), lexicon)
    n, attributes, tokens, out = room.state[:4].tolist()
    text = room.text[:out].tobytes()
    words = read_encoded(text + b"\0")
    tag, numbers = room.tag[:n].copy(), room.numbers[:, : n + 1].copy()
    parent, end, offset, source, first_attribute, first_token = numbers
    first_word = np.empty(n + 1, np.int32)
    count_words_before(words.starts, offset, first_word)
    names, name = room.attribute_name[:attributes].copy(), room.name[:n].copy()
    spans = room.attribute_spans[: 4 * attributes].reshape(-1, 4).copy()
    letters = make_letters(canonical, text)
    return Tree(
        canonical,
        text,
        letters,
        parent[:n],
        end[:n],
        tag,
        name,
        room.flags[:n].copy(),
        offset,
        source[:n],
        first_word,
        first_attribute,
        first_token,
        names,
        spans,
        room.tokens[:tokens].copy(),
        words,
        take_census(letters.data, (parent[:n], end[:n], tag, name), first_attribute, names, spans),
    )


def node_text(tree: Tree, node: Integer) -> str:
    """Return the text of a subtree."""
    return slice_text(tree, int(tree.offset[node]), int(tree.offset[tree.end[node]]))


def slice_text(tree: Tree, start: int, end: int) -> str:
    """Return a piece of the page's text as people read it."""
    text = tree.text[start:end].decode()
    return (text.replace("\x01", "") if tree.letters.has_cuts else text).strip()


def attributes(tree: Tree, nodes: list[int]) -> list[dict[str, str]]:
    """Return the attributes of some nodes: of images all, of others those we know."""
    places = np.array(nodes, np.int64)
    first = tree.first_attribute[places].tolist()
    ends = tree.first_attribute[places + 1].tolist()
    ranges = list(map(range, first, ends))
    rows = np.fromiter(chain.from_iterable(ranges), np.int64)
    spans = tree.attribute_spans[rows]
    names = _read_names(tree, tree.attribute_name[rows].tolist(), spans)
    pairs = zip(names, read_values(tree, spans[:, 2], spans[:, 3]), strict=True)
    return [dict(islice(pairs, len(of_node))) for of_node in ranges]


def _read_names(tree: Tree, known: list[int], spans: Ints) -> list[str]:
    """Return the names of attributes; those we know need not be read."""
    rows = zip(known, spans[:, 0].tolist(), spans[:, 1].tolist(), strict=True)
    return [
        ATTRIBUTE_NAMES[number - 1] if number else tree.data[start:end].decode(errors="replace")
        for number, start, end in rows
    ]


def read_values(tree: Tree, starts: Ints, ends: Ints) -> list[str]:
    """Return the values at some places as they were meant."""
    return values_of(tree.letters, np.ascontiguousarray(starts), np.ascontiguousarray(ends))


def attribute(tree: Tree, node: Integer, name: str) -> str | None:
    """Return one attribute of a node, None where it is not given."""
    first, last = tree.first_attribute[node : node + 2].tolist()
    row = tree.attribute_name[first:last].tobytes().find(ATTRIBUTES[name])
    if row < 0:
        return None
    _, _, value, end = tree.attribute_spans[first + row].tolist()
    return unescape(tree.data[value:end].decode(errors="replace"))


def unescape(text: str) -> str:
    """Return a value of the canonical HTML as it was meant."""
    if "&" not in text:
        return text
    for entity, char in ENTITIES:
        text = text.replace(entity, char)
    return text


def read_slices(tree: Tree, starts: Ints | list[int], ends: Ints | list[int]) -> list[str]:
    """Return many pieces of the page's text."""
    starts, ends = np.ascontiguousarray(starts, np.int32), np.ascontiguousarray(ends, np.int32)
    return slices_of(tree.letters, starts, ends)


def find_nodes(tree: Tree, *names: str) -> list[int]:
    """Return all elements with one of some names, in document order."""
    wanted = tree.tag == TAGS[names[0]] if len(names) == 1 else _mark_tags(names)[tree.tag]
    found: list[int] = wanted.nonzero()[0].tolist()
    return found


@lru_cache(maxsize=64)
def _mark_tags(names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return for each number of a tag whether it is one of some."""
    return np.isin(np.arange(256), [TAGS[name] for name in names])


def find_spans(tree: Tree, name: str) -> tuple[list[int], Ints]:
    """Return the elements that have an attribute, and where its values stand, in document order."""
    rows = (tree.attribute_name == ATTRIBUTES[name]).nonzero()[0]
    if not len(rows):
        return [], tree.attribute_spans[:0, 2:]
    nodes = np.searchsorted(tree.first_attribute, rows, side="right") - 1
    return nodes.tolist(), tree.attribute_spans[rows, 2:]


def find_values(tree: Tree, name: str) -> tuple[list[int], list[str]]:
    """Return the elements that have an attribute, and its values, in document order."""
    nodes, spans = find_spans(tree, name)
    return nodes, read_values(tree, spans[:, 0], spans[:, 1])


def find_attributes(tree: Tree, name: str) -> list[tuple[int, str]]:
    """Return (node, value) for every element that has an attribute, in document order."""
    return list(zip(*find_values(tree, name), strict=True))


def inner_source(tree: Tree, node: Integer) -> bytes:
    """Return what stands in an element whose content is only text, as <title> or <script>."""
    start = int(tree.source[node])
    end = tree.data.find(f"</{TAG_NAMES[tree.tag[node]]}".encode(), start)
    return tree.data[start : end if end >= 0 else -1]


# A name may begin with =; a value has no quotation mark in it.
ATTRIBUTE = re.compile(r' (=?[^\t\n\f\r =]*)="([^"]*)"')


class Attributes(Mapping[str, str]):
    """Attributes by name, in the order of the page."""

    __slots__ = ("_values", "source")

    def __init__(self, source: bytes) -> None:
        self.source = source

    def _read(self) -> dict[str, str]:
        values: dict[str, str] | None = getattr(self, "_values", None)
        if values is None:
            pairs = ATTRIBUTE.findall(self.source.decode())
            values = self._values = {name: unescape(value) for name, value in pairs}
        return values

    def __getitem__(self, name: str) -> str:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())
