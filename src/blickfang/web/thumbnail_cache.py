"""Pictures as the application shows them: decoded within limits, encoded anew, never as they came.

In: bytes from the corpus or an archive. Out: JPEG or PNG of a bounded size, and the answer that
carries it. What cannot be read is a placeholder of our own.
"""

import io
import threading
from collections import OrderedDict
from collections.abc import Callable

from starlette.responses import Response

from blickfang.corpus.pictures.picture import show_picture
from blickfang.types import Failure

SMALL, LARGE = 360, 1600  # pixels
KEPT_BYTES = 96_000_000
QUALITY = 82
HEADERS = {
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, max-age=86400, immutable",
}
MISSING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 90" width="160" height="120">'
    b'<rect width="120" height="90" fill="#8a94a0"/><path d="M20 70l25-32 18 20 14-12 23 24z" '
    b'fill="#b8c0c9"/><circle cx="84" cy="28" r="9" fill="#b8c0c9"/></svg>'
)


class Album:
    """Pictures that were encoded lately, within a number of bytes."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self.most, self.size = most, 0
        self.kept: OrderedDict[tuple[str, int], tuple[bytes, str]] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, name: str, side: int, read: Callable[[], bytes]) -> tuple[bytes, str]:
        """Return a picture and its type, no side longer than `side`; `read` gives the original."""
        key = name, side
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = encode(name, read(), side)
        with self.lock:
            if key not in self.kept:
                self.kept[key] = made
                self.size += len(made[0])
            while self.size > self.most:
                self.size -= len(self.kept.popitem(last=False)[1][0])
        return made


def encode(name: str, data: bytes, side: int) -> tuple[bytes, str]:
    """Return a picture encoded anew, and its type; a placeholder for what cannot be read."""
    image = show_picture(name, data, side)
    if isinstance(image, Failure):
        return MISSING, "image/svg+xml"
    file = io.BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=QUALITY)
    return file.getvalue(), "image/jpeg"


def answer(picture: tuple[bytes, str]) -> Response:
    """Return the answer that carries a picture."""
    return Response(picture[0], media_type=picture[1], headers=HEADERS)
