"""Whether an address of an image may be that of a placeholder; as kernels.

In: where an address stands in the canonical HTML. Out: whether one must look more closely: then
`sources.is_placeholder` is asked, which says the same of what is taken here.
"""

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined
from blickfang.html.images.lazy_sources import HINTS
from blickfang.html.parse.byte_patterns import LAST_PLAIN, may_have, pack, stands_at
from blickfang.html.parse.page_strings import AMP, AMPERSAND, BLANK, begins_with

Bytes = NDArray[np.uint8]
Span = tuple[Integer, Integer]

SLASH, DOUBT_ASKS, DOUBT_HASH, BRACE, LESS, BRACKET = (ord(sign) for sign in "/?#{<[")
PLACEHOLDERS = pack(HINTS)
DATA_SCHEME = np.frombuffer(b"data:", np.uint8)
OTHER_SCHEMES = pack(["about:", "javascript:", "#", "blob:"])


@inlined
def is_inline(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether an address holds the image itself, a placeholder."""
    return bool(end - start >= len(DATA_SCHEME) and begins_with(data, start, DATA_SCHEME))


@inlined
def is_doubtful(data: Bytes, start: Integer, end: Integer) -> bool:
    """Whether an address may be that of a placeholder, or has signs that are left to others."""
    letters, edges = OTHER_SCHEMES
    for w in range(len(edges) - 1):
        fits = start + edges[w + 1] - edges[w] <= end
        if fits and stands_at(data, start, letters, edges[w], edges[w + 1]):
            return True
    name, stop = start, end  # the name of the file stands before a query
    for i in range(start, end):
        byte = data[np.uint64(i)]
        if byte == BRACE or byte == LESS or byte == BRACKET:  # noqa: SIM109 -- faster than a tuple
            return True
        if stop < end:
            continue
        if byte == DOUBT_ASKS or byte == DOUBT_HASH:  # noqa: SIM109
            stop = i
        elif byte == SLASH:
            name = i + 1
    return may_have(data, name, stop, PLACEHOLDERS)


@inlined
def is_trimmed(data: Bytes, span: Span) -> bool:
    """Whether a value has letters only, no white space around them or in them."""
    for i in range(span[0], span[1]):
        byte = data[np.uint64(i)]
        if byte <= BLANK or byte > LAST_PLAIN:
            return False
        if byte == AMPERSAND and (span[1] - i < len(AMP) or not begins_with(data, i, AMP)):
            return False
    return bool(span[0] < span[1])
