"""Text that is already cut into words, one sentence a line, is taken as it stands.

In: lines with blanks between the words. Out: `Words` as of blickfang.text.words, but nothing is
folded or left out: for corpora prepared by other tools, and for comparing with them.
"""

from collections.abc import Sequence

import numpy as np

from blickfang.compute.kernels import Integer, compiled, inlined
from blickfang.text.words import (
    MULTIPLIER,
    Bytes,
    Words,
    WordScratch,
    decode,
    encode,
    finish,
    keep_found,
    make_room,
)

BLANK, TAB, RETURN = 0x20, 0x09, 0x0D  # what separates words, as in KenLM: and all in between

# The hashes of <unk>, <s> and </s>: written in a text they are no words. We set them ourselves.
UNKNOWN_MARK = np.uint64(0xE280C71A1B639073)
BEGIN_MARK = np.uint64(0x48622D87BE9D0FA6)
END_MARK = np.uint64(0x823DAF4A3E84F2A7)


@inlined
def is_blank(byte: np.uint8) -> bool:
    """Whether a byte separates words; NUL ends a text."""
    return bool(byte == BLANK or TAB <= byte <= RETURN or byte == 0)


@compiled
def scan_blanks(data: Bytes, found: WordScratch) -> int:
    """Find what stands between blanks; every NUL ends a text. Return how many words."""
    m = t = 0
    i: Integer = 0
    edge = True
    while i < len(data):
        if is_blank(data[i]):
            if data[i] == 0:
                t += 1
                found.texts[t] = m
                edge = True
            i += 1
            continue
        start = i
        h = np.uint64(0)
        while not is_blank(data[i]):
            code: Integer = np.int64(data[i])
            if code < 128:
                i += 1
            else:
                code, i = decode(data, i)
            h = (h ^ np.uint64(code)) * MULTIPLIER
        h = finish(h)
        if h in (UNKNOWN_MARK, BEGIN_MARK, END_MARK):
            continue
        found.hashes[m] = h
        found.starts[m] = start
        found.ends[m] = i
        found.breaks[m] = edge
        edge = False
        m += 1
    return m


def read_tokenised(lines: Sequence[str]) -> Words:
    """Return the words of sentences that are already split at blanks."""
    data = encode(lines)
    room = make_room(data, len(lines))
    return keep_found(data, room, scan_blanks(np.frombuffer(data, np.uint8), room), folded=False)
