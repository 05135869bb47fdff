"""A GIF taken apart: size, frames and metadata; only the first frame goes to the decoder.

In: bytes that begin as a GIF. Out: an `Anatomy`, or why there is none. Frames are counted by
stepping over their blocks; none but the first is ever decoded.
"""

from blickfang.page.picture.anatomy import Anatomy
from blickfang.page.picture.limits import BROKEN, MAX_BLOCKS, TOO_MANY_PARTS, TRUNCATED

EXTENSION, FRAME, TRAILER = 0x21, 0x2C, 0x3B
CONTROL, APPLICATION = 0xF9, 0xFF
GIF_XMP = b"\x0bXMP DataXMP"
XMP_TRAILER = 258  # bytes that make the text look like blocks


def take_gif_apart(data: bytes) -> Anatomy | str:
    """Return what a GIF consists of, or why it cannot be read."""
    if len(data) < 13:
        return TRUNCATED
    at = 13 + _palette_size(data[10])
    kept, size, frames, xmp, control = data[:at], _size(data, 6), 0, b"", b""
    left = MAX_BLOCKS
    while at < len(data) and data[at] in (EXTENSION, FRAME):
        start, is_frame = at, data[at] == FRAME
        if is_frame:
            if at + 10 >= len(data):
                return TRUNCATED
            blocks = at + 11 + _palette_size(data[at + 9])
        else:
            blocks = at + 2
        at, left = _skip_blocks(data, blocks, left - 1)
        if left < 0:
            return TOO_MANY_PARTS
        if at > len(data):
            return TRUNCATED
        if is_frame:
            frames += 1
            if frames == 1:
                corner, inner = _size(data, start + 1), _size(data, start + 5)
                size = max(size[0], corner[0] + inner[0]), max(size[1], corner[1] + inner[1])
                kept += control + data[start:at] + b";"
        elif data[start + 1] == CONTROL:
            control = data[start:at]
        elif data.startswith(GIF_XMP, blocks):
            xmp = data[blocks + len(GIF_XMP) : max(blocks + len(GIF_XMP), at - XMP_TRAILER)]
    if not frames:
        return BROKEN if at < len(data) else TRUNCATED
    return Anatomy(*size, frames, kept, xmp=xmp)


def _palette_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 128 else 0


def _size(data: bytes, at: int) -> tuple[int, int]:
    return (
        int.from_bytes(data[at : at + 2], "little"),
        int.from_bytes(data[at + 2 : at + 4], "little"),
    )


def _skip_blocks(data: bytes, at: int, left: int) -> tuple[int, int]:
    """Return where a chain of blocks ends, and how many more may be stepped over."""
    end = len(data)
    while left >= 0:
        if at >= end:
            return end + 1, left
        length = data[at]
        at += length + 1
        if not length:
            break
        left -= 1
    return at, left
