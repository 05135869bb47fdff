"""What a picture may cost, and the fixed words for why one cannot be used.

Nothing here is measured by the clock: the same bytes must give the same result on every machine.
Every limit is on something that is known before the work begins, and bounds its time.
"""

from dataclasses import dataclass
from typing import Annotated

EMPTY = "empty file"
TRUNCATED = "truncated"
BROKEN = "broken"
NO_PIXELS = "no pixels"
TOO_MANY_BYTES = "too many bytes"
TOO_MANY_PIXELS = "too many pixels"
TOO_MANY_PARTS = "too many parts"
TOO_MANY_SCANS = "too many scans"
NO_MEMORY = "out of memory"

MAX_PARTS = 20_000  # segments, chunks, boxes: a real file of 50 MB has some 6,000
MAX_BLOCKS = 400_000  # of a GIF, each of up to 255 bytes
MAX_RLE_BYTES = 2_000_000  # of a BMP with runs, which Pillow decodes in Python
MAX_METADATA = 1_048_576  # bytes of one piece, after decompression; what is larger is cut


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What a picture may cost."""

    megabytes: Annotated[float, "larger files are not looked into"] = 50.0
    megapixels: Annotated[float, "of a JPEG, which is decoded at a smaller scale"] = 80.0
    megapixels_whole: Annotated[float, "of other formats, which must be decoded whole"] = 40.0
    megapixels_scanned: Annotated[float, "pixels times scans of a progressive JPEG"] = 800.0
