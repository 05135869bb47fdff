"""The arrays that a scan of a page fills, the flags in them, and what it knows beforehand.

In: the size of a page. Out: `Room` to write in, kept for the next page of this thread; `LEXICON`.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import unnamed_all
from blickfang.compute.simd import LANES
from blickfang.html.parse import tags
from blickfang.html.parse.tags import TAGS, NameTable

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]

# Flags of a node; the first group is inherited by everything below it.
LINKED, UNSEEN, ARIA_HIDDEN, SILENT, PRE, IN_NOSCRIPT, IN_BUTTON, IN_MAIN = (
    1 << k for k in range(8)
)
IN_TABLE, IN_NAV, IN_ASIDE, IN_FOOTER, IN_HEADER, IN_FIGURE, IN_BODY_ITEM, IN_DIALOG = (
    1 << k for k in range(8, 16)
)
INHERITED = (1 << 16) - 1
HIDES = 1 << 16  # this element itself hides what is in it
CAPTIONED = 1 << 17  # its class or itemprop speaks of a caption

ZONES = {
    "noscript": IN_NOSCRIPT,
    "button": IN_BUTTON,
    "main": IN_MAIN,
    "table": IN_TABLE,
    "nav": IN_NAV,
    "aside": IN_ASIDE,
    "footer": IN_FOOTER,
    "header": IN_HEADER,
    "figure": IN_FIGURE,
    "dialog": IN_DIALOG,
}

PLAIN, WHITE, ENTITY, TAG = range(4)  # what a byte of text is

# Places in the small array that holds where the scan is.
NODES, ATTRS, TOKENS, OUT, GAP, TOP, TEMPLATES, ENDED = range(8)

SCRATCH_BYTES = 2**18  # room kept for pages of this size: 8 MB a thread, touched as needed
_scratch = threading.local()


class ScanTables(NamedTuple):
    """What the scan knows beforehand."""

    tags: NameTable
    attributes: NameTable
    traits: Bytes  # for each tag its bits
    zones: NDArray[np.uint32]  # for each tag the flag that all below it inherit
    kinds: Bytes  # for each byte of text what it is


class ScanScratch(NamedTuple):
    """Where the scan writes; the places are explained in `tree.py`."""

    state: NDArray[np.int64]
    text: Bytes
    numbers: Ints  # the six below, a row each, in the order of a `Tree`
    parent: Ints
    end: Ints
    tag: Bytes
    name: NDArray[np.uint64]
    flags: NDArray[np.uint32]
    offset: Ints
    source: Ints
    first_attribute: Ints
    first_token: Ints
    attribute_name: Bytes
    attribute_spans: Ints  # rows of: name, its end, value, its end
    tokens: NDArray[np.uint64]


def _make_lexicon(silent_noscript: bool) -> ScanTables:
    zones, kinds = np.zeros(256, np.uint32), np.zeros(256, np.uint8)
    for name, flag in ZONES.items():
        zones[TAGS[name]] = flag
    zones[(tags.TRAITS & tags.SILENT) > 0] |= np.uint32(SILENT)
    zones[(tags.TRAITS & tags.PRE) > 0] |= np.uint32(PRE)
    if not silent_noscript:
        zones[TAGS["noscript"]] = IN_NOSCRIPT
    kinds[list(b" \t\n\r\f")] = WHITE
    kinds[ord("&")], kinds[ord("<")] = ENTITY, TAG
    names = tags.TAG_TABLE, tags.ATTRIBUTE_TABLE
    return unnamed_all(ScanTables(*names, tags.TRAITS, zones, kinds))


LEXICON = _make_lexicon(silent_noscript=True)
NOSCRIPT_LEXICON = _make_lexicon(silent_noscript=False)  # for pages that say all there


def make_room(size: int) -> ScanScratch:
    """Return arrays large enough for a page of so many bytes: this thread's own, until copied."""
    room: ScanScratch | None = getattr(_scratch, "room", None)
    if room is None or len(room.text) < size + LANES:
        room = _make_arrays(max(size, SCRATCH_BYTES))
        if size <= SCRATCH_BYTES:
            _scratch.room = room
    return room


def _make_arrays(size: int) -> ScanScratch:
    """The shortest node takes two bytes, attribute five, token two."""
    nodes = size // 2 + 2
    numbers = np.empty((6, nodes), np.int32)
    parent, end, offset, source, first_attribute, first_token = numbers
    return ScanScratch(
        np.empty(8, np.int64),
        np.empty(size + LANES, np.uint8),
        numbers,
        parent,
        end,
        np.empty(nodes, np.uint8),
        np.empty(nodes, np.uint64),
        np.empty(nodes, np.uint32),
        offset,
        source,
        first_attribute,
        first_token,
        np.empty(size // 5 + 1, np.uint8),
        np.empty((size // 5 + 1) * 4, np.int32),
        np.empty(nodes, np.uint64),
    )
