"""What the attributes of <img> elements say, of all those of a page in one pass.

In: the arrays of a page and its <img> elements. Out: `Clues`: for each where its address and its
texts stand, its stated size, and whether it is as simple as it looks. Most are; what is not (a set
of addresses, lazy loading, sizes in a style) is left to lazy_sources.py, which reads the
attributes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, Plain, filling, inlined, unnamed
from blickfang.html.images.lazy_sources import MAX_SIDE, MOST_OTHERS
from blickfang.html.images.placeholder import is_doubtful, is_inline, is_trimmed
from blickfang.html.images.srcset import (
    ImageNodes,
    Set,
    choose_addresses,
    choose_pictured,
    lend_set,
)
from blickfang.html.parse.byte_patterns import LAST_PLAIN, may_have, pack
from blickfang.html.parse.page_arrays import IN_NOSCRIPT
from blickfang.html.parse.tags import ATTRIBUTES, BACKGROUND_NAMES, TAGS
from blickfang.html.parse.tree import Tree
from blickfang.html.references import ITSELF, RELATIVE, sort_reference

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

SRC, SRCSET, STYLE, WIDTH, HEIGHT = (
    ATTRIBUTES[name] for name in ("src", "srcset", "style", "width", "height")
)
ALT, TITLE, LABEL = (ATTRIBUTES[name] for name in ("alt", "title", "aria-label"))
AMPERSAND, BLANK, DOT, FIRST_DIGIT, LAST_DIGIT = 0x26, 0x20, 0x2E, 0x30, 0x39
PICTURE = TAGS["picture"]
NONE, ASK = -1, -2  # of a size: not stated; stated in a way that is left to others
LONGEST_SIZE = 6  # digits

# Columns that the kernel writes, in the order of `Clues`; then those of three texts.
STARTS, ENDS, KIND, ADDRESS, STOP, ADDRESS_END, SOURCE, SOURCE_END = range(8)
SIMPLE, PICTURED, WIDE, HIGH, FIRST_TEXT = range(8, 13)
OF_TEXT = 2
OTHERS = FIRST_TEXT + 3 * OF_TEXT
COLUMNS = OTHERS + 1 + 2 * MOST_OTHERS
# What some image of a page needs; most pages have none that does.
ASKS_SIZE, ASKS_SOURCE, IS_ODD, HAS_OTHERS, BY_NOSCRIPT = 1, 2, 4, 8, 16


# Parts of names of attributes that may hold an address, as LAZY_NAME and FILE_NAME of
# lazy_sources.py
# have them: those of one that counts whatever src says, and others.
SURE_PARTS = pack(["src", "original"])
LAZY_PARTS = pack(
    [
        *("orig", "lazy", "img", "image", "url", "hires", "hi-res", "full", "large", "echo"),
        *("defer", "file", "thumb", "retina", "cover", "medium", "zoom", "photo", "poster"),
        *("bg", "background"),
    ]
)
FIRST_BACKGROUND = min(ATTRIBUTES[name] for name in BACKGROUND_NAMES)
SIMPLE_IF_SHOWN = 2  # known if src is the address of no placeholder
SIGNS = pack([".", "/"])  # one of them is in all that looks like an address
SIZE_NAMES, PIXELS = pack(["width", "height"]), pack(["px"])  # of sizes in a style


class Clues(NamedTuple):
    """What is said of each image, a column each."""

    starts: Ints  # of all its attributes in the canonical HTML
    ends: Ints  # the same where it has none
    addresses: Ints  # what shows most, as html/references.py sorts references: three rows
    address_ends: Ints
    sources: Ints  # src: two rows, from where to where
    simple: Ints  # that this is known; else one must look more closely
    pictured: Ints  # of the first image of a <picture> that node, if one must look at it; or 0
    widths: Ints
    heights: Ints
    texts: tuple[Ints, Ints, Ints]  # alt, title, aria-label: two rows each, from where to where
    others: Ints  # how many further addresses there are; from where to where each
    needs: int  # bits: sizes or addresses to be looked at, odd ones, further ones, <noscript>


@inlined
def note_unknown(data: Bytes, k: Integer, span: Ints, out: Ints) -> None:
    """Write down whether an attribute may hold an address that a script would load."""
    if may_have(data, span[0], span[1], SURE_PARTS):
        out[SIMPLE, k] = 0
    elif out[SIMPLE, k] and may_have(data, span[2], span[3], SIGNS):
        out[SIMPLE, k] = SIMPLE_IF_SHOWN


@inlined
def is_shown(data: Bytes, k: Integer, out: Ints) -> bool:
    """Whether src is surely the address of an image and of no placeholder."""
    span = np.int64(out[SOURCE, k]), np.int64(out[SOURCE_END, k])
    if not is_trimmed(data, span) or is_inline(data, span[0], span[1]):
        return False
    return not is_doubtful(data, span[0], span[1])


@inlined
def is_lazy(
    data: Bytes, k: Integer, names: Bytes, spans: Ints, begin: Integer, end: Integer, out: Ints
) -> bool:
    """Whether a script may load an image in place of what src says."""
    if is_shown(data, k, out):
        return False
    for row in range(begin, end):
        unknown = names[row] == 0 or names[row] >= FIRST_BACKGROUND
        if not unknown or not may_have(data, spans[row, 2], spans[row, 3], SIGNS):
            continue
        if may_have(data, spans[row, 0], spans[row, 1], LAZY_PARTS):
            return True
    return False


@inlined
def pass_fraction(data: Bytes, i: Integer, end: Integer) -> Integer:
    """Return the place behind a point and digits, if they stand here."""
    after = i + 1
    if i == end or data[np.uint64(i)] != DOT:
        return i
    while after < end and FIRST_DIGIT <= data[np.uint64(after)] <= LAST_DIGIT:
        after += 1
    return after if after > i + 1 else i


@inlined
def read_size(data: Bytes, start: Integer, end: Integer) -> Integer:
    """Return a number of pixels; NONE for what is surely none."""
    i = start
    size = 0
    while i < end and FIRST_DIGIT <= data[np.uint64(i)] <= LAST_DIGIT:
        size = min(size * 10 + data[np.uint64(i)] - FIRST_DIGIT, MAX_SIDE + 1)
        i += 1
    if i - start > LONGEST_SIZE:
        return ASK
    after = pass_fraction(data, i, end) if i > start else i
    left = end - after
    is_pixels = left == 2 and data[np.uint64(after)] == 0x70 and data[np.uint64(after + 1)] == 0x78
    if i > start and (left == 0 or is_pixels):
        return size if size <= MAX_SIDE else NONE
    if i == end:
        return NONE
    byte = data[np.uint64(i)]
    odd = byte <= BLANK or byte > LAST_PLAIN or byte == AMPERSAND
    behind = i > start and (byte == DOT or byte == 0x70)
    return ASK if odd or behind else NONE


@inlined
def note_attribute(data: Bytes, k: Integer, name: Integer, span: Ints, out: Ints) -> None:
    """Write down what one attribute says."""
    start, end = span[2], span[3]
    if name == SRC:
        out[SOURCE, k], out[SOURCE_END, k] = start, end
    elif name == ALT or name == TITLE or name == LABEL:  # noqa: SIM109 -- faster than a tuple
        at = FIRST_TEXT + OF_TEXT * (int(name == TITLE) + 2 * int(name == LABEL))
        out[at, k] = start
        out[at + 1, k] = end
    elif name == WIDTH and out[WIDE, k] == NONE:
        out[WIDE, k] = read_size(data, start, end)
    elif name == HEIGHT and out[HIGH, k] == NONE:
        out[HIGH, k] = read_size(data, start, end)
    elif name == STYLE and may_have(data, start, end, SIZE_NAMES):
        if may_have(data, start, end, PIXELS):
            out[WIDE, k] = out[HIGH, k] = ASK
    elif name == SRCSET and start < end:
        out[SIMPLE, k] = 0
    elif (name == 0 or name >= FIRST_BACKGROUND) and start < end:
        note_unknown(data, k, span, out)


@inlined
def note_addresses(k: Integer, count: Integer, found: Ints, out: Ints) -> None:
    """Write down the addresses of an image that names several, if they are known."""
    if count <= 0:
        return
    out[SIMPLE, k] = 1
    out[ADDRESS, k], out[ADDRESS_END, k] = found[0, 0], found[0, 1]
    out[OTHERS, k] = count - 1
    for other in range(1, count):
        out[OTHERS + 2 * other - 1, k], out[OTHERS + 2 * other, k] = (
            found[other, 0],
            found[other, 1],
        )


@inlined
def note_image(
    data: Bytes, k: Integer, names: Bytes, spans: Ints, begin: Integer, end: Integer, out: Ints
) -> None:
    """Write down what the attributes of one image say, each by itself."""
    for column in range(COLUMNS):
        out[column, k] = 0
    out[SIMPLE, k] = 1
    out[WIDE, k] = out[HIGH, k] = NONE
    if begin < end:
        out[STARTS, k] = spans[begin, 0] - 1
        out[ENDS, k] = spans[end - 1, 3] + 1
    for row in range(begin, end):
        note_attribute(data, k, np.int64(names[row]), spans[row], out)
    if out[SIMPLE, k] == SIMPLE_IF_SHOWN:
        out[SIMPLE, k] = not is_lazy(data, k, names, spans, begin, end, out)
    out[ADDRESS, k], out[ADDRESS_END, k] = out[SOURCE, k], out[SOURCE_END, k]


@filling
def note_clues(
    data: Bytes,
    images: Ints,
    nodes: Plain,
    names: Bytes,
    spans: Ints,
    room: Plain,
    found: Ints,
    seen: NDArray[np.bool_],
    out: Ints,
) -> int:
    """Write down what the attributes of all images say, a column each; return what they need."""
    places, candidates = ImageNodes(*nodes), Set(*room)
    needs = 0
    for k in range(len(images)):
        node = np.int64(images[k])
        begin, end = np.int64(places.first[node]), np.int64(places.first[node + 1])
        note_image(data, k, names, spans, begin, end, out)
        count: Integer = 0
        parent = np.int64(places.parent[node])
        if places.tag[parent] == PICTURE and not seen[parent]:
            seen[parent] = True
            count = choose_pictured(data, places, names, spans, parent, node, candidates, found)
            out[PICTURED, k] = parent if count < 0 else 0
        if count <= 0 and not out[SIMPLE, k]:
            count = choose_addresses(data, names, spans, begin, end, candidates, found)
        note_addresses(k, count, found, out)
        out[KIND, k], out[STOP, k] = sort_reference(data, out[ADDRESS, k], out[ADDRESS_END, k])
        needs |= note_needs(k, out)
        if k:
            needs |= note_twin(data, k, np.int64(images[k - 1]), node, places.flags, out)
    return needs


@inlined
def note_twin(
    data: Bytes,
    k: Integer,
    before: Integer,
    node: Integer,
    flags: NDArray[np.uint32],
    out: Ints,
) -> int:
    """Ask for a closer look at a placeholder beside an image in <noscript>: noscript_image.py."""
    hidden = flags[node] & np.uint32(IN_NOSCRIPT)
    if hidden == flags[before] & np.uint32(IN_NOSCRIPT):
        return 0
    placeholder = k - 1 if hidden else k
    if is_doubtful(data, out[ADDRESS, placeholder], out[ADDRESS_END, placeholder]):
        out[SIMPLE, placeholder] = 0
        return ASKS_SOURCE | BY_NOSCRIPT
    return BY_NOSCRIPT


@inlined
def note_needs(k: Integer, out: Ints) -> int:
    """Return what must be looked at more closely of an image."""
    needs = 0
    if out[WIDE, k] == ASK or out[HIGH, k] == ASK:
        needs |= ASKS_SIZE
    relative = out[KIND, k] & RELATIVE
    if out[SIMPLE, k] == 0 or out[PICTURED, k]:
        needs |= ASKS_SOURCE
    if not relative or relative == ITSELF:  # UNKNOWN is 0
        needs |= IS_ODD
    if out[OTHERS, k]:
        needs |= HAS_OTHERS
    return needs


def find_clues(tree: Tree, nodes: Ints) -> Clues:
    """Return what is said of some <img> elements."""
    out = np.empty((COLUMNS, len(nodes)), np.int32)
    needs = note_clues(
        tree.letters.data,
        nodes,
        (tree.tag, tree.parent, tree.end, tree.first_attribute, tree.flags),
        tree.attribute_name,
        tree.attribute_spans,
        unnamed(lend_set()),
        np.empty((1 + MOST_OTHERS, 2), np.int32),
        np.zeros(len(tree.tag), np.bool_),
        out,
    )
    alts, titles, labels = (out[at : at + OF_TEXT] for at in range(FIRST_TEXT, OTHERS, OF_TEXT))
    return Clues(
        out[STARTS],
        out[ENDS],
        out[KIND : STOP + 1],
        out[ADDRESS_END],
        out[SOURCE : SOURCE_END + 1],
        out[SIMPLE],
        out[PICTURED],
        out[WIDE],
        out[HIGH],
        (alts, titles, labels),
        out[OTHERS:],
        needs,
    )
