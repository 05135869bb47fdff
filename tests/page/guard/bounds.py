"""Runs the guard's kernels as plain Python, over arrays that refuse a wrong index.

In: golden and hostile pages, and pages cut off at every second place. Out: nothing, or an
IndexError. As machine code a kernel that reads or writes beyond an array would just go on. Numba
must not compile, so this is a process of its own:

    NUMBA_DISABLE_JIT=1 python -m tests.page.guard.bounds
"""

import warnings
from typing import Any

import numpy as np

from blickfang.html.guard import guard_limits, open_elements, tag_classes, tokenizer
from blickfang.html.guard.guard import scan_page
from tests.fuzz.kinds import GOLDEN
from tests.page.guard.test_orderly import MESSY, ORDERLY
from tests.site.hostile.pages import PAGES, SMALL

LONGEST = 800  # bytes of a page: plain Python takes its time
PAPERS = (0, 70, 150)  # bytes to write on, besides enough of them


class Checked(np.ndarray[Any, Any]):
    """An array whose indices are checked, also those below 0."""

    def __getitem__(self, place: Any) -> Any:
        self._check(place)
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        self._check(place)
        super().__setitem__(place, value)

    def _check(self, place: Any) -> None:
        if not isinstance(place, slice) and not 0 <= place < len(self):
            raise IndexError(f"{place} of {len(self)}")


def scan(page: bytes, paper: int) -> None:
    """Follow a page and write it on so many bytes of paper."""
    data = np.frombuffer(page, np.uint8).view(Checked)
    room = np.zeros(guard_limits.CUTS_AT + len(page) + 4, np.int64).view(Checked)
    room[open_elements.KNOWN_AT : open_elements.KNOWN_AT + len(tag_classes.KNOWN)] = (
        tag_classes.KNOWN
    )
    scan_page(data, room, np.zeros(paper, np.uint8).view(Checked))


def main() -> None:
    """Scan all pages, and the short ones cut off at every second place."""
    warnings.simplefilter("ignore")  # hashes overflow, as they shall
    short = [page.encode() for page in (*ORDERLY.values(), *MESSY.values()) if len(page) < LONGEST]
    long = [path.read_bytes() for path in sorted(GOLDEN.glob("*.html"))]
    long += [PAGES[name]() for name in SMALL]
    for page in (*short, *(page[:LONGEST] for page in long)):
        for paper in (*PAPERS, 2 * len(page) + guard_limits.SPARE_BYTES):
            scan(page, paper)
    for page in short:
        for end in range(0, len(page), 2):
            scan(page[:end], 2 * len(page) + guard_limits.SPARE_BYTES)
    tokenizer.find_doctype(np.frombuffer(b"<!--", np.uint8).view(Checked))


if __name__ == "__main__":
    main()
