"""Names of elements and attributes as small numbers, and what the reader must know of each element.

In: nothing. Out: the numbers of names (`TAGS["p"]`, `ATTRIBUTES["href"]`), tables over them for
kernels, and `look_up`, which finds a name's number by its hash.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.compute.simd import EIGHT, load
from blickfang.text.words import MULTIPLIER

TEXT = 0  # the tag of a text node
OTHER = 1  # of an element we do not know; its name still tells it from others


def _split(names: str) -> list[str]:
    return names.split()


INLINE_NAMES = _split(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins "
    "kbd label mark math nobr output picture q rb rp rt rtc ruby s samp small span strike "
    "strong sub sup svg time tt u var wbr"
)
BLOCK_NAMES = _split(
    "address applet area article aside audio basefont bgsound blockquote body canvas caption "
    "center col colgroup datalist dd details dialog dir div dl dt embed fieldset figcaption "
    "figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe "
    "keygen legend li listing main map menu meter nav noembed noframes object ol optgroup "
    "option p plaintext pre progress search section select slot summary table tbody td "
    "textarea tfoot th thead tr ul video xmp"
)
INVISIBLE_NAMES = _split("base link meta noscript param script source style template title track")
VOID_NAMES = _split(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr"
)
RAW_NAMES = _split("script style xmp iframe noembed noframes plaintext")
# Their text is not part of what a reader reads; that of noscript only where nothing else is there.
SILENT_NAMES = _split(
    "head title script style noscript template svg math select option optgroup textarea iframe "
    "noembed noframes video audio canvas map datalist object applet"
)
HEADING_NAMES = _split("h1 h2 h3 h4 h5 h6")

ATTRIBUTE_NAMES = _split(
    "align alt aria-describedby aria-hidden aria-label aria-labelledby background border charset "
    "class colspan content coords data-alt datetime dir height hidden href hreflang http-equiv id "
    "itemprop itemscope itemtype lang longdesc media name poster property rel role rowspan "
    "shadowrootmode sizes src srcset style summary target title type usemap value width "
    "xlink:href xml:lang"
)
# Where scripts find the background of a box once it is seen.
BACKGROUND_NAMES = _split(
    "data-bg data-background data-background-image data-bg-image data-lazy-background"
)
ATTRIBUTE_NAMES += BACKGROUND_NAMES

VOID, RAW, SILENT, BLOCK, HEADING, PRE, EVERY_ATTRIBUTE, LINE = (1 << k for k in range(8))

NAMES = [*INLINE_NAMES, *INVISIBLE_NAMES, *BLOCK_NAMES]
TAGS = {name: number for number, name in enumerate(NAMES, OTHER + 1)}
TAG_NAMES = ["#text", "", *TAGS]
ATTRIBUTES = {name: number for number, name in enumerate(ATTRIBUTE_NAMES, 1)}


class NameTable(NamedTuple):
    """A small hash table: the hash of a name → its number."""

    hashes: NDArray[np.uint64]
    numbers: NDArray[np.uint8]


def hash_name(name: str) -> int:
    """Return the hash of a word in a value, as `marks.hash_value` computes it.

    >>> hash_name("p") == hash_name("P"), hash_name("p") == hash_name("pre")
    (False, False)
    """
    h = 0
    for byte in name.encode():
        h = (h ^ byte) * int(MULTIPLIER) % 2**64
    return h


def hash_known(name: str) -> int:
    """Return what the kernel's `hash_span` makes of a name."""
    text = name.encode()
    h = len(text)
    for i in range(0, len(text), EIGHT):
        h = (h ^ int.from_bytes(text[i : i + EIGHT], "little")) * int(MULTIPLIER) % 2**64
    return h


def _make_table(numbers: dict[str, int]) -> NameTable:
    hashes, found = np.zeros(512, np.uint64), np.zeros(512, np.uint8)
    for name, number in numbers.items():
        h = hash_known(name)
        slot = h >> 55
        while hashes[slot]:
            slot = (slot + 1) % 512
        hashes[slot], found[slot] = h, number
    return NameTable(hashes, found)


def _make_traits() -> NDArray[np.uint8]:
    """Return for each tag its bits."""
    traits = np.zeros(256, np.uint8)
    traits[OTHER] = BLOCK  # custom elements wrap blocks far more often than words
    for names, bit in (
        (VOID_NAMES, VOID),
        (RAW_NAMES, RAW),
        (SILENT_NAMES, SILENT),
        (BLOCK_NAMES, BLOCK),
        (HEADING_NAMES, HEADING),
        (["pre", "listing", "xmp"], PRE),
        (["img", "source", "input"], EVERY_ATTRIBUTE),
        (["br"], LINE),
    ):
        traits[[TAGS[name] for name in names]] |= np.uint8(bit)
    return traits


TAG_TABLE, ATTRIBUTE_TABLE, TRAITS = (
    _make_table(TAGS),
    _make_table(ATTRIBUTES),
    _make_traits(),
)


@inlined
def hash_span(data: NDArray[np.uint8], i: Integer, end: Integer) -> np.uint64:
    """Return the hash of a name, eight bytes at a time; see `hash_known`."""
    h = np.uint64(end - i)
    while i < end:
        left = np.uint64(end - i)
        word = np.uint64(0)
        if i + EIGHT <= len(data):
            word = load(data, i)
            if left < np.uint64(EIGHT):
                word &= (np.uint64(1) << np.uint64(8) * left) - np.uint64(1)
        else:
            for k in range(end - i):
                word |= np.uint64(data[np.uint64(i + k)]) << np.uint64(8 * k)
        h = (h ^ word) * MULTIPLIER
        i += EIGHT
    return h


@inlined
def look_up(names: NameTable, h: np.uint64) -> np.uint8:
    """Return the number of a name by its hash, or 0."""
    slot = np.uint64(h >> np.uint64(55))
    while names.hashes[slot] != h:
        if names.hashes[slot] == np.uint64(0):
            return np.uint8(0)
        slot = (slot + np.uint64(1)) & np.uint64(511)
    return names.numbers[slot]
