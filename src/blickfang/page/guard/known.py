"""Names that are written otherwise than they are read: character references, and names of SVG.

In: a name in a kernel. Out: its number, by which tables here tell the characters that a reference
stands for, or the spelling that SVG gives to a name, whose letters were made small. The tables
become part of the kernels, so blickfang.compute.kernels must see this file change.
"""

from html.entities import html5

import numpy as np
from numpy.typing import NDArray

from blickfang.compute.kernels import Integer, inlined

Bytes = NDArray[np.uint8]

REFERENCE, ELEMENT, ATTRIBUTE, OF_MATH = (ord(mark) for mark in "&<=$")  # in front of a name
ELEMENTS = (
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath "
    "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting "
    "feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
    "feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight "
    "feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient "
    "radialGradient textPath"
)
ATTRIBUTES = (
    "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant "
    "edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength "
    "keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits "
    "markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits "
    "patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha "
    "preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions "
    "requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation "
    "stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox "
    "viewTarget xChannelSelector yChannelSelector zoomAndPan"
)
LONGEST_OPEN = max(len(name) for name in html5 if not name.endswith(";"))  # without a semicolon
SLOTS = 8192
SEED, MULTIPLIER, LOW = 0x811C9DC5, 0x01000193, 0xFFFFFFFF


def hash_of(name: bytes) -> int:
    """Return what the kernel's `find_known` makes of a name with its mark."""
    h = SEED
    for byte in name:
        h = (h ^ byte) * MULTIPLIER & LOW
    return h ^ h >> 15


def list_names() -> list[tuple[bytes, bytes, tuple[int, ...]]]:
    """Return every name with its mark as it is looked for, as it is spelled, and what it means."""
    found = [
        (b"&" + name.encode(), b"&" + name.encode(), tuple(map(ord, meant)))
        for name, meant in html5.items()
    ]
    for mark, names in (("<", ELEMENTS), ("=", ATTRIBUTES), ("$", "definitionURL")):
        for name in names.split():
            spelled = (mark + name).encode()
            found.append((spelled.lower(), spelled, (0,)))
    return found


def make_tables() -> tuple[NDArray[np.int32], ...]:
    """Return a hash table, where each name begins, all names twice, and their characters."""
    names = list_names()
    slots = np.zeros(SLOTS, np.int32)
    begins = np.cumsum([0, *(len(key) for key, _, _ in names)]).astype(np.int32)
    for number, (key, _, _) in enumerate(names):
        slot = hash_of(key) % SLOTS
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = number + 1
    keys, spelled = b"".join(row[0] for row in names), b"".join(row[1] for row in names)
    meant = [(*characters, 0)[:2] for _, _, characters in names]
    return (
        slots,
        begins,
        np.frombuffer(keys, np.uint8).astype(np.int32),
        np.frombuffer(spelled, np.uint8).astype(np.int32),
        np.array(meant, np.int32),
    )


SLOT_OF, BEGIN_OF, KEYS, SPELLED, MEANT = make_tables()


@inlined
def find_known(text: Bytes, begin: Integer, end: Integer, mark: Integer) -> Integer:
    """Return the number of a name behind a mark, or -1."""
    h = (np.uint64(SEED) ^ np.uint64(mark)) * np.uint64(MULTIPLIER) & np.uint64(LOW)
    for k in range(begin, end):
        h = (h ^ np.uint64(text[k])) * np.uint64(MULTIPLIER) & np.uint64(LOW)
    slot = np.int64(h ^ h >> np.uint64(15)) & (SLOTS - 1)
    while SLOT_OF[slot]:
        number = np.int64(SLOT_OF[slot]) - 1
        first = np.int64(BEGIN_OF[number])
        if BEGIN_OF[number + 1] - first == end - begin + 1 and KEYS[first] == mark:
            same = 0
            while same < end - begin and KEYS[first + 1 + same] == text[begin + same]:
                same += 1
            if same == end - begin:
                return number
        slot = (slot + 1) & (SLOTS - 1)
    return -1
