"""The first pages of a PDF as lines of text. A program of its own: it may be ended at any time.

In: the bytes of a PDF on standard input. Out: JSON on standard output: {"pages": [[[text, size]]]},
or {"failure": reason}. It limits its own memory and time before it looks at anything; `pdf_head.py`
starts it and imports nothing of it, and it imports nothing of ours, to start at once.
"""

import io
import json
import logging
import math
import re
import resource
import sys
import traceback
from typing import Any

LONGEST_TRACEBACK = 10_000
PAGES = 2
MEMORY_BYTES = 1 << 30
CPU_S = 10
MAX_CHARS = 60_000  # of a page
MAX_DEPTH = 30  # of the tree of pages
MAX_KIDS = 50  # of a node of that tree that are looked at
MAX_NODES = 1000
# Where TeX's fonts of 7 and 8 bits have ligatures; some are blanks to Python.
LIGATURES = dict(
    zip("\x0b\x0c\r\x0e\x0f\x1b\x1c\x1d\x1e\x1f", 2 * ("ff", "fi", "fl", "ffi", "ffl"), strict=True)
)
LIGATURE = re.compile("(?<=[A-Za-z])[\x0b-\x0f\x1b-\x1f]|[\x0b-\x0f\x1b-\x1f](?=[a-z])")
INHERITED = ("/Resources", "/MediaBox", "/CropBox", "/Rotate")

Line = tuple[str, float]  # text, and the size of its letters


def limit_process() -> None:
    """Take from this process what a hostile file could use."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def read_sheets(data: bytes) -> dict[str, Any]:
    """Return the lines of the first pages, or why there are none."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, WrongPasswordError

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"failure": "encrypted"}
        pages = [read_lines(page) for page in find_pages(reader)]
    except (DependencyError, WrongPasswordError):
        return {"failure": "encrypted"}
    except MemoryError:
        return {"failure": "needs too much memory"}
    except Exception as error:  # of a parser of strange files: anything
        return {
            "failure": f"damaged: {type(error).__name__}",
            "traceback": traceback.format_exc()[-LONGEST_TRACEBACK:],
        }
    if not pages:
        return {"failure": "no pages"}
    if not any(text.strip() for lines in pages for text, _ in lines):
        return {"failure": "no text: scanned, or drawn"}
    return {"pages": pages}


def find_pages(reader: Any) -> list[Any]:
    """Return the first pages, without a look at the others: there may be many, and in circles."""
    from pypdf import PageObject
    from pypdf.generic import DictionaryObject

    root = reader.root_object["/Pages"].get_object()
    waiting: list[tuple[Any, dict[str, Any], int]] = [(root, {}, 0)]
    found: list[Any] = []
    looked = 0
    while waiting and len(found) < PAGES and looked < MAX_NODES:
        node, inherited, depth = waiting.pop()
        looked += 1
        node = node.get_object() if node is not None else None
        if not isinstance(node, DictionaryObject) or depth > MAX_DEPTH:
            continue
        inherited = inherited | {key: node[key] for key in INHERITED if key in node}
        if "/Kids" in node:
            kids: Any = node["/Kids"].get_object()
            waiting.extend((kid, inherited, depth + 1) for kid in reversed(kids[:MAX_KIDS]))
            continue
        page = PageObject(reader)
        page.update({**inherited, **node})
        found.append(page)
    return found


def read_lines(page: Any) -> list[Line]:
    """Return the lines of a page with the sizes of their letters."""
    pieces: list[Line] = []
    total = 0

    def visit(text: str, around: Any, matrix: Any, _font: Any, size: Any) -> None:
        nonlocal total
        if total < MAX_CHARS and text:
            scale = math.hypot(matrix[2], matrix[3]) * math.hypot(around[2], around[3])
            pieces.append((text[: MAX_CHARS - total], float(size or 0.0) * scale))
            total += len(text)

    page.extract_text(visitor_text=visit)
    return join_pieces(pieces)


def join_pieces(pieces: list[Line]) -> list[Line]:
    """Return lines of the pieces that a page was drawn with: a line break ends each."""
    lines: list[Line] = []
    text, sizes = "", {0.0: 0}
    for piece, size in [*pieces, ("\n", 0.0)]:
        piece = LIGATURE.sub(lambda sign: LIGATURES[sign[0]], piece)
        parts = piece.split("\n")
        for number, part in enumerate(parts):
            if number:
                if text.strip():
                    best = max(sizes, key=lambda each: sizes[each])
                    lines.append((" ".join(text.split()), round(best, 1)))
                text, sizes = "", {0.0: 0}
            text += part
            near = round(size, 1) if math.isfinite(size) else 0.0
            sizes[near] = sizes.get(near, 0) + len(part.strip())
    return lines


def run() -> None:
    """Read a PDF from standard input, write its lines to standard output."""
    limit_process()
    logging.disable(logging.CRITICAL)
    try:
        found = read_sheets(sys.stdin.buffer.read())
    except MemoryError:
        found = {"failure": "needs too much memory"}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    run()
